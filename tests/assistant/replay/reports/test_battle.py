"""The battle report: what is told of a scripted game, on its maps, as a page, as a PDF, and in people's own words."""

import re
from pathlib import Path

import cv2
import numpy as np
import pytest

from assistant.overlay.palette import PALETTE
from assistant.replay.past_table import TablePhotographer
from assistant.replay.recorded_game import RecordedGame
from assistant.replay.reports.battle import Battle, tell_battle
from assistant.replay.reports.battle_map import MapCanvas, draw_battle_map
from assistant.web.battle_page import read_texts
from assistant.web.languages.reading import read
from tests.assistant.cli.command_runner import run_overtable
from tests.assistant.replay.sample_recording import RecordedTable, play_sample_game
from tests.assistant.web.languages.test_reading import ENGLISH


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("battle") / "game.overtable"
    play_sample_game(path)
    return path


@pytest.fixture(scope="module")
def battle(path: Path) -> Battle:
    return tell_battle(RecordedGame(path))


def test_a_chapter_tells_the_moves_and_decisions_of_its_turn(battle: Battle) -> None:
    (chapter,) = battle.chapters  # of what was before the first turn there is nothing to tell
    assert chapter.title == "Turn 1: red"
    assert [(told.number, told.side) for told in chapter.moves] == [(1, 0), (2, 1)]
    assert chapter.moves[0].text.startswith('scouts: Normal move, 6.69" of 6", not legal')
    assert "accepted" not in chapter.moves[1].text
    assert chapter.happened == (
        "The players agreed: legal, of: walker cannot act so now: it is red's turn. We agreed.",
    )
    assert [(side.player, side.units) for side in battle.sides] == [
        ("red", (("scouts", 2),)),
        ("blue", (("walker", 1),)),
    ]


def test_every_move_has_an_arrow_in_its_sides_colour(battle: Battle) -> None:
    chapter = battle.chapters[0]
    picture = draw_battle_map(chapter.after, chapter.moves, None, 762)
    warp = MapCanvas(table=chapter.after.table, width_px=762).warp
    for told in chapter.moves:
        (track,) = (told.move.state.tracks[model] for model in told.move.accepted.models)  # type: ignore[union-attr]
        begin, end = (np.array([pose.x_mm, pose.y_mm]) for pose in (track.poses[0], track.poses[-1]))
        x, y = warp((begin + 0.4 * (end - begin))[None])[0].round().astype(int).tolist()
        red, green, blue = bytes.fromhex(PALETTE[f"side-{told.side}"].stroke.removeprefix("#"))
        near = picture[y - 3 : y + 4, x - 3 : x + 4].astype(int)
        assert np.abs(near - (blue, green, red)).max(axis=2).min() < 30
    bare = draw_battle_map(chapter.after, (), None, 762)
    assert (bare != picture).any(axis=2).sum() > 500


def test_where_nobody_counts_turns_it_is_told_some_moves_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assistant.replay.reports.battle.MOVES_A_CHAPTER", 2)
    table = RecordedTable(tmp_path / "uncounted.overtable")
    for at in range(3):
        table.do(lambda: table.session.declare(unit="scouts", action="normal"))
        table.show(*table.script.slide("s2", 300, 380 + 30 * at))
        table.do(table.session.accept)
    chapters = tell_battle(RecordedGame(table.path)).chapters
    assert [chapter.title for chapter in chapters] == ["Moves 1 to 2", "Moves 3 to 3"]
    assert [len(chapter.moves) for chapter in chapters] == [2, 1]
    stood = chapters[0].after.find_model("s2").pose
    assert stood is not None
    assert stood.y_mm == pytest.approx(410, abs=1)


def test_a_close_call_is_shown_from_near_where_it_was_measured(tmp_path: Path) -> None:
    table = RecordedTable(tmp_path / "close.overtable")
    table.do(lambda: table.session.declare(unit="scouts", action="normal"))
    table.show(*table.script.slide("s2", 300, 350 + 152.2))
    table.do(table.session.accept)
    (told, *_) = tell_battle(RecordedGame(table.path)).calls
    assert "too close to call" in told.title
    assert "one sigma" in told.figures
    out = tmp_path / "close.html"
    run_overtable("report", table.path, "--to", "html", "--out", out)
    assert "The closest calls" in out.read_text(encoding="utf-8")


