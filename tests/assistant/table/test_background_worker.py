"""Zones and other questions that are worked out beside the line."""

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import pytest

from assistant.errors import BadInput
from assistant.game.events import ModelSettled
from assistant.game.reduce import reduce
from assistant.game.state import Declaration, GameState, Pose
from assistant.rules.movement_zone import MovementZone
from assistant.rules.referee import Referee
from assistant.table import background_worker as module
from assistant.table.background_worker import BackgroundWorker
from assistant.table.declared_move import Pick
from assistant.table.zone_query import (
    ImmediateZoneSolver,
    ZoneRequest,
    _choose_totals,
    _spread_total,
    build_zone_request,
    compute_zone,
    list_bands,
    refine_zone,
)
from tests.assistant.snapshot_script import build_crossing_game, build_game

LONG_S = 30.0


def build_question(unit: str, model: str, state: GameState | None = None) -> ZoneRequest:
    declared = replace(state or build_game(), declared=Declaration(unit=unit, action="normal"))
    request = build_zone_request(Referee(declared), Pick(unit=unit, model=model))
    assert request is not None
    return request


def wait_for_zone(known: BackgroundWorker, request: ZoneRequest, area_mm2: float) -> None:
    deadline = time.monotonic() + LONG_S
    while (zone := known(request)) is None or zone.region.area != area_mm2:
        assert time.monotonic() < deadline, "this zone never came"
        time.sleep(0.005)


def test_a_zone_comes_with_its_own_facing_first_and_then_with_any() -> None:
    request = build_question("walker", "w1")
    kept, turned = compute_zone(request, "keep"), compute_zone(request, "any")
    first, *_, last = refine_zone(build_question("walker", "w1"))
    assert turned.region.area != kept.region.area
    assert last.region == turned.region != first.region
    with BackgroundWorker() as known:
        assert known(request) is None
        wait_for_zone(known, request, turned.region.area)
        assert known(replace(request)) is known(request)  # the same question has the same answer


def test_only_the_zone_that_was_asked_for_last_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on = threading.Event(), threading.Event()
    order: list[tuple[str, int]] = []

    def slow(request: ZoneRequest) -> Iterator[MovementZone]:
        for number, zone in enumerate(refine_zone(request)):
            order.append((request.model, number))
            if request.model == "w1":
                begun.set()
                assert go_on.wait(LONG_S)
            yield zone

    monkeypatch.setattr(module, "refine_zone", slow)
    first, second = build_question("walker", "w1"), build_question("scouts", "s1")
    with BackgroundWorker() as known:
        known(first)
        assert begun.wait(LONG_S)
        assert known(second) is None
        go_on.set()
        wait_for_zone(known, second, compute_zone(second, "keep").region.area)
    assert order[:2] == [("w1", 0), ("s1", 0)]
    assert ("w1", 1) not in order


def test_what_cannot_be_worked_out_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    state = build_game()
    still = replace(state, units=tuple(replace(unit, profile={}) for unit in state.units))
    request = build_question("scouts", "s1", still)
    with pytest.raises(BadInput, match="move_in is missing"):
        compute_zone(request, "keep")
    assert ImmediateZoneSolver()(request) is None
    tried = threading.Event()

    def trying(request: ZoneRequest) -> Iterator[MovementZone]:
        try:
            yield from refine_zone(request)
        finally:
            tried.set()

    monkeypatch.setattr(module, "refine_zone", trying)
    with BackgroundWorker() as known:
        assert known(request) is None
        assert tried.wait(LONG_S)
        other = build_question("scouts", "s1")  # and the next question is answered
        wait_for_zone(known, other, compute_zone(other, "keep").region.area)


def _forbid_measuring(state: GameState) -> GameState:
    return replace(state, parameters={**state.parameters, "premeasuring": False})


def test_a_zone_is_asked_for_where_there_is_one_to_draw() -> None:
    state = replace(build_crossing_game(), declared=Declaration(unit="scouts", action="advance"))
    pick = Pick(unit="scouts", model="s1")
    assert build_zone_request(Referee(state), None) is None
    assert build_zone_request(Referee(state), pick) is None  # before the die
    assert build_zone_request(Referee(_forbid_measuring(state)), Pick(unit="boat", model="b1")) is None
    # Who may measure at any time may look at another unit meanwhile.
    elsewhere = build_zone_request(Referee(state), Pick(unit="boat", model="b1"))
    assert elsewhere is not None
    assert elsewhere.action == "normal"
    rolled = replace(state, declared=Declaration(unit="scouts", action="advance", rolls=(3,)))
    request = build_zone_request(Referee(rolled), pick)
    assert request is not None
    assert (request.rolls, request.referee.state.declared, request.referee.state.tracks) == ((3,), None, {})
    there = Pose(x_mm=340, y_mm=300)
    on_its_way = reduce(rolled, ModelSettled(model="s1", path=(Pose(x_mm=300, y_mm=300), there), observed=True))
    assert (
        build_zone_request(Referee(on_its_way), pick) == request
    )  # where it started counts, so nothing is worked out anew
    refused = replace(state, declared=Declaration(unit="scouts", action="fall-back"))
    assert build_zone_request(Referee(refused), pick) is None
    tests = Declaration(unit="scouts", action="normal", lost=("s1",))
    assert build_zone_request(Referee(replace(state, declared=tests)), pick) is None
    off = replace(state, declared=Declaration(unit="late", action="set-up"))
    assert build_zone_request(Referee(off), Pick(unit="late", model="l1")) is not None


