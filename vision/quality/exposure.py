"""Exposure of pictures: too dark, too bright, noisy, flickering."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

WHITE = 250
"""Grey levels from here on are as good as white: nothing can be told apart there."""
BLACK = 5
"""Grey levels up to here are as good as black."""
MEDIAN_DEVIATION = 0.6745
"""The median of the absolute values of normal deviates, in standard deviations."""
PIXEL_STEP = 4
"""Every fourth pixel each way is enough."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposure:
    """How a camera's pictures are lit."""

    white: float
    """Grey level of the white of tags; of the picture's light parts where none is seen."""
    black: float
    """The same of their black, and of the picture's dark parts."""
    burnt: float
    """Share of the pixels that are as good as white."""
    drowned: float
    """Share of the pixels that are as good as black."""
    noise: float | None
    """Standard deviation of a pixel from picture to picture, grey levels; none from a single picture."""


def measure_exposure(greys: Sequence[NDArray[np.uint8]], squares_px: NDArray[np.float64]) -> Exposure:
    """Return how pictures are lit.

    Args:
        greys: one or more grey pictures of one size and view, in their order.
        squares_px: (n, 4, 2) corners of the tags in the last of them.

    """
    thin = [grey[::PIXEL_STEP, ::PIXEL_STEP].astype(np.int16) for grey in greys]
    patches = [patch for square in squares_px if (patch := _crop_around(greys[-1], square)).size] or [greys[-1]]
    white, black = (float(np.median([np.percentile(patch, share) for patch in patches])) for share in (95, 5))
    return Exposure(
        white=white,
        black=black,
        burnt=float((thin[-1] >= WHITE).mean()),
        drowned=float((thin[-1] <= BLACK).mean()),
        noise=_estimate_noise(thin),
    )


def _crop_around(grey: NDArray[np.uint8], square_px: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return the part of a picture about a tag."""
    (left, top), (right, bottom) = np.floor(square_px.min(axis=0)), np.ceil(square_px.max(axis=0))
    return grey[max(0, int(top)) : max(0, int(bottom) + 1), max(0, int(left)) : max(0, int(right) + 1)]


def _estimate_noise(greys: Sequence[NDArray[np.int16]]) -> float | None:
    """Return the noise that most pixels show; what moves is seen by few, which a median passes over."""
    if len(greys) < 2:
        return None
    before, after = greys[-2:]
    is_exposed = (before > BLACK) & (before < WHITE) & (after > BLACK) & (after < WHITE)  # the rest can only go one way
    if not is_exposed.any():
        return None
    apart = np.abs(after[is_exposed] - before[is_exposed])
    # Whole grey levels make the median a coarse measure; where within its level it lies is read off the counts.
    level = float(np.floor(np.median(apart)))
    below, at = float((apart < level).mean()), float((apart == level).mean())
    low, wide = (level - 0.5, 1.0) if level > 0 else (0.0, 0.5)
    return float((low + wide * (0.5 - below) / at) / MEDIAN_DEVIATION / np.sqrt(2))


def measure_flicker(means: Sequence[float]) -> float:
    """Return how much pictures of one view differ in brightness from one to the next, as a share of it.

    Args:
        means: the mean grey level of pictures in their order; with fewer than three the answer is 0.

    """
    if len(means) < 3:
        return 0.0
    steps = np.abs(np.diff(np.asarray(means, dtype=np.float64)))
    return float(np.median(steps) / MEDIAN_DEVIATION / np.sqrt(2) / max(float(np.mean(means)), 1.0))
