import math

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.geometry.clearance.furthest_point import contains, find_furthest_point
from assistant.geometry.clearance.shape_clearance import clearance
from assistant.geometry.shapes.base_shapes import Base, Outline, Oval, PlacedShape, Rect, Round
from tests.assistant.geometry.shape_strategies import L_SHAPE, angles, convex, draw_polygon, placed_shapes

quick = settings(max_examples=60)
slow = settings(max_examples=15)

U_SHAPE = Outline(points_mm=((-40, -30), (40, -30), (40, 30), (20, 30), (20, -10), (-20, -10), (-20, 30), (-40, 30)))
close = st.floats(-70, 70)


@quick
@given(placed_shapes(), placed_shapes(convex))
def test_furthest_part_agrees_with_many_sampled_points(one: PlacedShape, other: PlacedShape) -> None:
    found = find_furthest_point(one, other)
    sampled = shapely.distance(
        draw_polygon(other, 500), shapely.points(shapely.get_coordinates(draw_polygon(one)))
    ).max()
    assert found.mm == pytest.approx(sampled, abs=3e-3)
    spot = PlacedShape(shape=Round(radius_mm=0.0), x_mm=found.point[0], y_mm=found.point[1])
    assert found.mm == pytest.approx(max(clearance(spot, other).mm, 0.0), abs=1e-6)
    assert found.mm >= clearance(one, other).mm - 1e-6


@quick
@given(st.floats(0, 300), angles, st.floats(5, 60), st.floats(5, 60))
def test_furthest_part_of_a_disc_from_a_disc(apart: float, angle: float, a: float, b: float) -> None:
    one = PlacedShape(shape=Round(radius_mm=a), x_mm=apart * math.cos(angle), y_mm=apart * math.sin(angle))
    other = PlacedShape(shape=Round(radius_mm=b), x_mm=0, y_mm=0)
    assert find_furthest_point(one, other).mm == pytest.approx(max(apart + a - b, 0.0), abs=1e-9)


@pytest.mark.parametrize(
    ("one", "other", "mm"),
    [
        (Rect(length_mm=20, width_mm=10), Round(radius_mm=16), math.hypot(110, 5) - 16),
        (Oval(length_mm=60, width_mm=30), Oval(length_mm=60, width_mm=30), 100.0),
        (Round(radius_mm=16), Rect(length_mm=40, width_mm=400), 96.0),
        (L_SHAPE, Rect(length_mm=40, width_mm=10), math.hypot(120, 15)),
    ],
)
def test_known_furthest_parts(one: Base, other: Base, mm: float) -> None:
    at = PlacedShape(shape=one, x_mm=100, y_mm=0)
    assert find_furthest_point(at, PlacedShape(shape=other, x_mm=0, y_mm=0)).mm == pytest.approx(mm, abs=1e-9)


def test_what_lies_inside_is_no_distance_away() -> None:
    ruin = PlacedShape(shape=Oval(length_mm=200, width_mm=150), x_mm=0, y_mm=0)
    assert find_furthest_point(PlacedShape(shape=Rect(length_mm=40, width_mm=30), x_mm=20, y_mm=10), ruin).mm == 0
    assert find_furthest_point(ruin, ruin).mm == pytest.approx(0, abs=1e-9)


@slow
@given(placed_shapes(), close, close, st.sampled_from([L_SHAPE, U_SHAPE]), st.integers(0, 1000))
def test_no_part_is_further_from_a_concave_outline(
    one: PlacedShape, x: float, y: float, shape: Base, seed: int
) -> None:
    other = PlacedShape(shape=shape, x_mm=one.x_mm + x, y_mm=one.y_mm + y, facing_rad=0.5)
    found = find_furthest_point(one, other)
    middle = np.array((one.x_mm, one.y_mm))
    inside = np.random.default_rng(seed).uniform(middle - 90, middle + 90, (5000, 2))
    rim = shapely.get_coordinates(shapely.segmentize(draw_polygon(one, 600), 0.5))
    points = np.concatenate((inside[contains(one, inside)], rim))
    sampled = shapely.distance(draw_polygon(other), shapely.points(points)).max()
    assert sampled - 1e-6 <= found.mm <= sampled + 0.5
    assert draw_polygon(one).distance(shapely.Point(found.point)) < 1e-3
    assert draw_polygon(other).distance(shapely.Point(found.point)) == pytest.approx(found.mm, abs=1e-6)


@pytest.mark.parametrize(
    ("one", "y", "mm"),
    [
        (Rect(length_mm=30, width_mm=20), 15, 20.0),  # a bridge over the notch: furthest along the notch's middle
        (Rect(length_mm=80, width_mm=40), 10, 20.0),  # over the whole notch
        (Rect(length_mm=80, width_mm=60), 0, 20.0),
        (Round(radius_mm=15), 0, 20.0),
        (Round(radius_mm=5), 0, 15.0),
        (Round(radius_mm=5), -20, 0.0),
        (Oval(length_mm=30, width_mm=10), 45, math.hypot(20, 20)),
        (U_SHAPE, 0, 0.0),
        (U_SHAPE, 5, 5.0),
    ],
)
def test_parts_over_a_notch(one: Base, y: float, mm: float) -> None:
    found = find_furthest_point(PlacedShape(shape=one, x_mm=0, y_mm=y), PlacedShape(shape=U_SHAPE, x_mm=0, y_mm=0))
    assert found.mm == pytest.approx(mm, abs=1e-6)
