"""Constraints to findings: what is measured of a move, and how it is said."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from assistant.game.state import Pose
from assistant.geometry.clearance import (
    Approach,
    edge_clearance,
    least_edge_clearance,
    turn_rad,
)
from assistant.geometry.convex import outer_radius_mm
from assistant.geometry.paths import centre_travel, furthest_travel
from assistant.geometry.reach import Route
from assistant.geometry.shapes import Placed
from assistant.geometry.uncertainty import travel_sigma_mm
from assistant.rules.constraints import Allowance, Constraint, KeepOut, Near, OnTable, Pivot, Solid, Stay
from assistant.rules.keepout import nearest
from assistant.rules.near import near_finding
from assistant.rules.ruling import DECIDED_SIGMAS, gravest, measured
from assistant.rules.terrain import climbed_mm, in_space, solid_findings
from assistant.rules.verdict import Finding, Outcome
from assistant.rules.walk import Leg, Walk, covariance_of, sigma_along
from assistant.rules.words import apart


def findings(constraint: Constraint, walk: Walk) -> Iterator[Finding]:
    """Yield what a constraint on single models says of one model's move; at most one finding."""
    match constraint:
        case KeepOut():
            found = nearest(constraint, walk)
            if found is not None:
                yield found
        case OnTable():
            yield _on_table(constraint, walk)
        case Stay():
            yield _stay(constraint, walk)
        case Allowance() if walk.observed:
            yield _length(constraint, walk)
        case Near():
            yield near_finding(constraint, walk)
        case Solid():
            yield from solid_findings(constraint, walk)


def _on_table(rule: OnTable, walk: Walk) -> Finding:
    """Return what the leg comes to that is nearest to the edge; those that cannot be are passed over unmeasured."""
    reach, doubt = outer_radius_mm(walk.model.base), DECIDED_SIGMAS * max(pose.sigma_mm for pose in walk.path)
    legs = [(min(_inside_mm(walk, pose) for pose in leg) - reach, leg) for leg in walk.legs(on_the_way=True)]
    found = list[Finding]()
    for floor, leg in sorted(legs, key=lambda entry: entry[0]):
        if found and floor > max(doubt, min(each.margin_mm or 0.0 for each in found)):
            break
        found.append(_to_edge(rule, walk, leg))
    worst = gravest(found)
    assert worst is not None
    return worst


def _inside_mm(walk: Walk, pose: Pose) -> float:
    """Return how far a place is inside the table's edge."""
    table = walk.state.table
    return min(pose.x_mm, pose.y_mm, table.width_mm - pose.x_mm, table.depth_mm - pose.y_mm)


def _to_edge(rule: OnTable, walk: Walk, leg: Leg) -> Finding:
    table, start, end = walk.state.table, walk.placed(leg[0]), walk.placed(leg[1])
    if start == end:
        approach = Approach(clearance=edge_clearance(end, table.width_mm, table.depth_mm), share=1.0)
    else:
        approach = least_edge_clearance(start, end, table.width_mm, table.depth_mm)
    gap = approach.clearance

    def text(outcome: Outcome) -> str:
        match outcome:
            case Outcome.ILLEGAL:
                return f"{walk.model.id} is {walk.say(-gap.mm, 2)} over the table's edge"
            case Outcome.TOO_CLOSE:
                return f"{walk.model.id} is at the table's edge, too close to call whether it crosses it"
            case _:
                return f"{walk.model.id} is {walk.say(gap.mm, 2)} inside the table's edge"

    return measured(
        rule.rule,
        (walk.model.id,),
        measured_mm=gap.mm,
        limit_mm=0.0,
        margin_mm=gap.mm,
        sigma_mm=sigma_along(leg, approach.share),
        witness_mm=(gap.near, gap.far),
        text=text,
    )


def length_finding(rule: str, walk: Walk, way: Route, limit_mm: float, sigma_mm: float) -> Finding:
    """Return what a length of way, measured against a limit, comes to."""
    length, limit = apart(walk.say, way.mm, limit_mm)
    moved = "moved" if walk.observed else "needs"

    def text(outcome: Outcome) -> str:
        doubt = ", too close to call" if outcome is Outcome.TOO_CLOSE else ""
        return f"{walk.model.id} {moved} {length} of {limit}{doubt}"

    return measured(
        rule,
        (walk.model.id,),
        measured_mm=way.mm,
        limit_mm=limit_mm,
        margin_mm=limit_mm - way.mm,
        sigma_mm=sigma_mm,
        witness_mm=way.points,
        text=text,
    )


def _length(rule: Allowance, walk: Walk) -> Finding:
    path = [walk.placed(pose) for pose in walk.path]
    furthest = rule.pivot is Pivot.FURTHEST_POINT
    flown = in_space(rule, walk)
    travel = (furthest_travel if furthest else centre_travel)(path, in_space=flown)
    sigma = travel_sigma_mm(path, [covariance_of(pose) for pose in walk.path], furthest=furthest)
    flat = travel.mm + pivot_price_mm(rule, path)
    doubt = DECIDED_SIGMAS * max(pose.sigma_mm for pose in walk.path)
    climbs = [0.0] if flown else [climbed_mm(rule.free_mm, walk, least) for least in dict.fromkeys((0.0, doubt))]
    found, *others = (
        length_finding(rule.rule, walk, Route(mm=flat + up, points=travel.points), rule.limit_mm, sigma)
        for up in climbs
    )
    if all(other.outcome is found.outcome for other in others):
        return found
    text = f"{found.text}, unless what it passes so near to was not climbed: too close to call"
    return replace(found, outcome=Outcome.TOO_CLOSE, margin_mm=None, sigma_mm=None, p_legal=None, text=text)


def pivot_price_mm(rule: Allowance, path: list[Placed]) -> float:
    """Return what turning costs besides the way: the price of a first turn, where the rule has one."""
    turned = any(turn_rad(a, b) != 0 for a, b in pairwise(path))
    return rule.pivot_mm if rule.pivot is Pivot.FIXED and turned else 0.0


def _stay(rule: Stay, walk: Walk) -> Finding:
    path = [walk.placed(pose) for pose in walk.path]
    travel = furthest_travel(path)
    sigma = travel_sigma_mm(path, [covariance_of(pose) for pose in walk.path], furthest=True)
    return length_finding(rule.rule, walk, Route(mm=travel.mm, points=travel.points), 0.0, sigma)
