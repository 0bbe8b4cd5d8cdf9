"""Builders of stands and units for the tests of warmaster-revolution."""

import math
from collections.abc import Iterable, Mapping

from assistant.game.state import GameState, Model, Pose, Setting, Table, Terrain, Unit
from assistant.geometry.shapes.base_shapes import Base, Rect
from assistant.rules.context import RuleContext
from assistant.rules.engine.situation_index import index_situation

INFANTRY = Rect(length_mm=20, width_mm=40)
CAVALRY = Rect(length_mm=40, width_mm=20)
PARAMETERS: Mapping[str, Setting] = {"touch_mm": 1.0, "line_tolerance_deg": 5.0, "one_group": True}

Place = tuple[float, float] | tuple[float, float, float]
"""x and y in millimetres, and the facing in degrees."""


def format_centimetres(mm: float, decimals: int) -> str:
    return f"{round(mm / 10, decimals):g} cm"


def build_pose(place: Place, sigma_mm: float = 0.0) -> Pose:
    x, y, *facing = place
    return Pose(x_mm=x, y_mm=y, facing_rad=math.radians(facing[0] if facing else 0.0), sigma_mm=sigma_mm)


def build_stands(*places: Place | None, base: Base = INFANTRY, sigma_mm: float = 0.0) -> tuple[Model, ...]:
    """Return stands b1, b2, ... at some places; None is off the table."""
    return tuple(
        Model(id=f"b{n}", base=base, pose=None if place is None else build_pose(place, sigma_mm))
        for n, place in enumerate(places, start=1)
    )


def build_unit(models: Iterable[Model], keywords: Iterable[str] = (), /, **profile: Setting) -> Unit:
    return Unit(id="b", player="red", keywords=frozenset(keywords), profile=profile, models=tuple(models))


def build_question(
    of: Unit, terrain: Iterable[Terrain] = (), paths: Mapping[str, tuple[Pose, ...]] | None = None, **changed: Setting
) -> RuleContext:
    state = GameState(
        rulebook="warmaster-revolution",
        table=Table(width_mm=1800, depth_mm=1200),
        units=(of,),
        terrain=tuple(terrain),
    )
    parameters = {**PARAMETERS, **changed}
    return RuleContext(
        scene=index_situation(state), unit=of, parameters=parameters, say=format_centimetres, paths=paths
    )
