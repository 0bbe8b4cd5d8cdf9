"""The call that somebody at the table shows to everybody else."""

import pytest

from assistant.errors import BadInput
from assistant.features.feature import Asker
from assistant.features.shown_calls import ShownCalls
from assistant.table.session import GameSession
from assistant.web.commands.game import ShowCall
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
