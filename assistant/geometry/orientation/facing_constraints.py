"""Facing constraints: obstacles, the table's edge and displacement, which keep a base from a place at a facing.

What a base covers at some or at all of a range of facings is bounded by polygons.  A convex set's support h satisfies h
+ h'' >= 0, so as the set turns about the origin its extent in a direction is no more than the greater of its end values
divided by the cosine of half the range.  The same holds of the polar set: where a set surrounds the origin, a ray from
there runs in it at least as far as the lesser of its end values times that cosine.
"""

import math
from collections.abc import Sequence
from functools import cache

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from assistant.geometry.orientation.facing_search import FacingConstraint, subtract_areas
from assistant.geometry.shapes.base_shapes import Base, Outline, PlacedShape
from assistant.geometry.shapes.convex import (
    Array,
    ConvexSet,
    decompose_convex,
    hull,
    inner_radius_mm,
    outer_radius_mm,
    sum_rings,
    unit_vectors,
)
from assistant.geometry.shapes.overlays import intersect
from assistant.geometry.shapes.polygons import circumscribe, inscribe

OVAL_MM = 0.02
"""How far the polygons that stand for an oval or a disc may lie from it."""
_TOUCH_MM = 1e-9


def build_rings(base: Base, *, outside: bool, error_mm: float = OVAL_MM) -> list[Array]:
    """Return the corners, counter-clockwise, of convex sets that together hold a base or lie in it, to an error."""
    return [_build_ring(part, error_mm, outside=outside) for part in decompose_convex(base)]


def build_core_rings(base: Base, low_rad: float, high_rad: float) -> list[Array]:
    """Return the corners of convex sets that lie in a base, its centre the origin, at every facing of a range.

    The range is less than half a turn.  A convex base around its centre loses what grows with the range squared, a
    part beside the centre what grows with the range; none is returned where nothing is left.
    """
    half, rings = (high_rad - low_rad) / 2, []
    for ring in build_rings(base, outside=False):
        surrounds = shapely.contains_xy(shapely.Polygon(ring), 0.0, 0.0)
        centre = np.zeros(2) if surrounds else ring.mean(axis=0)
        first, last = (shapely.Polygon(turn_points(ring - centre, facing)) for facing in (low_rad, high_rad))
        core = shapely.Polygon(shapely.get_coordinates(shapely.intersection(first, last)) * math.cos(half))
        aside = math.hypot(*centre) * half
        if aside > _TOUCH_MM:
            core = shapely.buffer(core, -aside, join_style="mitre")
        if not core.is_empty:
            rings.append(hull(shapely.get_coordinates(core)) + turn_points(centre[None], (low_rad + high_rad) / 2))
    return rings


def turn_points(points: Array, turn_rad: float) -> Array:
    """Return (m, 2) points turned about the origin."""
    cos, sin = math.cos(turn_rad), math.sin(turn_rad)
    turned: Array = points @ np.array([[cos, sin], [-sin, cos]])
    return turned


def _build_ring(part: ConvexSet, error_mm: float, *, outside: bool) -> Array:
    """Return the corners of a part of a base; of a disc or an ellipse those of a polygon around it, or within."""
    if part.radius_mm == 0 and not part.ellipses:
        return part.corners_mm
    ((a, b, _),) = part.ellipses or ((part.radius_mm, part.radius_mm, 0.0),)
    count = 4 * math.ceil(math.pi / 4 * math.sqrt(max(a, b) / (2 * error_mm)))
    ring: Array = unit_vectors(np.arange(count, dtype=float) * (2 * math.pi / count)) * (a, b)
    return ring / math.cos(math.pi / count) if outside else ring


_DRAWN_MM = 0.02
_BEARINGS = 360
_CORNERS = 12
"""Of a base with no more corners the places are worked out at which two of them keep it from going on."""
_SIDES = np.array([(-1.0, 0.0), (0.0, -1.0), (1.0, 0.0), (0.0, 1.0)])


def build_obstacle_constraint(base: Base, obstacles: Sequence[ConvexSet]) -> FacingConstraint:
    """Return where a base does not enter obstacles."""
    if not obstacles:
        return FacingConstraint(at=lambda _, places: places, between=lambda _, __, places: places)
    inner, outer = inner_radius_mm(base), outer_radius_mm(base)
    around_all = [circumscribe(obstacle.grow(outer), _DRAWN_MM) for obstacle in obstacles]
    bounds = shapely.bounds(np.array(around_all))

    def near(places: BaseGeometry) -> list[int]:
        left, low, right, high = shapely.bounds(places)
        apart = (bounds[:, 0] > right) | (bounds[:, 2] < left) | (bounds[:, 1] > high) | (bounds[:, 3] < low)
        return [int(index) for index in np.flatnonzero(~apart)]

    outside = [shapely.get_coordinates(circumscribe(obstacle, _DRAWN_MM))[:-1] for obstacle in obstacles]
    inside = [hull(shapely.get_coordinates(inscribe(obstacle, _DRAWN_MM))) for obstacle in obstacles]

    @cache
    def bodies(facing: float) -> list[Array]:
        return [-turn_points(ring, facing) for ring in build_rings(base, outside=True)]

    @cache
    def cores(low: float, high: float) -> list[Array]:
        return [-ring for ring in build_core_rings(base, low, high)]

    @cache
    def taken(index: int, facing: float) -> list[shapely.Polygon]:
        return [shapely.Polygon(sum_rings(outside[index], body)) for body in bodies(facing)]

    @cache
    def always(index: int, low: float, high: float) -> list[shapely.Polygon]:
        return [shapely.Polygon(sum_rings(inside[index], core)) for core in cores(low, high)]

    def at(facing: float, places: BaseGeometry) -> BaseGeometry:
        return subtract_areas(places, [polygon for index in near(places) for polygon in taken(index, facing)])

    def between(low: float, high: float, places: BaseGeometry) -> BaseGeometry:
        return subtract_areas(places, [polygon for index in near(places) for polygon in always(index, low, high)])

    closed = tuple(circumscribe(obstacle.grow(inner), _DRAWN_MM) for obstacle in obstacles) if inner > 0 else ()
    if isinstance(base, Outline):
        return FacingConstraint(at=at, between=between, closed=closed, doubtful=tuple(around_all))
    return FacingConstraint(at=at, between=between, closed=closed, touched=tuple(around_all))


