"""A game in figures: held against what was scripted, one thing after another."""

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar, TypeVarTuple

import pytest

from assistant.game.events import SourceChanged
from assistant.game.situation_file import parse_situation
from assistant.recording.journal.writer import Journal
from assistant.replay.reports.heat import CELL_MM
from assistant.replay.reports.statistics import Statistics, compute_statistics
from assistant.table.session import GameSession
from tests.assistant.cli.command_runner import run_overtable
from tests.assistant.replay.sample_recording import RecordedTable, play_sample_game
from tests.assistant.snapshot_script import SnapshotScript

Result = TypeVar("Result")
Of = TypeVarTuple("Of")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("game") / "game.overtable"
    play_sample_game(path)
    return path


@pytest.fixture(scope="module")
def found(path: Path) -> Statistics:
    return compute_statistics(path)


def test_only_what_was_accepted_counts_as_moved(found: Statistics) -> None:
    scouts = next(unit for unit in found.units if unit.unit == "scouts")
    assert (scouts.moves, scouts.player) == (1, "red")
    assert scouts.moved_mm == pytest.approx(170, abs=0.5)  # not the way that was taken back
    walker = next(unit for unit in found.units if unit.unit == "walker")
    assert walker.moves == 1
    assert walker.longest_mm == pytest.approx(316.2, abs=0.5)
    assert found.longest is not None
    assert (found.longest.unit, found.longest.model) == ("walker", "w1")
    assert {player.player: player.moves for player in found.players} == {"red": 1, "blue": 1}


def test_what_can_be_counted_beside_the_rest_comes_to_the_same(path: Path, found: Statistics) -> None:
    begun = list[str]()

    def begin(work: Callable[[Path, *Of], Result], /, *of: *Of) -> Callable[[], Result]:
        begun.append(work.__name__)
        work_there, of_there = pickle.loads(pickle.dumps((work, of)))  # another process is told and tells by pickles
        return lambda: pickle.loads(pickle.dumps(work_there(path, *of_there)))

    assert compute_statistics(path, begin) == found
    assert begun == ["compute_heat"]


def test_turns_take_up_all_the_time_since_the_first(found: Statistics) -> None:
    assert found.timed_by == "turns"
    assert [(turn.number, turn.player, turn.moves) for turn in found.turns] == [(1, "red", 2)]
    assert sum(turn.lasted_ns for turn in found.turns) == found.lasted_ns - found.turns[0].began_ns
    assert {player.player: player.time_ns for player in found.players} == {"red": found.turns[0].lasted_ns, "blue": 0}


def test_rulings_that_hold_are_told(found: Statistics) -> None:
    (ruling,) = found.rulings
    assert ruling.by == "players"
    assert ruling.text.endswith("We agreed.")


def test_a_close_call_is_one_whose_margin_is_within_three_sigmas(tmp_path: Path) -> None:
    table = RecordedTable(tmp_path / "close.overtable")
    for y_mm in (350 + 152.2, 350 + 2 * 152.2 + 3.0):
        table.do(lambda: table.session.declare(unit="scouts", action="normal"))
        table.show(*table.script.slide("s2", 300, y_mm))
        table.do(table.session.accept)
    close = [call for call in compute_statistics(table.path).close_calls if call.rule == "10e-15"]
    assert [(call.move, call.unit, call.outcome) for call in close] == [(1, "scouts", "too-close")]
    assert abs(close[0].margin_mm) <= 3 * close[0].sigma_mm


