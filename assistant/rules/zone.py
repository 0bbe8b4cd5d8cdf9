"""Where a model may end an action: the same constraints that the verdict is given by, as a region."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from typing import Literal

import shapely
from shapely.geometry.base import BaseGeometry

from assistant.errors import BadInput
from assistant.game.state import GameState, Model, Pose, Setting, Unit
from assistant.geometry.clearance import clearance, leg_floor
from assistant.geometry.convex import outer_radius_mm, placed_parts
from assistant.geometry.facing import Legality, SomeFacing, some_facing
from assistant.geometry.legality import clear_of, displaced_within, on_table
from assistant.geometry.reach import outside, reach_region
from assistant.geometry.regions import around, polygons, within
from assistant.geometry.shapes import Oval, Placed, Rect, Round
from assistant.rules.books import rulebook
from assistant.rules.constraints import Allowance, Coherency, Constraint, KeepOut, OnTable, Pivot, Stay
from assistant.rules.rulebook import Question
from assistant.rules.ruling import DECIDED_SIGMAS, outcome_of, together
from assistant.rules.space import free_box, kept_out, turning_body, way_obstacles, with_places
from assistant.rules.validity import check_intent, check_rolls, check_state, find_action
from assistant.rules.verdict import Outcome
from assistant.rules.walk import Walk

ERROR_MM = 0.05
"""Bounds the distance between a zone's drawn edge and the true one."""
_DRAWN_MM = 0.02
_STEP_RAD = math.pi / 8
"""How far apart the facings are that are tried first where any counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Zone:
    """The places of a base's centre at which a model may end an action."""

    model: str
    action: str
    limit_mm: float | None
    """How far the model may go; None for an action that the unit may not choose."""
    error_mm: float
    region: shapely.MultiPolygon


def zone(
    state: GameState,
    *,
    model: str,
    action: str,
    rolls: Sequence[int] = (),
    facing: Literal["any", "keep"] = "any",
    alone: bool = False,
    intent: Mapping[str, Setting] | None = None,
) -> Zone:
    """Return where a model may end an action, given where every other model stands now.

    A place is in the zone exactly when `judge` calls the unseen move to it legal or unobserved, up to the zone's error.

    Args:
        state: the game before the move.
        model: the model that moves.
        action: the rulebook's action.
        rolls: the dice that the action needs.
        facing: ``keep`` for the present facing; ``any`` for some facing at which the base may end there.
        alone: leave aside what binds the unit as a whole.
        intent: the rulebook's fields of the move.

    Raises:
        BadInput: there is no such model or action, or the dice are not those that it needs.

    """
    book = rulebook(state.rulebook)
    parameters = check_state(book, state)
    unit, mover, pose = _mover(state, model)
    walk = Walk(state=state, unit=unit, model=mover, path=(pose,), observed=False, say=book.say)
    chosen = find_action(book, action, "action")
    if chosen.not_judged:  # like one that the unit may not choose, as `options` says
        return Zone(model=model, action=action, limit_mm=None, error_mm=ERROR_MM, region=shapely.MultiPolygon())
    check_rolls(chosen, rolls, "roll")
    check_intent(book, intent or {}, "intent")
    question = Question(state=state, unit=unit, parameters=parameters, rolls=tuple(rolls), intent=intent or {})
    if any(found.outcome is not Outcome.LEGAL for found in chosen.may(question)):
        return Zone(model=model, action=action, limit_mm=None, error_mm=ERROR_MM, region=shapely.MultiPolygon())
    constraints = chosen.constraints(question)
    limit = chosen.limit_mm(question)
    limit = 0.0 if limit is None or any(isinstance(rule, Stay) for rule in constraints) else limit
    binding = () if alone else tuple(rule for rule in constraints if isinstance(rule, Coherency))
    region, error_mm = _ends(_reached(constraints, walk, limit), constraints, walk), ERROR_MM
    for rule in binding:
        if not region.is_empty:
            region = shapely.intersection(region, _coherent(rule, walk))
    if facing == "any" and not isinstance(mover.base, Round):
        turned = _turned(constraints, binding, walk, limit, region)
        region, error_mm = shapely.union(region, turned.inner), turned.error_mm
    return Zone(model=model, action=action, limit_mm=limit, error_mm=error_mm, region=polygons(region))


def _mover(state: GameState, model: str) -> tuple[Unit, Model, Pose]:
    try:
        unit, mover = state.unit_of(model), state.model(model)
    except KeyError:
        raise BadInput(f'model: there is no model "{model}" in this situation') from None
    if mover.pose is None:
        raise BadInput(f'model: "{model}" is not on the table')
    return unit, mover, mover.pose


def _turned(
    constraints: Sequence[Constraint], binding: Sequence[Coherency], walk: Walk, limit_mm: float, kept: BaseGeometry
) -> SomeFacing:
    """Return where the base may end at some facing, of those places where it may not with the facing it has."""
    pose, base = walk.end, walk.model.base
    sigma_mm = DECIDED_SIGMAS * pose.sigma_mm
    pivots = {rule.pivot: rule.pivot_mm for rule in constraints if isinstance(rule, Allowance)}
    limit_mm -= pivots.get(Pivot.FIXED, 0.0)
    if limit_mm < 0:
        return SomeFacing(inner=shapely.MultiPolygon(), outer=shapely.MultiPolygon(), error_mm=ERROR_MM)
    places = shapely.difference(_reached(constraints, walk, limit_mm), kept)
    if places.is_empty:
        return SomeFacing(inner=shapely.MultiPolygon(), outer=shapely.MultiPolygon(), error_mm=ERROR_MM)
    others = _ranges(constraints, walk, shapely.box(*places.bounds)).values()
    legal = clear_of(base, [part.grown(range_mm) for other, range_mm in others for part in placed_parts(other)])
    if any(isinstance(rule, OnTable) for rule in constraints):
        table = walk.state.table
        legal = legal.where(on_table(base, table.width_mm, table.depth_mm, sigma_mm))
    if Pivot.FURTHEST_POINT in pivots:
        doubt_mm = DECIDED_SIGMAS * together(pose.sigma_mm, pose.sigma_mm)
        legal = legal.where(displaced_within(walk.placed(pose), limit_mm - doubt_mm))
    for rule in binding:
        legal = legal.where(_bound(rule, walk))
    half = math.pi / 2 if isinstance(base, Oval | Rect) and Pivot.FURTHEST_POINT not in pivots else math.pi
    steps = round(half / _STEP_RAD)
    facings = [pose.facing_rad + half * step / steps for step in range(-steps, steps + 1)]
    return some_facing(legal, places, facings)


