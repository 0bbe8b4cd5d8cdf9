"""A synthetic camera over a table: the tags that it would see and what is measured of them, made by projection alone.

Also the same camera, and one over the virtual table, after they were bumped.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.spaces import CameraOverTable, Lens
from hardware.simulation.optics import CameraModel
from vision.tags.pose_estimation import SIDES, Anchor, BaseMeasurement, EnrolledTag
from vision.types import TagFit

NOISE_SHARE = 0.4
"""Share of its noise that a detected tag states to be another in each picture."""
IMAGE_SIZE = (1920, 1080)
LENS = Lens(
    image_size=IMAGE_SIZE,
    parameters=np.array([1185.0, 1185.0, 961.0, 534.0, -0.11, -0.012, -5e-4, 2e-4, 0.0]),
    covariance=np.diag(np.array([0.7, 0.7, 0.7, 0.7, 1e-3, 5e-3, 1e-4, 1e-4, 5e-3]) ** 2),
)
CAMERA = CameraOverTable(
    lens=LENS,
    rotation=np.array([math.pi, 0.02, 0.04]),  # looks down, a little askew
    translation_mm=np.array([-740.0, 560.0, 1380.0]),
    covariance=np.zeros((15, 15)),
    bleed_px=0.0,
    sigma_px=0.1,
)
ANCHORS = tuple(
    Anchor(tag=580 + i, x_mm=x, y_mm=y, facing_rad=turn, size_mm=40.0, z_mm=0.0)
    for i, (x, y, turn) in enumerate(
        [(60, 60, 0), (1464, 60, 0.3), (1464, 1058, 0), (60, 1058, -2), (762, 45, 0), (762, 1073, 1.5)]
    )
)


def make_enrolled_tag(tag: int, **changes: float) -> EnrolledTag:
    """Return a base with a 20 mm tag off its centre and turned in it."""
    values = {"size_mm": 20.0, "x_mm": 6.0, "y_mm": -3.0, "facing_rad": 0.7, "height_mm": 4.0, **changes}
    return EnrolledTag(tag=tag, model=f"m{tag}", **values)


def make_fit(
    square_mm: NDArray[np.float64],
    tag: int,
    *,
    noise_px: float = 0.0,
    floor_px: float = 0.0,
    bleed_px: float = 0.0,
    astray: float = 0.0,
    seed: int = 0,
) -> TagFit:
    """Return how a tag with these (4, 3) corners is fitted, give or take noise, which the fit knows of.

    Beyond it, the corners may be off by ``floor_px``, which the fit does not know.
    """
    corners = CAMERA.image_from_table(square_mm)
    outward = corners - corners.mean(axis=0)
    corners = corners + bleed_px * math.sqrt(2) * outward / np.linalg.norm(outward, axis=1, keepdims=True)
    corners += np.random.default_rng([seed, tag]).normal(0.0, 1.0, corners.shape) * math.hypot(noise_px, floor_px)
    stated = max(noise_px, 1e-6) ** 2 * np.eye(8)
    return TagFit(
        tag=tag,
        corners_px=corners,
        covariance_px2=stated,
        noise_px2=NOISE_SHARE * stated,
        astray=astray,
        unexplained=3.0,
        blur_px=0.7,
    )


def make_measurement(  # as a camera right above would measure a base
    x_mm: float,
    y_mm: float = 500.0,
    *,
    facing_rad: float = 0.0,
    noise_mm: float = 0.1,
    lasting_mm: float = 0.1,
    rise_mm: float = 0.0,
    rise_noise_mm: float = 0.5,
    rise_floor_mm: float = 0.5,
    rise_bias_mm: float = 1.0,
    height_doubt: float = 0.0,
    surface_mm: float = 0.0,
    lean: tuple[float, float] = (0.0, 0.0),
) -> BaseMeasurement:
    """Return a measurement of base 1, whose tag is 20 px wide."""
    noise = np.diag([noise_mm**2, noise_mm**2, (0.05 * noise_mm) ** 2])
    return BaseMeasurement(
        camera=CAMERA,
        marker=1,
        x_mm=x_mm,
        y_mm=y_mm,
        facing_rad=facing_rad,
        noise=noise,
        lasting=np.diag([lasting_mm**2, lasting_mm**2, (0.05 * lasting_mm) ** 2]),
        surface_mm=surface_mm,
        rise_mm=rise_mm,
        rise_noise_mm=rise_noise_mm,
        rise_floor_mm=rise_floor_mm,
        rise_bias_mm=rise_bias_mm,
        height_doubt=height_doubt,
        lean=lean,
        corners_px=np.array([[0, 20], [20, 20], [20, 0], [0, 0]], dtype=float) + x_mm,
        unexplained=3.0,
        stretch_px=np.zeros(2),
        stretch_noise_px2=np.full(2, 1e-4),
    )


def place_tag_square(
    base: EnrolledTag, x_mm: float, y_mm: float, facing_rad: float, z_mm: float = 0.0
) -> NDArray[np.float64]:
    """(4, 3) corners of a base's tag when the base stands at a pose."""
    turn = np.exp(1j * facing_rad)
    tag = complex(base.x_mm, base.y_mm) + SIDES * base.size_mm / 2 * np.exp(1j * base.facing_rad)
    corners = complex(x_mm, y_mm) + turn * tag
    return np.column_stack([corners.real, corners.imag, np.full(4, z_mm + base.height_mm)])


def project_anchors(noise_px: float = 0.0, bleed_px: float = 0.0, seed: int = 0) -> dict[int, NDArray[np.float64]]:
    """Return every anchor's corners, (4, 2) px by tag."""
    return {
        a.tag: make_fit(a.square_mm, a.tag, noise_px=noise_px, bleed_px=bleed_px, seed=seed).corners_px for a in ANCHORS
    }


BUMP_RAD, BUMP_MM = (0.004, -0.0025, 0.0024), (3.0, -4.0, 1.0)
"""0.3 degrees and 5 mm."""


def move_camera(turn_rad: Sequence[float], shift_mm: Sequence[float]) -> CameraOverTable:
    """Return the synthetic camera after it was turned about its own axes and shifted over the table."""
    turn = np.asarray(cv2.Rodrigues(np.array(turn_rad))[0]) @ CAMERA.camera_from_table
    rotation = np.asarray(cv2.Rodrigues(turn)[0], dtype=np.float64).ravel()
    return replace(CAMERA, rotation=rotation, translation_mm=-turn @ (CAMERA.eye_mm + shift_mm))


def knock_camera_model(camera: CameraModel, turn_rad: Sequence[float], shift_mm: Sequence[float]) -> CameraModel:
    """Return a camera over the virtual table after the same."""
    turn = np.asarray(cv2.Rodrigues(np.array(turn_rad))[0], dtype=np.float64) @ camera.rotation
    return replace(camera, rotation=turn, translation=-turn @ (camera.position_mm + shift_mm))
