"""What a live table that begins knows of the one before: where the set-up's pictures showed the game's models."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import cast

import pytest

from assistant.features.demo.catalogue import read_demo
from assistant.features.session_plan import SessionPlan
from assistant.features.wizard.controller import Wizard, open_wizard
from assistant.game.state import Pose
from assistant.runtime.composition_root import LiveTable, build_without_camera
from assistant.runtime.live_loop import LatestFrame, LiveLoop
from assistant.setup.editing import SETUP_FILE
from assistant.web.hub import Hub
from assistant.web.replay_routes import Archive
from hardware.simulation.virtual_table import VirtualTable

RESTS = {"scouts-1": Pose(x_mm=200, y_mm=300, sigma_mm=0.2)}


@pytest.fixture
def wizard(tmp_path: Path) -> Wizard:
    return open_wizard(tmp_path)


@pytest.fixture
def shown(tmp_path: Path) -> SessionPlan:
    """The set-up's own line: it shows the game's table, and records nothing."""
    demo = read_demo("warhammer-40k-10e")
    return SessionPlan(
        path=tmp_path / SETUP_FILE, kept_at=None, setup=demo.setup, state=demo.state, title="A game", recording=None
    )


def begin(plan: SessionPlan, wizard: Wizard) -> LiveTable:
    """Return the line of a game that a set-up leads to."""
    return build_without_camera(plan, wizard, "no camera answers")


def read_expected(line: LiveTable, monkeypatch: pytest.MonkeyPatch) -> Mapping[str, Pose]:
    """Run a line whose loop is over at once, and return where its session expects models."""
    expected: list[Mapping[str, Pose]] = []
    monkeypatch.setattr(LiveLoop, "run", lambda self, _stop: expected.append(self.session.motion.expected))
    line.run(Hub(), LatestFrame(), Archive(), Event())
    return expected[0]


def test_a_game_knows_where_the_set_up_saw_its_models(
    wizard: Wizard, shown: SessionPlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = replace(shown, recording=tmp_path / "game.overtable")
    assert read_expected(begin(shown, wizard), monkeypatch) == {}
    assert wizard.rests == (shown, {}), "a line that ends hands over where models rested"
    wizard.rests = (shown, RESTS)
    assert read_expected(begin(game, wizard), monkeypatch) == RESTS


def test_what_is_known_of_another_table_or_of_a_game_that_goes_on_is_not_taken(
    wizard: Wizard, shown: SessionPlan, tmp_path: Path
) -> None:
    game = replace(shown, recording=tmp_path / "game.overtable")
    other = read_demo("warmaster-revolution")
    wizard.rests = (shown, RESTS)
    assert begin(game, wizard)._find_known_rests() == RESTS
    assert begin(shown, wizard)._find_known_rests() == {}, "it is the set-up still"
    assert begin(replace(game, go_on=True), wizard)._find_known_rests() == {}, "its recording knows better"
    assert begin(replace(game, setup=other.setup), wizard)._find_known_rests() == {}
    assert begin(replace(game, state=other.state), wizard)._find_known_rests() == {}
    assert replace(begin(game, wizard), wizard=None)._find_known_rests() == {}


def test_models_of_a_virtual_table_begin_where_it_was_laid(wizard: Wizard, shown: SessionPlan, tmp_path: Path) -> None:
    virtual = replace(begin(shown, wizard), table=cast("VirtualTable", object()))
    wizard.rests = (shown, RESTS)
    assert virtual._find_known_rests() == {}, "it is the set-up still"
    game = replace(virtual, plan=replace(shown, recording=tmp_path / "game.overtable"))
    rests = game._find_known_rests()
    assert len(rests) == 21, "four wait beside the table"
    assert (rests["scouts-1"].x_mm, rests["scouts-1"].y_mm) == (330, 420), "not where the set-up's table was left"
