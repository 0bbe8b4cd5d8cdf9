"""Views of a board that do not belong with the others, and single corners that do not belong in their view."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.board_bundle import BoardView, Bundle, place, settle_warily, share_of, spread
from calibration.errors import Unsolvable
from calibration.spaces import Floats, project

LEAST_CORNERS = 8
LEAST_VIEWS = 8
"""To begin with."""
LEAST_KEPT = 6
"""After bad ones were dropped: each half, which the other is tried on, still has three."""
CHANCE = 1e-3
"""That a set without a single bad corner loses one."""
BEYOND_SIGMA = 4.0
"""A view's spread counts as another kind of thing this far above the others', on a scale of logarithms."""
USUAL_SCATTER, WORTH_VIEWS = 0.15, 4.0
"""How far apart the spreads of good views are taken to lie (as a logarithm), and how many views that guess is worth."""
MOST_CORNERS = 0.25
"""A view of which more than this part of the corners is off is not a view with bad corners, but a bad view."""
THINNEST = 0.02
"""Width over length of the corners' area; a single row does not tell where the board is."""
SAME_PLACE = 0.01
"""Views whose common corners lie closer together than this part of the picture's width are one view, taken twice."""


Corners = dict[tuple[float, float], tuple[float, float]]
"""Where corners of the board are in a picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """A view that the fit does without."""

    view: str
    reason: str
    twin: bool = False
    """It shows the board where another view does."""


def usable(views: Iterable[BoardView], width_px: int) -> tuple[list[BoardView], list[Dropped]]:
    """Return the views that say something of their own, and why the others do not."""
    kept: list[tuple[BoardView, Corners]] = []
    dropped: list[Dropped] = []
    for view in views:
        if reason := _unusable(view):
            dropped.append(Dropped(view=view.name, reason=reason))
            continue
        places = zip(view.points_mm.round(3).tolist(), view.points_px.tolist(), strict=True)
        corners = {(x, y): (u, v) for (x, y, _), (u, v) in places}
        near = (other for other, there in kept if _moved_px(corners, there) < SAME_PLACE * width_px)
        if twin := next(near, None):
            dropped.append(Dropped(view=view.name, reason=f"the board is where it is in {twin.name}", twin=True))
        else:
            kept.append((view, corners))
    return [view for view, _ in kept], dropped


def _unusable(view: BoardView) -> str:
    count = len(view.points_mm)
    if count == 0:
        return "no board is seen in it"
    if count < LEAST_CORNERS:
        return f"only {count} corners of the board are seen in it, of {LEAST_CORNERS} at least"
    length, thickness = np.linalg.svd(view.points_mm[:, :2] - view.points_mm[:, :2].mean(axis=0), compute_uv=False)
    if thickness < THINNEST * length:
        return "the corners that are seen in it lie on one line"
    return ""


def _moved_px(here: Corners, there: Corners) -> float:
    """Return how far corners that two views share lie apart (root mean square); infinite if they share few."""
    both = here.keys() & there.keys()
    if 2 * len(both) < max(len(here), len(there)):
        return math.inf
    return math.sqrt(sum(math.dist(here[at], there[at]) ** 2 for at in both) / len(both))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sifted:
    """Views that belong together."""

    views: list[BoardView]
    """Without the corners that do not belong."""
    bundle: Bundle
    """A fit to them, to go on from."""
    dropped: list[Dropped]
    corners_dropped: int


def sift(views: Sequence[BoardView], image_size: tuple[int, int]) -> Sifted:
    """Tell the views that belong together from those that do not.

    Every view is judged by a fit to the others: the spread of what is left of its corners beside the others' spread.

    Raises:
        Unsolvable: what belongs together is too little to determine the lens.

    """
    left, dropped = list(views), list[Dropped]()
    while True:
        bundle, weights = settle_warily(left, image_size)
        shares = [share_of(v, p, bundle.lens, w) for v, p, w in zip(left, bundle.poses, weights, strict=True)]
        information, pull = sum(s.information for s in shares), sum(s.pull for s in shares)
        alone: list[tuple[Floats, Floats]] = []
        for view, share in zip(left, shares, strict=True):
            others = np.asarray(information - share.information)
            scale = np.sqrt(np.abs(np.diag(others))) + 1e-300
            # A view may be the only one to tell some part of the lens; that part is then left as it is.
            inverse = np.linalg.pinv(others / np.outer(scale, scale), rcond=1e-10, hermitian=True)
            lens = bundle.lens - inverse @ (np.asarray(pull - share.pull) / scale) / scale
            pixels, _ = project(view.points_mm, np.concatenate([place(view, lens), lens]))
            alone.append((lens, pixels - view.points_px))
        worst = _beyond([apart for _, apart in alone])
        if not worst:
            good, bad, corners = _without_corners(left, [apart for _, apart in alone])
            if not bad:
                return Sifted(views=good, bundle=bundle, dropped=dropped, corners_dropped=corners)
            worst = bad
        dropped += [Dropped(view=left[i].name, reason=_why(left[i], alone[i][0])) for i in worst]
        left = [view for i, view in enumerate(left) if i not in worst]
        if len(left) < LEAST_KEPT or len(left) < len(views) / 2:
            named = "; ".join(f"{drop.view}: {drop.reason}" for drop in dropped)
            raise Unsolvable(
                f"only {len(left)} of {len(views)} pictures of the board fit together, and at least"
                f" {max(LEAST_KEPT, (len(views) + 1) // 2)} must; take these again, the board flat and still: {named}"
            )


def _beyond(aparts: Sequence[Floats]) -> list[int]:
    """Return which views' corners are spread further than those of the others allow."""
    logs = np.log([spread(apart) for apart in aparts])
    usual = float(np.median(logs))
    scatter = 1.4826 * float(np.median(np.abs(logs - usual)))
    count = len(logs)
    between = (WORTH_VIEWS * USUAL_SCATTER**2 + count * scatter**2) / (WORTH_VIEWS + count)
    # The spread of n corners is itself known to 0.72 / sqrt(n) of its logarithm.
    allowed = BEYOND_SIGMA * np.sqrt(between + np.array([0.52 / len(apart) for apart in aparts]))
    return [i for i in range(count) if logs[i] - usual > allowed[i]]


