"""Whose stands a rule is about, and who is in combat."""

from collections.abc import Iterable

import numpy as np

from assistant.game.state import Unit
from assistant.geometry.pairs import clearances, lower_bounds_mm
from assistant.geometry.standing import stand
from assistant.rules.books.warmaster_revolution.foes import is_character, is_foe
from assistant.rules.parties import Party
from assistant.rules.rulebook import Question
from assistant.rules.ruling import ROUNDING_MM
from assistant.rules.scene import Scene

Names = frozenset[str]


def others(unit: Unit, other: Unit) -> bool:
    """Whether the other unit is another one's, of either side, and no character, whom everyone passes."""
    return other.id != unit.id and not is_character(other)


def own(unit: Unit, other: Unit) -> bool:
    """Whether the other unit is the same."""
    return other.id == unit.id


def comrades(unit: Unit, other: Unit) -> bool:
    """Whether the other unit is another one of the same side, and no character."""
    return others(unit, other) and other.player == unit.player


def foes_of(unit: Unit, other: Unit) -> bool:
    """Whether the two are enemies, and neither is a character."""
    return is_foe(unit, other) and not is_character(unit)


def of_units(party: Party, units: Iterable[str]) -> Party:
    """Return a party cut down to certain units."""
    known = frozenset(units)
    return lambda unit, other: other.id in known and party(unit, other)


def but_units(party: Party, units: Iterable[str]) -> Party:
    """Return a party without certain units."""
    known = frozenset(units)
    return lambda unit, other: other.id not in known and party(unit, other)


def engaged(asked: Question) -> Names:
    """Return the stands that touch an enemy's as everybody stands; characters engage nobody."""
    return _engaged(asked.scene, asked.number("touch_mm"))


def engaged_units(asked: Question) -> Names:
    """Return the units that have such a stand."""
    return frozenset(asked.state.unit_of(stand).id for stand in engaged(asked))


def _engaged(scene: Scene, touch_mm: float) -> Names:
    units = [scene.state.units[owner] for owner in scene.owners]
    players = {player: number for number, player in enumerate(dict.fromkeys(unit.player for unit in units))}
    fighting = [at for at, unit in enumerate(units) if not is_character(unit)]
    side = np.array([players[units[at].player] for at in fighting], dtype=np.intp)
    first, second = np.triu_indices(len(fighting), 1)
    hostile = side[first] != side[second]
    first, second = first[hostile], second[hostile]
    if not len(first):
        return frozenset()
    standing = stand([scene.models[at].placed() for at in fighting])
    near = lower_bounds_mm(standing, first, second) <= touch_mm
    gaps = clearances(standing, first[near], second[near])
    met = gaps.mm <= touch_mm + ROUNDING_MM
    return frozenset(scene.models[fighting[at]].id for at in {*first[near][met].tolist(), *second[near][met].tolist()})
