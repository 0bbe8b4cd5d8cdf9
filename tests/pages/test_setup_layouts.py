"""The set-up page's layouts: chosen by name and picture, and the game on them."""

from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.pages.test_layout import PHONE, TABLET
from tests.pages.test_setup_markers import check_layout
from tests.pages.waiting import wait_for
from tests.pages.wizard_page import serve_wizard


@pytest.mark.parametrize("size", [PHONE, TABLET], ids=["phone", "tablet"])
def test_a_layout_is_chosen_by_its_picture(context: BrowserContext, size: tuple[int, int], tmp_path: Path) -> None:
    page = context.new_page()
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.set_default_timeout(15_000)
    with serve_wizard(tmp_path / "table", "warhammer-40k-10e") as (desk, address):
        page.goto(f"{address}#armies")
        layouts = page.get_by_role("group", name="Layouts")
        bare, streets = layouts.get_by_role("button").first, layouts.get_by_role("button", name="Crossed streets")
        expect(bare).to_have_attribute("aria-pressed", "true")
        streets.scroll_into_view_if_needed()
        expect(streets).to_contain_text("5 objectives")
        wait_for(lambda: streets.locator("img").evaluate("image => image.naturalWidth > 0"))
        streets.click()
        expect(streets).to_have_attribute("aria-pressed", "true")
        expect(bare).to_have_attribute("aria-pressed", "false")
        assert desk.wizard.draft.entries["layout"] == "crossed-streets"
        check_layout(page, tmp_path / "layouts.png")
