"""Pixels to millimetres and back, with the uncertainty of the way."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.spaces import CameraOverTable, LensModel
from tests.vision.synthetic_camera import ANCHORS, CAMERA, LENS, project_anchors
from vision.tags.pose_estimation import solve_camera_over_table

PLACES = st.tuples(st.floats(0, 1524), st.floats(0, 1118), st.floats(0, 150))


@given(st.lists(PLACES, min_size=1, max_size=20))
def test_a_place_comes_back_from_its_pixel(places: list[tuple[float, float, float]]) -> None:
    points = np.array(places)
    back = CAMERA.table_from_image(CAMERA.image_from_table(points), points[:, 2])
    np.testing.assert_allclose(back, points[:, :2], atol=1e-6)


def test_nothing_gives_nothing() -> None:
    assert CAMERA.table_from_image(np.empty((0, 2)), 0.0).shape == (0, 2)
    assert CAMERA.image_from_table(np.empty((0, 3))).shape == (0, 2)


def test_the_scale_is_the_derivative_of_the_projection() -> None:
    place = np.array([[400.0, 300.0, 4.0]])
    step = 1e-4
    numeric = np.column_stack(
        [
            (CAMERA.image_from_table(place + step * axis) - CAMERA.image_from_table(place - step * axis))[0] / 2 / step
            for axis in np.eye(3)[:2]
        ]
    )
    assert CAMERA.scale_px_per_mm(place)[0] == pytest.approx(numeric, abs=1e-6)


@pytest.mark.parametrize("model", LensModel)
def test_a_patch_is_larger_in_the_picture_by_its_scale_also_at_a_fisheyes_edge(model: LensModel) -> None:
    camera = replace(CAMERA, lens=replace(LENS, model=model))
    places = np.array([[762.0, 559.0, 0.0], [20.0, 30.0, 0.0]])
    sides_mm = np.array([(-0.5, -0.5, 0), (0.5, -0.5, 0), (0.5, 0.5, 0), (-0.5, 0.5, 0)])
    areas_px = [cv2.contourArea(camera.image_from_table(place + sides_mm).astype(np.float32)) for place in places]
    assert camera.patch_scale_px_per_mm(places) == pytest.approx(np.sqrt(areas_px), rel=2e-3)
    share = np.divide(*camera.patch_scale_px_per_mm(places)[::-1])
    assert bool(share < 0.85) is (model is LensModel.FISHEYE), "where it lies aslant a fisheye shows it smaller"


def solve_from_seed(seed: int) -> CameraOverTable:
    return solve_camera_over_table(LENS, ANCHORS, project_anchors(noise_px=0.1, seed=seed))


def test_the_stated_covariance_of_a_place_is_that_of_the_errors() -> None:
    places = np.array([[150.0, 150.0, 4.0], [762.0, 559.0, 4.0], [1400.0, 950.0, 4.0]])
    pixels = CAMERA.image_from_table(places)
    squares = []
    for seed in range(60):
        camera = solve_from_seed(seed)
        off = camera.table_from_image(pixels, places[:, 2]) - places[:, :2]
        squares += [e @ np.linalg.solve(c, e) / 2 for e, c in zip(off, camera.covariance_mm2(places), strict=True)]
    # The true lens is exactly the one that is told, so the errors are somewhat smaller than what is allowed for.
    assert 0.3 < np.mean(squares) < 1.3
