import numpy as np
import pytest

from hardware.simulation.lighting import build_letterboxed_projector


def test_letterboxed_fits_the_table_into_the_picture_without_stretching() -> None:
    projector = build_letterboxed_projector(width_mm=1524, depth_mm=1118, image_size=(1920, 1080))
    corners = np.array([[0.0, 0.0], [1524, 0], [1524, 1118], [0, 1118]])
    pixels = projector.project(corners, np.zeros(4))
    width_px = 1080 * 1524 / 1118
    left, right = (1920 - width_px) / 2 - 0.5, (1920 + width_px) / 2 - 0.5
    assert pixels == pytest.approx(np.array([[left, 1079.5], [right, 1079.5], [right, -0.5], [left, -0.5]]), abs=1e-3)


def test_light_above_the_table_is_on_its_way_to_a_place_farther_out() -> None:
    projector = build_letterboxed_projector()
    x, y, z = projector.position_mm
    halfway = np.array([[(x + 100) / 2, (y + 200) / 2]])
    same = projector.project(np.array([[100.0, 200.0]]), np.zeros(1))
    assert projector.project(halfway, np.array([z / 2])) == pytest.approx(same, abs=1e-3)


@pytest.mark.parametrize("z_mm", [0.0, 75.0])
def test_place_undoes_project(z_mm: float) -> None:
    projector = build_letterboxed_projector()
    places = np.array([[30.0, 40.0], [1400, 900], [700, 500]])
    pixels = projector.project(places, np.full(3, z_mm)).astype(float)
    assert projector.table_from_projector(pixels, z_mm=z_mm) == pytest.approx(places, abs=0.01)
