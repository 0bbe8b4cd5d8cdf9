"""Common tangents of the obstacles of a field, and the places where arcs around its corners enter others.

Where obstacles touch, or are level with each other, the direction of a tangent is known to the root of a rounding only,
but its ends and what it dips into are known to the rounding: so here, too, it is depth that tells what touches.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from assistant.errors import BadInput
from assistant.geometry.shapes.convex import Array, Complexes
from assistant.geometry.shortest_path.obstacles import ANGLE, TOUCH_MM, Flags, Ints, ObstacleField

_SENSES = np.array([1, -1])[:, None, None]
"""Whether a line has both its obstacles on the same side."""
_TURNS = np.array([1, -1])[:, None]
_SIDES = np.array([-1.0, 1.0, -1j, 1j])
BESIDE_MM = 1e-9
"""What lies no further outside of a box is inside."""
BESIDE_RAD = 2e-7
"""So far the direction may be off where something is touched."""
_ABOUT_RAD = 1e-5
"""Where circles meet so little outside of an arc, the arc may meet something."""

Box = tuple[float, float, float, float]
"""Least x, least y, greatest x, greatest y of the places where a point may be."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tangents:
    """Segments that touch two obstacles, from the earlier one to the later one; (m,) arrays."""

    source: Ints
    """The corner that is left, ..."""
    source_normal: Complexes
    """... the outward direction of the point where, ..."""
    source_turn: Ints
    """... and which way round the obstacle a mover goes: 1 counter-clockwise, -1 clockwise."""
    target: Ints
    target_normal: Complexes
    target_turn: Ints
    first: Complexes
    last: Complexes
    length_mm: Array

    def select(self, keep: Flags | Ints) -> "Tangents":
        """Return some of the tangents."""
        return Tangents(
            source=self.source[keep],
            source_normal=self.source_normal[keep],
            source_turn=self.source_turn[keep],
            target=self.target[keep],
            target_normal=self.target_normal[keep],
            target_turn=self.target_turn[keep],
            first=self.first[keep],
            last=self.last[keep],
            length_mm=self.length_mm[keep],
        )

    def add_reversed(self) -> "Tangents":
        """Return the tangents, and then the same from their ends to where they begin."""
        return Tangents(
            source=np.concatenate((self.source, self.target)),
            source_normal=np.concatenate((self.source_normal, self.target_normal)),
            source_turn=np.concatenate((self.source_turn, -self.target_turn)),
            target=np.concatenate((self.target, self.source)),
            target_normal=np.concatenate((self.target_normal, self.source_normal)),
            target_turn=np.concatenate((self.target_turn, -self.source_turn)),
            first=np.concatenate((self.first, self.last)),
            last=np.concatenate((self.last, self.first)),
            length_mm=np.concatenate((self.length_mm, self.length_mm)),
        )


MOST_CORNERS, MOST_PAIRS = 20_000, 10_000_000
"""Of the obstacles within reach: so many, and so many pairs of them that may see each other, or cross, are looked at.

More would take minutes.
"""
_AT_ONCE = 2_000_000
"""So many pairs are looked at in one go."""


def _check_crowd(count: int, most: int, what: str) -> None:
    if count > most:
        raise BadInput(
            f"too much is in the way: expected at most {most} {what}, not {count};"
            " too many bases lie in a heap, or outlines have too many corners"
        )


def _list_pairs(field: ObstacleField, toward: Flags, back: Flags) -> Iterator[tuple[Ints, Ints]]:
    """Yield, in turns, the pairs of corners of which one is flagged for the other's obstacle, and that for the one's.

    Args:
        field: Of n corners of o obstacles.
        toward: (n, o) of the first ...
        back: ... and of the second of a pair.

    Raises:
        BadInput: there are too many.

    """
    found = 0
    for rows in _split_rows(len(field.owner), len(field.owner)):
        i, j = np.nonzero(toward[rows][:, field.owner] & back[:, field.owner[rows]].T)
        found += len(i)
        _check_crowd(found, MOST_PAIRS, "pairs of corners that may see each other, or of arcs that may cross")
        yield i + rows.start, j


