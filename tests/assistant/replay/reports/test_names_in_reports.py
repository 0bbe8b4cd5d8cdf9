"""Names in reports: what people read of a game calls models by name, and what programs read has ids."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.game.situation_file import encode_situation
from assistant.recording.journal.writer import Journal
from assistant.replay.exports.film import _list_panel_lines
from assistant.replay.exports.timelapse import _list_happenings
from assistant.replay.recorded_game import RecordedGame
from assistant.replay.reports.battle import tell_battle
from assistant.replay.reports.incident import build_incident, put_names
from assistant.table.session import GameSession
from assistant.web.views.whole_game import build_whole_game
from tests.assistant.cli.command_runner import run_overtable
from tests.assistant.snapshot_script import SnapshotScript, build_game

PLACES = {"boyz-1": (300.0, 300.0), "boyz-2": (300.0, 350.0), "walker-1": (600.0, 320.0)}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A game in which a model of a unit that has a name went just as far as it may."""
    path, script, game = tmp_path_factory.mktemp("game") / "game.overtable", SnapshotScript(dict(PLACES)), build_game()
    boyz, walker = game.units
    boyz = replace(
        boyz,
        id="boyz",
        name="Ork Boyz",
        models=tuple(replace(model, id=f"boyz-{number}") for number, model in enumerate(boyz.models, 1)),
    )
    walker = replace(walker, name="War Dog 2", models=(replace(walker.models[0], id="walker-1"),))
    game = replace(game, units=(boyz, walker))
    with Journal(path, about={"title": "Named", "situation": json.dumps(encode_situation(game))}) as journal:
        session = GameSession(game, journal)
        session.observe(script.take_snapshot())
        session.declare(unit="boyz", action="normal")
        for frame in script.slide("boyz-2", 300, 502.4):
            session.observe(frame)
        session.now_ns += 10**9
        session.accept()
        session.remove_models(("boyz-1",))
    return path


def test_a_battle_is_told_by_names(path: Path) -> None:
    battle = tell_battle(RecordedGame(path))
    (move,) = [told.text for chapter in battle.chapters for told in chapter.moves]
    assert 'Ork Boyz #2 moved 5.9921" of 6", too close to call' in move or "Ork Boyz #" in move
    assert [happened for chapter in battle.chapters for happened in chapter.happened] == ["Ork Boyz #1 was destroyed."]
    assert battle.calls[0].text.startswith("Ork Boyz #")
    assert battle.calls[0].call.text.startswith("boyz-")


def test_an_incident_is_printed_with_names_and_handed_on_with_ids(path: Path) -> None:
    incident = build_incident(RecordedGame(path), 0, 1)
    assert incident.statement.startswith("boyz-")
    assert put_names(incident).statement == incident.statement.replace("boyz-", "Ork Boyz #")
    rows = {row.label: row.text for section in put_names(incident).sections for row in section.rows}
    assert rows["Units"] == "Ork Boyz (red)"


def test_a_command_says_names_and_its_json_ids(path: Path) -> None:
    said = run_overtable("stats", path)
    assert 'Longest move: Ork Boyz #2, 6"' in said.out
    assert "boyz-" not in said.out
    found = json.loads(run_overtable("stats", path, "--json").out)
    assert found["longest"]["model"] == "boyz-2"
    assert found["names"]["boyz-2"] == "Ork Boyz #2"
    assert all("Ork" not in call["text"] for call in found["close_calls"])
    listed = run_overtable("report", path, "--list").out
    assert "Ork Boyz #" in listed
    assert "boyz-" not in listed


def test_films_say_names(path: Path) -> None:
    past = RecordedGame(path)
    texts = [each.text for each in _list_happenings(path)]
    assert "Ork Boyz moves" in texts
    session = past.find_moment(past.list_move_times()[-1]).session
    words = [text for text, _, _ in _list_panel_lines(session, "", "", "")]
    assert any(text.startswith("Ork Boyz #") for text in words)


def test_a_page_that_asks_for_the_game_is_told_the_names(path: Path) -> None:
    game = build_whole_game(RecordedGame(path), 0)
    assert game.names == {
        "boyz": "Ork Boyz",
        "boyz-1": "Ork Boyz #1",
        "boyz-2": "Ork Boyz #2",
        "walker": "War Dog 2",
        "walker-1": "War Dog 2",
    }
