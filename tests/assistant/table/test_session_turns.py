"""A table at work through its turns: what each unit may still do, what comes and goes, and the same again."""

import math
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.game.events import Accepted, Declared, ModelsRemoved, ScoreSet
from assistant.game.state import GameState, Score, Turn
from assistant.overlay.shapes import Layer
from assistant.recording.journal.cursor import read_entries
from assistant.recording.journal.row_types import ObservationRow
from assistant.recording.journal.writer import Journal
from assistant.replay.event_descriptions import describe_event
from assistant.rules.verdict import Outcome, Verdict
from assistant.table.declared_move import Pick
from assistant.table.session import GameSession
from tests.assistant.snapshot_script import build_crossing_game, build_game
from tests.assistant.table.session_play import (
    AROUND,
    BESIDE,
    judge_outcome,
    list_allowed,
    list_broken_rules,
    list_effects,
    move_model,
    put_down,
    show_snapshots,
    start_session,
)


def test_while_nobody_counts_turns_a_unit_moves_again_and_again() -> None:
    session, script = start_session()
    for x_mm in (315, 330, 345):
        session.declare(unit="scouts", action="normal")
        move_model(session, script, "s1", x_mm, 300)
        assert judge_outcome(session) is Outcome.LEGAL
        session.accept()
        assert session.state.find_unit("scouts").status == ()
    assert session.state.turn is None
    assert session.consult_referee().allowed_labels == {}


def test_in_a_counted_turn_a_unit_moves_once() -> None:
    session, script = start_session()
    session.advance_turn()
    assert session.consult_referee().allowed_labels["scouts"] == ("Remain Stationary", "Normal move", "Advance")
    session.declare(unit="scouts", action="normal")
    move_model(session, script, "s1", 312, 300)
    session.accept()
    assert session.state.turn is not None
    assert session.state.turn.done == {"scouts": "normal"}
    assert session.state.find_unit("scouts").status == ("normal-moved",)
    assert session.consult_referee().allowed_labels["scouts"] == ("Embark",)  # the boat is near
    move_model(session, script, "s1", 300, 300)  # taken up, though it may not
    assert session.state.declared is not None
    assert session.state.declared.action == "normal"
    assert list_broken_rules(session) == {"10e-02"}
    assert session.consult_referee().zone is None


def test_pushing_an_enemys_model_in_ones_turn_breaks_the_order() -> None:
    session, script = start_session()
    session.advance_turn()
    move_model(session, script, "w1", 700, 320)
    assert session.pick == Pick(unit="walker", model="w1")
    assert list_broken_rules(session) == {"10e-01"}


def test_a_step_waits_for_a_unit_that_has_begun_to_move() -> None:
    session, script = start_session()
    session.advance_turn()
    session.declare(unit="boat", action="normal")
    move_model(session, script, "b1", 300, 480)
    with pytest.raises(BadInput, match="The move of boat has begun: accept or cancel it first"):
        session.advance_turn()
    session.declare(unit="scouts", action="normal")
    assert list_broken_rules(session) == {"10e-02"}
    assert session.consult_referee().zone is None
    session.withdraw()
    session.declare(unit="scouts", action=None)
    session.advance_turn()
    assert session.state.turn == Turn(number=1, player="red", step="reinforcements")
    assert session.pick is None


def test_a_table_that_is_only_watched_has_no_turns_and_no_status() -> None:
    session, _ = start_session(replace(build_game(), rulebook="none"))
    with pytest.raises(BadInput, match="nothing is played"):
        session.advance_turn()
    with pytest.raises(BadInput, match="nothing is played"):
        session.set_status("scouts", ())


def test_reserves_are_set_up_where_they_are_put_down() -> None:
    session, script = start_session()
    session.advance_turn()
    session.advance_turn()
    session.declare(unit="late", action="set-up")
    assert Layer.ZONE in {shape.layer for shape in session.consult_referee().shapes}
    assert list_broken_rules(session) == {"10e-36"}  # nobody is there yet
    put_down(session, script, l1=(700.0, 500.0))
    assert list_broken_rules(session) == {"10e-37"}  # the walker is near
    move_model(session, script, "l1", 1300, 900)
    assert judge_outcome(session) is Outcome.LEGAL
    session.accept()
    late = session.state.find_unit("late")
    assert late.status == ("normal-moved",)
    assert late.models[0].pose is not None
    assert late.models[0].pose.x_mm == pytest.approx(1300)
    assert session.state.tracks == {}


