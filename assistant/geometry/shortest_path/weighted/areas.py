"""Cost areas: ground that costs, and what a straight line pays that runs through it, exactly.

A line's stay inside an area is worked out from its chords through the area's convex parts.  A line that only touches an
area is outside of it, unless it runs along a seam that two parts of the area share.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from assistant.geometry.shapes.convex import Array, ConvexSet
from assistant.geometry.shortest_path.obstacles import Flags, Ints, ObstacleField, build_field

TOUCH_MM = 1e-7
"""What dips no deeper than this into an area touches it."""
_SHORT_MM = 2e-6
"""Shorter stays inside an area, and shorter gaps between its parts, are rounding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CostArea:
    """Ground that costs: where the mover's centre counts as inside is the union of convex parts without ellipses.

    Parts may overlap, or touch along a seam: inside the union that costs nothing.  On the edge is outside.
    """

    parts: tuple[ConvexSet, ...]
    pace: float = 1.0
    """How many millimetres a millimetre inside counts for, 1 or more; where areas overlap the greatest counts."""
    up_mm: float = 0.0
    """What it costs to enter, ..."""
    down_mm: float = 0.0
    """... and to leave; where areas overlap each is paid for."""
    endable: bool = True
    """Whether a move may end inside."""

    def __post_init__(self) -> None:
        if self.pace < 1 or self.up_mm < 0 or self.down_mm < 0:
            raise ValueError("an area's pace is 1 or more, and its climbs are 0 or more")


_SEAM_MM = 1e-3
"""How wide what closes a seam is half-way along."""


def close_area(area: CostArea) -> list[ConvexSet]:
    """Return obstacles that keep ways out of an area: its parts, and over every seam of two a sliver.

    Obstacles that touch may be passed between.
    """
    if len(area.parts) == 1:
        return [*area.parts]
    sides = [
        (number, complex(*corner), complex(*following))
        for number, part in enumerate(area.parts)
        if part.radius_mm == 0 and len(part.corners_mm) > 2
        for corner, following in zip(
            part.corners_mm.tolist(), np.roll(part.corners_mm, -1, axis=0).tolist(), strict=True
        )
    ]
    seams = [
        (one[1], one[2])
        for one, two in combinations(sides, 2)
        if one[0] != two[0] and abs(one[1] - two[2]) < TOUCH_MM and abs(one[2] - two[1]) < TOUCH_MM
    ]
    slivers = []
    for begin, end in seams:
        middle, aside = (begin + end) / 2, 1j * (end - begin) * min(_SEAM_MM / 2 / abs(end - begin), _SEAM_MM)
        ring = np.array([begin, middle - aside, end, middle + aside])
        slivers.append(ConvexSet(corners_mm=np.column_stack((ring.real, ring.imag))))
    return [*area.parts, *slivers]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AreaArrays:
    """Areas as arrays."""

    field: ObstacleField
    """All parts, area after area."""
    each: tuple[ObstacleField, ...]
    """The parts of each area."""
    begins: Ints
    """(a + 1,) the first part of each area, and the count of parts."""
    pace: Array
    up_mm: Array
    down_mm: Array
    """(a,)"""

    def map_parts_to_areas(self) -> Ints:
        """Return which area each part belongs to."""
        return np.repeat(np.arange(len(self.pace)), np.diff(self.begins))

    def is_level(self) -> bool:
        """Return whether a millimetre counts for one everywhere."""
        return bool((self.pace == 1).all())

    def list_climbed(self) -> Ints:
        """Return the areas that cost a climb."""
        return np.flatnonzero((self.up_mm > 0) | (self.down_mm > 0))

    def find_containing(self, points: Array) -> Flags:
        """Return which areas each of (m, 2) points lies inside, deeper than touching one part, (m, a)."""
        inside, nobody = np.zeros((len(points), len(self.each)), dtype=bool), np.full(len(points), -1)
        for area, parts in enumerate(self.each):
            inside[:, area] = parts.is_covered(points, nobody)
        return inside

    def find_pace(self, inside: Flags) -> Array:
        """Return what a millimetre counts for inside of some areas, flags (m, a)."""
        pace: Array = np.where(inside, self.pace, 1.0).max(axis=1, initial=1.0)
        return pace


