"""What is reached straight, held to the regions of all that is."""

import random

import numpy as np
import pytest
import shapely

from assistant.geometry.shapes.base_shapes import Oval, PlacedShape, Rect, Round
from assistant.geometry.shapes.convex import ConvexSet, decompose_placed
from assistant.geometry.shapes.polygons import circumscribe
from assistant.geometry.shortest_path.free.reach import find_straight_region
from assistant.geometry.shortest_path.free.shadows import cut_shadows
from assistant.geometry.shortest_path.tangents import Box

START = (150.0, 140.0)
BOX: Box = (20.0, 10.0, 300.0, 260.0)


def make_obstacles(seed: int) -> list[ConvexSet]:
    rng = random.Random(seed)
    shapes = (Round(radius_mm=16), Rect(length_mm=50, width_mm=20), Oval(length_mm=60, width_mm=35))
    placed = [
        PlacedShape(
            shape=rng.choice(shapes), x_mm=rng.uniform(0, 300), y_mm=rng.uniform(0, 280), facing_rad=rng.uniform(-3, 3)
        )
        for _ in range(8)
    ]
    parts = [part.grow(rng.choice((0.0, 10.0))) for each in placed for part in decompose_placed(each)]
    return [part for part in parts if part.distance(*START)[0] > 0.001 and not part.ellipses]


@pytest.mark.parametrize("seed", range(6))
def test_it_is_what_is_reached_straight_but_for_a_little(seed: int) -> None:
    obstacles = make_obstacles(seed)
    found, true = cut_shadows(START, 120.0, obstacles, BOX), find_straight_region(START, 120.0, obstacles, BOX)
    assert true.buffer(0.05).covers(found)
    taken = shapely.union_all([circumscribe(each, 0.02) for each in obstacles])  # which a region's chords cut into
    assert found.buffer(1.0).covers(true.difference(taken.buffer(0.5)))


def test_an_obstacle_that_all_but_touches_the_start_shuts_the_half_of_it() -> None:
    wall = ConvexSet(corners_mm=np.array([(-400.0, 140.001), (900.0, 140.001), (900.0, 150.0), (-400.0, 150.0)]))
    round_wall = ConvexSet(corners_mm=np.array([(150.0, 160.0)]), radius_mm=19.999)
    for each in (wall, round_wall):
        found = cut_shadows(START, 100.0, [each], BOX)
        assert found.contains(shapely.Point(150, 60))
        assert not found.intersects(shapely.Point(150, 200))


def test_one_who_stands_in_an_obstacle_or_has_no_way_left_reaches_nothing() -> None:
    around = ConvexSet(corners_mm=np.array([START]), radius_mm=5.0)
    assert cut_shadows(START, 100.0, [around], BOX).is_empty
    assert cut_shadows(START, 0.0, [], BOX).is_empty
    assert cut_shadows(START, 100.0, [], (300.0, 0.0, 310.0, 5.0)).is_empty


def test_where_nothing_is_in_the_way_it_is_a_disc() -> None:
    free = cut_shadows(START, 100.0, [], (-np.inf, -np.inf, np.inf, np.inf))
    assert free.area == pytest.approx(np.pi * 100.0**2, rel=1e-3)
