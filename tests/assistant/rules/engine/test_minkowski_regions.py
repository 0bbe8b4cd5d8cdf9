"""Minkowski regions: what a shape keeps out of its place, also where a little overlap is allowed."""

import math
import random

import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.geometry.clearance.shape_clearance import clearance
from assistant.geometry.shapes.base_shapes import Base, Oval, PlacedShape, Rect, Round
from assistant.geometry.shapes.polygons import circumscribe
from assistant.rules.engine.minkowski_regions import _OVAL_MM, DRAWN_MM, find_kept_out, find_obstacles
from tests.assistant.geometry.shape_strategies import convex, shared_facings

BASES: tuple[Base, ...] = (Round(radius_mm=16), Oval(length_mm=75, width_mm=42), Rect(length_mm=40, width_mm=20))


@pytest.mark.parametrize("range_mm", [-1.0, 0.0, 25.4])
def test_the_places_kept_out_are_those_nearer_than_the_range(range_mm: float) -> None:
    rng, seen = random.Random(1), set[bool]()
    for _ in range(40):
        base, facing = rng.choice(BASES), rng.uniform(-3, 3)
        other = PlacedShape(shape=rng.choice(BASES), x_mm=0.0, y_mm=0.0, facing_rad=rng.uniform(-3, 3))
        places = shapely.union_all([circumscribe(part, 0.01) for part in find_kept_out(base, facing, other, range_mm)])
        for _ in range(12):
            x, y = rng.uniform(-90, 90), rng.uniform(-90, 90)
            gap = clearance(PlacedShape(shape=base, x_mm=x, y_mm=y, facing_rad=facing), other)
            if not math.isclose(gap.mm, range_mm, abs_tol=0.05):
                assert places.contains(shapely.Point(x, y)) == (gap.mm < range_mm)
                seen.add(gap.mm < range_mm)
    assert seen == {True, False}


@settings(max_examples=50)
@given(convex, convex, shared_facings(2), st.one_of(st.just(0.0), st.floats(0, 30), st.floats(-2, 0)))
def test_at_the_edge_of_what_is_kept_out_shapes_are_a_range_apart_however_they_are_turned(
    base: Base, standing: Base, facings: list[float], range_mm: float
) -> None:
    other = PlacedShape(shape=standing, x_mm=700.0, y_mm=500.0, facing_rad=facings[0])
    kept = [circumscribe(part, DRAWN_MM) for part in find_kept_out(base, facings[1], other, range_mm)]
    walls = [circumscribe(part, DRAWN_MM) for part in find_obstacles(base, facings[1], other, range_mm)]
    for place in (each for polygon in (*kept, *walls) for each in shapely.get_coordinates(polygon)[:-1][::3].tolist()):
        there = PlacedShape(shape=base, x_mm=place[0], y_mm=place[1], facing_rad=facings[1])
        assert -1e-6 <= clearance(there, other).mm - range_mm <= DRAWN_MM + _OVAL_MM + 1e-6
