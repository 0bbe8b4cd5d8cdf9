"""Traced letters: outlines of what the typeface lacks, such as Chinese letters, from the font that OpenCV brings."""

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

EM_PX = 256
"""How large a letter is drawn to be traced; its outline is right to a 250th of its size."""
_ROOM_PX = 64
"""Around it."""
_FONT = "uni"


@dataclass(frozen=True, slots=True, kw_only=True)
class TracedLetter:
    """A letter as outlines, in parts of its size."""

    letter: str
    rings: tuple[tuple[tuple[float, float], ...], ...]
    """From where it begins on the line, x to the right, y up; what lies in an odd number of them is ink."""
    width: float
    """How far behind it the next one begins."""


@lru_cache(maxsize=4096)
def trace_letter(letter: str) -> TracedLetter | None:
    """Return a letter's outlines, None for one that the font lacks, too, or that is no letter."""
    if not letter.isalnum():
        return None
    drawn, width_px = _draw(letter)
    if np.array_equal(drawn, _draw("\uffff")[0]):
        return None
    found, _ = cv2.findContours(drawn, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_TC89_L1)
    outlines = [outline.reshape(-1, 2) for outline in found]
    rings = tuple(
        tuple(((x + 0.5 - _ROOM_PX) / EM_PX, (_ROOM_PX + EM_PX - y - 0.5) / EM_PX) for x, y in outline.tolist())
        for outline in outlines
        if len(outline) > 2
    )
    return TracedLetter(letter=letter, rings=rings, width=width_px / EM_PX)


def _draw(letter: str) -> tuple[NDArray[np.uint8], float]:
    """Return a picture of a letter, 255 where its ink is, and how wide it is."""
    picture = np.zeros((EM_PX + 2 * _ROOM_PX, 2 * EM_PX + 2 * _ROOM_PX, 3), dtype=np.uint8)
    start = (_ROOM_PX, _ROOM_PX + EM_PX)
    (end_px, _), _ = cv2.putText(picture, letter, start, (255, 255, 255), cv2.FontFace(_FONT), EM_PX)
    return np.where(picture[:, :, 0] > 127, np.uint8(255), np.uint8(0)), float(end_px - _ROOM_PX)
