"""Uncertainty: standard deviations of clearances, path lengths and shortest ways, from the covariances of poses.

Linear propagation.  A least or a greatest value changes, to first order, as if the points and the direction it is
measured at were fixed to the shapes: the nearest points of a clearance, the point of the base that travels furthest.  A
covariance is (3, 3), of x and y in millimetres and the facing in radians; errors of different poses are independent.
"""

import math
from collections.abc import Sequence
from itertools import product

import numpy as np

from assistant.geometry.clearance.shape_clearance import Point, find_nearest_stretch
from assistant.geometry.motion.path_length import build_leg_arrays, find_furthest_body_point, measure_leg_lengths_mm
from assistant.geometry.shapes.base_shapes import PlacedShape
from assistant.geometry.shapes.convex import Array, decompose_placed

_STEPS = np.array((1e-3, 1e-3, 1e-4, 1e-4))
"""Changes of a leg's step in x and y, its first facing and its turn, over which the change of its length is taken."""


def clearance_sigma_mm(one: PlacedShape, other: PlacedShape, one_covariance: Array, other_covariance: Array) -> float:
    """Return the standard deviation of the clearance of two shapes, apart or overlapping.

    Where two edges face each other the nearest points are a whole stretch, of which any turn makes one end the nearest:
    the greater of the deviations at its two ends is given, which bounds the true one.
    """
    if _is_isotropic(one_covariance) and _is_isotropic(other_covariance):
        return math.sqrt(one_covariance[0, 0] + other_covariance[0, 0])
    pairs = product(decompose_placed(one), decompose_placed(other))
    separations = [(*b.minkowski_sum(a.reflect()).distance(0.0, 0.0), a, b) for a, b in pairs]
    _, inward, one_part, other_part = min(separations, key=lambda pair: pair[0])
    normal = -inward
    variances = []
    for near, far in find_nearest_stretch(one_part, other_part, normal):
        pull_one, pull_other = _pose_gradient(one, -normal, near), _pose_gradient(other, normal, far)
        variances.append(pull_one @ one_covariance @ pull_one + pull_other @ other_covariance @ pull_other)
    return math.sqrt(max(variances))


def travel_sigma_mm(path: Sequence[PlacedShape], covariances: Sequence[Array], *, furthest: bool) -> float:
    """Return the standard deviation of a path's length, by its centre or by the point that travels furthest."""
    pulls = _path_gradients(path, find_furthest_body_point(path) if furthest else np.zeros(2))
    return math.sqrt(sum(float(pull @ covariance @ pull) for pull, covariance in zip(pulls, covariances, strict=True)))


def displacement_sigma_mm(points: Sequence[Point], covariances: Sequence[Array]) -> float:
    """Return the standard deviation of the sum of straight ways from place to place of one point of a base.

    The errors are those of the poses' places, (3, 3) each; how their facings err is left aside.
    """
    steps = np.diff(np.array(points, dtype=float), axis=0)
    lengths = np.hypot(steps[:, 0], steps[:, 1])[:, None]
    along = np.divide(steps, lengths, out=np.zeros_like(steps), where=lengths > 0)
    pulls = np.zeros((len(points), 2))
    pulls[1:] += along
    pulls[:-1] -= along
    return math.sqrt(sum(float(p @ cov[:2, :2] @ p) for p, cov in zip(pulls, covariances, strict=True)))


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


def pose_covariance(sigma_mm: float, facing_sigma_rad: float = 0.0) -> Array:
    """Return the covariance of a pose that is as sure along x as along y, and whose facing errs apart from both."""
    return np.diag((sigma_mm**2, sigma_mm**2, facing_sigma_rad**2))


def _is_isotropic(covariance: Array) -> bool:
    """Return whether a place errs alike in all directions, and its facing not at all: then no direction matters."""
    return np.array_equal(covariance, np.diag((covariance[0, 0], covariance[0, 0], 0.0)))


def _pose_gradient(placed: PlacedShape, direction: Array, point: Array) -> Array:
    """Return how far a point of a shape moves along a direction, per unit of the shape's x, y and facing."""
    arm = point - (placed.x_mm, placed.y_mm)
    return np.array((direction[0], direction[1], direction[1] * arm[0] - direction[0] * arm[1]))


def _path_gradients(path: Sequence[PlacedShape], body: Array) -> Array:
    """Return how a body point's length of way changes with the x, y and facing of each pose, (poses, 3).

    A later place lengthens the step to it and shortens the step from it, and so does a facing with the turns, but it
    also is the facing that the next leg starts from.
    """
    legs = np.column_stack(build_leg_arrays(path))
    slopes = _leg_gradients(legs, body) if body.any() else _centre_leg_gradients(legs)
    pulls = np.zeros((len(path), 3))
    pulls[1:] += slopes[:, (0, 1, 3)]
    pulls[:-1] -= slopes[:, (0, 1, 3)]
    pulls[:-1, 2] += slopes[:, 2]
    return pulls


def _leg_gradients(legs: Array, body: Array) -> Array:
    """Return how a body point's way on each of (m, 4) legs changes with the leg's step, first facing and turn."""
    shifts = np.concatenate((np.diag(_STEPS), -np.diag(_STEPS)))
    shifted = (legs[:, None] + shifts).reshape(-1, 4)
    lengths = measure_leg_lengths_mm(shifted[:, :2], shifted[:, 2], shifted[:, 3], body[None]).reshape(-1, 2, 4)
    slopes: Array = (lengths[:, 0] - lengths[:, 1]) / (2 * _STEPS)
    return slopes


def _centre_leg_gradients(legs: Array) -> Array:
    """Return the same for the centre: its way is the step's length, however the base turns."""
    lengths = np.hypot(legs[:, 0], legs[:, 1])[:, None]
    slopes = np.zeros((len(legs), 4))
    np.divide(legs[:, :2], lengths, out=slopes[:, :2], where=lengths > 0)
    return slopes
