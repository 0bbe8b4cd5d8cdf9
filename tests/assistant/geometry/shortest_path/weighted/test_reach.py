"""Ground that costs: cases worked by hand, a dense graph that shares no code, and what must hold at random."""

import math
import random

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.geometry.shapes.convex import ConvexSet, decompose_convex
from assistant.geometry.shapes.polygons import circumscribe, extract_polygons
from assistant.geometry.shortest_path.free.reach import Route, find_reach_region, find_shortest_route
from assistant.geometry.shortest_path.weighted.areas import CostArea
from assistant.geometry.shortest_path.weighted.reach import (
    ERROR_MM,
    find_weighted_region,
    find_weighted_routes,
)
from assistant.geometry.shortest_path.weighted.relay_search import find_relayed_regions
from tests.assistant.geometry.shape_strategies import L_SHAPE
from tests.assistant.geometry.shortest_path.weighted.dense_graph import (
    BOX,
    START,
    draw_area,
    make_areas,
    make_block,
    make_disc,
    make_obstacles,
    measure_cost_mm,
    measure_least_cost_mm,
)

Point = tuple[float, float]
SLOW = CostArea(parts=(make_block(400, 200, 400, 4000),), pace=2.0)
"""Everything right of x = 200."""
ROUNDED_MM = 1e-3
"""How much too dear a way may be that cannot be made exact, here at most."""


def find_cost_mm(start: Point, goal: Point, *areas: CostArea, closed: list[ConvexSet] | None = None) -> float:
    (route,) = find_weighted_routes(start, [goal], closed or [], areas, BOX)
    return math.inf if route is None else route.mm


@pytest.mark.parametrize("goal", [(250.0, 300.0), (201.0, 350.0), (300.0, 100.0), (399.0, 399.0)])
def test_a_way_into_slow_ground_is_refracted(goal: Point) -> None:
    y = np.linspace(0, 400, 400_001)
    least = (np.hypot(100, y - 100) + 2 * np.hypot(goal[0] - 200, goal[1] - y)).min()
    assert find_cost_mm((100, 100), goal, SLOW) == pytest.approx(least, abs=1e-6)
    assert find_cost_mm(goal, (100, 100), SLOW) == pytest.approx(least, abs=1e-6)


def test_a_way_within_slow_ground_runs_along_its_edge_at_the_critical_angle() -> None:
    lean = math.radians(30)  # the sine of the critical angle is 1 to 2
    along = 250 - (50 + 40) * math.tan(lean)
    assert find_cost_mm((250, 100), (240, 350), SLOW) == pytest.approx(2 * 90 / math.cos(lean) + along, abs=1e-9)
    assert find_cost_mm((250, 100), (300, 120), SLOW) == pytest.approx(2 * math.hypot(50, 20), abs=1e-9)


def test_a_way_through_a_slab_leaves_as_it_came() -> None:
    slab = CostArea(parts=(make_block(200, 200, 60, 4000),), pace=1.5)
    y = np.linspace(0, 200, 200_001)
    least = (2 * np.hypot(70, y / 2) + 1.5 * np.hypot(60, 150 - y)).min()
    assert find_cost_mm((100, 100), (300, 250), slab) == pytest.approx(least, abs=1e-6)


@pytest.mark.parametrize("climb", [20.0, 60.0])
def test_a_climb_is_taken_or_gone_around(climb: float) -> None:
    hill = CostArea(parts=(make_disc(200, 200, 50),), up_mm=climb / 2 + 5, down_mm=climb / 2 - 5)
    around_mm = 2 * math.sqrt(100**2 - 50**2) + 50 * (math.pi - 2 * math.acos(0.5))
    assert find_cost_mm((100, 200), (300, 200), hill) == pytest.approx(min(200 + climb, around_mm), abs=1e-9)
    assert find_cost_mm((100, 200), (200, 200), hill) == pytest.approx(100 + climb / 2 + 5, abs=1e-9)
    assert find_cost_mm((200, 200), (100, 200), hill) == pytest.approx(100 + climb / 2 - 5, abs=1e-9)


