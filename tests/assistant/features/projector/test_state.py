"""The calibration of a projector, picture by picture, on the virtual table: no browser, no program."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.features.projector.projection_surface import ProjectionSurface
from assistant.features.projector.state import (
    AVERAGED,
    DARK_LOOKS,
    PATIENCE_NS,
    ProjectorCalibrationState,
    ProjectorStep,
    begin,
    look,
)
from assistant.overlay.raster import draw_tags
from calibration.spaces import CameraOverTable
from hardware.simulation.lighting import Projector
from hardware.simulation.optics import build_overhead_camera
from hardware.simulation.scene import Placement, VirtualAnchor, VirtualBase, VirtualScene
from hardware.simulation.virtual_table import VirtualTable
from hardware.tag36h11 import find_white_modules
from tests.calibration.virtual_camera import camera_from_model
from tests.hardware.simulation.askew_projector import build_askew_projector
from tests.hardware.simulation.base_outlines import build_oval_outline
from vision.tags.pose_estimation import Anchor

Grey = NDArray[np.uint8]

WIDTH_MM, DEPTH_MM = 900.0, 600.0
FRAME_NS = 66_000_000
PLACES = ((60, 60), (840, 60), (840, 540), (60, 540))
ANCHORS = tuple(
    Anchor(tag=580 + i, x_mm=x, y_mm=y, facing_rad=0, size_mm=40, z_mm=0) for i, (x, y) in enumerate(PLACES)
)
ROUND_BASE = tuple((450 + 30 * x, 300 + 30 * y) for x, y in build_oval_outline(length_mm=2, width_mm=2))
AROUND = ProjectionSurface(
    table_mm=(WIDTH_MM, DEPTH_MM),
    anchors=ANCHORS,
    occupied_mm=(ROUND_BASE,),
    used_tags=frozenset({1, *(anchor.tag for anchor in ANCHORS)}),
)


@dataclass
class ProjectorStage:
    """A table, a camera that is known, and a projector that shows what it is told to."""

    table: VirtualTable
    camera: CameraOverTable
    projector: Projector
    now_ns: int = 0
    spoil: Callable[[ProjectorCalibrationState, Grey], Grey] = lambda _, grey: grey
    """What happens to the picture on its way."""

    def step(self, state: ProjectorCalibrationState) -> ProjectorCalibrationState:
        """Show what a state throws, and let it look."""
        tags = [(t.left_px, t.top_px, t.cell_px, _build_rows(t.tag)) for t in state.thrown]
        self.table.project_picture(draw_tags(tags, level=state.level, image_size=self.projector.image_size))
        self.now_ns += FRAME_NS
        grey = self.spoil(state, self.table.render())
        return look(state, grey=grey, captured_ns=self.now_ns, camera=self.camera, surface=AROUND)

    def step_until(
        self, state: ProjectorCalibrationState, done: Callable[[ProjectorCalibrationState], bool], most: int = 80
    ) -> ProjectorCalibrationState:
        """Take pictures until something is true of the state."""
        for _ in range(most):
            state = self.step(state)
            if done(state):
                return state
        raise AssertionError(f"still at {state.step}: {state.note}")


def _build_rows(tag: int) -> list[int]:
    white = np.pad(find_white_modules(tag), 1, constant_values=True)
    return [int("".join("01"[cell] for cell in row.astype(int)), 2) for row in white]


@pytest.fixture(scope="module")
def laid() -> tuple[VirtualTable, CameraOverTable, Projector]:
    camera = build_overhead_camera(width_mm=WIDTH_MM, depth_mm=DEPTH_MM, image_size=(1280, 720))
    projector = build_askew_projector(
        width_mm=WIDTH_MM, depth_mm=DEPTH_MM, image_size=(1280, 720), eye_mm=(400, -100, 1000), aim_mm=(440, 90)
    )
    scene = VirtualScene(
        width_mm=WIDTH_MM,
        depth_mm=DEPTH_MM,
        anchors=tuple(VirtualAnchor(tag=a.tag, x_mm=a.x_mm, y_mm=a.y_mm, size_mm=a.size_mm) for a in ANCHORS),
        bases=(
            VirtualBase(marker=1, outline_mm=build_oval_outline(length_mm=60, width_mm=60), size_mm=25, height_mm=5),
        ),
        placements={1: Placement(x_mm=450, y_mm=300)},
    )
    return VirtualTable(scene, camera, projector=projector, colour=False), camera_from_model(camera), projector


@pytest.fixture
def stage(laid: tuple[VirtualTable, CameraOverTable, Projector]) -> ProjectorStage:
    return ProjectorStage(*laid)


@pytest.fixture(scope="module")
def halfway(
    laid: tuple[VirtualTable, CameraOverTable, Projector],
) -> tuple[ProjectorCalibrationState, ProjectorCalibrationState]:
    """A calibration as it throws its first tags, and its second."""
    stage = ProjectorStage(*laid)
    first = stage.step_until(begin((1280, 720)), lambda s: s.step is ProjectorStep.FIRST)
    return first, stage.step_until(first, lambda s: s.step is ProjectorStep.SECOND)


def test_the_table_is_dark_at_first(stage: ProjectorStage) -> None:
    state = begin((1280, 720))
    for _ in range(DARK_LOOKS):
        state = stage.step(state)
        assert (state.step, state.thrown) == (ProjectorStep.DARK, ())


def test_tags_of_light_are_thrown_twice_and_then_it_is_known(
    stage: ProjectorStage, halfway: tuple[ProjectorCalibrationState, ProjectorCalibrationState]
) -> None:
    before, state = halfway
    first = {tag.tag for tag in before.thrown}
    assert not first & AROUND.used_tags
    assert "tags of light seen" in state.note
    assert "off the table" in state.note
    second = {tag.tag for tag in state.thrown}
    assert not second & (first | AROUND.used_tags)
    centres = stage.projector.table_from_projector(
        np.array([tag.corners_px.mean(axis=0) for tag in state.thrown]), z_mm=0
    )
    for x_mm, y_mm, clear_mm in ((450, 300, 54), *((*place, 40) for place in PLACES)):
        assert np.hypot(*(centres - (x_mm, y_mm)).T).min() > clear_mm
    state = stage.step_until(state, lambda s: s.step is ProjectorStep.MEASURED)
    assert state.result is not None
    assert state.result.lens != "flat"
    assert state.result.mean_mm < 0.15
    everywhere = np.stack(np.meshgrid(np.linspace(20, 880, 9), np.linspace(20, 580, 7)), axis=-1).reshape(-1, 2)
    landed = stage.projector.table_from_projector(state.result.projector.projector_from_table(everywhere), z_mm=0)
    off_mm = np.linalg.norm(landed - everywhere, axis=1)
    assert off_mm.mean() < 0.15
    assert off_mm.max() < 0.5
    assert stage.step(state) is state


def test_a_page_that_has_not_spoken_is_waited_for(stage: ProjectorStage) -> None:
    state = begin(None)
    assert state.step is ProjectorStep.PAGE
    assert stage.step(state) is state


def test_without_the_anchors_nothing_is_thrown(stage: ProjectorStage) -> None:
    stage.camera = None  # type: ignore[assignment]
    state = begin((1280, 720))
    for _ in range(DARK_LOOKS + 3):
        state = stage.step(state)
    assert state.step is ProjectorStep.DARK
    assert "anchors" in state.note


def wait_patiently(stage: ProjectorStage, state: ProjectorCalibrationState) -> ProjectorCalibrationState:
    """Let the time pass after which a person is told what is wrong."""
    state = stage.step_until(state, lambda s: s.step is ProjectorStep.FIRST)
    state = stage.step(state)
    stage.now_ns += PATIENCE_NS
    return stage.step(state)


def test_light_that_is_not_there_is_asked_for(stage: ProjectorStage) -> None:
    dark = stage.table.render()
    stage.spoil = lambda _, __: dark
    state = wait_patiently(stage, begin((1280, 720)))
    assert state.note.startswith("0 of ")
    assert "full screen" in state.note


def test_a_mirrored_projector_is_recognised(stage: ProjectorStage) -> None:
    stage.spoil = lambda state, grey: np.ascontiguousarray(grey[:, ::-1]) if state.thrown else grey
    assert "mirrored" in wait_patiently(stage, begin((1280, 720))).note


def test_less_light_is_tried_where_there_is_too_much(stage: ProjectorStage) -> None:
    def glaring(state: ProjectorCalibrationState, grey: Grey) -> Grey:
        return grey if state.level < 160 else np.full_like(grey, 255)

    stage.spoil = glaring
    state = wait_patiently(stage, begin((1280, 720)))
    assert state.note == "Too much light: trying with less."
    assert state.level < 160
    stage.step_until(state, lambda s: len(s.seen) > 12)


def test_a_camera_that_is_moved_meanwhile_is_noticed(
    stage: ProjectorStage, halfway: tuple[ProjectorCalibrationState, ProjectorCalibrationState]
) -> None:
    stage.spoil = lambda _, grey: np.roll(grey, 6, axis=1)
    state = stage.step_until(halfway[1], lambda s: s.step is not ProjectorStep.SECOND)
    assert state.step is ProjectorStep.DARK
    assert "moved" in state.note


def test_light_that_moves_is_waited_for(
    stage: ProjectorStage, halfway: tuple[ProjectorCalibrationState, ProjectorCalibrationState]
) -> None:
    state = stage.step_until(halfway[0], lambda s: s.steady == AVERAGED - 1)
    stage.spoil = lambda _, grey: np.roll(grey, 3, axis=0)
    state = stage.step(state)
    assert state.step is ProjectorStep.FIRST
    assert state.seen == {}
    assert "keep still" in state.note
