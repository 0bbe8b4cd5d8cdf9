"""Steiner points: places on the edges of areas that ways are led over before they are made exact.

They are called relays here.  The edges of areas are curves, straight or bent, and free where neither an obstacle nor
another area covers them.
"""

from dataclasses import dataclass

import numpy as np

from assistant.geometry.shapes.convex import Array, unit_vectors
from assistant.geometry.shortest_path.obstacles import Flags, Ints, ObstacleField
from assistant.geometry.shortest_path.tangents import Box
from assistant.geometry.shortest_path.weighted.areas import AreaArrays

_FINE_MM = 1.5
_COARSE_MM = 12.0
_GRADE = 4.0
"""Relays are as far apart as a quarter of their distance from the start, but for these two bounds."""
_BESIDE_MM = 1e-6
_SHORT_MM = 2e-6
_SECTIONS, _SECTION_ROUNDS = 16, 9
_LEVEL = 1e-9
"""Lines whose directions differ by no more cross nowhere."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EdgeCurves:
    """The straight edges and arcs of all parts of areas, counter-clockwise, (c,) each."""

    base_mm: Array
    """(c, 2) where an edge begins, or the centre of an arc."""
    radius_mm: Array
    """0 for edges."""
    angle: Array
    """An edge's heading, or the outward direction where an arc begins."""
    length_mm: Array
    part: Ints
    area: Ints

    def evaluate(self, curve: Ints, along_mm: Array) -> tuple[Array, Array, Array]:
        """Return the places some way along curves, their headings, and their bend: (m, 2) each."""
        radius, base = self.radius_mm[curve], self.base_mm[curve]
        bent = radius > 0
        curved = np.divide(1.0, radius, out=np.zeros(len(curve)), where=bent)
        toward = unit_vectors(self.angle[curve] + along_mm * curved)
        place = base + np.where(bent, radius, along_mm)[:, None] * toward
        heading = np.where(bent[:, None], np.column_stack((-toward[:, 1], toward[:, 0])), toward)
        return place, heading, -curved[:, None] * toward

    def intersect(self, one: Ints, two: Ints) -> tuple[Ints, Array]:
        """Return where curves cross others, none, one or two places each: the first curve again, and how far along."""
        bent_one, bent_two = self.radius_mm[one] > 0, self.radius_mm[two] > 0
        places = np.full((2, len(one), 2), np.nan)
        for cross, pair, first, second in (
            (self._cross_lines, ~bent_one & ~bent_two, one, two),
            (self._cross_line_with_circle, ~bent_one & bent_two, one, two),
            (self._cross_line_with_circle, bent_one & ~bent_two, two, one),
            (self._cross_circles, bent_one & bent_two, one, two),
        ):
            places[:, pair] = cross(first[pair], second[pair])
        curve, at = np.tile(one, 2), places.reshape(-1, 2)
        along, met = self._locate(curve, at)
        met &= self._locate(np.tile(two, 2), at)[1]
        return curve[met], along[met]

    def _cross_lines(self, one: Ints, two: Ints) -> Array:
        along, other = unit_vectors(self.angle[one]), unit_vectors(self.angle[two])
        lean, away = along[:, 0] * other[:, 1] - along[:, 1] * other[:, 0], self.base_mm[two] - self.base_mm[one]
        ahead = away[:, 0] * other[:, 1] - away[:, 1] * other[:, 0]
        ahead = np.divide(ahead, lean, out=np.full(len(one), np.nan), where=np.abs(lean) > _LEVEL)
        return np.asarray([self.base_mm[one] + ahead[:, None] * along, np.full((len(one), 2), np.nan)])

    def _cross_line_with_circle(self, line: Ints, circle: Ints) -> Array:
        along, away = unit_vectors(self.angle[line]), self.base_mm[circle] - self.base_mm[line]
        middle = (away * along).sum(axis=1)
        square = self.radius_mm[circle] ** 2 - (away**2).sum(axis=1) + middle**2
        half = np.sqrt(square, out=np.full(len(line), np.nan), where=square >= 0)
        return np.asarray([self.base_mm[line] + (middle + side * half)[:, None] * along for side in (-1, 1)])

    def _cross_circles(self, one: Ints, two: Ints) -> Array:
        away, radius = self.base_mm[two] - self.base_mm[one], self.radius_mm[one]
        apart = np.hypot(*away.T)
        share = apart**2 + radius**2 - self.radius_mm[two] ** 2
        share = np.divide(share, 2 * apart**2, out=np.full(len(one), np.nan), where=apart > 0)
        square = radius**2 - (share * apart) ** 2
        half = np.sqrt(square, out=np.full(len(one), np.nan), where=square >= 0)
        aside = np.column_stack((-away[:, 1], away[:, 0])) / np.maximum(apart, 1e-300)[:, None]
        return np.asarray(
            [self.base_mm[one] + share[:, None] * away + (side * half)[:, None] * aside for side in (-1, 1)]
        )

    def _locate(self, curve: Ints, at: Array) -> tuple[Array, Flags]:
        """Return how far along the lines or circles of curves places lie, and whether on the curves themselves."""
        away, radius, length = at - self.base_mm[curve], self.radius_mm[curve], self.length_mm[curve]
        turned = np.mod(np.arctan2(away[:, 1], away[:, 0]) - self.angle[curve] + _LEVEL, 2 * np.pi) - _LEVEL
        along = np.where(radius > 0, radius * turned, (away * unit_vectors(self.angle[curve])).sum(axis=1))
        return np.clip(along, 0.0, length), (along >= -_BESIDE_MM) & (along <= length + _BESIDE_MM)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SteinerPoints:
    """Places on curves in order, (r,) each, and the distinct points that they are."""

    curve: Ints
    along_mm: Array
    onward: Flags
    """Whether the curve is free and an area's edge from here to the next one."""
    point: Ints
    points_mm: Array
    """(n, 2)"""
    first: Ints
    """(n,) a relay at each point."""
    fixed: Flags
    """(n,) whether the point is a corner, not to be moved along the curve."""


