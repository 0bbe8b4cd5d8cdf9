"""The armies of a game as people enter them: nothing that was entered is lost, right or wrong."""

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from assistant.armies.army import Army
from assistant.armies.entry import Entry, entry_of, unit_of
from assistant.armies.roster import RosterLine, parse_roster
from assistant.errors import BadInput
from assistant.rules.judge import rulebook

OTHER_FIELDS = ("name", "count", "base", "keywords", "status")
"""Of an entry, beside the rulebook's profile keys."""
UNNAMED = "Player"
"""What a player is called, with a number, until somebody says otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A unit in the table that people correct."""

    key: int
    """Its own in its army, for as long as it is there."""
    line: str = ""
    """The roster's line that it was read from; empty where it was entered by itself."""
    entry: Entry = field(default_factory=Entry)
    note: str = ""
    """What of the line was not understood, until somebody corrects the row."""
    by_hand: frozenset[str] = frozenset()
    """The fields that somebody has corrected: what the line says of them no longer counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Force:
    """One player's army."""

    key: str
    player: str
    text: str = ""
    """The roster as it was pasted or typed."""
    rows: tuple[Row, ...] = ()

    def row(self, key: int) -> Row:
        """Return a row; BadInput if there is none."""
        for row in self.rows:
            if row.key == key:
                return row
        raise BadInput("this unit is no longer there")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """All that was entered."""

    rulebook: str
    forces: tuple[Force, ...] = ()

    def force(self, key: str) -> Force:
        """Return an army; BadInput if there is none."""
        for force in self.forces:
            if force.key == key:
                return force
        raise BadInput("this army is no longer there")


def begun(rulebook_id: str) -> Draft:
    """Return a draft with two players who have no units yet; BadInput if there is no such rulebook."""
    rulebook(rulebook_id)
    return with_player(with_player(Draft(rulebook=rulebook_id)))


def of_rulebook(draft: Draft, rulebook_id: str) -> Draft:
    """Return what was entered, for another rulebook: rosters are read anew, what was corrected stays."""
    rulebook(rulebook_id)
    changed = replace(draft, rulebook=rulebook_id)
    for force in draft.forces:
        changed = _with(changed, replace(force, rows=_reread(force, force.text, rulebook_id, anew=True)))
    return changed


def with_player(draft: Draft, player: str = "") -> Draft:
    """Add an army without units; its player is numbered if no name is given."""
    taken = {force.key for force in draft.forces}
    key = next(str(number) for number in range(1, len(taken) + 2) if str(number) not in taken)
    return replace(draft, forces=(*draft.forces, Force(key=key, player=player or f"{UNNAMED} {key}")))


def without_player(draft: Draft, force: str) -> Draft:
    """Drop an army with all that was entered of it."""
    draft.force(force)
    return replace(draft, forces=tuple(other for other in draft.forces if other.key != force))


def named(draft: Draft, force: str, player: str) -> Draft:
    """Give a player a name."""
    return _with(draft, replace(draft.force(force), player=player))


def pasted(draft: Draft, force: str, text: str) -> Draft:
    """Take a player's roster as it is now; rows of lines that stayed are kept as they were corrected.

    A heading at its top names the player, unless somebody has named them already.
    """
    old = draft.force(force)
    rows = _reread(old, text, draft.rulebook)
    first = next(iter(headings(text)), None)
    player = first if first and old.player.startswith(UNNAMED) and _begins_with_heading(text) else old.player
    return _with(draft, replace(old, text=text, rows=rows, player=player))


def headings(text: str) -> tuple[str, ...]:
    """Return the players whom a roster's headings name, in order."""
    return tuple(dict.fromkeys(line.player or "" for line in parse_roster(text, ()) if line.kind == "player"))


def parted(draft: Draft, force: str) -> Draft:
    """Give each player whom a roster's headings name an army of their own, with the lines below the heading."""
    whole = draft.force(force)
    parts = _parts(whole.text)
    if len(parts) < 2:
        raise BadInput("this roster names no other player; begin each part with a heading such as # Red")
    own = next((name for name in parts if name == whole.player), next(iter(parts)))
    changed = named(draft, force, own or whole.player)
    changed = pasted(changed, force, "\n".join(parts.pop(own)))
    for player, lines in parts.items():
        there = next((other for other in changed.forces if other.player == player and other.key != force), None)
        there = there or next((f for f in changed.forces if f.player.startswith(UNNAMED) and not f.rows), None)
        if there is None:
            changed = with_player(changed, player)
            there = changed.forces[-1]
        text = "\n".join(filter(None, (there.text, *lines)))
        changed = pasted(named(changed, there.key, player), there.key, text)
    return changed


def edited(draft: Draft, force: str, row: int, column: str, value: str) -> Draft:
    """Correct one field of a unit; BadInput if it has no such field."""
    army = draft.force(force)
    old = army.row(row)
    if column in OTHER_FIELDS:
        mended: dict[str, Any] = {column: value}
    elif column in {key.name for key in rulebook(draft.rulebook).profile}:
        mended = {"profile": {**old.entry.profile, column: value}}
    else:
        raise BadInput(f"{draft.rulebook} knows no {column!r} of a unit")
    new = replace(old, entry=replace(old.entry, **mended), by_hand=old.by_hand | {column}, note="")
    return _with(draft, replace(army, rows=tuple(new if other.key == row else other for other in army.rows)))


