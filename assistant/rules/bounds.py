"""The places at which a base keeps what a rule asks about other models: near to one, or coherent with its unit."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from assistant.game.state import Model, Pose
from assistant.geometry.clearance import clearance, leg_floor
from assistant.geometry.convex import hull, placed_parts
from assistant.geometry.regions import around, polygons, within
from assistant.geometry.shapes import Outline
from assistant.rules.chain import groups
from assistant.rules.constraints import Coherency, Near
from assistant.rules.near import level_mm
from assistant.rules.obstacles import kept_out
from assistant.rules.ruling import DECIDED_SIGMAS, ROUNDING_MM, outcome_of, together
from assistant.rules.verdict import Outcome
from assistant.rules.walk import Walk

DRAWN_MM = 0.02
"""How far the edge of a drawn set lies from the true one at most."""


def bound_places(rule: Coherency | Near, walk: Walk) -> BaseGeometry:
    """Return the places where a base, as it is turned at its end, keeps a rule about being near beyond doubt."""
    if isinstance(rule, Near):
        return _near(rule, walk)
    if rule.offence in {Outcome.LEGAL, Outcome.NOTE}:
        return shapely.box(0.0, 0.0, walk.state.table.width_mm, walk.state.table.depth_mm)
    return _coherent(rule, walk)


def linked_places(rule: Coherency, walk: Walk) -> BaseGeometry:
    """Return the places where a base, as it is turned at its end, is beyond doubt near to another of its unit."""
    others = [(other, other.pose) for other in walk.unit.models if other.pose is not None and other.id != walk.model.id]
    return shapely.union_all([_linking(rule, walk, other, at) for other, at in others])


def _near(rule: Near, walk: Walk) -> BaseGeometry:
    """Return the places at which a base is beyond doubt near to another, or wholly so."""
    other, pose = walk.state.model(rule.model), walk.end
    if other.pose is None:
        return shapely.Polygon()
    doubt_mm = DECIDED_SIGMAS * together(pose.sigma_mm, other.pose.sigma_mm)
    range_mm = level_mm(replace(rule, range_mm=rule.range_mm - doubt_mm), pose.z_mm, other.pose)
    if range_mm is None:
        return shapely.Polygon()
    if not rule.wholly:
        return _within(walk, other, other.pose, range_mm)
    rims = [within(part.grown(range_mm), DRAWN_MM) for part in placed_parts(other.placed(other.pose))]
    if len(rims) == 1 and not isinstance(walk.model.base, Outline) and not isinstance(other.base, Outline):
        return _holding_convex(rims[0], walk)
    return _holding(polygons(shapely.union_all(rims)), walk)


def _holding_convex(held: shapely.Polygon, walk: Walk) -> shapely.Polygon:
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
    body = placed_parts(walk.placed(replace(walk.end, x_mm=0.0, y_mm=0.0)))
    reach = np.max([part.support(normals) for part in body], axis=0)
    room = ((corners[:-1] - middle) * normals).sum(axis=1) - reach
    if room.min() <= ROUNDING_MM:
        return shapely.Polygon()
    lines = hull(normals / room[:, None])
    following = np.roll(lines, -1, axis=0)
    turn = lines[:, 0] * following[:, 1] - lines[:, 1] * following[:, 0]
    across = np.column_stack((following[:, 1] - lines[:, 1], lines[:, 0] - following[:, 0]))
    return shapely.Polygon(middle + across / turn[:, None])


def _holding(held: shapely.MultiPolygon, walk: Walk) -> BaseGeometry:
    """Return the places at which a region holds all of a base: where no part of it crosses the region's edge."""
    body = walk.placed(replace(walk.end, x_mm=0.0, y_mm=0.0))
    mirrored = [shapely.get_coordinates(around(part.reflected(), DRAWN_MM)) for part in placed_parts(body)]
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


def _coherent(rule: Coherency, walk: Walk) -> BaseGeometry:
    """Return the places at which the whole unit is coherent beyond doubt, the others standing where they do."""
    mover = walk.model
    others = [(other, other.pose) for other in walk.unit.models if other.pose is not None and other.id != mover.id]
    near = {other.id: _linking(rule, walk, other, at) for other, at in others}
    if rule.chain:
        linked = [
            (one.id, two.id)
            for (one, at), (two, place) in combinations(others, 2)
            if _linked(rule, one, at, two, place)
        ]
        parts = groups([other.id for other, _ in others], linked)
        return shapely.intersection_all([shapely.union_all([near[model] for model in part]) for part in parts])
    found: BaseGeometry = _enough(list(near.values()), rule.needed)
    for other, at in others:
        links = sum(_linked(rule, other, at, third, place) for third, place in others if third.id != other.id)
        if links < rule.needed - 1:
            return shapely.Polygon()
        if links < rule.needed:
            found = shapely.intersection(found, near[other.id])
    return found


def _linking(rule: Coherency, walk: Walk, other: Model, at: Pose) -> BaseGeometry:
    range_mm = rule.range_mm - DECIDED_SIGMAS * together(walk.end.sigma_mm, at.sigma_mm)
    if range_mm < 0 or abs(walk.end.z_mm - at.z_mm) > rule.vertical_mm:
        return shapely.Polygon()
    return _within(walk, other, at, range_mm)


def _within(walk: Walk, other: Model, at: Pose, range_mm: float) -> BaseGeometry:
    sets = kept_out(walk.model.base, walk.end.facing_rad, other.placed(at), range_mm)
    return shapely.union_all([within(each, DRAWN_MM) for each in sets])


def _enough(regions: list[BaseGeometry], needed: int) -> BaseGeometry:
    """Return the places that lie in at least so many of some regions."""
    overlaps = [shapely.intersection_all(group) for group in combinations(regions, needed)]
    return shapely.union_all(overlaps)


def _linked(rule: Coherency, one: Model, pose: Pose, other: Model, at: Pose) -> bool:
    mine, theirs = one.placed(pose), other.placed(at)
    if abs(pose.z_mm - at.z_mm) > rule.vertical_mm or leg_floor(mine, mine, theirs) > rule.range_mm:
        return False
    margin = rule.range_mm - clearance(mine, theirs).mm
    return outcome_of(margin, together(pose.sigma_mm, at.sigma_mm)) is Outcome.LEGAL
