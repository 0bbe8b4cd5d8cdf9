"""Whether the anchors stand still in the picture: told by the last looks at them, each by itself and all together."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from calibration.drift import APART_CHI2, Sight, apart
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
class Stand:
    """Where anchors stand that stand still."""

    sights: Mapping[int, Sight]
    """By tag."""
    fits: Mapping[int, TagFit]
    """The last of each."""
    looks: int
    """How many each place is the mean of, at most."""
    long: bool
    """They were looked at for the long time."""
    restless: float
    """By how much more than usual they strayed, in mean square; at least 1."""


@dataclass(kw_only=True)
class Looks:
    """The last looks at the anchors."""

    _looks: deque[tuple[int, Mapping[int, TagFit]]] = field(default_factory=deque)
    """Capture time and the anchors that were seen, by tag."""

    def add(self, captured_ns: int, fits: Mapping[int, TagFit]) -> None:
        """Take in what one picture shows."""
        self._looks.append((captured_ns, fits))
        while len(self._looks) > LEAST_LOOKS and captured_ns - self._looks[1][0] >= LONG_NS:
            self._looks.popleft()

    def stand(self) -> Stand | None:
        """Return where the anchors stand; None while they do not, or where most are hidden now and then."""
        return self._over(LONG_NS, VERY_RESTLESS) or self._over(STILL_NS, RESTLESS)

    def _over(self, span_ns: int, most_restless: float) -> Stand | None:
        end_ns = self._looks[-1][0]
        spanning = [i for i, (at_ns, _) in enumerate(self._looks) if end_ns - at_ns >= span_ns]
        lately = [fits for _, fits in self._looks][spanning[-1] if spanning else 0 :]
        if not spanning or len(lately) < LEAST_LOOKS:
            return None
        sights: dict[int, Sight] = {}
        last: dict[int, TagFit] = {}
        restless = 1.0
        often = [tag for tag in lately[-1] if sum(tag in fits for fits in lately) >= SHARE_SEEN * len(lately)]
        for tag in often:
            seen = [fits[tag] for fits in lately if tag in fits]
            mean = _mean(seen)
            strays = np.array([apart(mean, sight_of(fit)).chi2 for fit in seen])
            shaken = max(1.0, float(strays.mean()) / 3)
            if shaken <= most_restless and strays.max() <= APART_CHI2 * shaken:
                sights[tag], last[tag] = mean, seen[-1]
                restless = max(restless, shaken)
        # Where most are still but one is not, a hand is at that one; where most are not, the table shakes.
        if not sights or 2 * len(sights) < len(lately[-1]):
            return None
        return Stand(sights=sights, fits=last, looks=len(lately), long=span_ns == LONG_NS, restless=restless)


def sight_of(fit: TagFit) -> Sight:
    """Return where one picture shows an anchor, with that picture's noise."""
    return Sight(corners_px=fit.corners_px, noise_px2=fit.fleeting_px2)


def _mean(fits: list[TagFit]) -> Sight:
    once = sight_of(fits[-1])
    corners_px = np.mean([fit.corners_px for fit in fits], axis=0)
    return replace(once, corners_px=corners_px, noise_px2=once.noise_px2 / len(fits))
