"""Constraints to findings: what is measured of a move, and how it is said."""

from collections.abc import Iterator

import numpy as np
import shapely

from assistant.game.state import Model, Pose
from assistant.geometry.clearance import (
    Approach,
    between,
    clearance,
    edge_clearance,
    least_clearance,
    least_edge_clearance,
    leg_floor,
    turn_rad,
)
from assistant.geometry.convex import outer_radius_mm
from assistant.geometry.paths import centre_travel, furthest_travel, travel_sigma_mm
from assistant.geometry.shapes import Outline, Placed
from assistant.rules.constraints import Allowance, Climb, Constraint, KeepOut, OnTable, Pivot, Stay
from assistant.rules.rulebook import Question
from assistant.rules.ruling import DECIDED_SIGMAS, ROUNDING_MM, gravest, outcome_of, probability, together
from assistant.rules.verdict import Finding, Outcome
from assistant.rules.walk import Walk, parties
from assistant.rules.words import apart

Leg = tuple[Pose, Pose]


def findings(constraint: Constraint, walk: Walk) -> Iterator[Finding]:
    """Yield what a constraint on single models says of one model's move; at most one finding."""
    match constraint:
        case KeepOut():
            found = gravest(_nearest(constraint, walk))
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


def clear_of_enemies(rule: KeepOut, asked: Question) -> Finding:
    """Return whether a unit is outside a range of all enemies; at exactly the range it is not.

    The finding is legal when it is outside.
    """
    found = gravest(
        finding
        for model in asked.unit.models
        if model.pose is not None
        for finding in _engaged(rule, asked, model, model.pose)
    )
    if found is not None:
        return found
    text = f"{asked.unit.id} is outside {rule.name} of every enemy"
    return Finding(rule=rule.rule, outcome=Outcome.LEGAL, subjects=(asked.unit.id,), text=text)


def _engaged(rule: KeepOut, asked: Question, model: Model, pose: Pose) -> Iterator[Finding]:
    """Yield a finding for each enemy that the model is, or may be, within range of."""
    standing = model.placed(pose)
    for other, at in parties(rule, asked.state, asked.unit, model.id):
        sigma = together(pose.sigma_mm, at.sigma_mm)
        reach = rule.range_mm + DECIDED_SIGMAS * sigma
        theirs = other.placed(at)
        if abs(pose.z_mm - at.z_mm) > rule.vertical_mm or leg_floor(standing, standing, theirs) > reach:
            continue
        gap = clearance(standing, theirs)
        margin = gap.mm - rule.range_mm
        outcome = outcome_of(margin, sigma, at_limit=False)
        if outcome is not Outcome.LEGAL:
            doubt = ", too close to call" if outcome is Outcome.TOO_CLOSE else ""
            yield Finding(
                rule=rule.rule,
                outcome=outcome,
                subjects=(model.id, other.id),
                measured_mm=gap.mm,
                limit_mm=rule.range_mm,
                margin_mm=margin,
                sigma_mm=sigma,
                p_legal=probability(margin, sigma, at_limit=False),
                witness_mm=(gap.near, gap.far),
                text=f"{model.id} is within {rule.name} of {other.id}{doubt}",
            )


def _nearest(rule: KeepOut, walk: Walk) -> Iterator[Finding]:
    """Yield findings on the models that may be nearest; those that cannot be are passed over unmeasured."""
    legs = walk.legs(on_the_way=rule.on_the_way)
    others = list(parties(rule, walk.state, walk.unit, walk.model.id))
    if not others:
        return
    floors = _floors(walk, legs, others)
    doubt = DECIDED_SIGMAS * together(max(p.sigma_mm for p in walk.path), max(at.sigma_mm for _, at in others))
    least = np.inf
    for index in np.argsort(floors.min(axis=0)):
        if floors[:, index].min() > max(least, rule.range_mm + doubt):
            return
        other, at = others[index]
        for leg, floor in zip(legs, floors[:, index], strict=True):
            if floor > max(least, rule.range_mm + doubt):
                continue
            level = _level(leg, at.z_mm, rule.vertical_mm)
            if level is None:
                continue
            found = _along(rule, walk, leg, level, other, at)
            least = min(least, found.measured_mm or 0.0)
            yield found


