"""Signed distance of two convex sets, negative where they overlap, and along which direction, number by number.

What is asked thousands of times of a handful of corners takes arrays longer to begin with than plain numbers to end.
The separation is what `ConvexSet.distance` says of the origin and the difference of the two sets.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from assistant.geometry.shapes.convex import ConvexSet, Ellipse, distance_to_outside_point

Ring = list[tuple[float, float]]
_AS_FAR = 1 + 1e-10
_ROUNDING_MM = 1e-11
"""What is no further apart than along a side's normal, to so much, is nearest along it."""


class PlainSet(NamedTuple):
    """A convex set as plain numbers: see `ConvexSet`."""

    corners: Ring
    radius_mm: float
    ellipses: Sequence[Ellipse]

    def move(self, x_mm: float, y_mm: float, turn_rad: float) -> "PlainSet":
        """Return the set turned about the origin, then shifted."""
        cos, sin = math.cos(turn_rad), math.sin(turn_rad)
        corners = [(x * cos - y * sin + x_mm, x * sin + y * cos + y_mm) for x, y in self.corners]
        return PlainSet(corners, self.radius_mm, [(a, b, turn + turn_rad) for a, b, turn in self.ellipses])

    def measure_extent_mm(self, nx: float, ny: float) -> float:
        """Return how far the set reaches in a direction."""
        extent = max([x * nx + y * ny for x, y in self.corners]) + self.radius_mm
        for a, b, turn in self.ellipses:
            cos, sin = math.cos(turn), math.sin(turn)
            extent += math.hypot(a * (nx * cos + ny * sin), b * (ny * cos - nx * sin))
        return extent


def simplify_set(part: ConvexSet) -> PlainSet:
    """Return a convex set as plain numbers."""
    return PlainSet([(x, y) for x, y in part.corners_mm.tolist()], part.radius_mm, part.ellipses)


def measure_separation(one: PlainSet, other: PlainSet) -> tuple[float, float, float]:
    """Return how far apart two sets are (negative depth) and the unit normal from the first to the second."""
    radii_mm = one.radius_mm + other.radius_mm
    if not one.ellipses and not other.ellipses:
        mm, nx, ny = _separate_rings(one.corners, other.corners)
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


def _separate_rings(one: Ring, other: Ring) -> tuple[float, float, float]:
    """Return the same for polygons or points.

    Two that overlap are parted least along the normal of some side; apart, a corner of one and a side of the other
    are nearest.
    """
    mm, nx, ny = -math.inf, 1.0, 0.0
    for ring, rest, sign in ((one, other, 1.0), (other, one, -1.0)):
        for ax, ay, ex, ey, length in _list_sides(ring):
            ux, uy = ey / length, -ex / length
            gap = min([ux * x + uy * y for x, y in rest]) - ux * ax - uy * ay
            if gap > mm:
                mm, nx, ny = gap, sign * ux, sign * uy
    if mm <= 0 and mm > -math.inf:
        return mm, nx, ny
    least, dx, dy = math.inf, 0.0, 0.0
    for ring, rest, sign in ((one, other, 1.0), (other, one, -1.0)):
        sides = list(_list_sides(ring)) or [(*ring[0], 0.0, 0.0, 1.0)]
        for x, y in rest:
            for ax, ay, ex, ey, length in sides:
                px, py = x - ax, y - ay
                share = min(max((px * ex + py * ey) / (length * length), 0.0), 1.0)
                px, py = px - share * ex, py - share * ey
                square = px * px + py * py
                if square < least:
                    least, dx, dy = square, sign * px, sign * py
    apart = math.hypot(dx, dy)
    if apart <= mm * _AS_FAR + _ROUNDING_MM or apart == 0:  # a side's normal is exact, however near they are
        return max(mm, 0.0), nx, ny
    return apart, dx / apart, dy / apart


def _list_sides(ring: Ring) -> Iterator[tuple[float, float, float, float, float]]:
    """Yield where each side of a polygon begins, its step, and its length; nothing of a point."""
    for (ax, ay), (bx, by) in zip(ring, [*ring[1:], ring[0]], strict=True):
        ex, ey = bx - ax, by - ay
        length = math.hypot(ex, ey)
        if length > 0:
            yield ax, ay, ex, ey, length
