"""The whole line in a real browser: rendered pixels at one end, the drawn overlay at the other."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from assistant.recording.journal.cursor import read_entries
from tests.pages.pixels import BLACK, locate_place, read_colours
from tests.pages.program import RATE, run_overtable
from tests.pages.socket_listener import SocketListener, drag_model
from tests.pages.test_tablet import locate_in_window
from tests.pages.waiting import wait_for


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo") / "demo.overtable"


@pytest.fixture(scope="module")
def demo(recording: Path) -> Iterator[str]:
    with run_overtable("demo", "--no-script", "--fps", RATE, "--recording", recording) as address:
        yield address


def test_a_dragged_model_is_seen_judged_drawn_and_projected(
    demo: str, page: Page, open_window: Callable[[], Page], recording: Path
) -> None:
    wire = SocketListener(page)
    page.goto(f"{demo}/tablet")
    wait_for(lambda: wire.find_model(page, "scouts-1")["state"] == "seen" or None)
    projector = open_window()
    projector.goto(f"{demo}/projector")
    page.get_by_role("button", name="scouts").click()
    page.get_by_role("button", name="Normal move").click()

    # The zone lights up on the projector page; over the base it stays dark.
    light = projector.locator("canvas")
    beside, over = locate_place(light, 420, 400), locate_place(light, 330, 420)
    wait_for(lambda: read_colours(light, [beside])[0] != BLACK or None)
    assert read_colours(light, [over]) == [BLACK]

    # 70 mm are within 6 inches and near enough to the unit, 240 mm are neither; only what the camera sees counts.
    canvas = page.locator("#table")
    drag_model(page, canvas, (330, 420), (400, 440))
    wait_for(lambda: abs(wire.find_model(page, "scouts-1")["x_mm"] - 400) < 2 or None)
    expect(page.locator(".verdict")).to_have_text("Legal1 model moved")
    drag_model(page, canvas, (400, 440), (560, 360))
    expect(page.locator(".verdict")).to_contain_text("Not legal")
    expect(page.locator("#findings")).to_contain_text("10e-15")
    page.get_by_role("button", name="Accept anyway").click()
    page.get_by_role("button", name="Accept it as not legal").click()
    expect(page.locator("#picked h2")).to_have_count(0)
    projector.close()

    kinds = [type(entry.what).__name__ for entry in read_entries(recording)]
    assert kinds.count("ModelPlaced") == 21
    played = [kind for kind in kinds if kind in {"Declared", "ModelSettled", "Accepted"}]
    assert (played[0], played[1], played[-1]) == ("Declared", "ModelSettled", "Accepted")


COUNT_GREEN = """(canvas) => {
    const { width, height } = canvas;
    const copy = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(0, 0, width, height / 2);
    let green = 0;
    for (let at = 0; at < data.length; at += 4) {
        green += data[at + 1] > data[at] + 5 && data[at + 1] > data[at + 2] + 15;
    }
    return (4 * green) / data.length;
}"""


def test_a_move_of_just_its_allowance_is_too_close_to_call(demo: str, page: Page) -> None:
    wire = SocketListener(page)
    page.goto(f"{demo}/tablet")
    wait_for(lambda: wire.find_model(page, "captain-1")["state"] == "seen" or None)
    page.locator('#units [data-key="captain"]').click()
    page.get_by_role("button", name="Normal move").click()
    page.locator("#table").focus()
    for _ in range(24):
        page.keyboard.press("ArrowRight")  # a quarter of an inch each
    wait_for(lambda: abs(wire.find_model(page, "captain-1")["x_mm"] - 380 - 24 * 6.35) < 2 or None)
    expect(page.locator(".verdict")).to_contain_text("Too close to call")
    expect(page.locator(".finding").first).to_contain_text("10e-15")
    expect(page.get_by_role("button", name="Accept")).to_have_count(0)
    page.get_by_role("button", name="Show the call", exact=True).click()
    call = page.get_by_role("dialog", name="The call")
    expect(call.locator("canvas")).to_have_attribute("data-ended", "true")
    wait_for(lambda: call.locator("canvas").evaluate(COUNT_GREEN) > 0.1 or None)  # the grass, as the camera sees it
    call.get_by_role("button", name="Agree: legal").click()
    expect(page.locator(".verdict strong")).to_have_text("Legal by agreement")
    page.get_by_role("button", name="Accept").click()
    expect(page.locator("#picked h2")).to_have_count(0)


def test_a_unit_leaves_its_transport_where_the_table_is_touched(demo: str, page: Page) -> None:
    wire = SocketListener(page)
    page.goto(f"{demo}/tablet")
    wait_for(lambda: wire.find_model(page, "carrier-1")["state"] == "seen" or None)
    assert "sappers-1" not in wire.view["models"]
    page.locator('#units [data-key="sappers"]').click()
    page.get_by_role("button", name="Disembark", exact=True).click()
    expect(page.locator('#actions [data-key="disembark"]')).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".verdict")).to_contain_text("still to be put on the table: Sappers #1, Sappers #2")
    canvas = page.locator("#table")
    for model, place_mm in (("sappers-1", (350, 170)), ("sappers-2", (350, 220))):
        page.mouse.click(*locate_in_window(canvas, *place_mm))
        wait_for(lambda model=model: wire.find_model(page, model)["state"] == "seen" or None)  # type: ignore[misc]  # mypy infers no default
    expect(page.locator(".verdict")).to_have_text("Legal2 models set up")
    page.get_by_role("button", name="Accept").click()
    expect(page.locator('#units [data-key="sappers"]')).not_to_contain_text("embarked")


def test_the_camera_picture_is_served(demo: str, page: Page) -> None:
    def ask() -> bytes | None:
        answer = page.request.get(f"{demo}/picture.jpg")
        return answer.body() if answer.ok else None  # before the camera's first picture it is none

    assert wait_for(ask).startswith(b"\xff\xd8")
