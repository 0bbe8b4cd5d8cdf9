"""What is kept of a projector's calibration, and nudges."""

import json
import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
import shapely

from assistant.errors import BadInput
from assistant.features.demo.catalogue import SETUP
from assistant.features.projector.controller import NOT_CALIBRATED, SAVED_AFTER_NS, ProjectorController
from assistant.features.projector.state import ProjectorStep
from assistant.files.documents import read_json
from assistant.game.base_spec import BaseSpec
from assistant.game.state import NO_RULEBOOK, GameState, Table
from assistant.setup.bases import RingedBase, RingInBase
from assistant.setup.editing import read_projector
from assistant.setup.file import read_setup
from assistant.table.session import GameSession
from assistant.web.commands.calibration import NudgeLight
from calibration.projector.file import LitTable, ProjectorFile
from hardware.frame import Frame
from hardware.rings.layout import RingKind
from hardware.rings.words import load_ring_list
from vision.markers import Markers
from vision.pipeline import Pipeline
from vision.tags.pose_estimation import EnrolledTag

SIZE = (1920, 1080)


def build_file(**changes: object) -> ProjectorFile:
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


def build_controller(path: Path) -> ProjectorController:
    file, notice = read_projector(read_setup(path), path)
    pipeline = cast("Pipeline", SimpleNamespace(camera=None, markers=Markers(anchors=(), bases={}, lens=None)))
    return ProjectorController(setup=read_setup(path), path=path, pipeline=pipeline, file=file, notice=notice)


def test_light_keeps_off_the_marks_of_terrain_and_what_they_hide(setup: Path) -> None:
    mark = EnrolledTag(tag=540, model="hill", size_mm=24, x_mm=30, y_mm=0, facing_rad=0, height_mm=100)
    controller = build_controller(setup)
    assert not list(controller.dark_mm)
    track = SimpleNamespace(rest=SimpleNamespace(pose=np.array([700.0, 500.0, math.pi / 2])))
    controller.pipeline = cast(
        "Pipeline",
        SimpleNamespace(
            camera=SimpleNamespace(eye_mm=np.array([700.0, 30.0, 1100.0])),
            markers=Markers(anchors=(), bases={}, terrain={540: mark, 541: replace(mark, tag=541)}, lens=None),
            tracks={540: track},
        ),
    )
    (ring,) = controller.dark_mm
    dark = shapely.Polygon(ring)
    # Behind a mark that is 100 mm high, 500 mm from below the camera, light falls 50 mm farther out.
    left, near, right, far = dark.bounds
    assert (left, right) == pytest.approx((700 - 15 * 1.1 - 6, 700 + 15 * 1.1 + 6), abs=1)
    assert (near, far) == pytest.approx((530 - 15 - 6, 530 + 15 + 51.5 + 6), abs=1)
    assert controller.build_view().dark_mm == [list(ring)]


def test_halos_are_known_by_the_models_that_carry_them(setup: Path) -> None:
    projector = build_controller(setup)
    ringed = [
        RingedBase(ring=1, ring_kind="halo", model="a", base=BaseSpec(round_mm=32), ring_in_base=RingInBase(x_mm=1)),
        RingedBase(ring=2, ring_kind="rim", model="b", base=BaseSpec(round_mm=32), height_mm=4),
    ]
    rings = load_ring_list()
    bases = {base.marker: base.enroll_ring(rings) for base in ringed}
    projector.pipeline.markers = Markers(anchors=(), bases=bases, lens=None)
    reach_mm = rings.bands[RingKind.HALO].reach_mm + 1
    assert projector.build_view().halos_mm == {"a": reach_mm}
    game = replace(build_session().state, carried_rings={1: "b", 2: "a"})
    assert projector.measure_halos(game) == {"b": reach_mm}


def build_frame(captured_ns: int) -> Frame:
    return Frame(camera="x", sequence=0, captured_ns=captured_ns, image=np.zeros((9, 16), np.uint8))


def build_session() -> GameSession:
    return GameSession(GameState(rulebook=NO_RULEBOOK, table=Table(width_mm=1524, depth_mm=1118), units=()))


