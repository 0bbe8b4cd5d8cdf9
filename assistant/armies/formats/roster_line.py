"""The roster line: one line of a list as people paste it, and what it was taken for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal

from assistant.armies.army import Army, ArmyUnit
from assistant.armies.formats.army_format import ArmyReading, decode_text
from assistant.armies.unit_entry import UnitEntry, unit_from_entry
from assistant.errors import BadInput
from assistant.rules.books import list_rulebooks
from assistant.rules.rulebook import Rulebook

MOST_LETTERS = 200_000
"""Of a list of lines; a large one has ten thousand."""
NO_UNIT = "there is no unit in it; expected lines such as: 5 Scouts 32mm"


@dataclass(frozen=True, slots=True, kw_only=True)
class RosterLine:
    """One line of a roster, and what it was taken for."""

    text: str
    kind: Literal["unit", "player", "passed"]
    player: str | None
    """Whose it is: the last heading's; None before the first."""
    entry: UnitEntry | None = None
    """Of a unit: what was understood of it."""
    note: str = ""
    """What was not understood, or why the line is passed over, in a sentence; empty if there is nothing to say."""
    below: int | None = None
    """Of what a unit has, where in the list the unit's line is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PassedLines:
    """Lines of a roster that are passed over for one reason: all that one unit has, or neighbours."""

    texts: tuple[str, ...]
    note: str
    """A sentence."""


LineParser = Callable[[str, Sequence[Rulebook]], tuple[RosterLine, ...]]
"""Takes a whole list apart, by the rulebooks whose profile keys and words may stand in it."""


def list_passed(lines: Sequence[RosterLine]) -> tuple[PassedLines, ...]:
    """Return what of a list is passed over, in order, what one unit has together."""
    texts: dict[tuple[int, str], list[str]] = {}
    start, before = 0, ""
    for at, line in enumerate(lines):
        note = line.note if line.kind == "passed" else ""
        if note and line.below is not None:
            texts.setdefault((line.below, note), []).append(line.text)
            continue
        start = start if note == before else at
        before = note
        if note:
            texts.setdefault((start, note), []).append(line.text)
    return tuple(PassedLines(texts=tuple(those), note=note) for (_, note), those in texts.items())


def check_length(text: str, name: str) -> None:
    """Raise BadInput if a text is longer than any list."""
    if len(text) > MOST_LETTERS:
        raise BadInput(f"{name}: it is longer than any list; expected {MOST_LETTERS:,} letters at most")


def read_lines(parse: LineParser, data: bytes, name: str, book: Rulebook | None) -> ArmyReading:
    """Return the armies in a list of lines; without a rulebook the profile keys of any are understood.

    What cannot be in one line ends no reading: it is a remark, and the unit is kept as far as it is one.

    Raises:
        BadInput: it is no text, longer than any list, or names no unit.

    """
    text = decode_text(data, name, "a list, or an army in TOML")
    check_length(text, name)
    units: dict[str, list[ArmyUnit]] = {}
    lines = parse(text, (book,) if book else list_rulebooks())
    remarks = [f"{', '.join(map(repr, passed.texts))}: {passed.note}" for passed in list_passed(lines)]
    for line in lines:
        if line.entry is None:
            continue
        if line.note:
            remarks.append(f"{line.text!r}: {line.note}")
        unit, problems = unit_from_entry(line.entry, book, base_needed=False)
        if problems:
            remarks.append(f"{line.text!r}: {problems[0].text}")
            unit, _ = unit_from_entry(line.entry, None, base_needed=False)
        if unit is None:
            continue
        units.setdefault(line.player or PurePath(name).stem, []).append(unit)
    if not units:
        raise BadInput(f"{name}: {NO_UNIT}")
    named = book.id if book else None
    armies = tuple(Army(player=player, rulebook=named, units=tuple(members)) for player, members in units.items())
    return ArmyReading(armies=armies, remarks=tuple(remarks))
