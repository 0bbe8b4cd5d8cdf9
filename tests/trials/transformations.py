"""Transformations of a whole situation: turned, mirrored, shifted, on a wide table, renamed, reordered.

Each takes a state and a move to a state and a move of which a rulebook must say the same.
"""

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from assistant.game.state import GameState, Model, Move, Pose, Setting, Table, Terrain, Unit
from assistant.geometry.shapes.base_shapes import Base, Outline

_T = TypeVar("_T")
Point = tuple[float, float]
WIDE_MM = 2600.0
"""So much wider a wide table is on each side: no move and no sight comes near its edge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Motion:
    """A motion of the plane, or its mirror image."""

    point: Callable[[float, float], Point]
    facing: Callable[[float], float]
    mirrors: bool = False


def build_turn(angle_rad: float, x_mm: float, y_mm: float) -> Motion:
    """Return a turn about a place."""
    cos, sin = math.cos(angle_rad), math.sin(angle_rad)

    def turn(x: float, y: float) -> Point:
        dx, dy = x - x_mm, y - y_mm
        return x_mm + dx * cos - dy * sin, y_mm + dx * sin + dy * cos

    return Motion(point=turn, facing=lambda facing: facing + angle_rad)


def build_quarter_turns(count: int, table: Table) -> Motion:
    """Return turns by 90 degrees, exact, after which a table has its near left corner at the origin again."""
    width, depth = table.width_mm, table.depth_mm
    points: tuple[Callable[[float, float], Point], ...] = (
        lambda x, y: (x, y),
        lambda x, y: (depth - y, x),
        lambda x, y: (width - x, depth - y),
        lambda x, y: (y, width - x),
    )
    return Motion(point=points[count % 4], facing=lambda facing: facing + count * math.pi / 2)


def build_mirror(table: Table) -> Motion:
    """Return the mirror image, left for right."""
    return Motion(point=lambda x, y: (table.width_mm - x, y), facing=lambda facing: math.pi - facing, mirrors=True)


def build_shift(dx_mm: float, dy_mm: float) -> Motion:
    """Return a shift."""
    return Motion(point=lambda x, y: (x + dx_mm, y + dy_mm), facing=lambda facing: facing)


def apply_motion(motion: Motion, state: GameState, table: Table) -> GameState:
    """Return a state, moved as a whole, on a table."""
    units = tuple(
        replace(unit, models=tuple(_move_model(motion, model) for model in unit.models)) for unit in state.units
    )
    terrain = tuple(
        replace(each, outline_mm=tuple(motion.point(x, y) for x, y in each.outline_mm)) for each in state.terrain
    )
    return replace(state, table=table, units=units, terrain=terrain)


def apply_motion_to_move(motion: Motion, move: Move) -> Move:
    """Return a move, moved as a whole."""
    paths = {model: tuple(move_pose(motion, pose) for pose in path) for model, path in move.paths.items()}
    return replace(move, paths=paths)


def move_pose(motion: Motion, pose: Pose) -> Pose:
    """Return a pose, moved."""
    x_mm, y_mm = motion.point(pose.x_mm, pose.y_mm)
    return replace(pose, x_mm=x_mm, y_mm=y_mm, facing_rad=motion.facing(pose.facing_rad))


def widen(state: GameState, move: Move) -> tuple[GameState, Move]:
    """Return a situation in the middle of a table whose edge nothing comes near to."""
    shift = build_shift(WIDE_MM, WIDE_MM)
    table = Table(width_mm=state.table.width_mm + 2 * WIDE_MM, depth_mm=state.table.depth_mm + 2 * WIDE_MM)
    return apply_motion(shift, state, table), apply_motion_to_move(shift, move)


def _move_model(motion: Motion, model: Model) -> Model:
    pose = None if model.pose is None else move_pose(motion, model.pose)
    return replace(model, pose=pose, base=_mirror_base(model.base) if motion.mirrors else model.base)


def _mirror_base(base: Base) -> Base:
    return Outline(points_mm=tuple((x, -y) for x, y in base.points_mm[::-1])) if isinstance(base, Outline) else base


# -- names and orders


def rename(state: GameState, move: Move, rng: random.Random) -> tuple[GameState, Move, Mapping[str, str]]:
    """Return a situation in which everybody has another name, and the old names by the new ones."""
    old = [
        *(unit.id for unit in state.units),
        *(model.id for _, model in state.iterate_models()),
        *(terrain.id for terrain in state.terrain),
    ]
    numbers = rng.sample(range(1000, 10_000), len(old))
    new = {name: f"{rng.choice('abxyz')}{number}" for name, number in zip(old, numbers, strict=True)}
    players = {name: f"player {rng.random()}" for name in sorted({unit.player for unit in state.units})}
    units = tuple(_rename_unit(unit, new, players) for unit in state.units)
    terrain = tuple(replace(each, id=new[each.id]) for each in state.terrain)
    parameters = {key: _rename_setting(value, new) for key, value in state.parameters.items()}
    renamed = replace(
        move,
        unit=new[move.unit],
        paths={new[model]: path for model, path in move.paths.items()},
        intent={key: _rename_setting(value, new) for key, value in move.intent.items()},
    )
    state = replace(state, units=units, terrain=terrain, parameters=parameters)
    return state, renamed, {name: former for former, name in new.items()}


def _rename_unit(unit: Unit, new: Mapping[str, str], players: Mapping[str, str]) -> Unit:
    status = []
    for each in unit.status:
        word, colon, name = each.partition(":")
        status.append(f"{word}{colon}{new.get(name, name)}")
    models = tuple(replace(model, id=new[model.id]) for model in unit.models)
    return replace(unit, id=new[unit.id], player=players[unit.player], status=tuple(status), models=models)


def _rename_setting(value: Setting, new: Mapping[str, str]) -> Setting:
    if isinstance(value, str):
        return new.get(value, value)
    if isinstance(value, tuple):
        return tuple(new.get(each, each) for each in value)
    if isinstance(value, Mapping):
        return {new.get(key, key): texts for key, texts in value.items()}
    return value


def reorder(state: GameState, rng: random.Random) -> GameState:
    """Return a state in which units, the models of each, statuses and terrain stand in another order.

    The corners of outlines are counted from another one, and the other way round.
    """
    units = tuple(
        replace(unit, models=_shuffle(rng, unit.models), status=_shuffle(rng, unit.status))
        for unit in _shuffle(rng, state.units)
    )
    terrain = tuple(_recount(rng, each) for each in _shuffle(rng, state.terrain))
    return replace(state, units=units, terrain=terrain)


def _shuffle(rng: random.Random, items: Sequence[_T]) -> tuple[_T, ...]:
    return tuple(rng.sample(items, len(items)))


def _recount(rng: random.Random, terrain: Terrain) -> Terrain:
    first = rng.randrange(len(terrain.outline_mm))
    points = (*terrain.outline_mm[first:], *terrain.outline_mm[:first])
    return replace(terrain, outline_mm=points[::-1] if rng.random() < 0.5 else points)
