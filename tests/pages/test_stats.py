"""The page of a game in figures: what a player reads and touches there."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from assistant.replay.recorded_game import RecordedGame
from assistant.web.app import create_app
from assistant.web.hub import Hub
from assistant.web.replay_routes import Archive
from tests.assistant.replay.sample_recording import play_sample_game
from tests.pages.kept_windows import start_server
from tests.pages.pixels import read_colour


@pytest.fixture(scope="module")
def stats(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    path = tmp_path_factory.mktemp("game") / "game.overtable"
    play_sample_game(path)
    app = create_app(hub=Hub(), picture=lambda: None, join_urls=[], archive=Archive(RecordedGame(path)))
    server = start_server(app)
    yield f"http://127.0.0.1:{server.port}/stats"
    server.stop()


def test_a_game_is_read_in_figures_and_seen_on_its_map(page: Page, stats: str) -> None:
    page.goto(stats)
    expect(page.locator("#title")).to_have_text("Two scouts")
    expect(page.locator(".tile").filter(has_text="moves accepted")).to_contain_text("2")
    expect(page.locator("#units .measure").first).to_contain_text("walker")
    expect(page.locator("#rulings")).to_contain_text("We agreed.")
    heat = page.locator("#heat")
    box = heat.bounding_box()
    assert box is not None
    s1 = {"x": box["width"] * (11.5 * 25.4) / 1524, "y": box["height"] * (1 - 11.5 * 25.4 / 1118)}
    felt = read_colour(heat, {"x": 5, "y": 5})
    assert read_colour(heat, s1) != felt
    page.get_by_role("button", name="blue").click()
    assert read_colour(heat, s1) == felt
    page.get_by_role("button", name="red").click()
    assert read_colour(heat, s1) != felt


def test_it_fits_a_telephone(phone: Page, stats: str) -> None:
    phone.goto(stats)
    expect(phone.locator("#title")).to_have_text("Two scouts")
    small = phone.locator("button").evaluate_all("all => all.filter(b => b.offsetHeight < 44).length")
    assert small == 0