def test_what_is_kept_is_named_in_the_set_up_and_replaces_nothing(setup: Path) -> None:
    made = build_controller(setup)
    assert made.build_view().note == NOT_CALIBRATED
    with pytest.raises(BadInput, match="nothing to be kept yet"):
        made.keep()
    for number in range(3):
        made.measured = build_file(calibration=str(number))
        made.keep()
        assert made.file == build_file(calibration=str(number))
    names = [("projector.json", "2"), ("projector.before-1.json", "0"), ("projector.before-2.json", "1")]
    assert [(name, read_json(setup.parent / name, ProjectorFile).calibration) for name, _ in names] == names
    assert read_setup(setup).projector.calibration == "projector.json"
    assert setup.read_text().startswith("# mine\n")
    assert setup.read_text().endswith('[projector]\ncalibration = "projector.json"\n')
    assert build_controller(setup).file == build_file(calibration="2")


def test_a_file_that_is_not_there_yet_is_said_and_made(setup: Path) -> None:
    setup.write_text(setup.read_text() + '[projector]\ncalibration = "light/west.json"\n')
    (setup.parent / "light").mkdir()
    made = build_controller(setup)
    assert "west.json is not there yet" in made.build_view().note
    made.measured = build_file()
    made.keep()
    assert (setup.parent / "light/west.json").exists()
    assert made.build_view().note == ""


def test_a_file_of_another_table_is_refused(setup: Path) -> None:
    (setup.parent / "projector.json").write_text(
        build_file(table=LitTable(width_mm=900, depth_mm=600)).model_dump_json()
    )
    setup.write_text(setup.read_text() + '[projector]\ncalibration = "projector.json"\n')
    with pytest.raises(BadInput, match=r"projector.json: .* over a table of 900 x 600 mm, but that of .* 1524 x 1118"):
        build_controller(setup)


def test_a_page_of_another_size_is_asked_for_a_new_one(setup: Path) -> None:
    made = build_controller(setup)
    made.file = build_file()
    made.set_page_size(*SIZE)
    assert made.build_view().note == ""
    assert made.projector is not None
    made.set_page_size(1280, 720)
    assert "1280 x 720 now, but the projector was calibrated at 1920 x 1080" in made.build_view().note
    assert made.projector is None


def test_a_calibration_begins_anew_when_the_page_changes(setup: Path) -> None:
    made = build_controller(setup)
    made.begin()
    assert made.build_view().step == "page"
    assert made.build_view().pattern is None
    made.set_page_size(*SIZE)
    assert made.state is not None
    assert made.state.step is ProjectorStep.DARK
    pattern = made.build_view().pattern
    assert pattern is not None
    assert (pattern.image_size, pattern.tags) == (SIZE, [])
    assert not made.claim_frame(build_frame(1), build_session())  # the game goes on in the dark
    made.stop()
    assert made.build_view().step is None


def test_nudges_move_the_light_and_are_taken_back(setup: Path) -> None:
    made = build_controller(setup)
    order = NudgeLight(type="nudge-light", x_mm=2.0)
    with pytest.raises(BadInput, match="not calibrated yet"):
        made.nudge(order)
    made.measured = build_file()
    made.keep()
    made.set_page_size(*SIZE)
    before = made.projector
    made.nudge(order)
    made.nudge(NudgeLight(type="nudge-light", turn_deg=0.5, scale=1.01))
    assert made.projector is not None
    assert before is not None
    (landed,) = before.table_from_projector(made.projector.projector_from_table([(762.0, 559.0)]))
    assert landed == pytest.approx((764.0, 559.0))
    made.undo_nudge(everything=False)
    nudge = made.build_view().nudge
    assert nudge is not None
    assert (nudge.x_mm, nudge.turn_deg, nudge.can_undo) == (2.0, 0.0, True)
    made.undo_nudge(everything=False)
    with pytest.raises(BadInput, match="no nudge to be taken back"):
        made.undo_nudge(everything=False)
    made.nudge(order)
    made.undo_nudge(everything=True)
    assert made.file == build_file()
    for _ in range(10):
        made.nudge(NudgeLight(type="nudge-light", x_mm=100))
    with pytest.raises(BadInput, match="as far as it goes"):
        made.nudge(order)


def test_nudges_are_written_once_the_keys_rest(setup: Path) -> None:
    made = build_controller(setup)
    made.measured = build_file()
    made.keep()
    kept = setup.parent / "projector.json"
    made.claim_frame(build_frame(5), build_session())
    made.nudge(NudgeLight(type="nudge-light", y_mm=-0.3))
    made.claim_frame(build_frame(6), build_session())
    assert json.loads(kept.read_text())["nudge"]["y_mm"] == 0
    made.claim_frame(build_frame(7 + SAVED_AFTER_NS), build_session())
    assert json.loads(kept.read_text())["nudge"]["y_mm"] == -0.3
    assert build_controller(setup).file == made.file
    assert not (setup.parent / "projector.before-1.json").exists()
