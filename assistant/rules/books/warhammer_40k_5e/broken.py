"""Broken units: whether a unit hangs together, and whether one that does not could have come together again."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from weakref import WeakKeyDictionary

import shapely
from shapely.ops import nearest_points

from assistant.game.state import Model, Pose
from assistant.geometry.clearance import clearance
from assistant.rules.books.warhammer_40k_5e.common import chain
from assistant.rules.bounds import linked_places
from assistant.rules.chain import groups
from assistant.rules.coherency import coherency_finding, links
from assistant.rules.constraints import Allowance, Coherency, Constraint
from assistant.rules.reached import ERROR_MM
from assistant.rules.region import region
from assistant.rules.rulebook import Moved, Question
from assistant.rules.ruling import DECIDED_SIGMAS, together
from assistant.rules.scene import Scene
from assistant.rules.verdict import Effect, Finding, Outcome

Ways = Sequence[Sequence[Constraint]]
"""What holds of one model's way; it keeps any of them."""


def as_it_stands(rule: Coherency, asked: Question, scene: Scene) -> Finding:
    """Return whether the unit hangs together in a scene."""
    unit = scene.state.unit(asked.unit.id)
    alone = scene.alone(unit)
    return coherency_finding(rule, unit, alone, alone.gaps(rule.range_mm), asked.say)


def is_broken(asked: Question, scene: Scene) -> bool:
    """Whether the unit surely does not hang together in a scene."""
    rule = chain(asked)
    return rule is not None and as_it_stands(rule, asked, scene).outcome is Outcome.ILLEGAL


def coherent(asked: Question, ways: Ways, *, free: bool = True) -> Iterator[Coherency]:
    """Yield what is asked of the unit as a whole, by whether it began whole.

    Args:
        asked: about the unit.
        ways: how one of its models may move.
        free: it chooses where it goes; one that does not cannot restore its coherency.

    """
    rule = chain(asked)
    if rule is None:
        return
    if not is_broken(asked, asked.scene):
        yield rule
        return
    could = free and "pinned" not in asked.unit.status and can_restore(asked, ways)
    offence = Outcome.TOO_CLOSE if could is None else Outcome.ILLEGAL if could else Outcome.LEGAL
    yield replace(rule, rule="5e-09", offence=offence)


def could_not(moved: Moved, ways: Ways, *, free: bool = True) -> bool:
    """Whether the unit began and ends broken, and could not have restored its coherency."""
    asked = moved.asked
    return (
        is_broken(asked, moved.after)
        and is_broken(asked, asked.scene)
        and any(rule.offence is Outcome.LEGAL for rule in coherent(asked, ways, free=free))
    )


def silenced(moved: Moved) -> Iterator[Effect]:
    """Yield what a unit that stays broken does not do."""
    for effect in ("cannot-shoot", "cannot-assault"):
        yield Effect(rule="5e-10", subjects=(moved.asked.unit.id,), effect=effect)


def can_restore(asked: Question, ways: Ways) -> bool | None:
    """Return whether some moves would make a broken unit whole; None where that was neither found nor ruled out."""
    known = _KNOWN.setdefault(asked.scene, {})
    key = (asked.unit.id, *((_limit_mm(way), len(way)) for way in ways))
    if key not in known:
        known[key] = _can_restore(asked, ways)
    return known[key]


_KNOWN: WeakKeyDictionary[Scene, dict[tuple[object, ...], bool | None]] = WeakKeyDictionary()
"""What was found out for a scene: a verdict asks it of a unit's choices, its move and what follows."""


def _can_restore(asked: Question, ways: Ways) -> bool | None:
    rule = chain(asked)
    assert rule is not None, "a broken unit has several models"
    if _too_far_apart(rule, asked, 2 * max(_limit_mm(way) for way in ways)):
        return False
    known = [link.models for link in links(rule, asked.unit, asked.scene).links]
    parts = groups([model.id for model in asked.unit.models if model.pose is not None], known)
    return True if any(_gathers(rule, asked, ways, part) for part in sorted(parts, key=len, reverse=True)) else None


def _limit_mm(way: Iterable[Constraint]) -> float:
    return max((rule.limit_mm for rule in way if isinstance(rule, Allowance)), default=0.0)


def _too_far_apart(rule: Coherency, asked: Question, walked_mm: float) -> bool:
    """Whether the models would not hang together even if each pair walked so far towards each other."""
    standing = [(model, model.pose) for model in asked.unit.models if model.pose is not None]
    near = [
        (one.id, two.id)
        for (one, at), (two, there) in combinations(standing, 2)
        if clearance(one.placed(), two.placed()).mm
        <= rule.range_mm + walked_mm + DECIDED_SIGMAS * together(at.sigma_mm, there.sigma_mm)
    ]
    return len(groups([model.id for model, _ in standing], near)) > 1


def _gathers(rule: Coherency, asked: Question, ways: Ways, part: Sequence[str]) -> bool:
    """Whether all others come to one part that stands, one by one, each going no further than it takes."""
    scene, gathered = asked.scene, list(part)
    while waiting := [m.id for m in asked.unit.models if m.pose is not None and m.id not in gathered]:
        model = min(waiting, key=lambda model: _apart_mm(scene, model, gathered))
        place = _place(rule, replace(asked, scene=scene), ways, model, gathered)
        if place is None:
            return False
        scene = scene.after(model, place)
        gathered.append(model)
    return as_it_stands(rule, asked, scene).outcome is Outcome.LEGAL


def _apart_mm(scene: Scene, model: str, gathered: Sequence[str]) -> float:
    mine = scene.state.model(model).placed()
    return min(clearance(mine, scene.state.model(other).placed()).mm for other in gathered)


def _place(rule: Coherency, asked: Question, ways: Ways, model: str, gathered: Sequence[str]) -> Pose | None:
    """Return the nearest place that a model may surely go to and be linked to those gathered; None if none is found."""
    unit = asked.state.unit(asked.unit.id)
    near = replace(unit, models=tuple(m for m in unit.models if m.id in (*gathered, model)))
    mover = asked.state.model(model)
    at = _standing(mover)
    walk = replace(asked, unit=near).walk(mover, at)
    linked = linked_places(rule, walk)
    if linked.is_empty:
        return None
    for way in ways:
        places = region(way, walk, _limit_mm(way), "keep").places
        found = shapely.buffer(shapely.intersection(places, linked), -2 * ERROR_MM)
        if not found.is_empty:
            spot, _ = nearest_points(found, shapely.Point(at.x_mm, at.y_mm))
            return replace(at, x_mm=spot.x, y_mm=spot.y)
    return None


def _standing(model: Model) -> Pose:
    assert model.pose is not None
    return model.pose
