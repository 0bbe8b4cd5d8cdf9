"""Separation: how far apart a base, at many places and facings, is from a convex obstacle.

The separation along a direction is how far apart two sets' furthest points towards each other are.  Whatever the
directions, the greatest is no more than the clearance; it grows by no more than the base is moved; and of two polygons
it is positive along a side of either exactly where they are apart.  Of what is round, even directions are tried, and
the one between them where the separation seems to peak.

From a disc a base is as far as from its middle.
"""

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from assistant.geometry.shapes.base_shapes import Base, PlacedShape
from assistant.geometry.shapes.convex import (
    Array,
    ConvexSet,
    decompose_convex,
    outer_radius_mm,
    unit_vectors,
)

_EVEN = 32
"""How many directions are tried where something is round."""
_EVEN_RAD = np.arange(_EVEN, dtype=float) * (2 * math.pi / _EVEN)
_ENTRIES = 16384
"""How many entries a table of extents has."""
_STEP_RAD = 2 * math.pi / _ENTRIES
_APART = _ENTRIES // _EVEN
_EVEN_NORMALS = unit_vectors(_EVEN_RAD).T.astype(np.float32)
_ROWS = 4096
"""How many separations are worked out at once: so many stay in the processor's cache."""
_ROUNDS = 4
"""Of Newton's method, from a direction that is nearly right."""
_TINY = 1e-90


@dataclass(frozen=True, kw_only=True, eq=False)
class Extents:
    """How far a convex set reaches from its origin, by direction."""

    convex: ConvexSet

    @cached_property
    def by_direction_mm(self) -> Array:
        """The extents along even directions, the first repeated at the end."""
        return self.convex.support(unit_vectors(np.arange(_ENTRIES + 1, dtype=float) * _STEP_RAD))

    @cached_property
    def even_mm(self) -> NDArray[np.float32]:
        """The extents along the even directions that are tried."""
        return self.by_direction_mm[:-1:_APART].astype(np.float32)

    @cached_property
    def turned_mm(self) -> NDArray[np.float32]:
        """The extents along as many even directions, (n, first, direction), from the n-th after the first on."""
        values = self.by_direction_mm[:-1].reshape(_EVEN, _APART).T.astype(np.float32)
        return sliding_window_view(np.concatenate((values, values), axis=1), _EVEN, axis=1)

    @cached_property
    def turn_mm(self) -> float:
        """How far aside of the origin the point is at most that reaches furthest along a direction."""
        return float(np.abs(np.diff(self.by_direction_mm)).max()) / _STEP_RAD

    @cached_property
    def sides_rad(self) -> Array:
        """The directions of the sides' normals."""
        normals = self.convex.edge_normals()
        return np.arctan2(normals[:, 1], normals[:, 0])

    @cached_property
    def sides_mm(self) -> Array:
        """The extents along these."""
        return self.convex.support(self.convex.edge_normals())

    @property
    def is_round(self) -> bool:
        """Whether it is no plain polygon."""
        return self.convex.radius_mm > 0 or bool(self.convex.ellipses)

    def measure_mm(self, angles: Array) -> Array:
        """Return the extents along directions, to 1e-7 of the set's size; beside a corner up to 2e-4 of it too much."""
        place = np.mod(angles, 2 * math.pi) * (1 / _STEP_RAD)
        low = place.astype(np.int32)
        low = np.minimum(low, _ENTRIES - 1)
        share = place - low
        values = self.by_direction_mm
        extents: Array = values[low] * (1 - share) + values[low + 1] * share
        return extents

    def measure_slope_mm(self, angles: Array) -> Array:
        """Return how fast the extents grow with the direction."""
        place = np.rint(np.mod(angles, 2 * math.pi) * (1 / _STEP_RAD) - 0.5).astype(np.int64)
        values = self.by_direction_mm
        place = np.clip(place, 0, _ENTRIES - 1)
        slopes: Array = (values[place + 1] - values[place]) * (1 / _STEP_RAD)
        return slopes


@lru_cache(maxsize=64)
def list_extents(base: Base) -> tuple[Extents, ...]:
    """Return the extents of a base's convex parts, in its own frame."""
    return tuple(Extents(convex=part) for part in decompose_convex(base))


