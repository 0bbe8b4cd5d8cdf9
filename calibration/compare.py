"""Whether two lenses can be of the same camera."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from calibration.errors import Unsolvable
from calibration.lens_map import Stand, displacement_mm, grid_mm, response, stand_over
from calibration.spaces import Floats, Lens

Outcome = Literal["agree", "open", "disagree"]
OUTCOMES: tuple[Outcome, ...] = ("agree", "open", "disagree")
LIKELY, UNLIKELY = 0.05, 0.0027
"""How probable it is that lenses of one camera lie further apart: two and three standard deviations of one number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """How two lenses differ, the second against the first."""

    outcome: Outcome
    differences: Floats
    """(9,) of the parameters, in the order of LENS_PARAMETERS."""
    sigmas: Floats
    """(9,) the standard deviations of the differences."""
    chi2: float
    """Of all differences together, with 9 degrees of freedom."""
    probability: float
    """That lenses of one camera lie further apart than this."""
    typical_mm: float
    """Root mean square distance, all over the table, between where the two see the same thing."""
    worst_mm: float
    typical_px: float
    worst_px: float
    expected_mm: float
    """What ``typical_mm`` is expected to be for lenses of one camera: from their covariances."""


def compare(one: Lens, other: Lens, stand: Stand | None = None) -> Comparison:
    """Compare two lenses; they are independent measurements.

    Raises:
        Unsolvable: they are for pictures of different sizes.

    """
    if one.image_size != other.image_size:
        (a, b), (c, d) = one.image_size, other.image_size
        raise Unsolvable(f"one is for pictures of {a}x{b}, the other of {c}x{d}; compare lenses of one resolution")
    stand = stand_over(one) if stand is None else stand
    differences = other.parameters - one.parameters
    covariance = one.covariance + other.covariance
    sigmas = np.sqrt(np.diag(covariance))
    whitened = differences / sigmas
    chi2 = float(whitened @ np.linalg.solve(covariance / np.outer(sigmas, sigmas), whitened))
    places = grid_mm(stand.table_mm).reshape(-1, 2)
    points_mm = np.column_stack([places, np.zeros(len(places))])
    apart_mm = displacement_mm(one, other, stand, points_mm)
    answer, steps_mm = response(one, stand, points_mm)
    lengths_mm = np.linalg.norm(apart_mm, axis=1)
    lengths_px = np.linalg.norm(np.linalg.solve(steps_mm, apart_mm[:, :, None])[:, :, 0], axis=1)
    expected = np.einsum("nip,pq,niq->n", answer, covariance, answer)
    probability = beyond(chi2)
    return Comparison(
        outcome="agree" if probability >= LIKELY else "open" if probability >= UNLIKELY else "disagree",
        differences=differences,
        sigmas=sigmas,
        chi2=chi2,
        probability=probability,
        typical_mm=float(np.sqrt((lengths_mm**2).mean())),
        worst_mm=float(lengths_mm.max()),
        typical_px=float(np.sqrt((lengths_px**2).mean())),
        worst_px=float(lengths_px.max()),
        expected_mm=float(np.sqrt(expected.mean())),
    )


def beyond(chi2: float) -> float:
    """Return the probability that chi-square with 9 degrees of freedom exceeds a value.

    >>> round(beyond(16.919), 4)
    0.05
    """
    term, total = math.sqrt(chi2), 0.0
    for odd in (3, 5, 7, 9):
        total += term
        term *= chi2 / odd
    return math.erfc(math.sqrt(chi2 / 2)) + math.sqrt(2 / math.pi) * math.exp(-chi2 / 2) * total
