"""The reach kernel against a slow reference that shares no code with it: a visibility graph over dense polygons."""

import heapq
import math
import random
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.geometry.shapes.convex import ConvexSet, hull
from assistant.geometry.shapes.polygons import circumscribe, extract_polygons, inscribe
from assistant.geometry.shortest_path.free.reach import (
    find_reach,
    find_reach_region,
    find_shortest_route,
    find_straight_region,
    find_straight_route,
    replace_ellipses,
    shrink_obstacles,
)
from assistant.geometry.shortest_path.obstacles import build_field
from assistant.geometry.shortest_path.tangents import Box

BOX: Box = (0.0, 0.0, 400.0, 400.0)
START = (60.0, 200.0)


def make_disc(x: float, y: float, radius: float) -> ConvexSet:
    return ConvexSet(corners_mm=np.array([(x, y)]), radius_mm=radius)


def make_rounded_polygon(x: float, y: float, radius: float, rng: random.Random) -> ConvexSet:
    points = np.array([(x + rng.uniform(-35, 35), y + rng.uniform(-35, 35)) for _ in range(6)])
    return ConvexSet(corners_mm=hull(points), radius_mm=radius)


def make_obstacles(rng: random.Random, count: int) -> list[ConvexSet]:
    found: list[ConvexSet] = []
    while len(found) < count:
        x, y = rng.uniform(0, 400), rng.uniform(0, 400)
        kind = rng.choice(
            [make_disc(x, y, rng.uniform(15, 50)), make_rounded_polygon(x, y, rng.choice([0.0, 20.0]), rng)]
        )
        if kind.distance(*START)[0] > 1:
            found.append(kind)
    return found


def measure_reference_mm(goal: tuple[float, float], polygons: Sequence[shapely.Polygon], box: Box) -> float:
    """Dijkstra over the corners of polygons; the segments may touch them."""
    blocked = shapely.union_all([shapely.buffer(p, -1e-6, join_style="mitre") for p in polygons])
    shapely.prepare(blocked)
    nodes = np.array([START, goal, *(c for p in polygons for c in shapely.get_coordinates(p)[:-1])])
    inside = (nodes >= np.array(box[:2]) - 1e-9).all(axis=1) & (nodes <= np.array(box[2:]) + 1e-9).all(axis=1)
    nodes = nodes[inside]
    cost, queue, done = {0: 0.0}, [(0.0, 0)], set[int]()
    while queue:
        so_far, node = heapq.heappop(queue)
        if node == 1:
            return so_far
        if node in done:
            continue
        done.add(node)
        ends = np.stack((np.broadcast_to(nodes[node], nodes.shape), nodes), axis=1)
        free = ~shapely.intersects(blocked, shapely.linestrings(ends))
        ways = np.hypot(*(nodes - nodes[node]).T)
        for other in np.flatnonzero(free).tolist():
            total = so_far + float(ways[other])
            if other not in done and total < cost.get(other, math.inf):
                cost[other] = total
                heapq.heappush(queue, (total, other))
    return math.inf


@pytest.mark.parametrize("seed", range(6))
def test_shortest_route_agrees_with_a_dense_visibility_graph(seed: int) -> None:
    rng = random.Random(seed)
    obstacles = make_obstacles(rng, 4)
    outer = [circumscribe(obstacle, 0.02) for obstacle in obstacles]
    inner = [inscribe(obstacle, 0.02) for obstacle in obstacles]
    for _ in range(3):
        goal = (rng.uniform(0, 400), rng.uniform(0, 400))
        if min(obstacle.distance(*goal)[0] for obstacle in obstacles) < 0.1:
            continue
        route = find_shortest_route(START, goal, obstacles, BOX)
        found = math.inf if route is None else route.mm
        assert measure_reference_mm(goal, inner, BOX) - 1e-3 <= found <= measure_reference_mm(goal, outer, BOX) + 1e-3


