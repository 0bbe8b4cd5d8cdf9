import math

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.geometry.clearance.furthest_point import (
    area_mm2,
    contains,
    extent,
    furthest_from,
    list_corners_mm,
    sample_rim,
)
from assistant.geometry.shapes.base_shapes import Oval, PlacedShape, Rect, Round
from tests.assistant.geometry.shape_strategies import L_SHAPE, draw_polygon, placed_shapes, places

quick = settings(max_examples=60)


@quick
@given(placed_shapes())
def test_area_and_extent_are_those_of_a_polygon_of_many_corners(placed: PlacedShape) -> None:
    drawn, box = draw_polygon(placed), extent(placed)
    assert area_mm2(placed.shape) == pytest.approx(drawn.area, rel=1e-5)
    found = (box.least_x_mm, box.least_y_mm, box.most_x_mm, box.most_y_mm)
    assert found == pytest.approx(drawn.bounds, abs=1e-3)


def test_known_areas_and_extents() -> None:
    assert area_mm2(L_SHAPE) == pytest.approx(60 * 25 + 25 * 45)
    assert area_mm2(Oval(length_mm=60, width_mm=35)) == pytest.approx(math.pi * 30 * 17.5)
    box = extent(PlacedShape(shape=Oval(length_mm=80, width_mm=60), x_mm=10, y_mm=0, facing_rad=math.pi / 4))
    half = math.hypot(40, 30) / math.sqrt(2)
    assert (box.least_x_mm, box.most_y_mm) == pytest.approx((10 - half, half), abs=1e-12)


@quick
@given(placed_shapes(), st.integers(0, 1000))
def test_contains_agrees_with_a_polygon_of_many_corners(placed: PlacedShape, seed: int) -> None:
    middle = np.array((placed.x_mm, placed.y_mm))
    points = np.random.default_rng(seed).uniform(middle - 90, middle + 90, (300, 2))
    drawn = draw_polygon(placed)
    clear = shapely.distance(drawn.exterior, shapely.points(points)) > 1e-3
    expected = shapely.contains_xy(drawn, points[:, 0], points[:, 1])
    assert (contains(placed, points) == expected)[clear].all()


def test_the_edge_belongs_to_the_shape_and_a_notch_does_not() -> None:
    at = PlacedShape(shape=L_SHAPE, x_mm=100, y_mm=0)
    found = contains(at, np.array([[140, 0], [120, 20], [90, 40], [140.001, 0], [105, 5]], dtype=float))
    assert found.tolist() == [True, False, True, False, True]
    disc = PlacedShape(shape=Round(radius_mm=5), x_mm=0, y_mm=0)
    assert contains(disc, np.array([[3.0, 4.0], [3.0, 4.001]])).tolist() == [True, False]
    rect = PlacedShape(shape=Rect(length_mm=10, width_mm=4), x_mm=0, y_mm=0)
    assert contains(rect, np.array([[5.0, 2.0], [2.0, 5.0]])).tolist() == [True, False]


@quick
@given(placed_shapes(), places, places)
def test_furthest_point_is_in_the_shape_and_no_other_is_further(placed: PlacedShape, x: float, y: float) -> None:
    found = furthest_from(placed, (x, y))
    corners = shapely.get_coordinates(draw_polygon(placed))
    sampled = float(np.hypot(*(corners - (x, y)).T).max())
    assert sampled - 1e-9 <= found.mm <= sampled + 1e-3
    assert math.dist(found.point, (x, y)) == pytest.approx(found.mm, abs=1e-9)
    assert shapely.distance(draw_polygon(placed), shapely.Point(found.point)) < 1e-3


def test_furthest_point_of_an_ellipse_is_exact() -> None:
    # From a point of the minor axis, (x/a)^2 + (y/b)^2 = 1 is furthest where y = -b^2 c / (a^2 - b^2).
    a, b, c = 50.0, 30.0, 20.0
    y = -b * b * c / (a * a - b * b)
    x2 = a * a * (1 - y * y / (b * b))
    found = furthest_from(PlacedShape(shape=Oval(length_mm=2 * a, width_mm=2 * b), x_mm=0, y_mm=0), (0, c))
    assert found.mm == pytest.approx(math.sqrt(x2 + (c - y) ** 2), abs=1e-9)
    assert abs(found.point[0]) == pytest.approx(math.sqrt(x2), abs=1e-6)


def test_furthest_point_of_a_disc_from_its_own_centre() -> None:
    found = furthest_from(PlacedShape(shape=Round(radius_mm=16), x_mm=3, y_mm=4), (3, 4))
    assert found.mm == 16
    assert math.dist(found.point, (3, 4)) == pytest.approx(16)


def test_corners_and_rims_where_they_stand() -> None:
    turned = PlacedShape(shape=Rect(length_mm=10, width_mm=4), x_mm=1, y_mm=2, facing_rad=math.pi / 2)
    assert {tuple(c) for c in list_corners_mm(turned).round(9).tolist()} == {(3, -3), (3, 7), (-1, 7), (-1, -3)}
    assert len(list_corners_mm(PlacedShape(shape=Round(radius_mm=5), x_mm=0, y_mm=0))) == 0
    disc = PlacedShape(shape=Round(radius_mm=5), x_mm=1, y_mm=0, facing_rad=math.pi)
    assert sample_rim(disc, np.zeros(1))[0] == pytest.approx((-4, 0))
    with pytest.raises(TypeError, match="smooth rim"):
        sample_rim(turned, np.zeros(1))
