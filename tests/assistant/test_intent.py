"""What a move means to do, at a table at work: asked for, announced, marked, and told to the pages."""

from dataclasses import replace

import pytest

from assistant.errors import BadInput
from assistant.game.events import Declared
from assistant.game.state import Declaration, GameState, Pose
from assistant.overlay.shapes import Layer
from assistant.rules.books.warhammer_40k_10e.moves import NORMAL
from assistant.rules.naming import ENEMY_MODELS, ENEMY_UNITS
from assistant.rules.rulebook import Key
from assistant.rules.verdict import Outcome
from assistant.session import Session
from assistant.web.messages.move import FieldView
from assistant.web.view import Source, view_of
from tests.assistant.made_up import ID, play
from tests.assistant.rules.test_fields import two_boats
from tests.assistant.scripted import game
from tests.assistant.test_turns import AROUND, effects, moved, outcome, started

SOURCE = Source(
    name="script", title="Crossing", virtual=True, replay=False, state="live", text="", fps=15.0, latency_ms=60.0
)
ABOVE = {**AROUND, "w1": (600.0, 400.0)}
"""The walker is nearer to the second scout."""
BOATS = {**AROUND, "b2": (360.0, 325.0)}


def named(session: Session) -> dict[str, str]:
    return {shape.key: shape.label for shape in session.answer().shapes if shape.layer is Layer.NAMED}


def engaging(monkeypatch: pytest.MonkeyPatch) -> GameState:
    keys = (
        Key(name="engages", values=tuple, statement="the enemies that it means to engage", names=ENEMY_MODELS),
        Key(name="toward", values=str, statement="the enemy unit that it goes toward", names=ENEMY_UNITS),
    )
    play(monkeypatch, intent=keys, actions=(replace(NORMAL, intent=("engages", "toward")),))
    return replace(game().standing({"w1": Pose(x_mm=600, y_mm=400)}), rulebook=ID)


def test_a_transport_is_asked_for_where_two_would_do() -> None:
    session, _ = started(two_boats(), BOATS)
    session.declare(unit="scouts", action="embark")
    assert session.answer().note == "Choose the transport to embark in."
    with pytest.raises(BadInput, match="^Choose the transport to embark in.$"):
        session.accept()
    session.declare(unit="scouts", action="embark", intent={"transport": "b2"})
    assert (session.answer().note, outcome(session)) == ("", Outcome.LEGAL)
    assert effects(session) == {"embarked:b2": ("scouts",)}
    assert named(session) == {"named:b2": "Transport"}
    session.accept()
    assert session.state.unit("scouts").status == ("normal-moved", "embarked:b2")


def test_what_an_action_does_not_take_is_not_announced() -> None:
    session, _ = started(two_boats(), BOATS)
    session.declare(unit="scouts", action="embark", intent={"transport": "b2"})
    for action, transport, sentence in (
        ("normal", "b1", "move.transport: normal takes no transport; expected it only with embark, disembark, emerg"),
        ("embark", "x", 'move.transport: there is no model "x" in this situation'),
    ):
        with pytest.raises(BadInput, match=f"^{sentence}"):
            session.declare(unit="scouts", action=action, intent={"transport": transport})
    assert session.state.declared == Declaration(unit="scouts", action="embark", intent={"transport": "b2"})


def test_a_record_that_names_nobody_known_is_shown_all_the_same() -> None:
    session, _ = started(two_boats(), BOATS)
    session.happen(Declared(declaration=Declaration(unit="riders", action="disembark", intent={"transport": "x"})))
    assert session.answer().note == 'move.transport: there is no model "x" in this situation'
    assert session.answer().fields[0].offered == ("x",)  # to be taken back
    assert named(session) == {}


def test_whoever_is_named_is_marked_and_a_unit_once_by_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    session, _ = started(engaging(monkeypatch), ABOVE)
    session.declare(unit="walker", action="normal", intent={"engages": ("s2",), "toward": "scouts"})
    assert named(session) == {"named:s1": "Toward", "named:s2": ""}
    session.declare(unit="walker", action="normal", intent={"engages": ("s2",)})
    assert named(session) == {"named:s2": "Engages"}
    session.withdraw()
    assert named(session) == {}


def test_who_is_offered_does_not_change_while_the_unit_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    session, script = started(engaging(monkeypatch), ABOVE)
    session.declare(unit="walker", action="normal")
    before = session.answer().fields
    assert before[0].offered == ("s2", "s1")
    moved(session, script, "w1", 600, 200)
    assert session.answer().fields == before
    session.accept()
    session.declare(unit="walker", action="normal")
    assert session.answer().fields[0].offered == ("s1", "s2")


def test_the_pages_are_told_which_fields_there_are_and_what_they_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    session, _ = started(engaging(monkeypatch), ABOVE)
    assert view_of(session, SOURCE).fields == {}
    session.declare(unit="walker", action="normal", intent={"engages": ("s1",)})
    view = view_of(session, SOURCE)
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
