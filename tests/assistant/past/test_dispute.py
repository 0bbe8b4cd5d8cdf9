"""What was disputed in a game is judged the same from its situation file, byte for byte."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.cli.demos import demos, read_demo
from assistant.errors import BadInput
from assistant.game.situation import from_json, to_json
from assistant.game.state import NO_RULEBOOK, GameState, Move
from assistant.judged import verdict_on
from assistant.past.dispute import disputed
from assistant.past.moves import listed, moves
from assistant.past.otherwise import differences
from assistant.past.playing import steps
from assistant.past.replayed import Past
from assistant.past.ruled import ruling_on
from assistant.record.journal import Seen
from assistant.restoring import last_accepted
from assistant.rules.formats import verdict_json
from assistant.rules.judge import judge
from tests.assistant.cli.program import overtable
from tests.assistant.cli.theatre import recorded
from tests.assistant.made_up import ID, play
from tests.assistant.past.recorded import Recorded, played
from tests.assistant.scripted import crossing, game
from tests.assistant.test_turns import BESIDE, moved, started


def given(state: GameState) -> str:
    verdict = verdict_on(state)
    assert verdict is not None
    return json.dumps(verdict_json(verdict), ensure_ascii=False)


def again(document: dict[str, Any], folder: Path) -> str:
    """Return what `overtable judge` prints of a situation file."""
    path = folder / "situation.json"
    path.write_text(json.dumps(document))
    return overtable("judge", str(path), "--json").out.strip()


@pytest.mark.parametrize("name", demos())
def test_every_move_of_a_demo_is_judged_as_it_was_in_the_game(name: str, tmp_path: Path) -> None:
    demo = read_demo(name)
    path = recorded(demo, tmp_path / "game.overtable")
    made = moves(path)
    shown = [scene for scene in demo.scenes if scene.move.paths or scene.accepted]
    assert [verdict_on(each.state).outcome for each in made] == [scene.outcome for scene in shown]  # type: ignore[union-attr]
    assert [each.fate == "accepted" for each in made] == [scene.accepted for scene in shown]
    for each in made:
        assert again(disputed(each.state, "move"), tmp_path) == given(each.state)
    held = differences(path, {})
    assert (held.compared > 20, held.outcomes_only, held.differing) == (True, False, ())


def test_so_is_every_moment_of_a_game(tmp_path: Path) -> None:
    path = recorded(read_demo("activation-skirmish"), tmp_path / "game.overtable")
    judged: list[GameState] = []
    for step in steps(path):
        state = step.session.state
        if not isinstance(step.entry.what, Seen) and not (judged and judged[-1] is state):
            judged.append(state)
            assert again(disputed(state, "moment"), tmp_path) == given(state)
    assert len(judged) > 20


def test_a_counted_turn_and_what_was_announced_too_late_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    play(monkeypatch, announced="x-announced", acts_once="x-once", priority="x-priority", one_unit="x-one")
    session, script = started(replace(crossing(), rulebook=ID))
    session.go_on("red")
    session.declare(unit="boat", action="normal")
    moved(session, script, "b1", 300, 480)
    session.accept()
    moved(session, script, "s1", 312, 300)
    moved(session, script, "w1", 700, 320)
    state = session.state
    verdict = verdict_on(state)
    assert verdict is not None
    assert {finding.rule for finding in verdict.findings} == {"x-announced"}
    kept = disputed(state, "here")
    assert kept["turn"]["counted"]["done"] == {"boat": "normal"}
    assert [each["model"] for each in kept["turn"]["begun"]] == ["s1", "w1"]
    session.declare(unit="late", action=None)
    session.declare(unit="boat", action="normal")  # again, while another has begun
    moved(session, script, "b1", 320, 480)
    assert given(session.state).count("x-once") == 1
    disputed(session.state, "here")


def test_what_failed_tests_cost_is_part_of_the_move(tmp_path: Path) -> None:
    session, script = started(game(), BESIDE)
    session.declare(unit="scouts", action="fall-back")
    moved(session, script, "s1", 600, 393)
    for rolls, lost in (((), ()), ((2,), ()), ((2,), ("s2",)), ((1, 1), ())):
        session.declare(unit="scouts", action="fall-back", rolls=rolls, lost=lost)
        document = disputed(session.state, "here")
        assert (document["move"]["rolls"], document["move"].get("lost", [])) == (
            [] if len(rolls) > 1 else list(rolls),
            list(lost),
        )  # dice that the move does not take are not judged
        assert again(document, tmp_path) == given(session.state)
    document["move"] |= {"rolls": [2], "lost": ["s1", "s2"]}
    with pytest.raises(BadInput, match="move.lost: the failed tests cost 1 of the models of 'scouts', not 2"):
        judge(*_read(document))
    document["move"]["lost"] = ["s1", "s1"]
    with pytest.raises(BadInput, match=r'here: move.lost\[1\]: expected a model of "scouts", once, not "s1"'):
        _read(document)
    session.declare(unit="scouts", action="fall-back", rolls=(2,), lost=("s2",))
    session.accept()
    assert [model["id"] for model in disputed(session.state, "here")["units"][0]["models"]] == ["s1"]


def _read(document: dict[str, Any]) -> tuple[GameState, Move | None]:
    read = from_json(document, "here")
    return read.state, read.move


def test_a_facing_that_no_number_of_degrees_is_comes_back_to_its_last_digit() -> None:
    state = crossing()
    stubborn = 0
    for thousandth in range(200):
        facing = 1.2 + thousandth / 997
        pose = state.model("s1").pose
        assert pose is not None
        document = to_json(state.standing({"s1": replace(pose, facing_rad=facing)}))
        stubborn += "facing_rad" in document["units"][0]["models"][0]["pose"]
        back = from_json(json.loads(json.dumps(document)), "here").state.model("s1").pose
        assert back is not None
        assert back.facing_rad == facing
    assert 0 < stubborn < 100


def test_a_list_of_moves_says_what_became_of_each(tmp_path: Path) -> None:
    played(tmp_path / "game.overtable")
    told = [line.split(". ", 1)[1] for line in listed(moves(tmp_path / "game.overtable"))]
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
    table = played(tmp_path / "game.overtable")
    before = list(listed(moves(table.path)))
    past = Past(table.path)
    far = next(each for each in past.judged().found.values() if each.finding.rule == "10e-15")
    table.do(lambda: table.session.rule(ruling_on(past, at_ns=0, found=far.number, outcome="legal", note="bumped")))
    ruled = list(listed(moves(table.path)))
    assert [after for after in ruled if after not in before] == [f"{before[0]}; later the judge ruled: legal"]
    table.do(lambda: table.session.unrule(past.judged().decided[-1].ruling))
    assert list(listed(moves(table.path))) == before


def test_a_moment_without_a_verdict_is_said() -> None:
    with pytest.raises(BadInput, match="here: on this table nothing is judged"):
        disputed(replace(crossing(), rulebook=NO_RULEBOOK), "here")
    session, script = started()
    session.declare(unit="scouts", action="advance")
    moved(session, script, "s1", 320, 300)
    with pytest.raises(BadInput, match="here: the referee could say nothing yet"):
        disputed(session.state, "here")


def test_a_turn_of_a_player_without_models_is_said_to_fit_no_file() -> None:
    session, _ = started(game())
    for _ in range(3):
        session.go_on()
    session.remove(("w1",))
    assert session.state.turn is not None
    assert session.state.turn.player == "blue"
    with pytest.raises(BadInput, match="moment: blue, whose turn it is, has no model left"):
        disputed(session.state, "moment")


def test_models_off_the_table_are_kept_so_and_judged(tmp_path: Path) -> None:
    session, script = started(game())
    moved(session, script, "s2", 320, 350)
    session.accept()
    session.set_status("scouts", ("reserves",))
    document = disputed(session.state, "moment")
    assert [model["pose"] for model in document["units"][0]["models"]] == [None, None]
    assert again(document, tmp_path) == given(session.state)


def test_what_a_bump_moved_is_no_move_of_the_list(tmp_path: Path) -> None:
    table = Recorded(tmp_path / "game.overtable")
    table.show(*table.script.slide("s1", 340, 260))
    table.do(lambda: table.session.declare(unit="scouts", action="normal"))
    assert len(moves(table.path)) == 1
    table.do(lambda: table.session.restore(last_accepted(table.session.state)))
    table.show(*table.script.slide("s1", 300, 300))
    table.do(table.session.restored)
    table.journal.close()
    assert moves(table.path) == []