def _bound(rule: Coherency, walk: Walk) -> Legality:
    """Return where the unit is coherent with the model at a facing."""
    reach_mm = outer_radius_mm(walk.model.base)

    @cache
    def region(facing_rad: float, spare_mm: float) -> BaseGeometry:
        turned = replace(walk, path=(replace(walk.end, facing_rad=facing_rad),))
        return _coherent(replace(rule, range_mm=rule.range_mm + spare_mm), turned)

    return Legality(
        at=lambda facing, places: shapely.intersection(places, region(facing, 0.0)),
        between=lambda low, high, places: shapely.intersection(
            places, region((low + high) / 2, reach_mm * (high - low) / 2 + _DRAWN_MM)
        ),
        doubtful=(shapely.box(0, 0, walk.state.table.width_mm, walk.state.table.depth_mm),),
    )


def _reached(constraints: Sequence[Constraint], walk: Walk, limit_mm: float) -> BaseGeometry:
    """Return the places whose shortest way is within the limit beyond doubt."""
    pose, body = walk.end, turning_body(walk.model.base)
    start = (pose.x_mm, pose.y_mm)
    limit_mm -= DECIDED_SIGMAS * together(pose.sigma_mm, pose.sigma_mm)
    if limit_mm <= ERROR_MM / 2:  # as good as a point: a zone has an area, so a dot that its error allows
        return shapely.Point(start).buffer(ERROR_MM / 2)
    obstacles = way_obstacles(constraints, walk, body, (pose, pose), within_mm=limit_mm, sigmas=DECIDED_SIGMAS)
    box = with_places(free_box(constraints, walk.state.table, body, pose.facing_rad), (start,))
    return reach_region(start, limit_mm, outside(obstacles, (start,)), box)


def _ends(region: BaseGeometry, constraints: Sequence[Constraint], walk: Walk) -> BaseGeometry:
    """Return the part of a region where the base keeps beyond doubt what holds where it ends."""
    pose, base = walk.end, walk.model.base
    box = free_box(constraints, walk.state.table, base, pose.facing_rad, DECIDED_SIGMAS * pose.sigma_mm)
    if box[0] > box[2] or box[1] > box[3]:
        return shapely.Polygon()
    if all(map(math.isfinite, box)):
        region = shapely.intersection(region, shapely.box(*box))
    if region.is_empty:
        return region
    taken = [
        around(each, _DRAWN_MM)
        for other, range_mm in _ranges(constraints, walk, shapely.box(*region.bounds)).values()
        for each in kept_out(base, pose.facing_rad, other, range_mm)
    ]
    return shapely.difference(region, shapely.union_all(taken)) if taken else region


def _ranges(constraints: Sequence[Constraint], walk: Walk, bounds: shapely.Polygon) -> dict[str, tuple[Placed, float]]:
    """Return the models to be kept clear of somewhere within bounds, and how widely, beyond doubt."""
    pose, ranges = walk.end, dict[str, tuple[Placed, float]]()
    for rule in constraints:
        if not isinstance(rule, KeepOut):
            continue
        for other, at in walk.parties(rule):
            range_mm = rule.range_mm + DECIDED_SIGMAS * together(pose.sigma_mm, at.sigma_mm)
            reach = range_mm + outer_radius_mm(walk.model.base) + outer_radius_mm(other.base)
            far = bounds.distance(shapely.Point(at.x_mm, at.y_mm)) > reach
            if not far and abs(pose.z_mm - at.z_mm) <= rule.vertical_mm:
                _, widest = ranges.get(other.id, (None, 0.0))
                ranges[other.id] = (other.placed(at), max(widest, range_mm))
    return ranges


def _coherent(rule: Coherency, walk: Walk) -> BaseGeometry:
    """Return the places at which the whole unit is coherent beyond doubt, the others standing where they do."""
    mover = walk.model
    others = [(other, other.pose) for other in walk.unit.models if other.pose is not None and other.id != mover.id]
    near = {other.id: _near(rule, mover, walk.end, other, at) for other, at in others}
    region: BaseGeometry = _enough(list(near.values()), rule.needed)
    for other, at in others:
        links = sum(_linked(rule, other, at, third, place) for third, place in others if third.id != other.id)
        if links < rule.needed - 1:
            return shapely.Polygon()
        if links < rule.needed:
            region = shapely.intersection(region, near[other.id])
    return region


def _near(rule: Coherency, mover: Model, pose: Pose, other: Model, at: Pose) -> BaseGeometry:
    range_mm = rule.range_mm - DECIDED_SIGMAS * together(pose.sigma_mm, at.sigma_mm)
    if range_mm < 0 or abs(pose.z_mm - at.z_mm) > rule.vertical_mm:
        return shapely.Polygon()
    sets = kept_out(mover.base, pose.facing_rad, other.placed(at), range_mm)
    return shapely.union_all([within(each, _DRAWN_MM) for each in sets])


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
