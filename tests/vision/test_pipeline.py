"""The line from frames to poses, on the virtual table."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from hardware.camera.source import Pace
from hardware.camera.virtual import VirtualCamera
from hardware.virtual.scene import Anchor as SceneAnchor
from hardware.virtual.scene import Placement, Scene, TagInBase, VirtualBase, oval_outline
from hardware.virtual.table import VirtualTable
from tests.vision.synthetic import ANCHORS
from vision.locate import Enrolled
from vision.pipeline import Markers, Pipeline
from vision.scan import Scan
from vision.types import BasePose, PoseState, TableSnapshot

FPS = 15.0
SECOND = round(FPS)


@dataclass
class Watched:
    """A virtual table with two bases, and the line that looks at it."""

    table: VirtualTable
    camera: VirtualCamera
    pipeline: Pipeline

    def frames(self, count: int) -> TableSnapshot:
        for _ in range(count):
            snapshot = self.pipeline.step(self.camera.read())
        return snapshot

    def pose(self, tag: int, count: int = 1) -> BasePose:
        return next(pose for pose in self.frames(count).poses if pose.tag == tag)


@pytest.fixture
def watched() -> Iterator[Watched]:
    scene = Scene(
        bases=tuple(
            VirtualBase(
                tag=tag,
                outline_mm=oval_outline(length_mm=40, width_mm=40),
                size_mm=20,
                height_mm=4,
                tag_in_base=TagInBase(x_mm=6),
            )
            for tag in (1, 2)
        ),
        anchors=tuple(
            SceneAnchor(tag=a.tag, x_mm=a.x_mm, y_mm=a.y_mm, size_mm=a.size_mm, facing_rad=a.facing_rad)
            for a in ANCHORS
        ),
        placements={1: Placement(x_mm=400, y_mm=500, facing_rad=0.5)},
    )
    table = VirtualTable(scene, seed=3)
    bases = {
        tag: Enrolled(tag=tag, model=f"m{tag}", size_mm=20, x_mm=6, y_mm=0, facing_rad=0, height_mm=4) for tag in (1, 2)
    }
    camera = VirtualCamera(table, fps=FPS, pace=Pace.FREE)
    yield Watched(table, camera, Pipeline(markers=Markers(anchors=ANCHORS, bases=bases, lens=None)))
    camera.close()


def test_a_base_comes_to_rest_where_it_stands(watched: Watched) -> None:
    pose = watched.pose(1, SECOND)
    assert (pose.state, pose.moving) == (PoseState.SEEN, False)
    off = np.array([pose.x_mm - 400, pose.y_mm - 500, pose.facing_rad - 0.5])
    assert off @ np.linalg.solve(pose.covariance, off) < 16
    assert np.hypot(off[0], off[1]) < 1.0


def test_a_base_that_is_put_on_the_table_later_is_found_within_a_second(watched: Watched) -> None:
    assert {pose.tag for pose in watched.frames(SECOND).poses} == {1}
    watched.table.move(2, Placement(x_mm=1300, y_mm=250))
    pose = watched.pose(2, SECOND)
    assert pose.state is PoseState.SEEN
    assert (pose.x_mm, pose.y_mm) == pytest.approx((1300, 250), abs=2)


def test_a_base_carried_across_the_table_out_of_sight_is_found_again(watched: Watched) -> None:
    watched.frames(SECOND)
    watched.table.move(1, None)
    assert watched.pose(1, SECOND).state is PoseState.HELD
    watched.table.move(1, Placement(x_mm=1200, y_mm=900))
    pose = watched.pose(1, SECOND)
    assert pose.state is PoseState.SEEN
    assert pose.x_mm == pytest.approx(1200, abs=2)


def test_a_hand_that_pushes_fast_is_followed_without_a_gap(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    watched.frames(SECOND)
    monkeypatch.setattr(Scan, "next", lambda *_: [])  # else luck would do
    seen_ns, missed = [], []
    for step in range(1, 13):  # 0.45 m/s from one frame to the next
        watched.table.move(1, Placement(x_mm=400 + 30 * step, y_mm=500, facing_rad=0.5))
        seen_ns.append(watched.pose(1).seen_ns)
        missed.append(watched.pipeline.tracks[1].missed)
    assert max(missed) <= 1, "the first jump is out of reach, none after it"
    # The first measurement of the motion may be a stray one, and does not count as seen.
    assert np.diff(seen_ns).max() * FPS / 1e9 < 3.5
    assert watched.pose(1).x_mm == pytest.approx(760, abs=2)


def test_without_anchors_there_are_no_poses_and_the_trouble_is_named(watched: Watched) -> None:
    other = Markers(anchors=(), bases=watched.pipeline.markers.bases, lens=None)
    blind = Pipeline(markers=other)
    snapshot = blind.step(watched.camera.read())
    assert (snapshot.poses, snapshot.anchors_seen, snapshot.calibration) == ((), 0, "")


def test_the_same_frames_give_the_same_poses(watched: Watched) -> None:
    frames = [watched.camera.read() for _ in range(4)]
    runs = []
    for _ in range(2):
        pipeline = Pipeline(markers=watched.pipeline.markers)
        runs.append([repr(pipeline.step(frame)) for frame in frames])
    assert runs[0] == runs[1]
