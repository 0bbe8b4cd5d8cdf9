"""A recorded game in one file, opened from disk: what a person does who was sent it."""

import json
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path, PurePosixPath

import pytest
from playwright.sync_api import Page, expect

from assistant.game.events import SourceChanged
from assistant.game.situation_file import encode_situation
from assistant.recording.journal.writer import Journal
from assistant.table.session import GameSession
from assistant.web.replay_page import STATIC, collect_modules, render_replay_page
from tests.assistant.replay.sample_recording import play_sample_game
from tests.assistant.snapshot_script import SnapshotScript, build_game
from tests.assistant.web.languages.test_reading import ENGLISH
from tests.pages.conftest import note_errors
from tests.pages.kept_windows import KeptWindows


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sent")
    play_sample_game(folder / "game.overtable")
    path = folder / "game.html"
    path.write_text(render_replay_page(folder / "game.overtable"), encoding="utf-8")
    return path


@pytest.fixture
def opened(page: Page, file: Path) -> Iterator[Page]:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    expect(page.locator("#title")).to_have_text("Two scouts")
    yield page
    assert [url for url in asked if not url.startswith(("data:", "blob:", file.as_uri()))] == []


@pytest.mark.parametrize(
    ("locale", "next_move", "said"),
    [("de-AT", "Nächste Bewegung", "bewegte sich 6,69"), ("fr", "Mouvement suivant", "a parcouru 6,69")],
)
def test_it_is_in_the_language_of_whoever_opens_it(
    windows: KeptWindows, file: Path, locale: str, next_move: str, said: str
) -> None:
    page = windows.take(locale=locale).new_page()
    errors = note_errors(page)
    page.goto(file.as_uri())
    expect(page.locator("#title")).to_have_text("Two scouts")
    page.get_by_role("button", name=next_move).click()
    expect(page.locator("#told")).to_contain_text(said)
    expect(page.locator(".item").first).to_be_visible()
    lines = [*page.locator("body").inner_text().splitlines(), *page.locator(".item .grow").all_inner_texts()]
    assert [line for line in lines if ENGLISH.search(line)] == []
    labels = [element.get_attribute("aria-label") for element in page.locator("[aria-label]").all()]
    assert [label for label in labels if ENGLISH.search(label or "")] == []
    assert errors == []


def test_a_moment_of_it_is_shared(opened: Page) -> None:
    opened.locator("#line").press("End")
    opened.get_by_role("button", name="Share").click()
    expect(opened.get_by_label("Link to this moment")).to_be_hidden()  # nobody else could follow it to this disk
    with opened.expect_download() as kept:
        opened.get_by_role("button", name="Picture").click()
    assert kept.value.path().stat().st_size > 10_000


def test_a_link_leads_to_a_moment_of_it(page: Page, file: Path) -> None:
    page.goto(f"{file.as_uri()}#2000000000")
    expect(page.locator("#title")).to_have_text("Two scouts")
    assert read_time_s(page) == 1


def read_time_s(page: Page) -> float:
    hours, minutes, seconds = page.locator("#a figcaption").inner_text().split(":")
    return 3600 * int(hours) + 60 * int(minutes) + float(seconds)


def test_it_opens_where_the_models_are_seen(page: Page, tmp_path: Path) -> None:
    path, script = tmp_path / "game.overtable", SnapshotScript(now_ns=1_800_000_000_000_000_000)
    with closing(Journal(path, about={"situation": json.dumps(encode_situation(build_game()))})) as journal:
        session = GameSession(build_game(), journal)
        session.now_ns = script.now_ns
        session.record_event(SourceChanged(state="live", text="the camera is live"))
        session.record_call()
        script.now_ns += 2_000_000_000
        session.observe(script.take_snapshot())
        session.record_call()
    (tmp_path / "game.html").write_text(render_replay_page(path), encoding="utf-8")
    page.goto((tmp_path / "game.html").as_uri())
    expect(page.locator("#a figcaption")).to_have_text("0:00:02.0")
    page.locator("#line").press("Home")
    expect(page.locator("#a figcaption")).to_have_text("0:00:00.0")  # the beginning is there for who wants it


def test_it_plays_and_pauses(opened: Page) -> None:
    opened.get_by_role("button", name="Play", exact=True).click()
    expect(opened.locator("#a figcaption")).not_to_have_text("0:00:00.0")
    opened.get_by_role("button", name="Pause").click()
    assert 0 < read_time_s(opened) < 20
    opened.get_by_label("Speed").select_option("16")
    opened.locator("#a canvas").press(" ")
    expect(opened.locator("#clock")).to_contain_text(re.compile(r"0:00:(\d\d) of 0:00:\1"))
    opened.get_by_role("button", name="Play", exact=True).click()  # from the beginning again


def test_moves_are_stepped_through_and_time_is_scrubbed(opened: Page) -> None:
    following = opened.get_by_role("button", name="Next move")
    following.click()
    expect(opened.locator("#told")).to_contain_text('Move 1. Turn 1, red. scouts: Normal move, 6.69" of 6", not legal')
    first = read_time_s(opened)
    for number in (2, 3, 4):
        following.click()
        expect(opened.locator("#told")).to_contain_text(f"Move {number}.")
    expect(following).to_be_disabled()
    opened.get_by_role("button", name="Previous move").click()
    expect(opened.locator("#told")).to_contain_text("Move 3.")
    assert read_time_s(opened) > first
    opened.locator("#line").press("Home")
    expect(opened.locator("#a figcaption")).to_have_text("0:00:00.0")
    opened.locator("#line").press("End")
    expect(opened.locator("#a figcaption")).not_to_have_text("0:00:00.0")


def test_a_finding_is_looked_into_without_a_server(opened: Page) -> None:
    item = opened.locator("#list .item").filter(has_text="s2 moved 6.69").first
    item.get_by_role("button").first.click()
    expect(item).to_contain_text('Measured 170.00 mm (6.69"), limit 152.40 mm (6")')
    expect(opened.get_by_role("link")).to_have_count(0)
    assert read_time_s(opened) > 0


def test_it_fits_a_telephone(phone: Page, file: Path) -> None:
    phone.goto(file.as_uri())
    expect(phone.locator("#title")).to_have_text("Two scouts")


def test_every_module_that_is_imported_is_in_the_file() -> None:
    found = collect_modules(PurePosixPath("replayed/replayed.js"))
    assert "overtable/common/draw.js" in found
    for source in found.values():
        imported = re.findall(r'^(?:import|export)\b[^;]*?from\s*"([^"]+)"', source, re.MULTILINE)
        assert set(imported) <= found.keys()
        assert not re.search(r"^import\s*[\"(]", source, re.MULTILINE)
    assert all((STATIC / name.removeprefix("overtable/")).is_file() for name in found)
