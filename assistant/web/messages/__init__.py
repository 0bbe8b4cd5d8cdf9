"""Every message between the server and a page, defined once; the pages' types are generated from here.

A page first gets one ``full`` message with the whole view, then ``delta`` messages numbered without a gap.  A page
that misses a number sends ``resync`` and gets a ``full`` again.  The view is a set of sections; each section holds
values by key, and a delta says which keys were set and which are gone; of a value that a page has already, a delta
holds only the fields that changed.
Lengths are millimetres in the table frame, angles degrees counter-clockwise, times nanoseconds.
"""

from typing import Annotated, Any, Literal

from assistant.web.messages.calibration import (
    LensView,
    LightsView,
    LookoutView,
    OpticsView,
    ProjectorView,
    RefinementView,
    SightingView,
)
from assistant.web.messages.hall import CallView, EventView, HallView, SeatView, TileView
from assistant.web.messages.message import AsType, Message, YouView
from assistant.web.messages.move import (
    ActionView,
    ClockView,
    EffectView,
    FieldView,
    FindingView,
    MoveView,
    RulingView,
    ScoreView,
    ShownCallView,
    SummonsView,
    TurnView,
)
from assistant.web.messages.setup import (
    ArmiesView,
    EnrolledView,
    EnrollingView,
    ForceView,
    LayoutEditorView,
    SetupView,
    StepView,
    TrayView,
)
from assistant.web.messages.table import (
    AheadView,
    CameraView,
    HindranceView,
    LayingView,
    MeasuringView,
    ModelView,
    NoticeView,
    PaintView,
    PaletteView,
    PlaceView,
    PlayingView,
    RestoringView,
    SceneView,
    ShapeView,
    ShiftedView,
    TableView,
    TapeView,
    TerrainView,
    ThreatView,
    UnitView,
    WayView,
)


class View(Message):
    """Everything a page shows."""

    table: dict[str, TableView] = {}
    camera: dict[str, CameraView] = {}
    palette: dict[str, PaintView] = {}
    palettes: dict[str, PaletteView] = {}
    terrain: dict[str, TerrainView] = {}
    shifted: dict[str, ShiftedView] = {}
    units: dict[str, UnitView] = {}
    models: dict[str, ModelView] = {}
    notices: dict[str, NoticeView] = {}
    hindrances: dict[str, HindranceView] = {}
    actions: dict[str, ActionView] = {}
    fields: dict[str, FieldView] = {}
    move: dict[str, MoveView] = {}
    turn: dict[str, TurnView] = {}
    scores: dict[str, ScoreView] = {}
    clock: dict[str, ClockView] = {}
    findings: dict[str, FindingView] = {}
    rulings: dict[str, RulingView] = {}
    effects: dict[str, EffectView] = {}
    shapes: dict[str, ShapeView] = {}
    ahead: dict[str, AheadView] = {}
    scene: dict[str, SceneView] = {}
    enrolled: dict[str, EnrolledView] = {}
    enrolling: dict[str, EnrollingView] = {}
    tray: dict[str, TrayView] = {}
    lens: dict[str, LensView] = {}
    sighting: dict[str, SightingView] = {}
    projector: dict[str, ProjectorView] = {}
    setup: dict[str, SetupView] = {}
    steps: dict[str, StepView] = {}
    armies: dict[str, ArmiesView] = {}
    forces: dict[str, ForceView] = {}
    layout_editor: dict[str, LayoutEditorView] = {}
    shown_call: dict[str, ShownCallView] = {}
    summons: dict[str, SummonsView] = {}
    optics: dict[str, OpticsView] = {}
    refinement: dict[str, RefinementView] = {}
    you: dict[str, YouView] = {}
    """Of each page its own, set by the hub: nobody publishes it."""
    ways: dict[str, WayView] = {}
    measuring: dict[str, MeasuringView] = {}
    laying: dict[str, LayingView] = {}
    tapes: dict[str, TapeView] = {}
    threats: dict[str, ThreatView] = {}
    lights: dict[str, LightsView] = {}
    lookout: dict[str, LookoutView] = {}
    restoring: dict[str, RestoringView] = {}
    places: dict[str, PlaceView] = {}
    playing: dict[str, PlayingView] = {}
    hall: dict[str, HallView] = {}
    event: dict[str, EventView] = {}
    seats: dict[str, SeatView] = {}
    tiles: dict[str, TileView] = {}
    calls: dict[str, CallView] = {}


class Full(Message):
    """The whole view."""

    type: Literal["full"] = "full"
    seq: int
    view: View


Fields = dict[str, Any]
"""Some fields of a message, by name."""
Changes = dict[str, dict[str, Any]]
"""By section and key: a message, or the fields that changed of one that was there before."""


class Delta(Message):
    """What changed since message ``seq - 1``."""

    type: Literal["delta"] = "delta"
    seq: int
    set: Annotated[Changes, AsType("{ [Name in keyof View]?: Record<string, Partial<View[Name][string]>> }")]
    """Keys that were set, by section; of a value that was there before, only the fields that changed."""
    gone: dict[str, list[str]]
    """Keys that are no longer there, by section."""


class Refused(Message):
    """The page's last message could not be obeyed; the sentence says why and what to do."""

    type: Literal["refused"] = "refused"
    text: str


ToPage = Full | Delta | Refused
