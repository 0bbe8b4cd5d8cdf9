"""The pipeline from frames to poses, on the virtual table."""

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.spaces import Lens
from hardware.camera.frame_source import PlaybackPace
from hardware.camera.virtual import VirtualCamera
from hardware.frame import Frame
from hardware.simulation.optics import CameraModel
from hardware.simulation.scene import Placement, VirtualBase, VirtualScene, VirtualTagInBase, VirtualTerrain
from hardware.simulation.scene import VirtualAnchor as SceneAnchor
from hardware.simulation.virtual_table import VirtualTable
from tests.hardware.simulation.base_outlines import build_oval_outline, build_rect_outline
from tests.vision.synthetic_camera import ANCHORS
from vision import pipeline
from vision.markers import Markers
from vision.pipeline import OFTEN_FRAMES, REST_FRAMES, SELDOM_FRAMES, Pipeline
from vision.tags.corner_refinement import refine_corners
from vision.tags.detection import ImageRegion, detect_tags
from vision.tags.duplicate_prints import REMEMBERED_FRAMES
from vision.tags.pose_estimation import EnrolledTag
from vision.tracking.search import TileScan
from vision.tracking.surfaces import Surface
from vision.tracking.tracks import SIGHTINGS
from vision.types import BasePose, Doubt, Hindrance, PoseState, TableSnapshot, TagDetection, TagFit

FPS = 15.0
SECOND = round(FPS)


@dataclass
class WatchedTable:
    """A virtual table with two bases, and the line that looks at it."""

    table: VirtualTable
    camera: VirtualCamera
    pipeline: Pipeline

    def step_frames(self, count: int) -> TableSnapshot:
        for _ in range(count):
            snapshot = self.pipeline.step(self.camera.read())
        return snapshot

    def step_to_pose(self, tag: int, count: int = 1) -> BasePose:
        return next(pose for pose in self.step_frames(count).poses if pose.marker == tag)


def watch_table(terrain: tuple[VirtualTerrain, ...] = (), *, with_lens: bool = False) -> WatchedTable:
    scene = VirtualScene(
        bases=tuple(
            VirtualBase(
                marker=tag,
                outline_mm=build_oval_outline(length_mm=40, width_mm=40),
                size_mm=20,
                height_mm=4,
                tag_in_base=VirtualTagInBase(x_mm=6),
            )
            for tag in (1, 2)
        ),
        anchors=tuple(
            SceneAnchor(tag=a.tag, x_mm=a.x_mm, y_mm=a.y_mm, size_mm=a.size_mm, facing_rad=a.facing_rad)
            for a in ANCHORS
        ),
        terrain=terrain,
        placements={1: Placement(x_mm=400, y_mm=500, facing_rad=0.5)},
    )
    table = VirtualTable(scene, seed=3, colour=False)
    markers = Markers(
        anchors=ANCHORS,
        bases={
            tag: EnrolledTag(tag=tag, model=f"m{tag}", size_mm=20, x_mm=6, y_mm=0, facing_rad=0, height_mm=4)
            for tag in (1, 2)
        },
        lens=lens_from_camera(table.camera) if with_lens else None,
        surfaces=tuple(Surface(outline_mm=piece.outline_mm, height_mm=piece.height_mm) for piece in terrain),
    )
    return WatchedTable(table, VirtualCamera(table, fps=FPS, pace=PlaybackPace.FREE), Pipeline(markers=markers))


def lens_from_camera(camera: CameraModel) -> Lens:
    """Return the camera's lens as a calibration would find it."""
    (fx, _, cx), (_, fy, cy), _ = camera.matrix
    sigma = np.array([0.7, 0.7, 0.7, 0.7, 1e-3, 5e-3, 1e-4, 1e-4, 5e-3])
    parameters = np.array([fx, fy, cx, cy, *camera.distortion])
    return Lens(image_size=camera.image_size, parameters=parameters, covariance=np.diag(sigma**2))


@pytest.fixture
def watched() -> Iterator[WatchedTable]:
    at_work = watch_table()
    yield at_work
    at_work.camera.close()


def test_a_base_comes_to_rest_where_it_stands(watched: WatchedTable) -> None:
    pose = watched.step_to_pose(1, SECOND)
    assert (pose.state, pose.moving) == (PoseState.SEEN, False)
    off = np.array([pose.x_mm - 400, pose.y_mm - 500, pose.facing_rad - 0.5])
    assert off @ np.linalg.solve(pose.covariance, off) < 16
    assert np.hypot(off[0], off[1]) < 1.0


