"""The judge's desk, by doing what a judge does: look back, compare, measure, rule, and write it down."""

import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from playwright.sync_api import BrowserContext, Locator, Page, Route, expect

from assistant.game.events import StepBegan, TurnBegan
from assistant.game.situation_file import encode_situation
from assistant.recording.journal.writer import Journal
from assistant.table.session import GameSession
from tests.assistant.snapshot_script import SnapshotScript, build_game
from tests.pages.kept_windows import KeptWindows
from tests.pages.pixels import read_colour
from tests.pages.served_session import serve_session

PLACES = {"s1": (300.0, 300.0), "s2": (300.0, 350.0), "w1": (600.0, 320.0)}


@pytest.fixture
def session(tmp_path: Path) -> Iterator[GameSession]:
    """A game in which a scout went too far and was taken back, and a second one is under way."""
    path = tmp_path / "game.overtable"
    game = build_game()
    game = replace(game, units=(replace(game.units[0], name="Swift Scouts"), *game.units[1:]))
    about = {"title": "Two scouts", "situation": json.dumps(encode_situation(game))}
    with Journal(path, about=about) as journal:
        made = GameSession(game, journal)
        script = SnapshotScript()
        made.observe(script.take_snapshot())
        made.advance_turn()
        made.declare(unit="scouts", action="normal")
        for frame in script.slide("s2", 300, 520):
            made.observe(frame)
        script.now_ns += 5_000_000_000
        made.observe(script.take_snapshot())
        made.withdraw()  # where it stands, so that it was judged there
        for frame in script.slide("s2", 300, 350):
            made.observe(frame)
        made.withdraw()
        made.accept()
        script.now_ns += 5_000_000_000
        made.advance_turn()
        made.observe(script.take_snapshot())
        journal.close()
        # The table's own thread goes on with it, as that of `run` does from the start.
        journal._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        yield made


@pytest.fixture
def address(session: GameSession, tmp_path: Path) -> Iterator[str]:
    with serve_session(session, PLACES, tmp_path / "game.overtable", session.now_ns) as found:
        yield found


@pytest.fixture
def desk(page: Page, address: str) -> Page:
    page.goto(f"{address}/judge")
    expect(page.locator("#camera")).to_have_text("Camera live")
    expect(page.locator("#list .item")).to_have_count(2)
    return page


def find_item(desk: Page, text: str) -> Locator:
    return desk.locator("#list .item").filter(has_text=text)


def find_caption(desk: Page, side: str = "a") -> Locator:
    return desk.locator(f"#{side} figcaption")


def locate_in_window(canvas: Locator, x_mm: float, y_mm: float) -> tuple[float, float]:
    """Where a point of the table lies in the window, once the table is shown."""
    expect(canvas.locator("..")).to_have_attribute("aria-busy", "false")
    box = canvas.bounding_box()
    assert box is not None
    scale = min((box["width"] - 24) / 1524, (box["height"] - 24) / 1118)
    left, top = (box["width"] - 1524 * scale) / 2, (box["height"] + 1118 * scale) / 2
    return box["x"] + left + x_mm * scale, box["y"] + top - y_mm * scale


def test_a_finding_takes_the_table_back_to_when_it_was_made(desk: Page) -> None:
    expect(find_caption(desk)).to_have_text("now")
    find_item(desk, "s2 moved 6.69").get_by_role("button").first.click()
    expect(find_caption(desk)).to_have_text("0:00:01.4")
    expect(find_item(desk, "s2 moved 6.69")).to_contain_text('Measured 170.00 mm (6.69"), limit 152.40 mm (6")')
    expect(desk.locator("#line")).to_have_attribute("aria-valuetext", "0:00:01.4")
    desk.get_by_role("button", name="Now").click()
    expect(find_caption(desk)).to_have_text("now")


