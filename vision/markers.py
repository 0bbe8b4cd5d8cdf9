"""Markers: the tags that a set-up expects on the table, and what is known of the lens and of raised surfaces."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.spaces import Lens
from vision.tags.pose_estimation import Anchor, EnrolledTag
from vision.tracking.surfaces import Surface


@dataclass(frozen=True, slots=True, kw_only=True)
class Markers:
    """The tags that are expected."""

    anchors: tuple[Anchor, ...]
    bases: Mapping[int, EnrolledTag]
    """By tag."""
    lens: Lens | None
    """None: the lens is solved from the anchors as far as they allow."""
    placement: NDArray[np.float64] | None = None
    """(3n, 3n) joint covariance of x_mm, y_mm and turn_rad of the anchors in their order; None: they are exact."""
    surfaces: tuple[Surface, ...] = ()
    """The tops of terrain that bases may stand on."""

    @property
    def tags(self) -> frozenset[int]:
        """Every id that may appear."""
        return frozenset(self.bases) | {anchor.tag for anchor in self.anchors}
