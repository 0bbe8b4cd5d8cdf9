"""What pages send: the commands that the table obeys."""

from typing import Annotated, Literal

from pydantic import Field

from assistant.files import Degrees, Id, Length, Place
from assistant.web.messages.message import Message


class Resync(Message):
    """Send everything again."""

    type: Literal["resync"]


class Declare(Message):
    """Announce an action for a unit, with its dice, and pick the model whose zone is shown."""

    type: Literal["declare"]
    unit: Id
    action: Id | None = None
    """None: the unit is picked, no action is announced yet."""
    rolls: Annotated[list[Annotated[int, Field(ge=1, le=20)]], Field(max_length=100)] = Field(default_factory=list)
    """May still lack dice: the move's note then asks for them."""
    model: Id | None = None
    """None: the unit's first model."""
    intent: dict[Id, str | bool | list[Id]] = Field(default_factory=dict)
    """The rulebook's fields of a move."""
    lost: Annotated[list[Id], Field(max_length=1000)] = Field(default_factory=list)
    """The models that failed tests cost, by their owner's choice."""


class Remove(Message):
    """Say that models are destroyed."""

    type: Literal["remove"]
    models: Annotated[list[Id], Field(min_length=1, max_length=1000)]


class GoOn(Message):
    """Begin the next step of the turn, or the next player's turn."""

    type: Literal["go-on"]
    player: Id | None = None
    """Who goes first in the turn that begins, where that is left to people to say."""


class SetStatus(Message):
    """Say what the status of a unit is: a test that failed, or a correction."""

    type: Literal["status"]
    unit: Id
    status: Annotated[list[Id], Field(max_length=50)]


class Undo(Message):
    """Take back the last thing that was decided; what was seen since stays seen."""

    type: Literal["undo"]


class Withdraw(Message):
    """Take the announcement back and pick nothing."""

    type: Literal["withdraw"]


class Accept(Message):
    """Accept what stands: every model's present place is its new starting place."""

    type: Literal["accept"]


class TakeOver(Message):
    """Stop the script of a demo for good; any other command of a page does so, too."""

    type: Literal["take-over"]


class Drag(Message):
    """Push a model of the virtual table, as a hand would; ``done`` when the hand lets go."""

    type: Literal["drag"]
    model: Id
    x_mm: Place
    y_mm: Place
    facing_deg: Degrees
    done: bool


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


Command = (
    Declare
    | Withdraw
    | Accept
    | Remove
    | GoOn
    | SetStatus
    | Undo
    | Drag
    | TakeOver
    | Enrol
    | EnrolTurn
    | EnrolAgain
    | EnrolKeep
    | EnrolStop
    | LensBegin
    | LensDrop
    | LensMore
    | LensAgain
    | LensKeep
    | LensLeave
    | ProjectorPage
    | ProjectorBegin
    | ProjectorKeep
    | ProjectorStop
    | NudgeLight
    | NudgeBack
)
"""What the table obeys; a resync is answered without it."""
FromPage = Annotated[Resync | Command, Field(discriminator="type")]