def test_what_people_wrote_is_in_the_page_and_in_the_pdf(path: Path, tmp_path: Path) -> None:
    page, again, pdf = (tmp_path / name for name in ("battle.html", "again.html", "battle.pdf"))
    run_overtable("report", path, "--to", "html", "--out", page)
    text = page.read_text(encoding="utf-8")
    assert "http" not in text.replace("http-equiv", "")  # it loads nothing
    texts = read_texts(text)
    assert texts["title"] == "Two scouts"
    assert texts["turn-1-red-story"] == ""
    page.write_text(text.replace(">Two scouts</h1>", ">Scouts &amp; walker<br>at dusk</h1>"), encoding="utf-8")
    run_overtable("report", path, "--to", "html", "--texts", page, "--out", again)
    assert read_texts(again.read_text(encoding="utf-8")) == texts | {"title": "Scouts & walker\nat dusk"}
    run_overtable("report", path, "--to", "pdf", "--texts", page, "--out", pdf)
    assert pdf.read_bytes().startswith(b"%PDF")
    assert b"Scouts & walker" in pdf.read_bytes()  # the document's title


@pytest.mark.parametrize(
    ("language", "move", "clock"), [("de", "Bewegung", "im Spiel"), ("fr", "mouvement", "dans la partie")]
)
def test_a_report_is_in_the_language_that_is_asked_for(
    path: Path, language: str, move: str, clock: str, tmp_path: Path
) -> None:
    page, pdf = tmp_path / "battle.html", tmp_path / "battle.pdf"
    run_overtable("report", path, "--to", "html", "--language", language, "--out", page)
    text = page.read_text(encoding="utf-8")
    assert f'<html lang="{language}">' in text
    assert f"</strong>{move}" in text
    assert f"<p>1 {move}, " in text
    assert clock in text
    told = re.sub(r"<style>.*?</style>|<script>.*?</script>|base64,[^\"]*|overtable\.battle", "", text, flags=re.DOTALL)
    said = [
        part.strip()
        for part in re.findall(r">([^<>]+)<|(?:alt|aria-label|data-hint)=\"([^\"]*)", told)
        for part in part
    ]
    assert [part for part in said if ENGLISH.search(part)] == []
    run_overtable("report", path, "--to", "pdf", "--language", language, "--out", pdf)
    assert pdf.read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("24 March 2026, 19:23", "24. März 2026, 19:23 Uhr"),
        ("2 h 05 min of play", "2 h 05 min Spielzeit"),
        ("1 objective marker", "1 Missionsziel"),
        ("6 objective markers", "6 Missionsziele"),
        ('1 move, 12.5", 45 min 12 s', '1 Bewegung, 12,5", 45 min 12 s'),
        ("12 moves, 30 cm, 5 s", "12 Bewegungen, 30 cm, 5 s"),
        ("the longest move: Scouts 2", "die weiteste Bewegung: Scouts 2"),
        ("Moves 21 to 40", "Bewegungen 21 bis 40"),
        ("0:12:34 to 0:20:00", "0:12:34 bis 0:20:00"),
        ("Before the first turn", "Vor dem ersten Zug"),
        ("0:12:34.5 · Dog 2: too close to call, and taken back", "0:12:34,5 · Dog 2: zu knapp, und zurückgenommen"),
        (
            "0.12 mm past the limit; the camera is sure to 0.35 mm (one sigma)",
            "0,12 mm über der Grenze; die Kamera ist sich auf 0,35 mm sicher (ein Sigma)",
        ),
    ],
)
def test_what_a_report_makes_up_is_read(english: str, german: str) -> None:
    assert read(english, "de") == german


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--to", "html"), "--out is missing"),
        (("--to", "pdf", "--at", "0:01", "--out", "x.pdf"), "--to is about the whole game"),
        (("--texts", "x.html", "--out", "x.pdf"), "--texts: means nothing without --to"),
        (("--language", "de", "--list"), "--language: is about what is written to a file"),
        (("--language", "de", "--at", "0:01", "--json"), "--language: is about what is written to a file"),
        (("--to", "html", "--texts", "nowhere.html", "--out", "x.html"), "--texts nowhere.html: it cannot be read"),
    ],
)
def test_what_cannot_be_is_said(path: Path, options: tuple[str, ...], said: str, tmp_path: Path) -> None:
    told = run_overtable("report", path, *options, folder=tmp_path)
    assert told.status == 2
    assert said in told.err


def test_a_page_shows_the_table_as_its_camera_saw_it(path: Path) -> None:
    past = RecordedGame(path)
    photographer = TablePhotographer.open(past)
    drawn = photographer.draw(past.find_end_ns(), 320)
    assert drawn is not None
    assert drawn.shape == (round(320 * 1118 / 1524), 320, 3)
    assert cv2.cvtColor(drawn, cv2.COLOR_BGR2GRAY).max() > 60
