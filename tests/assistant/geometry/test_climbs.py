"""Climbs by the areas that are climbed, against the search over relays, which shares nothing with it but tangents."""

import math
import random

import pytest
import shapely

from assistant.geometry import ground
from assistant.geometry.areas import Area
from assistant.geometry.clearance import Point
from assistant.geometry.climbs import Undecided, climbed_region, climbed_route, climbing
from assistant.geometry.convex import Convex, convex_parts
from assistant.geometry.reach import Box
from assistant.geometry.regions import around
from assistant.geometry.shapes import Outline, Rect, Round

BOX: Box = (0.0, 0.0, 600.0, 600.0)
CORNER = Outline(points_mm=((0, 0), (150, 0), (150, 20), (20, 20), (20, 150), (0, 150)))


def block(x: float, y: float, turn: float, length: float = 90.0, width: float = 50.0) -> Convex:
    (part,) = convex_parts(Rect(length_mm=length, width_mm=width))
    return part.moved(x, y, turn).grown(12.0)


def scene(seed: int) -> tuple[Point, list[Convex], list[Area]]:
    """A start, closed discs, and blocks to climb, which may overlap each other and hold the start."""
    rng = random.Random(seed)
    (disc,) = convex_parts(Round(radius_mm=40))
    closed = [disc.moved(rng.uniform(0, 600), rng.uniform(0, 600)) for _ in range(3)]
    areas = []
    for _ in range(4):
        up = rng.uniform(10, 60)
        part = block(rng.uniform(150, 450), rng.uniform(150, 450), rng.uniform(0, 3))
        areas.append(Area(parts=(part,), up_mm=up, down_mm=rng.choice((up, 0.0, 20.0))))
    while True:
        start = (rng.uniform(150, 450), rng.uniform(150, 450))
        if all(obstacle.distance(*start)[0] > 1 for obstacle in closed):
            return start, closed, areas


@pytest.mark.parametrize("seed", range(8))
def test_a_way_costs_what_the_relays_find(seed: int) -> None:
    start, closed, areas = scene(seed)
    rng = random.Random(seed)
    goals = [(rng.uniform(50, 550), rng.uniform(50, 550)) for _ in range(6)]
    goals = [goal for goal in goals if all(obstacle.distance(*goal)[0] > 1 for obstacle in closed)]
    around_start = climbing(start, closed, areas, BOX)
    relayed = ground._routes(start, goals, 900.0, (closed, areas, BOX))
    for goal, other in zip(goals, relayed, strict=True):
        found = climbed_route(around_start, goal, 900.0)
        assert found is not None
        assert other is not None
        assert found.mm <= other.mm + 1e-6, "the relays' cost is that of some way"
        assert found.mm == pytest.approx(other.mm, abs=0.05)
        assert (found.points[0], found.points[-1]) == (start, goal)


@pytest.mark.parametrize("seed", range(6))
def test_a_place_is_in_the_region_as_its_way_costs(seed: int) -> None:
    start, closed, areas = scene(100 + seed)
    limit = 180.0
    around_start = climbing(start, closed, areas, BOX)
    shut = shapely.union_all([around(obstacle, 0.01) for obstacle in closed])
    region = climbed_region(around_start, limit).difference(shut)
    edge, rng = region.boundary, random.Random(seed)
    checked = 0
    for _ in range(60):
        at = edge.interpolate(rng.uniform(0, edge.length))
        place = (at.x + rng.gauss(0, 2), at.y + rng.gauss(0, 2))
        point = shapely.Point(place)
        if edge.distance(point) > 0.05 and not shut.contains(point) and BOX[0] <= min(place) and max(place) <= BOX[2]:
            route = climbed_route(around_start, place, math.inf)
            assert route is not None
            assert region.contains(point) == (route.mm <= limit), (place, route.mm)
            checked += 1
    assert checked > 25


def test_over_a_block_or_around_it() -> None:
    area = Area(parts=(block(300, 300, 0.0, length=40, width=400),), up_mm=30, down_mm=20)
    over = climbed_route(climbing((200, 300), [], [area], BOX), (400, 300), math.inf)
    assert over is not None
    assert over.mm == pytest.approx(200 + 50)
    onto = climbed_route(climbing((200, 300), [], [area], BOX), (300, 300), math.inf)
    assert onto is not None
    assert onto.mm == pytest.approx(100 + 30)
    off = climbed_route(climbing((300, 300), [], [area], BOX), (400, 300), math.inf)
    assert off is not None
    assert off.mm == pytest.approx(100 + 20)
    assert climbed_route(climbing((200, 300), [], [area], BOX), (400, 300), 249.0) is None


def test_a_corner_that_may_be_entered_twice_is_left_to_the_relays() -> None:
    parts = tuple(part.moved(200.0, 200.0) for part in convex_parts(CORNER))
    area = Area(parts=parts, up_mm=60, down_mm=60)
    assert len(parts) > 1
    with pytest.raises(Undecided):
        climbed_route(climbing((300, 190), [], [area], BOX), (190, 300), math.inf)
    (route,) = ground.ground_routes((300, 190), [(190, 300)], [], [area], BOX)
    assert route is not None
    way_around = math.hypot(100, 10) + math.hypot(10, 100)
    assert route.mm == pytest.approx(way_around)
    near = climbed_route(climbing((300, 190), [], [area], BOX), (300, 230), math.inf)
    assert near is not None
    assert near.mm <= 40 + 120


def test_nothing_within_reach_is_climbed_for_nothing() -> None:
    area = Area(parts=(block(300, 300, 0.0),), up_mm=500, down_mm=500)
    region = climbed_region(climbing((150, 300), [], [area], BOX), 140.0)
    assert not region.contains(shapely.Point(285, 300))
    assert region.contains(shapely.Point(240, 300))
