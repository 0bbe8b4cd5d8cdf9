"""What is kept of a projector's calibration, and nudges."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from assistant.cli.demos import SETUP
from assistant.cli.projectionist import NOT_CALIBRATED, SAVED_AFTER_NS, Projectionist
from assistant.errors import BadInput
from assistant.files import read_json
from assistant.game.state import NO_RULEBOOK, GameState, Table
from assistant.projecting import Step
from assistant.projection import projector_of
from assistant.session import Session
from assistant.setup import read_setup
from assistant.web.commands.projector import NudgeLight
from calibration.projector_file import LitTable, ProjectorFile
from hardware.frame import Frame
from vision.pipeline import Pipeline

SIZE = (1920, 1080)


def a_file(**changes: object) -> ProjectorFile:
    made = ProjectorFile(
        format="overtable.projector/1",
        image_size=SIZE,
        table=LitTable(width_mm=1524, depth_mm=1118),
        projector_from_table=((0.9, 0.0, 200.0), (0.0, -0.9, 1050.0), (0.0, 0.0, 1.0)),
        centre_px=(959.5, 539.5),
        distortion=(0.0, 0.0, 0.0, 0.0),
        lens="flat",
    )
    return made.model_copy(update=changes)


@pytest.fixture
def setup(tmp_path: Path) -> Path:
    path = tmp_path / "table.toml"
    path.write_text("# mine\n" + SETUP.read_text())
    return path


def projectionist(path: Path) -> Projectionist:
    file, notice = projector_of(read_setup(path), path)
    pipeline = cast(
        "Pipeline", SimpleNamespace(camera=None, markers=SimpleNamespace(tags=frozenset[int](), anchors=()))
    )
    return Projectionist(setup=read_setup(path), path=path, pipeline=pipeline, file=file, notice=notice)


def frame(captured_ns: int) -> Frame:
    return Frame(camera="x", sequence=0, captured_ns=captured_ns, image=np.zeros((9, 16), np.uint8))


def session() -> Session:
    return Session(GameState(rulebook=NO_RULEBOOK, table=Table(width_mm=1524, depth_mm=1118), units=()))


def test_what_is_kept_is_named_in_the_set_up_and_replaces_nothing(setup: Path) -> None:
    made = projectionist(setup)
    assert made.shown().note == NOT_CALIBRATED
    with pytest.raises(BadInput, match="nothing to be kept yet"):
        made.keep()
    for number in range(3):
        made.measured = a_file(calibration=str(number))
        made.keep()
        assert made.file == a_file(calibration=str(number))
    names = [("projector.json", "2"), ("projector.before-1.json", "0"), ("projector.before-2.json", "1")]
    assert [(name, read_json(setup.parent / name, ProjectorFile).calibration) for name, _ in names] == names
    assert read_setup(setup).projector.calibration == "projector.json"
    assert setup.read_text().startswith("# mine\n")
    assert setup.read_text().endswith('[projector]\ncalibration = "projector.json"\n')
    assert projectionist(setup).file == a_file(calibration="2")


def test_a_file_that_is_not_there_yet_is_said_and_made(setup: Path) -> None:
    setup.write_text(setup.read_text() + '[projector]\ncalibration = "light/west.json"\n')
    (setup.parent / "light").mkdir()
    made = projectionist(setup)
    assert "west.json is not there yet" in made.shown().note
    made.measured = a_file()
    made.keep()
    assert (setup.parent / "light/west.json").exists()
    assert made.shown().note == ""


def test_a_file_of_another_table_is_refused(setup: Path) -> None:
    (setup.parent / "projector.json").write_text(a_file(table=LitTable(width_mm=900, depth_mm=600)).model_dump_json())
    setup.write_text(setup.read_text() + '[projector]\ncalibration = "projector.json"\n')
    with pytest.raises(BadInput, match=r"projector.json: .* over a table of 900 x 600 mm, but that of .* 1524 x 1118"):
        projectionist(setup)


def test_a_page_of_another_size_is_asked_for_a_new_one(setup: Path) -> None:
    made = projectionist(setup)
    made.file = a_file()
    made.page(*SIZE)
    assert made.shown().note == ""
    assert made.projector is not None
    made.page(1280, 720)
    assert "1280 x 720 now, but the projector was calibrated at 1920 x 1080" in made.shown().note
    assert made.projector is None


def test_a_calibration_begins_anew_when_the_page_changes(setup: Path) -> None:
    made = projectionist(setup)
    made.begin()
    assert made.shown().step == "page"
    assert made.shown().pattern is None
    made.page(*SIZE)
    assert made.state is not None
    assert made.state.step is Step.DARK
    pattern = made.shown().pattern
    assert pattern is not None
    assert (pattern.image_size, pattern.tags) == (SIZE, [])
    assert not made.see(frame(1), session())  # the game goes on in the dark
    made.stop()
    assert made.shown().step is None


def test_nudges_move_the_light_and_are_taken_back(setup: Path) -> None:
    made = projectionist(setup)
    order = NudgeLight(type="nudge-light", x_mm=2.0)
    with pytest.raises(BadInput, match="not calibrated yet"):
        made.nudge(order)
    made.measured = a_file()
    made.keep()
    made.page(*SIZE)
    before = made.projector
    made.nudge(order)
    made.nudge(NudgeLight(type="nudge-light", turn_deg=0.5, scale=1.01))
    assert made.projector is not None
    assert before is not None
    (landed,) = before.table_from_projector(made.projector.projector_from_table([(762.0, 559.0)]))
    assert landed == pytest.approx((764.0, 559.0))
    made.nudge_back(everything=False)
    nudge = made.shown().nudge
    assert nudge is not None
    assert (nudge.x_mm, nudge.turn_deg, nudge.can_undo) == (2.0, 0.0, True)
    made.nudge_back(everything=False)
    with pytest.raises(BadInput, match="no nudge to be taken back"):
        made.nudge_back(everything=False)
    made.nudge(order)
    made.nudge_back(everything=True)
    assert made.file == a_file()
    for _ in range(10):
        made.nudge(NudgeLight(type="nudge-light", x_mm=100))
    with pytest.raises(BadInput, match="as far as it goes"):
        made.nudge(order)


def test_nudges_are_written_once_the_keys_rest(setup: Path) -> None:
    made = projectionist(setup)
    made.measured = a_file()
    made.keep()
    kept = setup.parent / "projector.json"
    made.see(frame(5), session())
    made.nudge(NudgeLight(type="nudge-light", y_mm=-0.3))
    made.see(frame(6), session())
    assert json.loads(kept.read_text())["nudge"]["y_mm"] == 0
    made.see(frame(7 + SAVED_AFTER_NS), session())
    assert json.loads(kept.read_text())["nudge"]["y_mm"] == -0.3
    assert projectionist(setup).file == made.file
    assert not (setup.parent / "projector.before-1.json").exists()
