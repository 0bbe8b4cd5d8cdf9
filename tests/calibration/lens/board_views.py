"""Simulated board views: a board through a lens that is known, with and without what goes wrong."""

import cv2
import numpy as np

from calibration.lens.bundle_adjustment import BoardView
from calibration.spaces import Floats, project

TRUE = np.array([1185.0, 1183.0, 955.0, 545.0, -0.11, 0.02, 4e-4, -3e-4, 0.0])
SIZE = (1920, 1080)
BOARD = np.array([(25.0 * c, 25.0 * r, 0.0) for r in range(7) for c in range(10)])
_ACROSS, _DOWN = ((BOARD[:, :2] - BOARD[:, :2].mean(axis=0)) / 112.5).T


def bend_board(by_mm: Floats) -> Floats:
    """(70, 3) the corners of a board that is bent by so much at its sides, askew and at its ends."""
    points = BOARD.copy()
    points[:, 2] = by_mm @ np.stack([_ACROSS**2, _ACROSS * _DOWN, _DOWN**2])
    return points


def simulate_view(
    rng: np.random.Generator,
    noise_px: float = 0.15,
    name: str = "view",
    *,
    really_mm: Floats = BOARD,
    lens: Floats = TRUE,
) -> BoardView:
    """Return what a lens shows of a board that is held up somewhere in the picture, tilted."""
    while True:
        turn = np.array([rng.normal(0, 0.35), rng.normal(0, 0.35), rng.normal(0, 0.5)])
        away_mm = rng.uniform(350, 700) * lens[0] / TRUE[0]
        aim = (rng.uniform(0.1, 0.9, 2) * SIZE - lens[2:4]) / lens[:2] * away_mm
        middle = cv2.Rodrigues(turn)[0] @ BOARD.mean(axis=0)
        pose = np.concatenate([turn, np.array([*aim, away_mm]) - middle])
        pixels, _ = project(really_mm, np.concatenate([pose, lens]))
        inside = (pixels > 0).all(axis=1) & (pixels < SIZE).all(axis=1)
        if inside.sum() > 30:
            noisy = pixels + rng.normal(0, noise_px, pixels.shape)
            return BoardView(name=name, points_mm=BOARD[inside], points_px=noisy[inside])


def simulate_views(seed: int, count: int = 12, noise_px: float = 0.15, bend_mm: float = 0.0) -> list[BoardView]:
    """Return views of a board; with ``bend_mm`` it is bent a little, another way in each."""
    rng = np.random.default_rng(seed)
    return [
        simulate_view(rng, noise_px, f"view {i}", really_mm=bend_board(rng.normal(0, bend_mm, 3)) if bend_mm else BOARD)
        for i in range(count)
    ]