@pytest.mark.parametrize("seed", range(25))
def test_region_is_where_the_shortest_route_is_short_enough(seed: int) -> None:
    rng = random.Random(1000 + seed)
    obstacles, limit = make_obstacles(rng, 7), rng.uniform(60, 300)
    region = find_reach_region(START, limit, obstacles, BOX)
    taken = shapely.union_all([circumscribe(obstacle, 0.01) for obstacle in obstacles])
    region = extract_polygons(region.difference(taken))
    edge = region.boundary
    points = [edge.interpolate(rng.uniform(0, edge.length)) for _ in range(15)]
    goals = [(p.x + rng.gauss(0, 1), p.y + rng.gauss(0, 1)) for p in points]
    goals += [(rng.uniform(0, 400), rng.uniform(0, 400)) for _ in range(10)]
    for goal in goals:
        place = shapely.Point(goal)
        if edge.distance(place) > 0.05 and min(obstacle.distance(*goal)[0] for obstacle in obstacles) > 0:
            route = find_shortest_route(START, goal, obstacles, BOX)
            assert (route is not None and route.mm <= limit) == region.contains(place), goal


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.floats(1, 250), st.floats(0, 50))
def test_a_greater_allowance_never_shrinks_the_region(seed: int, limit: float, more: float) -> None:
    obstacles = make_obstacles(random.Random(seed), 5)
    less, greater = (find_reach_region(START, mm, obstacles, BOX) for mm in (limit, limit + more))
    taken = shapely.union_all([circumscribe(obstacle, 0.01) for obstacle in obstacles])
    assert less.difference(taken).difference(greater.buffer(0.05)).area < 1e-6


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_an_obstacle_more_never_grows_the_region(seed: int) -> None:
    obstacles = make_obstacles(random.Random(seed), 6)
    fewer, more = (find_reach_region(START, 220, part, BOX) for part in (obstacles[:-1], obstacles))
    taken = shapely.union_all([circumscribe(obstacle, 0.01) for obstacle in obstacles])
    assert more.difference(taken).difference(fewer.buffer(0.05)).area < 1e-6


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.floats(0, 400), st.floats(0, 400))
def test_a_route_is_legal_and_as_long_as_it_says(seed: int, x: float, y: float) -> None:
    obstacles = make_obstacles(random.Random(seed), 6)
    if min(obstacle.distance(x, y)[0] for obstacle in obstacles) < 1e-3:
        return
    route = find_shortest_route(START, (x, y), obstacles, BOX)
    if route is None:
        return
    line = shapely.LineString(route.points)
    assert line.length == pytest.approx(route.mm, rel=2e-3)
    assert line.length <= route.mm + 1e-6
    assert route.mm >= math.dist(START, (x, y)) - 1e-9
    # Arcs are drawn as chords of at most 0.05 rad: radius 50 gives a sagitta of 0.016 mm.
    for obstacle in obstacles:
        core = inscribe(obstacle, 0.001).buffer(-0.03)
        assert not line.crosses(core)
        assert not line.within(core)


@pytest.mark.parametrize("seed", range(6))
def test_a_prepared_field_joined_by_others_gives_the_same_region(seed: int) -> None:
    obstacles = make_obstacles(random.Random(seed), 8)
    field = build_field(obstacles[:4]).combine(build_field(obstacles[4:]))
    assert find_reach_region(START, 250, field, BOX).equals_exact(find_reach_region(START, 250, obstacles, BOX), 0.0)


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.floats(5, 300))
def test_places_are_in_the_region_when_their_distance_is_within_the_limit(seed: int, limit: float) -> None:
    rng = random.Random(seed)
    obstacles = make_obstacles(rng, 7)
    (found,), (wider,) = (find_reach([START], mm, obstacles, BOX) for mm in (limit, limit + 1))
    edge = found.region.boundary
    points = [edge.interpolate(rng.uniform(0, edge.length)) for _ in range(25)]
    places = [(p.x + rng.gauss(0, 0.1), p.y + rng.gauss(0, 0.1)) for p in points]
    places += [(rng.uniform(0, 400), rng.uniform(0, 400)) for _ in range(10)]
    free = [p for p in places if min(obstacle.distance(*p)[0] for obstacle in obstacles) > 1e-3]
    if not free:
        return
    for place, mm, far in zip(
        free, found.measure_distances_mm(np.array(free)), wider.measure_distances_mm(np.array(free)), strict=True
    ):
        point = shapely.Point(place)
        if mm <= limit:
            assert found.region.distance(point) <= found.error_mm
        if found.region.covers(point):
            assert far <= limit + found.error_mm
        if math.isinf(mm):
            assert far > limit - 1e-9
        else:
            assert mm == pytest.approx(far, abs=1e-9)  # summed in another order, the last bit may be another


