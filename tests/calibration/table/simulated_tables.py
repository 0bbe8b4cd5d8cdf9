"""Simulated tables with anchors, and cameras drawn by lot that see them, made by projection alone."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.spaces import CameraOverTable, Lens, project
from calibration.table.anchor_layout import CORNERS, Corner, StatedAnchor, TableSize, turn_sigma
from calibration.table.bundle_adjustment import AnchorSighting
from calibration.table.camera_pose import GUESS_POWERS, compute_outward_steps, guess_lens

Floats = NDArray[np.float64]

IMAGE_SIZE = (1920, 1080)
TABLE = TableSize(width_mm=1524.0, depth_mm=1118.0, sigma_mm=1.0)
SIZE_MM = 40.0
INSET_MM = 25.0
BLEED_PX = 0.2
LENS_SIGMA = np.array([0.7, 0.7, 0.7, 0.7, 1e-3, 5e-3, 1e-4, 1e-4, 5e-3])
"""How surely a good calibration knows a lens."""
KNOWN = tuple(
    StatedAnchor(tag=580 + i, size_mm=SIZE_MM, x_mm=x, y_mm=y, turn_rad=turn)
    for i, (x, y, turn) in enumerate(
        [(60, 60, 0.0), (1464, 60, 0.3), (1464, 1058, 0.0), (60, 1058, -2.0), (762, 45, 0.0), (762, 1073, 1.5)]
    )
)
SPOTS = np.array([[x, y, 0.0] for x in (100, 760, 1400) for y in (100, 560, 1000)])


def lay_in_corners(*corners: Corner, first: int = 570) -> tuple[StatedAnchor, ...]:
    """Return anchors that lie in corners of the table, turned as it may be."""
    sigma_rad = turn_sigma(0.5, 2 * INSET_MM)
    return tuple(
        StatedAnchor(
            tag=first + i, size_mm=SIZE_MM, corner=corner, inset_mm=INSET_MM, sigma_mm=0.5, sigma_rad=sigma_rad
        )
        for i, corner in enumerate(corners)
    )


def lay_anywhere(count: int, first: int = 560) -> tuple[StatedAnchor, ...]:
    """Return anchors that lie anywhere."""
    return tuple(StatedAnchor(tag=first + i, size_mm=SIZE_MM) for i in range(count))


def simulate_camera(rng: np.random.Generator, lens: Floats | None = None) -> CameraOverTable:
    """Return a camera that sees the whole table: wide or narrow, tilted, with its distortion.

    With the (9,) parameters of a lens, it is that camera somewhere else.
    """
    while True:
        camera = aim_camera(rng, draw_webcam(rng) if lens is None else lens)
        if camera is not None:
            return camera


def draw_webcam(rng: np.random.Generator) -> Floats:
    """(9,) Draw a lens from what is known of webcams."""
    guess = guess_lens(IMAGE_SIZE)
    drawn = rng.multivariate_normal(guess.parameters, guess.covariance)
    return np.asarray(drawn * np.abs(drawn[0] / guess.parameters[0]) ** GUESS_POWERS)


def aim_camera(
    rng: np.random.Generator, lens: Floats, tilts_deg: tuple[float, float] | None = None
) -> CameraOverTable | None:
    """Hang up a camera so that it sees the whole table; None where such a lens cannot, or folds its picture."""
    width, height = IMAGE_SIZE
    focal = float(lens[0])
    if not 0.35 < focal / width < 1.5:
        return None
    tilt, roll = np.radians(tilts_deg) if tilts_deg else rng.normal(0, math.radians(8), 2), float(rng.normal(0, 0.1))
    turn = cv2.Rodrigues(np.array([*tilt, 0.0]))[0] @ cv2.Rodrigues(np.array([0.0, 0.0, roll]))[0]
    turn = np.asarray(turn @ np.diag([1.0, -1.0, -1.0]))
    up_mm = max(1524 / width, 1118 / height) * focal * float(rng.uniform(1.05, 1.4))
    view = turn[2]
    eye = np.array([762 + rng.normal(0, 40), 559 + rng.normal(0, 40), up_mm])
    eye[:2] += view[:2] / view[2] * up_mm
    rotation, shift = np.asarray(cv2.Rodrigues(turn)[0], dtype=np.float64).ravel(), -turn @ eye
    rim = np.array([[x, y, 0.0] for x in (0, 762, 1524) for y in (0, 559, 1118)])
    pixels, _ = project(rim, np.concatenate([rotation, shift, lens]))
    seen = (turn @ rim.T).T + shift
    squared = (seen[:, :2] ** 2).sum(axis=1).max() / seen[:, 2].min() ** 2 * np.linspace(0, 1.1, 30)
    true_to_life = (1 + 3 * lens[4] * squared + 5 * lens[5] * squared**2 + 7 * lens[8] * squared**3).min() > 0.3
    if not (true_to_life and (pixels > 0).all() and (pixels < IMAGE_SIZE).all()):
        return None
    return CameraOverTable(
        lens=Lens(image_size=IMAGE_SIZE, parameters=lens, covariance=np.diag(LENS_SIGMA**2)),
        rotation=rotation,
        translation_mm=shift,
        covariance=np.zeros((15, 15)),
        bleed_px=0.0,
        sigma_px=0.0,
    )


def simulate_calibration(seen_by: CameraOverTable, rng: np.random.Generator) -> Lens:
    """Return a camera's lens as a calibration knows it, with errors drawn from the stated covariance."""
    off = rng.normal(0, LENS_SIGMA)
    return Lens(image_size=IMAGE_SIZE, parameters=seen_by.lens.parameters + off, covariance=np.diag(LENS_SIGMA**2))


