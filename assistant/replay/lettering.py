"""Lettering: words in pictures, in the typeface of printed pages."""

from functools import cache, lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from assistant.overlay.raster import parse_bgr
from hardware.printing.typeface import BOLD, FONTS, REGULAR, compose_text

BgrImage = NDArray[np.uint8]


@cache
def _load_font(*, bold: bool) -> cv2.FontFace:
    """Return the typeface of printed pages; OpenCV's own has the letters that it lacks."""
    return cv2.FontFace(str(FONTS / f"{BOLD if bold else REGULAR}.ttf"))


_compose = lru_cache(maxsize=4096)(compose_text)


def measure_width(text: str, size_px: float, *, bold: bool = False) -> float:
    """Return how wide a line of text is in a picture, pixels."""
    return float(cv2.getTextSize((0, 0), _compose(text), (0, 0), _load_font(bold=bold), round(size_px))[2])


def write_text(
    picture: BgrImage, text: str, at: tuple[float, float], size_px: float, colour: str, *, bold: bool = False
) -> None:
    """Write a line of text over a picture; ``at`` is where its letters begin to stand."""
    place = (round(at[0]), round(at[1]))
    cv2.putText(picture, _compose(text), place, parse_bgr(colour), _load_font(bold=bold), round(size_px))
