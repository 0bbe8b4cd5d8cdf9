"""Camera pose: the camera's place over the table, solved from the anchors that are where they are said to be.

It also observes the anchors in single pictures, as calibration takes them, and examines whether each lies where it is
said to.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from calibration.errors import Unsolvable
from calibration.spaces import CameraOverTable, Lens
from calibration.table.anchor_layout import StatedAnchor, TableSize
from calibration.table.bundle_adjustment import AnchorSighting
from calibration.table.misplaced_anchors import AnchorExamination, examine_anchors
from vision.anchors.averages import AnchorAverage
from vision.markers import Markers
from vision.rings.enrolled_ring import EnrolledRing
from vision.tags.corner_refinement import NOISE_SHARE, refine_corners
from vision.tags.detection import detect_tags, group_prints, select_whole
from vision.tags.pose_estimation import MOST_ASTRAY, Anchor, EnrolledTag, recalibrate, solve_camera_over_table
from vision.tracking.tracks import Track

Floats = NDArray[np.float64]

STILL_PX = 1.0
"""Pictures in which no anchor is farther than this from where another shows it are of a camera that stood still."""
AS_EXAMINED_PX = 0.2
"""Anchors that are no farther than this from where they were examined need not be examined again."""
LARGE = TableSize(width_mm=1e4, depth_mm=1e4, sigma_mm=1.0)
"""Anchors at known places tell nothing of the table's measures."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorObservation:
    """The anchors in one picture."""

    sighting: AnchorSighting
    shown_twice: tuple[int, ...]
    """Tags of which two prints are in view; they are not among those seen."""


def observe_anchors(name: str, grey: NDArray[np.uint8], tags: frozenset[int]) -> AnchorObservation:
    """Return what a picture shows of anchors with some ids."""
    by_tag = group_prints(detect_tags(grey, [select_whole(grey)], tags))
    twice = tuple(sorted(tag for tag, prints in by_tag.items() if len(prints) > 1))
    fits = [f for f in refine_corners(grey, [p[0] for p in by_tag.values() if len(p) == 1]) if f.astray <= MOST_ASTRAY]
    sighting = AnchorSighting(
        name=name,
        squares_px={fit.tag: fit.corners_px for fit in fits},
        noise_px2={fit.tag: fit.covariance_px2 for fit in fits},
    )
    return AnchorObservation(sighting=sighting, shown_twice=twice)


def merge_sightings(sightings: Sequence[AnchorSighting]) -> list[AnchorSighting]:
    """Return sightings with those of a camera that stood still averaged: they share most of their errors."""
    stands: list[list[AnchorSighting]] = []
    for sighting in sightings:
        stand = next((stand for stand in stands if _are_from_one_place(stand[0], sighting)), None)
        if stand is None:
            stands.append([sighting])
        else:
            stand.append(sighting)
    return [_average_sightings(stand) for stand in stands]


def are_as_examined(then_px: Mapping[int, Floats], now_px: Mapping[int, Floats]) -> bool:
    """Whether the same anchors are where they were when they were examined, (4, 2) corners by tag."""
    return then_px.keys() == now_px.keys() and all(
        np.abs(now_px[tag] - corners).max() < AS_EXAMINED_PX for tag, corners in then_px.items()
    )


def _are_from_one_place(one: AnchorSighting, other: AnchorSighting) -> bool:
    common = one.squares_px.keys() & other.squares_px.keys()
    far = [float(np.abs(one.squares_px[tag] - other.squares_px[tag]).max()) for tag in common]
    return len(far) > 0 and max(far) < STILL_PX


def _average_sightings(stand: Sequence[AnchorSighting]) -> AnchorSighting:
    squares: dict[int, list[Floats]] = {}
    noise: dict[int, list[Floats]] = {}
    for sighting in stand:
        for tag, square in sighting.squares_px.items():
            squares.setdefault(tag, []).append(square)
            noise.setdefault(tag, []).append(sighting.noise_px2[tag])
    return AnchorSighting(
        name=stand[0].name,
        squares_px={tag: np.mean(corners, axis=0) for tag, corners in squares.items()},
        noise_px2={
            tag: np.mean(corners, axis=0) * (1 - NOISE_SHARE + NOISE_SHARE / len(corners))
            for tag, corners in noise.items()
        },
    )


def find_misplaced_anchors(
    lens: Lens,
    anchors: Sequence[Anchor],
    seen_px: Mapping[int, Floats],
    noise_px2: Mapping[int, Floats],
    placement: Floats | None,
) -> AnchorExamination:
    """Return which anchors of one view are not as they are said to be.

    Args:
        lens: what is known of the lens.
        anchors: where they are said to lie.
        seen_px: (4, 2) corners by tag.
        noise_px2: (8, 8) their covariance by tag.
        placement: (3n, 3n) joint covariance of all the places; exact where not given.

    """
    sigmas = np.zeros((len(anchors), 3)) if placement is None else np.sqrt(np.diag(placement)).reshape(-1, 3)
    stated = [
        StatedAnchor(
            tag=anchor.tag,
            size_mm=anchor.size_mm,
            z_mm=anchor.z_mm,
            x_mm=anchor.x_mm,
            y_mm=anchor.y_mm,
            turn_rad=anchor.facing_rad,
            sigma_mm=float(sigma[:2].max()),
            sigma_rad=float(sigma[2]),
        )
        for anchor, sigma in zip(anchors, sigmas, strict=True)
        if anchor.tag in seen_px
    ]
    there = {anchor.tag: seen_px[anchor.tag] for anchor in stated}
    sighting = AnchorSighting(name="the picture", squares_px=there, noise_px2={t: noise_px2[t] for t in there})
    return examine_anchors(lens=lens, stated=stated, table=LARGE, pictures=[sighting])


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraSolution:
    """What the anchors tell of the camera."""

    camera: CameraOverTable | None = None
    anchors_px: Mapping[int, NDArray[np.float64]] = field(default_factory=dict)
    """(4, 2) corners of the anchors that the camera was solved from, by tag."""
    noise_px2: Mapping[int, NDArray[np.float64]] = field(default_factory=dict)
    """(8, 8) their covariance."""
    examined: AnchorExamination = field(default_factory=AnchorExamination)
    """Which anchors are not as they are said to be; nothing rests on those."""
    examined_px: Mapping[int, NDArray[np.float64]] = field(default_factory=dict)
    """(4, 2) corners by tag of the anchors when they were last examined."""
    trouble: str = ""
    """Why there is no camera, in one sentence; empty when there is one, or when none was solved yet."""

    @property
    def id(self) -> str:
        """A short name that tells two calibrations apart; empty for none."""
        return get_calibration_id(self.camera)


