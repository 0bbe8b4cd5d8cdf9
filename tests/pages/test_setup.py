"""The set-up wizard in a real browser: from an empty folder to a judged move, left and resumed on the way."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from assistant.record.journal import read_entries
from tests.pages.program import overtable
from tests.pages.test_live import Wire, drag
from tests.pages.waiting import soon


@pytest.fixture
def wizard(context: BrowserContext) -> Iterator[Page]:
    """A page that may ask for a picture before there is one, which browsers log."""
    errors: list[str] = []
    page = context.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    assert errors == []


def press(page: Page, key: str) -> None:
    page.locator(f'#work [data-key="{key}"]').click()


def onward(page: Page, title: str) -> None:
    page.locator("#onward").get_by_role("button", name="Next").click()
    expect(page.locator("#heading h2")).to_have_text(title)


def state(page: Page, sign: str, says: str) -> None:
    place = page.locator("#heading .state")
    expect(place).to_contain_text(says)
    expect(place).to_have_attribute("data-state", sign)


def test_a_newcomer_gets_from_nothing_to_a_judged_move(phone: Page, wizard: Page, tmp_path: Path) -> None:
    folder = tmp_path / "table"
    begun_on_a_phone(phone, folder)
    with overtable("setup", folder) as address:
        gone_on_with(wizard, address)
        state(wizard, "good", "A game can begin.")
        assert not (folder / "games").exists()
        press(wizard, "begin")
        wizard.wait_for_url("**/tablet")
        judged(wizard)
        wizard.goto(f"{address}/setup#ready")
        expect(wizard.locator("#work .kept")).to_have_text("The game is on.")
        press(wizard, "end")
        expect(wizard.locator('[data-key="begin"]')).to_be_enabled()
        wizard.goto("about:blank")
    (recording,) = (folder / "games").iterdir()
    assert "Declared" in {type(entry.what).__name__ for entry in read_entries(recording)}


def begun_on_a_phone(page: Page, folder: Path) -> None:
    """Choose the virtual table, enter something wrong, and leave."""
    with overtable("setup", folder) as address:
        page.goto(f"{address}/setup")
        expect(page.locator("#steps button")).to_have_count(9)
        expect(page.locator("#camera")).to_have_text("No camera yet")
        expect(page.locator("#step")).to_be_hidden()
        page.locator('[data-key="step-camera"]').tap()
        state(page, "todo", "Choose where the pictures come from.")
        page.locator('#work [data-key="virtual:"]').tap()
        state(page, "good", "The virtual table is seen.")
        page.get_by_role("button", name="All steps").tap()
        page.locator('[data-key="step-table"]').tap()
        page.get_by_label("Depth, away from you").fill("44")
        page.get_by_label("Width, left to right").fill("6o")
        state(page, "bad", "Width of the table: expected a number of inches, such as 40, not '6o'.")
        expect(page.get_by_label("Width, left to right")).to_have_attribute("aria-invalid", "true")
        page.goto("about:blank")


def gone_on_with(page: Page, address: str) -> None:
    """Resume, and take every step to the last."""
    page.goto(f"{address}/setup#camera")
    state(page, "good", "The virtual table is seen.")
    onward(page, "Table")
    expect(page.get_by_label("Width, left to right")).to_have_value("6o")
    state(page, "bad", "not '6o'")
    page.get_by_label("Width, left to right").fill("60")
    state(page, "good", '60 × 44", 6 anchors.')
    expect(page.get_by_role("button", name='60 × 44"', exact=True)).to_have_attribute("aria-pressed", "true")
    onward(page, "Print")
    state(page, "good", "Nothing to print")
    sheet = page.request.get(f"{address}{page.locator('[data-key=sheet-anchors]').get_attribute('href')}")
    assert (sheet.status, sheet.body()[:5]) == (200, b"%PDF-")
    onward(page, "Lens")
    press(page, "skip")
    state(page, "good", "Skipped")
    onward(page, "Look at the table")
    expect(page.locator('#work [data-state="good"]')).to_have_count(6)
    state(page, "good", "6 of 6 anchors are seen")
    onward(page, "Projector")
    press(page, "none")
    onward(page, "Armies")
    page.get_by_label("Or a situation file on this machine").fill("/nowhere.json")
    state(page, "bad", "/nowhere.json: there is no such file.")
    press(page, "demo:warhammer-40k-10e")
    state(page, "good", "Anna against Ben, 25 models.")
    onward(page, "Tags on models")
    state(page, "good", "The 25 models of the virtual table carry their tags.")
    page.get_by_role("link", name="Measure them").click()
    page.get_by_role("link", name="Set-up").click()
    expect(page.locator("#heading h2")).to_have_text("Tags on models")
    onward(page, "Ready")


def judged(page: Page) -> None:
    """Move a model on the tablet's page, and be told what the referee says."""
    wire = Wire(page)
    page.reload()
    soon(lambda: wire.model(page, "scouts-1")["state"] == "seen" or None)
    page.locator('#units [data-key="scouts"]').click()
    page.get_by_role("button", name="Normal move").click()
    drag(page, page.locator("#table"), (330, 420), (400, 440))
    expect(page.locator(".verdict")).to_contain_text("Legal")


def test_where_no_wizard_is_the_page_says_how_to_begin_one(phone: Page, address: str) -> None:
    phone.route("**/picture.jpg*", lambda route: route.abort())
    phone.goto(f"{address}/setup")
    expect(phone.locator("#step")).to_contain_text("overtable setup")
