"""Two players and a judge at one table, each with a device of their own."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from assistant.table.session import GameSession
from tests.assistant.snapshot_script import build_game
from tests.pages.served_session import serve_session
from tests.pages.test_turns import drag_model, pick_unit

PLACES = {"s1": (300.0, 300.0), "s2": (300.0, 350.0), "w1": (600.0, 320.0)}


@pytest.fixture
def devices(open_window: Callable[[], Page]) -> Iterator[tuple[Page, Page, Page]]:
    """Tablets of two players and a judge."""
    with serve_session(GameSession(build_game()), PLACES) as address:
        pages = [open_window() for _ in range(3)]
        for page in pages:
            page.goto(f"{address}/tablet")
            expect(page.locator("#camera")).to_have_text("Camera live")
        yield pages[0], pages[1], pages[2]
        for page in pages:
            page.close()


def test_two_players_and_a_judge_do_not_take_units_from_each_other(devices: tuple[Page, Page, Page]) -> None:
    red, blue, judge = devices
    pick_unit(red, "scouts")
    blue.get_by_role("button", name="Cancel").click()  # which takes nothing from anybody
    pick_unit(blue, "walker")
    expect(judge.locator("#picked h2")).to_have_text("walker")  # who has picked nothing sees what was picked last
    expect(red.locator("#picked h2")).to_have_text("scouts")
    red.reload()
    expect(red.locator("#picked h2")).to_have_text("scouts")  # and not what was picked last at the table
    red.get_by_role("button", name="Normal move").click()
    expect(judge.locator("#picked h2")).to_have_text("scouts")
    expect(blue.locator("#picked h2")).to_have_text("walker")
    blue.get_by_role("button", name="Normal move").click()
    expect(blue.locator("#toast")).to_have_text("The move of scouts is being made: accept or cancel it first")
    drag_model(red, (300, 300), (300, 130))
    for page, title in ((red, "Not legal"), (judge, "Not legal"), (blue, "scouts: Not legal")):
        expect(page.locator(".verdict strong")).to_have_text(title)
    expect(blue.get_by_role("button", name="Overrule")).to_have_count(0)
    blue.get_by_role("button", name="Back to scouts").click()
    expect(blue.get_by_role("button", name="Redo the move")).to_be_visible()
    red.get_by_role("button", name="Cancel move").click()
    for page in devices:
        expect(page.locator("#picked h2")).to_have_count(0)
