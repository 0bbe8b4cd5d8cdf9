"""The projector: its tags of light, its warp, and how well its light lands."""

from typing import Literal

from assistant.web.messages.message import Message, Point


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
