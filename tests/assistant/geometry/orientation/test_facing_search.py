"""Where a base may stand at some facing, held to the search for a facing at single places."""

import math
import random
from itertools import pairwise

import pytest
import shapely

from assistant.geometry.orientation.facing_constraints import build_obstacle_constraint, build_table_constraint
from assistant.geometry.orientation.facing_search import FacingRange, FacingRegion, search_facings
from assistant.geometry.orientation.separation import find_turn_mm
from assistant.geometry.shapes.base_shapes import Base, Outline, Oval, PlacedShape, Rect, Round
from assistant.geometry.shapes.convex import ConvexSet, decompose_placed
from tests.assistant.geometry.orientation.base_fit import fit_base
from tests.assistant.geometry.shape_strategies import L_SHAPE

WEDGE = Outline(points_mm=((-20, -10), (40, -10), (-20, 20)))
SIZE = 300.0
BASES: list[Base] = [Oval(length_mm=105, width_mm=60), Rect(length_mm=100, width_mm=50), WEDGE, L_SHAPE]


def make_scene(rng: random.Random, count: int) -> list[PlacedShape]:
    kinds: tuple[Base, ...] = (
        Round(radius_mm=20),
        Rect(length_mm=50, width_mm=30),
        Oval(length_mm=60, width_mm=35),
        L_SHAPE,
    )
    return [
        PlacedShape(
            shape=rng.choice(kinds),
            x_mm=rng.uniform(0, SIZE),
            y_mm=rng.uniform(0, SIZE),
            facing_rad=rng.uniform(-3, 3),
        )
        for _ in range(count)
    ]


def search_case(base: Base, others: list[PlacedShape], error_mm: float = 0.5) -> list[FacingRegion]:
    obstacles: list[ConvexSet] = [part for other in others for part in decompose_placed(other)]
    legal = build_obstacle_constraint(base, obstacles).combine(build_table_constraint(base, SIZE, SIZE))
    facings = FacingRange(middle_rad=0.3, half_rad=math.pi, turn_mm=find_turn_mm(base))
    return list(search_facings(legal, shapely.box(0, 0, SIZE, SIZE), facings, error_mm=error_mm))


def fits(base: Base, point: shapely.Point, others: list[PlacedShape]) -> bool:
    return fit_base(base, (point.x, point.y), others, width_mm=SIZE, depth_mm=SIZE) is not None


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("seed", [3, 4])
def test_a_place_is_inside_exactly_if_the_base_fits_there_at_some_facing(base: Base, seed: int) -> None:
    rng = random.Random(seed)
    others = make_scene(rng, 4)
    found = search_case(base, others)[-1]
    assert found.error_mm == pytest.approx(0.5)
    inner, edge = found.inner, found.inner.boundary
    near = [edge.interpolate(rng.uniform(0, edge.length)) for _ in range(16)]
    points = [shapely.Point(p.x + rng.gauss(0, 1), p.y + rng.gauss(0, 1)) for p in near]
    points += [shapely.Point(rng.uniform(0, SIZE), rng.uniform(0, SIZE)) for _ in range(10)]
    for point in points:
        if inner.contains(point):
            assert fits(base, point, others), point
        elif inner.distance(point) > found.error_mm:
            around = [point.buffer(0.6 * found.error_mm, quad_segs=2).boundary.coords[k] for k in range(8)]
            assert not all(fits(base, shapely.Point(at), others) for at in [point.coords[0], *around]), point


@pytest.mark.parametrize("base", BASES)
def test_each_region_holds_the_one_before(base: Base) -> None:
    found = search_case(base, make_scene(random.Random(5), 4))
    assert len(found) > 1
    for before, after in pairwise(found):
        assert shapely.difference(before.inner, after.inner).area < 1e-6
        assert after.error_mm <= before.error_mm


def test_a_less_error_leaves_less_open() -> None:
    others = make_scene(random.Random(6), 3)
    coarse, fine = (search_case(BASES[0], others, error_mm)[-1] for error_mm in (4.0, 0.5))
    assert fine.inner.area > coarse.inner.area
    assert (coarse.error_mm, fine.error_mm) == pytest.approx((4.0, 0.5))


def test_in_a_corner_of_the_table_a_rectangle_stands_square() -> None:
    found = search_case(Rect(length_mm=100, width_mm=50), [])[-1].inner
    assert found.contains(shapely.Point(50.5, 25.5))
    assert found.contains(shapely.Point(25.5, 50.5))
    assert not found.contains(shapely.Point(30, 30))


def test_stands_of_one_size_edge_to_edge_at_one_angle() -> None:
    stand, turn = Rect(length_mm=40, width_mm=20), math.radians(30)
    cos, sin = math.cos(turn), math.sin(turn)
    others = [
        PlacedShape(shape=stand, x_mm=150 + 40 * k * cos, y_mm=120 + 40 * k * sin, facing_rad=turn) for k in (-1, 0, 1)
    ]
    found = search_case(stand, others)[-1].inner
    for off, is_free in ((19.9, False), (20.6, True)):
        assert found.contains(shapely.Point(150 - off * sin, 120 + off * cos)) == is_free


@pytest.mark.parametrize("size", [1e-300, 1e-3, 1.0, 1e4, 1e6])
def test_bases_of_any_size_are_answered(size: float) -> None:
    others = make_scene(random.Random(7), 3)
    for base in (Rect(length_mm=size, width_mm=size / 2), Oval(length_mm=size, width_mm=size / 2)):
        found = search_case(base, others)[-1].inner
        assert found.is_empty == (size > SIZE)
