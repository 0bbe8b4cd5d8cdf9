"""Keep-outs: how near a model comes to others, and whether it is engaged with one."""

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from assistant.game.state import Model, Pose
from assistant.geometry.clearance import Approach, Clearance, between, clearance, least_clearance
from assistant.geometry.contact import level_shares
from assistant.geometry.convex import Array, outer_radius_mm
from assistant.rules.constraints import KeepOut
from assistant.rules.rulebook import Question
from assistant.rules.ruling import DECIDED_SIGMAS, gravest, measured, together
from assistant.rules.scene import Scene
from assistant.rules.verdict import Finding, Outcome
from assistant.rules.walk import Leg, Walk, sigma_along
from assistant.rules.words import apart

Ints = NDArray[np.intp]


def clear_of_enemies(rule: KeepOut, asked: Question) -> Finding:
    """Return whether a unit is outside a range of all enemies; at exactly the range it is not.

    The finding is legal when it is outside.
    """
    found = gravest(_engaged(rule, asked))
    if found is not None:
        return found
    text = f"{asked.unit.id} is outside {rule.name} of every enemy"
    return Finding(rule=rule.rule, outcome=Outcome.LEGAL, subjects=(asked.unit.id,), text=text)


def _engaged(rule: KeepOut, asked: Question) -> Iterator[Finding]:
    """Yield a finding for each enemy that a model of the unit is, or may be, within range of."""
    scene = asked.scene
    mine = np.array([scene.index[m.id] for m in asked.unit.models if m.id in scene.index], dtype=np.intp)
    theirs = scene.party(rule.parties, asked.unit, "")
    apart = np.abs(scene.places_mm[mine, None] - scene.places_mm[theirs])
    floors = np.hypot(apart[..., 0], apart[..., 1]) - scene.radii_mm[mine, None] - scene.radii_mm[theirs]
    reach = rule.range_mm + DECIDED_SIGMAS * np.hypot(scene.sigmas_mm[mine, None], scene.sigmas_mm[theirs])
    for i, j in np.argwhere((floors <= reach) & (apart[..., 2] <= rule.vertical_mm)).tolist():
        one, two = int(mine[i]), int(theirs[j])
        gap = clearance(scene.models[one].placed(), scene.models[two].placed())
        found = engagement_finding(rule, scene, (one, two), gap)
        if found.outcome is not Outcome.LEGAL:
            yield found


def engagement_finding(rule: KeepOut, scene: Scene, pair: tuple[int, int], gap: Clearance) -> Finding:
    """Return whether the first of two models is outside a range of the second; at exactly the range it is not."""
    mover, other = (scene.models[place].id for place in pair)
    return measured(
        rule.rule,
        (mover, other),
        measured_mm=gap.mm,
        limit_mm=rule.range_mm,
        margin_mm=gap.mm - rule.range_mm,
        sigma_mm=together(*(scene.poses[place].sigma_mm for place in pair)),
        witness_mm=(gap.near, gap.far),
        text=partial(_engaged_text, rule, mover, other),
        at_limit=False,
    )


def _engaged_text(rule: KeepOut, mover: str, other: str, outcome: Outcome) -> str:
    doubt = ", too close to call" if outcome is Outcome.TOO_CLOSE else ""
    return f"{mover} is within {rule.name} of {other}{doubt}"


def nearest(rule: KeepOut, walk: Walk) -> Finding | None:
    """Return what a keep-out says of one model's move: the gravest of its findings, None without another party."""
    return gravest(_near(rule, walk))


def _near(rule: KeepOut, walk: Walk) -> Iterator[Finding]:
    """Yield findings on the models that may be nearest; those that cannot be are passed over unmeasured."""
    scene, legs = walk.scene, walk.legs(on_the_way=rule.on_the_way)
    others = scene.party(rule.parties, walk.unit, walk.model.id)
    if not len(others):
        return
    floors = _floors(walk, legs, others)
    doubt = DECIDED_SIGMAS * together(max(p.sigma_mm for p in walk.path), float(scene.sigmas_mm[others].max()))
    firsts = floors.min(axis=0)
    least = np.inf
    for index in np.argsort(firsts).tolist():
        if firsts[index] > max(least, rule.range_mm + doubt):
            return
        for leg, floor in zip(legs, floors[:, index].tolist(), strict=True):
            if floor > max(least, rule.range_mm + doubt):
                continue
            place = int(others[index])
            found = _along(rule, walk, leg, (scene.models[place], scene.poses[place]))
            if found is not None:
                least = min(least, found.measured_mm or 0.0)
                yield found


def _floors(walk: Walk, legs: tuple[Leg, ...], others: Ints) -> Array:
    """Return lower bounds of the clearances, legs by others, from the discs around the bases."""
    scene = walk.scene
    ends = np.array([(a.x_mm, a.y_mm, b.x_mm - a.x_mm, b.y_mm - a.y_mm) for a, b in legs])[:, None]
    offset, along = scene.places_mm[others, :2] - ends[..., :2], ends[..., 2:]
    squared = (along**2).sum(axis=2)
    share = np.divide((offset * along).sum(axis=2), squared, out=np.zeros(offset.shape[:2]), where=squared > 0)
    away = offset - np.clip(share, 0.0, 1.0)[..., None] * along
    floors: Array = np.hypot(away[..., 0], away[..., 1]) - scene.radii_mm[others] - outer_radius_mm(walk.model.base)
    return floors


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
    verb = "ends" if leg[1] is walk.end and share > 1 - 1e-9 else "passes"
    verb = "stands" if len(walk.path) == 1 else verb
    return keep_out_finding(
        rule, walk, (verb, other), approach.clearance, together(sigma_along(leg, share), at.sigma_mm)
    )


def keep_out_finding(rule: KeepOut, walk: Walk, does: tuple[str, Model], gap: Clearance, sigma_mm: float) -> Finding:
    """Return what a clearance comes to; ``does`` is the verb and the other model."""
    verb, other = does
    return measured(
        rule.rule,
        (walk.model.id, other.id),
        measured_mm=gap.mm,
        limit_mm=rule.range_mm,
        margin_mm=gap.mm - rule.range_mm,
        sigma_mm=sigma_mm,
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
