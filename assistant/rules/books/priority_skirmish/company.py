"""Coherency: a status and what it brings, never an offence."""

from collections.abc import Iterable, Iterator

from assistant.game.state import Setting, Unit
from assistant.rules.books.priority_skirmish.common import mm
from assistant.rules.chain import groups
from assistant.rules.coherency import coherent
from assistant.rules.constraints import Coherency
from assistant.rules.parties import friends
from assistant.rules.rulebook import Moved, Question
from assistant.rules.ruling import outcome_of, together
from assistant.rules.scene import Scene
from assistant.rules.verdict import Effect, Outcome


def coherency(asked: Question) -> Coherency | None:
    """Return a unit's coherency, by ranges of its own if it has them; a single model has none."""
    if sum(model.pose is not None for model in asked.unit.models) < 2:
        return None
    return Coherency(
        rule="pri-20",
        range_mm=_range_mm(asked, asked.unit, "coherency_in"),
        vertical_mm=_range_mm(asked, asked.unit, "coherency_vertical_in"),
        offence=Outcome.NOTE,
    )


def _range_mm(asked: Question, unit: Unit, name: str) -> float:
    return mm(_number(unit.profile.get(name, asked.number(name))))


def _integrity(unit: Unit) -> int:
    return int(_number(unit.profile.get("integrity", 0)))


def _number(value: Setting) -> float:
    assert isinstance(value, int | float)
    return value


def benefits(moved: Moved) -> Iterator[Effect]:
    """Yield what coherency brings the unit's models once they have moved, and who is without it."""
    rule, unit, scene = coherency(moved.asked), moved.asked.unit, moved.after
    alone = scene.alone(scene.state.unit(unit.id))
    near = coherent(rule, unit, alone, alone.gaps(rule.range_mm)) if rule is not None else {}
    suffering = [(group, least) for group, least in _groups(moved) if least < 0]
    spoilt = {model for group, _ in suffering for model in group}
    glad = tuple(model for model, outcome in near.items() if outcome is Outcome.LEGAL and model not in spoilt)
    if glad and _integrity(unit) > 0:
        yield Effect(rule="pri-21", subjects=glad, effect=f"martial+{_integrity(unit)}")
    for group, least in suffering:
        yield Effect(rule="pri-22", subjects=group, effect=f"martial{least}")
    for outcome, effect in ((Outcome.ILLEGAL, "out-of-coherency"), (Outcome.TOO_CLOSE, "coherency-undecided")):
        models = tuple(model for model, found in near.items() if found is outcome)
        if models:
            yield Effect(rule="pri-23", subjects=models, effect=effect)


def _groups(moved: Moved) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield the groups of friends, of two and more, that hold a model of the unit, and their least Integrity.

    Units share a group by the longer of their ranges.
    """
    asked, scene = moved.asked, moved.after
    integrity = {
        model.id: _integrity(unit)
        for unit in scene.state.units
        if friends(asked.unit, unit)
        for model in unit.models
        if model.pose is not None
    }
    if min(integrity.values(), default=0) >= 0:
        return
    mine = {model.id for model in asked.unit.models}
    for group in groups(tuple(integrity), _links(asked, scene, integrity)):
        if len(group) > 1 and not mine.isdisjoint(group):
            yield group, min(integrity[model] for model in group)


def _links(asked: Question, scene: Scene, models: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the pairs of some models that are surely within coherency range of each other."""
    ranges = [
        tuple(_range_mm(asked, unit, name) for name in ("coherency_in", "coherency_vertical_in"))
        for unit in scene.state.units
    ]
    gaps, among = scene.gaps(max(range_mm for range_mm, _ in ranges)), set(models)
    for place, model in enumerate(scene.models):
        for gap_mm, other, _ in gaps.near[place] if model.id in among else ():
            if other > place and scene.models[other].id in among:
                one, two = scene.poses[place], scene.poses[other]
                range_mm, rise_mm = map(max, ranges[scene.owners[place]], ranges[scene.owners[other]])
                surely = outcome_of(range_mm - gap_mm, together(one.sigma_mm, two.sigma_mm)) is Outcome.LEGAL
                if surely and abs(one.z_mm - two.z_mm) <= rise_mm:
                    yield model.id, scene.models[other].id
