"""Corners of boards are placed to hundredths of a pixel, and say how surely, however dark and blurred pictures are."""

import cv2
import numpy as np
import pytest

from calibration.lens.bundle_adjustment import BoardView
from vision.boards.corner_fit import LEAST_SIGMA_PX, UNFITTED_SIGMA_PX, Grey, fit_corners

SQUARE, FINE = 30.0, 8


def draw_corners(blur_px: float, noise: float, contrast: float) -> tuple[Grey, BoardView]:
    """A board of 7 x 5 inner corners, slightly turned, and where its corners are."""
    squares = np.indices((6, 8)).sum(axis=0) % 2
    flat = np.kron(squares, np.ones((int(SQUARE) * FINE,) * 2)).astype(np.float32)
    turn = np.asarray(cv2.getRotationMatrix2D((100.0 * FINE, 100.0 * FINE), 7.0, 0.9), dtype=np.float64)
    turn[:, 2] += np.array([33.3, 21.7]) * FINE
    seen = cv2.warpAffine(flat, turn, (320 * FINE, 240 * FINE), flags=cv2.INTER_LINEAR, borderValue=0.5)
    small = cv2.resize(cv2.GaussianBlur(seen, (0, 0), blur_px * FINE), (320, 240), interpolation=cv2.INTER_AREA)
    rng = np.random.default_rng(3)
    grey = np.clip(60 + contrast * small + rng.normal(0, noise, small.shape), 0, 255).round().astype(np.uint8)
    places = np.array([(SQUARE * c, SQUARE * r, 0.0) for r in range(1, 6) for c in range(1, 8)])
    # Texels lie half a texel inside of their edges.
    fine = np.column_stack([places[:, :2] * FINE - 0.5, np.ones(len(places))]) @ turn.T
    true = (fine + 0.5) / FINE - 0.5
    return np.asarray(grey), BoardView(name="view", points_mm=places, points_px=true)


def measure(blur_px: float, noise: float, contrast: float) -> tuple[float, float, float]:
    """Return how far corners are off before and after, px, and their errors' mean square in units of their sigma."""
    grey, true = draw_corners(blur_px, noise, contrast)
    start = np.random.default_rng(4).normal(0, 0.4, true.points_px.shape)
    rough = BoardView(name="view", points_mm=true.points_mm, points_px=true.points_px + start)
    view = fit_corners(grey, rough, SQUARE, 0.15 * SQUARE)
    apart = view.points_px - true.points_px
    return (
        float(np.sqrt((start**2).mean())),
        float(np.sqrt((apart**2).mean())),
        float(((apart / view.spread[:, None]) ** 2).mean()),
    )


@pytest.mark.parametrize(
    ("blur_px", "noise", "contrast", "within_px"),
    [(0.7, 1.0, 150.0, 0.015), (0.8, 8.0, 100.0, 0.09), (2.0, 4.0, 80.0, 0.12)],
)
def test_corners_are_placed_as_well_as_they_say(
    blur_px: float, noise: float, contrast: float, within_px: float
) -> None:
    _, after, squares = measure(blur_px, noise, contrast)
    assert after < within_px
    assert squares < 1.6
    assert squares > 0.5 or after < LEAST_SIGMA_PX


def test_what_is_noisier_or_more_blurred_counts_less() -> None:
    sigmas = [
        float(np.median(fit_corners(*draw_corners(*light), SQUARE, 0.15 * SQUARE).spread))
        for light in ((0.7, 1.0, 150.0), (0.7, 6.0, 150.0), (2.5, 6.0, 150.0))
    ]
    assert LEAST_SIGMA_PX <= sigmas[0] < sigmas[1] / 1.3 < sigmas[1] < sigmas[2] / 1.3


def test_what_is_no_corner_stays_where_it_was_seen() -> None:
    _, true = draw_corners(0.7, 1.0, 150.0)
    empty = np.random.default_rng(5).normal(120, 3, (240, 320)).astype(np.uint8)
    view = fit_corners(empty, true, SQUARE, 0.15 * SQUARE)
    np.testing.assert_array_equal(view.points_px, true.points_px)
    assert (view.spread == UNFITTED_SIGMA_PX).all()
