"""Rest detection: the average of a base's measurements while it rests, and the test that ends it.

Whatever is the same in every picture does not average out and is kept apart.  A measurement that noise does not explain
does not belong to the average; neither does a slow creep, of which no single measurement is remarkable (an
exponentially weighted moving average of the innovations: Roberts, Technometrics 1, 1959).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from vision.tags.pose_estimation import BaseMeasurement

Floats = NDArray[np.float64]

UNREST = np.diag(np.square([0.003, 0.003, math.radians(0.015)]))
"""(3, 3) what a base may do on the quietest of tables, mm and radians."""
_UNREST_MM2 = float(UNREST[0, 0] + UNREST[1, 1])
_NOTHING, _NO_DRIFT = np.zeros((3, 3)), np.zeros(3)
JUMP_CHI2 = 20.0
"""Squared distance, in sigma, beyond which a measurement does not belong to the average (3 degrees of freedom).  Noise
does so once in several thousand pictures; a larger limit would let the first picture of a slow motion pass."""
SPREAD_CHI2 = 30.0
"""The same for any of those that are to be taken for a rest."""
DRIFT_CHI2 = 20.0
"""The same for the moving average of the distances."""
DRIFT_SHARE = 0.15
"""What the newest measurement adds to the moving average."""
CREEP_CHI2 = 16.0
"""The same between the first half and the second of what is to be taken for a rest."""
UNNOTICED_SHARE = 0.4
"""Share of one picture's noise, as a variance, by which a base may have moved unnoticed: the first step of a motion
passes for noise up to the root of JUMP_CHI2, and is to be within five sigma for all that."""
STEP_CHI2 = 12.0
"""The same between two measurements in a row."""
DRIFT_RATE = 0.02
MOST_RESTLESS = 9.0
MOST_AVERAGED = 100


@dataclass(frozen=True, kw_only=True)
class RestingPose:
    """What is known of a pose that has been measured several times."""

    pose: Floats
    """(3,) x_mm, y_mm, facing_rad."""
    noise: Floats
    """(3, 3) covariance from the pictures' noise."""
    unnoticed: Floats
    """(3, 3) how far the base may have moved since without being noticed, since one picture's noise hides it."""
    lasting: Floats
    """(3, 3) covariance of what is the same in every picture."""
    count: int
    """Measurements in the average."""
    drift: Floats
    """(3,) moving average of the distances of measurements from the average, in sigma."""
    restless: float
    """Mean square of these distances a dimension; 1 when noise explains them, more on a shaky table."""

    @cached_property
    def covariance(self) -> Floats:
        """(3, 3) of the pose: most rest, and each picture asks for it."""
        return np.asarray(self.noise + self.unnoticed + self.lasting)


def pose_from_measurement(m: BaseMeasurement) -> Floats:
    """(3,) x_mm, y_mm, facing_rad."""
    return np.array([m.x_mm, m.y_mm, m.facing_rad])


def subtract_poses(pose: Floats, other: Floats) -> Floats:
    """(3,) from one pose to another, by the shorter turn."""
    difference = pose - other
    difference[2] = math.remainder(difference[2], math.tau)
    return np.asarray(difference)


def _add_variances_mm2(m: BaseMeasurement) -> float:
    """Return the variances of x and y from noise: as Python's own numbers, for it is asked often."""
    return m.noise.item(0) + m.noise.item(4)


def has_stayed(before: BaseMeasurement, after: BaseMeasurement) -> bool:
    """Whether noise explains how two measurements differ."""
    variance = _add_variances_mm2(before) + _add_variances_mm2(after) + _UNREST_MM2
    if (after.x_mm - before.x_mm) ** 2 + (after.y_mm - before.y_mm) ** 2 >= STEP_CHI2 * variance:
        return False  # whatever the turn: this is told at a glance of what moves
    step = subtract_poses(pose_from_measurement(after), pose_from_measurement(before))
    return float(step @ np.linalg.solve(before.noise + after.noise + UNREST, step)) < STEP_CHI2