def build_area_arrays(areas: Sequence[CostArea]) -> AreaArrays:
    """Return areas as arrays."""
    return AreaArrays(
        field=build_field([part for area in areas for part in area.parts]),
        each=tuple(build_field(area.parts) for area in areas),
        begins=np.concatenate(([0], np.cumsum([len(area.parts) for area in areas], dtype=np.intp))),
        pace=np.array([area.pace for area in areas]),
        up_mm=np.array([area.up_mm for area in areas]),
        down_mm=np.array([area.down_mm for area in areas]),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AreaCrossings:
    """Where straight legs enter and leave areas."""

    length_mm: Array
    """(m,)"""
    at_mm: Array
    """(m, e) how far along, ascending for each area; infinite where nothing happens."""
    change: Ints
    """(m, e) 1 where the leg enters, -1 where it leaves, or 0."""
    area: Ints
    """(e,)"""
    begins_inside: Flags
    ends_inside: Flags
    """(m, a)"""

    def is_crossed_midway(self) -> Flags:
        """Return which changes come on the way, not at either end, (m, e)."""
        passed = (self.at_mm > _SHORT_MM) & (self.at_mm < self.length_mm[:, None] - _SHORT_MM)
        return np.asarray((self.change != 0) & passed)


_MOST_PAIRS = 1_000_000
"""So many legs and corners are held against each other at once: each pair takes some hundred bytes."""


def find_area_crossings(soil: AreaArrays, first: Array, last: Array) -> AreaCrossings:
    """Return where legs between (m, 2) places enter and leave areas."""
    step = last - first
    length = np.hypot(step[:, 0], step[:, 1])
    heading = np.divide(step, length[:, None], out=np.zeros_like(step), where=length[:, None] > 0)
    size = max(_MOST_PAIRS // max(len(soil.field.centres_mm), 1), 1)
    blocks = [slice(begin, begin + size) for begin in range(0, max(len(first), 1), size)]
    clipped = [_clip_to_parts(soil.field, first[block], heading[block], length[block]) for block in blocks]
    chords, through, left, right = (np.concatenate(each) for each in zip(*clipped, strict=True))
    columns, count = [], len(soil.pace)
    begins_inside, ends_inside = np.zeros((2, len(first), count), dtype=bool)
    for area in range(count):
        parts = slice(soil.begins[area], soil.begins[area + 1])
        at, change = _join_met_chords(chords[:, parts], through[:, parts], left[:, parts], right[:, parts])
        begins_inside[:, area] = ((change > 0) & (at <= _SHORT_MM)).any(axis=1)
        ends_inside[:, area] = ((change < 0) & (at >= (length - _SHORT_MM)[:, None])).any(axis=1)
        columns.append((at, change, np.full(at.shape[1], area)))
    none = (np.empty((len(first), 0)), np.empty((len(first), 0), dtype=np.intp), np.empty(0, dtype=np.intp))
    at, change, owner = (np.concatenate(column, axis=-1) for column in zip(none, *columns, strict=True))
    return AreaCrossings(
        length_mm=length,
        at_mm=np.where(change != 0, at, np.inf),
        change=change,
        area=owner,
        begins_inside=begins_inside,
        ends_inside=ends_inside,
    )


def _clip_to_parts(
    field: ObstacleField, first: Array, heading: Array, length: Array
) -> tuple[Array, Flags, Flags, Flags]:
    """Return where legs are inside each part, (m, p, 2), and whether they go through it or touch its left or right.

    What is clipped to nothing, or not met, is all false.
    """
    x, y = field.middles_mm[:, 0] - first[:, :1], field.middles_mm[:, 1] - first[:, 1:]
    along, beside = x * heading[:, :1] + y * heading[:, 1:], x * heading[:, 1:] - y * heading[:, :1]
    near = (np.abs(beside) < field.extents_mm + TOUCH_MM) & (along > -field.extents_mm)
    leg, part = np.nonzero(near & (along - field.extents_mm < length[:, None]))
    chord = np.zeros((len(first), len(field.counts), 2))
    flags = np.zeros((3, len(first), len(field.counts)), dtype=bool)
    if not len(leg):
        return chord, flags[0], flags[1], flags[2]
    counts = field.counts[part]
    starts = np.cumsum(counts) - counts
    pair = np.repeat(np.arange(len(part)), counts)
    corner = np.arange(len(pair)) + (field.begins[part] - starts)[pair]
    ways, over, under = _intersect_corners(field, corner, first[leg[pair]], heading[leg[pair]])
    low, high = np.minimum.reduceat(ways[0], starts), np.maximum.reduceat(ways[1], starts)
    top, bottom = np.maximum.reduceat(over, starts), np.minimum.reduceat(under, starts)
    low, high = np.maximum(low, 0.0), np.minimum(high, length[leg])
    met = high - low > np.minimum(_SHORT_MM, length[leg] / 2)
    chord[leg, part] = np.column_stack((low - _SHORT_MM / 4, high + _SHORT_MM / 4))
    flags[0, leg, part] = met & (top > TOUCH_MM) & (bottom < -TOUCH_MM)
    flags[1, leg, part] = met & (top <= TOUCH_MM)
    flags[2, leg, part] = met & (bottom >= -TOUCH_MM)
    return chord, flags[0], flags[1], flags[2]


def _intersect_corners(
    field: ObstacleField, corner: Ints, first: Array, heading: Array
) -> tuple[tuple[Array, Array], Array, Array]:
    """Return where lines meet the disc around each corner or the edge after it, and how far these reach to the right.

    First and last place along, infinite where they do not meet; greatest and least distance to the right.
    """
    radius, (u, v) = field.radii_mm[corner], heading.T
    x, y = (field.centres_mm[corner] - first).T
    along, beside = x * u + y * v, x * v - y * u
    half = np.sqrt(np.maximum(radius**2 - beside**2, 0.0))
    there = np.abs(beside) <= radius + TOUCH_MM
    low, high = np.where(there, along - half, np.inf), np.where(there, along + half, -np.inf)
    over, under = beside + radius, beside - radius
    if not len(field.edge_corners):
        return (low, high), over, under
    x, y = (field.centres_mm[corner] + radius[:, None] * field.normals[corner] - first).T
    begin, level = x * u + y * v, x * v - y * u
    x, y = (-field.normals[corner, 1], field.normals[corner, 0]) * field.lengths_mm[corner]
    ahead, rise = x * u + y * v, x * v - y * u
    for at, height in ((begin, level), (begin + ahead, level + rise)):
        touched = (np.abs(height) <= TOUCH_MM) & (field.lengths_mm[corner] > 0)
        low, high = np.where(touched, np.minimum(low, at), low), np.where(touched, np.maximum(high, at), high)
    crossed = level * (level + rise) < 0
    at = begin + np.divide(-level, rise, out=np.zeros_like(level), where=crossed) * ahead
    return (np.where(crossed, np.minimum(low, at), low), np.where(crossed, np.maximum(high, at), high)), over, under


def _join_met_chords(chords: Array, through: Flags, left: Flags, right: Flags) -> tuple[Array, Ints]:
    """Return what `_join_chords` does, worked out for the lines alone that meet a part."""
    met = np.flatnonzero((through | left | right).any(axis=1))
    at = np.zeros((len(chords), 2 * chords.shape[1]))
    change = np.zeros(at.shape, dtype=np.intp)
    at[met], change[met] = _join_chords(chords[met], through[met], left[met], right[met])
    return at, change


def _join_chords(chords: Array, through: Flags, left: Flags, right: Flags) -> tuple[Array, Ints]:
    """Return where lines enter and leave the union of some parts, in order: (m, 2 k) places and changes."""
    count = chords.shape[1]
    if count == 1:
        signs = np.array([1, -1]) * through
        return chords[:, 0], signs.astype(np.intp)
    at = np.concatenate((chords[..., 0], chords[..., 1]), axis=1)
    order = np.argsort(at, axis=1, kind="stable")
    depth = [
        np.cumsum(np.take_along_axis(np.concatenate((f, -f), axis=1), order, axis=1), axis=1)
        for f in (through.astype(np.intp), left.astype(np.intp), right.astype(np.intp))
    ]
    inside = (depth[0] > 0) | ((depth[1] > 0) & (depth[2] > 0))
    change = inside.astype(np.intp)
    change[:, 1:] -= inside[:, :-1]
    return np.take_along_axis(at, order, axis=1), change
