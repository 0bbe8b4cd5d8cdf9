"""A calibration board on a tablet's screen: as large as a card laid on the glass says, and found as any board."""

import cv2
import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.pages.test_layout import PHONE, TABLET
from vision.boards.detection import observe_board, parse_board
from vision.images import convert_to_grey

PX_PER_MM = 6.0


@pytest.mark.parametrize("size", [PHONE, TABLET], ids=["upright", "tablet"])
def test_the_board_on_a_screen_is_found_and_as_large_as_it_says(
    page: Page, address: str, size: tuple[int, int]
) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(f"{address}/board")
    page.locator("#size").fill(str(PX_PER_MM))
    card = page.locator("#frame").bounding_box()
    assert card is not None
    short, long = sorted([card["width"], card["height"]])
    assert (short, long) == pytest.approx((53.98 * PX_PER_MM, 85.6 * PX_PER_MM), abs=0.1)
    assert (card["width"] < card["height"]) == (size == PHONE)
    assert card["x"] + card["width"] <= size[0]
    square_mm = float((page.locator("#square").text_content() or "").removesuffix(" mm."))
    page.get_by_role("button", name="Show the board").click()
    picture = cv2.imdecode(np.frombuffer(page.screenshot(), np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    board = parse_board(f"chess:9x6:{square_mm}")
    sighting = observe_board(convert_to_grey(np.asarray(picture, dtype=np.uint8)), board)
    assert sighting is not None
    corners_px = sighting.view.points_px
    assert len(corners_px) == 54
    apart_px = np.hypot(*(corners_px[1] - corners_px[0]))
    assert apart_px / PX_PER_MM == pytest.approx(square_mm, abs=0.02)
    page.locator("#drawn").click()
    expect(page.locator("#measuring")).to_be_visible()
