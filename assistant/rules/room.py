"""Whether there is room for the models of a unit to end a move or to be set up."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import shapely

from assistant.game.state import Model, Pose
from assistant.geometry.convex import Array
from assistant.geometry.shapes import Base, Outline, Round
from assistant.rules.constraints import Allowance, Coherency, Constraint, KeepOut, Near, Own, Whole
from assistant.rules.reached import levels
from assistant.rules.region import Facing, region, region_at
from assistant.rules.rulebook import Question

_STEPS = 8
"""How many facings in half a turn are tried for a model that is set up."""

_Rank = Callable[[Array, Array], Array]
"""How little places, (m, 2), are liked, (m,), when models stand at others, (k, 2)."""
_Rules = Callable[[Question], Iterable[Constraint]]


def of_one_model(constraints: Iterable[Constraint]) -> list[Constraint]:
    """Return constraints without what binds the unit as a whole, or those of its models that do not move."""
    return [_of_one(rule) for rule in constraints if not isinstance(rule, Coherency | Whole)]


def _of_one(rule: Constraint) -> Constraint:
    match rule:
        case KeepOut() | Near():
            return replace(rule, everyone=False)
        case Own():
            return Own(
                findings=rule.findings,
                on_the_way=rule.on_the_way,
                places=rule.places,
                walls=rule.walls,
                at_some_facing=rule.at_some_facing,
            )
        case _:
            return rule


def can_end(constraints: _Rules, asked: Question) -> bool:
    """Return whether some model of a unit has a place to end its move, what binds the unit as a whole left aside."""
    rules = of_one_model(constraints(asked))
    limit = next(rule.limit_mm for rule in rules if isinstance(rule, Allowance))
    walks = [asked.walk(model, model.pose) for model in asked.unit.models if model.pose is not None]
    facings: tuple[Facing, ...] = ("keep", "any")  # with the facing that it has is told sooner, and mostly enough
    return any(not region(rules, walk, limit, facing).places.is_empty for facing in facings for walk in walks)


def has_room(constraints: Sequence[Constraint], asked: Question, model: Model) -> bool:
    """Return whether there is a place for a model that is set up, what binds the unit as a whole left aside."""
    rules, walk = of_one_model(constraints), asked.walk(model, Pose(x_mm=0.0, y_mm=0.0))
    if any(True for _ in _spots(rules, asked, model)):
        return True
    return not region(rules, walk, None, "any").places.is_empty


def fits_together(constraints: _Rules, asked: Question) -> bool:
    """Return whether a place is found for every model of a unit that is set up, one after the other.

    Each is put into a corner of what is left: near to those that stand already, or else far from them.  That this
    finds no way does not prove that there is none.
    """
    return any(_filled(constraints, asked, rank) for rank in (_snug, _spread))


def _filled(constraints: _Rules, asked: Question, rank: _Rank) -> bool:
    for model in asked.unit.models:
        spots = list(_spots(of_one_model(constraints(asked)), asked, model))
        if not spots:
            return False
        mates = [m.pose for m in asked.state.unit(asked.unit.id).models if m.pose is not None]
        standing = np.array([(at.x_mm, at.y_mm) for at in mates], dtype=float).reshape(-1, 2)
        ranks = rank(np.array([(at.x_mm, at.y_mm) for at in spots]), standing)
        asked = replace(asked, scene=asked.scene.after(model.id, spots[int(ranks.argmin())]))
    return True


def _spots(rules: Sequence[Constraint], asked: Question, model: Model) -> Iterator[Pose]:
    """Yield the corners of the places for a model that is set up, at each height and at some facings."""
    for facing_rad in _facings(model.base):
        walk = asked.walk(model, Pose(x_mm=0.0, y_mm=0.0, facing_rad=facing_rad))
        for level in levels(rules, walk, None):
            for x, y in shapely.get_coordinates(region_at(rules, walk, level, None)).tolist():
                yield Pose(x_mm=x, y_mm=y, facing_rad=facing_rad, z_mm=level.z_mm)


def _facings(base: Base) -> list[float]:
    if isinstance(base, Round):
        return [0.0]
    return [step * math.pi / _STEPS for step in range(2 * _STEPS if isinstance(base, Outline) else _STEPS)]


def _snug(places: Array, standing: Array) -> Array:
    """Like places near to the middle of those that stand already."""
    middle = standing.mean(axis=0) if len(standing) else places[0]
    away: Array = ((places - middle) ** 2).sum(axis=1)
    return away


def _spread(places: Array, standing: Array) -> Array:
    """Like places far from all that stands already."""
    if not len(standing):
        return np.zeros(len(places))
    away: Array = -((places[:, None] - standing) ** 2).sum(axis=2).min(axis=1)
    return away
