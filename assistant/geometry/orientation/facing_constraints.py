"""Facing constraints: obstacles, the table's edge and displacement, which keep a base from a place at a facing.

Of each it is told how much room a base has at places and facings, no more than there is; where there is enough it is
not measured how much.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from assistant.geometry.clearance.shape_arrays import Ints
from assistant.geometry.orientation.facing_search import FacingConstraint, Room, Stances
from assistant.geometry.orientation.separation import (
    Obstacle,
    Turned,
    find_turn_mm,
    measure_extents,
    measure_points,
    measure_separation,
)
from assistant.geometry.shapes.base_shapes import Base, Outline, PlacedShape, Round
from assistant.geometry.shapes.convex import (
    Array,
    ConvexSet,
    decompose_convex,
    decompose_placed,
    hull,
    inner_radius_mm,
    outer_radius_mm,
    unit_vectors,
)
from assistant.geometry.shapes.polygons import circumscribe

OVAL_MM = 0.02
"""How far the polygons that stand for an oval or a disc may lie from it."""


def build_rings(base: Base, *, outside: bool, error_mm: float = OVAL_MM) -> list[Array]:
    """Return the corners, counter-clockwise, of convex sets that together hold a base or lie in it, to an error."""
    return [_build_ring(part, error_mm, outside=outside) for part in decompose_convex(base)]


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
_FAR_MM = 1e7
_ROUGHLY_MM = 0.02
"""How far beyond a range a base may be that is said to be within it, but for this."""
_AROUND_MM = 0.05
"""How far the polygon that stands for an oval, where how far it goes is measured, may lie from it."""


def build_obstacle_constraint(base: Base, obstacles: Sequence[ConvexSet]) -> FacingConstraint:
    """Return where a base does not enter obstacles."""
    things = [Obstacle(convex=obstacle) for obstacle in obstacles]
    inner = inner_radius_mm(base)

    def around(reach_mm: float) -> tuple[shapely.Polygon, ...]:
        return tuple(circumscribe(obstacle.grow(reach_mm), _DRAWN_MM) for obstacle in obstacles)

    beside = _bound_beside(base, _build_obstacle_room(base, things), around)
    return replace(beside, ceiling=_build_obstacle_room(Round(radius_mm=inner), things)) if inner > 0 else beside


def _build_obstacle_room(base: Base, things: Sequence[Obstacle]) -> Room:
    outer = outer_radius_mm(base)

    def room(stances: Stances) -> None:
        for thing in things:
            x, y = thing.middle_mm.tolist()
            of = stances.select_near(x, y, thing.reach_mm + outer + stances.enough_mm)
            if len(of):
                # Of what has no round corners a lesser distance does: that along a side.
                within_mm = stances.enough_mm if thing.convex.radius_mm > 0 else 0.0
                stances.lower_by(thing, of, partial(measure_separation, base, thing, within_mm=within_mm))

    return room


def _bound_beside(base: Base, room: Room, around: Callable[[float], tuple[BaseGeometry, ...]]) -> FacingConstraint:
    """Return where a base keeps out of convex areas, by what its middle is so near to.

    With its nearest side towards one of them it stands beside that as near as this side is to its middle.
    """
    inner, beside = inner_radius_mm(base), _find_side_mm(base)
    return FacingConstraint(
        room=room,
        closed=around(inner) if inner > 0 else (),
        touched=around(outer_radius_mm(base)),
        doubtful=around(beside) if beside > inner else (),
    )


def _find_side_mm(base: Base) -> float:
    """Return how far from a base's middle the nearest side of its hull is; 0 if that is not within."""
    if not isinstance(base, Outline):
        return inner_radius_mm(base)
    around = ConvexSet(corners_mm=hull(np.array(base.points_mm)))
    return max(0.0, float(around.support(around.edge_normals()).min()))


def build_table_constraint(base: Base, width_mm: float, depth_mm: float, margin_mm: float = 0.0) -> FacingConstraint:
    """Return where no part of a base crosses the table's edge, nor comes nearer to it than a margin."""
    outer = outer_radius_mm(base)

    def room(stances: Stances) -> None:
        x, y = stances.places.T
        sides = (x, y, width_mm - x, depth_mm - y)
        for inside, towards in zip(sides, (math.pi, -math.pi / 2, 0.0, math.pi / 2), strict=True):
            near = inside - margin_mm < outer + stances.enough_mm
            if near.any():
                of = stances.select(near)
                extents = measure_extents(base, towards, stances.facings)
                stances.lower(of, inside[stances.owners[of]] - margin_mm - extents[stances.turns[of]])

    def beside(reach_mm: float) -> tuple[shapely.Polygon, ...]:
        wide, reach = width_mm + depth_mm, reach_mm + margin_mm
        return (
            shapely.box(-wide, -wide, reach, wide),
            shapely.box(-wide, -wide, 2 * wide, reach),
            shapely.box(width_mm - reach, -wide, 2 * wide, 2 * wide),
            shapely.box(-wide, depth_mm - reach, 2 * wide, 2 * wide),
        )

    closed = beside(inner_radius_mm(base))  # the middle stays on the table, however little of the base is beyond
    return replace(_bound_beside(base, room, beside), closed=closed)


