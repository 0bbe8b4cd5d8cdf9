"""Degenerate questions to the whole kernel are answered, and what is no shape is refused by name."""

import math

import numpy as np
import pytest
import shapely

from assistant.errors import BadInput
from assistant.geometry.clearance.furthest_point import contains
from assistant.geometry.clearance.passage import measure_passage
from assistant.geometry.clearance.shape_arrays import build_shape_arrays
from assistant.geometry.clearance.shape_clearance import clearance, edge_clearance, least_clearance
from assistant.geometry.motion.path_length import measure_centre_travel, measure_furthest_travel
from assistant.geometry.shapes.base_shapes import Base, Outline, Oval, PlacedShape, Rect, Round
from assistant.geometry.shapes.convex import ConvexSet, decompose_placed
from assistant.geometry.shortest_path.free.reach import find_reach_region, find_shortest_route, shrink_obstacles
from assistant.geometry.shortest_path.tangents import Box
from assistant.geometry.visibility.line_of_sight import find_sight_line
from tests.assistant.geometry.clearance.all_pairs import measure_all_pairs

BOX: Box = (0.0, 0.0, 400.0, 400.0)
HERE = (200.0, 200.0)
NOTCHED = Outline(points_mm=((-20, -20), (40, -20), (40, 5), (5, 5), (5, 50), (-20, 50)))
KINDS: tuple[Base, ...] = (
    Round(radius_mm=16),
    Oval(length_mm=60, width_mm=35),
    Rect(length_mm=50, width_mm=25),
    NOTCHED,
)
POINT = Round(radius_mm=0.0)


def place_shape(shape: Base, x: float = 200.0, y: float = 200.0, facing: float = 0.0) -> PlacedShape:
    return PlacedShape(shape=shape, x_mm=x, y_mm=y, facing_rad=facing)


def make_disc(x: float, y: float, radius: float) -> ConvexSet:
    return ConvexSet(corners_mm=np.array([(x, y)]), radius_mm=radius)


@pytest.mark.parametrize(
    ("points", "says"),
    [
        ((), "the outline without points has 0 points"),
        (((0, 0), (4, 0)), r"the outline \(0, 0\), \(4, 0\) has 2 points, not at least 3"),
        (((0, 0), (4, 4), (4, 0), (0, 4)), r"\(0, 0\), \(4, 4\), \(4, 0\), \(0, 4\) crosses or touches itself"),
        (((0, 0), (4, 0), (4, 4), (2, 0), (0, 4)), r"\(4, 4\), \(2, 0\), … crosses or touches itself"),
        (((0, 0), (1, 1), (3, 3)), "has no area"),
        (((0, 0), (4, 0), (4, 0), (0, 4)), "gives one point twice, as number 2 and 3"),
        (((0, 0), (4, 0), (0, 4), (0, 0)), "gives one point twice, as number 1 and 4"),
        (((0, 0), (4, 0), (0, math.nan)), r"\(0, nan\) has a point that is not a finite number"),
        (((0, 0), (math.inf, 0), (0, 4)), r"\(inf, 0\), \(0, 4\) has a point that is not a finite number"),
    ],
)
def test_an_outline_that_is_no_polygon_is_refused_by_name(points: tuple[tuple[float, float], ...], says: str) -> None:
    with pytest.raises(BadInput, match=says + ".*; expected a simple polygon$"):
        Outline(points_mm=points)


@pytest.mark.parametrize("length", [0.0, -1.0, math.nan, math.inf])
def test_a_length_that_is_none_is_refused(length: float) -> None:
    for kind, named in ((Oval, "an ellipse"), (Rect, "a rectangle")):
        for sides in ((length, 5.0), (5.0, length)):
            with pytest.raises(BadInput, match=f"{named} of .* expected lengths greater than 0"):
                kind(length_mm=sides[0], width_mm=sides[1])
    if length != 0:
        with pytest.raises(BadInput, match="a disc of radius .* expected a length of 0 or more"):
            Round(radius_mm=length)


