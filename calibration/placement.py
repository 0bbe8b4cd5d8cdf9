"""How the corners of anchors, and their pixels, go with where the anchors lie."""

import cv2
import numpy as np

from calibration.spaces import Floats


def deviates(squares_mm: Floats, placement: Floats | None) -> Floats:
    """Return (4n, 3, m) how the corners of n anchors go with m independent unit deviates of where they lie.

    Args:
        squares_mm: (n, 4, 3) corners of the anchors.
        placement: (3n, 3n) joint covariance of their x and y (mm) and turn (rad), which may be singular.

    """
    if placement is None:
        return np.zeros((4 * len(squares_mm), 3, 0))
    sigmas = np.sqrt(np.diag(placement))
    scale = np.where(sigmas > 0, sigmas, 1.0)  # millimetres beside radians
    variances, ways = np.linalg.eigh(placement / np.outer(scale, scale))
    told = variances > 1e-9
    shifts = scale[:, None] * ways[:, told] * np.sqrt(variances[told])
    each = by_place(squares_mm) @ shifts.reshape(len(squares_mm), 1, 3, -1)
    return np.asarray(each.reshape(4 * len(squares_mm), 3, -1))


def by_place(squares_mm: Floats) -> Floats:
    """(n, 4, 3, 3) how the corners (n, 4, 3) of squares that lie flat go with each one's x, y and turn."""
    slopes = np.zeros((len(squares_mm), 4, 3, 3))
    arms = squares_mm - squares_mm.mean(axis=1, keepdims=True)
    slopes[..., 0, 0] = slopes[..., 1, 1] = 1.0
    slopes[..., 0, 2], slopes[..., 1, 2] = -arms[..., 1], arms[..., 0]
    return slopes


def by_point(slope: Floats, parameters: Floats) -> Floats:
    """(n, 2, 3) how pixels go with points of the table frame, from their derivatives (n, 2, 15) by the parameters."""
    # Moving a point by d moves the camera frame's coordinates by R d, just as a shift of the camera would.
    return np.asarray(slope[:, :, 3:6] @ np.asarray(cv2.Rodrigues(parameters[:3])[0]))
