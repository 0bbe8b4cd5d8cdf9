"""The pipeline on a virtual table where figures stand on ringed bases, beside a tag."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from hardware.camera.frame_source import PlaybackPace
from hardware.camera.virtual import VirtualCamera
from hardware.simulation.scene import Placement, VirtualScene
from hardware.simulation.virtual_table import VirtualTable
from tests.vision.random_scenes import ANCHORS, lens_from_camera, make_base, make_ringed_base, markers_from_scene
from vision.marker_numbers import number_ring
from vision.pipeline import OFTEN_FRAMES, Pipeline
from vision.rings.following import RingFollower, RingSightings
from vision.rings.unread_places import READ_AFTER
from vision.stills import locate_bases_in_image
from vision.types import BasePose, Hindrance, PoseState

FPS = 15.0
MOVED, STILL, TAG = number_ring(3), number_ring(8), 12
PLACES = {
    MOVED: Placement(x_mm=500, y_mm=400, facing_rad=0.5),
    STILL: Placement(x_mm=900, y_mm=640, facing_rad=-2.0),
    TAG: Placement(x_mm=700, y_mm=500, facing_rad=1.0),
}


class RingedTable:
    """A virtual table with two ringed bases and a tagged one, and the line that looks at it."""

    def __init__(self) -> None:
        rng = np.random.default_rng(4)
        rings = tuple(make_ringed_base(rng, marker - number_ring(0), in_4k=False) for marker in (MOVED, STILL))
        tag = make_base(rng, TAG, sizes_mm=(20.0, 20.0), figures=0.0, overhang_mm=(0.0, 0.0))
        scene = VirtualScene(bases=(*rings, tag), anchors=ANCHORS, placements=PLACES)
        self.table = VirtualTable(scene, seed=3, colour=False)
        self.camera = VirtualCamera(self.table, fps=FPS, pace=PlaybackPace.FREE)
        self.pipeline = Pipeline(markers=markers_from_scene(scene, lens_from_camera(self.table.camera)))

    def step(self, count: int = 1) -> dict[int, BasePose]:
        """Look at so many pictures; return the last poses by marker."""
        for _ in range(count):
            snapshot = self.pipeline.step(self.camera.read())
        return {pose.marker: pose for pose in snapshot.poses}


@pytest.fixture
def ringed() -> Iterator[RingedTable]:
    at_work = RingedTable()
    yield at_work
    at_work.camera.close()


def measure_sigmas(pose: BasePose, at: Placement) -> float:
    """Return how far a pose is from the truth, in its own sigmas."""
    off = np.array([pose.x_mm - at.x_mm, pose.y_mm - at.y_mm, pose.facing_rad - at.facing_rad])
    return float(np.sqrt(off @ np.linalg.solve(pose.covariance, off)))


def test_rings_and_tags_come_to_rest_where_they_stand(ringed: RingedTable) -> None:
    poses = ringed.step(10)
    assert {(pose.state, pose.moving) for pose in poses.values()} == {(PoseState.SEEN, False)}
    assert poses.keys() == PLACES.keys()
    assert max(measure_sigmas(pose, PLACES[marker]) for marker, pose in poses.items()) < 4.5


def test_no_ring_is_read_across_a_tag_that_rests_and_is_not_fitted_in_a_picture(
    ringed: RingedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    crossed: list[int] = []
    look = RingFollower.look

    def note_tags(self: RingFollower, *args: Any, **told: Any) -> RingSightings:
        crossed.append(len(told["tags_px"]))
        return look(self, *args, **told)

    monkeypatch.setattr(RingFollower, "look", note_tags)
    ringed.step(20)
    assert crossed == [len(ANCHORS) + 1] * 20


def test_a_ring_is_followed_while_it_is_pushed_and_comes_to_rest(ringed: RingedTable) -> None:
    ringed.step(8)
    for step in range(1, 9):
        at = Placement(x_mm=500 + 1.2 * step**2, y_mm=400 - 4 * step, facing_rad=0.5 + 0.05 * step)
        ringed.table.move(MOVED, at)
        ringed.step()
        assert ringed.pipeline.tracks[MOVED].missed == 0
    on_its_way = ringed.pipeline.tracks[MOVED].recent[-1][1]
    pose = ringed.step(8)[MOVED]
    at_rest = ringed.pipeline.tracks[MOVED].recent[-1][1]
    assert on_its_way.rise_noise_mm > 1.5 * at_rest.rise_noise_mm, "its edges fall among other pixels each time"
    assert (pose.state, pose.moving) == (PoseState.SEEN, False)
    assert measure_sigmas(pose, at) < 4.5


def test_a_ring_below_a_hand_is_held_and_seen_again(ringed: RingedTable) -> None:
    ringed.step(8)
    corners = np.exp(1j * np.linspace(0, 2 * np.pi, 20, endpoint=False)) * 45 + complex(500, 400)
    ringed.table.hold_hand(tuple((corner.real, corner.imag) for corner in corners), above_mm=40.0)
    poses = ringed.step(3)
    assert poses[MOVED].state is PoseState.HELD
    assert poses[STILL].state is PoseState.SEEN
    ringed.table.hold_hand(None)
    assert ringed.step(3)[MOVED].state is PoseState.SEEN


def test_a_lifted_ring_is_told_by_its_size(ringed: RingedTable) -> None:
    ringed.step(8)
    for step in range(1, 9):
        ringed.table.move(MOVED, Placement(x_mm=500, y_mm=400, facing_rad=0.5, z_mm=12.0 * step))
        ringed.step()
    pose = ringed.step(3)[MOVED]
    assert pose.state is PoseState.LIFTED
    assert pose.z_mm == pytest.approx(96, abs=25)


def test_rings_are_located_in_a_single_picture(ringed: RingedTable) -> None:
    snapshot = locate_bases_in_image(ringed.pipeline.markers, ringed.camera.read().image, 0)
    poses = {pose.marker: pose for pose in snapshot.poses}
    assert poses.keys() == PLACES.keys()
    assert max(measure_sigmas(pose, PLACES[marker]) for marker, pose in poses.items()) < 4.5


def mirror_lamp(table: RingedTable, picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a picture in which a lamp is mirrored in the ring that is moved, from the beginning."""
    at = PLACES[MOVED]
    ((x_px, y_px),) = np.rint(table.table.camera.project(np.array([(at.x_mm, at.y_mm, 3.0)]))).astype(int).tolist()
    light = cv2.circle(np.zeros_like(picture), (x_px - 10, y_px), 14, 170.0, -1)
    return np.asarray(cv2.add(picture, cv2.GaussianBlur(light, (0, 0), 1.5)), dtype=np.uint8)


def test_of_a_ring_that_was_never_read_it_is_told_where_it_is_and_why(ringed: RingedTable) -> None:
    still = locate_bases_in_image(ringed.pipeline.markers, mirror_lamp(ringed, ringed.camera.read().image), 0)
    for _ in range(READ_AFTER[0] + OFTEN_FRAMES):
        frame = ringed.camera.read()
        film = ringed.pipeline.step(replace(frame, image=mirror_lamp(ringed, frame.image)))
    for told in (still, film):
        assert MOVED not in {pose.marker for pose in told.poses}
        (unread,) = told.unread
        assert unread.hindrance is Hindrance.GLARE
        assert unread.place_mm == pytest.approx((500, 400), abs=0.5)
    assert ringed.step(OFTEN_FRAMES * 2).keys() == PLACES.keys()
    assert ringed.pipeline.step(ringed.camera.read()).unread == ()