def test_an_outline_of_next_to_no_width_is_measured_as_a_line() -> None:
    needle = place_shape(Outline(points_mm=((0, 0), (20, 0), (0, 1e-13))))
    found = clearance(needle, place_shape(Round(radius_mm=5), 210, 230))
    assert found.mm == pytest.approx(25)
    assert found.near == pytest.approx((210, 200))
    assert clearance(needle, place_shape(Rect(length_mm=10, width_mm=10), 235, 200)).mm == pytest.approx(10)


def test_a_base_of_no_size_is_a_point() -> None:
    spot = place_shape(POINT)
    assert contains(spot, np.array([HERE, (200.0, 200.1)])).tolist() == [True, False]
    assert clearance(spot, place_shape(POINT, 203, 204)).mm == pytest.approx(5)
    assert clearance(spot, place_shape(Rect(length_mm=50, width_mm=25), 250)).mm == pytest.approx(25)
    assert clearance(spot, place_shape(Oval(length_mm=60, width_mm=35), 250)).mm == pytest.approx(20)
    assert edge_clearance(spot, 400, 400).mm == 200


@pytest.mark.parametrize("shape", KINDS)
def test_coincident_shapes_overlap_and_are_measured_at_a_point_of_each(shape: Base) -> None:
    one = place_shape(shape, facing=0.4)
    found = clearance(one, one)
    assert found.mm < -1
    assert math.isfinite(found.near[0] + found.near[1] + found.far[0] + found.far[1])
    assert math.dist(found.near, found.far) == pytest.approx(-found.mm, abs=1e-6)
    pairs = measure_all_pairs(build_shape_arrays([one, one, one]))
    assert pairs.mm == pytest.approx(np.full(3, found.mm), abs=1e-6)


@pytest.mark.parametrize("shape", KINDS)
def test_a_facing_of_a_million_radians_is_that_facing(shape: Base) -> None:
    far, near = place_shape(shape, facing=1e6), place_shape(shape, facing=math.remainder(1e6, 2 * math.pi))
    other = place_shape(NOTCHED, 270, 240, 1.0)
    assert clearance(far, other).mm == pytest.approx(clearance(near, other).mm, abs=1e-6)
    turned = measure_furthest_travel([near, far])
    assert turned.mm == pytest.approx(0, abs=1e-6)
    assert least_clearance(near, far, other).clearance.mm == pytest.approx(clearance(near, other).mm, abs=1e-6)


@pytest.mark.parametrize("shape", KINDS)
def test_a_path_that_goes_nowhere_has_no_length_and_its_ends_clearance(shape: Base) -> None:
    one, other = place_shape(shape), place_shape(NOTCHED, 300, 200, 0.3)
    assert measure_centre_travel([one]).mm == measure_furthest_travel([one]).mm == 0
    assert measure_centre_travel([one, one, one]).mm == measure_furthest_travel([one, one]).mm == 0
    assert least_clearance(one, one, other).clearance.mm == pytest.approx(clearance(one, other).mm, abs=1e-9)


def test_no_allowance_reaches_nothing_and_a_tiny_one_a_tiny_disc() -> None:
    assert find_reach_region(HERE, 0.0, [make_disc(250, 200, 20)], BOX).is_empty
    assert find_reach_region(HERE, -1.0, [], BOX).is_empty
    tiny = find_reach_region(HERE, 1e-3, [make_disc(250, 200, 20)], BOX)
    assert tiny.area == pytest.approx(math.pi * 1e-6, rel=0.4)


def test_a_base_that_starts_in_contact_leaves_and_slides_along() -> None:
    wall = decompose_placed(place_shape(Rect(length_mm=20, width_mm=100), 226))[0].grow(16)
    assert wall.distance(*HERE)[0] == pytest.approx(0, abs=1e-12)
    region = find_reach_region(HERE, 80, [wall], BOX)
    for place in ((130.0, 200.0), (199.9, 270.0), (199.9, 130.0)):
        assert region.contains(shapely.Point(place))
    assert not region.contains(shapely.Point(210, 200))
    along = find_shortest_route(HERE, (200.0, 240.0), [wall], BOX)
    assert along is not None
    assert along.mm == pytest.approx(40, abs=1e-9)


