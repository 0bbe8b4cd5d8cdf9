"""The lens solve: a lens with its covariance from views of a flat board, and what these views cover."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.errors import Unsolvable
from calibration.lens.bundle_adjustment import (
    SHARED,
    TOO_MUCH_ALIKE,
    BoardView,
    LensBundle,
    LensPrior,
    ViewInformation,
    begin_bundle,
    compare_spread,
    estimate_spread,
    fit_bundle,
    guess_focals,
    locate_board,
    project_board,
    reduce_view,
    reweigh_bundle,
)
from calibration.lens.model_choice import EVERY_PART, build_prior, choose_parts, name_estimated, solve_without
from calibration.lens.odd_views import LEAST_VIEWS, DroppedView, drop_outlying_views, select_usable_views
from calibration.spaces import Floats, Lens, LensModel

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


MOST_FOCAL_SIGMA = 0.1
"""Relative standard deviation of the focal length; worse is hardly better than a guess."""
MOST_RMS_SHARE = 0.002
"""Corners that are off by more than this part of the picture's width were misread in most views."""
FACE_ON_DEG, FACE_ON_SIGMA = 12.0, 0.005
"""Boards that are tilted less than this hardly tell the focal length from their distance: any bend of theirs is taken
for it, and so what they seem to tell is believed only where it is much surer than it need be.  Of 126 random sets those
that said 0.5 % or less were off as they said (mean square 0.9); of eleven that said more than 0.7 % four were off by
three to five sigma."""
PRIOR_COORDINATES = 10.0
"""How many coordinates the views' common variance is worth beside a view's own."""
POOLED_WAYS = 3
"""Of how many independent ways in which views pull at a lens their scatter is taken together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LensFit:
    """A lens and how well it explains the views."""

    lens: Lens
    rms_px: float
    """Root mean square distance between corners seen and predicted, in the views of the fit."""
    held_out_px: float
    """The same in views that the fit had not seen: each tried on a fit to the others."""
    misfit_px: float
    """What the fit leaves that is no accident of single corners: the root mean square length that neighbouring corners
    share.  It is the fault of the lens model, or of a board that is bent otherwise in every view."""
    spread_px: float
    """Standard deviation of one coordinate of a corner."""
    inflation: float
    """How much greater the covariance is than corners independent of each other would make it."""
    estimated: tuple[str, ...]
    """The parameters that the views told, ``f`` for both focal lengths in one; the others are as a lens has them."""
    views: tuple[str, ...]
    dropped: tuple[DroppedView, ...]
    """The views that the fit does without, each with its reason."""
    dropped_odd: tuple[str, ...]
    """Those among them that show the board well and yet do not fit the others."""
    corners_dropped: int
    """Single corners left out of views that were kept."""
    coverage: BoardCoverage
    off_px: Mapping[str, float]
    """How far the middle one of a view's corners is off by a fit that had not seen it, of every view that shows a
    board well."""


def solve_lens(views: Sequence[BoardView], image_size: tuple[int, int]) -> LensFit:
    """Fit as much of a lens to board views as they tell, without those that do not fit.

    An ordinary lens is taken, or, where it foretells views clearly better that the fit had not seen, a fisheye.

    Raises:
        Unsolvable: too few views with enough corners, too few that fit together, or views too much alike.

    """
    usable, unusable = select_usable_views(views, image_size[0])
    if len(usable) < LEAST_VIEWS:
        raise Unsolvable(_explain_too_few(usable, unusable))
    try:
        pinhole = _solve_as(LensModel.PINHOLE, usable, unusable, image_size)
    except Unsolvable:
        # The usual lens's reason is told: it is the likelier, and says the same of the pictures.
        fisheye = _try_fisheye(usable, unusable, image_size)
        if fisheye is None or fisheye.lens.parameters[0] > WIDE_HALF_DIAGONALS * math.hypot(*image_size) / 2:
            raise
        return fisheye
    if pinhole.lens.parameters[0] > WIDE_HALF_DIAGONALS * math.hypot(*image_size) / 2:
        return pinhole
    fisheye = _try_fisheye(usable, unusable, image_size)
    return fisheye if fisheye is not None and _foretells_better(fisheye, pinhole, usable) else pinhole


WIDE_HALF_DIAGONALS = 1.05
"""A lens of a longer focal length, in half diagonals of the picture, sees less than 90 degrees or so from corner to
corner, and what is between the models goes into its distortion."""
CLEARLY_SIGMAS, CLEARLY_SHARE, MOST_GAIN = 2.5, 0.05, 0.4
"""Views have to be foretold better by so many standard errors, and by this part of what they are off;
a view that is foretold very much better speaks (as a logarithm) for no more than so much, lest it widen the error."""


def _try_fisheye(
    usable: Sequence[BoardView], unusable: Sequence[DroppedView], image_size: tuple[int, int]
) -> LensFit | None:
    try:
        return _solve_as(LensModel.FISHEYE, usable, unusable, image_size)
    except Unsolvable:
        return None


def _foretells_better(one: LensFit, other: LensFit, views: Sequence[BoardView]) -> bool:
    """Whether a fit foretells views that it has not seen clearly better than another does.

    All views count, those, too, that either did without: to drop what does not fit is no way to fit better.
    """
    gains = np.array([math.log(other.off_px[view.name] / one.off_px[view.name]) for view in views])
    gains = gains.clip(-MOST_GAIN, MOST_GAIN)
    least = CLEARLY_SIGMAS * float(gains.std(ddof=1)) / math.sqrt(len(gains))
    return bool(gains.mean() > max(least, CLEARLY_SHARE))


def _solve_as(
    model: LensModel, usable: Sequence[BoardView], unusable: Sequence[DroppedView], image_size: tuple[int, int]
) -> LensFit:
    """Fit one model of a lens.

    Raises:
        Unsolvable: as `solve_lens`.

    """
    guess = _choose_start(usable, image_size, model)
    sifted = drop_outlying_views(usable, guess, build_prior(EVERY_PART, image_size, float(guess.lens[0])))
    kept, odd = sifted.views, sifted.dropped
    focal_px = float(sifted.bundle.lens[0])
    open_prior = build_prior(EVERY_PART, image_size, focal_px)
    bundle, weights = _fit_weighted(kept, sifted.bundle, open_prior)
    shares = _reduce_views(kept, bundle, weights)
    parts = choose_parts(shares, bundle.shared, image_size)
    prior = build_prior(parts, image_size, focal_px)
    bundle = fit_bundle(kept, bundle, weights, prior)
    shares = _reduce_views(kept, bundle, weights)
    covariance, inflation = _estimate_covariance(shares, prior)
    inside = [_compute_residuals(view, bundle.shared, bundle.model) for view in kept]
    if _rms(inside) > MOST_RMS_SHARE * image_size[0]:
        raise Unsolvable(
            f"no lens explains most pictures of the board: they are off by {_rms(inside):.1f} px; take them again, the"
            " board flat, still and sharp"
        )
    coverage = measure_coverage(kept, bundle.poses, image_size)
    doubt = float(np.sqrt(covariance[0, 0]) / bundle.lens[0])
    if not doubt < (MOST_FOCAL_SIGMA if coverage.tilts_deg[1] > FACE_ON_DEG else FACE_ON_SIGMA):
        raise Unsolvable(_explain_open_focal(doubt, coverage))
    without = [solve_without(shares, bundle.shared, prior, number) for number in range(len(kept))]
    held_out = [_compute_residuals(view, shared, bundle.model) for view, shared in zip(kept, without, strict=True)]
    by_view = dict(zip((view.name for view in kept), without, strict=True))
    return LensFit(
        lens=Lens(image_size=image_size, parameters=bundle.lens, covariance=covariance, model=model),
        rms_px=_rms(inside),
        held_out_px=_rms(held_out),
        misfit_px=_measure_shared_error(kept, inside),
        spread_px=_rms(inside) / float(np.sqrt(2)),
        inflation=inflation,
        estimated=name_estimated(covariance, prior),
        views=tuple(view.name for view in kept),
        dropped=tuple(sorted((*unusable, *odd), key=lambda drop: drop.view)),
        dropped_odd=tuple(sorted(drop.view for drop in odd)),
        corners_dropped=sifted.corners_dropped,
        coverage=coverage,
        off_px={view.name: _measure_off(view, by_view.get(view.name, bundle.shared), model) for view in usable},
    )


def _measure_off(view: BoardView, shared: Floats, model: LensModel) -> float:
    apart = project_board(view, locate_board(view, shared, model), shared, model)[0] - view.points_px
    return estimate_spread(apart)


FISHEYE_FOCALS = (0.28, 0.36, 0.48, 0.7)
"""Of wide lenses, in widths of the picture: about 200, 160, 120 and 80 degrees across it."""
TRIAL_ROUNDS = 5
"""After so many a fit shows whether it began on the right side."""


def _choose_start(views: Sequence[BoardView], image_size: tuple[int, int], model: LensModel) -> LensBundle:
    """Return where to begin: of several focal lengths the one from which a fit soon explains most views best.

    From a wrong one a fit may end where tilted boards lean the other way, as if they were held before another lens, and
    the views that contradict it weigh too little to lead it out.
    """
    focals_px = (
        guess_focals(views, image_size)
        if model is LensModel.PINHOLE
        else [image_size[0] * focal for focal in FISHEYE_FOCALS]
    )
    starts = [begin_bundle(views, image_size, focal_px, model) for focal_px in focals_px]
    if len(starts) == 1:
        return starts[0]
    ends = [
        reweigh_bundle(views, start, build_prior(EVERY_PART, image_size, focal_px), rounds=TRIAL_ROUNDS)[0]
        for start, focal_px in zip(starts, focals_px, strict=True)
    ]
    return min(ends, key=lambda end: compare_spread(views, end))


def _explain_too_few(usable: Sequence[BoardView], unusable: Sequence[DroppedView]) -> str:
    needed = f"at least {LEAST_VIEWS} are needed, from different places and at different tilts, and a dozen are good"
    if sum(drop.twin for drop in unusable) > len(usable):
        return (
            f"{TOO_MUCH_ALIKE}: only {len(usable)} of {len(usable) + len(unusable)} show it in a place of its own;"
            f" {needed}"
        )
    why = "; ".join(f"{drop.view}: {drop.reason}" for drop in unusable[:4])
    more = f"; and {len(unusable) - 4} more" if len(unusable) > 4 else ""
    pictures = "1 picture" if len(usable) == 1 else f"{len(usable) or 'no'} pictures"
    return f"the board is seen well in {pictures}; {needed}{f' ({why}{more})' if why else ''}"


def _explain_open_focal(doubt: float, coverage: BoardCoverage) -> str:
    left = f"the focal length is left open by {100 * doubt:.{0 if doubt > 0.0095 else 1}f} %"
    most = math.ceil(coverage.tilts_deg[1])
    if most > FACE_ON_DEG:
        return f"{TOO_MUCH_ALIKE}: {left}"
    degrees = "1 degree" if most == 1 else f"{most} degrees"
    return (
        f"all views are face-on (none is tilted by more than {degrees}), and so {left}: tilt the board by 30 degrees or"
        " so, another way in each picture"
    )


def _fit_weighted(views: Sequence[BoardView], start: LensBundle, prior: LensPrior) -> tuple[LensBundle, list[Floats]]:
    """Weigh every view by its own variance, as far as it differs from the others'; (n,) inverse variances, px^-2."""
    bundle = start
    freedoms = np.array([2.0 * len(view.points_px) - 6 for view in views])
    weights: list[Floats] = []
    for _ in range(5):
        squares = np.array(
            [
                (
                    (project_board(view, pose, bundle.shared, bundle.model)[0] - view.points_px) ** 2
                    / view.spread[:, None] ** 2
                ).sum()
                for view, pose in zip(views, bundle.poses, strict=True)
            ]
        )
        usual = float(np.median(squares / freedoms)) + 1e-12
        own = (PRIOR_COORDINATES * usual + squares) / (PRIOR_COORDINATES + freedoms)
        weights = [view.spread**-2 / v for view, v in zip(views, own, strict=True)]
        bundle = fit_bundle(views, bundle, weights, prior)
    return bundle, weights


