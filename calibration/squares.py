"""A fit to squares that finds how far their corners are off beyond the noise of the picture."""

from collections.abc import Callable

import numpy as np

from calibration.least_squares import Solution, solve
from calibration.spaces import Floats

Residuals = Callable[[Floats], tuple[Floats, Floats]]
"""Takes parameters; returns (n, 8) how far the corners are off, px, and their (n, 8, p) derivatives."""
LEAST_SIGMA_PX = 0.005
"""No camera sees a corner better than this; a fit to a handful of corners may look as if it did."""
OWN_BLEED_PX = 0.03
"""By how much one square's edges may bleed more than another's, where few squares tell."""
FIRST_PX = (0.01, 0.5)
"""By how much corners may be off beyond their noise, before anything is known of it: little, or much."""
STUDENT_FREEDOM = 6
"""Of Student's distribution of what squares are off: fewer, and a square that is far off weighs less."""
SHIFT_SIGMAS = 5.0
"""Squares that are off as a whole by more than this, for all they scatter, were not laid where it is said."""
ROUNDS = 4


def fit_squares(
    *,
    residuals: Residuals,
    start: Floats,
    prior: Floats,
    information: Floats,
    noise: Floats,
    outward: Floats,
    first_px: float,
) -> tuple[float, Solution, float]:
    """Solve in turn for the parameters and for how far the corners are off beyond their noise.

    Returns:
        twice the logarithm of the evidence (by Laplace's method, but for a constant), the solution, and the floor, px.

    """
    count = len(outward)
    spread, floor_px = noise + first_px**2 * np.eye(8), first_px
    for _ in range(ROUNDS):
        whitening = np.linalg.inv(np.linalg.cholesky(spread))

        def whitened(parameters: Floats, whitening: Floats = whitening) -> tuple[Floats, Floats]:
            apart, slopes = residuals(parameters)
            return (whitening @ apart[..., None]).ravel(), (whitening @ slopes).reshape(8 * count, -1)

        solution = solve(residuals=whitened, start=start, prior=prior, information=information)
        start = solution.parameters
        apart, slopes = residuals(start)
        weighted = slopes.transpose(0, 2, 1) @ np.linalg.inv(spread)
        left = np.eye(8) - slopes @ solution.covariance @ weighted
        away = start - prior
        cost = float(solution.residuals @ solution.residuals + away @ information @ away)
        evidence = np.linalg.slogdet(solution.covariance)[1] - cost - np.linalg.slogdet(spread)[1].sum()
        spread, floor_px = _spread(apart, outward, noise, left)
    return float(evidence), solution, floor_px


def _spread(apart: Floats, outward: Floats, noise: Floats, left: Floats) -> tuple[Floats, float]:
    """Return how far each square's corners are off by a solve's residuals, and the floor of it that all share.

    What the noise does not explain is taken apart.  A shadow, ink and the light make one square a little larger than
    another, which says nothing of where its middle is; taken for noise of every corner alike it would make the camera's
    place look less sure than it is.  An anchor that was laid by hand is off as a whole; taken for noise of every corner
    alike it would make the camera's place look surer than it is.  A square that is off much farther than the others
    weighs less, as under Student's distribution (Lange, Little and Taylor, Journal of the American Statistical
    Association 84, 1989).

    Args:
        apart: (n, 8) residuals, px.
        outward: (n, 8) how the corners move when the edges do.
        noise: (n, 8, 8) covariance that is known.
        left: (n, 8, 8) how much of what a square's corners are off the solve left in its residuals.

    Returns:
        (n, 8, 8) covariance of each square's corners, px2; and the standard deviation of the floor, px.

    """
    count = len(apart)
    swollen = outward / np.linalg.norm(outward, axis=1, keepdims=True)
    bleeds = swollen[:, :, None] * swollen[:, None, :]
    shifts = np.tile(np.kron(np.full((4, 4), 0.25), np.eye(2)), (count, 1, 1))
    rest = np.eye(8) - bleeds - shifts  # a square that swells stays where it is

    def beyond(modes: Floats) -> Floats:
        """(n,) mean square of what a square is off in some of its modes, beyond what is known of it."""
        room = np.einsum("nij,nji->n", modes, left).mean()  # so many of them are free
        squares = np.einsum("ni,nij,nj->n", apart, modes, apart)
        known = np.einsum("nij,nji->n", modes, noise)
        return np.asarray(squares / max(room, 1 / count) - known / np.einsum("nii->n", modes))

    own2 = max(0.0, float(beyond(bleeds).sum())) / count + OWN_BLEED_PX**2 * float((outward**2).sum() / count) / count
    # One square that is far off must not speak for all; the median of squares of two normal deviates is 0.69 of a mean.
    floor2 = max(LEAST_SIGMA_PX**2, float(np.median(beyond(rest)) if count > 3 else beyond(rest).mean()))
    shift2 = float(np.median(beyond(shifts)) / 0.69 if count > 3 else beyond(shifts).mean()) - floor2
    # Few squares leave few shifts free, whose squares scatter; only what stands out of them is believed.
    scatter = np.sqrt(2 / max(1e-9, np.einsum("nij,nji->", shifts, left)))
    shift2 *= shift2 > SHIFT_SIGMAS * scatter * (floor2 + float(np.einsum("nij,nji->n", shifts, noise).mean()) / 2)
    spread = noise + own2 * bleeds + shift2 * shifts + floor2 * np.eye(8)
    chi2 = np.einsum("ni,nij,nj->n", apart, np.linalg.inv(spread), apart) * 8 / np.einsum("nii->n", left).mean()
    weight = np.maximum(1.0, (STUDENT_FREEDOM + chi2) / (STUDENT_FREEDOM + 8))
    return np.asarray(spread * weight[:, None, None]), float(np.sqrt(floor2))
