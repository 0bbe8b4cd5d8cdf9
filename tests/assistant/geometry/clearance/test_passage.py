import math

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.geometry.clearance.passage import crosses_line, least_width, measure_passage
from assistant.geometry.shapes.base_shapes import Base, Outline, Oval, PlacedShape, Rect, Round
from tests.assistant.geometry.shape_strategies import L_SHAPE, angles, convex, draw_polygon, placed_shapes

DISC, WALL = Round(radius_mm=16), Rect(length_mm=10, width_mm=200)
STAND, OVAL = Rect(length_mm=40, width_mm=20), Oval(length_mm=60, width_mm=35)
WEDGE = Outline(points_mm=((-20, -10), (40, -10), (-20, 20)))
ROOMY = {"width_mm": 1000.0, "depth_mm": 1000.0}


def place_shape(shape: Base, x: float, y: float, facing: float = 0.0) -> PlacedShape:
    return PlacedShape(shape=shape, x_mm=x, y_mm=y, facing_rad=facing)


@pytest.mark.parametrize(
    ("base", "gap", "facing", "margin"),
    [
        (DISC, 32.0, None, 0.0),
        (DISC, 30.0, 1.0, -2.0),
        (STAND, 25.0, None, 5.0),
        (STAND, 25.0, 0.0, -15.0),
        (STAND, 25.0, math.pi / 2, 5.0),
        (STAND, 45.0, 0.3, 45 - 40 * math.cos(0.3) - 20 * math.sin(0.3)),
        (OVAL, 40.0, None, 5.0),
        (OVAL, 40.0, 0.0, -20.0),
        (OVAL, 60.0, 0.5, 60 - 2 * math.hypot(30 * math.cos(0.5), 17.5 * math.sin(0.5))),
    ],
)
def test_between_two_walls(base: Base, gap: float, facing: float | None, margin: float) -> None:
    found = measure_passage(
        base, place_shape(WALL, -5 - gap / 2, 0), place_shape(WALL, 5 + gap / 2, 0), facing_rad=facing
    )
    assert found.gap.mm == pytest.approx(gap)
    assert found.margin_mm == pytest.approx(margin, abs=1e-9)


def test_between_two_discs_a_kept_facing_may_slip_through_aslant() -> None:
    # Across the narrowest place the rectangle is 60 mm wide; it passes along its own length, where the gap is less.
    rail = Rect(length_mm=60, width_mm=2)
    found = measure_passage(
        rail, place_shape(Round(radius_mm=1), 0, 0), place_shape(Round(radius_mm=1), 40, 30), facing_rad=0.0
    )
    assert found.gap.mm == pytest.approx(48)
    assert found.margin_mm == pytest.approx(30 - 2 - 2)


def test_a_concave_terrain_is_passed_where_its_parts_leave_room() -> None:
    hook, peg = place_shape(L_SHAPE, 0, 0), place_shape(Round(radius_mm=2), 25, 25)
    assert measure_passage(Round(radius_mm=9), hook, peg).margin_mm == pytest.approx(18 - 18)
    assert measure_passage(Rect(length_mm=60, width_mm=17), hook, peg, facing_rad=0.0).margin_mm < 0
    assert measure_passage(Rect(length_mm=17, width_mm=17), hook, peg, facing_rad=0.0).margin_mm == pytest.approx(1)


@settings(max_examples=40)
@given(convex, placed_shapes(convex), placed_shapes(convex), angles)
def test_a_kept_facing_passes_if_the_forbidden_places_stay_apart(
    base: Base, one: PlacedShape, other: PlacedShape, facing: float
) -> None:
    body = shapely.get_coordinates(draw_polygon(place_shape(base, 0, 0, facing), 120))
    outlines = [shapely.get_coordinates(draw_polygon(shape, 120)) for shape in (one, other)]
    sums = [(outline[:, None] - body[None]).reshape(-1, 2) for outline in outlines]
    forbidden = [shapely.MultiPoint(points).convex_hull for points in sums]
    margin = measure_passage(base, one, other, facing_rad=facing).margin_mm
    assert max(margin, 0.0) == pytest.approx(forbidden[0].distance(forbidden[1]), abs=0.2)
    assert margin <= measure_passage(base, one, other).margin_mm + 1e-6


