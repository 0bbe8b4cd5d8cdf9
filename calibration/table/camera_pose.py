"""Camera pose: where the camera is over the table, from tags that lie at known places.

The solve also finds how far the corners are off beyond the noise of the picture, and takes that apart: squares that
seem larger than they are, squares that were laid beside their place, and a floor that all corners share.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np

from calibration.errors import Unsolvable
from calibration.least_squares import LeastSquaresSolution, solve_least_squares
from calibration.lens.model_choice import RADIAL_SHAPES, WEBCAM_WAVES
from calibration.spaces import CameraOverTable, Floats, Lens, flatten, project

Residuals = Callable[[Floats], tuple[Floats, Floats]]
"""Takes parameters; returns (n, 8) how far the corners are off, px, and their (n, 8, p) derivatives."""
LEAST_SIGMA_PX = 0.005
"""No camera sees a corner better than this; a fit to a handful of corners may look as if it did."""
OWN_BLEED_PX = 0.03
"""By how much one square's edges may bleed more than another's, where few squares tell."""
FIRST_FLOOR_PX = 0.01
"""By how much corners are off beyond their noise, before anything is known of it."""
FAR_SHAPE, FAR_SHIFT = 18.0, 6.0
"""A square that is farther off than this, in squared standard deviations of the six numbers that tell its shape and of
the two that tell its place, weighs the less the farther it is off."""
SHIFTS_PX = np.array([4.4, 2.4, 1.3, 0.7, 0.38, 0.2, 0.0])
"""By how much squares may be off as a whole along each axis, one standard deviation: where they were measured or drawn,
and where they were laid by hand, of which 2.4 px are about a millimetre in 4K."""
SHIFT_CHANCES = np.array([0.06, 0.08, 0.09, 0.1, 0.1, 0.1, 0.47])
"""How likely each is, before anything is seen.  Most tables are laid by hand, and four anchors have two numbers only
that tell it: where those are small by luck, what is likely beforehand decides."""
TOGETHER = np.asarray(np.kron(np.ones((4, 4)), np.eye(2)), dtype=np.float64)
"""(8, 8) covariance of a square's corners that are off as a whole by a pixel."""
MIDDLE = np.asarray(np.kron(np.ones(4) / 4, np.eye(2)), dtype=np.float64)
"""(2, 8) how a square's middle goes with its corners."""
SHIFT = TOGETHER / 4
"""(8, 8) what a square's corners have in common."""
ROUNDS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class SquareFit:
    """A solve that takes squares to be off as a whole by so much."""

    evidence: float
    """Twice its logarithm (by Laplace's method, but for a constant)."""
    solution: LeastSquaresSolution
    gain: Floats
    """(n, p, 8) how the parameters go with each square's corners."""
    floor_px: float
    """How far each coordinate of a corner is off beyond its noise; one standard deviation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SquareProblem:
    """Squares that are seen, and what is asked of them."""

    lens: Lens
    """What is known of it."""
    residuals: Residuals
    prior: Floats
    """(p,) what is known of the parameters beside: turn, shift, lens, bleed, ..."""
    information: Floats
    noise: Floats
    """(n, 8, 8) covariance that is known."""
    outward: Floats
    """(n, 8) how the corners move when the edges do."""

    def fit(self, start: Floats) -> SquareFit:
        """Solve for the parameters and for how far the corners are off beyond their noise.

        By how much squares are off as a whole, few squares hardly tell.  Every answer is tried and the likeliest taken;
        its covariance is what it comes to if squares are off as much as all the answers together make likely.
        """
        fits: list[SquareFit] = []
        for shift_px in SHIFTS_PX:  # the widest first: exact squares and an open lens have more than one likely answer
            fits.append(self._fit_shifted(start, shift_px, fits[-1].floor_px if fits else FIRST_FLOOR_PX))
            start = fits[-1].solution.parameters
        evidence = np.array([fit.evidence for fit in fits]) + 2 * np.log(SHIFT_CHANCES)
        best = int(evidence.argmax())
        chance = np.exp((evidence - evidence[best]) / 2)
        beyond_px2 = float(chance @ SHIFTS_PX**2 / chance.sum() - SHIFTS_PX[best] ** 2)
        fit = fits[best]
        by_shift = (fit.gain @ TOGETHER @ fit.gain.transpose(0, 2, 1)).sum(axis=0)
        covariance = fit.solution.covariance + beyond_px2 * by_shift
        return replace(fit, solution=replace(fit.solution, covariance=covariance))

    def _fit_shifted(self, start: Floats, shift_px: float, floor_px: float) -> SquareFit:
        count = len(self.outward)
        spread = usual = self.noise + floor_px**2 * np.eye(8) + shift_px**2 * TOGETHER
        for _ in range(ROUNDS):
            whitening = np.linalg.inv(np.linalg.cholesky(spread))

            def whitened(parameters: Floats, whitening: Floats = whitening) -> tuple[Floats, Floats]:
                apart, slopes = self.residuals(parameters)
                by_parameters = np.zeros((9, len(parameters)))
                known, by_parameters[:, 6:15] = compare_with_known(self.lens, parameters[6:15])
                return (
                    np.concatenate([(whitening @ apart[..., None]).ravel(), known]),
                    np.concatenate([(whitening @ slopes).reshape(8 * count, -1), by_parameters]),
                )

            solution = solve_least_squares(
                residuals=whitened, start=start, prior=self.prior, information=self.information
            )
            start = solution.parameters
            apart, slopes = self.residuals(start)
            weighted = slopes.transpose(0, 2, 1) @ np.linalg.inv(spread)
            gain = solution.covariance @ weighted
            left = np.eye(8) - slopes @ gain
            away, from_known = start - self.prior, solution.residuals[8 * count :]
            # That a square is far off is not free: its small weight alone must not make it likely.
            squares = sum(
                np.minimum(chi2, far) + far * np.log(np.maximum(1.0, chi2 / far))
                for chi2, far in zip(_split_squares(apart, usual), (FAR_SHAPE, FAR_SHIFT), strict=True)
            )
            cost = float(from_known @ from_known + away @ self.information @ away + np.sum(squares))
            evidence = np.linalg.slogdet(solution.covariance)[1] - cost - np.linalg.slogdet(usual)[1].sum()
            usual, spread, floor_px = self._estimate_spread(apart, left, shift_px)
        return SquareFit(evidence=float(evidence), solution=solution, gain=gain, floor_px=floor_px)

    def _estimate_spread(self, apart: Floats, left: Floats, shift_px: float) -> tuple[Floats, Floats, float]:
        """Return how far each square's corners are off by a solve's residuals, and the floor of it that all share.

        What the noise does not explain is taken apart.  A shadow, ink and the light make one square a little larger
        than another, which says nothing of where its middle is; taken for noise of every corner alike it would make the
        camera's place look less sure than it is.  An anchor that was laid by hand is off as a whole; taken for noise of
        every corner alike it would make the camera's place look surer than it is.  A square that is off much farther
        than it may be weighs less, as under a distribution with long tails; one that is not weighs as all do: where
        squares weighed by how well they agree, a few that agree by luck were trusted.

        Args:
            apart: (n, 8) residuals, px.
            left: (n, 8, 8) how much of what a square's corners are off the solve left in its residuals.
            shift_px: by how much squares are off as a whole.

        Returns:
            (n, 8, 8) covariance of each square's corners as a rule, px2; the same with what those are off that are far
            off; and the standard deviation of the floor, px.

        """
        count, noise = len(apart), self.noise
        swollen = self.outward / np.linalg.norm(self.outward, axis=1, keepdims=True)
        bleeds = swollen[:, :, None] * swollen[:, None, :]
        rest = np.eye(8) - bleeds - SHIFT  # a square that swells stays where it is

        def beyond(modes: Floats) -> Floats:
            """(n,) mean square of what a square is off in some of its modes, beyond what is known of it."""
            room = np.einsum("nij,nji->n", modes, left).mean()  # so many of them are free
            squares = np.einsum("ni,nij,nj->n", apart, modes, apart)
            known = np.einsum("nij,nji->n", modes, noise)
            return np.asarray(squares / max(room, 1 / count) - known / np.einsum("nii->n", modes))

        own2 = max(0.0, float(beyond(bleeds).sum())) / count
        own2 += OWN_BLEED_PX**2 * float((self.outward**2).sum() / count) / count
        # One square that is far off must not speak for all; the median of squares of two normal deviates is 0.69 of a
        # mean.
        floor2 = max(LEAST_SIGMA_PX**2, float(np.median(beyond(rest)) if count > 3 else beyond(rest).mean()))
        usual = noise + own2 * bleeds + shift_px**2 * TOGETHER + floor2 * np.eye(8)
        shape, shift = (squares * 8 / np.einsum("nii->n", left).mean() for squares in _split_squares(apart, usual))
        spread = usual * np.maximum(1.0, shape / FAR_SHAPE)[:, None, None]
        shift_px2 = np.einsum("nij,ji->n", usual, SHIFT) / 8  # of the middle along each axis
        spread += (np.maximum(1.0, shift / FAR_SHIFT) - 1)[:, None, None] * shift_px2[:, None, None] * TOGETHER
        return usual, spread, float(np.sqrt(floor2))


def _split_squares(apart: Floats, spread: Floats) -> tuple[Floats, Floats]:
    """Return (n,) how far squares are off in shape, and (n,) how far as a whole, in squared standard deviations."""
    middles, across = apart.reshape(-1, 4, 2).mean(axis=1), MIDDLE @ spread @ MIDDLE.T
    whole = np.einsum("ni,nij,nj->n", apart, np.linalg.inv(spread), apart)
    shift = np.einsum("ni,nij,nj->n", middles, np.linalg.inv(across), middles)
    return whole - shift, shift


BLEED_SIGMA_PX = 0.5
"""Black edges are found a little outside of where they are, all by the same amount for one lens, light and focus."""


FOCAL_HALF_DIAGONALS, FOCAL_SHARE = 1.37, 0.25
"""The focal length of webcams in half diagonals of the picture, and one standard deviation as a share of it."""
SHAPE_SIGMA = np.array([0.06, *WEBCAM_WAVES])
"""By how much of its distance from the centre a lens shifts a place, one standard deviation each, in each of the
`RADIAL_SHAPES`."""
TANGENTIAL_SIGMA = 0.003
"""Of p1 and p2, at the usual focal length."""
GUESS_POWERS = np.array([0, 0, 0, 0, 2, 4, 1, 1, 6])
"""A place in the picture is bent by each parameter times so many powers of its distance over the focal length."""


def guess_lens(image_size: tuple[int, int]) -> Lens:
    """Return what is known of a lens that nobody has calibrated: a webcam, as far as webcams differ.

    Args:
        image_size: width and height, px.

    """
    width, height = image_size
    half = math.hypot(width, height) / 2
    focal = FOCAL_HALF_DIAGONALS * half
    parameters = np.array([focal, focal, (width - 1) / 2, (height - 1) / 2, 0.0, 0.0, 0.0, 0.0, 0.0])
    covariance = np.zeros((9, 9))
    # The focal length is open, but pixels are square: both focal lengths move together.
    covariance[:2, :2] = (FOCAL_SHARE * focal) ** 2 + (0.002 * focal) ** 2 * np.eye(2)
    covariance[2:4, 2:4] = (0.02 * width) ** 2 * np.eye(2)
    radial = [4, 5, 8]
    bend = (focal / half) ** GUESS_POWERS[radial, None] * RADIAL_SHAPES * SHAPE_SIGMA
    covariance[np.ix_(radial, radial)] = bend @ bend.T
    covariance[6:8, 6:8] = TANGENTIAL_SIGMA**2 * np.eye(2)
    return Lens(image_size=image_size, parameters=parameters, covariance=covariance, is_guess=True)


def compare_with_known(lens: Lens, parameters: Floats) -> tuple[Floats, Floats]:
    """Return (9,) how far a lens with some (9,) parameters is from what is known of it, and (9, 9) derivatives.

    The unit is one standard deviation, of what is independent of each other.  What is known of a lens that nobody has
    calibrated is known by the place in the picture: a long lens bends the corner of its picture about as much as a wide
    one, by other k1, k2 and k3.
    """
    powers = GUESS_POWERS * float(lens.is_guess)
    ratio = (lens.parameters[0] / parameters[0]) ** powers
    as_known = parameters * ratio
    slope = np.diag(ratio)
    slope[:, 0] -= powers * as_known / parameters[0]
    whitening = _whiten(lens.covariance.tobytes())
    return whitening @ (as_known - lens.parameters), whitening @ slope


@lru_cache(maxsize=8)  # every step of a solve asks for the same one
def _whiten(covariance: bytes) -> Floats:
    return np.asarray(np.linalg.inv(np.linalg.cholesky(np.frombuffer(covariance).reshape(9, 9))))


def inform_lens(lens: Lens, parameters: Floats) -> Floats:
    """(9, 9) information that what is known of a lens is worth near some (9,) parameters."""
    _, slope = compare_with_known(lens, parameters)
    return np.asarray(slope.T @ slope)


def solve_table(
    *,
    lens: Lens,
    squares_mm: Floats,
    squares_px: Floats,
    noise_px2: Floats | None = None,
    placement: Floats | None = None,
    before: CameraOverTable | None = None,
) -> CameraOverTable:
    """Fit the camera's place, and as much of the lens as the anchors can tell beyond what is known of it.

    Args:
        lens: the calibrated lens with its covariance, or `guess_lens` where there is none.
        squares_mm: (n, 4, 3) corners of the anchors on the table, counter-clockwise seen from above.
        squares_px: (n, 4, 2) the same corners in the picture.
        noise_px2: (n, 8, 8) covariance of each square's corners from its picture; nothing where it is not given.  What
            the corners are off beyond it is found by the solve, the same for every corner.
        placement: (3n, 3n) joint covariance of where the anchors lie: x and y (mm) and turn (rad) of the first, of the
            second, ...; they lie exactly there where it is not given.
        before: an earlier solve to go on from.  With an open lens, focal length and height are told apart so weakly
            that a solve from nothing may stop within a sigma of the best.

    Raises:
        Unsolvable: no anchor, or anchors from which no camera position follows.

    """
    if len(squares_mm) == 0:
        raise Unsolvable("no anchor is in the picture; at least one is needed, four near the corners are better")
    points_mm, outward = squares_mm.reshape(-1, 3), compute_outward_steps(squares_px).reshape(-1, 2)
    points_px = squares_px.reshape(-1, 2)
    loose = build_deviates(squares_mm, placement)
    first = guess_pose(lens, points_mm, points_px) if before is None else np.zeros(6)
    still = np.zeros(loose.shape[2])
    prior = np.concatenate([first, lens.parameters, [0.0], still])  # of the pose nothing is known, so any will do
    start = prior if before is None else np.concatenate([before.parameters, [before.bleed_px], still])
    information = np.eye(len(prior))
    information[:6, :6] = 0.0
    information[6:15, 6:15] = 0.0  # what is known of it is among the residuals
    information[15, 15] = BLEED_SIGMA_PX**-2

    def residuals(parameters: Floats) -> tuple[Floats, Floats]:
        pixels, slope = project(points_mm + loose @ parameters[16:], parameters[:15], lens.model)
        apart = pixels + parameters[15] * outward - points_px
        slopes = np.concatenate([slope, outward[..., None], differentiate_by_point(slope, parameters) @ loose], axis=2)
        return apart.reshape(-1, 8), slopes.reshape(-1, 8, len(parameters))

    problem = SquareProblem(
        lens=lens,
        residuals=residuals,
        prior=prior,
        information=information,
        noise=np.zeros((len(squares_px), 8, 8)) if noise_px2 is None else noise_px2,
        outward=outward.reshape(-1, 8),
    )
    fit = problem.fit(start)
    solution = fit.solution
    camera = CameraOverTable(
        lens=Lens(
            image_size=lens.image_size,
            parameters=solution.parameters[6:15],
            covariance=solution.covariance[6:15, 6:15],
            model=lens.model,
        ),
        rotation=solution.parameters[:3],
        translation_mm=solution.parameters[3:6],
        covariance=solution.covariance[:15, :15],
        bleed_px=float(solution.parameters[15]),
        sigma_px=fit.floor_px,
    )
    if not np.isfinite(solution.parameters).all() or camera.height_mm <= 0:
        raise Unsolvable("no camera above the table sees the anchors so: check their ids, places and turns")
    return camera


def build_deviates(squares_mm: Floats, placement: Floats | None) -> Floats:
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
    is_known = variances > 1e-9
    shifts = scale[:, None] * ways[:, is_known] * np.sqrt(variances[is_known])
    each = differentiate_by_place(squares_mm) @ shifts.reshape(len(squares_mm), 1, 3, -1)
    return np.asarray(each.reshape(4 * len(squares_mm), 3, -1))


def differentiate_by_place(squares_mm: Floats) -> Floats:
    """(n, 4, 3, 3) how the corners (n, 4, 3) of squares that lie flat go with each one's x, y and turn."""
    slopes = np.zeros((len(squares_mm), 4, 3, 3))
    arms = squares_mm - squares_mm.mean(axis=1, keepdims=True)
    slopes[..., 0, 0] = slopes[..., 1, 1] = 1.0
    slopes[..., 0, 2], slopes[..., 1, 2] = -arms[..., 1], arms[..., 0]
    return slopes