def test_touching_obstacles_and_the_same_one_twice_change_no_length() -> None:
    row = [make_disc(200, 60 + 40 * index, 20) for index in range(8)]  # a wall of discs that touch
    twice = [obstacle for obstacle in row for _ in range(2)]
    start, goal = (120.0, 200.0), (280.0, 200.0)
    lengths = [find_shortest_route(start, goal, obstacles, BOX) for obstacles in (row, twice)]
    assert lengths[0] is not None
    assert lengths[1] is not None
    assert lengths[0].mm == pytest.approx(lengths[1].mm, abs=1e-9)
    once, again = (find_reach_region(start, 150, obstacles, BOX) for obstacles in (row, twice))
    assert once.symmetric_difference(again).area < 1e-3


def test_sealed_in_a_base_stays_inside() -> None:
    ring = [make_disc(200 + 60 * math.cos(i * math.pi / 4), 200 + 60 * math.sin(i * math.pi / 4), 25) for i in range(8)]
    region = find_reach_region(HERE, 300, ring, BOX)
    assert not region.is_empty
    assert max(math.dist(HERE, corner) for corner in shapely.get_coordinates(region).tolist()) < 60
    assert find_shortest_route(HERE, (350.0, 200.0), ring, BOX) is None
    tight = [
        make_disc(200 + 25.0001 * math.cos(a), 200 + 25.0001 * math.sin(a), 25) for a in np.arange(6) * math.pi / 3
    ]
    assert find_reach_region(HERE, 300, tight, BOX).area < 1


def test_a_table_smaller_than_the_base_holds_it_nowhere() -> None:
    small = 16.0, 16.0, 20.0 - 16.0, 20.0 - 16.0  # places of a 32 mm base on a table of 20 mm
    assert find_reach_region((10.0, 10.0), 50, [], small).is_empty
    assert find_shortest_route((10.0, 10.0), (10.0, 10.0), [], small) is None
    body = place_shape(Round(radius_mm=16), 10, 10)
    assert edge_clearance(body, 20, 20).mm == -6


def test_a_place_inside_an_obstacle_is_left_and_its_hard_core_left_out() -> None:
    assert shrink_obstacles([make_disc(*HERE, 20)], [HERE]) == []
    (shrunk,) = shrink_obstacles([make_disc(210, 200, 20)], [HERE])
    assert shrunk.distance(*HERE)[0] == pytest.approx(1e-6, abs=1e-9)
    assert find_reach_region(HERE, 50, [shrunk], BOX).area > 0


def test_a_place_that_touches_three_obstacles_is_left_between_them() -> None:
    x, y = HERE
    three = [make_disc(x + dx, y + dy, math.hypot(dx, dy)) for dx, dy in ((29.0, 19.5), (-46.3, -8.1), (4.2, 46.8))]
    free = shrink_obstacles(three, [HERE])
    assert [part.distance(*HERE)[0] for part in free] == pytest.approx([1e-6] * 3, abs=1e-9)
    found = find_reach_region(HERE, 100, free, BOX)
    for degrees in range(-75, -20, 5):
        place = (x + 90 * math.cos(math.radians(degrees)), y + 90 * math.sin(math.radians(degrees)))
        route = find_shortest_route(HERE, place, free, BOX)
        assert found.contains(shapely.Point(place)) == (route is not None and route.mm < 100)


def test_no_gap_between_what_touches_or_coincides() -> None:
    body, one = Round(radius_mm=16), place_shape(Round(radius_mm=20))
    assert measure_passage(body, one, place_shape(Round(radius_mm=20), 240)).margin_mm == pytest.approx(-32)
    assert measure_passage(body, one, one).margin_mm < -32


def test_sight_of_oneself_and_of_what_touches() -> None:
    one, other = place_shape(Round(radius_mm=16)), place_shape(Round(radius_mm=16), 232)
    assert find_sight_line(one, other, []) is not None
    assert find_sight_line(one, one, []) is not None
