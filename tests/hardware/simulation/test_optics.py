import math

import numpy as np
import pytest

from hardware.simulation.optics import CameraModel, build_overhead_camera


@pytest.fixture
def camera() -> CameraModel:
    return build_overhead_camera()


@pytest.mark.parametrize("z_mm", [0.0, 120.0])
def test_sight_undoes_projection(camera: CameraModel, z_mm: float) -> None:
    rng = np.random.default_rng(1)
    places = rng.uniform([-40, -40], [1564, 1158], (200, 2))
    pixels = camera.project(np.column_stack([places, np.full(200, z_mm)]))
    assert camera.table_from_image(pixels, z_mm=z_mm) == pytest.approx(places, abs=1e-4)


def test_the_map_is_the_sight_of_every_pixel(camera: CameraModel) -> None:
    fine = camera.map_table_from_image(z_mm=30.0)
    assert fine.shape == (1080, 1920, 2)
    rng = np.random.default_rng(2)
    pixels = rng.integers(0, [1920, 1080], (500, 2))
    pixels[:2] = [(0, 0), (1919, 1079)]
    exact = camera.table_from_image(pixels.astype(float), z_mm=30.0)
    assert fine[pixels[:, 1], pixels[:, 0]] == pytest.approx(exact, abs=0.02)


@pytest.mark.parametrize("image_size", [(1920, 1080), (3840, 2160), (1280, 960)])
def test_overhead_sees_the_whole_table_and_little_more(image_size: tuple[int, int]) -> None:
    camera = build_overhead_camera(image_size=image_size, margin_mm=40.0)
    rim = np.array([(x, y, 0.0) for x in (-40, 762, 1564) for y in (-40, 559, 1158)])
    pixels = camera.project(rim)
    assert pixels.min() >= -1e-6
    assert (pixels.max(axis=0) <= np.array(image_size) - 1 + 1e-6).all()
    spare_px = np.concatenate([pixels.min(axis=0), np.array(image_size) - 1 - pixels.max(axis=0)])
    assert spare_px.min() < 0.02 * image_size[0]


def test_overhead_looks_down_with_the_far_edge_at_the_top(camera: CameraModel) -> None:
    near_left, near_right, far_left = camera.project(np.array([[0.0, 0, 0], [1524, 0, 0], [0, 1118, 0]]))
    assert near_right[0] > near_left[0] + 900
    assert far_left[1] < near_left[1] - 700
    assert np.linalg.det(camera.rotation) == pytest.approx(1.0)
    assert camera.rotation @ camera.rotation.T == pytest.approx(np.eye(3))
    assert camera.position_mm[2] == pytest.approx(1400.0)
    tilt = math.degrees(math.acos(-camera.rotation[2, 2]))
    assert 1 < tilt < 8
