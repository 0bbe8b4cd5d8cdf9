"""A game on the virtual table while the camera is bumped, an anchor slips, a hand comes, and the light changes."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.ingest import MOVED_MM
from assistant.rules.verdict import Outcome
from assistant.session import Session
from hardware.frame import Frame
from hardware.virtual.scene import Placement, Scene, VirtualBase, oval_outline, rect_outline
from hardware.virtual.table import VirtualTable
from tests.assistant.scripted import game
from tests.vision.bumps import BUMP_MM, BUMP_RAD, knocked
from tests.vision.staged import ANCHORS, lens_of, markers_of
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


def scene() -> Scene:
    outlines = {1: oval_outline(length_mm=32, width_mm=32), 2: oval_outline(length_mm=32, width_mm=32)}
    outlines[3] = rect_outline(length_mm=100, width_mm=60)
    bases = tuple(VirtualBase(tag=tag, outline_mm=outlines[tag], size_mm=18, height_mm=4) for tag in NAMES)
    return Scene(bases=bases, anchors=ANCHORS, placements=START)


@pytest.fixture(scope="module")
def table() -> VirtualTable:
    return VirtualTable(scene(), seed=3, colour=False)


@pytest.fixture(scope="module")
def table_of_a_bumped_camera(table: VirtualTable) -> VirtualTable:
    return VirtualTable(scene(), knocked(table.camera, BUMP_RAD, BUMP_MM), seed=4, colour=False)


@dataclass
class Game:
    """A table, the line that looks at it, and the game that is played on it."""

    table: VirtualTable
    pipeline: Pipeline
    session: Session
    frames: int = 0

    def see(self, count: int, change: Callable[[Grey], Grey] = lambda image: image) -> list[CalibrationChange]:
        """Let some pictures go by; return what they brought to light."""
        told: list[CalibrationChange] = []
        for _ in range(count):
            captured_ns = round(self.frames * 1e9 / FPS)
            image = change(self.table.render())
            self.snapshot = self.pipeline.step(
                Frame(camera="virtual:", sequence=self.frames, captured_ns=captured_ns, image=image)
            )
            self.session.see(self.snapshot)
            told += self.snapshot.changes
            self.frames += 1
            self.honest()
        return told

    def honest(self) -> None:
        """See that every base that is said to be seen at rest is where it would be taken not to have moved."""
        for pose in self.snapshot.poses:
            if pose.state is PoseState.SEEN and not pose.moving:
                assert self.off(pose) < MOVED_MM

    def off(self, pose: BasePose) -> float:
        """Return how far a pose is from the truth, mm."""
        at = self.table.placements()[pose.tag]
        return math.hypot(pose.x_mm - at.x_mm, pose.y_mm - at.y_mm)

    def slide(self, tag: int, x_mm: float, y_mm: float) -> None:
        at = self.table.placements()[tag]
        for share in np.linspace(0, 1, 11)[1:].tolist():
            here = Placement(x_mm=at.x_mm + share * (x_mm - at.x_mm), y_mm=at.y_mm + share * (y_mm - at.y_mm))
            self.table.move(tag, here)
            self.see(1)
        self.see(SECOND)

    def on(self, table: VirtualTable) -> None:
        """Go on with another camera's, or another table's, pictures of the same models."""
        for tag, at in self.table.placements().items():
            table.move(tag, at)
        self.table = table

    def outcome(self) -> Outcome | None:
        verdict = self.session.answer().verdict
        return verdict.outcome if verdict else None


@pytest.fixture
def played(request: pytest.FixtureRequest, table: VirtualTable) -> Iterator[Game]:
    """Begin a game with a lens file or without one, as the parameter says."""
    for tag, at in START.items():
        table.move(tag, at)
    markers = markers_of(table.scene, lens_of(table.camera) if request.param else None)
    markers = replace(markers, bases={t: replace(base, model=NAMES[t]) for t, base in markers.bases.items()})
    begun = Game(table, Pipeline(markers=markers), Session(game()))
    begun.see(2 * SECOND)
    begun.session.declare(unit="scouts", action="normal")
    yield begun
    table.hide(None)
    table.light(None)


@pytest.mark.parametrize("played", [False, True], ids=["lens solved", "lens known"], indirect=True)
def test_after_a_bump_poses_are_right_again_and_no_verdict_is_wrong_in_between(
    played: Game, table_of_a_bumped_camera: VirtualTable
) -> None:
    played.slide(1, 360, 300)
    assert played.outcome() is Outcome.LEGAL
    state = played.session.state
    played.on(table_of_a_bumped_camera)
    told = played.see(1)
    assert {pose.state for pose in played.snapshot.poses} == {PoseState.HELD}
    told += played.see(2 * SECOND - 1)
    assert [change.kind for change in told] == [ChangeKind.CAMERA_MOVED]
    assert math.degrees(told[0].turned_rad) == pytest.approx(0.3, abs=0.05)
    assert [(pose.state, pose.moving) for pose in played.snapshot.poses] == [(PoseState.SEEN, False)] * 3
    assert max(played.off(pose) for pose in played.snapshot.poses) < MOVED_MM / 2
    assert played.session.state is state  # nothing happened to the models
    played.slide(1, 300 + 6.2 * 25.4, 300)
    assert played.outcome() is Outcome.ILLEGAL


def shaken(number: int) -> Callable[[Grey], Grey]:
    """Return what a camera sees at a moment while somebody leans on the table."""
    by_px = 2.5 * math.sin(1.7 * number), 1.5 * math.sin(2.3 * number)
    shift = np.array([[1.0, 0.0, by_px[0]], [0.0, 1.0, by_px[1]]])

    def change(image: Grey) -> Grey:
        size = image.shape[1], image.shape[0]
        return np.asarray(cv2.warpAffine(image, shift, size, borderMode=cv2.BORDER_REPLICATE), dtype=np.uint8)

    return change


@pytest.mark.parametrize("played", [False], ids=["lens solved"], indirect=True)
def test_while_somebody_leans_on_the_table_nothing_is_judged_and_after_it_all_is_as_before(played: Game) -> None:
    state = played.session.state
    for number in range(1, 3 * SECOND):
        assert played.see(1, shaken(number)) == []
        assert {pose.state for pose in played.snapshot.poses} == {PoseState.HELD}
    assert played.see(SECOND) == []
    assert {pose.state for pose in played.snapshot.poses} == {PoseState.SEEN}
    assert played.session.state is state


@pytest.mark.parametrize("played", [True], ids=["lens known"], indirect=True)
def test_a_hand_over_an_anchor_and_another_light_are_no_bump(played: Game) -> None:
    state = played.session.state
    for step in range(SECOND):
        x_mm = ANCHORS[1].x_mm - 50 + 6 * step
        outline = ((x_mm, 20.0), (x_mm + 60, 20.0), (x_mm + 60, 120.0), (x_mm, 120.0))
        played.table.hide(outline, above_mm=40.0)
        assert played.see(1) == []
        assert played.snapshot.doubt is None
    played.table.hide(None)
    width, height = played.table.projector.image_size
    lamp = np.full((height, width, 3), 140, dtype=np.uint8)
    lamp[:, : width // 2] = (60, 120, 200)
    for light in (lamp, None):
        played.table.light(light)
        for _ in range(SECOND):
            assert played.see(1) == []
            assert played.snapshot.doubt is None
    assert played.session.state is state


@pytest.mark.parametrize("played", [True], ids=["lens known"], indirect=True)
def test_a_slipped_anchor_is_named_while_the_game_goes_on(played: Game) -> None:
    slipped = replace(ANCHORS[2], x_mm=ANCHORS[2].x_mm - 6.0)
    anchors = (*ANCHORS[:2], slipped, *ANCHORS[3:])
    played.on(VirtualTable(replace(played.table.scene, anchors=anchors), played.table.camera, seed=3, colour=False))
    told = played.see(2 * SECOND)
    assert [(change.kind, change.tag) for change in told] == [(ChangeKind.ANCHOR_SLIPPED, slipped.tag)]
    assert played.session.seen.slipped_mm == {slipped.tag: pytest.approx(6.0, abs=0.2)}
    played.slide(1, 360, 300)
    assert played.outcome() is Outcome.LEGAL