def test_inner_seams_cost_nothing_and_edges_are_outside() -> None:
    parts = tuple(part.move(200, 200) for part in decompose_convex(L_SHAPE))
    house = CostArea(parts=parts, pace=2.0, up_mm=30.0, down_mm=30.0)
    assert len(parts) > 1
    assert find_cost_mm((190, 190), (235, 185), house) == pytest.approx(2 * math.hypot(45, 5), abs=1e-9)
    assert find_cost_mm((190, 240), (235, 190), house) == pytest.approx(
        2 * (math.hypot(15, 35) + math.hypot(30, 15)), abs=1e-9
    )
    assert find_cost_mm((200, 200), (184, 184), house) == pytest.approx(2 * 16 * math.sqrt(2), abs=1e-9)  # along a seam
    assert find_cost_mm((180, 150), (180, 300), house) == pytest.approx(150, abs=1e-9)


def test_where_areas_overlap_the_greatest_pace_counts_and_climbs_add() -> None:
    two = [CostArea(parts=(make_block(300, 200, 100, 4000),), pace=pace, up_mm=7, down_mm=3) for pace in (1.5, 2.0)]
    assert find_cost_mm((200, 200), (300, 200), *two) == pytest.approx(50 + 2 * 50 + 14, abs=1e-9)
    assert find_cost_mm((300, 200), (200, 200), *two) == pytest.approx(50 + 2 * 50 + 6, abs=1e-9)
    touching = [CostArea(parts=(make_block(x, 200, 50, 4000),), up_mm=10) for x in (225, 275)]
    assert find_cost_mm((150, 200), (390, 200), *touching) == pytest.approx(240 + 20, abs=1e-9)


@pytest.mark.parametrize("seed", [1, 3, 9])
def test_ways_agree_with_a_dense_graph(seed: int) -> None:
    rng = random.Random(seed)
    closed, areas = make_obstacles(rng, 2), make_areas(rng, 2)
    goal = (rng.uniform(20, 380), rng.uniform(20, 380))
    while min(part.distance(*goal)[0] for part in closed) < 0.1:
        goal = (rng.uniform(20, 380), rng.uniform(20, 380))
    found, dense = find_cost_mm(START, goal, *areas, closed=closed), measure_least_cost_mm(goal, closed, areas)
    assert dense - 0.5 <= found <= dense + 0.4


@settings(max_examples=10)
@given(st.integers(0, 10_000))
def test_a_way_costs_what_it_says_and_touches_no_obstacle(seed: int) -> None:
    rng = random.Random(seed)
    closed, areas = make_obstacles(rng, 3), make_areas(rng, 2)
    goals = [(rng.uniform(5, 395), rng.uniform(5, 395)) for _ in range(5)]
    goals = [goal for goal in goals if min(part.distance(*goal)[0] for part in closed) > 0.1]
    blocked = shapely.union_all([draw_area(CostArea(parts=(part,)), -0.1) for part in closed])
    for route in find_weighted_routes(START, goals, closed, areas, BOX):
        if route is not None:
            line = shapely.LineString(route.points)
            assert not line.crosses(blocked)
            # Arcs are drawn as chords, and areas here as polygons up to 0.25 mm smaller.
            assert measure_cost_mm(np.array([line]), areas, 0.15)[0] == pytest.approx(route.mm, abs=1.0)


@settings(max_examples=10)
@given(st.integers(0, 10_000))
def test_ways_back_cost_the_same_and_dearer_ground_is_never_nearer(seed: int) -> None:
    rng = random.Random(seed)
    closed, areas = make_obstacles(rng, 2), make_areas(rng, 2, even=True)
    goal = (rng.uniform(5, 395), rng.uniform(5, 395))
    if min(part.distance(*goal)[0] for part in closed) < 0.1:
        return
    there, back = find_cost_mm(START, goal, *areas, closed=closed), find_cost_mm(goal, START, *areas, closed=closed)
    assert there == pytest.approx(back, abs=ROUNDED_MM)
    first, *others = areas
    dearer = CostArea(parts=first.parts, pace=first.pace * 1.4, up_mm=first.up_mm + 9, down_mm=first.down_mm)
    assert find_cost_mm(START, goal, dearer, *others, closed=closed) >= there - ROUNDED_MM
    plain = find_shortest_route(START, goal, closed, BOX)
    assert plain is None or there >= plain.mm - 1e-9


