"""Climbs by the areas that are climbed, against the search over relays, which shares nothing with it but tangents."""

import math
import random

import pytest
import shapely

from assistant.geometry.clearance.shape_clearance import Point
from assistant.geometry.shapes.base_shapes import Outline, Rect, Round
from assistant.geometry.shapes.convex import ConvexSet, decompose_convex
from assistant.geometry.shapes.polygons import circumscribe
from assistant.geometry.shortest_path.tangents import Box
from assistant.geometry.shortest_path.weighted import reach as ground
from assistant.geometry.shortest_path.weighted.areas import CostArea
from assistant.geometry.shortest_path.weighted.climbs import (
    UndecidedClimb,
    build_climb_scene,
    find_climb_region,
    find_climb_route,
)
from assistant.geometry.shortest_path.weighted.relay_search import find_relayed_regions, find_relayed_routes

BOX: Box = (0.0, 0.0, 600.0, 600.0)
CORNER = Outline(points_mm=((0, 0), (150, 0), (150, 20), (20, 20), (20, 150), (0, 150)))


def make_block(x: float, y: float, turn: float, length: float = 90.0, width: float = 50.0) -> ConvexSet:
    (part,) = decompose_convex(Rect(length_mm=length, width_mm=width))
    return part.move(x, y, turn).grow(12.0)


def make_scene(seed: int) -> tuple[Point, list[ConvexSet], list[CostArea]]:
    """A start, closed discs, and blocks to climb, which may overlap each other and hold the start."""
    rng = random.Random(seed)
    (disc,) = decompose_convex(Round(radius_mm=40))
    closed = [disc.move(rng.uniform(0, 600), rng.uniform(0, 600)) for _ in range(3)]
    areas = []
    for _ in range(4):
        up = rng.uniform(10, 60)
        part = make_block(rng.uniform(150, 450), rng.uniform(150, 450), rng.uniform(0, 3))
        areas.append(CostArea(parts=(part,), up_mm=up, down_mm=rng.choice((up, 0.0, 20.0))))
    while True:
        start = (rng.uniform(150, 450), rng.uniform(150, 450))
        if all(obstacle.distance(*start)[0] > 1 for obstacle in closed):
            return start, closed, areas


@pytest.mark.parametrize("seed", range(8))
def test_a_way_costs_what_the_relays_find(seed: int) -> None:
    start, closed, areas = make_scene(seed)
    rng = random.Random(seed)
    goals = [(rng.uniform(50, 550), rng.uniform(50, 550)) for _ in range(6)]
    goals = [goal for goal in goals if all(obstacle.distance(*goal)[0] > 1 for obstacle in closed)]
    around_start = build_climb_scene(start, closed, areas, BOX)
    relayed = find_relayed_routes(start, goals, 900.0, (closed, areas, BOX))
    for goal, other in zip(goals, relayed, strict=True):
        found = find_climb_route(around_start, goal, 900.0)
        assert found is not None
        assert other is not None
        assert found.mm <= other.mm + 1e-6, "the relays' cost is that of some way"
        assert found.mm == pytest.approx(other.mm, abs=0.05)
        assert (found.points[0], found.points[-1]) == (start, goal)


@pytest.mark.parametrize("seed", range(6))
def test_a_place_is_in_the_region_as_its_way_costs(seed: int) -> None:
    start, closed, areas = make_scene(100 + seed)
    limit = 180.0
    around_start = build_climb_scene(start, closed, areas, BOX)
    shut = shapely.union_all([circumscribe(obstacle, 0.01) for obstacle in closed])
    region = find_climb_region(around_start, limit).difference(shut)
    edge, rng = region.boundary, random.Random(seed)
    checked = 0
    for _ in range(60):
        at = edge.interpolate(rng.uniform(0, edge.length))
        place = (at.x + rng.gauss(0, 2), at.y + rng.gauss(0, 2))
        point = shapely.Point(place)
        if edge.distance(point) > 0.05 and not shut.contains(point) and BOX[0] <= min(place) and max(place) <= BOX[2]:
            route = find_climb_route(around_start, place, math.inf)
            assert route is not None
            assert region.contains(point) == (route.mm <= limit), (place, route.mm)
            checked += 1
    assert checked > 25


def assert_alike(one: shapely.MultiPolygon, two: shapely.MultiPolygon, closed: list[ConvexSet]) -> None:
    """Nowhere outside the obstacles one region leads further than the other by more than they are drawn to."""
    shut = shapely.union_all([circumscribe(obstacle, 0.01) for obstacle in closed])
    apart = shapely.symmetric_difference(one, two).difference(shut).buffer(-ground.ERROR_MM)
    assert apart.is_empty, apart.bounds


@pytest.mark.parametrize("seed", [6, 7, 20, 58])
def test_a_region_is_what_the_relays_reach(seed: int) -> None:
    """Among overlapping blocks, and discs across their edges round which a way may leave one and come back."""
    start, closed, areas = make_scene(seed)
    found = find_climb_region(build_climb_scene(start, closed, areas, BOX), 200.0)
    (relayed,) = find_relayed_regions(start, [200.0], (closed, areas, BOX))
    assert_alike(found, relayed, closed)


