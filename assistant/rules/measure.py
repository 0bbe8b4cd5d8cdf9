"""Constraints to findings: what is measured of a move, and how it is said."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from assistant.geometry.clearance import turn_rad
from assistant.geometry.paths import Travel, centre_travel, furthest_displacement, furthest_travel
from assistant.geometry.reach import Route
from assistant.geometry.shapes import Placed
from assistant.geometry.uncertainty import displacement_sigma_mm, travel_sigma_mm
from assistant.rules.constraints import (
    Allowance,
    Constraint,
    Footing,
    KeepOut,
    Near,
    OnTable,
    Own,
    Pivot,
    Shut,
    Solid,
    Stay,
)
from assistant.rules.costs import counting, passing, surcharge_mm
from assistant.rules.edge import edge_finding
from assistant.rules.keepout import nearest
from assistant.rules.near import near_finding
from assistant.rules.ruling import DECIDED_SIGMAS, measured, outcome_of
from assistant.rules.shut import shut_findings
from assistant.rules.terrain import climbed_mm, footing, in_space, solid_findings
from assistant.rules.verdict import Finding, Outcome
from assistant.rules.walk import Walk, covariance_of
from assistant.rules.words import apart


def findings(constraint: Constraint, walk: Walk) -> Iterator[Finding]:
    """Yield what a constraint on single models says of one model's move."""
    match constraint:
        case KeepOut():
            found = nearest(constraint, walk)
            if found is not None:
                yield found
        case OnTable():
            yield edge_finding(constraint, walk)
        case Stay():
            yield _stay(constraint, walk)
        case Allowance() if walk.observed:
            yield _length(constraint, walk)
            yield from passing(constraint, walk)
        case Near():
            yield near_finding(constraint, walk)
        case Footing():
            yield footing(constraint, walk)
        case Solid():
            yield from solid_findings(constraint, walk)
        case Shut():
            yield from shut_findings(constraint, walk)
        case Own():
            yield from constraint.findings(walk)


def left_behind(constraint: Constraint, walk: Walk) -> Iterable[Finding]:
    """Return what a constraint says of a model of the unit that merely stands while others move."""
    return constraint.staying(walk) if isinstance(constraint, Own) else findings(constraint, walk)


def length_finding(rule: Allowance, walk: Walk, way: Route, sigma_mm: float) -> Finding:
    """Return what a length of way, measured against an allowance, comes to."""
    length, limit = apart(walk.say, way.mm, rule.limit_mm)
    moved, because = "moved" if walk.observed else "needs", f" ({rule.because})" if rule.because else ""

    def text(outcome: Outcome) -> str:
        doubt = ", too close to call" if outcome is Outcome.TOO_CLOSE else ""
        return f"{walk.model.id} {moved} {length} of {limit}{doubt}{because}"

    found = measured(
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
    if found.outcome is not Outcome.LEGAL or outcome_of(rule.sure_mm - way.mm, sigma_mm) is Outcome.LEGAL:
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


def _length(rule: Allowance, walk: Walk) -> Finding:
    path = [walk.placed(pose) for pose in walk.path]
    flown = in_space(rule, walk)
    travel = travelled(rule, path, in_space=flown)
    errors = [counting(rule, walk, pose) for pose in walk.path]
    if rule.pivot is Pivot.DISPLACEMENT:
        sigma = displacement_sigma_mm(travel.points, errors)
    else:
        sigma = travel_sigma_mm(path, errors, furthest=rule.pivot is Pivot.FURTHEST_POINT)
    flat = travel.mm + pivot_price_mm(rule, path)
    doubt = DECIDED_SIGMAS * max(pose.sigma_mm for pose in walk.path)
    climbs = [0.0] if flown else [added_mm(rule, walk, least) for least in dict.fromkeys((0.0, doubt))]
    found, *others = (length_finding(rule, walk, Route(mm=flat + up, points=travel.points), sigma) for up in climbs)
    if all(other.outcome is found.outcome for other in others):
        return found
    text = f"{found.text}, unless what it passes so near to was not climbed: too close to call"
    return replace(found, outcome=Outcome.TOO_CLOSE, margin_mm=None, sigma_mm=None, p_legal=None, text=text)


def travelled(rule: Allowance, path: Sequence[Placed], *, in_space: bool) -> Travel:
    """Return how long a path is by the part of the base that a rule measures, level or in space."""
    match rule.pivot:
        case Pivot.FURTHEST_POINT:
            return furthest_travel(path, in_space=in_space)
        case Pivot.DISPLACEMENT:
            return furthest_displacement(path)
        case _:
            return centre_travel(path, in_space=in_space)


def added_mm(rule: Allowance, walk: Walk, doubt_mm: float = 0.0) -> float:
    """Return what terrain adds to a path; it climbs what it comes deeper into than ``doubt_mm``."""
    return climbed_mm(rule.free_mm, walk, doubt_mm) + surcharge_mm(rule, walk, doubt_mm)


def pivot_price_mm(rule: Allowance, path: list[Placed]) -> float:
    """Return what turning costs besides the way: the price of a first turn, where the rule has one."""
    turned = any(turn_rad(a, b) != 0 for a, b in pairwise(path))
    return rule.pivot_mm if rule.pivot is Pivot.FIXED and turned else 0.0


def _stay(rule: Stay, walk: Walk) -> Finding:
    path = [walk.placed(pose) for pose in walk.path]
    travel = furthest_travel(path)
    sigma = travel_sigma_mm(path, [covariance_of(pose) for pose in walk.path], furthest=True)
    none = Allowance(rule=rule.rule, limit_mm=0.0, pivot=Pivot.FURTHEST_POINT, pivot_mm=0.0)
    return length_finding(none, walk, Route(mm=travel.mm, points=travel.points), sigma)
