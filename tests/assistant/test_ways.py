"""How far a model has come of what it may: the judge's own number, at rest and on the way."""

from dataclasses import replace

import pytest

from assistant.announced import starting, the_move
from assistant.game.state import NO_RULEBOOK
from assistant.judged import Preview, preview
from assistant.overlay.shapes import Layer
from assistant.rules.judge import judge
from assistant.rules.verdict import Outcome
from assistant.session import Session
from tests.assistant.scripted import Script, crossing, game
from tests.assistant.test_session import show, started

INCH = 25.4


def underway(session: Session) -> Preview | None:
    event = session.under_way()
    return preview(session.state, event) if event else None


def test_a_model_at_rest_has_come_so_far_of_what_it_may() -> None:
    session, script = started()
    session.declare(unit="scouts", action="normal")
    show(session, script.slide("s1", 300 + 4 * INCH, 300))
    (way,) = session.answer().ways
    assert (way.subjects, way.outcome) == (("s1",), Outcome.LEGAL)
    assert way.measured_mm == pytest.approx(4 * INCH, abs=0.01)
    assert way.limit_mm == pytest.approx(6 * INCH)
    assert way.sigma_mm == pytest.approx(0.1414, abs=0.001)
    shape = next(shape for shape in session.answer().shapes if shape.layer is Layer.WAY)
    assert (shape.key, shape.style, shape.label) == ("way:s1", "way-legal", '4" of 6", 2" left')
    assert all(f.outcome is not Outcome.LEGAL for f in session.answer().verdict.findings)  # type: ignore[union-attr]


def test_what_is_too_far_is_said_and_what_is_near_the_limit_more_finely() -> None:
    session, script = started()
    session.declare(unit="scouts", action="normal")
    show(session, script.slide("s1", 300 + 7 * INCH, 300))
    show(session, script.slide("s2", 300 + 5.95 * INCH, 350))
    labels = {shape.key: shape.label for shape in session.answer().shapes if shape.layer is Layer.WAY}
    assert labels == {"way:s1": '7" of 6", 1" too far', "way:s2": '5.95" of 6", 0.05" left'}


def test_on_the_way_it_is_what_the_judge_will_say_once_it_rests_there() -> None:
    session, script = started()
    session.declare(unit="scouts", action="normal")
    frames = [*script.slide("s1", 360, 300)[:-1], *script.slide("s1", 360, 420)]
    show(session, frames[:-1])
    found = underway(session)
    assert found is not None
    assert session.state.tracks == {}
    assert session.answer().ways == ()
    show(session, frames[-1:])
    assert session.answer().ways == (found.way,)
    assert session.state.tracks["s1"] == found.track
    assert found.way.measured_mm == pytest.approx(180, abs=1)
    assert session.under_way() is None


def test_a_model_that_moves_again_has_come_the_sum_of_its_ways() -> None:
    session, script = started()
    session.declare(unit="scouts", action="normal")
    show(session, script.slide("s1", 350, 300))
    show(session, script.slide("s1", 350, 350)[:-1])
    found = underway(session)
    assert found is not None
    assert found.way.measured_mm == pytest.approx(100, abs=1)


def test_with_nothing_announced_it_is_the_move_that_will_be_taken_up() -> None:
    session, script = started()
    show(session, script.slide("s1", 350, 320)[:-1])
    found = underway(session)
    assert found is not None
    assert found.way.limit_mm == pytest.approx(6 * INCH)


def test_nothing_is_said_of_strangers_of_lifted_models_and_without_dice() -> None:
    session, script = started()
    session.declare(unit="scouts", action="normal")
    show(session, script.slide("w1", 700, 320)[:-1])
    assert underway(session) is None
    session, script = started()
    session.declare(unit="scouts", action="advance")
    show(session, script.slide("s1", 350, 320)[:-1])
    assert underway(session) is None
    session, script = started()
    show(session, script.carry("s1", 350, 330)[:-2])
    assert session.under_way() is None
    watched = Session(replace(game(), rulebook=NO_RULEBOOK))
    script = Script()
    show(watched, [script.frame(), *script.slide("s1", 350, 320)[:-1]])
    assert underway(watched) is None


def test_of_several_models_the_picked_one_is_followed() -> None:
    session, script = started()
    session.declare(unit="scouts", action="normal", model="s2")
    frames = []
    for step in range(1, 6):
        script.places.update(s1=(300 + 5 * step, 300), s2=(300 + 4 * step, 350))
        frames.append(script.frame(moving=frozenset({"s1", "s2"})))
    show(session, frames)
    event = session.under_way()
    assert event is not None
    assert event.model == "s2"


def test_models_that_the_tests_cost_have_no_way() -> None:
    session = Session(crossing())
    script = Script(places={"s1": (600.0, 265.0), "s2": (640.0, 265.0), "w1": (600.0, 320.0)})
    show(session, [script.frame()])
    session.declare(unit="scouts", action="fall-back", rolls=(1, 6), lost=("s1",))
    show(session, script.slide("s1", 600, 160))
    assert [way.subjects for way in session.answer().ways] == []


def test_everything_that_is_judged_is_judged_as_before() -> None:
    session, script = started()
    session.declare(unit="scouts", action="normal")
    show(session, script.slide("s2", 300, 350 + 170))
    verdict, state = session.answer().verdict, session.state
    assert verdict == judge(starting(state, "scouts"), the_move(state))
