"""Optics: how sharp and how well lit the camera's pictures are, and what can be set on it."""

from typing import Literal

from assistant.web.messages.message import Message

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