def update_camera_solution(
    before: CameraSolution,
    markers: Markers,
    lens: Lens,
    means: Mapping[int, AnchorAverage],
    near: CameraOverTable | None,
) -> CameraSolution:
    """Return the camera's place anew; which anchors to trust is asked again only where they look otherwise.

    Args:
        before: what was known.
        markers: where the anchors are said to lie.
        lens: what is known of the lens.
        means: the anchors to solve it from, by tag.
        near: where the camera is about.

    """
    corners_px = {tag: mean.corners_px for tag, mean in means.items()}
    noise_px2 = {tag: mean.covariance_px2 for tag, mean in means.items()}
    known_examination = before.examined if are_as_examined(before.examined_px, corners_px) else None
    try:
        examination, camera = solve_trusted_camera(
            markers, lens, corners_px, noise_px2, before=near, known=known_examination
        )
    except Unsolvable as error:
        return replace(before, camera=None, trouble=str(error))
    return CameraSolution(
        camera=camera,
        anchors_px=corners_px,
        noise_px2=noise_px2,
        examined=examination,
        examined_px=corners_px if known_examination is None else before.examined_px,
    )


def place_again(solution: CameraSolution, markers: Markers, lens: Lens, near: CameraOverTable) -> CameraOverTable:
    """Return what the anchors that a solution rests on tell of the camera with another lens.

    Args:
        solution: what the anchors told.
        markers: where they are said to lie.
        lens: the other lens.
        near: where the camera is about.

    Raises:
        Unsolvable: nothing, with that lens.

    """
    trusted = {tag: corners for tag, corners in solution.anchors_px.items() if tag not in solution.examined.left_out}
    return solve_camera_over_table(
        lens, markers.anchors, trusted, near, noise_px2=solution.noise_px2, placement=markers.placement
    )


def solve_trusted_camera(
    markers: Markers,
    lens: Lens,
    seen_px: Mapping[int, NDArray[np.float64]],
    noise_px2: Mapping[int, NDArray[np.float64]],
    *,
    before: CameraOverTable | None = None,
    known: AnchorExamination | None = None,
) -> tuple[AnchorExamination, CameraOverTable]:
    """Return which anchors are not as they are said to be, if that is not known yet, and the camera by the others."""
    examination = known or find_misplaced_anchors(lens, markers.anchors, seen_px, noise_px2, markers.placement)
    trusted = {tag: corners_px for tag, corners_px in seen_px.items() if tag not in examination.left_out}
    camera = solve_camera_over_table(
        lens, markers.anchors, trusted, before, noise_px2=noise_px2, placement=markers.placement
    )
    return examination, camera


def carry_tracks(
    tracks: Mapping[int, Track],
    bases: Mapping[int, EnrolledTag | EnrolledRing],
    camera: CameraOverTable,
    there: CameraOverTable,
) -> dict[int, Track]:
    """Return tracks that are looked for where a camera that was moved ``there`` must see the bases."""
    moved: dict[int, Track] = {}
    for marker, track in tracks.items():
        height_mm = track.level_mm + _find_marker_height_mm(bases[marker])
        places = camera.table_from_image(track.corners_px, height_mm)
        corners_px = there.image_from_table(np.column_stack([places, np.full(4, height_mm)]))
        moved[marker] = replace(track, corners_px=corners_px, step_px=np.zeros(2))
    return moved


def recalibrate_tracks(
    tracks: Mapping[int, Track], bases: Mapping[int, EnrolledTag | EnrolledRing], camera: CameraOverTable
) -> dict[int, Track]:
    """Return tracks that come to rest by a camera that is known better now, though they were seen by it as it was."""
    recalibrated = dict(tracks)
    for marker, track in tracks.items():
        if track.moving:
            times_ns, measured = zip(*track.recent, strict=True)
            height_mm = _find_marker_height_mm(bases[marker])
            recent = tuple(zip(times_ns, recalibrate(measured, camera, height_mm), strict=True))
            recalibrated[marker] = replace(track, recent=recent)
    return recalibrated


def _find_marker_height_mm(base: EnrolledTag | EnrolledRing) -> float:
    return base.ring_height_mm if isinstance(base, EnrolledRing) else base.height_mm


def get_calibration_id(camera: CameraOverTable | None) -> str:
    """Return a short name that tells two calibrations apart; empty for none."""
    return camera.id if camera else ""
