"""A replay in a real browser: its bar is pressed, dragged and driven by keys."""

import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from assistant.recording.journal.reader import read_about
from assistant.replay.recorded_game import RecordedGame
from assistant.replay.verdict_diff import override_parameters
from assistant.runtime.replay_loop import play
from assistant.web.app import create_app
from assistant.web.hub import Hub
from assistant.web.replay_routes import Archive
from tests.assistant.replay.sample_recording import play_sample_game
from tests.pages.kept_windows import start_server
from tests.pages.layout_faults import list_layout_faults
from tests.pages.played_game import encode_camera_picture

NOTHING: Future[str] = Future()
NOTHING.set_result("")


@contextmanager
def serve_replay(past: RecordedGame) -> Iterator[str]:
    """Serve the pages of a replay; yield their address."""
    hub, stop = Hub(), threading.Event()
    player = threading.Thread(target=play, args=(past, hub, stop), kwargs={"speed": 1.0, "notice": NOTHING})
    server = start_server(create_app(hub=hub, picture=encode_camera_picture, join_urls=[], archive=Archive(past)))
    player.start()
    try:
        yield f"http://127.0.0.1:{server.port}"
    finally:
        stop.set()
        player.join()
        server.stop()


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    with serve_replay(RecordedGame(play_sample_game(tmp_path / "game.overtable").path)) as found:
        yield found


def test_turns_and_findings_are_marked_along_the_bar(page: Page, address: str) -> None:
    page.goto(f"{address}/tablet")
    ticks = page.locator(".playing .ticks i")
    expect(ticks.locator('xpath=self::*[@data-kind="turn"]').first).to_be_attached()
    expect(ticks.locator('xpath=self::*[@data-kind="illegal"]').first).to_be_attached()
    line, places = page.get_by_role("slider").bounding_box(), [tick.bounding_box() for tick in ticks.all()]
    assert line is not None
    assert all(place and line["x"] <= place["x"] <= line["x"] + line["width"] for place in places)
    assert len({round(place["x"]) for place in places if place}) > 1, "they are told apart"
    page.get_by_role("group", name="The replay").get_by_role("button", name="Pause").click()
    found = ticks.locator('xpath=self::*[@data-kind="illegal"]').first.bounding_box()
    assert found is not None
    page.touchscreen.tap(found["x"] + 6, line["y"] + line["height"] / 2)
    expect(page.locator(".playing .meant")).to_contain_text("out of coherency")


def test_a_replay_is_paused_stepped_through_and_scrubbed(page: Page, address: str) -> None:
    page.goto(f"{address}/tablet")
    bar = page.get_by_role("group", name="The replay")
    expect(page.locator("#camera")).to_have_text("Recorded game")
    bar.get_by_role("button", name="Pause").click()
    expect(bar.get_by_role("button", name="Play")).to_be_visible()
    line = bar.get_by_role("slider")
    line.press("Home")
    expect(line).to_have_attribute("aria-valuetext", "0:00:00 / 0:00:20")
    page.locator("#table").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#verdict")).to_contain_text("Not legal")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#verdict")).not_to_contain_text("Not legal")
    box = line.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] - 10, box["y"] + box["height"] / 2)
    expect(page.locator("#turn")).to_contain_text("Reinforcements")
    bar.get_by_role("combobox", name="Speed").select_option("16")
    page.locator("#table").focus()
    page.keyboard.press(" ")
    expect(page.locator("#camera")).to_have_text("Recording ended")
    expect(bar.get_by_role("button", name="Play")).to_be_visible()


@pytest.mark.parametrize("size", [(390, 844), (1280, 800)], ids=["phone", "tablet"])
def test_the_bar_covers_nothing(page: Page, address: str, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    for name in ("tablet", ""):
        page.goto(f"{address}/{name}")
        expect(page.get_by_role("group", name="The replay")).to_be_visible()
        assert list_layout_faults(page) == []


def test_a_replay_by_other_rules_marks_what_it_calls_otherwise(page: Page, tmp_path: Path) -> None:
    path = play_sample_game(tmp_path / "game.overtable").path
    about = override_parameters(path, read_about(path), {"coherency_in": 0.5})
    with serve_replay(RecordedGame(path, about)) as address:
        page.goto(f"{address}/judge")
        page.get_by_role("button", name="Everything").click()
        marked = page.locator("#list .item").filter(has_text="judged differently now")
        marked.filter(has_text="This was called legal in play and is called not legal now.").last.get_by_role(
            "button"
        ).click()
        expect(page.locator("#a figcaption")).to_contain_text("0:00:00.")
        expect(marked.locator(".icon").first).to_be_visible()
        page.goto(f"{address}/tablet")
        page.get_by_role("button", name="Pause").click()
        page.get_by_role("slider", name="Time").press("Home")
        expect(page.locator("#notices")).to_contain_text("is called not legal now")
