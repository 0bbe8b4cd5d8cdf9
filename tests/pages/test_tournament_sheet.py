"""The set-up page reads a table's tournament sheet: a photo of it, or its file, without a terminal."""

from pathlib import Path

import cv2
import pytest
from playwright.sync_api import BrowserContext, expect

from assistant.hall.folder import make_hall
from tests.assistant.setup.test_hall_file import PHOTOS, print_sheet, take_photo
from tests.pages.test_layout import PHONE, TABLET
from tests.pages.test_setup_markers import check_layout
from tests.pages.wizard_page import serve_wizard


@pytest.mark.parametrize("size", [PHONE, TABLET], ids=["phone", "tablet"])
def test_a_photo_of_the_sheet_lets_a_table_belong_to_a_tournament(
    context: BrowserContext, size: tuple[int, int], tmp_path: Path
) -> None:
    hall = make_hall(tmp_path / "cup", name="Autumn Cup", addresses=("192.0.2.7",))
    hall.add(tables=("7",))
    hall.write()
    text = hall.build_hall_file(hall.event.tables[0]).model_dump_json()
    cv2.imwrite(str(tmp_path / "photo.jpg"), take_photo(print_sheet(text), PHOTOS["leaning"]))
    cv2.imwrite(str(tmp_path / "wall.jpg"), take_photo(print_sheet(text)[:800], PHOTOS["leaning"]))
    page = context.new_page()
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.set_default_timeout(60_000)
    with serve_wizard(tmp_path / "table", "warhammer-40k-10e") as (desk, address):
        page.goto(f"{address}#ready")
        work, sheet = page.locator("#work"), page.locator("#work input[type=file]")
        expect(work).to_contain_text("Does this table belong to a tournament?")
        sheet.set_input_files(tmp_path / "wall.jpg")
        expect(work.locator(".wrong:visible")).to_have_text(
            "wall.jpg: no QR code was read in it; take the photo straight from above, with the code filling it."
        )
        sheet.set_input_files(tmp_path / "photo.jpg")
        expect(work).to_contain_text("This is table 7 of Autumn Cup: its games are told to the hall.")
        expect(work.locator(".wrong:visible")).to_have_count(0)
        check_layout(page, tmp_path / "tournament.png")
        assert desk.wizard.plan.setup.hall is not None
        work.get_by_role("button", name="Leave the tournament").click()
        expect(work).to_contain_text("Does this table belong to a tournament?")
        assert desk.wizard.plan.setup.hall is None
        sheet.set_input_files(hall.path / "tables" / "7.json")
        expect(work).to_contain_text("This is table 7 of Autumn Cup")
