"""Unit coherency: a status and what it brings, never an offence."""

from collections.abc import Iterable, Iterator

from assistant.game.state import Setting, Unit
from assistant.rules.books.priority_skirmish.common import mm_from_inches
from assistant.rules.constraints.coherency import Coherency, find_connected_groups, rate_models
from assistant.rules.context import RuleContext
from assistant.rules.engine.situation_index import SituationIndex
from assistant.rules.rulebook import CompletedMove
from assistant.rules.selectors import is_friend
from assistant.rules.verdict import Effect, Outcome, combine_sigmas, decide_outcome


def build_coherency(asked: RuleContext) -> Coherency | None:
    """Return a unit's coherency, by ranges of its own if it has them; a single model has none."""
    if sum(model.pose is not None for model in asked.unit.models) < 2:
        return None
    return Coherency(
        rule="pri-20",
        range_mm=_get_range_mm(asked, asked.unit, "coherency_in"),
        vertical_mm=_get_range_mm(asked, asked.unit, "coherency_vertical_in"),
        offence=Outcome.NOTE,
    )


def _get_range_mm(asked: RuleContext, unit: Unit, name: str) -> float:
    return mm_from_inches(_expect_number(unit.profile.get(name, asked.read_number(name))))


def _get_integrity(unit: Unit) -> int:
    return int(_expect_number(unit.profile.get("integrity", 0)))


def _expect_number(value: Setting) -> float:
    assert isinstance(value, int | float)
    return value


def list_coherency_effects(moved: CompletedMove) -> Iterator[Effect]:
    """Yield what coherency brings the unit's models once they have moved, and who is without it."""
    rule, unit, scene = build_coherency(moved.asked), moved.asked.unit, moved.after
    alone = scene.keep_unit(scene.state.find_unit(unit.id))
    near = rate_models(rule, unit, alone, alone.measure_gaps(rule.range_mm)) if rule is not None else {}
    suffering = [(group, least) for group, least in _list_friendly_groups(moved) if least < 0]
    spoilt = {model for group, _ in suffering for model in group}
    glad = tuple(model for model, outcome in near.items() if outcome is Outcome.LEGAL and model not in spoilt)
    if glad and _get_integrity(unit) > 0:
        yield Effect(rule="pri-21", subjects=glad, effect=f"martial+{_get_integrity(unit)}")
    for group, least in suffering:
        yield Effect(rule="pri-22", subjects=group, effect=f"martial{least}")
    for outcome, effect in ((Outcome.ILLEGAL, "out-of-coherency"), (Outcome.TOO_CLOSE, "coherency-undecided")):
        models = tuple(model for model, found in near.items() if found is outcome)
        if models:
            yield Effect(rule="pri-23", subjects=models, effect=effect)


def _list_friendly_groups(moved: CompletedMove) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield the groups of friends, of two and more, that hold a model of the unit, and their least Integrity.

    Units share a group by the longer of their ranges.
    """
    asked, scene = moved.asked, moved.after
    integrity = {
        model.id: _get_integrity(unit)
        for unit in scene.state.units
        if is_friend(asked.unit, unit)
        for model in unit.models
        if model.pose is not None
    }
    if min(integrity.values(), default=0) >= 0:
        return
    mine = {model.id for model in asked.unit.models}
    for group in find_connected_groups(tuple(integrity), _list_coherency_links(asked, scene, integrity)):
        if len(group) > 1 and not mine.isdisjoint(group):
            yield group, min(integrity[model] for model in group)


def _list_coherency_links(
    asked: RuleContext, scene: SituationIndex, models: Iterable[str]
) -> Iterator[tuple[str, str]]:
    """Yield the pairs of some models that are surely within coherency range of each other."""
    ranges = [
        tuple(_get_range_mm(asked, unit, name) for name in ("coherency_in", "coherency_vertical_in"))
        for unit in scene.state.units
    ]
    gaps, among = scene.measure_gaps(max(range_mm for range_mm, _ in ranges)), set(models)
    for place, model in enumerate(scene.models):
        for gap_mm, other, _ in gaps.list_near(place) if model.id in among else ():
            if other > place and scene.models[other].id in among:
                one, two = scene.poses[place], scene.poses[other]
                range_mm, rise_mm = map(max, ranges[scene.owners[place]], ranges[scene.owners[other]])
                surely = decide_outcome(range_mm - gap_mm, combine_sigmas(one.sigma_mm, two.sigma_mm)) is Outcome.LEGAL
                if surely and abs(one.z_mm - two.z_mm) <= rise_mm:
                    yield model.id, scene.models[other].id
