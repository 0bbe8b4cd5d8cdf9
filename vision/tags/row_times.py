"""Row times: a rolling shutter exposes one row after another, so that what moves is seen at a moment of its own.

A picture is taken, by definition, in the middle of the exposure of the row that is exposed first; drivers name that row
as well (UVC's presentation time, Android's ``SENSOR_TIMESTAMP``).  Each row follows the one before it by the readout
time over the picture's height.  That makes a moving square an oblong or a lozenge, which tells the readout time.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

READOUTS_S = np.arange(-160, 161) * 2.5e-4
"""Readout times that cameras may have."""
ROLLING_S = (0.004, 0.036)
"""Those of rolling shutters."""
INSTANT_SHARE, INSTANT_S = 0.4, 3e-4
"""How probable a shutter that exposes all rows at once is at first; and within what it does."""
BACKWARDS_SHARE = 0.05
"""How probable a picture is that was turned upside down in the camera, so that the last row comes first."""
OPEN_SHARE = 0.1
"""Until a shutter is less probably instant than this, it is taken for one, and the doubt is told."""
LEAST_SIGMA_SHARE, LEAST_SIGMA_S = 0.02, 1e-4
"""However often a readout time was measured, it is known no better."""
OUTLIER_SIGMAS = 4.0
USUAL_COUNT = 20.0
"""So many measurements count as much as the belief that they are as good as they say."""
ALIKE = 6.0
"""So many pictures of a tag in a row tell no more than one: an edge lies among the pixels much as before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Readout:
    """How long a camera takes from the first row of a picture to one past the last."""

    s: float
    """Below 0 where the last row comes first."""
    sigma_s: float

    def find_share(self, rows: Floats, height: int) -> Floats:
        """Return how much of the readout time goes by before rows are exposed; its sign is the readout time's."""
        return np.asarray(rows / height if self.s >= 0 else rows / height - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureMotion:
    """How a marker goes through the picture when it is seen."""

    velocity_px_s: complex
    """Along x, and down."""
    turn_rad_s: float
    sigma_px_s: float
    """Of the velocity along each axis."""
    sigma_rad_s: float


def find_velocities(moves: Sequence[PictureMotion], corners_px: Floats) -> Floats:
    """(n, 4, 2) px/s of each of (n, 4, 2) corners of markers that move."""
    corners = corners_px @ (1, 1j)
    turned = np.array([1j * m.turn_rad_s for m in moves])[:, None] * (corners - corners.mean(axis=1, keepdims=True))
    velocities = np.array([m.velocity_px_s for m in moves])[:, None] + turned
    return np.stack([velocities.real, velocities.imag], axis=2)


def _build_prior() -> Floats:
    low, high = ROLLING_S
    rolling = (np.abs(READOUTS_S) >= low) & (np.abs(READOUTS_S) <= high)
    chance = np.where(rolling & (READOUTS_S > 0), 1 - BACKWARDS_SHARE, 0.0)
    chance += np.where(rolling & (READOUTS_S < 0), BACKWARDS_SHARE, 0.0)
    instant = np.exp(-((READOUTS_S / INSTANT_S) ** 2) / 2)
    return np.asarray(
        np.log(INSTANT_SHARE * instant / instant.sum() + (1 - INSTANT_SHARE) * chance / chance.sum() + 1e-9)
    )


_PRIOR = _build_prior()
_IS_INSTANT = np.abs(READOUTS_S) < ROLLING_S[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadoutEvidence:
    """What moving tags have told of a camera's readout time."""

    information: float = 0.0
    pull: float = 0.0
    squares: float = 0.0
    count: float = 0.0

    def add(self, bent_px: Floats, by_readout_px_s: Floats, variance_px2: Floats) -> "ReadoutEvidence":
        """Return what is known with more measurements.

        Args:
            bent_px: (n,) how far tags are off along ways in which a square becomes none.
            by_readout_px_s: (n,) by how much for each second that the readout takes.
            variance_px2: (n,) of what else makes them so.

        """
        known = self.estimate()
        off_px = bent_px - known.s * by_readout_px_s
        spread_px2 = self._excess * variance_px2 + (known.sigma_s * by_readout_px_s) ** 2
        weight = (off_px**2 < OUTLIER_SIGMAS**2 * spread_px2) / variance_px2
        return ReadoutEvidence(
            information=self.information + float((weight * by_readout_px_s**2).sum()),
            pull=self.pull + float((weight * by_readout_px_s * bent_px).sum()),
            squares=self.squares + float((weight * bent_px**2).sum()),
            count=self.count + np.count_nonzero(weight),
        )

    @property
    def _excess(self) -> float:
        """How much farther tags are off, in mean square, than what was said to make them so."""
        if not self.information:
            return 1.0
        left = self.squares - self.pull**2 / self.information
        return (USUAL_COUNT + max(left, self.count)) / (USUAL_COUNT + self.count)

    def estimate(self, told: Readout | None = None) -> Readout:
        """Return what is known by now, and from elsewhere, as the bands of a lamp that flickers tell it."""
        certain = self.pull * READOUTS_S - self.information * READOUTS_S**2 / 2
        log = _PRIOR + certain / (ALIKE * self._excess)
        if told:
            log = log - ((READOUTS_S - told.s) / told.sigma_s) ** 2 / 2
        chance = np.exp(log - log.max())
        chance /= chance.sum()
        mean_s = float(chance @ READOUTS_S)
        if chance[_IS_INSTANT].sum() > OPEN_SHARE:
            mean_s = 0.0
        spread_s = math.sqrt(float(chance @ (READOUTS_S - mean_s) ** 2))
        return Readout(s=mean_s, sigma_s=math.hypot(spread_s, LEAST_SIGMA_S, LEAST_SIGMA_SHARE * mean_s))
