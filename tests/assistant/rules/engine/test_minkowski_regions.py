"""Minkowski regions: what a shape keeps out of its place, also where a little overlap is allowed."""

import math
import random

import pytest
import shapely

from assistant.geometry.clearance.shape_clearance import clearance
from assistant.geometry.shapes.base_shapes import Base, Oval, PlacedShape, Rect, Round
from assistant.geometry.shapes.polygons import circumscribe
from assistant.rules.engine.minkowski_regions import find_kept_out

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
