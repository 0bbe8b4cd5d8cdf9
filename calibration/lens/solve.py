"""The lens solve: a lens with its covariance from views of a flat board, and what these views cover."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.errors import Unsolvable
from calibration.lens.bundle_adjustment import (
    LEAST_VIEWS,
    TOO_MUCH_ALIKE,
    BoardView,
    DroppedView,
    LensBundle,
    ViewInformation,
    drop_outlying_views,
    fit_bundle,
    locate_board,
    reduce_view,
    select_usable_views,
)
from calibration.spaces import Floats, Lens, project

COLUMNS, ROWS = 4, 3
_ACROSS, _DOWN = ("left", "left of the middle", "right of the middle", "right"), ("upper", "middle", "lower")


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardCoverage:
    """What the views of a fit reach."""

    counts: tuple[tuple[int, ...], ...]
    """How many views have a corner in each part of the picture: rows from the top, each from the left."""
    tilts_deg: tuple[float, float]
    """The least and the greatest tilt of the board against the picture."""
    distances_mm: tuple[float, float]
    """The nearest and the furthest middle of the board."""

    @property
    def empty_parts(self) -> tuple[str, ...]:
        """The parts that no view reaches, in words."""
        return tuple(
            f"{_DOWN[row]} {_ACROSS[column]}"
            for row, counts in enumerate(self.counts)
            for column, count in enumerate(counts)
            if count == 0
        )


def measure_coverage(views: Sequence[BoardView], poses: Floats, image_size: tuple[int, int]) -> BoardCoverage:
    """Return what views reach; (views, 6) ``poses`` are turn and shift of camera_from_board."""
    counts = np.zeros((ROWS, COLUMNS), dtype=int)
    tilts: list[float] = []
    distances: list[float] = []
    for view, pose in zip(views, poses, strict=True):
        parts = np.floor(view.points_px / image_size * (COLUMNS, ROWS)).astype(int)
        for column, row in np.unique(np.clip(parts, 0, (COLUMNS - 1, ROWS - 1)), axis=0):
            counts[row, column] += 1
        turn = np.asarray(cv2.Rodrigues(pose[:3])[0], dtype=np.float64)
        tilts.append(float(np.degrees(np.arccos(min(1.0, abs(turn[2, 2]))))))
        distances.append(float((turn @ view.points_mm.mean(axis=0) + pose[3:])[2]))
    return BoardCoverage(
        counts=tuple(tuple(row) for row in counts.tolist()),
        tilts_deg=(min(tilts), max(tilts)),
        distances_mm=(min(distances), max(distances)),
    )


MOST_FOCAL_SIGMA = 0.03
"""Relative standard deviation of the focal length; worse is no better than a guess."""
PRIOR_COORDINATES = 10.0
"""How many coordinates the views' common variance is worth beside a view's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LensFit:
    """A lens and how well it explains the views."""

    lens: Lens
    rms_px: float
    """Root mean square distance between corners seen and predicted, in the views of the fit."""
    held_out_px: float
    """The same in views that the fit had not seen: fitted on one half, tried on the other, both ways."""
    misfit_px: float
    """What of that is no accident of single corners: the root mean square length that neighbouring corners share in
    views that the fit had not seen.  It is the fault of the lens model, or of a board that is not flat."""
    spread_px: float
    """Standard deviation of one coordinate of a corner."""
    inflation: float
    """How much greater the covariance is than corners independent of each other would make it."""
    views: tuple[str, ...]
    dropped: tuple[DroppedView, ...]
    """The views that the fit does without, each with its reason."""
    dropped_odd: tuple[str, ...]
    """Those among them that show the board well and yet do not fit the others."""
    corners_dropped: int
    """Single corners left out of views that were kept."""
    coverage: BoardCoverage


