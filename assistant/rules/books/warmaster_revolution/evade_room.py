"""Room to evade: whether there is anywhere that a unit could evade to; if not, it cannot (wm-54)."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from assistant.geometry.clearance.shape_clearance import Point
from assistant.rules.books.warmaster_revolution.evade import list_closest_stands
from assistant.rules.books.warmaster_revolution.initiative import list_evadable_enemies
from assistant.rules.books.warmaster_revolution.parties import is_same_unit
from assistant.rules.constraints.base import Constraint, ConstraintSet
from assistant.rules.constraints.keep_out import KeepOut
from assistant.rules.context import RuleContext
from assistant.rules.engine.end_region import Facing, find_end_region
from assistant.rules.engine.situation_index import index_situation
from assistant.rules.engine.walk import Walk
from assistant.rules.verdict import BREACHES, Outcome

_SHARES = (0.999, 0.75, 0.5, 0.25)
"""Of full pace: where it is looked first whether a unit can stand as it stands now."""


def can_evade(constraints: Callable[[RuleContext], Iterable[Constraint]], asked: RuleContext) -> bool:
    """Return whether a unit has places to evade to: one straight away for a closest stand, and one for each other.

    What binds the unit as a whole is left aside, and so are its own stands, which move as well: that each has a place
    does not prove that all together have.

    Args:
        constraints: what is asked of an evade.
        asked: the unit; where its move names no enemy, any that it might evade from will do.

    """
    foes = list_evadable_enemies(asked)
    settings = (_build_plain_question(asked, foe) for foe in foes)
    return not foes or any(_can_evade_from(constraints, plain) for plain in settings)


def _build_plain_question(asked: RuleContext, foe: str) -> RuleContext:
    """Return what is asked about an evade from an enemy, no move being judged and every place taken as measured."""
    scene = asked.scene
    if scene.sigmas_mm.any():
        poses = zip(scene.models, scene.poses, strict=True)
        still = scene.state.place_models({model.id: replace(pose, sigma_mm=0.0) for model, pose in poses})
        scene = index_situation(still)
    unit = scene.state.find_unit(asked.unit.id)
    return replace(asked, scene=scene, unit=unit, intent={**asked.intent, "toward": foe}, paths=None, detail=BREACHES)


def _can_evade_from(constraints: Callable[[RuleContext], Iterable[Constraint]], asked: RuleContext) -> bool:
    closest = list_closest_stands(asked)
    if not closest:
        return True
    rules = ConstraintSet(
        each
        for each in ConstraintSet(constraints(asked)).drop_unit_parts()
        if not isinstance(each, KeepOut) or each.parties is not is_same_unit
    )
    if any(_can_shift(rules, asked, each.way) for each in closest):
        return True
    first = {each.stand for each in closest}
    walks = {model.id: asked.build_walk(model, model.pose) for model in asked.unit.models if model.pose is not None}
    return any(_has_place(rules, walks[stand]) for stand in first) and all(
        _has_place(rules, walk) for stand, walk in walks.items() if stand not in first
    )


def _can_shift(rules: ConstraintSet, asked: RuleContext, way: Point) -> bool:
    """Return whether all stands can go straight away by the same length."""
    table, limit = asked.state.table, rules.find_way_limit()
    assert limit is not None, "a unit goes so far"
    standing = [(model, model.pose) for model in asked.unit.models if model.pose is not None]
    for mm in (share * limit.limit_mm for share in _SHARES):
        moved = [
            (model, at, replace(at, x_mm=at.x_mm + mm * way[0], y_mm=at.y_mm + mm * way[1])) for model, at in standing
        ]
        if all(0 <= to.x_mm <= table.width_mm and 0 <= to.y_mm <= table.depth_mm for _, _, to in moved) and all(
            finding.outcome in {Outcome.LEGAL, Outcome.NOTE}
            for model, at, to in moved
            for rule in rules
            for finding in rule.check(asked.build_walk(model, at, to, observed=True), rules)
        ):
            return True
    return False


def _has_place(rules: ConstraintSet, walk: Walk) -> bool:
    limit = rules.find_way_limit()
    assert limit is not None, "a unit goes so far"
    facings: tuple[Facing, ...] = ("keep", "any")
    return any(not find_end_region(rules, walk, limit.limit_mm, facing).places.is_empty for facing in facings)
