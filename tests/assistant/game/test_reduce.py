"""What events add up to."""

import pytest

from assistant.game.events import Accepted, Declared, ModelPlaced, ModelSettled, SourceChanged, Withdrawn
from assistant.game.reduce import reduce
from assistant.game.state import Declaration, Pose
from tests.assistant.scripted import game

HERE, THERE, FAR = Pose(x_mm=300, y_mm=300), Pose(x_mm=340, y_mm=300), Pose(x_mm=380, y_mm=300)


def test_a_models_track_goes_on_from_its_accepted_place() -> None:
    state = reduce(game(), ModelSettled(model="s1", path=(HERE, THERE), observed=True))
    state = reduce(state, ModelSettled(model="s1", path=(THERE, FAR), observed=True))
    assert state.tracks["s1"].poses == (HERE, THERE, FAR)
    assert state.model("s1").pose == HERE


@pytest.mark.parametrize("seen", [(True, True), (True, False), (False, True), (False, False)])
def test_a_track_is_observed_only_if_all_of_it_was(seen: tuple[bool, bool]) -> None:
    state = reduce(game(), ModelSettled(model="s1", path=(HERE, THERE), observed=seen[0]))
    state = reduce(state, ModelSettled(model="s1", path=(THERE, FAR), observed=seen[1]))
    assert state.tracks["s1"].observed is all(seen)


def test_accepting_makes_the_present_places_of_its_models_starting_places() -> None:
    state = reduce(game(), Declared(declaration=Declaration(unit="scouts", action="normal")))
    state = reduce(state, ModelSettled(model="s1", path=(HERE, THERE), observed=True))
    state = reduce(state, ModelSettled(model="w1", path=(FAR, HERE), observed=True))
    state = reduce(state, Accepted(models=("s1",), outcome="legal"))
    assert (state.model("s1").pose, state.declared) == (THERE, None)
    assert set(state.tracks) == {"w1"}


def test_placing_ends_a_track() -> None:
    state = reduce(game(), ModelSettled(model="s1", path=(HERE, THERE), observed=True))
    state = reduce(state, ModelPlaced(model="s1", pose=FAR))
    assert (state.model("s1").pose, state.tracks) == (FAR, {})


def test_withdrawing_and_a_lost_camera_move_nothing() -> None:
    moved = reduce(game(), ModelSettled(model="s1", path=(HERE, THERE), observed=True))
    declared = reduce(moved, Declared(declaration=Declaration(unit="scouts", action="normal")))
    assert reduce(declared, Withdrawn()) == moved
    assert reduce(moved, SourceChanged(state="lost", text="unplugged")) == moved


def test_an_event_about_nobody_is_an_error() -> None:
    with pytest.raises(KeyError, match="ghost"):
        reduce(game(), ModelPlaced(model="ghost", pose=HERE))
    with pytest.raises(KeyError, match="ghosts"):
        reduce(game(), Declared(declaration=Declaration(unit="ghosts", action="normal")))
