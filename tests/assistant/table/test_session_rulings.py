"""Rulings against the referee: they hold for the move as it stands, and both stay in the record."""

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.game.events import Accepted, Ruled
from assistant.game.state import Ruling
from assistant.recording.journal.cursor import read_entries
from assistant.recording.journal.row_types import ObservationRow
from assistant.recording.journal.writer import Journal
from assistant.rules.verdict import Outcome, apply_rulings
from assistant.table.session import GameSession
from tests.assistant.snapshot_script import SnapshotScript, build_game

AGREED = Ruling(by="players", outcome="legal")


def begin_too_long_move(journal: Journal | None = None) -> tuple[GameSession, SnapshotScript]:
    """Return a table on which s1 has moved 170 mm of six inches, and so broken two rules."""
    session, script = GameSession(build_game(), journal), SnapshotScript()
    for snapshot in (script.take_snapshot(), *script.slide("s1", 300, 300)):
        session.observe(snapshot)
    session.declare(unit="scouts", action="normal")
    slide(session, script, "s1", 470)
    return session, script


def slide(session: GameSession, script: SnapshotScript, model: str, x_mm: float) -> None:
    for snapshot in script.slide(model, x_mm, 300):
        session.observe(snapshot)


def judge_outcome(session: GameSession) -> Outcome:
    verdict = session.consult_referee().verdict
    assert verdict is not None
    return apply_rulings(verdict, session.state.rulings)


def test_the_players_may_agree_that_a_move_is_legal_and_the_record_keeps_what_the_referee_said(tmp_path: Path) -> None:
    path = tmp_path / "game.overtable"
    with Journal(path, about={}) as journal:
        session, _ = begin_too_long_move(journal)
        assert judge_outcome(session) is Outcome.ILLEGAL
        session.make_ruling(AGREED)
        assert judge_outcome(session) is Outcome.LEGAL
        session.accept()
    events = [entry.what for entry in read_entries(path) if not isinstance(entry.what, ObservationRow)]
    (ruled,) = (event.ruling for event in events if isinstance(event, Ruled))
    assert (ruled.unit, ruled.action, ruled.referee) == ("scouts", "normal", "illegal")
    assert ruled.text == 's1 moved 6.69" of 6"'
    (accepted,) = (event for event in events if isinstance(event, Accepted))
    assert accepted.outcome == "legal"
    assert session.state.rulings == ()
    assert session.rulings == (ruled,)
    again = GameSession(build_game())
    for event in events:
        again.record_event(event)
    assert again.state == session.state


def test_a_ruling_of_one_finding_leaves_the_others_as_they_are() -> None:
    session, _ = begin_too_long_move()
    verdict = session.consult_referee().verdict
    assert verdict is not None
    broken = [finding for finding in verdict.findings if finding.outcome is Outcome.ILLEGAL]
    assert len(broken) > 1
    for at, finding in enumerate(broken):
        assert judge_outcome(session) is Outcome.ILLEGAL, f"{at} of {len(broken)} are ruled on"
        session.make_ruling(replace(AGREED, rule=finding.rule, subjects=finding.subjects, agreed_mm=152.4))
    assert judge_outcome(session) is Outcome.LEGAL
    assert [ruling.text for ruling in session.state.rulings] == [finding.text for finding in broken]
    session.make_ruling(Ruling(by="judge", outcome="illegal", note="It is too far."))
    assert judge_outcome(session) is Outcome.ILLEGAL
    assert len(session.state.rulings) == 1, "a ruling of the whole takes the place of those of its parts"


def test_a_ruling_is_void_once_the_unit_moves_on_and_may_be_taken_back() -> None:
    session, script = begin_too_long_move()
    session.make_ruling(AGREED)
    session.undo()
    assert judge_outcome(session) is Outcome.ILLEGAL
    assert session.rulings == ()
    session.make_ruling(AGREED)
    slide(session, script, "w1", 640)
    assert judge_outcome(session) is Outcome.LEGAL, "another unit's model changes nothing"
    slide(session, script, "s1", 480)
    assert judge_outcome(session) is Outcome.ILLEGAL