def _split_rows(count: int, width: int) -> list[slice]:
    step = max(1, _AT_ONCE // max(width, 1))
    return [slice(begin, begin + step) for begin in range(0, count, step)]


def is_inside_box(points: Complexes, box: Box) -> Flags:
    """Return which places lie in a box, its sides included."""
    x, y = points.real, points.imag
    within = (x >= box[0] - BESIDE_MM) & (x <= box[2] + BESIDE_MM)
    return np.asarray(within & (y >= box[1] - BESIDE_MM) & (y <= box[3] + BESIDE_MM))


def find_tangents(field: ObstacleField, spots: int, limit_mm: float) -> Tangents:
    """Return every segment that touches two obstacles, whether or not others are in its way.

    Left out are those between two spots, and those that no way from a spot comes to the end of within a limit.

    Args:
        field: Its first obstacles are spots.
        spots: How many of them.
        limit_mm: The length of way.

    Raises:
        BadInput: more is in the way than can be looked at.

    """
    _check_crowd(len(field.owner), MOST_CORNERS, "corners")
    away = np.maximum(_measure_apart_mm(field.middles, field.middles[:spots]).min(axis=1) - field.extents_mm, 0.0)
    apart = _measure_apart_mm(field.middles, field.middles) - field.extents_mm[:, None] - field.extents_mm
    near = np.minimum(away[:, None], away) + apart <= limit_mm
    near[:spots, :spots] = False
    facing = _find_facing_corners(field, near)
    forth = facing & (field.owner[:, None] < np.arange(len(field.counts)))
    away = np.maximum(_measure_apart_mm(field.centres, field.centres[:spots]).min(axis=1) - field.radii_mm, 0.0)
    found = [
        _NO_LINES,
        *(_touch_both(field, spots, pairs, away, limit_mm) for pairs in _list_pairs(field, forth, facing)),
    ]
    source, target, normal, sense, turn = (np.concatenate(column) for column in zip(*found, strict=True))
    alike, turns = 1 - 2 * sense, 1 - 2 * turn
    first = field.centres[source] + field.radii_mm[source] * normal
    last = field.centres[target] + field.radii_mm[target] * alike * normal
    spot = np.where(source < spots, turns, 1)  # rays turn about a spot counter-clockwise
    return Tangents(
        source=source,
        source_normal=spot * normal,
        source_turn=spot * turns,
        target=target,
        target_normal=alike * normal,
        target_turn=turns * alike,
        first=first,
        last=last,
        length_mm=np.abs(last - first),
    )


_Lines = tuple[Ints, Ints, Complexes, Ints, Ints]
"""Sources, targets, normals at the sources, whether target and source lie on either side (1), and which side (1)."""
_NONE = np.empty(0, dtype=np.intp)
_NO_LINES: _Lines = (_NONE, _NONE, np.empty(0, dtype=complex), _NONE, _NONE)


def _touch_both(field: ObstacleField, spots: int, pairs: tuple[Ints, Ints], away_mm: Array, limit_mm: float) -> _Lines:
    """Return the lines that touch both corners of some pairs, of which each is so far from the nearest spot."""
    i, j = pairs
    step = field.centres[j] - field.centres[i]
    length, one, two = np.abs(step), field.radii_mm[i], field.radii_mm[j]
    able = (length > TOUCH_MM) & (np.minimum(away_mm[i], away_mm[j]) + length - one - two <= limit_mm)
    i, j, step, length, one, two = i[able], j[able], step[able], length[able], one[able], two[able]
    heading = step / length
    lean = np.array((one - two, one + two)) / length
    exists = np.abs(lean) <= 1 + TOUCH_MM / length
    exists[1, i < spots] = False  # on both sides of a spot at once: the same line again
    lean = np.minimum(np.maximum(lean, -1.0), 1.0)
    across = np.sqrt(1.0 - lean * lean)
    normals = heading * (lean[:, None] - 1j * _TURNS * across[:, None])
    beside = np.minimum(TOUCH_MM / np.maximum(length * across, TOUCH_MM), BESIDE_RAD)[:, None] + ANGLE
    able = exists[:, None] & _is_in_cone(field, i, normals, beside) & _is_in_cone(field, j, _SENSES * normals, beside)
    sense, turn, pair = np.nonzero(able)
    return i[pair], j[pair], normals[sense, turn, pair], sense, turn


def _measure_apart_mm(places: Complexes, others: Complexes) -> Array:
    return np.asarray(np.abs(places[:, None] - others))


def _find_facing_corners(field: ObstacleField, near: Flags) -> Flags:
    """Return which corners some line touches that comes by the disc around a near obstacle, (n, o).

    No other is tangent.  ``near`` (o, o) says which obstacles are.
    """
    facing = near[field.owner]
    for rows in _split_rows(*facing.shape):
        corner, obstacle = np.nonzero(facing[rows])
        corner += rows.start
        away = field.middles[obstacle] - field.centres[corner]
        low, high = field.lows[corner] * away.conj(), field.outward[corner] * away.conj()
        whole, far, radius = field.is_disc[corner], np.abs(away), field.radii_mm[corner]
        # How far ahead of the corner the middle lies along the normals of its cone: between the ends', save where the
        # cone holds the direction to the middle, or the one away from it.
        ahead = whole | ((low.imag <= 0) & (high.imag >= 0))
        behind = whole | ((low.imag >= 0) & (high.imag <= 0))
        most = np.where(ahead, far, np.maximum(low.real, high.real))
        least = np.where(behind, -far, np.minimum(low.real, high.real))
        reach = field.extents_mm[obstacle] + TOUCH_MM + (BESIDE_RAD + ANGLE) * far  # by so much a line may be off
        facing[corner, obstacle] = (least <= radius + reach) & (most >= radius - reach)
    return facing


def _is_in_cone(field: ObstacleField, corners: Ints, normals: Complexes, beside: Array) -> Flags:
    low, high = field.lows[corners], field.outward[corners]
    inside = ((low.conj() * normals).imag >= -beside) & ((normals.conj() * high).imag >= -beside)
    return np.asarray(inside | field.is_disc[corners])


def measure_cone_offsets(field: ObstacleField, corners: Ints, normals: Complexes) -> Array:
    """Return how far directions lie from where the cones of their corners begin, radians in 0 to 2 pi.

    What lies beside a cone by no more than such a direction may be off lies where the cone begins or ends.
    """
    local, width = normals * field.lows[corners].conj(), field.cone_width[corners]
    angle = np.arctan2(local.imag, local.real)
    angle = np.where(angle < -2 * BESIDE_RAD, angle + 2 * np.pi, np.maximum(angle, 0.0))
    return np.asarray(np.where(angle > width + 2 * BESIDE_RAD, angle, np.minimum(angle, width)))


def find_arc_crossings(field: ObstacleField, box: Box) -> tuple[Ints, Complexes]:
    """Return where arcs around the corners may enter or leave another obstacle, or the box of free places.

    A corner and the direction from it, for each such place.

    Raises:
        BadInput: more is in the way than can be looked at.

    """
    radii = field.radii_mm
    x, y = field.centres.real, field.centres.imag
    lean = np.array((x - box[0], box[2] - x, y - box[1], box[3] - y))
    b, a = (np.abs(lean) < radii).nonzero()
    crossings = [_turn_either_way(a, _SIDES[b], lean[b, a] / radii[a])]

    around = _measure_apart_mm(field.centres, field.middles) - field.extents_mm - radii[:, None] - TOUCH_MM
    foreign = field.owner[:, None] != np.arange(len(field.counts))
    there, back = (around < 0) & foreign & (radii[:, None] > 0), (around < field.lengths_mm[:, None]) & foreign
    for pairs in _list_pairs(field, there, back):
        crossings += _cross_arcs(field, *pairs)
    corner, toward = (np.concatenate(column) for column in zip(*crossings, strict=True))
    return corner, toward


def _turn_either_way(corners: Ints, toward: Complexes, cosines: Array) -> tuple[Ints, Complexes]:
    """Return corners twice, and directions turned to either side by angles of such cosines."""
    cosines = np.minimum(np.maximum(cosines, -1.0), 1.0)
    across = 1j * np.sqrt(np.maximum(1.0 - cosines * cosines, 0.0))
    return np.concatenate((corners, corners)), np.concatenate(
        (toward * (cosines + across), toward * (cosines - across))
    )


def _cross_arcs(field: ObstacleField, i: Ints, j: Ints) -> list[tuple[Ints, Complexes]]:
    """Return where arcs around some corners may meet those around others, and the edges that begin there."""
    step, one, two = field.centres[j] - field.centres[i], field.radii_mm[i], field.radii_mm[j]
    d = np.abs(step)
    k = ((d < one + two) & (d > np.abs(one - two))).nonzero()[0]
    cosine = (one[k] ** 2 + d[k] ** 2 - two[k] ** 2) / (2 * d[k] * one[k])
    corner, toward = _turn_either_way(i[k], step[k] / d[k], cosine)
    other, beside = np.tile(j[k], 2), np.full(len(corner), _ABOUT_RAD)
    meeting = field.centres[corner] + field.radii_mm[corner] * toward - field.centres[other]
    met = _is_in_cone(field, corner, toward, beside)
    met &= _is_in_cone(field, other, meeting / field.radii_mm[other], beside)
    arcs = corner[met], toward[met]

    k = (field.lengths_mm[j] > 0).nonzero()[0]
    i, j, step, one, two = i[k], j[k], step[k], one[k], two[k]
    normal, length = field.outward[j], field.lengths_mm[j]
    local = step * normal.conj()
    lean, ahead = local.real + two, -local.imag
    close = (ahead > -one - TOUCH_MM) & (ahead < length + one + TOUCH_MM)
    k = ((np.abs(lean) < one + TOUCH_MM) & close).nonzero()[0]  # sides that go on from the arc are among them
    return [arcs, _turn_either_way(i[k], normal[k], lean[k] / one[k])]
