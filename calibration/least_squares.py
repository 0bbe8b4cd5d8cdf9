"""Least squares: Levenberg-Marquardt for a few parameters with a Gaussian prior, which keeps its covariance."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ENOUGH = 1e-6
"""The cost is counted in squared standard deviations: a step that saves less than this changes nothing that matters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeastSquaresSolution:
    """Where the solve ended."""

    parameters: Floats
    covariance: Floats
    residuals: Floats
    """Of the measurements alone, in units of their standard deviation."""


def solve_least_squares(
    *,
    residuals: Callable[[Floats], tuple[Floats, Floats]],
    start: Floats,
    prior: Floats,
    information: Floats,
    iterations: int = 40,
    enough: float = ENOUGH,
) -> LeastSquaresSolution:
    """Minimise the squares of ``residuals`` plus those of the distance from a prior.

    Args:
        residuals: takes (p,) parameters; returns (m,) whitened residuals and their (m, p) derivatives.
        start: (p,) where to begin.
        prior: (p,) mean of the prior.
        information: (p, p) inverse covariance of the prior; zero where nothing is known.
        iterations: after so many steps the best parameters so far are returned.
        enough: a step that saves less than this is the last.

    """
    here = start.astype(np.float64)
    damping = 1e-4
    found, slope = residuals(here)
    cost = _compute_cost(found, here - prior, information)
    for _ in range(iterations):
        curvature = slope.T @ slope + information
        downhill = -(slope.T @ found + information @ (here - prior))
        scale = np.sqrt(np.diag(curvature))  # one parameter is a focal length, another a distortion
        damped = curvature / np.outer(scale, scale) + damping * np.eye(len(here))
        there = here + np.linalg.solve(damped, downhill / scale) / scale
        found_there, slope_there = residuals(there)
        cost_there = _compute_cost(found_there, there - prior, information)
        if not cost_there <= cost:  # also when the step left the numbers behind
            damping *= 10
            if damping > 1e8:
                break
            continue
        done = cost - cost_there <= enough
        here, found, slope, cost, damping = there, found_there, slope_there, cost_there, damping / 10
        if done:
            break
    covariance = np.linalg.inv(slope.T @ slope + information)
    return LeastSquaresSolution(parameters=here, covariance=(covariance + covariance.T) / 2, residuals=found)


def _compute_cost(found: Floats, apart: Floats, information: Floats) -> float:
    return float(found @ found + apart @ information @ apart)
