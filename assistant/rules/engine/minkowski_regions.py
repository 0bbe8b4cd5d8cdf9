"""Minkowski regions: the places of a base's centre at which the base is within a range of other shapes.

As obstacles they are the places that a shape keeps another out of; as bounds, those at which a base is near to one.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache, lru_cache

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from assistant.game.state import Model, Pose
from assistant.geometry.orientation.facing_search import FacingConstraint, Stances
from assistant.geometry.shapes.base_shapes import Base, PlacedShape
from assistant.geometry.shapes.convex import ConvexSet, decompose_convex, decompose_placed
from assistant.geometry.shapes.polygons import inscribe
from assistant.geometry.shortest_path.free.reach import replace_ellipses
from assistant.rules.engine.walk import Walk

_OVAL_MM = 0.01
"""How far the polygon that stands for an oval in what costs a way may lie outside it."""


def find_kept_out(body: Base, facing_rad: float, other: PlacedShape, range_mm: float) -> Iterator[ConvexSet]:
    """Yield the places of a body's centre at which it is nearer to another than a range, as convex sets."""
    for part in decompose_convex(body):
        mirrored = part.move(0.0, 0.0, facing_rad).reflect()
        for theirs in decompose_placed(other):
            kept = theirs.minkowski_sum(mirrored)
            yield kept.grow(range_mm) if range_mm >= -kept.radius_mm else _erode(kept, -range_mm)


def _erode(kept: ConvexSet, by_mm: float) -> ConvexSet:
    """Return what is left of a polygon, grown by its radius, when a width is taken off all around."""
    kept = replace_ellipses(kept, _OVAL_MM)
    core = shapely.Polygon(kept.corners_mm).buffer(kept.radius_mm - by_mm, join_style="mitre")
    corners = shapely.get_coordinates(shapely.orient_polygons(core))[:-1] if not core.is_empty else kept.corners_mm[:1]
    return ConvexSet(corners_mm=corners)


@lru_cache(maxsize=1024)
def find_obstacles(body: Base, facing_rad: float, other: PlacedShape, range_mm: float = 0.0) -> tuple[ConvexSet, ...]:
    """Return what `find_kept_out` yields: the models of a unit have most of it in common."""
    return tuple(find_kept_out(body, facing_rad, other, range_mm))


@lru_cache(maxsize=1024)
def find_area_parts(body: Base, facing_rad: float, other: PlacedShape) -> tuple[ConvexSet, ...]:
    """Return the places of a body's centre at which it is over another shape, without ellipses."""
    return tuple(replace_ellipses(each, _OVAL_MM) for each in find_kept_out(body, facing_rad, other, 0.0))


def drop_repeated(shapes: Iterable[tuple[PlacedShape, float]]) -> list[tuple[PlacedShape, float]]:
    """Return shapes to be kept clear of, each with a range, but one of those that lie on each other in a heap."""
    known = {
        (at.shape, round(at.x_mm, 7), round(at.y_mm, 7), round(at.facing_rad, 9), range_mm): (at, range_mm)
        for at, range_mm in shapes
    }
    return list(known.values())


DRAWN_MM = 0.02
"""How far the edge of a drawn set lies from the true one at most."""


def find_places_within(walk: Walk, other: Model, at: Pose, range_mm: float) -> BaseGeometry:
    """Return the places where a base, as it is turned at its end, is within a range of another."""
    sets = find_kept_out(walk.model.base, walk.end.facing_rad, other.place_base(at), range_mm)
    return shapely.union_all([inscribe(each, DRAWN_MM) for each in sets])


def build_turning_constraint(
    walk: Walk, find_places: Callable[[Walk, BaseGeometry, float], BaseGeometry]
) -> FacingConstraint:
    """Return where something holds at a facing.

    Args:
        walk: a model's way, of which the end is turned.
        find_places: of a way and some places those where it holds at its end, with millimetres to spare.

    """
    table = shapely.box(0, 0, walk.state.table.width_mm, walk.state.table.depth_mm)

    @cache
    def kept(facing_rad: float) -> BaseGeometry:
        turned = replace(walk, path=(walk.path[0], replace(walk.end, facing_rad=facing_rad)))
        found = find_places(turned, table, 0.0)
        shapely.prepare(found)
        return found

    def room(stances: Stances) -> None:
        points = np.asarray(shapely.points(stances.places))
        asked = stances.select(np.full(len(points), fill_value=True))
        facings = stances.facings[stances.turns[asked]]
        order = np.argsort(facings, kind="stable")
        turns, begins = np.unique(facings[order], return_index=True)
        for turn, of in zip(turns.tolist(), np.split(asked[order], begins[1:]), strict=True):
            places = kept(turn)
            here = points[stances.owners[of]]
            inside = shapely.intersects(places, here)
            rooms = shapely.distance(places.boundary, here) * np.where(inside, 1.0, -1.0)
            stances.lower(of, np.nan_to_num(rooms, nan=-math.inf))  # where there are no places, nothing is near

    return FacingConstraint(room=room, doubtful=(table,))
