"""Settings that are lists by id: what a situation may say in them, and how a rulebook lists them."""

from dataclasses import replace

import pytest

from assistant.errors import BadInput
from assistant.game.state import GameState, Setting, Terrain
from assistant.rules.answer_documents import encode_rulebook
from assistant.rules.referee import Referee
from assistant.rules.rulebook import Key, Lists, Rulebook
from assistant.rules.validation import check_state
from tests.assistant.altered_rulebook import ID, add_rulebook
from tests.assistant.snapshot_script import build_crossing_game

AGREED = Key(
    name="agreed",
    values=Lists(
        word="terrain", among=lambda state: (terrain.id for terrain in state.terrain), words=("foot", "horse")
    ),
    statement="who may enter what",
    default={},
)
MARSH = Terrain(id="marsh", outline_mm=((0, 0), (9, 0), (9, 9)))


@pytest.fixture
def book(monkeypatch: pytest.MonkeyPatch) -> Rulebook:
    return add_rulebook(monkeypatch, parameters=(AGREED,))


def make_state(setting: Setting | None) -> GameState:
    parameters = {} if setting is None else {"agreed": setting}
    return replace(build_crossing_game(), rulebook=ID, terrain=(MARSH,), parameters=parameters)


@pytest.mark.usefixtures("book")
@pytest.mark.parametrize("given", [None, {}, {"marsh": ("horse", "foot")}, {"marsh": ()}])
def test_lists_by_id_are_handed_on(given: Setting | None) -> None:
    assert Referee(make_state(given)).build_context("scouts").parameters["agreed"] == (given or {})


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"swamp": ("foot",)}, "parameters.agreed.swamp: there is no terrain 'swamp' in this situation"),
        ({"marsh": ("foot", "boat")}, "parameters.agreed.marsh: expected some of foot, horse, not 'boat'"),
        (("marsh",), "parameters.agreed: expected a list for each terrain id, not ('marsh',)"),
        ("marsh", "parameters.agreed: expected a list for each terrain id, not 'marsh'"),
    ],
)
def test_bad_input_is_one_sentence_with_its_place(book: Rulebook, given: Setting, sentence: str) -> None:
    with pytest.raises(BadInput) as caught:
        check_state(book, make_state(given))
    assert str(caught.value) == sentence


def test_a_rulebook_lists_what_the_lists_may_hold(book: Rulebook) -> None:
    (listed,) = encode_rulebook(book)["parameters"]
    assert listed == {
        "key": "agreed",
        "statement": "who may enter what",
        "values": {"<terrain id>": ["foot", "horse"]},
        "default": {},
    }