def build_edge_curves(soil: AreaArrays) -> EdgeCurves:
    """Return the edges and arcs of areas."""
    return _build_curves(soil.field, soil.map_parts_to_areas())


def _build_curves(field: ObstacleField, area: Ints) -> EdgeCurves:
    """Return the edges and arcs of the obstacles of a field, or parts of areas; ``area`` is what each belongs to."""
    edges, arcs = field.edge_corners, np.flatnonzero(field.radii_mm > 0)
    normal = field.normals[edges]
    owner = field.owner[np.concatenate((edges, arcs))]
    return EdgeCurves(
        base_mm=np.concatenate(
            (field.centres_mm[edges] + field.radii_mm[edges, None] * normal, field.centres_mm[arcs])
        ),
        radius_mm=np.concatenate((np.zeros(len(edges)), field.radii_mm[arcs])),
        angle=np.concatenate((np.arctan2(normal[:, 0], -normal[:, 1]), field.cone_start[arcs])),
        length_mm=np.concatenate((field.lengths_mm[edges], field.radii_mm[arcs] * field.cone_width[arcs])),
        part=owner,
        area=area[owner],
    )


def find_notches(field: ObstacleField) -> Array:
    """Return the (m, 2) places where the boundaries of obstacles, or parts of areas, cross each other."""
    apart = np.abs(field.middles[:, None] - field.middles) - field.extents_mm[:, None] - field.extents_mm
    first, second = np.nonzero(np.triu(apart < 0, 1))
    curves = _build_curves(field, np.arange(len(field.counts)))
    order = np.argsort(curves.part, kind="stable")
    begins = np.searchsorted(curves.part[order], np.arange(len(field.counts) + 1))
    counts = np.diff(begins)
    pairs = counts[first] * counts[second]
    pair = np.repeat(np.arange(len(first)), pairs)
    nth = np.arange(len(pair)) - np.repeat(np.cumsum(pairs) - pairs, pairs)
    one = order[begins[first[pair]] + nth // counts[second[pair]]]
    two = order[begins[second[pair]] + nth % counts[second[pair]]]
    curve, along = curves.intersect(one, two)
    return curves.evaluate(curve, along)[0]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EdgeSurroundings:
    """What decides where the edges of areas are free."""

    soil: AreaArrays
    curves: EdgeCurves
    closed: ObstacleField
    """The start, as obstacle 0, and the obstacles."""
    box: Box

    def find_zones(self, curve: Ints, along: Array) -> Ints:
        """Return which areas places on curves are inside of, as bits; -1 where an obstacle or the area shuts it."""
        place, heading, _ = self.curves.evaluate(curve, along)
        outward = np.column_stack((heading[:, 1], -heading[:, 0]))
        own_area = (np.arange(len(curve)), self.curves.area[curve])
        inside = self.soil.find_containing(place)
        shut = inside[own_area] | self.soil.find_containing(place + _BESIDE_MM * outward)[own_area]
        shut |= ((place < np.array(self.box[:2]) - 1e-9) | (place > np.array(self.box[2:]) + 1e-9)).any(axis=1)
        shut |= self.closed.is_covered(place, np.full(len(place), -1))
        return np.where(shut, -1, inside @ (1 << np.arange(inside.shape[1], dtype=np.int64)))


def place_steiner_points(land: EdgeSurroundings, limit_mm: float) -> SteinerPoints:
    """Return relays on the free edges of areas that are no further from the start than a limit.

    Areas whose pace is 1 are crossed straight on and have relays only at their corners.
    """
    soil, curves, start = land.soil, land.curves, land.closed.centres_mm[0]
    placed = [_place_on_paced_curves(land, limit_mm), _place_at_sharp_corners(land), _place_at_inner_corners(land)]
    curve, along, corner = (np.concatenate(column) for column in zip(*placed, strict=True))
    order = np.lexsort((along, curve))
    curve, along, corner = curve[order], along[order], corner[order]
    place = curves.evaluate(curve, along)[0]
    near = np.hypot(*(place - start).T) <= limit_mm
    curve, along, corner, place = curve[near], along[near], corner[near], place[near]
    _, first, point = np.unique(np.round(place / 1e-7), axis=0, return_index=True, return_inverse=True)
    onward = np.zeros(len(curve), dtype=bool)
    paced = np.flatnonzero((curve[1:] == curve[:-1]) & (soil.pace[curves.area[curve[:-1]]] > 1))
    if len(paced):
        onward[paced] = land.find_zones(curve[paced], (along[paced] + along[paced + 1]) / 2) >= 0
    fixed = np.zeros(len(first), dtype=bool)
    fixed[point.ravel()[corner]] = True
    return SteinerPoints(
        curve=curve,
        along_mm=along,
        onward=onward,
        point=point.ravel(),
        points_mm=place[first],
        first=first,
        fixed=fixed,
    )


_Placed = tuple[Ints, Array, Flags]
"""Curves, places along them, and which of these are corners."""


def _place_on_paced_curves(land: EdgeSurroundings, limit_mm: float) -> _Placed:
    soil, curves, start = land.soil, land.curves, land.closed.centres_mm[0]
    paced = np.flatnonzero(soil.pace[curves.area] > 1)
    if not len(paced):
        return paced, np.empty(0), np.empty(0, dtype=bool)
    steps = np.maximum(np.ceil(curves.length_mm / _FINE_MM).astype(int), 2)[paced]
    curve = np.repeat(paced, steps + 1)
    nth = np.arange(len(curve)) - np.repeat(np.cumsum(steps + 1) - steps - 1, steps + 1)
    steps = np.repeat(steps, steps + 1)
    along = nth / steps * curves.length_mm[curve]
    zone = land.find_zones(curve, along)
    flips = np.flatnonzero((zone[1:] != zone[:-1]) & (curve[1:] == curve[:-1]))
    rim = _bisect_zone_changes(land, (curve[flips], along[flips], along[flips + 1], zone[flips]))
    place = curves.evaluate(curve, along)[0]
    distance = np.hypot(*(place - start).T)
    gap = np.clip(_measure_clearance(land, curve, place) / _GRADE, _FINE_MM, _COARSE_MM)
    passed = np.floor(np.cumsum(curves.length_mm[curve] / steps / gap))
    ends = (nth == 0) | (nth == steps)
    sharp = ends & (curves.radius_mm[curve] == 0)
    kept = (zone >= 0) & (distance <= limit_mm) & (ends | (np.diff(passed, prepend=-1.0) > 0))
    return (
        np.concatenate((curve[kept], curve[flips])),
        np.concatenate((along[kept], rim)),
        np.concatenate((sharp[kept], np.ones(len(flips), dtype=bool))),
    )


def _place_at_sharp_corners(land: EdgeSurroundings) -> _Placed:
    """Return the free sharp corners of areas whose pace is 1: each where the edge begins that follows it."""
    field, edges = land.soil.field, land.soil.field.edge_corners
    curve = np.flatnonzero((field.radii_mm[edges] == 0) & (land.soil.pace[land.curves.area[: len(edges)]] == 1))
    along = np.zeros(len(curve))
    free = land.find_zones(curve, along) >= 0
    return curve[free], along[free], np.ones(int(free.sum()), dtype=bool)


def _place_at_inner_corners(land: EdgeSurroundings) -> _Placed:
    """Return where a part of an area whose pace is 1 enters another of its parts, on the free side of that."""
    soil, curves = land.soil, land.curves
    several = (np.diff(soil.begins) > 1) & (soil.pace == 1)
    among = np.flatnonzero(several[curves.area])
    one, two = (column.ravel() for column in np.meshgrid(among, among, indexing="ij"))
    apart = (curves.area[one] == curves.area[two]) & (curves.part[one] != curves.part[two])
    curve, along = curves.intersect(one[apart], two[apart])
    before, after = np.maximum(along - _SHORT_MM, 0.0), np.minimum(along + _SHORT_MM, curves.length_mm[curve])
    zones = [land.find_zones(curve, at) for at in (along - 5 * _SHORT_MM, along + 5 * _SHORT_MM)]
    enters = (zones[0] >= 0) & (zones[1] < 0)
    leaves = (zones[1] >= 0) & (zones[0] < 0)
    curve = np.concatenate((curve[enters], curve[leaves]))
    return curve, np.concatenate((before[enters], after[leaves])), np.ones(len(curve), dtype=bool)


def _measure_clearance(land: EdgeSurroundings, curve: Ints, place: Array) -> Array:
    """Return how far places on curves are from the start and from all corners but those of their own area."""
    closed, soil = land.closed, land.soil
    centres = np.concatenate((closed.centres_mm, soil.field.centres_mm))
    radii = np.concatenate((closed.radii_mm, soil.field.radii_mm))
    owner = np.concatenate((np.full(len(closed.owner), -1), soil.map_parts_to_areas()[soil.field.owner]))
    away = np.hypot(place[:, :1] - centres[:, 0], place[:, 1:] - centres[:, 1]) - radii
    away[land.curves.area[curve][:, None] == owner] = np.inf
    return np.asarray(np.abs(away).min(axis=1))


def _bisect_zone_changes(land: EdgeSurroundings, spans: tuple[Ints, Array, Array, Ints]) -> Array:
    """Return where the zone of curves changes between two places, on a free side, by ever narrower sections.

    Before what is shut it stops a little short: legs that end there must not seem to enter an obstacle.
    """
    curve, low, high, zone = spans
    short = np.where(land.find_zones(curve, high) < 0, -_SHORT_MM, np.where(zone < 0, _SHORT_MM, 0.0))
    # Many places at once: what a call costs is more than what some more places add to it.
    nth = np.repeat(np.arange(len(curve)), _SECTIONS - 1)
    for _ in range(_SECTION_ROUNDS if len(curve) else 0):
        at = low[:, None] + (high - low)[:, None] * np.arange(1, _SECTIONS) / _SECTIONS
        alike = (land.find_zones(curve[nth], at.ravel()) == zone[nth]).reshape(at.shape)
        first = np.column_stack((~alike, np.ones(len(curve), dtype=bool))).argmax(axis=1)
        at, rows = np.column_stack((low, at, high)), np.arange(len(curve))
        low, high = at[rows, first], at[rows, first + 1]
    return np.where(zone >= 0, low, high) + short
