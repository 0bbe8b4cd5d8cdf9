"""Orders of play that differ from one player's turn after the other's, at a table at work."""

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.game.state import GameState
from assistant.record.journal import Journal, Seen, read_entries
from assistant.rules.verdict import Outcome
from assistant.session import Session
from tests.assistant.made_up import ID, MOVES, play
from tests.assistant.scripted import crossing
from tests.assistant.test_turns import allowed, broken, moved, outcome, started

PLAYED: GameState = replace(crossing(), rulebook=ID)


def noted(session: Session) -> dict[str, str]:
    verdict = session.answer().verdict
    return {f.rule: f.text for f in verdict.findings if f.outcome is Outcome.NOTE} if verdict else {}


def whose(session: Session) -> tuple[int, str, str] | None:
    turn = session.state.turn
    return (turn.number, turn.player, turn.step) if turn else None


def test_a_unit_that_has_acted_goes_no_further_this_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    play(monkeypatch, acts_once="x-once", one_unit="x-one")
    session, script = started(PLAYED)
    session.go_on()
    session.declare(unit="scouts", action="normal")
    moved(session, script, "s1", 312, 300)
    session.accept()
    assert session.state.unit("scouts").status == ()
    moved(session, script, "s1", 300, 300)  # taken up, though it may not
    assert broken(session) == {"x-once"}
    assert allowed(session) == set()
    session.withdraw()
    assert session.answer().note == "s1 has moved again after acting this turn (x-once)."
    session.declare(unit="boat", action=None)  # which need not wait for what is no move
    assert "normal" in allowed(session)
    session.go_on()
    session.go_on()
    session.declare(unit="scouts", action=None)
    assert "normal" in allowed(session)


def test_an_earlier_unit_that_is_moved_while_another_moves_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    play(monkeypatch, acts_once="x-once", one_unit="x-one")
    session, script = started(PLAYED)
    session.go_on()
    session.declare(unit="scouts", action="normal")
    moved(session, script, "s1", 312, 300)
    session.accept()
    session.declare(unit="boat", action="normal")
    moved(session, script, "b1", 300, 480)
    moved(session, script, "s1", 320, 300)
    moved(session, script, "w1", 700, 320)
    assert outcome(session) is Outcome.LEGAL
    assert session.answer().note == (
        "s1 has moved again after acting this turn (x-once)."
        " w1 has moved too, which is not part of this move and is not judged."
    )


def test_a_unit_may_move_in_parts_where_each_model_moves_once(monkeypatch: pytest.MonkeyPatch) -> None:
    play(monkeypatch, moves_once="x-once")
    session, script = started(PLAYED)
    session.go_on()
    for model, y_mm in (("s1", 300), ("s2", 350)):
        session.declare(unit="scouts", action="normal")
        assert "normal" in allowed(session)  # for those of the unit that have not moved
        moved(session, script, model, 312, y_mm)
        assert broken(session) == set()
        session.accept()
    session.declare(unit="scouts", action="normal")
    moved(session, script, "s1", 320, 300)
    assert broken(session) == {"x-once"}
    assert allowed(session) == set()
    session.withdraw()
    session.go_on()
    session.go_on()
    session.declare(unit="scouts", action="normal")
    moved(session, script, "s1", 330, 300)
    assert broken(session) == set()


def test_while_nobody_counts_turns_no_order_of_play_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    play(monkeypatch, acts_once="x-once", one_unit="x-one", priority="x-priority", announced="x-announced")
    session, script = started(PLAYED)
    for x_mm in (315, 330):
        moved(session, script, "s1", x_mm, 300)
        assert (outcome(session), noted(session), session.answer().note) == (Outcome.LEGAL, {}, "")
        session.accept()


def test_who_has_priority_is_said_for_each_turn_and_the_others_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    play(monkeypatch, priority="x-priority")
    session, script = started(PLAYED)
    with pytest.raises(BadInput, match=r"a turn begins with priority \(x-priority\): say who has it, red or blue"):
        session.go_on()
    with pytest.raises(BadInput, match="there is no player 'green' in this game; a turn begins with priority"):
        session.go_on("green")
    session.go_on("blue")
    assert whose(session) == (1, "blue", "move-units")
    with pytest.raises(BadInput, match="who goes next needs no saying now"):
        session.go_on("blue")
    moved(session, script, "s1", 312, 300)
    assert broken(session) == {"x-turns"}
    session.withdraw()
    session.declare(unit="walker", action="normal")
    moved(session, script, "w1", 620, 320)
    session.accept()
    session.go_on()
    assert whose(session) == (1, "red", "move-units")
    assert session.state.turn is not None
    assert session.state.turn.done == {"walker": "normal"}  # it is the same turn
    with pytest.raises(BadInput, match="say who has it"):
        session.go_on()
    session.go_on("red")
    assert whose(session) == (2, "red", "move-units")
    session.go_on()
    assert whose(session) == (2, "blue", "move-units")
    session.undo()
    session.undo()
    assert whose(session) == (1, "red", "move-units")


