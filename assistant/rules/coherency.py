"""Unit coherency: which models are near enough to each other, and which break it."""

import math
from dataclasses import dataclass, replace

from assistant.game.state import Unit
from assistant.rules.chain import breaking, chain_finding
from assistant.rules.constraints import Coherency
from assistant.rules.ruling import measured, outcome_of, together
from assistant.rules.scene import Gaps, Scene
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
    """Models with too few links, or outside the greatest part of what should be one chain."""


_Near = tuple[float, int, int]
"""Another model as `Gaps` keeps it: its clearance, its place in the scene, and where the measured points are."""


def coherency_finding(rule: Coherency, unit: Unit, scene: Scene, gaps: Gaps, say: Say) -> Finding:
    """Return whether a unit is coherent as it stands; the subjects are the models that break it, in their order."""
    if rule.chain:
        return _noted(rule, chain_finding(rule, _standing(unit), scene, gaps, say))
    ranks = _ranks(rule, unit, scene, gaps)
    assert ranks, "a unit of which a coherency is asked has models on the table"
    worst = min(ranks, key=lambda model: ranks[model][0])
    found = _of_one(rule, scene, (scene.index[worst], ranks[worst][1]), gaps, say)
    if found.outcome is Outcome.LEGAL:
        return found
    alike = tuple(model for model, (rank, _) in ranks.items() if rank[0] == ranks[worst][0][0])
    others = [model for model in alike if model != worst]
    more = f"; so {'are' if len(others) > 1 else 'is'} {', '.join(others)}" if others else ""
    return _noted(rule, replace(found, subjects=alike, text=found.text + more))


def coherent(rule: Coherency, unit: Unit, scene: Scene, gaps: Gaps) -> dict[str, Outcome]:
    """Return how surely each model of a unit that is on the table is near to as many others as it needs."""
    return {model: _ORDER[rank[0]] for model, (rank, _) in _ranks(rule, unit, scene, gaps).items()}


def _noted(rule: Coherency, found: Finding) -> Finding:
    """Return a finding as what being out of coherency comes to."""
    if found.outcome is Outcome.LEGAL or rule.offence is Outcome.ILLEGAL:
        return found
    if rule.offence is not Outcome.TOO_CLOSE:
        return replace(found, outcome=rule.offence)
    if found.outcome is Outcome.TOO_CLOSE:
        return found
    text = f"{found.text}, and too close to call whether that is an offence"
    return replace(found, outcome=Outcome.TOO_CLOSE, margin_mm=None, sigma_mm=None, p_legal=None, text=text)


def links(rule: Coherency, unit: Unit, scene: Scene) -> CoherencyLinks:
    """Return the links between a unit's models and the models that have too few of them."""
    alone = scene.alone(unit)
    gaps = alone.gaps(rule.range_mm)
    found, few = list[Link](), list[str]()
    for place, model in enumerate(alone.models):
        level = [entry for entry in gaps.near[place] if _level(rule, alone, place, entry[1])]
        near = [entry for entry in level if entry[0] <= rule.range_mm]
        if len(near) < rule.needed and not rule.chain:
            few.append(model.id)
        for mm, other, pair in near:
            if place < other:
                gap = gaps.clearance(mm, pair)
                found.append(Link(models=(model.id, alone.models[other].id), segment_mm=(gap.near, gap.far)))
    if rule.chain:
        return CoherencyLinks(links=tuple(found), breaking=breaking(_standing(unit), (link.models for link in found)))
    return CoherencyLinks(links=tuple(found), breaking=tuple(few))


def _standing(unit: Unit) -> list[str]:
    return [model.id for model in unit.models if model.pose is not None]


def _level(rule: Coherency, scene: Scene, one: int, other: int) -> bool:
    return abs(scene.poses[other].z_mm - scene.poses[one].z_mm) <= rule.vertical_mm


def _last_needed(rule: Coherency, unit: Unit, scene: Scene, gaps: Gaps) -> list[_Near | None]:
    """Return for each model of a unit the last of the nearest others of the unit that it needs, at its height."""
    found: list[_Near | None] = []
    for model in _standing(unit):
        place, left, last = scene.index[model], rule.needed, None
        owner = scene.owners[place]
        for entry in gaps.near[place]:
            if scene.owners[entry[1]] == owner and _level(rule, scene, place, entry[1]):
                left -= 1
                if left == 0:
                    last = entry
                    break
        found.append(last)
    return found


def _ranks(rule: Coherency, unit: Unit, scene: Scene, gaps: Gaps) -> dict[str, tuple[tuple[int, float], _Near | None]]:
    """Return how grave each model's place is, and the last of the others that it needs, by id."""
    last = _last_needed(rule, unit, scene, gaps)
    standing = zip(_standing(unit), last, strict=True)
    return {model: (_rank(rule, scene, scene.index[model], other), other) for model, other in standing}


def _rank(rule: Coherency, scene: Scene, place: int, last: _Near | None) -> tuple[int, float]:
    """Return how grave it is that a model is as far from the others as it is: less is graver."""
    if last is None:
        return 0, -math.inf
    margin = rule.range_mm - last[0]
    outcome = outcome_of(margin, together(scene.poses[place].sigma_mm, scene.poses[last[1]].sigma_mm))
    return _ORDER.index(outcome), margin


_ORDER = list(Outcome)


def _of_one(rule: Coherency, scene: Scene, found: tuple[int, _Near | None], gaps: Gaps, say: Say) -> Finding:
    """Return what the clearance to the last model that one model needs comes to."""
    place, last = found
    model, pose = scene.models[place].id, scene.poses[place]
    if last is None:
        alone = f"{model} has no {_which(rule)} model of its unit at its height"
        return Finding(rule=rule.rule, outcome=Outcome.ILLEGAL, subjects=(model,), limit_mm=rule.range_mm, text=alone)
    mm, at, pair = last
    other, gap = scene.models[at].id, gaps.clearance(mm, pair)
    length, limit = apart(say, max(mm, 0.0), rule.range_mm)

    def text(outcome: Outcome) -> str:
        apart_from = f"{model} is {length} from {other}, the {_which(rule)} model of its unit"
        match outcome:
            case Outcome.LEGAL:
                return f"{apart_from}, within {limit}"
            case Outcome.TOO_CLOSE:
                return f"{apart_from}, too near to {limit} to call"
            case _:
                return f"{apart_from}, more than {limit}: {rule.broken}"

    return measured(
        rule.rule,
        (model,),
        measured_mm=mm,
        limit_mm=rule.range_mm,
        margin_mm=rule.range_mm - mm,
        sigma_mm=together(pose.sigma_mm, scene.poses[at].sigma_mm),
        witness_mm=(gap.near, gap.far),
        text=text,
    )


def _which(rule: Coherency) -> str:
    return {1: "nearest", 2: "second nearest"}.get(rule.needed, f"{rule.needed}th nearest")
