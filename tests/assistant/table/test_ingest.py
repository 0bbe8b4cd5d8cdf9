"""From poses to events: placed, moved, put back, carried."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from assistant.game.events import Event, ModelPlaced, ModelSettled
from assistant.game.state import GameState, Model, Pose, Table, Terrain, Unit
from assistant.geometry.shapes.base_shapes import Round
from assistant.table.ingest import MotionTracker, simplify_path
from vision.types import BasePose, PoseState, TableSnapshot

FRAME_NS = 33_333_333
STATE = GameState(
    rulebook="warhammer-40k-10e",
    table=Table(width_mm=1524, depth_mm=1118),
    units=(Unit(id="u", player="red", models=(Model(id="a", base=Round(radius_mm=16), pose=None),)),),
)


class Story:
    """One model before a camera, frame by frame."""

    def __init__(self, state: GameState = STATE) -> None:
        self.state = state
        self.tracker = MotionTracker()
        self.now_ns = 0
        self.seen_ns = 0
        self.events: list[Event] = []

    def ingest_frame(
        self,
        x_mm: float,
        *,
        moving: bool = False,
        state: PoseState = PoseState.SEEN,
        facing_rad: float = 0.0,
        model: str = "a",
        z_mm: float = 0.0,
        other_z_mm: tuple[float, ...] = (),
    ) -> None:
        self.now_ns += FRAME_NS
        if state in (PoseState.SEEN, PoseState.LIFTED):
            self.seen_ns = self.now_ns
        pose = BasePose(
            marker=1,
            model=model,
            x_mm=x_mm,
            y_mm=500.0,
            facing_rad=facing_rad,
            z_mm=z_mm,
            other_z_mm=other_z_mm,
            covariance=np.diag([0.01, 0.01, 1e-4]),
            state=state,
            seen_ns=self.seen_ns,
            moving=moving,
        )
        snapshot = TableSnapshot(captured_ns=self.now_ns, sequence=0, calibration="c", anchors_seen=6, poses=(pose,))
        self.tracker, events = self.tracker.follow(snapshot, self.state)
        self.events += events


def test_a_model_is_placed_when_it_is_first_seen_at_rest() -> None:
    story = Story()
    story.ingest_frame(300, moving=True)
    assert story.events == []
    story.ingest_frame(300)
    story.ingest_frame(300.1)
    (placed,) = story.events
    assert isinstance(placed, ModelPlaced)
    assert (placed.model, placed.pose.x_mm, placed.pose.y_mm) == ("a", 300, 500)
    assert placed.pose.sigma_mm == pytest.approx(0.1)


def test_a_slide_is_a_move_with_the_path_that_was_seen() -> None:
    story = Story()
    story.ingest_frame(300)
    for i in range(1, 31):
        story.ingest_frame(300 + 2 * i, moving=True)
    story.ingest_frame(360)
    settled = story.events[-1]
    assert isinstance(settled, ModelSettled)
    assert settled.observed
    assert [pose.x_mm for pose in settled.path] == [300, 360]


def test_a_way_round_a_corner_keeps_the_corner() -> None:
    corner = tuple([Pose(x_mm=i, y_mm=0) for i in range(0, 51, 2)] + [Pose(x_mm=50, y_mm=i) for i in range(2, 41, 2)])
    path = simplify_path(corner)[0]
    assert [(p.x_mm, p.y_mm) for p in path] == [(0, 0), (50, 0), (50, 40)]


def test_noise_adds_no_length() -> None:
    rng = np.random.default_rng(1)
    way = tuple(Pose(x_mm=float(i), y_mm=float(rng.normal(0, 0.2))) for i in range(200))
    path = simplify_path(way)[0]
    length = sum(math.hypot(b.x_mm - a.x_mm, b.y_mm - a.y_mm) for a, b in pairwise(path))
    assert length == pytest.approx(199, abs=0.2)


def test_a_turn_that_goes_the_long_way_round_is_kept() -> None:
    turned = tuple(Pose(x_mm=0, y_mm=0, facing_rad=math.remainder(a, math.tau)) for a in np.linspace(0, 5.5, 60))
    steps = [b.facing_rad - a.facing_rad for a, b in pairwise(simplify_path(turned)[0])]
    assert sum(math.remainder(step, math.tau) for step in steps) == pytest.approx(5.5)
    wiggle = tuple(Pose(x_mm=0, y_mm=0, facing_rad=a) for a in (0.0, 0.5, 1.0, 0.5, 0.0))
    assert max(p.facing_rad for p in simplify_path(wiggle)[0]) == 1.0


@pytest.mark.parametrize("on_the_way", [PoseState.LIFTED, PoseState.HELD])
def test_of_a_carried_or_hidden_move_only_the_ends_are_known(on_the_way: PoseState) -> None:
    story = Story()
    story.ingest_frame(300)
    story.ingest_frame(305, moving=True)
    for _ in range(20):
        story.ingest_frame(305, moving=True, state=on_the_way)
    story.ingest_frame(360, moving=True)
    story.ingest_frame(360)
    settled = story.events[-1]
    assert isinstance(settled, ModelSettled)
    assert not settled.observed
    assert settled.path[-1].x_mm == 360


def test_a_model_put_back_where_it_stood_has_not_moved() -> None:
    story = Story()
    story.ingest_frame(300)
    story.ingest_frame(340, moving=True)
    story.ingest_frame(300.2)
    story.ingest_frame(300.3)
    assert len(story.events) == 1


def test_turning_on_the_spot_is_a_move() -> None:
    story = Story()
    story.ingest_frame(300)
    story.ingest_frame(300, facing_rad=0.5)
    settled = story.events[-1]
    assert isinstance(settled, ModelSettled)
    assert settled.path[-1].facing_rad == 0.5


def test_a_model_that_is_not_in_the_game_is_left_out() -> None:
    story = Story()
    story.ingest_frame(300, model="stranger")
    assert story.events == []


def test_what_was_seen_while_it_rose_is_no_part_of_the_path() -> None:
    story = Story()
    story.ingest_frame(300)
    story.ingest_frame(308, moving=True)  # sideways by its height
    story.ingest_frame(310, moving=True, state=PoseState.LIFTED)
    story.ingest_frame(360, moving=True)
    story.ingest_frame(360)
    settled = story.events[-1]
    assert isinstance(settled, ModelSettled)
    assert [pose.x_mm for pose in settled.path] == [300, 360]


def test_of_a_hidden_stretch_the_legs_before_and_after_it_were_seen() -> None:
    story = Story()
    story.ingest_frame(300)
    for x_mm in range(302, 341, 2):
        story.ingest_frame(x_mm, moving=True)
    for _ in range(10):
        story.ingest_frame(340, moving=True, state=PoseState.HELD)
    for x_mm in range(400, 451, 2):
        story.ingest_frame(x_mm, moving=True)
    story.ingest_frame(450)
    settled = story.events[-1]
    assert isinstance(settled, ModelSettled)
    assert [pose.x_mm for pose in settled.path] == [300, 340, 400, 450]
    assert (settled.observed, settled.unseen) == (False, (1,))


def test_what_is_in_doubt_for_a_picture_leaves_no_gap() -> None:
    story = Story()
    story.ingest_frame(300)
    for x_mm in range(302, 341, 2):
        story.ingest_frame(x_mm, moving=True, state=PoseState.HELD if x_mm == 320 else PoseState.SEEN)
    story.ingest_frame(340)
    settled = story.events[-1]
    assert isinstance(settled, ModelSettled)
    assert (settled.observed, settled.unseen, len(settled.path)) == (True, (), 2)


def test_a_climb_was_not_seen_and_a_slide_on_one_level_was() -> None:
    story = Story()
    story.ingest_frame(300)
    for x_mm in range(310, 501, 10):
        story.ingest_frame(x_mm, moving=True, z_mm=0 if x_mm < 400 else 76.2)
    story.ingest_frame(500, z_mm=76.2)
    for x_mm in range(510, 561, 10):
        story.ingest_frame(x_mm, moving=True, z_mm=76.2)
    story.ingest_frame(560, z_mm=76.2)
    story.ingest_frame(700, moving=True)
    story.ingest_frame(750)
    climbed, slid, came_down = story.events[1:]
    assert isinstance(climbed, ModelSettled)
    assert isinstance(slid, ModelSettled)
    assert isinstance(came_down, ModelSettled)
    assert [(pose.x_mm, pose.z_mm) for pose in climbed.path] == [(300, 0), (500, 76.2)]
    assert [(pose.x_mm, pose.z_mm) for pose in slid.path] == [(500, 76.2), (560, 76.2)]
    assert [(pose.x_mm, pose.z_mm) for pose in came_down.path] == [(560, 76.2), (750, 0)]
    assert (climbed.observed, slid.observed, came_down.observed) == (False, True, False)


def test_a_model_under_high_terrain_is_where_it_was_measured() -> None:
    wood = Terrain(id="wood", outline_mm=((400, 400), (600, 400), (600, 600), (400, 600)), height_mm=90)
    story = Story(replace(STATE, terrain=(wood,)))
    story.ingest_frame(500)
    (placed,) = story.events
    assert isinstance(placed, ModelPlaced)
    assert (placed.pose.z_mm, placed.pose.other_z_mm) == (0, ())


def test_a_height_in_doubt_stays_with_the_pose_until_it_is_known() -> None:
    step = Terrain(id="step", outline_mm=((400, 400), (600, 400), (600, 600), (400, 600)), height_mm=6)
    story = Story(replace(STATE, terrain=(step,)))
    story.ingest_frame(500, other_z_mm=(6,))
    story.ingest_frame(500, other_z_mm=(6,))
    story.ingest_frame(500, z_mm=6)
    doubtful, known = story.events
    assert isinstance(doubtful, ModelPlaced)
    assert (doubtful.pose.z_mm, doubtful.pose.other_z_mm) == (0, (6,))
    assert isinstance(known, ModelPlaced)  # it has not moved
    assert (known.pose.z_mm, known.pose.other_z_mm) == (6, ())
    story.ingest_frame(520, moving=True, z_mm=6)
    story.ingest_frame(540, z_mm=6, other_z_mm=(0,))
    moved = story.events[-1]
    assert isinstance(moved, ModelSettled)
    assert (moved.path[-1].z_mm, moved.path[-1].other_z_mm, moved.observed) == (6, (), True)


def test_a_model_that_is_moved_before_the_first_picture_of_it_has_moved_from_where_it_was_known_to_stand() -> None:
    for x_mm, places in ((203.0, [203.0]), (300.0, [200.0])):
        story = Story()
        story.tracker = replace(story.tracker, expected={"a": Pose(x_mm=200, y_mm=500, sigma_mm=0.1)})
        story.ingest_frame(x_mm)
        story.ingest_frame(x_mm)
        assert [event.pose.x_mm for event in story.events if isinstance(event, ModelPlaced)] == places
        settled = [event for event in story.events if isinstance(event, ModelSettled)]
        assert [(event.path[0].x_mm, event.path[-1].x_mm, event.observed) for event in settled] == [
            (200.0, 300.0, False) for _ in places if x_mm == 300
        ]
    assert story.tracker.list_rests()["a"].x_mm == 300
