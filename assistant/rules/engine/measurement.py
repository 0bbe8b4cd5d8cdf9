"""Measurement: from a constraint and a move to findings, and how they are said."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from assistant.geometry.clearance.shape_clearance import turn_rad
from assistant.geometry.motion.path_length import (
    Travel,
    measure_centre_travel,
    measure_furthest_displacement,
    measure_furthest_travel,
)
from assistant.geometry.shapes.base_shapes import PlacedShape
from assistant.geometry.shortest_path.free.reach import Route
from assistant.geometry.uncertainty import displacement_sigma_mm, travel_sigma_mm
from assistant.rules.constraints import (
    Allowance,
    Constraint,
    CustomConstraint,
    Footing,
    ForbiddenTerrain,
    Immobility,
    KeepOut,
    Pivot,
    Proximity,
    SolidTerrain,
    TableBoundary,
)
from assistant.rules.constraints.forbidden_terrain import check_forbidden_terrain
from assistant.rules.constraints.keep_out import check_keep_out
from assistant.rules.constraints.proximity import check_proximity
from assistant.rules.constraints.table_boundary import check_table_boundary
from assistant.rules.constraints.terrain_cost import check_passages, measure_surcharge_mm, weigh_covariance
from assistant.rules.engine.terrain import check_footing, check_solid_terrain, is_through_air, measure_climb_mm
from assistant.rules.engine.walk import Walk, build_covariance
from assistant.rules.lengths import format_apart
from assistant.rules.verdict import DECIDED_SIGMAS, Finding, Outcome, build_finding, decide_outcome


def check_constraint(constraint: Constraint, walk: Walk) -> Iterator[Finding]:
    """Yield what a constraint on single models says of one model's move."""
    match constraint:
        case KeepOut():
            found = check_keep_out(constraint, walk)
            if found is not None:
                yield found
        case TableBoundary():
            yield check_table_boundary(constraint, walk)
        case Immobility():
            yield _check_immobility(constraint, walk)
        case Allowance() if walk.observed:
            yield _check_path_length(constraint, walk)
            yield from check_passages(constraint, walk)
        case Proximity():
            yield check_proximity(constraint, walk)
        case Footing():
            yield check_footing(constraint, walk)
        case SolidTerrain():
            yield from check_solid_terrain(constraint, walk)
        case ForbiddenTerrain():
            yield from check_forbidden_terrain(constraint, walk)
        case CustomConstraint():
            yield from constraint.findings(walk)


def check_unmoved_model(constraint: Constraint, walk: Walk) -> Iterable[Finding]:
    """Return what a constraint says of a model of the unit that merely stands while others move."""
    return constraint.staying(walk) if isinstance(constraint, CustomConstraint) else check_constraint(constraint, walk)


def check_length(rule: Allowance, walk: Walk, way: Route, sigma_mm: float) -> Finding:
    """Return what a length of way, measured against an allowance, comes to."""
    length, limit = format_apart(walk.say, way.mm, rule.limit_mm)
    moved, because = "moved" if walk.observed else "needs", f" ({rule.because})" if rule.because else ""

    def text(outcome: Outcome) -> str:
        doubt = ", too close to call" if outcome is Outcome.TOO_CLOSE else ""
        return f"{walk.model.id} {moved} {length} of {limit}{doubt}{because}"

    found = build_finding(
        rule.rule,
        (walk.model.id,),
        measured_mm=way.mm,
        limit_mm=rule.limit_mm,
        margin_mm=rule.limit_mm - way.mm,
        sigma_mm=sigma_mm,
        witness_mm=way.points,
        text=text,
    )
    found = replace(found, way=True)
    if found.outcome is not Outcome.LEGAL or decide_outcome(rule.sure_mm - way.mm, sigma_mm) is Outcome.LEGAL:
        return found
    text_in_doubt = f"{walk.model.id} {moved} {length}, more than the {walk.say(rule.sure_mm, 2)} that it surely may"
    return replace(
        found,
        outcome=Outcome.TOO_CLOSE,
        margin_mm=None,
        sigma_mm=None,
        p_legal=None,
        text=f"{text_in_doubt}, and within the {limit} that it may have: a person decides{because}",
    )


def _check_path_length(rule: Allowance, walk: Walk) -> Finding:
    path = [walk.place_base(pose) for pose in walk.path]
    flown = is_through_air(rule, walk)
    travel = measure_travel(rule, path, in_space=flown)
    errors = [weigh_covariance(rule, walk, pose) for pose in walk.path]
    if rule.pivot is Pivot.DISPLACEMENT:
        sigma = displacement_sigma_mm(travel.points, errors)
    else:
        sigma = travel_sigma_mm(path, errors, furthest=rule.pivot is Pivot.FURTHEST_POINT)
    flat = travel.mm + find_pivot_price_mm(rule, path)
    doubt = DECIDED_SIGMAS * max(pose.sigma_mm for pose in walk.path)
    climbs = [0.0] if flown else [measure_added_mm(rule, walk, least) for least in dict.fromkeys((0.0, doubt))]
    found, *others = (check_length(rule, walk, Route(mm=flat + up, points=travel.points), sigma) for up in climbs)
    if all(other.outcome is found.outcome for other in others):
        return found
    text = f"{found.text}, unless what it passes so near to was not climbed: too close to call"
    return replace(found, outcome=Outcome.TOO_CLOSE, margin_mm=None, sigma_mm=None, p_legal=None, text=text)


def measure_travel(rule: Allowance, path: Sequence[PlacedShape], *, in_space: bool) -> Travel:
    """Return how long a path is by the part of the base that a rule measures, level or in space."""
    match rule.pivot:
        case Pivot.FURTHEST_POINT:
            return measure_furthest_travel(path, in_space=in_space)
        case Pivot.DISPLACEMENT:
            return measure_furthest_displacement(path)
        case _:
            return measure_centre_travel(path, in_space=in_space)


def measure_added_mm(rule: Allowance, walk: Walk, doubt_mm: float = 0.0) -> float:
    """Return what terrain adds to a path; it climbs what it comes deeper into than ``doubt_mm``."""
    return measure_climb_mm(rule.free_mm, walk, doubt_mm) + measure_surcharge_mm(rule, walk, doubt_mm)


def find_pivot_price_mm(rule: Allowance, path: list[PlacedShape]) -> float:
    """Return what turning costs besides the way: the price of a first turn, where the rule has one."""
    turned = any(turn_rad(a, b) != 0 for a, b in pairwise(path))
    return rule.pivot_mm if rule.pivot is Pivot.FIXED and turned else 0.0


def _check_immobility(rule: Immobility, walk: Walk) -> Finding:
    path = [walk.place_base(pose) for pose in walk.path]
    travel = measure_furthest_travel(path)
    sigma = travel_sigma_mm(path, [build_covariance(pose) for pose in walk.path], furthest=True)
    none = Allowance(rule=rule.rule, limit_mm=0.0, pivot=Pivot.FURTHEST_POINT, pivot_mm=0.0)
    return check_length(none, walk, Route(mm=travel.mm, points=travel.points), sigma)
