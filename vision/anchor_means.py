"""Where one anchor is in the picture, averaged while the camera stands still, and the test for a slow drift."""

from dataclasses import dataclass, field, replace

import numpy as np

from calibration.drift import Sight
from calibration.spaces import Floats
from vision.locate import LASTING
from vision.rest import DRIFT_CHI2, DRIFT_SHARE
from vision.stillness import Stand
from vision.types import TagFit

MOST_AVERAGED = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    """Where one anchor is in the picture, averaged over the looks at it."""

    corners_px: Floats
    """(4, 2)."""
    fleeting_px2: Floats
    """(8, 8) covariance of one look, of what is another in each picture."""
    lasting_px2: Floats
    """(8, 8) of what does not average out."""
    count: int
    """Looks in the average; 0 for an anchor that was not seen since the camera was moved, and is where it must be."""
    drift: Floats = field(default_factory=lambda: np.zeros(3))
    """(3,) moving average of the looks' distances from the average, in sigma."""

    @property
    def sight(self) -> Sight:
        """The average with its noise."""
        return Sight(corners_px=self.corners_px, noise_px2=self.fleeting_px2 / max(self.count, 1))

    def joined(self, fit: TagFit, sigmas: Floats) -> "Mean":
        """Return the average with one more look, which is so many sigmas (3,) from it."""
        count = min(self.count + 1, MOST_AVERAGED)
        return replace(
            begun(fit),
            corners_px=self.corners_px + (fit.corners_px - self.corners_px) / count,
            count=count,
            drift=(1 - DRIFT_SHARE) * self.drift + DRIFT_SHARE * sigmas,
        )

    def drifts(self, restless: float) -> bool:
        """Whether the looks of late stray to one side of the average."""
        return float(self.drift @ self.drift) * (2 - DRIFT_SHARE) / DRIFT_SHARE > DRIFT_CHI2 * restless


def begun(fit: TagFit) -> Mean:
    """Begin with one look."""
    return Mean(
        corners_px=fit.corners_px,
        fleeting_px2=fit.fleeting_px2,
        lasting_px2=LASTING * fit.covariance_px2,
        count=1,
    )


def stood(stand: Stand, tag: int) -> Mean:
    """Begin with the looks at an anchor that stands still."""
    return replace(begun(stand.fits[tag]), corners_px=stand.sights[tag].corners_px, count=stand.looks)
