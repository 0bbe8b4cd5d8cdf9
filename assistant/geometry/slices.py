"""What a base covers over a range of facings: what it covers at all of them, as rings of corners.

A convex set's support h satisfies h + h'' >= 0, and so does that of its polar set.  So where a set surrounds the
origin and turns about it, a ray from the origin runs in it at least as far as the lesser of its end values times the
cosine of half the range.
"""

import math

import numpy as np
import shapely

from assistant.geometry.convex import Array, Convex, convex_parts, hull, unit
from assistant.geometry.shapes import Base

OVAL_MM = 0.02
"""How far the polygons that stand for an oval or a disc may lie from it."""


def rings(base: Base, *, outside: bool) -> list[Array]:
    """Return the corners, counter-clockwise, of convex sets that together hold a base, or lie in it.

    Within `OVAL_MM` of it.
    """
    return [_ring(part, outside=outside) for part in convex_parts(base)]


def rings_always(base: Base, low_rad: float, high_rad: float) -> list[Array]:
    """Return the corners of convex sets that lie in a base, its centre the origin, at every facing of a range.

    The range is less than half a turn.  A convex base around its centre loses what grows with the range squared, a
    part beside the centre what grows with the range; none is returned where nothing is left.
    """
    half, found = (high_rad - low_rad) / 2, []
    for ring in rings(base, outside=False):
        surrounds = shapely.contains_xy(shapely.Polygon(ring), 0.0, 0.0)
        centre = np.zeros(2) if surrounds else ring.mean(axis=0)
        first, last = (shapely.Polygon(turned(ring - centre, facing)) for facing in (low_rad, high_rad))
        core = shapely.Polygon(shapely.get_coordinates(shapely.intersection(first, last)) * math.cos(half))
        if not surrounds:
            core = shapely.buffer(core, -math.hypot(*centre) * half, join_style="mitre")
        if not core.is_empty:
            found.append(hull(shapely.get_coordinates(core)) + turned(centre[None], (low_rad + high_rad) / 2))
    return found


def ring_sum(one: Array, two: Array) -> Array:
    """Return the corners of the Minkowski sum of two convex polygons, all counter-clockwise."""
    edges = np.concatenate((np.roll(one, -1, axis=0) - one, np.roll(two, -1, axis=0) - two))
    order = np.argsort(np.mod(np.arctan2(edges[:, 1], edges[:, 0]) + _TINY_RAD, 2 * math.pi))
    lowest = one[np.lexsort((one[:, 0], one[:, 1]))[0]] + two[np.lexsort((two[:, 0], two[:, 1]))[0]]
    corners: Array = lowest + np.cumsum(edges[order], axis=0)
    return corners


_TINY_RAD = 1e-12


def turned(points: Array, turn_rad: float) -> Array:
    """Return (m, 2) points turned about the origin."""
    cos, sin = math.cos(turn_rad), math.sin(turn_rad)
    stood: Array = points @ np.array([[cos, sin], [-sin, cos]])
    return stood


def _ring(part: Convex, *, outside: bool) -> Array:
    """Return the corners of a part of a base; of a disc or an ellipse those of a polygon around it, or within."""
    if part.radius_mm == 0 and not part.ellipses:
        return part.corners_mm
    ((a, b, _),) = part.ellipses or ((part.radius_mm, part.radius_mm, 0.0),)
    count = 4 * math.ceil(math.pi / 4 * math.sqrt(max(a, b) / (2 * OVAL_MM)))
    ring: Array = unit(np.arange(count, dtype=float) * (2 * math.pi / count)) * (a, b)
    return ring / math.cos(math.pi / count) if outside else ring
