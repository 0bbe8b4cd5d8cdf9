"""Minkowski regions: the places of a base's centre at which the base is within a range of other shapes.

As obstacles they are the places that a shape keeps another out of; as bounds, those at which a base keeps what a rule
asks about other models: near to one, or coherent with its unit.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import combinations

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from assistant.game.state import Model, Pose
from assistant.geometry.clearance.shape_clearance import bound_leg_clearance, clearance
from assistant.geometry.shapes.base_shapes import Base, Outline, PlacedShape
from assistant.geometry.shapes.convex import ConvexSet, decompose_convex, decompose_placed, hull
from assistant.geometry.shapes.polygons import circumscribe, extract_polygons, inscribe
from assistant.geometry.shortest_path.free.reach import replace_ellipses
from assistant.rules.constraints import Coherency, Proximity
from assistant.rules.constraints.coherency import find_connected_groups
from assistant.rules.constraints.proximity import find_level_range_mm
from assistant.rules.engine.walk import Walk
from assistant.rules.verdict import DECIDED_SIGMAS, ROUNDING_MM, Outcome, combine_sigmas, decide_outcome

_OVAL_MM = 0.01
"""How far the polygon that stands for an oval in a way's obstacles may lie outside it."""


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


@lru_cache(maxsize=2048)
def find_obstacles(body: Base, facing_rad: float, other: PlacedShape, range_mm: float = 0.0) -> tuple[ConvexSet, ...]:
    """Return what `find_kept_out` yields without ellipses: the models of a unit have most of it in common."""
    return tuple(replace_ellipses(each, _OVAL_MM) for each in find_kept_out(body, facing_rad, other, range_mm))


DRAWN_MM = 0.02
"""How far the edge of a drawn set lies from the true one at most."""


def find_bound_places(rule: Coherency | Proximity, walk: Walk) -> BaseGeometry:
    """Return the places where a base, as it is turned at its end, keeps a rule about being near beyond doubt."""
    if isinstance(rule, Proximity):
        return _find_proximity_places(rule, walk)
    if rule.offence in {Outcome.LEGAL, Outcome.NOTE}:
        return shapely.box(0.0, 0.0, walk.state.table.width_mm, walk.state.table.depth_mm)
    return _find_coherent_places(rule, walk)


def find_linked_places(rule: Coherency, walk: Walk) -> BaseGeometry:
    """Return the places where a base, as it is turned at its end, is beyond doubt near to another of its unit."""
    others = [(other, other.pose) for other in walk.unit.models if other.pose is not None and other.id != walk.model.id]
    return shapely.union_all([_find_linking_places(rule, walk, other, at) for other, at in others])


def _find_proximity_places(rule: Proximity, walk: Walk) -> BaseGeometry:
    """Return the places at which a base is beyond doubt near to another, or wholly so."""
    other, pose = walk.state.find_model(rule.model), walk.end
    if other.pose is None:
        return shapely.Polygon()
    doubt_mm = DECIDED_SIGMAS * combine_sigmas(pose.sigma_mm, other.pose.sigma_mm)
    range_mm = find_level_range_mm(replace(rule, range_mm=rule.range_mm - doubt_mm), pose.z_mm, other.pose)
    if range_mm is None:
        return shapely.Polygon()
    if not rule.wholly:
        return _find_places_within(walk, other, other.pose, range_mm)
    rims = [inscribe(part.grow(range_mm), DRAWN_MM) for part in decompose_placed(other.place_base(other.pose))]
    if len(rims) == 1 and not isinstance(walk.model.base, Outline) and not isinstance(other.base, Outline):
        return _find_places_in_convex(rims[0], walk)
    return _find_places_in(extract_polygons(shapely.union_all(rims)), walk)


