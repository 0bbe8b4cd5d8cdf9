"""The draft of a game's armies: nothing that was entered is lost, right or wrong.

As plain JSON it can be left and gone on with.
"""

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import Field

from assistant.armies.army import Army
from assistant.armies.base_sizes import name_base
from assistant.armies.formats import parse_list
from assistant.armies.formats.roster_line import RosterLine
from assistant.armies.known_models import MOVE, KnownModels
from assistant.armies.unit_entry import UnitEntry, entry_from_unit, split_words, unit_from_entry
from assistant.errors import BadInput
from assistant.files.documents import Format, Id, check
from assistant.files.open_bundle import CREDIT
from assistant.game.limits import MOST_UNITS
from assistant.rules.books import find_rulebook

OTHER_FIELDS = ("name", "count", "base", "keywords", "status", "part_of")
"""Of an entry, beside the rulebook's profile keys."""
UNNAMED = "Player"
"""What a player is called, with a number, until somebody says otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitRow:
    """A unit in the table that people correct."""

    key: int
    """Its own in its army, for as long as it is there."""
    line: str = ""
    """The roster's line that it was read from; empty where it was entered by itself."""
    entry: UnitEntry = field(default_factory=UnitEntry)
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
    remarks: tuple[str, ...] = ()
    """On the file that it was loaded from, such as on what was passed over, a sentence each."""
    rows: tuple[UnitRow, ...] = ()

    def find_row(self, key: int) -> UnitRow:
        """Return a row; BadInput if there is none."""
        for row in self.rows:
            if row.key == key:
                return row
        raise BadInput("this unit is no longer there")


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmiesDraft:
    """All that was entered."""

    rulebook: str
    forces: tuple[Force, ...] = ()

    def find_force(self, key: str) -> Force:
        """Return an army; BadInput if there is none."""
        for force in self.forces:
            if force.key == key:
                return force
        raise BadInput("this army is no longer there")


def begin_draft(rulebook_id: str) -> ArmiesDraft:
    """Return a draft with two players who have no units yet; BadInput if there is no such rulebook."""
    find_rulebook(rulebook_id)
    return add_player(add_player(ArmiesDraft(rulebook=rulebook_id)))


def change_rulebook(draft: ArmiesDraft, rulebook_id: str) -> ArmiesDraft:
    """Return what was entered, for another rulebook: rosters are read anew, what was corrected stays."""
    find_rulebook(rulebook_id)
    changed = replace(draft, rulebook=rulebook_id)
    for force in draft.forces:
        changed = _replace_force(
            changed, replace(force, rows=_reread_roster(force, force.text, rulebook_id, anew=True))
        )
    return changed


def add_player(draft: ArmiesDraft, player: str = "") -> ArmiesDraft:
    """Add an army without units; its player is numbered if no name is given."""
    taken = {force.key for force in draft.forces}
    key = next(str(number) for number in range(1, len(taken) + 2) if str(number) not in taken)
    return replace(draft, forces=(*draft.forces, Force(key=key, player=player or f"{UNNAMED} {key}")))


def remove_player(draft: ArmiesDraft, force: str) -> ArmiesDraft:
    """Drop an army with all that was entered of it."""
    draft.find_force(force)
    return replace(draft, forces=tuple(other for other in draft.forces if other.key != force))


def name_player(draft: ArmiesDraft, force: str, player: str) -> ArmiesDraft:
    """Give a player a name."""
    return _replace_force(draft, replace(draft.find_force(force), player=player))


def paste_roster(draft: ArmiesDraft, force: str, text: str) -> ArmiesDraft:
    """Take a player's roster as it is now; rows of lines that stayed are kept as they were corrected.

    A heading at its top names the player, unless somebody has named them already.
    """
    old = draft.find_force(force)
    rows = _reread_roster(old, text, draft.rulebook)
    first = next(iter(list_headings(text)), None)
    player = first if first and old.player.startswith(UNNAMED) and _begins_with_heading(text) else old.player
    return _replace_force(draft, replace(old, text=text, rows=rows, player=player))


def list_headings(text: str) -> tuple[str, ...]:
    """Return the players whom a roster's headings name, in order."""
    return tuple(dict.fromkeys(line.player or "" for line in parse_list(text, ()) if line.kind == "player"))


