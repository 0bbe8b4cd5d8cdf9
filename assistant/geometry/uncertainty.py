"""How sure a clearance, a path's length and a shortest way are, from the covariances of poses.

Linear propagation.  A least or a greatest value changes, to first order, as if the points and the direction it is
measured at were fixed to the shapes: the nearest points of a clearance, the point of the base that travels furthest.
A covariance is (3, 3), of x and y in millimetres and the facing in radians; errors of different poses are independent.
"""

import math
from collections.abc import Sequence
from itertools import product

import numpy as np

from assistant.geometry.clearance import Point, stretch
from assistant.geometry.convex import Array, placed_parts
from assistant.geometry.paths import body_travel_mm, furthest_travel
from assistant.geometry.shapes import Placed

_STEP = (1e-3, 1e-3, 1e-4)
"""Steps in x, y and facing over which the change of a length is taken."""


def clearance_sigma_mm(one: Placed, other: Placed, one_covariance: Array, other_covariance: Array) -> float:
    """Return the standard deviation of the clearance of two shapes, apart or overlapping.

    Where two edges face each other the nearest points are a whole stretch, of which any turn makes one end the nearest:
    the greater of the deviations at its two ends is given, which bounds the true one.
    """
    pairs = product(placed_parts(one), placed_parts(other))
    found = [(*b.plus(a.reflected()).distance(0.0, 0.0), a, b) for a, b in pairs]
    _, inward, one_part, other_part = min(found, key=lambda pair: pair[0])
    normal = -inward
    variances = []
    for near, far in stretch(one_part, other_part, normal):
        pull_one, pull_other = _pull(one, -normal, near), _pull(other, normal, far)
        variances.append(pull_one @ one_covariance @ pull_one + pull_other @ other_covariance @ pull_other)
    return math.sqrt(max(variances))


def travel_sigma_mm(path: Sequence[Placed], covariances: Sequence[Array], *, furthest: bool) -> float:
    """Return the standard deviation of a path's length, by its centre or by the point that travels furthest."""
    body = _furthest_body(path) if furthest else np.zeros((1, 2))
    variance = 0.0
    for index, covariance in enumerate(covariances):
        pull = np.array([_slope(path, index, axis, body) for axis in range(3)])
        variance += float(pull @ covariance @ pull)
    return math.sqrt(variance)


def route_sigma_mm(points: Sequence[Point], start_covariance: Array, goal_covariance: Array) -> float:
    """Return the standard deviation of a shortest way's length, through its first and last legs.

    What it runs around is taken as certain.
    """
    way = np.array(points, dtype=float)
    legs = np.diff(way, axis=0)
    lengths = np.hypot(legs[:, 0], legs[:, 1])
    legs, lengths = legs[lengths > 0], lengths[lengths > 0]
    if not len(legs):
        return 0.0
    ends = ((legs[0] / lengths[0], start_covariance), (legs[-1] / lengths[-1], goal_covariance))
    return math.sqrt(sum(float(along @ covariance[:2, :2] @ along) for along, covariance in ends))


def covariance_along(start: Array, end: Array, share: float) -> Array:
    """Return the covariance of a pose on a leg, 0 at its start and 1 at its end."""
    along: Array = (1 - share) ** 2 * start + share**2 * end
    return along


def _pull(placed: Placed, direction: Array, point: Array) -> Array:
    """Return how far a point of a shape moves along a direction, per unit of the shape's x, y and facing."""
    arm = point - (placed.x_mm, placed.y_mm)
    return np.array((direction[0], direction[1], direction[1] * arm[0] - direction[0] * arm[1]))


def _furthest_body(path: Sequence[Placed]) -> Array:
    """Return the point that travels furthest in the shape's own frame, (1, 2)."""
    start = path[0]
    x, y = furthest_travel(path).points[0]
    dx, dy = x - start.x_mm, y - start.y_mm
    cos, sin = math.cos(start.facing_rad), math.sin(start.facing_rad)
    return np.array([[dx * cos + dy * sin, dy * cos - dx * sin]])


def _slope(path: Sequence[Placed], index: int, axis: int, body: Array) -> float:
    """Return how a body point's length of way changes with one coordinate of one pose."""
    low, high = max(0, index - 1), min(len(path), index + 2)
    lengths = []
    for sign in (1, -1):
        shift = np.zeros(3)
        shift[axis] = sign * _STEP[axis]
        at = path[index]
        moved = Placed(
            shape=at.shape, x_mm=at.x_mm + shift[0], y_mm=at.y_mm + shift[1], facing_rad=at.facing_rad + shift[2]
        )
        legs = [*path[low:index], moved, *path[index + 1 : high]]
        lengths.append(float(body_travel_mm(legs, body)[0]))
    return (lengths[0] - lengths[1]) / (2 * _STEP[axis])