def test_every_player_has_a_step_of_a_shared_turn_before_the_next_step(monkeypatch: pytest.MonkeyPatch) -> None:
    book = play(monkeypatch, priority="x-priority")
    shooting = replace(MOVES[0], id="shoot", label="Shoot")
    play(monkeypatch, priority=book.priority, steps=(*MOVES, shooting), id="longer")
    session, _ = started(replace(PLAYED, rulebook="longer").having({"scouts": ("advanced",), "walker": ("advanced",)}))
    session.go_on("blue")
    parts = [whose(session)]
    for _ in range(3):
        session.go_on()
        parts.append(whose(session))
    assert parts == [(1, "blue", "move-units"), (1, "red", "move-units"), (1, "blue", "shoot"), (1, "red", "shoot")]
    assert session.state.unit("walker").status == ("advanced",)
    session.go_on("red")
    assert (session.state.unit("scouts").status, session.state.unit("walker").status) == ((), ())


def test_no_player_is_named_where_turns_follow_by_themselves() -> None:
    session, _ = started()
    with pytest.raises(BadInput, match="go on without naming a player"):
        session.go_on("red")


def test_what_moves_before_its_action_is_announced_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    play(monkeypatch, announced="x-announced")
    session, script = started(PLAYED)
    session.go_on()
    session.declare(unit="scouts", action="normal")
    moved(session, script, "s1", 312, 300)
    assert noted(session) == {}
    session.declare(unit="boat", action=None)  # a look elsewhere, which takes the announcement back
    session.declare(unit="scouts", action="normal")
    assert noted(session) == {}
    session.declare(unit="scouts", action="advance", rolls=(2,))
    assert noted(session) == {"x-announced": "s1 had moved before Advance was announced"}
    session.accept()
    moved(session, script, "s2", 312, 350)
    assert session.state.declared is not None  # taken up
    assert (outcome(session), noted(session)) == (
        Outcome.LEGAL,
        {"x-announced": "s2 had moved before Normal move was announced"},
    )
    moved(session, script, "s2", 320, 350)
    assert set(noted(session)) == {"x-announced"}


def test_dice_and_another_model_announce_nothing_new(monkeypatch: pytest.MonkeyPatch) -> None:
    play(monkeypatch, announced="x-announced")
    session, script = started(PLAYED)
    session.go_on()
    session.declare(unit="scouts", action="advance")
    moved(session, script, "s1", 312, 300)
    session.declare(unit="scouts", action="advance", rolls=(3,), model="s2")
    assert (outcome(session), noted(session)) == (Outcome.LEGAL, {})
    session.declare(unit="scouts", action="advance", rolls=(3,), intent={"transport": "b1"})
    assert set(noted(session)) == {"x-announced"}


def test_a_late_announcement_is_told_the_same_in_a_replay(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    play(monkeypatch, announced="x-announced", acts_once="x-once", priority="x-priority")
    path = tmp_path / "game.overtable"
    with Journal(path, about={}) as journal:
        session, script = started(PLAYED, journal=journal)
        session.go_on("red")
        session.declare(unit="boat", action="normal")
        moved(session, script, "b1", 300, 480)
        session.accept()
        moved(session, script, "s1", 312, 300)
    assert set(noted(session)) == {"x-announced"}
    again = Session(PLAYED)
    for entry in read_entries(path):
        if not isinstance(entry.what, Seen):
            again.happen(entry.what)
    assert again.state == session.state
    assert again.answer().verdict == session.answer().verdict


def test_where_all_may_be_measured_a_picked_model_shows_its_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    play(monkeypatch, premeasured="x-measured", announced="x-announced")
    session, script = started(PLAYED)
    session.go_on()
    session.declare(unit="walker", action=None)  # in its enemy's turn
    zone = session.answer().zone
    assert zone is not None
    assert (zone.model, zone.action, session.state.declared) == ("w1", "normal", None)
    session.declare(unit="scouts", action="normal")
    moved(session, script, "s1", 312, 300)
    session.declare(unit="boat", action=None)  # scouts have begun; measuring is no act
    zone = session.answer().zone
    assert zone is not None
    assert not zone.region.is_empty
    session.declare(unit="late", action=None)
    assert session.state.declared is None


def test_elsewhere_a_zone_waits_for_what_is_announced() -> None:
    session, _ = started()
    session.go_on()
    session.declare(unit="scouts", action=None)
    assert session.answer().zone is None
