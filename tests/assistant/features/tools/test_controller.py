"""What people measure at the table: tapes and threats that follow the game."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from assistant.errors import BadInput
from assistant.features.feature import Asker
from assistant.features.tools.controller import MOST_TAPES, ToolsController
from assistant.game.state import GameState
from assistant.table.background_worker import BackgroundWorker
from assistant.table.session import GameSession
from assistant.web.commands.game import HideThreat, Measure, ShowThreat, Unmeasure
from assistant.web.messages import View
from assistant.web.messages.table import ThreatView
from tests.assistant.snapshot_script import SnapshotScript, build_crossing_game, build_game

LONG_S = 30.0


class ToolsAtTable:
    """A session with its tools, and a script that moves its models."""

    def __init__(self, state: GameState, tools: ToolsController) -> None:
        self.session, self.script, self.tools = GameSession(state), SnapshotScript(), tools
        self.session.observe(self.script.take_snapshot())

    def give(self, message: Measure | Unmeasure | ShowThreat | HideThreat) -> View:
        self.tools.handle(message, Asker(session=self.session))
        return self.build_view()

    def build_view(self) -> View:
        return self.tools.build_view(self.session)

    def measure(self, *ends: dict[str, Any]) -> View:
        return self.give(Measure.model_validate({"type": "measure", "ends": ends}))

    def show_threat(self, unit: str, **more: Any) -> ThreatView:
        self.give(ShowThreat(type="show-threat", unit=unit, **more))
        return self.wait_for_threat(unit)

    def wait_for_threat(self, unit: str) -> ThreatView:
        deadline = time.monotonic() + LONG_S
        while (view := self.build_view().threats[unit]).working:
            assert time.monotonic() < deadline, "this threat never came"
            time.sleep(0.005)
        return view


@contextmanager
def open_table(state: GameState | None = None) -> Iterator[ToolsAtTable]:
    with BackgroundWorker() as worker, BackgroundWorker() as ways:
        yield ToolsAtTable(state or build_game(), ToolsController(worker, ways))


def build_model_end(name: str) -> dict[str, Any]:
    return {"kind": "model", "id": name}


def build_unit_end(name: str) -> dict[str, Any]:
    return {"kind": "unit", "id": name}


def test_a_tape_follows_a_model_while_it_moves() -> None:
    with open_table() as table:
        view = table.measure(build_model_end("s1"), build_model_end("s2"))
        assert view.tapes["1"].ends == ("s1", "s2")
        assert view.tapes["1"].mm == pytest.approx(18)
        assert view.shapes["tape:1"].label == '0.71" ± 0.01"'
        moving = table.script.slide("s2", 300, 450)
        for frame in moving[:-1]:
            table.session.observe(frame)
        assert table.build_view().tapes["1"].mm == pytest.approx(118)
        table.session.observe(moving[-1])
        assert table.build_view().tapes["1"].mm == pytest.approx(118)


def test_tapes_are_taken_away_one_by_one_or_all_together() -> None:
    with open_table() as table:
        table.measure(build_model_end("s1"), build_model_end("w1"))
        table.measure(build_unit_end("scouts"), build_unit_end("walker"))
        view = table.measure(build_unit_end("walker"), build_unit_end("scouts"))  # which lies there already
        assert set(view.tapes) == {"1", "2"}
        view = table.give(Unmeasure(type="unmeasure", tape="1"))
        assert set(view.tapes) == {"2"}
        assert {key for key in view.shapes if key.startswith("tape")} == {"tape:2"}
        assert table.give(Unmeasure(type="unmeasure", tape="1")).tapes  # another page was quicker
        assert not table.give(Unmeasure(type="unmeasure")).tapes


def test_a_tape_ends_with_its_model_and_waits_for_one_that_left_the_table() -> None:
    with open_table(build_crossing_game()) as table:
        table.measure(build_model_end("s1"), build_model_end("w1"))
        table.measure(build_model_end("b1"), build_model_end("w1"))
        table.session.remove_models(("s1",))
        assert set(table.build_view().tapes) == {"2"}
        table.session.set_status("boat", ("reserves",))
        tape = table.build_view().tapes["2"]
        assert tape.mm is None
        assert tape.note == "b1 is not on the table, so nothing can be measured to it"
        assert "tape:2" not in table.build_view().shapes


def test_the_rulebook_or_the_players_say_that_measuring_is_allowed() -> None:
    with open_table() as table:
        view = table.build_view().measuring["measuring"]
        assert (view.allowed, view.agreed) == (True, True)
        assert view.note.startswith("Players may measure at any time: a house rule of this game")
        table.session.agree_on_parameters({"premeasuring": False})
        with pytest.raises(BadInput, match="Players may not measure before a move: a house rule"):
            table.measure(build_model_end("s1"), build_model_end("w1"))
        with pytest.raises(BadInput, match="may not measure"):
            table.give(ShowThreat(type="show-threat", unit="walker"))
        table.session.undo()
        assert table.measure(build_model_end("s1"), build_model_end("w1")).tapes
    with open_table(replace(build_game(), rulebook="activation-skirmish")) as table:
        view = table.measure(build_model_end("s1"), build_model_end("w1")).measuring["measuring"]
        assert (view.allowed, view.agreed) == (True, False)
        assert view.note == "The rules let players measure at any time (act-22)."
        with pytest.raises(BadInput, match=r"parameters.premeasuring: this parameter is not known"):
            table.session.agree_on_parameters({"premeasuring": False})


def test_what_cannot_be_measured_is_refused() -> None:
    with open_table() as table:
        with pytest.raises(BadInput, match="there is no model 'x'"):
            table.measure(build_model_end("x"), build_model_end("s1"))
        for number in range(MOST_TAPES):
            table.measure(build_model_end("s1"), {"kind": "point", "x_mm": 10.0 * number, "y_mm": 0.0})
        with pytest.raises(BadInput, match="take one away first"):
            table.measure(build_model_end("s1"), build_model_end("s2"))


def test_a_threat_is_shown_follows_the_game_and_is_hidden() -> None:
    with open_table() as table:
        assert table.show_threat("walker").text == 'walker: 10" normal move + 1" engagement range'
        before = table.build_view().shapes["threat:walker:0"]
        assert before.label
        for frame in table.script.slide("w1", 900, 600):
            table.session.observe(frame)
        assert table.build_view().shapes.keys() >= {"threat:walker:0"}  # the last one stays until the new one is known
        table.wait_for_threat("walker")
        assert table.build_view().shapes["threat:walker:0"] != before
        assert table.show_threat("walker", range_mm=609.6).text == 'walker: 10" normal move + 24" range'
        assert table.show_threat("scouts").range_mm is None
        assert set(table.give(HideThreat(type="hide-threat", unit="walker")).threats) == {"scouts"}
        view = table.give(HideThreat(type="hide-threat"))
        assert not view.threats
        assert not view.shapes


def test_the_threat_of_a_unit_that_is_destroyed_ends() -> None:
    with open_table() as table:
        table.show_threat("walker")
        table.session.remove_models(("w1",))
        assert not table.build_view().threats


def test_a_model_on_its_way_shows_how_far_it_has_come() -> None:
    with open_table() as table:
        table.session.declare(unit="scouts", action="normal")
        for frame in table.script.slide("s1", 300, 200)[:-1]:
            table.session.observe(frame)
        deadline = time.monotonic() + LONG_S
        while not (view := table.build_view()).ways:
            assert time.monotonic() < deadline, "its way was never measured"
            time.sleep(0.005)
        assert view.ways["s1"].moving
        assert view.ways["s1"].measured_mm == pytest.approx(100, abs=0.1)
        assert view.shapes.keys() == {"ghost:s1", "path:s1", "way:s1"}
        assert view.shapes["way:s1"].label == '3.9" of 6", 2.1" left'
        table.session.observe(table.script.take_snapshot())
        assert not table.build_view().ways  # the game's own section says it now
