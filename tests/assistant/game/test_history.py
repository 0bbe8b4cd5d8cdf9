"""Game history: taking back what was decided."""

import math
from dataclasses import replace
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.game import history as game_history
from assistant.game.events import (
    Accepted,
    Declared,
    Event,
    ModelSettled,
    ModelsRemoved,
    Ruled,
    ScoreSet,
    SourceChanged,
    StatusSet,
    StepBegan,
    TurnBegan,
    Undone,
    Withdrawn,
)
from assistant.game.history import KEPT_EVERY, History
from assistant.game.state import Declaration, Pose, Ruling, Score
from tests.assistant.snapshot_script import build_game

HERE, THERE, FAR = Pose(x_mm=300, y_mm=300), Pose(x_mm=340, y_mm=300), Pose(x_mm=380, y_mm=300)
DECLARED = Declared(declaration=Declaration(unit="scouts", action="normal"))
ACCEPTED = Accepted(
    models=("s1",), outcome="legal", unit="scouts", action="normal", status={"scouts": ("normal-moved",)}
)
SEEN = ModelSettled(model="s1", path=(HERE, THERE), observed=True)


def apply_events(*events: Event) -> History:
    history = History(state=build_game())
    for event in events:
        history = history.apply(event)
    return history


def test_an_accepted_move_is_taken_back_and_the_model_still_stands_where_it_was_seen() -> None:
    back = apply_events(DECLARED, SEEN, ACCEPTED, Undone()).state
    assert back == apply_events(DECLARED, SEEN).state
    assert back.find_model("s1").pose == HERE
    assert back.tracks["s1"].poses == (HERE, THERE)
    assert back.find_unit("scouts").status == ()


def test_what_was_seen_since_stays_seen() -> None:
    onward = ModelSettled(model="s1", path=(THERE, FAR), observed=False)
    back = apply_events(DECLARED, SEEN, ACCEPTED, onward, Undone()).state
    assert back.tracks["s1"].poses == (HERE, THERE, FAR)
    assert not back.tracks["s1"].observed


def test_decisions_are_taken_back_one_by_one() -> None:
    history = apply_events(
        TurnBegan(player="red", step="move-units"), StatusSet(unit="scouts", status=("battle-shocked",)), SEEN
    )
    assert history.state.find_unit("scouts").status == ("battle-shocked",)
    once = history.apply(Undone())
    assert (once.state.find_unit("scouts").status, once.state.turn and once.state.turn.player) == ((), "red")
    twice = once.apply(Undone())
    assert twice.state.turn is None
    assert twice.state.tracks["s1"].poses == (HERE, THERE)
    assert twice.past is None


def test_a_long_game_is_taken_back_to_its_beginning_though_it_keeps_few_states() -> None:
    place, histories = HERE, [apply_events()]
    for points in range(50):
        scored = histories[-1].apply(ScoreSet(player="red", score=Score(points=points)))
        there = replace(place, x_mm=place.x_mm + 1)
        histories.append(scored.apply(ModelSettled(model="s1", path=(place, there), observed=True)))
        place = there
    last = histories.pop()
    kept, past = 0, last.past
    while past is not None:
        kept, past = kept + (past.before is not None), past.earlier
    assert kept == 1 + math.ceil(49 / KEPT_EVERY)
    for earlier in reversed(histories):
        last = last.apply(Undone())
        assert last.state.scores == earlier.state.scores
        assert last.state.tracks["s1"].poses[-1] == place
    assert last.past is None


def test_there_must_be_something_to_take_back() -> None:
    with pytest.raises(ValueError, match="nothing to take back"):
        apply_events(SEEN, Undone())


def test_a_model_that_was_removed_comes_back() -> None:
    gone = apply_events(SEEN, ModelsRemoved(models=("s1",)))
    assert [model.id for model in gone.state.find_unit("scouts").models] == ["s2"]
    assert "s1" not in gone.state.tracks
    assert gone.apply(Undone()).state == apply_events(SEEN).state


DECISIONS = st.sampled_from(
    [
        DECLARED,
        Withdrawn(),
        ACCEPTED,
        TurnBegan(player="red", step="move-units", status={"scouts": ("battle-shocked",)}),
        StepBegan(step="reinforcements"),
        StatusSet(unit="scouts", status=("reserves",), off=("s1", "s2")),
        Ruled(ruling=Ruling(by="players", outcome="legal", unit="scouts", action="normal")),
        Ruled(ruling=Ruling(by="players", outcome="again", unit="scouts", action="normal")),
    ]
)
SIGHTS = st.sampled_from(
    [SEEN, ModelSettled(model="w1", path=(FAR, HERE), observed=True), SourceChanged(state="lost", text="")]
)


@given(st.lists(SIGHTS, max_size=4), DECISIONS, st.lists(SIGHTS, max_size=4))
@settings(max_examples=60)
def test_a_decision_taken_back_was_never_made(before: list[Event], decision: Event, since: list[Event]) -> None:
    assert apply_events(*before, decision, *since, Undone()).state == apply_events(*before, *since).state


@given(st.lists(st.one_of(DECISIONS, SIGHTS, st.just(Undone())), min_size=12, max_size=30))
@settings(max_examples=40)
def test_it_is_the_same_however_few_states_are_kept(events: list[Event]) -> None:
    states = []
    for kept_every in (1, 5):
        history = apply_events()
        with patch.object(game_history, "KEPT_EVERY", kept_every):
            for event in events:
                if history.past is not None or not isinstance(event, Undone):
                    history = history.apply(event)
            while history.past is not None:
                history = history.apply(Undone())
                states.append(history.state)
    assert states[: len(states) // 2] == states[len(states) // 2 :]


def test_a_ruling_on_the_past_stands_beside_the_game() -> None:
    one = Ruling(by="judge", outcome="legal", note="so", at_ns=5)
    two = Ruling(by="judge", outcome="illegal", note="no", at_ns=6)
    history = apply_events(DECLARED, SEEN, ACCEPTED, Ruled(ruling=one), Ruled(ruling=two))
    assert history.rulings == (one, two)
    undone = history.apply(Undone())
    assert undone.state == apply_events(DECLARED, SEEN).state
    assert undone.rulings == (one, two)
    assert undone.apply(Undone(ruling=one)).rulings == (two,)
    with pytest.raises(ValueError, match="no such ruling"):
        apply_events(DECLARED).apply(Undone(ruling=one))
