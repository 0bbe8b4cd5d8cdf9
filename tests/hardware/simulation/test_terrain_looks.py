import cv2
import numpy as np
import pytest

from hardware.simulation.optics import build_overhead_camera
from hardware.simulation.scene import TerrainLook, VirtualScene, VirtualTerrain
from hardware.simulation.terrain_looks import MARGIN_MM, paint_look
from hardware.simulation.virtual_table import VirtualTable

OUTLINE = np.array([(80.0, 70.0), (190.0, 60.0), (220.0, 150.0), (90.0, 170.0)])


@pytest.mark.parametrize("look", TerrainLook)
def test_a_look_is_painted_where_the_piece_is_and_the_same_each_time(look: TerrainLook) -> None:
    bare = np.full((260, 300, 3), (66, 112, 92), dtype=np.uint8)
    first, second = bare.copy(), bare.copy()
    paint_look(first, OUTLINE, look, height_mm=40)
    paint_look(second, OUTLINE, look, height_mm=40)
    assert np.array_equal(first, second)
    changed = np.abs(first.astype(int) - bare).max(axis=2) > 0
    inside = cv2.fillPoly(np.zeros(changed.shape, np.uint8), [OUTLINE.astype(np.int32)], 1) > 0
    assert changed[inside].mean() > 0.5 or look is TerrainLook.PLAIN
    rows, columns = np.nonzero(changed)
    if len(rows):
        assert rows.min() >= 60 - MARGIN_MM
        assert rows.max() <= 170 + MARGIN_MM
        assert columns.min() >= 80 - MARGIN_MM
        assert columns.max() <= 220 + MARGIN_MM


def test_a_piece_at_the_edge_of_the_board_or_beyond_it_is_painted_as_far_as_it_goes() -> None:
    bare = np.full((100, 100, 3), 90, dtype=np.uint8)
    painted = bare.copy()
    paint_look(painted, OUTLINE - (60.0, 60.0), TerrainLook.WOOD)
    paint_look(painted, OUTLINE + 1000.0, TerrainLook.ROOF)
    assert not np.array_equal(painted[30:, 60:], bare[30:, 60:])
    assert np.array_equal(painted[:, :2], bare[:, :2])


def test_the_roof_of_a_block_is_seen_where_its_top_is() -> None:
    corners = ((1200.0, 800.0), (1350.0, 800.0), (1350.0, 950.0), (1200.0, 950.0))
    house = VirtualTerrain(outline_mm=corners, height_mm=120, raised=True, look=TerrainLook.ROOF)
    camera = build_overhead_camera(image_size=(960, 540))
    shown = VirtualTable(VirtualScene(terrain=(house,)), camera, noise=0.0).render().astype(int)
    x, y = camera.project(np.array([[1275.0, 900.0, 120.0]]))[0].round().astype(int)
    roof = shown[y - 8 : y + 9, x - 8 : x + 9].mean(axis=(0, 1))
    assert roof[2] > roof[1] > roof[0], "red tiles"
    x, y = camera.project(np.array([[1275.0, 500.0, 0.0]]))[0].round().astype(int)
    grass = shown[y - 8 : y + 9, x - 8 : x + 9].mean(axis=(0, 1))
    assert grass[1] > grass[2]
