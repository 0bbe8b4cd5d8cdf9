"""Bundle adjustment of a lens: one lens and a board's place in every view, fitted together.

The places are eliminated view by view (the Schur complement), so that a step costs as much as there are views, and
what each view alone says about the lens stays apart: that tells a bad view from a good one, and how sure the lens
is. Views that do not belong with the others are dropped, each with its reason, and so are single corners that do not
belong in their view.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.errors import Unsolvable
from calibration.spaces import Floats, project

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


@dataclass(frozen=True, slots=True, kw_only=True)
class LensBundle:
    """A lens and where the board was in each view."""

    lens: Floats
    """(9,) in the order of LENS_PARAMETERS."""
    poses: Floats
    """(views, 6) turn and shift of camera_from_board."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewInformation:
    """What one view says about the lens once its board's place has been left to find itself."""

    apart_px: Floats
    """(n, 2) predicted minus seen, at the best place."""
    by_lens: Floats
    """(2n, 9) how that changes with the lens, the place following."""
    information: Floats
    """(9, 9) of the lens."""
    pull: Floats
    """(9,) the gradient of half the squares."""


def guess_bundle(views: Sequence[BoardView], image_size: tuple[int, int]) -> LensBundle:
    """Begin with square pixels, the centre in the middle and no distortion.

    Every view of a plane gives two equations for the focal length (Zhang 2000); the median of what they say, weighted
    by how clearly each says it, is not misled by single bad views.

    Raises:
        Unsolvable: a view in which no place of the board explains the corners.

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
    focal = 0.75
    if says:
        squares, weights = np.array(sorted(says)).T
        median = squares[np.searchsorted(np.cumsum(weights), weights.sum() / 2)]
        focal = float(np.sqrt(np.clip(median, 0.2**2, 10.0**2)))
    lens = np.array([focal * width, focal * width, *middle, 0, 0, 0, 0, 0])
    return LensBundle(lens=lens, poses=np.array([locate_board(view, lens) for view in views]))


def locate_board(view: BoardView, lens: Floats) -> Floats:
    """Return (6,) where the board is in a view, by OpenCV, refined with outlying corners held back.

    Raises:
        Unsolvable: no place explains the corners.

    """
    matrix = np.array([[lens[0], 0, lens[2]], [0, lens[1], lens[3]], [0, 0, 1.0]])
    try:
        is_found, turn, shift = cv2.solvePnP(
            view.points_mm, view.points_px.reshape(-1, 1, 2), matrix, lens[4:], flags=cv2.SOLVEPNP_IPPE
        )
    except cv2.error:
        is_found = False
    if not is_found:
        raise Unsolvable(f"{view.name}: no board position explains its corners; leave this picture out")
    pose = np.concatenate([np.ravel(turn), np.ravel(shift)]).astype(np.float64)
    for _ in range(8):
        pixels, slope = project(view.points_mm, np.concatenate([pose, lens]))
        apart = pixels - view.points_px
        root = np.sqrt(weigh_corners(apart, estimate_spread(apart))).repeat(2)
        step = np.linalg.lstsq(slope.reshape(-1, 15)[:, :6] * root[:, None], -apart.ravel() * root, rcond=None)[0]
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


def reduce_view(view: BoardView, pose: Floats, lens: Floats, weights: Floats) -> ViewInformation:
    """Linearise a view at a lens; (n,) ``weights`` are inverse variances of its corners."""
    pixels, slope = project(view.points_mm, np.concatenate([pose, lens]))
    root = np.sqrt(weights).repeat(2)
    rows, apart = slope.reshape(-1, 15), (pixels - view.points_px).ravel()
    by_pose = rows[:, :6]
    # One solve for the place's answer to the lens and to the differences themselves.
    answer = np.linalg.lstsq(
        by_pose * root[:, None], np.column_stack([rows[:, 6:], apart]) * root[:, None], rcond=None
    )[0]
    left = np.column_stack([rows[:, 6:], apart]) - by_pose @ answer
    by_lens, apart = left[:, :9], left[:, 9]
    weighed = by_lens * weights.repeat(2)[:, None]
    return ViewInformation(
        apart_px=apart.reshape(-1, 2),
        by_lens=by_lens,
        information=by_lens.T @ weighed,
        pull=weighed.T @ apart,
    )


def fit_bundle(
    views: Sequence[BoardView], start: LensBundle, weights: Sequence[Floats], *, steps: int = 60
) -> LensBundle:
    """Minimise the weighted squares by Levenberg and Marquardt.

    Raises:
        Unsolvable: the views leave some of the lens open altogether.

    """
    here, damping = start, 1e-3
    cost = _compute_cost(views, here, weights)
    for _ in range(steps):
        there = _take_step(views, here, weights, damping)
        cost_there = _compute_cost(views, there, weights)
        if not cost_there <= cost:
            damping *= 10
            if damping > 1e8:
                break
            continue
        done = cost - cost_there <= LEAST_GAIN * cost
        here, cost, damping = there, cost_there, damping / 10
        if done:
            break
    return here


def _compute_cost(views: Sequence[BoardView], bundle: LensBundle, weights: Sequence[Floats]) -> float:
    total = 0.0
    for view, pose, weight in zip(views, bundle.poses, weights, strict=True):
        pixels, _ = project(view.points_mm, np.concatenate([pose, bundle.lens]))
        total += float(weight @ ((pixels - view.points_px) ** 2).sum(axis=1))
    return total


def _take_step(views: Sequence[BoardView], bundle: LensBundle, weights: Sequence[Floats], damping: float) -> LensBundle:
    reduced, pull = np.zeros((9, 9)), np.zeros(9)
    answers: list[tuple[Floats, Floats]] = []
    for view, pose, weight in zip(views, bundle.poses, weights, strict=True):
        pixels, slope = project(view.points_mm, np.concatenate([pose, bundle.lens]))
        root = np.sqrt(weight).repeat(2)[:, None]
        rows, apart = slope.reshape(-1, 15) * root, (pixels - view.points_px).ravel() * root[:, 0]
        normal, gradient = rows.T @ rows, rows.T @ apart
        normal[np.diag_indices(15)] *= 1 + damping
        try:
            answer = np.linalg.solve(normal[:6, :6], np.column_stack([normal[:6, 6:], gradient[:6]]))
        except np.linalg.LinAlgError:
            raise Unsolvable(f"{view.name}: its corners do not tell where the board is; leave it out") from None
        reduced += normal[6:, 6:] - normal[6:, :6] @ answer[:, :9]
        pull += gradient[6:] - normal[6:, :6] @ answer[:, 9]
        answers.append((np.asarray(answer[:, :9]), np.asarray(answer[:, 9])))
    scale = np.sqrt(np.abs(np.diag(reduced))) + 1e-300
    try:
        by_lens = -np.linalg.solve(reduced / np.outer(scale, scale), pull / scale) / scale
    except np.linalg.LinAlgError:
        raise Unsolvable(TOO_MUCH_ALIKE) from None
    poses = [pose - own - by @ by_lens for pose, (by, own) in zip(bundle.poses, answers, strict=True)]
    return LensBundle(lens=bundle.lens + by_lens, poses=np.array(poses))


TOO_MUCH_ALIKE = "the pictures are too much alike to tell the lens; hold the board at other places, distances and tilts"


def fit_bundle_robustly(views: Sequence[BoardView], image_size: tuple[int, int]) -> tuple[LensBundle, list[Floats]]:
    """Fit with views and corners that do not fit the others held back; also return the (n,) weights of each view.

    A view that is worse than most weighs less, as its own spread tells; a corner that is off in its view hardly weighs.

    Raises:
        Unsolvable: as `guess_bundle` and `fit_bundle`.

    """
    bundle = guess_bundle(views, image_size)
    weights = [np.ones(len(view.points_px)) for view in views]
    before = np.inf
    for _ in range(25):
        bundle = fit_bundle(views, bundle, weights, steps=3)
        aparts = [
            project(view.points_mm, np.concatenate([pose, bundle.lens]))[0] - view.points_px
            for view, pose in zip(views, bundle.poses, strict=True)
        ]
        spreads = np.array([estimate_spread(apart) for apart in aparts])
        usual = float(np.median(spreads))
        floored = np.maximum(spreads, usual)
        weights = [weigh_corners(apart, s) / s**2 for apart, s in zip(aparts, floored, strict=True)]
        if abs(before - usual) < 1e-4 * usual:
            break
        before = usual
    return fit_bundle(views, bundle, weights), weights


LEAST_CORNERS = 8
LEAST_VIEWS = 8
"""To begin with."""
LEAST_KEPT = 6
"""After bad ones were dropped: each half, which the other is tried on, still has three."""
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


def drop_outlying_views(views: Sequence[BoardView], image_size: tuple[int, int]) -> SelectedViews:
    """Tell the views that belong together from those that do not.

    Every view is judged by a fit to the others: the spread of what is left of its corners beside the others' spread.

    Raises:
        Unsolvable: what belongs together is too little to determine the lens.

    """
    left, dropped = list(views), list[DroppedView]()
    while True:
        bundle, weights = fit_bundle_robustly(left, image_size)
        shares = [reduce_view(v, p, bundle.lens, w) for v, p, w in zip(left, bundle.poses, weights, strict=True)]
        information, pull = sum(s.information for s in shares), sum(s.pull for s in shares)
        alone: list[tuple[Floats, Floats]] = []
        for view, share in zip(left, shares, strict=True):
            others = np.asarray(information - share.information)
            scale = np.sqrt(np.abs(np.diag(others))) + 1e-300
            # A view may be the only one to tell some part of the lens; that part is then left as it is.
            inverse = np.linalg.pinv(others / np.outer(scale, scale), rcond=1e-10, hermitian=True)
            lens = bundle.lens - inverse @ (np.asarray(pull - share.pull) / scale) / scale
            pixels, _ = project(view.points_mm, np.concatenate([locate_board(view, lens), lens]))
            alone.append((lens, pixels - view.points_px))
        worst = _find_outlying_views([apart for _, apart in alone])
        if not worst:
            good, bad, corners = _drop_outlying_corners(left, [apart for _, apart in alone])
            if not bad:
                return SelectedViews(views=good, bundle=bundle, dropped=dropped, corners_dropped=corners)
            worst = bad
        dropped += [DroppedView(view=left[i].name, reason=_explain_outlier(left[i], alone[i][0])) for i in worst]
        left = [view for i, view in enumerate(left) if i not in worst]
        if len(left) < LEAST_KEPT or len(left) < len(views) / 2:
            named = "; ".join(f"{drop.view}: {drop.reason}" for drop in dropped)
            raise Unsolvable(
                f"only {len(left)} of {len(views)} pictures of the board fit together, and at least"
                f" {max(LEAST_KEPT, (len(views) + 1) // 2)} must; take these again, the board flat and still: {named}"
            )


def _find_outlying_views(aparts: Sequence[Floats]) -> list[int]:
    """Return which views' corners are spread further than those of the others allow."""
    logs = np.log([estimate_spread(apart) for apart in aparts])
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
        good.append(BoardView(name=view.name, points_mm=view.points_mm[fits], points_px=view.points_px[fits]))
    return good, bad, everything - sum(len(view.points_px) for view in good)


