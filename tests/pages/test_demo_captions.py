"""The caption of a demo's scene, on every page."""

from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Locator, Page, expect

from assistant.features.demo.script import STOPPED
from assistant.web.commands.game import TakeOver
from assistant.web.messages.table import SceneView
from tests.pages.pixels import locate_place
from tests.pages.played_game import WIDTH, PlayedTable
from tests.pages.program import RATE, run_overtable
from tests.pages.waiting import wait_for

SCENE = SceneView(number=2, count=6, caption="The Rangers go too far.", outcome=None, ruling="", playing=True)


@pytest.fixture(params=["/", "/tablet"])
def told(request: pytest.FixtureRequest, page: Page, address: str, table: PlayedTable) -> Page:
    """A page while a scene is played."""
    page.goto(address + request.param)
    expect(page.locator("#scene")).to_be_hidden()
    table.scene = SCENE
    table.publish()
    return page


def test_a_scene_is_told_then_ruled_then_over(told: Page, table: PlayedTable) -> None:
    strip = told.locator("#scene")
    expect(strip).to_have_text("Demo 2 of 6The Rangers go too far.Take over")
    table.scene = SCENE.model_copy(update={"outcome": "illegal", "ruling": '7" of 6" (10e-15)'})
    table.publish()
    expect(strip.locator(".ruling")).to_have_text("Not legal")
    expect(strip).to_contain_text("(10e-15)")
    table.scene = SCENE.model_copy(update={"caption": "The table is yours.", "playing": False})
    table.publish()
    expect(strip).to_have_text("The table is yours.")
    table.scene = None
    table.publish()
    expect(strip).to_be_hidden()


def test_a_visitor_takes_over(told: Page, table: PlayedTable) -> None:
    told.get_by_role("button", name="Take over").click()
    assert wait_for(lambda: [order.message for order in table.orders] or None) == [TakeOver(type="take-over")]


def test_it_covers_nothing_of_the_table(told: Page) -> None:
    expect(told.locator("#scene")).to_be_visible()
    strip, main = told.locator("#scene").bounding_box(), told.locator("main").bounding_box()
    assert strip
    assert main
    assert strip["y"] + strip["height"] <= main["y"]
    assert main["y"] + main["height"] <= 800 or "/tablet" not in told.url


def test_it_shines_on_no_base_and_gives_way_to_one(page: Page, address: str, table: PlayedTable) -> None:
    page.goto(f"{address}/projector")
    light = page.locator("#light")
    table.scene = SCENE.model_copy(update={"caption": "Words of light that take some room. " * 4})
    table.publish()
    x_px, y_px = np.median(wait_for(lambda: find_caption_pixels(light)), axis=0)
    corner, right = locate_place(light, 0, 0), locate_place(light, WIDTH, 0)
    scale = (right["x"] - corner["x"]) / WIDTH
    at_mm = {"x_mm": (x_px - corner["x"]) / scale, "y_mm": (corner["y"] - y_px) / scale}
    first = next(iter(table.models))
    table.models[first] = table.models[first].model_copy(update=at_mm)
    table.publish()
    bases = [(at["x"], at["y"]) for at in (locate_place(light, m.x_mm, m.y_mm) for m in table.models.values())]

    def apart() -> bool | None:
        shining = find_caption_pixels(light)
        return None if shining is None else all(np.hypot(*(shining - base).T).min() > 16 * scale for base in bases)

    assert wait_for(lambda: apart() or None)


def test_the_program_plays_its_script_until_a_visitor_takes_over(page: Page, tmp_path: Path) -> None:
    with run_overtable("demo", "--fps", RATE, "--recording", tmp_path / "demo.overtable") as address:
        page.goto(f"{address}/tablet")
        strip = page.locator("#scene")
        expect(strip).to_contain_text("Demo 1 of")
        expect(page.locator("#picked h2")).to_have_count(1)
        strip.get_by_role("button", name="Take over").click()
        expect(strip).to_have_text(STOPPED)
        page.goto("about:blank")


def find_caption_pixels(light: Locator) -> NDArray[np.int_] | None:
    """Where the caption's words shine, x and y in pixels: nothing else on that page is as bright."""
    image = cv2.imdecode(np.frombuffer(light.screenshot(), np.uint8), cv2.IMREAD_COLOR)
    assert image is not None
    bright = np.argwhere(image.min(axis=2) > 200)[:, ::-1]
    return bright if len(bright) else None
