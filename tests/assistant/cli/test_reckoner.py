"""Zones that are worked out beside the line."""

import threading
import time
from dataclasses import replace

import pytest

from assistant.answer import AtOnce, Pick, Wanted, reckon, wanted
from assistant.cli import reckoner as module
from assistant.cli.reckoner import Reckoner
from assistant.errors import BadInput
from assistant.game.events import ModelSettled
from assistant.game.reduce import reduce
from assistant.game.state import Declaration, GameState, Pose
from assistant.rules.judge import Zone
from assistant.rules.region import Facing
from tests.assistant.scripted import crossing, game

LONG_S = 30.0


def asking(unit: str, model: str, state: GameState | None = None) -> Wanted:
    declared = replace(state or game(), declared=Declaration(unit=unit, action="normal"))
    found = wanted(declared, Pick(unit=unit, model=model))
    assert found is not None
    return found


def awaited(known: Reckoner, asked: Wanted, area_mm2: float) -> None:
    deadline = time.monotonic() + LONG_S
    while (zone := known(asked)) is None or zone.region.area != area_mm2:
        assert time.monotonic() < deadline, "this zone never came"
        time.sleep(0.005)


def test_a_zone_comes_with_its_own_facing_first_and_then_with_any() -> None:
    asked = asking("walker", "w1")
    kept, turned = reckon(asked, "keep"), reckon(asked, "any")
    assert turned.region.area != kept.region.area
    with Reckoner() as known:
        assert known(asked) is None
        awaited(known, asked, turned.region.area)
        assert known(replace(asked)) is known(asked)  # the same question has the same answer


def test_only_the_zone_that_was_asked_for_last_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on = threading.Event(), threading.Event()
    order: list[tuple[str, str]] = []

    def slow(asked: Wanted, facing: Facing) -> Zone:
        order.append((asked.model, facing))
        if asked.model == "w1":
            begun.set()
            assert go_on.wait(LONG_S)
        return reckon(asked, facing)

    monkeypatch.setattr(module, "reckon", slow)
    first, second = asking("walker", "w1"), asking("scouts", "s1")
    with Reckoner() as known:
        known(first)
        assert begun.wait(LONG_S)
        assert known(second) is None
        go_on.set()
        awaited(known, second, reckon(second, "keep").region.area)
    assert order == [("w1", "keep"), ("s1", "keep")]


def test_what_cannot_be_worked_out_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    state = game()
    still = replace(state, units=tuple(replace(unit, profile={}) for unit in state.units))
    asked = asking("scouts", "s1", still)
    with pytest.raises(BadInput, match="move_in is missing"):
        reckon(asked, "keep")
    assert AtOnce()(asked) is None
    tried = threading.Event()

    def trying(asked: Wanted, facing: Facing) -> Zone:
        try:
            return reckon(asked, facing)
        finally:
            tried.set()

    monkeypatch.setattr(module, "reckon", trying)
    with Reckoner() as known:
        assert known(asked) is None
        assert tried.wait(LONG_S)
        other = asking("scouts", "s1")  # and the next question is answered
        awaited(known, other, reckon(other, "keep").region.area)


def test_a_zone_is_asked_for_where_there_is_one_to_draw() -> None:
    state = replace(crossing(), declared=Declaration(unit="scouts", action="advance"))
    pick = Pick(unit="scouts", model="s1")
    assert wanted(state, None) is None
    assert wanted(state, pick) is None  # before the die
    assert wanted(state, Pick(unit="boat", model="b1")) is None
    rolled = replace(state, declared=Declaration(unit="scouts", action="advance", rolls=(3,)))
    asked = wanted(rolled, pick)
    assert asked is not None
    assert (asked.rolls, asked.state.declared, asked.state.tracks) == ((3,), None, {})
    there = Pose(x_mm=340, y_mm=300)
    on_its_way = reduce(rolled, ModelSettled(model="s1", path=(Pose(x_mm=300, y_mm=300), there), observed=True))
    assert wanted(on_its_way, pick) == asked  # where it started counts, so nothing is worked out anew
    refused = replace(state, declared=Declaration(unit="scouts", action="fall-back"))
    assert wanted(refused, pick) is None
    tests = Declaration(unit="scouts", action="normal", lost=("s1",))
    assert wanted(replace(state, declared=tests), pick) is None
    off = replace(state, declared=Declaration(unit="late", action="set-up"))
    assert wanted(off, Pick(unit="late", model="l1")) is not None
