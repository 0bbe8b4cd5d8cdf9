"""How far a base is from an obstacle at many places and facings, held to the clearance of two placed shapes."""

import math

import numpy as np
import pytest

from assistant.geometry.clearance.shape_clearance import clearance
from assistant.geometry.orientation.separation import Obstacle, Turned, measure_separation
from assistant.geometry.shapes.base_shapes import Base, Outline, Oval, PlacedShape, Rect, Round
from assistant.geometry.shapes.convex import decompose_placed, outer_radius_mm
from tests.assistant.geometry.shape_strategies import L_SHAPE

HULL = Outline(points_mm=((30, 0), (18, 14), (-18, 16), (-32, 0), (-18, -16), (18, -14)))
BASES: list[Base] = [
    Rect(length_mm=60, width_mm=40),
    Rect(length_mm=120, width_mm=2),
    Oval(length_mm=90, width_mm=52),
    Oval(length_mm=120, width_mm=10),
    HULL,
    L_SHAPE,
    Round(radius_mm=16),
]
COUNT = 60


@pytest.mark.parametrize("grown", [0.0, 25.4])
@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("other", BASES)
def test_separation_is_the_distance_where_they_are_apart(base: Base, other: Base, grown: float) -> None:
    rng = np.random.default_rng(1)
    placed = PlacedShape(shape=other, x_mm=3, y_mm=-4, facing_rad=0.7)
    facings, bearings = rng.uniform(-math.pi, math.pi, (2, COUNT))
    away = rng.uniform(0.1, 1.1, COUNT) * (outer_radius_mm(base) + outer_radius_mm(other) + grown)
    places = np.column_stack((3 + away * np.cos(bearings), -4 + away * np.sin(bearings)))
    turned = Turned(places=places, facings=facings, turns=np.arange(COUNT))
    parts = [Obstacle(convex=part.grow(grown)) for part in decompose_placed(placed)]
    found = np.min([measure_separation(base, part, turned, within_mm=math.inf) for part in parts], axis=0)
    true = np.array(
        [
            clearance(PlacedShape(shape=base, x_mm=x, y_mm=y, facing_rad=facing), placed).mm - grown
            for (x, y), facing in zip(places.tolist(), facings.tolist(), strict=True)
        ]
    )
    apart = true > -grown
    assert (found <= true + 1e-6).all()
    assert found[apart] == pytest.approx(true[apart], abs=0.011)


@pytest.mark.parametrize("along", [-39.9, -20.0, 0.0, 13.0, 39.9])
def test_sides_that_face_each_other_in_part_are_as_far_apart_as_their_lines(along: float) -> None:
    base = Rect(length_mm=40, width_mm=20)
    placed = PlacedShape(shape=base, x_mm=100, y_mm=50, facing_rad=0.4)
    cos, sin = math.cos(0.4), math.sin(0.4)
    beside = np.array([(100 + along * cos - 27 * sin, 50 + along * sin + 27 * cos)])
    (obstacle,) = (Obstacle(convex=part.grow(3.0)) for part in decompose_placed(placed))
    for facing in (0.4, 0.4 + math.pi):
        turned = Turned(places=beside, facings=np.array([facing]), turns=np.zeros(1, dtype=np.intp))
        assert measure_separation(base, obstacle, turned, within_mm=100.0) == pytest.approx(4.0, abs=1e-6)
