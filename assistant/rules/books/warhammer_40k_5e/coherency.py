"""Unit coherency: whether a unit hangs together, and whether a broken one could have restored its coherency."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from weakref import WeakKeyDictionary

import shapely
from shapely.ops import nearest_points

from assistant.game.state import Model, Pose
from assistant.geometry.clearance.shape_clearance import clearance
from assistant.rules.books.warhammer_40k_5e.common import build_coherency
from assistant.rules.constraints.base import Constraint, ConstraintSet
from assistant.rules.constraints.coherency import (
    Coherency,
    check_coherency,
    find_connected_groups,
    find_linked_places,
    find_links,
)
from assistant.rules.context import RuleContext
from assistant.rules.engine.end_region import find_end_places, find_end_region
from assistant.rules.engine.reachability import ERROR_MM
from assistant.rules.engine.situation_index import SituationIndex
from assistant.rules.engine.terrain import Level
from assistant.rules.rulebook import CompletedMove
from assistant.rules.verdict import DECIDED_SIGMAS, Effect, Finding, Outcome, combine_sigmas

Ways = Sequence[Sequence[Constraint]]
"""What holds of one model's way; it keeps any of them."""


def judge_coherency(rule: Coherency, asked: RuleContext, scene: SituationIndex) -> Finding:
    """Return whether the unit hangs together in a scene."""
    unit = scene.state.find_unit(asked.unit.id)
    alone = scene.keep_unit(unit)
    return check_coherency(rule, unit, alone, alone.measure_gaps(rule.range_mm), asked.say)


def is_broken(asked: RuleContext, scene: SituationIndex) -> bool:
    """Whether the unit surely does not hang together in a scene."""
    rule = build_coherency(asked)
    return rule is not None and judge_coherency(rule, asked, scene).outcome is Outcome.ILLEGAL


def constrain_coherency(asked: RuleContext, ways: Ways, *, free: bool = True) -> Iterator[Coherency]:
    """Yield what is asked of the unit as a whole, by whether it began whole.

    Args:
        asked: about the unit.
        ways: how one of its models may move.
        free: it chooses where it goes; one that does not cannot restore its coherency.

    """
    rule = build_coherency(asked)
    if rule is None:
        return
    if not is_broken(asked, asked.scene):
        yield rule
        return
    could = free and "pinned" not in asked.unit.status and can_restore(asked, ways)
    offence = Outcome.TOO_CLOSE if could is None else Outcome.ILLEGAL if could else Outcome.LEGAL
    yield replace(rule, rule="5e-09", offence=offence)


def could_not_restore(moved: CompletedMove, ways: Ways, *, free: bool = True) -> bool:
    """Whether the unit began and ends broken, and could not have restored its coherency."""
    asked = moved.asked
    return (
        is_broken(asked, moved.after)
        and is_broken(asked, asked.scene)
        and any(rule.offence is Outcome.LEGAL for rule in constrain_coherency(asked, ways, free=free))
    )


def list_broken_unit_effects(moved: CompletedMove) -> Iterator[Effect]:
    """Yield what a unit that stays broken does not do."""
    for effect in ("cannot-shoot", "cannot-assault"):
        yield Effect(rule="5e-10", subjects=(moved.asked.unit.id,), effect=effect)


def can_restore(asked: RuleContext, ways: Ways) -> bool | None:
    """Return whether some moves would make a broken unit whole; None where that was neither found nor ruled out."""
    known = _RESTORABLE.setdefault(asked.scene, {})
    key = (asked.unit.id, *((_find_limit_mm(way), len(way)) for way in ways))
    if key not in known:
        known[key] = _search_restoration(asked, ways)
    return known[key]


_RESTORABLE: WeakKeyDictionary[SituationIndex, dict[tuple[object, ...], bool | None]] = WeakKeyDictionary()
"""What was found out for a scene: a verdict asks it of a unit's choices, its move and what follows."""


