import math
import random
from dataclasses import replace

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.geometry.clearance.pairwise import PairClearances, list_near_pairs, lower_bounds_mm, measure_pairs
from assistant.geometry.clearance.shape_arrays import build_shape_arrays
from assistant.geometry.clearance.shape_clearance import clearance
from assistant.geometry.shapes.base_shapes import Base, Outline, Oval, PlacedShape, Rect, Round
from tests.assistant.geometry.clearance.all_pairs import measure_all_pairs
from tests.assistant.geometry.shape_strategies import L_SHAPE, angles, draw_polygon, placed_shapes, places

slow = settings(max_examples=25)

HEXAGON = Outline(points_mm=((30, 0), (15, 20), (-15, 20), (-30, 0), (-15, -20), (15, -20)))
TRIANGLE = Outline(points_mm=((30, 0), (-20, 25), (-20, -10)))
U_SHAPE = Outline(points_mm=((-40, -30), (40, -30), (40, 30), (20, 30), (20, -10), (-20, -10), (-20, 30), (-40, 30)))
KINDS: tuple[Base, ...] = (
    Round(radius_mm=16),
    Oval(length_mm=75, width_mm=42),
    Oval(length_mm=120, width_mm=10),
    Rect(length_mm=50, width_mm=25),
    HEXAGON,
    TRIANGLE,
    L_SHAPE,
    U_SHAPE,
)


def make_crowd(count: int, spread_mm: float, seed: int = 1) -> list[PlacedShape]:
    rng = random.Random(seed)
    return [
        PlacedShape(
            shape=KINDS[i % len(KINDS)],
            x_mm=rng.uniform(0, spread_mm),
            y_mm=rng.uniform(0, spread_mm),
            facing_rad=rng.uniform(-4, 4),
        )
        for i in range(count)
    ]


def check_clearances(shapes: list[PlacedShape], found: PairClearances) -> None:
    """Compare each pair with `clearance`, and its witness with the shapes."""
    rows = zip(found.first.tolist(), found.second.tolist(), found.mm, found.near, found.far, strict=True)
    for first, second, mm, near, far in rows:
        one, other = shapes[first], shapes[second]
        assert mm == pytest.approx(clearance(one, other).mm, abs=1e-6), (one, other)
        assert math.dist(near, far) == pytest.approx(abs(mm), abs=1e-6)
        if mm > 0:
            assert draw_polygon(one, 500).distance(shapely.Point(near)) < 3e-3
            assert draw_polygon(other, 500).distance(shapely.Point(far)) < 3e-3


@pytest.mark.parametrize("spread_mm", [1200, 150])
def test_all_pairs_of_all_kinds_agree_with_clearance(spread_mm: float) -> None:
    shapes = make_crowd(32, spread_mm)
    found = measure_all_pairs(build_shape_arrays(shapes))
    assert list(zip(found.first.tolist(), found.second.tolist(), strict=True)) == [
        (i, j) for i in range(32) for j in range(i + 1, 32)
    ]
    assert (found.mm < 0).any()
    assert (found.mm > 0).any()
    check_clearances(shapes, found)


@slow
@given(st.lists(placed_shapes(), min_size=2, max_size=8))
def test_agrees_with_clearance(shapes: list[PlacedShape]) -> None:
    check_clearances(shapes, measure_all_pairs(build_shape_arrays(shapes)))


@slow
@given(st.lists(placed_shapes(), min_size=2, max_size=8), angles, places, places)
def test_rigid_motion_changes_nothing(shapes: list[PlacedShape], turn: float, dx: float, dy: float) -> None:
    cos, sin = math.cos(turn), math.sin(turn)
    moved = [
        replace(
            placed,
            x_mm=placed.x_mm * cos - placed.y_mm * sin + dx,
            y_mm=placed.x_mm * sin + placed.y_mm * cos + dy,
            facing_rad=placed.facing_rad + turn,
        )
        for placed in shapes
    ]
    assert measure_all_pairs(build_shape_arrays(moved)).mm == pytest.approx(
        measure_all_pairs(build_shape_arrays(shapes)).mm, abs=1e-6
    )