def _find_places_in_convex(held: shapely.Polygon, walk: Walk) -> shapely.Polygon:
    """Return the places at which a convex region holds all of a base, both alike on opposite sides of their middles.

    Each edge keeps the base's middle as far inside as the base reaches towards it; the middle of the region is inside
    of all of them, or no place is.  Seen from there the edges' lines are points of a dual plane, and the lines that
    bound what is left are the corners of their hull.
    """
    corners = shapely.get_coordinates(shapely.orient_polygons(held))
    if not len(corners):
        return held
    along, middle = (
        np.diff(corners, axis=0),
        np.array([(held.bounds[0] + held.bounds[2]) / 2, (held.bounds[1] + held.bounds[3]) / 2]),
    )
    normals = np.column_stack((along[:, 1], -along[:, 0])) / np.hypot(*along.T)[:, None]
    body = decompose_placed(walk.place_base(replace(walk.end, x_mm=0.0, y_mm=0.0)))
    reach = np.max([part.support(normals) for part in body], axis=0)
    room = ((corners[:-1] - middle) * normals).sum(axis=1) - reach
    if room.min() <= ROUNDING_MM:
        return shapely.Polygon()
    lines = hull(normals / room[:, None])
    following = np.roll(lines, -1, axis=0)
    turn = lines[:, 0] * following[:, 1] - lines[:, 1] * following[:, 0]
    across = np.column_stack((following[:, 1] - lines[:, 1], lines[:, 0] - following[:, 0]))
    return shapely.Polygon(middle + across / turn[:, None])


def _find_places_in(held: shapely.MultiPolygon, walk: Walk) -> BaseGeometry:
    """Return the places at which a region holds all of a base: where no part of it crosses the region's edge."""
    body = walk.place_base(replace(walk.end, x_mm=0.0, y_mm=0.0))
    mirrored = [shapely.get_coordinates(circumscribe(part.reflect(), DRAWN_MM)) for part in decompose_placed(body)]
    edges = [
        (line[k : k + 2])
        for ring in shapely.get_parts(held.boundary)
        for line in [shapely.get_coordinates(ring)]
        for k in range(len(line) - 1)
    ]
    crossed = [
        shapely.MultiPoint((edge[:, None] + ring).reshape(-1, 2)).convex_hull for edge in edges for ring in mirrored
    ]
    return shapely.difference(held, shapely.union_all(crossed))


def _find_coherent_places(rule: Coherency, walk: Walk) -> BaseGeometry:
    """Return the places at which the whole unit is coherent beyond doubt, the others standing where they do."""
    mover = walk.model
    others = [(other, other.pose) for other in walk.unit.models if other.pose is not None and other.id != mover.id]
    near = {other.id: _find_linking_places(rule, walk, other, at) for other, at in others}
    if rule.chain:
        linked = [
            (one.id, two.id)
            for (one, at), (two, place) in combinations(others, 2)
            if _is_linked(rule, one, at, two, place)
        ]
        parts = find_connected_groups([other.id for other, _ in others], linked)
        return shapely.intersection_all([shapely.union_all([near[model] for model in part]) for part in parts])
    found: BaseGeometry = _intersect_enough(list(near.values()), rule.needed)
    for other, at in others:
        links = sum(_is_linked(rule, other, at, third, place) for third, place in others if third.id != other.id)
        if links < rule.needed - 1:
            return shapely.Polygon()
        if links < rule.needed:
            found = shapely.intersection(found, near[other.id])
    return found


def _find_linking_places(rule: Coherency, walk: Walk, other: Model, at: Pose) -> BaseGeometry:
    range_mm = rule.range_mm - DECIDED_SIGMAS * combine_sigmas(walk.end.sigma_mm, at.sigma_mm)
    if range_mm < 0 or abs(walk.end.z_mm - at.z_mm) > rule.vertical_mm:
        return shapely.Polygon()
    return _find_places_within(walk, other, at, range_mm)


def _find_places_within(walk: Walk, other: Model, at: Pose, range_mm: float) -> BaseGeometry:
    sets = find_kept_out(walk.model.base, walk.end.facing_rad, other.place_base(at), range_mm)
    return shapely.union_all([inscribe(each, DRAWN_MM) for each in sets])


def _intersect_enough(regions: list[BaseGeometry], needed: int) -> BaseGeometry:
    """Return the places that lie in at least so many of some regions."""
    overlaps = [shapely.intersection_all(group) for group in combinations(regions, needed)]
    return shapely.union_all(overlaps)


def _is_linked(rule: Coherency, one: Model, pose: Pose, other: Model, at: Pose) -> bool:
    mine, theirs = one.place_base(pose), other.place_base(at)
    if abs(pose.z_mm - at.z_mm) > rule.vertical_mm or bound_leg_clearance(mine, mine, theirs) > rule.range_mm:
        return False
    margin = rule.range_mm - clearance(mine, theirs).mm
    return decide_outcome(margin, combine_sigmas(pose.sigma_mm, at.sigma_mm)) is Outcome.LEGAL