@pytest.mark.parametrize("seed", range(10))
def test_distance_and_way_are_those_of_the_shortest_route(seed: int) -> None:
    rng = random.Random(seed)
    obstacles = make_obstacles(rng, 6)
    places = [(rng.uniform(-20, 420), rng.uniform(-20, 420)) for _ in range(25)]
    (found,) = find_reach([START], 260, obstacles, BOX)
    for place, mm in zip(places, found.measure_distances_mm(np.array(places)).tolist(), strict=True):
        inside = any(obstacle.distance(*place)[0] < 0 for obstacle in obstacles)
        route, way = None if inside else find_shortest_route(START, place, obstacles, BOX), found.find_route(place)
        if route is None or route.mm > 260:
            assert math.isinf(mm)
            assert way is None
        else:
            assert way is not None
            assert way.mm == pytest.approx(route.mm, abs=1e-9) == pytest.approx(mm, abs=1e-9)
            assert way.points[0] == START
            assert way.points[-1] == place
            assert shapely.LineString(way.points).length == pytest.approx(mm, rel=2e-3)


@pytest.mark.parametrize("seed", range(8))
def test_many_starts_at_once_reach_what_each_does_alone(seed: int) -> None:
    rng = random.Random(seed)
    obstacles = make_obstacles(rng, 8)
    starts = [START]
    while len(starts) < 5:
        place = (rng.uniform(-40, 400), rng.uniform(0, 400))
        if min(obstacle.distance(*place)[0] for obstacle in obstacles) > 0:
            starts.append(place)
    places = np.array([(rng.uniform(0, 400), rng.uniform(0, 400)) for _ in range(40)])
    taken = shapely.union_all([circumscribe(obstacle, 0.01) for obstacle in obstacles])
    together = find_reach(starts, 150, build_field(obstacles), BOX)
    assert [each.start for each in together] == starts
    for start, each in zip(starts, together, strict=True):
        (alone,) = find_reach([start], 150, obstacles, BOX)
        assert each.measure_distances_mm(places) == pytest.approx(alone.measure_distances_mm(places), abs=1e-9)
        one, two = (region.difference(taken) for region in (each.region, alone.region))
        assert one.difference(two.buffer(0.05)).area < 1e-6
        assert two.difference(one.buffer(0.05)).area < 1e-6


def test_a_place_that_touches_is_reached_and_one_that_dips_in_is_not() -> None:
    body, box = make_disc(200, 200, 50), (0, 0, 400, 400)
    (found,) = find_reach([(100, 200)], 300, [body], box)
    tangent = math.sqrt(100**2 - 50**2)
    behind = tangent + 50 * (math.pi - math.acos(0.5))
    places = np.array([(150.0, 200.0), (250.0, 200.0), (150.001, 200.0), (249.999, 200.0), (100.0, 200.0)])
    assert found.measure_distances_mm(places) == pytest.approx(np.array([50, behind, math.inf, math.inf, 0]))
    (short,) = find_reach([(100, 200)], behind - 0.001, [body], box)
    assert math.isinf(short.measure_distances_mm(places)[1])
    assert short.find_route((250, 200)) is None


def test_reach_from_nowhere_and_outside() -> None:
    assert find_reach([], 100, [], BOX) == []
    outer, still = find_reach([(-5, 0), START], 100, [], BOX)
    assert outer.region.is_empty
    assert outer.find_route((5, 0)) is None
    assert np.isinf(outer.measure_distances_mm(np.array([(5, 0)]))).all()
    assert still.region.area > 10_000
    assert np.isinf(still.measure_distances_mm(np.array([(-1.0, 200.0)]))).all()
    (line,) = find_reach([START], 50, [], (0.0, 200.0, 400.0, 200.0))
    assert line.region.is_empty
    assert line.measure_distances_mm(np.array([(90, 200), (90, 201)])).tolist() == [30, math.inf]
    (rooted,) = find_reach([START], 0, [], BOX)
    assert rooted.region.is_empty
    assert rooted.measure_distances_mm(np.array([START, (61, 200)])).tolist() == [0, math.inf]


