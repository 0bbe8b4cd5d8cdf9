"""Least squares: Levenberg-Marquardt for a few parameters with a Gaussian prior, which keeps its covariance."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LEAST_GAIN = 1e-6
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
    enough: float = LEAST_GAIN,
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
    parameters = start.astype(np.float64)
    damping = 1e-4
    offsets, slope = residuals(parameters)
    cost = _compute_cost(offsets, parameters - prior, information)
    for _ in range(iterations):
        curvature = slope.T @ slope + information
        downhill = -(slope.T @ offsets + information @ (parameters - prior))
        scale = np.sqrt(np.diag(curvature))  # one parameter is a focal length, another a distortion
        damped = curvature / np.outer(scale, scale) + damping * np.eye(len(parameters))
        trial = parameters + np.linalg.solve(damped, downhill / scale) / scale
        trial_offsets, trial_slope = residuals(trial)
        trial_cost = _compute_cost(trial_offsets, trial - prior, information)
        if not trial_cost <= cost:  # also when the step left the numbers behind
            damping *= 10
            if damping > 1e8:
                break
            continue
        done = cost - trial_cost <= enough
        parameters, offsets, slope, cost, damping = trial, trial_offsets, trial_slope, trial_cost, damping / 10
        if done:
            break
    covariance = np.linalg.inv(slope.T @ slope + information)
    return LeastSquaresSolution(parameters=parameters, covariance=(covariance + covariance.T) / 2, residuals=offsets)


def _compute_cost(offsets: Floats, apart: Floats, information: Floats) -> float:
    return float(offsets @ offsets + apart @ information @ apart)
