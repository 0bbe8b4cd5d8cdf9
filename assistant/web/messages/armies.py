"""The armies of a game as they are entered: what was typed, what was understood, and what is wrong with it."""

from typing import Literal

from assistant.web.messages.message import Message


class RulebookView(Message):
    """A rulebook to choose."""

    id: str
    title: str


class ColumnView(Message):
    """A profile key of the rulebook, as a column of the table."""

    key: str
    label: str
    unit: str
    """``in`` or ``cm``; empty where it has none."""
    choices: list[str]
    """What it may be; empty where anything may be entered."""
    statement: str


class ArmiesView(Message):
    """What all armies have in common; the only key is ``armies``, which is missing where none are entered."""

    rulebook: str
    rulebooks: list[RulebookView]
    columns: list[ColumnView]
    bases: list[str]
    """Common bases, to choose from."""
    forces: list[str]
    """The armies' keys, in order."""
    taken: str
    """The situation that is played in place of the armies, as its file is called; empty if none is."""
    undo: str
    """What was dropped last and can be brought back, in a few words; empty if nothing was."""
    state: Literal["todo", "good", "weak", "bad"]
    text: str
    """Why, in a sentence."""


class ProblemView(Message):
    """What is wrong with a unit."""

    field: str
    """The column; empty for the whole."""
    text: str
    """A sentence."""


class ArmyRowView(Message):
    """A unit as it was entered."""

    key: int
    line: str
    """The roster's line that it was read from; empty if it was entered by itself."""
    name: str
    count: str
    base: str
    profile: dict[str, str]
    """By profile key; what was not entered is left out."""
    keywords: str
    status: str
    ids: str
    """What its models will be called, and their base, such as ``scouts-1 to scouts-5, round 32 mm``; empty while
    something is wrong."""
    problems: list[ProblemView]
    note: str
    """What of its line was not understood, in a sentence; empty if all was."""


class PassedView(Message):
    """A line of a roster that is no unit, and why it is passed over."""

    line: str
    note: str


class ForceView(Message):
    """One player's army, by key."""

    player: str
    text: str
    """The roster as it was entered."""
    rows: list[ArmyRowView]
    passed: list[PassedView]
    others: list[str]
    """Other players whom headings in it name, who may have armies of their own."""
