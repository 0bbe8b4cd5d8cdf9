"""Many hands: each device looks at what it has picked, and nobody takes a move out of another's hand."""

import pytest

from assistant.errors import BadInput
from assistant.table.declared_move import Pick
from assistant.table.session import GameSession
from assistant.web.views.session import build_move_view
from tests.assistant.snapshot_script import SnapshotScript, build_game

SCOUTS, WALKER = Pick(unit="scouts", model="s1"), Pick(unit="walker", model="w1")


@pytest.fixture
def script() -> SnapshotScript:
    return SnapshotScript()


@pytest.fixture
def session(script: SnapshotScript) -> GameSession:
    session = GameSession(build_game())
    session.observe(script.take_snapshot())
    return session


def move_model(session: GameSession, script: SnapshotScript, model: str, x_mm: float, y_mm: float) -> None:
    for frame in script.slide(model, x_mm, y_mm):
        session.observe(frame)


def test_two_devices_look_at_two_units_and_a_third_at_what_the_table_shows(session: GameSession) -> None:
    session.declare(unit="scouts", action=None, device="red's")
    session.declare(unit="walker", action=None, device="blue's")
    assert [session.find_pick(device) for device in ("red's", "blue's", "judge's")] == [SCOUTS, WALKER, WALKER]
    for device, unit in (("red's", "scouts"), ("blue's", "walker")):
        request = session.consult_referee(device).zone_request
        assert request is not None
        assert session.state.find_unit_of(request.model).id == unit
        assert session.consult_referee(device) is session.consult_referee(device)


def test_nobody_takes_a_move_that_another_device_has_announced(session: GameSession) -> None:
    session.declare(unit="scouts", action="normal", device="red's")
    session.declare(unit="walker", action=None, device="blue's")
    assert (session.find_pick("blue's"), session.pick) == (WALKER, SCOUTS)
    declared = session.state.declared
    assert declared is not None
    with pytest.raises(BadInput, match="The move of scouts is being made: accept or cancel it first"):
        session.declare(unit="walker", action="normal", device="blue's")
    session.withdraw("blue's")  # lets go of the walker, and of nothing else
    assert (session.find_pick("blue's"), session.state.declared) == (SCOUTS, declared)
    session.withdraw("blue's")  # now it shows the scouts, and cancels their move
    assert session.state.declared is None
    session.declare(unit="walker", action="normal", device="blue's")
    session.keep_devices({"red's"})  # a device that is gone holds nothing back
    session.declare(unit="scouts", action="normal", device="red's")
    assert session.state.declared is not None


def test_a_look_elsewhere_cancels_no_move_that_has_begun(session: GameSession, script: SnapshotScript) -> None:
    move_model(session, script, "s1", 330, 300)
    session.declare(unit="walker", action=None, device="red's")
    declared = session.state.declared
    assert declared is not None
    assert declared.unit == "scouts"
    with pytest.raises(BadInput, match="The move of scouts is being made"):
        session.declare(unit="walker", action="normal", device="red's")
    move = build_move_view(session, session.consult_referee("red's"), "red's")
    assert (move.unit, move.action, move.announced, move.outcome) == ("walker", None, "scouts", "legal")
    session.accept()
    assert (session.find_pick("red's"), session.find_pick()) == (WALKER, None)


def test_a_unit_that_a_hand_moves_is_shown_to_its_player_and_to_who_looks_at_nothing(
    session: GameSession, script: SnapshotScript
) -> None:
    session.declare(unit="scouts", action=None, device="red's")
    session.declare(unit="walker", action=None, device="blue's")
    move_model(session, script, "w1", 640, 320)
    assert [session.find_pick(device) for device in ("red's", "blue's", "")] == [SCOUTS, WALKER, WALKER]


def test_in_a_counted_turn_the_table_shows_what_its_player_picks(session: GameSession) -> None:
    session.advance_turn()
    session.declare(unit="scouts", action=None, device="red's")
    session.declare(unit="walker", action=None, device="blue's")
    assert (session.pick, session.find_pick("blue's")) == (SCOUTS, WALKER)
    session.advance_turn()
    assert session.picks.own == {}


def test_a_unit_that_was_moved_before_another_was_accepted_is_judged_next(
    session: GameSession, script: SnapshotScript
) -> None:
    move_model(session, script, "s1", 330, 300)
    move_model(session, script, "w1", 640, 320)
    assert session.consult_referee().note == "w1 has moved too, which is not part of this move and is not judged."
    session.accept()
    declared = session.state.declared
    assert declared is not None
    assert declared.unit == "walker"
    session.withdraw()
    move_model(session, script, "s2", 330, 350)
    session.accept()
    assert session.state.declared is None  # what was cancelled stays so
