"""Messages of the table: what is on it, what is measured, put back and replayed there."""

from typing import Literal

from assistant.game.base_spec import BaseSpec
from assistant.web.messages.message import Message, Point


class TableView(Message):
    """The table and the game on it; the only key is ``table``."""

    width_mm: float
    depth_mm: float
    rulebook: str
    """Its id."""
    rulebook_title: str = ""
    """As people call it."""
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
    unrecorded: bool = False
    """The game goes on without being recorded; the text says why."""


class TerrainView(Message):
    """A terrain feature, by id."""

    outline_mm: list[Point]
    height_mm: float
    traits: list[str]
    kind: str
    """What it is drawn as: ``terrain-KIND`` in the palette."""
    of: str
    """The feature that it is a part of, by the id of its footprint."""


class ShiftedView(Message):
    """A marked piece of terrain, by id, that was seen to lie elsewhere than the game has it."""

    text: str
    """How far it was moved, as a sentence."""


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
    name: str = ""
    """What people call it; empty where its id says it."""
    names: dict[str, str] = {}
    """What sentences are to call it and its models, by the ids that are said; whose id says it is left out."""


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


class HindranceView(Message):
    """Why the camera does not find a model's marker, by model id."""

    hindrance: Literal[
        "too-dark",
        "glare",
        "blurred",
        "moving-too-fast",
        "covered",
        "print-damaged",
        "other-size",
        "above-table",
        "too-small",
        "out-of-picture",
    ]
    short: str
    """In a word or two, for beside the model."""
    text: str
    """What follows the model's name in a sentence, and what to do about it."""
    x_share: float | None = None
    y_share: float | None = None
    """Where it is in the camera's picture, as shares of the width and height; None where nobody knows."""


class ShapeView(Message):
    """Something to draw on the table, by key."""

    layer: Literal[
        "deployment",
        "objective",
        "laying",
        "zone",
        "threat",
        "engagement",
        "coherency",
        "named",
        "break",
        "ghost",
        "path",
        "way",
        "restore",
        "stop",
        "witness",
        "tape",
    ]
    rings_mm: list[list[Point]]
    closed: bool
    style: str
    label: str
    on: str | None = None
    """The model in whose frame the rings are, so that they go along with it; None: the table's."""


class AheadView(Message):
    """Where a model may go, by its id, told before anybody picks it; what is picked is among the shapes."""

    limit_mm: float | None
    """As of the move."""
    shapes: list[ShapeView]
    """Its zone and bands."""


class PaintView(Message):
    """How a style is drawn, by style name; both pages have a dark ground."""

    stroke: str
    """A CSS colour."""
    fill: str
    """A CSS colour, or empty."""
    width_mm: float
    dash_mm: list[float]
    hatch: Literal["", "rising", "falling", "cross"] = ""
    """Lines across an area, in the colour of the stroke."""


class PaletteView(Message):
    """A set of paints that a page may show in place of the ``palette``, by name."""

    label: str
    paints: dict[str, PaintView]


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


class WayView(Message):
    """How far a model has come of what it may, by model id: the judge's own number."""

    outcome: Literal["legal", "illegal", "too-close", "unobserved", "note"]
    measured_mm: float
    limit_mm: float
    sigma_mm: float | None
    """One standard deviation; None where the doubt is not one of length."""
    moving: bool
    """It has not come to rest yet."""


class MeasuringView(Message):
    """What may be measured; the only key is ``measuring``, which is missing where nothing can be."""

    allowed: bool
    """Players may measure at any time."""
    note: str
    """A sentence that says by what, or by what not."""
    agreed: bool
    """A house rule says so, which players may change."""


class LayingStepView(Message):
    """A piece of terrain, or a marker, that is to be laid."""

    id: str
    number: int
    """In the order of laying, from 1."""
    outlines_mm: list[tuple[tuple[float, float], ...]]
    """What it covers on the table, first, and what stands on it; table frame."""
    lies: bool
    note: str = ""
    """How far off, or how much too high, the camera sees a marked piece, or that it does not see the mark."""
    mark: str = ""
    """What is said to lie on it, such as ``tag 540``; empty for nothing."""
    learns: bool = False
    """If it lies where it belongs for all that, ``lay-learn`` says so."""


class LayingView(Message):
    """A table that is being laid; the only key is ``laying``, which is missing while none is."""

    steps: list[LayingStepView]
    following: str | None
    """The step that comes next; None when all lies."""
    marks: bool = False
    """``lay-mark`` may say which mark lies on a piece."""


class TapeView(Message):
    """A length that somebody measures, by its number."""

    ends: tuple[str, str]
    """The names of the two things."""
    mm: float | None
    """Edge to edge; the depth, negative, where they overlap; None while one of them is not on the table."""
    sigma_mm: float
    horizontal: bool
    """The two stand at different heights, of which the length tells nothing."""
    note: str
    """Why it cannot be measured now, in a sentence; empty if it can."""


class ThreatView(Message):
    """What a unit may come to threaten, by unit id; what is drawn is among the shapes."""

    text: str
    """What is shown; empty before it is known."""
    note: str
    """What it leaves aside, in a sentence; empty if nothing."""
    range_mm: float | None
    """How far a person said that it can strike; None for the range of engagement."""
    working: bool
    """It is being worked out anew."""


class RestoringView(Message):
    """How far it has come; the only key is ``restoring``, which is missing while nothing is put back."""

    when: str
    """The moment, as people call it."""
    count: int
    back: int
    near: int
    missing: int
    """Models that the camera does not see."""
    note: str
    """What the camera cannot tell, in a sentence; empty if it can."""


class PlaceView(Message):
    """Of a model that is put back, by its id."""

    state: Literal["missing", "back", "near", "off"]
    text: str
    """What has to be done, in a few words; empty if it is back or missing."""


class PlayingView(Message):
    """Where a replay is; the only key is ``playing``, which is missing in a game that is being played."""

    at_ns: int
    """Since the game's beginning."""
    length_ns: int
    """Of the whole recording."""
    playing: bool
    speed: float
