"""The shutter: how long it is open, and how long a camera takes from row to row, as its pictures tell both.

Tags that move are smeared, and lean; lamps that flicker leave bands.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vision.quality.flicker import FlickerWatch
from vision.tags.pose_estimation import BaseMeasurement
from vision.tags.row_times import PictureMotion, Readout, ReadoutEvidence
from vision.tracking.motion import ExposureEvidence, estimate_motions, learn_readout
from vision.tracking.tracks import Track
from vision.types import TagFit


@dataclass(kw_only=True)
class ShutterWatch:
    """Gathers what one camera's pictures tell of its shutter."""

    known: Readout | None = None
    """What the set-up says of the readout; None: the pictures tell."""
    lamps: FlickerWatch = field(default_factory=FlickerWatch)
    exposure: ExposureEvidence = field(default_factory=ExposureEvidence)
    _evidence: ReadoutEvidence = field(default_factory=ReadoutEvidence)

    @property
    def readout(self) -> Readout:
        """How long the camera takes from row to row, as the set-up says or moving tags have told."""
        lamps = self.lamps.flicker
        return self.known or self._evidence.estimate(lamps.readout if lamps else None)

    def estimate_motions(
        self, tracks: Mapping[int, Track], seen_px: Mapping[int, NDArray[np.float64]], captured_ns: int, *, height: int
    ) -> dict[int, PictureMotion]:
        """Return how what moves goes through a picture, by marker.

        Args:
            tracks: what was known of each marker.
            seen_px: (4, 2) corners at which markers are seen.
            captured_ns: when the picture was taken.
            height: the picture's, px.

        """
        seen_px = {marker: corners_px for marker, corners_px in seen_px.items() if marker in tracks}
        if not seen_px:
            return {}
        readout = self.readout
        corners_px = np.array(list(seen_px.values()))
        lates_s = readout.s * readout.find_share(corners_px[:, :, 1].mean(axis=1), height)
        moves = estimate_motions([tracks[marker] for marker in seen_px], corners_px, captured_ns, lates_s)
        return {marker: motion for marker, motion in zip(seen_px, moves, strict=True) if motion}

    def learn_exposure(self, fits: Sequence[TagFit], motions: Mapping[int, PictureMotion]) -> None:
        """Learn how long the shutter is open from how far moving tags are smeared."""
        self.exposure = self.exposure.add(fits, motions)

    def learn_readout(self, measured: Iterable[BaseMeasurement], floor_px: float) -> None:
        """Learn how long the readout takes from how moving tags lean, unless the set-up says it.

        Args:
            measured: bases as they were measured by what is known of it.
            floor_px: by how much corners are off beyond what the picture's noise explains.

        """
        if self.known is None:
            self._evidence = learn_readout(self._evidence, measured, self.readout, floor_px)