def _floors(walk: Walk, legs: tuple[Leg, ...], others: list[tuple[Model, Pose]]) -> np.ndarray:
    """Return lower bounds of the clearances, legs by others, from the discs around the bases."""
    start = np.array([(a.x_mm, a.y_mm) for a, _ in legs])[:, None]
    along = np.array([(b.x_mm - a.x_mm, b.y_mm - a.y_mm) for a, b in legs])[:, None]
    offset = np.array([(at.x_mm, at.y_mm) for _, at in others])[None] - start
    squared = (along**2).sum(axis=2)
    share = np.divide((offset * along).sum(axis=2), squared, out=np.zeros(offset.shape[:2]), where=squared > 0)
    away = offset - np.clip(share, 0.0, 1.0)[..., None] * along
    reach = np.array([outer_radius_mm(other.base) for other, _ in others]) + outer_radius_mm(walk.model.base)
    floors: np.ndarray = np.hypot(away[..., 0], away[..., 1]) - reach
    return floors


def _level(leg: Leg, z_mm: float, vertical_mm: float) -> tuple[float, float] | None:
    """Return the part of a leg, as shares, on which heights differ by at most so much; None if there is none."""
    start, rise = leg[0].z_mm - z_mm, leg[1].z_mm - leg[0].z_mm
    if rise == 0:
        return (0.0, 1.0) if abs(start) <= vertical_mm else None
    ends = sorted(((-vertical_mm - start) / rise, (vertical_mm - start) / rise))
    low, high = max(0.0, ends[0]), min(1.0, ends[1])
    return (low, high) if low <= high else None


def _along(rule: KeepOut, walk: Walk, leg: Leg, level: tuple[float, float], other: Model, at: Pose) -> Finding:
    whole = walk.placed(leg[0]), walk.placed(leg[1])
    start, end = between(*whole, level[0]), between(*whole, level[1])
    theirs = other.placed(at)
    if start == end:
        approach = Approach(clearance=clearance(end, theirs), share=1.0)
    else:
        approach = least_clearance(start, end, theirs)
    share = level[0] + approach.share * (level[1] - level[0])
    gap, sigma = approach.clearance, together(_sigma(leg, share), at.sigma_mm)
    margin = gap.mm - rule.range_mm
    outcome = outcome_of(margin, sigma)
    ends = leg[1] is walk.end and share > 1 - 1e-9
    return Finding(
        rule=rule.rule,
        outcome=outcome,
        subjects=(walk.model.id, other.id),
        measured_mm=gap.mm,
        limit_mm=rule.range_mm,
        margin_mm=margin,
        sigma_mm=sigma,
        p_legal=probability(margin, sigma),
        witness_mm=(gap.near, gap.far),
        text=_keep_out_text(rule, walk, other.id, gap.mm, outcome, "ends" if ends else "passes"),
    )


def _keep_out_text(rule: KeepOut, walk: Walk, other: str, mm: float, outcome: Outcome, verb: str) -> str:
    mover = walk.model.id
    verb = "stands" if len(walk.path) == 1 else verb
    if rule.range_mm == 0:
        touch = {"across": "moves across", "on top of": f"{verb} on top of"}[rule.name]
        match outcome:
            case Outcome.LEGAL:
                return f"{mover} {verb} {walk.say(mm, 2)} clear of {other}"
            case Outcome.TOO_CLOSE:
                return f"{mover} {verb} so near to {other} that it is too close to call whether it {touch} it"
            case _:
                return f"{mover} {touch} {other} by {walk.say(-mm, 2)}"
    measured, limit = apart(walk.say, mm, rule.range_mm)
    where = f"{measured} from {other}" if mm >= 0 else f"on {other}"
    match outcome:
        case Outcome.LEGAL:
            return f"{mover} {verb} {where}, outside its {rule.name} of {limit}"
        case Outcome.TOO_CLOSE:
            return f"{mover} {verb} {where}, too close to its {rule.name} of {limit} to call"
        case _:
            return f"{mover} {verb} {where}, inside its {rule.name} of {limit}"


