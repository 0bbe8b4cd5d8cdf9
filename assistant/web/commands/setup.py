"""Set-up commands: what is entered in the wizard, of armies, and of models that are enrolled."""

from typing import Annotated, Literal

from pydantic import Field

from assistant.files.documents import Degrees, Id, Length, Place
from assistant.web.commands.registry import HOST, OWNERS, enter
from assistant.web.messages.message import Message


class SetupEnter(Message):
    """Make entries; they are kept as they are, right or wrong."""

    type: Literal["setup-enter"]
    values: Annotated[
        dict[Annotated[str, Field(max_length=40)], Annotated[str, Field(max_length=500)]], Field(max_length=500)
    ]
    """Texts by name; an empty one takes an entry back."""


class SetupLook(Message):
    """Look again which cameras there are."""

    type: Literal["setup-look"]


class SetupMeasure(Message):
    """Tell from the picture where the anchors lie, and use that from now on."""

    type: Literal["setup-measure"]


class SetupMiddle(Message):
    """Take it that every tag that was not measured is glued in the middle of its base."""

    type: Literal["setup-middle"]


class SetupArmies(Message):
    """Play with the armies that were entered."""

    type: Literal["setup-armies"]


class SetupBegin(Message):
    """Begin the game: from now on it is recorded."""

    type: Literal["setup-begin"]


class SetupGoOn(Message):
    """Go on with a game that was broken off: what happens from now on is recorded after what was."""

    type: Literal["setup-go-on"]
    recording: Annotated[str, Field(min_length=1, max_length=200)]
    """The file's name, as it is offered."""


class SetupEnd(Message):
    """End the game, so that the set-up can be changed."""

    type: Literal["setup-end"]


class FilePiece(Message):
    """A file that is loaded on a page, or a piece of it."""

    name: Annotated[str, Field(max_length=500)]
    at: Annotated[int, Field(ge=0)] = 0
    """How many of its bytes came before."""
    data: Annotated[str, Field(max_length=60_000)]
    """Bytes of it, in base64."""
    more: bool = False
    """Whether more pieces come; with the last the file is taken."""


class SetupHall(FilePiece):
    """Let the table belong to a tournament's hall, by its file or a photo of the table's sheet."""

    type: Literal["setup-hall"]


class SetupLeaveHall(Message):
    """Let the table be one of its own again."""

    type: Literal["setup-leave-hall"]


WIZARD = enter(
    "wizard",
    HOST,
    SetupEnter,
    SetupLook,
    SetupMeasure,
    SetupMiddle,
    SetupArmies,
    SetupBegin,
    SetupGoOn,
    SetupEnd,
    SetupHall,
    SetupLeaveHall,
)


Entered = Annotated[str, Field(max_length=500)]
Roster = Annotated[str, Field(max_length=200_000)]


class ArmiesRulebook(Message):
    """Choose the rulebook."""

    type: Literal["armies-rulebook"]
    rulebook: Id


class ArmiesPlayer(Message):
    """Name a player, or add one."""

    type: Literal["armies-player"]
    force: Id | None = None
    """The army; None adds one."""
    player: Annotated[str, Field(max_length=100)] = ""


class ArmiesLeave(Message):
    """Drop a player with all units."""

    type: Literal["armies-leave"]
    force: Id


class ArmiesPaste(Message):
    """Take a player's roster as it is now."""

    type: Literal["armies-paste"]
    force: Id
    text: Roster


class ArmiesPart(Message):
    """Give each player whom a roster's headings name an army of their own."""

    type: Literal["armies-part"]
    force: Id


class ArmiesEdit(Message):
    """Correct one field of a unit."""

    type: Literal["armies-edit"]
    force: Id
    row: int
    field: Id
    """``name``, ``count``, ``base``, ``keywords``, ``status`` or a profile key."""
    value: Entered


class ArmiesAgree(Message):
    """Take a unit's guessed base and move for what they are."""

    type: Literal["armies-agree"]
    force: Id
    row: int | None = None
    """None for all units of the army."""


class ArmiesAdd(Message):
    """Add a unit that no roster names."""

    type: Literal["armies-add"]
    force: Id


class ArmiesDrop(Message):
    """Drop a unit."""

    type: Literal["armies-drop"]
    force: Id
    row: int


class ArmiesFile(FilePiece):
    """Take a file, or a piece of it: an army, a list, or a whole situation in place of all armies."""

    type: Literal["armies-file"]
    force: Id


class ArmiesOwn(Message):
    """Play the armies that were entered, and no longer a situation's."""

    type: Literal["armies-own"]


class ArmiesUndo(Message):
    """Bring back what was dropped last."""

    type: Literal["armies-undo"]


