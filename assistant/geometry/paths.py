"""How long a path of poses is, by the metrics that wargames use, and how sure that is."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from assistant.geometry.clearance import Point, turn_rad
from assistant.geometry.convex import Array, convex_parts, greatest_on_circle
from assistant.geometry.shapes import Placed, Round

_NO_TURN_RAD = 1e-6
"""Below this turn a leg is straight to 1e-12 of its length."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Travel:
    """The length of a path, and the places of the body point that travelled it, one for each pose."""

    mm: float
    points: tuple[Point, ...]


def centre_travel(path: Sequence[Placed]) -> Travel:
    """Return how far the centre travels."""
    points = tuple((at.x_mm, at.y_mm) for at in path)
    return Travel(mm=sum(math.dist(a, b) for a, b in pairwise(points)), points=points)


def furthest_travel(path: Sequence[Placed]) -> Travel:
    """Return how far the part of the shape that travels furthest does; a round shape turns free.

    A body point's length of way is a convex function of the point, so the furthest one is a corner of the shape's hull
    or lies on its ellipse.
    """
    if isinstance(path[0].shape, Round) or all(turn_rad(a, b) == 0 for a, b in pairwise(path)):
        return centre_travel(path)
    body = _furthest(path)
    places = [body_point(at, body) for at in path]
    return Travel(mm=float(body_travel_mm(path, body[None])[0]), points=tuple(places))


def furthest_displacement_mm(start: Placed, end: Placed) -> float:
    """Return the greatest straight displacement of any point of the shape; no way between the two is shorter."""
    if isinstance(start.shape, Round):
        return math.hypot(end.x_mm - start.x_mm, end.y_mm - start.y_mm)

    def displaced(points: Array) -> Array:
        return _lengths(_at(end, points) - _at(start, points))

    greatest = 0.0
    for part in convex_parts(start.shape):
        greatest = max(greatest, float(displaced(part.corners_mm).max()))
        for a, b, _ in part.ellipses:
            _, longest = greatest_on_circle(_around(displaced, a, b), np.zeros(1))
            greatest = max(greatest, longest)
    return greatest


def body_travel_mm(path: Sequence[Placed], body_mm: Array) -> Array:
    """Return how far (k, 2) points of the shape, in its own frame, travel along a path, exact, as (k,) millimetres.

    On a leg that turns, a point's speed is sqrt(A + B cos u) with u linear in time: an elliptic integral.
    """
    total = np.zeros(len(body_mm))
    reach, bearing = np.hypot(body_mm[:, 0], body_mm[:, 1]), np.arctan2(body_mm[:, 1], body_mm[:, 0])
    for start, end in pairwise(path):
        turn = turn_rad(start, end)
        if abs(turn) < _NO_TURN_RAD:
            total += _lengths(_at(end, body_mm) - _at(start, body_mm))
            continue
        dx, dy = end.x_mm - start.x_mm, end.y_mm - start.y_mm
        ahead, around = math.hypot(dx, dy), abs(turn) * reach
        first = start.facing_rad + bearing + math.copysign(math.pi / 2, turn) - math.atan2(dy, dx)
        peak = ahead + around
        modulus = np.divide(4 * ahead * around, peak**2, out=np.zeros_like(peak), where=peak > 0)
        swept = _second_kind((first + turn) / 2, modulus) - _second_kind(first / 2, modulus)
        total += 2 * peak * swept / turn
    return total


def travel_sigma_mm(points: Sequence[Point], sigmas_mm: Sequence[float]) -> float:
    """Return the standard deviation of a polyline's length, its points' errors being independent and alike each way."""
    way = np.array(points, dtype=float)
    legs = np.diff(way, axis=0)
    lengths = np.hypot(legs[:, 0], legs[:, 1])[:, None]
    along = np.divide(legs, lengths, out=np.zeros_like(legs), where=lengths > 0)
    pulls = np.zeros_like(way)
    pulls[1:] += along
    pulls[:-1] -= along
    return math.sqrt(float((np.array(sigmas_mm) ** 2 * (pulls**2).sum(axis=1)).sum()))


def body_point(at: Placed, body: Array) -> Point:
    """Return where a point of the shape, (2,) in its own frame, lies on the table."""
    x, y = _at(at, body[None])[0]
    return float(x), float(y)


def _furthest(path: Sequence[Placed]) -> Array:
    best, furthest = -1.0, np.zeros(2)
    for part in convex_parts(path[0].shape):
        candidates = [part.corners_mm]
        for a, b, _ in part.ellipses:
            angle, _ = greatest_on_circle(_around(lambda body: body_travel_mm(path, body), a, b), np.zeros(1))
            candidates.append(_ellipse(a, b, np.array([angle])))
        points = np.concatenate(candidates)
        lengths = body_travel_mm(path, points)
        if lengths.max() > best:
            best, furthest = float(lengths.max()), points[lengths.argmax()]
    return furthest


def _around(f: Callable[[Array], Array], a: float, b: float) -> Callable[[Array], Array]:
    """Return a function of body points as one of angles around an ellipse."""
    return lambda angles: f(_ellipse(a, b, angles))


def _lengths(steps: Array) -> Array:
    return np.hypot(steps[:, 0], steps[:, 1])


def _ellipse(a: float, b: float, angles: Array) -> Array:
    return np.column_stack((a * np.cos(angles), b * np.sin(angles)))


def _at(placed: Placed, body: Array) -> Array:
    cos, sin = math.cos(placed.facing_rad), math.sin(placed.facing_rad)
    turned: Array = body @ np.array([[cos, sin], [-sin, cos]]) + (placed.x_mm, placed.y_mm)
    return turned


def _second_kind(phi: Array, m: Array) -> Array:
    """Return the incomplete elliptic integral of the second kind E(phi | m) by Carlson's duplication."""
    turns = np.round(phi / math.pi)
    part = _second_kind_within(phi - turns * math.pi, m)
    return part + 2 * turns * _second_kind_within(np.full_like(phi, math.pi / 2), m)


def _second_kind_within(phi: Array, m: Array) -> Array:
    sin, cos = np.sin(phi), np.cos(phi)
    x, y, z = cos**2, np.maximum(1 - m * sin**2, 0.0), np.ones_like(phi)
    mean_f, mean_d = (x + y + z) / 3, (x + y + 3 * z) / 5
    gap_f = mean_f[..., None] - np.stack((x, y, z), axis=-1)
    gap_x, gap_y = mean_d - x, mean_d - y
    total, scale = np.zeros_like(phi), 1.0
    for _ in range(14):  # each round shrinks the gaps fourfold: 4^-14 to the sixth power is far below rounding
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