def test_filters_leave_what_is_asked_for(desk: Page) -> None:
    for outcome in ("Too close to call", "Legal, but close"):
        desk.get_by_role("button", name=outcome).click()
        expect(desk.locator("#list")).to_contain_text("Nothing matches the filter.")
        desk.get_by_role("button", name=outcome).click()
    desk.get_by_text("By unit, player, rule or turn").click()
    desk.get_by_label("Every rule").select_option("10e-15")
    expect(desk.locator("#list .item")).to_have_count(1)
    expect(desk.get_by_label("Every unit").locator("option")).to_have_text(["Every unit", "Swift Scouts", "walker"])
    desk.get_by_label("Every unit").select_option("walker")
    expect(desk.locator("#list .item")).to_have_count(0)
    desk.get_by_role("button", name="Everything").click()
    desk.get_by_label("Every unit").select_option("")
    expect(desk.locator("#list")).to_contain_text("Reinforcements began.")


def test_the_time_is_scrubbed_by_hand_and_by_keys(desk: Page) -> None:
    line = desk.locator("#line")
    box = line.bounding_box()
    assert box is not None
    desk.mouse.move(box["x"] + box["width"] / 2, box["y"] + 20)
    desk.mouse.down()
    desk.mouse.move(box["x"] + 15, box["y"] + 20, steps=4)
    desk.mouse.up()
    expect(find_caption(desk)).to_have_text("0:00:00.0")
    line.press("ArrowRight")
    expect(find_caption(desk)).to_have_text("0:00:01.4")
    line.press("PageDown")
    expect(find_caption(desk)).to_have_text(re.compile(r"0:00:0[67]\.\d"))
    line.press("Home")
    expect(find_caption(desk)).to_have_text("0:00:00.0")
    line.press("l")
    expect(find_caption(desk)).to_have_text("now")
    desk.touchscreen.tap(box["x"] + 15, box["y"] + 20)
    expect(find_caption(desk)).to_have_text("0:00:00.0")


def test_two_moments_side_by_side_show_who_stands_elsewhere(desk: Page) -> None:
    find_item(desk, "s2 moved 6.69").get_by_role("button").first.click()
    desk.get_by_role("button", name="Two moments").click()
    expect(find_caption(desk, "b")).to_contain_text("B · ")
    desk.locator("#line").press("Home")
    expect(desk.locator("#told")).to_have_text("From A to B: s2 170.0 mm, 0.0°.")
    desk.locator("#a canvas").click()
    desk.locator("#line").press("Home")
    expect(desk.locator("#told")).to_have_text("Every model stands the same at A and B.")


def test_what_stood_then_is_measured_by_touching_two_things(desk: Page) -> None:
    find_item(desk, "s2 moved 6.69").get_by_role("button").first.click()
    expect(find_caption(desk)).to_have_text("0:00:01.4")
    desk.get_by_role("button", name="Measure").click()
    canvas = desk.locator("#a canvas")
    desk.touchscreen.tap(*locate_in_window(canvas, 300, 300))
    expect(desk.locator("#told")).to_have_text("From s1. Now touch what to measure to.")
    desk.touchscreen.tap(*locate_in_window(canvas, 300, 520))
    expect(desk.locator("#told")).to_contain_text('s1 to s2: 7.4"')
    expect(desk.locator("#told")).to_contain_text("188.00 ± 0.28 mm")
    x, y = locate_in_window(canvas, 300, 410)
    box = canvas.bounding_box()
    assert box is not None
    red, green, blue = read_colour(canvas, {"x": x - box["x"], "y": y - box["y"]})
    assert (red > 200, green > 180, blue < 220) == (True, True, True)


def test_a_judge_rules_on_what_is_past_and_says_why(desk: Page, session: GameSession) -> None:
    find_item(desk, "s2 moved 6.69").get_by_role("button").first.click()
    desk.get_by_role("button", name="Rule it legal").click()
    expect(desk.get_by_label("Reason, in a sentence")).to_be_focused()
    desk.get_by_label("Reason, in a sentence").fill("The scout was bumped")
    desk.get_by_role("button", name="Rule it legal").click()
    expect(find_item(desk, "s2 moved 6.69")).to_contain_text("The judge ruled: legal – The scout was bumped")
    (ruling,) = session.rulings
    assert (ruling.by, ruling.outcome, ruling.rule, ruling.referee) == ("judge", "legal", "10e-15", "illegal")
    desk.get_by_role("button", name="Everything").click()
    expect(desk.locator("#list .item").first).to_contain_text("The judge ruled: legal, of: s2 moved 6.69")