def _explain_outlier(view: BoardView, lens: Floats) -> str:
    """Say what is wrong with a view: what explains most of what a lens that fits the others leaves of its corners."""
    pose = _locate_by_majority(view, lens)
    apart = project(view.points_mm, np.concatenate([pose, lens]))[0] - view.points_px
    sigma_px = estimate_spread(apart)
    off = np.linalg.norm(apart, axis=1) > 5 * sigma_px
    if off.mean() > MOST_BAD_SHARE / 2:
        return f"{int(off.sum())} of its {len(off)} corners were misread"
    _, slope = project(view.points_mm, np.concatenate([pose, lens]))
    turn = np.asarray(cv2.Rodrigues(pose[:3])[0], dtype=np.float64)
    by_place = slope[:, :, 3:6] @ turn  # px for a step of a corner along the board's own axes
    middle = view.points_mm[:, :2].mean(axis=0)
    x, y = ((view.points_mm[:, :2] - middle) / np.abs(view.points_mm[:, :2] - middle).max()).T
    bend = np.stack([by_place[:, :, 2] * shape[:, None] for shape in (x * x, x * y, y * y)], axis=-1)
    shear = np.stack([by_place[:, :, 0] * x[:, None], by_place[:, :, 0] * y[:, None]], axis=-1)
    by_pose = slope.reshape(-1, 15)[:, :6]
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


def _locate_by_majority(view: BoardView, lens: Floats) -> Floats:
    """(6,) where the board is by the corners of a view that agree best, though a third of them be another's."""
    matrix = np.array([[lens[0], 0, lens[2]], [0, lens[1], lens[3]], [0, 0, 1.0]])
    ideal = np.asarray(cv2.undistortPoints(view.points_px.reshape(-1, 1, 2), matrix, lens[4:])).reshape(-1, 2)
    _, inside = cv2.findHomography(view.points_mm[:, :2], ideal * lens[0], cv2.RANSAC, 4.0)
    agree = np.ravel(np.asarray(inside, dtype=bool))
    if len(agree) != len(ideal) or agree.sum() < LEAST_CORNERS:
        return locate_board(view, lens)
    return locate_board(
        BoardView(name=view.name, points_mm=view.points_mm[agree], points_px=view.points_px[agree]), lens
    )
