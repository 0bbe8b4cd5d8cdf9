"""The lens, from views of a flat board."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.errors import Unsolvable
from calibration.spaces import Floats, Lens, project

LEAST_VIEWS = 4
LEAST_CORNERS = 8
WORST_DOUBT = 0.03
"""Relative standard deviation of the focal length; worse is no better than a guess."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardView:
    """The corners of a board that one picture shows."""

    name: str
    points_mm: Floats
    """(n, 3) on the board."""
    points_px: Floats
    """(n, 2) in the picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LensFit:
    """A lens and how well it explains the views."""

    lens: Lens
    rms_px: float
    """Root mean square distance between corners seen and predicted, in the views of the fit."""
    held_out_px: float
    """The same in views that the fit had not seen: fitted on one half, tried on the other, both ways."""
    views: tuple[str, ...]


def solve_lens(views: Sequence[BoardView], image_size: tuple[int, int]) -> LensFit:
    """Fit OpenCV's five-parameter lens to board views.

    Raises:
        Unsolvable: too few views with enough corners.

    """
    usable = [view for view in views if len(view.points_mm) >= LEAST_CORNERS]
    if len(usable) < 2 * LEAST_VIEWS:
        raise Unsolvable(
            f"the board is seen well in {len(usable)} pictures; at least {2 * LEAST_VIEWS} are needed,"
            " from different places and at different tilts"
        )
    lens, rms_px = _fit(usable, image_size)
    doubt = float(np.sqrt(lens.covariance[0, 0]) / lens.parameters[0])
    if not doubt < WORST_DOUBT:
        raise Unsolvable(
            f"the {len(usable)} pictures are too much alike to tell the focal length (± {100 * doubt:.0f} %);"
            " hold the board at other places, distances and tilts"
        )
    halves = usable[::2], usable[1::2]
    held_out = [_rms_elsewhere(_fit(fitted, image_size)[0], tried) for fitted, tried in (halves, halves[::-1])]
    return LensFit(
        lens=lens,
        rms_px=rms_px,
        held_out_px=float(np.sqrt(np.mean(np.square(held_out)))),
        views=tuple(view.name for view in usable),
    )


def _fit(views: Sequence[BoardView], image_size: tuple[int, int]) -> tuple[Lens, float]:
    _, matrix, distortion, turns, shifts = cv2.calibrateCamera(
        [view.points_mm.astype(np.float32) for view in views],
        [view.points_px.astype(np.float32) for view in views],
        image_size,
        None,
        None,
    )
    matrix = np.asarray(matrix, dtype=np.float64)
    parameters = np.concatenate([[matrix[0, 0], matrix[1, 1], matrix[0, 2], matrix[1, 2]], np.ravel(distortion)[:5]])
    poses = [np.concatenate([np.ravel(t), np.ravel(s)]) for t, s in zip(turns, shifts, strict=True)]
    return _with_covariance(views, parameters, poses, image_size)


def _with_covariance(
    views: Sequence[BoardView], parameters: Floats, poses: Sequence[Floats], image_size: tuple[int, int]
) -> tuple[Lens, float]:
    """Covariance of the lens with the unknown board poses accounted for, by the Schur complement view by view."""
    information = np.zeros((9, 9))
    squares, count = 0.0, 0
    for view, pose in zip(views, poses, strict=True):
        pixels, slope = project(view.points_mm, np.concatenate([pose, parameters]))
        rows = slope.reshape(-1, 15)
        by_pose, by_lens = rows[:, :6], rows[:, 6:]
        explained = by_pose @ np.linalg.lstsq(by_pose, by_lens, rcond=None)[0]
        information += (by_lens - explained).T @ (by_lens - explained)
        squares += float(np.sum((pixels - view.points_px) ** 2))
        count += len(pixels)
    freedom = max(1, 2 * count - 9 - 6 * len(views))
    scale = np.sqrt(np.diag(information))
    covariance = np.linalg.inv(information / np.outer(scale, scale)) / np.outer(scale, scale) * (squares / freedom)
    lens = Lens(image_size=image_size, parameters=parameters, covariance=(covariance + covariance.T) / 2)
    return lens, float(np.sqrt(squares / count))


def _rms_elsewhere(lens: Lens, views: Sequence[BoardView]) -> float:
    """Root mean square distance, px, in views of which only the board's pose is fitted."""
    squares, count = 0.0, 0
    for view in views:
        found, turn, shift = cv2.solvePnP(
            view.points_mm, view.points_px.reshape(-1, 1, 2), lens.matrix, lens.distortion
        )
        if not found:
            raise Unsolvable(f"{view.name}: no board position explains its corners; leave this picture out")
        pixels, _ = project(view.points_mm, np.concatenate([np.ravel(turn), np.ravel(shift), lens.parameters]))
        squares += float(np.sum((pixels - view.points_px) ** 2))
        count += len(pixels)
    return float(np.sqrt(squares / count))
