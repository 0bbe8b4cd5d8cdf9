"""Separation: how far apart a base, at many places and facings, is from a convex obstacle.

The separation along a direction is how far apart two sets' furthest points towards each other are.  Whatever the
directions, the greatest is no more than the clearance, and it grows by no more than the base is moved.

Either set is a polygon or an ellipse, grown by a disc.  What depends on the facing alone, how far a set reaches towards
each side of the other and where it does so, is worked out once for each facing that is tried, however many places are
asked about at it.  Of two polygons the greatest separation is along a side of either; where they are apart the distance
is the least of those between a side and the corner that faces it.  An ellipse is met by a side of a polygon, or by the
corner at an end of the side that faces it most; the direction there, and between two ellipses, is found by Newton's
method, which puts circles of the same curvature in the places of the ellipses.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import shapely

from assistant.geometry.clearance.shape_arrays import Ints
from assistant.geometry.shapes.base_shapes import Base, PlacedShape
from assistant.geometry.shapes.convex import Array, ConvexSet, decompose_convex, outer_radius_mm, unit_vectors
from assistant.geometry.shapes.polygons import circumscribe

_ENTRIES = 16384
"""How many directions are tried to find how fast a base's extents change with a turn."""
_ROWS = 8192
"""How many separations are worked out at once: so many stay in the processor's cache."""
_ROUNDS = 4
"""Of the search for a direction: each takes the circles of the ellipses' curvature in their places."""
_MOST_ROUNDS = 10
"""Where an ellipse is slender."""
_SLENDER = 2.5
"""Ellipses that are longer than wide by more than this are not measured from each other, but from a polygon."""
_AROUND_MM = 0.01
"""How far the polygon that stands for an obstacle may lie from it."""
_PARALLEL_MM = 1e-7
"""A corner that is no further than this from a side's line touches it with the other that does."""
_TINY = 1e-90


@lru_cache(maxsize=64)
def find_turn_mm(base: Base) -> float:
    """Return how much the clearance of a base changes with a turn of one radian at most, or a quarter of its reach.

    So near to a disc a base's clearance hardly changes, but how far its parts have come does.
    """
    directions = unit_vectors(np.linspace(0.0, 2 * math.pi, _ENTRIES + 1))
    steps = [np.abs(np.diff(part.support(directions))).max() for part in decompose_convex(base)]
    return max(float(max(steps)) * _ENTRIES / (2 * math.pi), outer_radius_mm(base) / 4)


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
    def core(self) -> "Core":
        """What it is, but for the disc that it is grown by, around its middle."""
        moved = self.convex.move(*(-self.middle_mm).tolist()).grow(-self.convex.radius_mm)
        core = Core(convex=moved)
        return core if len(moved.ellipses) + (len(moved.corners_mm) > 1) <= 1 else core.polygon

    @cached_property
    def reach_mm(self) -> float:
        """How far from its middle its furthest point is at most."""
        corners = self.convex.corners_mm - self.middle_mm
        round_mm = self.convex.radius_mm + sum(max(a, b) for a, b, _ in self.convex.ellipses)
        return float(np.hypot(*corners.T).max()) + round_mm


@dataclass(frozen=True, kw_only=True, eq=False)
class Core:
    """A polygon, a point or an ellipse around the origin."""

    convex: ConvexSet

    @property
    def ellipse(self) -> tuple[float, float, float] | None:
        """Its semi-axes and turn, if it is one."""
        return self.convex.ellipses[0] if self.convex.ellipses else None

    @property
    def is_slender(self) -> bool:
        """Whether it is an ellipse that is far longer than wide."""
        return any(max(a, b) > _SLENDER * min(a, b) for a, b, _ in self.convex.ellipses)

    @cached_property
    def polygon(self) -> "Core":
        """A polygon around it, if it is round."""
        around = shapely.orient_polygons(circumscribe(self.convex, _AROUND_MM))
        return Core(convex=ConvexSet(corners_mm=shapely.get_coordinates(around)[:-1])) if self.convex.ellipses else self

    @cached_property
    def corners(self) -> list[list[float]]:
        """A polygon's corners, counter-clockwise."""
        corners: list[list[float]] = self.convex.corners_mm.tolist()
        return corners

    @cached_property
    def sides(self) -> Array:
        """Of each of a polygon's sides the outward normal, its extent along that, where it begins, and its length."""
        corners, normals = self.convex.corners_mm, self.convex.edge_normals()
        if not len(normals):
            return np.empty((0, 5))
        along = np.column_stack((-normals[:, 1], normals[:, 0]))
        begins = (corners * along).sum(axis=1)
        lengths = (np.roll(corners, -1, axis=0) * along).sum(axis=1) - begins
        return np.column_stack((normals, (corners * normals).sum(axis=1), begins, lengths))


