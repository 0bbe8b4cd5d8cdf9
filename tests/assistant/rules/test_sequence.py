"""The order of a turn: what it forbids, what follows, and what ends with it."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from assistant.errors import BadInput
from assistant.game.events import Accepted, ModelSettled, ModelsRemoved, StatusSet, StepBegan, TurnBegan
from assistant.game.reduce import reduce
from assistant.game.state import GameState, Move, Turn
from assistant.rules.referee import Referee, judge
from assistant.rules.sequence import build_acceptance, build_removal, build_status_set, find_next_step
from assistant.rules.verdict import Effect, Outcome
from tests.assistant.snapshot_script import build_crossing_game

MOVING = Turn(number=1, player="red", step="move-units")
ARRIVING = replace(MOVING, step="reinforcements")


def list_refusals(state: GameState, unit: str, action: str) -> list[tuple[str, str]]:
    return [
        because for option in Referee(state).list_options(unit) if option.action == action for because in option.because
    ]


def nudge_model(state: GameState, model: str) -> GameState:
    pose = state.find_model(model).pose
    assert pose is not None
    return reduce(state, ModelSettled(model=model, path=(pose, replace(pose, x_mm=pose.x_mm + 5)), observed=True))


def test_without_turns_every_unit_may_act() -> None:
    state = build_crossing_game()
    assert list_refusals(state, "scouts", "normal") == []
    assert list_refusals(state, "walker", "normal") == []
    assert list_refusals(nudge_model(state, "b1"), "scouts", "normal") == []


def test_only_the_player_whose_turn_it_is_acts() -> None:
    state = replace(build_crossing_game(), turn=MOVING)
    assert list_refusals(state, "scouts", "normal") == []
    assert list_refusals(state, "walker", "normal") == [("10e-01", "walker cannot act so now: it is red's turn")]
    assert Referee(state).find_zone(model="w1", action="normal").region.is_empty
    verdict = judge(state, Move(unit="walker", action="remain-stationary"))
    assert [(f.rule, f.outcome) for f in verdict.findings] == [("10e-01", Outcome.ILLEGAL)]


def test_units_move_first_and_reserves_arrive_after() -> None:
    state = replace(build_crossing_game(), turn=MOVING)
    assert ("10e-01", "late cannot act so now: Set up belongs to another step than Move Units") in list_refusals(
        state, "late", "set-up"
    )
    state = replace(state, turn=ARRIVING)
    assert list_refusals(state, "late", "set-up") == []
    assert list_refusals(state, "scouts", "normal") == [
        ("10e-01", "scouts cannot act so now: Normal move belongs to another step than Reinforcements")
    ]
    assert (
        "10e-01",
        "riders cannot act so now: Disembark belongs to another step than Reinforcements",
    ) in list_refusals(state, "riders", "disembark")


def test_a_unit_is_finished_before_the_next() -> None:
    state = nudge_model(replace(build_crossing_game(), turn=MOVING), "s1")
    assert list_refusals(state, "scouts", "normal") == []
    assert list_refusals(state, "boat", "normal") == [
        ("10e-02", "boat cannot act so now: scouts has begun its move and is finished first")
    ]
    later = nudge_model(state, "b1")  # who began first goes on
    assert list_refusals(later, "scouts", "normal") == []
    assert list_refusals(nudge_model(replace(build_crossing_game(), turn=MOVING), "w1"), "scouts", "normal") == []
    assert (
        list_refusals(nudge_model(replace(build_crossing_game(), turn=MOVING), "r2"), "scouts", "normal") == []
    )  # it is aboard the boat


def test_who_leaves_a_destroyed_transport_waits_for_no_turn() -> None:
    state = replace(build_crossing_game(), turn=replace(ARRIVING, player="blue")).set_statuses({"boat": ("destroyed",)})
    assert list_refusals(state, "riders", "disembark") == []
    whole = replace(build_crossing_game(), turn=replace(MOVING, player="blue"))
    assert list_refusals(whole, "riders", "disembark") == [("10e-01", "riders cannot act so now: it is blue's turn")]


def test_steps_and_turns_follow_each_other() -> None:
    state = build_crossing_game().set_statuses(
        {"scouts": ("advanced",), "walker": ("fell-back", "battle-shocked", "destroyed")}
    )
    first = find_next_step(state)
    assert first == TurnBegan(player="red", step="move-units")  # counting begins: nothing has ended
    state = reduce(state, first)
    assert find_next_step(state) == StepBegan(step="reinforcements")
    state = reduce(state, find_next_step(state))
    second = find_next_step(state)
    assert second == TurnBegan(player="blue", step="move-units", status={"walker": ("destroyed",)})
    state = reduce(reduce(state, second), StepBegan(step="reinforcements"))
    assert state.find_unit("scouts").status == ("advanced",)  # until their own next turn
    assert find_next_step(state) == TurnBegan(player="red", step="move-units", status={"scouts": ()})


def accept(state: GameState, move: Move, outcome: str = "legal", effects: Sequence[Effect] = ()) -> Accepted:
    """Return what accepting a move comes to."""
    referee = Referee(state)
    asked = referee.build_context(move.unit, rolls=move.rolls, intent=move.intent)
    return build_acceptance(referee.book, asked, move, outcome, effects)


def test_an_accepted_action_leaves_its_status_only_where_something_ends_it() -> None:
    move = Move(unit="scouts", action="advance", rolls=(3,))
    counted = accept(replace(build_crossing_game(), turn=MOVING), move, "legal")
    assert (counted.unit, counted.action, counted.status) == ("scouts", "advance", {"scouts": ("advanced",)})
    free = accept(build_crossing_game(), move, "legal")
    assert free.status == {"scouts": ()}
    kept = accept(build_crossing_game().set_statuses({"scouts": ("battle-shocked",)}), move, "legal")
    assert kept.status == {"scouts": ("battle-shocked",)}


def test_embarking_takes_a_units_models_off_the_table() -> None:
    state = build_crossing_game().set_statuses({"scouts": ("normal-moved",)})
    embarked = accept(state, Move(unit="scouts", action="embark", intent={"transport": "b1"}), "legal")
    assert embarked.status == {"scouts": ("normal-moved", "embarked:b1")}
    assert embarked.off == ("s1", "s2")
    assert accept(state, Move(unit="scouts", action="remain-stationary"), "illegal").off == ()


def test_what_an_effect_destroys_is_lost() -> None:
    effect = Effect(rule="10e-59", subjects=("r2",), effect="destroyed", destroys=True)
    assert accept(build_crossing_game(), Move(unit="scouts", action="normal"), "legal", [effect]).lost == ("r2",)


def test_a_status_is_one_that_the_rulebook_knows() -> None:
    state = build_crossing_game()
    assert build_status_set(state, "scouts", ("reserves",)) == StatusSet(
        unit="scouts", status=("reserves",), off=("s1", "s2")
    )
    assert build_status_set(state, "late", ()).off == ()
    with pytest.raises(BadInput, match="the status 'sleepy' is not known"):
        build_status_set(state, "scouts", ("sleepy",))
    with pytest.raises(BadInput, match="there is no unit 'ghosts'"):
        build_status_set(state, "ghosts", ())


def test_a_transport_is_removed_once_it_is_empty() -> None:
    state = build_crossing_game()
    with pytest.raises(BadInput, match="riders is in b1 and leaves it first"):
        build_removal(state, ("b1",))
    assert build_removal(state.set_statuses({"riders": ()}), ("b1",)) == ModelsRemoved(models=("b1",))
    assert build_removal(state.remove_models(("r1", "r2")), ("b1",)) == ModelsRemoved(models=("b1",))
    with pytest.raises(BadInput, match="there is no model 'ghost'"):
        build_removal(state, ("ghost",))
