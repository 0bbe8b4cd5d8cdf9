"""A picture is kept of what may be disputed, once each, and of nothing else."""

import sqlite3
from pathlib import Path

import pytest

from assistant.game.state import Ruling
from assistant.replay.recorded_game import RecordedGame
from assistant.table import evidence_pictures as photographer
from tests.assistant.replay.sample_recording import RecordedTable


def list_kept(table: RecordedTable) -> list[int]:
    with sqlite3.connect(table.path) as db:
        kept_ns = [captured_ns for (captured_ns,) in db.execute("SELECT captured_ns FROM pictures ORDER BY id")]
    db.close()
    return kept_ns


def test_a_legal_move_keeps_no_picture(tmp_path: Path) -> None:
    table = RecordedTable(tmp_path / "game.overtable")
    table.do(lambda: table.session.declare(unit="scouts", action="normal"))
    table.show(*table.script.slide("s2", 300, 370))
    table.do(table.session.accept)
    assert list_kept(table) == []
    assert RecordedGame(table.path).find_picture(0) is None


def test_how_the_table_stands_at_the_end_of_a_turn_is_kept(tmp_path: Path) -> None:
    table = RecordedTable(tmp_path / "game.overtable")
    table.do(table.session.advance_turn)
    assert list_kept(table) == []
    for _ in range(40):
        state = table.session.state
        table.do(table.session.advance_turn)
        assert state.turn is not None
        assert table.session.state.turn is not None
        if table.session.state.turn.player != state.turn.player:
            break
        assert list_kept(table) == []
    assert list_kept(table) == [table.script.now_ns]


def test_an_illegal_one_keeps_one_at_rest_one_ruled_on_and_one_accepted(tmp_path: Path) -> None:
    table = RecordedTable(tmp_path / "game.overtable")
    table.push_too_far()
    rested = table.script.now_ns
    assert list_kept(table) == [rested]
    table.wait()
    assert list_kept(table) == [rested]
    table.do(lambda: table.session.make_ruling(Ruling(by="players", outcome="legal")))
    ruled = table.script.now_ns
    table.do(table.session.accept)
    assert list_kept(table) == [rested, ruled, table.script.now_ns]
    past = RecordedGame(table.path)
    picture = past.find_picture(rested - past.began_ns + 100)
    assert picture is not None
    assert picture.captured_ns == rested - past.began_ns


def test_what_may_not_be_announced_keeps_one_before_anything_moves(tmp_path: Path) -> None:
    table = RecordedTable(tmp_path / "game.overtable")
    table.do(table.session.advance_turn)
    table.do(lambda: table.session.declare(unit="walker", action="normal"))  # it is the other player's turn
    announced = table.script.now_ns
    assert list_kept(table) == [announced]
    table.wait()
    assert list_kept(table) == [announced]


def test_a_game_of_nothing_but_quarrels_stays_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(photographer, "MOST_KEPT", 0)
    table = RecordedTable(tmp_path / "game.overtable")
    table.push_too_far()
    assert list_kept(table) == []
    table.do(table.session.accept)
    assert list_kept(table) == [table.script.now_ns]
