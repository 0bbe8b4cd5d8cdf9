"""Messages of a hall: what a table is told of it; what the judges' desk shows is beside it."""

from typing import Literal

from assistant.web.messages.message import Message


class DeskRulingView(Message):
    """What a judge ruled from the desk."""

    judge: str
    outcome: Literal["legal", "illegal"]
    note: str


class HallView(Message):
    """The hall that a table belongs to; the only key is ``hall``, which is missing at a table of its own."""

    event: str
    table: str
    connected: bool
    text: str
    """Why there is no connection, as a sentence; empty while there is one."""
    waiting: int
    """Rows that the hall does not have yet."""
    players: list[str]
    round: int
    """0 before the first."""
    left_s: int
    """Until the end of the round at this table as it was told last; negative after it."""
    running: bool
    """The round's clock runs."""
    dice_down: bool
    """The round ends soon: nothing new is begun."""
    coming: str
    """Which judge is on the way; empty for nobody."""
    coming_s: int
    """Since how long, as it was told last."""
    rulings: list[DeskRulingView]
    """The latest from the desk on this game."""


class EventView(Message):
    """The event that a hall holds; the only key is ``event``, which is missing at a table."""

    name: str
    round: int
    """0 before the first."""
    rounds: int
    minutes: int
    """Of a round."""
    left_s: int
    running: bool
    dice_down: bool
    trouble: str
    """Why nothing is gathered, as a sentence; empty while it is."""
    on_air: str
    """The table that a broadcast follows; empty for none."""


class SeatView(Message):
    """A table of the round, by its name, as everybody may see it."""

    players: list[str]
    extra_minutes: int
    scores: list[int]
    """In the order of the players; empty while the game is played."""


class TileView(Message):
    """A table of the hall, by its name, as judges see it."""

    rank: int
    """The lower, the sooner it needs a judge."""
    state: Literal["new", "connected", "away"]
    away_s: int
    """Since when nothing was heard of it; 0 while it is heard, or was never."""
    title: str
    turn: int
    """Which turn it is; 0 while nobody counts."""
    player: str
    """Whose it is."""
    clocks: dict[str, int]
    """Seconds that each player has had the turn."""
    outcome: Literal["", "legal", "illegal", "too-close", "unobserved"]
    """What the referee said last."""
    text: str
    """The finding that decides it; empty if none does."""
    camera: str
    """What is wrong with the camera, in a sentence; empty while nothing is."""
    trouble: str
    """What else is wrong, in a sentence; empty if nothing is."""
    recorded: bool
    """Something of its game has come."""
    waiting: int
    """Rows that are at the table and not here yet."""


class CallView(Message):
    """A call for a judge, by its name."""

    table: str
    players: list[str]
    kind: Literal["summons", "doubtful"]
    text: str
    rule: str
    margin_mm: float | None
    sigma_mm: float | None
    since_s: int
    """How long it has stood."""
    claimed: str
    """Which judge is on the way; empty for nobody."""
    picture: str
    """Where a picture of it is; empty where there is none."""
    opens: str
    """Where the table is shown at its moment; empty while nothing of the table has come."""
    can_rule: bool
    """It can be ruled on from the desk."""
