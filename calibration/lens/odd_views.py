"""Odd views: which views of a board say something of their own, which do not belong with the others, and why not.

Views that do not belong are dropped, each with its reason, and so are single corners that do not belong in their view.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.errors import Unsolvable
from calibration.lens.bundle_adjustment import (
    BoardView,
    LensBundle,
    LensPrior,
    estimate_spread,
    fit_bundle_robustly,
    locate_board,
    project_board,
    reduce_view,
)
from calibration.lens.model_choice import solve_without
from calibration.spaces import Floats, LensModel, flatten

LEAST_CORNERS = 8
LEAST_VIEWS = 2
"""One view gives two equations, which do not tell the focal length from where the optical axis meets the picture."""
AGREEING_VIEWS = 3
"""So many others have to agree before one is odd."""
OUTLIER_CHANCE = 1e-3
"""That a set without a single bad corner loses one."""
OUTLIER_SIGMAS = 4.0
"""A view's spread counts as another kind of thing this far above the others', on a scale of logarithms."""
USUAL_SCATTER, WORTH_VIEWS = 0.15, 4.0
"""How far apart the spreads of good views are taken to lie (as a logarithm), and how many views that guess is worth."""
MOST_BAD_SHARE = 0.25
"""A view of which more than this part of the corners is off is not a view with bad corners, but a bad view."""
LEAST_ASPECT = 0.02
"""Width over length of the corners' area; a single row does not tell where the board is."""
SAME_VIEW_SHARE = 0.01
"""Views whose common corners lie closer together than this part of the picture's width are one view, taken twice."""