def split_by_headings(draft: ArmiesDraft, force: str) -> ArmiesDraft:
    """Give each player whom a roster's headings name an army of their own, with the lines below the heading."""
    undivided = draft.find_force(force)
    parts = _split_by_player(undivided.text)
    if len(parts) < 2:
        raise BadInput("this roster names no other player; begin each part with a heading such as # Red")
    first_player = next((name for name in parts if name == undivided.player), next(iter(parts)))
    changed = name_player(draft, force, first_player or undivided.player)
    changed = paste_roster(changed, force, "\n".join(parts.pop(first_player)))
    for player, lines in parts.items():
        target = next((other for other in changed.forces if other.player == player and other.key != force), None)
        target = target or next((f for f in changed.forces if f.player.startswith(UNNAMED) and not f.rows), None)
        if target is None:
            changed = add_player(changed, player)
            target = changed.forces[-1]
        text = "\n".join(filter(None, (target.text, *lines)))
        changed = paste_roster(name_player(changed, target.key, player), target.key, text)
    return changed


def edit_unit(draft: ArmiesDraft, force: str, row: int, column: str, value: str) -> ArmiesDraft:
    """Correct one field of a unit; BadInput if it has no such field."""
    army = draft.find_force(force)
    old = army.find_row(row)
    if column in OTHER_FIELDS:
        correction: dict[str, Any] = {column: value}
    elif column in {key.name for key in find_rulebook(draft.rulebook).profile}:
        correction = {"profile": {**old.entry.profile, column: value}}
    else:
        raise BadInput(f"{draft.rulebook} knows no {column!r} of a unit")
    if column in ("base", MOVE):
        correction["guess"] = ""
    new = replace(old, entry=replace(old.entry, **correction), by_hand=old.by_hand | {column}, note="")
    return _replace_force(draft, replace(army, rows=tuple(new if other.key == row else other for other in army.rows)))


def agree_on_guesses(draft: ArmiesDraft, force: str, row: int | None) -> ArmiesDraft:
    """Take what is guessed of a unit for what it is, or of all units of an army."""
    army = draft.find_force(force)
    agreed = {army.find_row(row).key} if row is not None else {one.key for one in army.rows}
    rows = (
        replace(one, entry=replace(one.entry, guess=""), by_hand=one.by_hand | {"base", MOVE})
        if one.key in agreed and one.entry.guess
        else one
        for one in army.rows
    )
    return _replace_force(draft, replace(army, rows=tuple(rows)))


def fill_rows(draft: ArmiesDraft, known: KnownModels) -> ArmiesDraft:
    """Return what was entered with the bases and moves that are known and that nobody has entered."""
    for force in draft.forces:
        rows = tuple(_fill_row(row, known) for row in force.rows)
        if rows != force.rows:
            draft = _replace_force(draft, replace(force, rows=rows))
    return draft


def _fill_row(row: UnitRow, known: KnownModels) -> UnitRow:
    entry = row.entry
    if not entry.name.strip():
        return row
    model, guesses, note = known.find(entry.name.strip(), entry.part_of.strip() or None), [entry.guess], row.note
    if not entry.base and "base" not in row.by_hand:
        guesses.append(model.base_guess)
        entry = replace(entry, base=name_base(model.base) if model.base else "")
        note = " ".join(filter(None, (note, model.note if model.note not in note else "")))
    lacking = {key: f"{value:g}" for key, value in model.profile.items() if not entry.profile.get(key)}
    if lacking := {key: value for key, value in lacking.items() if key not in row.by_hand}:
        guesses.append(CREDIT)
        entry = replace(entry, profile={**entry.profile, **lacking})
    named = split_words(entry.keywords.lower())
    if "keywords" not in row.by_hand and (keywords := model.add_keywords(named)) != named:
        guesses.append(CREDIT)
        entry = replace(entry, keywords=", ".join(keywords))
    guess = ", ".join(dict.fromkeys(filter(None, guesses)))
    return replace(row, entry=replace(entry, guess=guess), note=note)


def add_unit(draft: ArmiesDraft, force: str, entry: UnitEntry | None = None, note: str = "") -> ArmiesDraft:
    """Add a unit that no roster names."""
    army = draft.find_force(force)
    row = UnitRow(key=_find_next_key(army.rows), entry=entry or UnitEntry(), note=note)
    return _replace_force(draft, replace(army, rows=(*army.rows, row)))


