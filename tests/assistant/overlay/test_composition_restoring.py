"""Restoring marks: the front shows within the outline, and arrows keep clear of the base."""

import math

import pytest
import shapely

from assistant.geometry.shapes.base_shapes import Outline, Oval, PlacedShape, Rect, Round
from assistant.overlay.composition import CLEAR_MM, draw_step, draw_target, draw_turn

SHAPES = (
    Round(radius_mm=16),
    Oval(length_mm=90, width_mm=52),
    Rect(length_mm=100, width_mm=60),
    Outline(points_mm=((40, -10), (40, 10), (-20, 30), (-20, -30))),
)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_front_is_shown_inside_of_the_base(shape: Round | Oval | Rect | Outline) -> None:
    placed = PlacedShape(shape=shape, x_mm=300, y_mm=200, facing_rad=1.2)
    outline, wedge = map(shapely.Polygon, draw_target("m", placed, back=False, label="m").rings_mm)
    assert outline.buffer(0.1).covers(wedge)
    ahead_mm = (wedge.centroid.x - 300) * math.cos(1.2) + (wedge.centroid.y - 200) * math.sin(1.2)
    assert ahead_mm > 0


@pytest.mark.parametrize("shape", SHAPES)
def test_arrows_keep_clear_of_what_stays_dark_for_the_camera(shape: Round | Oval | Rect | Outline) -> None:
    placed = PlacedShape(shape=shape, x_mm=300, y_mm=200, facing_rad=1.2)
    base = shapely.Polygon(draw_target("m", placed, back=False, label="").rings_mm[0])
    assert shapely.LineString(draw_step("m", placed, 2.0).rings_mm[0]).distance(base) >= CLEAR_MM - 0.1
    for turn_rad in (0.3, -0.3):
        arc = draw_turn("m", placed, turn_rad).rings_mm[0]
        assert shapely.LineString(arc).distance(base) >= CLEAR_MM - 1
        first, last = (math.atan2(y - 200, x - 300) for x, y in (arc[0], arc[-1]))
        assert math.copysign(1, last - first) == math.copysign(1, turn_rad), "it turns the way the model has to"
