"""Values in a set-up file: written, taken out, and everything else left as it is."""

from functools import partial
from pathlib import Path

import pytest

from assistant.cli.demos import SETUP
from assistant.cli.frames import camera_of
from assistant.cli.optician import keep_in
from assistant.cli.virtual import virtual_table
from assistant.errors import BadInput
from assistant.game.state import NO_RULEBOOK, GameState, Table
from assistant.naming import keep_values
from assistant.setup import read_setup
from hardware.camera.virtual import VirtualCamera


def test_what_is_held_is_written_and_the_camera_opens_so(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    before = SETUP.read_text()
    path.write_text(before)
    keep = partial(keep_values, path, "camera")
    setup = keep({"focus": 143.0, "exposure": 80.0})
    assert (setup.camera.focus, setup.camera.exposure) == (143, 80)
    assert read_setup(path) == setup
    table = Table(width_mm=setup.table.width_mm, depth_mm=setup.table.depth_mm)
    laid = virtual_table(setup, GameState(rulebook=NO_RULEBOOK, table=table, units=()))
    source = camera_of(setup, path, laid)()
    assert isinstance(source, VirtualCamera)
    assert (source.settings().focus, source.settings().exposure) == (143, 80)
    assert keep_in(path)(None, None) == "table.toml says so from now on."
    assert path.read_text() == before


def test_a_value_that_does_not_fit_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(SETUP.read_text())
    with pytest.raises(BadInput, match="camera.focus"):
        keep_values(path, "camera", {"focus": 1e9})
    assert path.read_text() == SETUP.read_text()