@pytest.mark.parametrize("seed", [1, 3, 4, 6, 11])
def test_the_region_is_where_a_way_is_cheap_enough(seed: int) -> None:
    rng = random.Random(seed)
    closed, areas, limit = make_obstacles(rng, 3), make_areas(rng, 2), rng.uniform(60, 160)
    region = find_weighted_region(START, limit, closed, areas, BOX)
    region = extract_polygons(region.difference(shapely.union_all([circumscribe(part, 0.01) for part in closed])))
    edge = region.boundary
    points = [edge.interpolate(rng.uniform(0, edge.length)) for _ in range(40)]
    goals = [(p.x + rng.gauss(0, 0.5), p.y + rng.gauss(0, 0.5)) for p in points]
    goals += [(rng.uniform(0, 400), rng.uniform(0, 400)) for _ in range(20)]
    goals = [goal for goal in goals if min(part.distance(*goal)[0] for part in closed) > 0]
    for goal, route in zip(goals, find_weighted_routes(START, goals, closed, areas, BOX), strict=True):
        place = shapely.Point(goal)
        if edge.distance(place) > ERROR_MM:
            assert (route is not None and route.mm <= limit) == region.contains(place), goal


@pytest.mark.parametrize(("seed", "up_mm"), [(0, 20.0), (1, 70.0), (2, 85.0)])
def test_what_is_climbed_may_be_found_apart(seed: int, up_mm: float) -> None:
    """Slow ground, and blocks that are climbed beside it: as over relays for all of them at once."""
    rng = random.Random(seed)
    slow = CostArea(parts=(make_block(rng.uniform(290, 310), 170, 90, 60, rng.uniform(0, 3)),), pace=2.0)
    tall = [
        CostArea(parts=(make_block(x, y, 50, 30, rng.uniform(0, 3)),), up_mm=up_mm, down_mm=10.0)
        for x, y in ((230, 260), (160, 160))
    ]
    closed, limit = make_obstacles(rng, 2), 130.0
    found = find_weighted_region(START, limit, closed, [slow, *tall], BOX)
    (relayed,) = find_relayed_regions(START, [limit], (closed, [slow, *tall], BOX))
    shut = shapely.union_all([circumscribe(part, 0.01) for part in closed])
    assert shapely.symmetric_difference(found, relayed).difference(shut).buffer(-ERROR_MM).is_empty
    on_top = find_weighted_region(START, limit, closed, [slow, *tall], BOX, climbed_only=True)
    for block in tall:
        top = draw_area(block, 0.0)
        apart = shapely.symmetric_difference(on_top.intersection(top), found.intersection(top))
        assert apart.difference(shut).buffer(-ERROR_MM).is_empty


def make_outlined_ground(rng: random.Random) -> tuple[list[ConvexSet], list[CostArea]]:
    """Draw slow blocks, the second one sharing an edge with the first, or the start inside, and discs in the way."""
    width, depth, turn = rng.uniform(20, 110), rng.uniform(20, 70), rng.choice([0.0, rng.uniform(0, 3)])
    x, y = rng.uniform(140, 260), rng.uniform(140, 260)
    blocks = [make_block(x, y, width, depth, turn)]
    step = (depth + 30) / 2
    blocks.append(make_block(x - step * math.sin(turn), y + step * math.cos(turn), width, 30, turn))
    blocks.append(make_block(rng.uniform(120, 280), rng.uniform(120, 280), rng.uniform(8, 60), 90, rng.uniform(0, 3)))
    discs = [make_disc(rng.uniform(100, 300), rng.uniform(100, 300), rng.uniform(16, 45)) for _ in range(3)]
    closed = [disc for disc in discs if disc.distance(*START)[0] > 1]
    return closed, [CostArea(parts=(block,), pace=2.0) for block in blocks]


@pytest.mark.parametrize("seed", range(8))
def test_just_inside_its_edge_a_way_costs_the_limit_and_just_outside_more(seed: int) -> None:
    rng = random.Random(seed)
    closed, areas = make_outlined_ground(rng)
    limit = rng.choice([60.0, 90.0, 120.0])
    region = find_weighted_region(START, limit, closed, areas, BOX)
    shut = shapely.union_all([circumscribe(disc, 0.005) for disc in closed]).buffer(2 * ERROR_MM)
    edge, checked = region.boundary, 0
    for _ in range(12):
        at, turn = edge.interpolate(rng.uniform(0, edge.length)), rng.uniform(0, math.tau)
        place = shapely.Point(at.x + 1.2 * ERROR_MM * math.cos(turn), at.y + 1.2 * ERROR_MM * math.sin(turn))
        if edge.distance(place) > ERROR_MM and not shut.contains(place):
            (route,) = find_weighted_routes(START, [(place.x, place.y)], closed, areas, BOX)
            assert (route is not None and route.mm <= limit) == region.contains(place), (place, route)
            checked += 1
    assert checked > 3 or shut.intersects(edge)


