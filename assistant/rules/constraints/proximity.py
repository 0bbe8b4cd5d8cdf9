"""Proximity: ending within a range of one model, or wholly within it."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from assistant.errors import BadInput
from assistant.game.state import GameState, Model, Pose
from assistant.geometry.clearance.furthest_point import find_furthest_point
from assistant.geometry.clearance.shape_clearance import Point, clearance
from assistant.geometry.orientation.facing_constraints import (
    Nearness,
    build_holding_constraint,
    build_nearness_constraint,
)
from assistant.geometry.orientation.facing_search import FacingConstraint
from assistant.geometry.shapes.base_shapes import Outline, PlacedShape, Round
from assistant.geometry.shapes.convex import decompose_placed, hull
from assistant.geometry.shapes.polygons import circumscribe, extract_polygons, inscribe
from assistant.rules.constraints.base import Constraint, ConstraintSet
from assistant.rules.context import RuleContext
from assistant.rules.engine.minkowski_regions import DRAWN_MM, find_places_within
from assistant.rules.engine.walk import Walk
from assistant.rules.lengths import format_apart
from assistant.rules.verdict import DECIDED_SIGMAS, ROUNDING_MM, Finding, Outcome, build_finding, combine_sigmas


@dataclass(frozen=True, slots=True, kw_only=True)
class Proximity(Constraint):
    """Within a range of one model, or wholly within it; exactly at the range is within."""

    rule: str
    model: str
    range_mm: float
    """In space: the difference of heights is part of it."""
    wholly: bool
    """Every part of the base, else some part."""
    everyone: bool = False
    """Holds for the models of the unit that do not move, too."""

    def check(self, walk: Walk, _rules: ConstraintSet, /) -> Iterator[Finding]:
        """Yield whether a model ends within the range."""
        yield check_proximity(self, walk)

    def check_unmoved(self, walk: Walk, /) -> Iterator[Finding]:
        """Yield whether a model that stays is within it, where it holds for these."""
        if self.everyone:
            yield check_proximity(self, walk)

    def narrow_end(self, walk: Walk, places: BaseGeometry, /) -> BaseGeometry:
        """Return the places within the range."""
        return extract_polygons(shapely.intersection(places, _find_proximity_places(self, walk)))

    def build_facing_constraint(self, walk: Walk, _limit_mm: float | None, /) -> FacingConstraint:
        """Return where a base is within the range at a facing."""
        other, range_mm = walk.state.find_model(self.model), _find_sure_range_mm(self, walk)
        if other.pose is None or range_mm is None:
            return build_nearness_constraint(walk.model.base, [Nearness(others=(), needed=1)])
        if self.wholly:
            return build_holding_constraint(walk.model.base, other.place_base(), range_mm)
        asked = Nearness(others=[(other.place_base(), range_mm)], needed=1)
        return build_nearness_constraint(walk.model.base, [asked])

    def drop_unit_parts(self) -> "Proximity":
        """Return it for the model that moves alone."""
        return replace(self, everyone=False)


def check_proximity(rule: Proximity, walk: Walk) -> Finding:
    """Return whether a model ends within a range of another, the difference of their heights included.

    Raises:
        BadInput: the other model is not on the table.

    """
    other, at = _find_target(rule, walk.state)
    mm, witness = _measure_apart(rule, walk.model, walk.end, (other, at))
    length, limit = format_apart(walk.say, max(mm, 0.0), rule.range_mm)
    inside = f"{'wholly ' if rule.wholly else ''}within {limit}"

    def text(outcome: Outcome) -> str:
        match outcome:
            case Outcome.LEGAL:
                return f"{walk.model.id} is {inside} of {other.id}"
            case Outcome.TOO_CLOSE:
                return f"{walk.model.id} is {length} from {other.id}, too close to call whether it is {inside}"
            case _:
                return f"{walk.model.id} is {length} from {other.id}, not {inside}"

    return build_finding(
        rule.rule,
        (walk.model.id, other.id),
        measured_mm=mm,
        limit_mm=rule.range_mm,
        margin_mm=rule.range_mm - mm,
        sigma_mm=combine_sigmas(walk.end.sigma_mm, at.sigma_mm),
        witness_mm=witness,
        text=text,
    )


def are_all_near(rule: Proximity, asked: RuleContext) -> bool:
    """Return whether every model of a unit that is on the table may be within a range of another, where it stands."""
    other, at = _find_target(rule, asked.state)
    margins = [
        rule.range_mm
        + DECIDED_SIGMAS * combine_sigmas(model.pose.sigma_mm, at.sigma_mm)
        - _measure_apart(rule, model, model.pose, (other, at))[0]
        for model in asked.unit.models
        if model.pose is not None
    ]
    return bool(margins) and min(margins) >= 0


def _find_level_range_mm(rule: Proximity, z_mm: float, at: Pose) -> float | None:
    """Return the horizontal part of a range at a height; None where the height alone is further away."""
    rise = abs(z_mm - at.z_mm)
    return math.sqrt(rule.range_mm**2 - rise**2) if rise <= rule.range_mm else None


def _find_sure_range_mm(rule: Proximity, walk: Walk) -> float | None:
    """Return the horizontal part of the range beyond doubt, where a way ends; None where that is out of it."""
    pose, at = walk.end, walk.state.find_model(rule.model).pose
    if at is None:
        return None
    doubt_mm = DECIDED_SIGMAS * combine_sigmas(pose.sigma_mm, at.sigma_mm)
    return _find_level_range_mm(replace(rule, range_mm=rule.range_mm - doubt_mm), pose.z_mm, at)


def _find_target(rule: Proximity, state: GameState) -> tuple[Model, Pose]:
    other = state.find_model(rule.model)
    if other.pose is None:
        raise BadInput(f'"{rule.model}" is not on the table; nothing can be measured from it')
    return other, other.pose


def _measure_apart(
    rule: Proximity, model: Model, pose: Pose, target: tuple[Model, Pose]
) -> tuple[float, tuple[Point, ...]]:
    """Return how far a base, or the part of it that is furthest, is from another, and the measured points."""
    other, at = target
    mine, theirs = model.place_base(pose), other.place_base(at)
    if rule.wholly:
        part = find_furthest_point(mine, theirs)
        flat, witness = part.mm, (part.point, _find_nearest_point(part.point, theirs))
    else:
        gap = clearance(mine, theirs)
        flat, witness = gap.mm, (gap.near, gap.far)
    rise = pose.z_mm - at.z_mm
    return (flat if rise == 0 else math.hypot(max(flat, 0.0), rise)), witness


def _find_nearest_point(point: Point, theirs: PlacedShape) -> Point:
    return clearance(PlacedShape(shape=Round(radius_mm=0.0), x_mm=point[0], y_mm=point[1]), theirs).far


# -- where it is kept


def _find_proximity_places(rule: Proximity, walk: Walk) -> BaseGeometry:
    """Return the places at which a base is beyond doubt near to another, or wholly so."""
    other = walk.state.find_model(rule.model)
    if other.pose is None:
        return shapely.Polygon()
    range_mm = _find_sure_range_mm(rule, walk)
    if range_mm is None:
        return shapely.Polygon()
    if not rule.wholly:
        return find_places_within(walk, other, other.pose, range_mm)
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
