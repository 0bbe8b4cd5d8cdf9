"""Terrain watch: marked pieces of terrain that come to rest elsewhere, as events and as words and shapes for people."""

import math
from collections.abc import Iterable, Iterator, Mapping

from assistant.game.events import TerrainSettled
from assistant.game.state import GameState, Terrain, TerrainPlace
from assistant.game.terrain_places import find_place, is_elsewhere, lay_as_seen, measure_shift
from assistant.overlay.shapes import Layer, OverlayShape
from vision.types import BasePose, PoseState

MOVED_MM, MOVED_RAD = 1.0, math.radians(0.5)
"""A piece that is known to lie elsewhere is told anew once it has gone so far on."""


def list_resting(poses: Iterable[BasePose]) -> dict[str, TerrainPlace]:
    """Return where pieces of terrain lie that are seen at rest, by id."""
    return {pose.model: _build_place(pose) for pose in poses if pose.state is PoseState.SEEN and not pose.moving}


def follow_terrain(resting: Mapping[str, TerrainPlace], state: GameState) -> Iterator[TerrainSettled]:
    """Yield what is new of where pieces of terrain lie; those that are not in the game are left out.

    Args:
        resting: where they lie that are seen at rest, by id.
        state: the game.

    """
    for piece in state.terrain:
        seen = resting.get(piece.id)
        if seen is None:
            continue
        known, place = state.shifted.get(piece.id), find_place(piece)
        away = is_elsewhere(place, seen)
        if away if known is None else not away or is_elsewhere(known, seen, mm=MOVED_MM, rad=MOVED_RAD):
            yield TerrainSettled(piece=piece.id, place=seen if away else place)


def describe_shift(piece: Terrain, seen: TerrainPlace) -> str:
    """Return how far a piece lies from its place, as a sentence."""
    offset = describe_offset(find_place(piece), seen)
    return f"{piece.id} moved {offset}." if offset else f"{piece.id} lies in its place."


def describe_offset(place: TerrainPlace, seen: TerrainPlace) -> str:
    """Return how far a piece lies from a place, in a few words; empty where that is less than a millimetre."""
    away_mm, turned_rad = measure_shift(place, seen)
    turned_deg = math.degrees(turned_rad)
    degrees = "1 degree" if round(turned_deg) == 1 else f"{turned_deg:.0f} degrees"
    parts = (f"{away_mm:.0f} mm" if round(away_mm) else "", degrees if round(turned_deg) else "")
    return " and ".join(filter(None, parts))


def draw_shifted(state: GameState) -> Iterator[OverlayShape]:
    """Yield where pieces lie that were seen elsewhere than the game has them."""
    for piece in lay_as_seen(state).terrain if state.shifted else ():
        if piece.id in state.shifted:
            yield OverlayShape(
                key=f"shifted:{piece.id}",
                layer=Layer.LAYING,
                rings_mm=(piece.outline_mm,),
                closed=True,
                style="laying-to-come",
                label=f"{piece.id} lies here",
            )


def _build_place(pose: BasePose) -> TerrainPlace:
    (xx, xy, _), (_, yy, _), (_, _, turn) = pose.covariance.tolist()
    largest_mm2 = (xx + yy) / 2 + math.hypot((xx - yy) / 2, xy)  # the larger eigenvalue
    return TerrainPlace(
        x_mm=round(pose.x_mm, 2),
        y_mm=round(pose.y_mm, 2),
        facing_rad=round(pose.facing_rad, 5),
        sigma_mm=round(math.sqrt(largest_mm2), 3),
        sigma_rad=round(math.sqrt(turn), 5),
    )
