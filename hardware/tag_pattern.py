"""What the tags of family tag36h11 look like."""

from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

CELLS = 10
"""A tag's width: black square of 8 cells, one white cell around it."""


@cache
def pattern(tag: int) -> NDArray[np.bool_]:
    """(10, 10) whether each cell is white, by x (right) and y (up) in the tag's own frame.

    OpenCV's pictures of the family are turned by half a turn from those that the family publishes.
    """
    family = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
    drawn = np.rot90(cv2.aruco.generateImageMarker(family, tag, CELLS - 2), 2) > 127
    cells = np.ones((CELLS, CELLS), dtype=bool)
    cells[1:-1, 1:-1] = drawn[::-1].T
    cells.flags.writeable = False
    return cells