def build_table_constraint(base: Base, width_mm: float, depth_mm: float, margin_mm: float = 0.0) -> FacingConstraint:
    """Return where no part of a base crosses the table's edge, nor comes nearer to it than a margin."""

    def inside(parts: Sequence[ConvexSet], places: BaseGeometry) -> BaseGeometry:
        if not parts or places.is_empty:
            return places
        left, near, right, far = np.max([part.support(_SIDES) for part in parts], axis=0) + margin_mm
        if left + right > width_mm or near + far > depth_mm:
            return shapely.Polygon()
        free: shapely.Polygon = shapely.box(left, near, width_mm - right, depth_mm - far)
        return intersect(places, free)

    def beside(reach_mm: float) -> tuple[shapely.Polygon, ...]:
        wide, reach = width_mm + depth_mm, reach_mm + margin_mm
        return (
            shapely.box(-wide, -wide, reach, wide),
            shapely.box(-wide, -wide, 2 * wide, reach),
            shapely.box(width_mm - reach, -wide, 2 * wide, 2 * wide),
            shapely.box(-wide, depth_mm - reach, 2 * wide, 2 * wide),
        )

    return FacingConstraint(
        at=lambda facing, places: inside([part.move(0.0, 0.0, facing) for part in decompose_convex(base)], places),
        between=lambda low, high, places: inside(
            [ConvexSet(corners_mm=ring) for ring in build_core_rings(base, low, high)], places
        ),
        closed=beside(inner_radius_mm(base)),
        **{"doubtful" if isinstance(base, Outline) else "touched": beside(outer_radius_mm(base))},
    )


def build_displacement_constraint(start: PlacedShape, limit_mm: float) -> FacingConstraint:
    """Return where no point of a base is further than a limit from where it was at the start.

    Asked about places no further from the start than the limit.
    """
    reach = outer_radius_mm(start.shape)
    outline = {outside: hull(np.concatenate(build_rings(start.shape, outside=outside))) for outside in (True, False)}
    circle = shapely.minimum_bounding_circle(shapely.MultiPoint(outline[True])).centroid

    def discs(facing: float, points: Array) -> Array:
        """Return the middles of the discs that the base's centre must lie in, one for each body point."""
        middles: Array = turn_points(points, start.facing_rad) - turn_points(points, facing) + (start.x_mm, start.y_mm)
        return middles

    def common(facing: float, outside: bool, spare_mm: float) -> shapely.Polygon:
        middles, radius = discs(facing, outline[outside]), limit_mm + spare_mm
        (inside,) = discs(facing, np.array([(circle.x, circle.y)]))
        away = middles - inside
        left = radius**2 - (away**2).sum(axis=1)
        if left.min() <= 0:
            return shapely.Polygon()
        bearings = np.linspace(0, 2 * math.pi, _BEARINGS, endpoint=False)
        if len(away) <= _CORNERS:
            bearings = np.unique(np.concatenate((bearings, _find_circle_crossings(away, radius))))
        along = unit_vectors(bearings) @ away.T
        reach_mm = (along + np.sqrt(left + along**2)).min(axis=1)
        return shapely.Polygon(inside + reach_mm[:, None] * unit_vectors(bearings))

    def between(low: float, high: float, places: BaseGeometry) -> BaseGeometry:
        spare = reach * (high - low) / 2 + _DRAWN_MM + limit_mm * (math.pi / _BEARINGS) ** 2
        return intersect(places, common((low + high) / 2, outside=False, spare_mm=spare))

    free = shapely.Point(start.x_mm, start.y_mm).buffer(max(limit_mm - 2 * reach, 0.0), quad_segs=64)
    wide = shapely.Point(start.x_mm, start.y_mm).buffer(2 * limit_mm + reach, quad_segs=4)
    return FacingConstraint(
        at=lambda facing, places: intersect(places, common(facing, outside=True, spare_mm=0.0)),
        between=between,
        touched=(shapely.difference(wide, free),),
    )


def _find_circle_crossings(middles: Array, radius_mm: float) -> Array:
    """Return the bearings from the origin at which circles of one radius cross."""
    one, two = np.triu_indices(len(middles), 1)
    along = middles[two] - middles[one]
    apart = np.hypot(*along.T)
    one, along, apart = one[apart > 1e-9], along[apart > 1e-9], apart[apart > 1e-9, None]
    across = np.column_stack((-along[:, 1], along[:, 0])) / apart
    height = np.sqrt(np.maximum(radius_mm**2 - apart**2 / 4, 0.0))
    crossings = np.concatenate([middles[one] + along / 2 + sign * height * across for sign in (1, -1)])
    bearings: Array = np.mod(np.arctan2(crossings[:, 1], crossings[:, 0]), 2 * math.pi)
    return bearings
