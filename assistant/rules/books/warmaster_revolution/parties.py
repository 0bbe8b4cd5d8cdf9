"""Parties: whose stands a rule is about, the enemies of a unit by how near they are, and who is in combat."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from assistant.game.state import GameState, Unit
from assistant.geometry.clearance.pairwise import lower_bounds_mm, measure_pairs
from assistant.geometry.clearance.shape_arrays import build_shape_arrays
from assistant.geometry.clearance.shape_clearance import Clearance
from assistant.geometry.shapes.convex import Array
from assistant.rules.context import RuleContext
from assistant.rules.engine.situation_index import SituationIndex
from assistant.rules.selectors import UnitSelector
from assistant.rules.verdict import ROUNDING_MM, combine_sigmas


@dataclass(frozen=True, slots=True, kw_only=True)
class Foe:
    """An enemy unit, and how near the closest of its stands is to the closest of one's own."""

    unit: Unit
    stands: tuple[str, str]
    """The two: one's own, then the enemy's."""
    gap: Clearance
    sigma_mm: float


def list_foes(asked: RuleContext) -> tuple[Foe, ...]:
    """Return the enemies on the table that are no characters, the nearest first; none for a unit that is off it."""
    scene = asked.scene
    owners = [scene.state.units[owner] for owner in scene.owners]
    mine = [at for at, owner in enumerate(owners) if owner.id == asked.unit.id]
    theirs = [at for at, owner in enumerate(owners) if is_foe(asked.unit, owner)]
    if not mine or not theirs:
        return ()
    standing = build_shape_arrays([scene.models[at].place_base() for at in (*mine, *theirs)])
    first, second = np.divmod(np.arange(len(mine) * len(theirs)), len(theirs))
    gaps = measure_pairs(standing, first, second + len(mine))
    nearest: dict[str, int] = {}
    for pair in np.argsort(gaps.mm, kind="stable").tolist():
        nearest.setdefault(owners[theirs[second[pair]]].id, pair)
    return tuple(
        Foe(
            unit=scene.state.find_unit(unit),
            stands=(scene.models[one].id, scene.models[two].id),
            gap=Clearance(
                mm=float(gaps.mm[pair]), near=_point_from_array(gaps.near[pair]), far=_point_from_array(gaps.far[pair])
            ),
            sigma_mm=combine_sigmas(scene.poses[one].sigma_mm, scene.poses[two].sigma_mm),
        )
        for unit, pair in nearest.items()
        for one, two in [(mine[first[pair]], theirs[second[pair]])]
    )


def list_all_foe_ids(state: GameState, unit: Unit) -> Iterator[str]:
    """Yield the ids of the enemies of a unit that are no characters, wherever they are."""
    return (other.id for other in state.units if is_foe(unit, other))


def is_foe(unit: Unit, other: Unit) -> bool:
    """Whether another unit is an enemy's and no character, whom nobody charges or evades."""
    return other.player != unit.player and not is_character(other)


def is_character(unit: Unit) -> bool:
    """Whether a unit is a character."""
    return unit.profile["troop"] == "character"


def _point_from_array(place: Array) -> tuple[float, float]:
    return float(place[0]), float(place[1])


Ids = frozenset[str]


def is_other_unit(unit: Unit, other: Unit) -> bool:
    """Whether the other unit is another one's, of either side, and no character, whom everyone passes."""
    return other.id != unit.id and not is_character(other)


def is_same_unit(unit: Unit, other: Unit) -> bool:
    """Whether the other unit is the same."""
    return other.id == unit.id


def is_comrade(unit: Unit, other: Unit) -> bool:
    """Whether the other unit is another one of the same side, and no character."""
    return is_other_unit(unit, other) and other.player == unit.player


def are_foes(unit: Unit, other: Unit) -> bool:
    """Whether the two are enemies, and neither is a character."""
    return is_foe(unit, other) and not is_character(unit)


def restrict_to_units(party: UnitSelector, units: Iterable[str]) -> UnitSelector:
    """Return a party cut down to certain units."""
    known = frozenset(units)
    return lambda unit, other: other.id in known and party(unit, other)


def exclude_units(party: UnitSelector, units: Iterable[str]) -> UnitSelector:
    """Return a party without certain units."""
    known = frozenset(units)
    return lambda unit, other: other.id not in known and party(unit, other)


def find_engaged_stands(asked: RuleContext) -> Ids:
    """Return the stands that touch an enemy's as everybody stands; characters engage nobody."""
    return _find_touching_stands(asked.scene, asked.read_number("touch_mm"))


def find_engaged_units(asked: RuleContext) -> Ids:
    """Return the units that have such a stand."""
    return frozenset(asked.state.find_unit_of(stand).id for stand in find_engaged_stands(asked))


def _find_touching_stands(scene: SituationIndex, touch_mm: float) -> Ids:
    units = [scene.state.units[owner] for owner in scene.owners]
    players = {player: number for number, player in enumerate(dict.fromkeys(unit.player for unit in units))}
    fighting = [at for at, unit in enumerate(units) if not is_character(unit)]
    side = np.array([players[units[at].player] for at in fighting], dtype=np.intp)
    first, second = np.triu_indices(len(fighting), 1)
    hostile = side[first] != side[second]
    first, second = first[hostile], second[hostile]
    if not len(first):
        return frozenset()
    standing = build_shape_arrays([scene.models[at].place_base() for at in fighting])
    near = lower_bounds_mm(standing, first, second) <= touch_mm
    gaps = measure_pairs(standing, first[near], second[near])
    met = gaps.mm <= touch_mm + ROUNDING_MM
    return frozenset(scene.models[fighting[at]].id for at in {*first[near][met].tolist(), *second[near][met].tolist()})
