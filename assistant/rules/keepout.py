"""Keep-outs: how near a model comes to others, and whether it is engaged with one."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from assistant.game.state import Model, Pose
from assistant.geometry.clearance import Approach, between, clearance, least_clearance, leg_floor, leg_floors
from assistant.geometry.contact import level_shares
from assistant.geometry.uncertainty import clearance_sigma_mm, covariance_along
from assistant.rules.constraints import KeepOut
from assistant.rules.rulebook import Question
from assistant.rules.ruling import DECIDED_SIGMAS, gravest, measured, together
from assistant.rules.verdict import Finding, Outcome
from assistant.rules.walk import Leg, Walk, covariance_of, parties
from assistant.rules.words import apart


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
        found = measured(
            rule.rule,
            (model.id, other.id),
            measured_mm=gap.mm,
            limit_mm=rule.range_mm,
            margin_mm=gap.mm - rule.range_mm,
            sigma_mm=sigma,
            witness_mm=(gap.near, gap.far),
            text=partial(_engaged_text, rule, model.id, other.id),
            at_limit=False,
        )
        if found.outcome is not Outcome.LEGAL:
            yield found


def _engaged_text(rule: KeepOut, mover: str, other: str, outcome: Outcome) -> str:
    doubt = ", too close to call" if outcome is Outcome.TOO_CLOSE else ""
    return f"{mover} is within {rule.name} of {other}{doubt}"


def nearest(rule: KeepOut, walk: Walk) -> Finding | None:
    """Return what a keep-out says of one model's move: the gravest of its findings, None without another party."""
    return gravest(_near(rule, walk))


def _near(rule: KeepOut, walk: Walk) -> Iterator[Finding]:
    """Yield findings on the models that may be nearest; those that cannot be are passed over unmeasured."""
    legs = walk.legs(on_the_way=rule.on_the_way)
    others = walk.parties(rule)
    if not others:
        return
    placed_legs = [(walk.placed(start), walk.placed(end)) for start, end in legs]
    floors = leg_floors(placed_legs, [other.placed(at) for other, at in others])
    doubt = DECIDED_SIGMAS * together(max(p.sigma_mm for p in walk.path), max(at.sigma_mm for _, at in others))
    least = np.inf
    for index in np.argsort(floors.min(axis=0)):
        if floors[:, index].min() > max(least, rule.range_mm + doubt):
            return
        other, at = others[index]
        for leg, floor in zip(legs, floors[:, index], strict=True):
            if floor > max(least, rule.range_mm + doubt):
                continue
            found = _along(rule, walk, leg, (other, at))
            if found is not None:
                least = min(least, found.measured_mm or 0.0)
                yield found


def _along(rule: KeepOut, walk: Walk, leg: Leg, party: tuple[Model, Pose]) -> Finding | None:
    """Return what the nearest approach to a model on a leg comes to; None where their heights are out of range."""
    other, at = party
    whole, theirs = (walk.placed(leg[0]), walk.placed(leg[1])), other.placed(at)
    level = level_shares(*whole, (at.z_mm - rule.vertical_mm, at.z_mm + rule.vertical_mm))
    if level is None:
        return None
    start, end = between(*whole, level[0]), between(*whole, level[1])
    if start == end:
        approach = Approach(clearance=clearance(end, theirs), share=1.0)
    else:
        approach = least_clearance(start, end, theirs)
    share = level[0] + approach.share * (level[1] - level[0])
    gap = approach.clearance
    covariance = covariance_along(covariance_of(leg[0]), covariance_of(leg[1]), share)
    verb = "ends" if leg[1] is walk.end and share > 1 - 1e-9 else "passes"
    verb = "stands" if len(walk.path) == 1 else verb
    return measured(
        rule.rule,
        (walk.model.id, other.id),
        measured_mm=gap.mm,
        limit_mm=rule.range_mm,
        margin_mm=gap.mm - rule.range_mm,
        sigma_mm=clearance_sigma_mm(between(*whole, share), theirs, covariance, covariance_of(at)),
        witness_mm=(gap.near, gap.far),
        text=lambda outcome: _keep_out_text(rule, walk, (verb, other.id), gap.mm, outcome),
    )


def _keep_out_text(rule: KeepOut, walk: Walk, does: tuple[str, str], mm: float, outcome: Outcome) -> str:
    mover, (verb, other) = walk.model.id, does
    if rule.range_mm == 0:
        touch = "moves across" if rule.on_the_way else f"{verb} on top of"
        match outcome:
            case Outcome.LEGAL:
                return f"{mover} {verb} {walk.say(mm, 2)} clear of {other}"
            case Outcome.TOO_CLOSE:
                return f"{mover} {verb} so near to {other} that it is too close to call whether it {touch} it"
            case _:
                return f"{mover} {touch} {other} by {walk.say(-mm, 2)}"
    gap, limit = apart(walk.say, mm, rule.range_mm)
    where = f"{gap} from {other}" if mm >= 0 else f"on {other}"
    match outcome:
        case Outcome.LEGAL:
            return f"{mover} {verb} {where}, outside its {rule.name} of {limit}"
        case Outcome.TOO_CLOSE:
            return f"{mover} {verb} {where}, too close to its {rule.name} of {limit} to call"
        case _:
            return f"{mover} {verb} {where}, inside its {rule.name} of {limit}"
