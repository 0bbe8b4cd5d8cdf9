"""Terrain places: where a piece of terrain lies, which pieces are one thing, and how they move together.

A piece's own frame is turned as the piece is, and has its origin in the middle of the box around its outline: where a
ruler finds it.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import lru_cache

import shapely

from assistant.game.state import GameState, Terrain, TerrainPlace

TWIN = "-twin"
"""What stands behind an id of the half of a layout that follows from the other."""
IN_PLACE_MM = 3.0
IN_PLACE_RAD = math.radians(1.0)
"""Terrain that lies so near to its place lies there: no hand does better."""
SURE_SIGMAS = 5.0
"""It is elsewhere if it is farther than that, and than its sigma explains."""
PLACES = 3


def find_place(piece: Terrain) -> TerrainPlace:
    """Return where a piece lies."""
    cos, sin = math.cos(piece.facing_rad), math.sin(piece.facing_rad)
    along = [cos * x + sin * y for x, y in piece.outline_mm]
    across = [cos * y - sin * x for x, y in piece.outline_mm]
    u, v = (min(along) + max(along)) / 2, (min(across) + max(across)) / 2
    return TerrainPlace(x_mm=cos * u - sin * v, y_mm=sin * u + cos * v, facing_rad=piece.facing_rad)


def find_on_table(frame: TerrainPlace, inside: TerrainPlace) -> TerrainPlace:
    """Return where something lies on the table that lies at a place in the frame of a piece."""
    cos, sin = math.cos(frame.facing_rad), math.sin(frame.facing_rad)
    return TerrainPlace(
        x_mm=frame.x_mm + cos * inside.x_mm - sin * inside.y_mm,
        y_mm=frame.y_mm + sin * inside.x_mm + cos * inside.y_mm,
        facing_rad=frame.facing_rad + inside.facing_rad,
    )


def find_in_frame(frame: TerrainPlace, lies: TerrainPlace) -> TerrainPlace:
    """Return where something that lies on the table is in the frame of a piece."""
    cos, sin = math.cos(frame.facing_rad), math.sin(frame.facing_rad)
    x_mm, y_mm = lies.x_mm - frame.x_mm, lies.y_mm - frame.y_mm
    turn = math.remainder(lies.facing_rad - frame.facing_rad, math.tau)
    return TerrainPlace(x_mm=cos * x_mm + sin * y_mm, y_mm=cos * y_mm - sin * x_mm, facing_rad=turn)


def measure_shift(one: TerrainPlace, other: TerrainPlace) -> tuple[float, float]:
    """Return how far apart two places are, mm, and by which angle one is turned from the other, radians."""
    away_mm = math.hypot(other.x_mm - one.x_mm, other.y_mm - one.y_mm)
    return away_mm, abs(math.remainder(other.facing_rad - one.facing_rad, math.tau))


def is_in_place(piece: Terrain, seen: TerrainPlace) -> bool:
    """Whether a piece lies where the game has it, as well as hands lay it."""
    away_mm, turned_rad = measure_shift(find_place(piece), seen)
    return away_mm <= IN_PLACE_MM and turned_rad <= IN_PLACE_RAD


def is_elsewhere(
    place: TerrainPlace, seen: TerrainPlace, *, mm: float = IN_PLACE_MM, rad: float = IN_PLACE_RAD
) -> bool:
    """Whether a piece surely lies elsewhere, by more than a length or an angle and more than sigma explains."""
    away_mm, turned_rad = measure_shift(place, seen)
    far = away_mm > max(mm, SURE_SIGMAS * math.hypot(place.sigma_mm, seen.sigma_mm))
    return far or turned_rad > max(rad, SURE_SIGMAS * math.hypot(place.sigma_rad, seen.sigma_rad))


def group_pieces(terrain: Sequence[Terrain]) -> dict[str, list[Terrain]]:
    """Return the pieces of each terrain feature by its id, the footprint first.

    Pieces whose ids begin with that of another on which they stand, such as ``ruin-walls`` of ``ruin``, belong to it.
    """
    features: dict[str, list[Terrain]] = {}
    for piece in sorted(terrain, key=lambda one: len(one.id)):
        owners = [one for one, pieces in features.items() if _is_part(piece, one, pieces[0])]
        features.setdefault(max(owners, key=len, default=piece.id), []).append(piece)
    return features


def move_pieces(terrain: Sequence[Terrain], ids: Collection[str], first: str, to: TerrainPlace) -> tuple[Terrain, ...]:
    """Return terrain with some pieces moved together, so that the first of them lies at a place.

    Raises:
        KeyError: there is no such piece.

    """
    at = next((find_place(piece) for piece in terrain if piece.id == first), None)
    if at is None:
        raise KeyError(first)
    return tuple(_move_piece(piece, at, to) if piece.id in ids else piece for piece in terrain)


def lay_as_seen(state: GameState) -> GameState:
    """Return the same game with its terrain where it was seen to lie, whatever people say of it yet."""
    if not state.shifted:
        return state
    return replace(state, terrain=_shift_pieces(state.terrain, tuple(state.shifted.items())))


@lru_cache(maxsize=4)  # asked for by eyes and pages with every picture
def _shift_pieces(terrain: tuple[Terrain, ...], shifted: tuple[tuple[str, TerrainPlace], ...]) -> tuple[Terrain, ...]:
    features = group_pieces(terrain)
    for first, place in shifted:
        ids = {piece.id for piece in features.get(first, ())} | {first}
        terrain = move_pieces(terrain, ids, first, place)
    return terrain


def _move_piece(piece: Terrain, at: TerrainPlace, to: TerrainPlace) -> Terrain:
    turn = math.remainder(to.facing_rad - at.facing_rad, math.tau)
    cos, sin = math.cos(turn), math.sin(turn)
    moved = ((x - at.x_mm, y - at.y_mm) for x, y in piece.outline_mm)
    outline = tuple(
        (round(to.x_mm + cos * x - sin * y, PLACES), round(to.y_mm + sin * x + cos * y, PLACES)) for x, y in moved
    )
    return replace(piece, outline_mm=outline, facing_rad=math.remainder(piece.facing_rad + turn, math.tau))


def _is_part(piece: Terrain, feature: str, footprint: Terrain) -> bool:
    """Return whether a piece is a feature's, not its twin's, nor another one whose name merely begins so."""
    rest = piece.id.removeprefix(feature)
    if rest == piece.id or not rest.startswith("-") or f"{rest}-".startswith(f"{TWIN}-"):
        return False
    middle = shapely.Polygon(piece.outline_mm).representative_point()
    return bool(shapely.Polygon(footprint.outline_mm).buffer(1.0).covers(middle))
