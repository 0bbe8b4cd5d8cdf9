"""Bundle adjustment of a lens: one lens, how its board is bent, and the board's place in every view, fitted together.

The places are eliminated view by view (the Schur complement), so that a step costs as much as there are views, and
what each view alone says about the lens stays apart: that tells a bad view from a good one, and how sure the lens
is.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import Unsolvable
from calibration.spaces import Floats, LensModel, flatten, project

LEAST_GAIN = 1e-9
"""A step that saves less than this part of the squares is the last."""
OUTLIER_PUSH = 3.0
"""A corner this many standard deviations off weighs a quarter of one that fits."""
RAYLEIGH_MEDIAN = 1.17741
"""The median length of a plane Gaussian vector, in units of the standard deviation along each axis."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardView:
    """The corners of a board that one picture shows."""

    name: str
    points_mm: Floats
    """(n, 3) on the board."""
    points_px: Floats
    """(n, 2) in the picture."""
    sigma_px: Floats | None = None
    """(n,) how surely each coordinate is read, against the other corners'; None where they are alike."""

    @property
    def spread(self) -> Floats:
        """(n,) ``sigma_px``, or ones."""
        return np.ones(len(self.points_px)) if self.sigma_px is None else self.sigma_px

    def select(self, rows: NDArray[np.bool_]) -> "BoardView":
        """Return the view with some of its corners."""
        sigma_px = None if self.sigma_px is None else self.sigma_px[rows]
        return replace(self, points_mm=self.points_mm[rows], points_px=self.points_px[rows], sigma_px=sigma_px)


@dataclass(frozen=True, slots=True, kw_only=True)
class LensBundle:
    """What all views share, and where the board was in each."""

    shared: Floats
    """(12,) the lens in the order of LENS_PARAMETERS, and by how many millimetres the board is bent, `BEND_MM` from its
    middle: along its rows, askew, and along its columns."""
    poses: Floats
    """(views, 6) turn and shift of camera_from_board."""
    model: LensModel

    @property
    def lens(self) -> Floats:
        """(9,) in the order of LENS_PARAMETERS."""
        return self.shared[:9]


SHARED = 12
BEND_MM = 100.0


def project_board(view: BoardView, pose: Floats, shared: Floats, model: LensModel) -> tuple[Floats, Floats]:
    """(n, 2) where a view's corners would be, px, and (n, 2, 18) derivatives by its pose and what all views share."""
    x, y = ((view.points_mm[:, :2] - view.points_mm[:, :2].mean(axis=0)) / BEND_MM).T
    shapes = np.stack([x * x, x * y, y * y], axis=1)
    points_mm = view.points_mm.copy()
    points_mm[:, 2] += shapes @ shared[9:]
    pixels, slope = project(points_mm, np.concatenate([pose, shared[:9]]), model)
    up = slope[:, :, 3:6] @ np.asarray(cv2.Rodrigues(pose[:3])[0])[:, 2]  # px for a step off the board
    return pixels, np.concatenate([slope, up[:, :, None] * shapes[:, None, :]], axis=2)


@dataclass(frozen=True, slots=True, kw_only=True)
class LensPrior:
    """What is taken of what all views share before they say anything."""

    mean: Floats
    """(12,) as `LensBundle.shared`."""
    information: Floats
    """(12, 12) inverse covariance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewInformation:
    """What one view says about what all share once its board's place has been left to find itself."""

    apart_px: Floats
    """(n, 2) predicted minus seen, at the best place."""
    by_shared: Floats
    """(2n, 12) how that changes with what all views share, the place following."""
    information: Floats
    """(12, 12) of what all views share."""
    pull: Floats
    """(12,) the gradient of half the squares."""
    square: float
    """The sum of the squares, in units of the corners' variance."""


FOCAL_LIMITS = (0.2, 10.0)
"""Of a lens, in widths of the picture."""
USUAL_FOCALS = (0.5, 0.8, 1.2, 2.0)
"""From one of them, in widths, a fit finds the way to any lens."""
AGREEING_RATIO = 1.3
"""Quartiles of what views say of the focal length that lie no further apart leave one place to begin."""


