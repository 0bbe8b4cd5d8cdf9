"""Whom the fields of a move usually name: models or units of a party, the nearest first."""

from collections.abc import Sequence

import numpy as np

from assistant.game.state import Model
from assistant.geometry.pairs import clearances
from assistant.geometry.standing import stand
from assistant.rules.parties import Party, enemies
from assistant.rules.rulebook import Names, Question


def models_of(party: Party, *, word: str) -> Names:
    """Return a party's models as names; those that stand on the table are offered, the nearest first."""
    return Names(
        word=word,
        among=lambda asked: (model.id for unit, model in asked.state.models() if party(asked.unit, unit)),
        offered=lambda asked: [model.id for model in _nearest(party, asked)],
    )


def units_of(party: Party, *, word: str) -> Names:
    """Return a party's units as names; those with a model on the table are offered, the nearest first."""
    return Names(
        word=word,
        among=lambda asked: (unit.id for unit in asked.state.units if party(asked.unit, unit)),
        offered=lambda asked: dict.fromkeys(asked.state.unit_of(model.id).id for model in _nearest(party, asked)),
    )


def _nearest(party: Party, asked: Question) -> Sequence[Model]:
    """Return a party's models, but for the unit's own, by their clearance from the nearest of the unit's models."""
    mine = [model for model in asked.unit.models if model.pose is not None]
    theirs = [
        model
        for unit, model in asked.state.models()
        if unit.id != asked.unit.id and party(asked.unit, unit) and model.pose is not None
    ]
    if not mine or not theirs:
        return theirs
    first, second = np.divmod(np.arange(len(mine) * len(theirs)), len(theirs))
    standing = stand([model.placed() for model in (*mine, *theirs)])
    gaps_mm = clearances(standing, first, second + len(mine)).mm.reshape(len(mine), -1).min(axis=0)
    return [theirs[at] for at in np.argsort(gaps_mm, kind="stable")]


ENEMY_MODELS = models_of(enemies, word="enemy model")
ENEMY_UNITS = units_of(enemies, word="enemy unit")
