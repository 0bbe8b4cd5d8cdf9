"""Pixel phase: tags that lie along the pixels are off by what the estimate says, others by less."""

import math

import cv2
import numpy as np
import pytest

from hardware.tag36h11 import find_white_modules
from vision.tags.corner_refinement import CORNERS, refine_corners
from vision.tags.pixel_phase import EDGE_ERROR_PX, estimate_common_errors
from vision.types import TagDetection

FINE, SIZE_PX, TAG = 8, 40, 91
PHASES = [(0.0, 0.25), (0.25, 0.5), (0.5, 0.75), (0.12, 0.87), (0.61, 0.29), (0.3, 0.6)]


def place_corners(turn_rad: float, cell_px: float, phase: tuple[float, float]) -> np.ndarray:
    turn = np.array([[math.cos(turn_rad), math.sin(turn_rad)], [math.sin(turn_rad), -math.cos(turn_rad)]])
    return np.asarray(CORNERS * cell_px @ turn.T + SIZE_PX / 2 + np.array(phase))


def render(corners_px: np.ndarray, blur_px: float) -> np.ndarray:
    """A tag as a lens and a sensor show it: sharp on a fine canvas, blurred there, and averaged over each pixel."""
    cells = np.pad(find_white_modules(TAG), 4, constant_values=True)[::-1].T
    y, x = (np.mgrid[0 : SIZE_PX * FINE, 0 : SIZE_PX * FINE] + 0.5) / FINE - 0.5
    along, across = (corners_px[1] - corners_px[0]) / 8, (corners_px[3] - corners_px[0]) / 8
    to_cells = np.linalg.inv(np.column_stack([along, across]))
    places = np.stack([x, y], axis=-1) @ to_cells.T - corners_px.mean(axis=0) @ to_cells.T
    across_cells, up_cells = np.clip(np.floor(places + 8).astype(int), 0, len(cells) - 1).transpose(2, 0, 1)
    fine = cv2.GaussianBlur(np.where(cells[across_cells, up_cells], 228.0, 18.0), (0, 0), blur_px * FINE)
    grey = np.rint(fine.reshape(SIZE_PX, FINE, SIZE_PX, FINE).mean(axis=(1, 3)))
    return np.asarray(grey, dtype=np.uint8)


@pytest.mark.parametrize(
    ("turn_deg", "cell_px", "at_least_px", "at_least_rad"),
    [(0.4, 2.0, 0.02, 0.0), (2.5, 2.0, 0.0, 0.002), (20.0, 2.0, 0.0, 0.0)],
)
def test_tags_are_off_together_by_as_much_as_is_said(
    turn_deg: float, cell_px: float, at_least_px: float, at_least_rad: float
) -> None:
    off_px, turned_rad, said_px, said_rad = [], [], [], []
    for phase in PHASES:
        corners_px = place_corners(math.radians(turn_deg), cell_px, phase)
        seen = TagDetection(tag=TAG, corners_px=corners_px + 0.1, hamming=0, margin=50.0)
        (fit,) = refine_corners(render(corners_px, 0.3), [seen], 1.0)
        off_px.append((fit.corners_px - corners_px).mean(axis=0))
        arms, arms_true = (c @ (1, 1j) - (c @ (1, 1j)).mean() for c in (fit.corners_px, corners_px))
        turned_rad.append(float(np.angle(np.vdot(arms_true, arms))))
        (shift_px, turn_rad) = estimate_common_errors(corners_px[None])
        said_px.append(shift_px)
        said_rad.append(turn_rad)
    rms_px, rms_rad = (math.sqrt(np.mean(np.square(off))) for off in (off_px, turned_rad))
    assert at_least_px <= rms_px < 1.2 * math.sqrt(np.mean(np.square(said_px))) + 0.005
    assert at_least_rad <= rms_rad < 1.2 * math.sqrt(np.mean(np.square(said_rad))) + 0.001


@pytest.mark.parametrize(
    ("turn_deg", "cell_px", "share"),
    [(0.0, 2.0, 1.0), (90.0, 2.0, 1.0), (1.0, 2.0, 0.88), (0.0, 2.2, 0.0), (3.0, 2.0, 0.19), (20.0, 2.0, 0.0)],
)
def test_edges_that_fall_elsewhere_make_up_for_each_other(turn_deg: float, cell_px: float, share: float) -> None:
    said_px, _ = estimate_common_errors(place_corners(math.radians(turn_deg), cell_px, (0.3, 0.1))[None])
    assert said_px == pytest.approx(np.full((1, 2), share * EDGE_ERROR_PX), abs=0.03 * EDGE_ERROR_PX)
