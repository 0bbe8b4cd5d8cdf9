"""Replay commands: what pages ask of a recording that is played."""

from typing import Annotated, Literal

from pydantic import Field

from assistant.web.commands.registry import AT_THE_TABLE, enter
from assistant.web.messages.message import Message


class Play(Message):
    """Go on playing; from the beginning once the end is reached."""

    type: Literal["play"]


class Pause(Message):
    """Stay at this moment."""

    type: Literal["pause"]


class Speed(Message):
    """Play faster or slower."""

    type: Literal["speed"]
    speed: Annotated[float, Field(ge=0.5, le=16)]


class Seek(Message):
    """Show a moment, and go on as before from there."""

    type: Literal["seek"]
    at_ns: Annotated[int, Field(ge=0)]
    """Since the game's beginning; what is after its end counts as its end."""


class Step(Message):
    """Show the moment at which the next model, or the one before, had moved, and stay there."""

    type: Literal["step"]
    back: bool = False


REPLAY = enter("replay", AT_THE_TABLE, Play, Pause, Speed, Seek, Step)