def test_where_ways_end_on_slow_ground_another_limit_may_hold() -> None:
    region = find_weighted_region(START, 100.0, [], [SLOW], BOX, slower_mm={2.0: 80.0})
    assert region.contains(shapely.Point(239.94, 200))
    assert not region.contains(shapely.Point(240.06, 200))
    assert region.contains(shapely.Point(100.06, 200))
    assert not region.contains(shapely.Point(99.94, 200))


@settings(max_examples=6)
@given(st.integers(0, 10_000), st.floats(20, 120), st.floats(0, 30))
def test_a_greater_limit_never_shrinks_the_region(seed: int, limit: float, more: float) -> None:
    rng = random.Random(seed)
    closed, areas = make_obstacles(rng, 2), make_areas(rng, 2)
    less, greater = (find_weighted_region(START, at, closed, areas, BOX) for at in (limit, limit + more))
    assert less.difference(greater.buffer(ERROR_MM)).area < 1e-6


def test_free_ground_is_as_if_it_were_not_there() -> None:
    closed = make_obstacles(random.Random(5), 4)
    free = CostArea(parts=(make_disc(220, 200, 60),))
    assert find_weighted_region(START, 150, closed, [free], BOX).equals_exact(
        find_reach_region(START, 150, closed, BOX), 0.0
    )
    assert find_weighted_routes(START, [(390, 380)], closed, [free], BOX) == [
        find_shortest_route(START, (390, 380), closed, BOX)
    ]
    far = CostArea(parts=(make_disc(380, 380, 10),), pace=2.0)
    assert find_weighted_region(START, 100, closed, [far], BOX).equals_exact(
        find_reach_region(START, 100, closed, BOX), 0.0
    )


def test_where_a_move_may_not_end_the_region_has_a_hole() -> None:
    ruin = CostArea(parts=(make_disc(240, 200, 20),), endable=False)
    region = find_weighted_region(START, 100, [], [ruin], BOX)
    assert not region.contains(shapely.Point(240, 200))
    assert region.contains(shapely.Point(280, 200))
    whole = find_weighted_region(START, 100, [], [], BOX)
    assert whole.area - region.area == pytest.approx(math.pi * 20**2, rel=1e-2)


def test_slow_ground_everywhere_halves_the_way() -> None:
    everywhere = CostArea(parts=(make_block(200, 200, 900, 900),), pace=2.0, up_mm=50.0, down_mm=50.0)
    region = find_weighted_region(START, 100, [], [everywhere], BOX)
    assert region.symmetric_difference(find_reach_region(START, 50, [], BOX)).area < 2 * math.pi * 50 * ERROR_MM
    assert find_cost_mm(START, (250, 200), everywhere) == pytest.approx(100, abs=1e-9)


def test_degenerate_questions_are_answered() -> None:
    assert find_weighted_region(START, 0, [], [SLOW], BOX).is_empty
    assert find_weighted_region((-5, 0), 100, [], [SLOW], BOX).is_empty
    assert find_weighted_routes(START, [START], [], [SLOW], BOX) == [Route(mm=0.0, points=(START, START))]
    assert find_weighted_routes(START, [(500, 0)], [], [SLOW], BOX) == [None]
    assert find_weighted_routes(START, [(300, 200)], [], [SLOW], BOX, limit_mm=199) == [None]
    assert find_weighted_routes((-5, 0), [(300, 200)], [], [SLOW], BOX) == [None]
    assert find_cost_mm(START, (300, 200), SLOW) == pytest.approx(200, abs=1e-9)  # it starts on the edge
    sealed = [make_block(200, 200, 8, 900)]
    assert find_cost_mm((100, 200), (300, 200), SLOW, closed=sealed) == math.inf
    twice = [SLOW, SLOW]
    assert find_cost_mm((100, 100), (300, 150), *twice) == pytest.approx(
        find_cost_mm((100, 100), (300, 150), SLOW), abs=1e-6
    )
    with pytest.raises(ValueError, match="pace is 1 or more"):
        CostArea(parts=(make_disc(0, 0, 1),), pace=0.5)
