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

    obstacles: tuple[Convex, ...]
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

    def at(self, corners: Ints, angles: Array) -> Array:
        """Return the (m, 2) boundary points of corners in outward directions."""
        points: Array = self.centres_mm[corners] + self.radii_mm[corners, None] * unit(angles)
        return points

    def covered(self, points: Array, owner: Ints) -> Flags:
        """Return which of (m, 2) points lie inside an obstacle other than their own, beyond touching it."""
        alone = np.flatnonzero(self.following == np.arange(len(self.following)))
        away = points[:, None, :] - self.centres_mm[None, alone, :]
        deep = np.hypot(away[..., 0], away[..., 1]) < self.radii_mm[alone] - _TOUCH_MM
        inside: Flags = np.asarray((deep & (owner[:, None] != self.owner[None, alone])).any(axis=1))
        for index, obstacle in enumerate(self.obstacles):
            if len(obstacle.corners_mm) > 1:
                near = np.flatnonzero((owner != index) & _around(obstacle, points))
                inside[near] |= _covers(obstacle, points[near])
        return inside

    def first_hit(self, origins: Array, directions: Array, spare: Ints) -> tuple[Array, Ints]:
        """Return how far (m, 2) rays run until they enter an obstacle, and which one.

        Infinity and -1 where they enter none.  ``spare`` (m, 2) names two obstacles that each ray is known to touch
        only.  The origins lie outside of all others.
        """
        toward = self.centres_mm[None, :, :] - origins[:, None, :]
        along = (toward * directions[:, None, :]).sum(axis=2)
        beside = np.abs(toward[..., 0] * directions[:, None, 1] - toward[..., 1] * directions[:, None, 0])
        spared = (self.owner[None, :] == spare[:, :1]) | (self.owner[None, :] == spare[:, 1:])
        enters = (along > 0) & (beside < self.radii_mm - _TOUCH_MM) & ~spared
        entry = along - np.sqrt(np.maximum(self.radii_mm**2 - beside**2, 0.0))
        entry = np.where(enters, np.maximum(entry, 0.0), np.inf)
        rows = np.arange(len(origins))
        nearest = entry.argmin(axis=1)
        reach, who = entry[rows, nearest], np.where(np.isinf(entry[rows, nearest]), -1, self.owner[nearest])
        return self._first_edge(origins, directions, spare, reach, who)

    def _first_edge(
        self, origins: Array, directions: Array, spare: Ints, reach: Array, who: Ints
    ) -> tuple[Array, Ints]:
        corners = np.flatnonzero(self.following != np.arange(len(self.following)))
        if not len(corners):
            return reach, who
        normals = unit(self.cone_start[corners] + self.cone_width[corners])
        first = self.centres_mm[corners] + self.radii_mm[corners, None] * normals
        last = self.centres_mm[self.following[corners]] + self.radii_mm[corners, None] * normals
        length = np.hypot(*(last - first).T)
        inward = -(directions @ normals.T)
        height = origins @ normals.T - (first * normals).sum(axis=1)
        owner = self.owner[corners]
        spared = (owner[None, :] == spare[:, :1]) | (owner[None, :] == spare[:, 1:])
        with np.errstate(divide="ignore", invalid="ignore"):
            entry = np.maximum(height, 0.0) / inward
            tangents = np.column_stack((-normals[:, 1], normals[:, 0]))
            walked = origins @ tangents.T + entry * (directions @ tangents.T) - (first * tangents).sum(axis=1)
        enters = (inward > _ANGLE) & (height > -_TOUCH_MM) & (walked > -_TOUCH_MM) & (walked < length + _TOUCH_MM)
        entry = np.where(enters & ~spared, entry, np.inf)
        nearest = entry.argmin(axis=1)
        edge = entry[np.arange(len(origins)), nearest]
        return np.minimum(reach, edge), np.where(edge < reach, owner[nearest], who)


def _around(obstacle: Convex, points: Array) -> Flags:
    """Return which points lie in the disc around an obstacle."""
    middle = obstacle.corners_mm.mean(axis=0)
    reach = np.hypot(*(obstacle.corners_mm - middle).T).max() + obstacle.radius_mm
    return np.asarray(np.hypot(*(points - middle).T) < reach)


def _covers(obstacle: Convex, points: Array) -> Flags:
    """Return which points lie inside a polygon grown by a disc, beyond touching it."""
    corners, normals = obstacle.corners_mm, obstacle.edge_normals()
    tangents = np.column_stack((-normals[:, 1], normals[:, 0]))
    height = points @ normals.T - (normals * corners).sum(axis=1)
    walked = points @ tangents.T - (tangents * corners).sum(axis=1)
    length = ((np.roll(corners, -1, axis=0) - corners) * tangents).sum(axis=1)
    beside = np.hypot(walked - np.clip(walked, 0.0, length), height)
    core = (height < -_TOUCH_MM * (obstacle.radius_mm == 0)).all(axis=1)
    return np.asarray(core | (beside.min(axis=1) < obstacle.radius_mm - _TOUCH_MM))


