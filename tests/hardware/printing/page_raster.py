"""Rasterised pages: sheets as pictures, what a perfect printer would make of them."""

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.printing.page import InkArea, InkLine, Page

DOTS_PER_MM = 6
FINENESS = 4
"""Drawn this many times finer, for OpenCV fills half a dot beyond an edge; then averaged."""
_BITS = 4


def rasterise_page(page: Page) -> NDArray[np.uint8]:
    """(height, width) the areas and lines of a sheet, black on white, the top of the sheet first."""
    height, width = (FINENESS * round(mm * DOTS_PER_MM) for mm in (page.paper.height_mm, page.paper.width_mm))
    picture = np.full((height, width), 255, dtype=np.uint8)
    for mark in page.marks:
        if isinstance(mark, InkArea):
            rings = [_dots_from_points(page, ring) for ring in mark.rings_mm]
            cv2.fillPoly(picture, rings, 0, shift=_BITS)
        elif isinstance(mark, InkLine):
            cv2.polylines(picture, [_dots_from_points(page, mark.points_mm)], mark.closed, 0, FINENESS, shift=_BITS)
    return np.asarray(
        cv2.resize(picture, None, fx=1 / FINENESS, fy=1 / FINENESS, interpolation=cv2.INTER_AREA), np.uint8
    )


def paper_from_dots(page: Page, dots: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n, 2) places on the paper, mm, of places (n, 2) in its picture."""
    return np.asarray([0, page.paper.height_mm] + (dots + 0.5) / DOTS_PER_MM * [1, -1])


def _dots_from_points(page: Page, points: tuple[tuple[float, float], ...]) -> NDArray[np.int32]:
    down = [0, page.paper.height_mm] + np.array(points) * [1, -1]
    return np.rint((down * DOTS_PER_MM * FINENESS - 0.5) * (1 << _BITS)).astype(np.int32)
