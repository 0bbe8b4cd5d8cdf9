"""A battle report in one file, opened from disk: a person changes its words and saves it."""

from pathlib import Path

from playwright.sync_api import Page, expect

from assistant.replay.recorded_game import RecordedGame
from assistant.replay.reports.battle import tell_battle
from assistant.replay.reports.battle_pictures import BattlePictures
from assistant.web.battle_page import read_texts, render_battle_page
from tests.assistant.replay.sample_recording import play_sample_game


def test_what_is_written_is_saved_with_the_page(page: Page, tmp_path: Path) -> None:
    play_sample_game(tmp_path / "game.overtable")
    past = RecordedGame(tmp_path / "game.overtable")
    battle = tell_battle(past)
    file = tmp_path / "battle.html"
    file.write_text(render_battle_page(battle, BattlePictures(past, battle)), encoding="utf-8")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(file.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    story = page.locator('[data-text="turn-1-red-story"]')
    story.click()
    page.keyboard.type("They ran.")
    title = page.locator("h1")
    title.fill("The walker comes")
    expect(page).to_have_title("The walker comes")
    with page.expect_download() as saved:
        page.locator("#save").click()
    assert saved.value.suggested_filename == "The walker comes.html"
    kept = Path(saved.value.path()).read_text(encoding="utf-8")
    texts = read_texts(kept)
    assert (texts["title"], texts["turn-1-red-story"]) == ("The walker comes", "They ran.")
    (tmp_path / "again.html").write_text(kept, encoding="utf-8")
    page.goto((tmp_path / "again.html").as_uri())
    expect(page.locator("h1")).to_have_text("The walker comes")
    assert [url for url in asked if not url.startswith(("data:", "file:", "blob:"))] == []
