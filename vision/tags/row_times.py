"""Row times: a rolling shutter exposes one row after another, so that what moves is seen at a moment of its own.

A picture is taken, by definition, in the middle of the exposure of the row that is exposed first; drivers name that row
as well (UVC's presentation time, Android's ``SENSOR_TIMESTAMP``).  Each row follows the one before it by the readout
time over the picture's height.  That makes a moving square an oblong or a lozenge, which tells the readout time.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

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
STUDENT_FREEDOM = 4.0
"""Of Student's distribution of what tags tell."""
ROUNDS = 3
USUAL_TAGS = 4.0
"""So many tags that tell alike count as much as the belief that they agree as well as pictures do."""
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReadoutEvidence:
    """What moving tags have told of a camera's readout time."""

    squares: float = 0.0
    count: float = 0.0
    by_tag: Mapping[int, tuple[float, float]] = field(default_factory=dict)
    """Information and pull of each tag."""

    def add(
        self, tags: Sequence[int], bent_px: Floats, by_readout_px_s: Floats, variance_px2: Floats
    ) -> "ReadoutEvidence":
        """Return what is known with more measurements.

        Args:
            tags: n that each tells of.
            bent_px: (n, 2) how far tags are off along ways in which a square becomes none.
            by_readout_px_s: (n, 2) by how much for each second that the readout takes.
            variance_px2: (n, 2) of what else makes them so.

        """
        known = self.estimate()
        off_px = bent_px - known.s * by_readout_px_s
        spread_px2 = self._excess * variance_px2 + (known.sigma_s * by_readout_px_s) ** 2
        weight = (off_px**2 < OUTLIER_SIGMAS**2 * spread_px2) / variance_px2
        information, pull = ((weight * by_readout_px_s * of).sum(axis=1) for of in (by_readout_px_s, bent_px))
        by_tag = dict(self.by_tag)
        for tag, *told in zip(tags, information.tolist(), pull.tolist(), strict=True):
            before = by_tag.get(tag, (0.0, 0.0))
            by_tag[tag] = (before[0] + told[0], before[1] + told[1])
        return ReadoutEvidence(
            squares=self.squares + float((weight * bent_px**2).sum()),
            count=self.count + np.count_nonzero(weight),
            by_tag=by_tag,
        )

    @property
    def _sums(self) -> tuple[float, float]:
        return sum(told[0] for told in self.by_tag.values()), sum(told[1] for told in self.by_tag.values())

    @property
    def _excess(self) -> float:
        """How much farther tags are off, in mean square, than what was said to make them so."""
        information, pull = self._sums
        if not information:
            return 1.0
        left = self.squares - pull**2 / information
        return (USUAL_COUNT + max(left, self.count)) / (USUAL_COUNT + self.count)

    def weigh_tags(self) -> tuple[float, float, float]:
        """Return information and pull, and by how much less sure they are than if each picture told something new.

        Tags that contradict each other more than pictures of one do have something of their own that bends them, as a
        lens does that nobody has calibrated, and tell it anew in each picture: the variance is that of clusters (Liang
        and Zeger, Biometrika 73, 1986).  One that contradicts all others weighs less, as under Student's distribution.
        """
        alike = ALIKE * self._excess
        told = np.array([each for each in self.by_tag.values() if each[0] > 0]).reshape(-1, 2)
        if not len(told):
            return 0.0, 0.0, alike
        information, pull = told.T
        weight, spread = np.ones(len(told)), alike
        for _ in range(ROUNDS):
            all_told, all_pull = weight @ information, weight @ pull
            left = pull - all_pull / all_told * information
            count = all_told**2 / ((weight * information) ** 2).sum()  # of tags that tell alike
            apart = (weight * left**2).sum() / all_told
            spread = max(alike, (USUAL_TAGS * alike + count * apart) / (USUAL_TAGS + count - 1))
            weight = np.minimum(1.0, (STUDENT_FREEDOM + 1) / (STUDENT_FREEDOM + left**2 / (information * spread)))
        return float(all_told), float(all_pull), float(spread)

    def estimate(self, told: Readout | None = None) -> Readout:
        """Return what is known by now, and from elsewhere, as the bands of a lamp that flickers tell it."""
        return _estimate_readout(self, told)


@lru_cache(maxsize=8)
def _estimate_readout(evidence: ReadoutEvidence, told: Readout | None) -> Readout:
    """Return what is known: each step of a picture asks for it, and few change it."""
    information, pull, spread = evidence.weigh_tags()
    log = _PRIOR + (pull * READOUTS_S - information * READOUTS_S**2 / 2) / spread
    if told:
        log = log - ((READOUTS_S - told.s) / told.sigma_s) ** 2 / 2
    chance = np.exp(log - log.max())
    chance /= chance.sum()
    mean_s = float(chance @ READOUTS_S)
    if chance[_IS_INSTANT].sum() > OPEN_SHARE:
        mean_s = 0.0
    spread_s = math.sqrt(float(chance @ (READOUTS_S - mean_s) ** 2))
    return Readout(s=mean_s, sigma_s=math.hypot(spread_s, LEAST_SIGMA_S, LEAST_SIGMA_SHARE * mean_s))