def field_of(obstacles: Sequence[Convex]) -> Field:
    """Return the field of obstacles; none of them has an ellipse."""
    centres = [obstacle.corners_mm for obstacle in obstacles]
    counts = np.array([len(corners) for corners in centres])
    begins = np.concatenate(([0], np.cumsum(counts)[:-1]))
    starts, widths, following = [], [], []
    for begin, obstacle in zip(begins, obstacles, strict=True):
        normals = obstacle.edge_normals()
        count = len(obstacle.corners_mm)
        following.append(begin + np.roll(np.arange(count), -1))
        if count == 1:
            starts.append(np.zeros(1))
            widths.append(np.full(1, 2 * math.pi))
        else:
            bearing = np.arctan2(normals[:, 1], normals[:, 0])
            starts.append(np.roll(bearing, 1))
            widths.append(np.mod(bearing - np.roll(bearing, 1), 2 * math.pi))
    return Field(
        obstacles=tuple(obstacles),
        centres_mm=np.concatenate(centres),
        radii_mm=np.repeat([obstacle.radius_mm for obstacle in obstacles], counts),
        owner=np.repeat(np.arange(len(obstacles)), counts),
        following=np.concatenate(following),
        cone_start=np.concatenate(starts),
        cone_width=np.concatenate(widths),
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


def tangents(field: Field) -> Tangents:
    """Return every directed segment that touches two obstacles, whether or not others are in its way.

    Between two neighbouring edge normals of the whole field the furthest corner of each obstacle is fixed, so that the
    lines touching two obstacles are those that touch two discs.
    """
    breaks, widths, furthest = _sectors(field)
    count, half = len(field.obstacles), len(breaks) // 2
    apart = ~np.eye(count, dtype=bool)
    found = []
    for sense, theirs in ((1, furthest), (-1, np.roll(furthest, -half, axis=1))):
        one = np.broadcast_to(furthest[:, None, :], (count, count, len(breaks)))
        two = np.broadcast_to(theirs[None, :, :], (count, count, len(breaks)))
        step = field.centres_mm[two] - field.centres_mm[one]
        length = np.hypot(step[..., 0], step[..., 1])
        lean = field.radii_mm[one] - sense * field.radii_mm[two]
        exists = apart[..., None] & (length > _TOUCH_MM) & (np.abs(lean) <= length * (1 + _ANGLE))
        i, j, k = np.nonzero(exists)
        bearing = np.arctan2(step[i, j, k, 1], step[i, j, k, 0])
        opening = np.arccos(np.clip(lean[i, j, k] / length[i, j, k], -1.0, 1.0))
        for turn in (1, -1):
            angle = bearing - turn * opening
            within = np.mod(angle - breaks[k] + _ANGLE, 2 * math.pi) <= widths[k] + 2 * _ANGLE
            found.append(
                Tangents(
                    source=one[i, j, k],
                    source_angle=angle,
                    source_turn=np.full(len(i), turn),
                    target=two[i, j, k],
                    target_angle=angle if sense > 0 else angle + math.pi,
                    target_turn=np.full(len(i), turn * sense),
                ).among(within)
            )
    return Tangents(
        source=np.concatenate([part.source for part in found]),
        source_angle=np.concatenate([part.source_angle for part in found]),
        source_turn=np.concatenate([part.source_turn for part in found]),
        target=np.concatenate([part.target for part in found]),
        target_angle=np.concatenate([part.target_angle for part in found]),
        target_turn=np.concatenate([part.target_turn for part in found]),
    )


def crossings(field: Field, width: tuple[float, float], depth: tuple[float, float]) -> tuple[Ints, Array]:
    """Return corners and directions at which an arc may enter or leave another obstacle, or the box of free places."""
    lines = [(math.pi, -width[0]), (0.0, width[1]), (-math.pi / 2, -depth[0]), (math.pi / 2, depth[1])]
    bearing = np.array([angle for angle, _ in lines])
    offset = np.array([value for _, value in lines])
    corners = np.flatnonzero(field.following != np.arange(len(field.following)))
    edges = field.cone_start[corners] + field.cone_width[corners]
    offsets = (field.centres_mm[corners] * unit(edges)).sum(axis=1) + field.radii_mm[corners]
    bearing, offset = np.concatenate((bearing, edges)), np.concatenate((offset, offsets))
    lean = offset[None, :] - field.centres_mm @ unit(bearing).T
    a, b = np.nonzero(np.abs(lean) < field.radii_mm[:, None])
    opening = np.arccos(lean[a, b] / field.radii_mm[a])
    found = [(a, bearing[b] + opening), (a, bearing[b] - opening)]

    step = field.centres_mm[None, :, :] - field.centres_mm[:, None, :]
    length = np.hypot(step[..., 0], step[..., 1])
    one, two = field.radii_mm[:, None], field.radii_mm[None, :]
    meets = (length < one + two) & (length > np.abs(one - two)) & (field.owner[:, None] != field.owner[None, :])
    a, b = np.nonzero(meets & (one > 0))
    ra, rb, d = field.radii_mm[a], field.radii_mm[b], length[a, b]
    opening = np.arccos(np.clip((ra**2 + d**2 - rb**2) / (2 * d * ra), -1.0, 1.0))
    toward = np.arctan2(step[a, b, 1], step[a, b, 0])
    found += [(a, toward + opening), (a, toward - opening)]
    return np.concatenate([corner for corner, _ in found]), np.concatenate([angle for _, angle in found])


def _sectors(field: Field) -> tuple[Array, Array, Ints]:
    """Return the sectors of directions between neighbouring edge normals, and each obstacle's furthest corner there.

    The sectors lie symmetrically about the origin, so that the sector opposite to one is half the count further on.
    """
    corners = np.flatnonzero(field.following != np.arange(len(field.following)))
    normals = field.cone_start[corners] if len(corners) else np.zeros(1)
    half = np.unique(np.round(np.mod(normals, math.pi), 12))
    breaks = np.concatenate((half, half + math.pi))
    widths = np.diff(np.concatenate((breaks, breaks[:1] + 2 * math.pi)))
    middles = unit(breaks + widths / 2)
    furthest = []
    begin = 0
    for obstacle in field.obstacles:
        furthest.append(begin + (middles @ obstacle.corners_mm.T).argmax(axis=1))
        begin += len(obstacle.corners_mm)
    return breaks, widths, np.array(furthest)