Corners = dict[tuple[float, float], tuple[float, float]]
"""Where corners of the board are in a picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DroppedView:
    """A view that the fit does without."""

    view: str
    reason: str
    twin: bool = False
    """It shows the board where another view does."""


def select_usable_views(views: Iterable[BoardView], width_px: int) -> tuple[list[BoardView], list[DroppedView]]:
    """Return the views that say something of their own, and why the others do not."""
    kept: list[tuple[BoardView, Corners]] = []
    dropped: list[DroppedView] = []
    for view in views:
        if reason := _explain_unusable(view):
            dropped.append(DroppedView(view=view.name, reason=reason))
            continue
        places = zip(view.points_mm.round(3).tolist(), view.points_px.tolist(), strict=True)
        corners = {(x, y): (u, v) for (x, y, _), (u, v) in places}
        near = (other for other, there in kept if _measure_motion_px(corners, there) < SAME_VIEW_SHARE * width_px)
        if twin := next(near, None):
            dropped.append(DroppedView(view=view.name, reason=f"the board is where it is in {twin.name}", twin=True))
        else:
            kept.append((view, corners))
    return [view for view, _ in kept], dropped


def _explain_unusable(view: BoardView) -> str:
    count = len(view.points_mm)
    if count == 0:
        return "no board is seen in it"
    if count < LEAST_CORNERS:
        return f"only {count} corners of the board are seen in it, of {LEAST_CORNERS} at least"
    length, thickness = np.linalg.svd(view.points_mm[:, :2] - view.points_mm[:, :2].mean(axis=0), compute_uv=False)
    if thickness < LEAST_ASPECT * length:
        return "the corners that are seen in it lie on one line"
    return ""


def _measure_motion_px(here: Corners, there: Corners) -> float:
    """Return how far corners that two views share lie apart (root mean square); infinite if they share few."""
    both = here.keys() & there.keys()
    if 2 * len(both) < max(len(here), len(there)):
        return math.inf
    return math.sqrt(sum(math.dist(here[at], there[at]) ** 2 for at in both) / len(both))


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectedViews:
    """Views that belong together."""

    views: list[BoardView]
    """Without the corners that do not belong."""
    bundle: LensBundle
    """A fit to them, to go on from."""
    dropped: list[DroppedView]
    corners_dropped: int


def drop_outlying_views(views: Sequence[BoardView], start: LensBundle, prior: LensPrior) -> SelectedViews:
    """Tell the views that belong together from those that do not.

    Every view is judged by a fit to the others: the spread of what is left of its corners beside the others' spread.

    Raises:
        Unsolvable: what belongs together is too little to determine the lens.

    """
    left, dropped = list(views), list[DroppedView]()
    poses = {view.name: pose for view, pose in zip(views, start.poses, strict=True)}
    while True:
        start = replace(start, poses=np.array([poses[view.name] for view in left]))
        bundle, weights = fit_bundle_robustly(left, start, prior)
        shares = [reduce_view(v, p, bundle, w) for v, p, w in zip(left, bundle.poses, weights, strict=True)]
        information = sum((share.information for share in shares), start=prior.information)
        alone: list[tuple[Floats, Floats]] = []
        doubts = []
        for number, (view, share) in enumerate(zip(left, shares, strict=True)):
            # Two or three views do not tell the lens without one of them.
            is_few = len(left) <= AGREEING_VIEWS
            shared = bundle.shared if is_few else solve_without(shares, bundle.shared, prior, number)
            pixels, _ = project_board(view, locate_board(view, shared, bundle.model), shared, bundle.model)
            alone.append((shared, (pixels - view.points_px) / view.spread[:, None]))
            # What the others leave open is no fault of this view.
            scale = np.sqrt(np.diag(information))
            open_ways = np.linalg.inv((information - share.information) / np.outer(scale, scale)) / np.outer(
                scale, scale
            )
            variances = (
                np.einsum("ip,pq,iq->i", share.by_shared, open_ways, share.by_shared).reshape(-1, 2).mean(axis=1)
            )
            doubts.append(float(np.sqrt(np.median(variances / view.spread**2))))
        worst = _find_outlying_views([apart for _, apart in alone], np.array(doubts))
        worst = worst if len(left) > AGREEING_VIEWS else []
        if not worst:
            good, bad, corners = _drop_outlying_corners(left, [apart for _, apart in alone])
            if not bad:
                return SelectedViews(views=good, bundle=bundle, dropped=dropped, corners_dropped=corners)
            worst = bad
        dropped += [
            DroppedView(view=left[i].name, reason=_explain_outlier(left[i], alone[i][0], bundle.model)) for i in worst
        ]
        left = [view for i, view in enumerate(left) if i not in worst]
        least = max(LEAST_VIEWS, (len(views) + 1) // 2)
        if len(left) < least:
            named = "; ".join(f"{drop.view}: {drop.reason}" for drop in dropped)
            raise Unsolvable(
                f"only {len(left)} of {len(views)} pictures of the board fit together, and at least {least} must;"
                f" take these again, the board flat and still: {named}"
            )


def _find_outlying_views(aparts: Sequence[Floats], doubts: Floats) -> list[int]:
    """Return which views' corners are spread further than those of the others, and their (n,) doubts, allow."""
    spreads = np.array([estimate_spread(apart) for apart in aparts])
    logs = np.log(spreads) - np.log1p((doubts / np.median(spreads)) ** 2) / 2
    usual = float(np.median(logs))
    scatter = 1.4826 * float(np.median(np.abs(logs - usual)))
    count = len(logs)
    between = (WORTH_VIEWS * USUAL_SCATTER**2 + count * scatter**2) / (WORTH_VIEWS + count)
    # The spread of n corners is itself known to 0.72 / sqrt(n) of its logarithm.
    allowed = OUTLIER_SIGMAS * np.sqrt(between + np.array([0.52 / len(apart) for apart in aparts]))
    return [i for i in range(count) if logs[i] - usual > allowed[i]]


