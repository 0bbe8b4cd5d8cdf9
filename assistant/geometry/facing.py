"""Where a base may be at some facing, as an inner and an outer region.

The facings are searched by branch and bound.  A facing's own legal places belong to the inner region.  Of a range of
facings it is asked which places may be legal at any of them; what of those is not in the inner region yet, and is
thicker than the error allowed, is asked again of either half of the range.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from assistant.geometry.convex import Array, Convex, convex_parts, hull, inner_radius_mm, outer_radius_mm, unit
from assistant.geometry.regions import around, polygons, within
from assistant.geometry.shapes import Base, Outline, Placed
from assistant.geometry.slices import ring_sum, rings, rings_always, turned

ERROR_MM = 0.5
"""The greatest width of what the search leaves open."""
_DRAWN_MM = 0.02
_LEAST_RAD = 0.02
"""Narrower ranges of facings are not divided: what they leave open is stated."""
_BEARINGS = 360
_CORNERS = 12
"""Of a base with no more corners the places are worked out at which two of them keep it from going on."""
_SIDES = np.array([(-1.0, 0.0), (0.0, -1.0), (1.0, 0.0), (0.0, 1.0)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Legality:
    """Where a base may be."""

    at: Callable[[float, BaseGeometry], BaseGeometry]
    """The part of some places where it certainly may be at a facing; at most `_DRAWN_MM` too little."""
    between: Callable[[float, float, BaseGeometry], BaseGeometry]
    """A part that holds all places where it may be at some facing from the first to the second."""
    closed: tuple[BaseGeometry, ...] = ()
    """Areas in which it may not be at any facing."""
    touched: tuple[BaseGeometry, ...] = ()
    """Areas outside of which it may be at any facing; in one alone, and not in a closed one, it may be at some."""
    doubtful: tuple[BaseGeometry, ...] = ()
    """Areas outside of which it may be at any facing."""

    def where(self, other: "Legality") -> "Legality":
        """Return what holds where both do."""
        return Legality(
            at=lambda facing, places: other.at(facing, self.at(facing, places)),
            between=lambda low, high, places: other.between(low, high, self.between(low, high, places)),
            closed=self.closed + other.closed,
            touched=self.touched + other.touched,
            doubtful=self.doubtful + other.doubtful,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SomeFacing:
    """Where a base may be at some facing."""

    inner: shapely.MultiPolygon
    """It certainly may be here."""
    outer: shapely.MultiPolygon
    """It may be nowhere else."""
    error_mm: float
    """No disc of a greater diameter lies between the two."""

    @property
    def area_mm2(self) -> float:
        """The area between the two."""
        return float(self.outer.area - self.inner.area)


def some_facing(
    legal: Legality, places: BaseGeometry, facings: Sequence[float], *, error_mm: float = ERROR_MM
) -> SomeFacing:
    """Return where a base may be at some facing within certain places.

    Args:
        legal: Where it may be at a facing.
        places: Polygons.
        facings: Facings to begin with, in order, less than half a turn apart; the first to the last are searched.
        error_mm: The search ends when no disc of this diameter lies between the inner and the outer region.

    """
    places = shapely.difference(places, shapely.union_all(_meeting(legal.closed, places)))
    touched = np.array(_meeting(legal.touched, places))
    one, two = shapely.STRtree(touched).query(touched, predicate="intersects")
    crossed = shapely.intersection(touched[one[one < two]], touched[two[one < two]])
    asked = shapely.union_all([*crossed, *_meeting(legal.doubtful, places)])
    found, thin = [shapely.difference(places, asked)], list[BaseGeometry]()
    for piece in shapely.get_parts(polygons(shapely.intersection(places, asked))):
        gained, left = _searched(legal, piece, facings, error_mm)
        found += gained
        thin += left
    inner = shapely.union_all(found)
    outer = shapely.union_all([inner, *thin])
    between, _ = _parted(shapely.difference(outer, inner), error_mm)
    width = max((shapely.maximum_inscribed_circle(part).length * 2 for part in between), default=error_mm)
    return SomeFacing(inner=polygons(inner), outer=polygons(outer), error_mm=width)


def _meeting(areas: Sequence[BaseGeometry], places: BaseGeometry) -> list[BaseGeometry]:
    window = shapely.box(*places.bounds)
    return [area for area in areas if shapely.intersects(area, window)]


def _searched(
    legal: Legality, places: BaseGeometry, facings: Sequence[float], error_mm: float
) -> tuple[list[BaseGeometry], list[BaseGeometry]]:
    """Return the legal parts of some places, and what else may be legal."""
    found, rest = [], places
    for facing in facings:
        gained = legal.at(facing, rest)
        if gained.area > 0:
            found.append(gained)
            rest = shapely.difference(rest, gained)
    thin: list[BaseGeometry] = []
    asked: list[_Task] = [(low, high, piece) for low, high in pairwise(facings) for piece in _pieces(rest)]
    while asked:
        following, gains = list[_Task](), list[BaseGeometry]()
        for low, high, region in asked:
            thick, slivers = _parted(legal.between(low, high, region), error_mm)
            thin += slivers
            if high - low < _LEAST_RAD:
                thin += thick
                continue
            middle = (low + high) / 2
            for piece in thick:
                gained = legal.at(middle, piece)
                if gained.area > 0:
                    gains.append(gained)
                left = shapely.difference(piece, gained)
                following += [(low, middle, left), (middle, high, left)]
        found += gains
        asked = _without_gains(following, gains)
    return found, thin


_Task = tuple[float, float, BaseGeometry]


def _without_gains(tasks: list[_Task], gains: list[BaseGeometry]) -> list[_Task]:
    """Return tasks, a piece each, without what has been found to be legal meanwhile."""
    left: list[_Task] = []
    tree = shapely.STRtree(gains)
    for low, high, region in tasks:
        met = [gains[index] for index in tree.query(region)]
        left += [(low, high, piece) for piece in _pieces(_without(region, met))]
    return left


def _pieces(region: BaseGeometry) -> list[shapely.Polygon]:
    """Return the polygons of a region."""
    return [piece for piece in shapely.get_parts(region) if isinstance(piece, shapely.Polygon) and piece.area > 0]


def _parted(region: BaseGeometry, error_mm: float) -> tuple[list[shapely.Polygon], list[shapely.Polygon]]:
    """Part a region into the pieces that hold a disc of the error's diameter, and those that do not."""
    thick, thin = list[shapely.Polygon](), list[shapely.Polygon]()
    for piece in _pieces(region):
        roomy = piece.area > math.pi * error_mm**2 / 4
        held = roomy and not shapely.buffer(piece, -error_mm / 2, quad_segs=2).is_empty
        (thick if held else thin).append(piece)
    return thick, thin


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
        return _without(places, [polygon for index in near(places) for polygon in taken(index, facing)])

    def between(low: float, high: float, places: BaseGeometry) -> BaseGeometry:
        return _without(places, [polygon for index in near(places) for polygon in always(index, low, high)])

    closed = tuple(around(obstacle.grown(inner), _DRAWN_MM) for obstacle in obstacles) if inner > 0 else ()
    if isinstance(base, Outline):
        return Legality(at=at, between=between, closed=closed, doubtful=tuple(around_all))
    return Legality(at=at, between=between, closed=closed, touched=tuple(around_all))


def _without(places: BaseGeometry, taken: Sequence[BaseGeometry]) -> BaseGeometry:
    if places.is_empty or not taken:
        return places
    if len(taken) == 1:
        return shapely.difference(places, taken[0])
    return shapely.difference(places, shapely.union_all(taken))


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
