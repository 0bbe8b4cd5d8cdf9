"""The event is what its log adds up to, whenever the hall is killed in between."""

from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.hall.event import (
    Claimed,
    ClockHeld,
    Ended,
    EventLog,
    EventState,
    Paired,
    RoundBegan,
    TimeGiven,
    reduce_event,
)

S = 10**9


def test_the_clock_of_a_round_stands_goes_on_and_is_longer_at_one_table() -> None:
    state = reduce_event(EventState(), RoundBegan(at_ns=100 * S, round=1, minutes=10))
    assert state.read_left_s(160 * S) == 540
    state = reduce_event(state, ClockHeld(at_ns=160 * S, running=False))
    assert state.read_left_s(900 * S) == 540
    state = reduce_event(state, ClockHeld(at_ns=1000 * S, running=False))  # a second time changes nothing
    state = reduce_event(state, ClockHeld(at_ns=1000 * S, running=True))
    state = reduce_event(state, TimeGiven(at_ns=1000 * S, table="7", minutes=5))
    assert (state.read_left_s(1010 * S), state.read_left_s(1010 * S, "7")) == (530, 830)
    assert state.read_left_s(2000 * S) == -460
    again = reduce_event(state, RoundBegan(at_ns=3000 * S, round=2, minutes=10))
    assert again.read_left_s(3000 * S, "7") == 600
    assert [again.find_round(at) for at in (0, 100 * S, 2999 * S, 3000 * S)] == [0, 1, 1, 2]


def test_it_goes_on_after_whatever_ended_it(tmp_path: Path) -> None:
    log = EventLog(tmp_path / "desk.jsonl")
    for each in (
        RoundBegan(at_ns=1, round=1, minutes=10),
        Paired(at_ns=2, round=1, players={"1": ("Ann", "Bén")}),
        Ended(at_ns=3, round=1, table="1", scores=(20, 0)),
        Claimed(at_ns=4, call="1:summons:9", judge="Ann"),
    ):
        log.add(each)
    again = EventLog(tmp_path / "desk.jsonl")
    assert again.state == log.state
    assert again.state.find_players("1") == ("Ann", "Bén")
    with (tmp_path / "desk.jsonl").open("ab") as file:
        file.write(b'{"kind": "claimed", "at_')  # killed amid a line
    third = EventLog(tmp_path / "desk.jsonl")
    third.add(Claimed(at_ns=5, call="1:summons:9", judge=""))
    assert EventLog(tmp_path / "desk.jsonl").state.claims == {}


def test_a_log_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "desk.jsonl").write_text('{"kind": "claimed"}\n')
    with pytest.raises(BadInput, match="line 1: this is nothing that happens in an event"):
        EventLog(tmp_path / "desk.jsonl")
