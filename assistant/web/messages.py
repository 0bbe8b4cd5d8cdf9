"""Every message between the server and a page, defined once; the pages' types are generated from here.

A page first gets one ``full`` message with the whole view, then ``delta`` messages numbered without a gap.  A page
that misses a number sends ``resync`` and gets a ``full`` again.  The view is a set of sections; each section holds
values by key, and a delta says which keys were set and which are gone.
Lengths are millimetres in the table frame, angles degrees counter-clockwise, times nanoseconds.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, SerializerFunctionWrapHandler, field_serializer

from assistant.game.base import BaseSpec

Point = tuple[float, float]
PARTIAL = "partial"
"""Marks a field whose value comes with some of its keys left out."""


class Message(BaseModel):
    """Immutable, and closed to keys it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True)


class TableView(Message):
    """The table and the game on it; the only key is ``table``."""

    width_mm: float
    depth_mm: float
    rulebook: str
    title: str
    virtual: bool
    """Models can be dragged with ``drag``, because the table is rendered."""
    replay: bool
    """A recorded game is being played; nothing can be declared."""
    statuses: list[str] = []
    """The rulebook's words for a unit's status that a person may set."""
    unit: Literal["in", "cm"] = "in"
    """What lengths are said in."""


class CameraView(Message):
    """The source of the pictures; the only key is ``camera``."""

    source: str
    state: Literal["starting", "live", "lost", "ended"]
    text: str
    anchors_seen: int
    fps: float
    latency_ms: float
    """From capture to this message."""


class TerrainView(Message):
    """A terrain feature, by id."""

    outline_mm: list[Point]
    height_mm: float
    traits: list[str]


class UnitView(Message):
    """A unit, by id."""

    player: str
    side: int
    """0 for the first player in the game, 1 for the second, ...: picks the colour."""
    models: list[str]
    keywords: list[str]
    status: list[str]
    off: list[str] = []
    """Its models that are not on the table."""
    may: list[str] = []
    """The labels of what it may still do; empty while nobody counts turns."""


class ModelView(Message):
    """A model as it stands now, by id."""

    unit: str
    base: BaseSpec
    x_mm: float
    y_mm: float
    facing_deg: float
    z_mm: float
    sigma_mm: float
    state: Literal["seen", "held", "lifted", "lost", "unseen"]
    """``unseen``: the camera has not found it yet; its place is the situation's."""
    moving: bool
    just_hidden: bool = False
    """Held for so short a time that it is shown as if it were seen."""


class NoticeView(Message):
    """What a person should know of what the camera sees, by what it is about."""

    text: str
    """A sentence."""


class ActionView(Message):
    """An action that the picked unit may or may not choose, by action id."""

    label: str
    dice: int
    """How many dice it needs."""
    most: int
    """How many it may take, where the move itself decides that."""
    sides: int
    allowed: bool
    because: list[str]
    """Sentences that say why not."""
    limit_mm: float | None
    reason: str = ""
    """Why a model may go that far, where there is more than one answer."""
    sets_up: bool
    """It puts models on the table."""
    takes: list[str] = []
    """The fields of a move that may say what it means to do, by name."""


class FieldView(Message):
    """What the announced move may say that it means to do, by the field's name."""

    label: str
    statement: str
    kind: Literal["flag", "one", "several"]
    """True or false, one of what is offered, or any of it."""
    offered: list[str]
    """The likeliest first, whatever is chosen among them; empty for a flag."""
    value: str | bool | list[str] | None
    """What is said so far; None while nothing is."""


class MoveView(Message):
    """What is being done now; the only key is ``move``."""

    unit: str | None
    model: str | None
    """The model whose zone is shown."""
    action: str | None
    rolls: list[int]
    tests: int
    """How many dice the move's own tests take; they may be entered, or rolled elsewhere."""
    costs: int
    """How many models the failed tests cost."""
    lost: list[str]
    """The models chosen for that."""
    intent: dict[str, str | bool | list[str]]
    """The rulebook's fields of the move."""
    moved: list[str]
    """Models that stand elsewhere than where they were last accepted."""
    outcome: Literal["legal", "illegal", "too-close", "unobserved"] | None
    """The verdict on what stands now; None while nothing can be judged."""
    note: str
    """A sentence for the player when something is missing, such as a die; empty otherwise."""
    can_undo: bool
    """Something that was decided may be taken back."""
    contenders: list[str] = []
    """The players of whom ``go-on`` names the one that goes first in the next turn; empty where it names none."""


