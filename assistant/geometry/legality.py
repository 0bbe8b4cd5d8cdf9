"""What may keep a base from a place at a facing: obstacles, the table's edge, how far its points are displaced."""

import math
from collections.abc import Sequence
from functools import cache

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from assistant.geometry.convex import Array, Convex, convex_parts, hull, inner_radius_mm, outer_radius_mm, unit
from assistant.geometry.facing import Legality, without
from assistant.geometry.regions import around, within
from assistant.geometry.shapes import Base, Outline, Placed
from assistant.geometry.slices import ring_sum, rings, rings_always, turned

_DRAWN_MM = 0.02
_BEARINGS = 360
_CORNERS = 12
"""Of a base with no more corners the places are worked out at which two of them keep it from going on."""
_SIDES = np.array([(-1.0, 0.0), (0.0, -1.0), (1.0, 0.0), (0.0, 1.0)])


def clear_of(base: Base, obstacles: Sequence[Convex]) -> Legality:
    """Return where a base does not enter obstacles."""
    if not obstacles:
        return Legality(at=lambda _, places: places, between=lambda _, __, places: places)
    inner, outer = inner_radius_mm(base), outer_radius_mm(base)
    around_all = [around(obstacle.grown(outer), _DRAWN_MM) for obstacle in obstacles]
    bounds = shapely.bounds(np.array(around_all))

    def near(places: BaseGeometry) -> list[int]:
        left, low, right, high = shapely.bounds(places)
        apart = (bounds[:, 0] > right) | (bounds[:, 2] < left) | (bounds[:, 1] > high) | (bounds[:, 3] < low)
        return [int(index) for index in np.flatnonzero(~apart)]

    outside = [shapely.get_coordinates(around(obstacle, _DRAWN_MM))[:-1] for obstacle in obstacles]
    inside = [hull(shapely.get_coordinates(within(obstacle, _DRAWN_MM))) for obstacle in obstacles]

    @cache
    def bodies(facing: float) -> list[Array]:
        return [-turned(ring, facing) for ring in rings(base, outside=True)]

    @cache
    def cores(low: float, high: float) -> list[Array]:
        return [-ring for ring in rings_always(base, low, high)]

    @cache
    def taken(index: int, facing: float) -> list[shapely.Polygon]:
        return [shapely.Polygon(ring_sum(outside[index], body)) for body in bodies(facing)]

    @cache
    def always(index: int, low: float, high: float) -> list[shapely.Polygon]:
        return [shapely.Polygon(ring_sum(inside[index], core)) for core in cores(low, high)]

    def at(facing: float, places: BaseGeometry) -> BaseGeometry:
        return without(places, [polygon for index in near(places) for polygon in taken(index, facing)])

    def between(low: float, high: float, places: BaseGeometry) -> BaseGeometry:
        return without(places, [polygon for index in near(places) for polygon in always(index, low, high)])

    closed = tuple(around(obstacle.grown(inner), _DRAWN_MM) for obstacle in obstacles) if inner > 0 else ()
    if isinstance(base, Outline):
        return Legality(at=at, between=between, closed=closed, doubtful=tuple(around_all))
    return Legality(at=at, between=between, closed=closed, touched=tuple(around_all))


def on_table(base: Base, width_mm: float, depth_mm: float, margin_mm: float = 0.0) -> Legality:
    """Return where no part of a base crosses the table's edge, nor comes nearer to it than a margin."""

    def inside(parts: Sequence[Convex], places: BaseGeometry) -> BaseGeometry:
        if not parts or places.is_empty:
            return places
        left, near, right, far = np.max([part.support(_SIDES) for part in parts], axis=0) + margin_mm
        if left + right > width_mm or near + far > depth_mm:
            return shapely.Polygon()
        free: shapely.Polygon = shapely.box(left, near, width_mm - right, depth_mm - far)
        return shapely.intersection(places, free)

    def beside(reach_mm: float) -> tuple[shapely.Polygon, ...]:
        wide, reach = width_mm + depth_mm, reach_mm + margin_mm
        return (
            shapely.box(-wide, -wide, reach, wide),
            shapely.box(-wide, -wide, 2 * wide, reach),
            shapely.box(width_mm - reach, -wide, 2 * wide, 2 * wide),
            shapely.box(-wide, depth_mm - reach, 2 * wide, 2 * wide),
        )

    return Legality(
        at=lambda facing, places: inside([part.moved(0.0, 0.0, facing) for part in convex_parts(base)], places),
        between=lambda low, high, places: inside(
            [Convex(corners_mm=ring) for ring in rings_always(base, low, high)], places
        ),
        closed=beside(inner_radius_mm(base)),
        **{"doubtful" if isinstance(base, Outline) else "touched": beside(outer_radius_mm(base))},
    )


def displaced_within(start: Placed, limit_mm: float) -> Legality:
    """Return where no point of a base is further than a limit from where it was at the start.

    Asked about places no further from the start than the limit.
    """
    reach = outer_radius_mm(start.shape)
    outline = {outside: hull(np.concatenate(rings(start.shape, outside=outside))) for outside in (True, False)}
    circle = shapely.minimum_bounding_circle(shapely.MultiPoint(outline[True])).centroid

    def discs(facing: float, points: Array) -> Array:
        """Return the middles of the discs that the base's centre must lie in, one for each body point."""
        middles: Array = turned(points, start.facing_rad) - turned(points, facing) + (start.x_mm, start.y_mm)
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
            bearings = np.unique(np.concatenate((bearings, _crossings(away, radius))))
        along = unit(bearings) @ away.T
        reach_mm = (along + np.sqrt(left + along**2)).min(axis=1)
        return shapely.Polygon(inside + reach_mm[:, None] * unit(bearings))

    def between(low: float, high: float, places: BaseGeometry) -> BaseGeometry:
        spare = reach * (high - low) / 2 + _DRAWN_MM + limit_mm * (math.pi / _BEARINGS) ** 2
        return shapely.intersection(places, common((low + high) / 2, outside=False, spare_mm=spare))

    free = shapely.Point(start.x_mm, start.y_mm).buffer(max(limit_mm - 2 * reach, 0.0), quad_segs=64)
    wide = shapely.Point(start.x_mm, start.y_mm).buffer(2 * limit_mm + reach, quad_segs=4)
    return Legality(
        at=lambda facing, places: shapely.intersection(places, common(facing, outside=True, spare_mm=0.0)),
        between=between,
        touched=(shapely.difference(wide, free),),
    )


def _crossings(middles: Array, radius_mm: float) -> Array:
    """Return the bearings from the origin at which circles of one radius cross."""
    one, two = np.triu_indices(len(middles), 1)
    along = middles[two] - middles[one]
    apart = np.hypot(*along.T)
    one, along, apart = one[apart > 1e-9], along[apart > 1e-9], apart[apart > 1e-9, None]
    across = np.column_stack((-along[:, 1], along[:, 0])) / apart
    height = np.sqrt(np.maximum(radius_mm**2 - apart**2 / 4, 0.0))
    found = np.concatenate([middles[one] + along / 2 + sign * height * across for sign in (1, -1)])
    bearings: Array = np.mod(np.arctan2(found[:, 1], found[:, 0]), 2 * math.pi)
    return bearings
