"""Convex obstacles among which a point moves: where rays meet them, and which lines touch two of them.

Every obstacle is a convex polygon grown by a disc.  Its boundary is a chain of arcs, one around each corner of the
polygon, with straight edges between them; an arc covers the range of directions (its cone) in which that corner is the
furthest.  A single point grown by nothing is an obstacle too: that is how starts and goals take part.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assistant.geometry.convex import Array, Convex, unit

Ints = NDArray[np.intp]
Flags = NDArray[np.bool_]

_TOUCH_MM = 1e-7
"""What dips no deeper than this into an obstacle touches it."""
_ANGLE = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Field:
    """The corners of all obstacles, obstacle after obstacle, counter-clockwise."""

    centres_mm: Array
    """(n, 2)"""
    radii_mm: Array
    """(n,)"""
    owner: Ints
    """(n,) which obstacle a corner belongs to."""
    following: Ints
    """(n,) the next corner of the same obstacle."""
    cone_start: Array
    cone_width: Array
    """(n,) radians."""
    begins: Ints
    """(o,) the first corner of each obstacle, ..."""
    counts: Ints
    """... and how many it has."""
    middles_mm: Array
    """(o, 2) the centre of a disc around each obstacle, ..."""
    extents_mm: Array
    """... and its radius, (o,)."""
    edged: Ints
    """(e,) the corners at which an edge begins: those of polygons."""
    normals: Array
    """(n, 2) the outward normals of the edges that begin at the corners; zeros for discs, ..."""
    lengths_mm: Array
    """... and their lengths, (n,)."""

    def at(self, corners: Ints, angles: Array) -> Array:
        """Return the (m, 2) boundary points of corners in outward directions."""
        points: Array = self.centres_mm[corners] + self.radii_mm[corners, None] * unit(angles)
        return points

    def among(self, keep: Flags) -> "Field":
        """Return the field of those obstacles that a mask (o,) keeps."""
        corners = keep[self.owner]
        edges = corners[self.edged]
        place = np.cumsum(corners) - 1
        return Field(
            centres_mm=self.centres_mm[corners],
            radii_mm=self.radii_mm[corners],
            owner=(np.cumsum(keep) - 1)[self.owner[corners]],
            following=place[self.following[corners]],
            cone_start=self.cone_start[corners],
            cone_width=self.cone_width[corners],
            begins=place[self.begins[keep]],
            middles_mm=self.middles_mm[keep],
            extents_mm=self.extents_mm[keep],
            edged=place[self.edged[edges]],
            normals=self.normals[corners],
            lengths_mm=self.lengths_mm[corners],
            counts=self.counts[keep],
        )

    def plus(self, other: "Field") -> "Field":
        """Return the field of this one's obstacles and then the other's."""
        corners = len(self.owner)
        return Field(
            centres_mm=np.concatenate((self.centres_mm, other.centres_mm)),
            radii_mm=np.concatenate((self.radii_mm, other.radii_mm)),
            owner=np.concatenate((self.owner, other.owner + len(self.begins))),
            following=np.concatenate((self.following, other.following + corners)),
            cone_start=np.concatenate((self.cone_start, other.cone_start)),
            cone_width=np.concatenate((self.cone_width, other.cone_width)),
            begins=np.concatenate((self.begins, other.begins + corners)),
            middles_mm=np.concatenate((self.middles_mm, other.middles_mm)),
            extents_mm=np.concatenate((self.extents_mm, other.extents_mm)),
            edged=np.concatenate((self.edged, other.edged + corners)),
            normals=np.concatenate((self.normals, other.normals)),
            lengths_mm=np.concatenate((self.lengths_mm, other.lengths_mm)),
            counts=np.concatenate((self.counts, other.counts)),
        )

    def floor_mm(self, place: tuple[float, float]) -> Array:
        """Return a lower bound of each obstacle's distance from a place, (o,)."""
        away = self.middles_mm - place
        floor: Array = np.hypot(away[:, 0], away[:, 1]) - self.extents_mm
        return floor

    def covered(self, points: Array, owner: Ints) -> Flags:
        """Return which of (m, 2) points lie inside an obstacle other than their own, beyond touching it."""
        return np.asarray((self._inside(points) & (owner[:, None] != np.arange(len(self.counts)))).any(axis=1))

    def holds(self, points: Array, owner: Ints) -> Flags:
        """Return which of (m, 2) points lie inside one obstacle each, beyond touching it."""
        return np.asarray(self._inside(points)[np.arange(len(points)), owner])

    def _inside(self, points: Array) -> Flags:
        """Return flags (m, o)."""
        x = points[:, :1] - self.middles_mm[:, 0]
        y = points[:, 1:] - self.middles_mm[:, 1]
        inside = np.asarray(np.hypot(x, y) < self.extents_mm - _TOUCH_MM)
        point, obstacle = np.nonzero(inside & (self.counts > 1))
        if len(point):
            pair, corner, starts = self._corners_of(obstacle)
            x, y = (points[point[pair]] - self.centres_mm[corner]).T
            nx, ny = self.normals[corner].T
            height, walked, radius = x * nx + y * ny, y * nx - x * ny, self.radii_mm[corner]
            beside = (walked > 0) & (walked < self.lengths_mm[corner]) & (np.abs(height) < radius - _TOUCH_MM)
            near = np.logical_or.reduceat(beside | (np.hypot(x, y) < radius - _TOUCH_MM), starts)
            core = np.logical_and.reduceat(height < -_TOUCH_MM * (radius == 0), starts)
            inside[point, obstacle] = near | core
        return inside

    def _corners_of(self, obstacles: Ints) -> tuple[Ints, Ints, Ints]:
        """Return all corners of a list of obstacles: the place in the list, the corner, and where each begins."""
        counts = self.counts[obstacles]
        starts = np.cumsum(counts) - counts
        place = np.repeat(np.arange(len(obstacles)), counts)
        return place, np.arange(len(place)) + (self.begins[obstacles] - starts)[place], starts

    def first_hit(self, origins: Array, directions: Array, lengths_mm: Array, spare: Ints) -> tuple[Array, Ints]:
        """Return how far (m, 2) rays run until they enter an obstacle, and which one.

        Infinity and -1 where they enter none within their lengths (m,).  ``spare`` (m, 2) names two obstacles that each
        ray is known to touch only.  The origins lie outside of all others.
        """
        x = self.middles_mm[:, 0] - origins[:, :1]
        y = self.middles_mm[:, 1] - origins[:, 1:]
        u, v = directions[:, :1], directions[:, 1:]
        along, beside = x * u + y * v, x * v - y * u
        room = self.extents_mm**2 - beside**2
        near = (np.abs(beside) < self.extents_mm - _TOUCH_MM) & (along > -self.extents_mm)
        near &= along - self.extents_mm < lengths_mm[:, None]
        rows = np.arange(len(origins))
        near[rows, spare[:, 0]] = near[rows, spare[:, 1]] = False
        entry = np.full(near.shape, np.inf)
        discs = near & (self.counts == 1) & (along > 0)
        entry[discs] = np.maximum(along[discs] - np.sqrt(room[discs]), 0.0)
        ray, obstacle = np.nonzero(near & (self.counts > 1))
        if len(ray):
            pair, corner, starts = self._corners_of(obstacle)
            found = self._corner_entry(corner, origins[ray[pair]], directions[ray[pair]])
            entry[ray, obstacle] = np.minimum.reduceat(found, starts)
        nearest = entry.argmin(axis=1)
        reach = entry[rows, nearest]
        return reach, np.where(np.isinf(reach), -1, nearest)

    def _corner_entry(self, corners: Ints, origins: Array, directions: Array) -> Array:
        """Return how far (k, 2) rays run until each enters the disc around its corner or crosses its edge inward."""
        x, y = (self.centres_mm[corners] - origins).T
        (u, v), (nx, ny), radius = directions.T, self.normals[corners].T, self.radii_mm[corners]
        along, beside = x * u + y * v, x * v - y * u
        entry = np.maximum(along - np.sqrt(np.maximum(radius**2 - beside**2, 0.0)), 0.0)
        entry[(along <= 0) | (np.abs(beside) >= radius - _TOUCH_MM)] = np.inf
        inward, height = -(u * nx + v * ny), -(x * nx + y * ny) - radius
        enters = (inward > _ANGLE) & (height > -_TOUCH_MM)
        edge = np.maximum(height, 0.0) / np.where(enters, inward, 1.0)
        walked = edge * (v * nx - u * ny) - (y * nx - x * ny)
        enters &= (walked > -_TOUCH_MM) & (walked < self.lengths_mm[corners] + _TOUCH_MM)
        return np.asarray(np.where(enters, np.minimum(entry, edge), entry))


