"""Hulls and Minkowski sums of convex sets: what their corners are, and how far apart shapes stand on their edges."""

import math

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.geometry.clearance.shape_clearance import clearance
from assistant.geometry.shapes.base_shapes import Base, Outline, PlacedShape, Rect
from assistant.geometry.shapes.convex import (
    STRAIGHT_MM,
    Array,
    ConvexSet,
    decompose_convex,
    decompose_placed,
    drop_straight_corners,
    hull,
    sum_rings,
    unit_vectors,
)
from assistant.geometry.shapes.polygons import circumscribe
from tests.assistant.geometry.shape_strategies import angles, convex, noises, shared_facings

DRAWN_MM = 0.02


@st.composite
def nearly_straight(draw: st.DrawFn) -> Base:
    """A convex outline with corners on its sides, or as near to them as rounding takes them."""
    x, y, off = draw(st.floats(10, 80)), draw(st.floats(10, 80)), draw(noises)
    shares = sorted({round(share, 3) for share in draw(st.lists(st.floats(0.01, 0.99), min_size=1, max_size=4))})
    between = [(-x + 2 * x * share, -y + off * (-1) ** index) for index, share in enumerate(shares)]
    return Outline(points_mm=((-x, -y), *between, (x, -y), (x, y), (-x, y)))


flat_sided: st.SearchStrategy[Base] = st.one_of(convex, nearly_straight())


@settings(max_examples=40)
@given(st.integers(0, 10_000))
def test_the_sum_of_rings_is_the_hull_of_all_sums(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, two = (hull(rng.uniform(-50, 50, (9, 2))) for _ in "ab")
    around = shapely.MultiPoint((one[:, None] + two[None]).reshape(-1, 2)).convex_hull
    assert shapely.Polygon(sum_rings(one, two)).symmetric_difference(around).area < 1e-6 * math.pi


@settings(max_examples=40)
@given(angles, st.integers(0, 3), st.sampled_from([(40.0, 20.0), (40.0, 40.0), (100.0, 8.0)]))
def test_the_sum_of_rings_with_parallel_sides_does_not_cross_itself(
    facing: float, quarters: int, size: tuple[float, float]
) -> None:
    (part,) = decompose_convex(Rect(length_mm=size[0], width_mm=size[1]))
    one, two = (part.move(0.0, 0.0, turn) for turn in (facing, facing + quarters * math.pi / 2))
    around = shapely.MultiPoint((one.corners_mm[:, None] + two.corners_mm).reshape(-1, 2)).convex_hull
    for off in (0.0, 1e-16, -1e-16, 1e-9):
        found = shapely.Polygon(sum_rings(one.corners_mm, two.move(0.0, 0.0, off).corners_mm))
        assert found.is_valid
        assert found.symmetric_difference(around).area < 1e-3


@settings(max_examples=100)
@given(flat_sided, flat_sided, shared_facings(2), st.floats(0, 60))
def test_at_the_edge_of_a_sum_shapes_are_as_far_apart_as_it_is_grown_by(
    body: Base, other: Base, facings: list[float], range_mm: float
) -> None:
    here = PlacedShape(shape=other, x_mm=300.0, y_mm=400.0, facing_rad=facings[0])
    (theirs,), (mine,) = decompose_placed(here), decompose_convex(body)
    kept = theirs.minkowski_sum(mine.move(0.0, 0.0, facings[1]).reflect()).grow(range_mm)
    assert measure_least_bend_mm(kept.corners_mm) > STRAIGHT_MM
    drawn = shapely.get_coordinates(circumscribe(kept, DRAWN_MM))[:-1]
    for points, error_mm in ((kept.support_points(unit_vectors(np.arange(0, 6.28, 0.5))), 0.0), (drawn, DRAWN_MM)):
        for x, y in points[:: 1 + len(points) // 12].tolist():
            there = PlacedShape(shape=body, x_mm=x, y_mm=y, facing_rad=facings[1])
            assert -1e-6 <= clearance(there, here).mm - range_mm <= error_mm + 1e-6


def measure_least_bend_mm(corners: Array) -> float:
    """How far the corner that bends least is from the line through its neighbours."""
    if len(corners) < 3:
        return math.inf
    before, after = np.roll(corners, 1, axis=0), np.roll(corners, -1, axis=0)
    along, away = after - before, corners - before
    return float(((away[:, 0] * along[:, 1] - away[:, 1] * along[:, 0]) / np.hypot(*along.T)).min())


@pytest.mark.parametrize("facing_deg", [0, 17, 20, 30, 45, 90, 123])
def test_rectangles_that_are_turned_alike_sum_up_to_a_rectangle(facing_deg: float) -> None:
    one, two = (
        decompose_placed(
            PlacedShape(shape=Rect(length_mm=60, width_mm=35), x_mm=x, y_mm=70, facing_rad=math.radians(turn))
        )[0]
        for x, turn in ((100, facing_deg), (0, facing_deg + 180))
    )
    together = one.minkowski_sum(two)
    assert len(together.corners_mm) == 4
    assert shapely.Polygon(together.corners_mm).area == pytest.approx(120 * 70)


def test_a_ring_of_no_width_is_its_two_ends_and_one_of_no_size_is_a_point() -> None:
    flat = np.array([(0.0, 0.0), (40.0, -1e-13), (100.0, 0.0), (100.0, 1e-13), (0.0, 1e-13)])
    assert shapely.LineString(drop_straight_corners(flat)).length == pytest.approx(100)
    assert len(drop_straight_corners(np.zeros((4, 2)))) == 1
    assert len(hull(np.array([(0.0, 0.0), (5.0, 5.0), (10.0, 10.0)]))) == 2


def test_the_distance_of_a_segment_is_that_of_its_nearest_point() -> None:
    segment = ConvexSet(corners_mm=np.array([(0.0, 0.0), (10.0, 0.0)]))
    assert segment.distance(13.0, 4.0)[0] == pytest.approx(5)
    assert segment.distance(14.0, 0.0)[0] == pytest.approx(4)
    assert segment.distance(4.0, 0.0)[0] == 0
    assert segment.distance(4.0, -3.0)[0] == pytest.approx(3)


def test_a_side_of_many_corners_is_one() -> None:
    steps = np.linspace(0.0, 100.0, 1001)
    comb = np.concatenate((np.column_stack((steps, 1e-12 * np.sin(steps))), [(100.0, 50.0), (0.0, 50.0)]))
    assert drop_straight_corners(comb) == pytest.approx(
        np.array([(0.0, 0.0), (100.0, 0.0), (100.0, 50.0), (0.0, 50.0)]), abs=1e-9
    )