def test_it_is_told_why_a_base_is_not_read_any_more_until_it_is(watched: WatchedTable) -> None:
    assert watched.step_frames(SECOND).hindered == {}
    watched.table.hold_hand(((350, 450), (450, 450), (450, 550), (350, 550)), above_mm=20)
    assert watched.step_frames(OFTEN_FRAMES + 2).hindered == {1: Hindrance.COVERED}
    watched.table.hold_hand(None)
    assert watched.step_frames(OFTEN_FRAMES).hindered == {}


def test_a_base_whose_tag_looks_of_another_size_is_told_until_it_is_followed(watched: WatchedTable) -> None:
    told = watched.pipeline.markers
    bases = {1: dataclasses.replace(told.tagged_bases[1], size_mm=30.0)}
    watched.pipeline.markers = dataclasses.replace(told, bases=bases)
    assert watched.step_frames(SECOND).hindered == {1: Hindrance.OTHER_SIZE}
    watched.pipeline.markers = told
    assert watched.step_frames(SECOND).hindered == {}


def test_a_base_whose_print_is_a_little_larger_than_said_is_told_until_it_is_mended(watched: WatchedTable) -> None:
    told = watched.pipeline.markers
    (size_mm,) = {base.size_mm for base in told.tagged_bases.values()}
    bases = {tag: dataclasses.replace(base, size_mm=size_mm / 1.05) for tag, base in told.tagged_bases.items()}
    watched.pipeline.markers = dataclasses.replace(told, bases=bases)
    assert watched.step_frames(2 * SECOND).hindered == {1: Hindrance.ABOVE_TABLE}
    watched.pipeline.markers = told
    assert watched.step_frames(SECOND).hindered == {}


def test_a_base_that_is_held_over_the_table_or_put_on_something_from_it_is_only_lifted(watched: WatchedTable) -> None:
    watched.step_frames(SECOND)
    watched.table.move(1, Placement(x_mm=400, y_mm=500, z_mm=60))
    snapshot = watched.step_frames(2 * SECOND)
    assert [pose.state for pose in snapshot.poses] == [PoseState.LIFTED]
    assert snapshot.hindered == {}


def test_a_base_that_is_put_on_the_table_later_is_found_within_a_second(watched: WatchedTable) -> None:
    assert {pose.marker for pose in watched.step_frames(SECOND).poses} == {1}
    watched.table.move(2, Placement(x_mm=1300, y_mm=250))
    pose = watched.step_to_pose(2, SECOND)
    assert pose.state is PoseState.SEEN
    assert (pose.x_mm, pose.y_mm) == pytest.approx((1300, 250), abs=2)


def test_a_base_carried_across_the_table_out_of_sight_is_found_again(watched: WatchedTable) -> None:
    watched.step_frames(SECOND)
    watched.table.move(1, None)
    assert watched.step_to_pose(1, SECOND).state is PoseState.HELD
    watched.table.move(1, Placement(x_mm=1200, y_mm=900))
    pose = watched.step_to_pose(1, SECOND)
    assert pose.state is PoseState.SEEN
    assert pose.x_mm == pytest.approx(1200, abs=2)