def test_models_that_were_seen_before_are_set_up_where_they_are_put_down_again() -> None:
    session, script = start_session(places={**AROUND, "l1": (1480.0, 20.0)})
    session.advance_turn()
    session.advance_turn()
    show_snapshots(session, script.carry("l1", 1300, 900))
    assert session.state.declared is not None
    assert (session.state.declared.action, judge_outcome(session)) == ("set-up", Outcome.LEGAL)
    assert {shape.layer for shape in session.consult_referee().shapes} == {Layer.ZONE, Layer.ENGAGEMENT}
    session.accept()
    assert session.state.find_unit("late").status == ("normal-moved",)


def test_what_lies_on_the_table_of_a_unit_in_reserve_is_not_in_the_game() -> None:
    session, _ = start_session(places={**AROUND, "l1": (640.0, 375.0)})
    session.declare(unit="walker", action="normal")
    rings = {shape.key for shape in session.consult_referee().shapes if shape.layer is Layer.ENGAGEMENT}
    assert rings == {"engagement:s1", "engagement:s2", "engagement:b1"}


def test_a_way_around_that_nobody_saw_is_taken_to_have_been_legal() -> None:
    places = {"s1": (500.0, 320.0), "s2": (560.0, 240.0), "w1": (600.0, 320.0)}
    session, script = start_session(build_game(), places)
    session.declare(unit="scouts", action="normal")
    move_model(session, script, "s1", 600, 240)
    assert list_broken_rules(session) == {"10e-07", "10e-16"}
    session, script = start_session(build_game(), places)
    session.declare(unit="scouts", action="normal")
    show_snapshots(session, script.carry("s1", 600, 240))
    assert judge_outcome(session) is Outcome.LEGAL


def test_a_unit_disembarks_where_it_is_put_down_whatever_its_models_places_were() -> None:
    session, script = start_session()
    session.declare(unit="riders", action="disembark")
    assert list_broken_rules(session) == {"10e-48"}
    put_down(session, script, r1=(360.0, 420.0), r2=(355.0, 460.0))
    assert judge_outcome(session) is Outcome.LEGAL
    assert Layer.COHERENCY in {shape.layer for shape in session.consult_referee().shapes}
    session.accept()
    assert session.state.find_unit("riders").status == ()  # nobody counts turns
    session.declare(unit="riders", action="normal")
    assert "normal" in list_allowed(session)


def test_a_unit_embarks_is_off_the_table_and_comes_back_by_undo() -> None:
    session, script = start_session()
    session.advance_turn()
    session.declare(unit="scouts", action="normal")
    move_model(session, script, "s2", 300, 345)
    session.accept()
    before = session.state
    session.declare(unit="scouts", action="embark")
    assert judge_outcome(session) is Outcome.LEGAL
    session.accept()
    scouts = session.state.find_unit("scouts")
    assert "embarked:b1" in scouts.status
    assert [model.pose for model in scouts.models] == [None, None]
    session.declare(unit="walker", action=None)
    assert not any(shape.key.startswith("engagement:s") for shape in session.consult_referee().shapes)
    session.undo()
    session.undo()
    assert session.state == before


