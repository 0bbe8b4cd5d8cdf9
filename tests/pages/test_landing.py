from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from assistant.web.commands.calibration import NudgeBack, NudgeLight, ProjectorBegin, ProjectorKeep, ProjectorStop
from assistant.web.messages.calibration import LightErrorView, NudgeView, ProjectorView
from assistant.web.messages.message import Message
from tests.pages.played_game import PlayedTable
from tests.pages.waiting import wait_for


def test_it_says_what_is_running(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.get_by_role("heading", name="Rangers against Wardens")).to_be_visible()
    expect(page.locator("#rulebook")).to_contain_text('Warhammer 40,000 (10th edition), Movement phase · 60 × 44"')
    expect(page.locator("#camera")).to_have_text("Camera live")
    expect(page.locator("#figures")).to_contain_text("Anchors seen4")


def test_it_shows_the_picture_and_how_to_join(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.locator("#picture")).to_be_visible()
    expect(page.get_by_alt_text("QR code")).to_be_visible()
    wait_for(lambda: page.locator(".qr").evaluate("image => image.naturalWidth > 0"))
    expect(page.locator("#join")).to_contain_text("192.0.2.7:8000/join")


def test_it_invites_the_phone_that_is_to_be_the_camera_until_it_is(
    page: Page, address: str, table: PlayedTable
) -> None:
    page.route(
        "**/codes/camera.json", lambda route: route.fulfill(json={"url": "https://a:1/camera#k", "fingerprint": "AB"})
    )
    page.route("**/codes/camera.svg", lambda route: route.fulfill(body="<svg xmlns='http://www.w3.org/2000/svg'/>"))
    page.goto(address)
    expect(page.locator("#camera")).to_have_text("Camera live")
    expect(page.locator("#phone-card")).to_be_hidden()
    table.camera = table.camera.model_copy(update={"source": "phone:", "state": "lost"})
    table.publish()
    expect(page.locator("#phone-card a")).to_have_text("https://a:1/camera")
    table.camera = table.camera.model_copy(update={"state": "live"})
    table.publish()
    expect(page.locator("#phone-card")).to_be_hidden()


@pytest.mark.parametrize(
    ("name", "path"),
    [("Tablet", "/tablet"), ("Projector", "/projector"), ("Judge", "/judge"), ("Statistics", "/stats")],
)
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


ERROR = LightErrorView(
    mean_mm=0.123,
    worst_mm=0.456,
    worst_at_mm=(1400, 1000),
    tags=73,
    doubt_mm=0.8,
    doubt_at_mm=(50, 50),
    camera_sigma_mm=0.05,
    lens="off-axis",
)
NUDGE = NudgeView(x_mm=2, y_mm=0, turn_deg=0, scale=1, can_undo=True)


def build_projector_view(**changes: Any) -> ProjectorView:
    first: dict[str, Any] = {
        "page_size": None, "step": None, "note": "", "pattern": None, "warp": None, "error": None, "checking": False,
        "nudge": None, "dark_mm": [], "halos_mm": {},
    }  # fmt: skip
    return ProjectorView.model_validate({**first, **changes})


def test_a_projector_is_calibrated_from_here(page: Page, address: str, table: PlayedTable) -> None:
    page.goto(address)
    card = page.locator("#light-card")
    expect(card).to_be_hidden()
    steps: list[tuple[dict[str, Any], str, str, object]] = [
        ({"note": "It is not calibrated."}, "not calibrated", "Calibrate the projector", ProjectorBegin),
        ({"step": "first", "note": "9 of 40 tags of light seen."}, "9 of 40", "Cancel", ProjectorStop),
        (
            {"step": "measured", "error": ERROR},
            "0.46 mm at the worst (far right)",
            "Keep it",
            ProjectorKeep,
        ),
        ({"error": ERROR}, "it may be off by 1.6 mm (near left)", "Calibrate again", ProjectorBegin),
        ({"error": ERROR, "nudge": NUDGE}, "Moved by hand: 2.0 mm to the right.", "Away by 1 mm", NudgeLight),
        ({"error": ERROR, "nudge": NUDGE}, "Moved by hand", "Undo", NudgeBack),
    ]
    for changes, text, button, order in steps:
        table.projector = build_projector_view(**changes)
        table.publish()
        expect(card).to_contain_text(text)
        assert type(press_and_wait(card, button, table)) is order


def press_and_wait(card: Locator, button: str, table: PlayedTable) -> Message:
    """Press a button; return what the page asked for then."""
    before = len(table.orders)
    card.get_by_role("button", name=button, exact=True).click()
    wait_for(lambda: len(table.orders) > before, otherwise=lambda: f"{button} asked for nothing")
    return table.orders[-1].message
