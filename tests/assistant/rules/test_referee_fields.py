"""What a move may say that it means to do: who is offered, in what order, and who may be named at all."""

import re
from dataclasses import replace

import pytest

from assistant.errors import BadInput
from assistant.game.state import GameState, Move, Pose, Setting
from assistant.rules.books.warhammer_40k_10e.moves import NORMAL
from assistant.rules.presets import ENEMY_MODELS, ENEMY_UNITS
from assistant.rules.referee import FieldOption, Referee, judge
from assistant.rules.rulebook import Choice, Key
from tests.assistant.altered_rulebook import ID, add_rulebook
from tests.assistant.snapshot_script import build_crossing_game

KEYS = (
    Key(name="engages", values=tuple, statement="the enemies that it means to engage", names=ENEMY_MODELS),
    Key(name="toward", values=str, statement="the enemy unit that it goes toward", names=ENEMY_UNITS),
    Key(name="pace", values=Choice(words=("slow", "quick")), statement="how it goes"),
    Key(name="toward_closest", values=bool, statement="it goes toward the closest enemy"),
    Key(name="password", values=str, statement="anything at all"),
)


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch) -> GameState:
    """Two scouts; of their enemies the vehicle's middle is further off than the nearer guard, but not its hull."""
    add_rulebook(monkeypatch, intent=KEYS, actions=(replace(NORMAL, intent=tuple(key.name for key in KEYS)),))
    state = build_crossing_game()
    walker = state.find_unit("walker")
    guards = tuple(
        replace(state.find_model("s1"), id=name, pose=pose)
        for name, pose in (("g1", Pose(x_mm=300, y_mm=1000)), ("g2", Pose(x_mm=570, y_mm=225)), ("g3", None))
    )
    return replace(state, rulebook=ID, units=(*state.units, replace(walker, id="guards", models=guards)))


def offer_fields(state: GameState, **intent: Setting) -> dict[str, FieldOption]:
    return {option.name: option for option in Referee(state).list_fields("scouts", "normal", intent=intent)}


def test_the_nearest_enemies_on_the_table_are_offered_first(state: GameState) -> None:
    found = offer_fields(state)
    assert found["engages"].offered == ("w1", "g2", "g1")
    assert found["toward"].offered == ("walker", "guards")
    assert offer_fields(state.place_models({"w1": Pose(x_mm=1400, y_mm=320)}))["engages"].offered == ("g2", "g1", "w1")
    assert [found[name].kind for name in ("engages", "toward", "pace", "toward_closest")] == [
        "several",
        "one",
        "one",
        "flag",
    ]
    assert found["pace"].offered == ("slow", "quick")


def test_a_unit_off_the_table_is_offered_all_who_are_on_it(state: GameState) -> None:
    (engages, *_) = Referee(state).list_fields("late", "normal")
    assert engages.offered == ("w1", "g1", "g2")


def test_what_is_said_already_is_among_what_is_offered(state: GameState) -> None:
    found = offer_fields(state, engages=("g1", "g3"), toward="guards", toward_closest=True, password="friend")
    assert found["engages"].offered == ("w1", "g2", "g1", "g3")
    assert found["engages"].chosen == ("g1", "g3")
    assert (found["toward"].value, found["toward_closest"].value) == ("guards", True)
    assert found["password"].offered == ("friend",)
    assert "password" not in offer_fields(state)  # there is nothing to choose from


def test_a_fields_name_is_read_as_words(state: GameState) -> None:
    assert offer_fields(state)["toward_closest"].label == "Toward closest"


@pytest.mark.parametrize(
    ("intent", "sentence"),
    [
        ({"engages": ("w1", "s2")}, 'engages[1]: "s2" is no enemy model; expected the id of one'),
        ({"engages": ("walker",)}, 'engages[0]: "walker" is no enemy model; expected the id of one'),
        ({"engages": ("x",)}, 'engages[0]: there is no enemy model "x" in this situation'),
        ({"toward": "boat"}, 'toward: "boat" is no enemy unit; expected the id of one'),
        ({"toward": "x"}, 'toward: there is no enemy unit "x" in this situation'),
        ({"toward": ("walker",)}, "toward: expected text, not ('walker',)"),
    ],
)
def test_whoever_may_not_be_named_is_bad_input(state: GameState, intent: dict[str, Setting], sentence: str) -> None:
    with pytest.raises(BadInput, match=f"^move.{re.escape(sentence)}$"):
        judge(state, Move(unit="scouts", action="normal", intent=intent))
    with pytest.raises(BadInput, match=f"^intent.{re.escape(sentence)}$"):
        Referee(state).find_zone(model="s1", action="normal", intent=intent)


def test_one_who_is_far_away_or_off_the_table_may_be_named(state: GameState) -> None:
    judge(state, Move(unit="scouts", action="normal", intent={"engages": ("g1", "g3"), "toward": "guards"}))


def test_a_transport_is_chosen_where_several_would_take_the_unit() -> None:
    state = make_two_boats()
    (transport,) = Referee(state).list_fields("scouts", "embark")
    assert transport.offered == ("b2", "b1")
    assert Referee(state.set_statuses({"boat-2": ("destroyed",)})).list_fields("scouts", "normal") == ()
    assert Referee(state).list_fields("riders", "disembark") == ()  # it leaves the one that it is in
    full = replace(state.find_unit("boat-2"), profile={"move_in": 10, "capacity": 1})
    alone = replace(state, units=tuple(full if unit.id == "boat-2" else unit for unit in state.units))
    assert Referee(alone).list_fields("scouts", "embark") == ()  # the other need not be named
    (named,) = Referee(alone).list_fields("scouts", "embark", intent={"transport": "b1"})
    assert named.offered == ("b1",)


def make_two_boats() -> GameState:
    """Scouts who have moved, with a transport on either side, the second the nearer."""
    state = build_crossing_game().set_statuses({"scouts": ("normal-moved",)})
    second = replace(state.find_model("b1"), id="b2", pose=Pose(x_mm=360, y_mm=325))
    return replace(state, units=(*state.units, replace(state.find_unit("boat"), id="boat-2", models=(second,))))
