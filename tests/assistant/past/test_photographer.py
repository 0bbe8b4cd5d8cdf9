"""A picture is kept of what may be disputed, once each, and of nothing else."""

import sqlite3
from pathlib import Path

import pytest

from assistant.game.state import Ruling
from assistant.past import photographer
from assistant.past.replayed import Past
from tests.assistant.past.recorded import Recorded


def kept(table: Recorded) -> list[int]:
    with sqlite3.connect(table.path) as db:
        found = [captured_ns for (captured_ns,) in db.execute("SELECT captured_ns FROM pictures ORDER BY id")]
    db.close()
    return found


def test_a_legal_move_keeps_no_picture(tmp_path: Path) -> None:
    table = Recorded(tmp_path / "game.overtable")
    table.do(lambda: table.session.declare(unit="scouts", action="normal"))
    table.show(*table.script.slide("s2", 300, 370))
    table.do(table.session.accept)
    assert kept(table) == []
    assert Past(table.path).picture(0) is None


def test_an_illegal_one_keeps_one_at_rest_one_ruled_on_and_one_accepted(tmp_path: Path) -> None:
    table = Recorded(tmp_path / "game.overtable")
    table.too_far()
    rested = table.script.now_ns
    assert kept(table) == [rested]
    table.wait()
    assert kept(table) == [rested]
    table.do(lambda: table.session.rule(Ruling(by="players", outcome="legal")))
    ruled = table.script.now_ns
    table.do(table.session.accept)
    assert kept(table) == [rested, ruled, table.script.now_ns]
    past = Past(table.path)
    picture = past.picture(rested - past.began_ns + 100)
    assert picture is not None
    assert picture.captured_ns == rested - past.began_ns


def test_a_game_of_nothing_but_quarrels_stays_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(photographer, "MOST", 0)
    table = Recorded(tmp_path / "game.overtable")
    table.too_far()
    assert kept(table) == []
    table.do(table.session.accept)
    assert kept(table) == [table.script.now_ns]
