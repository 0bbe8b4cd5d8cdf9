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