def test_a_fall_back_asks_for_its_tests_and_for_the_models_that_they_cost() -> None:
    session, script = start_session(build_game(), BESIDE)
    session.declare(unit="scouts", action="fall-back")
    assert (session.consult_referee().tests, session.consult_referee().note) == (0, "")
    move_model(session, script, "s1", 600, 393)
    move_model(session, script, "s2", 640, 393)
    assert judge_outcome(session) is Outcome.LEGAL
    assert session.consult_referee().tests == 2
    assert list_effects(session)["desperate-escape-test"] == ("s1", "s2")

    session.declare(unit="scouts", action="fall-back", rolls=(6,))
    assert session.consult_referee().note == "Enter 1 die for the tests."
    assert judge_outcome(session) is Outcome.LEGAL
    session.declare(unit="scouts", action="fall-back", rolls=(6, 5, 4))
    assert session.consult_referee().note == "3 dice entered, but the move takes 2 now: change them."
    session.declare(unit="scouts", action="fall-back", rolls=(6, 3))
    assert (session.consult_referee().costs, session.consult_referee().note) == (0, "")

    session.declare(unit="scouts", action="fall-back", rolls=(6, 1))
    assert (session.consult_referee().costs, session.consult_referee().note) == (
        1,
        "Choose the model that the failed test costs.",
    )
    with pytest.raises(BadInput, match="Choose the model"):
        session.accept()
    with pytest.raises(BadInput, match="unit scouts has no model 'w1'"):
        session.declare(unit="scouts", action="fall-back", rolls=(6, 1), lost=("w1",))
    session.declare(unit="scouts", action="fall-back", rolls=(6, 1), lost=("s1", "s2"))
    assert session.consult_referee().note == "Choose the model that the failed test costs."
    session.declare(unit="scouts", action="fall-back", rolls=(6, 1), lost=("s2",))
    assert (judge_outcome(session), session.consult_referee().note) == (Outcome.LEGAL, "")
    assert not any("s2" in shape.key for shape in session.consult_referee().shapes)
    session.accept()
    assert [model.id for model in session.state.find_unit("scouts").models] == ["s1"]
    assert session.state.tracks == {}


def test_what_the_tests_cost_is_gone_before_the_move_is_judged() -> None:
    session, script = start_session(build_game(), BESIDE)
    session.declare(unit="scouts", action="fall-back")
    move_model(session, script, "s1", 600, 393)
    assert list_broken_rules(session) == {"10e-22", "10e-60"}  # s2 stays engaged, and behind
    session.declare(unit="scouts", action="fall-back", rolls=(2,), lost=("s2",))
    assert judge_outcome(session) is Outcome.LEGAL
    assert list_effects(session)["lose-models:1"] == ("scouts",)


def test_tests_may_cost_a_whole_unit() -> None:
    session, script = start_session(build_game(), BESIDE)
    session.declare(unit="scouts", action="fall-back")
    move_model(session, script, "s1", 600, 393)
    move_model(session, script, "s2", 640, 393)
    session.declare(unit="scouts", action="fall-back", rolls=(1, 1), lost=("s1", "s2"))
    assert judge_outcome(session) is Outcome.LEGAL
    session.accept()
    assert (session.pick, session.state.find_unit("scouts").models) == (None, ())
    assert judge_outcome(session) is Outcome.LEGAL
    with pytest.raises(BadInput, match="scouts has no model left"):
        session.declare(unit="scouts", action=None)
    session.advance_turn()
    assert "scouts" not in session.consult_referee().allowed_labels


def test_a_destroyed_model_is_out_of_the_game_and_another_is_picked() -> None:
    session, script = start_session()
    session.declare(unit="scouts", action="normal", model="s1")
    session.remove_models(("s1",))
    assert session.pick == Pick(unit="scouts", model="s2")
    move_model(session, script, "s1", 400, 300)  # it lies about
    assert session.state.tracks == {}
    with pytest.raises(BadInput, match="riders is in b1 and leaves it first"):
        session.remove_models(("b1",))
    session.remove_models(("s2",))
    assert [session.pick, session.state.declared] == [None, None]
    session.undo()
    session.undo()
    assert [model.id for model in session.state.find_unit("scouts").models] == ["s1", "s2"]


def test_a_corrected_status_takes_a_unit_off_the_table_and_back_to_where_it_is_seen() -> None:
    session, _ = start_session()
    session.set_status("scouts", ("reserves",))
    assert [model.pose for model in session.state.find_unit("scouts").models] == [None, None]
    session.set_status("scouts", ())
    place = session.state.find_model("s1").pose
    assert place is not None
    assert [place.x_mm, place.y_mm, place.sigma_mm] == pytest.approx([300, 300, 0.1])
    session.set_status("late", ())  # nobody has seen it
    assert session.state.find_model("l1").pose is None
    with pytest.raises(BadInput, match="the status 'sleepy' is not known"):
        session.set_status("scouts", ("sleepy",))


