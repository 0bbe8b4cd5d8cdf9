"""Facing search: where a base may be at some facing, as regions that grow.

How much room a base has, its least clearance from all that it keeps to, changes by no more than it is moved, and with a
turn by no more than its furthest point moves.  So the room at one place and facing tells something of all places and
facings around it: a square of places is legal if the room at its middle is as great as the square's half diagonal, and
a square with a range of facings is not if so much is missing.  Of what neither decides, the quarters of the square are
asked, with either half of the range; at last the squares are smaller than the error allowed, and their middles stand
for them.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from assistant.geometry.clearance.shape_arrays import Flags, Ints
from assistant.geometry.orientation.contours import trace_contours
from assistant.geometry.shapes.convex import Array
from assistant.geometry.shapes.overlays import intersect, subtract, unite
from assistant.geometry.shapes.polygons import extract_polygons

ERROR_MM = 0.5
"""The greatest width of what the search leaves open."""
_LEVELS = 6
"""How often squares are quartered."""
_FIRST_LEVELS = 3
"""How often before what has been found is told for the first time."""
_MOST_SQUARES = 2_000
"""Of the greatest squares: where there would be more, the error grows."""
_MOST_FACINGS = 8_000_000
"""Of all squares together: before there are more the search ends, and the error is greater."""
_SPREAD = 0.5
"""How much the room may change over a range of facings, by how much it does over a square, for it not to be halved."""
_SLACK_MM = 0.02
"""So much room may be overlooked for want of the right facing."""


@dataclass(slots=True, kw_only=True)
class Stances:
    """Places of a base, each with facings, and the least room that has been found at them so far."""

    places: Array
    """(k, 2)."""
    owners: Ints
    """(m,): which place each facing belongs to; in order."""
    facings: Array
    """(m,)."""
    enough_mm: float
    """Where there is more room than that it does not matter how much."""
    floor_mm: float
    """Nor where there is less than that."""
    rooms: Array = field(init=False)
    """(m,): infinite where nothing is near."""

    def __post_init__(self) -> None:
        self.rooms = np.full(len(self.owners), np.inf)

    def select(self, near: Flags) -> Ints:
        """Return the facings that are still in question at some of the places."""
        return np.flatnonzero(near[self.owners] & (self.rooms > self.floor_mm))

    def lower(self, of: Ints, rooms: Array) -> None:
        """Take note of how much room there is at some of the facings, by one of the things that leave it."""
        self.rooms[of] = np.minimum(self.rooms[of], rooms)


Room = Callable[[Stances], None]
"""Lowers how much room a base has at places and facings, negative where not enough: to no more than there is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FacingConstraint:
    """Where a base may be."""

    room: Room
    closed: tuple[BaseGeometry, ...] = ()
    """Areas in which it may not be at any facing."""
    touched: tuple[BaseGeometry, ...] = ()
    """Areas outside of which it may be at any facing; in one alone, and not in a closed one, it may be at some."""
    doubtful: tuple[BaseGeometry, ...] = ()
    """Areas outside of which it may be at any facing."""

    def combine(self, other: "FacingConstraint") -> "FacingConstraint":
        """Return what holds where both do."""

        def room(stances: Stances) -> None:
            self.room(stances)
            other.room(stances)

        return FacingConstraint(
            room=room,
            closed=self.closed + other.closed,
            touched=self.touched + other.touched,
            doubtful=self.doubtful + other.doubtful,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FacingRange:
    """The facings that are searched."""

    middle_rad: float
    half_rad: float
    turn_mm: float
    """How much the room changes with a turn of one radian at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FacingRegion:
    """Where a base may be at some facing."""

    inner: shapely.MultiPolygon
    """It may be here."""
    error_mm: float
    """No disc of a greater diameter of other places at which it may be is left out."""


def search_facings(
    legal: FacingConstraint, places: BaseGeometry, facings: FacingRange, *, error_mm: float = ERROR_MM
) -> Iterator[FacingRegion]:
    """Yield where a base may be at some facing within certain places: first what is told at once, then more and more.

    Args:
        legal: How much room it has.
        places: Polygons.
        facings: What is searched.
        error_mm: How much the last region may leave out.

    """
    open_places = extract_polygons(subtract(places, unite(_select_meeting(legal.closed, places))))
    if open_places.is_empty:
        yield FacingRegion(inner=shapely.MultiPolygon(), error_mm=error_mm)
        return
    touched = np.array(_select_meeting(legal.touched, open_places), dtype=object)
    one, two = shapely.STRtree(touched).query(touched, predicate="intersects")
    crossed = shapely.intersection(touched[one[one < two]], touched[two[one < two]])
    doubtful = unite([*crossed, *_select_meeting(legal.doubtful, open_places)])
    inner = extract_polygons(subtract(open_places, doubtful))
    asked = extract_polygons(intersect(open_places, doubtful))
    if asked.is_empty:
        yield FacingRegion(inner=inner, error_mm=error_mm)
        return
    yield FacingRegion(inner=inner, error_mm=_bound_width_mm(asked))
    for found, left_mm in _search_squares(legal.room, asked, facings, error_mm):
        inner = extract_polygons(unite([inner, intersect(extract_polygons(found), open_places)]))
        yield FacingRegion(inner=inner, error_mm=left_mm)


def _select_meeting(areas: tuple[BaseGeometry, ...], places: BaseGeometry) -> list[BaseGeometry]:
    window = shapely.box(*places.bounds)
    return [area for area in areas if shapely.intersects(area, window)]


def _bound_width_mm(region: BaseGeometry) -> float:
    """Return what no disc in a region is wider than."""
    left, low, right, high = shapely.bounds(shapely.get_parts(region)).T
    return float(np.minimum(right - left, high - low).max(initial=0.0))


# -- squares


@dataclass(slots=True, kw_only=True)
class _Squares:
    """Squares of places of one size, by row and column of a grid, with the facings that are still asked about."""

    at: Ints
    """(k, 2): column and row."""
    owners: Ints
    """(m,): the square of each facing; in order."""
    facings: Array
    """(m,): the middles of their ranges."""


def _search_squares(
    room: Room, asked: BaseGeometry, facings: FacingRange, error_mm: float
) -> Iterator[tuple[BaseGeometry, float]]:
    """Yield the legal part of some places, and how wide a disc of what is left out is at most."""
    left, low, right, high = asked.bounds
    finest = error_mm / math.sqrt(2)
    size = finest * 2**_LEVELS
    many = (right - left) * (high - low) / size**2 / _MOST_SQUARES
    size *= math.sqrt(max(many, 1.0))
    origin = np.array((left - size, low - size))
    squares, half_rad = _lay_squares(asked, origin, size, facings)
    known: list[tuple[Ints, float]] = []
    for level in range(_LEVELS + 1):
        middles = origin + (squares.at + 0.5) * size
        around, spread = size / math.sqrt(2), facings.turn_mm * half_rad
        is_last = level == _LEVELS or 8 * len(squares.owners) > _MOST_FACINGS
        rooms = _measure_rooms(room, middles, squares, around, -spread if is_last else -around - spread)
        if is_last:
            best, spread = _refine_facings(room, middles, squares, rooms, replace(facings, half_rad=half_rad))
            known.append((squares.at[best >= 0], size))
            yield _draw(origin, size, known, (squares.at, best)), size * math.sqrt(2) + 2 * max(spread - _SLACK_MM, 0.0)
            return
        legal = _take_most(rooms, squares.owners, len(squares.at)) >= around
        known.append((squares.at[legal], size))
        if level == _FIRST_LEVELS:
            yield _draw(origin, size, known, None), _bound_width_mm(asked)
        kept = ~legal[squares.owners] & (rooms > -around - spread)
        split = spread > _SPREAD * around
        squares = _quarter(squares, kept, half_rad, split=split)
        half_rad = half_rad / 2 if split else half_rad
        size /= 2
        if level in (1, 3):
            squares = _drop_beyond(squares, asked, origin, size)


def _lay_squares(asked: BaseGeometry, origin: Array, size: float, facings: FacingRange) -> tuple[_Squares, float]:
    """Return the squares of a size that cover some places, with facings all around, and half the range of each."""
    _, _, right, high = asked.bounds
    columns, rows = (math.ceil((end - begin) / size) + 1 for end, begin in zip((right, high), origin, strict=True))
    at = np.stack(np.meshgrid(np.arange(columns), np.arange(rows), indexing="ij"), axis=-1).reshape(-1, 2)
    count = max(2, math.ceil(2 * facings.half_rad * facings.turn_mm / (size * math.sqrt(2))))
    count = min(count, 64)
    half_rad = facings.half_rad / count
    tried = facings.middle_rad + half_rad * (2 * np.arange(count) + 1 - count)
    found = _drop_beyond(_Squares(at=at, owners=np.arange(len(at)), facings=np.zeros(len(at))), asked, origin, size)
    number = len(found.at)
    return (
        _Squares(at=found.at, owners=np.repeat(np.arange(number), count), facings=np.tile(tried, number)),
        half_rad,
    )


def _drop_beyond(squares: _Squares, asked: BaseGeometry, origin: Array, size: float) -> _Squares:
    """Return the squares that meet some places, or have neighbours that do."""
    shapely.prepare(asked)
    corner = origin + squares.at * size
    boxes = shapely.box(*(corner - size / 2).T, *(corner + 1.5 * size).T)
    return _choose(squares, np.asarray(shapely.intersects(asked, boxes)), None)


def _choose(squares: _Squares, chosen: Flags, kept: Flags | None) -> _Squares:
    """Return some of the squares, and of these the facings to keep."""
    held = chosen[squares.owners] if kept is None else chosen[squares.owners] & kept
    number = np.cumsum(chosen) - 1
    return _Squares(at=squares.at[chosen], owners=number[squares.owners[held]], facings=squares.facings[held])


def _quarter(squares: _Squares, kept: Flags, half_rad: float, *, split: bool) -> _Squares:
    """Return the quarters of the squares that have facings to keep, with either half of each of these."""
    chosen = np.zeros(len(squares.at), dtype=bool)
    chosen[squares.owners[kept]] = True
    found = _choose(squares, chosen, kept)
    owners, facings = found.owners, found.facings
    if split:
        owners = np.repeat(owners, 2)
        facings = np.repeat(facings, 2) + np.tile((-half_rad / 2, half_rad / 2), len(found.facings))
    count = len(found.at)
    corners = np.array(((0, 0), (0, 1), (1, 0), (1, 1)))
    at = (2 * found.at[:, None] + corners).reshape(-1, 2)
    starts = np.searchsorted(owners, np.arange(count + 1))
    numbers = np.diff(starts)
    quarters = np.repeat(np.arange(count), 4)
    sizes = numbers[quarters]
    begins = np.repeat(starts[quarters] - np.concatenate(((0,), np.cumsum(sizes)[:-1])), sizes)
    return _Squares(
        at=at, owners=np.repeat(np.arange(4 * count), sizes), facings=facings[begins + np.arange(sizes.sum())]
    )


def _measure_rooms(room: Room, places: Array, squares: _Squares, enough_mm: float, floor_mm: float) -> Array:
    stances = Stances(
        places=places, owners=squares.owners, facings=squares.facings, enough_mm=enough_mm, floor_mm=floor_mm
    )
    room(stances)
    return stances.rooms


def _refine_facings(
    room: Room, middles: Array, squares: _Squares, rooms: Array, facings: FacingRange
) -> tuple[Array, float]:
    """Return the room at the middles of squares, and how much may be overlooked.

    The ranges of facings are halved until that is little.
    """
    best, number = _take_most(rooms, squares.owners, len(squares.at)), np.arange(len(squares.at))
    half_rad, turn_mm = facings.half_rad, facings.turn_mm
    while turn_mm * half_rad > _SLACK_MM:
        kept = (best[number][squares.owners] < 0) & (rooms + turn_mm * half_rad > 0)
        if not kept.any():
            return best, 0.0
        if 2 * np.count_nonzero(kept) > _MOST_FACINGS:
            break
        chosen = np.zeros(len(squares.at), dtype=bool)
        chosen[squares.owners[kept]] = True
        squares, number, half_rad = _choose(squares, chosen, kept), number[chosen], half_rad / 2
        squares.owners = np.repeat(squares.owners, 2)
        squares.facings = np.repeat(squares.facings, 2) + np.tile((-half_rad, half_rad), len(squares.facings))
        rooms = _measure_rooms(room, middles[number], squares, _SLACK_MM, -turn_mm * half_rad)
        best[number] = np.maximum(best[number], _take_most(rooms, squares.owners, len(number)))
    return best, turn_mm * half_rad


def _take_most(values: Array, owners: Ints, count: int) -> Array:
    """Return the greatest of the values of each owner; these come in order."""
    most = np.full(count, -np.inf)
    if len(owners):
        starts = np.flatnonzero(np.diff(owners, prepend=-1))
        most[owners[starts]] = np.maximum.reduceat(values, starts)
    return most


def _draw(origin: Array, size: float, known: list[tuple[Ints, float]], last: tuple[Ints, Array] | None) -> BaseGeometry:
    """Return the legal squares, and around legal middles of the last ones as far as there is room."""
    sized = [(at, round(of / size)) for at, of in known if len(at)]
    if not sized:
        return shapely.MultiPolygon()
    columns, rows = np.max([(at.max(axis=0) + 1) * times for at, times in sized], axis=0).tolist()
    legal = np.zeros((columns + 2, rows + 2), dtype=bool)
    for at, times in sized:
        block = np.zeros((-(-columns // times), -(-rows // times)), dtype=bool)
        block[at[:, 0], at[:, 1]] = True
        legal[1:-1, 1:-1] |= block.repeat(times, axis=0).repeat(times, axis=1)[:columns, :rows]
    shares = np.full(legal.shape, 0.5, dtype=np.float32)
    if last is not None:
        at, rooms = last
        is_legal = rooms >= 0
        shares[at[is_legal, 0] + 1, at[is_legal, 1] + 1] = rooms[is_legal] / size
    return trace_contours(legal, shares, origin, size)
