"""The set-up page's steps about markers: which suits each kind of base, and which rings are read."""

from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from assistant.setup.bases import RingedBase
from assistant.setup.file import read_setup
from tests.pages.layout_faults import list_layout_faults
from tests.pages.test_layout import PHONE, TABLET, list_grave_faults
from tests.pages.waiting import wait_for
from tests.pages.wizard_page import serve_wizard

FIND_OUTLIER = """(seen) => {
    const { left, width } = seen.querySelector(".outlier polygon").getBoundingClientRect();
    const frame = seen.getBoundingClientRect();
    return (left + width / 2 - frame.left) / frame.width;
}"""
"""Where its middle is on the picture, from left to right, 0 to 1; both at once, as the picture comes when it comes."""


def check_layout(page: Page, picture: Path) -> None:
    page.wait_for_timeout(100)  # until it is laid out anew
    page.screenshot(path=picture, full_page=True)
    assert list_layout_faults(page) == [], picture
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, picture
    assert list_grave_faults(page) == [], picture


def test_anchors_are_drawn_over_the_picture_with_their_errors_and_outliers(page: Page, tmp_path: Path) -> None:
    page.set_viewport_size({"width": TABLET[0], "height": TABLET[1]})
    with serve_wizard(tmp_path / "table", "warhammer-40k-10e") as (desk, address):
        desk.outlier = 583
        page.goto(f"{address}#check")
        seen = page.locator("#anchors-seen")
        expect(seen.locator("polygon")).to_have_count(6)
        expect(seen.locator("text").first).to_have_text("580")
        expect(seen.locator(".outlier text")).to_have_text("583 · 24.0 mm")
        expect(seen.locator("path")).to_have_count(1)  # what lies right has no arrow
        wait_for(lambda: seen.evaluate(FIND_OUTLIER) == pytest.approx(0.55, abs=0.01))
        page.screenshot(path=tmp_path / "anchors.png")
        page.goto("about:blank")


@pytest.mark.parametrize("size", [PHONE, TABLET], ids=["phone", "tablet"])
def test_markers_are_chosen_laid_and_seen_to_be_read(
    context: BrowserContext, size: tuple[int, int], tmp_path: Path
) -> None:
    page = context.new_page()
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.set_default_timeout(15_000)
    with serve_wizard(tmp_path / "table", "warhammer-40k-10e") as (desk, address):
        page.goto(f"{address}#mark")
        state = page.locator("#heading .state")
        expect(state).to_contain_text("Print 23 halos and 2 tags, and cut them out.")
        captain = page.locator('[data-kind="round:50"]')
        expect(captain).to_contain_text("50 mm, round")
        expect(captain).to_contain_text("Halo recommended. A figure hides a tag on its base")
        expect(captain.get_by_role("button", name="Halo")).to_have_attribute("aria-pressed", "true")
        captain.get_by_role("button", name="Tag").click()
        expect(captain).to_contain_text("Tag: 20 mm are needed, beside the figure.")
        expect(state).to_contain_text("Print 21 halos and 4 tags")
        hull = page.locator('[data-kind="roof rect:110x70"]')
        hull.get_by_label("How high is the tag above the table, mm?").fill("61")
        check_layout(page, tmp_path / "mark.png")
        assert page.locator('[data-key="sheet-rings"]').get_attribute("href") == "/sheets/rings.pdf?paper=a4"
        page.locator('#work [data-key="yes"]').click()
        expect(state).to_contain_text("21 halos and 4 tags, printed and cut out.")
        page.locator("#onward").get_by_role("button", name="Next").click()
        expect(state).to_contain_text("25 of 25 models have no marker yet that is looked for.")
        expect(page.locator("#work")).to_contain_text("A halo needs no measuring")
        desk.unread_px = {"scouts-2": 1.6, "raiders-1": 2.6}
        page.locator('#work [data-key="middle"]').click()
        expect(state).to_contain_text("19 of 21 rings are read")
        first = page.locator("#work .tags li").first
        expect(first).to_contain_text("Scouts #2")
        expect(first).to_contain_text("Ring 2 is not read: 1.6 px a cell, 2 are needed: use")
        expect(page.locator('#work [data-model="raiders-1"]')).to_contain_text("turn away a lamp that it mirrors")
        check_layout(page, tmp_path / "laid.png")
        desk.unread_px = {}
        expect(page.locator('#work [data-model="scouts-2"]')).to_have_attribute("data-state", "good")
        expect(state).to_contain_text("4 of 25 are only known to ± 2 mm")
        page.goto("about:blank")
    bases = {base.model: base for base in read_setup(tmp_path / "table" / "table.toml").bases}
    assert isinstance(bases["scouts-1"], RingedBase)
    assert bases["carrier-1"].height_mm == 61