def guess_focals(views: Sequence[BoardView], image_size: tuple[int, int]) -> list[float]:
    """Return the focal lengths, px, from which a fit is to begin: the likeliest first.

    Every view of a plane gives two equations for the focal length of a lens with square pixels and the centre in the
    middle (Zhang 2000); the median of what they say, weighted by how clearly each says it, is not misled by single bad
    views.  Where the lens bends much, or the board is hardly tilted, they contradict each other, and what is in the
    middle may be far off: then the usual ones are to be tried too.
    """
    width, height = image_size
    middle = np.array([(width - 1) / 2, (height - 1) / 2])
    says: list[tuple[float, float]] = []
    for view in views:
        flat, image_points = view.points_mm[:, :2], (view.points_px - middle) / width
        homography, _ = cv2.findHomography(flat - flat.mean(axis=0), image_points, cv2.LMEDS)
        if homography is None:
            continue
        a, b = np.asarray(homography, dtype=np.float64)[:, :2].T
        size = float(np.linalg.norm(a[:2]) * np.linalg.norm(b[:2]))
        for flat_part, deep_part in (
            (a[:2] @ b[:2], a[2] * b[2]),
            (a[:2] @ a[:2] - b[:2] @ b[:2], a[2] ** 2 - b[2] ** 2),
        ):
            # flat_part / f^2 + deep_part = 0
            if abs(deep_part) > 0:
                says.append((-flat_part / deep_part, abs(deep_part) / size))
    if not says:
        return [width * focal for focal in USUAL_FOCALS]
    squares, weights = np.array(sorted(says)).T
    shares = np.cumsum(weights) / weights.sum()
    least, focal, most = np.sqrt(
        np.clip(squares[np.searchsorted(shares, (0.25, 0.5, 0.75))], *np.square(FOCAL_LIMITS))
    ).tolist()
    agree = least > FOCAL_LIMITS[0] and most < AGREEING_RATIO * least
    return [width * guess for guess in ([focal] if agree else [focal, *USUAL_FOCALS])]


def begin_bundle(
    views: Sequence[BoardView], image_size: tuple[int, int], focal_px: float, model: LensModel
) -> LensBundle:
    """Begin with square pixels, the centre in the middle, no distortion and a focal length.

    Raises:
        Unsolvable: a view in which no place of the board explains the corners.

    """
    width, height = image_size
    shared = np.array([focal_px, focal_px, (width - 1) / 2, (height - 1) / 2, *np.zeros(SHARED - 4)])
    poses = np.array([locate_board(view, shared, model) for view in views])
    return LensBundle(shared=shared, poses=poses, model=model)


def compare_spread(views: Sequence[BoardView], bundle: LensBundle) -> float:
    """Return how far corners are off in the usual view: the mean of the logarithms of the views' spreads."""
    return float(np.mean(np.log(_estimate_spreads(_list_offsets(views, bundle)))))


def locate_board(view: BoardView, shared: Floats, model: LensModel) -> Floats:
    """Return (6,) where the board is in a view, by OpenCV, refined with outlying corners held back.

    Raises:
        Unsolvable: no place explains the corners.

    """
    ideal = flatten(view.points_px, shared[:9], model).reshape(-1, 1, 2)
    try:
        is_found, turn, shift = cv2.solvePnP(view.points_mm, ideal, np.eye(3), None, flags=cv2.SOLVEPNP_IPPE)
    except cv2.error:
        is_found = False
    if not is_found:
        raise Unsolvable(f"{view.name}: no board position explains its corners; leave this picture out")
    pose = np.concatenate([np.ravel(turn), np.ravel(shift)]).astype(np.float64)
    for _ in range(8):
        pixels, slope = project_board(view, pose, shared, model)
        apart = pixels - view.points_px
        root = np.sqrt(weigh_corners(apart, estimate_spread(apart))).repeat(2)
        step = np.linalg.lstsq(slope.reshape(-1, 6 + SHARED)[:, :6] * root[:, None], -apart.ravel() * root, rcond=None)[
            0
        ]
        if not np.isfinite(step).all() or np.linalg.norm(step[3:]) > 0.5 * np.linalg.norm(pose[3:]):
            break
        pose = pose + step
        if np.abs(step).max() < 1e-7 * np.linalg.norm(pose[3:]):
            break
    return np.asarray(pose)


