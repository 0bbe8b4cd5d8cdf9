"""What the judge's page is told of the past, and what it is told that cannot be told."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from assistant.replay.recorded_game import RecordedGame
from assistant.web.app import create_app
from assistant.web.hub import Hub
from assistant.web.messages.past import MeasuredView, PastView, WholeGame
from assistant.web.replay_routes import Archive
from assistant.web.server import Server
from tests.assistant.replay.sample_recording import RecordedTable, play_sample_game

PATIENCE_S = 60.0
"""A film or a report of a game takes its time on a busy machine."""


class ArchiveServer:
    """A server with an archive, and its answers."""

    def __init__(self, archive: Archive) -> None:
        app = create_app(hub=Hub(), picture=lambda: None, join_urls=[], archive=archive)
        self.server = Server(app, "127.0.0.1", 0)
        self.server.start()

    def get(self, address: str, headers: Mapping[str, str] | None = None) -> httpx.Response:
        with httpx.Client(trust_env=False, timeout=PATIENCE_S) as client:
            return client.get(f"http://127.0.0.1:{self.server.port}{address}", headers=headers)

    def post(self, address: str, body: object) -> httpx.Response:
        with httpx.Client(trust_env=False, timeout=PATIENCE_S) as client:
            return client.post(f"http://127.0.0.1:{self.server.port}{address}", json=body)

    def get_whole_game(self, after: int = 0) -> WholeGame:
        return WholeGame.model_validate_json(self.get(f"/past/moments.json?after={after}").text)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> RecordedTable:
    return play_sample_game(tmp_path_factory.mktemp("past") / "game.overtable")


@pytest.fixture(scope="module")
def desk(table: RecordedTable) -> Iterator[ArchiveServer]:
    made = ArchiveServer(Archive(RecordedGame(table.path)))
    yield made
    made.server.stop()


def test_the_battle_report_is_a_page(desk: ArchiveServer) -> None:
    answer = desk.get("/past/battle.html")
    assert answer.headers["content-type"].startswith("text/html")
    assert "Turn 1: red" in answer.text
    assert desk.get("/past/battle.html").text == answer.text
    assert "connect-src 'self'" in answer.headers["content-security-policy"]
    assert "script-src 'self'" not in answer.headers["content-security-policy"], "its own script would be refused"


def test_reports_are_in_the_devices_language(desk: ArchiveServer) -> None:
    german = desk.get("/past/battle.html", {"Accept-Language": "de"})
    assert '<html lang="de">' in german.text
    assert "Zug 1: red" in german.text
    assert german.headers["vary"] == "Accept-Language, Cookie"
    assert "Turn 1: red" in desk.get("/past/battle.html").text
    for address in ("/past/battle.pdf", "/report.pdf?finding=1"):
        files = {desk.get(address, {"Accept-Language": language}).content for language in ("de", "fr", "en")}
        assert len(files) == 3


def test_the_battle_report_is_a_pdf_with_what_people_wrote(desk: ArchiveServer) -> None:
    usual = desk.get("/past/battle.pdf")
    assert usual.content.startswith(b"%PDF")
    written = desk.post("/past/battle.pdf", {"opening": "They met at dawn. " * 20})
    assert written.headers["content-type"] == "application/pdf"
    assert len(written.content) > len(usual.content)
    assert desk.post("/past/battle.pdf", {"opening": ["no text"]}).status_code == 422


def test_the_battle_is_filmed_once(desk: ArchiveServer) -> None:
    film = desk.get("/past/battle.webm")
    assert film.headers["content-type"] == "video/webm"
    assert film.content.startswith(b"\x1aE\xdf\xa3")
    assert desk.get("/past/battle.webm").content == film.content


def test_a_game_is_counted_anew_only_when_more_has_happened(tmp_path: Path) -> None:
    table = RecordedTable(tmp_path / "game.overtable")
    archive, past = Archive(), RecordedGame(table.path)
    first = archive.compute_statistics(past)
    assert archive.compute_statistics(past) is first
    table.push_too_far()
    table.do(table.session.accept)
    assert sum(unit.moves for unit in first.units) == 0
    assert sum(unit.moves for unit in archive.compute_statistics(past).units) == 1
    assert (
        archive.compute_statistics(RecordedGame(table.path)).model_dump()
        == archive.compute_statistics(past).model_dump()
    )


def test_the_whole_game_is_told_once(desk: ArchiveServer, table: RecordedTable) -> None:
    whole = desk.get_whole_game()
    assert not whole.more
    assert whole.recording == table.path.name
    assert whole.began.startswith("2027-01-15T08:00:00")
    assert {"move", "told", "accept", "turn", "undo", "camera", "ruling"} <= {each.kind for each in whole.happened}
    far = next(each for each in whole.found if each.rule == "10e-15")
    assert (far.subjects, far.outcome, far.turn) == (["s2"], "illegal", 1)
    again = desk.get_whole_game(whole.revision)
    assert (again.happened, again.found, again.revision) == ([], [], whole.revision)


def test_the_table_is_shown_as_it_stood(desk: ArchiveServer) -> None:
    whole = desk.get_whole_game()
    far = next(each for each in whole.found if each.rule == "10e-15")
    past = PastView.model_validate_json(desk.get(f"/past/view.json?at_ns={far.at_ns}").text)
    assert past.at_ns == far.at_ns
    assert past.view.move["move"].outcome == "illegal"
    assert past.view.models["s2"].y_mm == pytest.approx(520)
    assert past.view.table["table"].replay
    before = PastView.model_validate_json(desk.get(f"/past/view.json?at_ns={far.at_ns - 1}").text)
    assert before.view.findings == {}


@pytest.mark.parametrize(
    ("a", "b", "mm"),
    [("model:s1", "model:s2", 188.0), ("unit:scouts", "model:w1", 231.7), ("point:0,300", "model:s1", 284.0)],
)
def test_what_stood_then_is_measured(desk: ArchiveServer, a: str, b: str, mm: float) -> None:
    far = next(each for each in desk.get_whole_game().found if each.rule == "10e-15")
    found = MeasuredView.model_validate_json(desk.get(f"/past/measure.json?at_ns={far.at_ns}&a={a}&b={b}").text)
    assert found.mm == pytest.approx(mm, abs=3)
    assert found.sigma_mm > 0
    assert found.text


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("/past/measure.json?at_ns=0&a=model:s9&b=model:s1", "There is no model 's9' in this game to measure to."),
        ("/past/measure.json?at_ns=0&a=s1&b=model:s1", "expected model:ID, unit:ID, terrain:ID or point:X,Y"),
        ("/past/measure.json?at_ns=0&a=point:nan,1&b=model:s1", "expected model:ID"),
        ("/past/incident.json?finding=99", "It has no finding 99"),
        ("/report.pdf?finding=99", "It has no finding 99"),
    ],
)
def test_what_cannot_be_told_is_said_in_a_sentence(desk: ArchiveServer, address: str, sentence: str) -> None:
    answer = desk.get(address)
    assert answer.status_code == 400
    assert sentence in answer.text


@pytest.mark.parametrize("at", ["-1", "x", "99999999999999999999"])
def test_no_time_is_refused(desk: ArchiveServer, at: str) -> None:
    refused = desk.get(f"/past/view.json?at_ns={at}")
    assert refused.status_code == 422
    assert refused.text.startswith("This address makes no sense: at_ns: ")


def test_a_report_is_a_document_and_a_picture_is_one(desk: ArchiveServer) -> None:
    printed = desk.get("/report.pdf?finding=1")
    assert printed.headers["content-type"] == "application/pdf"
    assert printed.content.startswith(b"%PDF-")
    told: dict[str, Any] = json.loads(desk.get("/past/incident.json?finding=1").text)
    assert told["number"] == 1
    left, bottom, right, top = told["drawing"]["inset_mm"]
    part = f"left_mm={left}&low_mm={bottom}&width_mm={right - left}&depth_mm={top - bottom}"
    assert told["close"]
    picture = desk.get(f"/past/table.jpg?at_ns={told['at_ns']}&width_px=1200&{part}")
    assert picture.content.startswith(b"\xff\xd8")
    assert picture.content in printed.content
    assert desk.get(f"/past/picture.jpg?at_ns={told['at_ns']}").content.startswith(b"\xff\xd8")


def test_where_nothing_is_recorded_that_is_said() -> None:
    desk = ArchiveServer(Archive())
    try:
        answer = desk.get("/past/moments.json")
        assert (answer.status_code, answer.text[:23]) == (404, "Nothing is recorded her")
        assert desk.get("/judge").status_code == 200
    finally:
        desk.server.stop()


def test_an_older_recording_has_no_pictures(tmp_path: Path) -> None:
    table = RecordedTable(tmp_path / "game.overtable")
    table.journal._db.executescript("DROP TABLE pictures;")
    desk = ArchiveServer(Archive(RecordedGame(table.path)))
    try:
        assert desk.get("/past/picture.jpg?at_ns=0").status_code == 404
        assert json.loads(desk.get("/past/incident.json").text)["picture_ns"] is None
        assert desk.get("/report.pdf").status_code == 200
    finally:
        desk.server.stop()
