"""The tag family tag36h11: the pictures of its tags, the one place from which they are rendered and printed."""

import functools

import cv2
import numpy as np
from numpy.typing import NDArray

COUNT = 587
"""Number of tags in the family."""
INNER = 8
"""Modules along the edge of the black square."""
MODULES = 10
"""Modules along a tag with the white rim that it needs."""


@functools.cache
def find_white_modules(tag: int) -> NDArray[np.bool_]:
    """Return which modules of a tag's black square are white, as the family publishes it.

    Args:
        tag: 0 to COUNT - 1.

    Returns:
        (8, 8), the top row first: the tag's x is to the right, its y up.

    """
    family = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
    # OpenCV's generated image is turned by half a turn from the published one.
    white = np.rot90(cv2.aruco.generateImageMarker(family, tag, INNER), 2) > 127
    white.flags.writeable = False
    return white