def differentiate_by_point(slope: Floats, parameters: Floats) -> Floats:
    """(n, 2, 3) how pixels go with points of the table frame, from their derivatives (n, 2, 15) by the parameters."""
    # Moving a point by d moves the camera frame's coordinates by R d, just as a shift of the camera would.
    return np.asarray(slope[:, :, 3:6] @ np.asarray(cv2.Rodrigues(parameters[:3])[0]))


def remove_bleed(squares_px: Floats, bleed_px: float) -> Floats:
    """Return (n, 4, 2) squares with every edge moved inward by ``bleed_px``."""
    return np.asarray(squares_px - bleed_px * compute_outward_steps(squares_px))


def compute_outward_steps(squares_px: Floats) -> Floats:
    """(n, 4, 2) how far each corner moves when every edge moves outward by one pixel."""
    along = np.roll(squares_px, -1, axis=1) - squares_px
    along /= np.linalg.norm(along, axis=2, keepdims=True)
    return np.asarray(np.roll(along, 1, axis=1) - along)


def guess_pose(lens: Lens, points_mm: Floats, points_px: Floats) -> Floats:
    """(6,) turn and shift of camera_from_table by the best of OpenCV's closed solutions for a plane."""
    flat = np.ptp(points_mm[:, 2]) < 1e-9
    method = cv2.SOLVEPNP_IPPE if flat else cv2.SOLVEPNP_SQPNP
    try:
        ideal = flatten(points_px, lens.parameters, lens.model).reshape(-1, 1, 2)
        _, turns, shifts, _ = cv2.solvePnPGeneric(points_mm, ideal, np.eye(3), None, flags=method)
    except cv2.error:
        raise Unsolvable("no camera position follows from the anchors: check their ids, places and turns") from None
    poses = [np.concatenate([np.ravel(t), np.ravel(s)]) for t, s in zip(turns, shifts, strict=True)]

    def error(pose: Floats) -> float:
        pixels, _ = project(points_mm, np.concatenate([pose, lens.parameters]), lens.model)
        turn = np.asarray(cv2.Rodrigues(pose[:3])[0])
        above = -(turn.T @ pose[3:])[2] > 0
        return float(np.sum((pixels - points_px) ** 2)) if above else np.inf

    if not poses or not np.isfinite(min(error(pose) for pose in poses)):
        raise Unsolvable("no camera above the table sees the anchors so: check their ids, places and turns")
    return min(poses, key=error)
