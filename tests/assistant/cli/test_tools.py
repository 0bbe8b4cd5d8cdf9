"""What people measure at the table: tapes and threats that follow the game."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from assistant.cli.crew import Crew
from assistant.cli.obey import obey
from assistant.cli.reckoner import Reckoner
from assistant.cli.tools import MOST_TAPES, Tools
from assistant.errors import BadInput
from assistant.game.state import GameState
from assistant.session import Session
from assistant.web.commands.tools import HideThreat, Measure, ShowThreat, Unmeasure
from assistant.web.messages import View
from assistant.web.messages.tools import ThreatView
from tests.assistant.scripted import Script, crossing, game

LONG_S = 30.0


class AtTable:
    """A session with its tools, and a script that moves its models."""

    def __init__(self, state: GameState, tools: Tools) -> None:
        self.session, self.script, self.tools = Session(state), Script(), tools
        self.session.see(self.script.frame())

    def told(self, message: Measure | Unmeasure | ShowThreat | HideThreat) -> View:
        obey(message, session=self.session, hand=lambda _: None, crew=Crew(tools=self.tools))
        return self.shown()

    def shown(self) -> View:
        return self.tools.shown(self.session)

    def measure(self, *ends: dict[str, Any], agreed: bool = True) -> View:
        return self.told(Measure.model_validate({"type": "measure", "ends": ends, "agreed": agreed}))

    def threat(self, unit: str, **more: Any) -> ThreatView:
        self.told(ShowThreat(type="show-threat", unit=unit, agreed=True, **more))
        return self.worked_out(unit)

    def worked_out(self, unit: str) -> ThreatView:
        deadline = time.monotonic() + LONG_S
        while (view := self.shown().threats[unit]).working:
            assert time.monotonic() < deadline, "this threat never came"
            time.sleep(0.005)
        return view


@contextmanager
def at_table(state: GameState | None = None) -> Iterator[AtTable]:
    with Reckoner() as reckoner, Reckoner() as ways:
        yield AtTable(state or game(), Tools(reckoner, ways))


def model(name: str) -> dict[str, Any]:
    return {"kind": "model", "id": name}


def unit(name: str) -> dict[str, Any]:
    return {"kind": "unit", "id": name}


def test_a_tape_follows_a_model_while_it_moves() -> None:
    with at_table() as table:
        view = table.measure(model("s1"), model("s2"))
        assert view.tapes["1"].ends == ("s1", "s2")
        assert view.tapes["1"].mm == pytest.approx(18)
        assert view.shapes["tape:1"].label == '0.71" ± 0.01"'
        moving = table.script.slide("s2", 300, 450)
        for frame in moving[:-1]:
            table.session.see(frame)
        assert table.shown().tapes["1"].mm == pytest.approx(118)
        table.session.see(moving[-1])
        assert table.shown().tapes["1"].mm == pytest.approx(118)


def test_tapes_are_taken_away_one_by_one_or_all_together() -> None:
    with at_table() as table:
        table.measure(model("s1"), model("w1"))
        table.measure(unit("scouts"), unit("walker"))
        view = table.measure(unit("walker"), unit("scouts"))  # which lies there already
        assert set(view.tapes) == {"1", "2"}
        view = table.told(Unmeasure(type="unmeasure", tape="1"))
        assert set(view.tapes) == {"2"}
        assert {key for key in view.shapes if key.startswith("tape")} == {"tape:2"}
        assert table.told(Unmeasure(type="unmeasure", tape="1")).tapes  # another page was quicker
        assert not table.told(Unmeasure(type="unmeasure")).tapes


def test_a_tape_ends_with_its_model_and_waits_for_one_that_left_the_table() -> None:
    with at_table(crossing()) as table:
        table.measure(model("s1"), model("w1"))
        table.measure(model("b1"), model("w1"))
        table.session.remove(("s1",))
        assert set(table.shown().tapes) == {"2"}
        table.session.set_status("boat", ("reserves",))
        tape = table.shown().tapes["2"]
        assert tape.mm is None
        assert tape.note == "b1 is not on the table, so nothing can be measured to it"
        assert "tape:2" not in table.shown().shapes


def test_the_rulebook_or_the_players_say_that_measuring_is_allowed() -> None:
    with at_table() as table:
        view = table.shown().measuring["measuring"]
        assert not view.allowed
        with pytest.raises(BadInput, match="agree on it with your opponent first"):
            table.measure(model("s1"), model("w1"), agreed=False)
        with pytest.raises(BadInput, match="agree on it"):
            table.told(ShowThreat(type="show-threat", unit="walker"))
        assert table.measure(model("s1"), model("w1")).measuring["measuring"].allowed
        assert table.measure(model("s2"), model("w1"), agreed=False).tapes.keys() == {"1", "2"}  # once is enough
    with at_table(replace(game(), rulebook="activation-skirmish")) as table:
        assert table.shown().measuring["measuring"].allowed
        assert table.measure(model("s1"), model("w1"), agreed=False).tapes


def test_what_cannot_be_measured_is_refused_and_nothing_is_agreed_by_it() -> None:
    with at_table() as table:
        with pytest.raises(BadInput, match="there is no model 'x'"):
            table.measure(model("x"), model("s1"))
        assert not table.shown().measuring["measuring"].allowed
        for number in range(MOST_TAPES):
            table.measure(model("s1"), {"kind": "point", "x_mm": 10.0 * number, "y_mm": 0.0})
        with pytest.raises(BadInput, match="take one away first"):
            table.measure(model("s1"), model("s2"))


def test_a_threat_is_shown_follows_the_game_and_is_hidden() -> None:
    with at_table() as table:
        assert table.threat("walker").text == 'walker: 10" normal move + 1" engagement range'
        before = table.shown().shapes["threat:walker:0"]
        assert before.label
        for frame in table.script.slide("w1", 900, 600):
            table.session.see(frame)
        assert table.shown().shapes.keys() >= {"threat:walker:0"}  # the last one stays until the new one is known
        table.worked_out("walker")
        assert table.shown().shapes["threat:walker:0"] != before
        assert table.threat("walker", range_mm=609.6).text == 'walker: 10" normal move + 24" range'
        assert table.threat("scouts").range_mm is None
        assert set(table.told(HideThreat(type="hide-threat", unit="walker")).threats) == {"scouts"}
        view = table.told(HideThreat(type="hide-threat"))
        assert not view.threats
        assert not view.shapes


def test_the_threat_of_a_unit_that_is_destroyed_ends() -> None:
    with at_table() as table:
        table.threat("walker")
        table.session.remove(("w1",))
        assert not table.shown().threats


def test_a_model_on_its_way_shows_how_far_it_has_come() -> None:
    with at_table() as table:
        table.session.declare(unit="scouts", action="normal")
        for frame in table.script.slide("s1", 300, 200)[:-1]:
            table.session.see(frame)
        deadline = time.monotonic() + LONG_S
        while not (view := table.shown()).ways:
            assert time.monotonic() < deadline, "its way was never measured"
            time.sleep(0.005)
        assert view.ways["s1"].moving
        assert view.ways["s1"].measured_mm == pytest.approx(100, abs=0.1)
        assert view.shapes.keys() == {"ghost:s1", "path:s1", "way:s1"}
        assert view.shapes["way:s1"].label == '3.9" of 6", 2.1" left'
        table.session.see(table.script.frame())
        assert not table.shown().ways  # the game's own section says it now
