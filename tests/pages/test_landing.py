import pytest
from playwright.sync_api import Page, expect

from tests.pages.game import PlayedTable


def test_it_says_what_is_running(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.get_by_role("heading", name="Rangers against Wardens")).to_be_visible()
    expect(page.locator("#rulebook")).to_contain_text("warhammer-40k-10e · 60 × 44″")
    expect(page.locator("#camera")).to_have_text("Camera live")
    expect(page.locator("#figures")).to_contain_text("Anchors seen4")


def test_it_shows_the_picture_and_how_to_join(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.locator("#picture")).to_be_visible()
    expect(page.get_by_alt_text("QR code")).to_be_visible()
    page.wait_for_function("document.querySelector('.qr').naturalWidth > 0")
    expect(page.get_by_role("link", name="192.0.2.7:8000/tablet")).to_be_visible()


@pytest.mark.parametrize(("name", "path"), [("Tablet", "/tablet"), ("Projector", "/projector")])
def test_it_leads_to_the_other_pages(page: Page, address: str, name: str, path: str) -> None:
    page.goto(address)
    expect(page.get_by_role("link", name=name).first).to_have_attribute("href", path)


def test_it_follows_the_camera(page: Page, address: str, table: PlayedTable) -> None:
    page.goto(address)
    expect(page.locator("#camera")).to_have_text("Camera live")
    table.camera = table.camera.model_copy(update={"state": "lost", "text": "usb:0 does not answer", "fps": 0.0})
    table.publish()
    expect(page.locator("#camera")).to_have_text("Camera lost")
    expect(page.locator("#figures")).to_contain_text("usb:0 does not answer")
