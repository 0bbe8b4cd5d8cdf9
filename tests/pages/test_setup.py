"""The set-up wizard in a real browser: from an empty folder to a judged move, left and resumed on the way."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from assistant.recording.journal.cursor import read_entries
from tests.pages.program import RATE, run_overtable
from tests.pages.socket_listener import SocketListener, drag_model
from tests.pages.waiting import wait_for


@pytest.fixture
def wizard(context: BrowserContext) -> Iterator[Page]:
    """A page that may ask for a picture before there is one, which browsers log."""
    errors: list[str] = []
    page = context.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    assert errors == []


def press_key(page: Page, key: str) -> None:
    page.locator(f'#work [data-key="{key}"]').click()


def press_next(page: Page, title: str) -> None:
    page.locator("#onward").get_by_role("button", name="Next").click()
    expect(page.locator("#heading h2")).to_have_text(title)


def expect_state(page: Page, sign: str, says: str) -> None:
    place = page.locator("#heading .state")
    expect(place).to_contain_text(says)
    expect(place).to_have_attribute("data-state", sign)


def test_a_newcomer_gets_from_nothing_to_a_judged_move(phone: Page, wizard: Page, tmp_path: Path) -> None:
    folder = tmp_path / "table"
    begin_on_phone(phone, folder)
    with run_overtable("setup", "--fps", RATE, folder) as address:
        resume_and_finish(wizard, address)
        expect_state(wizard, "good", "A game can begin.")
        assert not (folder / "games").exists()
        press_key(wizard, "begin")
        wizard.wait_for_url("**/tablet")
        move_and_judge(wizard)
        wizard.goto(f"{address}/setup#ready")
        expect(wizard.locator("#work .kept")).to_have_text("The game is on.")
        press_key(wizard, "end")
        expect(wizard.locator('[data-key="begin"]')).to_be_enabled()
        expect(wizard.locator('#work [data-key^="go-on:"]')).to_have_count(1)
        wizard.goto("about:blank")
    (recording,) = (folder / "games").iterdir()
    assert "Declared" in {type(entry.what).__name__ for entry in read_entries(recording)}


def begin_on_phone(page: Page, folder: Path) -> None:
    """Choose the virtual table, enter something wrong, and leave."""
    with run_overtable("setup", "--fps", RATE, folder) as address:
        page.goto(f"{address}/setup")
        expect(page.locator("#steps button")).to_have_count(10)
        expect(page.locator("#camera")).to_have_text("No camera yet")
        expect(page.locator("#step")).to_be_hidden()
        page.locator('[data-key="step-camera"]').tap()
        expect_state(page, "todo", "Choose where the pictures come from.")
        page.locator('#work [data-key="virtual:"]').tap()
        expect_state(page, "good", "The virtual table is seen.")
        page.get_by_role("button", name="All steps").tap()
        page.locator('[data-key="step-table"]').tap()
        page.get_by_label("Depth, away from you").fill("44")
        page.get_by_label("Width, left to right").fill("6o")
        expect_state(page, "bad", "Width of the table: expected a number of inches, such as 40, not '6o'.")
        expect(page.get_by_label("Width, left to right")).to_have_attribute("aria-invalid", "true")
        page.goto("about:blank")


def resume_and_finish(page: Page, address: str) -> None:
    """Resume, and take every step to the last."""
    page.goto(f"{address}/setup#camera")
    expect_state(page, "good", "The virtual table is seen.")
    press_next(page, "Table")
    expect(page.get_by_label("Width, left to right")).to_have_value("6o")
    expect_state(page, "bad", "not '6o'")
    page.get_by_label("Width, left to right").fill("60")
    expect_state(page, "good", '60 × 44", 6 anchors.')
    expect(page.get_by_role("button", name='60 × 44"', exact=True)).to_have_attribute("aria-pressed", "true")
    press_next(page, "Print")
    expect_state(page, "good", "Nothing to print")
    sheet = page.request.get(f"{address}{page.locator('[data-key=sheet-anchors]').get_attribute('href')}")
    assert (sheet.status, sheet.body()[:5]) == (200, b"%PDF-")
    press_next(page, "Lens")
    press_key(page, "skip")
    expect_state(page, "good", "Skipped")
    press_next(page, "Look at the table")
    expect(page.locator('#work [data-state="good"]')).to_have_count(6)
    expect_state(page, "good", "6 of 6 anchors are seen")
    press_next(page, "Projector")
    press_key(page, "none")
    press_next(page, "Armies")
    page.get_by_label("Or a situation file on this computer").fill("/nowhere.json")
    expect_state(page, "bad", "/nowhere.json: there is no such file.")
    press_key(page, "demo:warhammer-40k-10e")
    expect_state(page, "good", "Anna against Ben, 25 models.")
    press_next(page, "Markers")
    expect_state(page, "good", "23 halos and 2 tags; nothing to print: this table is rendered.")
    press_next(page, "On the models")
    expect_state(page, "good", "The 25 models of the virtual table carry their markers.")
    expect(page.locator('#work [data-model="scouts-1"]')).to_contain_text("Scouts #140 mm, round, ring 1, a haloread")
    page.get_by_role("link", name="Measure tags").click()
    page.get_by_role("link", name="Set-up").click()
    expect(page.locator("#heading h2")).to_have_text("On the models")
    press_next(page, "Ready")


def move_and_judge(page: Page) -> None:
    """Move a model on the tablet's page, and be told what the referee says."""
    wire = SocketListener(page)
    page.reload()
    page.locator('#units [data-key="scouts"]').click()
    page.get_by_role("button", name="Normal move").click()
    # The game runs once it offers moves; what it sees can then be dragged.
    wait_for(lambda: wire.find_model(page, "scouts-1")["state"] == "seen" or None)
    drag_model(page, page.locator("#table"), (330, 420), (400, 440))
    expect(page.locator(".verdict")).to_contain_text("Legal")


def test_where_no_wizard_is_the_page_says_how_to_begin_one(phone: Page, address: str) -> None:
    phone.route("**/picture.jpg*", lambda route: route.abort())
    phone.goto(f"{address}/setup")
    expect(phone.locator("#step")).to_contain_text("overtable setup")