def begin_rest(m: BaseMeasurement) -> RestingPose:
    """Begin with one measurement."""
    return RestingPose(
        pose=pose_from_measurement(m),
        noise=m.noise,
        unnoticed=_NOTHING,
        lasting=m.lasting,
        count=1,
        drift=_NO_DRIFT,
        restless=1.0,
    )


def average_measurements(measurements: Sequence[BaseMeasurement], most_restless: float) -> RestingPose | None:
    """Average measurements in a row; None if noise does not explain how they differ, singly or from first to last.

    Args:
        measurements: one after the other.
        most_restless: how much more than noise, in mean square, a shaking table may add.

    """
    first, last = measurements[0], measurements[-1]
    variance = _add_variances_mm2(last) + _UNREST_MM2
    if (last.x_mm - first.x_mm) ** 2 + (last.y_mm - first.y_mm) ** 2 > 4 * SPREAD_CHI2 * most_restless * variance:
        return None  # one of the two is too far from any mean: this is told at a glance of what moves
    steps = np.array([subtract_poses(pose_from_measurement(m), pose_from_measurement(last)) for m in measurements])
    whitened = np.linalg.solve(np.linalg.cholesky(last.noise + UNREST), (steps - steps.mean(axis=0)).T).T
    # How much a table shakes is told by the steps from picture to picture, to which a slow motion adds little.
    unrest = float((np.diff(whitened, axis=0) ** 2).mean()) / 2
    restless = min(max(1.0, unrest), most_restless)
    half = len(measurements) // 2
    creep = whitened[-half:].mean(axis=0) - whitened[:half].mean(axis=0)
    if (whitened**2).sum(axis=1).max() > SPREAD_CHI2 * restless or (creep**2).sum() * half / 2 > CREEP_CHI2 * restless:
        return None
    return RestingPose(
        pose=pose_from_measurement(last) + steps.mean(axis=0),
        noise=last.noise * restless / len(measurements),
        unnoticed=UNNOTICED_SHARE * last.noise * restless + UNREST,
        lasting=last.lasting,
        count=len(measurements),
        drift=_NO_DRIFT,
        restless=restless,
    )


def restart_rest(rest: RestingPose, m: BaseMeasurement) -> RestingPose | None:
    """Begin anew with a measurement that rests on another calibration; None if that does not explain the difference."""
    step = subtract_poses(pose_from_measurement(m), rest.pose)
    spread = m.noise + m.lasting + rest.covariance
    if float(step @ np.linalg.solve(spread, step)) > JUMP_CHI2 * rest.restless:
        return None
    return replace(begin_rest(m), unnoticed=rest.unnoticed, restless=rest.restless)


def extend_rest(rest: RestingPose, m: BaseMeasurement) -> RestingPose | None:
    """Return the average with one more measurement; None if it does not belong there."""
    step = subtract_poses(pose_from_measurement(m), rest.pose)
    sigmas = np.linalg.solve(np.linalg.cholesky(m.noise + rest.noise + UNREST), step)
    drift = (1 - DRIFT_SHARE) * rest.drift + DRIFT_SHARE * sigmas
    drift_chi2 = float(drift @ drift) * (2 - DRIFT_SHARE) / DRIFT_SHARE
    if float(sigmas @ sigmas) > JUMP_CHI2 * rest.restless or drift_chi2 > DRIFT_CHI2 * rest.restless:
        return None
    unrest = min(float(sigmas @ sigmas) / 3, MOST_RESTLESS)
    restless = max(1.0, rest.restless + DRIFT_RATE * (unrest - rest.restless))
    count = min(rest.count + 1, MOST_AVERAGED)
    return RestingPose(
        pose=rest.pose + step / count,
        noise=m.noise * restless / count,
        unnoticed=UNNOTICED_SHARE * m.noise * restless + UNREST,
        lasting=m.lasting,
        count=count,
        drift=drift,
        restless=restless,
    )