@pytest.mark.parametrize("shift", [-60.0, -24.9, -3.0, 0.0, 3.0, 24.9, 60.0])
@pytest.mark.parametrize("facing", [0.0, 0.3, math.pi / 2])
def test_sides_that_lie_parallel_are_measured_across(shift: float, facing: float) -> None:
    # Both corners of a side are equally far ahead: whichever is taken, the whole side must be seen to face.
    rect = Rect(length_mm=50, width_mm=20)
    cos, sin = math.cos(facing), math.sin(facing)
    one = PlacedShape(shape=rect, x_mm=0, y_mm=0, facing_rad=facing)
    aside = PlacedShape(shape=rect, x_mm=shift * cos - 27 * sin, y_mm=shift * sin + 27 * cos, facing_rad=facing)
    beyond = max(abs(shift) - 50, 0.0)
    for shapes in ([one, aside], [aside, one]):
        assert measure_all_pairs(build_shape_arrays(shapes)).mm[0] == pytest.approx(math.hypot(7, beyond), abs=1e-9)
    check_clearances([one, aside], measure_all_pairs(build_shape_arrays([one, aside])))


@pytest.mark.parametrize("one", KINDS)
@pytest.mark.parametrize("other", KINDS)
def test_coincident_and_touching_shapes_are_answered(one: Base, other: Base) -> None:
    middle = PlacedShape(shape=one, x_mm=100, y_mm=100, facing_rad=0.4)
    same = [middle, replace(middle, shape=other)]
    check_clearances(same, measure_all_pairs(build_shape_arrays(same)))
    apart = clearance(middle, PlacedShape(shape=other, x_mm=300, y_mm=140, facing_rad=1.0))
    step = np.subtract(apart.near, apart.far)
    touching = [middle, PlacedShape(shape=other, x_mm=300 + step[0], y_mm=140 + step[1], facing_rad=1.0)]
    assert measure_all_pairs(build_shape_arrays(touching)).mm[0] == pytest.approx(clearance(*touching).mm, abs=1e-6)


def test_a_disc_in_a_notch_is_measured_to_the_notch_and_not_to_the_hull() -> None:
    shapes = [
        PlacedShape(shape=U_SHAPE, x_mm=0, y_mm=0),
        PlacedShape(shape=Round(radius_mm=8), x_mm=1, y_mm=10),
        PlacedShape(shape=Round(radius_mm=8), x_mm=0, y_mm=60),
    ]
    found = measure_all_pairs(build_shape_arrays(shapes))
    assert found.mm[0] == pytest.approx(11.0, abs=1e-9)
    assert found.mm[1] == pytest.approx(math.hypot(20, 30) - 8, abs=1e-9)
    assert found.near[0] == pytest.approx((20, 10), abs=1e-9)


def test_the_quick_bound_is_never_above_the_clearance_of_what_is_apart() -> None:
    standing = build_shape_arrays(make_crowd(48, 1000))
    found = measure_all_pairs(standing)
    apart = found.mm > 0
    assert (lower_bounds_mm(standing, found.first, found.second) <= found.mm + 1e-9)[apart].all()


@pytest.mark.parametrize("range_mm", [-5.0, 0.0, 30.0, math.inf])
@pytest.mark.parametrize("size", [1, 5, 48])
def test_pairs_that_are_near_or_of_one_group_are_listed_once(size: int, range_mm: float) -> None:
    standing, groups = build_shape_arrays(make_crowd(48, 600)), np.arange(48) // size
    first, second = np.triu_indices(48, 1)
    asked = (lower_bounds_mm(standing, first, second) <= range_mm) | (groups[first] == groups[second])
    listed = sorted(zip(*map(np.ndarray.tolist, list_near_pairs(standing, groups, range_mm)), strict=True))
    assert listed == list(zip(first[asked].tolist(), second[asked].tolist(), strict=True))


@pytest.mark.parametrize("count", [0, 1])
def test_a_table_with_nothing_to_compare(count: int) -> None:
    standing = build_shape_arrays(make_crowd(count, 100))
    assert len(measure_all_pairs(standing).mm) == 0
    assert [len(each) for each in list_near_pairs(standing, np.arange(count), 100.0)] == [0, 0]


def test_the_order_of_a_pair_turns_its_witness_around() -> None:
    shapes = make_crowd(16, 300)
    standing = build_shape_arrays(shapes)
    there = measure_all_pairs(standing)
    back = measure_pairs(standing, there.second, there.first)
    assert back.mm == pytest.approx(there.mm, abs=1e-7)
    check_clearances(shapes, back)
