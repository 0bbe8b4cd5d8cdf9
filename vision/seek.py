"""Where to look for tags of which nobody knows yet that they are there."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from vision.detect import Region, around, tiles

TILE_PX = 180_000
"""One part of the picture that is searched for what is new, so that its cost in one picture stays small."""
REACH = 0.02
"""A tag may go so far from one look to the next, as a share of the picture's width, and half its own size more."""
OVERLAP = 0.06
"""The parts overlap by this share of the picture's width: a tag is no larger."""


def regions(grey: NDArray[np.uint8], known_px: Mapping[int, NDArray[np.float64]], look: int) -> list[Region]:
    """Return where to look: around every tag that is known, and in one part of the picture, another at every look.

    Args:
        grey: (height, width) picture.
        known_px: (4, 2) corners of tags where they were last seen, by tag.
        look: counts the looks.

    """
    width = grey.shape[1]
    near = [around(px, REACH * width + np.ptp(px, axis=0).max() / 2, grey) for px in known_px.values()]
    parts = scan(grey)
    return [*near, parts[look % len(parts)]]


def scan(grey: NDArray[np.uint8]) -> list[Region]:
    """Return the parts that together are the whole picture."""
    height, width = grey.shape
    across = max(1, round(np.sqrt(grey.size / TILE_PX * width / height)))
    down = max(1, round(grey.size / TILE_PX / across))
    return tiles(grey, across, down, int(OVERLAP * width))
