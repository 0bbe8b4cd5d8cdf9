"""Unit coherency: whether a unit hangs together, and whether a broken one could have restored its coherency."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from weakref import WeakKeyDictionary

import shapely
from shapely.geometry.base import BaseGeometry
from shapely.ops import nearest_points

from assistant.game.state import Model, Pose
from assistant.geometry.clearance.shape_clearance import bound_clearance_mm, clearance
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
from assistant.rules.engine.walk import Walk
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
    waiting = [model.id for model in asked.unit.models if model.pose is not None and model.id not in gathered]
    away_mm = {model: _measure_distance_mm(scene, model, gathered) for model in waiting}
    while away_mm:
        model = min(away_mm, key=away_mm.__getitem__)
        place = _find_gathering_pose(rule, replace(asked, scene=scene), ways, model, gathered)
        if place is None:
            return False
        scene = scene.move_model(model, place)
        gathered.append(model)
        del away_mm[model]
        away_mm = {other: min(mm, _measure_distance_mm(scene, other, [model])) for other, mm in away_mm.items()}
    return judge_coherency(rule, asked, scene).outcome is Outcome.LEGAL


def _measure_distance_mm(scene: SituationIndex, model: str, gathered: Sequence[str]) -> float:
    mine = scene.state.find_model(model).place_base()
    others = [scene.state.find_model(other).place_base() for other in gathered]
    least_mm = math.inf
    for floor_mm, at in sorted((bound_clearance_mm(mine, other), at) for at, other in enumerate(others)):
        if floor_mm < least_mm:
            least_mm = min(least_mm, clearance(mine, others[at]).mm)
    return least_mm


_DETOUR, _AROUND_MM = 1.1, 5.0
"""How much further than straight on a model is first looked for a place: a share of the way, and some millimetres."""
_ROUND = 0.99
"""A circle drawn by chords holds all that is so much of its radius from its middle."""


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
    for constraints, limit_mm in _list_attempts(ways, walk, linked, spot):
        places = find_end_region(constraints, walk, limit_mm, "keep").places
        found = shapely.buffer(shapely.intersection(places, linked), -2 * ERROR_MM)
        if not found.is_empty:
            nearest, _ = nearest_points(found, spot)
            return replace(at, x_mm=nearest.x, y_mm=nearest.y)
    return None


def _list_attempts(
    ways: Ways, walk: Walk, linked: BaseGeometry, spot: shapely.Point
) -> Iterator[tuple[ConstraintSet, float]]:
    """Yield how a model is let go how far: first a little further than it takes straight on, which is mostly enough."""
    far = list[tuple[ConstraintSet, float]]()
    for way in ways:
        constraints, limit_mm = ConstraintSet(way), _find_limit_mm(way)
        straight_mm = _measure_straight_mm(constraints, walk, linked, spot, limit_mm)
        if straight_mm is not None:
            far.append((constraints, limit_mm))
            if _DETOUR * straight_mm + _AROUND_MM < limit_mm:
                yield constraints, _DETOUR * straight_mm + _AROUND_MM
    yield from far


def _measure_straight_mm(
    constraints: ConstraintSet, walk: Walk, linked: BaseGeometry, spot: shapely.Point, limit_mm: float
) -> float | None:
    """Return how far it is straight on to where a model may end and is linked; None if that is nowhere in a limit."""
    within_mm = min(_DETOUR * linked.distance(spot) + _AROUND_MM, limit_mm)
    while True:
        ends = shapely.intersection(linked, spot.buffer(within_mm))
        ends = find_end_places(ends, constraints, walk, Level(z_mm=walk.end.z_mm, top_of=None))
        straight_mm = math.inf if ends.is_empty else ends.distance(spot)
        if straight_mm < _ROUND * within_mm:
            return straight_mm
        if within_mm >= limit_mm:
            return None if ends.is_empty else straight_mm
        within_mm = min(2 * within_mm, limit_mm)


def _get_pose(model: Model) -> Pose:
    assert model.pose is not None
    return model.pose
