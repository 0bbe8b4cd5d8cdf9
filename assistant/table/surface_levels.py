"""Surface levels: the heights of terrain that a base may stand at, and which is taken where the camera is unsure."""

import math
from collections.abc import Iterable
from dataclasses import replace

from assistant.game.state import GameState, Pose, Terrain
from assistant.rules.engine.terrain import measure_inside_mm
from vision.table_map import RaisedOutline
from vision.tracking.surfaces import OVERHANG_MM, Surface

BLOCKS = frozenset({"hill", "building", "incline"})
"""Traits of terrain that is solid and stood upon."""
SOLID = BLOCKS | {"fortified", "wall", "obstacle", "wreck", "impassable"}
"""Traits of terrain that no base can be inside of; what has none of them, such as a wood or a ruin, is walked in."""
SURE_SIGMAS = 2.0


def list_surfaces(terrain: Iterable[Terrain]) -> tuple[Surface, ...]:
    """Return the tops that a base may stand on: those of everything that has a height.

    The ground inside of an outline is no surface of its own, for the table is always one.
    """
    return tuple(
        Surface(outline_mm=piece.outline_mm, height_mm=piece.height_mm) for piece in terrain if piece.height_mm > 0
    )


def is_block(terrain: Terrain) -> bool:
    """Whether terrain is a solid block with a top to stand on, such as a hill or a building."""
    return terrain.height_mm > 0 and not BLOCKS.isdisjoint(terrain.traits)


def list_solid_tops(terrain: Iterable[Terrain], *, above_mm: float = 0.0) -> list[RaisedOutline]:
    """Return the tops of solid blocks that are higher than so much, for a picture that shows them where they are."""
    return [
        RaisedOutline(outline_mm=piece.outline_mm, height_mm=piece.height_mm)
        for piece in terrain
        if is_block(piece) and piece.height_mm > above_mm
    ]


def resolve_level(state: GameState, seen: Pose, before: Pose | None) -> Pose:
    """Return a pose at the height that is left when the map, and then the level before, have had their say.

    Args:
        state: the game, whose terrain is the map.
        seen: where a model came to rest, with the other heights that fit what was measured.
        before: where it rested before, if it was followed from there.

    """
    if not seen.other_z_mm:
        return seen
    heights = (seen.z_mm, *seen.other_z_mm)
    possible = tuple(z_mm for z_mm in heights if not _is_buried(state, seen, z_mm)) or heights
    if len(possible) > 1 and before is not None and not before.other_z_mm and before.z_mm in possible:
        tops = [piece for piece in state.terrain if piece.height_mm in possible and piece.height_mm > 0]
        if all((measure_inside_mm(before, top) > 0) == (measure_inside_mm(seen, top) > 0) for top in tops):
            possible = (before.z_mm,)  # it has crossed no edge, so it is on the level that it was on
    return replace(seen, z_mm=possible[0], other_z_mm=possible[1:])


def describe_level_doubt(state: GameState, model: str, pose: Pose) -> str:
    """Return the sentence that says which heights could not be told apart; empty where there is no doubt."""
    if not pose.other_z_mm:
        return ""
    heights = sorted((pose.z_mm, *pose.other_z_mm))
    places = " or ".join(f"on {_describe_surface(state, pose, z_mm)}" for z_mm in heights)
    between = " and ".join(f"{z_mm:g}" for z_mm in (heights[0], heights[-1]))
    return (
        f"{model} stands {places}: too little between {between} mm to tell;"
        f" it is taken to stand on {_describe_surface(state, pose, pose.z_mm)}."
    )


def _is_buried(state: GameState, pose: Pose, z_mm: float) -> bool:
    """Whether a base at a height would surely be inside of solid terrain."""
    return any(
        measure_inside_mm(pose, piece) > SURE_SIGMAS * pose.sigma_mm
        for piece in state.terrain
        if piece.height_mm > z_mm and not SOLID.isdisjoint(piece.traits)
    )


def _describe_surface(state: GameState, pose: Pose, z_mm: float) -> str:
    """Name what a model stands on at a height: the nearest terrain that is so high, or the table."""
    if z_mm == 0:
        return "the table"
    tops = [piece for piece in state.terrain if math.isclose(piece.height_mm, z_mm, abs_tol=0.01)]
    near = [piece for piece in tops if measure_inside_mm(pose, piece) >= -OVERHANG_MM] or tops
    return max(near, key=lambda piece: measure_inside_mm(pose, piece)).id if near else f"something {z_mm:g} mm high"
