"""Constraints to findings: what is measured of a move, and how it is said."""

from collections.abc import Iterator
from itertools import pairwise

import shapely

from assistant.geometry.clearance import (
    Approach,
    edge_clearance,
    least_clearance,
    least_edge_clearance,
    turn_rad,
)
from assistant.geometry.convex import outer_radius_mm
from assistant.geometry.paths import centre_travel, furthest_travel
from assistant.geometry.reach import Route
from assistant.geometry.shapes import Outline, Placed
from assistant.geometry.uncertainty import travel_sigma_mm
from assistant.rules.constraints import Allowance, Climb, Constraint, KeepOut, OnTable, Pivot, Stay
from assistant.rules.keepout import nearest
from assistant.rules.ruling import ROUNDING_MM, gravest, measured
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
        case Climb():
            yield from _climb(constraint, walk)


def _on_table(rule: OnTable, walk: Walk) -> Finding:
    worst = gravest(_to_edge(rule, walk, leg) for leg in walk.legs(on_the_way=True))
    assert worst is not None
    return worst


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
    travel = furthest_travel(path) if furthest else centre_travel(path)
    sigma = travel_sigma_mm(path, [covariance_of(pose) for pose in walk.path], furthest=furthest)
    way = Route(mm=travel.mm + pivot_price_mm(rule, path), points=travel.points)
    return length_finding(rule.rule, walk, way, rule.limit_mm, sigma)


def pivot_price_mm(rule: Allowance, path: list[Placed]) -> float:
    """Return what turning costs besides the way: the price of a first turn, where the rule has one."""
    turned = any(turn_rad(a, b) != 0 for a, b in pairwise(path))
    return rule.pivot_mm if rule.pivot is Pivot.FIXED and turned else 0.0


def _stay(rule: Stay, walk: Walk) -> Finding:
    path = [walk.placed(pose) for pose in walk.path]
    travel = furthest_travel(path)
    sigma = travel_sigma_mm(path, [covariance_of(pose) for pose in walk.path], furthest=True)
    return length_finding(rule.rule, walk, Route(mm=travel.mm, points=travel.points), 0.0, sigma)


def _climb(rule: Climb, walk: Walk) -> Iterator[Finding]:
    """Yield a note when the path, or for an unseen one the straight line, meets terrain that must be climbed."""
    path = [walk.placed(pose) for pose in walk.path]
    for terrain in walk.state.terrain:
        if terrain.height_mm <= rule.free_mm:
            continue
        if any(_meets(a, b, terrain.outline_mm) for a, b in pairwise(path)):
            yield Finding(
                rule=rule.rule,
                outcome=Outcome.NOTE,
                subjects=(walk.model.id, terrain.id),
                text=f"{walk.model.id} meets {terrain.id}, {walk.say(terrain.height_mm, 2)} high: "
                "climbing is not judged yet, its way is measured as if level",
            )
            return


def _meets(start: Placed, end: Placed, outline_mm: tuple[tuple[float, float], ...]) -> bool:
    """Return whether a base on this leg overlaps an outline."""
    line = shapely.LineString([(start.x_mm, start.y_mm), (end.x_mm, end.y_mm)])
    if line.distance(shapely.Polygon(outline_mm)) >= outer_radius_mm(start.shape):
        return False
    feature = Placed(shape=Outline(points_mm=outline_mm), x_mm=0.0, y_mm=0.0)
    return least_clearance(start, end, feature).clearance.mm < -ROUNDING_MM
