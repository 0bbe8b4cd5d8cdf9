"""Where a base may stand at some facing, held to the search for a facing at single places."""

import math
import random

import numpy as np
import pytest
import shapely

from assistant.geometry.orientation.facing_constraints import build_obstacle_constraint, build_table_constraint
from assistant.geometry.orientation.facing_search import FacingRegion, search_facings
from assistant.geometry.shapes.base_shapes import Base, Outline, Oval, PlacedShape, Rect, Round
from assistant.geometry.shapes.convex import ConvexSet, decompose_placed
from tests.assistant.geometry.orientation.base_fit import fit_base
from tests.assistant.geometry.shape_strategies import L_SHAPE

WEDGE = Outline(points_mm=((-20, -10), (40, -10), (-20, 20)))
SIZE = 300.0
ALL_ROUND = np.linspace(-math.pi, math.pi, 17).tolist()
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


def search_case(base: Base, others: list[PlacedShape], error_mm: float = 1.0) -> FacingRegion:
    obstacles: list[ConvexSet] = [part for other in others for part in decompose_placed(other)]
    legal = build_obstacle_constraint(base, obstacles).combine(build_table_constraint(base, SIZE, SIZE))
    return search_facings(legal, shapely.box(0, 0, SIZE, SIZE), ALL_ROUND, error_mm=error_mm)


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("seed", [3])
def test_a_place_is_inside_exactly_if_the_base_fits_there_at_some_facing(base: Base, seed: int) -> None:
    rng = random.Random(seed)
    others = make_scene(rng, 3)
    found = search_case(base, others)
    edge = found.inner.boundary
    near = [edge.interpolate(rng.uniform(0, edge.length)) for _ in range(12)]
    places = [(p.x + rng.gauss(0, 1), p.y + rng.gauss(0, 1)) for p in near]
    places += [(rng.uniform(0, SIZE), rng.uniform(0, SIZE)) for _ in range(10)]
    for place in places:
        fits = fit_base(base, place, others, width_mm=SIZE, depth_mm=SIZE) is not None
        point = shapely.Point(place)
        assert fits or not found.inner.contains(point), place
        assert not fits or found.outer.distance(point) < 0.1, place


@pytest.mark.parametrize("base", BASES[1:3])
def test_the_difference_is_as_narrow_as_it_says(base: Base) -> None:
    found = search_case(base, make_scene(random.Random(5), 3))
    between = shapely.difference(found.outer, found.inner)
    assert found.error_mm < 2
    assert between.buffer(-found.error_mm / 2 - 1e-3).is_empty


def test_a_less_error_leaves_less_open() -> None:
    others = make_scene(random.Random(6), 3)
    coarse, fine = (search_case(BASES[0], others, error_mm) for error_mm in (4.0, 1.0))
    assert fine.outer.area - fine.inner.area < coarse.outer.area - coarse.inner.area
    assert shapely.difference(fine.inner, coarse.outer.buffer(0.05)).area < 1e-6
    assert shapely.difference(coarse.inner, fine.outer.buffer(0.05)).area < 1e-6


def test_in_a_corner_of_the_table_a_rectangle_stands_square() -> None:
    found = search_case(Rect(length_mm=100, width_mm=50), [])
    assert found.inner.contains(shapely.Point(50.1, 25.1))
    assert found.inner.contains(shapely.Point(25.1, 50.1))
    assert not found.outer.contains(shapely.Point(30, 30))


def test_on_a_table_too_small_it_stands_nowhere() -> None:
    legal = build_table_constraint(Rect(length_mm=400, width_mm=310), SIZE, SIZE)
    assert search_facings(legal, shapely.box(0, 0, SIZE, SIZE), ALL_ROUND).outer.is_empty