def with_unit(draft: Draft, force: str, entry: Entry | None = None, note: str = "") -> Draft:
    """Add a unit that no roster names."""
    army = draft.force(force)
    row = Row(key=_next_key(army.rows), entry=entry or Entry(), note=note)
    return _with(draft, replace(army, rows=(*army.rows, row)))


def without_unit(draft: Draft, force: str, row: int) -> Draft:
    """Drop a unit, and its line from the roster."""
    army = draft.force(force)
    line = army.row(row).line
    lines = army.text.splitlines()
    if at := next((n for n, text in enumerate(lines, 1) if line and text.strip() == line), 0):
        del lines[at - 1]
    rows = tuple(other for other in army.rows if other.key != row)
    return _with(draft, replace(army, text="\n".join(lines), rows=rows))


def taken(draft: Draft, force: str, army: Army) -> Draft:
    """Put an army of a file in a player's place; what was entered there before is dropped."""
    keys = {key.name for key in rulebook(draft.rulebook).profile}
    changed = _with(draft, Force(key=draft.force(force).key, player=army.player))
    for unit in army.units:
        strange = [key for key in unit.profile if key not in keys]
        note = f"{draft.rulebook} has no {', '.join(strange)}: left out." if strange else ""
        changed = with_unit(changed, force, entry_of(unit), note)
    return changed


def armies_of(draft: Draft) -> tuple[Army, ...]:
    """Return the armies that were entered; players without units have none.

    Raises:
        BadInput: something is wrong with a unit, or a player has no name; the sentence names them, and what.

    """
    book = rulebook(draft.rulebook)
    armies = []
    for force in draft.forces:
        units = []
        for row in force.rows:
            unit, problems = unit_of(row.entry, book)
            if unit is None:
                raise BadInput(f"{force.player}, {row.entry.name.strip() or 'a unit'}: {problems[0].text}")
            units.append(unit)
        if units and not force.player.strip():
            raise BadInput(f"give the player with {units[0].name} a name")
        if units:
            armies.append(Army(player=force.player.strip(), rulebook=draft.rulebook, units=tuple(units)))
    return tuple(armies)


def _with(draft: Draft, force: Force) -> Draft:
    return replace(draft, forces=tuple(force if other.key == force.key else other for other in draft.forces))


def _next_key(rows: Sequence[Row]) -> int:
    return 1 + max((row.key for row in rows), default=0)


def _begins_with_heading(text: str) -> bool:
    lines = parse_roster(text, ())
    return bool(lines) and lines[0].kind == "player"


def _parts(text: str) -> dict[str, list[str]]:
    """Return a roster's lines by player, each part below its heading; those before the first belong to nobody."""
    parts: dict[str, list[str]] = {}
    player = ""
    for line in text.splitlines():
        if found := headings(line):
            player = found[0]
            parts.setdefault(player, [line])
        elif line.strip() or player in parts:
            parts.setdefault(player, []).append(line)
    return parts


def _reread(force: Force, text: str, rulebook_id: str, *, anew: bool = False) -> tuple[Row, ...]:
    """Return a roster's rows, with those that are there for lines that stayed, and those of no line behind them."""
    read = [line for line in parse_roster(text, (rulebook(rulebook_id),)) if line.kind == "unit"]
    old = [row for row in force.rows if row.line]
    rows: list[Row] = []
    key = _next_key(force.rows)
    for before, line in _paired(old, read):
        if before is not None and before.line == line.text and not anew:
            rows.append(before)
            continue
        rows.append(_row(line, before, key))
        key += before is None
    return (*rows, *(row for row in force.rows if not row.line))


def _paired(old: Sequence[Row], read: Sequence[RosterLine]) -> Iterator[tuple[Row | None, RosterLine]]:
    """Yield each line with the row that it had; one that was changed in its place has the row of what stood there."""
    matcher = difflib.SequenceMatcher(a=[row.line for row in old], b=[line.text for line in read], autojunk=False)
    for _, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        for n, line in enumerate(read[new_from:new_to]):
            yield (old[old_from + n] if old_from + n < old_to else None), line


def _row(line: RosterLine, before: Row | None, key: int) -> Row:
    """Return the row of a line; what somebody has corrected stays corrected."""
    entry = line.entry or Entry()
    if before is None:
        return Row(key=key, line=line.text, entry=entry, note=line.note)
    mended: dict[str, Any] = {own: getattr(before.entry, own) for own in OTHER_FIELDS if own in before.by_hand}
    profile = {key: value for key, value in before.entry.profile.items() if key in before.by_hand}
    entry = replace(entry, **mended, profile={**entry.profile, **profile})
    return Row(key=before.key, line=line.text, entry=entry, note=line.note, by_hand=before.by_hand)
