"""Builders of small Warmaster tables, and of questions about them."""

import math
from collections.abc import Iterable, Mapping

from assistant.game.state import GameState, Model, Pose, Setting, Table, Terrain, Turn, Unit
from assistant.geometry.shapes.base_shapes import Base, Rect, Round
from assistant.rules.context import RuleContext
from assistant.rules.engine.situation_index import index_situation

FOOT, HORSE, HERO = Rect(length_mm=20, width_mm=40), Rect(length_mm=40, width_mm=20), Round(radius_mm=12.5)
Place = tuple[float, float, float]
"""x and y in millimetres, facing in degrees."""


def build_unit(
    name: str,
    player: str,
    *places: Place,
    troop: str = "infantry",
    keywords: Iterable[str] = (),
    status: tuple[str, ...] = (),
    sigma_mm: float = 0.0,
) -> Unit:
    """Return a unit of stands at some places, whose ids are the unit's and a number from 1."""
    base: Base = HERO if troop == "character" else FOOT if troop == "infantry" else HORSE
    models = tuple(
        Model(
            id=f"{name}{index}",
            base=base,
            pose=Pose(x_mm=x, y_mm=y, facing_rad=math.radians(facing), sigma_mm=sigma_mm),
        )
        for index, (x, y, facing) in enumerate(places, start=1)
    )
    return Unit(
        id=name, player=player, keywords=frozenset(keywords), profile={"troop": troop}, status=status, models=models
    )


def build_box(name: str, left: float, low: float, right: float, high: float, *traits: str) -> Terrain:
    """Return rectangular terrain."""
    outline = ((left, low), (right, low), (right, high), (left, high))
    return Terrain(id=name, outline_mm=outline, traits=frozenset(traits))


def build_table(*units: Unit, terrain: tuple[Terrain, ...] = (), turn: Turn | None = None) -> GameState:
    """Return a table of 1800 by 1200 mm."""
    return GameState(
        rulebook="warmaster-revolution",
        table=Table(width_mm=1800, depth_mm=1200),
        units=units,
        terrain=terrain,
        turn=turn,
    )


def build_question(
    state: GameState, name: str = "a", *, moving: bool = False, intent: Mapping[str, Setting] | None = None
) -> RuleContext:
    """Return what is asked about a unit, with the rulebook's defaults; ``moving`` if a move is judged."""
    parameters: dict[str, Setting] = {"touch_mm": 1.0, "agreed_terrain": {}}
    return RuleContext(
        scene=index_situation(state),
        unit=state.find_unit(name),
        parameters=parameters | dict(state.parameters),
        say=lambda mm, decimals: f"{mm / 10:.{decimals}f} cm",
        intent=intent or {},
        paths={} if moving else None,
    )
