"""What a base covers over a range of facings, at some of them and at all of them, as polygons.

A convex set's support h satisfies h + h'' >= 0, so as the set turns about the origin its extent in a direction is no
more than the greater of its end values divided by the cosine of half the range.  The same holds of the polar set: where
a set surrounds the origin, a ray from there runs in it at least as far as the lesser of its end values times that
cosine.
"""

import math

import numpy as np
import shapely

from assistant.geometry.convex import Array, Convex, convex_parts, hull, outer_radius_mm, unit
from assistant.geometry.shapes import Base

OVAL_MM = 0.02
"""How far the polygons that stand for an oval or a disc may lie from it."""
_TOUCH_MM = 1e-9
_FIRST_RAD = -0.0123456789
"""Where the edges of a sum begin: a direction that no side has which a person draws, for at one it is a tie."""


def rings(base: Base, *, outside: bool, error_mm: float = OVAL_MM) -> list[Array]:
    """Return the corners, counter-clockwise, of convex sets that together hold a base or lie in it, to an error."""
    return [_ring(part, error_mm, outside=outside) for part in convex_parts(base)]


def covers_sometime(base: Base, low_rad: float, high_rad: float, error_mm: float = OVAL_MM) -> list[Convex]:
    """Return convex sets that hold a base, its centre the origin, at every facing of a range.

    The range is less than half a turn.  Too large by no more than what the base's furthest point rises above the chord
    between where it is at the ends.
    """
    swell = outer_radius_mm(base) * (1 / math.cos((high_rad - low_rad) / 2) - 1)
    ends = ((turned(ring, low_rad), turned(ring, high_rad)) for ring in rings(base, outside=True, error_mm=error_mm))
    return [Convex(corners_mm=hull(np.concatenate(pair)), radius_mm=swell) for pair in ends]


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
        aside = math.hypot(*centre) * half
        if aside > _TOUCH_MM:
            core = shapely.buffer(core, -aside, join_style="mitre")
        if not core.is_empty:
            found.append(hull(shapely.get_coordinates(core)) + turned(centre[None], (low_rad + high_rad) / 2))
    return found


def ring_sum(one: Array, two: Array) -> Array:
    """Return the corners of the Minkowski sum of two convex polygons, all counter-clockwise."""
    edges = np.concatenate((np.roll(one, -1, axis=0) - one, np.roll(two, -1, axis=0) - two))
    order = np.argsort(np.mod(np.arctan2(edges[:, 1], edges[:, 0]) - _FIRST_RAD, 2 * math.pi))
    outward = np.array((math.sin(_FIRST_RAD), -math.cos(_FIRST_RAD)))
    lowest = one[(one @ outward).argmax()] + two[(two @ outward).argmax()]
    corners: Array = lowest + np.cumsum(edges[order], axis=0)
    return corners


def turned(points: Array, turn_rad: float) -> Array:
    """Return (m, 2) points turned about the origin."""
    cos, sin = math.cos(turn_rad), math.sin(turn_rad)
    stood: Array = points @ np.array([[cos, sin], [-sin, cos]])
    return stood


def _ring(part: Convex, error_mm: float, *, outside: bool) -> Array:
    """Return the corners of a part of a base; of a disc or an ellipse those of a polygon around it, or within."""
    if part.radius_mm == 0 and not part.ellipses:
        return part.corners_mm
    ((a, b, _),) = part.ellipses or ((part.radius_mm, part.radius_mm, 0.0),)
    count = 4 * math.ceil(math.pi / 4 * math.sqrt(max(a, b) / (2 * error_mm)))
    ring: Array = unit(np.arange(count, dtype=float) * (2 * math.pi / count)) * (a, b)
    return ring / math.cos(math.pi / count) if outside else ring