def _search_restoration(asked: RuleContext, ways: Ways) -> bool | None:
    rule = build_coherency(asked)
    assert rule is not None, "a broken unit has several models"
    if _is_too_far_apart(rule, asked, 2 * max(_find_limit_mm(way) for way in ways)):
        return False
    known = [link.models for link in find_links(rule, asked.unit, asked.scene).links]
    parts = find_connected_groups([model.id for model in asked.unit.models if model.pose is not None], known)
    return True if any(_can_gather(rule, asked, ways, part) for part in sorted(parts, key=len, reverse=True)) else None


def _find_limit_mm(way: Iterable[Constraint]) -> float:
    return max((limit.limit_mm for limit in ConstraintSet(way).list_way_limits()), default=0.0)


def _is_too_far_apart(rule: Coherency, asked: RuleContext, walked_mm: float) -> bool:
    """Whether the models would not hang together even if each pair walked so far towards each other."""
    standing = [(model, model.pose) for model in asked.unit.models if model.pose is not None]
    near = [
        (one.id, two.id)
        for (one, at), (two, there) in combinations(standing, 2)
        if clearance(one.place_base(), two.place_base()).mm
        <= rule.range_mm + walked_mm + DECIDED_SIGMAS * combine_sigmas(at.sigma_mm, there.sigma_mm)
    ]
    return len(find_connected_groups([model.id for model, _ in standing], near)) > 1


def _can_gather(rule: Coherency, asked: RuleContext, ways: Ways, part: Sequence[str]) -> bool:
    """Whether all others come to one part that stands, one by one, each going no further than it takes."""
    scene, gathered = asked.scene, list(part)
    while waiting := [m.id for m in asked.unit.models if m.pose is not None and m.id not in gathered]:
        model = min(waiting, key=lambda model: _measure_distance_mm(scene, model, gathered))
        place = _find_gathering_pose(rule, replace(asked, scene=scene), ways, model, gathered)
        if place is None:
            return False
        scene = scene.move_model(model, place)
        gathered.append(model)
    return judge_coherency(rule, asked, scene).outcome is Outcome.LEGAL


def _measure_distance_mm(scene: SituationIndex, model: str, gathered: Sequence[str]) -> float:
    mine = scene.state.find_model(model).place_base()
    return min(clearance(mine, scene.state.find_model(other).place_base()).mm for other in gathered)


_DETOUR, _AROUND_MM = 1.1, 5.0
"""How much further than straight on a model is first looked for a place: a share of the way, and some millimetres."""


def _find_gathering_pose(
    rule: Coherency, asked: RuleContext, ways: Ways, model: str, gathered: Sequence[str]
) -> Pose | None:
    """Return the nearest place that a model may surely go to and be linked to those gathered; None if none is found."""
    unit = asked.state.find_unit(asked.unit.id)
    party = replace(unit, models=tuple(m for m in unit.models if m.id in (*gathered, model)))
    mover = asked.state.find_model(model)
    at = _get_pose(mover)
    walk = replace(asked, unit=party).build_walk(mover, at)
    linked, spot = find_linked_places(rule, walk), shapely.Point(at.x_mm, at.y_mm)
    if linked.is_empty:
        return None
    near, far = list[tuple[ConstraintSet, float]](), list[tuple[ConstraintSet, float]]()
    for way in ways:
        constraints, limit_mm = ConstraintSet(way), _find_limit_mm(way)
        ends = shapely.intersection(linked, spot.buffer(limit_mm))
        ends = find_end_places(ends, constraints, walk, Level(z_mm=at.z_mm, top_of=None))
        if ends.is_empty:
            continue
        # A little further than it takes straight on is soon looked over, and mostly far enough.
        near_mm = _DETOUR * ends.distance(spot) + _AROUND_MM
        near += [(constraints, near_mm)] if near_mm < limit_mm else []
        far.append((constraints, limit_mm))
    for constraints, limit_mm in (*near, *far):
        places = find_end_region(constraints, walk, limit_mm, "keep").places
        found = shapely.buffer(shapely.intersection(places, linked), -2 * ERROR_MM)
        if not found.is_empty:
            nearest, _ = nearest_points(found, spot)
            return replace(at, x_mm=nearest.x, y_mm=nearest.y)
    return None


def _get_pose(model: Model) -> Pose:
    assert model.pose is not None
    return model.pose
