"""Dividing a simple polygon into few convex ones along diagonals, without new corners.

From a triangulation one diagonal after the other is taken out where what it parts is convex together, the longest
first.  What is left is at most four times the least number of parts (Hertel and Mehlhorn, Fast triangulation of simple
polygons, 1983): a diagonal stays only if a reflex corner needs it, and no corner needs more than two.
"""

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import shapely
from numpy.typing import NDArray

Point = tuple[float, float]
Ring = list[Point]
"""The corners of a convex part, counter-clockwise."""

_FLAT_SINE = 1e-12
"""A corner that bends back by no more than this is straight, whatever the last digits of its coordinates say."""


def convex_rings(points_mm: Sequence[Point]) -> list[NDArray[np.float64]]:
    """Return the corners of convex polygons, (k, 2) each and counter-clockwise, whose disjoint union is a polygon."""
    ring_of = {side: ring for ring in _triangles(points_mm) for side in _sides(ring)}
    diagonals = [(one, two) for one, two in ring_of if one < two and (two, one) in ring_of]
    for one, two in sorted(diagonals, key=lambda ends: (-math.dist(*ends), ends)):
        there, back = _begun_at(ring_of[one, two], two), _begun_at(ring_of[two, one], one)
        if _turns_left(there[-2], one, back[1]) and _turns_left(back[-2], two, there[1]):
            merged = there[:-1] + back[:-1]
            ring_of |= dict.fromkeys(_sides(merged), merged)
            del ring_of[one, two], ring_of[two, one]
    return [np.array(ring) for ring in {id(ring): ring for ring in ring_of.values()}.values()]


def _triangles(points_mm: Sequence[Point]) -> list[Ring]:
    polygon = shapely.Polygon(points_mm).simplify(0.0)  # without corners in the middle of a side
    triangles = shapely.orient_polygons(shapely.constrained_delaunay_triangles(polygon))
    rings = shapely.get_coordinates(triangles).reshape(-1, 4, 2)[:, :3].tolist()
    return [[(x, y) for x, y in ring] for ring in rings]


def _sides(ring: Ring) -> list[tuple[Point, Point]]:
    return list(pairwise([*ring, ring[0]]))


def _begun_at(ring: Ring, corner: Point) -> Ring:
    """Return a ring that begins at a corner, and so ends at the one before."""
    place = ring.index(corner)
    return ring[place:] + ring[:place]


def _turns_left(before: Point, corner: Point, after: Point) -> bool:
    ax, ay, bx, by = corner[0] - before[0], corner[1] - before[1], after[0] - corner[0], after[1] - corner[1]
    return ax * by - ay * bx >= -_FLAT_SINE * math.hypot(ax, ay) * math.hypot(bx, by)
