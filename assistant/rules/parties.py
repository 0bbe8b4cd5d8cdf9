"""Whom and what a rule is about."""

from collections.abc import Callable

from assistant.game.state import Terrain, Unit

Party = Callable[[Unit, Unit], bool]
"""Whether a rule about the models of one unit is about those of another, or of the same."""
Feature = Callable[[Terrain], bool]
"""Whether a rule is about a piece of terrain."""


def enemies(unit: Unit, other: Unit) -> bool:
    """Whether the other unit is an enemy's."""
    return other.player != unit.player


def friends(unit: Unit, other: Unit) -> bool:
    """Whether the other unit is of the same side, or the same."""
    return other.player == unit.player


def everybody(_: Unit, __: Unit) -> bool:
    """Every other model, friend or enemy."""
    return True


def whichever(_: str) -> bool:
    """Whichever model it is."""
    return True


def having(trait: str) -> Feature:
    """Return whether terrain has a trait."""
    return lambda terrain: trait in terrain.traits
