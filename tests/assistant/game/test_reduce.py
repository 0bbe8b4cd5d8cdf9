"""The reducer: what events add up to."""

from dataclasses import replace

import pytest

from assistant.game.events import (
    Accepted,
    CalibrationChanged,
    Declared,
    ModelPlaced,
    ModelSettled,
    ModelsRemoved,
    SourceChanged,
    StatusSet,
    StepBegan,
    TurnBegan,
    Undone,
    Withdrawn,
)
from assistant.game.reduce import reduce
from assistant.game.state import Declaration, Pose, Turn
from tests.assistant.snapshot_script import build_game

HERE, THERE, FAR = Pose(x_mm=300, y_mm=300), Pose(x_mm=340, y_mm=300), Pose(x_mm=380, y_mm=300)


def test_a_models_track_goes_on_from_its_accepted_place() -> None:
    state = reduce(build_game(), ModelSettled(model="s1", path=(HERE, THERE), observed=True))
    state = reduce(state, ModelSettled(model="s1", path=(THERE, FAR), observed=True))
    assert state.tracks["s1"].poses == (HERE, THERE, FAR)
    assert state.find_model("s1").pose == HERE


@pytest.mark.parametrize("seen", [(True, True), (True, False), (False, True), (False, False)])
def test_a_track_is_observed_only_if_all_of_it_was(seen: tuple[bool, bool]) -> None:
    state = reduce(build_game(), ModelSettled(model="s1", path=(HERE, THERE), observed=seen[0]))
    state = reduce(state, ModelSettled(model="s1", path=(THERE, FAR), observed=seen[1]))
    assert state.tracks["s1"].observed is all(seen)


def test_a_track_knows_which_of_its_legs_were_not_seen() -> None:
    path = (HERE, Pose(x_mm=320, y_mm=300), THERE)
    state = reduce(build_game(), ModelSettled(model="s1", path=path, observed=False, unseen=(1,)))
    state = reduce(state, ModelSettled(model="s1", path=(THERE, FAR), observed=True))
    assert state.tracks["s1"].unseen == (1,)
    # Older journals say only that something of a path was not seen.
    state = reduce(state, ModelSettled(model="s1", path=(FAR, THERE, HERE), observed=False))
    assert state.tracks["s1"].unseen == (1, 3, 4)


def test_accepting_makes_the_present_places_of_its_models_starting_places() -> None:
    state = reduce(build_game(), Declared(declaration=Declaration(unit="scouts", action="normal")))
    state = reduce(state, ModelSettled(model="s1", path=(HERE, THERE), observed=True))
    state = reduce(state, ModelSettled(model="w1", path=(FAR, HERE), observed=True))
    state = reduce(state, Accepted(models=("s1",), outcome="legal"))
    assert (state.find_model("s1").pose, state.declared) == (THERE, None)
    assert set(state.tracks) == {"w1"}


def test_placing_ends_a_track() -> None:
    state = reduce(build_game(), ModelSettled(model="s1", path=(HERE, THERE), observed=True))
    state = reduce(state, ModelPlaced(model="s1", pose=FAR))
    assert (state.find_model("s1").pose, state.tracks) == (FAR, {})


def test_withdrawing_and_a_lost_camera_move_nothing() -> None:
    moved = reduce(build_game(), ModelSettled(model="s1", path=(HERE, THERE), observed=True))
    declared = reduce(moved, Declared(declaration=Declaration(unit="scouts", action="normal")))
    assert reduce(declared, Withdrawn()) == moved
    assert reduce(moved, SourceChanged(state="lost", text="unplugged")) == moved
    assert reduce(moved, CalibrationChanged(what="camera-moved", moved_mm=5, before="a", after="b")) == moved


def test_an_event_about_nobody_is_an_error() -> None:
    with pytest.raises(KeyError, match="ghost"):
        reduce(build_game(), ModelPlaced(model="ghost", pose=HERE))
    with pytest.raises(KeyError, match="ghosts"):
        reduce(build_game(), Declared(declaration=Declaration(unit="ghosts", action="normal")))
    with pytest.raises(KeyError, match="ghosts"):
        reduce(build_game(), StatusSet(unit="ghosts", status=()))
    with pytest.raises(KeyError, match="ghost"):
        reduce(build_game(), ModelsRemoved(models=("ghost",)))
    with pytest.raises(KeyError, match="ghost"):
        reduce(build_game(), Accepted(models=(), outcome="legal", off=("ghost",)))


def test_turns_are_numbered_and_hold_who_has_acted() -> None:
    state = reduce(build_game(), TurnBegan(player="red", step="move-units"))
    assert state.turn == Turn(number=1, player="red", step="move-units")
    state = reduce(state, Accepted(models=(), outcome="legal", unit="scouts", action="normal"))
    state = reduce(state, Accepted(models=("w1",), outcome="unjudged"))
    state = reduce(state, StepBegan(step="reinforcements"))
    assert state.turn == Turn(number=1, player="red", step="reinforcements", done={"scouts": "normal"})
    state = reduce(state, TurnBegan(player="blue", step="move-units", status={"walker": ("advanced",)}))
    assert state.turn == Turn(number=2, player="blue", step="move-units")
    assert (state.find_unit("walker").status, state.find_unit("scouts").status) == (("advanced",), ())


