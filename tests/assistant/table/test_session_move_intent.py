"""A move's intent at a table at work: asked for, announced, marked, and told to the pages."""

from dataclasses import replace

import pytest

from assistant.errors import BadInput
from assistant.game.events import Declared
from assistant.game.state import Declaration, GameState, Pose
from assistant.overlay.shapes import Layer
from assistant.rules.books.warhammer_40k_10e.moves import NORMAL
from assistant.rules.presets import ENEMY_MODELS, ENEMY_UNITS
from assistant.rules.rulebook import Key
from assistant.rules.verdict import Outcome
from assistant.table.session import GameSession
from assistant.web.messages.move import FieldView
from assistant.web.views.session import Source, build_view
from tests.assistant.altered_rulebook import ID, add_rulebook
from tests.assistant.rules.test_referee_fields import make_two_boats
from tests.assistant.snapshot_script import build_game
from tests.assistant.table.session_play import AROUND, judge_outcome, list_effects, move_model, start_session

SOURCE = Source(
    name="script", title="Crossing", virtual=True, replay=False, state="live", text="", fps=15.0, latency_ms=60.0
)
ABOVE = {**AROUND, "w1": (600.0, 400.0)}
"""The walker is nearer to the second scout."""
BOATS = {**AROUND, "b2": (360.0, 325.0)}


def list_named(session: GameSession) -> dict[str, str]:
    return {shape.key: shape.label for shape in session.consult_referee().shapes if shape.layer is Layer.NAMED}


def build_engaging_game(monkeypatch: pytest.MonkeyPatch) -> GameState:
    keys = (
        Key(name="engages", values=tuple, statement="the enemies that it means to engage", names=ENEMY_MODELS),
        Key(name="toward", values=str, statement="the enemy unit that it goes toward", names=ENEMY_UNITS),
    )
    add_rulebook(monkeypatch, intent=keys, actions=(replace(NORMAL, intent=("engages", "toward")),))
    return replace(build_game().place_models({"w1": Pose(x_mm=600, y_mm=400)}), rulebook=ID)


def test_a_transport_is_asked_for_where_two_would_do() -> None:
    session, _ = start_session(make_two_boats(), BOATS)
    session.declare(unit="scouts", action="embark")
    assert session.consult_referee().note == "Choose the transport to embark in."
    with pytest.raises(BadInput, match="^Choose the transport to embark in.$"):
        session.accept()
    session.declare(unit="scouts", action="embark", intent={"transport": "b2"})
    assert (session.consult_referee().note, judge_outcome(session)) == ("", Outcome.LEGAL)
    assert list_effects(session) == {"embarked:b2": ("scouts",)}
    assert list_named(session) == {"named:b2": "Transport"}
    session.accept()
    assert session.state.find_unit("scouts").status == ("normal-moved", "embarked:b2")


def test_what_an_action_does_not_take_is_not_announced() -> None:
    session, _ = start_session(make_two_boats(), BOATS)
    session.declare(unit="scouts", action="embark", intent={"transport": "b2"})
    for action, transport, sentence in (
        ("normal", "b1", "move.transport: normal takes no transport; expected it only with embark, disembark, emerg"),
        ("embark", "x", 'move.transport: there is no model "x" in this situation'),
    ):
        with pytest.raises(BadInput, match=f"^{sentence}"):
            session.declare(unit="scouts", action=action, intent={"transport": transport})
    assert session.state.declared == Declaration(unit="scouts", action="embark", intent={"transport": "b2"})


def test_a_record_that_names_nobody_known_is_shown_all_the_same() -> None:
    session, _ = start_session(make_two_boats(), BOATS)
    session.record_event(
        Declared(declaration=Declaration(unit="riders", action="disembark", intent={"transport": "x"}))
    )
    assert session.consult_referee().note == 'move.transport: there is no model "x" in this situation'
    assert session.consult_referee().fields[0].offered == ("x",)  # to be taken back
    assert list_named(session) == {}


def test_whoever_is_named_is_marked_and_a_unit_once_by_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    session, _ = start_session(build_engaging_game(monkeypatch), ABOVE)
    session.declare(unit="walker", action="normal", intent={"engages": ("s2",), "toward": "scouts"})
    assert list_named(session) == {"named:s1": "Toward", "named:s2": ""}
    session.declare(unit="walker", action="normal", intent={"engages": ("s2",)})
    assert list_named(session) == {"named:s2": "Engages"}
    session.withdraw()
    assert list_named(session) == {}


def test_who_is_offered_does_not_change_while_the_unit_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    session, script = start_session(build_engaging_game(monkeypatch), ABOVE)
    session.declare(unit="walker", action="normal")
    before = session.consult_referee().fields
    assert before[0].offered == ("s2", "s1")
    move_model(session, script, "w1", 600, 200)
    assert session.consult_referee().fields == before
    session.accept()
    session.declare(unit="walker", action="normal")
    assert session.consult_referee().fields[0].offered == ("s1", "s2")


def test_the_pages_are_told_which_fields_there_are_and_what_they_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    session, _ = start_session(build_engaging_game(monkeypatch), ABOVE)
    assert build_view(session, SOURCE).fields == {}
    session.declare(unit="walker", action="normal", intent={"engages": ("s1",)})
    view = build_view(session, SOURCE)
    assert view.actions["normal"].takes == ["engages", "toward"]
    assert view.fields == {
        "engages": FieldView(
            label="Engages",
            statement="the enemies that it means to engage",
            kind="several",
            offered=["s2", "s1"],
            value=["s1"],
        ),
        "toward": FieldView(
            label="Toward",
            statement="the enemy unit that it goes toward",
            kind="one",
            offered=["scouts"],
            value=None,
        ),
    }
