"""Where a point can go within a length of way, among convex obstacles and inside a box, and the shortest way there.

A place is reached by the last straight segment of its shortest way: one of the rays from the start, or of those that
leave the arcs which shortest ways hug.  The region is the union of what these rays sweep, each as long as the way that
remains, or until it meets an obstacle; the distance of a place is the least over the rays that come by it.  Lengths
are exact; only the drawn region is made of chords, `sweep.CHORD_MM` inside the true edge at most.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from assistant.geometry.arrivals import arrivals, points_before
from assistant.geometry.clearance import Point
from assistant.geometry.convex import Array, Convex, unit
from assistant.geometry.field import TOUCH_MM, Field, field_of, plane
from assistant.geometry.hugs import Hugs, hugs
from assistant.geometry.lines import BESIDE_MM, Box, inside_box
from assistant.geometry.regions import polygons
from assistant.geometry.sweep import CHORD_MM, fans

__all__ = ["Box", "Reach", "Route", "outside", "reach", "reach_region", "shortest_route", "without_ellipses"]

ERROR_MM = 2 * CHORD_MM
_SLIT_MM = 1e-4
_BESIDE_MM = 1e-6
"""How far from what it touches a place is held: one that touches several at once would have no way between them."""
_DETOUR = 1.5
"""How much longer than the straight line a way is first looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """A shortest way."""

    mm: float
    points: tuple[Point, ...]
    """Along it; arcs are drawn as chords."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reach:
    """What can be reached from a start within a length of way."""

    start: Point
    limit_mm: float
    box: Box
    region: shapely.MultiPolygon
    """Along obstacles its chords may cut into them: who draws it cuts them out."""
    error_mm: float = ERROR_MM
    """How far the region's edge may lie from the true one, outside of the obstacles."""
    hugs: Hugs
    """What the shortest ways from this start, and maybe others, hug."""
    index: int
    """Which of the starts this is."""

    def distances_mm(self, places: Array) -> Array:
        """Return the lengths of the shortest ways to (m, 2) places, (m,) millimetres.

        Exact; infinity beyond the limit, where no way leads, inside obstacles and outside the box.
        """
        points = plane(np.asarray(places, dtype=float).reshape(-1, 2))
        mm = np.full(len(points), np.inf)
        asked = inside_box(points, self.box).nonzero()[0]
        if inside_box(plane(np.array([self.start])), self.box)[0]:
            mm[asked] = arrivals(self.hugs, self.index, points[asked], self.limit_mm)[0]
        return mm

    def route(self, place: Point) -> Route | None:
        """Return the shortest way to a place, or None if it is not within reach."""
        if not inside_box(plane(np.array([self.start, place])), self.box).all():
            return None
        return _route(self.hugs, self.index, place, self.limit_mm)


def reach(starts: Sequence[Point], limit_mm: float, obstacles: Sequence[Convex] | Field, box: Box) -> list[Reach]:
    """Return what can be reached from each of some starts within a length of way.

    Obstacles that stay may be prepared once, with `field_of`, and joined by others, with `Field.plus`.  No start may
    lie inside an obstacle.  Nothing is reached from outside the box.
    """
    if not starts:
        return []
    places = plane(np.array(starts, dtype=float))
    field = obstacles if isinstance(obstacles, Field) else field_of(obstacles)
    near = np.abs(field.middles - places[:, None]).min(axis=0) - field.extents_mm < limit_mm
    found = hugs(places, limit_mm, field.among(near), box)
    swept, owner = fans(found, limit_mm)
    wide = limit_mm > 0 and box[0] < box[2] and box[1] < box[3]
    inside = inside_box(places, box) & wide
    regions = [_region(swept[owner == k], box) if inside[k] else shapely.MultiPolygon() for k in range(len(starts))]
    return [
        Reach(start=start, limit_mm=limit_mm, box=box, region=region, hugs=found, index=k)
        for k, (start, region) in enumerate(zip(starts, regions, strict=True))
    ]


def reach_region(start: Point, limit_mm: float, obstacles: Sequence[Convex] | Field, box: Box) -> shapely.MultiPolygon:
    """Return the places that can be reached from one start, as `reach` does."""
    return reach([start], limit_mm, obstacles, box)[0].region


