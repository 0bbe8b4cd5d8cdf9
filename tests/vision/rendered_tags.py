"""Rendered tags: prints as a camera would see them; each pixel is the mean of what is printed on its area, blurred."""

import math

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Grey = NDArray[np.uint8]

BLACK, WHITE, AROUND = 30.0, 210.0, 90.0
FINE = 8
"""Samples along each side of a pixel."""
SQUARE = np.array([[-4.0, -4.0], [4.0, -4.0], [4.0, 4.0], [-4.0, 4.0]])
"""The corners of a tag's black square in cells, in the order of TagDetection."""


def draw_cells(tag: int) -> Floats:
    """(10, 10) grey of each cell, rows from the top as one reads it."""
    family = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
    upright = cv2.rotate(cv2.aruco.generateImageMarker(family, tag, 8), cv2.ROTATE_180)
    return np.pad(np.where(np.asarray(upright) > 127, WHITE, BLACK), 1, constant_values=WHITE)


def place_square(middle_px: tuple[float, float], side_px: float, *, turn_rad: float = 0.0, tilt: float = 0.0) -> Floats:
    """(4, 2) corners of a tag in a picture; ``tilt`` makes its far side shorter by that share."""
    x, y = SQUARE.T * side_px / 8
    y = -y  # down in the picture
    x = x * (1 + tilt * y / side_px)
    cos, sin = math.cos(turn_rad), math.sin(turn_rad)
    return np.column_stack([cos * x + sin * y, -sin * x + cos * y]) + middle_px


def render_print(cells: Floats, corners_px: Floats, size: tuple[int, int], *, blur_px: float = 0.6) -> Floats:
    """Return the picture, (height, width) grey levels without noise, of a print at some corners."""
    width, height = size
    tag_from_image = np.linalg.inv(_solve_homography(SQUARE, corners_px))
    x, y = np.meshgrid((np.arange(width * FINE) + 0.5) / FINE - 0.5, (np.arange(height * FINE) + 0.5) / FINE - 0.5)
    across, up, depth = np.tensordot(tag_from_image, np.stack([x, y, np.ones_like(x)]), axes=1)
    column, row = np.floor(across / depth + 5).astype(int), np.floor(5 - up / depth).astype(int)
    inside = (column >= 0) & (column < 10) & (row >= 0) & (row < 10)
    fine = np.where(inside, cells[np.clip(row, 0, 9), np.clip(column, 0, 9)], AROUND)
    blurred = cv2.GaussianBlur(fine, (0, 0), blur_px * FINE, borderType=cv2.BORDER_REPLICATE) if blur_px else fine
    return np.asarray(np.asarray(blurred).reshape(height, FINE, width, FINE).mean(axis=(1, 3)))


def take_picture(picture: Floats, *, noise: float = 0.0, seed: int = 0) -> Grey:
    """Return what the camera makes of it: noise, whole numbers."""
    off = np.random.default_rng(seed).normal(0.0, 1.0, picture.shape) * noise
    return np.clip(np.rint(picture + off), 0, 255).astype(np.uint8)


def _solve_homography(points: Floats, there: Floats) -> Floats:
    """(3, 3) the homography that takes four points there, by its eight linear equations."""
    rows = []
    for (x, y), (u, v) in zip(points, there, strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
    return np.append(np.linalg.solve(np.array(rows), there.ravel()), 1.0).reshape(3, 3)