def _sigma(leg: Leg, share: float) -> float:
    """Return the standard deviation of a place along a leg whose ends err independently."""
    return together((1 - share) * leg[0].sigma_mm, share * leg[1].sigma_mm)


def _on_table(rule: OnTable, walk: Walk) -> Finding:
    table = walk.state.table
    found = []
    for leg in walk.legs(on_the_way=True):
        start, end = walk.placed(leg[0]), walk.placed(leg[1])
        if start == end:
            approach = Approach(clearance=edge_clearance(end, table.width_mm, table.depth_mm), share=1.0)
        else:
            approach = least_edge_clearance(start, end, table.width_mm, table.depth_mm)
        gap, sigma = approach.clearance, _sigma(leg, approach.share)
        outcome = outcome_of(gap.mm, sigma)
        inside = f"{walk.say(gap.mm, 2)} inside the table's edge"
        text = {
            Outcome.LEGAL: f"{walk.model.id} is {inside}",
            Outcome.TOO_CLOSE: f"{walk.model.id} is {inside}, too close to call whether it crosses it",
        }.get(outcome, f"{walk.model.id} is {walk.say(-gap.mm, 2)} over the table's edge")
        found.append(
            Finding(
                rule=rule.rule,
                outcome=outcome,
                subjects=(walk.model.id,),
                measured_mm=gap.mm,
                limit_mm=0.0,
                margin_mm=gap.mm,
                sigma_mm=sigma,
                p_legal=probability(gap.mm, sigma),
                witness_mm=(gap.near, gap.far),
                text=text,
            )
        )
    worst = gravest(found)
    assert worst is not None
    return worst


def length_finding(
    rule: str, walk: Walk, measured_mm: float, limit_mm: float, sigma_mm: float, way: tuple[tuple[float, float], ...]
) -> Finding:
    """Return what a length of way, measured against a limit, comes to."""
    margin = limit_mm - measured_mm
    outcome = outcome_of(margin, sigma_mm)
    measured, limit = apart(walk.say, measured_mm, limit_mm)
    doubt = ", too close to call" if outcome is Outcome.TOO_CLOSE else ""
    moved = "moved" if walk.observed else "needs"
    return Finding(
        rule=rule,
        outcome=outcome,
        subjects=(walk.model.id,),
        measured_mm=measured_mm,
        limit_mm=limit_mm,
        margin_mm=margin,
        sigma_mm=sigma_mm,
        p_legal=probability(margin, sigma_mm),
        witness_mm=way,
        text=f"{walk.model.id} {moved} {measured} of {limit}{doubt}",
    )


def _length(rule: Allowance, walk: Walk) -> Finding:
    path = [walk.placed(pose) for pose in walk.path]
    travel = furthest_travel(path) if rule.pivot is Pivot.FURTHEST_POINT else centre_travel(path)
    sigma = travel_sigma_mm(travel.points, [pose.sigma_mm for pose in walk.path])
    measured = travel.mm + pivot_price_mm(rule, path)
    return length_finding(rule.rule, walk, measured, rule.limit_mm, sigma, travel.points)


def pivot_price_mm(rule: Allowance, path: list[Placed]) -> float:
    """Return what turning costs besides the way: the price of a first turn, where the rule has one."""
    turned = any(turn_rad(a, b) != 0 for a, b in zip(path, path[1:], strict=False))
    return rule.pivot_mm if rule.pivot is Pivot.FIXED and turned else 0.0


def _stay(rule: Stay, walk: Walk) -> Finding:
    path = [walk.placed(pose) for pose in walk.path]
    travel = furthest_travel(path)
    sigma = travel_sigma_mm(travel.points, [pose.sigma_mm for pose in walk.path])
    return length_finding(rule.rule, walk, travel.mm, 0.0, sigma, travel.points)


def _climb(rule: Climb, walk: Walk) -> Iterator[Finding]:
    """Yield a note when the path, or for an unseen one the straight line, meets terrain that must be climbed."""
    path = [walk.placed(pose) for pose in walk.path]
    for terrain in walk.state.terrain:
        if terrain.height_mm <= rule.free_mm:
            continue
        if any(_meets(a, b, terrain.outline_mm) for a, b in zip(path, path[1:], strict=False)):
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