def test_a_region_without_obstacles_is_a_whole_disc() -> None:
    region = find_reach_region((200, 200), 100, [], BOX)
    (ring,) = region.geoms
    assert region.is_valid
    assert not ring.interiors
    assert region.contains(shapely.Point(200, 200))
    assert 0 <= 100 - shapely.Point(200, 200).distance(ring.exterior) <= 0.02 + 1e-9


@pytest.mark.parametrize("seed", [*range(8), 18, 34])
def test_a_region_has_no_seams(seed: int) -> None:
    obstacles = make_obstacles(random.Random(seed), 7)
    region = find_reach_region(START, 250, obstacles, BOX)
    assert region.is_valid
    holes = [shapely.Polygon(hole) for part in region.geoms for hole in part.interiors]
    assert all(2 * hole.area > 1e-4 * hole.length for hole in holes), "a hole as thin as rounding"
    assert all(part.area > 1e-3 for part in region.geoms)


@pytest.mark.parametrize("turn", np.linspace(0, 6, 8))
def test_the_notch_between_two_discs_is_reached_to_its_bottom(turn: float) -> None:
    bottom = (START[0] + 90 * math.cos(turn), START[1] + 90 * math.sin(turn))
    discs = []
    for side, radius in ((1.4, 50.0), (-1.2, 42.0)):  # both pass through the bottom, beside the ray to it
        x, y = bottom[0] + radius * math.cos(turn + side), bottom[1] + radius * math.sin(turn + side)
        discs.append(make_disc(x, y, radius))
    region = find_reach_region(START, 130, discs, (-500, -500, 500, 500))
    assert region.distance(shapely.Point(bottom)) < 0.02


def test_no_ray_goes_through_a_thin_wall_at_the_end_of_its_way() -> None:
    wall = ConvexSet(corners_mm=np.array([(155.0, 150.0), (155.2, 150.0), (155.2, 390.0), (155.0, 390.0)]))
    region = find_reach_region(START, 100, [wall], BOX)
    behind = shapely.box(155.2 + 1e-3, 180, 200, 390)
    assert region.intersection(behind).area == pytest.approx(0, abs=1e-9)


def test_a_sealed_pocket_stays_a_hole() -> None:
    ring = [make_disc(200 + 60 * math.cos(i * math.pi / 4), 200 + 60 * math.sin(i * math.pi / 4), 25) for i in range(8)]
    region = find_reach_region(START, 390, ring, BOX)
    assert not region.intersects(shapely.Point(200, 200))
    assert region.contains(shapely.Point(300, 200))


def test_half_way_around_a_disc() -> None:
    route = find_shortest_route((0, 200), (400, 200), [make_disc(200, 200, 100)], BOX)
    assert route is not None
    tangent, angle = math.sqrt(200**2 - 100**2), math.pi - 2 * math.acos(100 / 200)
    assert route.mm == pytest.approx(2 * tangent + 100 * angle, abs=1e-9)


def test_above_one_disc_and_below_the_next() -> None:
    route = find_shortest_route((0, 200), (400, 200), [make_disc(150, 160, 50), make_disc(250, 240, 50)], BOX)
    assert route is not None
    outer, inner = math.sqrt(150**2 + 40**2 - 50**2), math.sqrt(100**2 + 80**2 - 100**2)
    begin = math.atan2(40, -150) - math.acos(50 / math.hypot(150, 40))
    end = math.atan2(80, 100) + math.acos(100 / math.hypot(100, 80))
    assert route.mm == pytest.approx(2 * (outer + 50 * (begin - end)) + inner, abs=1e-9)


def test_around_a_sharp_wall() -> None:
    wall = ConvexSet(corners_mm=np.array([(195.0, 100.0), (205.0, 100.0), (205.0, 300.0), (195.0, 300.0)]))
    route = find_shortest_route((100, 200), (300, 200), [wall], BOX)
    assert route is not None
    assert route.mm == pytest.approx(2 * math.hypot(95, 100) + 10, abs=1e-9)


