"""The enemies of a unit, by how near they are."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from assistant.game.state import GameState, Unit
from assistant.geometry.clearance import Clearance
from assistant.geometry.convex import Array
from assistant.geometry.pairs import clearances
from assistant.geometry.standing import stand
from assistant.rules.rulebook import Question
from assistant.rules.ruling import together


@dataclass(frozen=True, slots=True, kw_only=True)
class Foe:
    """An enemy unit, and how near the closest of its stands is to the closest of one's own."""

    unit: Unit
    stands: tuple[str, str]
    """The two: one's own, then the enemy's."""
    gap: Clearance
    sigma_mm: float


def foes(asked: Question) -> tuple[Foe, ...]:
    """Return the enemies on the table that are no characters, the nearest first; none for a unit that is off it."""
    scene = asked.scene
    owners = [scene.state.units[owner] for owner in scene.owners]
    mine = [at for at, owner in enumerate(owners) if owner.id == asked.unit.id]
    theirs = [at for at, owner in enumerate(owners) if is_foe(asked.unit, owner)]
    if not mine or not theirs:
        return ()
    standing = stand([scene.models[at].placed() for at in (*mine, *theirs)])
    first, second = np.divmod(np.arange(len(mine) * len(theirs)), len(theirs))
    gaps = clearances(standing, first, second + len(mine))
    nearest: dict[str, int] = {}
    for pair in np.argsort(gaps.mm, kind="stable").tolist():
        nearest.setdefault(owners[theirs[second[pair]]].id, pair)
    return tuple(
        Foe(
            unit=scene.state.unit(unit),
            stands=(scene.models[one].id, scene.models[two].id),
            gap=Clearance(mm=float(gaps.mm[pair]), near=_point(gaps.near[pair]), far=_point(gaps.far[pair])),
            sigma_mm=together(scene.poses[one].sigma_mm, scene.poses[two].sigma_mm),
        )
        for unit, pair in nearest.items()
        for one, two in [(mine[first[pair]], theirs[second[pair]])]
    )


def all_foes(state: GameState, unit: Unit) -> Iterator[str]:
    """Yield the ids of the enemies of a unit that are no characters, wherever they are."""
    return (other.id for other in state.units if is_foe(unit, other))


def is_foe(unit: Unit, other: Unit) -> bool:
    """Whether another unit is an enemy's and no character, whom nobody charges or evades."""
    return other.player != unit.player and not is_character(other)


def is_character(unit: Unit) -> bool:
    """Whether a unit is a character."""
    return unit.profile["troop"] == "character"


def _point(place: Array) -> tuple[float, float]:
    return float(place[0]), float(place[1])