@lru_cache(maxsize=64)
def _list_cores(base: Base) -> tuple[tuple[Core, float], ...]:
    """Return a base's convex parts in its own frame, each with the radius of the disc that it is grown by."""
    return tuple((Core(convex=part.grow(-part.radius_mm)), part.radius_mm) for part in decompose_convex(base))


def measure_extents(base: Base, towards_rad: float, facings: Array) -> Array:
    """Return how far a base reaches in a direction at facings."""
    directions = unit_vectors(towards_rad - facings)
    reach: Array = np.max([part.support(directions) for part in decompose_convex(base)], axis=0)
    return reach


@dataclass(frozen=True, slots=True, kw_only=True)
class Turned:
    """Places, and how a base is turned at each: so many facings are tried at many more places."""

    places: Array
    """(m, 2)."""
    facings: Array
    """(f,): those that are tried."""
    turns: Ints
    """(m,): which of them it is at each place."""


def measure_separation(base: Base, obstacle: Obstacle, turned: Turned, *, within_mm: float) -> Array:
    """Return how far a base is from an obstacle at least.

    Args:
        base: The base.
        obstacle: The obstacle.
        turned: Where the base is.
        within_mm: Exactly where it is apart, but no further than this.

    """
    facings, turns = turned.facings, turned.turns
    if len(facings) > len(turns):
        facings, turns = facings[turns], np.arange(len(turns))
    cos, sin = np.cos(facings), np.sin(facings)
    x, y = turned.places[:, 0] - obstacle.middle_mm[0], turned.places[:, 1] - obstacle.middle_mm[1]
    nearest = np.full(len(turns), np.inf)
    for part, own_mm in _list_cores(base):
        core, radius_mm = obstacle.core, own_mm + obstacle.convex.radius_mm
        pair = _Pair(part, core.polygon if part.is_slender or core.is_slender else core, cos, sin)
        for begin in range(0, len(turns), _ROWS):
            rows = slice(begin, begin + _ROWS)
            apart = pair.measure(x[rows], y[rows], turns[rows], within_mm + radius_mm) - radius_mm
            np.minimum(nearest[rows], apart, out=nearest[rows])
    return nearest


def measure_points(placed: PlacedShape, points: Array) -> Array:
    """Return how far (m, 2) points are from a shape; inside of it negative numbers."""
    turned = Turned(
        places=np.array((placed.x_mm, placed.y_mm)) - points,
        facings=np.array([placed.facing_rad]),
        turns=np.zeros(len(points), dtype=np.intp),
    )
    return measure_separation(placed.shape, _ORIGIN, turned, within_mm=math.inf)


_ORIGIN = Obstacle(convex=ConvexSet(corners_mm=np.zeros((1, 2))))


@dataclass(frozen=True, slots=True)
class _View:
    """Where a set's middle is, as another one sees it, and how it is turned."""

    middles: Array
    """(2, m)."""
    cos: Array
    sin: Array
    """(m,)."""
    turns: Ints

    def select(self, of: Ints) -> "_View":
        """Return some of them."""
        return _View(self.middles[:, of], self.cos[of], self.sin[of], self.turns[of])


@dataclass(frozen=True, slots=True)
class _Sides:
    """The sides of a polygon, and how another set, which is turned against it, lies towards each of them."""

    sides: Array
    """As of `Core.sides`."""
    reach: Array
    """(sides, facings): how far apart the middles are at least where the other touches the side's line."""
    aside: tuple[Array, Array]
    """(sides, facings): from where to where along the side, from the other's middle, it touches that line."""

    def separate(self, view: _View) -> Array:
        """Return the (sides, m) separations along each side."""
        apart: Array = self.sides[:, :2] @ view.middles
        apart -= self.reach.take(view.turns, axis=1)
        return apart

    def measure_beyond(self, which: Ints, view: _View) -> Array:
        """Return how far beyond the end of a side the other touches its line; before its begin negative numbers."""
        (nx, ny, _, begin, length), (x, y) = self.sides.T[:, which], view.middles
        along = nx * y - ny * x - begin
        low, high = (along + aside[which, view.turns] for aside in self.aside)
        beyond: Array = np.maximum(low - length, 0.0) + np.minimum(high, 0.0)
        return beyond


