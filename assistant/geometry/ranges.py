"""Within and wholly within, as wargames measure them, horizontally and vertically apart.

A shape with a height is its outline, from the height it stands at up to that plus its thickness.
"""

import math
from dataclasses import dataclass

import numpy as np

from assistant.geometry import separations
from assistant.geometry.clearance import Clearance, clearance
from assistant.geometry.convex import Array, convex_parts, greatest_on_circle
from assistant.geometry.extent import Furthest, contains, corners_mm, rim_points
from assistant.geometry.shapes import Oval, Placed, Round
from assistant.geometry.standing import stand

_ROUNDING_MM = 1e-6
"""A range met exactly is met, whatever the rounding of the last digits says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Solid:
    """A placed shape with a thickness above the height that it stands at."""

    placed: Placed
    thickness_mm: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Separation:
    """The horizontal and the vertical gap of two solids."""

    horizontal: Clearance
    vertical_mm: float
    """Between their height intervals; negative, the least way out, where these overlap."""

    @property
    def mm(self) -> float:
        """The straight distance of two upright solids; 0 where they touch or overlap."""
        return math.hypot(max(self.horizontal.mm, 0.0), max(self.vertical_mm, 0.0))


def separation(one: Solid, other: Solid) -> Separation:
    """Return the horizontal and vertical gaps between two solids."""
    least_one, least_other = one.placed.z_mm, other.placed.z_mm
    above, below = least_other - least_one - one.thickness_mm, least_one - least_other - other.thickness_mm
    return Separation(horizontal=clearance(one.placed, other.placed), vertical_mm=max(above, below))


def is_within(one: Solid, other: Solid, horizontal_mm: float, vertical_mm: float = math.inf) -> bool:
    """Return whether any part of one solid is within a range of another, its limits apart as rules measure them."""
    apart = separation(one, other)
    return apart.horizontal.mm <= horizontal_mm + _ROUNDING_MM and apart.vertical_mm <= vertical_mm + _ROUNDING_MM


def is_wholly_within(one: Solid, other: Solid, horizontal_mm: float, vertical_mm: float = math.inf) -> bool:
    """Return whether every part of one solid is within a range of another.

    Raises:
        ValueError: the other is a concave outline.

    """
    lower = other.placed.z_mm - one.placed.z_mm
    upper = one.placed.z_mm + one.thickness_mm - other.placed.z_mm - other.thickness_mm
    if max(lower, upper) > vertical_mm + _ROUNDING_MM:
        return False
    return furthest_part(one.placed, other.placed).mm <= horizontal_mm + _ROUNDING_MM


def furthest_part(one: Placed, other: Placed) -> Furthest:
    """Return the point of one shape that is furthest from another shape, horizontally; 0 mm where it lies inside.

    Exact to 1e-6 mm.  The distance to a convex set is a convex function, so it is greatest at a corner of the first
    shape or on its smooth rim.

    Raises:
        ValueError: the other is a concave outline, to which the furthest point may lie anywhere.

    """
    if len(convex_parts(other.shape)) > 1:
        raise ValueError("the furthest part is measured to a convex shape; split the concave outline, or use its hull")
    candidates = corners_mm(one)
    if not len(candidates):

        def away(angles: Array) -> Array:
            return _distances_mm(rim_points(one, angles), other)

        angle, _ = greatest_on_circle(away, np.arange(4) * math.pi / 2)
        candidates = rim_points(one, np.array([angle]))
    distances = _distances_mm(candidates, other)
    best = int(distances.argmax())
    return Furthest(mm=float(distances[best]), point=(float(candidates[best, 0]), float(candidates[best, 1])))


def _distances_mm(points: Array, convex: Placed) -> Array:
    """Return how far (m, 2) points are from a convex shape, 0 inside, as (m,)."""
    away = np.zeros(len(points))
    outside = np.flatnonzero(~contains(convex, points))
    if not len(outside):
        return away
    standing = stand([convex])
    spots = np.zeros((7, len(outside)))
    spots[:2] = points[outside].T
    match convex.shape:
        case Round(radius_mm=radius):
            found = np.hypot(spots[0] - convex.x_mm, spots[1] - convex.y_mm) - radius
        case Oval():
            found = separations.smooth(spots, np.repeat(standing.smooth, len(outside), axis=1))[0]
        case _:
            sides = np.repeat(standing.polygons[0], len(outside), axis=2)
            found = separations.disc_polygon(spots, np.zeros(len(outside)), sides)[0]
    away[outside] = np.maximum(found, 0.0)
    return away
