"""The arcs that shortest ways hug, against lengths worked out by hand."""

import math
import random

import numpy as np
import pytest

from assistant.geometry.shapes.convex import ConvexSet
from assistant.geometry.shortest_path.free.tangent_graph import HuggedArcs, find_hugged_arcs
from assistant.geometry.shortest_path.obstacles import TOUCH_MM, ObstacleField, build_field, complex_from_angles
from assistant.geometry.shortest_path.tangents import Box
from tests.assistant.geometry.shortest_path.test_obstacles import make_disc, make_obstacles

PLANE: Box = (-math.inf, -math.inf, math.inf, math.inf)


def find_arcs(obstacles: list[ConvexSet], limit_mm: float, *starts: complex, box: Box = PLANE) -> HuggedArcs:
    return find_hugged_arcs(np.array(starts or (0j,)), limit_mm, build_field(obstacles), box)


def measure_arcs(found: HuggedArcs, field: ObstacleField) -> list[tuple[float, float]]:
    """Return the length of way where each hugged arc begins, and how long the arc is, shortest ways first."""
    arcs = found.corner >= 1
    length = field.radii_mm[found.corner] * np.abs(found.last - found.first)
    return sorted(zip(found.cost_mm[arcs].round(6).tolist(), length[arcs].round(6).tolist(), strict=True))


def test_a_disc_is_hugged_from_both_sides_until_the_ways_meet() -> None:
    found = find_arcs([make_disc(100, 0, 50)], 1000)
    tangent, behind = math.sqrt(100**2 - 50**2), 50 * (math.pi - math.acos(0.5))
    arcs = measure_arcs(found, found.field)
    assert arcs[0][0] == arcs[1][0] == pytest.approx(tangent, abs=1e-6)
    assert sum(length for _, length in arcs) == pytest.approx(2 * behind, abs=1e-5)


def test_ways_of_unequal_length_meet_where_they_are_even() -> None:
    wall = ConvexSet(corners_mm=np.array([(60.0, -120.0), (70.0, -120.0), (70.0, -10.0), (60.0, -10.0)]))
    found = find_arcs([make_disc(150, 0, 50), wall], 1000)
    there, back = ((found.corner == 1) & (np.sign(found.last - found.first) == turn) for turn in (1, -1))
    ends = found.cost_mm + 50 * np.abs(found.last - found.first)
    (one,), (two,) = (np.abs(found.last[there][:, None] - found.last[back]) < 1e-9).nonzero()
    assert ends[there][one] == pytest.approx(ends[back][two], abs=1e-9)
    assert math.sin(found.last[there][one]) < -0.01  # below the middle, for the way below is the longer one


def test_ways_end_on_an_arc_where_the_limit_does() -> None:
    found = find_arcs([make_disc(100, 0, 50)], 100)
    tangent = math.sqrt(100**2 - 50**2)
    arcs = measure_arcs(found, found.field)
    assert [cost + length for cost, length in arcs] == pytest.approx([100, 100], abs=1e-5)
    assert [cost for cost, _ in arcs] == pytest.approx([tangent, tangent], abs=1e-5)


def test_the_corners_of_a_block_are_passed_one_after_the_other() -> None:
    block = ConvexSet(corners_mm=np.array([(40.0, -30.0), (80.0, -30.0), (80.0, 30.0), (40.0, 30.0)]))
    found = find_arcs([block], 1000)
    passed = found.corner >= 1
    costs = {
        complex(place): cost
        for place, cost in zip(found.field.centres[found.corner[passed]], found.cost_mm[passed], strict=True)
    }
    assert costs == pytest.approx({40 - 30j: 50, 40 + 30j: 50, 80 - 30j: 90, 80 + 30j: 90})