def test_a_shared_turn_passes_from_player_to_player_and_keeps_who_has_acted() -> None:
    state = reduce(build_game(), TurnBegan(player="blue", step="move-units", order=("blue", "red")))
    state = reduce(state, Accepted(models=(), outcome="legal", unit="walker", action="normal"))
    state = reduce(state, StepBegan(step="move-units", player="red"))
    assert state.turn == Turn(
        number=1, player="red", step="move-units", done={"walker": "normal"}, order=("blue", "red")
    )


def test_a_track_remembers_what_was_announced_for_its_unit_when_it_began() -> None:
    normal, advance = Declaration(unit="scouts", action="normal"), Declaration(unit="scouts", action="advance")
    state = reduce(build_game(), ModelSettled(model="s1", path=(HERE, THERE), observed=True))
    state = reduce(state, Declared(declaration=normal))
    state = reduce(state, ModelSettled(model="s2", path=(HERE, THERE), observed=True))
    state = reduce(state, ModelSettled(model="w1", path=(HERE, FAR), observed=True))
    state = reduce(state, Declared(declaration=advance))
    for model in ("s1", "s2"):
        state = reduce(state, ModelSettled(model=model, path=(THERE, FAR), observed=True))
    assert {model: track.told for model, track in state.tracks.items()} == {"s1": None, "s2": normal, "w1": None}


def test_no_order_has_been_given_when_a_turn_begins() -> None:
    state = replace(build_game(), orders_begun=True)
    assert reduce(state, StepBegan(step="reinforcements")).orders_begun
    assert not reduce(state, TurnBegan(player="red", step="move-units")).orders_begun


@pytest.mark.parametrize("event", [TurnBegan(player="red", step="move-units"), StepBegan(step="reinforcements")])
def test_a_step_ends_what_was_announced_and_leaves_what_was_seen(event: TurnBegan | StepBegan) -> None:
    state = reduce(build_game(), Declared(declaration=Declaration(unit="scouts", action="normal")))
    state = reduce(state, ModelSettled(model="s1", path=(HERE, THERE), observed=True))
    state = reduce(state, event)
    assert (state.declared, set(state.tracks)) == (None, {"s1"})


def test_a_move_may_change_the_status_of_several_units() -> None:
    status = {"scouts": ("embarked:w1",), "walker": ("normal-moved",)}
    state = reduce(build_game(), Accepted(models=(), outcome="legal", unit="scouts", action="embark", status=status))
    assert {unit.id: unit.status for unit in state.units} == status


def test_what_leaves_the_table_comes_back_without_a_way() -> None:
    state = reduce(build_game(), ModelSettled(model="s1", path=(HERE, THERE), observed=True))
    state = reduce(state, StatusSet(unit="scouts", status=("reserves",), off=("s1", "s2")))
    assert (state.find_model("s1").pose, state.find_model("s2").pose, state.tracks) == (None, None, {})
    for path in ((THERE, FAR), (FAR, HERE)):
        state = reduce(state, ModelSettled(model="s1", path=path, observed=False))
        assert (state.tracks["s1"].poses, state.tracks["s1"].observed) == (path[-1:], True)
    state = reduce(state, Accepted(models=("s1",), outcome="legal", unit="scouts", action="set-up"))
    assert (state.find_model("s1").pose, state.tracks) == (HERE, {})


def test_a_move_takes_models_off_the_table_or_out_of_the_game() -> None:
    state = reduce(build_game(), ModelSettled(model="s1", path=(HERE, THERE), observed=True))
    state = reduce(state, ModelSettled(model="s2", path=(HERE, FAR), observed=True))
    state = reduce(state, Accepted(models=("s1", "s2"), outcome="legal", off=("s1",), lost=("s2",)))
    assert [(model.id, model.pose) for model in state.find_unit("scouts").models] == [("s1", None)]


def test_a_unit_that_is_destroyed_to_the_last_model_announces_nothing() -> None:
    state = reduce(build_game(), Declared(declaration=Declaration(unit="scouts", action="normal")))
    one_left = reduce(state, ModelsRemoved(models=("s1",)))
    assert one_left.declared == state.declared
    none_left = reduce(one_left, ModelsRemoved(models=("s2",)))
    assert (none_left.declared, none_left.find_unit("scouts").models) == (None, ())


def test_a_step_means_nothing_while_no_turn_is_counted() -> None:
    assert reduce(build_game(), StepBegan(step="reinforcements")) == build_game()


def test_taking_back_is_the_historys_business() -> None:
    with pytest.raises(ValueError, match="by the history"):
        reduce(build_game(), Undone())