def _drop_outlying_corners(
    views: Sequence[BoardView], aparts: Sequence[Floats]
) -> tuple[list[BoardView], list[int], int]:
    """Leave single corners out; return the views, which of them are left with too few, and how many are gone."""
    everything = sum(len(apart) for apart in aparts)
    usual = float(np.median([estimate_spread(apart) for apart in aparts]))
    furthest = np.sqrt(
        2 * np.log(everything / OUTLIER_CHANCE)
    )  # sigma that one of so many plane Gaussian vectors hardly reaches
    good: list[BoardView] = []
    bad: list[int] = []
    for i, (view, apart) in enumerate(zip(views, aparts, strict=True)):
        fits = np.linalg.norm(apart, axis=1) <= furthest * max(usual, estimate_spread(apart))
        if fits.sum() < max(LEAST_CORNERS, (1 - MOST_BAD_SHARE) * len(fits)):
            bad.append(i)
        good.append(view.select(fits))
    return good, bad, everything - sum(len(view.points_px) for view in good)


def _explain_outlier(view: BoardView, shared: Floats, model: LensModel) -> str:
    """Say what is wrong with a view: what explains most of what a lens that fits the others leaves of its corners."""
    pose = _locate_by_majority(view, shared, model)
    pixels, slope = project_board(view, pose, shared, model)
    apart = pixels - view.points_px
    sigma_px = estimate_spread(apart)
    off = np.linalg.norm(apart, axis=1) > 5 * sigma_px
    if off.mean() > MOST_BAD_SHARE / 2:
        return f"{int(off.sum())} of its {len(off)} corners were misread"
    turn = np.asarray(cv2.Rodrigues(pose[:3])[0], dtype=np.float64)
    by_place = slope[:, :, 3:6] @ turn  # px for a step of a corner along the board's own axes
    middle = view.points_mm[:, :2].mean(axis=0)
    x, y = ((view.points_mm[:, :2] - middle) / np.abs(view.points_mm[:, :2] - middle).max()).T
    bend = np.stack([by_place[:, :, 2] * shape[:, None] for shape in (x * x, x * y, y * y)], axis=-1)
    shear = np.stack([by_place[:, :, 0] * x[:, None], by_place[:, :, 0] * y[:, None]], axis=-1)
    by_pose = slope[:, :, :6].reshape(-1, 6)
    keep = np.repeat(~off, 2)

    def explained(columns: Floats) -> tuple[float, Floats]:
        rows = np.column_stack([by_pose, columns.reshape(len(by_pose), -1)])[keep]
        wanted = apart.ravel()[keep]
        answer = np.linalg.lstsq(rows, wanted, rcond=None)[0]
        without = wanted - by_pose[keep] @ np.linalg.lstsq(by_pose[keep], wanted, rcond=None)[0]
        return 1 - float(((wanted - rows @ answer) ** 2).sum() / (without**2).sum()), np.asarray(answer[6:])

    by_bend, curve = explained(bend)
    by_shear, _ = explained(shear)
    if max(by_bend, by_shear) < 0.6:
        return f"its corners are unsteady by {sigma_px:.2f} px: blurred, moved while exposed, or in glare"
    if by_shear > by_bend:
        return "the board is drawn out of shape: it or the camera moved while the picture was taken"
    depth_mm = float(np.ptp(np.column_stack([x * x, x * y, y * y]) @ curve))
    return f"the board is bent by about {depth_mm:.1f} mm"


def _locate_by_majority(view: BoardView, shared: Floats, model: LensModel) -> Floats:
    """(6,) where the board is by the corners of a view that agree best, though a third of them be another's."""
    ideal = flatten(view.points_px, shared[:9], model)
    _, inside = cv2.findHomography(view.points_mm[:, :2], ideal * shared[0], cv2.RANSAC, 4.0)
    agree = np.ravel(np.asarray(inside, dtype=bool))
    if len(agree) != len(ideal) or agree.sum() < LEAST_CORNERS:
        return locate_board(view, shared, model)
    return locate_board(view.select(agree), shared, model)
