"""Calibration messages: what pages are told of the camera, the lens, the projector and its light."""

from typing import Literal

from assistant.setup.lighting import HideableLight, LightColours, TableEdge
from assistant.web.messages.message import Message, Point
from assistant.web.messages.table import PaintView


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
    halos_mm: dict[str, float]
    """By model: how far its halo reaches beyond its base, of those that have one; nothing may shine there either."""


class LightSampleView(Message):
    """How a kind of light looks on the mat."""

    label: str
    usual: str
    """A CSS colour, as it is seen there in the pages' own colours."""
    seen: str
    """As it is seen in the colours that are thrown."""


class LightsView(Message):
    """How the light is set; the only key is ``lights``, which is missing where nobody can set it."""

    brightness: float
    """From 0.2 to 1: share of the projector's light."""
    line_width: float
    """From 0.5 to 3: times as wide as lines are drawn otherwise."""
    hidden: list[HideableLight]
    """What does not shine."""
    seats: dict[str, TableEdge]
    """At which edge of the table each player sits: what is written lies upright for whoever acts."""
    colours: LightColours = "usual"
    paints: dict[str, PaintView] = {}
    """The paints that are thrown in place of the pages' own, by style."""
    mat: str = ""
    """The mat's CSS colour as the camera sees it; empty while nobody knows."""
    samples: list[LightSampleView] = []
    """What that comes to; empty while the mat's colour is not known."""


class LookoutView(Message):
    """Where in the camera's picture the table is; the only key is ``lookout``, missing while nobody knows."""

    image_size: tuple[int, int]
    """Of the picture, px; the centre of its top left pixel is (0, 0)."""
    camera_from_table: list[float]
    """Twelve numbers, row by row: from (x_mm, y_mm, z_mm, 1) to the camera's frame."""
    focal_px: tuple[float, float]
    centre_px: tuple[float, float]
    distortion: tuple[float, float, float, float, float]
    """k1, k2, p1, p2, k3 of OpenCV's formula."""
    model: Literal["pinhole", "fisheye"]
    """What it distorts: places as far from the middle as the tangent of the angle they are seen under, or as it."""


Grade = Literal["good", "weak", "bad"]


class SpotView(Message):
    """How sharp a place of the picture is."""

    x_px: float
    y_px: float
    """In the camera's own picture."""
    blur_px: float
    """One standard deviation."""


class RemarkView(Message):
    """One side of the picture."""

    about: Literal["focus", "light", "noise", "flicker", "shake"]
    grade: Grade
    text: str
    """How it is."""
    advice: str
    """What to do about it; empty where all is well."""


class OpticsView(Message):
    """Focus and exposure; the only key is ``optics``, which is missing where no camera can be looked at."""

    width_px: int
    height_px: int
    """Of the camera's own picture; 0 before the first."""
    blur_px: float | None
    """None before the first look, and where there are no edges."""
    best_px: float | None
    """The least since the page was opened, or since somebody began anew."""
    good_px: float
    """What it should be below."""
    white: float | None
    """Grey level of the white of tags, of 255."""
    burnt: float | None
    """Share of the picture that is as good as white."""
    sharpest: SpotView | None
    softest: SpotView | None
    remarks: list[RemarkView]
    """The weakest first."""
    can_focus: bool
    """The camera tells its focus and may let it be set."""
    can_expose: bool
    focus: float | None
    exposure: float | None
    """In the driver's own steps."""
    locked: bool
    """Neither changes by itself."""
    note: str
    """What became of the last thing that was asked of the camera, in a sentence; empty if nothing was."""
    state: Literal["todo", "good", "weak", "bad"]
    text: str
    """How it is as a whole, in a sentence."""


class RefinementView(Message):
    """A better lens that tags at rest tell of; the only key is ``lens``, missing where none is offered."""

    text: str
    """How much better it is, or what became of it."""
    offered: bool
    """It waits for a yes or a no."""
