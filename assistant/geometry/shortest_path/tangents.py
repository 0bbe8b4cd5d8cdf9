"""Common tangents of the obstacles of a field, and the places where arcs around its corners enter others.

Where obstacles touch, or are level with each other, the direction of a tangent is known to the root of a rounding only,
but its ends and what it dips into are known to the rounding: so here, too, it is depth that tells what touches.
"""

from dataclasses import dataclass

import numpy as np

from assistant.errors import BadInput
from assistant.geometry.shapes.convex import Array
from assistant.geometry.shortest_path.obstacles import ANGLE, TOUCH_MM, Complexes, Flags, Ints, ObstacleField

_SENSES = np.array([1, -1])[:, None, None]
"""Whether a line has both its obstacles on the same side."""
_TURNS = np.array([1, -1])[:, None]
_SIDES = np.array([-1.0, 1.0, -1j, 1j])
BESIDE_MM = 1e-9
"""What lies no further outside of a box is inside."""
BESIDE_RAD = 2e-7
"""So far the direction may be off where something is touched."""

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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FieldLayout:
    """A field whose first obstacles are spots, with the steps from each corner to each other."""

    field: ObstacleField
    spots: int
    steps: Complexes
    lengths_mm: Array
    """(n, n)"""


MOST_CORNERS, MOST_CLOSE_PAIRS = 6000, 6_000_000
"""Of the obstacles within reach: so many, and so many pairs of arcs so close that they may cross, are looked at.

Every corner is looked at from every other: more would take minutes, and fill the memory.
"""


def _check_crowd(count: int, most: int, what: str) -> None:
    if count > most:
        raise BadInput(
            f"too much is in the way: expected at most {most} {what}, not {count};"
            " too many bases lie in a heap, or outlines have too many corners"
        )


def build_layout(field: ObstacleField, spots: int) -> FieldLayout:
    """Return a field with what lies between its corners.

    Raises:
        BadInput: more is in the way than can be looked at.

    """
    _check_crowd(len(field.owner), MOST_CORNERS, "corners")
    steps = field.centres - field.centres[:, None]
    return FieldLayout(field=field, spots=spots, steps=steps, lengths_mm=np.abs(steps))


def is_inside_box(points: Complexes, box: Box) -> Flags:
    """Return which places lie in a box, its sides included."""
    x, y = points.real, points.imag
    within = (x >= box[0] - BESIDE_MM) & (x <= box[2] + BESIDE_MM)
    return np.asarray(within & (y >= box[1] - BESIDE_MM) & (y <= box[3] + BESIDE_MM))


def find_tangents(layout: FieldLayout, limit_mm: float) -> Tangents:
    """Return every segment that touches two obstacles, whether or not others are in its way.

    Left out are those between two spots, and those that no way from a spot comes to the end of within a limit.
    """
    field, radii = layout.field, layout.field.radii_mm
    away = np.maximum(layout.lengths_mm[: layout.spots].min(axis=0) - radii, 0.0)
    least = np.minimum(away[:, None], away) + layout.lengths_mm - radii[:, None] - radii
    able = (field.owner[:, None] < field.owner) & (layout.lengths_mm > TOUCH_MM) & (least <= limit_mm)
    able[: layout.spots, : layout.spots] = False
    facing = _find_facing_corners(field)[:, field.owner]
    i, j = np.nonzero(able & facing & facing.T)
    one, two, length = radii[i], radii[j], layout.lengths_mm[i, j]
    heading = layout.steps[i, j] / length
    lean = np.array((one - two, one + two)) / length
    exists = np.abs(lean) <= 1 + TOUCH_MM / length
    exists[1, i < layout.spots] = False  # on both sides of a spot at once: the same line again
    lean = np.minimum(np.maximum(lean, -1.0), 1.0)
    across = np.sqrt(1.0 - lean * lean)
    normals = heading * (lean[:, None] - 1j * _TURNS * across[:, None])
    beside = np.minimum(TOUCH_MM / np.maximum(length * across, TOUCH_MM), BESIDE_RAD)[:, None] + ANGLE
    able = exists[:, None] & _is_in_cone(field, i, normals, beside) & _is_in_cone(field, j, _SENSES * normals, beside)
    sense, turn, pair = np.nonzero(able)
    normal, source, target = normals[sense, turn, pair], i[pair], j[pair]
    alike, turns = 1 - 2 * sense, 1 - 2 * turn
    first, last = field.centres[source] + one[pair] * normal, field.centres[target] + two[pair] * alike * normal
    spot = np.where(source < layout.spots, turns, 1)  # rays turn about a spot counter-clockwise
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