@dataclass(frozen=True, slots=True, kw_only=True)
class TruePlace:
    """Where an anchor really lies, and how large it really is."""

    x_mm: float
    y_mm: float
    turn_rad: float
    size_mm: float = SIZE_MM


def simulate_places(rng: np.random.Generator, laid: Sequence[StatedAnchor]) -> dict[int, TruePlace]:
    """Return by tag where anchors really lie of which so much is said, drawn from its sigma."""
    width, depth = rng.normal([TABLE.width_mm, TABLE.depth_mm], TABLE.sigma_mm)
    found = {}
    for anchor in laid:
        if anchor.is_open:
            x_mm, y_mm, turn_rad = rng.uniform([100, 100, -3], [1400, 1000, 3])
        else:
            centre = anchor.find_centre_mm(width, depth)
            turn_rad = anchor.turn_rad if anchor.turn_rad is not None else rng.integers(4) * math.pi / 2
            x_mm, y_mm = rng.normal([centre.real, centre.imag], anchor.sigma_mm)
            turn_rad = rng.normal(turn_rad, anchor.sigma_rad)
        found[anchor.tag] = TruePlace(x_mm=float(x_mm), y_mm=float(y_mm), turn_rad=float(turn_rad))
    return found


def simulate_sighting(
    rng: np.random.Generator, seen_by: CameraOverTable, there: Mapping[int, TruePlace], noise_px: float = 0.05
) -> AnchorSighting:
    """Return what a camera sees of anchors."""
    bleed_px, squares = float(rng.normal(0, BLEED_PX)), {}
    for tag, at in there.items():
        spots = complex(at.x_mm, at.y_mm) + np.exp(1j * at.turn_rad) * CORNERS * at.size_mm / 2
        square = seen_by.image_from_table(np.column_stack([spots.real, spots.imag, np.zeros(4)]))
        squares[tag] = square + bleed_px * compute_outward_steps(square[None])[0] + rng.normal(0, noise_px, (4, 2))
    stated = noise_px**2 * np.eye(8)
    return AnchorSighting(name="view", squares_px=squares, noise_px2=dict.fromkeys(squares, stated))


def measure_squared_sigmas(off: Floats, covariance: Floats) -> float:
    """Return the mean square of errors (n,) in sigma, with what they have in common."""
    return float(off @ np.linalg.solve(covariance, off)) / len(off)


def measure_error_at_spots(solved: CameraOverTable, true: CameraOverTable) -> float:
    """Return the mean square error of places on the table, in their stated sigma."""
    off = solved.table_from_image(true.image_from_table(SPOTS), 0.0) - SPOTS[:, :2]
    return float(np.mean(np.einsum("ni,nij,nj->n", off, np.linalg.inv(solved.covariance_mm2(SPOTS)), off)) / 2)
