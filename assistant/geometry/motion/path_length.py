"""Path length: how long a path of poses is, by the metrics that wargames use."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise

import numpy as np

from assistant.geometry.clearance.shape_clearance import Point, turn_rad
from assistant.geometry.shapes.base_shapes import PlacedShape, Round
from assistant.geometry.shapes.convex import Array, decompose_convex, maximise_on_circle

LengthMeasure = Callable[[Sequence[PlacedShape], Array], Array]
"""How far (k, 2) points of a shape go along a path, as (k,) millimetres."""

_CENTRE = np.zeros(2)
_CENTRE.flags.writeable = False
_NO_TURN_RAD = 1e-6
"""Below this turn a leg is straight to 1e-12 of its length."""
_NEAR_MEAN = 2e-3
"""Each round of a duplication shrinks the gaps to the mean fourfold: the sixth power of such a one is no more."""
_DUPLICATIONS = 14
"""What does not come to that is as good as it gets by then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Travel:
    """The length of a path, and the places of the body point that travelled it, one for each pose."""

    mm: float
    points: tuple[Point, ...]


def measure_centre_travel(path: Sequence[PlacedShape], *, in_space: bool = False) -> Travel:
    """Return how far the centre travels, level, or in space with what it rises and falls."""
    places = [(at.x_mm, at.y_mm, at.z_mm if in_space else 0.0) for at in path]
    return Travel(mm=sum(math.dist(a, b) for a, b in pairwise(places)), points=tuple((x, y) for x, y, _ in places))


def measure_furthest_travel(path: Sequence[PlacedShape], *, in_space: bool = False) -> Travel:
    """Return how far the part of the shape that travels furthest does; a round shape turns free."""
    body = find_furthest_body_point(path, in_space=in_space)
    return _measure_body(path, body, partial(measure_body_travel_mm, in_space=in_space))


def measure_furthest_displacement(path: Sequence[PlacedShape]) -> Travel:
    """Return the greatest displacement of any part of the shape, straight from pose to pose; a round shape turns free.

    No way between two poses is shorter.
    """
    body = _find_furthest_body_point(path, measure_body_displacement_mm)
    return _measure_body(path, body, measure_body_displacement_mm)


def find_furthest_body_point(path: Sequence[PlacedShape], *, in_space: bool = False) -> Array:
    """Return the point of the shape, (2,) in its own frame, that travels furthest."""
    return _CENTRE if isinstance(path[0].shape, Round) else _keep_furthest_body_point(tuple(path), in_space)


@lru_cache(maxsize=64)
def _keep_furthest_body_point(path: tuple[PlacedShape, ...], in_space: bool) -> Array:
    """Return the same of the paths asked about last: both the length of a path and its sigma ask."""
    body = _find_furthest_body_point(path, partial(measure_body_travel_mm, in_space=in_space))
    body.flags.writeable = False
    return body


def measure_body_travel_mm(path: Sequence[PlacedShape], body_mm: Array, *, in_space: bool = False) -> Array:
    """Return how far (k, 2) points of the shape, in its own frame, travel along a path, exact, as (k,) millimetres."""
    heights_mm = np.array([at.z_mm if in_space else 0.0 for at in path])
    rises_mm = heights_mm[1:] - heights_mm[:-1]
    lengths: Array = measure_leg_lengths_mm(*build_leg_arrays(path), body_mm, rises_mm).sum(axis=0)
    return lengths


def measure_body_displacement_mm(path: Sequence[PlacedShape], body_mm: Array) -> Array:
    """Return the sums, (k,), of the straight ways that (k, 2) points of the shape go from each pose to the next."""
    lengths: Array = _measure_chords_mm(*build_leg_arrays(path), body_mm).sum(axis=0)
    return lengths


def build_leg_arrays(path: Sequence[PlacedShape]) -> tuple[Array, Array, Array]:
    """Return the legs of a path: steps in place, (m, 2), facings at their starts, (m,), and turns, (m,)."""
    places = np.array([(at.x_mm, at.y_mm) for at in path])
    facings = np.array([at.facing_rad for at in path[:-1]])
    return places[1:] - places[:-1], facings, np.array([turn_rad(a, b) for a, b in pairwise(path)])


def measure_leg_lengths_mm(
    steps_mm: Array, facings_rad: Array, turns_rad: Array, body_mm: Array, rises_mm: Array | float = 0.0
) -> Array:
    """Return how far (k, 2) points of the shape travel on each of m legs, exact, as (m, k) millimetres.

    On a leg that turns, a point's speed is sqrt(A + B cos u) with u linear in time: an elliptic integral.
    """
    turned = np.flatnonzero(np.abs(turns_rad) >= _NO_TURN_RAD)
    if body_mm.any() or len(turned):
        chords = _measure_chords_mm(steps_mm, facings_rad, turns_rad, body_mm)
    else:  # the centre goes straight on
        chords = np.hypot(steps_mm[:, :1], np.broadcast_to(steps_mm[:, 1:], (len(steps_mm), len(body_mm))))
    rise = np.broadcast_to(rises_mm, turns_rad.shape)[:, None]
    lengths: Array = np.hypot(chords, rise)
    if not len(turned):
        return lengths
    turn, facing, step = turns_rad[turned, None], facings_rad[turned, None], steps_mm[turned]
    reach, bearing = np.hypot(body_mm[:, 0], body_mm[:, 1]), np.arctan2(body_mm[:, 1], body_mm[:, 0])
    ahead, around = np.hypot(step[:, :1], step[:, 1:]), np.abs(turn) * reach
    first = facing + bearing + np.copysign(math.pi / 2, turn) - np.arctan2(step[:, 1:], step[:, :1])
    peak = np.hypot(ahead + around, rise[turned])
    modulus = np.divide(4 * ahead * around, peak**2, out=np.zeros_like(peak), where=peak > 0)
    swept = _integrate_between(first / 2, (first + turn) / 2, modulus)
    lengths[turned] = 2 * peak * swept / turn
    return lengths


