"""Hall commands: what judges ask of the desk of a tournament, where no table is."""

from typing import Annotated, Literal

from pydantic import Field

from assistant.web.commands.registry import DECIDE, enter
from assistant.web.messages.message import Message

TableName = Annotated[str, Field(pattern="^[A-Za-z0-9_-]{1,32}$")]
CallName = Annotated[str, Field(min_length=1, max_length=100)]


class HallRound(Message):
    """Begin a round, or let its clock stand or go on."""

    type: Literal["hall-round"]
    action: Literal["start", "pause", "go-on"]
    round: Annotated[int, Field(ge=1, le=20)] | None = None
    """Which one begins."""


class HallExtend(Message):
    """Give one table more time in this round, or take some back."""

    type: Literal["hall-extend"]
    table: TableName
    minutes: Annotated[int, Field(ge=-120, le=120)]


class HallClaim(Message):
    """Say that a call is looked after by whoever says so, or no longer."""

    type: Literal["hall-claim"]
    call: CallName
    claimed: bool


class HallAnswer(Message):
    """Say that a call is answered: it leaves the queue."""

    type: Literal["hall-answer"]
    call: CallName


class HallRule(Message):
    """Rule from the desk on the call that a table shows: its record and its tablet have it with the judge's name."""

    type: Literal["hall-rule"]
    call: CallName
    outcome: Literal["legal", "illegal"]
    note: Annotated[str, Field(min_length=1, max_length=500)]


class HallResult(Message):
    """Write down how a game of this round ended."""

    type: Literal["hall-result"]
    table: TableName
    scores: Annotated[list[Annotated[int, Field(ge=-999, le=9999)]], Field(min_length=2, max_length=2)]
    """In the order of the pairing."""


class HallAir(Message):
    """Choose the table that a broadcast follows."""

    type: Literal["hall-air"]
    table: Annotated[str, Field(pattern="^[A-Za-z0-9_-]{0,32}$")]
    """Its name; empty for none."""


HALL = enter("hall-desk", DECIDE, HallRound, HallExtend, HallClaim, HallAnswer, HallRule, HallResult, HallAir)
