import math
from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely import affinity

from assistant.geometry.clearance import shape_clearance as clearance_module
from assistant.geometry.clearance.shape_clearance import (
    bound_leg_clearance,
    clearance,
    edge_clearance,
    find_nearer_approach,
    interpolate_pose,
    is_nearer,
    least_clearance,
    least_edge_clearance,
    turn_rad,
)
from assistant.geometry.shapes.base_shapes import Base, Oval, PlacedShape, Rect, Round
from assistant.geometry.shapes.convex import inner_radius_mm, outer_radius_mm
from tests.assistant.geometry.shape_strategies import L_SHAPE, angles, convex, draw_polygon, placed_shapes, places

quick = settings(max_examples=60)
slow = settings(max_examples=20)


def place_shape(shape: Base, x: float, y: float, facing: float = 0.0) -> PlacedShape:
    return PlacedShape(shape=shape, x_mm=x, y_mm=y, facing_rad=facing)


@pytest.mark.parametrize(
    ("one", "other", "mm"),
    [
        (place_shape(Round(radius_mm=16), 0, 0), place_shape(Round(radius_mm=16), 30, 40), 18.0),
        (place_shape(Round(radius_mm=16), 0, 0), place_shape(Round(radius_mm=16), 0, 0), -32.0),
        (place_shape(Rect(length_mm=10, width_mm=10), 0, 0), place_shape(Rect(length_mm=10, width_mm=10), 13, 14), 5.0),
        (place_shape(Rect(length_mm=10, width_mm=10), 0, 0), place_shape(Rect(length_mm=10, width_mm=20), 7, 0), -3.0),
        (place_shape(Rect(length_mm=10, width_mm=10), 0, 0), place_shape(Round(radius_mm=2), 8, 9), 3.0),
        (place_shape(Rect(length_mm=10, width_mm=10), 0, 0), place_shape(Round(radius_mm=2), 1, 0), -6.0),
        (
            place_shape(Oval(length_mm=60, width_mm=30), 0, 0),
            place_shape(Oval(length_mm=60, width_mm=30), 100, 0),
            40.0,
        ),
        (
            place_shape(Oval(length_mm=60, width_mm=30), 0, 0),
            place_shape(Oval(length_mm=60, width_mm=30), 0, 100),
            70.0,
        ),
        (place_shape(Oval(length_mm=60, width_mm=30), 0, 0), place_shape(Round(radius_mm=5), 0, 0), -20.0),
        (place_shape(L_SHAPE, 0, 0), place_shape(Round(radius_mm=5), 30, 30), 20.0),
    ],
)
def test_known_clearances(one: PlacedShape, other: PlacedShape, mm: float) -> None:
    assert clearance(one, other).mm == pytest.approx(mm, abs=1e-9)


def test_ellipse_to_point_is_not_two_scaled_circles() -> None:
    # The foot of the perpendicular at parameter 45 degrees of an ellipse with semi-axes 40 and 20, 10 mm outside.
    foot, normal = np.array((40, 20)) / math.sqrt(2), np.array((20, 40)) / math.hypot(20, 40)
    x, y = foot + 10 * normal
    found = clearance(place_shape(Oval(length_mm=80, width_mm=40), 0, 0), place_shape(Round(radius_mm=1e-9), x, y))
    assert found.mm == pytest.approx(10, abs=1e-8)
    assert found.near == pytest.approx(tuple(foot), abs=1e-5)


@quick
@given(placed_shapes(), placed_shapes())
def test_agrees_with_polygons_of_many_corners(one: PlacedShape, other: PlacedShape) -> None:
    exact, drawn = clearance(one, other).mm, draw_polygon(one).distance(draw_polygon(other))
    assert max(exact, 0.0) == pytest.approx(drawn, abs=1e-3)
    if draw_polygon(one).intersection(draw_polygon(other)).area > 0.1:
        assert exact < 0


@quick
@given(placed_shapes(), placed_shapes())
def test_symmetric_and_witnessed(one: PlacedShape, other: PlacedShape) -> None:
    there, back = clearance(one, other), clearance(other, one)
    assert there.mm == pytest.approx(back.mm, abs=1e-7)
    assert math.dist(there.near, there.far) == pytest.approx(abs(there.mm), abs=1e-6)
    if there.mm > 0:
        assert draw_polygon(one).distance(shapely.Point(there.near)) < 1e-3
        assert draw_polygon(other).distance(shapely.Point(there.far)) < 1e-3