def test_the_heat_map_adds_up_to_the_time_that_every_model_stood(tmp_path: Path) -> None:
    table = RecordedTable(tmp_path / "heat.overtable")
    for _ in range(30):
        table.wait()
    table.show(*table.script.slide("s1", 420, 300))
    for _ in range(10):
        table.wait()
    table.do(lambda: table.session.remove_models(("w1",)))
    table.wait()
    table.do(table.session.withdraw)
    found = compute_statistics(table.path)
    heat = found.heat
    assert (heat.columns, heat.rows) == (60, 45)
    red = {(column, row): seconds for column, row, seconds in heat.seconds["red"]}
    assert red[int(300 // CELL_MM), int(300 // CELL_MM)] > 30
    assert 11 < red[int(420 // CELL_MM), int(300 // CELL_MM)] < 15
    assert sum(red.values()) == pytest.approx(2 * found.lasted_ns / 1e9, abs=1.0)
    (blue,) = heat.seconds["blue"]
    assert blue[2] < found.lasted_ns / 1e9 - 0.5  # it was gone before the end


def test_a_week_until_the_game_is_gone_on_with_is_nobodys_time(tmp_path: Path) -> None:
    table = RecordedTable(tmp_path / "week.overtable")
    table.do(table.session.advance_turn)
    for _ in range(4):
        table.wait()
    whole = compute_statistics(table.path)
    week_ns = 7 * 24 * 3600 * 1_000_000_000
    table.script.now_ns += week_ns
    table.show(*table.script.slide("s1", 320, 300))
    table.session.record_event(SourceChanged(state="live", text="the camera is live"))
    for _ in range(4):
        table.wait()
    found = compute_statistics(table.path)
    assert week_ns <= found.breaks_ns < week_ns + 10_000_000_000  # from the last that was recorded
    assert whole.breaks_ns == 0
    assert 1e9 < found.lasted_ns < 12e9
    assert found.lasted_ns == found.untimed_ns + sum(turn.lasted_ns for turn in found.turns)
    assert {player.player: player.time_ns for player in found.players} == {"red": found.turns[0].lasted_ns, "blue": 0}
    assert sum(seconds for *_, seconds in found.heat.seconds["red"]) == pytest.approx(2 * found.lasted_ns / 1e9, abs=1)
    told = run_overtable("stats", table.path).out
    assert "  left out: 168:00:0" in told
    assert "  before turns were counted: 0:00:01" in told


def test_without_a_picture_for_a_while_nothing_is_left_out(tmp_path: Path) -> None:
    table = RecordedTable(tmp_path / "still.overtable")
    table.script.now_ns += 600_000_000_000
    table.show(*table.script.slide("s1", 320, 300))  # they thought for ten minutes
    table.session.record_event(SourceChanged(state="lost", text="unplugged"))
    table.script.now_ns += 60_000_000_000
    table.show(table.script.take_snapshot())
    table.session.record_event(SourceChanged(state="live", text="the camera is live"))
    found = compute_statistics(table.path)
    assert found.breaks_ns == 0
    assert found.lasted_ns > 660e9


def test_a_person_and_a_program_are_told(path: Path, found: Statistics) -> None:
    told = run_overtable("stats", path).out
    assert told.splitlines()[0].startswith("Two scouts: 0:00:")
    assert "Longest move: w1" in told
    assert ", 1 move, " in told
    assert "1 moves" not in told
    document = run_overtable("stats", path, "--json").document
    assert document == json.loads(found.model_dump_json())
    Statistics.model_validate_json(json.dumps(document))
    assert run_overtable("schema", "stats").document["properties"]["format"]["const"] == "overtable.stats/1"


def test_where_a_rulebook_counts_the_fewest_legs_out_and_back_is_no_way(tmp_path: Path) -> None:
    stand = {"id": "s1", "base": {"rect_mm": [20, 40]}, "pose": {"x_mm": 300, "y_mm": 300}}
    situation = {
        "format": "overtable.situation/1",
        "rulebook": "warmaster-revolution",
        "table": {"width_mm": 1524, "depth_mm": 1118},
        "units": [{"id": "giant", "player": "red", "profile": {"troop": "monster"}, "models": [stand]}],
    }
    path, script = tmp_path / "game.overtable", SnapshotScript(places={"s1": (300.0, 300.0)})
    with Journal(path, about={"title": "Back", "situation": json.dumps(situation)}) as journal:
        session = GameSession(parse_situation(situation, "game").state, journal)
        session.observe(script.take_snapshot())
        session.declare(unit="giant", action="order")
        for frame in (*script.slide("s1", 450, 300), *script.slide("s1", 302, 300)):
            session.observe(frame)
        session.accept()
    found = compute_statistics(path)
    assert found.longest is not None
    assert found.longest.mm == pytest.approx(2, abs=0.01)
    assert found.units[0].moved_mm == found.longest.mm
