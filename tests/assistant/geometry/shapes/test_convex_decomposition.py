import math
import random
from itertools import combinations

import numpy as np
import pytest
import shapely
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assistant.geometry.shapes.convex import decompose_convex, partition_into_convex_rings
from tests.assistant.geometry.shape_strategies import L_SHAPE

Points = tuple[tuple[float, float], ...]

quick = settings(max_examples=150)

U = (
    (-40.0, -30.0),
    (40.0, -30.0),
    (40.0, 30.0),
    (20.0, 30.0),
    (20.0, -10.0),
    (-20.0, -10.0),
    (-20.0, 30.0),
    (-40.0, 30.0),
)
PLUS = tuple(
    (x, y)
    for at in ((10.0, -10.0), (10.0, 10.0), (-10.0, 10.0), (-10.0, -10.0))
    for x, y in ((at[0], 3 * at[1]), at, (3 * at[0], at[1]))[:: 1 if at[0] * at[1] < 0 else -1]
)
COMB = (*((10.0 * i, 30.0 if i % 2 else 5.0) for i in range(20, -1, -1)), (0.0, 0.0), (200.0, 0.0))
SLIVER = (
    *((0.0, 0.0), (100.0, 0.0), (100.0, 1e-7), (50.0, 5e-8)),
    *((50.0, 40.0), (49.9999999, 40.0), (49.9999999, 1e-7), (0.0, 1e-7)),
)


def make_star(reaches: list[float]) -> Points:
    """A polygon with a corner in each of even directions: simple, as it is seen whole from the middle."""
    around = np.arange(len(reaches)) * 2 * math.pi / len(reaches)
    return tuple(
        (reach * math.cos(angle), reach * math.sin(angle)) for reach, angle in zip(reaches, around, strict=True)
    )


def add_midpoints(points: Points) -> Points:
    """The same polygon with a corner more in the middle of each side."""
    turned = points[1:] + points[:1]
    return tuple(
        corner for (x, y), (u, v) in zip(points, turned, strict=True) for corner in ((x, y), ((x + u) / 2, (y + v) / 2))
    )


def make_simple_polygon(seed: int, count: int) -> Points:
    """A simple polygon through random places: sides that cross are swapped until none do."""
    rng = random.Random(seed)
    ring = [(rng.uniform(-60, 60), rng.uniform(-60, 60)) for _ in range(count)]
    crossed = True
    while crossed:
        crossed = False
        for i, j in combinations(range(count), 2):
            one, two = shapely.LineString(ring[i : i + 2]), shapely.LineString((ring[j], ring[(j + 1) % count]))
            if j > i + 1 and (i, j) != (0, count - 1) and one.intersects(two):
                ring[i + 1 : j + 1], crossed = ring[j:i:-1], True
    return tuple(ring)


def count_reflex_corners(points: Points) -> int:
    ring = np.array(points) if shapely.LinearRing(points).is_ccw else np.array(points)[::-1]
    into, out = ring - np.roll(ring, 1, axis=0), np.roll(ring, -1, axis=0) - ring
    return int((into[:, 0] * out[:, 1] - into[:, 1] * out[:, 0] < 0).sum())


def check_partition(points: Points) -> list[shapely.Polygon]:
    rings, whole = partition_into_convex_rings(points), shapely.Polygon(points)
    parts = [shapely.Polygon(ring) for ring in rings]
    assert {tuple(corner) for ring in rings for corner in ring.tolist()} <= set(points)
    for part in parts:
        assert part.exterior.is_ccw
        assert part.area > 0
        assert part.convex_hull.area - part.area <= 1e-11 * whole.area
    assert sum(part.area for part in parts) == pytest.approx(whole.area, rel=1e-12)
    assert shapely.union_all(parts).symmetric_difference(whole).area <= 1e-11 * whole.area
    # Every part but the first costs a diagonal, every diagonal a reflex corner, and no corner needs more than two.
    assert len(parts) <= 1 + 2 * count_reflex_corners(points)
    return parts


@pytest.mark.parametrize(
    ("points", "count"),
    [
        (((0.0, 0.0), (9.0, 0.0), (4.0, 7.0)), 1),
        (make_star([20.0] * 9), 1),
        (L_SHAPE.points_mm, 2),
        (L_SHAPE.points_mm[::-1], 2),
        (add_midpoints(L_SHAPE.points_mm), 2),
        (U, 3),
        (add_midpoints(U), 3),
        (PLUS, 3),
        (COMB, 11),
        (((0.0, 0.0), (60.0, 0.0), (10.0, 1.0), (0.0, 50.0)), 2),
        (SLIVER, 3),
    ],
)
def test_few_parts(points: Points, count: int) -> None:
    assert len(check_partition(points)) == count


@quick
@given(st.lists(st.floats(1, 60), min_size=5, max_size=14))
@example([60.0, 1.0] * 6)
@example([60.0, 59.0, 58.0] * 4)
def test_the_parts_of_a_star_make_it_up(reaches: list[float]) -> None:
    check_partition(make_star(reaches))


@quick
@given(st.integers(0, 10_000), st.integers(4, 12))
def test_the_parts_of_any_simple_polygon_make_it_up(seed: int, count: int) -> None:
    check_partition(make_simple_polygon(seed, count))


def test_the_same_polygon_is_always_divided_alike() -> None:
    points = make_star([random.Random(3).uniform(5, 60) for _ in range(12)])
    assert [ring.tolist() for ring in partition_into_convex_rings(points)] == [
        ring.tolist() for ring in partition_into_convex_rings(points)
    ]


def test_a_concave_outline_has_these_parts() -> None:
    found = [{tuple(corner) for corner in part.corners_mm.tolist()} for part in decompose_convex(L_SHAPE)]
    assert found == [
        {tuple(corner) for corner in ring.tolist()} for ring in partition_into_convex_rings(L_SHAPE.points_mm)
    ]
    assert [len(corners) for corners in found] == [4, 4]
