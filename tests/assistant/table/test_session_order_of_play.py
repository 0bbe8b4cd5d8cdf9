"""Orders of play that differ from one player's turn after the other's, at a table at work."""

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.game.state import GameState
from assistant.recording.journal.cursor import read_entries
from assistant.recording.journal.row_types import ObservationRow
from assistant.recording.journal.writer import Journal
from assistant.rules.verdict import Outcome
from assistant.table.session import GameSession
from tests.assistant.altered_rulebook import ID, MOVES, add_rulebook
from tests.assistant.snapshot_script import build_crossing_game, build_game
from tests.assistant.table.session_play import judge_outcome, list_allowed, list_broken_rules, move_model, start_session

PLAYED: GameState = replace(build_crossing_game(), rulebook=ID)


def list_notes(session: GameSession) -> dict[str, str]:
    verdict = session.consult_referee().verdict
    return {f.rule: f.text for f in verdict.findings if f.outcome is Outcome.NOTE} if verdict else {}


def find_whose_turn(session: GameSession) -> tuple[int, str, str] | None:
    turn = session.state.turn
    return (turn.number, turn.player, turn.step) if turn else None


def test_a_unit_that_has_acted_goes_no_further_this_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    add_rulebook(monkeypatch, acts_once="x-once", one_unit="x-one")
    session, script = start_session(PLAYED)
    session.advance_turn()
    session.declare(unit="scouts", action="normal")
    move_model(session, script, "s1", 312, 300)
    session.accept()
    assert session.state.find_unit("scouts").status == ()
    move_model(session, script, "s1", 300, 300)  # taken up, though it may not
    assert list_broken_rules(session) == {"x-once"}
    assert list_allowed(session) == set()
    session.withdraw()
    assert session.consult_referee().note == "s1 has moved again after acting this turn (x-once)."
    session.declare(unit="boat", action=None)  # which need not wait for what is no move
    assert "normal" in list_allowed(session)
    session.advance_turn()
    session.advance_turn()
    session.declare(unit="scouts", action=None)
    assert "normal" in list_allowed(session)


def test_an_earlier_unit_that_is_moved_while_another_moves_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    add_rulebook(monkeypatch, acts_once="x-once", one_unit="x-one")
    session, script = start_session(PLAYED)
    session.advance_turn()
    session.declare(unit="scouts", action="normal")
    move_model(session, script, "s1", 312, 300)
    session.accept()
    session.declare(unit="boat", action="normal")
    move_model(session, script, "b1", 300, 480)
    move_model(session, script, "s1", 320, 300)
    move_model(session, script, "w1", 700, 320)
    assert judge_outcome(session) is Outcome.LEGAL
    assert session.consult_referee().note == (
        "s1 has moved again after acting this turn (x-once)."
        " w1 has moved too, which is not part of this move and is not judged."
    )


def test_a_unit_may_move_in_parts_where_each_model_moves_once(monkeypatch: pytest.MonkeyPatch) -> None:
    add_rulebook(monkeypatch, moves_once="x-once")
    session, script = start_session(PLAYED)
    session.advance_turn()
    for model, y_mm in (("s1", 300), ("s2", 350)):
        session.declare(unit="scouts", action="normal")
        assert "normal" in list_allowed(session)  # for those of the unit that have not moved
        move_model(session, script, model, 312, y_mm)
        assert list_broken_rules(session) == set()
        session.accept()
    session.declare(unit="scouts", action="normal")
    move_model(session, script, "s1", 320, 300)
    assert list_broken_rules(session) == {"x-once"}
    assert list_allowed(session) == set()
    session.withdraw()
    session.advance_turn()
    session.advance_turn()
    session.declare(unit="scouts", action="normal")
    move_model(session, script, "s1", 330, 300)
    assert list_broken_rules(session) == set()


def test_while_nobody_counts_turns_no_order_of_play_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    add_rulebook(monkeypatch, acts_once="x-once", one_unit="x-one", priority="x-priority", announced="x-announced")
    session, script = start_session(PLAYED)
    for x_mm in (315, 330):
        move_model(session, script, "s1", x_mm, 300)
        assert (judge_outcome(session), list_notes(session), session.consult_referee().note) == (Outcome.LEGAL, {}, "")
        session.accept()


def test_who_has_priority_is_said_for_each_turn_and_the_others_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    add_rulebook(monkeypatch, priority="x-priority")
    session, script = start_session(PLAYED)
    with pytest.raises(BadInput, match=r"a turn begins with priority \(x-priority\): say who has it, red or blue"):
        session.advance_turn()
    with pytest.raises(BadInput, match="there is no player 'green' in this game; a turn begins with priority"):
        session.advance_turn("green")
    session.advance_turn("blue")
    assert find_whose_turn(session) == (1, "blue", "move-units")
    with pytest.raises(BadInput, match="who goes next needs no saying now"):
        session.advance_turn("blue")
    move_model(session, script, "s1", 312, 300)
    assert list_broken_rules(session) == {"x-turns"}
    session.withdraw()
    session.declare(unit="walker", action="normal")
    move_model(session, script, "w1", 620, 320)
    session.accept()
    session.advance_turn()
    assert find_whose_turn(session) == (1, "red", "move-units")
    assert session.state.turn is not None
    assert session.state.turn.done == {"walker": "normal"}  # it is the same turn
    with pytest.raises(BadInput, match="say who has it"):
        session.advance_turn()
    session.advance_turn("red")
    assert find_whose_turn(session) == (2, "red", "move-units")
    session.advance_turn()
    assert find_whose_turn(session) == (2, "blue", "move-units")
    session.undo()
    session.undo()
    assert find_whose_turn(session) == (1, "red", "move-units")


