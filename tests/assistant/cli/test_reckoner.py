"""Zones that are worked out beside the line."""

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import pytest

from assistant.announced import Pick
from assistant.cli import reckoner as module
from assistant.cli.reckoner import Reckoner
from assistant.errors import BadInput
from assistant.game.events import ModelSettled
from assistant.game.reduce import reduce
from assistant.game.state import Declaration, GameState, Pose
from assistant.rules.judge import Zone
from assistant.rules.region import Facing
from assistant.zones import AtOnce, Wanted, reckon, wanted
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


@dataclass(frozen=True)
class Steps:
    """A question that is answered step by step, each of which waits for its turn."""

    name: str
    log: list[str] = field(compare=False)
    go_on: threading.Event = field(compare=False, default_factory=threading.Event)
    count: int = 3

    def answers(self) -> Iterator[str | None]:
        for step in range(self.count):
            assert self.go_on.wait(LONG_S)
            self.log.append(f"{self.name}{step}")
            yield self.name if step == self.count - 1 else None


def answered(known: Reckoner, name: str, asked: Steps) -> None:
    deadline = time.monotonic() + LONG_S
    while (found := known.ask(name, asked)) is None or found.question != asked:
        assert time.monotonic() < deadline, "this was never answered"
        time.sleep(0.005)


def test_what_others_wait_for_comes_between_the_steps_of_the_rest() -> None:
    log: list[str] = []
    slow, urgent = Steps("slow", log), Steps("zone", log, count=1)
    with Reckoner() as known:
        known.ask("slow", slow)
        known.ask("zone", urgent)
        urgent.go_on.set()
        slow.go_on.set()
        answered(known, "slow", slow)
    assert log.index("zone0") < log.index("slow2")


def test_a_newer_question_takes_the_place_of_the_older_and_keeps_its_answer_until_it_has_its_own() -> None:
    log: list[str] = []
    first, second = Steps("a", log, count=1), Steps("b", log)
    with Reckoner() as known:
        first.go_on.set()
        answered(known, "way", first)
        found = known.ask("way", second)
        assert found is not None
        assert found.answer == "a"
        second.go_on.set()
        answered(known, "way", second)


def test_a_question_that_is_forgotten_is_not_gone_on_with() -> None:
    log: list[str] = []
    dropped, kept = Steps("dropped", log), Steps("kept", log)
    with Reckoner() as known:
        known.ask("dropped", dropped)
        known.forget("dropped")
        dropped.go_on.set()
        kept.go_on.set()
        answered(known, "kept", kept)
        assert known.ask("dropped", dropped) is None
    assert "dropped2" not in log[: log.index("kept2")]