ARMIES = enter(
    "armies",
    OWNERS,
    ArmiesRulebook,
    ArmiesPlayer,
    ArmiesLeave,
    ArmiesPaste,
    ArmiesPart,
    ArmiesEdit,
    ArmiesAgree,
    ArmiesAdd,
    ArmiesDrop,
    ArmiesFile,
    ArmiesOwn,
    ArmiesUndo,
)


class Enrol(Message):
    """Begin to measure where a model's tag is in its base."""

    type: Literal["enrol"]
    model: Id
    way: Literal["sheet", "turn", "halo", "rim"]
    """A tag on the enrolment sheet, or turned on the spot; a ring by showing it."""
    base: Id | None = None
    """As a command line names it, such as ``round:32``; None where the game or the set-up knows it."""
    size_mm: Length | None = None
    """Edge of the tag's black square; None where the set-up knows it."""
    height_mm: Annotated[float, Field(ge=0, le=1000)] | None = None
    """Of the tag above the table, where somebody has measured it."""


class EnrolTray(Message):
    """Begin to read which markers lie on a tray, for the models that lack one."""

    type: Literal["enrol-tray"]
    way: Literal["halo", "rim", "tag"]
    unit: Id | None = None
    """Of which unit they are; None for all, in the game's order."""
    size_mm: Length | None = None
    """Edge of the tags' black squares; None where the set-up knows it."""


class EnrolGive(Message):
    """Give a marker of the tray to another model, which gives back what it had; or take it out."""

    type: Literal["enrol-give"]
    marker: Annotated[int, Field(ge=0, le=200_000)]
    """As the view numbers it."""
    model: Id | None
    """None for nobody."""


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


ENROLMENT = enter("enrolment", OWNERS, Enrol, EnrolTray, EnrolGive, EnrolTurn, EnrolAgain, EnrolKeep, EnrolStop)


Piece = Annotated[str, Field(min_length=1, max_length=200)]


class LayoutOpen(Message):
    """Open a layout in the editor."""

    type: Literal["layout-open"]
    layout: Annotated[str, Field(max_length=200)] = ""
    """Its name; empty for a bare table."""


class LayoutMove(Message):
    """Move a piece or a marker; its twin follows, or goes first where that is what is moved."""

    type: Literal["layout-move"]
    piece: Piece
    dx_mm: Place = 0.0
    dy_mm: Place = 0.0
    turn_deg: Degrees = 0.0
    """About the piece's middle."""
    flip: bool = False
    """As in a mirror along its own length."""


class LayoutAdd(Message):
    """Put one more piece of a template on the table."""

    type: Literal["layout-add"]
    template: Id
    x_mm: Place
    y_mm: Place


class LayoutDraw(Message):
    """Put a piece with an outline of its own on the table."""

    type: Literal["layout-draw"]
    outline_mm: Annotated[list[tuple[Place, Place]], Field(max_length=200)]


class LayoutMarker(Message):
    """Put one more objective on the table."""

    type: Literal["layout-marker"]
    x_mm: Place
    y_mm: Place


class LayoutCopy(Message):
    """Put a copy of a piece beside it."""

    type: Literal["layout-copy"]
    piece: Piece


class LayoutRemove(Message):
    """Take a piece or a marker away, with its twin."""

    type: Literal["layout-remove"]
    piece: Piece


class LayoutChange(Message):
    """Make a piece of another height, or an outline of another kind."""

    type: Literal["layout-change"]
    piece: Piece
    height_mm: Annotated[float, Field(ge=0, le=1000)] | None = None
    kind: Id | None = None


class LayoutSymmetry(Message):
    """Choose how the other half follows."""

    type: Literal["layout-symmetry"]
    symmetry: Literal["half-turn", "left-right", "near-far", "none"]


class LayoutUndo(Message):
    """Take back the last change."""

    type: Literal["layout-undo"]


class LayoutRedo(Message):
    """Make the change again that was taken back last."""

    type: Literal["layout-redo"]


class LayoutSave(Message):
    """Keep the layout among one's own."""

    type: Literal["layout-save"]
    title: Annotated[str, Field(min_length=1, max_length=100)]


class LayoutClose(Message):
    """Leave the editor."""

    type: Literal["layout-close"]


LAYOUT_EDITOR = enter(
    "layout-editor",
    OWNERS,
    LayoutOpen,
    LayoutMove,
    LayoutAdd,
    LayoutDraw,
    LayoutMarker,
    LayoutCopy,
    LayoutRemove,
    LayoutChange,
    LayoutSymmetry,
    LayoutUndo,
    LayoutRedo,
    LayoutSave,
    LayoutClose,
)