def solve_lens(views: Sequence[BoardView], image_size: tuple[int, int]) -> LensFit:
    """Fit OpenCV's five-parameter lens to board views, without those that do not fit the others.

    Raises:
        Unsolvable: too few views with enough corners, too few that fit together, or views too much alike.

    """
    usable, unusable = select_usable_views(views, image_size[0])
    if len(usable) < LEAST_VIEWS:
        raise Unsolvable(_explain_too_few(usable, unusable))
    sifted = drop_outlying_views(usable, image_size)
    kept, odd = sifted.views, sifted.dropped
    bundle, weights = _fit_weighted(kept, sifted.bundle)
    covariance, inflation, variance = _estimate_covariance(kept, bundle, weights)
    doubt = float(np.sqrt(covariance[0, 0]) / bundle.lens[0])
    if not doubt < MOST_FOCAL_SIGMA:
        raise Unsolvable(f"{TOO_MUCH_ALIKE}: the focal length is left open by {100 * doubt:.0f} %")
    halves = kept[::2], kept[1::2]
    starts = (LensBundle(lens=bundle.lens, poses=bundle.poses[first::2]) for first in (0, 1))
    lenses = [_fit_weighted(half, start)[0].lens for half, start in zip(halves, starts, strict=True)]
    held_out = [
        _compute_residuals(view, lens) for half, lens in zip(halves, lenses[::-1], strict=True) for view in half
    ]
    inside = [_compute_residuals(view, bundle.lens) for view in kept]
    return LensFit(
        lens=Lens(image_size=image_size, parameters=bundle.lens, covariance=covariance),
        rms_px=_rms(inside),
        held_out_px=_rms(held_out),
        misfit_px=_measure_shared_error([*kept[::2], *kept[1::2]], held_out),
        spread_px=float(np.sqrt(variance)),
        inflation=inflation,
        views=tuple(view.name for view in kept),
        dropped=tuple(sorted((*unusable, *odd), key=lambda drop: drop.view)),
        dropped_odd=tuple(sorted(drop.view for drop in odd)),
        corners_dropped=sifted.corners_dropped,
        coverage=measure_coverage(kept, bundle.poses, image_size),
    )


def _explain_too_few(usable: Sequence[BoardView], unusable: Sequence[DroppedView]) -> str:
    needed = f"at least {LEAST_VIEWS} are needed, from different places and at different tilts"
    if sum(drop.twin for drop in unusable) > len(usable):
        return (
            f"{TOO_MUCH_ALIKE}: only {len(usable)} of {len(usable) + len(unusable)} show it in a place of its own;"
            f" {needed}"
        )
    why = "; ".join(f"{drop.view}: {drop.reason}" for drop in unusable[:4])
    more = f"; and {len(unusable) - 4} more" if len(unusable) > 4 else ""
    return f"the board is seen well in {len(usable)} pictures; {needed}{f' ({why}{more})' if why else ''}"


def _fit_weighted(views: Sequence[BoardView], start: LensBundle) -> tuple[LensBundle, list[Floats]]:
    """Weigh every view by its own variance, as far as it differs from the others'; (n,) weights about one."""
    weights = [np.ones(len(view.points_px)) for view in views]
    bundle = start
    freedoms = np.array([2.0 * len(view.points_px) - 6 for view in views])
    for _ in range(4):
        bundle = fit_bundle(views, bundle, weights)
        squares = np.array(
            [
                ((project(view.points_mm, np.concatenate([pose, bundle.lens]))[0] - view.points_px) ** 2).sum()
                for view, pose in zip(views, bundle.poses, strict=True)
            ]
        )
        usual = float(np.median(squares / freedoms)) + 1e-12
        own = (PRIOR_COORDINATES * usual + squares) / (PRIOR_COORDINATES + freedoms)
        weights = [np.full(len(view.points_px), usual / v) for view, v in zip(views, own, strict=True)]
    return fit_bundle(views, bundle, weights), weights


