"""The last segments of shortest ways, against lengths worked out by hand."""

import math
import random

import numpy as np
import pytest

from assistant.geometry.shapes.convex import ConvexSet
from assistant.geometry.shortest_path.free.reach import find_arrivals, trace_route_points
from tests.assistant.geometry.shortest_path.free.test_tangent_graph import find_arcs
from tests.assistant.geometry.shortest_path.test_obstacles import make_disc, make_obstacles

TANGENT = math.sqrt(100**2 - 50**2)


def test_a_place_in_sight_is_come_to_straight() -> None:
    found = find_arcs([make_disc(100, 0, 50)], 300)
    mm, hug, _ = find_arrivals(found, 0, np.array([-30 + 40j, 50 + 0j, 0j]), 300)
    assert mm == pytest.approx([50, 50, 0])
    assert hug.tolist() == [-1, -1, -1]


def test_a_place_behind_a_disc_is_come_to_around_it() -> None:
    found = find_arcs([make_disc(100, 0, 50)], 400)
    mm, hug, angle = find_arrivals(found, 0, np.array([200 + 10j, 200 - 10j]), 400)
    far = math.hypot(100, 10)
    around = math.pi - math.acos(0.5) - math.acos(50 / far) - math.atan2(10, 100)
    assert mm == pytest.approx(TANGENT + 50 * around + math.sqrt(far**2 - 50**2))
    assert np.sign(found.last - found.first)[hug].tolist() == [-1, 1]
    leaves = math.acos(50 / far) + math.atan2(10, 100)
    assert angle == pytest.approx([leaves, 2 * math.pi - leaves])


def test_the_rim_itself_is_come_to_along_it() -> None:
    found = find_arcs([make_disc(100, 0, 50)], 400)
    (mm,), _, _ = find_arrivals(found, 0, np.array([100 + 50j]), 400)
    assert mm == pytest.approx(TANGENT + 50 * (math.pi / 2 - math.acos(0.5)))


def test_no_way_leads_beyond_the_limit_or_into_an_obstacle() -> None:
    found = find_arcs([make_disc(100, 0, 50)], 200)
    behind = TANGENT * 2 + 50 * (math.pi - 2 * math.acos(0.5))
    mm, hug, _ = find_arrivals(found, 0, np.array([200 + 0j, 100 + 0j, -201 + 0j]), 200)
    assert behind > 200
    assert np.isinf(mm).all()
    assert hug.tolist() == [-1, -1, -1]


def test_each_start_comes_its_own_way() -> None:
    found = find_arcs([make_disc(100, 0, 50)], 400, 0j, 250j)
    places = np.array([200 + 0j])
    assert find_arrivals(found, 0, places, 400)[0] == pytest.approx([TANGENT * 2 + 50 * math.pi / 3])
    assert find_arrivals(found, 1, places, 400)[0] == pytest.approx([math.hypot(200, 250)])


def test_where_the_shortest_candidate_is_blocked_the_next_one_is_taken() -> None:
    wall = ConvexSet(corners_mm=np.array([(50.0, -20.0), (60.0, -20.0), (60.0, 90.0), (50.0, 90.0)]))
    post = ConvexSet(corners_mm=np.array([(70.0, -80.0), (80.0, -80.0), (80.0, 10.0), (70.0, 10.0)]))
    found = find_arcs([wall, post], 500)
    (mm,), (hug,), angle = find_arrivals(found, 0, np.array([100 + 0j]), 500)
    assert mm == pytest.approx(math.hypot(50, 20) + 10 + math.hypot(10, 30) + 10 + math.hypot(20, 10))
    way = list(dict.fromkeys(trace_route_points(found, int(hug), float(angle[0]))))
    assert way == pytest.approx([50 - 20j, 60 - 20j, 70 + 10j, 80 + 10j])


def test_a_way_over_the_place_where_a_disc_closes_is_drawn_once() -> None:
    found = find_arcs([make_disc(0, 0, 50)], 500, 100j, box=(-10.0, -500.0, 500.0, 500.0))
    (mm,), (hug,), angle = find_arrivals(found, 0, np.array([-100j]), 500)
    assert mm == pytest.approx(2 * TANGENT + 50 * math.pi / 3)
    way = np.array([100j, *trace_route_points(found, int(hug), float(angle[0])), -100j])
    assert np.abs(np.diff(way)).sum() == pytest.approx(mm, rel=2e-4)


def test_nothing_stands_before_a_straight_way() -> None:
    assert trace_route_points(find_arcs([make_disc(100, 0, 50)], 300), -1, 0.0) == []


@pytest.mark.parametrize("seed", range(8))
def test_a_way_is_as_long_as_it_says_and_keeps_out(seed: int) -> None:
    rng = random.Random(seed)
    obstacles, start = make_obstacles(rng, 6), -50 + 200j
    found = find_arcs(obstacles, 700, start)
    places = np.array([complex(rng.uniform(-50, 500), rng.uniform(-50, 500)) for _ in range(30)])
    mm, hug, angle = find_arrivals(found, 0, places, 700)
    reached = np.isfinite(mm).nonzero()[0]
    assert (hug[reached] >= 0).any()
    for k in reached.tolist():
        way = np.array([start, *trace_route_points(found, int(hug[k]), float(angle[k])), places[k]])
        drawn = np.abs(np.diff(way)).sum()
        assert drawn == pytest.approx(mm[k], rel=2e-4)
        assert drawn <= mm[k] + 1e-9
        for each in obstacles:
            # Arcs are drawn as chords of a twentieth of a radian, which cut less than this into a disc.
            assert all(each.distance(z.real, z.imag)[0] > -1e-6 for z in way)
            assert all(
                each.distance(z.real, z.imag)[0] > -4e-4 * each.radius_mm - 1e-6 for z in (way[1:] + way[:-1]) / 2
            )
