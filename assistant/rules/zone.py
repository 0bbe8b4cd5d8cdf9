"""Where a model may end an action: the same constraints that the verdict is given by, as a region."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import shapely

from assistant.errors import BadInput
from assistant.game.state import GameState, Pose, Setting
from assistant.geometry.regions import polygons
from assistant.rules.books import rulebook
from assistant.rules.constraints import Allowance, Constraint
from assistant.rules.reached import ERROR_MM
from assistant.rules.region import Facing, region
from assistant.rules.room import of_one_model
from assistant.rules.sequence import out_of_turn
from assistant.rules.validity import ask, check_intent, check_rolls, find_action
from assistant.rules.verdict import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Zone:
    """The places of a base's centre at which a model may end an action, or any model of a unit."""

    model: str
    """The model; of a whole unit, the unit."""
    action: str
    limit_mm: float | None
    """How far the model may go; None for an action that the unit may not choose, or where that has no meaning."""
    error_mm: float
    region: shapely.MultiPolygon


def zone(
    state: GameState,
    *,
    model: str,
    action: str,
    rolls: Sequence[int] = (),
    facing: Facing = "any",
    alone: bool = False,
    intent: Mapping[str, Setting] | None = None,
) -> Zone:
    """Return where a model may end an action, given where every other model stands now.

    A place is in the zone exactly when `judge` calls the unseen move to it legal or unobserved, up to the zone's error.

    Args:
        state: the game before the move.
        model: the model that moves.
        action: the rulebook's action.
        rolls: the dice that the action needs.
        facing: ``keep`` for the present facing; ``any`` for some facing at which the base may end there.
        alone: leave aside what binds the unit as a whole.
        intent: the rulebook's fields of the move.

    Raises:
        BadInput: there is no such model or action, or the dice are not those that it needs.

    """
    book = rulebook(state.rulebook)
    chosen = find_action(book, action, "action")
    try:
        unit = state.unit_of(model)
    except KeyError:
        raise BadInput(f'model: there is no model "{model}" in this situation') from None
    asked = ask(book, state, unit.id, "unit", rolls=rolls, intent=intent)
    check_rolls(chosen, unit, rolls, "roll")
    check_intent(book, chosen, asked, "intent")
    mover = asked.state.model(model)
    if mover.pose is None and not chosen.sets_up and not book.absent(unit):
        raise BadInput(f'model: "{model}" is not on the table')
    may = (*out_of_turn(book, chosen, asked), *chosen.may(asked))
    if any(found.outcome is not Outcome.LEGAL for found in may):
        return Zone(model=model, action=action, limit_mm=None, error_mm=ERROR_MM, region=shapely.MultiPolygon())
    asked = replace(asked, model=mover)
    each = tuple(chosen.ways(asked)) or (chosen.constraints(asked),)
    ways = [of_one_model(way) if alone else list(way) for way in each]
    # Of a model off the table, only how it is turned and how surely it will be seen counts.
    start = mover.pose or replace(state.model(model).pose or Pose(x_mm=0.0, y_mm=0.0), x_mm=0.0, y_mm=0.0, z_mm=0.0)
    limits = [None if chosen.sets_up else _limit_mm(way) for way in ways]
    walk = asked.walk(mover, start)
    found = [region(way, walk, limit, facing) for way, limit in zip(ways, limits, strict=True)]
    return Zone(
        model=model,
        action=action,
        limit_mm=None if chosen.sets_up else max(limit for limit in limits if limit is not None),
        error_mm=max(each.error_mm for each in found),
        region=polygons(shapely.union_all([each.places for each in found])) if len(found) > 1 else found[0].places,
    )


def unit_zone(
    state: GameState,
    *,
    unit: str,
    action: str,
    rolls: Sequence[int] = (),
    facing: Facing = "any",
    intent: Mapping[str, Setting] | None = None,
) -> Zone:
    """Return where any model of a unit may end an action, each by itself; arguments and errors as for `zone`."""
    try:
        models = [model.id for model in state.unit(unit).models if model.pose is not None]
    except KeyError:
        raise BadInput(f'unit: there is no unit "{unit}" in this situation') from None
    if not models:
        raise BadInput(f'unit: "{unit}" has no model on the table')
    each = [
        zone(state, model=model, action=action, rolls=rolls, facing=facing, alone=True, intent=intent)
        for model in models
    ]
    return Zone(
        model=unit,
        action=action,
        limit_mm=max((found.limit_mm for found in each if found.limit_mm is not None), default=None),
        error_mm=max(found.error_mm for found in each),
        region=polygons(shapely.union_all([found.region for found in each])),
    )


def _limit_mm(constraints: Sequence[Constraint]) -> float:
    """Return how far constraints let a model go; nowhere if they allow it no way."""
    limits = (min(rule.limit_mm, rule.sure_mm) for rule in constraints if isinstance(rule, Allowance))
    return next(limits, 0.0)
