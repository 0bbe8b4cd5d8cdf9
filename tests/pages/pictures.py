"""`make pictures`: the README's pictures, taken from the running demo."""

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

from tests.pages.conftest import CHROMIUM_ARGUMENTS
from tests.pages.program import overtable
from tests.pages.test_live import LONG_S, Wire, drag, soon

PICTURES = Path(__file__).resolve().parents[2] / "assistant/web/pictures"
PUSHES = (
    ("scouts-1", (330, 420), (452, 398)),
    ("scouts-2", (330, 490), (455, 470)),
    ("scouts-4", (270, 455), (395, 440)),
)


def take() -> None:
    """Play the beginning of a game, and take a picture of the tablet page and of what the camera sees."""
    path = shutil.which("chromium") or shutil.which("google-chrome")
    with (
        tempfile.TemporaryDirectory() as folder,
        overtable("demo", "--no-script", "--recording", Path(folder) / "demo.overtable") as address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_ARGUMENTS)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        wire = Wire(page)
        page.goto(f"{address}/tablet")
        soon(lambda: wire.model(page, "scouts-1")["state"] == "seen" or None)
        page.get_by_role("button", name="scouts").click()
        page.get_by_role("button", name="Normal move").click()
        for model, start, end in PUSHES:
            push(page, wire, model, start, end)
        expect(page.locator(".verdict")).to_contain_text(f"{len(PUSHES)} models moved", timeout=LONG_S * 1000)
        page.screenshot(path=PICTURES / "tablet.png")
        (PICTURES / "camera.jpg").write_bytes(page.request.get(f"{address}/picture.jpg").body())
        browser.close()


def push(page: Page, wire: Wire, model: str, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Drag a model, and wait until the camera has seen it come to rest."""
    drag(page, page.locator("#table"), start, end)
    soon(lambda: abs(wire.model(page, model)["x_mm"] - end[0]) < 3 or None)
    while model not in wire.view["move"]["move"]["moved"]:
        page.wait_for_timeout(50)


if __name__ == "__main__":
    take()
    print(f"Written to {PICTURES}")
