"""Lens calibration, as its page shows it."""

from typing import Literal

from assistant.web.messages.message import Message, Point


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
