"""Where to look for tags that are missing: the picture is scanned tile by tile, first where it has changed."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detect import Region, around, tiles

Grey = NDArray[np.uint8]

STRIDE_PX = 8
"""Every eighth pixel of every eighth row tells whether a tile has changed."""
TILE_PX = 64_000
"""Pixels in a tile: what the detector looks through in a few milliseconds."""
CHANGED_LEVELS = 25
"""Grey levels; noise is far below, a tag's black on white far above."""
CHANGED_SPOTS = 3
"""A tile with fewer changed pixels of the sample holds no new tag."""
WITHIN_FRAMES = 25
"""All changed tiles are looked at within so many pictures."""
MOST_TILES = 3
IDLE_FRAMES = 8
"""Without changes, one tile is looked at in so many pictures: a tag may come into focus where it lies."""


@dataclass(kw_only=True)
class Scan:
    """Remembers what each tile of the picture looked like when it was last looked through."""

    overlap_px: int
    _spots: Grey = field(default_factory=lambda: np.empty((0, 0), dtype=np.uint8))
    _cut: list[Region] = field(default_factory=list)
    """They overlap, so that every tag lies whole in one."""
    _cores: list[Region] = field(default_factory=list)
    """The same without the overlap."""
    _at: NDArray[np.intp] = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    """When each tile was last looked through, as a number of the picture."""
    _allowed: float = 0.0
    """Tiles that may be looked through by now."""
    _frames: int = 0

    def whole(self, grey: Grey) -> None:
        """Take note that the whole picture has been looked through."""
        height, width = grey.shape
        across = max(1, round(np.sqrt(grey.size / TILE_PX * width / height)))
        down = max(1, round(grey.size / TILE_PX / across))
        self._cut, self._cores = tiles(grey, across, down, self.overlap_px), tiles(grey, across, down, 0)
        self._at = np.full(len(self._cut), self._frames, dtype=np.intp)
        self._spots = grey[::STRIDE_PX, ::STRIDE_PX].copy()

    def next(self, grey: Grey, extent_px: int, looked_at: Sequence[Region] = ()) -> list[Region]:
        """Return what to look through in this picture, and take it that this will be done.

        Args:
            grey: the picture.
            extent_px: of the largest tag that is looked for.
            looked_at: where this picture is looked through anyway.

        """
        self._frames += 1
        spots = grey[::STRIDE_PX, ::STRIDE_PX].copy()
        for region in looked_at:
            part = _spots_of(region)
            self._spots[part] = spots[part]
        changed = cv2.absdiff(spots, self._spots) > CHANGED_LEVELS
        due = np.array([], dtype=np.intp)
        if changed.any():
            counts = [np.count_nonzero(changed[_spots_of(tile)]) for tile in self._cut]
            due = np.flatnonzero(np.array(counts) >= CHANGED_SPOTS)
        self._allowed = min(self._allowed + len(due) / WITHIN_FRAMES, MOST_TILES) if len(due) else 0.0
        chosen = due[np.argsort(self._at[due], kind="stable")[: math.ceil(self._allowed)]]
        self._allowed -= len(chosen)
        regions = [self._around_changes(tile, changed, grey, extent_px) for tile in chosen]
        if len(due) == 0 and self._frames % IDLE_FRAMES == 0:
            chosen = np.argsort(self._at, kind="stable")[:1]
            regions = [self._cut[tile] for tile in chosen]
        self._at[chosen] = self._frames
        for tile in chosen:
            part = _spots_of(self._cores[tile])
            self._spots[part] = spots[part]
        return regions

    def _around_changes(self, tile: int, changed: NDArray[np.bool_], grey: Grey, extent_px: int) -> Region:
        """Return the part of a tile, and of what is around it, where a tag of which something has changed may lie."""
        part = _spots_of(self._cut[tile])
        rows, columns = (np.flatnonzero(changed[part].any(axis=axis)) for axis in (1, 0))
        top, left = ((axis.start + first) * STRIDE_PX for axis, first in zip(part, (rows[0], columns[0]), strict=True))
        bottom, right = (
            (axis.start + last) * STRIDE_PX for axis, last in zip(part, (rows[-1], columns[-1]), strict=True)
        )
        return around(np.array([[left, top], [right, bottom]], dtype=np.float64), extent_px, grey)


def _spots_of(tile: Region) -> tuple[slice, slice]:
    """Return the part of the sample that lies in a tile."""
    return (
        slice(-(-tile.top // STRIDE_PX), -(-tile.bottom // STRIDE_PX)),
        slice(-(-tile.left // STRIDE_PX), -(-tile.right // STRIDE_PX)),
    )
