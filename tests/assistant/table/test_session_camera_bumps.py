"""A session on the simulated table while the camera is bumped, an anchor slips, a hand comes, and the light changes."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.rules.verdict import Outcome
from assistant.table.ingest import MOVED_MM
from assistant.table.session import GameSession
from hardware.frame import Frame
from hardware.simulation.scene import Placement, VirtualBase, VirtualScene
from hardware.simulation.virtual_table import VirtualTable
from tests.assistant.snapshot_script import build_game
from tests.hardware.simulation.base_outlines import build_oval_outline, build_rect_outline
from tests.vision.random_scenes import ANCHORS, lens_from_camera, markers_from_scene
from tests.vision.synthetic_camera import BUMP_MM, BUMP_RAD, knock_camera_model
from vision.pipeline import Pipeline
from vision.types import BasePose, CalibrationChange, ChangeKind, PoseState

FPS = 15
SECOND = FPS
NAMES = {1: "s1", 2: "s2", 3: "w1"}
START = {
    1: Placement(x_mm=300, y_mm=300),
    2: Placement(x_mm=300, y_mm=350),
    3: Placement(x_mm=600, y_mm=320),
}
Grey = NDArray[np.uint8]


def build_scene() -> VirtualScene:
    outlines = {1: build_oval_outline(length_mm=32, width_mm=32), 2: build_oval_outline(length_mm=32, width_mm=32)}
    outlines[3] = build_rect_outline(length_mm=100, width_mm=60)
    bases = tuple(VirtualBase(marker=tag, outline_mm=outlines[tag], size_mm=18, height_mm=4) for tag in NAMES)
    return VirtualScene(bases=bases, anchors=ANCHORS, placements=START)


@pytest.fixture(scope="module")
def table() -> VirtualTable:
    return VirtualTable(build_scene(), seed=3, colour=False)


@pytest.fixture(scope="module")
def table_of_a_bumped_camera(table: VirtualTable) -> VirtualTable:
    return VirtualTable(build_scene(), knock_camera_model(table.camera, BUMP_RAD, BUMP_MM), seed=4, colour=False)


@dataclass
class BumpedGame:
    """A table, the line that looks at it, and the game that is played on it."""

    table: VirtualTable
    pipeline: Pipeline
    session: GameSession
    frames: int = 0

    def show_pictures(
        self, count: int, change: Callable[[Grey], Grey] = lambda image: image
    ) -> list[CalibrationChange]:
        """Let some pictures go by; return what they brought to light."""
        changes: list[CalibrationChange] = []
        for _ in range(count):
            captured_ns = round(self.frames * 1e9 / FPS)
            image = change(self.table.render())
            self.snapshot = self.pipeline.step(
                Frame(camera="virtual:", sequence=self.frames, captured_ns=captured_ns, image=image)
            )
            self.session.observe(self.snapshot)
            changes += self.snapshot.changes
            self.frames += 1
            self.check_resting_poses()
        return changes

    def check_resting_poses(self) -> None:
        """See that every base that is said to be seen at rest is where it would be taken not to have moved."""
        for pose in self.snapshot.poses:
            if pose.state is PoseState.SEEN and not pose.moving:
                assert self.measure_error_mm(pose) < MOVED_MM

    def measure_error_mm(self, pose: BasePose) -> float:
        """Return how far a pose is from the truth, mm."""
        at = self.table.get_placements()[pose.marker]
        return math.hypot(pose.x_mm - at.x_mm, pose.y_mm - at.y_mm)

    def slide(self, tag: int, x_mm: float, y_mm: float) -> None:
        at = self.table.get_placements()[tag]
        for share in np.linspace(0, 1, 11)[1:].tolist():
            here = Placement(x_mm=at.x_mm + share * (x_mm - at.x_mm), y_mm=at.y_mm + share * (y_mm - at.y_mm))
            self.table.move(tag, here)
            self.show_pictures(1)
        self.show_pictures(SECOND)

    def switch_table(self, table: VirtualTable) -> None:
        """Go on with another camera's, or another table's, pictures of the same models."""
        for tag, at in self.table.get_placements().items():
            table.move(tag, at)
        self.table = table

    def judge_outcome(self) -> Outcome | None:
        verdict = self.session.consult_referee().verdict
        return verdict.outcome if verdict else None


@pytest.fixture
def played(request: pytest.FixtureRequest, table: VirtualTable) -> Iterator[BumpedGame]:
    """Begin a game with a lens file or without one, as the parameter says."""
    for tag, at in START.items():
        table.move(tag, at)
    markers = markers_from_scene(table.scene, lens_from_camera(table.camera) if request.param else None)
    markers = replace(markers, bases={t: replace(base, model=NAMES[t]) for t, base in markers.bases.items()})
    begun = BumpedGame(table, Pipeline(markers=markers), GameSession(build_game()))
    begun.show_pictures(2 * SECOND)
    begun.session.declare(unit="scouts", action="normal")
    yield begun
    table.hold_hand(None)
    table.project_picture(None)


@pytest.mark.parametrize("played", [False, True], ids=["lens solved", "lens known"], indirect=True)
def test_after_a_bump_poses_are_right_again_and_no_verdict_is_wrong_in_between(
    played: BumpedGame, table_of_a_bumped_camera: VirtualTable
) -> None:
    played.slide(1, 360, 300)
    assert played.judge_outcome() is Outcome.LEGAL
    state = played.session.state
    played.switch_table(table_of_a_bumped_camera)
    changes = played.show_pictures(1)
    assert {pose.state for pose in played.snapshot.poses} == {PoseState.HELD}
    changes += played.show_pictures(2 * SECOND - 1)
    assert [change.kind for change in changes] == [ChangeKind.CAMERA_MOVED]
    assert math.degrees(changes[0].turned_rad) == pytest.approx(0.3, abs=0.05)
    assert [(pose.state, pose.moving) for pose in played.snapshot.poses] == [(PoseState.SEEN, False)] * 3
    assert max(played.measure_error_mm(pose) for pose in played.snapshot.poses) < MOVED_MM / 2
    assert played.session.state is state  # nothing happened to the models
    played.slide(1, 300 + 6.2 * 25.4, 300)
    assert played.judge_outcome() is Outcome.ILLEGAL


def shake_picture(number: int, reach_px: float) -> Callable[[Grey], Grey]:
    """Return what a camera sees at a moment while somebody shakes the table."""
    by_px = reach_px * math.sin(1.7 * number), 0.6 * reach_px * math.sin(2.3 * number)
    shift = np.array([[1.0, 0.0, by_px[0]], [0.0, 1.0, by_px[1]]])

    def change(image: Grey) -> Grey:
        size = image.shape[1], image.shape[0]
        return np.asarray(cv2.warpAffine(image, shift, size, borderMode=cv2.BORDER_REPLICATE), dtype=np.uint8)

    return change


@pytest.mark.parametrize("played", [False], ids=["lens solved"], indirect=True)
def test_while_somebody_leans_on_the_table_nothing_is_judged_and_after_it_all_is_as_before(played: BumpedGame) -> None:
    state = played.session.state
    for number in range(1, 3 * SECOND):
        assert played.show_pictures(1, shake_picture(number, reach_px=6)) == []
        assert {pose.state for pose in played.snapshot.poses} == {PoseState.HELD}
    assert played.show_pictures(SECOND) == []
    assert {pose.state for pose in played.snapshot.poses} == {PoseState.SEEN}
    assert played.session.state is state


@pytest.mark.parametrize("played", [False], ids=["lens solved"], indirect=True)
def test_a_table_that_shakes_a_little_is_seen_where_it_stands(played: BumpedGame) -> None:
    state = played.session.state
    still_mm = {pose.model: played.measure_error_mm(pose) for pose in played.snapshot.poses}
    for number in range(1, 2 * SECOND):
        assert played.show_pictures(1, shake_picture(number, reach_px=2)) == []
        assert played.snapshot.doubt is None
        assert {(pose.state, pose.moving) for pose in played.snapshot.poses} == {(PoseState.SEEN, False)}
        assert all(played.measure_error_mm(p) < still_mm[p.model] + 0.05 for p in played.snapshot.poses)
    assert played.session.state is state


@pytest.mark.parametrize("played", [True], ids=["lens known"], indirect=True)
def test_a_hand_over_an_anchor_and_another_light_are_no_bump(played: BumpedGame) -> None:
    state = played.session.state
    for step in range(SECOND):
        x_mm = ANCHORS[1].x_mm - 50 + 6 * step
        outline = ((x_mm, 20.0), (x_mm + 60, 20.0), (x_mm + 60, 120.0), (x_mm, 120.0))
        played.table.hold_hand(outline, above_mm=40.0)
        assert played.show_pictures(1) == []
        assert played.snapshot.doubt is None
    played.table.hold_hand(None)
    width, height = played.table.projector.image_size
    lamp = np.full((height, width, 3), 140, dtype=np.uint8)
    lamp[:, : width // 2] = (60, 120, 200)
    for light in (lamp, None):
        played.table.project_picture(light)
        for _ in range(SECOND):
            assert played.show_pictures(1) == []
            assert played.snapshot.doubt is None
    assert played.session.state is state


@pytest.mark.parametrize("played", [True], ids=["lens known"], indirect=True)
def test_a_slipped_anchor_is_named_while_the_game_goes_on(played: BumpedGame) -> None:
    slipped = replace(ANCHORS[2], x_mm=ANCHORS[2].x_mm - 6.0)
    anchors = (*ANCHORS[:2], slipped, *ANCHORS[3:])
    played.switch_table(
        VirtualTable(replace(played.table.scene, anchors=anchors), played.table.camera, seed=3, colour=False)
    )
    changes = played.show_pictures(2 * SECOND)
    assert [(change.kind, change.tag) for change in changes] == [(ChangeKind.ANCHOR_SLIPPED, slipped.tag)]
    assert played.session.seen.slipped_mm == {slipped.tag: pytest.approx(6.0, abs=0.2)}
    played.slide(1, 360, 300)
    assert played.judge_outcome() is Outcome.LEGAL


@pytest.mark.parametrize("played", [False], ids=["lens solved"], indirect=True)
def test_another_lens_between_moves_measures_everything_anew_and_moves_nothing(played: BumpedGame) -> None:
    played.session.withdraw()
    before = played.pipeline.calibrated.id
    played.pipeline.change_lens(lens_from_camera(played.table.camera))
    changes = played.show_pictures(SECOND)
    assert [change.kind for change in changes] == [ChangeKind.LENS_CHANGED]
    assert (changes[0].calibration_before, changes[0].calibration) != (before, before)
    assert played.session.state.tracks == {}
    for pose in played.snapshot.poses:
        stands = played.session.state.find_model(pose.model).pose
        assert stands is not None
        assert math.hypot(stands.x_mm - pose.x_mm, stands.y_mm - pose.y_mm) < 0.1
    played.session.declare(unit="scouts", action="normal")
    played.slide(1, 360, 300)
    assert played.judge_outcome() is Outcome.LEGAL