def test_a_ruling_of_a_past_moment_changes_nothing_but_the_record() -> None:
    session, _ = begin_too_long_move()
    before, decided, pick = session.state, session.timeline.decision_count, session.pick
    ruling = Ruling(by="judge", outcome="illegal", note="It crossed the wall.", unit="walker", at_ns=1)
    session.make_ruling(ruling)
    assert (session.state, session.timeline.decision_count, session.pick) == (before, decided, pick)
    assert list(session.rulings) == [ruling]
    session.undo()
    assert list(session.rulings) == [ruling], "what a player takes back is the player's own"
    session.withdraw_ruling(ruling)
    assert not session.rulings
    with pytest.raises(BadInput, match="taken back already"):
        session.withdraw_ruling(ruling)


def test_what_cannot_be_ruled_on_is_said() -> None:
    session, _ = begin_too_long_move()
    with pytest.raises(BadInput, match="a sentence that says why"):
        session.make_ruling(Ruling(by="judge", outcome="legal", note=" "))
    with pytest.raises(BadInput, match="has not come yet"):
        session.make_ruling(replace(AGREED, at_ns=session.now_ns + 1))
    with pytest.raises(BadInput, match="no longer says anything of 10e-99 and s1"):
        session.make_ruling(replace(AGREED, rule="10e-99", subjects=("s1",)))
    session.withdraw()
    with pytest.raises(BadInput, match="announce an action and move first"):
        session.make_ruling(AGREED)
    assert session.rulings == ()


def test_a_bumped_model_stands_where_it_is_and_has_made_no_move() -> None:
    session, script = GameSession(build_game()), SnapshotScript()
    session.observe(script.take_snapshot())
    slide(session, script, "s1", 310)
    assert session.state.declared is not None, "the push was taken for the beginning of a move"
    session.record_bump(("s1",))
    assert not session.state.tracks
    assert session.state.declared is None
    pose = session.state.find_model("s1").pose
    assert pose is not None
    assert pose.x_mm == pytest.approx(310)
    session.undo()
    assert set(session.state.tracks) == {"s1"}


def test_an_announcement_outlives_the_bump_of_one_of_its_models() -> None:
    session, _ = begin_too_long_move()
    session.make_ruling(AGREED)
    session.record_bump(("s1",))
    assert session.state.declared is not None
    assert session.state.rulings == ()


def test_a_model_is_put_back_where_it_was_and_its_way_there_is_no_move() -> None:
    session, script = begin_too_long_move()
    session.put_back(("s1",))
    assert session.state.returning == ("s1",)
    slide(session, script, "s1", 340)
    assert session.state.returning == ("s1",), "it is not there yet"
    assert [pose.x_mm for pose in session.state.tracks["s1"].poses] == pytest.approx([300, 340])
    slide(session, script, "s1", 302)
    assert not session.state.tracks
    assert not session.state.returning
    assert judge_outcome(session) is Outcome.LEGAL
    pose = session.state.find_model("s1").pose
    assert pose is not None
    assert pose.x_mm == pytest.approx(302), "its place is where it stands, not where it ought to"


def test_a_move_is_made_again_from_where_it_began() -> None:
    session, script = begin_too_long_move()
    session.make_ruling(Ruling(by="judge", outcome="again", note="The tape slipped."))
    assert judge_outcome(session) is Outcome.ILLEGAL
    slide(session, script, "s1", 300)
    assert not session.state.tracks
    assert not session.state.rulings
    slide(session, script, "s1", 330)
    assert judge_outcome(session) is Outcome.LEGAL
    assert len(session.rulings) == 1


def test_a_model_that_was_brought_back_already_is_in_its_place_at_once() -> None:
    session, script = begin_too_long_move()
    slide(session, script, "s1", 300)
    assert judge_outcome(session) is Outcome.ILLEGAL, "it has gone there and back"
    session.put_back(("s1",))
    assert not session.state.tracks
    assert judge_outcome(session) is Outcome.LEGAL


def test_what_cannot_be_corrected_is_said() -> None:
    session, _ = begin_too_long_move()
    with pytest.raises(BadInput, match="s2 stands where it was last accepted"):
        session.record_bump(("s1", "s2"))
    with pytest.raises(BadInput, match="there is no model 'ghost'"):
        session.put_back(("ghost",))
    assert set(session.state.tracks) == {"s1"}
