"""Which parts of the picture a board has been seen in, and how it was tilted there."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.board_bundle import BoardView
from calibration.spaces import Floats

COLUMNS, ROWS = 4, 3
_ACROSS, _DOWN = ("left", "left of the middle", "right of the middle", "right"), ("upper", "middle", "lower")


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """What the views of a fit reach."""

    counts: tuple[tuple[int, ...], ...]
    """How many views have a corner in each part of the picture: rows from the top, each from the left."""
    tilts_deg: tuple[float, float]
    """The least and the greatest tilt of the board against the picture."""
    distances_mm: tuple[float, float]
    """The nearest and the furthest middle of the board."""

    @property
    def empty(self) -> tuple[str, ...]:
        """The parts that no view reaches, in words."""
        return tuple(
            f"{_DOWN[row]} {_ACROSS[column]}"
            for row, counts in enumerate(self.counts)
            for column, count in enumerate(counts)
            if count == 0
        )


def coverage_of(views: Sequence[BoardView], poses: Floats, image_size: tuple[int, int]) -> Coverage:
    """Return what views reach; (views, 6) ``poses`` are turn and shift of camera_from_board."""
    counts = np.zeros((ROWS, COLUMNS), dtype=int)
    tilts: list[float] = []
    distances: list[float] = []
    for view, pose in zip(views, poses, strict=True):
        parts = np.floor(view.points_px / image_size * (COLUMNS, ROWS)).astype(int)
        for column, row in np.unique(np.clip(parts, 0, (COLUMNS - 1, ROWS - 1)), axis=0):
            counts[row, column] += 1
        turn = np.asarray(cv2.Rodrigues(pose[:3])[0], dtype=np.float64)
        tilts.append(float(np.degrees(np.arccos(min(1.0, abs(turn[2, 2]))))))
        distances.append(float((turn @ view.points_mm.mean(axis=0) + pose[3:])[2]))
    return Coverage(
        counts=tuple(tuple(row) for row in counts.tolist()),
        tilts_deg=(min(tilts), max(tilts)),
        distances_mm=(min(distances), max(distances)),
    )