def build_displacement_constraint(start: PlacedShape, limit_mm: float) -> FacingConstraint:
    """Return where no point of a base is further than a limit from where it was at the start.

    Asked about places no further from the start than the limit.
    """
    reach = outer_radius_mm(start.shape)
    measure = _build_displacement_measure(start, outside=True)

    def room(stances: Stances) -> None:
        gone = np.hypot(*(stances.places - (start.x_mm, start.y_mm)).T)
        near = limit_mm - gone - 2 * reach < stances.enough_mm
        if near.any():
            of = stances.select(near)
            stances.lower(of, measure(stances, of, limit_mm))

    free = shapely.Point(start.x_mm, start.y_mm).buffer(max(limit_mm - 2 * reach, 0.0), quad_segs=64)
    wide = shapely.Point(start.x_mm, start.y_mm).buffer(2 * limit_mm + reach, quad_segs=4)
    return FacingConstraint(room=room, touched=(shapely.difference(wide, free),))


def build_least_displacement_constraint(start: PlacedShape, least_mm: float) -> FacingConstraint:
    """Return where some point of a base is no nearer than a least distance to where it was at the start."""
    measure = _build_displacement_measure(start, outside=False)

    def room(stances: Stances) -> None:
        gone = np.hypot(*(stances.places - (start.x_mm, start.y_mm)).T)
        near = gone - least_mm < stances.enough_mm
        if near.any():
            of = stances.select(near)
            stances.lower(of, -measure(stances, of, least_mm))

    within = shapely.Point(start.x_mm, start.y_mm).buffer(max(least_mm, 0.0) * 1.01 + _DRAWN_MM, quad_segs=16)
    return FacingConstraint(room=room, doubtful=(within,))


def _build_displacement_measure(start: PlacedShape, *, outside: bool) -> Callable[[Stances, Ints, float], Array]:
    """Return what measures how much further the point of a base that goes furthest might go, up to a limit.

    With a turn that changes faster than a clearance does, so it is told smaller than it is, by as much.
    """
    outline = hull(np.concatenate(build_rings(start.shape, outside=outside, error_mm=_AROUND_MM)))
    at_start = turn_points(outline, start.facing_rad) + np.array((start.x_mm, start.y_mm))
    slower = find_turn_mm(start.shape) / outer_radius_mm(start.shape)

    def measure(stances: Stances, of: Ints, limit_mm: float) -> Array:
        x, y = stances.places[stances.owners[of]].T
        cos, sin, turns = np.cos(stances.facings), np.sin(stances.facings), stances.turns[of]
        furthest = np.zeros(len(of))
        for (px, py), (sx, sy) in zip(outline.tolist(), at_start.tolist(), strict=True):
            gone_x, gone_y = x + (cos * px - sin * py - sx)[turns], y + (sin * px + cos * py - sy)[turns]
            np.maximum(furthest, gone_x * gone_x + gone_y * gone_y, out=furthest)
        left: Array = slower * (limit_mm - np.sqrt(furthest))
        return left

    return measure


@dataclass(frozen=True, slots=True, kw_only=True)
class Nearness:
    """Others, of which so many are to be within a range of a base."""

    others: Sequence[tuple[PlacedShape, float]]
    """Each with the range."""
    needed: int


def build_nearness_constraint(base: Base, asked: Sequence[Nearness]) -> FacingConstraint:
    """Return where a base is near to as many others as is asked, each time."""
    outer = outer_radius_mm(base)
    others = list(dict.fromkeys(other for each in asked for other in each.others))
    things = [[Obstacle(convex=part) for part in decompose_placed(other)] for other, _ in others]

    def room(stances: Stances) -> None:
        of = stances.select(np.full(len(stances.places), fill_value=True))
        turned = stances.turn(of)
        left = {
            other: other[1] - _ROUGHLY_MM - _measure_nearest(base, parts, turned)
            for other, parts in zip(others, things, strict=True)
        }
        for each in asked:
            if len(each.others) < each.needed:
                stances.lower(of, np.full(len(of), -np.inf))
            else:
                stances.lower(of, np.sort([left[other] for other in each.others], axis=0)[-each.needed])

    everywhere = shapely.box(-_FAR_MM, -_FAR_MM, _FAR_MM, _FAR_MM)
    near = [
        [
            circumscribe(part.grow(max(mm, 0.0) + outer), _DRAWN_MM)
            for other, mm in each.others
            for part in decompose_placed(other)
        ]
        for each in asked
    ]
    closed = tuple(shapely.difference(everywhere, shapely.union_all(each)) for each in near)
    return FacingConstraint(room=room, closed=closed, doubtful=(everywhere,))


def _measure_nearest(base: Base, parts: Sequence[Obstacle], turned: Turned) -> Array:
    apart = [measure_separation(base, part, turned, within_mm=math.inf) for part in parts]
    nearest: Array = np.min(apart, axis=0)
    return nearest


def build_holding_constraint(base: Base, other: PlacedShape, range_mm: float) -> FacingConstraint:
    """Return where every part of a base is within a range of another."""
    outline = shapely.LinearRing(hull(np.concatenate(build_rings(base, outside=True, error_mm=_AROUND_MM))))
    is_hollow = len(decompose_convex(other.shape)) > 1
    corners = shapely.get_coordinates(outline.segmentize(_AROUND_MM * 10) if is_hollow else outline)[:-1]

    def room(stances: Stances) -> None:
        of = stances.select(np.full(len(stances.places), fill_value=True))
        places, turns = stances.places[stances.owners[of]], stances.turns[of]
        cos, sin = np.cos(stances.facings), np.sin(stances.facings)
        for x, y in corners.tolist():
            points = places + np.column_stack((cos * x - sin * y, sin * x + cos * y))[turns]
            stances.lower(of, range_mm - measure_points(other, points))

    everywhere = shapely.box(-_FAR_MM, -_FAR_MM, _FAR_MM, _FAR_MM)
    held = shapely.union_all([circumscribe(part.grow(range_mm), _DRAWN_MM) for part in decompose_placed(other)])
    return FacingConstraint(room=room, closed=(shapely.difference(everywhere, held),), doubtful=(everywhere,))
