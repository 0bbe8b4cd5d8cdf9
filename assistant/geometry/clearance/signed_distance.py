"""Signed distance of two convex sets, negative where they overlap, and along which direction, number by number.

What is asked thousands of times of a handful of corners takes arrays longer to begin with than plain numbers to end.
The separation is what `ConvexSet.distance` says of the origin and the difference of the two sets.

Two polygons are furthest apart along the normal of a side of either, or between two corners.  A side's separation is no
more than that of any one point of the other polygon, so most sides are passed over by a single corner.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from assistant.geometry.shapes.convex import ConvexSet, Ellipse, distance_to_outside_point

Ring = list[tuple[float, float]]
Side = tuple[float, float, float, float, float]
"""Of a polygon: its outward normal, how far out it begins, by x and by y, and its length."""
_NO_SIDE = (0.0, 0.0, math.inf, 0.0, 0.0)
"""Between corners that rounding has made one: nothing is beyond it."""
_AS_FAR = 1 + 1e-10
_ROUNDING_MM = 1e-11
"""What is no further apart than along a side's normal, to so much, is nearest along it."""
_FACE_MM = 1e-9
"""Corners no further from a line than the nearest one, to so much, lie on it."""


class PlainSet(NamedTuple):
    """A convex set as plain numbers: see `ConvexSet`."""

    corners: Ring
    sides: list[Side]
    """None of a point, both of a segment."""
    radius_mm: float
    ellipses: Sequence[Ellipse]

    def move(self, x_mm: float, y_mm: float, turn_rad: float) -> "PlainSet":
        """Return the set turned about the origin, then shifted."""
        cos, sin = math.cos(turn_rad), math.sin(turn_rad)
        corners = [(x * cos - y * sin + x_mm, x * sin + y * cos + y_mm) for x, y in self.corners]
        ellipses = [(a, b, turn + turn_rad) for a, b, turn in self.ellipses]
        return PlainSet(corners, _list_sides(corners), self.radius_mm, ellipses)

    def measure_extent_mm(self, nx: float, ny: float) -> float:
        """Return how far the set reaches in a direction."""
        extent = max([x * nx + y * ny for x, y in self.corners]) + self.radius_mm
        for a, b, turn in self.ellipses:
            cos, sin = math.cos(turn), math.sin(turn)
            extent += math.hypot(a * (nx * cos + ny * sin), b * (ny * cos - nx * sin))
        return extent

    def measure_place_mm(self, x_mm: float, y_mm: float) -> float:
        """Return how far a place is from the set; negative depth inside."""
        if self.ellipses:
            return _restore_set(self).distance(x_mm, y_mm)[0]
        mm, faced = -math.inf, False
        for (ax, ay), (nx, ny, out_x, out_y, length) in zip(self.corners, self.sides, strict=False):
            gap = nx * x_mm + ny * y_mm - out_x - out_y
            if gap > mm:
                mm, faced = gap, 0 <= nx * (y_mm - ay) - ny * (x_mm - ax) <= length
        if not faced and (mm > 0 or not self.sides):
            mm = min([math.hypot(x_mm - x, y_mm - y) for x, y in self.corners])
        return mm - self.radius_mm


def simplify_set(part: ConvexSet) -> PlainSet:
    """Return a convex set as plain numbers."""
    corners = [(x, y) for x, y in part.corners_mm.tolist()]
    return PlainSet(corners, _list_sides(corners), part.radius_mm, part.ellipses)


def _list_sides(corners: Ring) -> list[Side]:
    """Return the side that begins at each corner."""
    if len(corners) == 1:
        return []
    sides = list[Side]()
    ax, ay = corners[-1]
    for bx, by in corners:
        ex, ey = bx - ax, by - ay
        length = math.hypot(ex, ey)
        if length > 0:
            nx, ny = ey / length, -ex / length
            sides.append((nx, ny, nx * ax, ny * ay, length))
        else:
            sides.append(_NO_SIDE)
        ax, ay = bx, by
    return [*sides[1:], sides[0]]


def measure_separation(one: PlainSet, other: PlainSet) -> tuple[float, float, float]:
    """Return how far apart two sets are (negative depth) and the unit normal from the first to the second."""
    radii_mm = one.radius_mm + other.radius_mm
    if not one.ellipses and not other.ellipses:
        mm, nx, ny = _separate_polygons(one, other)
        return mm - radii_mm, nx, ny
    if len(one.corners) == 1 or len(other.corners) == 1:
        between = [(x - u, y - v) for x, y in one.corners for u, v in other.corners]
        found = distance_to_outside_point(between, [*one.ellipses, *other.ellipses], 0.0, 0.0)
        if found is not None:
            return found[0] - radii_mm, found[1], found[2]
        difference = ConvexSet(
            corners_mm=np.array(between), radius_mm=radii_mm, ellipses=(*one.ellipses, *other.ellipses)
        )
        mm, normal = difference.search_distance(0.0, 0.0)
    else:
        mm, normal = _restore_set(one).minkowski_sum(_restore_set(other).reflect()).distance(0.0, 0.0)
    return mm, float(normal[0]), float(normal[1])


def _restore_set(plain: PlainSet) -> ConvexSet:
    return ConvexSet(corners_mm=np.array(plain.corners), radius_mm=plain.radius_mm, ellipses=tuple(plain.ellipses))


def _separate_polygons(one: PlainSet, other: PlainSet) -> tuple[float, float, float]:
    """Return the same for polygons or points.

    Two that overlap are parted least along the normal of some side.  Apart, a corner faces that side, or else two
    corners are nearest.
    """
    mm, nx, ny, best = -math.inf, 1.0, 0.0, None
    for ring, rest, sign in ((one, other.corners, 1.0), (other, one.corners, -1.0)):
        px, py = rest[0]
        for at, (ux, uy, out_x, out_y, _) in enumerate(ring.sides):
            if ux * px + uy * py - out_x - out_y <= mm:
                continue
            heights = [ux * x + uy * y for x, y in rest]
            least = min(heights)
            px, py = rest[heights.index(least)]
            gap = least - out_x - out_y
            if gap > mm:
                mm, nx, ny, best = gap, sign * ux, sign * uy, (ring, at, rest)
    if best is not None and (mm <= 0 or _faces_corner(*best)):
        return mm, nx, ny
    apart, dx, dy = min([(math.hypot(u - x, v - y), u - x, v - y) for x, y in one.corners for u, v in other.corners])
    if apart <= mm * _AS_FAR + _ROUNDING_MM or apart == 0:  # a side's normal is exact, however near they are
        return max(mm, 0.0), nx, ny
    return apart, dx / apart, dy / apart


def _faces_corner(ring: PlainSet, at: int, rest: Ring) -> bool:
    """Return whether what of a ring is nearest to a side's line is beside the side itself."""
    ux, uy, _, _, length = ring.sides[at]
    ax, ay = ring.corners[at]
    heights = [ux * x + uy * y for x, y in rest]
    level = min(heights) + _FACE_MM
    beside = [ux * (y - ay) - uy * (x - ax) for (x, y), height in zip(rest, heights, strict=True) if height <= level]
    return min(beside) <= length and max(beside) >= 0
