"""The table: what stands on it, what is drawn there, and the camera that sees it."""

from typing import Literal

from assistant.game.base_spec import BaseSpec
from assistant.web.messages.message import Message, Point


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
    unrecorded: bool = False
    """The game goes on without being recorded; the text says why."""


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


class ShapeView(Message):
    """Something to draw on the table, by key."""

    layer: Literal[
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
