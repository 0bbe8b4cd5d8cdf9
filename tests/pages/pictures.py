"""`make pictures`: the READMEs' and the hall's pictures, `make screens`: every page at every size; all from demos."""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import cv2
import numpy as np
from playwright.sync_api import Browser, Page, expect, sync_playwright

from assistant.features.demo.catalogue import read_demo
from assistant.features.demo.virtual_table import build_virtual_table
from assistant.web.app import PAGES
from tests.pages.conftest import CHROMIUM_ARGUMENTS
from tests.pages.program import run_overtable
from tests.pages.socket_listener import SocketListener, drag_model
from tests.pages.test_layout import SIZES
from tests.pages.waiting import wait_for

PICTURES = Path(__file__).resolve().parents[2] / "assistant/web/pictures"
SCREENS = Path(__file__).resolve().parents[2] / "screens"
"""Not kept: to be looked at and made again."""
HALL = Path(__file__).resolve().parents[2] / "docs/pictures"
CLOSE_UP_MM = ((180.0, 850.0, 0.0), (830.0, 388.0, 0.0))
"""The upper left corner and the lower right one."""
PUSHES = (
    ("scouts-1", (330, 420), (452, 398)),
    ("scouts-2", (330, 490), (455, 470)),
    ("scouts-4", (270, 455), (395, 440)),
)


@contextmanager
def run_demo() -> Iterator[tuple[str, Browser]]:
    """Run the demo without its script; yield where its pages are, and a browser."""
    path = shutil.which("chromium") or shutil.which("google-chrome")
    with (
        tempfile.TemporaryDirectory() as folder,
        run_overtable("demo", "--no-script", "--recording", Path(folder) / "demo.overtable") as address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_ARGUMENTS)
        yield address, browser
        browser.close()


def begin_game(page: Page, address: str) -> None:
    """Play the beginning of a game on the tablet page."""
    wire = SocketListener(page)
    page.goto(f"{address}/tablet")
    wait_for(lambda: wire.find_model(page, "scouts-1")["state"] == "seen" or None)
    page.get_by_role("button", name="scouts").click()
    page.get_by_role("button", name="Normal move").click()
    for model, start, end in PUSHES:
        push_model(page, wire, model, start, end)
    expect(page.locator(".verdict")).to_contain_text(f"{len(PUSHES)} models moved")


def take_close_up() -> None:
    """Take a picture of some models on their rings, as a 4K camera sees them."""
    demo = read_demo("warhammer-40k-10e")
    table = build_virtual_table(demo.setup, demo.state, in_4k=True)
    (left, top), (right, bottom) = table.camera.project(np.array(CLOSE_UP_MM)).round().astype(int)
    cv2.imwrite(str(PICTURES / "rings.jpg"), table.render()[top:bottom, left:right], [cv2.IMWRITE_JPEG_QUALITY, 88])


def take_pictures() -> None:
    """Take a picture of the tablet page, of what the camera sees, and of rings from near."""
    take_close_up()
    with run_demo() as (address, browser):
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        begin_game(page, address)
        page.screenshot(path=PICTURES / "tablet.png")
        (PICTURES / "camera.jpg").write_bytes(page.request.get(f"{address}/picture.jpg").body())


@contextmanager
def run_hall() -> Iterator[tuple[str, Browser]]:
    """Run the demo of a hall; yield where its desk is, and a browser."""
    with (
        run_overtable("hall", "demo", "--tables", "12", "--no-open", address=r"http://localhost:\d+/hall") as address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium") or shutil.which("google-chrome"), args=CHROMIUM_ARGUMENTS
        )
        yield address, browser
        browser.close()


def take_hall() -> None:
    """Take pictures of a hall once judges are asked for: the desk on a laptop and on a phone, and the board."""
    HALL.mkdir(exist_ok=True)
    with run_hall() as (address, browser):
        page = browser.new_page(viewport={"width": 1280, "height": 1100})
        page.goto(address)
        expect(page.locator("#calls article")).not_to_have_count(0, timeout=180_000)
        expect(page.locator("#calls img").first).to_have_js_property("complete", value=True)
        page.locator("#calls article").first.get_by_role("button", name="I am going").click()
        expect(page.locator("#calls")).to_contain_text("is on the way")
        page.mouse.move(0, 0)
        page.screenshot(path=HALL / "desk.png")
        page.set_viewport_size({"width": 390, "height": 844})
        page.screenshot(path=HALL / "phone.png")
        page.set_viewport_size({"width": 1280, "height": 720})
        page.goto(f"{address}/board")
        expect(page.locator("#time")).not_to_be_empty()
        page.screenshot(path=HALL / "board.png")


def take_screens() -> None:
    """Take a picture of every page at every size that it is held to."""
    SCREENS.mkdir(exist_ok=True)
    with run_demo() as (address, browser):
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        begin_game(page, address)
        for name in ("", *PAGES):
            page.goto(f"{address}/{name}")
            for width, height in SIZES:
                page.set_viewport_size({"width": width, "height": height})
                page.wait_for_timeout(1000)  # until the page has been told what to show, and has drawn it
                page.screenshot(path=SCREENS / f"{name or 'start'}-{width}x{height}.png")


def push_model(
    page: Page, wire: SocketListener, model: str, start: tuple[float, float], end: tuple[float, float]
) -> None:
    """Drag a model, and wait until the camera has seen it come to rest."""
    drag_model(page, page.locator("#table"), start, end)
    wait_for(lambda: abs(wire.find_model(page, model)["x_mm"] - end[0]) < 3 or None)
    while model not in wire.view["move"]["move"]["moved"]:
        page.wait_for_timeout(50)


if __name__ == "__main__":
    everything = "screens" in sys.argv
    for take in (take_screens,) if everything else (take_pictures, take_hall):
        take()
    print(f"Written to {SCREENS if everything else f'{PICTURES} and {HALL}'}")