def test_a_ruling_is_told_at_the_table_and_taken_back(
    desk: Page, open_window: Callable[[], Page], address: str, session: GameSession
) -> None:
    find_item(desk, "s2 moved 6.69").get_by_role("button").first.click()
    desk.get_by_label("Reason, in a sentence").fill("The scout was bumped")
    desk.get_by_role("button", name="Rule it legal").click()
    tablet = open_window()
    tablet.goto(f"{address}/tablet")
    expect(tablet.locator("#notices")).to_contain_text("The judge ruled: legal, of: s2 moved 6.69")
    # What a player decided before is still the player's to take back.
    assert isinstance(session.last_decision, TurnBegan | StepBegan)
    desk.get_by_role("button", name="Take back: The judge ruled: legal (0:").click()
    expect(find_item(desk, "s2 moved 6.69")).not_to_contain_text("The judge ruled")
    expect(desk.get_by_role("button", name="Take back")).to_have_count(0)
    expect(tablet.locator("#notices")).not_to_contain_text("The judge ruled")
    assert session.rulings == ()


def test_a_finding_stays_open_while_the_moment_before_it_is_looked_at_beside_it(desk: Page) -> None:
    find_item(desk, "s2 moved 6.69").get_by_role("button").first.click()
    desk.get_by_role("button", name="Two moments").click()
    desk.locator("#line").press("Home")
    expect(find_caption(desk, "b")).to_have_text("B · 0:00:00.0")
    expect(desk.get_by_role("button", name="Rule it legal")).to_be_visible()


def test_another_game_takes_the_place_of_the_one_that_was_looked_at(desk: Page) -> None:
    find_item(desk, "s2 moved 6.69").get_by_role("button").first.click()
    expect(find_caption(desk)).to_have_text("0:00:01.4")
    after: list[str] = []

    def other(route: Route) -> None:
        after.append(route.request.url.rpartition("=")[2])
        told = {"revision": 2, "more": False, "recording": "next.overtable", "began": "", "ended_ns": 0}
        route.fulfill(json={**told, "happened": [], "found": []})

    desk.route("**/past/moments.json*", other)
    expect(desk.locator("#list")).to_contain_text("Nothing illegal or undecided was accepted.")
    expect(find_caption(desk)).to_have_text("now")
    assert after[1] == "0"


def test_a_program_that_does_not_answer_is_no_toast_but_in_the_bar(context: BrowserContext, address: str) -> None:
    desk = context.new_page()  # a page of its own: the browser logs what does not answer
    desk.goto(f"{address}/judge")
    expect(desk.locator("#list .item")).to_have_count(2)
    desk.route("**/past/*", lambda route: route.abort())
    with desk.expect_event("requestfailed"):
        pass
    expect(desk.locator("#toast")).to_be_hidden()
    desk.locator("#line").press("Home")
    expect(desk.locator("#toast")).to_have_text("The program at the table does not answer; try again in a moment.")


def test_a_phone_shows_the_table_while_its_list_is_gone_through(windows: KeptWindows, address: str) -> None:
    desk = windows.take(viewport={"width": 390, "height": 600}).new_page()
    desk.goto(f"{address}/judge")
    find_item(desk, "s2 moved 6.69").get_by_role("button").first.tap()
    link = desk.get_by_role("link", name="as PDF")
    link.scroll_into_view_if_needed()
    views, below = desk.locator("#views").bounding_box(), link.bounding_box()
    assert views is not None
    assert below is not None
    assert views["y"] == 0
    assert below["y"] >= views["height"]


