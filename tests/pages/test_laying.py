"""Laying the table on the tablet: piece after piece, ticked by touch, and lit by the projector."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, Page, expect

from assistant.game.state import Objective, Terrain
from assistant.table.session import GameSession
from tests.assistant.snapshot_script import build_game
from tests.pages.pixels import locate_place, read_colours
from tests.pages.served_session import serve_session
from tests.pages.waiting import wait_for

PLACES = {"s1": (300.0, 300.0), "s2": (300.0, 350.0), "w1": (600.0, 320.0)}
RUIN = Terrain(id="ruin", outline_mm=((900, 600), (1100, 600), (1100, 800), (900, 800)))
WALL = Terrain(id="ruin-wall", outline_mm=((910, 780), (1090, 780), (1090, 790), (910, 790)), height_mm=100)
CRATE = Terrain(id="crate", outline_mm=((300, 700), (360, 700), (360, 760), (300, 760)))


@pytest.fixture
def address() -> Iterator[str]:
    marker = Objective(id="A", x_mm=762, y_mm=500, radius_mm=20)
    with serve_session(
        GameSession(replace(build_game(), terrain=(RUIN, WALL, CRATE), objectives=(marker,))), PLACES
    ) as address:
        yield address


def test_pieces_are_laid_one_after_the_other(phone: Page, browser: Browser, address: str) -> None:
    phone.goto(f"{address}/tablet")
    phone.get_by_role("button", name="Lay the table step by step").tap()
    rows = phone.locator(".laying li")
    expect(rows).to_have_text(["1ruinnext", "2crate", "3objective A"])
    expect(rows.nth(0).locator("polygon")).to_have_count(2)
    projector = browser.new_page(viewport={"width": 1280, "height": 800})
    projector.goto(f"{address}/projector")
    light = projector.locator("canvas")
    edge, filled = locate_place(light, 1000, 600), locate_place(light, 950, 700)

    def find_tone() -> str:
        red, green, _ = read_colours(light, [edge])[0][:3]
        return "white" if red > 150 and green > 150 else "green" if green > 100 > red else "dark"

    wait_for(lambda: find_tone() == "white" or None)
    assert read_colours(light, [filled])[0] != read_colours(light, [locate_place(light, 600, 700)])[0]
    phone.get_by_role("button", name="1: ruin lies").tap()
    wait_for(lambda: find_tone() == "green" or None)
    expect(rows.nth(1)).to_have_attribute("data-next", "true")
    for name in ("2: crate lies", "3: objective A lies"):
        phone.get_by_role("button", name=name).tap()
    expect(phone.get_by_text("All 3 lie where they belong.")).to_be_visible()
    phone.get_by_role("button", name="Done").tap()
    expect(rows).to_have_count(0)
    wait_for(lambda: find_tone() == "dark" or None)
    projector.close()
    phone.get_by_role("button", name="Count turns").tap()
    expect(phone.get_by_role("button", name="Lay the table step by step")).to_have_count(0)