def _estimate_covariance(
    views: Sequence[BoardView], bundle: LensBundle, weights: Sequence[Floats]
) -> tuple[Floats, float, float]:
    """(9, 9) of the lens, its inflation, and the variance of one coordinate, px^2.

    What is left of the corners of one view is not independent: the board is not quite flat, the shutter rolls, the
    picture is a little blurred one way.  So the covariance is taken from how differently the **views** pull at the
    lens (a sandwich, with each view's leverage accounted for as in the CR2 estimator), and since a dozen views do not
    tell the 45 numbers of a covariance, it is drawn towards a multiple of the ordinary one, as far as its own scatter
    demands (Ledoit and Wolf 2004).  It is never taken smaller than the ordinary one.
    """
    shares = [reduce_view(v, p, bundle.lens, w) for v, p, w in zip(views, bundle.poses, weights, strict=True)]
    information = np.sum([share.information for share in shares], axis=0)
    freedom = max(1, 2 * sum(len(w) for w in weights) - 9 - 6 * len(views))
    variance = sum(float(w @ (s.apart_px**2).sum(axis=1)) for s, w in zip(shares, weights, strict=True)) / freedom
    scale = np.sqrt(np.diag(information))
    if not (np.isfinite(scale).all() and (scale > 0).all()):
        raise Unsolvable(TOO_MUCH_ALIKE)
    spread, axes = np.linalg.eigh(information / np.outer(scale, scale))
    if spread[0] < 1e-12:
        raise Unsolvable(TOO_MUCH_ALIKE)
    whitening = (axes / np.sqrt(spread)).T / scale  # information = inverse of whitening.T @ whitening
    pulls = np.array([_correct_leverage(share, whitening) for share in shares]) / np.sqrt(max(variance, 1e-12))
    scatter = pulls.T @ pulls  # the identity, where corners are independent
    inflation = float(np.trace(scatter)) / 9
    apart = ((scatter - inflation * np.eye(9)) ** 2).sum()
    by_chance = sum(((np.outer(pull, pull) - scatter / len(pulls)) ** 2).sum() for pull in pulls)
    drawn = min(1.0, float(by_chance / max(apart, 1e-300)))
    inner = (1 - drawn) * scatter + drawn * inflation * np.eye(9)
    inner *= max(1.0, 1.0 / inflation)
    covariance = variance * whitening.T @ inner @ whitening
    return np.asarray((covariance + covariance.T) / 2), max(1.0, inflation), variance


def _correct_leverage(share: ViewInformation, whitening: Floats) -> Floats:
    """(9,) a view's pull at the whitened lens, as large as it would be had the view not pulled the lens to itself."""
    leverage, axes = np.linalg.eigh(whitening @ share.information @ whitening.T)
    pull = axes.T @ (whitening @ share.pull)
    return np.asarray(axes @ (pull / np.sqrt(np.maximum(1 - leverage, 0.01))))


def _compute_residuals(view: BoardView, lens: Floats) -> Floats:
    """(n, 2) predicted minus seen, px, with only the board's place fitted, by plain least squares."""
    pose = locate_board(view, lens)
    for _ in range(3):
        pixels, slope = project(view.points_mm, np.concatenate([pose, lens]))
        step = np.linalg.lstsq(slope.reshape(-1, 15)[:, :6], (view.points_px - pixels).ravel(), rcond=None)[0]
        pose = pose + step
    pixels, _ = project(view.points_mm, np.concatenate([pose, lens]))
    return np.asarray(pixels - view.points_px)


def _rms(aparts: Sequence[Floats]) -> float:
    return float(np.sqrt((np.concatenate(aparts) ** 2).sum(axis=1).mean()))


def _measure_shared_error(views: Sequence[BoardView], aparts: Sequence[Floats]) -> float:
    """Return how much of what is left neighbouring corners have in common, px (root mean square length)."""
    products: list[float] = []
    for view, apart in zip(views, aparts, strict=True):
        distances = np.linalg.norm(view.points_mm[:, None] - view.points_mm, axis=2)
        distances[np.tril_indices(len(distances))] = np.inf
        one, other = np.nonzero(distances < 1.2 * distances.min())
        products += (apart[one] * apart[other]).sum(axis=1).tolist()
    return float(np.sqrt(max(0.0, float(np.mean(products)))))