def test_an_incident_is_written_down(desk: Page, address: str) -> None:
    find_item(desk, "s2 moved 6.69").get_by_role("button").first.click()
    with desk.expect_popup() as opened:
        find_item(desk, "s2 moved 6.69").get_by_role("link", name="Incident report").click()
    report = opened.value
    expect(report.locator("h1")).to_have_text("Incident report")
    expect(report.locator("#sheet")).to_contain_text('170.00 mm (6.693")')
    expect(report.locator("#sheet")).to_contain_text("10e-15 · Normal move: each model at most its Move")
    expect(report.locator("svg")).to_have_count(2)
    made = report.request.get(f"{address}{report.locator('#pdf').get_attribute('href')}").body()
    assert len(re.findall(rb"/Type\s*/Page\b", made)) == 1
    assert len(re.findall(rb"/Type\s*/Page\b", report.pdf(prefer_css_page_size=True))) == 1


@pytest.mark.parametrize("size", [(390, 844), (1280, 800), (1920, 1080)])
def test_nothing_is_cut_off_or_covered_at_any_size(windows: KeptWindows, address: str, size: tuple[int, int]) -> None:
    desk = windows.take(viewport={"width": size[0], "height": size[1]}).new_page()
    desk.goto(f"{address}/judge")
    find_item(desk, "s2 moved 6.69").get_by_role("button").first.click()
    desk.get_by_role("button", name="Two moments").click()
    expect(desk.locator("#told")).to_contain_text("From A to B")
    assert desk.evaluate("document.documentElement.scrollWidth - innerWidth") == 0
    boxes = [
        box
        for each in ("#views", "#told", "#tools", "#timeline", "#filters", "#list")
        if (box := desk.locator(each).bounding_box())
    ]
    for one in boxes:
        for other in boxes:
            if one is not other:
                apart = (
                    one["x"] + one["width"] <= other["x"] + 1
                    or other["x"] + other["width"] <= one["x"] + 1
                    or one["y"] + one["height"] <= other["y"] + 1
                    or other["y"] + other["height"] <= one["y"] + 1
                )
                assert apart, (one, other)
    small = desk.locator("#tools button, #filters button").evaluate_all(
        "all => all.filter(b => b.offsetHeight < 44).length"
    )
    assert small == 0


def test_tags_are_said_to_have_been_exchanged_from_a_moment_on(desk: Page, session: GameSession) -> None:
    find_item(desk, "s2 moved 6.69").get_by_role("button").first.click()
    desk.get_by_role("button", name="Swapped markers").click()
    desk.get_by_label("This model").select_option("s2")
    desk.get_by_label("and this one carry each other's markers").select_option("w1")
    desk.get_by_role("button", name="Swapped since 0:00:01.4").click()
    expect(desk.locator("#swap")).to_be_empty()
    desk.get_by_role("button", name="Everything").click()
    expect(desk.locator("#list .item").first).to_contain_text("s2 and w1 carry each other's markers, and did before")
    assert session.state.carried == {1: "w1", 2: "s2"}


def test_a_call_of_the_past_is_shown_from_near(desk: Page) -> None:
    grey = bytes(cv2.imencode(".jpg", np.full((90, 160, 3), 140, dtype=np.uint8))[1])
    desk.route("**/past/table.jpg*", lambda route: route.fulfill(body=grey, content_type="image/jpeg"))
    find_item(desk, "s2 moved 6.69").get_by_role("button").first.click()
    with desk.expect_request(lambda request: "/past/table.jpg?at_ns=" in request.url and "model=s2" in request.url):
        desk.get_by_role("button", name="Show the call").click()
    expect(desk.locator(".call canvas")).to_have_attribute("data-ended", "true")
    assert "10e-15" in (desk.locator(".call canvas").get_attribute("aria-label") or "")
    desk.get_by_role("button", name="Close", exact=True).click()
    desk.get_by_role("button", name="Now").click()
    expect(desk.get_by_role("button", name="Show the call")).to_have_count(0)