def _reduce_views(views: Sequence[BoardView], bundle: LensBundle, weights: Sequence[Floats]) -> list[ViewInformation]:
    return [reduce_view(v, p, bundle, w) for v, p, w in zip(views, bundle.poses, weights, strict=True)]


def _estimate_covariance(shares: Sequence[ViewInformation], prior: LensPrior) -> tuple[Floats, float]:
    """(9, 9) of the lens, and its inflation.

    What is left of the corners of one view is not independent: the board is not quite flat, the shutter rolls, the
    picture is a little blurred one way.  So the covariance is taken from how differently the **views** pull at the
    lens (a sandwich, with each view's leverage accounted for as in the CR2 estimator), and since a dozen views do not
    tell the numbers of a covariance, it is drawn towards a multiple of the ordinary one, as far as its own scatter
    demands (Ledoit and Wolf 2004).  It is never taken smaller than the ordinary one, and as much greater as the scatter
    of so few views is doubtful (the variance of Student's t).

    It is of all nine parameters: one that is not estimated is as uncertain as it is in an ordinary lens, and with it
    all that go together with it.
    """
    told = np.sum([share.information for share in shares], axis=0)
    information = told + prior.information
    scale = np.sqrt(np.diag(information))
    spread, axes = np.linalg.eigh(information / np.outer(scale, scale))
    if not spread[0] > 1e-14:
        raise Unsolvable(TOO_MUCH_ALIKE)
    whitening = (axes / np.sqrt(spread)).T / scale  # information = inverse of whitening.T @ whitening
    ordinary = whitening @ told @ whitening.T  # what the views tell of all that is known; the rest is the prior's
    pulls = np.array([_correct_leverage(share, whitening) for share in shares])
    scatter = pulls.T @ pulls  # as ``ordinary``, where corners are independent
    inflation = float(np.trace(scatter) / np.trace(ordinary))
    apart = ((scatter - inflation * ordinary) ** 2).sum()
    by_chance = sum(((np.outer(pull, pull) - scatter / len(pulls)) ** 2).sum() for pull in pulls)
    drawn = min(1.0, float(by_chance / max(apart, 1e-300)))
    inner = (1 - drawn) * scatter + drawn * inflation * ordinary
    freedom = POOLED_WAYS * (len(pulls) - 1)
    inner *= max(1.0, 1.0 / inflation) * freedom / (freedom - 2)
    inner += np.eye(SHARED) - ordinary
    covariance = (whitening.T @ inner @ whitening)[:9, :9]
    return np.asarray((covariance + covariance.T) / 2), max(1.0, inflation)


def _correct_leverage(share: ViewInformation, whitening: Floats) -> Floats:
    """(12,) a view's whitened pull, as large as it would be had the view not pulled the lens to itself."""
    leverage, axes = np.linalg.eigh(whitening @ share.information @ whitening.T)
    pull = axes.T @ (whitening @ share.pull)
    return np.asarray(axes @ (pull / np.sqrt(np.maximum(1 - leverage, 0.01))))


def _compute_residuals(view: BoardView, shared: Floats, model: LensModel) -> Floats:
    """(n, 2) predicted minus seen, px, with only the board's place fitted, by plain least squares."""
    pose = locate_board(view, shared, model)
    for _ in range(3):
        pixels, slope = project_board(view, pose, shared, model)
        by_pose = slope[:, :, :6].reshape(-1, 6)
        pose = pose + np.linalg.lstsq(by_pose, (view.points_px - pixels).ravel(), rcond=None)[0]
    return np.asarray(project_board(view, pose, shared, model)[0] - view.points_px)


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
