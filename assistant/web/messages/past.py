"""Replay messages: what the judge's page is told of the past of a game, when it asks.

Times are nanoseconds since the game's beginning.
"""

from typing import Literal

from assistant.replay.event_descriptions import HappeningKind
from assistant.replay.reports.incident import Incident
from assistant.replay.reports.statistics import Statistics
from assistant.web.messages import View
from assistant.web.messages.message import Message, Point


class HappeningView(Message):
    """Something that happened; the list only grows."""

    at_ns: int
    kind: HappeningKind
    text: str
    """A sentence."""
    units: list[str]
    player: str | None
    """Whose turn it was."""
    turn: int | None


class DecidedView(Message):
    """What people decided, and did not take back."""

    number: int
    """In the order in which rulings were made."""
    on_past: bool
    """It is about what was past then, and can be taken back by itself."""
    at_ns: int
    """When they did."""
    by: Literal["players", "judge"]
    outcome: Literal["legal", "illegal", "again"]
    note: str


class FoundView(Message):
    """Something that was not legal, or not decided, for as long as it was so; or that an accepted move hardly kept."""

    number: int
    """Later ones of the same number replace it."""
    at_ns: int
    until_ns: int | None
    """None while it holds."""
    fate: Literal["stands", "accepted", "gone"]
    fleeting: bool
    """It came and went while its move was still being made: nothing was judged by it."""
    rule: str
    outcome: Literal["illegal", "too-close", "unobserved", "legal"]
    subjects: list[str]
    text: str
    """A sentence."""
    measured_mm: float | None
    limit_mm: float | None
    margin_mm: float | None
    sigma_mm: float | None
    p_legal: float | None
    witness_mm: list[Point]
    """The segment that was measured."""
    units: list[str]
    players: list[str]
    turn: int | None
    rulings: list[DecidedView]


class WholeGame(Message):
    """What was added to a game, or changed, after a revision of it."""

    revision: int
    """To ask for what comes after it."""
    more: bool
    """The rest is not judged yet: ask again."""
    recording: str
    """The file's name."""
    began: str
    """The date and time of the game's beginning, ISO 8601; empty where the recording is a film's."""
    ended_ns: int
    """When the last thing happened so far."""
    judged_ns: int
    """When the last thing happened that was judged so far."""
    happened: list[HappeningView]
    found: list[FoundView]
    names: dict[str, str] = {}
    """What sentences are to call units and models, by the ids that are said."""


class PastView(Message):
    """The table as it stood at a moment."""

    at_ns: int
    view: View


class HeadView(Message):
    """What vouches for a recording, as ``verify --head`` takes it."""

    recording: str
    """The file's name; empty where nothing is recorded."""
    head: str
    """Empty in older recordings, which have none."""


class MeasuredView(Message):
    """How far two things stood from each other, edge to edge."""

    mm: float
    """Negative depth where they overlap."""
    sigma_mm: float
    near_mm: Point
    """The measured point of the first."""
    far_mm: Point
    text: str
    """A sentence."""


FromPast = WholeGame | PastView | MeasuredView | HeadView | Incident | Statistics