class TurnView(Message):
    """Whose turn it is; the only key is ``turn``, which is missing while nobody keeps count."""

    number: int
    player: str
    step: str
    """In words."""
    done: list[str]
    """The units that have acted in this turn."""


class FindingView(Message):
    """A finding of the verdict, by its place in the verdict; the witness is among the shapes."""

    rule: str
    outcome: Literal["legal", "illegal", "too-close", "unobserved", "note"]
    subjects: list[str]
    measured_mm: float | None
    limit_mm: float | None
    margin_mm: float | None
    sigma_mm: float | None
    p_legal: float | None
    text: str


class EffectView(Message):
    """What the move costs or brings, by its place in the verdict."""

    rule: str
    text: str


class ShapeView(Message):
    """Something to draw on the table, by key."""

    layer: Literal["zone", "engagement", "coherency", "named", "break", "ghost", "path", "stop", "witness"]
    rings_mm: list[list[Point]]
    closed: bool
    style: str
    label: str


class PaintView(Message):
    """How a style is drawn, by style name; both pages have a dark ground."""

    stroke: str
    """A CSS colour."""
    fill: str
    """A CSS colour, or empty."""
    width_mm: float
    dash_mm: list[float]


class SceneView(Message):
    """What the script of a demo shows now; the only key is ``scene``, which is missing while nothing is told of it."""

    number: int
    count: int
    caption: str
    outcome: Literal["legal", "illegal", "too-close", "unobserved"] | None
    """What the referee says of it; None before the models rest."""
    ruling: str
    """The finding that decides it; empty if none does."""
    playing: bool
    """False once the script is over: the caption then says that the table is the visitor's."""


class TagView(Message):
    """Where a model's tag is in its base, and how surely that is known."""

    tag: int
    size_mm: float
    """Edge of its black square."""
    x_mm: float
    y_mm: float
    facing_deg: float
    """In the base's frame, whose x is the model's front."""
    sigma_mm: float
    """One standard deviation of its place; 0 where nobody measured it."""
    sigma_deg: float
    height_mm: float
    height_sigma_mm: float


class EnrolledView(Message):
    """A model that has a tag or may get one, by id."""

    base: BaseSpec
    tag: TagView | None
    """None: it is not enrolled."""


class EnrollingView(Message):
    """An enrolment under way; the only key is ``enrolling``, which is missing while there is none."""

    model: str
    base: BaseSpec
    base_name: str
    """As the sheet calls it."""
    way: Literal["ring", "turn"]
    step: Literal["sheet", "model", "hand", "front", "turning", "measured"]
    """What a person is to do next."""
    note: str
    """What is in the way, in a sentence; empty if nothing is."""
    places: int
    """How often the model was measured in the ring."""
    turned_deg: float
    """How much of a turn was seen."""
    found: TagView | None
    advice: str
    """What would make it surer."""
    kept: bool
    """What was found has been written to the set-up."""


class LensShotView(Message):
    """A view of the board that was taken."""

    number: int
    outline_px: list[Point]
    """The board's corners in the picture."""
    counts: bool
    """False where it did not fit the others."""


class LensNeedView(Message):
    """Something that views are counted by."""

    label: str
    have: int
    need: int


class LensFoundView(Message):
    """The lens that the views come to, and how surely."""

    views: int
    focal_px: float
    focal_sigma_px: float
    """One standard deviation."""
    middle_px: Point
    middle_sigma_px: float
    rms_px: float
    """In the views of the fit."""
    held_out_px: float
    """In views that a fit had not seen."""
    typical_mm: float
    """The error to expect on the table, root mean square."""
    worst_mm: float
    """The same where it is worst."""
    verdict: Literal["good", "usable", "poor"]
    reasons: list[str]
    """Sentences that say why; the weakest side first."""
    dropped: list[str]
    """The views that the fit does without, each with its reason."""


class LensView(Message):
    """The calibration of the lens; the only key is ``lens``, which is missing where none can be made."""

    board: str
    """As it was named; empty while no calibration is under way."""
    left: list[str]
    """Boards whose calibration was left, and can be gone on with."""
    virtual: bool
    """A helper holds the board."""
    width_px: int
    height_px: int
    """Of the picture that all pixels are of; 0 before the first."""
    step: Literal["begin", "taking", "enough", "kept"]
    ask: str
    """How to hold the board for the next view, in a sentence."""
    target_px: list[Point]
    """Where its corners would be, from the upper left clockwise."""
    nearer: Literal["left", "right", "upper", "lower"] | None
    """The edge that would be nearer to the camera; None where its face is straight to it."""
    shots: list[LensShotView]
    columns: int
    rows: int
    covered: list[bool]
    """Each part of the picture, row by row."""
    needs: list[LensNeedView]
    found: LensFoundView | None
    working: bool
    """The last views are still being worked out."""
    trouble: str
    """Why the views come to no lens, in a sentence; empty if they do."""
    kept: str
    """What became of the lens, in a sentence."""


