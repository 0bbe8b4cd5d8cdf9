"""Coherency as one chain: all models of a unit hang together by links of two that are near enough to each other."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assistant.geometry.clearance import Clearance
from assistant.rules.constraints import Coherency
from assistant.rules.ruling import measured, outcome_of, together
from assistant.rules.scene import Gaps, Scene
from assistant.rules.verdict import Finding, Outcome
from assistant.rules.words import Say, apart

Groups = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    """Two models of the unit that are on one level."""

    models: tuple[str, str]
    gap: Clearance
    sigma_mm: float
    outcome: Outcome
    """Whether they are near enough."""


def chain_finding(rule: Coherency, models: Sequence[str], scene: Scene, gaps: Gaps, say: Say) -> Finding:
    """Return whether a unit's models are one chain; the subjects are those outside its greatest part.

    What is measured is the longest of the links that it takes to join all models by links as short as can be.
    """
    pairs = sorted(_pairs(rule, models, scene, gaps), key=lambda pair: pair.gap.mm)
    sure = [pair.models for pair in pairs if pair.outcome is Outcome.LEGAL]
    known = [pair.models for pair in pairs if pair.outcome is not Outcome.ILLEGAL]
    outcome = (
        Outcome.LEGAL
        if len(groups(models, sure)) == 1
        else Outcome.TOO_CLOSE
        if len(groups(models, known)) == 1
        else Outcome.ILLEGAL
    )
    longest = _longest(models, pairs)
    if longest is None:
        text = f"{', '.join(models)} cannot be linked: they stand at different heights"
        return Finding(
            rule=rule.rule, outcome=Outcome.ILLEGAL, subjects=tuple(models), limit_mm=rule.range_mm, text=text
        )
    shorter = [pair.models for pair in pairs if pair.gap.mm < longest.gap.mm]
    links = {Outcome.LEGAL: shorter, Outcome.TOO_CLOSE: sure, Outcome.ILLEGAL: known}[outcome]
    return measured(
        rule.rule,
        _outside(models, groups(models, links)),
        measured_mm=longest.gap.mm,
        limit_mm=rule.range_mm,
        margin_mm=rule.range_mm - longest.gap.mm,
        sigma_mm=longest.sigma_mm,
        witness_mm=(longest.gap.near, longest.gap.far),
        text=lambda found: _text(rule, longest, say, found),
    )


def groups(models: Sequence[str], links: Iterable[tuple[str, str]]) -> Groups:
    """Return the parts into which links join models, in the order of the models."""
    part = {model: model for model in models}
    for one, two in links:
        mine, theirs = part[one], part[two]
        if mine != theirs:
            part = {model: mine if of == theirs else of for model, of in part.items()}
    return tuple(tuple(model for model in models if part[model] == of) for of in dict.fromkeys(part.values()))


def breaking(models: Sequence[str], links: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return the models that break a chain: none if links join all of them."""
    parts = groups(models, links)
    return _outside(models, parts) if len(parts) > 1 else ()


def _outside(models: Sequence[str], parts: Groups) -> tuple[str, ...]:
    """Return the models outside the greatest part; all of them if none is the greatest."""
    sizes = sorted((len(part) for part in parts), reverse=True)
    if len(sizes) > 1 and sizes[0] == sizes[1]:
        return tuple(models)
    greatest = max(parts, key=len)
    return tuple(model for model in models if model not in greatest) or tuple(models)


def _pairs(rule: Coherency, models: Sequence[str], scene: Scene, gaps: Gaps) -> Iterable[_Pair]:
    mine = {scene.index[model] for model in models}
    for place in mine:
        for mm, other, pair in gaps.near[place]:
            one, two = scene.poses[place], scene.poses[other]
            if other > place and other in mine and abs(one.z_mm - two.z_mm) <= rule.vertical_mm:
                sigma = together(one.sigma_mm, two.sigma_mm)
                yield _Pair(
                    models=(scene.models[place].id, scene.models[other].id),
                    gap=gaps.clearance(mm, pair),
                    sigma_mm=sigma,
                    outcome=outcome_of(rule.range_mm - mm, sigma),
                )


def _longest(models: Sequence[str], pairs: Sequence[_Pair]) -> _Pair | None:
    """Return the longest of the shortest links that join all models, the pairs being in order; None if none do."""
    part, left = {model: model for model in models}, len(models) - 1
    for pair in pairs:
        mine, theirs = (part[model] for model in pair.models)
        if mine != theirs:
            part, left = {model: mine if of == theirs else of for model, of in part.items()}, left - 1
            if left == 0:
                return pair
    return None


def _text(rule: Coherency, longest: _Pair, say: Say, outcome: Outcome) -> str:
    length, limit = apart(say, max(longest.gap.mm, 0.0), rule.range_mm)
    link = f"the longest link of the chain, from {longest.models[0]} to {longest.models[1]}, is {length}"
    match outcome:
        case Outcome.LEGAL:
            return f"{link}, within {limit}"
        case Outcome.TOO_CLOSE:
            return f"{link}, too near to {limit} to call"
        case _:
            return f"{link}, more than {limit}: {rule.broken}"
