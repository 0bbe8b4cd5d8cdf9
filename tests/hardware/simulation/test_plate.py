"""A plate held over the virtual table: it is seen where it is, and nowhere else."""

import math

import cv2
import numpy as np
import pytest

from hardware.simulation.optics import build_overhead_camera
from hardware.simulation.plate import HeldPlate, Plate
from hardware.simulation.scene import VirtualScene
from hardware.simulation.virtual_table import VirtualTable

SQUARE, COLUMNS, ROWS = 80, 8, 6
TEXELS_PER_MM = 4.0
"""So squares of 20 mm."""


@pytest.fixture(scope="module")
def table() -> VirtualTable:
    return VirtualTable(VirtualScene(), build_overhead_camera(image_size=(1280, 720)), colour=False)


@pytest.fixture(scope="module")
def plate() -> Plate:
    columns, rows = np.meshgrid(np.arange(COLUMNS), np.arange(ROWS))
    picture = np.kron(np.where((columns + rows) % 2, 255, 0), np.ones((SQUARE, SQUARE)))
    rim = np.pad(picture, SQUARE, constant_values=255).astype(np.uint8)
    return Plate(image=rim, texels_per_mm=TEXELS_PER_MM, origin_mm=(-20.0, -20.0))


def hold_up(
    plate: Plate, turn_deg: tuple[float, float, float], *, z_mm: float = 500.0, x_mm: float = 700.0
) -> HeldPlate:
    """Return a plate that is turned from lying flat, its picture up and upright for the camera."""
    turn = np.asarray(cv2.Rodrigues(np.radians(turn_deg))[0], dtype=np.float64)
    facing_up = np.diag([1.0, -1.0, -1.0])
    return HeldPlate(plate=plate, table_from_plate=turn @ facing_up, at_mm=np.array([x_mm, 600.0, z_mm]))


@pytest.mark.parametrize("turn_deg", [(0, 0, 10), (25, 0, -20), (10, -30, 100)])
def test_its_corners_are_seen_where_they_are(
    table: VirtualTable, plate: Plate, turn_deg: tuple[float, float, float]
) -> None:
    at = hold_up(plate, turn_deg)
    table.hold_plate(at)
    places = np.array([(20.0 * c, 20.0 * r, 0.0) for r in range(1, ROWS) for c in range(1, COLUMNS)])
    true_px = table.camera.project(at.place_points(places))
    start = np.rint(true_px).astype(np.float32).reshape(-1, 1, 2)
    until = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 50, 1e-4)
    found = cv2.cornerSubPix(table.render(), start, (5, 5), (-1, -1), until)
    apart = np.linalg.norm(np.asarray(found).reshape(-1, 2) - true_px, axis=1)
    assert math.sqrt((apart**2).mean()) < 0.06


def test_what_is_taken_away_leaves_the_table_as_it_was(table: VirtualTable, plate: Plate) -> None:
    table.hold_plate(None)
    bare = table.render().astype(int)
    table.hold_plate(hold_up(plate, (0, 0, 0)))
    assert np.abs(table.render() - bare).mean() > 4
    table.hold_plate(None)
    assert np.abs(table.render() - bare).mean() < 4  # nothing but noise


def test_from_behind_it_is_blank_and_out_of_view_it_is_not_there(table: VirtualTable, plate: Plate) -> None:
    table.hold_plate(hold_up(plate, (180, 0, 0)))
    behind = table.render()
    x, y = table.camera.project(np.array([[780.0, 660.0, 500.0]]))[0].astype(int)
    assert behind[y - 10 : y + 10, x - 10 : x + 10].std() < 6
    assert behind[y, x] > 150
    table.hold_plate(None)
    bare = table.render().astype(int)
    for away in (hold_up(plate, (0, 0, 0), x_mm=9000), hold_up(plate, (0, 0, 0), z_mm=1390)):
        table.hold_plate(away)
        assert np.abs(table.render() - bare).mean() < 4
