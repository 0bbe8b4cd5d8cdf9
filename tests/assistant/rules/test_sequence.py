"""The order of a turn: what it forbids, what follows, and what ends with it."""

from dataclasses import replace

import pytest

from assistant.errors import BadInput
from assistant.game.events import ModelSettled, ModelsRemoved, StatusSet, StepBegan, TurnBegan
from assistant.game.reduce import reduce
from assistant.game.state import GameState, Move, Turn
from assistant.rules.judge import judge, options, zone
from assistant.rules.sequence import acceptance, removal, status_set, what_follows
from assistant.rules.verdict import Effect, Outcome
from tests.assistant.scripted import crossing

MOVING = Turn(number=1, player="red", step="move-units")
ARRIVING = replace(MOVING, step="reinforcements")


def refused(state: GameState, unit: str, action: str) -> list[tuple[str, str]]:
    return [because for option in options(state, unit) if option.action == action for because in option.because]


def nudged(state: GameState, model: str) -> GameState:
    pose = state.model(model).pose
    assert pose is not None
    return reduce(state, ModelSettled(model=model, path=(pose, replace(pose, x_mm=pose.x_mm + 5)), observed=True))


def test_without_turns_every_unit_may_act() -> None:
    state = crossing()
    assert refused(state, "scouts", "normal") == []
    assert refused(state, "walker", "normal") == []
    assert refused(nudged(state, "b1"), "scouts", "normal") == []


def test_only_the_player_whose_turn_it_is_acts() -> None:
    state = replace(crossing(), turn=MOVING)
    assert refused(state, "scouts", "normal") == []
    assert refused(state, "walker", "normal") == [("10e-01", "walker cannot act so now: it is red's turn")]
    assert zone(state, model="w1", action="normal").region.is_empty
    verdict = judge(state, Move(unit="walker", action="remain-stationary"))
    assert [(f.rule, f.outcome) for f in verdict.findings] == [("10e-01", Outcome.ILLEGAL)]


def test_units_move_first_and_reserves_arrive_after() -> None:
    state = replace(crossing(), turn=MOVING)
    assert ("10e-01", "late cannot act so now: Set up belongs to another step than Move Units") in refused(
        state, "late", "set-up"
    )
    state = replace(state, turn=ARRIVING)
    assert refused(state, "late", "set-up") == []
    assert refused(state, "scouts", "normal") == [
        ("10e-01", "scouts cannot act so now: Normal move belongs to another step than Reinforcements")
    ]
    assert ("10e-01", "riders cannot act so now: Disembark belongs to another step than Reinforcements") in refused(
        state, "riders", "disembark"
    )


def test_a_unit_is_finished_before_the_next() -> None:
    state = nudged(replace(crossing(), turn=MOVING), "s1")
    assert refused(state, "scouts", "normal") == []
    assert refused(state, "boat", "normal") == [
        ("10e-02", "boat cannot act so now: scouts has begun its move and is finished first")
    ]
    later = nudged(state, "b1")  # who began first goes on
    assert refused(later, "scouts", "normal") == []
    assert refused(nudged(replace(crossing(), turn=MOVING), "w1"), "scouts", "normal") == []
    assert refused(nudged(replace(crossing(), turn=MOVING), "r2"), "scouts", "normal") == []  # it is aboard the boat


def test_who_leaves_a_destroyed_transport_waits_for_no_turn() -> None:
    state = replace(crossing(), turn=replace(ARRIVING, player="blue")).having({"boat": ("destroyed",)})
    assert refused(state, "riders", "disembark") == []
    whole = replace(crossing(), turn=replace(MOVING, player="blue"))
    assert refused(whole, "riders", "disembark") == [("10e-01", "riders cannot act so now: it is blue's turn")]


def test_steps_and_turns_follow_each_other() -> None:
    state = crossing().having({"scouts": ("advanced",), "walker": ("fell-back", "battle-shocked", "destroyed")})
    first = what_follows(state)
    assert first == TurnBegan(player="red", step="move-units")  # counting begins: nothing has ended
    state = reduce(state, first)
    assert what_follows(state) == StepBegan(step="reinforcements")
    state = reduce(state, what_follows(state))
    second = what_follows(state)
    assert second == TurnBegan(player="blue", step="move-units", status={"walker": ("destroyed",)})
    state = reduce(reduce(state, second), StepBegan(step="reinforcements"))
    assert state.unit("scouts").status == ("advanced",)  # until their own next turn
    assert what_follows(state) == TurnBegan(player="red", step="move-units", status={"scouts": ()})


def test_an_accepted_action_leaves_its_status_only_where_something_ends_it() -> None:
    move = Move(unit="scouts", action="advance", rolls=(3,))
    counted = acceptance(replace(crossing(), turn=MOVING), move, "legal")
    assert (counted.unit, counted.action, counted.status) == ("scouts", "advance", {"scouts": ("advanced",)})
    free = acceptance(crossing(), move, "legal")
    assert free.status == {"scouts": ()}
    kept = acceptance(crossing().having({"scouts": ("battle-shocked",)}), move, "legal")
    assert kept.status == {"scouts": ("battle-shocked",)}


def test_embarking_takes_a_units_models_off_the_table() -> None:
    state = crossing().having({"scouts": ("normal-moved",)})
    embarked = acceptance(state, Move(unit="scouts", action="embark", intent={"transport": "b1"}), "legal")
    assert embarked.status == {"scouts": ("normal-moved", "embarked:b1")}
    assert embarked.off == ("s1", "s2")
    assert acceptance(state, Move(unit="scouts", action="remain-stationary"), "illegal").off == ()


def test_what_an_effect_destroys_is_lost() -> None:
    effect = Effect(rule="10e-59", subjects=("r2",), effect="destroyed", destroys=True)
    assert acceptance(crossing(), Move(unit="scouts", action="normal"), "legal", [effect]).lost == ("r2",)


def test_a_status_is_one_that_the_rulebook_knows() -> None:
    state = crossing()
    assert status_set(state, "scouts", ("reserves",)) == StatusSet(
        unit="scouts", status=("reserves",), off=("s1", "s2")
    )
    assert status_set(state, "late", ()).off == ()
    with pytest.raises(BadInput, match="the status 'sleepy' is not known"):
        status_set(state, "scouts", ("sleepy",))
    with pytest.raises(BadInput, match="there is no unit 'ghosts'"):
        status_set(state, "ghosts", ())


def test_a_transport_is_removed_once_it_is_empty() -> None:
    state = crossing()
    with pytest.raises(BadInput, match="riders is in b1 and leaves it first"):
        removal(state, ("b1",))
    assert removal(state.having({"riders": ()}), ("b1",)) == ModelsRemoved(models=("b1",))
    assert removal(state.bereft(("r1", "r2")), ("b1",)) == ModelsRemoved(models=("b1",))
    with pytest.raises(BadInput, match="there is no model 'ghost'"):
        removal(state, ("ghost",))
