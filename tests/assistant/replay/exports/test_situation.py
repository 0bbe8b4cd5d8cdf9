"""What was disputed in a game is judged the same from its situation file, byte for byte."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.errors import BadInput
from assistant.features.demo.catalogue import list_demos, read_demo
from assistant.game.situation_file import encode_situation, parse_situation
from assistant.game.state import NO_RULEBOOK, GameState, Move
from assistant.recording.journal.row_types import ObservationRow
from assistant.replay.exports.move_list import format_moves
from assistant.replay.exports.situation import build_situation
from assistant.replay.moves import read_moves
from assistant.replay.past_decisions import build_past_ruling
from assistant.replay.playback import play_recording
from assistant.replay.recorded_game import RecordedGame
from assistant.replay.verdict_diff import find_differences
from assistant.rules.answer_documents import encode_verdict
from assistant.rules.referee import judge
from assistant.table.declared_move import find_current_verdict
from assistant.table.restore import build_last_accepted
from tests.assistant.altered_rulebook import ID, add_rulebook
from tests.assistant.cli.command_runner import run_overtable
from tests.assistant.replay.sample_recording import RecordedTable, play_sample_game
from tests.assistant.runtime.demo_loop import record_demo
from tests.assistant.snapshot_script import build_crossing_game, build_game
from tests.assistant.table.session_play import BESIDE, move_model, start_session


def dump_verdict(state: GameState) -> str:
    verdict = find_current_verdict(state)
    assert verdict is not None
    return json.dumps(encode_verdict(verdict), ensure_ascii=False)


def judge_file(document: dict[str, Any], folder: Path) -> str:
    """Return what `overtable judge` prints of a situation file."""
    path = folder / "situation.json"
    path.write_text(json.dumps(document))
    return run_overtable("judge", str(path), "--json").out.strip()


@pytest.mark.parametrize("name", list_demos())
def test_every_move_of_a_demo_is_judged_as_it_was_in_the_game(name: str, tmp_path: Path) -> None:
    demo = read_demo(name)
    path = record_demo(demo, tmp_path / "game.overtable")
    made = read_moves(path)
    shown = [scene for scene in demo.scenes if scene.move.paths or scene.accepted]
    assert [find_current_verdict(each.state).outcome for each in made] == [scene.outcome for scene in shown]  # type: ignore[union-attr]
    assert [each.fate == "accepted" for each in made] == [scene.accepted for scene in shown]
    for each in made:
        assert judge_file(build_situation(each.state, "move"), tmp_path) == dump_verdict(each.state)
    held = find_differences(path, {})
    assert (held.compared > 20, held.outcomes_only, held.differing) == (True, False, ())


def test_so_is_every_moment_of_a_game(tmp_path: Path) -> None:
    path = record_demo(read_demo("activation-skirmish"), tmp_path / "game.overtable")
    judged: list[GameState] = []
    for step in play_recording(path):
        state = step.session.state
        if not isinstance(step.entry.what, ObservationRow) and not (judged and judged[-1] is state):
            judged.append(state)
            assert judge_file(build_situation(state, "moment"), tmp_path) == dump_verdict(state)
    assert len(judged) > 20


def test_a_counted_turn_and_what_was_announced_too_late_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    add_rulebook(monkeypatch, announced="x-announced", acts_once="x-once", priority="x-priority", one_unit="x-one")
    session, script = start_session(replace(build_crossing_game(), rulebook=ID))
    session.advance_turn("red")
    session.declare(unit="boat", action="normal")
    move_model(session, script, "b1", 300, 480)
    session.accept()
    move_model(session, script, "s1", 312, 300)
    move_model(session, script, "w1", 700, 320)
    state = session.state
    verdict = find_current_verdict(state)
    assert verdict is not None
    assert {finding.rule for finding in verdict.findings} == {"x-announced"}
    kept = build_situation(state, "here")
    assert kept["turn"]["counted"]["done"] == {"boat": "normal"}
    assert [each["model"] for each in kept["turn"]["begun"]] == ["s1", "w1"]
    session.declare(unit="late", action=None)
    session.declare(unit="boat", action="normal")  # again, while another has begun
    move_model(session, script, "b1", 320, 480)
    assert dump_verdict(session.state).count("x-once") == 1
    build_situation(session.state, "here")


def test_what_failed_tests_cost_is_part_of_the_move(tmp_path: Path) -> None:
    session, script = start_session(build_game(), BESIDE)
    session.declare(unit="scouts", action="fall-back")
    move_model(session, script, "s1", 600, 393)
    for rolls, lost in (((), ()), ((2,), ()), ((2,), ("s2",)), ((1, 1), ())):
        session.declare(unit="scouts", action="fall-back", rolls=rolls, lost=lost)
        document = build_situation(session.state, "here")
        assert (document["move"]["rolls"], document["move"].get("lost", [])) == (
            [] if len(rolls) > 1 else list(rolls),
            list(lost),
        )  # dice that the move does not take are not judged
        assert judge_file(document, tmp_path) == dump_verdict(session.state)
    document["move"] |= {"rolls": [2], "lost": ["s1", "s2"]}
    with pytest.raises(BadInput, match="move.lost: the failed tests cost 1 of the models of 'scouts', not 2"):
        judge(*_read_situation(document))
    document["move"]["lost"] = ["s1", "s1"]
    with pytest.raises(BadInput, match=r'here: move.lost\[1\]: expected a model of "scouts", once, not "s1"'):
        _read_situation(document)
    session.declare(unit="scouts", action="fall-back", rolls=(2,), lost=("s2",))
    session.accept()
    assert [model["id"] for model in build_situation(session.state, "here")["units"][0]["models"]] == ["s1"]


def _read_situation(document: dict[str, Any]) -> tuple[GameState, Move | None]:
    read = parse_situation(document, "here")
    return read.state, read.move


def test_a_facing_that_no_number_of_degrees_is_comes_back_to_its_last_digit() -> None:
    state = build_crossing_game()
    stubborn = 0
    for thousandth in range(200):
        facing = 1.2 + thousandth / 997
        pose = state.find_model("s1").pose
        assert pose is not None
        document = encode_situation(state.place_models({"s1": replace(pose, facing_rad=facing)}))
        stubborn += "facing_rad" in document["units"][0]["models"][0]["pose"]
        back = parse_situation(json.loads(json.dumps(document)), "here").state.find_model("s1").pose
        assert back is not None
        assert back.facing_rad == facing
    assert 0 < stubborn < 100


def test_a_list_of_moves_says_what_became_of_each(tmp_path: Path) -> None:
    play_sample_game(tmp_path / "game.overtable")
    told = [line.split(". ", 1)[1] for line in format_moves(read_moves(tmp_path / "game.overtable"))]
    assert told[0] == (
        'Turn 1, red. scouts: Normal move, 6.69" of 6", not legal (s2 moved 6.69" of 6", 10e-15); taken back'
    )
    assert told[1] == told[0].replace("taken back", "accepted")
    assert told[2] == (
        'Turn 1, red. walker (blue): Normal move, 12.45" of 10", legal as the players agreed (the referee: not legal);'
        " accepted, and that taken back"
    )
    assert told[3:] == [told[2].replace(", and that taken back", "")]


def test_a_ruling_on_the_past_is_told_with_its_move_and_taken_back_takes_back_no_move(tmp_path: Path) -> None:
    table = play_sample_game(tmp_path / "game.overtable")
    before = list(format_moves(read_moves(table.path)))
    past = RecordedGame(table.path)
    far = next(each for each in past.judge_all().findings.values() if each.finding.rule == "10e-15")
    table.do(
        lambda: table.session.make_ruling(
            build_past_ruling(past, at_ns=0, number=far.number, outcome="legal", note="bumped")
        )
    )
    ruled = list(format_moves(read_moves(table.path)))
    assert [after for after in ruled if after not in before] == [f"{before[0]}; later the judge ruled: legal"]
    table.do(lambda: table.session.withdraw_ruling(past.judge_all().rulings[-1].ruling))
    assert list(format_moves(read_moves(table.path))) == before


def test_a_moment_without_a_verdict_is_said() -> None:
    with pytest.raises(BadInput, match="here: on this table nothing is judged"):
        build_situation(replace(build_crossing_game(), rulebook=NO_RULEBOOK), "here")
    session, script = start_session()
    session.declare(unit="scouts", action="advance")
    move_model(session, script, "s1", 320, 300)
    with pytest.raises(BadInput, match="here: the referee could say nothing yet"):
        build_situation(session.state, "here")


def test_a_turn_of_a_player_without_models_is_said_to_fit_no_file() -> None:
    session, _ = start_session(build_game())
    for _ in range(3):
        session.advance_turn()
    session.remove_models(("w1",))
    assert session.state.turn is not None
    assert session.state.turn.player == "blue"
    with pytest.raises(BadInput, match="moment: blue, whose turn it is, has no model left"):
        build_situation(session.state, "moment")


def test_models_off_the_table_are_kept_so_and_judged(tmp_path: Path) -> None:
    session, script = start_session(build_game())
    move_model(session, script, "s2", 320, 350)
    session.accept()
    session.set_status("scouts", ("reserves",))
    document = build_situation(session.state, "moment")
    assert [model["pose"] for model in document["units"][0]["models"]] == [None, None]
    assert judge_file(document, tmp_path) == dump_verdict(session.state)


def test_what_a_bump_moved_is_no_move_of_the_list(tmp_path: Path) -> None:
    table = RecordedTable(tmp_path / "game.overtable")
    table.show(*table.script.slide("s1", 340, 260))
    table.do(lambda: table.session.declare(unit="scouts", action="normal"))
    assert len(read_moves(table.path)) == 1
    table.do(lambda: table.session.begin_restoring(build_last_accepted(table.session.state)))
    table.show(*table.script.slide("s1", 300, 300))
    table.do(table.session.finish_restoring)
    table.journal.close()
    assert read_moves(table.path) == []
