"""Markers: the tags and rings that a set-up expects, and what is known of the lens and of raised surfaces."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from calibration.spaces import Lens
from hardware.rings.words import load_ring_list
from vision.rings.enrolled_ring import EnrolledRing
from vision.tags.pose_estimation import Anchor, EnrolledTag
from vision.tags.row_times import Readout
from vision.tracking.surfaces import Surface


@dataclass(frozen=True, slots=True, kw_only=True)
class Markers:
    """The tags and rings that are expected."""

    anchors: tuple[Anchor, ...]
    bases: Mapping[int, EnrolledTag | EnrolledRing]
    """By marker."""
    lens: Lens | None
    """None: the lens is solved from the anchors as far as they allow."""
    placement: NDArray[np.float64] | None = None
    """(3n, 3n) joint covariance of x_mm, y_mm and turn_rad of the anchors in their order; None: they are exact."""
    terrain: Mapping[int, EnrolledTag | EnrolledRing] = field(default_factory=dict)
    """Marks on pieces of terrain, by marker: ``model`` is the piece, which lies on the table and on nothing else."""
    surfaces: tuple[Surface, ...] = ()
    """The tops of terrain that bases may stand on."""
    ring_words: tuple[str, ...] = field(default_factory=lambda: load_ring_list().words)
    """Words that rings on the table may have, enrolled or not."""
    readout: Readout | None = None
    """How long the camera takes from row to row; None: moving tags tell."""

    @property
    def tags(self) -> frozenset[int]:
        """Every tag that may appear."""
        return frozenset(self.tagged) | self.anchor_tags

    @property
    def anchor_tags(self) -> frozenset[int]:
        """Those of them that are anchors'."""
        return frozenset(anchor.tag for anchor in self.anchors)

    @property
    def followed(self) -> dict[int, EnrolledTag | EnrolledRing]:
        """All that is followed, bases and marked pieces of terrain alike, by marker."""
        return {**self.bases, **self.terrain}

    @property
    def tagged(self) -> dict[int, EnrolledTag]:
        """What is followed by tags, by tag."""
        return {marker: it for marker, it in self.followed.items() if isinstance(it, EnrolledTag)}

    @property
    def ringed(self) -> dict[int, EnrolledRing]:
        """What is followed by rings, by marker."""
        return {marker: it for marker, it in self.followed.items() if isinstance(it, EnrolledRing)}

    @property
    def sizes_mm(self) -> dict[int, float]:
        """The edge of every tag that may appear, by tag."""
        anchors = {anchor.tag: anchor.size_mm for anchor in self.anchors}
        return anchors | {tag: base.size_mm for tag, base in self.tagged.items()}

    @property
    def tagged_bases(self) -> dict[int, EnrolledTag]:
        """The bases that are known by tags, by tag."""
        return {marker: base for marker, base in self.bases.items() if isinstance(base, EnrolledTag)}

    @property
    def ringed_bases(self) -> dict[int, EnrolledRing]:
        """The bases that are known by rings, by marker."""
        return {marker: base for marker, base in self.bases.items() if isinstance(base, EnrolledRing)}
