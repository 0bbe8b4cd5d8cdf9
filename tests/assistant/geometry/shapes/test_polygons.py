"""Convex sets as polygons, and their union."""

import math
import random

import numpy as np
import pytest
import shapely

from assistant.geometry.shapes.base_shapes import Base, Oval, Rect, Round
from assistant.geometry.shapes.convex import ConvexSet, decompose_convex
from assistant.geometry.shapes.polygons import circumscribe, cut_holes, inscribe, unite_polygons

BASES: tuple[Base, ...] = (Round(radius_mm=25), Oval(length_mm=90, width_mm=40), Rect(length_mm=60, width_mm=30))


def make_convex(rng: random.Random) -> ConvexSet:
    (part,) = decompose_convex(rng.choice(BASES))
    lattice = rng.random() < 0.5  # so that some coincide and some touch
    x, y = (50.0 * rng.randrange(6) if lattice else rng.uniform(0, 300) for _ in range(2))
    return part.move(x, y, rng.choice((0.0, rng.uniform(0, 3)))).grow(rng.choice((0.0, 20.0)))


@pytest.mark.parametrize("error_mm", [0.5, 0.02])
def test_a_polygon_lies_around_or_within_its_set_to_the_error(error_mm: float) -> None:
    rng = random.Random(1)
    for _ in range(40):
        shape = make_convex(rng)
        for points, sign in (
            (shapely.get_coordinates(circumscribe(shape, error_mm)), 1),
            (_list_ring(inscribe(shape, error_mm)), -1),
        ):
            away = [sign * shape.distance(float(x), float(y))[0] for x, y in points]
            assert min(away) > -1e-6
            assert max(away) < error_mm + 1e-6


@pytest.mark.parametrize("turn_rad", [0.0, 0.7])
@pytest.mark.parametrize("others", [(), (Round(radius_mm=16),), (Oval(length_mm=3, width_mm=900),), (BASES[2],)])
def test_a_needle_has_few_corners(others: tuple[Base, ...], turn_rad: float) -> None:
    """As many as a disc of its length, not as many as a disc that is as flat as its sides."""
    (shape,) = decompose_convex(Oval(length_mm=5000, width_mm=1))
    shape = shape.move(700, 500, turn_rad)
    for other in others:
        shape = shape.minkowski_sum(decompose_convex(other)[0])
    around, within = circumscribe(shape, 0.05), inscribe(shape, 0.05)
    assert max(map(shapely.get_num_coordinates, (around, within))) < 4000
    assert shapely.union_all([around, around]).equals(around)
    assert shapely.covers(around.buffer(1e-6), within)
    for corner in shapely.get_coordinates(around)[::7]:
        assert -1e-6 < shape.distance(*map(float, corner))[0] < 0.05 + 1e-6


def _list_ring(polygon: shapely.Polygon) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    return np.asarray(shapely.get_coordinates(polygon.segmentize(2.0)))


@pytest.mark.parametrize("seed", range(20))
def test_a_union_holds_what_its_parts_do(seed: int) -> None:
    rng = random.Random(seed)
    parts = [circumscribe(make_convex(rng), 0.05) for _ in range(rng.randrange(1, 15))]
    parts = [shapely.reverse(part) if rng.random() < 0.5 else part for part in parts]
    whole = unite_polygons(parts)
    assert whole.is_valid
    assert shapely.symmetric_difference(whole, shapely.union_all(parts)).area < 1e-6
    assert whole.area <= sum(part.area for part in parts) + 1e-6
    assert math.isclose(unite_polygons([parts[0], parts[0]]).area, parts[0].area, rel_tol=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_a_union_fills_holes_with_what_lies_in_them(seed: int) -> None:
    rng = random.Random(seed)
    rings = [shapely.Point(rng.uniform(0, 100), rng.uniform(0, 100)).buffer(rng.uniform(20, 60)) for _ in range(3)]
    parts = [ring.difference(ring.buffer(-rng.uniform(2, 15))) for ring in rings]
    parts += [shapely.Point(ring.centroid).buffer(rng.uniform(1, 50)) for ring in rings]
    whole = unite_polygons(shapely.get_parts(parts).tolist())
    assert whole.is_valid
    assert shapely.symmetric_difference(whole, shapely.union_all(parts)).area < 1e-6
    assert unite_polygons([]).is_empty


def test_polygons_without_holes_cover_the_same() -> None:
    ring = shapely.box(0, 0, 100, 60).difference(
        shapely.union_all([shapely.box(20, 20, 30, 40), shapely.box(60, 5, 80, 9)])
    )
    apart = shapely.union_all([ring, shapely.box(200, 0, 210, 10)])
    pieces = list(cut_holes(apart))
    assert not any(piece.interiors for piece in pieces)
    assert sum(piece.area for piece in pieces) == pytest.approx(apart.area)
    assert shapely.union_all(pieces).symmetric_difference(apart).area == pytest.approx(0, abs=1e-9)