def _find_facing_corners(field: ObstacleField) -> Flags:
    """Return which corners some line touches that comes by the disc around an obstacle, (n, o): no other is tangent."""
    away = field.middles - field.centres[:, None]
    low = (field.lows[:, None].conj() * away).conj()
    high = (field.outward[:, None].conj() * away).conj()
    whole = (field.lengths_mm == 0)[:, None]
    far = np.abs(away)
    # How far ahead of the corner the middle lies along the normals of its cone: between the ends', save where the
    # cone holds the direction to the middle, or the one away from it.
    ahead = whole | ((low.imag <= 0) & (high.imag >= 0))
    behind = whole | ((low.imag >= 0) & (high.imag <= 0))
    most = np.where(ahead, far, np.maximum(low.real, high.real))
    least = np.where(behind, -far, np.minimum(low.real, high.real))
    reach = field.extents_mm + TOUCH_MM + (BESIDE_RAD + ANGLE) * far  # by so much a line may be off
    return np.asarray((least <= field.radii_mm[:, None] + reach) & (most >= field.radii_mm[:, None] - reach))


def _is_in_cone(field: ObstacleField, corners: Ints, normals: Complexes, beside: Array) -> Flags:
    low, high = field.lows[corners], field.outward[corners]
    inside = ((low.conj() * normals).imag >= -beside) & ((normals.conj() * high).imag >= -beside)
    return np.asarray(inside | (field.lengths_mm[corners] == 0))


def measure_cone_offsets(field: ObstacleField, corners: Ints, normals: Complexes) -> Array:
    """Return how far directions lie from where the cones of their corners begin, radians in 0 to 2 pi.

    What lies beside a cone by no more than such a direction may be off lies where the cone begins or ends.
    """
    local, width = normals * field.lows[corners].conj(), field.cone_width[corners]
    angle = np.arctan2(local.imag, local.real)
    angle = np.where(angle < -2 * BESIDE_RAD, angle + 2 * np.pi, np.maximum(angle, 0.0))
    return np.asarray(np.where(angle > width + 2 * BESIDE_RAD, angle, np.minimum(angle, width)))


def find_arc_crossings(layout: FieldLayout, box: Box) -> tuple[Ints, Complexes]:
    """Return where arcs around the corners may enter or leave another obstacle, or the box of free places.

    A corner and the direction from it, for each such place.
    """
    field, radii = layout.field, layout.field.radii_mm
    x, y = field.centres.real, field.centres.imag
    lean = np.array((x - box[0], box[2] - x, y - box[1], box[3] - y))
    b, a = (np.abs(lean) < radii).nonzero()
    crossings = [(a, _SIDES[b], lean[b, a] / radii[a])]

    foreign = (field.owner[:, None] != field.owner) & (radii[:, None] > 0)
    foreign &= layout.lengths_mm < radii[:, None] + radii + field.lengths_mm
    _check_crowd(int(np.count_nonzero(foreign)), MOST_CLOSE_PAIRS, "pairs of arcs that may cross")
    i, j = np.nonzero(foreign)
    one, two, d, step = radii[i], radii[j], layout.lengths_mm[i, j], layout.steps[i, j]
    k = ((d < one + two) & (d > np.abs(one - two))).nonzero()[0]
    crossings.append((i[k], step[k] / d[k], (one[k] ** 2 + d[k] ** 2 - two[k] ** 2) / (2 * d[k] * one[k])))

    normal, length = field.outward[j], field.lengths_mm[j]
    local = step * normal.conj()
    lean, ahead = local.real + two, -local.imag
    close = (ahead > -one - TOUCH_MM) & (ahead < length + one + TOUCH_MM) & (length > 0)
    k = ((np.abs(lean) < one + TOUCH_MM) & close).nonzero()[0]  # sides that go on from the arc are among them
    crossings.append((i[k], normal[k], lean[k] / one[k]))
    corner, toward, cosine = (np.concatenate(column) for column in zip(*crossings, strict=True))
    cosine = np.minimum(np.maximum(cosine, -1.0), 1.0)
    across = 1j * np.sqrt(np.maximum(1.0 - cosine * cosine, 0.0))
    return np.concatenate((corner, corner)), np.concatenate((toward * (cosine + across), toward * (cosine - across)))
