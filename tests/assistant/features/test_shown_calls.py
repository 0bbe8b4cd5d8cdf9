"""The call that somebody at the table shows to everybody else."""

import json
from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.features.feature import Asker
from assistant.features.shown_calls import ShownCalls
from assistant.game.situation_file import encode_situation
from assistant.recording.journal.writer import Journal
from assistant.replay.recorded_game import RecordedGame
from assistant.table.session import GameSession
from assistant.web.commands.game import CallJudge, ShowCall
from tests.assistant.snapshot_script import SnapshotScript, build_game


def test_a_call_is_counted_as_often_as_it_is_shown_while_it_holds() -> None:
    session, script, calls = GameSession(build_game()), SnapshotScript(), ShownCalls()
    session.observe(script.take_snapshot())
    assert list(calls.build_views(session)) == []
    session.declare(unit="scouts", action="normal")
    for frame in script.slide("s2", 300, 520):
        session.observe(frame)
    too_far = ShowCall(type="show-call", rule="10e-15", subjects=["s2"])
    for number in (1, 2):
        calls.handle(too_far, Asker(session=session))
        (view,) = calls.build_views(session)
        assert view.shown_call["call"].number == number
        assert (view.shown_call["call"].rule, view.shown_call["call"].subjects) == ("10e-15", ["s2"])
    for other in ({"rule": "10e-99"}, {"subjects": ["s1"]}):
        with pytest.raises(BadInput, match="this call is over"):
            calls.handle(too_far.model_copy(update=other), Asker(session=session))
    session.accept()
    with pytest.raises(BadInput, match="this call is over"):
        calls.handle(too_far, Asker(session=session))


def test_a_call_of_the_past_is_shown_where_there_is_a_recording(tmp_path: Path) -> None:
    calls = ShownCalls()
    with Journal(
        tmp_path / "game.overtable", about={"situation": json.dumps(encode_situation(build_game()))}
    ) as journal:
        session, script = GameSession(build_game(), journal), SnapshotScript()
        session.observe(script.take_snapshot())
        asker = Asker(session=session, past=RecordedGame(journal.path))
        past = ShowCall(type="show-call", rule="10e-15", subjects=["s2"], at_ns=7)
        calls.handle(past, asker)
        (view,) = calls.build_views(session)
        assert (view.shown_call["call"].at_ns, view.shown_call["call"].past) == (7, True)
        with pytest.raises(BadInput, match="not recorded"):
            calls.handle(past, Asker(session=session))


def test_a_judge_is_asked_for_until_one_comes() -> None:
    session, calls = GameSession(build_game()), ShownCalls()
    asker = Asker(session=session)
    session.now_ns = 5 * 10**9
    calls.handle(CallJudge(type="call-judge", needed=True, about="s2 moved 6.01 inches "), asker)
    (view,) = calls.build_views(session)
    assert (view.summons["judge"].about, view.summons["judge"].since_s) == ("s2 moved 6.01 inches", 5)
    calls.handle(CallJudge(type="call-judge", needed=False), asker)
    assert list(calls.build_views(session)) == []
