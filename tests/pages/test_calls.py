"""A call in three seconds, on the tablet while it is decided."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from playwright.sync_api import Page, expect

from assistant.features.light.controller import build_lookout_view
from assistant.table.session import GameSession
from assistant.web.commands.game import Rule
from tests.assistant.snapshot_script import build_game
from tests.pages.layout_faults import list_layout_faults
from tests.pages.played_game import PlayedTable
from tests.pages.served_session import serve_session
from tests.pages.test_layout import PHONE, PROJECTOR, TABLET
from tests.pages.test_preferences import announce_and_push, choose_preferences
from tests.pages.test_tablet import locate_in_window
from tests.pages.waiting import wait_for
from tests.vision.synthetic_camera import CAMERA

NOTE_BEGINNING = """canvas => new MutationObserver(() => {
  if (canvas.dataset.ended === "false") canvas.dataset.begun = "true";
}).observe(canvas, { attributeFilter: ["data-ended"] })"""
"""Notes that a call begins: on a busy machine it is over before anybody asks."""
GREY = bytes(cv2.imencode(".jpg", np.full((90, 160, 3), 140, dtype=np.uint8))[1])


@pytest.fixture
def tablet(page: Page, address: str, table: PlayedTable) -> Page:
    page.route("**/table.jpg*", lambda route: route.fulfill(body=GREY, content_type="image/jpeg"))
    table.lookout = build_lookout_view(CAMERA).lookout["lookout"]
    page.goto(f"{address}/tablet")
    expect(page.locator("#camera")).to_have_text("Camera live")
    return page


def wait_for_end(page: Page) -> None:
    expect(page.locator(".call canvas")).to_have_attribute("data-ended", "true")


@pytest.mark.parametrize("size", [PHONE, TABLET, PROJECTOR], ids=["phone", "tablet", "projector"])
def test_an_illegal_move_is_shown_from_near(
    tablet: Page, table: PlayedTable, size: tuple[int, int], tmp_path: Path
) -> None:
    announce_and_push(tablet, table, 900)
    tablet.set_viewport_size({"width": size[0], "height": size[1]})
    with tablet.expect_request(lambda request: "/table.jpg" in request.url and "model=Rangers-1" in request.url):
        tablet.locator('[data-key="call-show"]').click()
    canvas = tablet.locator(".call canvas")
    assert "Rangers-1 moved 23.6" in (canvas.get_attribute("aria-label") or "")
    wait_for_end(tablet)
    tablet.screenshot(path=tmp_path / "call.png")
    assert list_layout_faults(tablet) == []
    with tablet.expect_download() as kept:
        tablet.get_by_role("button", name="Save picture").click()
    picture = cv2.imread(str(kept.value.path()))
    assert picture is not None
    box = canvas.bounding_box()
    assert box is not None
    assert picture.shape[:2] == (round(box["height"]), round(box["width"]))
    canvas.evaluate(NOTE_BEGINNING)
    tablet.get_by_role("button", name="Show again").click()
    wait_for(lambda: canvas.evaluate("canvas => canvas.dataset.begun") or None)
    tablet.get_by_role("button", name="Close", exact=True).click()
    expect(canvas).to_be_hidden()


def test_a_clip_of_it_is_kept(tablet: Page, table: PlayedTable) -> None:
    announce_and_push(tablet, table, 900)
    tablet.locator('[data-key="call-show"]').click()
    with tablet.expect_download(timeout=30_000) as kept:
        tablet.get_by_role("button", name="Save clip").click()
    assert kept.value.suggested_filename in {"call.webm", "call.mp4"}
    assert kept.value.path().stat().st_size > 10_000
    expect(tablet.get_by_role("button", name="Save clip")).to_be_enabled()


def test_a_close_call_is_shown_by_itself_where_that_is_wanted(tablet: Page, table: PlayedTable) -> None:
    choose_preferences(tablet, "Close calls automatically")
    tablet.get_by_role("button", name="Rangers").click()
    tablet.get_by_role("button", name="Normal move").click()
    call = tablet.get_by_role("dialog", name="The call")
    expect(call).to_have_count(0)  # while nothing has moved, nobody asks
    model = table.models["Rangers-1"]
    table.models["Rangers-1"] = model.model_copy(update={"x_mm": model.x_mm + 20})
    table.close = True
    table.publish()
    expect(call).to_be_visible()
    call.get_by_role("button", name="Agree: legal").click()
    expect(call).to_have_count(0)
    ruled = wait_for(lambda: next((one.message for one in table.orders if isinstance(one.message, Rule)), None))
    assert ruled.outcome == "legal"


MEASURED = """async ([view, findings]) => {
    const { limitOf, lineTo } = await import("/static/common/call-drawing.js");
    return findings.map((each) => {
        const line_mm = lineTo(view, each.subjects, each.line);
        const { limit, end } = limitOf({ ...each, view, line_mm });
        return [end.x, end.y, limit.x, limit.y];
    });
}"""


def test_the_limit_is_drawn_where_it_is(tablet: Page) -> None:
    def stand(x_mm: float) -> dict[str, Any]:
        return {"x_mm": x_mm, "y_mm": 0, "facing_deg": 0, "base": {"round_mm": 32, "oval_mm": None, "rect_mm": None}}

    view = {"models": {"mover": stand(100), "foe": stand(160)}}
    way = [[0, 0], [60, 0], [60, 40]]
    asked = [
        {"subjects": ["mover"], "line": way, "measured_mm": 100, "limit_mm": 80},  # 20 mm too far
        {"subjects": ["mover"], "line": way, "measured_mm": 100, "limit_mm": 110},  # 10 mm to spare
        {"subjects": ["mover"], "line": way, "measured_mm": 200, "limit_mm": 160},  # where a mm counts for two
        {"subjects": ["mover", "foe"], "line": [[116, 0], [144, 0]], "measured_mm": 28, "limit_mm": 25.4},
        {"subjects": ["mover"], "line": [[0, 0], [100, 0]], "measured_mm": 100, "limit_mm": 90},
    ]
    found = tablet.evaluate(MEASURED, [view, asked])
    assert found[0] == pytest.approx([60, 40, 60, 20], abs=1e-6)
    assert found[1] == pytest.approx([60, 40, 60, 50], abs=1e-6)
    assert found[2] == pytest.approx([60, 40, 60, 20], abs=1e-6)
    assert found[3] == pytest.approx([116, 0, 118.6, 0], abs=1e-6)  # on the mover's own side
    assert found[4] == pytest.approx([116, 0, 106, 0], abs=1e-6)  # a way is a middle's, and the edge is what one sees


def test_a_call_that_is_shown_at_the_table_goes_on_the_air(page: Page, open_window: Callable[[], Page]) -> None:
    with serve_session(GameSession(build_game()), {"s1": (300, 300), "s2": (300, 350), "w1": (600, 320)}) as address:
        page.goto(f"{address}/tablet")
        air = open_window()
        air.goto(f"{address}/stream")
        expect(air.locator("#lower")).to_have_attribute("data-shown", re.compile("true|false"))
        page.get_by_role("button", name="scouts").click()
        page.get_by_role("button", name="Normal move").click()
        canvas = page.locator("#table")
        page.mouse.move(*locate_in_window(canvas, 300, 350))
        page.mouse.down()
        page.mouse.move(*locate_in_window(canvas, 300, 520), steps=4)
        page.mouse.up()
        page.locator('[data-key="call-show"]').click()
        call = air.locator("#call")
        expect(call).to_have_attribute("data-shown", "true")
        expect(call).to_have_attribute("data-shown", "false")  # and is over after a few seconds
        air.reload()
        expect(air.locator("#lower")).to_have_attribute("data-shown", "true")
        expect(call).to_have_attribute("data-shown", "false")  # what was shown before is not shown again
        air.close()