def test_the_table_edge_closes_a_way() -> None:
    pinched = [make_disc(200, 20, 30), make_disc(200, 120, 75), make_disc(200, 280, 90), make_disc(200, 390, 25)]
    assert find_shortest_route(START, (350, 200), pinched, BOX) is None
    assert find_shortest_route(START, (350, 200), pinched, (0, -100, 400, 400)) is not None
    assert find_reach_region(START, 600, pinched, BOX).bounds[2] < 200


def test_degenerate_questions_are_answered() -> None:
    assert find_reach_region(START, 0, [], BOX).is_empty
    assert find_reach_region((-5, 0), 100, [], BOX).is_empty
    assert find_shortest_route(START, (500, 0), [], BOX) is None
    here = find_shortest_route(START, START, [make_disc(100, 200, 20)], BOX)
    assert here is not None
    assert here.mm == 0
    twice = [make_disc(150, 200, 40), make_disc(150, 200, 40)]
    assert find_reach_region(START, 200, twice, BOX).area == pytest.approx(
        find_reach_region(START, 200, twice[:1], BOX).area
    )


def test_a_start_in_contact_leaves_and_may_hug() -> None:
    touching = make_disc(START[0] + 40, START[1], 40)
    region = find_reach_region(START, 100, [touching], BOX)
    assert region.contains(shapely.Point(START[0] - 50, START[1]))
    route = find_shortest_route(START, (START[0] + 80, START[1]), [touching], BOX)
    assert route is not None
    assert route.mm == pytest.approx(40 * math.pi, abs=1e-5)


def test_a_start_inside_may_leave_and_not_go_deeper() -> None:
    keep_out = make_disc(START[0] + 30, START[1], 40)
    (shrunk,) = shrink_obstacles([keep_out], [START])
    assert shrunk.radius_mm == pytest.approx(30)
    hard = ConvexSet(corners_mm=np.array([(0.0, 0.0), (400.0, 0.0), (400.0, 400.0), (0.0, 400.0)]), radius_mm=5)
    assert shrink_obstacles([hard], [START]) == []
    far = make_disc(300, 300, 10)
    assert shrink_obstacles([far], [START])[0].radius_mm == 10


def test_a_start_at_the_edge_of_a_sharp_outline_goes_round_it_however_it_is_turned() -> None:
    """By a rounding it may stand in it, and would then be let straight through."""
    middle, box = np.array((200.0, 200.0)), np.array([(0.0, -40.0), (40.0, -40.0), (40.0, 40.0), (0.0, 40.0)])
    for turn in np.linspace(0.0, 2 * math.pi, 97).tolist():
        ahead, beside = np.array((math.cos(turn), math.sin(turn))), np.array((-math.sin(turn), math.cos(turn)))
        sharp = ConvexSet(corners_mm=box @ np.stack((ahead, beside)) + middle)
        for along in (0.0, 13.3, -40.0):
            start, goal = middle + along * beside, middle + 80 * ahead + along * beside
            ends = (float(start[0]), float(start[1])), (float(goal[0]), float(goal[1]))
            route = find_shortest_route(*ends, shrink_obstacles([sharp], ends), BOX)
            assert route is not None
            out = 40 - abs(along)
            assert route.mm == pytest.approx(out + 40 + math.hypot(40, out), abs=1e-5)


@pytest.mark.parametrize("turn", [0.0, 0.4, 1.9])
def test_a_way_around_an_oval_names_no_place_twice(turn: float) -> None:
    oval = ConvexSet(corners_mm=np.array([(200.0, 200.0)]), radius_mm=5, ellipses=((50.0, 30.0, turn),))
    route = find_shortest_route(START, (340, 200), [oval], BOX)
    assert route is not None
    legs = [math.dist(one, two) for one, two in pairwise(route.points)]
    assert len(legs) > 10
    assert min(legs) > 1e-3
    assert sum(legs) == pytest.approx(route.mm, abs=0.05)


@pytest.mark.parametrize("turn", [0.5, 1.5, 2.5])
def test_a_start_inside_two_hugs_either(turn: float) -> None:
    middles = [(START[0] + 30, START[1]), (START[0] + 30 * math.cos(turn), START[1] + 30 * math.sin(turn))]
    shrunk = shrink_obstacles([make_disc(*middle, 40) for middle in middles], [START])
    for middle in middles:
        behind = (START[0] + 2 * (middle[0] - START[0]), START[1] + 2 * (middle[1] - START[1]))
        route = find_shortest_route(START, behind, shrunk, BOX)
        assert route is not None
        assert route.mm == pytest.approx(30 * math.pi, abs=1e-3)