def _build_sides(own: Core, other: Core, cos: Array, sin: Array) -> _Sides:
    """Return a polygon's sides as another set lies that is turned against it."""
    nx, ny = own.sides[:, :1], own.sides[:, 1:2]
    ux, uy = -(nx * cos + ny * sin), nx * sin - ny * cos  # towards the side, as the other set sees it
    if other.ellipse is not None:
        a, b, turn = other.ellipse
        c, s = math.cos(turn), math.sin(turn)
        ux, uy = ux * c + uy * s, uy * c - ux * s
        reach = np.sqrt((a * a) * ux * ux + (b * b) * uy * uy)
        low = high = (a * a - b * b) * ux * uy / np.maximum(reach, _TINY)
    else:
        ahead = [x * ux + y * uy for x, y in other.corners]
        reach, low, high = np.max(ahead, axis=0), np.full(ux.shape, np.inf), np.full(ux.shape, -np.inf)
        for (x, y), each in zip(other.corners, ahead, strict=True):
            aside, touches = x * uy - y * ux, each >= reach - _PARALLEL_MM
            np.minimum(low, aside, out=low, where=touches)
            np.maximum(high, aside, out=high, where=touches)
    return _Sides(own.sides, reach + own.sides[:, 2:3], (low, high))


class _Pair:
    """A part of a base and an obstacle, at the facings that are tried."""

    __slots__ = ("_cos", "_mine", "_part", "_sin", "_theirs", "_thing")

    def __init__(self, part: Core, thing: Core, cos: Array, sin: Array) -> None:
        self._part, self._thing, self._cos, self._sin = part, thing, cos, sin
        self._mine = _build_sides(part, thing, cos, -sin)
        self._theirs = _build_sides(thing, part, cos, sin)

    def measure(self, x: Array, y: Array, turns: Ints, within_mm: float) -> Array:
        """Return the separations of the base's part at places from the obstacle's middle.

        Of polygons that are apart they are the distances, up to within; those of no more than 0 are along a side.
        """
        cos, sin = self._cos[turns], self._sin[turns]
        theirs = _View(np.stack((x, y)), cos, sin, turns)
        mine = _View(np.stack((-(cos * x + sin * y), sin * x - cos * y)), cos, -sin, turns)
        part, thing = self._part, self._thing
        if part.ellipse is not None and thing.ellipse is not None:
            return _measure_ellipses(part.ellipse, thing.ellipse, mine)
        if part.ellipse is not None:
            return _measure_to_ellipse(thing, self._theirs, part.ellipse, theirs, within_mm)
        if thing.ellipse is not None:
            return _measure_to_ellipse(part, self._mine, thing.ellipse, mine, within_mm)
        if len(part.corners) == len(thing.corners) == 1:
            distances: Array = np.hypot(x, y)
            return distances
        return _measure_polygons(((self._theirs, theirs), (self._mine, mine)), within_mm)


def _measure_polygons(either: Sequence[tuple[_Sides, _View]], within_mm: float) -> Array:
    """Return the separations of polygons, by the sides of either."""
    apart = [sides.separate(view) for sides, view in either]
    most = [each.max(axis=0, initial=-np.inf) for each in apart]
    best: Array = np.maximum(*most)
    asked = (best > 0) & (best < within_mm)
    for (sides, view), each, own, other in zip(either, apart, most, reversed(most), strict=True):
        of = np.flatnonzero(asked & (own >= other))
        if len(of):
            beyond = sides.measure_beyond(each[:, of].argmax(axis=0), view.select(of))
            best[of] = np.hypot(own[of], beyond)
    return best


# -- ellipses

_Ellipse = tuple[float, float, float]


def _measure_to_ellipse(own: Core, sides: _Sides, ellipse: _Ellipse, view: _View, within_mm: float) -> Array:
    """Return the separations of a polygon from an ellipse, as the polygon sees it."""
    a, b, first_rad = ellipse
    is_slender = max(a, b) > _SLENDER * min(a, b)  # so it may meet any corner, whichever side faces it most
    if len(own.corners) == 1:
        best = np.full(len(view.turns), -np.inf)
        of, corner = np.arange(len(best)), np.zeros(len(best), dtype=np.intp)
    else:
        apart = sides.separate(view)
        best = apart.max(axis=0)
        of = np.flatnonzero(best < within_mm)
        which = apart[:, of].argmax(axis=0)
        beyond = sides.measure_beyond(which, view.select(of))
        asked = (beyond != 0) | (is_slender & (best[of] <= 0))
        of, corner = of[asked], ((which + (beyond > 0)) % len(own.corners))[asked]
    view = view.select(of)
    x, y = view.middles
    c, s = math.cos(first_rad), math.sin(first_rad)
    cos, sin = view.cos * c - view.sin * s, view.sin * c + view.cos * s
    if is_slender:
        seen = [(px - x, py - y) for px, py in own.corners]
        near = [((cos * px + sin * py) / a) ** 2 + ((cos * py - sin * px) / b) ** 2 for px, py in seen]
        corner = np.where(best[of] > 0, corner, np.argmin(near, axis=0))
    cx, cy = own.convex.corners_mm.T[:, corner]
    px, py = cx - x, cy - y
    apart, nx, ny = _measure_to_points(a, b, cos * px + sin * py, cos * py - sin * px)
    if len(own.corners) > 1:  # another corner may lie further towards the ellipse
        nx, ny = cos * nx - sin * ny, sin * nx + cos * ny
        (mx, my), (lx, ly) = own.sides.T[:2, corner], own.sides.T[:2, corner - 1]
        other = np.flatnonzero((mx * ny - my * nx < 0) | (lx * ny - ly * nx > 0))
        nx, ny = nx[other], ny[other]
        ahead = np.min([px * nx + py * ny for px, py in own.corners], axis=0)
        apart[other] += ahead - (cx[other] * nx + cy[other] * ny)
    best[of] = np.maximum(best[of], apart)
    return best