def remove_unit(draft: ArmiesDraft, force: str, row: int) -> ArmiesDraft:
    """Drop a unit, and its line from the roster."""
    army = draft.find_force(force)
    line = army.find_row(row).line
    lines = army.text.splitlines()
    if at := next((n for n, text in enumerate(lines, 1) if line and text.strip() == line), 0):
        del lines[at - 1]
    rows = tuple(other for other in army.rows if other.key != row)
    return _replace_force(draft, replace(army, text="\n".join(lines), rows=rows))


def load_armies(draft: ArmiesDraft, force: str, armies: Sequence[Army], remarks: Sequence[str] = ()) -> ArmiesDraft:
    """Put a file's first army in a player's place, where what was entered is dropped; others are further players'.

    Remarks on the file, such as on what was passed over, are kept with its first army.
    """
    changed = _load_army(draft, force, armies[0])
    changed = _replace_force(changed, replace(changed.find_force(force), remarks=tuple(remarks)))
    for army in armies[1:]:
        changed = add_player(changed, army.player)
        changed = _load_army(changed, changed.forces[-1].key, army)
    return changed


def _load_army(draft: ArmiesDraft, force: str, army: Army) -> ArmiesDraft:
    keys = {key.name for key in find_rulebook(draft.rulebook).profile}
    _check_count(army.player, len(army.units))
    changed = _replace_force(draft, Force(key=draft.find_force(force).key, player=army.player))
    for unit in army.units:
        unknown_keys = [key for key in unit.profile if key not in keys]
        left_out = f"{draft.rulebook} has no {', '.join(unknown_keys)}: left out." if unknown_keys else ""
        note = " ".join(filter(None, (unit.remark, left_out)))
        changed = add_unit(changed, force, entry_from_unit(unit), note)
    return changed


def build_armies(draft: ArmiesDraft) -> tuple[Army, ...]:
    """Return the armies that were entered; players without units have none.

    Raises:
        BadInput: something is wrong with a unit, or a player has no name; the sentence names them, and what.

    """
    book = find_rulebook(draft.rulebook)
    armies = []
    for force in draft.forces:
        units = []
        for row in force.rows:
            unit, problems = unit_from_entry(row.entry, book)
            if unit is None:
                raise BadInput(f"{force.player}, {row.entry.name.strip() or 'a unit'}: {problems[0].text}")
            units.append(unit)
        if units and not force.player.strip():
            raise BadInput(f"give the player with {units[0].name} a name")
        if units:
            armies.append(Army(player=force.player.strip(), rulebook=draft.rulebook, units=tuple(units)))
    return tuple(armies)


def _replace_force(draft: ArmiesDraft, force: Force) -> ArmiesDraft:
    _check_count(force.player, len(force.rows))
    return replace(draft, forces=tuple(force if other.key == force.key else other for other in draft.forces))


def _check_count(player: str, units: int) -> None:
    """Raise BadInput if these are more units than an army has."""
    if units > MOST_UNITS:
        raise BadInput(f"{player}: {units} units are more than any army has; expected {MOST_UNITS} at most")


def _find_next_key(rows: Sequence[UnitRow]) -> int:
    return 1 + max((row.key for row in rows), default=0)


def _begins_with_heading(text: str) -> bool:
    lines = [line for line in parse_list(text, ()) if line.kind != "passed"]
    return bool(lines) and lines[0].kind == "player"


def _split_by_player(text: str) -> dict[str, list[str]]:
    """Return a roster's lines by player, each part below its heading; those before the first belong to nobody."""
    parts: dict[str, list[str]] = {}
    player = ""
    for line in text.splitlines():
        if headings := list_headings(line):
            player = headings[0]
            parts.setdefault(player, [line])
        elif line.strip() or player in parts:
            parts.setdefault(player, []).append(line)
    return parts