def test_a_hand_that_pushes_fast_is_followed_without_a_gap(
    watched: WatchedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched.step_frames(SECOND)
    monkeypatch.setattr(TileScan, "choose_regions", lambda *_, **__: [])  # else luck would do
    seen_ns, missed = [], []
    for step in range(1, 13):  # 0.45 m/s from one frame to the next
        watched.table.move(1, Placement(x_mm=400 + 30 * step, y_mm=500, facing_rad=0.5))
        seen_ns.append(watched.step_to_pose(1).seen_ns)
        missed.append(watched.pipeline.tracks[1].missed)
    assert max(missed) <= 1, "the first jump is out of reach, none after it"
    # The first measurement of the motion may be a stray one, and does not count as seen.
    assert np.diff(seen_ns).max() * FPS / 1e9 < 3.5
    assert watched.step_to_pose(1).x_mm == pytest.approx(760, abs=2)


def test_without_anchors_there_are_no_poses_and_the_trouble_is_named(watched: WatchedTable) -> None:
    other = Markers(anchors=(), bases=watched.pipeline.markers.bases, lens=None)
    blind = Pipeline(markers=other)
    snapshot = blind.step(watched.camera.read())
    assert (snapshot.poses, snapshot.anchors_seen, snapshot.calibration) == ((), 0, "")


def test_the_same_frames_give_the_same_poses(watched: WatchedTable) -> None:
    frames = [watched.camera.read() for _ in range(4)]
    runs = []
    for _ in range(2):
        pipeline = Pipeline(markers=watched.pipeline.markers)
        runs.append([repr(pipeline.step(frame)) for frame in frames])
    assert runs[0] == runs[1]


def test_a_tag_is_taken_for_a_base_once_it_was_seen_twice(watched: WatchedTable) -> None:
    tags = [{pose.marker for pose in watched.step_frames(1).poses} for _ in range(SIGHTINGS)]
    assert tags == [set()] * (SIGHTINGS - 1) + [{1}]


def test_a_picture_that_does_not_change_is_not_searched(watched: WatchedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    watched.table.move(2, Placement(x_mm=1000, y_mm=300))
    watched.step_frames(4 * SECOND)
    searched: list[int] = []
    fitted: list[set[int]] = []

    def note_fits(
        grey: NDArray[np.uint8], tags: list[TagDetection], noise: float | None, **about: object
    ) -> list[TagFit]:
        fitted.append({tag.tag for tag in tags})
        return refine_corners(grey, tags, noise, **about)  # type: ignore[arg-type]  # whatever the pipeline gives

    def counting(grey: NDArray[np.uint8], regions: Sequence[ImageRegion], tags: frozenset[int]) -> list[TagDetection]:
        searched.append(sum((r.right - r.left) * (r.bottom - r.top) for r in regions))
        return detect_tags(grey, regions, tags)

    monkeypatch.setattr(pipeline, "detect_tags", counting)
    monkeypatch.setattr(pipeline, "refine_corners", note_fits)
    count = 2 * SELDOM_FRAMES
    poses = [pose for _ in range(count) for pose in watched.step_frames(1).poses]
    assert {(pose.state, pose.moving) for pose in poses} == {(PoseState.SEEN, False)}
    assert len(poses) == 2 * count
    # Now and then a tile is looked through, for a second print of a tag.
    assert sum(area > 0 for area in searched) <= count / OFTEN_FRAMES + 1
    assert max(searched) < 0.1 * watched.table.render().size
    # What rests is measured anew all the same, each in its turn, and in few pictures.
    assert set.union(*fitted[:SELDOM_FRAMES]) == {1, 2} | {anchor.tag for anchor in ANCHORS}
    assert sum(tags != set() for tags in fitted) <= count / REST_FRAMES + 2


SECOND_PRINT_MM = (420.0, -130.0, 0.0)
"""From the place of the first."""


def step_with_second_print(watched: WatchedTable, count: int) -> list[TableSnapshot]:
    """Go on with pictures in which base 1 is drawn a second time, elsewhere, as the camera would see it there."""
    camera, at = watched.table.camera, watched.table.get_placements()[1]
    quad = np.array([(-25, -25, 4), (25, -25, 4), (25, 25, 4), (-25, 25, 4)])
    here = quad + np.array([at.x_mm, at.y_mm, 0])
    there = here + np.array(SECOND_PRINT_MM)
    here_px, there_px = (camera.project(corners).astype(np.float32) for corners in (here, there))
    there_from_here = cv2.getPerspectiveTransform(here_px, there_px)
    snapshots = []
    for _ in range(count):
        frame = watched.camera.read()
        copied = cv2.warpPerspective(frame.image, there_from_here, camera.image_size, flags=cv2.INTER_CUBIC)
        inside = cv2.fillConvexPoly(np.zeros_like(frame.image), np.rint(there_px).astype(np.int32), 255)
        both = np.where(inside > 0, copied, frame.image)
        snapshots.append(watched.pipeline.step(dataclasses.replace(frame, image=both)))
    return snapshots


def test_two_prints_in_the_first_picture_are_told_and_their_base_is_not_seen(watched: WatchedTable) -> None:
    for snapshot in step_with_second_print(watched, SECOND):
        assert (snapshot.shown_twice, snapshot.poses) == ((1,), ())
    alone = watched.step_frames(REMEMBERED_FRAMES + SECOND)
    assert alone.shown_twice == ()
    (pose,) = alone.poses
    assert (pose.state, pose.moving) == (PoseState.SEEN, False)
    assert (pose.x_mm, pose.y_mm) == pytest.approx((400, 500), abs=1)


def test_a_base_put_on_terrain_stands_at_its_height() -> None:
    outline = tuple((x + 1100.0, y + 800.0) for x, y in build_rect_outline(length_mm=200, width_mm=160))
    at_work = watch_table((VirtualTerrain(outline_mm=outline, height_mm=75.0, raised=True),), with_lens=True)
    at_work.step_frames(SECOND)
    for step in range(5):
        at_work.table.move(1, Placement(x_mm=400 + 140 * step, y_mm=500 + 60 * step, facing_rad=0.5, z_mm=30.0 * step))
        pose = at_work.step_to_pose(1)
    assert pose.state is PoseState.LIFTED
    at_work.table.move(1, Placement(x_mm=1120, y_mm=790, facing_rad=0.5, z_mm=75.0))
    pose = at_work.step_to_pose(1, SECOND)
    assert (pose.state, pose.moving, pose.z_mm) == (PoseState.SEEN, False, 75.0)
    assert (pose.x_mm, pose.y_mm) == pytest.approx((1120, 790), abs=1)
    at_work.table.move(1, Placement(x_mm=900, y_mm=790, facing_rad=0.5))
    pose = at_work.step_to_pose(1, SECOND)
    assert (pose.state, pose.moving, pose.z_mm) == (PoseState.SEEN, False, 0.0)
    assert (pose.x_mm, pose.y_mm) == pytest.approx((900, 790), abs=1)
    at_work.camera.close()


def bump_frame(frame: Frame, right_px: int, down_px: int) -> Frame:
    """Return what a camera sees that was turned a little."""
    image = np.full_like(frame.image, 120)
    image[down_px:, right_px:] = frame.image[: frame.image.shape[0] - down_px, : frame.image.shape[1] - right_px]
    return dataclasses.replace(frame, image=image)


@pytest.mark.parametrize("by_px", [(8, 0), (40, 25)])
def test_no_base_is_seen_at_a_wrong_place_after_the_camera_was_bumped(
    watched: WatchedTable, by_px: tuple[int, int]
) -> None:
    watched.step_frames(2 * SECOND)
    poses = []
    for _ in range(2 * SECOND):
        snapshot = watched.pipeline.step(bump_frame(watched.camera.read(), *by_px))
        poses += [pose for pose in snapshot.poses if pose.state is PoseState.SEEN]
    assert snapshot.anchors_seen == 6
    assert len(poses) > SECOND
    assert max(abs(pose.x_mm - 400) for pose in poses) < 2


def test_bases_are_held_while_nobody_knows_where_the_camera_is(watched: WatchedTable) -> None:
    frames = [watched.camera.read() for _ in range(SECOND)]
    for frame in frames:
        watched.pipeline.step(frame)
    for _ in range(2 * SECOND):
        blank = dataclasses.replace(frames[0], image=np.full_like(frames[0].image, 90))
        snapshot = watched.pipeline.step(blank)
        (pose,) = snapshot.poses
        assert pose.state is PoseState.HELD
    assert (snapshot.doubt, snapshot.hindered) == (Doubt.HIDDEN, {})


def test_pictures_of_another_size_begin_anew(watched: WatchedTable) -> None:
    watched.step_frames(SECOND)
    for _ in range(4):
        frame = watched.camera.read()
        smaller = cv2.resize(frame.image, (1600, 900), interpolation=cv2.INTER_AREA)
        snapshot = watched.pipeline.step(dataclasses.replace(frame, image=np.asarray(smaller, dtype=np.uint8)))
    assert {pose.marker for pose in snapshot.poses} == {1}
    assert snapshot.poses[0].x_mm == pytest.approx(400, abs=2)


def test_a_base_that_is_no_longer_expected_is_forgotten(watched: WatchedTable) -> None:
    watched.step_frames(SECOND)
    markers = watched.pipeline.markers
    watched.pipeline.markers = dataclasses.replace(markers, bases={2: markers.bases[2]})
    assert watched.step_frames(3).poses == ()
