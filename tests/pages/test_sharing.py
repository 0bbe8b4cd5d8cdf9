"""Sharing a moment: its picture, and a link that leads others to it; and the whole game."""

import cv2
import numpy as np
from playwright.sync_api import Page, Route, expect

from tests.pages.layout_faults import list_layout_faults
from tests.pages.served_session import ADDRESS
from tests.pages.test_calls import GREY
from tests.pages.test_judge import address, desk, session
from tests.pages.test_layout import PHONE, list_grave_faults

__all__ = ["address", "desk", "session"]


def test_a_moment_is_shared_as_a_picture_and_a_link(desk: Page, address: str) -> None:
    desk.route("**/past/table.jpg*", lambda route: route.fulfill(body=GREY, content_type="image/jpeg"))
    desk.locator("#list").get_by_role("button").filter(has_text="moved").first.click()
    expect(desk.locator("#a figcaption")).not_to_have_text("now")
    moment = desk.locator("#a figcaption").inner_text()
    desk.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    desk.get_by_role("button", name="Share").click()
    with desk.expect_download() as kept:
        desk.get_by_role("button", name="Picture").click()
    picture = cv2.imread(str(kept.value.path()))
    assert picture is not None
    assert picture.shape[1] == 1920
    assert picture.std() > 5, "it shows something"
    assert list_layout_faults(desk) == []
    assert list_grave_faults(desk) == []
    link = desk.get_by_label("Link to this moment").input_value()
    assert link.startswith(f"{ADDRESS}/judge?at_ns="), "it leads others here, not to their own device"
    desk.goto(link.replace(ADDRESS, address))
    expect(desk.locator("#a figcaption")).to_have_text(moment)


def test_a_moment_that_is_on_its_way_is_shared(desk: Page) -> None:
    held = list[Route]()
    desk.route("**/past/table.jpg*", lambda route: route.fulfill(body=GREY, content_type="image/jpeg"))
    desk.route("**/past/view.json*", lambda route: route.continue_() if held else held.append(route))
    desk.locator("#list").get_by_role("button").filter(has_text="moved").first.click()
    desk.get_by_role("button", name="Share").click()
    with desk.expect_download():
        desk.get_by_role("button", name="Picture").click()
    assert desk.locator("#a").get_attribute("aria-busy") == "true", "the page itself still waits for it"
    held[0].continue_()
    expect(desk.locator("#a")).to_have_attribute("aria-busy", "false")


def test_what_is_not_shown_yet_is_said(desk: Page, address: str) -> None:
    desk.route_web_socket("**/ws?*", lambda _socket: None)
    desk.goto(f"{address}/judge")
    desk.get_by_role("button", name="Share").click()
    expect(desk.locator("dialog.share [role=status]")).to_contain_text("not shown here yet")
    expect(desk.get_by_role("button", name="Picture")).to_be_disabled()


def test_a_clip_lies_on_what_the_camera_saw(desk: Page) -> None:
    asked = list[str]()

    def show_grey(route: Route) -> None:
        asked.append(route.request.url)
        route.fulfill(body=GREY, content_type="image/jpeg")

    desk.route("**/past/table.jpg*", show_grey)
    desk.locator("#list").get_by_role("button").filter(has_text="moved").first.click()
    expect(desk.locator("#a figcaption")).not_to_have_text("now")
    desk.get_by_role("button", name="Share").click()
    expect(desk.get_by_role("button", name="Clip")).to_be_enabled()
    asked.clear()
    with desk.expect_download() as kept:
        desk.get_by_role("button", name="Clip").click()
    assert len(asked) > 1, "it has more pictures than one"
    film, pictures = cv2.VideoCapture(str(kept.value.path())), []
    while (read := film.read())[0]:
        pictures.append(read[1])
    assert pictures
    for picture in (pictures[0], pictures[-1]):
        assert picture.shape[1] == 1280
        middle = picture[picture.shape[0] // 4 : picture.shape[0] // 2]
        assert abs(float(np.median(middle)) - 140) < 15


def test_the_whole_game_is_shared_from_the_tablet(desk: Page, address: str) -> None:
    desk.goto(f"{address}/tablet")
    desk.get_by_role("button", name="Share").click()
    expect(desk.locator("dialog.share h2").first).to_have_text("Share this moment")
    desk.get_by_role("button", name="Done").click()
    desk.evaluate("document.dispatchEvent(new Event('game-over'))")
    expect(desk.locator("dialog.share h2").first).to_have_text("The game is over")
    expect(desk.get_by_role("link", name="PDF")).to_have_attribute("href", "/past/battle.pdf")
    with desk.expect_download() as kept:
        desk.get_by_role("button", name="Timelapse film").click()
    assert kept.value.suggested_filename == "timelapse.webm"
    with desk.context.expect_page() as opened:
        desk.get_by_role("link", name="Battle report").click()
    report = opened.value
    with report.expect_request("**/past/battle.pdf") as asked, report.expect_download():
        report.get_by_role("button", name="PDF").click()
    assert asked.value.method == "GET", "who only watches may send nothing"
    expect(report.get_by_role("button", name="PDF")).to_be_enabled()
    report.locator('[data-text="title"]').fill("Two scouts meet")
    with report.expect_download() as saved:
        report.get_by_role("button", name="Save").click()
    assert saved.value.suggested_filename == "Two scouts meet.html"
    page = saved.value.path().read_text(encoding="utf-8").partition("<script>")[0]
    assert "Two scouts meet" in page
    assert "connect-src" not in page, "what is saved asks nobody"
    assert "data-served" not in page
    with report.expect_download() as printed:
        report.get_by_role("button", name="PDF").click()
    assert printed.value.suggested_filename == "Two scouts meet.pdf"
