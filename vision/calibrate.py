"""The camera's place from the anchors that are where they are said to be."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from calibration.errors import Unsolvable
from calibration.examined import Examined
from calibration.spaces import CameraOverTable, Lens
from vision.anchor_means import Mean
from vision.locate import Enrolled, camera_over_table
from vision.markers import Markers
from vision.sightings import as_examined, examined
from vision.track import Track


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrated:
    """What the anchors tell of the camera."""

    camera: CameraOverTable | None = None
    anchors_px: Mapping[int, NDArray[np.float64]] = field(default_factory=dict)
    """(4, 2) corners of the anchors that the camera was solved from, by tag."""
    examined: Examined = field(default_factory=Examined)
    """Which anchors are not as they are said to be; nothing rests on those."""
    examined_px: Mapping[int, NDArray[np.float64]] = field(default_factory=dict)
    """(4, 2) corners by tag of the anchors when they were last examined."""
    trouble: str = ""
    """Why there is no camera, in one sentence; empty when there is one, or when none was solved yet."""

    @property
    def id(self) -> str:
        """A short name that tells two calibrations apart; empty for none."""
        return calibration_id(self.camera)


def solved(
    before: Calibrated, markers: Markers, lens: Lens, means: Mapping[int, Mean], near: CameraOverTable | None
) -> Calibrated:
    """Return the camera's place anew; which anchors to trust is asked again only where they look otherwise.

    Args:
        before: what was known.
        markers: where the anchors are said to lie.
        lens: what is known of the lens.
        means: the anchors to solve it from, by tag.
        near: where the camera is about.

    """
    corners_px = {tag: mean.corners_px for tag, mean in means.items()}
    noise_px2 = {tag: mean.lasting_px2 for tag, mean in means.items()}
    known = before.examined if as_examined(before.examined_px, corners_px) else None
    try:
        found, camera = trusted_camera(markers, lens, corners_px, noise_px2, before=near, known=known)
    except Unsolvable as error:
        return replace(before, camera=None, trouble=str(error))
    return Calibrated(
        camera=camera,
        anchors_px=corners_px,
        examined=found,
        examined_px=corners_px if known is None else before.examined_px,
    )


def trusted_camera(
    markers: Markers,
    lens: Lens,
    seen_px: Mapping[int, NDArray[np.float64]],
    noise_px2: Mapping[int, NDArray[np.float64]],
    *,
    before: CameraOverTable | None = None,
    known: Examined | None = None,
) -> tuple[Examined, CameraOverTable]:
    """Return which anchors are not as they are said to be, if that is not known yet, and the camera by the others."""
    found = known or examined(lens, markers.anchors, seen_px, noise_px2, markers.placement)
    trusted = {tag: corners_px for tag, corners_px in seen_px.items() if tag not in found.left_out}
    camera = camera_over_table(lens, markers.anchors, trusted, before, noise_px2=noise_px2, placement=markers.placement)
    return found, camera


def carried(
    tracks: Mapping[int, Track], bases: Mapping[int, Enrolled], camera: CameraOverTable, there: CameraOverTable
) -> dict[int, Track]:
    """Return tracks that are looked for where a camera that was moved ``there`` must see the bases."""
    moved: dict[int, Track] = {}
    for tag, track in tracks.items():
        height_mm = track.level_mm + bases[tag].height_mm
        places = camera.table_from_image(track.corners_px, height_mm)
        corners_px = there.image_from_table(np.column_stack([places, np.full(4, height_mm)]))
        moved[tag] = replace(track, corners_px=corners_px, step_px=np.zeros(2))
    return moved


def calibration_id(camera: CameraOverTable | None) -> str:
    """Return a short name that tells two calibrations apart; empty for none."""
    return camera.id if camera else ""