def test_every_player_has_a_step_of_a_shared_turn_before_the_next_step(monkeypatch: pytest.MonkeyPatch) -> None:
    book = add_rulebook(monkeypatch, priority="x-priority")
    shooting = replace(MOVES[0], id="shoot", label="Shoot")
    add_rulebook(monkeypatch, priority=book.priority, steps=(*MOVES, shooting), id="longer")
    session, _ = start_session(
        replace(PLAYED, rulebook="longer").set_statuses({"scouts": ("advanced",), "walker": ("advanced",)})
    )
    session.advance_turn("blue")
    parts = [find_whose_turn(session)]
    for _ in range(3):
        session.advance_turn()
        parts.append(find_whose_turn(session))
    assert parts == [(1, "blue", "move-units"), (1, "red", "move-units"), (1, "blue", "shoot"), (1, "red", "shoot")]
    assert session.state.find_unit("walker").status == ("advanced",)
    session.advance_turn("red")
    assert (session.state.find_unit("scouts").status, session.state.find_unit("walker").status) == ((), ())


def test_no_player_is_named_where_turns_follow_by_themselves() -> None:
    session, _ = start_session()
    with pytest.raises(BadInput, match="go on without naming a player"):
        session.advance_turn("red")


def test_what_moves_before_its_action_is_announced_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    add_rulebook(monkeypatch, announced="x-announced")
    session, script = start_session(PLAYED)
    session.advance_turn()
    session.declare(unit="scouts", action="normal")
    move_model(session, script, "s1", 312, 300)
    assert list_notes(session) == {}
    session.declare(unit="boat", action=None)  # a look elsewhere, which takes the announcement back
    session.declare(unit="scouts", action="normal")
    assert list_notes(session) == {}
    session.declare(unit="scouts", action="advance", rolls=(2,))
    assert list_notes(session) == {"x-announced": "s1 had moved before Advance was announced"}
    session.accept()
    move_model(session, script, "s2", 312, 350)
    assert session.state.declared is not None  # taken up
    assert (judge_outcome(session), list_notes(session)) == (
        Outcome.LEGAL,
        {"x-announced": "s2 had moved before Normal move was announced"},
    )
    move_model(session, script, "s2", 320, 350)
    assert set(list_notes(session)) == {"x-announced"}


def test_dice_and_another_model_announce_nothing_new(monkeypatch: pytest.MonkeyPatch) -> None:
    add_rulebook(monkeypatch, announced="x-announced")
    session, script = start_session(PLAYED)
    session.advance_turn()
    session.declare(unit="scouts", action="advance")
    move_model(session, script, "s1", 312, 300)
    session.declare(unit="scouts", action="advance", rolls=(3,), model="s2")
    assert (judge_outcome(session), list_notes(session)) == (Outcome.LEGAL, {})
    session.declare(unit="scouts", action="advance", rolls=(3,), intent={"transport": "b1"})
    assert set(list_notes(session)) == {"x-announced"}


def test_a_late_announcement_is_told_the_same_in_a_replay(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    add_rulebook(monkeypatch, announced="x-announced", acts_once="x-once", priority="x-priority")
    path = tmp_path / "game.overtable"
    with Journal(path, about={}) as journal:
        session, script = start_session(PLAYED, journal=journal)
        session.advance_turn("red")
        session.declare(unit="boat", action="normal")
        move_model(session, script, "b1", 300, 480)
        session.accept()
        move_model(session, script, "s1", 312, 300)
    assert set(list_notes(session)) == {"x-announced"}
    again = GameSession(PLAYED)
    for entry in read_entries(path):
        if not isinstance(entry.what, ObservationRow):
            again.record_event(entry.what)
    assert again.state == session.state
    assert again.consult_referee().verdict == session.consult_referee().verdict


def test_where_all_may_be_measured_a_picked_model_shows_its_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    add_rulebook(monkeypatch, premeasured="x-measured", announced="x-announced")
    session, script = start_session(PLAYED)
    session.advance_turn()
    session.declare(unit="walker", action=None)  # in its enemy's turn
    zone = session.consult_referee().zone
    assert zone is not None
    assert (zone.model, zone.action, session.state.declared) == ("w1", "normal", None)
    session.declare(unit="scouts", action="normal")
    move_model(session, script, "s1", 312, 300)
    session.declare(unit="boat", action=None)  # scouts have begun; measuring is no act
    zone = session.consult_referee().zone
    assert zone is not None
    assert not zone.region.is_empty
    session.declare(unit="late", action=None)
    assert session.state.declared is None


def test_where_players_may_not_measure_a_zone_waits_for_what_is_announced() -> None:
    session, _ = start_session(replace(build_game(), parameters={"premeasuring": False}))
    session.advance_turn()
    session.declare(unit="scouts", action=None)
    assert session.consult_referee().zone is None
