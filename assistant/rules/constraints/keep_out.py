"""Keep-outs: how near a model comes to others, and whether it is engaged with one."""

from collections.abc import Iterable, Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from assistant.game.state import Model, Pose, Unit
from assistant.geometry.clearance.shape_clearance import Clearance, clearance
from assistant.geometry.shapes.convex import Array, outer_radius_mm
from assistant.rules.constraints import KeepOut
from assistant.rules.engine.approach import ApproachTarget, NearestApproach, measure_approaches, measure_start_within_mm
from assistant.rules.engine.situation_index import SituationIndex
from assistant.rules.engine.walk import Leg, Walk
from assistant.rules.lengths import format_apart
from assistant.rules.rulebook import RuleContext
from assistant.rules.verdict import (
    DECIDED_SIGMAS,
    ROUNDING_MM,
    Finding,
    Outcome,
    build_finding,
    combine_sigmas,
    find_gravest,
)

Ints = NDArray[np.intp]


def check_clear_of_enemies(rule: KeepOut, asked: RuleContext) -> Finding:
    """Return whether a unit is outside a range of all enemies; at exactly the range it is not.

    The finding is legal when it is outside.
    """
    found = find_gravest(find_engagements(rule, asked.scene, asked.unit))
    if found is not None:
        return found
    text = f"{asked.unit.id} is outside {rule.name} of every enemy"
    return Finding(rule=rule.rule, outcome=Outcome.LEGAL, subjects=(asked.unit.id,), text=text)


def find_engagements(
    rule: KeepOut, scene: SituationIndex, unit: Unit, models: Iterable[str] | None = None
) -> Iterator[Finding]:
    """Yield a finding for each enemy that a model of the unit is, or may be, within range of.

    Args:
        rule: the range.
        scene: where everybody stands.
        unit: the unit.
        models: the models of the unit that are asked about; None for all.

    """
    asked = (model.id for model in unit.models) if models is None else models
    mine = np.array([scene.index[model] for model in asked if model in scene.index], dtype=np.intp)
    theirs = scene.select_party(rule.parties, unit, "", rule.among)
    apart = np.abs(scene.places_mm[mine, None] - scene.places_mm[theirs])
    floors = np.hypot(apart[..., 0], apart[..., 1]) - scene.radii_mm[mine, None] - scene.radii_mm[theirs]
    reach = rule.range_mm + DECIDED_SIGMAS * np.hypot(scene.sigmas_mm[mine, None], scene.sigmas_mm[theirs])
    for i, j in np.argwhere((floors <= reach) & (apart[..., 2] <= rule.vertical_mm)).tolist():
        one, two = int(mine[i]), int(theirs[j])
        gap = clearance(scene.models[one].place_base(), scene.models[two].place_base())
        found = check_engagement(rule, scene, (one, two), gap)
        if found.outcome is not Outcome.LEGAL:
            yield found


def check_engagement(rule: KeepOut, scene: SituationIndex, pair: tuple[int, int], gap: Clearance) -> Finding:
    """Return whether the first of two models is outside a range of the second; at exactly the range it is not."""
    mover, other = (scene.models[place].id for place in pair)
    return build_finding(
        rule.rule,
        (mover, other),
        measured_mm=gap.mm,
        limit_mm=rule.range_mm,
        margin_mm=gap.mm - rule.range_mm,
        sigma_mm=combine_sigmas(*(scene.poses[place].sigma_mm for place in pair)),
        witness_mm=(gap.near, gap.far),
        text=partial(_describe_engagement, rule, mover, other),
        at_limit=False,
    )


def _describe_engagement(rule: KeepOut, mover: str, other: str, outcome: Outcome) -> str:
    doubt = ", too close to call" if outcome is Outcome.TOO_CLOSE else ""
    where = f"within {rule.name} of" if rule.at_limit else f"in {rule.name} with"
    return f"{mover} is {where} {other}{doubt}"


def check_keep_out(rule: KeepOut, walk: Walk) -> Finding | None:
    """Return what a keep-out says of one model's move: the gravest of its findings, None without another party."""
    return find_gravest(_check_nearest_models(rule, walk))


def _check_nearest_models(rule: KeepOut, walk: Walk) -> Iterator[Finding]:
    """Yield findings on the models that may be nearest; those that cannot be are passed over unmeasured."""
    scene, legs = walk.scene, walk.list_legs(on_the_way=rule.on_the_way)
    others = select_others(rule, walk)
    if not len(others):
        return
    floors = _bound_clearances(walk, legs, others)
    doubt = DECIDED_SIGMAS * combine_sigmas(max(p.sigma_mm for p in walk.path), float(scene.sigmas_mm[others].max()))
    firsts = floors.min(axis=0)
    least = np.inf
    for index in np.argsort(firsts).tolist():
        if firsts[index] > max(least, rule.range_mm + doubt):
            return
        place = int(others[index])
        other, thing = scene.models[place], build_approach_target(rule, scene.models[place], scene.poses[place])
        if rule.unless_ending and ends_within(walk, thing):
            continue
        start_mm = measure_start_within_mm(walk, thing) if rule.leaving else None
        for leg, floor in zip(legs, floors[:, index].tolist(), strict=True):
            if floor > max(least, rule.range_mm + doubt):
                continue
            for approach in measure_approaches(walk, leg, thing, start_mm):
                least = min(least, approach.gap.mm)
                yield build_keep_out_finding(rule, walk, other, approach)


