"""The foresight feature: asked once a table is still, told while it stays so, no worse without its process."""

import logging
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from multiprocessing import get_context
from typing import Any

import pytest

from assistant.features.foresight import AT_ONCE, BEGINS_S, STILL_S, ForesightFeature, begin_process
from assistant.game.state import GameState
from assistant.table.foresight import foresee_all
from assistant.table.session import GameSession
from tests.assistant.snapshot_script import build_game


class Later(Executor):
    """Does what it is asked when a test wants it."""

    def __init__(self) -> None:
        self.asked: list[tuple[Future[Any], Callable[..., Any], tuple[Any, ...]]] = []

    def submit(self, work: Callable[..., Any], /, *of: Any, **_: Any) -> Future[Any]:
        self.asked.append((Future(), work, of))
        return self.asked[-1][0]

    def do_next(self) -> None:
        future, work, of = self.asked.pop(0)
        future.set_result(work(*of))


def list_ahead(feature: ForesightFeature, state: GameState) -> set[str]:
    return {model for view in feature.build_views(GameSession(state)) for model in view.ahead}


def test_a_table_that_is_still_is_told_ahead_what_a_touch_draws() -> None:
    state, later = build_game(), Later()
    feature = ForesightFeature(lambda: later)
    feature.look_ahead(state, 0.0)
    feature.look_ahead(state, BEGINS_S - 0.1)
    assert later.asked == []
    feature.look_ahead(state, BEGINS_S)
    feature.look_ahead(state, BEGINS_S + 0.1)  # waits for the answer
    assert len(later.asked) == 1
    assert AT_ONCE >= 3
    later.do_next()
    assert list_ahead(feature, state) == set()
    feature.look_ahead(state, BEGINS_S + 0.2)
    assert list_ahead(feature, state) == {"s1", "s2", "w1"}
    assert later.asked == []


def move_model(state: GameState, model: str, x_mm: float) -> GameState:
    pose = state.find_model(model).pose
    assert pose is not None
    return state.place_models({model: replace(pose, x_mm=x_mm)})


def test_what_was_foreseen_of_a_unit_that_has_moved_since_is_not_told() -> None:
    state, later = build_game(), Later()
    feature = ForesightFeature(lambda: later)
    feature.look_ahead(state, 0.0)
    feature.look_ahead(state, BEGINS_S)
    moved = move_model(state, "s1", 310.0)
    feature.look_ahead(moved, 10.0)
    later.do_next()  # of the state before
    feature.look_ahead(moved, 10.0)
    assert list_ahead(feature, moved) == {"w1"}
    feature.look_ahead(moved, 10.0 + STILL_S)
    later.do_next()
    feature.look_ahead(moved, 10.1 + STILL_S)
    assert list_ahead(feature, moved) == {"s1", "s2", "w1"}
    away = move_model(moved, "w1", 700.0)
    feature.look_ahead(away, 20.0)
    assert list_ahead(feature, away) == {"s1", "s2"}
    assert list_ahead(feature, moved) == set()


def test_what_can_no_longer_be_foreseen_is_told_no_more() -> None:
    state, later = build_game(), Later()
    feature = ForesightFeature(lambda: later)
    feature.look_ahead(state, 0.0)
    feature.look_ahead(state, BEGINS_S)
    later.do_next()
    away = move_model(state, "w1", 700.0)
    feature.look_ahead(away, 10.0)
    assert list_ahead(feature, away) == {"s1", "s2"}
    feature.look_ahead(away, 10.0 + STILL_S)
    assert [pick.model for pick in later.asked[0][2][1]] == ["w1", "s1", "s2"]  # of which nothing is told comes first
    later.asked.pop()[0].set_result({})
    feature.look_ahead(away, 11.0)
    assert list_ahead(feature, away) == set()


def test_the_game_goes_on_without_its_process(caplog: pytest.LogCaptureFixture) -> None:
    state, later = build_game(), Later()
    feature = ForesightFeature(lambda: later)
    feature.look_ahead(state, 0.0)
    feature.look_ahead(state, BEGINS_S)
    later.asked.pop()[0].set_exception(BrokenProcessPool("killed"))
    with caplog.at_level(logging.CRITICAL, "assistant.features.foresight"):
        feature.look_ahead(state, 4.0)
    other = replace(state, units=state.units[:1])
    for now_s in (5.0, 9.0):
        feature.look_ahead(other, now_s)
    assert later.asked == []
    assert list_ahead(feature, other) == set()
    feature.close()


def test_another_process_foresees_the_same_and_ends_at_once() -> None:
    # The program's own stands back behind all others: beside other tests it would take a minute.
    process = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
    state = build_game()
    feature, later = ForesightFeature(lambda: process), Later()
    here = ForesightFeature(lambda: later)
    for each in (feature, here):
        each.look_ahead(state, 0.0)
        each.look_ahead(state, BEGINS_S)
    later.do_next()
    process.submit(foresee_all, b"", ()).result()  # what is asked later is answered later
    for each in (feature, here):
        each.look_ahead(state, BEGINS_S)
    told = [
        {model: (one.limit_mm, [shape.label for shape in one.shapes]) for model, one in view.ahead.items()}
        for each in (feature, here)
        for view in each.build_views(GameSession(state))
    ]
    assert told[0] == told[1]
    assert set(told[0]) == {"s1", "s2", "w1"}
    endless = process.submit(time.sleep, 3600.0)
    while not endless.running():
        time.sleep(0.01)
    feature.close()
    assert isinstance(endless.exception(), BrokenProcessPool)


def test_a_machine_with_one_core_foresees_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    assert begin_process() is None
    feature = ForesightFeature(begin_process)
    for now_s in (0.0, BEGINS_S):
        feature.look_ahead(build_game(), now_s)
    feature.close()