@settings(max_examples=40)
@given(st.one_of(convex, st.just(WEDGE)), placed_shapes(convex), placed_shapes(convex))
def test_the_best_facing_passes_by_the_same_margin_when_it_is_kept(
    base: Base, one: PlacedShape, other: PlacedShape
) -> None:
    found = measure_passage(base, one, other)
    if abs(found.gap.mm) < 1e-6:
        return
    kept = measure_passage(base, one, other, facing_rad=found.facing_rad)
    assert kept.margin_mm == pytest.approx(found.margin_mm, abs=1e-6)


@pytest.mark.parametrize("base", [Round(radius_mm=16), STAND, OVAL, L_SHAPE, Rect(length_mm=10, width_mm=70)])
def test_least_width_is_the_least_of_all_shadows(base: Base) -> None:
    width, across = least_width(base)
    corners = shapely.get_coordinates(draw_polygon(place_shape(base, 0, 0)))
    turns = np.append(np.linspace(0, math.pi, 2000), across)
    shadows = corners @ np.array((np.cos(turns), np.sin(turns)))
    extents = np.ptp(shadows, axis=0)
    assert extents[-len(across) :] == pytest.approx(width, abs=1e-3)
    assert extents.min() == pytest.approx(width, abs=1e-3)


def test_a_base_that_is_its_own_mirror_image_is_as_narrow_both_ways() -> None:
    arrow = Outline(points_mm=((30, 0), (-20, 22), (-8, 0), (-20, -22)))
    assert sum(least_width(arrow)[1]) == pytest.approx(0, abs=1e-9)
    assert [len(least_width(each)[1]) for each in (arrow, Rect(length_mm=25, width_mm=25), STAND)] == [2, 2, 1]


@given(angles)
def test_a_gap_between_facing_edges_is_measured_in_their_middle_however_it_lies(facing: float) -> None:
    cos, sin = math.cos(facing), math.sin(facing)
    one, two = place_shape(STAND, 100, 100, facing), place_shape(STAND, 100 - 70 * sin, 100 + 70 * cos, facing)
    found = measure_passage(DISC, one, two).gap
    assert found.mm == pytest.approx(50)
    assert found.near == pytest.approx((100 - 10 * sin, 100 + 10 * cos), abs=1e-6)
    assert found.far == pytest.approx((100 - 60 * sin, 100 + 60 * cos), abs=1e-6)


@pytest.mark.parametrize(
    ("way", "crosses"),
    [
        ([(5, -1), (5, 1)], True),
        ([(11, -1), (11, 1)], False),
        ([(5, -1), (5, 0)], False),
        ([(5, 0), (5, 1)], False),
        ([(5, -1), (5, 0), (5, -1)], False),
        ([(5, -1), (5, 0), (5, 1)], True),
        ([(-5, -1), (-5, 0), (5, 0), (5, 1)], True),
        ([(-5, -1), (-5, 0), (-2, 0), (-2, 1)], False),
        ([(20, -1), (20, 1), (5, 1), (5, -1)], True),
        ([(5, -1e-9), (5, 1)], False),
    ],
)
@pytest.mark.parametrize("facing", [0.0, 0.4, math.pi / 2])
def test_a_way_crosses_a_line_or_only_comes_to_it(way: list[tuple[float, float]], crosses: bool, facing: float) -> None:
    cos, sin = math.cos(facing), math.sin(facing)
    turned = [(100 + x * cos - y * sin, 50 + x * sin + y * cos) for x, y in way]
    line = (100.0, 50.0), (100 + 10 * cos, 50 + 10 * sin)
    assert crosses_line(turned, line, 1e-6) is crosses
    assert crosses_line(turned[::-1], line, 1e-6) is crosses
