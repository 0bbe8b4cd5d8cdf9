import math

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.geometry.clearance.furthest_point import (
    contains,
    list_corners_mm,
    sample_rim,
)
from assistant.geometry.shapes.base_shapes import PlacedShape, Rect, Round
from tests.assistant.geometry.shape_strategies import L_SHAPE, draw_polygon, placed_shapes

quick = settings(max_examples=60)


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


def test_corners_and_rims_where_they_stand() -> None:
    turned = PlacedShape(shape=Rect(length_mm=10, width_mm=4), x_mm=1, y_mm=2, facing_rad=math.pi / 2)
    assert {tuple(c) for c in list_corners_mm(turned).round(9).tolist()} == {(3, -3), (3, 7), (-1, 7), (-1, -3)}
    assert len(list_corners_mm(PlacedShape(shape=Round(radius_mm=5), x_mm=0, y_mm=0))) == 0
    disc = PlacedShape(shape=Round(radius_mm=5), x_mm=1, y_mm=0, facing_rad=math.pi)
    assert sample_rim(disc, np.zeros(1))[0] == pytest.approx((-4, 0))
    with pytest.raises(TypeError, match="smooth rim"):
        sample_rim(turned, np.zeros(1))
