"""Enrolment commands: what pages ask of an enrolment."""

from typing import Annotated, Literal

from pydantic import Field

from assistant.files.documents import Id, Length
from assistant.web.commands.registry import OWNERS, enter
from assistant.web.messages.message import Message


class Enrol(Message):
    """Begin to measure where a model's tag is in its base."""

    type: Literal["enrol"]
    model: Id
    way: Literal["ring", "turn"]
    """In the printed ring, or turned on the spot."""
    base: Id | None = None
    """As a command line names it, such as ``round:32``; None where the game or the set-up knows it."""
    size_mm: Length | None = None
    """Edge of the tag's black square; None where the set-up knows it."""
    height_mm: Annotated[float, Field(ge=0, le=1000)] | None = None
    """Of the tag above the table, where somebody has measured it."""


class EnrolTurn(Message):
    """Say that the model's front points to the far edge of the table; it is turned on the spot from now on."""

    type: Literal["enrol-turn"]


class EnrolAgain(Message):
    """Forget what was measured of this model, and begin again."""

    type: Literal["enrol-again"]


class EnrolKeep(Message):
    """Write what was measured to the set-up file, and use it from now on."""

    type: Literal["enrol-keep"]


class EnrolStop(Message):
    """Leave the enrolment, and what was not kept."""

    type: Literal["enrol-stop"]


ENROLMENT = enter("enrolment", OWNERS, Enrol, EnrolTurn, EnrolAgain, EnrolKeep, EnrolStop)