def _reread_roster(force: Force, text: str, rulebook_id: str, *, anew: bool = False) -> tuple[UnitRow, ...]:
    """Return a roster's rows, with those that are there for lines that stayed, and those of no line behind them."""
    read = [line for line in parse_list(text, (find_rulebook(rulebook_id),)) if line.kind == "unit"]
    _check_count(force.player, len(read))
    old = [row for row in force.rows if row.line]
    rows: list[UnitRow] = []
    key = _find_next_key(force.rows)
    for before, line in _pair_rows(old, read):
        if before is not None and before.line == line.text and not anew:
            rows.append(before)
            continue
        rows.append(_build_row(line, before, key))
        key += before is None
    return (*rows, *(row for row in force.rows if not row.line))


def _pair_rows(old: Sequence[UnitRow], read: Sequence[RosterLine]) -> Iterator[tuple[UnitRow | None, RosterLine]]:
    """Yield each line with the row that it had; one that was changed in its place has the row of what stood there."""
    matcher = difflib.SequenceMatcher(a=[row.line for row in old], b=[line.text for line in read], autojunk=False)
    for _, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        for n, line in enumerate(read[new_from:new_to]):
            yield (old[old_from + n] if old_from + n < old_to else None), line


def _build_row(line: RosterLine, before: UnitRow | None, key: int) -> UnitRow:
    """Return the row of a line; what somebody has corrected stays corrected."""
    entry = line.entry or UnitEntry()
    if before is None:
        return UnitRow(key=key, line=line.text, entry=entry, note=line.note)
    corrected: dict[str, Any] = {
        field_name: getattr(before.entry, field_name) for field_name in OTHER_FIELDS if field_name in before.by_hand
    }
    profile = {key: value for key, value in before.entry.profile.items() if key in before.by_hand}
    entry = replace(entry, **corrected, profile={**entry.profile, **profile})
    return UnitRow(key=before.key, line=line.text, entry=entry, note=line.note, by_hand=before.by_hand)


class EntryForm(Format):
    """A unit as it was entered."""

    name: str = ""
    count: str = "1"
    base: str = ""
    profile: dict[Id, str] = Field(default={})
    keywords: str = ""
    status: str = ""
    part_of: str = ""
    points: str = ""
    guess: str = ""


class RowForm(Format):
    """A unit in the table that people correct."""

    key: int
    line: str = ""
    entry: EntryForm = EntryForm()
    note: str = ""
    by_hand: tuple[str, ...] = ()


class ForceForm(Format):
    """One player's army."""

    key: Id
    player: str
    text: str = ""
    remarks: tuple[str, ...] = ()
    rows: tuple[RowForm, ...] = ()


class DraftForm(Format):
    """All that was entered."""

    rulebook: Id
    forces: tuple[ForceForm, ...] = ()


def json_from_draft(draft: ArmiesDraft) -> dict[str, Any]:
    """Return what was entered as plain JSON."""
    forces = tuple(
        ForceForm(
            key=force.key,
            player=force.player,
            text=force.text,
            remarks=force.remarks,
            rows=tuple(map(_form_from_row, force.rows)),
        )
        for force in draft.forces
    )
    return DraftForm(rulebook=draft.rulebook, forces=forces).model_dump(mode="json")


def draft_from_json(data: object, name: str) -> ArmiesDraft:
    """Return what was entered, from JSON that was read from the thing called ``name``.

    Raises:
        BadInput: it does not fit, or is for a rulebook that is not there.

    """
    form = check(data, DraftForm, name)
    find_rulebook(form.rulebook)
    return ArmiesDraft(
        rulebook=form.rulebook,
        forces=tuple(
            Force(
                key=force.key,
                player=force.player,
                text=force.text,
                remarks=force.remarks,
                rows=tuple(map(_row_from_form, force.rows)),
            )
            for force in form.forces
        ),
    )


def _form_from_row(row: UnitRow) -> RowForm:
    entry = row.entry
    return RowForm(
        key=row.key,
        line=row.line,
        entry=EntryForm(
            name=entry.name,
            count=entry.count,
            base=entry.base,
            profile=dict(entry.profile),
            keywords=entry.keywords,
            status=entry.status,
            part_of=entry.part_of,
            points=entry.points,
            guess=entry.guess,
        ),
        note=row.note,
        by_hand=tuple(sorted(row.by_hand)),
    )


def _row_from_form(form: RowForm) -> UnitRow:
    entry = UnitEntry(**form.entry.model_dump())
    return UnitRow(key=form.key, line=form.line, entry=entry, note=form.note, by_hand=frozenset(form.by_hand))
