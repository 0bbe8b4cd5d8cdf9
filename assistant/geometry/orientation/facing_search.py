"""Facing search: where a base may be at some facing, as regions that grow.

How much room a base has, its least clearance from all that it keeps to, changes by no more than it is moved, and with a
turn by no more than its furthest point moves.  So the room at one place and facing tells something of all places and
facings around it: a square of places is legal if the room at its middle is as great as the square's half diagonal, and
a square with a range of facings is not if so much is missing.  Of what neither decides, the quarters of the square are
asked, with either half of the range; at last the squares are smaller than the error allowed, and their middles stand
for them.  What left enough room for all around is not measured again there, and of the last middles those at which not
even the disc within the base has room are left out, and the most promising facings are tried first.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

from assistant.geometry.clearance.shape_arrays import Flags, Ints
from assistant.geometry.orientation.contours import trace_contours
from assistant.geometry.orientation.separation import Turned
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
_SOON_SQUARES = 6_000
"""So many may be the first that are measured: that greater ones were would hardly have spared any."""
_MOST_RANGES = 64
"""Of facings, for each of the greatest squares."""
_MOST_FACINGS = 8_000_000
"""Of all squares together: before there are more the search ends, and the error is greater."""
_SPREAD = 0.5
"""How much the room may change over a range of facings, by how much it does over a square, for it not to be halved."""
_BLOCK = 64
"""So many places are looked at together, whether anything is near: all quarters of quarters of quarters of a square."""
_SLACK_MM = 0.02
"""So much room may be overlooked for want of the right facing."""


@dataclass(slots=True, kw_only=True)
class Stances:
    """Places of a base, each with facings, and the least room that has been found at them so far."""

    places: Array
    """(k, 2); best in an order in which those after each other are near to each other."""
    owners: Ints
    """(m,): which place each stance belongs to; in order."""
    facings: Array
    """(f,): those that are tried."""
    turns: Ints
    """(m,): which of them each stance has."""
    enough_mm: float
    """Where there is more room than that it does not matter how much."""
    floor_mm: float
    """Nor where there is less than that."""
    before: "Before | None" = None
    origins: Ints | None = None
    """(m,): which of those before each is near to."""
    rooms: Array = field(init=False)
    """(m,): infinite where nothing is near."""
    _starts: Ints = field(init=False)
    """(k + 1,): where the stances of each place begin."""
    _boxes: Array = field(init=False)
    """(4, blocks): around so many places after each other."""
    _apart: dict[object, tuple[Ints, NDArray[np.float32]]] = field(init=False, default_factory=dict)
    """How much room is left by some of the things, at some of the stances."""
    _scratch: NDArray[np.float32] = field(init=False)
    """(m,): the same of one thing, while those that come after are told."""

    def __post_init__(self) -> None:
        self._scratch = np.full(len(self.owners), -np.inf, dtype=np.float32)
        self.rooms = np.full(len(self.owners), np.inf)
        self._starts = np.searchsorted(self.owners, np.arange(len(self.places) + 1))
        blocks = np.arange(0, len(self.places), _BLOCK)
        if len(blocks):
            around = [function.reduceat(self.places.T, blocks, axis=1) for function in (np.minimum, np.maximum)]
            self._boxes = np.concatenate(around)
        else:
            self._boxes = np.empty((4, 0))

    def select_near(self, x_mm: float, y_mm: float, within_mm: float) -> Ints:
        """Return the stances that are still in question at the places within a distance of a point."""
        left, low, right, high = self._boxes
        ahead = np.maximum(np.maximum(left - x_mm, x_mm - right), 0.0)
        aside = np.maximum(np.maximum(low - y_mm, y_mm - high), 0.0)
        begins = _BLOCK * np.flatnonzero(ahead * ahead + aside * aside < within_mm * within_mm)
        at = list_ranges(begins, np.minimum(begins + _BLOCK, len(self.places)))
        away_x, away_y = self.places[at, 0] - x_mm, self.places[at, 1] - y_mm
        return self._select(at[away_x * away_x + away_y * away_y < within_mm * within_mm])

    def select(self, near: Flags) -> Ints:
        """Return the stances that are still in question at some of the places."""
        return self._select(np.flatnonzero(near))

    def _select(self, at: Ints) -> Ints:
        of = list_ranges(self._starts[at], self._starts[at + 1])
        return of[self.rooms[of] > self.floor_mm]

    def turn(self, of: Ints) -> Turned:
        """Return where the base is at some stances, and how it is turned."""
        return Turned(places=self.places[self.owners[of]], facings=self.facings, turns=self.turns[of])

    def lower_by(self, thing: object, of: Ints, measure: Callable[[Turned], Array]) -> None:
        """Take note of how much room a thing leaves at some of the stances, measured where it may be too little."""
        apart = self._recall(thing, of)
        asked = np.flatnonzero(apart < self.enough_mm)
        if len(asked):
            near = of[asked]
            apart[asked] = rooms = measure(self.turn(near))
            self.lower(near, rooms)
        self._apart[thing] = of, apart

    def _recall(self, thing: object, of: Ints) -> NDArray[np.float32]:
        """Return how much room a thing leaves at least at some of the stances, by what was measured before."""
        before = self.before
        known = None if before is None else before.stances._apart.get(thing)
        if before is None or known is None or self.origins is None:
            return np.full(len(of), -np.inf, dtype=np.float32)
        scratch, (measured, apart) = before.stances._scratch, known
        scratch[measured] = apart
        recalled: NDArray[np.float32] = scratch[self.origins[of]] - np.float32(before.moved_mm)
        scratch[measured] = -np.inf
        return recalled

    def lower(self, of: Ints, rooms: Array) -> None:
        """Take note of how much room there is at some of the stances, by one of the things that leave it."""
        self.rooms[of] = np.minimum(self.rooms[of], rooms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """What was measured nearby."""

    stances: Stances
    moved_mm: float
    """How much less room there may be here."""


def list_ranges(begins: Ints, ends: Ints) -> Ints:
    """Return the numbers from each begin up to its end, one range after the other."""
    sizes = ends - begins
    listed: Ints = np.repeat(begins - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
    return listed


Room = Callable[[Stances], None]
"""Lowers how much room a base has at places and facings, negative where not enough: to no more than there is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FacingConstraint:
    """Where a base may be."""

    room: Room
    ceiling: Room | None = None
    """The same where the base may not be at any facing, whatever its facing: to no less than there is at any."""
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

        def ceiling(stances: Stances) -> None:
            for each in (self.ceiling, other.ceiling):
                if each is not None:
                    each(stances)

        return FacingConstraint(
            room=room,
            ceiling=ceiling,
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
    for found, left_mm in _search_squares(legal, asked, facings, error_mm):
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
    """Squares of places of one size, by row and column of a grid, with the ranges of facings still asked about."""

    at: Ints
    """(k, 2): column and row."""
    owners: Ints
    """(m,): the square of each range; in order."""
    turns: Ints
    """(m,): which range it is, of as many as make up all that is searched."""
    origins: Ints
    """(m,): in which stance it was measured last, in a greater square or range."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ranges:
    """All facings, parted into ranges of one size."""

    facings: FacingRange
    count: int

    @property
    def half_rad(self) -> float:
        """Half the size of each."""
        return self.facings.half_rad / self.count

    @property
    def spread_mm(self) -> float:
        """How much the room changes within it at most, from its middle."""
        return self.facings.turn_mm * self.half_rad

    def find_middles(self, turns: Ints) -> Array:
        """Return the middles of some of the ranges."""
        middles: Array = self.facings.middle_rad + self.half_rad * (2 * turns + 1 - self.count).astype(float)
        return middles

    def halve(self) -> "_Ranges":
        """Return ranges of half the size: the halves of the n-th are the (2 n)-th and the one after it."""
        return replace(self, count=2 * self.count)


def _search_squares(
    legal: FacingConstraint, asked: BaseGeometry, facings: FacingRange, error_mm: float
) -> Iterator[tuple[BaseGeometry, float]]:
    """Yield the legal part of some places, and how wide a disc of what is left out is at most."""
    left, low, right, high = asked.bounds
    finest = error_mm / math.sqrt(2)
    size = finest * 2**_LEVELS
    many = (right - left) * (high - low) / size**2 / _MOST_SQUARES
    size *= math.sqrt(max(many, 1.0))
    origin = np.array((left - size, low - size))
    at, begun = _lay_squares(asked, origin, size)
    size /= 2**begun
    squares, ranges = _lay_facings(at, size, facings)
    known: list[tuple[Ints, float]] = []
    before: Before | None = None
    for level in range(begun, _LEVELS + 1):
        grid = _Grid(room=legal.room, origin=origin, size=size)
        around, spread = size / math.sqrt(2), ranges.spread_mm
        if level == _LEVELS or 8 * len(squares.owners) > _MOST_FACINGS:
            most, spread = _settle_middles(grid, squares, ranges, before, legal.ceiling)
            known.append((squares.at[most >= 0], size))
            yield _draw(origin, size, known, (squares.at, most)), size * math.sqrt(2) + 2 * max(spread - _SLACK_MM, 0.0)
            return
        stances = grid.measure(squares, ranges, before, enough_mm=around, floor_mm=-around - spread)
        rooms = stances.rooms
        most = _take_most(rooms, squares)
        known.append((squares.at[most >= around], size))
        if level == _FIRST_LEVELS:
            yield _draw(origin, size, known, None), _bound_width_mm(asked)
        # Of the last squares only the middles are asked about: these are half as far from that of the greater one.
        reach = around / 2 if level + 1 == _LEVELS else around
        kept = (most < around)[squares.owners] & (rooms > -reach - spread)
        kept &= (most < reach)[squares.owners] | (rooms == most[squares.owners])
        split = spread > _SPREAD * around
        squares = _quarter(squares, kept, split=split)
        ranges = ranges.halve() if split else ranges
        moved = around / 2 + spread - ranges.spread_mm
        size /= 2
        if level in (1, 3):
            squares = _choose(squares, _find_within(squares.at, asked, origin, size), None)
        before = Before(stances=stances, moved_mm=moved)


def _lay_squares(asked: BaseGeometry, origin: Array, size: float) -> tuple[Ints, int]:
    """Return the squares that cover some places, and how often those of a size are quartered for that."""
    _, _, right, high = asked.bounds
    columns, rows = (math.ceil((end - begin) / size) + 1 for end, begin in zip((right, high), origin, strict=True))
    at = np.stack(np.meshgrid(np.arange(columns), np.arange(rows), indexing="ij"), axis=-1).reshape(-1, 2)
    at, level = at[_find_within(at, asked, origin, size)], 0
    while level < _FIRST_LEVELS and 4 * len(at) <= _SOON_SQUARES:
        at, level = _quarter_places(at), level + 1
        at = at[_find_within(at, asked, origin, size / 2**level)]
    return at, level


def _lay_facings(at: Ints, size: float, facings: FacingRange) -> tuple[_Squares, _Ranges]:
    """Return squares of a size with facings all around, and the ranges of these."""
    count = max(2, math.ceil(2 * facings.half_rad * facings.turn_mm / (size * math.sqrt(2))))
    count, number = min(count, _MOST_RANGES), len(at)
    owners, turns = np.repeat(np.arange(number), count), np.tile(np.arange(count), number)
    return _Squares(at=at, owners=owners, turns=turns, origins=owners), _Ranges(facings=facings, count=count)


def _quarter_places(at: Ints) -> Ints:
    """Return the quarters of squares, four after each other."""
    quarters: Ints = (2 * at[:, None] + np.array(((0, 0), (0, 1), (1, 0), (1, 1)))).reshape(-1, 2)
    return quarters


def _find_within(at: Ints, asked: BaseGeometry, origin: Array, size: float) -> Flags:
    """Return which squares meet some places, or have neighbours that do."""
    shapely.prepare(asked)
    corner = origin + at * size
    found: Flags = np.asarray(shapely.intersects(asked, shapely.box(*(corner - size / 2).T, *(corner + 1.5 * size).T)))
    return found


def _choose(squares: _Squares, chosen: Flags, kept: Flags | None) -> _Squares:
    """Return some of the squares, and of these the facings to keep."""
    held = chosen[squares.owners] if kept is None else chosen[squares.owners] & kept
    number = np.cumsum(chosen) - 1
    return _Squares(
        at=squares.at[chosen],
        owners=number[squares.owners[held]],
        turns=squares.turns[held],
        origins=squares.origins[held],
    )


def _choose_facings(squares: _Squares, kept: Flags) -> _Squares:
    """Return squares with some of the facings."""
    return replace(squares, owners=squares.owners[kept], turns=squares.turns[kept], origins=squares.origins[kept])


def _split(squares: _Squares) -> _Squares:
    """Return squares with either half of each range of facings."""
    turns = np.repeat(2 * squares.turns, 2)
    turns[1::2] += 1
    return replace(squares, owners=np.repeat(squares.owners, 2), turns=turns, origins=np.repeat(squares.origins, 2))


def _quarter(squares: _Squares, kept: Flags, *, split: bool) -> _Squares:
    """Return the quarters of the squares that have facings to keep, with these or either half of each."""
    squares = replace(squares, origins=np.arange(len(squares.owners)))
    chosen = np.zeros(len(squares.at), dtype=bool)
    chosen[squares.owners[kept]] = True
    found = _choose(squares, chosen, kept)
    found = _split(found) if split else found
    count = len(found.at)
    starts = np.searchsorted(found.owners, np.arange(count + 1))
    of = list_ranges(np.repeat(starts[:-1], 4), np.repeat(starts[1:], 4))
    owners = np.repeat(np.arange(4 * count), np.repeat(np.diff(starts), 4))
    return _Squares(at=_quarter_places(found.at), owners=owners, turns=found.turns[of], origins=found.origins[of])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Grid:
    """Squares of a size, at whose middles room is measured."""

    room: Room
    origin: Array
    size: float

    def measure(
        self, squares: _Squares, ranges: _Ranges, before: Before | None, *, enough_mm: float, floor_mm: float
    ) -> Stances:
        """Return the room at the middles of squares and of their ranges of facings."""
        every = ranges.count <= len(squares.turns)
        stances = Stances(
            places=self.origin + (squares.at + 0.5) * self.size,
            owners=squares.owners,
            facings=ranges.find_middles(np.arange(ranges.count) if every else squares.turns),
            turns=squares.turns if every else np.arange(len(squares.turns)),
            enough_mm=enough_mm,
            floor_mm=floor_mm,
            before=before,
            origins=squares.origins,
        )
        self.room(stances)
        stances.before = None  # and what came before that
        return stances

    def bound(self, squares: _Squares, ceiling: Room | None) -> Array:
        """Return how much room there is at most at the middles of squares."""
        count = len(squares.at)
        stances = Stances(
            places=self.origin + (squares.at + 0.5) * self.size,
            owners=np.arange(count),
            facings=np.zeros(1),
            turns=np.zeros(count, dtype=np.intp),
            enough_mm=0.0,
            floor_mm=0.0,
        )
        if ceiling is not None:
            ceiling(stances)
        return stances.rooms


def _settle_middles(
    grid: _Grid, squares: _Squares, ranges: _Ranges, before: Before | None, ceiling: Room | None
) -> tuple[Array, float]:
    """Return the room at the middles of squares, only as far as it tells whether there is any; how much is overlooked.

    The facings that promise most come first; where they do not do all others, and ranges of them are halved until what
    may be overlooked is little.
    """
    most, number = np.full(len(squares.at), -np.inf), np.arange(len(squares.at))
    left = grid.bound(squares, ceiling) >= 0
    squares, number = _choose(squares, left, None), number[left]
    enough = grid.size / math.sqrt(2)
    if before is not None:
        hopes = before.stances.rooms[squares.origins]
        first = _choose_facings(squares, hopes == _take_most(hopes, squares)[squares.owners])
        stances = grid.measure(first, ranges, before, enough_mm=enough, floor_mm=-ranges.spread_mm)
        most[number] = _take_most(stances.rooms, first)
        left = most[number] < 0
        squares, number = _choose(squares, left, None), number[left]
    while len(squares.owners):
        stances = grid.measure(squares, ranges, before, enough_mm=enough, floor_mm=-ranges.spread_mm)
        most[number] = np.maximum(most[number], _take_most(stances.rooms, squares))
        kept = (most[number] < 0)[squares.owners] & (stances.rooms + ranges.spread_mm > 0)
        if ranges.spread_mm <= _SLACK_MM or 4 * np.count_nonzero(kept) > _MOST_FACINGS:
            return most, ranges.spread_mm
        left = np.zeros(len(squares.at), dtype=bool)
        left[squares.owners[kept]] = True
        squares = replace(squares, origins=np.arange(len(squares.owners)))
        squares, number, finer = _split(_split(_choose(squares, left, kept))), number[left], ranges.halve().halve()
        before = Before(stances=stances, moved_mm=ranges.spread_mm - finer.spread_mm)
        ranges, enough = finer, _SLACK_MM
    return most, 0.0


def _take_most(rooms: Array, squares: _Squares) -> Array:
    """Return the greatest room in each square."""
    most = np.full(len(squares.at), -np.inf)
    if len(rooms):
        starts = np.flatnonzero(np.diff(squares.owners, prepend=-1))
        most[squares.owners[starts]] = np.maximum.reduceat(rooms, starts)
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
