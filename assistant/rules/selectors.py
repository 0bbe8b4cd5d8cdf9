"""Selectors: which units and which terrain a rule is about."""

from collections.abc import Callable

from assistant.game.state import Terrain, Unit

UnitSelector = Callable[[Unit, Unit], bool]
"""Whether a rule about the models of one unit is about those of another, or of the same, wherever they stand."""
TerrainSelector = Callable[[Terrain], bool]
"""Whether a rule is about a piece of terrain."""


def is_enemy(unit: Unit, other: Unit) -> bool:
    """Whether the other unit is an enemy's."""
    return other.player != unit.player


def is_friend(unit: Unit, other: Unit) -> bool:
    """Whether the other unit is of the same side, or the same."""
    return other.player == unit.player


def is_any_unit(_: Unit, __: Unit) -> bool:
    """Every other model, friend or enemy."""
    return True


def is_any_model(_: str) -> bool:
    """Whichever model it is."""
    return True


def has_trait(trait: str) -> TerrainSelector:
    """Return whether terrain has a trait."""
    return lambda terrain: trait in terrain.traits
