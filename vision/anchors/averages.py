"""Anchor averages: where each anchor is in the picture, averaged while the camera stands still.

The last looks at the anchors, each by itself and all together, tell whether they stand still (`AnchorLooks`); a moving
average of the distances from the mean tells a slow drift (`AnchorAverage`).
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from calibration.drift import APART_CHI2, ObservedSquare, measure_shift
from calibration.spaces import Floats
from vision.tags.pose_estimation import estimate_lasting
from vision.tracking.rest_detection import DRIFT_CHI2, DRIFT_SHARE
from vision.types import TagFit

STILL_NS = 250_000_000
"""Anchors that keep their places for so long stand still."""
LONG_NS = 1_000_000_000
"""On a table that shakes a little they do after so long."""
LEAST_LOOKS = 4
"""Fewer looks do not show it, however long a slow camera takes over them."""
RESTLESS, VERY_RESTLESS = 2.0, 25.0
"""How much more than usual, in mean square, shaking may add in the short time, and in the long one."""
SHARE_SEEN = 0.75
"""An anchor counts that was seen in such a share of the looks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StillAnchors:
    """Where anchors stand that stand still."""

    squares: Mapping[int, ObservedSquare]
    """By tag."""
    fits: Mapping[int, TagFit]
    """The last of each."""
    count: int
    """How many each place is the mean of, at most."""
    long: bool
    """They were looked at for the long time."""
    restless: float
    """By how much more than usual they strayed, in mean square; at least 1."""


@dataclass(kw_only=True)
class AnchorLooks:
    """The last looks at the anchors."""

    _looks: deque[tuple[int, Mapping[int, TagFit]]] = field(default_factory=deque)
    """Capture time and the anchors that were seen, by tag."""

    def add(self, captured_ns: int, fits: Mapping[int, TagFit]) -> None:
        """Take in what one picture shows."""
        self._looks.append((captured_ns, fits))
        while len(self._looks) > LEAST_LOOKS and captured_ns - self._looks[1][0] >= LONG_NS:
            self._looks.popleft()

    def find_still(self) -> StillAnchors | None:
        """Return where the anchors stand; None while they do not, or where most are hidden now and then."""
        return self._find_still_over(LONG_NS, VERY_RESTLESS) or self._find_still_over(STILL_NS, RESTLESS)

    def _find_still_over(self, span_ns: int, most_restless: float) -> StillAnchors | None:
        end_ns = self._looks[-1][0]
        spanning = [i for i, (at_ns, _) in enumerate(self._looks) if end_ns - at_ns >= span_ns]
        recent = [fits for _, fits in self._looks][spanning[-1] if spanning else 0 :]
        if not spanning or len(recent) < LEAST_LOOKS:
            return None
        squares: dict[int, ObservedSquare] = {}
        last_fits: dict[int, TagFit] = {}
        restless = 1.0
        frequent = [tag for tag in recent[-1] if sum(tag in fits for fits in recent) >= SHARE_SEEN * len(recent)]
        for tag in frequent:
            tag_fits = [fits[tag] for fits in recent if tag in fits]
            mean = _average_fits(tag_fits)
            distances = np.array([measure_shift(mean, square_from_fit(fit)).chi2 for fit in tag_fits])
            unrest = max(1.0, float(distances.mean()) / 3)
            if unrest <= most_restless and distances.max() <= APART_CHI2 * unrest:
                squares[tag], last_fits[tag] = mean, tag_fits[-1]
                restless = max(restless, unrest)
        # Where most are still but one is not, a hand is at that one; where most are not, the table shakes.
        if not squares or 2 * len(squares) < len(recent[-1]):
            return None
        return StillAnchors(
            squares=squares, fits=last_fits, count=len(recent), long=span_ns == LONG_NS, restless=restless
        )


def square_from_fit(fit: TagFit) -> ObservedSquare:
    """Return where one picture shows an anchor, with that picture's noise."""
    return ObservedSquare(corners_px=fit.corners_px, noise_px2=fit.noise_px2)


def _average_fits(fits: list[TagFit]) -> ObservedSquare:
    last = square_from_fit(fits[-1])
    corners_px = np.mean([fit.corners_px for fit in fits], axis=0)
    return replace(last, corners_px=corners_px, noise_px2=last.noise_px2 / len(fits))


MOST_AVERAGED = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorAverage:
    """Where one anchor is in the picture, averaged over the looks at it."""

    corners_px: Floats
    """(4, 2)."""
    noise_px2: Floats
    """(8, 8) covariance of one look, of what is another in each picture."""
    lasting_px2: Floats
    """(8, 8) of what does not average out."""
    count: int
    """Looks in the average; 0 for an anchor that was not seen since the camera was moved, and is where it must be."""
    drift: Floats = field(default_factory=lambda: np.zeros(3))
    """(3,) moving average of the looks' distances from the average, in sigma."""

    @property
    def covariance_px2(self) -> Floats:
        """(8, 8) of the average: what is left of the noise, and what lasts."""
        return np.asarray(self.lasting_px2 + self.noise_px2 / max(self.count, 1))

    @property
    def square(self) -> ObservedSquare:
        """The average with its noise."""
        return ObservedSquare(corners_px=self.corners_px, noise_px2=self.noise_px2 / max(self.count, 1))

    def extend(self, fit: TagFit, sigmas: Floats) -> "AnchorAverage":
        """Return the average with one more look, which is so many sigmas (3,) from it."""
        count = min(self.count + 1, MOST_AVERAGED)
        return replace(
            begin_average(fit),
            corners_px=self.corners_px + (fit.corners_px - self.corners_px) / count,
            count=count,
            drift=(1 - DRIFT_SHARE) * self.drift + DRIFT_SHARE * sigmas,
        )

    def is_drifting(self, restless: float) -> bool:
        """Whether the looks of late stray to one side of the average."""
        return float(self.drift @ self.drift) * (2 - DRIFT_SHARE) / DRIFT_SHARE > DRIFT_CHI2 * restless


def begin_average(fit: TagFit) -> AnchorAverage:
    """Begin with one look."""
    return AnchorAverage(
        corners_px=fit.corners_px,
        noise_px2=fit.noise_px2,
        lasting_px2=estimate_lasting(fit.covariance_px2[None], fit.noise_px2[None])[0],
        count=1,
    )


def average_from_still(stand: StillAnchors, tag: int) -> AnchorAverage:
    """Begin with the looks at an anchor that stands still."""
    return replace(begin_average(stand.fits[tag]), corners_px=stand.squares[tag].corners_px, count=stand.count)
