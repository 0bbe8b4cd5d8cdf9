"""Calibration commands: what pages ask of the camera, the lens, the projector and its light."""

from typing import Annotated, Literal

from pydantic import Field

from assistant.files.documents import Id
from assistant.setup.lighting import Brightness, HideableLight, LightColours, LineWidth, TableEdge
from assistant.web.commands.registry import AT_THE_TABLE, HOST, CommandEntry, enter
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


class LightSettings(Message):
    """Set the light anew; what is left out stays as it is."""

    type: Literal["light-settings"]
    brightness: Brightness | None = None
    line_width: LineWidth | None = None
    hidden: list[HideableLight] | None = None
    """Everything that is not to shine."""
    colours: LightColours | None = None
    seats: dict[Id, TableEdge] = Field(default={})
    """Where these players sit; the others stay where they are."""
    keep: bool = True
    """Also for the next time; not while a finger is still looking for the right value."""


LIGHT = (CommandEntry(command=LightSettings, feature="light", roles=AT_THE_TABLE, stops_script=False),)


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


class RefinementUse(Message):
    """Use the better lens that is offered from now on; the one before is kept."""

    type: Literal["refinement-use"]


class RefinementDecline(Message):
    """Keep the lens in use, and offer none again while the program runs."""

    type: Literal["refinement-decline"]


REFINEMENT = enter("refinement", AT_THE_TABLE, RefinementUse, RefinementDecline, while_restoring=False)
