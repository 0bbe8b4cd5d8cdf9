"""The least squares behind a lens: one lens and a board's place in every view, all fitted together.

The places are eliminated view by view (the Schur complement), so that a step costs as much as there are views, and
what each view alone says about the lens stays apart: that tells a bad view from a good one, and how sure the lens is.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.errors import Unsolvable
from calibration.spaces import Floats, project

ENOUGH = 1e-9
"""A step that saves less than this part of the squares is the last."""
PUSH = 3.0
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
class Bundle:
    """A lens and where the board was in each view."""

    lens: Floats
    """(9,) in the order of LENS_PARAMETERS."""
    poses: Floats
    """(views, 6) turn and shift of camera_from_board."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """What one view says about the lens once its board's place has been left to find itself."""

    apart_px: Floats
    """(n, 2) predicted minus seen, at the best place."""
    by_lens: Floats
    """(2n, 9) how that changes with the lens, the place following."""
    information: Floats
    """(9, 9) of the lens."""
    pull: Floats
    """(9,) the gradient of half the squares."""


def first_guess(views: Sequence[BoardView], image_size: tuple[int, int]) -> Bundle:
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
        flat, seen = view.points_mm[:, :2], (view.points_px - middle) / width
        found, _ = cv2.findHomography(flat - flat.mean(axis=0), seen, cv2.LMEDS)
        if found is None:
            continue
        a, b = np.asarray(found, dtype=np.float64)[:, :2].T
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
    return Bundle(lens=lens, poses=np.array([place(view, lens) for view in views]))


def place(view: BoardView, lens: Floats) -> Floats:
    """Return (6,) where the board is in a view, by OpenCV, refined with outlying corners held back.

    Raises:
        Unsolvable: no place explains the corners.

    """
    matrix = np.array([[lens[0], 0, lens[2]], [0, lens[1], lens[3]], [0, 0, 1.0]])
    try:
        found, turn, shift = cv2.solvePnP(
            view.points_mm, view.points_px.reshape(-1, 1, 2), matrix, lens[4:], flags=cv2.SOLVEPNP_IPPE
        )
    except cv2.error:
        found = False
    if not found:
        raise Unsolvable(f"{view.name}: no board position explains its corners; leave this picture out")
    pose = np.concatenate([np.ravel(turn), np.ravel(shift)]).astype(np.float64)
    for _ in range(8):
        pixels, slope = project(view.points_mm, np.concatenate([pose, lens]))
        apart = pixels - view.points_px
        root = np.sqrt(corner_weights(apart, spread(apart))).repeat(2)
        step = np.linalg.lstsq(slope.reshape(-1, 15)[:, :6] * root[:, None], -apart.ravel() * root, rcond=None)[0]
        if not np.isfinite(step).all() or np.linalg.norm(step[3:]) > 0.5 * np.linalg.norm(pose[3:]):
            break
        pose = pose + step
        if np.abs(step).max() < 1e-7 * np.linalg.norm(pose[3:]):
            break
    return np.asarray(pose)


def spread(apart_px: Floats) -> float:
    """Return the standard deviation of (n, 2) differences along each axis, px; up to half of them may be wrong."""
    return max(1e-6, float(np.median(np.linalg.norm(apart_px, axis=1))) / RAYLEIGH_MEDIAN)


def corner_weights(apart_px: Floats, sigma_px: float) -> Floats:
    """(n,) how much each corner counts (Geman and McClure)."""
    return np.asarray((1 + (apart_px**2).sum(axis=1) / (PUSH * sigma_px) ** 2) ** -2)


def share_of(view: BoardView, pose: Floats, lens: Floats, weights: Floats) -> Share:
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
    return Share(
        apart_px=apart.reshape(-1, 2),
        by_lens=by_lens,
        information=by_lens.T @ weighed,
        pull=weighed.T @ apart,
    )


def settle(views: Sequence[BoardView], start: Bundle, weights: Sequence[Floats], *, steps: int = 60) -> Bundle:
    """Minimise the weighted squares by Levenberg and Marquardt.

    Raises:
        Unsolvable: the views leave some of the lens open altogether.

    """
    here, damping = start, 1e-3
    cost = _cost(views, here, weights)
    for _ in range(steps):
        there = _step(views, here, weights, damping)
        cost_there = _cost(views, there, weights)
        if not cost_there <= cost:
            damping *= 10
            if damping > 1e8:
                break
            continue
        done = cost - cost_there <= ENOUGH * cost
        here, cost, damping = there, cost_there, damping / 10
        if done:
            break
    return here


def _cost(views: Sequence[BoardView], bundle: Bundle, weights: Sequence[Floats]) -> float:
    total = 0.0
    for view, pose, weight in zip(views, bundle.poses, weights, strict=True):
        pixels, _ = project(view.points_mm, np.concatenate([pose, bundle.lens]))
        total += float(weight @ ((pixels - view.points_px) ** 2).sum(axis=1))
    return total


def _step(views: Sequence[BoardView], bundle: Bundle, weights: Sequence[Floats], damping: float) -> Bundle:
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
    return Bundle(lens=bundle.lens + by_lens, poses=np.array(poses))


TOO_MUCH_ALIKE = "the pictures are too much alike to tell the lens; hold the board at other places, distances and tilts"


def settle_warily(views: Sequence[BoardView], image_size: tuple[int, int]) -> tuple[Bundle, list[Floats]]:
    """Fit with views and corners that do not fit the others held back; also return the (n,) weights of each view.

    A view that is worse than most weighs less, as its own spread tells; a corner that is off in its view hardly weighs.

    Raises:
        Unsolvable: as `first_guess` and `settle`.

    """
    bundle = first_guess(views, image_size)
    weights = [np.ones(len(view.points_px)) for view in views]
    before = np.inf
    for _ in range(25):
        bundle = settle(views, bundle, weights, steps=3)
        aparts = [
            project(view.points_mm, np.concatenate([pose, bundle.lens]))[0] - view.points_px
            for view, pose in zip(views, bundle.poses, strict=True)
        ]
        spreads = np.array([spread(apart) for apart in aparts])
        usual = float(np.median(spreads))
        held = np.maximum(spreads, usual)
        weights = [corner_weights(apart, s) / s**2 for apart, s in zip(aparts, held, strict=True)]
        if abs(before - usual) < 1e-4 * usual:
            break
        before = usual
    return settle(views, bundle, weights), weights