def test_a_side_that_another_obstacle_stands_across_is_no_way() -> None:
    block = ConvexSet(corners_mm=np.array([(40.0, -30.0), (80.0, -30.0), (80.0, 30.0), (40.0, 30.0)]))
    found = find_arcs([block, make_disc(60, 30, 10)], 1000)
    costs = {z: found.cost_mm[found.field.centres[found.corner] == z].min() for z in (80 - 30j, 80 + 30j)}
    assert costs[80 - 30j] == pytest.approx(90)
    assert costs[80 + 30j] > 91


def test_where_no_way_comes_by_within_the_limit_nothing_is_hugged() -> None:
    reached = find_arcs([make_disc(100, 0, 50), make_disc(300, 0, 50)], 180)
    assert set(reached.corner.tolist()) == {0, 1}
    assert (reached.cost_mm < 180).all()


def test_every_start_hugs_what_it_hugs_alone() -> None:
    obstacles, starts = [make_disc(60, 0, 25), make_disc(60, 60, 25), make_disc(0, 70, 30)], (0j, 120 + 10j, 20 + 25j)
    together = find_arcs(obstacles, 200, *starts)
    for index, start in enumerate(starts):
        alone, ours = find_arcs(obstacles, 200, start), together.start == index
        for one, two in (
            (together.first[ours], alone.first),
            (together.last[ours], alone.last),
            (together.cost_mm[ours], alone.cost_mm),
        ):
            assert np.sort(one) == pytest.approx(np.sort(two), abs=1e-9)


@pytest.mark.parametrize("turn", [1, -1])
def test_a_box_leaves_the_way_round_that_is_in_it(turn: int) -> None:
    box = (-500.0, -40.0, 500.0, 500.0) if turn < 0 else (-500.0, -500.0, 500.0, 40.0)
    found = find_arcs([make_disc(100, 0, 50)], 1000, box=box)
    arcs = found.corner == 1
    tangent = math.sqrt(100**2 - 50**2)
    assert (np.sign(found.last - found.first)[arcs] == turn).all()
    assert found.cost_mm[arcs].min() == pytest.approx(tangent)
    ends = (found.cost_mm + 50 * np.abs(found.last - found.first))[arcs]
    # Around the back until the box cuts the disc off again, 40 mm beyond its middle.
    assert ends.max() == pytest.approx(tangent + 50 * (math.pi * 2 / 3 + math.asin(0.8)))


@pytest.mark.parametrize("seed", range(8))
def test_what_is_hugged_is_free_and_no_nearer_than_a_straight_line(seed: int) -> None:
    obstacles = make_obstacles(random.Random(seed), 6)
    found = find_arcs(obstacles, 400, -50 + 200j)
    field = found.field
    arcs = (found.corner >= 1).nonzero()[0]
    assert len(arcs)
    corner = found.corner[arcs]
    for share in (0.0, 0.5, 1.0):
        angle = found.first[arcs] + share * (found.last - found.first)[arcs]
        places = field.centres[corner] + field.radii_mm[corner] * complex_from_angles(angle) * field.lows[corner]
        cost = found.cost_mm[arcs] + field.radii_mm[corner] * np.abs(angle - found.first[arcs])
        assert (cost >= np.abs(places + 50 - 200j) - 1e-9).all()
        assert (cost <= 400 + 1e-9).all()
        assert all(each.distance(z.real, z.imag)[0] > -2 * TOUCH_MM for each in obstacles for z in places)


def test_each_arc_knows_the_way_to_it() -> None:
    found = find_arcs([make_disc(60, 10, 25), make_disc(110, -30, 25)], 300)
    graph = found.graph
    for ends, cost in zip(found.state.tolist(), found.cost_mm.tolist(), strict=True):
        state = ends
        assert graph.cost_mm[state] == cost
        while graph.before[state] >= 0:
            assert graph.cost_mm[graph.before[state]] <= graph.cost_mm[state]
            state = int(graph.before[state])
        assert (graph.cost_mm[state], graph.corner[state // 2]) == (0, 0)
