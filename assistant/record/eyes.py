"""What the eyes were told of the table, kept with a video of it so that they can look at it again."""

from typing import Annotated, Self

import numpy as np
from pydantic import Field

from assistant.files import Format
from calibration.spaces import Lens
from vision.level import Surface
from vision.locate import Anchor, Enrolled
from vision.markers import Markers

Nine = Annotated[tuple[float, ...], Field(min_length=9, max_length=9)]


class LensTold(Format):
    """A lens as `calibration` has it."""

    image_size: tuple[int, int]
    parameters: Nine
    """fx, fy, cx, cy, k1, k2, p1, p2, k3."""
    covariance: Annotated[tuple[Nine, ...], Field(min_length=9, max_length=9)]


class EyesTold(Format):
    """The tags, the lens and the terrain that pictures were looked at with from here on."""

    began: bool
    """The eyes began anew, and had seen nothing before."""
    anchors: tuple[Anchor, ...]
    bases: tuple[Enrolled, ...]
    lens: LensTold | None
    """None: it was solved from the anchors."""
    placement: tuple[tuple[float, ...], ...] | None
    """Joint covariance of the anchors' places; None: they are exact."""
    surfaces: tuple[Surface, ...]

    @classmethod
    def of(cls, markers: Markers, *, began: bool) -> Self:
        """Return what is kept of what the eyes are told."""
        lens, placement = markers.lens, markers.placement
        return cls(
            began=began,
            anchors=markers.anchors,
            bases=tuple(markers.bases.values()),
            lens=None
            if lens is None
            else LensTold(
                image_size=lens.image_size,
                parameters=tuple(lens.parameters.tolist()),
                covariance=tuple(tuple(row) for row in lens.covariance.tolist()),
            ),
            placement=None if placement is None else tuple(tuple(row) for row in placement.tolist()),
            surfaces=markers.surfaces,
        )

    @property
    def markers(self) -> Markers:
        """What the eyes are told, to the last bit."""
        lens = self.lens
        return Markers(
            anchors=self.anchors,
            bases={base.tag: base for base in self.bases},
            lens=None
            if lens is None
            else Lens(
                image_size=lens.image_size,
                parameters=np.array(lens.parameters),
                covariance=np.array(lens.covariance),
            ),
            placement=None if self.placement is None else np.array(self.placement),
            surfaces=self.surfaces,
        )
