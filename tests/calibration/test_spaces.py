"""Pixels to millimetres and back, with the uncertainty of the way."""

import math
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


@pytest.mark.parametrize("model", LensModel)
@pytest.mark.parametrize("tilt_deg", [0, 40])
def test_nowhere_in_the_picture_is_a_patch_much_larger_than_where_it_is_finest(model: LensModel, tilt_deg: int) -> None:
    turn = np.array([math.pi - math.radians(tilt_deg), 0.0, 0.0])
    rotation = np.asarray(cv2.Rodrigues(turn)[0])
    camera = replace(
        CAMERA,
        lens=replace(LENS, model=model),
        rotation=turn,
        translation_mm=-rotation @ np.array([762.0, 300.0, 1200.0]),
    )
    width, height = LENS.image_size
    pixels = np.stack(np.meshgrid(np.linspace(0, width - 1, 33), np.linspace(0, height - 1, 19)), axis=-1).reshape(
        -1, 2
    )
    places = camera.table_from_image(pixels, 0.0)
    scales = camera.patch_scale_px_per_mm(np.column_stack([places, np.zeros(len(places))]))
    assert camera.finest_px_per_mm <= scales.max() * (1 + 1e-9)
    assert camera.finest_px_per_mm == pytest.approx(scales.max(), rel=0.02)


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
