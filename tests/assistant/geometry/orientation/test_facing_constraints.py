import math

import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.geometry.clearance.shape_clearance import clearance, edge_clearance
from assistant.geometry.motion.path_length import measure_furthest_travel
from assistant.geometry.orientation.facing_constraints import (
    build_displacement_constraint,
    build_obstacle_constraint,
    build_table_constraint,
)
from assistant.geometry.shapes.base_shapes import Base, Outline, Oval, PlacedShape, Rect
from assistant.geometry.shapes.convex import decompose_placed
from tests.assistant.geometry.shape_strategies import L_SHAPE, angles, draw_polygon, placed_shapes, shapes

ALL = shapely.box(-400, -400, 400, 400)


def place_base(base: Base, point: shapely.Point, facing: float) -> PlacedShape:
    return PlacedShape(shape=base, x_mm=point.x, y_mm=point.y, facing_rad=facing)


def sample_beside(region: shapely.Geometry, share: float, off_mm: float) -> list[shapely.Point]:
    """Places a little within and a little outside a region, near its edge."""
    return [shapely.buffer(region, mm).boundary.interpolate(share, normalized=True) for mm in (-off_mm, off_mm)]


@settings(max_examples=40)
@given(shapes, placed_shapes(), angles, st.floats(0, 1))
def test_clear_of_an_obstacle_at_a_facing(base: Base, other: PlacedShape, facing: float, share: float) -> None:
    free = build_obstacle_constraint(base, decompose_placed(other)).at(facing, ALL)
    inside, outside = sample_beside(free, share, 0.1)
    if ALL.buffer(-1).contains(inside) and ALL.buffer(-1).contains(outside):
        assert clearance(place_base(base, inside, facing), other).mm > -1e-6
        assert clearance(place_base(base, outside, facing), other).mm < 0


@settings(max_examples=40)
@given(shapes, placed_shapes(), angles, st.floats(0, 0.8), st.floats(0, 1))
def test_what_is_clear_at_a_facing_is_held_by_the_range(
    base: Base, other: PlacedShape, low: float, width: float, share: float
) -> None:
    start = PlacedShape(shape=base, x_mm=0, y_mm=0, facing_rad=0.2)
    for legal in (
        build_obstacle_constraint(base, decompose_placed(other)),
        build_table_constraint(base, 300, 200),
        build_displacement_constraint(start, 180),
        build_obstacle_constraint(base, decompose_placed(other)).combine(build_table_constraint(base, 300, 200)),
    ):
        held = legal.between(low, low + width, ALL).buffer(0.01)
        assert shapely.difference(legal.at(low + share * width, ALL), held).area < 1e-3


@pytest.mark.parametrize("base", [Oval(length_mm=75, width_mm=42), Rect(length_mm=60, width_mm=40), L_SHAPE])
@settings(max_examples=25)
@given(turn=st.floats(-math.pi, math.pi), share=st.floats(0, 1), limit=st.floats(20, 300))
def test_displaced_within_a_limit(base: Base, turn: float, share: float, limit: float) -> None:
    start = PlacedShape(shape=base, x_mm=30, y_mm=-20, facing_rad=0.4)
    region = build_displacement_constraint(start, limit).at(0.4 + turn, ALL)
    corners = shapely.get_coordinates(draw_polygon(PlacedShape(shape=base, x_mm=0, y_mm=0, facing_rad=0.4), 400))
    there = shapely.get_coordinates(draw_polygon(PlacedShape(shape=base, x_mm=0, y_mm=0, facing_rad=0.4 + turn), 400))

    def furthest(point: shapely.Point) -> float:
        steps = there - corners + (point.x - 30, point.y + 20)
        return float((steps**2).sum(axis=1).max() ** 0.5)

    if region.area < 1:
        middle = shapely.Point(30, -20) if not isinstance(base, Outline) else None
        assert middle is None or furthest(middle) > limit - 1
        return
    inside, outside = sample_beside(region, share, 0.15)
    if not inside.is_empty:
        assert furthest(inside) <= limit + 1e-3
    assert furthest(outside) > limit


def test_a_place_displaced_is_no_further_than_a_straight_way() -> None:
    base, turn = Rect(length_mm=60, width_mm=40), 0.7
    start = PlacedShape(shape=base, x_mm=0, y_mm=0)
    region = build_displacement_constraint(start, 100).at(turn, ALL)
    end = place_base(base, region.boundary.interpolate(0.3, normalized=True), turn)
    assert measure_furthest_travel([start, end]).mm >= 100 - 0.1


def test_on_table_keeps_a_margin() -> None:
    base = Rect(length_mm=60, width_mm=40)
    left, near, right, far = build_table_constraint(base, 300, 200, 5).at(math.pi / 2, ALL).bounds
    assert (left, near, right, far) == pytest.approx((25, 35, 275, 165))
    assert edge_clearance(place_base(base, shapely.Point(left, near), math.pi / 2), 300, 200).mm == pytest.approx(5)
