"""Projector commands: what pages ask of the projector."""

from typing import Annotated, Literal

from pydantic import Field

from assistant.web.commands.registry import AT_THE_TABLE, HOST, CommandEntry, enter
from assistant.web.messages.message import Message


class ProjectorPage(Message):
    """Say how large a projector page is; sent when it opens and whenever that changes."""

    type: Literal["projector-page"]
    width_px: Annotated[int, Field(ge=16, le=100_000)]
    height_px: Annotated[int, Field(ge=16, le=100_000)]
    """In the screen's own pixels."""


class ProjectorBegin(Message):
    """Begin to calibrate the projector, or begin anew."""

    type: Literal["projector-begin"]


class ProjectorKeep(Message):
    """Write the calibration that was measured to its file, and use it from now on."""

    type: Literal["projector-keep"]


class ProjectorStop(Message):
    """Leave the calibration, and what was not kept."""

    type: Literal["projector-stop"]


class NudgeLight(Message):
    """Move the light on the table by a little, about the table's middle."""

    type: Literal["nudge-light"]
    x_mm: Annotated[float, Field(ge=-100, le=100)] = 0.0
    y_mm: Annotated[float, Field(ge=-100, le=100)] = 0.0
    turn_deg: Annotated[float, Field(ge=-5, le=5)] = 0.0
    scale: Annotated[float, Field(ge=0.9, le=1.1)] = 1.0


class NudgeBack(Message):
    """Take the last nudge back, or all of them."""

    type: Literal["nudge-back"]
    all: bool = False


PROJECTOR = (
    CommandEntry(
        command=ProjectorPage, feature="projector", roles=AT_THE_TABLE, stops_script=False, is_optional=True
    ),  # which only says how large it is
    *enter("projector", HOST, ProjectorBegin, ProjectorKeep, ProjectorStop, NudgeLight, NudgeBack),
)
