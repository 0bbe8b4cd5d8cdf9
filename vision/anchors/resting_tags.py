"""Resting tags: where the tags of bases that lie still are in the picture, gathered while a game goes on.

One for each part of the picture is enough, so what is kept is little however long the game is, and the same pictures
always leave the same.
"""

from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from calibration.spaces import CameraOverTable
from calibration.table.play_refinement import PlaceCamera, RestingTag
from vision.anchors.camera_pose import place_again
from vision.pipeline import Pipeline
from vision.types import TableSnapshot

PARTS = (14, 8)
"""Parts of the picture, across and down."""
CONFIRMED = 4
"""A rest that so many measurements have borne out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RestingStand:
    """What was seen from one place of the camera."""

    camera: CameraOverTable
    """By its anchors."""
    place: PlaceCamera
    """By the same anchors, with another lens."""
    tags: tuple[RestingTag, ...]


@dataclass(kw_only=True)
class RestingTags:
    """The tags that lay still since the camera was moved last, and the fullest of what was gathered before."""

    _by_part: dict[tuple[int, int], RestingTag] = field(default_factory=dict)
    _stand: RestingStand | None = None
    """The last, without its tags."""
    _fullest: RestingStand | None = None

    @property
    def fullest(self) -> RestingStand | None:
        """What was seen from the place of the camera from which most was seen; None where nothing was."""
        if self._stand is None or (self._fullest and len(self._fullest.tags) >= len(self._by_part)):
            return self._fullest
        return replace(self._stand, tags=tuple(tag for _, tag in sorted(self._by_part.items())))

    def begin_anew(self) -> None:
        """Begin with another place of the camera."""
        self._fullest, self._stand, self._by_part = self.fullest, None, {}

    def add(self, pipeline: Pipeline, snapshot: TableSnapshot) -> None:
        """Take in what a picture shows, after the pipeline has looked at it."""
        if snapshot.changes:
            self.begin_anew()
        if pipeline.camera is None or snapshot.doubt is not None:
            return
        size = pipeline.camera.lens.image_size
        for tag, base in sorted(pipeline.markers.tagged_bases.items()):
            track = pipeline.tracks.get(tag)
            # On terrain a base may stand on one of two tops; on the table its height is certain.
            if track and track.settled and track.confirmations >= CONFIRMED and not (track.level_mm or track.levels_mm):
                column, row = (track.corners_px.mean(axis=0) / size * PARTS).astype(int)
                here = RestingTag(
                    tag=tag, size_mm=base.size_mm, height_mm=base.height_mm, corners_px=np.copy(track.corners_px)
                )
                self._by_part.setdefault((int(column), int(row)), here)
                place = partial(place_again, pipeline.calibrated, pipeline.markers)
                self._stand = RestingStand(camera=pipeline.camera, place=place, tags=())
