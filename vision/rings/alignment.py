"""Alignment: where a ring of a known word lies near a place, good enough for `pattern_fit.fit_rings()` to begin with.

A moving ring goes farther from picture to picture than a fit can follow.  Its band is sampled around many places near
the one that was predicted, in one pass, and the word is laid over each in some turns; the best correlation is taken.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.spaces import CameraOverTable
from hardware.rings.layout import RingLayout
from vision.rings.enrolled_ring import count_symmetries
from vision.rings.local_view import build_bases, map_places
from vision.rings.pattern_fit import RingStart

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

STEP_MM = 0.8
"""Between the middles that are tried: fits hold from nearer."""
NEAR_STEPS, FAR_STEPS = 2, 6
"""So many are tried along each axis, either way."""
CELL_SAMPLES = 4
CIRCLES = (0.3, 0.7)
"""Where across the band it is sampled."""
TURNS = 3
"""Samples along the band by which a round ring is turned, either way."""
LEAST_CORRELATION = 0.35
"""Of the word with the picture, where the half of a ring is hidden."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _AlignmentGrid:
    """Where a layout is sampled, for every place that is tried."""

    moves: NDArray[np.complex128]
    """(g,) shift of the middle, in the ring's frame, mm."""
    bases: Singles
    """(g * along * circles, 6) see local_view."""
    reach_mm: float


def align_rings(
    camera: CameraOverTable, grey: NDArray[np.uint8], predicted: Sequence[RingStart], steps: int
) -> list[RingStart | None]:
    """Return where rings lie near where they were predicted; None where the picture does not resemble the word.

    Args:
        camera: where the camera is.
        grey: (height, width) picture.
        predicted: rings, and where they may be.
        steps: how far around that they are looked for, in steps of STEP_MM along each axis.

    """
    if not predicted:
        return []
    grids = [_lay_grid(start.ring.layout, steps) for start in predicted]
    maps = map_places(
        camera,
        np.array([complex(start.x_mm, start.y_mm) for start in predicted]),
        np.exp(1j * np.array([start.facing_rad for start in predicted])),
        np.array([start.surface_mm + start.ring.ring_height_mm for start in predicted]),
        np.array([grid.reach_mm for grid in grids]),
    ).astype(np.float32)
    return [_align(grey, *each) for each in zip(predicted, grids, maps, strict=True)]


def _align(grey: NDArray[np.uint8], start: RingStart, grid: _AlignmentGrid, to_px: Singles) -> RingStart | None:
    places_px = (grid.bases @ to_px.T).reshape(len(grid.moves), -1, 2)
    sampled = cv2.remap(grey, places_px, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)  # type: ignore[call-overload]
    levels = np.asarray(sampled, dtype=np.float32).reshape(len(grid.moves), -1, len(CIRCLES)).sum(axis=2)
    levels -= levels.mean(axis=1, keepdims=True)
    levels /= np.sqrt((levels**2).sum(axis=1, keepdims=True)) + 1e-6
    turns = _find_turns(start.ring.layout)
    word = np.repeat(start.ring.bits.astype(np.float32) - np.float32(start.ring.bits.mean()), CELL_SAMPLES)
    word /= np.sqrt((word**2).sum())
    score = levels @ np.array([np.roll(word, turn) for turn in turns]).T
    if score.max() < LEAST_CORRELATION:
        return None
    side = math.isqrt(len(grid.moves))
    along, across, turn = _find_peak(score.reshape(side, side, len(turns)))
    move = (complex(along, across) - (1 + 1j) * (side // 2)) * STEP_MM
    middle = complex(start.x_mm, start.y_mm) + move * np.exp(1j * start.facing_rad)
    turned_rad = 2 * np.pi * (turn + turns[0]) / len(word)
    return replace(
        start,
        x_mm=float(middle.real),
        y_mm=float(middle.imag),
        facing_rad=start.facing_rad + turned_rad,
    )


def _find_peak(score: Singles) -> tuple[float, ...]:
    """Return where a score is highest, by parabolas along each of its axes."""
    best = [int(at) for at in np.unravel_index(int(score.argmax()), score.shape)]
    peak = []
    for axis, at in enumerate(best):
        line = np.moveaxis(score, axis, -1)[(*best[:axis], *best[axis + 1 :])]
        peak.append(float(at))
        if 0 < at < len(line) - 1:
            before, top, after = line[at - 1 : at + 2].tolist()
            peak[-1] += (after - before) / max(2 * (2 * top - before - after), 1e-6)
    return tuple(peak)


def _find_turns(layout: RingLayout) -> range:
    """Return by how many samples a word may be shifted: only along a round band is that a turn."""
    return range(-TURNS, TURNS + 1) if count_symmetries(layout) == layout.cells else range(1)


@cache
def _lay_grid(layout: RingLayout, count: int) -> _AlignmentGrid:
    steps = np.arange(-count, count + 1) * STEP_MM
    moves = (steps[:, None] + 1j * steps).ravel()
    along, offset = np.meshgrid(
        (np.arange(layout.cells * CELL_SAMPLES) + 0.5) / CELL_SAMPLES,
        layout.band.inner_mm + np.array(CIRCLES) * (layout.band.outer_mm - layout.band.inner_mm),
        indexing="ij",
    )
    band = layout.place(along, offset).reshape(-1, 2) @ np.array([1.0, 1j])
    places = (moves[:, None] + band).ravel()
    reach_mm = float(max(np.abs(places.real).max(), np.abs(places.imag).max()))
    return _AlignmentGrid(moves=moves, bases=build_bases(places, reach_mm).astype(np.float32), reach_mm=reach_mm)
