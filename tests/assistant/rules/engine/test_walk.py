"""How far a way is off the direction in which it must go, and a way as the fewest poses that tell it."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.game.state import Model, Pose
from assistant.geometry.clearance.shape_clearance import interpolate_pose
from assistant.geometry.shapes.base_shapes import Rect, Round
from assistant.rules.engine.walk import join_straight_legs, measure_direction_offset

TOLERANCE = math.radians(3)


def test_within_the_tolerance_there_is_room_on_the_nearer_side() -> None:
    held = measure_direction_offset(100, math.radians(1), TOLERANCE)
    assert (held.off_mm, held.limit_mm) == pytest.approx((100 * math.sin(math.radians(1)), 100 * math.sin(TOLERANCE)))
    assert held.margin_mm == pytest.approx(100 * math.sin(math.radians(2)))


@pytest.mark.parametrize(("off_deg", "margin_mm"), [(3, 0.0), (33, -50.0), (93, -100.0), (120, -100.0), (180, -100.0)])
def test_beyond_it_the_way_to_its_edge_is_missing_at_most_the_whole_way(off_deg: float, margin_mm: float) -> None:
    assert measure_direction_offset(100, math.radians(off_deg), TOLERANCE).margin_mm == pytest.approx(
        margin_mm, abs=1e-9
    )


def test_a_way_back_is_aside_by_all_of_it() -> None:
    assert measure_direction_offset(100, math.pi, TOLERANCE).off_mm == pytest.approx(100)


LONG = Model(id="m", base=Rect(length_mm=50, width_mm=25), pose=None)
ROUND = Model(id="m", base=Round(radius_mm=16), pose=None)


def make_pose(*place: float, sigma_mm: float = 0.2) -> Pose:
    x, y, facing_deg, z = (*place, 0.0, 0.0)[:4]
    return Pose(x_mm=x, y_mm=y, facing_rad=math.radians(facing_deg), z_mm=z, sigma_mm=sigma_mm)


places = st.tuples(st.integers(0, 99), st.integers(0, 99), st.integers(-180, 180), st.sampled_from([0, 40, 90]))


@given(st.lists(places, min_size=2, max_size=5), st.lists(st.floats(0, 1), max_size=4))
def test_a_way_is_the_same_however_it_was_sampled(corners: list[tuple[int, ...]], shares: list[float]) -> None:
    path = tuple(make_pose(*corner) for corner in corners)
    sampled = [path[0]]
    for start, end in pairwise(path):
        for share in sorted(shares):
            at = interpolate_pose(LONG.place_base(start), LONG.place_base(end), share)
            place = (at.x_mm, at.y_mm, math.degrees(at.facing_rad), at.z_mm)
            sampled.append(make_pose(*place))
        sampled.append(end)
    known, found = (join_straight_legs(LONG, way) for way in (path, tuple(sampled)))
    assert len(found) == len(known)
    for one, two in zip(known, found, strict=True):
        assert (one.x_mm, one.y_mm, one.z_mm) == pytest.approx((two.x_mm, two.y_mm, two.z_mm), abs=1e-6)


@pytest.mark.parametrize(
    ("between", "model"),
    [
        (make_pose(20, 20.001, 30), LONG),
        (make_pose(20, 20, 31), LONG),
        (make_pose(20, 20, 30, 1), LONG),
        (make_pose(50, 50, 75), LONG),
        (make_pose(20, 20, 30, sigma_mm=0.3), LONG),
        (make_pose(20, 20, 0, 1), ROUND),
    ],
    ids=["beside", "turned otherwise", "higher", "there and back", "less sure", "higher, of a round base"],
)
def test_a_pose_that_tells_something_is_kept(between: Pose, model: Model) -> None:
    path = (make_pose(0, 0), between, make_pose(40, 40, 60))
    assert join_straight_legs(model, path) == path


def test_how_a_round_base_turned_tells_nothing() -> None:
    path = (make_pose(0, 0), make_pose(20, 20, 77), make_pose(40, 40, 60))
    assert join_straight_legs(ROUND, path) == (path[0], path[-1])