def estimate_spread(apart_px: Floats) -> float:
    """Return the standard deviation of (n, 2) differences along each axis, px; up to half of them may be wrong."""
    return max(1e-6, float(np.median(np.linalg.norm(apart_px, axis=1))) / RAYLEIGH_MEDIAN)


def weigh_corners(apart_px: Floats, sigma_px: float) -> Floats:
    """(n,) how much each corner counts (Geman and McClure)."""
    return np.asarray((1 + (apart_px**2).sum(axis=1) / (OUTLIER_PUSH * sigma_px) ** 2) ** -2)


def reduce_view(view: BoardView, pose: Floats, bundle: LensBundle, weights: Floats) -> ViewInformation:
    """Linearise a view; (n,) ``weights`` are inverse variances of its corners."""
    pixels, slope = project_board(view, pose, bundle.shared, bundle.model)
    root = np.sqrt(weights).repeat(2)
    rows, apart = slope.reshape(-1, 6 + SHARED), (pixels - view.points_px).ravel()
    by_pose, wanted = rows[:, :6], np.column_stack([rows[:, 6:], apart])
    # One solve for the place's answer to what all share and to the differences themselves.
    answer = np.linalg.lstsq(by_pose * root[:, None], wanted * root[:, None], rcond=None)[0]
    left = wanted - by_pose @ answer
    by_shared, apart = left[:, :SHARED], left[:, SHARED]
    weighed = by_shared * weights.repeat(2)[:, None]
    return ViewInformation(
        apart_px=apart.reshape(-1, 2),
        by_shared=by_shared,
        information=by_shared.T @ weighed,
        pull=weighed.T @ apart,
        square=float(weights.repeat(2) @ apart**2),
    )


def fit_bundle(
    views: Sequence[BoardView], start: LensBundle, weights: Sequence[Floats], prior: LensPrior, *, steps: int = 60
) -> LensBundle:
    """Minimise the weighted squares, and those of the distance from a prior, by Levenberg and Marquardt.

    Args:
        views: the corners.
        start: where to begin.
        weights: (n,) inverse variances of each view's corners.
        prior: what is taken of what all views share.
        steps: after so many the best so far is returned.

    Raises:
        Unsolvable: the views leave some of the lens open altogether.

    """
    here, damping = start, 1e-3
    seen = _project_views(views, here)
    cost = _compute_cost(views, here, seen, weights, prior)
    for _ in range(steps):
        there = _take_step(views, here, seen, weights, prior, damping=damping)
        seen_there = _project_views(views, there)
        cost_there = _compute_cost(views, there, seen_there, weights, prior)
        if not cost_there <= cost:
            damping *= 10
            if damping > 1e8:
                break
            continue
        done = cost - cost_there <= LEAST_GAIN * cost
        here, seen, cost, damping = there, seen_there, cost_there, damping / 10
        if done:
            break
    return here


Projected = Sequence[tuple[Floats, Floats]]
"""What `project_board` returns of each view."""


def _project_views(views: Sequence[BoardView], bundle: LensBundle) -> Projected:
    return [
        project_board(view, pose, bundle.shared, bundle.model) for view, pose in zip(views, bundle.poses, strict=True)
    ]


def _compute_cost(
    views: Sequence[BoardView], bundle: LensBundle, seen: Projected, weights: Sequence[Floats], prior: LensPrior
) -> float:
    away = bundle.shared - prior.mean
    total = float(away @ prior.information @ away)
    for view, (pixels, _), weight in zip(views, seen, weights, strict=True):
        total += float(weight @ ((pixels - view.points_px) ** 2).sum(axis=1))
    return total


