"""Obstacle field: convex obstacles among which a point moves, and where rays meet them.

Every obstacle is convex.  Its boundary is a chain of arcs, with straight edges between them or none; an arc lies around
a corner, and covers the range of directions (its cone) in which it is the furthest.  A polygon grown by a disc has one
around each of its own corners, and all of the same radius; for ellipses see `arc_splines`.  A single point grown by
nothing is an obstacle too: that is how starts take part.

What dips no deeper than `TOUCH_MM` into an obstacle only touches it.  So rays are held against what is left of the
obstacles that much further in: a ray along a side, or past a corner, meets nothing whatever the last digits of its
direction say, for these lead it by a depth and not by an angle.

Places and directions are complex numbers here, x + iy: for a unit n, ``z * n.conj()`` has how far z goes along n as its
real part, and how far it lies to the left of n as its imaginary part.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray

from assistant.geometry.shapes.convex import Array, Complexes, ConvexSet, unit_vectors
from assistant.geometry.shortest_path.arc_splines import ERROR_MM, trace_boundary

Ints = NDArray[np.intp]
Flags = NDArray[np.bool_]

TOUCH_MM = 1e-7
"""What dips no deeper than this into an obstacle touches it."""
ANGLE = 1e-12
_BESIDE_MM = 1e-9
_BESIDE_RAD = 1e-6
"""A ray meets an arc, too, so little outside of its cone: the arc's circle has not left the obstacle there."""
_ROUNDING_MM = 1e-11
"""How far rounding takes a ray up or down: the flatter it meets an edge, the further along that."""
_PLANE = np.array([1.0, 1j])
"""Makes points into complex numbers."""
_AT_ONCE = 4_000_000
"""So many corners are looked at in one go: a gigabyte of numbers, about."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ObstacleField:
    """The corners of all obstacles, obstacle after obstacle, counter-clockwise."""

    centres: Complexes
    """(n,)"""
    radii_mm: Array
    """(n,)"""
    owner: Ints
    """(n,) which obstacle a corner belongs to."""
    following: Ints
    """(n,) the next corner of the same obstacle."""
    lows: Complexes
    """(n,) where the cones begin, as directions; 1 for discs, ..."""
    cone_width: Array
    """... and how wide they are, (n,)."""
    outward: Complexes
    """(n,) the outward normals of the edges that begin at the corners, which end the cones; 1 for discs, ..."""
    lengths_mm: Array
    """... and their lengths, (n,); 0 for discs, and where the next arc follows at once."""
    begins: Ints
    """(o,) the first corner of each obstacle, ..."""
    counts: Ints
    """... and how many it has."""
    middles: Complexes
    """(o,) the centre of a disc around each obstacle, ..."""
    extents_mm: Array
    """... and its radius, (o,)."""

    @property
    def centres_mm(self) -> Array:
        """The corners as (n, 2) points."""
        return self.centres.view(float).reshape(-1, 2)

    @property
    def middles_mm(self) -> Array:
        """The middles as (o, 2) points."""
        return self.middles.view(float).reshape(-1, 2)

    @property
    def normals(self) -> Array:
        """The outward normals as (n, 2) directions."""
        return self.outward.view(float).reshape(-1, 2)

    @property
    def cone_start(self) -> Array:
        """Where the cones begin, (n,) radians."""
        return np.asarray(np.angle(self.lows))

    @property
    def is_disc(self) -> Flags:
        """Which corners are the centres of discs, which have no cones, (n,)."""
        return np.asarray(self.counts[self.owner] == 1)

    @property
    def edge_corners(self) -> Ints:
        """The corners at which an edge begins: those of polygons."""
        return np.flatnonzero(self.lengths_mm)

    def find_boundary_points(self, corners: Ints, angles: Array) -> Array:
        """Return the (m, 2) boundary points of corners in outward directions."""
        points: Array = self.centres_mm[corners] + self.radii_mm[corners, None] * unit_vectors(angles)
        return points

    def select(self, keep: Flags) -> "ObstacleField":
        """Return the field of those obstacles that a mask (o,) keeps."""
        kept = keep[self.owner]
        corners = kept.nonzero()[0]
        place = kept.cumsum() - 1
        return ObstacleField(
            centres=self.centres[corners],
            radii_mm=self.radii_mm[corners],
            owner=(keep.cumsum() - 1)[self.owner[corners]],
            following=place[self.following[corners]],
            lows=self.lows[corners],
            cone_width=self.cone_width[corners],
            outward=self.outward[corners],
            lengths_mm=self.lengths_mm[corners],
            begins=place[self.begins[keep]],
            counts=self.counts[keep],
            middles=self.middles[keep],
            extents_mm=self.extents_mm[keep],
        )

    def combine(self, other: "ObstacleField") -> "ObstacleField":
        """Return the field of this one's obstacles and then the other's."""
        corners = len(self.owner)
        return ObstacleField(
            centres=np.concatenate((self.centres, other.centres)),
            radii_mm=np.concatenate((self.radii_mm, other.radii_mm)),
            owner=np.concatenate((self.owner, other.owner + len(self.begins))),
            following=np.concatenate((self.following, other.following + corners)),
            lows=np.concatenate((self.lows, other.lows)),
            cone_width=np.concatenate((self.cone_width, other.cone_width)),
            outward=np.concatenate((self.outward, other.outward)),
            lengths_mm=np.concatenate((self.lengths_mm, other.lengths_mm)),
            begins=np.concatenate((self.begins, other.begins + corners)),
            counts=np.concatenate((self.counts, other.counts)),
            middles=np.concatenate((self.middles, other.middles)),
            extents_mm=np.concatenate((self.extents_mm, other.extents_mm)),
        )

    def bound_distances_mm(self, place: tuple[float, float]) -> Array:
        """Return a lower bound of each obstacle's distance from a place, (o,)."""
        floor: Array = np.abs(self.middles - complex(*place)) - self.extents_mm
        return floor

    def measure_distances_mm(self, place: tuple[float, float]) -> Array:
        """Return how far each obstacle is from a place, (o,); negative for how deep it lies inside."""
        count = len(self.counts)
        return self.measure_separations_mm(np.full(count, complex(*place)), np.arange(count)) if count else np.empty(0)

    def is_covered(self, points: Array, owner: Ints) -> Flags:
        """Return which of (m, 2) points lie inside an obstacle other than their own, beyond touching it."""
        return self.is_covered_complex(complex_from_points(points), owner)

    def cast_rays(self, origins: Array, directions: Array, lengths_mm: Array, spare: Ints) -> tuple[Array, Ints]:
        """Return how far (m, 2) rays run until they enter an obstacle, and which one.

        Infinity and -1 where they enter none within their lengths (m,).  ``spare`` (m, 2) names two obstacles that each
        ray is known to touch only.  The origins lie outside of all others.
        """
        return self.cast_rays_complex(
            complex_from_points(origins), complex_from_points(directions), lengths_mm, spare[:, 0], spare[:, 1]
        )

    def is_covered_complex(self, points: Complexes, owner: Ints) -> Flags:
        """Return what `is_covered` does, of places as complex numbers."""
        near = np.abs(points[:, None] - self.middles) < self.extents_mm - TOUCH_MM
        near &= owner[:, None] != np.arange(len(self.counts))
        point, obstacle = np.nonzero(near)
        is_covered = np.zeros(len(points), dtype=bool)
        for pairs in self._split_pairs(point, obstacle):
            open_pairs = pairs[~is_covered[point[pairs]]]
            place = point[open_pairs]
            is_covered[place[self.is_inside_complex(points[place], obstacle[open_pairs])]] = True
        return is_covered

    def _split_pairs(self, point: Ints, obstacle: Ints) -> list[Ints]:
        """Return the places of all pairs in turns that fit into memory, in which every point has its next obstacles."""
        corners = int(self.counts[obstacle].sum())
        if corners <= _AT_ONCE:
            return [np.arange(len(point))]
        firsts = find_run_starts(point)
        turn = np.arange(len(point)) - np.repeat(firsts, np.diff(np.append(firsts, len(point))))
        return np.array_split(np.argsort(turn, kind="stable"), -(-corners // _AT_ONCE))

    def is_inside_complex(self, points: Complexes, obstacles: Ints) -> Flags:
        """Return which places lie inside one obstacle each, beyond touching it."""
        if not len(points):
            return np.zeros(0, dtype=bool)
        return self.measure_separations_mm(points, obstacles) < -TOUCH_MM

    def measure_separations_mm(self, points: Complexes, obstacles: Ints) -> Array:
        """Return how far (m,) places are from one obstacle each, (m,); negative for how deep inside."""
        place, corner, starts = self._list_corners(obstacles)
        away = points[place] - self.centres[corner]
        high = away * self.outward[corner].conj()
        in_cone = ((away * self.lows[corner].conj()).imag >= 0) & (high.imag <= 0) | self.is_disc[corner]
        # Ahead of an edge its normal is the direction of the greatest separation, in a cone the one from the corner.
        ahead = np.where(in_cone, np.abs(away), high.real) - self.radii_mm[corner]
        return np.asarray(np.maximum.reduceat(ahead, starts))

    def cast_rays_complex(
        self, origins: Complexes, headings: Complexes, lengths_mm: Array, one: Ints, two: Ints
    ) -> tuple[Array, Ints]:
        """Return what `cast_rays` does, of rays as complex numbers; ``one`` and ``two`` are spared, -1 for none."""
        ahead = (self.middles - origins[:, None]) * headings.conj()[:, None]
        along = ahead.real
        near = (np.abs(ahead.imag) < self.extents_mm - TOUCH_MM) & (along > -self.extents_mm)
        near &= along < lengths_mm[:, None] + self.extents_mm
        ray, obstacle = near.nonzero()
        met = ((obstacle != one[ray]) & (obstacle != two[ray])).nonzero()[0]
        ray, obstacle = ray[met], obstacle[met]
        reach, blocker = np.full(len(origins), np.inf), np.full(len(origins), -1)
        if len(ray):
            place, corner, starts = self._list_corners(obstacle)
            on = ray[place]
            entry = np.minimum.reduceat(self._measure_corner_entry(corner, origins[on], headings[on]), starts)
            firsts = find_run_starts(ray)
            reach[ray[firsts]] = np.minimum.reduceat(entry, firsts)
            nearest = ((entry == reach[ray]) & (entry < np.inf)).nonzero()[0]
            blocker[ray[nearest]] = obstacle[nearest]
        return reach, blocker

    def _list_corners(self, obstacles: Ints) -> tuple[Ints, Ints, Ints]:
        """Return all corners of a list of obstacles: the place in the list, the corner, and where each begins."""
        counts = self.counts[obstacles]
        ends = counts.cumsum()
        starts = ends - counts
        place = np.arange(len(obstacles)).repeat(counts)
        return place, np.arange(ends[-1]) + (self.begins[obstacles] - starts)[place], starts

    def _measure_corner_entry(self, corners: Ints, origins: Complexes, headings: Complexes) -> Array:
        """Return how far (k,) rays run until each is deeper than a touch in its corner's arc, or behind its edge."""
        away, normal = self.centres[corners] - origins, self.outward[corners].conj()
        radius, length = self.radii_mm[corners] - TOUCH_MM, self.lengths_mm[corners]
        ahead = away * headings.conj()
        along, beside = ahead.real, ahead.imag
        met = ((along > 0) & (np.abs(beside) < radius)).nonzero()[0]
        depth = along[met] - np.sqrt(radius[met] * radius[met] - beside[met] * beside[met])
        entry = np.full(len(corners), np.inf)
        on_arc = self._is_on_arc(corners[met], depth * headings[met] - away[met], depth)
        entry[met] = np.where(on_arc, np.maximum(depth, 0.0), np.inf)
        away, course = away * normal, headings * normal
        inward, height = -course.real, -away.real - radius
        enters = (inward > 0) & (height >= 0) & (length > 0)
        inward = np.where(enters, inward, 1.0)
        edge = height / inward
        walked, slack = edge * course.imag - away.imag, _BESIDE_MM + _ROUNDING_MM / inward
        low = high = -slack
        if (radius < 0).any():  # further in the edge of a sharp corner is shorter, by so much at either end
            following = self.following[corners]
            low = low - np.minimum(radius, 0.0) * np.tan(self.cone_width[corners] / 2)
            high = high - np.minimum(radius, 0.0) * np.tan(self.cone_width[following] / 2)
        enters &= (walked > low) & (walked < length - high)
        return np.asarray(np.where(enters, np.minimum(entry, edge), entry))

    def _is_on_arc(self, corners: Ints, away: Complexes, depths_mm: Array) -> Flags:
        """Return whether places where rays enter the circles around corners lie on the arcs.

        Args:
            corners: (m,)
            away: from them to the places.
            depths_mm: how far along the rays the places are; behind its origin none enters, save in a disc.

        """
        slack = _BESIDE_RAD * np.abs(away)
        low, high = (away * self.lows[corners].conj()).imag, (away * self.outward[corners].conj()).imag
        on_arc = (low >= -slack) & (high <= slack) & (depths_mm > -_BESIDE_MM)
        return np.asarray(on_arc | self.is_disc[corners])


def complex_from_points(points: Array) -> Complexes:
    """Return (m, 2) points as (m,) complex numbers."""
    return np.asarray(points[:, 0] + 1j * points[:, 1])


def find_run_starts(sorted_list: Ints) -> Ints:
    """Return where each value of a sorted list that is not empty stands first."""
    first = np.ones(len(sorted_list), dtype=bool)
    np.not_equal(sorted_list[1:], sorted_list[:-1], out=first[1:])
    return first.nonzero()[0]


def complex_from_angles(angles: Array) -> Complexes:
    """Return the (m,) unit directions of (m,) angles."""
    return np.asarray(np.exp(1j * angles))


def draw_inside(field: ObstacleField, error_mm: float, apart_mm: float) -> list[shapely.Polygon]:
    """Return polygons inside of obstacles, nowhere nearer to their edges than ``apart_mm``.

    Nor are they further, by much more than ``error_mm``, from the edge of an obstacle that is no needle.  Of one too
    thin there is none.
    """
    depths_mm = -field.measure_separations_mm(field.middles, np.arange(len(field.counts)))
    apart_mm += ERROR_MM  # by which the arcs of an oval may lie around it
    steps = 2 * np.arccos(1 - np.minimum(error_mm / np.maximum(field.radii_mm, error_mm), 1.0))
    counts = 1 + np.ceil(field.cone_width / steps).astype(np.intp)
    corner = np.repeat(np.arange(len(counts)), counts)
    nth = np.arange(len(corner)) - np.repeat(counts.cumsum() - counts, counts)
    turned = complex_from_angles(nth * (field.cone_width / np.maximum(counts - 1, 1))[corner]) * field.lows[corner]
    owner = field.owner[corner]
    away = field.centres[corner] + field.radii_mm[corner] * turned - field.middles[owner]
    drawn = field.middles[owner] + away * (1 - apart_mm / np.maximum(depths_mm, apart_mm))[owner]
    points = np.asarray(shapely.multipoints(drawn.view(float).reshape(-1, 2), indices=owner))
    return [hull for hull in map(shapely.convex_hull, points.tolist()) if isinstance(hull, shapely.Polygon)]


def build_field(obstacles: Sequence[ConvexSet]) -> ObstacleField:
    """Return the field of obstacles; ellipses are drawn by arcs around them, as `arc_splines` says."""
    curved = {index: trace_boundary(each) for index, each in enumerate(obstacles) if each.ellipses}
    rings = [each.corners_mm @ _PLANE for each in obstacles]
    for index, spline in curved.items():
        rings[index] = spline.centres
    centres = np.concatenate([np.empty(0, dtype=complex), *rings])
    radii_mm = np.array([obstacle.radius_mm for obstacle in obstacles], dtype=float)
    if len(centres) == len(obstacles):
        return build_disc_field(centres, radii_mm)
    counts = np.array([len(ring) for ring in rings], dtype=np.intp)
    begins = np.cumsum(counts) - counts
    radii_mm = np.repeat(radii_mm, counts)
    owner = np.repeat(np.arange(len(obstacles)), counts)
    following = np.arange(1, len(owner) + 1)
    following[begins + counts - 1] = begins
    along = centres[following] - centres
    lengths_mm = np.abs(along)
    normals = np.divide(-1j * along, lengths_mm, out=np.ones(len(owner), dtype=complex), where=lengths_mm > 0)
    for index, spline in curved.items():
        ring = slice(begins[index], begins[index] + counts[index])
        radii_mm[ring], normals[ring], lengths_mm[ring] = spline.radii_mm, spline.outward, spline.lengths_mm
    lows = np.ones(len(owner), dtype=complex)
    lows[following] = normals
    cone_width = np.where(counts[owner] > 1, np.mod(np.angle(normals * lows.conj()), 2 * math.pi), 2 * math.pi)
    middles, extents_mm = _find_surrounding_discs(centres, radii_mm, (lows, normals, cone_width), begins, counts)
    return ObstacleField(
        centres=centres,
        radii_mm=radii_mm,
        owner=owner,
        following=following,
        lows=lows,
        cone_width=cone_width,
        outward=normals,
        lengths_mm=lengths_mm,
        begins=begins,
        counts=counts,
        middles=middles,
        extents_mm=extents_mm,
    )


def _find_surrounding_discs(
    centres: Complexes, radii_mm: Array, cones: tuple[Complexes, Complexes, Array], begins: Ints, counts: Ints
) -> tuple[Complexes, Array]:
    """Return a disc around each obstacle: no arc leaves the one around its circle, nor bulges further from its ends."""
    lows, highs, widths = cones
    firsts, lasts = centres + radii_mm * lows, centres + radii_mm * highs
    places = np.where(widths < math.pi, (firsts + lasts) / 2, centres)
    middles = np.asarray(np.add.reduceat(places, begins) / counts, dtype=complex)
    around = np.repeat(middles, counts)
    bulge_mm = radii_mm * (1 - np.cos(np.minimum(widths, math.pi) / 2))
    ends = np.maximum(np.abs(firsts - around), np.abs(lasts - around)) + bulge_mm
    whole = np.abs(centres - around) + radii_mm
    return middles, np.maximum.reduceat(np.where(widths < math.pi, np.minimum(ends, whole), whole), begins)


def build_disc_field(centres: Complexes, radii_mm: Array) -> ObstacleField:
    """Return the field of discs; those of no radius are single points."""
    index, none = np.arange(len(centres)), np.zeros(len(centres))
    ones = np.ones(len(centres), dtype=complex)
    return ObstacleField(
        centres=centres,
        radii_mm=radii_mm,
        owner=index,
        following=index,
        lows=ones,
        cone_width=none + 2 * math.pi,
        outward=ones,
        lengths_mm=none,
        begins=index,
        counts=np.ones(len(centres), dtype=np.intp),
        middles=centres,
        extents_mm=radii_mm,
    )
