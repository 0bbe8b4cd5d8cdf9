"""Optics commands: the camera is to be looked at, and to hold its focus and exposure."""

from typing import Annotated, Literal

from pydantic import Field

from assistant.web.commands.registry import HOST, enter
from assistant.web.messages.message import Message


class OpticsLook(Message):
    """Look at the pictures for the next seconds; a page that shows the figures says so again and again."""

    type: Literal["optics-look"]


class OpticsAgain(Message):
    """Forget the best so far."""

    type: Literal["optics-again"]


class OpticsTurn(Message):
    """Turn the focus or the exposure by some of the driver's steps, or leave it to the camera."""

    type: Literal["optics-turn"]
    what: Literal["focus", "exposure"]
    by: Annotated[float, Field(ge=-1000, le=1000)] | None = None
    """None leaves it to the camera."""


class OpticsLock(Message):
    """Hold focus and exposure as they are, now and whenever this camera is opened for this set-up."""

    type: Literal["optics-lock"]


class OpticsFree(Message):
    """Hold them no longer."""

    type: Literal["optics-free"]


CAMERA = enter("camera", HOST, OpticsLook, OpticsAgain, OpticsTurn, OpticsLock, OpticsFree)