@quick
@given(placed_shapes(), placed_shapes(), angles, places, places)
def test_rigid_motion_changes_nothing(one: PlacedShape, other: PlacedShape, turn: float, dx: float, dy: float) -> None:
    def moved(placed: PlacedShape) -> PlacedShape:
        x = placed.x_mm * math.cos(turn) - placed.y_mm * math.sin(turn) + dx
        y = placed.x_mm * math.sin(turn) + placed.y_mm * math.cos(turn) + dy
        return replace(placed, x_mm=x, y_mm=y, facing_rad=placed.facing_rad + turn)

    assert clearance(moved(one), moved(other)).mm == pytest.approx(clearance(one, other).mm, abs=1e-6)


@slow
@given(placed_shapes(convex), placed_shapes(convex), st.floats(-15, 15), st.floats(-15, 15))
def test_depth_is_the_least_way_out(one: PlacedShape, other: PlacedShape, dx: float, dy: float) -> None:
    other = replace(other, x_mm=one.x_mm + dx, y_mm=one.y_mm + dy)
    depth = -clearance(one, other).mm
    if depth < 0.01:
        return
    drawn_one, drawn_other = draw_polygon(one, 200), draw_polygon(other, 200)
    for angle in np.linspace(0, 2 * math.pi, 24):
        step = np.array((math.cos(angle), math.sin(angle))) * depth * 0.98
        assert affinity.translate(drawn_one, *step).distance(drawn_other) == 0


@slow
@given(placed_shapes(), places, places, angles, placed_shapes())
def test_contact_on_the_way_is_confirmed_by_dense_sampling(
    start: PlacedShape, x: float, y: float, facing: float, other: PlacedShape
) -> None:
    end = replace(start, x_mm=x, y_mm=y, facing_rad=facing)
    found = least_clearance(start, end, other)
    sampled = min(clearance(interpolate_pose(start, end, share), other).mm for share in np.linspace(0, 1, 40))
    assert found.clearance.mm <= sampled + 1e-6
    assert clearance(interpolate_pose(start, end, found.share), other).mm == pytest.approx(found.clearance.mm, abs=1e-6)
    assert bound_leg_clearance(start, end, other) <= found.clearance.mm + 1e-9 or found.clearance.mm < 0


@slow
@given(placed_shapes(), st.tuples(places, places, st.one_of(st.just(0.0), angles)), placed_shapes(), st.floats(-20, 20))
def test_an_approach_is_asked_for_only_where_it_is_nearer(
    start: PlacedShape, to: tuple[float, float, float], other: PlacedShape, away: float
) -> None:
    end = replace(start, x_mm=to[0], y_mm=to[1], facing_rad=start.facing_rad + to[2])
    clearance_module._keep_approach.cache_clear()  # as of a leg that nobody has asked about
    known = clearance(start, other).mm + away
    soon = find_nearer_approach(start, end, other, known)
    found = least_clearance(start, end, other)
    assert (soon is None) == (found.clearance.mm >= known)
    assert soon is None or soon.clearance.mm == pytest.approx(found.clearance.mm, abs=1e-5)
    assert find_nearer_approach(start, end, other, found.clearance.mm) is None


@quick
@given(placed_shapes(), placed_shapes(), st.floats(-20, 20))
def test_of_two_shapes_it_is_told_whether_they_are_nearer(one: PlacedShape, other: PlacedShape, away: float) -> None:
    mm = clearance(one, other).mm
    assert is_nearer(one, other, mm + away) == (mm < mm + away)


@quick
@given(
    st.sampled_from(
        [Rect(length_mm=40, width_mm=40), Rect(length_mm=25, width_mm=50), Rect(length_mm=60, width_mm=40)]
    ),
    st.tuples(angles, st.sampled_from((0.0, math.pi / 2)), st.sampled_from((1.0, -1.0))),
    st.floats(-30, 30),
    st.tuples(st.floats(5, 140), st.floats(-math.pi / 2, math.pi / 2)),
)
def test_a_leg_that_begins_or_ends_at_the_very_edge_is_measured_as_deep_as_it_goes(
    shape: Rect, stance: tuple[float, float, float], aside: float, way: tuple[float, float]
) -> None:
    facing, turned, sign = stance
    other = PlacedShape(shape=Rect(length_mm=40, width_mm=40), x_mm=300, y_mm=200, facing_rad=facing)
    away = 20 + (shape.length_mm if turned == 0 else shape.width_mm) / 2
    (ux, uy), heading = (math.cos(facing), math.sin(facing)), facing + math.pi + way[1]
    x, y = 300 + sign * (away * ux - aside * uy), 200 + sign * (away * uy + aside * ux)
    start = PlacedShape(shape=shape, x_mm=x, y_mm=y, facing_rad=facing + turned)
    end = replace(start, x_mm=x + sign * way[0] * math.cos(heading), y_mm=y + sign * way[0] * math.sin(heading))
    for leg in ((start, end), (end, start)):
        sampled = min(clearance(interpolate_pose(*leg, share), other).mm for share in np.linspace(0, 1, 40))
        assert least_clearance(*leg, other).clearance.mm <= sampled + 1e-5