@pytest.mark.parametrize("up_mm", [10.0, 60.0])
def test_a_corner_is_swept_from_where_it_is_climbed_on(up_mm: float) -> None:
    (disc,) = decompose_convex(Round(radius_mm=25))
    closed = [disc.move(270.0, 260.0), disc.move(225.0, 350.0)]
    parts = tuple(part.move(200.0, 200.0).grow(12.0) for part in decompose_convex(CORNER))
    areas = [
        CostArea(parts=parts, up_mm=up_mm, down_mm=up_mm),
        CostArea(parts=(make_block(330, 330, 0.7),), up_mm=20, down_mm=20),
    ]
    for start in ((260.0, 180.0), (300.0, 290.0), (210.0, 240.0)):
        found = find_climb_region(build_climb_scene(start, closed, areas, BOX), 180.0)
        (relayed,) = find_relayed_regions(start, [180.0], (closed, areas, BOX))
        assert_alike(found, relayed, closed)


def test_a_block_is_climbed_again_by_one_who_leaves_it_round_a_disc() -> None:
    (disc,) = decompose_convex(Round(radius_mm=30))
    closed = [disc.move(300.0, 340.0)]
    area = CostArea(parts=(make_block(300, 300, 0.0, length=160, width=60),), up_mm=40, down_mm=40)
    start, goal = (225.0, 341.0), (375.0, 341.0)
    scene = build_climb_scene(start, closed, [area], BOX)
    (inner,) = ground.find_weighted_routes(start, [goal], closed, [area], BOX)
    assert inner is not None
    assert inner.mm > math.dist(start, goal) + 2
    assert shapely.LineString(inner.points).bounds[1] < 311, "round the disc on the block, not past its edge and back"
    region = find_climb_region(scene, inner.mm - 0.2)
    assert not region.contains(shapely.Point(goal))
    assert find_climb_region(scene, inner.mm + 0.2).contains(shapely.Point(goal))


@pytest.mark.parametrize("y", [300.0, 307.0, 330.0])
def test_nobody_passes_between_the_parts_of_what_is_too_high(y: float) -> None:
    (whole,), (half,) = (decompose_convex(Rect(length_mm=40, width_mm=width)) for width in (100, 50))
    outlines = (whole.move(300, 300),), (half.move(300, 275), half.move(300, 325))
    one, two = (
        find_climb_region(build_climb_scene((260, y), [], [CostArea(parts=parts, up_mm=400)], BOX), 90.0)
        for parts in outlines
    )
    assert_alike(one, two, [])


def test_over_a_block_or_around_it() -> None:
    area = CostArea(parts=(make_block(300, 300, 0.0, length=40, width=400),), up_mm=30, down_mm=20)
    over = find_climb_route(build_climb_scene((200, 300), [], [area], BOX), (400, 300), math.inf)
    assert over is not None
    assert over.mm == pytest.approx(200 + 50)
    onto = find_climb_route(build_climb_scene((200, 300), [], [area], BOX), (300, 300), math.inf)
    assert onto is not None
    assert onto.mm == pytest.approx(100 + 30)
    off = find_climb_route(build_climb_scene((300, 300), [], [area], BOX), (400, 300), math.inf)
    assert off is not None
    assert off.mm == pytest.approx(100 + 20)
    assert find_climb_route(build_climb_scene((200, 300), [], [area], BOX), (400, 300), 249.0) is None


def test_a_corner_that_may_be_entered_twice_is_left_to_the_relays() -> None:
    parts = tuple(part.move(200.0, 200.0) for part in decompose_convex(CORNER))
    area, low = (CostArea(parts=parts, up_mm=mm, down_mm=mm) for mm in (60, 10))
    assert len(parts) > 1
    around = find_climb_route(build_climb_scene((300, 190), [], [area], BOX), (190, 300), math.inf)
    assert around is not None
    assert around.mm == pytest.approx(math.hypot(100, 10) + math.hypot(10, 100))
    with pytest.raises(UndecidedClimb):  # straight over both arms it climbs twice, past the inner corner but once
        find_climb_route(build_climb_scene((300, 190), [], [low], BOX), (190, 300), math.inf)
    (route,) = ground.find_weighted_routes((300, 190), [(190, 300)], [], [low], BOX)
    assert route is not None
    assert route.mm == pytest.approx(2 * math.hypot(80, 30) + 2 * 10)
    near = find_climb_route(build_climb_scene((300, 190), [], [area], BOX), (300, 230), math.inf)
    assert near is not None
    assert near.mm <= 40 + 120


def test_nothing_within_reach_is_climbed_for_nothing() -> None:
    area = CostArea(parts=(make_block(300, 300, 0.0),), up_mm=500, down_mm=500)
    region = find_climb_region(build_climb_scene((150, 300), [], [area], BOX), 140.0)
    assert not region.contains(shapely.Point(285, 300))
    assert region.contains(shapely.Point(240, 300))