def _take_step(
    views: Sequence[BoardView],
    bundle: LensBundle,
    seen: Projected,
    weights: Sequence[Floats],
    prior: LensPrior,
    *,
    damping: float,
) -> LensBundle:
    reduced, pull = prior.information, prior.information @ (bundle.shared - prior.mean)
    answers: list[tuple[Floats, Floats]] = []
    for view, (pixels, slope), weight in zip(views, seen, weights, strict=True):
        root = np.sqrt(weight).repeat(2)[:, None]
        rows, apart = slope.reshape(-1, 6 + SHARED) * root, (pixels - view.points_px).ravel() * root[:, 0]
        normal, gradient = rows.T @ rows, rows.T @ apart
        normal[np.diag_indices(6 + SHARED)] *= 1 + damping
        try:
            answer = np.linalg.solve(normal[:6, :6], np.column_stack([normal[:6, 6:], gradient[:6]]))
        except np.linalg.LinAlgError:
            raise Unsolvable(f"{view.name}: its corners do not tell where the board is; leave it out") from None
        reduced = reduced + normal[6:, 6:] - normal[6:, :6] @ answer[:, :SHARED]
        pull = pull + gradient[6:] - normal[6:, :6] @ answer[:, SHARED]
        answers.append((np.asarray(answer[:, :SHARED]), np.asarray(answer[:, SHARED])))
    scale = np.sqrt(np.abs(np.diag(reduced))) + 1e-300
    try:
        step = -np.linalg.solve(reduced / np.outer(scale, scale), pull / scale) / scale
    except np.linalg.LinAlgError:
        raise Unsolvable(TOO_MUCH_ALIKE) from None
    poses = [pose - own - by @ step for pose, (by, own) in zip(bundle.poses, answers, strict=True)]
    return replace(bundle, shared=bundle.shared + step, poses=np.array(poses))


TOO_MUCH_ALIKE = "the pictures are too much alike to tell the lens; hold the board at other places, distances and tilts"


FIRST_SIGMA_PX = 0.3
"""How far corners are taken to be off before anything is known of it."""


def fit_bundle_robustly(
    views: Sequence[BoardView], start: LensBundle, prior: LensPrior
) -> tuple[LensBundle, list[Floats]]:
    """Fit with views and corners that do not fit the others held back; also return the (n,) weights of each view.

    A view that is worse than most weighs less, as its own spread tells; a corner that is off in its view hardly weighs.

    Raises:
        Unsolvable: as `fit_bundle`.

    """
    bundle, weights = reweigh_bundle(views, start, prior, rounds=25)
    return fit_bundle(views, bundle, weights, prior), weights


def reweigh_bundle(
    views: Sequence[BoardView], start: LensBundle, prior: LensPrior, *, rounds: int
) -> tuple[LensBundle, list[Floats]]:
    """Go so many rounds toward the robust fit, or until its weights stay; also return the (n,) weights of each view.

    Raises:
        Unsolvable: as `fit_bundle`.

    """
    bundle = start
    usual_px = float(np.median(np.concatenate([view.spread for view in views])))
    weights = [(FIRST_SIGMA_PX * view.spread / usual_px) ** -2 for view in views]
    before = np.inf
    for _ in range(rounds):
        bundle = fit_bundle(views, bundle, weights, prior, steps=3)
        aparts = _list_offsets(views, bundle)
        spreads = _estimate_spreads(aparts)
        usual = float(np.median(spreads))
        floored = np.maximum(spreads, usual)
        weights = [
            weigh_corners(apart, s) / (s * view.spread) ** 2
            for view, apart, s in zip(views, aparts, floored, strict=True)
        ]
        if abs(before - usual) < 1e-4 * usual:
            break
        before = usual
    return bundle, weights


def _list_offsets(views: Sequence[BoardView], bundle: LensBundle) -> list[Floats]:
    """(n, 2) of each view how far its corners are off, in units of how surely each is read."""
    return [
        (project_board(view, pose, bundle.shared, bundle.model)[0] - view.points_px) / view.spread[:, None]
        for view, pose in zip(views, bundle.poses, strict=True)
    ]


def _estimate_spreads(aparts: Sequence[Floats]) -> Floats:
    return np.array([estimate_spread(apart) for apart in aparts])