def place_body_point(at: PlacedShape, body: Array) -> Point:
    """Return where a point of the shape, (2,) in its own frame, lies on the table."""
    cos, sin = math.cos(at.facing_rad), math.sin(at.facing_rad)
    x, y = float(body[0]), float(body[1])
    return at.x_mm + x * cos - y * sin, at.y_mm + x * sin + y * cos


def _measure_body(path: Sequence[PlacedShape], body: Array, way_mm: LengthMeasure) -> Travel:
    return Travel(mm=float(way_mm(path, body[None])[0]), points=tuple(place_body_point(at, body) for at in path))


def _find_furthest_body_point(path: Sequence[PlacedShape], way_mm: LengthMeasure) -> Array:
    """Return the point whose way is longest: its centre's where the shape does not turn.

    A body point's length of way is a convex function of the point, so the furthest one is a corner of the shape's hull
    or lies on its ellipse.
    """
    best, furthest = -1.0, np.zeros(2)
    if isinstance(path[0].shape, Round) or all(turn_rad(a, b) == 0 for a, b in pairwise(path)):
        return furthest
    for part in decompose_convex(path[0].shape):
        candidates = [part.corners_mm]
        for a, b, _ in part.ellipses:
            angle, _ = maximise_on_circle(_restrict_to_ellipse(partial(way_mm, path), a, b), np.zeros(1))
            candidates.append(_ellipse_points(a, b, np.array([angle])))
        points = np.concatenate(candidates)
        lengths = way_mm(path, points)
        if lengths.max() > best:
            best, furthest = float(lengths.max()), points[lengths.argmax()]
    return furthest


def _restrict_to_ellipse(f: Callable[[Array], Array], a: float, b: float) -> Callable[[Array], Array]:
    """Return a function of body points as one of angles around an ellipse."""
    return lambda angles: f(_ellipse_points(a, b, angles))


def _measure_chords_mm(steps_mm: Array, facings_rad: Array, turns_rad: Array, body_mm: Array) -> Array:
    """Return how far (k, 2) points of the shape are displaced on each of m legs, as (m, k)."""
    before, after = facings_rad, facings_rad + turns_rad
    cos, sin = (np.cos(after) - np.cos(before))[:, None], (np.sin(after) - np.sin(before))[:, None]
    x, y = body_mm[:, 0], body_mm[:, 1]
    chords: Array = np.hypot(steps_mm[:, :1] + cos * x - sin * y, steps_mm[:, 1:] + sin * x + cos * y)
    return chords


def _ellipse_points(a: float, b: float, angles: Array) -> Array:
    return np.column_stack((a * np.cos(angles), b * np.sin(angles)))


def _integrate_between(low: Array, high: Array, m: Array) -> Array:
    """Return the elliptic integral of the second kind from one angle to another, E(high | m) - E(low | m)."""
    ends = np.stack((low, high))
    half_turns = np.round(ends / math.pi)
    parts = ends - half_turns * math.pi
    passed = half_turns[1] - half_turns[0]
    if not passed.any():
        within: Array = np.diff(_elliptic_integral(parts, m), axis=0)[0]
        return within
    before, after, quarter = _elliptic_integral(np.concatenate((parts, np.full_like(low, math.pi / 2)[None])), m)
    across: Array = after - before + 2 * passed * quarter
    return across


def _elliptic_integral(phi: Array, m: Array) -> Array:
    """Return E(phi | m) for angles of a quarter turn at most, by Carlson's duplication."""
    sin, cos = np.sin(phi), np.cos(phi)
    x, y, z = cos**2, np.maximum(1 - m * sin**2, 0.0), np.ones_like(phi)
    mean_f, mean_d = (x + y + z) / 3, (x + y + 3 * z) / 5
    gap_f = mean_f[..., None] - np.stack((x, y, z), axis=-1)
    gap_x, gap_y = mean_d - x, mean_d - y
    total, scale = np.zeros_like(phi), 1.0
    for _ in range(_DUPLICATIONS):
        if scale < _NEAR_MEAN * mean_f.min(initial=1.0):
            break
        root_x, root_y, root_z = np.sqrt(x), np.sqrt(y), np.sqrt(z)
        step = root_x * root_y + root_y * root_z + root_z * root_x
        total += scale / (root_z * (z + step))
        scale /= 4
        x, y, z = (x + step) / 4, (y + step) / 4, (z + step) / 4
        mean_f, mean_d = (mean_f + step) / 4, (mean_d + step) / 4
    dx, dy, dz = (gap_f[..., k] * scale / mean_f for k in range(3))
    e2, e3 = dx * dy - dz**2, dx * dy * dz
    form_f = (1 - e2 / 10 + e3 / 14 + e2**2 / 24 - 3 * e2 * e3 / 44) / np.sqrt(mean_f)
    dx, dy = gap_x * scale / mean_d, gap_y * scale / mean_d
    dz = -(dx + dy) / 3
    e2, e3 = dx * dy - 6 * dz**2, (3 * dx * dy - 8 * dz**2) * dz
    form_d = scale * (1 - 3 * e2 / 14 + e3 / 6) / (mean_d * np.sqrt(mean_d)) + 3 * total
    integral: Array = sin * form_f - m * sin**3 * form_d / 3
    return integral