def field_of(obstacles: Sequence[Convex]) -> Field:
    """Return the field of obstacles; none of them has an ellipse."""
    centres = [obstacle.corners_mm for obstacle in obstacles]
    counts = np.array([len(corners) for corners in centres], dtype=np.intp)
    begins = np.cumsum(counts) - counts
    centres_mm = np.concatenate(centres) if centres else np.empty((0, 2))
    radii_mm = np.repeat(np.array([obstacle.radius_mm for obstacle in obstacles]), counts)
    owner = np.repeat(np.arange(len(obstacles)), counts)
    following = np.arange(1, len(owner) + 1)
    following[begins + counts - 1] = begins
    edged = np.flatnonzero(counts[owner] > 1)
    along = centres_mm[following[edged]] - centres_mm[edged]
    lengths_mm, normals, bearing = np.zeros(len(owner)), np.zeros((len(owner), 2)), np.zeros(len(owner))
    lengths_mm[edged] = np.hypot(along[:, 0], along[:, 1])
    normals[edged] = np.column_stack((along[:, 1], -along[:, 0])) / lengths_mm[edged, None]
    bearing[edged] = np.arctan2(-along[:, 0], along[:, 1])
    cone_start, cone_width = np.zeros(len(owner)), np.full(len(owner), 2 * math.pi)
    cone_start[following] = bearing
    cone_width[edged] = np.mod(bearing - cone_start, 2 * math.pi)[edged]
    middles = np.column_stack([np.add.reduceat(centres_mm[:, k], begins) / counts for k in (0, 1)])
    away = centres_mm - middles[owner]
    return Field(
        centres_mm=centres_mm,
        radii_mm=radii_mm,
        owner=owner,
        following=following,
        cone_start=cone_start,
        cone_width=cone_width,
        begins=begins,
        counts=counts,
        middles_mm=middles,
        extents_mm=np.maximum.reduceat(np.hypot(away[:, 0], away[:, 1]) + radii_mm, begins),
        edged=edged,
        normals=normals,
        lengths_mm=lengths_mm,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tangents:
    """Directed segments that touch two obstacles; (m,) arrays."""

    source: Ints
    """The corner that is left, ..."""
    source_angle: Array
    """... the outward direction of the point where, ..."""
    source_turn: Ints
    """... and which way round the obstacle a mover goes: 1 counter-clockwise, -1 clockwise."""
    target: Ints
    target_angle: Array
    target_turn: Ints

    def among(self, keep: Flags) -> "Tangents":
        """Return the tangents that a mask keeps."""
        return Tangents(
            source=self.source[keep],
            source_angle=self.source_angle[keep],
            source_turn=self.source_turn[keep],
            target=self.target[keep],
            target_angle=self.target_angle[keep],
            target_turn=self.target_turn[keep],
        )


def tangents(field: Field, limit_mm: float) -> Tangents:
    """Return every directed segment that touches two obstacles, whether or not others are in its way.

    Left out are those that lead back to obstacle 0, and those that no way from its centre comes to the end of within a
    limit.
    """
    step = field.centres_mm[None, :, :] - field.centres_mm[:, None, :]
    length = np.hypot(step[..., 0], step[..., 1])
    one, two = field.radii_mm[:, None], field.radii_mm
    least = np.maximum(length[:1].T - one, 0.0) + length - one - two
    able = (field.owner[:, None] != field.owner) & (field.owner > 0) & (length > _TOUCH_MM) & (least <= limit_mm)
    found = []
    for sense in (1, -1):
        lean = one - sense * two
        i, j = np.nonzero(able & (np.abs(lean) <= length * (1 + _ANGLE)))
        bearing = np.arctan2(step[i, j, 1], step[i, j, 0])
        opening = np.arccos(np.clip(lean[i, j] / length[i, j], -1.0, 1.0))
        for turn in (1, -1):
            angle = bearing - turn * opening
            there = angle if sense > 0 else angle + math.pi
            within = np.flatnonzero(_in_cone(field, i, angle) & _in_cone(field, j, there))
            turns = np.full(len(within), turn)
            found.append((i[within], angle[within], turns, j[within], there[within], turns * sense))
    names = ("source", "source_angle", "source_turn", "target", "target_angle", "target_turn")
    columns = (np.concatenate(column) for column in zip(*found, strict=True))
    return Tangents(**dict(zip(names, columns, strict=True)))


def _in_cone(field: Field, corners: Ints, angles: Array) -> Flags:
    beyond = np.mod(angles - field.cone_start[corners] + _ANGLE, 2 * math.pi)
    return np.asarray(beyond <= field.cone_width[corners] + 2 * _ANGLE)


def crossings(
    field: Field, corners: Ints, width: tuple[float, float], depth: tuple[float, float]
) -> tuple[Ints, Array]:
    """Return where arcs around some corners may enter or leave another obstacle, or the box of free places.

    A corner and the direction from it, for each such place.
    """
    centres, radii, owner = field.centres_mm[corners], field.radii_mm[corners], field.owner[corners]
    bearing = np.array([math.pi, 0.0, -math.pi / 2, math.pi / 2])
    lean = np.array([-width[0], width[1], -depth[0], depth[1]]) - centres @ unit(bearing).T
    a, b = np.nonzero(np.abs(lean) < radii[:, None])
    found = [(a, bearing[b], np.arccos(lean[a, b] / radii[a]))]

    x, y = (field.centres_mm[None, :, :] - centres[:, None, :]).transpose(2, 0, 1)
    length = np.hypot(x, y)
    one, two = radii[:, None], field.radii_mm
    foreign = (owner[:, None] != field.owner) & (one > 0)
    a, b = np.nonzero(foreign & (length < one + two) & (length > np.abs(one - two)))
    ra, rb, d = radii[a], field.radii_mm[b], length[a, b]
    opening = np.arccos(np.clip((ra**2 + d**2 - rb**2) / (2 * d * ra), -1.0, 1.0))
    found.append((a, np.arctan2(y[a, b], x[a, b]), opening))

    nx, ny = field.normals.T
    lean, ahead = x * nx + y * ny + two, x * ny - y * nx
    close = (ahead > -one - _TOUCH_MM) & (ahead < field.lengths_mm + one + _TOUCH_MM) & (field.lengths_mm > 0)
    a, b = np.nonzero(foreign & (np.abs(lean) < one) & close)
    found.append((a, np.arctan2(ny[b], nx[b]), np.arccos(lean[a, b] / radii[a])))
    corner, toward, opening = (np.concatenate(column) for column in zip(*found, strict=True))
    return corners[np.concatenate((corner, corner))], np.concatenate((toward + opening, toward - opening))