def shortest_route(start: Point, goal: Point, obstacles: Sequence[Convex] | Field, box: Box) -> Route | None:
    """Return the shortest way between two places outside all obstacles, or None if there is none."""
    ends = plane(np.array([start, goal], dtype=float))
    if not inside_box(ends, box).all():
        return None
    field = obstacles if isinstance(obstacles, Field) else field_of(obstacles)
    straight = Route(mm=math.dist(start, goal), points=(start, goal))
    if straight.mm == 0:
        return straight
    none, length = np.full(1, -1), np.array([straight.mm])
    if field.entered(ends[:1], (ends[1:] - ends[:1]) / straight.mm, length, none, none)[0] >= straight.mm - TOUCH_MM:
        return straight
    around = np.maximum(field.floor_mm(start), 0.0) + np.maximum(field.floor_mm(goal), 0.0)
    for limit_mm in (_DETOUR * straight.mm, math.inf):  # a shorter way than the limit meets nothing further out
        route = _route(hugs(ends[:1], limit_mm, field.among(around <= limit_mm), box), 0, goal, limit_mm)
        if route is not None:
            return route
    return None


def _route(found: Hugs, index: int, place: Point, limit_mm: float) -> Route | None:
    goal = plane(np.array([place], dtype=float))
    mm, hug, angle = (column[0] for column in arrivals(found, index, goal, limit_mm))
    if math.isinf(mm):
        return None
    places = [found.field.centres[index], *points_before(found, int(hug), float(angle)), goal[0]]
    return Route(mm=float(mm), points=tuple((float(each.real), float(each.imag)) for each in places))


def _region(swept: Array, box: Box) -> shapely.MultiPolygon:
    # Grown by nothing they are mended and united, in half of the time that `union_all` takes.
    region = cast("BaseGeometry", shapely.buffer(shapely.geometrycollections(swept), 0))
    if region.is_empty:
        return shapely.MultiPolygon()
    left, low, right, high = region.bounds
    if min(left - box[0], low - box[1], box[2] - right, box[3] - high) < -BESIDE_MM:
        region = polygons(shapely.clip_by_rect(region, *box))
    return _without_slits(region)


def _without_slits(region: BaseGeometry) -> shapely.MultiPolygon:
    """Close the holes that rounding leaves where sweeps meet, thinner than `_SLIT_MM`."""
    parts = shapely.get_parts(region)
    if not shapely.get_num_interior_rings(parts).any():
        return cast("shapely.MultiPolygon", shapely.multipolygons(parts))
    rings, part = shapely.get_rings(parts, return_index=True)
    kept = 2 * shapely.area(shapely.polygons(rings)) > _SLIT_MM * shapely.length(rings)
    kept |= np.diff(part, prepend=-1) > 0  # each part's first ring is its outer one
    mended = []
    for index in range(len(parts)):
        shell, *holes = rings[kept & (part == index)]
        mended.append(shapely.Polygon(shell, holes))
    return shapely.MultiPolygon(mended)


def outside(obstacles: Sequence[Convex], places: Sequence[Point]) -> list[Convex]:
    """Return obstacles shrunk until they no longer cover certain places, nor touch them.

    One who stands inside a keep-out may leave it, and may not go deeper; an obstacle whose hard core is covered is
    left out.
    """
    field, shrunk = field_of(obstacles), []
    near = np.min([field.floor_mm(place) for place in places], axis=0) < _BESIDE_MM
    for obstacle, asked in zip(obstacles, near.tolist(), strict=True):
        least = min(obstacle.distance(*place)[0] for place in places) if asked else math.inf
        if least >= -TOUCH_MM or -least < obstacle.radius_mm:
            shrunk.append(obstacle.grown(-min(max(_BESIDE_MM - least, 0.0), obstacle.radius_mm)))
    return shrunk


def without_ellipses(obstacle: Convex, error_mm: float) -> Convex:
    """Return the obstacle with its ellipses replaced by polygons around them, no further away than ``error_mm``."""
    corners = Convex(corners_mm=obstacle.corners_mm, radius_mm=obstacle.radius_mm)
    for a, b, turn in obstacle.ellipses:
        count = 4 * math.ceil(math.pi / 4 * math.sqrt(max(a, b) / (2 * error_mm)))
        around = unit(np.arange(count, dtype=float) * (2 * math.pi / count)) / math.cos(math.pi / count) * (a, b)
        corners = corners.plus(Convex(corners_mm=around).moved(0.0, 0.0, turn))
    return corners
