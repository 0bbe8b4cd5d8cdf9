"""Unit coherency: which models are near enough to each other, and which break it."""

from dataclasses import dataclass, replace

from assistant.game.state import Model, Pose, Unit
from assistant.geometry.clearance import Clearance, clearance, leg_floor
from assistant.rules.constraints import Coherency
from assistant.rules.ruling import gravest, measured, together
from assistant.rules.verdict import Finding, Outcome
from assistant.rules.words import Say, apart


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """Two models of a unit that are near enough to each other."""

    models: tuple[str, str]
    segment_mm: tuple[tuple[float, float], tuple[float, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class CoherencyLinks:
    """How a unit hangs together."""

    links: tuple[Link, ...]
    breaking: tuple[str, ...]
    """Models with too few links."""


def coherency_finding(rule: Coherency, unit: Unit, say: Say) -> Finding:
    """Return whether a unit is coherent as it stands; the subjects are the models that break it."""
    found = [_of_one(rule, unit, model, pose, say) for model, pose in _standing(unit)]
    worst = gravest(found)
    assert worst is not None, "a unit of which a coherency is asked has models on the table"
    if worst.outcome is Outcome.LEGAL:
        return worst
    alike = tuple(finding.subjects[0] for finding in found if finding.outcome is worst.outcome)
    others = [model for model in alike if model != worst.subjects[0]]
    more = f"; so {'are' if len(others) > 1 else 'is'} {', '.join(others)}" if others else ""
    return replace(worst, subjects=alike, text=worst.text + more)


def links(rule: Coherency, unit: Unit) -> CoherencyLinks:
    """Return the links between a unit's models and the models that have too few of them."""
    standing = _standing(unit)
    found, count = [], {model.id: 0 for model, _ in standing}
    for index, (model, pose) in enumerate(standing):
        for other, at in standing[index + 1 :]:
            gap = _gap(rule, model, pose, other, at)
            if gap is not None and gap.mm <= rule.range_mm:
                found.append(Link(models=(model.id, other.id), segment_mm=(gap.near, gap.far)))
                count[model.id] += 1
                count[other.id] += 1
    breaking = tuple(model for model, near in count.items() if near < rule.needed)
    return CoherencyLinks(links=tuple(found), breaking=breaking)


def _standing(unit: Unit) -> list[tuple[Model, Pose]]:
    return [(model, model.pose) for model in unit.models if model.pose is not None]


def _gap(rule: Coherency, model: Model, pose: Pose, other: Model, at: Pose) -> Clearance | None:
    """Return the clearance of two models, or None where they are surely out of range of each other."""
    one, two = model.placed(pose), other.placed(at)
    if abs(pose.z_mm - at.z_mm) > rule.vertical_mm or leg_floor(one, one, two) > rule.range_mm:
        return None
    return clearance(one, two)


def _of_one(rule: Coherency, unit: Unit, model: Model, pose: Pose, say: Say) -> Finding:
    """Return what the clearance to the last model that is needed comes to."""
    mine = model.placed(pose)
    level = [
        (leg_floor(mine, mine, other.placed(at)), other.id, at, other)
        for other, at in _standing(unit)
        if other.id != model.id and abs(at.z_mm - pose.z_mm) <= rule.vertical_mm
    ]
    nearest: list[tuple[float, str, Clearance, float]] = []
    for floor, other_id, at, other in sorted(level, key=lambda entry: entry[0]):
        if len(nearest) >= rule.needed and floor > nearest[rule.needed - 1][0]:
            break
        gap = clearance(mine, other.placed(at))
        nearest.append((gap.mm, other_id, gap, at.sigma_mm))
        nearest.sort(key=lambda entry: entry[0])
    if len(nearest) < rule.needed:
        alone = f"{model.id} has no {_which(rule)} model of its unit at its height"
        return Finding(
            rule=rule.rule, outcome=Outcome.ILLEGAL, subjects=(model.id,), limit_mm=rule.range_mm, text=alone
        )
    mm, other_id, gap, their_sigma = nearest[rule.needed - 1]
    length, limit = apart(say, mm, rule.range_mm)

    def text(outcome: Outcome) -> str:
        doubt = {Outcome.TOO_CLOSE: ", too close to call", Outcome.ILLEGAL: ": out of coherency"}.get(outcome, "")
        return f"{model.id} is {length} of {limit} from {other_id}, the {_which(rule)} model of its unit{doubt}"

    return measured(
        rule.rule,
        (model.id,),
        measured_mm=mm,
        limit_mm=rule.range_mm,
        margin_mm=rule.range_mm - mm,
        sigma_mm=together(pose.sigma_mm, their_sigma),
        witness_mm=(gap.near, gap.far),
        text=text,
    )


def _which(rule: Coherency) -> str:
    return {1: "nearest", 2: "second nearest"}.get(rule.needed, f"{rule.needed}th nearest")