def _without_corners(views: Sequence[BoardView], aparts: Sequence[Floats]) -> tuple[list[BoardView], list[int], int]:
    """Leave single corners out; return the views, which of them are left with too few, and how many are gone."""
    everything = sum(len(apart) for apart in aparts)
    usual = float(np.median([spread(apart) for apart in aparts]))
    furthest = np.sqrt(
        2 * np.log(everything / CHANCE)
    )  # sigma that one of so many plane Gaussian vectors hardly reaches
    good: list[BoardView] = []
    bad: list[int] = []
    for i, (view, apart) in enumerate(zip(views, aparts, strict=True)):
        fits = np.linalg.norm(apart, axis=1) <= furthest * max(usual, spread(apart))
        if fits.sum() < max(LEAST_CORNERS, (1 - MOST_CORNERS) * len(fits)):
            bad.append(i)
        good.append(BoardView(name=view.name, points_mm=view.points_mm[fits], points_px=view.points_px[fits]))
    return good, bad, everything - sum(len(view.points_px) for view in good)


def _why(view: BoardView, lens: Floats) -> str:
    """Say what is wrong with a view: what explains most of what a lens that fits the others leaves of its corners."""
    pose = _place_of_most(view, lens)
    apart = project(view.points_mm, np.concatenate([pose, lens]))[0] - view.points_px
    sigma_px = spread(apart)
    off = np.linalg.norm(apart, axis=1) > 5 * sigma_px
    if off.mean() > MOST_CORNERS / 2:
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


def _place_of_most(view: BoardView, lens: Floats) -> Floats:
    """(6,) where the board is by the corners of a view that agree best, though a third of them be another's."""
    matrix = np.array([[lens[0], 0, lens[2]], [0, lens[1], lens[3]], [0, 0, 1.0]])
    ideal = np.asarray(cv2.undistortPoints(view.points_px.reshape(-1, 1, 2), matrix, lens[4:])).reshape(-1, 2)
    _, inside = cv2.findHomography(view.points_mm[:, :2], ideal * lens[0], cv2.RANSAC, 4.0)
    agree = np.ravel(np.asarray(inside, dtype=bool))
    if len(agree) != len(ideal) or agree.sum() < LEAST_CORNERS:
        return place(view, lens)
    return place(BoardView(name=view.name, points_mm=view.points_mm[agree], points_px=view.points_px[agree]), lens)