def select_others(rule: KeepOut, walk: Walk) -> Ints:
    """Return the places of the models that a rule is about as one of a unit moves."""
    scene = walk.scene
    found = scene.select_party(rule.parties, walk.unit, walk.model.id, rule.among)
    if rule.fixed is None:
        return found
    passed = {model.id for model in walk.unit.models} - rule.fixed - walk.moved
    return np.array([place for place in found.tolist() if scene.models[place].id not in passed], dtype=np.intp)


def build_approach_target(rule: KeepOut, other: Model, at: Pose) -> ApproachTarget:
    """Return another model as something to keep away from."""
    return ApproachTarget(
        placed=other.place_base(at),
        range_mm=rule.range_mm,
        heights_mm=(at.z_mm - rule.vertical_mm, at.z_mm + rule.vertical_mm),
        sigma_mm=at.sigma_mm,
    )


def reduce_ranges_at_start(rule: KeepOut, walk: Walk, others: Ints, range_mm: Array) -> Array:
    """Return ranges, less for a model that the walk starts within range of: it may stay as near as it stood."""
    scene, start = walk.scene, walk.path[0]
    near = _bound_clearances(walk, ((start, start),), others)[0] <= rule.range_mm + DECIDED_SIGMAS * np.hypot(
        start.sigma_mm, scene.sigmas_mm[others]
    )
    left = np.array(range_mm)
    for index in np.flatnonzero(near).tolist():
        place = int(others[index])
        mm = measure_start_within_mm(walk, build_approach_target(rule, scene.models[place], scene.poses[place]))
        left[index] = range_mm[index] if mm is None else mm
    return left


def ends_within(walk: Walk, thing: ApproachTarget) -> bool:
    """Return whether a way ends, or may end, within the range of something."""
    low, high = thing.heights_mm
    doubt = DECIDED_SIGMAS * combine_sigmas(walk.end.sigma_mm, thing.sigma_mm)
    near = clearance(walk.place_base(walk.end), thing.placed).mm <= thing.range_mm + doubt + ROUNDING_MM
    return near and low <= walk.end.z_mm <= high


def _bound_clearances(walk: Walk, legs: tuple[Leg, ...], others: Ints) -> Array:
    """Return lower bounds of the clearances, legs by others, from the discs around the bases."""
    scene = walk.scene
    ends = np.array([(a.x_mm, a.y_mm, b.x_mm - a.x_mm, b.y_mm - a.y_mm) for a, b in legs])[:, None]
    offset, along = scene.places_mm[others, :2] - ends[..., :2], ends[..., 2:]
    squared = (along**2).sum(axis=2)
    share = np.divide((offset * along).sum(axis=2), squared, out=np.zeros(offset.shape[:2]), where=squared > 0)
    away = offset - np.clip(share, 0.0, 1.0)[..., None] * along
    floors: Array = np.hypot(away[..., 0], away[..., 1]) - scene.radii_mm[others] - outer_radius_mm(walk.model.base)
    return floors


def build_keep_out_finding(rule: KeepOut, walk: Walk, other: Model, approach: NearestApproach) -> Finding:
    """Return what coming so near to another model comes to."""
    return build_finding(
        rule.rule,
        (walk.model.id, other.id),
        measured_mm=approach.gap.mm,
        limit_mm=rule.range_mm,
        margin_mm=approach.margin_mm,
        sigma_mm=approach.sigma_mm,
        witness_mm=(approach.gap.near, approach.gap.far),
        text=lambda outcome: _describe_keep_out(rule, walk, (approach.verb, other.id), approach.gap.mm, outcome),
        at_limit=rule.at_limit or approach.left,
    )


def _describe_keep_out(rule: KeepOut, walk: Walk, does: tuple[str, str], mm: float, outcome: Outcome) -> str:
    mover, (verb, other) = walk.model.id, does
    if not rule.at_limit:
        match outcome:
            case Outcome.LEGAL:
                return f"{mover} {verb} {walk.say(mm, 2)} from {other}, out of {rule.name}"
            case Outcome.TOO_CLOSE:
                return f"{mover} {verb} so near to {other} that it is too close to call whether they are in {rule.name}"
            case _:
                return f"{mover} {verb} in {rule.name} with {other}"
    if rule.range_mm <= 0:  # below it, models that must touch may overlap by what nobody measures
        touch = "moves across" if rule.on_the_way else f"{verb} on top of"
        match outcome:
            case Outcome.LEGAL:
                return f"{mover} {verb} {walk.say(max(mm, 0.0), 2)} clear of {other}"
            case Outcome.TOO_CLOSE:
                return f"{mover} {verb} so near to {other} that it is too close to call whether it {touch} it"
            case _:
                return f"{mover} {touch} {other} by {walk.say(-mm, 2)}"
    gap, limit = format_apart(walk.say, mm, rule.range_mm)
    where = f"{gap} from {other}" if mm >= 0 else f"on {other}"
    match outcome:
        case Outcome.LEGAL:
            return f"{mover} {verb} {where}, outside its {rule.name} of {limit}"
        case Outcome.TOO_CLOSE:
            return f"{mover} {verb} {where}, too close to its {rule.name} of {limit} to call"
        case _:
            return f"{mover} {verb} {where}, inside its {rule.name} of {limit}"
