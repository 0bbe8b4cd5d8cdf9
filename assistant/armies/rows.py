"""Where models may stand before the first turn: unit by unit in rows along their player's edge, apart from all else."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import shapely
from shapely import affinity

from assistant.game.state import GameState, Pose, Unit
from assistant.geometry.shapes import Base, Outline, Oval, Rect, Round

GAP_MM = 3.0
"""Between models of a unit; rectangles stand edge to edge, in line, as regiments do."""
BETWEEN_MM = 40.0
"""Between units: about a hand's width."""
INSET_MM = 40.0
"""From the table's edge."""
STEP_MM = 20.0
CLEAR_MM = 5.0
EDGES_RAD = (math.pi / 2, -math.pi / 2, 0.0, math.pi)
"""How the first player's models face, who plays from the near edge, the second's, ...: across the table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Block:
    """A unit in rows, in a frame whose x is the front."""

    places: tuple[tuple[float, float], ...]
    """Of each model, from the block's centre."""
    deep_mm: float
    wide_mm: float


def in_rows(state: GameState, avoid_mm: Sequence[Sequence[tuple[float, float]]] = ()) -> dict[str, Pose]:
    """Return a place for each model, by id; models for which there is no room are left out.

    Args:
        state: the game.
        avoid_mm: outlines that are kept clear, beside the terrain.

    """
    table = shapely.box(0, 0, state.table.width_mm, state.table.depth_mm).buffer(-INSET_MM, join_style="mitre")
    outlines = [*(terrain.outline_mm for terrain in state.terrain), *avoid_mm]
    taken = [shapely.Polygon(outline).buffer(CLEAR_MM) for outline in outlines]
    players = list(dict.fromkeys(unit.player for unit in state.units))
    poses: dict[str, Pose] = {}
    for unit in state.units:
        facing_rad = EDGES_RAD[players.index(unit.player) % len(EDGES_RAD)]
        block = _block(unit)
        for x_mm, y_mm in _spots(block, facing_rad, state):
            area = _area(block, facing_rad, x_mm, y_mm)
            if table.covers(area) and not any(area.intersects(other) for other in taken):
                taken.append(area.buffer(BETWEEN_MM))
                poses |= _stood(unit, block, facing_rad, x_mm, y_mm)
                break
    return poses


def _block(unit: Unit) -> _Block:
    """Return a unit's rows: twice as wide as deep, or in one line where its bases are rectangles."""
    boxes = [_half_sides(model.base) for model in unit.models]
    deep, wide = 2 * max(deep for deep, _ in boxes), 2 * max(wide for _, wide in boxes)
    regiment = all(isinstance(model.base, Rect) for model in unit.models)
    gap_mm = 0.0 if regiment else GAP_MM
    count = len(unit.models)
    columns = count if regiment and count <= 5 else max(1, math.ceil(math.sqrt(2 * count)))
    rows = math.ceil(count / columns)
    deep_step, wide_step = deep + gap_mm, wide + gap_mm
    places = tuple(
        (((rows - 1) / 2 - i // columns) * deep_step, ((columns - 1) / 2 - i % columns) * wide_step)
        for i in range(count)
    )
    return _Block(places=places, deep_mm=rows * deep_step, wide_mm=columns * wide_step)


def _half_sides(base: Base) -> tuple[float, float]:
    match base:
        case Round(radius_mm=radius):
            return radius, radius
        case Oval(length_mm=length, width_mm=width) | Rect(length_mm=length, width_mm=width):
            return length / 2, width / 2
        case Outline(points_mm=points):
            return max(abs(x) for x, _ in points), max(abs(y) for _, y in points)


def _spots(block: _Block, facing_rad: float, state: GameState) -> Iterator[tuple[float, float]]:
    """Yield centres for a block: along its player's edge, then rank by rank away from it."""
    width, depth = state.table.width_mm, state.table.depth_mm
    sideways = facing_rad in EDGES_RAD[:2]
    long_mm, across_mm = (width, depth) if sideways else (depth, width)
    ranks = int((across_mm / 2) // STEP_MM)
    steps = int((long_mm - 2 * INSET_MM - block.wide_mm) // STEP_MM) + 1
    for rank in range(ranks):
        back_mm = INSET_MM + block.deep_mm / 2 + rank * STEP_MM
        for step in range(max(0, steps)):
            along_mm = INSET_MM + block.wide_mm / 2 + step * STEP_MM
            if sideways:
                yield along_mm, back_mm if facing_rad > 0 else depth - back_mm
            else:
                yield back_mm if facing_rad == 0 else width - back_mm, along_mm


def _area(block: _Block, facing_rad: float, x_mm: float, y_mm: float) -> shapely.Polygon:
    deep, wide = block.deep_mm / 2, block.wide_mm / 2
    turned = affinity.rotate(shapely.box(-deep, -wide, deep, wide), facing_rad, origin=(0, 0), use_radians=True)
    return affinity.translate(turned, x_mm, y_mm)


def _stood(unit: Unit, block: _Block, facing_rad: float, x_mm: float, y_mm: float) -> dict[str, Pose]:
    ahead, aside = math.cos(facing_rad), math.sin(facing_rad)
    return {
        model.id: Pose(
            x_mm=round(x_mm + x * ahead - y * aside, 3),
            y_mm=round(y_mm + x * aside + y * ahead, 3),
            facing_rad=facing_rad,
        )
        for model, (x, y) in zip(unit.models, block.places, strict=True)
    }