def test_undo_takes_back_what_a_person_did_and_nothing_else() -> None:
    session, script = start_session()
    with pytest.raises(BadInput, match="there is nothing to take back"):
        session.undo()
    session.advance_turn()
    session.set_status("walker", ("battle-shocked",))
    session.declare(unit="scouts", action="normal")
    session.declare(unit="scouts", action="normal", model="s2")  # looks at another model: nothing is decided
    move_model(session, script, "s1", 330, 300)
    session.accept()
    session.undo()
    assert session.pick == Pick(unit="scouts", model="s1")
    assert session.state.tracks["s1"].poses[-1].x_mm == pytest.approx(330)
    session.undo()
    assert [session.pick, session.state.declared] == [None, None]
    session.undo()
    assert session.state.find_unit("walker").status == ()
    session.undo()
    assert (session.state.turn, session.can_undo) == (None, False)
    assert session.state.tracks["s1"].poses[-1].x_mm == pytest.approx(330)


def test_a_game_of_turns_with_what_was_taken_back_plays_again_the_same(tmp_path: Path) -> None:
    path = tmp_path / "game.overtable"
    seen: list[tuple[GameState, Verdict | None]] = []
    with Journal(path, about={}) as journal:
        session, script = start_session(places={**AROUND, "s1": (560.0, 265.0), "s2": (600.0, 265.0)}, journal=journal)

        def note() -> None:
            seen.append((session.state, session.consult_referee().verdict))

        session.advance_turn()
        session.set_status("scouts", ("battle-shocked",))
        session.declare(unit="scouts", action="fall-back")
        move_model(session, script, "s1", 560, 200)
        note()
        session.declare(unit="scouts", action="fall-back", rolls=(1, 6))
        session.declare(unit="scouts", action="fall-back", rolls=(1, 6), lost=("s2",))
        note()
        session.accept()
        session.undo()
        note()
        session.accept()
        session.declare(unit="riders", action="disembark")
        put_down(session, script, r1=(360.0, 420.0), r2=(355.0, 460.0))
        note()
        session.accept()
        session.advance_turn()
        session.declare(unit="late", action="set-up")
        put_down(session, script, l1=(1300.0, 900.0))
        note()
        session.accept()
        session.advance_turn()
        session.remove_models(("w1",))
        session.undo()
        move_model(session, script, "w1", 700, 400)
        note()
    kinds = [type(entry.what).__name__ for entry in read_entries(path)]
    assert {"TurnBegan", "StepBegan", "StatusSet", "Undone", "ModelsRemoved"} <= set(kinds)
    again = GameSession(build_crossing_game())
    replayed = []
    for entry in read_entries(path):
        again.now_ns = entry.captured_ns
        if isinstance(entry.what, ObservationRow):
            again.apply_observation(entry.what)
        else:
            again.record_event(entry.what)
            replayed.append((again.state, again.consult_referee().verdict))
    assert [pair for pair in seen if pair not in replayed] == []
    assert (again.state, again.pick, again.poses) == (session.state, session.pick, session.poses)
    assert math.isclose(again.state.tracks["w1"].poses[-1].x_mm, 700, abs_tol=0.01)
    assert [type(e.what) for e in read_entries(path) if isinstance(e.what, Declared | Accepted | ModelsRemoved)][
        -1
    ] is (Declared)


def test_a_score_is_written_down_kept_and_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "game.overtable"
    with Journal(path, about={"title": "a game"}) as journal:
        session = GameSession(build_game(), journal)
        session.set_score("red", Score(points=5, army="the Red"))
        session.set_score("red", Score(points=15, army="the Red"))
        with pytest.raises(BadInput, match=r"^the score of red is 15 already$"):
            session.set_score("red", Score(points=15, army="the Red"))
        with pytest.raises(BadInput, match=r"^green does not play here; the players are red, blue$"):
            session.set_score("green", Score(points=1))
        session.undo()
        assert session.state.scores == {"red": Score(points=5, army="the Red")}
    written = [entry.what for entry in read_entries(path) if isinstance(entry.what, ScoreSet)]
    assert [each.score.points for each in written] == [5, 15]
    before = build_game()
    assert describe_event(written[0], before).text == "red with the Red has 5 points."
    assert describe_event(ScoreSet(player="blue", score=Score(points=1)), before).text == "blue has 1 point."