@dataclass(frozen=True)
class StepwiseQuestion:
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


def wait_for_answer(known: BackgroundWorker, name: str, question: StepwiseQuestion) -> None:
    deadline = time.monotonic() + LONG_S
    while (answer := known.ask(name, question)) is None or answer.question != question:
        assert time.monotonic() < deadline, "this was never answered"
        time.sleep(0.005)


def test_what_others_wait_for_comes_between_the_steps_of_the_rest() -> None:
    log: list[str] = []
    slow, urgent = StepwiseQuestion("slow", log), StepwiseQuestion("zone", log, count=1)
    with BackgroundWorker() as known:
        known.ask("slow", slow)
        known.ask("zone", urgent)
        urgent.go_on.set()
        slow.go_on.set()
        wait_for_answer(known, "slow", slow)
    assert log.index("zone0") < log.index("slow2")


def test_a_newer_question_takes_the_place_of_the_older_and_keeps_its_answer_until_it_has_its_own() -> None:
    log: list[str] = []
    first, second = StepwiseQuestion("a", log, count=1), StepwiseQuestion("b", log)
    with BackgroundWorker() as known:
        told = threading.Event()
        known.on_answer = told.set
        assert not told.is_set()
        first.go_on.set()
        wait_for_answer(known, "way", first)
        assert told.wait(LONG_S)
        answer = known.ask("way", second)
        assert answer is not None
        assert answer.answer == "a"
        second.go_on.set()
        wait_for_answer(known, "way", second)


def test_a_question_that_is_forgotten_is_not_gone_on_with() -> None:
    log: list[str] = []
    dropped, kept = StepwiseQuestion("dropped", log), StepwiseQuestion("kept", log)
    with BackgroundWorker() as known:
        known.ask("dropped", dropped)
        known.forget("dropped")
        dropped.go_on.set()
        kept.go_on.set()
        wait_for_answer(known, "kept", kept)
        assert known.ask("dropped", dropped) is None
    assert "dropped2" not in log[: log.index("kept2")]


def test_a_question_that_a_bug_ends_is_dropped_and_the_next_is_worked_out(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    calls: list[str] = []

    def refine(asked: ZoneRequest) -> Iterator[MovementZone]:
        calls.append(asked.model)
        if asked.model == "w1":
            raise RuntimeError("injected")
        return refine_zone(asked)

    monkeypatch.setattr(module, "refine_zone", refine)
    failing, working = build_question("walker", "w1"), build_question("scouts", "s1")
    deadline = time.monotonic() + LONG_S
    with BackgroundWorker() as known:
        assert known(failing) is None
        while not caplog.records:
            assert time.monotonic() < deadline
            time.sleep(0.005)
        while known(working) is None:
            assert time.monotonic() < deadline, "the worker ended"
            time.sleep(0.005)
    assert calls.count("w1") == 1
    (record,) = caplog.records
    assert record.levelname == "ERROR"
    assert record.exc_info is not None


def test_bands_are_asked_for_with_dice_that_come_as_often_as_not_and_with_luck() -> None:
    state, pick = build_crossing_game(), Pick(unit="boat", model="b1")
    referee = Referee(state)
    bands = list_bands(referee, pick, build_zone_request(referee, pick))
    assert [(band.label, band.zone.rolls) for band in bands] == [("Advance with 4+", (4,)), ("Advance with 6+", (6,))]
    told = Referee(replace(state, declared=Declaration(unit="boat", action="normal")))
    assert list_bands(told, pick, build_zone_request(told, pick)) == ()


@pytest.mark.parametrize(
    ("count", "sides", "totals"), [(0, 6, (0,)), (1, 6, (4, 6)), (2, 6, (7, 10)), (3, 6, (11, 13)), (1, 10, (6, 9))]
)
def test_totals_of_dice_are_those_reached_half_the_time_and_once_in_six(
    count: int, sides: int, totals: tuple[int, ...]
) -> None:
    assert _choose_totals(count, sides) == totals
    for total in totals:
        rolls = _spread_total(total, count, sides)
        assert (sum(rolls), len(rolls)) == (total, count)
        assert all(1 <= roll <= sides for roll in rolls)
