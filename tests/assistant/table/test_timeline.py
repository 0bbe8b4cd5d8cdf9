"""The timeline: what is counted and noticed of a game, event by event."""

from dataclasses import replace

import pytest

from assistant.game.events import (
    Accepted,
    CalibrationChanged,
    Declared,
    Event,
    Exchanged,
    ModelPlaced,
    Ruled,
    Swapped,
    Undone,
    Withdrawn,
)
from assistant.game.history import History
from assistant.game.state import Declaration, Pose, Ruling
from assistant.table.timeline import GameTimeline
from tests.assistant.snapshot_script import build_game

SCOUTS = Declared(declaration=Declaration(unit="scouts", action="normal"))
PLACED = ModelPlaced(model="s1", pose=Pose(x_mm=1, y_mm=2, facing_rad=0))
ON_PAST = Ruling(by="players", outcome="legal", at_ns=5)


def play(*events: Event) -> GameTimeline:
    timeline = GameTimeline(history=History(state=build_game()))
    for now_ns, event in enumerate(events, 1):
        timeline = timeline.after(event, now_ns)
    return timeline


def test_decisions_are_counted_and_taking_one_back_is_one_too() -> None:
    assert play(PLACED).decision_count == 0
    assert play(SCOUTS, PLACED, Withdrawn()).decision_count == 2
    undone = play(SCOUTS, Undone())
    assert (undone.decision_count, undone.last_decision, undone.state.declared) == (2, None, None)


def test_a_ruling_on_the_past_is_noticed_and_counts_as_no_decision() -> None:
    ruled = replace(play(SCOUTS), resumed=True).after(Ruled(ruling=ON_PAST), 7)
    assert (ruled.past_ruling, ruled.decision_count, ruled.resumed) == ((7, ON_PAST), 1, True)
    assert ruled.last_decision == SCOUTS, "it is none that Undo takes back"
    withdrawn = ruled.after(Undone(ruling=ON_PAST), 8)
    assert (withdrawn.past_ruling, withdrawn.decision_count) == (None, 1)
    assert withdrawn.last_decision == SCOUTS


def test_a_resumed_game_goes_on_once_somebody_says_how_models_stand() -> None:
    resumed = play().resume()
    assert resumed.after(SCOUTS, 1).resumed
    assert not resumed.after(Accepted(models=(), outcome="unjudged"), 1).resumed


@pytest.mark.parametrize(
    "event", [Exchanged(models=("s1", "s2")), Swapped(models=("s1", "s2"), tags={0: "s2", 1: "s1"})]
)
def test_it_is_known_when_tags_were_last_exchanged(event: Event) -> None:
    assert play(PLACED, event, PLACED).exchanged_ns == 2


def test_the_last_change_of_the_calibration_is_kept_of_each_anchor() -> None:
    first, other, again = (
        CalibrationChanged(what="anchor-back", tag=tag, moved_mm=moved_mm, turned_rad=0, before="a", after="b")
        for tag, moved_mm in ((580, 1.0), (None, 2.0), (580, 3.0))
    )
    assert play(first, other, again).calibration_changes == {580: (3, again), None: (2, other)}
