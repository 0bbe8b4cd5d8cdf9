"""Placement: whether there is room for the models of a unit to end a move or to be set up."""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import numpy as np
import shapely

from assistant.game.state import Model, Pose
from assistant.geometry.shapes.base_shapes import Base, Outline, Round
from assistant.geometry.shapes.convex import Array
from assistant.rules.constraints.base import Constraint, ConstraintSet
from assistant.rules.context import RuleContext
from assistant.rules.engine.end_region import Facing, find_end_region, find_region_at_level
from assistant.rules.engine.reachability import list_levels

_STEPS = 8
"""How many facings in half a turn are tried for a model that is set up."""

_RankPlaces = Callable[[Array, Array], Array]
"""How little places, (m, 2), are liked, (m,), when models stand at others, (k, 2)."""
_ListConstraints = Callable[[RuleContext], Iterable[Constraint]]


def can_end(constraints: _ListConstraints, asked: RuleContext) -> bool:
    """Return whether some model of a unit has a place to end its move, what binds the unit as a whole left aside."""
    rules = ConstraintSet(constraints(asked)).drop_unit_parts()
    limit = rules.find_way_limit()
    assert limit is not None, "a unit goes so far"
    walks = [asked.build_walk(model, model.pose) for model in asked.unit.models if model.pose is not None]
    facings: tuple[Facing, ...] = ("keep", "any")  # with the facing that it has is told sooner, and mostly enough
    return any(
        not find_end_region(rules, walk, limit.limit_mm, facing).places.is_empty for facing in facings for walk in walks
    )


def has_room(constraints: ConstraintSet, asked: RuleContext, model: Model) -> bool:
    """Return whether there is a place for a model that is set up, what binds the unit as a whole left aside."""
    rules, walk = constraints.drop_unit_parts(), asked.build_walk(model, Pose(x_mm=0.0, y_mm=0.0))
    if any(True for _ in _list_spots(rules, asked, model)):
        return True
    return not find_end_region(rules, walk, None, "any").places.is_empty


def fits_together(constraints: _ListConstraints, asked: RuleContext) -> bool:
    """Return whether a place is found for every model of a unit that is set up, one after the other.

    Each is put into a corner of what is left: near to those that stand already, or else far from them.  That this
    finds no way does not prove that there is none.
    """
    return any(_can_fill(constraints, asked, rank) for rank in (_rank_snug, _rank_spread))


def _can_fill(constraints: _ListConstraints, asked: RuleContext, rank: _RankPlaces) -> bool:
    for model in asked.unit.models:
        spots = list(_list_spots(ConstraintSet(constraints(asked)).drop_unit_parts(), asked, model))
        if not spots:
            return False
        mates = [m.pose for m in asked.state.find_unit(asked.unit.id).models if m.pose is not None]
        standing = np.array([(at.x_mm, at.y_mm) for at in mates], dtype=float).reshape(-1, 2)
        ranks = rank(np.array([(at.x_mm, at.y_mm) for at in spots]), standing)
        asked = replace(asked, scene=asked.scene.move_model(model.id, spots[int(ranks.argmin())]))
    return True


def _list_spots(rules: ConstraintSet, asked: RuleContext, model: Model) -> Iterator[Pose]:
    """Yield the corners of the places for a model that is set up, at each height and at some facings."""
    for facing_rad in _list_facings(model.base):
        walk = asked.build_walk(model, Pose(x_mm=0.0, y_mm=0.0, facing_rad=facing_rad))
        for level in list_levels(rules, walk, None):
            for x, y in shapely.get_coordinates(find_region_at_level(rules, walk, level, None)).tolist():
                yield Pose(x_mm=x, y_mm=y, facing_rad=facing_rad, z_mm=level.z_mm)


def _list_facings(base: Base) -> list[float]:
    if isinstance(base, Round):
        return [0.0]
    return [step * math.pi / _STEPS for step in range(2 * _STEPS if isinstance(base, Outline) else _STEPS)]


def _rank_snug(places: Array, standing: Array) -> Array:
    """Like places near to the middle of those that stand already."""
    middle = standing.mean(axis=0) if len(standing) else places[0]
    away: Array = ((places - middle) ** 2).sum(axis=1)
    return away


def _rank_spread(places: Array, standing: Array) -> Array:
    """Like places far from all that stands already."""
    if not len(standing):
        return np.zeros(len(places))
    away: Array = -((places[:, None] - standing) ** 2).sum(axis=2).min(axis=1)
    return away