def find_turn_mm(base: Base) -> float:
    """Return how much the clearance of a base changes with a turn of one radian at most, or a quarter of its reach.

    So near to a disc a base's clearance hardly changes, but how far its parts have come does.
    """
    return max(*(part.turn_mm for part in list_extents(base)), outer_radius_mm(base) / 4)


@dataclass(frozen=True, kw_only=True, eq=False)
class Obstacle:
    """A convex set to keep out of, or near to."""

    convex: ConvexSet

    @cached_property
    def middle_mm(self) -> Array:
        """A place amid it."""
        middle: Array = (self.convex.corners_mm.min(axis=0) + self.convex.corners_mm.max(axis=0)) / 2
        return middle

    @cached_property
    def extents(self) -> Extents:
        """How far it reaches from its middle."""
        return Extents(convex=self.convex.move(*(-self.middle_mm).tolist()))

    @cached_property
    def reach_mm(self) -> float:
        """How far from its middle its furthest point is at most."""
        corners = self.extents.convex.corners_mm
        round_mm = self.convex.radius_mm + sum(max(a, b) for a, b, _ in self.convex.ellipses)
        return float(np.hypot(*corners.T).max()) + round_mm

    @property
    def is_disc(self) -> bool:
        """Whether it is a disc, or a point."""
        return len(self.convex.corners_mm) == 1 and not self.convex.ellipses


def measure_separation(base: Base, obstacle: Obstacle, offsets: Array, facings: Array, *, nearly: bool) -> Array:
    """Return how far a base is from an obstacle at least.

    Args:
        base: The base.
        obstacle: The obstacle.
        offsets: Where the base is, (m, 2), from the obstacle's middle.
        facings: How it is turned, (m,).
        nearly: To a hundredth of a millimetre, corners that face each other included, where it is apart.

    """
    parts = [
        _measure_to_middles(part, offsets, facings) - obstacle.convex.radius_mm
        if obstacle.is_disc
        else _separate(part, obstacle, offsets, facings, nearly=nearly)
        for part in list_extents(base)
    ]
    return parts[0] if len(parts) == 1 else np.min(parts, axis=0)


def _separate(part: Extents, obstacle: Obstacle, offsets: Array, facings: Array, *, nearly: bool) -> Array:
    """Return the greatest separation of a convex part of a base from an obstacle."""
    best = _separate_along_sides(part, obstacle, offsets, facings)
    even = nearly or part.is_round or obstacle.extents.is_round
    for begin in range(0, len(best) if even else 0, _ROWS):
        rows = slice(begin, begin + _ROWS)
        _raise_to_peak(best[rows], part, obstacle, offsets[rows], facings[rows], nearly=nearly)
    return best