@slow
@given(placed_shapes(), places, places, angles)
def test_least_edge_clearance_is_confirmed_by_dense_sampling(
    start: PlacedShape, x: float, y: float, facing: float
) -> None:
    end = replace(start, x_mm=x, y_mm=y, facing_rad=facing)
    found = least_edge_clearance(start, end, 150, 120)
    sampled = min(edge_clearance(interpolate_pose(start, end, share), 150, 120).mm for share in np.linspace(0, 1, 40))
    assert found.clearance.mm <= sampled + 1e-6
    assert edge_clearance(interpolate_pose(start, end, found.share), 150, 120).mm == pytest.approx(found.clearance.mm)


@pytest.mark.parametrize(
    ("x", "y", "mm"), [(50, 60, 34.0), (10, 60, -6.0), (90, 60, -6.0), (50, 100, 4.0), (50, 5, -11.0)]
)
def test_edge_clearance(x: float, y: float, mm: float) -> None:
    found = edge_clearance(place_shape(Round(radius_mm=16), x, y), 100, 120)
    assert found.mm == pytest.approx(mm)
    assert math.dist(found.near, found.far) == pytest.approx(abs(mm))


def test_facing_turns_the_shorter_way() -> None:
    start, end = (
        place_shape(Rect(length_mm=10, width_mm=5), 0, 0, 3.0),
        place_shape(Rect(length_mm=10, width_mm=5), 0, 0, -3.0),
    )
    assert turn_rad(start, end) == pytest.approx(2 * math.pi - 6)
    assert interpolate_pose(start, end, 0.5).facing_rad == pytest.approx(math.pi)
    assert turn_rad(replace(start, shape=Round(radius_mm=4)), replace(end, shape=Round(radius_mm=4))) == 0


def test_radii_of_an_outline() -> None:
    assert outer_radius_mm(L_SHAPE) == pytest.approx(math.hypot(20, 50))
    assert inner_radius_mm(L_SHAPE) == pytest.approx(5 * math.sqrt(2))


@quick
@given(st.floats(0, 3), st.floats(-3, 3))
def test_touching_is_exactly_zero(angle: float, facing: float) -> None:
    rect = place_shape(Rect(length_mm=40, width_mm=20), 0, 0, facing)
    reach = abs(20 * math.cos(angle - facing)) + abs(10 * math.sin(angle - facing))
    # A disc whose edge touches the rectangle's supporting line at the corner it passes through, or stays outside of it.
    disc = place_shape(Round(radius_mm=8), (reach + 8) * math.cos(angle), (reach + 8) * math.sin(angle))
    assert clearance(rect, disc).mm >= -1e-9


@pytest.mark.parametrize("place", [(450.31, 496.65), (504.23, 571.2), (399.76, 451.17)])
def test_an_edge_that_turns_past_a_disc_is_found_in_few_steps(
    place: tuple[float, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the middle of an edge is nearest, a direction that stays is a poor bound, one that turns along is exact."""
    at = Mock(wraps=clearance_module._place_part)  # how often a place on the way is looked at
    monkeypatch.setattr(clearance_module, "_place_part", at)
    shape = Rect(length_mm=100, width_mm=60)
    start = PlacedShape(shape=shape, x_mm=400, y_mm=400)
    end = PlacedShape(shape=shape, x_mm=560, y_mm=480, facing_rad=2.0)
    least_clearance(start, end, PlacedShape(shape=Round(radius_mm=16), x_mm=place[0], y_mm=place[1]))
    assert 0 < at.call_count < 2000


@pytest.mark.parametrize("turn_deg", range(0, 360, 10))
@pytest.mark.parametrize("back", [False, True])
def test_how_deep_one_comes_that_starts_in_contact_is_found_however_all_is_turned(turn_deg: int, *, back: bool) -> None:
    """Side by side, 40 by 20: by a rounding they are apart or overlap, and no direction tells which."""
    turn = math.radians(turn_deg)
    cos, sin = math.cos(turn), math.sin(turn)

    def place(along: float, beside: float) -> PlacedShape:
        x, y = 400 + along * cos - beside * sin, 300 + along * sin + beside * cos
        return place_shape(Rect(length_mm=40, width_mm=20), x, y, turn)

    # It slides on by as much as it comes deeper: s deep, it is 30 - s from being past the mate's end.
    start, end = place(10, 20), place(50, -20)
    found = least_clearance(end, start, place(0, 0)) if back else least_clearance(start, end, place(0, 0))
    assert found.clearance.mm == pytest.approx(-15, abs=1e-4)
