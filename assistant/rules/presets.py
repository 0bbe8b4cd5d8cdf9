"""Presets: the constraints that most rulebooks ask for, and whom the fields of a move usually name.

Fields name models or units of one side; the nearest are offered first.
"""

from collections.abc import Sequence

import numpy as np

from assistant.game.state import Model
from assistant.geometry.clearance.pairwise import measure_pairs
from assistant.geometry.clearance.shape_arrays import build_shape_arrays
from assistant.rules.constraints.allowance import Allowance, Pivot
from assistant.rules.constraints.keep_out import KeepOut
from assistant.rules.constraints.terrain_cost import TerrainCost
from assistant.rules.context import RuleContext
from assistant.rules.rulebook import NameChoices
from assistant.rules.selectors import UnitSelector, is_enemy


def forbid_crossing(rule: str, party: UnitSelector, level_mm: float, *, leaving: bool = True) -> KeepOut:
    """Return that certain models are not moved across; one who starts on one may leave it."""
    return KeepOut(
        rule=rule,
        parties=party,
        range_mm=0.0,
        vertical_mm=level_mm,
        on_the_way=True,
        name="across",
        leaving=leaving,
    )


def forbid_ending_on_top(rule: str, party: UnitSelector, level_mm: float) -> KeepOut:
    """Return that nobody ends on top of certain models."""
    return KeepOut(rule=rule, parties=party, range_mm=0.0, vertical_mm=level_mm, on_the_way=False, name="on top of")


def define_base_contact(
    rule: str,
    party: UnitSelector,
    range_mm: float,
    level_mm: float,
    *,
    on_the_way: bool = False,
    name: str = "base contact",
) -> KeepOut:
    """Return being in contact with certain models as a keep-out: exactly at the range is contact."""
    return KeepOut(
        rule=rule,
        parties=party,
        range_mm=range_mm,
        vertical_mm=level_mm,
        on_the_way=on_the_way,
        name=name,
        at_limit=False,
        leaving=on_the_way,
    )


def limit_centre_way(rule: str, limit_mm: float, costs: tuple[TerrainCost, ...] = ()) -> Allowance:
    """Return a greatest length of the way of a base's centre: turning is free."""
    return Allowance(rule=rule, limit_mm=limit_mm, pivot=Pivot.FREE, pivot_mm=0.0, costs=costs)


def offer_models_of(party: UnitSelector, *, word: str) -> NameChoices:
    """Return a party's models as names; those that stand on the table are offered, the nearest first."""
    return NameChoices(
        word=word,
        among=lambda asked: (model.id for unit, model in asked.state.iterate_models() if party(asked.unit, unit)),
        offered=lambda asked: [model.id for model in _sort_by_clearance(party, asked)],
    )


def offer_units_of(party: UnitSelector, *, word: str) -> NameChoices:
    """Return a party's units as names; those with a model on the table are offered, the nearest first."""
    return NameChoices(
        word=word,
        among=lambda asked: (unit.id for unit in asked.state.units if party(asked.unit, unit)),
        offered=lambda asked: dict.fromkeys(
            asked.state.find_unit_of(model.id).id for model in _sort_by_clearance(party, asked)
        ),
    )


def _sort_by_clearance(party: UnitSelector, asked: RuleContext) -> Sequence[Model]:
    """Return a party's models, but for the unit's own, by their clearance from the nearest of the unit's models."""
    mine = [model for model in asked.unit.models if model.pose is not None]
    theirs = [
        model
        for unit, model in asked.state.iterate_models()
        if unit.id != asked.unit.id and party(asked.unit, unit) and model.pose is not None
    ]
    if not mine or not theirs:
        return theirs
    first, second = np.divmod(np.arange(len(mine) * len(theirs)), len(theirs))
    standing = build_shape_arrays([model.place_base() for model in (*mine, *theirs)])
    gaps_mm = measure_pairs(standing, first, second + len(mine)).mm.reshape(len(mine), -1).min(axis=0)
    return [theirs[at] for at in np.argsort(gaps_mm, kind="stable")]


ENEMY_MODELS = offer_models_of(is_enemy, word="enemy model")
ENEMY_UNITS = offer_units_of(is_enemy, word="enemy unit")