@pytest.mark.parametrize(("a", "b"), [(30.0, 17.5), (85.0, 52.0), (5.0, 60.0)])
def test_polygons_for_ellipses_lie_around_them_within_the_error(a: float, b: float) -> None:
    ellipse = ConvexSet(corners_mm=np.array([(10.0, 20.0)]), radius_mm=3, ellipses=((a, b, 0.7),))
    polygon = replace_ellipses(ellipse, 0.01)
    angles = np.linspace(0, 2 * math.pi, 999)
    normals = np.column_stack((np.cos(angles), np.sin(angles)))
    excess = polygon.support(normals) - ellipse.support(normals)
    assert excess.min() >= -1e-9
    assert excess.max() <= 0.01 + 1e-9


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.sampled_from([0.0, 16.0]), st.sampled_from([0.02, 0.5]))
def test_drawn_regions_keep_their_error(seed: int, radius: float, error: float) -> None:
    rng = random.Random(seed)
    shape = make_rounded_polygon(0, 0, radius, rng)
    outer, inner = circumscribe(shape, error), inscribe(shape, error)
    for x, y in shapely.get_coordinates(outer):
        assert -1e-6 <= shape.distance(float(x), float(y))[0] <= error + 1e-6
    for share in np.linspace(0, 1, 60):
        point = inner.exterior.interpolate(share, normalized=True)
        assert -error - 1e-5 <= shape.distance(point.x, point.y)[0] <= 1e-6


def test_a_side_with_something_on_it_is_not_followed() -> None:
    wall = ConvexSet(corners_mm=np.array([(100.0, 100.0), (300.0, 100.0), (300.0, 120.0), (100.0, 120.0)]))
    route = find_shortest_route((90, 115), (310, 115), [wall, make_disc(200, 120, 15)], BOX)
    assert route is not None
    over = 2 * math.sqrt(100**2 - 15**2) + 15 * 2 * math.asin(0.15)
    assert route.mm == pytest.approx(2 * math.hypot(10, 5) + over, abs=1e-9)


@pytest.mark.parametrize("turn", np.linspace(0, 6, 5))
def test_a_start_in_line_with_a_side_follows_it(turn: float) -> None:
    wall = ConvexSet(corners_mm=np.array([(-50.0, -20.0), (50.0, -20.0), (50.0, 0.0), (-50.0, 0.0)])).move(
        200, 200, turn
    )
    x, y = 100 * math.cos(turn), 100 * math.sin(turn)
    route = find_shortest_route((200 - x, 200 - y), (200 + x, 200 + y), [wall], BOX)
    assert route is not None
    assert route.mm == pytest.approx(200, abs=1e-6)


def test_places_on_the_near_side_of_a_disc_are_reached_straight() -> None:
    (found,) = find_reach([START], 300, [make_disc(200, 210, 50)], BOX)
    angles = math.pi + np.linspace(-1.1, 1.2, 60)
    places = np.column_stack((200 + 50 * np.cos(angles), 210 + 50 * np.sin(angles)))
    assert found.measure_distances_mm(places) == pytest.approx(np.hypot(*(places - START).T), abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_the_straight_region_is_where_the_straight_way_is_free(seed: int) -> None:
    rng = random.Random(seed)
    obstacles = make_obstacles(rng, 6)
    region = find_straight_region(START, 220.0, obstacles, BOX)
    covered = shapely.union_all([inscribe(each, 0.01) for each in obstacles])
    said = set[bool]()
    for _ in range(150):
        goal = rng.uniform(-20, 400), rng.uniform(0, 400)
        point = shapely.Point(goal)
        if region.boundary.distance(point) > 0.05 and covered.distance(point) > 0.05:
            route = find_straight_route(START, goal, obstacles, BOX)
            free = route is not None and route.mm <= 220.0
            assert region.contains(point) == free, goal
            said.add(free)
    assert said == {True, False}
