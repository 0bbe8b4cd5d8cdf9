"""Lens commands: what pages ask of a calibration of the lens."""

from typing import Annotated, Literal

from pydantic import Field

from assistant.files.documents import Id
from assistant.web.commands.registry import HOST, enter
from assistant.web.messages.message import Message


class LensBegin(Message):
    """Begin to calibrate the lens with a board, or go on where that was left."""

    type: Literal["lens-begin"]
    board: Id
    """As ``overtable calibrate lens --board`` takes it."""


class LensDrop(Message):
    """Throw a view of the board away."""

    type: Literal["lens-drop"]
    number: Annotated[int, Field(ge=1, le=100_000)] | None = None
    """None: the last."""


class LensMore(Message):
    """Take more views although there are enough."""

    type: Literal["lens-more"]


class LensAgain(Message):
    """Throw all views away, and begin anew."""

    type: Literal["lens-again"]


class LensKeep(Message):
    """Write the lens to a file that the set-up names, and use it from now on."""

    type: Literal["lens-keep"]


class LensLeave(Message):
    """Leave the calibration of the lens; its views stay while the program runs."""

    type: Literal["lens-leave"]


LENS = enter("lens", HOST, LensBegin, LensDrop, LensMore, LensAgain, LensKeep, LensLeave)