def _raise_to_peak(
    best: Array, part: Extents, obstacle: Obstacle, offsets: Array, facings: Array, *, nearly: bool
) -> None:
    """Raise separations to what they are along the best of the even directions, and where they seem to peak beside."""
    first = np.rint((math.pi - facings) * (1 / _STEP_RAD)).astype(np.int64) & (_ENTRIES - 1)
    tried = offsets.astype(np.float32) @ _EVEN_NORMALS
    tried -= obstacle.extents.even_mm
    tried -= part.turned_mm[first % _APART, first // _APART]
    top = tried.argmax(axis=1)
    rows = np.arange(len(top))
    before, here, after = tried[rows, top - 1], tried[rows, top], tried[rows, (top + 1) % _EVEN]
    bend = before - 2 * here + after
    shift = np.divide(0.5 * (before - after), bend, out=np.zeros(len(bend)), where=bend < 0)
    beside = _EVEN_RAD[top] + np.clip(shift, -1.0, 1.0) * (2 * math.pi / _EVEN)
    for angles in (_EVEN_RAD[top], beside):
        np.maximum(best, _separate_along(part, obstacle, offsets, facings, angles), out=best)
    for _ in range(2 if nearly else 0):  # from corner to corner: to where the way between them leads
        apart = _separate_along(part, obstacle, offsets, facings, beside)
        aside = np.cos(beside) * offsets[:, 1] - np.sin(beside) * offsets[:, 0]
        aside -= obstacle.extents.measure_slope_mm(beside) + part.measure_slope_mm(beside + math.pi - facings)
        beside += np.arctan2(aside, np.maximum(apart + obstacle.convex.radius_mm, _TINY))
        np.maximum(best, _separate_along(part, obstacle, offsets, facings, beside), out=best)


def _separate_along(part: Extents, obstacle: Obstacle, offsets: Array, facings: Array, angles: Array) -> Array:
    """Return the separations along a direction each, from the obstacle to the base."""
    separations = np.cos(angles) * offsets[:, 0] + np.sin(angles) * offsets[:, 1]
    separations -= obstacle.extents.measure_mm(angles) + part.measure_mm(angles + math.pi - facings)
    return separations


def _separate_along_sides(part: Extents, obstacle: Obstacle, offsets: Array, facings: Array) -> Array:
    """Return the greatest separation along the normals of the sides of either."""
    best = np.full(len(offsets), -np.inf)
    dx, dy = offsets.T
    sides, reach = obstacle.extents.sides_rad, obstacle.extents.sides_mm
    for angle, mm in zip(sides.tolist(), reach.tolist(), strict=True):
        along = math.cos(angle) * dx + math.sin(angle) * dy - mm
        np.maximum(best, along - part.measure_mm(angle + math.pi - facings), out=best)
    for angle, mm in zip(part.sides_rad.tolist(), part.sides_mm.tolist(), strict=True):
        out = facings + angle
        along = -np.cos(out) * dx - np.sin(out) * dy - mm
        np.maximum(best, along - obstacle.extents.measure_mm(out + math.pi), out=best)
    return best


# -- from a disc's middle


def measure_points(placed: PlacedShape, points: Array) -> Array:
    """Return how far (m, 2) points are from a shape; inside of it negative numbers."""
    offsets, facings = np.array((placed.x_mm, placed.y_mm)) - points, np.full(len(points), placed.facing_rad)
    apart = [_measure_to_middles(part, offsets, facings) for part in list_extents(placed.shape)]
    nearest: Array = np.min(apart, axis=0)
    return nearest


def _measure_to_middles(part: Extents, offsets: Array, facings: Array) -> Array:
    """Return how far a convex part of a base is from points, the base's places seen from which are given."""
    cos, sin = np.cos(facings), np.sin(facings)
    x, y = -offsets[:, 0] * cos - offsets[:, 1] * sin, offsets[:, 0] * sin - offsets[:, 1] * cos
    if part.convex.ellipses:
        ((a, b, _),) = part.convex.ellipses
        return _measure_to_ellipse(a * a, b * b, x, y)
    corners = part.convex.corners_mm
    if len(corners) == 1:
        return np.hypot(x, y) - part.convex.radius_mm
    inside, away = np.full(len(x), -np.inf), np.full(len(x), np.inf)
    for (ax, ay), (bx, by) in zip(corners.tolist(), np.roll(corners, -1, axis=0).tolist(), strict=True):
        length = math.hypot(bx - ax, by - ay)
        ex, ey = (bx - ax) / length, (by - ay) / length
        ox, oy = x - ax, y - ay
        side = ey * ox - ex * oy
        along = ex * ox + ey * oy
        along -= np.clip(along, 0.0, length)
        np.maximum(inside, side, out=inside)
        side *= side
        along *= along
        side += along
        np.minimum(away, side, out=away)
    distances: Array = np.where(inside > 0, np.sqrt(away), inside)
    return distances


def _measure_to_ellipse(aa: float, bb: float, x: Array, y: Array) -> Array:
    """Return how far points are from an ellipse at least, by its squared semi-axes; outside of it exactly."""
    nx, ny = x / aa, y / bb
    best = np.full(len(x), -np.inf)
    for _ in range(_ROUNDS):
        length = np.hypot(nx, ny)
        lost = length < _TINY  # at a centre of curvature any direction is as good
        nx, ny = (
            np.where(lost, 0.0, nx / np.where(lost, 1.0, length)),
            np.where(lost, 1.0, ny / np.where(lost, 1.0, length)),
        )
        reach = np.maximum(np.sqrt(aa * nx * nx + bb * ny * ny), _TINY)
        wx, wy = x - aa * nx / reach, y - bb * ny / reach
        np.maximum(best, nx * wx + ny * wy, out=best)
        bend = aa / reach * (bb / reach) / reach
        nx, ny = wx + bend * nx, wy + bend * ny
    return best