def _measure_to_points(a: float, b: float, x: Array, y: Array) -> tuple[Array, Array, Array]:
    """Return the separations of points from an ellipse around the origin, and in which directions they are."""
    px, py = np.abs(x), np.abs(y)
    bulge = a * a - b * b
    tx = ty = np.full(len(x), math.sqrt(0.5))
    for _ in range(
        _ROUNDS if max(a, b) <= _SLENDER * min(a, b) else _MOST_ROUNDS
    ):  # where the way from the circle of the same curvature to the point crosses that circle
        ex, ey = (bulge / a) * tx * tx * tx, (-bulge / b) * ty * ty * ty
        qx, qy = px - ex, py - ey
        scale = np.sqrt(((a * tx - ex) ** 2 + (b * ty - ey) ** 2) / np.maximum(qx * qx + qy * qy, _TINY))
        tx, ty = np.clip((qx * scale + ex) * (1 / a), 0.0, 1.0), np.clip((qy * scale + ey) * (1 / b), 0.0, 1.0)
        lost = (tx == 0) & (ty == 0)  # at the circle's middle any direction is as good
        tx[lost] = 1.0
        scale = 1.0 / np.sqrt(tx * tx + ty * ty)
        tx, ty = tx * scale, ty * scale
    nx, ny = b * tx, a * ty
    scale = 1.0 / np.sqrt(nx * nx + ny * ny)
    nx, ny = nx * scale, ny * scale
    return nx * (px - a * tx) + ny * (py - b * ty), np.copysign(nx, x), np.copysign(ny, y)


def _measure_ellipses(one: _Ellipse, two: _Ellipse, view: _View) -> Array:
    """Return the separations of an ellipse from another one, as the first one sees it.

    The first direction is that of an ellipse which is nearly the sum of both.
    """
    (a, b, first_rad), (p, q, second_rad) = one, two
    c, s = math.cos(first_rad), math.sin(first_rad)
    x, y = view.middles
    x, y = c * x + s * y, c * y - s * x
    c, s = math.cos(second_rad - first_rad), math.sin(second_rad - first_rad)
    cos, sin = view.cos * c - view.sin * s, view.sin * c + view.cos * s
    aa, bb, pp, qq = a * a, b * b, p * p, q * q
    xx, xy, yy = pp * cos * cos + qq * sin * sin, (pp - qq) * cos * sin, pp * sin * sin + qq * cos * cos
    share = math.sqrt(p * q / (a * b))
    more = 1 + 1 / share
    nx, ny = (more * yy + (1 + share) * bb) * x - more * xy * y, (more * xx + (1 + share) * aa) * y - more * xy * x
    best = np.full(len(x), -np.inf)
    for _ in range(_ROUNDS):
        scale = 1.0 / np.maximum(np.sqrt(nx * nx + ny * ny), _TINY)
        nx, ny = nx * scale, ny * scale
        scale = 1.0 / np.sqrt(aa * nx * nx + bb * ny * ny)
        wx, wy = x - aa * nx * scale, y - bb * ny * scale
        bend = (a * b) ** 2 * scale * scale * scale
        gx, gy = xx * nx + xy * ny, xy * nx + yy * ny
        scale = 1.0 / np.sqrt(nx * gx + ny * gy)
        wx -= gx * scale
        wy -= gy * scale
        bend += (p * q) ** 2 * scale * scale * scale
        np.maximum(best, nx * wx + ny * wy, out=best)
        nx, ny = wx + bend * nx, wy + bend * ny
    return best
