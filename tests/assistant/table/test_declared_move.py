"""How far a model has come of what it may: the judge's own number, at rest and on the way."""

from dataclasses import replace

import pytest

from assistant.game.state import NO_RULEBOOK
from assistant.overlay.shapes import Layer
from assistant.rules.referee import judge
from assistant.rules.verdict import Outcome
from assistant.table.declared_move import WayPreview, build_move, place_at_start, preview_way
from assistant.table.session import GameSession
from tests.assistant.snapshot_script import SnapshotScript, build_crossing_game, build_game
from tests.assistant.table.session_play import show_snapshots, start_duel

INCH = 25.4


def preview_moving_model(session: GameSession) -> WayPreview | None:
    event = session.predict_settling()
    return preview_way(session.state, event) if event else None


def test_a_model_at_rest_has_come_so_far_of_what_it_may() -> None:
    session, script = start_duel()
    session.declare(unit="scouts", action="normal")
    show_snapshots(session, script.slide("s1", 300 + 4 * INCH, 300))
    (way,) = session.consult_referee().ways
    assert (way.subjects, way.outcome) == (("s1",), Outcome.LEGAL)
    assert way.measured_mm == pytest.approx(4 * INCH, abs=0.01)
    assert way.limit_mm == pytest.approx(6 * INCH)
    assert way.sigma_mm == pytest.approx(0.1414, abs=0.001)
    shape = next(shape for shape in session.consult_referee().shapes if shape.layer is Layer.WAY)
    # It is short enough; but its unit is out of coherency, and one move has one colour.
    assert (shape.key, shape.style, shape.label) == ("way:s1", "way-illegal", '4" of 6", 2" left')
    assert all(f.outcome is not Outcome.LEGAL for f in session.consult_referee().verdict.findings)  # type: ignore[union-attr]


def test_what_is_too_far_is_said_and_what_is_near_the_limit_more_finely() -> None:
    session, script = start_duel()
    session.declare(unit="scouts", action="normal")
    show_snapshots(session, script.slide("s1", 300 + 7 * INCH, 300))
    show_snapshots(session, script.slide("s2", 300 + 5.95 * INCH, 350))
    labels = {shape.key: shape.label for shape in session.consult_referee().shapes if shape.layer is Layer.WAY}
    assert labels == {"way:s1": '7" of 6", 1" too far', "way:s2": '5.95" of 6", 0.05" left'}


def test_on_the_way_it_is_what_the_judge_will_say_once_it_rests_there() -> None:
    session, script = start_duel()
    session.declare(unit="scouts", action="normal")
    frames = [*script.slide("s1", 360, 300)[:-1], *script.slide("s1", 360, 420)]
    show_snapshots(session, frames[:-1])
    preview = preview_moving_model(session)
    assert preview is not None
    assert session.state.tracks == {}
    assert session.consult_referee().ways == ()
    show_snapshots(session, frames[-1:])
    assert session.consult_referee().ways == (preview.way,)
    assert session.state.tracks["s1"] == preview.track
    assert preview.way.measured_mm == pytest.approx(180, abs=1)
    assert session.predict_settling() is None


def test_a_model_that_moves_again_has_come_the_sum_of_its_ways() -> None:
    session, script = start_duel()
    session.declare(unit="scouts", action="normal")
    show_snapshots(session, script.slide("s1", 350, 300))
    show_snapshots(session, script.slide("s1", 350, 350)[:-1])
    preview = preview_moving_model(session)
    assert preview is not None
    assert preview.way.measured_mm == pytest.approx(100, abs=1)


def test_models_are_judged_in_the_order_in_which_they_set_off() -> None:
    session, script = start_duel()
    session.declare(unit="scouts", action="normal")
    show_snapshots(session, script.slide("s2", 300, 420))
    show_snapshots(session, script.slide("s1", 300, 350))  # where the other stood until then
    move, verdict = build_move(session.state), session.consult_referee().verdict
    assert move is not None
    assert list(move.paths) == ["s2", "s1"]
    assert verdict is not None
    assert [finding.text for finding in verdict.findings if finding.outcome is not Outcome.LEGAL] == []


def test_with_nothing_announced_it_is_the_move_that_will_be_taken_up() -> None:
    session, script = start_duel()
    show_snapshots(session, script.slide("s1", 350, 320)[:-1])
    preview = preview_moving_model(session)
    assert preview is not None
    assert preview.way.limit_mm == pytest.approx(6 * INCH)


def test_nothing_is_said_of_strangers_of_lifted_models_and_without_dice() -> None:
    session, script = start_duel()
    session.declare(unit="scouts", action="normal")
    show_snapshots(session, script.slide("w1", 700, 320)[:-1])
    assert preview_moving_model(session) is None
    session, script = start_duel()
    session.declare(unit="scouts", action="advance")
    show_snapshots(session, script.slide("s1", 350, 320)[:-1])
    assert preview_moving_model(session) is None
    session, script = start_duel()
    show_snapshots(session, script.carry("s1", 350, 330)[:-2])
    assert session.predict_settling() is None
    watched = GameSession(replace(build_game(), rulebook=NO_RULEBOOK))
    script = SnapshotScript()
    show_snapshots(watched, [script.take_snapshot(), *script.slide("s1", 350, 320)[:-1]])
    assert preview_moving_model(watched) is None


def test_of_several_models_the_picked_one_is_followed() -> None:
    session, script = start_duel()
    session.declare(unit="scouts", action="normal", model="s2")
    frames = []
    for step in range(1, 6):
        script.places.update(s1=(300 + 5 * step, 300), s2=(300 + 4 * step, 350))
        frames.append(script.take_snapshot(moving=frozenset({"s1", "s2"})))
    show_snapshots(session, frames)
    event = session.predict_settling()
    assert event is not None
    assert event.model == "s2"


def test_models_that_the_tests_cost_have_no_way() -> None:
    session = GameSession(build_crossing_game())
    script = SnapshotScript(places={"s1": (600.0, 265.0), "s2": (640.0, 265.0), "w1": (600.0, 320.0)})
    show_snapshots(session, [script.take_snapshot()])
    session.declare(unit="scouts", action="fall-back", rolls=(1, 6), lost=("s1",))
    show_snapshots(session, script.slide("s1", 600, 160))
    assert [way.subjects for way in session.consult_referee().ways] == []


def test_everything_that_is_judged_is_judged_as_before() -> None:
    session, script = start_duel()
    session.declare(unit="scouts", action="normal")
    show_snapshots(session, script.slide("s2", 300, 350 + 170))
    verdict, state = session.consult_referee().verdict, session.state
    assert verdict == judge(place_at_start(state, "scouts"), build_move(state))