class SightingView(Message):
    """The board as it is seen now; the only key is ``board``."""

    corners_px: list[Point]
    note: str
    """Why no view is taken now, in a sentence; empty if nothing is in the way."""


class ThrownView(Message):
    """A tag of light: whole cells on whole pixels of the projector's picture."""

    left_px: int
    top_px: int
    """Of its white rim's top left pixel."""
    cell_px: int
    rows: list[int]
    """Its white cells, a row each from the top: the lowest bit is the rightmost cell."""


class PatternView(Message):
    """What the projector page shows instead of the game, while the projector is being calibrated."""

    image_size: tuple[int, int]
    """The page that is meant."""
    level: int
    """Grey level of the light."""
    tags: list[ThrownView]
    """None: darkness."""


class WarpView(Message):
    """Which pixel of the projector lights which place on the table."""

    image_size: tuple[int, int]
    """It holds for a page of this size only."""
    homography: list[float]
    """Nine numbers, row by row: from (x_mm, y_mm, 1) to pixels, before the lens distorts."""
    centre_px: Point
    radius_px: float
    """The unit in which the distortion counts distances from the centre."""
    distortion: tuple[float, float, float, float]
    """k1, k2, p1, p2."""


class LightErrorView(Message):
    """How well the light is known to land, from tags held out of the fit."""

    mean_mm: float
    worst_mm: float
    worst_at_mm: Point
    tags: int
    doubt_mm: float
    """Standard deviation of the fit where on the table it is largest, far from all tags."""
    doubt_at_mm: Point
    camera_sigma_mm: float
    lens: str


class NudgeView(Message):
    """By how much a person has moved the light."""

    x_mm: float
    y_mm: float
    turn_deg: float
    scale: float
    can_undo: bool


class ProjectorView(Message):
    """The projector; the only key is ``projector``, which is missing where nobody can calibrate one."""

    page_size: tuple[int, int] | None
    """Of the projector page that spoke last, in the screen's own pixels."""
    step: Literal["page", "dark", "first", "second", "measured"] | None
    """Of the calibration under way; None while there is none."""
    note: str
    """How far it is, or what is in the way; without a calibration under way, what a person should know of the light."""
    pattern: PatternView | None
    warp: WarpView | None
    """None: the page fits the table into its window."""
    error: LightErrorView | None
    """Of the calibration that was measured or is in use."""
    checking: bool
    """The page lights the edges of the table and of every anchor, so that a person sees how well light lands."""
    nudge: NudgeView | None
    dark_mm: list[list[Point]]
    """Outlines of the tags that are fixed on the table: nothing may shine there."""


class View(Message):
    """Everything a page shows."""

    table: dict[str, TableView] = {}
    camera: dict[str, CameraView] = {}
    palette: dict[str, PaintView] = {}
    terrain: dict[str, TerrainView] = {}
    units: dict[str, UnitView] = {}
    models: dict[str, ModelView] = {}
    notices: dict[str, NoticeView] = {}
    actions: dict[str, ActionView] = {}
    fields: dict[str, FieldView] = {}
    move: dict[str, MoveView] = {}
    turn: dict[str, TurnView] = {}
    findings: dict[str, FindingView] = {}
    effects: dict[str, EffectView] = {}
    shapes: dict[str, ShapeView] = {}
    scene: dict[str, SceneView] = {}
    enrolled: dict[str, EnrolledView] = {}
    enrolling: dict[str, EnrollingView] = {}
    lens: dict[str, LensView] = {}
    sighting: dict[str, SightingView] = {}
    projector: dict[str, ProjectorView] = {}


class Full(Message):
    """The whole view."""

    type: Literal["full"] = "full"
    seq: int
    view: View


class Delta(Message):
    """What changed since message ``seq - 1``."""

    type: Literal["delta"] = "delta"
    seq: int
    set: Annotated[View, PARTIAL]
    """Keys that were set; a section in which none was is left out."""
    gone: dict[str, list[str]]
    """Keys that are no longer there, by section."""

    @field_serializer("set", mode="wrap")
    def _touched(self, view: View, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: section for name, section in dump(view).items() if section}


class Refused(Message):
    """The page's last message could not be obeyed; the sentence says why and what to do."""

    type: Literal["refused"] = "refused"
    text: str


ToPage = Full | Delta | Refused
