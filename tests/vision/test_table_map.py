"""Pictures of the table from straight above."""

import math

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.vision.synthetic_camera import CAMERA, IMAGE_SIZE
from vision.table_map import HIDDEN, RaisedOutline, TableArea, draw_table

AREA = TableArea(width_mm=1500, depth_mm=1100)
BLOCK = RaisedOutline(outline_mm=((200, 200), (400, 200), (400, 350), (200, 350)), height_mm=100)


def paint_picture(dots_mm: list[tuple[float, float, float]], ground: int = 235) -> NDArray[np.uint8]:
    """Return what the camera sees of red dots."""
    picture = np.full((IMAGE_SIZE[1], IMAGE_SIZE[0], 3), ground, dtype=np.uint8)
    for x, y in CAMERA.image_from_table(np.array(dots_mm)):
        cv2.circle(picture, (round(x * 16), round(y * 16)), 4 * 16, (0, 0, 235), -1, cv2.LINE_AA, shift=4)
    return picture


def find_dot_mm(drawn: NDArray[np.uint8], area: TableArea) -> tuple[float, float]:
    """Return the middle of what is red, on the table."""
    rows, columns = np.nonzero((drawn[..., 2] > 180) & (drawn[..., 0] < 120))
    pixel_mm = area.width_mm / drawn.shape[1]
    x_mm = area.left_mm + (columns.mean() + 0.5) * pixel_mm
    return float(x_mm), float(area.low_mm + area.depth_mm - (rows.mean() + 0.5) * pixel_mm)


@pytest.mark.parametrize("width_px", [1500, 300], ids=["its own pixels", "much smaller"])
@pytest.mark.parametrize("place_mm", [(120, 90), (1300, 900), (750, 550)])
def test_what_lies_on_the_table_is_drawn_where_it_lies(place_mm: tuple[float, float], width_px: int) -> None:
    drawn = draw_table(CAMERA, paint_picture([(*place_mm, 0)]), AREA, width_px=width_px)
    assert drawn.shape == (round(width_px * 1100 / 1500), width_px, 3)
    assert find_dot_mm(drawn, AREA) == pytest.approx(place_mm, abs=0.5 * AREA.width_mm / width_px)


def test_a_part_is_as_fine_as_the_picture_itself() -> None:
    part = TableArea(left_mm=280, low_mm=480, width_mm=60, depth_mm=40)
    drawn = draw_table(CAMERA, paint_picture([(310, 500, 0)]), part, width_px=600)
    assert find_dot_mm(drawn, part) == pytest.approx((310, 500), abs=0.15)


def test_a_roof_lies_where_it_is_and_what_it_hides_is_dark() -> None:
    roof = (250.0, 300.0)
    picture = paint_picture([(*roof, BLOCK.height_mm)])
    assert math.dist(find_dot_mm(draw_table(CAMERA, picture, AREA, width_px=1500), AREA), roof) > 20
    drawn = draw_table(CAMERA, picture, AREA, width_px=1500, raised=[BLOCK])
    assert find_dot_mm(drawn, AREA) == pytest.approx(roof, abs=0.5)
    hidden = np.argwhere((drawn == HIDDEN).all(axis=2))
    across_mm, up_mm = hidden[:, 1].mean(), 1100 - hidden[:, 0].mean()
    eye = CAMERA.eye_mm
    assert np.hypot(across_mm - eye[0], up_mm - eye[1]) > np.hypot(300 - eye[0], 275 - eye[1])  # behind it, not before


def test_a_block_beyond_the_part_is_no_fault() -> None:
    part = TableArea(left_mm=900, low_mm=700, width_mm=100, depth_mm=100)
    picture = paint_picture([(950, 750, 0)])
    assert np.array_equal(
        draw_table(CAMERA, picture, part, width_px=200, raised=[BLOCK]),
        draw_table(CAMERA, picture, part, width_px=200),
    )


def test_a_dim_picture_is_drawn_brighter_and_a_bright_one_as_it_is() -> None:
    dim, bright = (
        draw_table(CAMERA, paint_picture([], ground), AREA, width_px=200)[100, 100, 0] for ground in (50, 240)
    )
    assert dim == pytest.approx(200, abs=6)
    assert bright == 240
