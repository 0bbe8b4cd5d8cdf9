"""Corners that are off by more than their noise, and whether the camera's pose is as sure as is said."""

import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.spaces import CameraOverTable, Lens
from calibration.table.camera_pose import compute_outward_steps, solve_table
from tests.vision.synthetic_camera import ANCHORS, CAMERA, LENS

Floats = NDArray[np.float64]

SQUARES_MM = np.array([anchor.square_mm for anchor in ANCHORS])
SQUARES_PX = CAMERA.image_from_table(SQUARES_MM.reshape(-1, 3)).reshape(-1, 4, 2)
PLACES_MM = np.array([(x, y, 4.0) for x in (150.0, 762.0, 1370.0) for y in (150.0, 559.0, 970.0)])
NOISE_PX = 0.02
DRAWS = 60


def solve_from_seed(
    seed: int, *, own_px: float = 0.0, floor_px: float = 0.0, off_px: float = 0.0, laid_mm: float = 0.0
) -> CameraOverTable:
    """Solve from corners with noise that is stated, and what is not: bleeds, a floor, hands, one far off."""
    rng = np.random.default_rng(seed)
    squares_mm = SQUARES_MM.copy()
    squares_mm[:, :, :2] += rng.normal(0.0, laid_mm, (len(squares_mm), 1, 2))
    corners = CAMERA.image_from_table(squares_mm.reshape(-1, 3)).reshape(-1, 4, 2)
    corners += rng.normal(0.0, NOISE_PX, corners.shape)
    corners += rng.normal(0.0, 1.0, SQUARES_PX.shape) * floor_px
    corners += rng.normal(0.0, own_px, (len(corners), 1, 1)) * compute_outward_steps(SQUARES_PX)
    corners[2] += off_px
    noise = np.tile(NOISE_PX**2 * np.eye(8), (len(corners), 1, 1))
    drawn = LENS.parameters + rng.multivariate_normal(np.zeros(9), LENS.covariance)
    lens = Lens(image_size=LENS.image_size, parameters=drawn, covariance=LENS.covariance)
    return solve_table(lens=lens, squares_mm=SQUARES_MM, squares_px=corners, noise_px2=noise)


def measure_errors_mm(camera: CameraOverTable) -> Floats:
    """(n, 2) how far off places are measured."""
    return np.asarray(camera.table_from_image(CAMERA.image_from_table(PLACES_MM), PLACES_MM[:, 2]) - PLACES_MM[:, :2])


def average_squares(cameras: list[CameraOverTable]) -> float:
    """Return the mean of squared normalised errors, which is 1 where sigma is honest."""
    squares = [
        off @ np.linalg.solve(covariance, off) / 2
        for camera in cameras
        for off, covariance in zip(measure_errors_mm(camera), camera.covariance_mm2(PLACES_MM), strict=True)
    ]
    return float(np.mean(squares))


@pytest.mark.parametrize(
    ("own_px", "floor_px"), [(0.0, 0.0), (0.06, 0.0), (0.0, 0.08)], ids=["noise", "own bleeds", "a floor"]
)
def test_places_are_as_sure_as_is_said(own_px: float, floor_px: float) -> None:
    cameras = [solve_from_seed(seed, own_px=own_px, floor_px=floor_px) for seed in range(DRAWS)]
    assert 0.7 < average_squares(cameras) < 1.4
    assert np.median([camera.sigma_px for camera in cameras]) == pytest.approx(max(floor_px, 0.005), abs=0.01)


def test_squares_that_differ_in_size_leave_the_camera_as_sure_as_before() -> None:
    plain, bled = ([solve_from_seed(seed, own_px=own_px) for seed in range(10)] for own_px in (0.0, 0.1))
    sigma_mm, bled_mm = (
        np.sqrt(np.mean([np.trace(camera.covariance_mm2(PLACES_MM).mean(axis=0)) for camera in cameras]))
        for cameras in (plain, bled)
    )
    assert bled_mm < 1.5 * sigma_mm


@pytest.mark.parametrize("sigma_mm", [0.3, 1.0])
def test_anchors_laid_by_hand_make_places_as_unsure_as_they_are(sigma_mm: float) -> None:
    cameras = [solve_from_seed(seed, laid_mm=sigma_mm) for seed in range(DRAWS)]
    assert 0.7 < average_squares(cameras) < 1.8


def test_one_anchor_that_is_far_off_pulls_less_the_farther_it_is_off() -> None:
    pulled_mm = [
        np.mean(
            [
                np.abs(
                    measure_errors_mm(solve_from_seed(seed, off_px=off_px)) - measure_errors_mm(solve_from_seed(seed))
                ).max()
                for seed in range(10)
            ]
        )
        for off_px in (1.0, 5.0)
    ]
    assert pulled_mm[1] < 2 * pulled_mm[0]
    assert average_squares([solve_from_seed(seed, off_px=5.0) for seed in range(20)]) < 2
