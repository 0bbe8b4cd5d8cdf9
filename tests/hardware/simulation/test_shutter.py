"""The shutter: moving bases are seen row by row and blurred along their way, resting ones are as they are."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from hardware.simulation import shutter
from hardware.simulation.camera_faults import CameraFaults
from hardware.simulation.optics import build_overhead_camera
from hardware.simulation.scene import Placement, VirtualBase, VirtualScene
from hardware.simulation.shutter import Passage, expose_base
from hardware.simulation.virtual_table import VirtualTable
from tests.hardware.simulation.base_outlines import build_oval_outline
from tests.vision.random_scenes import make_ringed_base

CAMERA = build_overhead_camera(image_size=(960, 720), roll_rad=0.0, distortion=(0.0,) * 5)
DISC = VirtualBase(
    marker=0,
    outline_mm=build_oval_outline(length_mm=60, width_mm=60),
    size_mm=20,
    height_mm=0.1,
    colour=(255, 255, 255),
)
SPEED_MM_S = 400.0


def slide(x_mm: float, y_mm: float, bearing_rad: float = 0.0) -> Callable[[float], Placement]:
    def path(at_s: float) -> Placement:
        way_mm = SPEED_MM_S * at_s
        return Placement(x_mm=x_mm + way_mm * math.cos(bearing_rad), y_mm=y_mm + way_mm * math.sin(bearing_rad))

    return path


def test_a_base_that_rests_while_it_is_seen_just_stands_there() -> None:
    at = Placement(x_mm=300, y_mm=300)
    faults = CameraFaults(exposure_ms=20, readout_ms=16)
    assert expose_base(lambda at_s: at if at_s < 2 else Placement(x_mm=0, y_mm=0), 1.0, faults, CAMERA) == at
    assert expose_base(lambda _: None, 1.0, faults, CAMERA) is None


@pytest.mark.parametrize("y_mm", [100.0, 559.0, 1000.0])
def test_a_base_is_seen_where_it_is_when_its_own_row_is_read(y_mm: float) -> None:
    faults = CameraFaults(readout_ms=30)
    seen = expose_base(slide(700, y_mm), 0.0, faults, CAMERA)
    assert isinstance(seen, Passage)
    row = CAMERA.project(np.array([[700, y_mm, 0.0]]))[0, 1]
    assert seen.middle.x_mm == pytest.approx(700 + SPEED_MM_S * 0.03 * row / 719, abs=0.01)


def render(faults: CameraFaults, bearing_rad: float = 0.0) -> NDArray[np.float64]:
    """How much lighter each pixel is than the bare ground."""
    scene = VirtualScene(bases=(DISC,))
    bare = VirtualTable(scene, CAMERA, noise=0, blur_px=0, colour=False)
    table = VirtualTable(scene, CAMERA, noise=0, blur_px=0, colour=False)
    table.move(0, expose_base(slide(762, 559, bearing_rad), 0.0, faults, CAMERA))
    return np.clip(table.render().astype(np.float64) - bare.render(), 0, None)


def find_middle(picture: NDArray[np.float64]) -> NDArray[np.float64]:
    ys, xs = np.mgrid[: picture.shape[0], : picture.shape[1]]
    return np.asarray([(picture * xs).sum(), (picture * ys).sum()] / picture.sum())


def test_a_base_is_blurred_as_far_as_it_goes_while_the_shutter_is_open() -> None:
    still, blurred = render(CameraFaults()), render(CameraFaults(exposure_ms=20))
    scale = float(np.diff(CAMERA.project(np.array([[762, 559, 0.0], [763, 559, 0]]))[:, 0])[0])
    longer = np.count_nonzero(blurred.max(axis=0) > 20) - np.count_nonzero(still.max(axis=0) > 20)
    assert longer == pytest.approx(scale * SPEED_MM_S * 0.02, abs=1.5)
    higher = np.count_nonzero(blurred.max(axis=1) > 20) - np.count_nonzero(still.max(axis=1) > 20)
    assert abs(higher) <= 1
    assert blurred.sum() == pytest.approx(still.sum(), rel=0.05)


def test_a_smeared_base_looks_like_the_mean_of_many_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    smeared = render(CameraFaults(exposure_ms=20), bearing_rad=0.7)
    monkeypatch.setattr(shutter, "LEAST_TURN_PX", 0.0)
    drawn_again = render(CameraFaults(exposure_ms=20), bearing_rad=0.7)
    assert (smeared != drawn_again).any()
    assert np.abs(smeared - drawn_again)[drawn_again > 0].mean() < 2.5
    assert find_middle(smeared) == pytest.approx(find_middle(drawn_again), abs=0.04)


@pytest.mark.parametrize("least_turn_px", [shutter.LEAST_TURN_PX, 0.0])
def test_a_base_covers_its_halo_when_it_is_there_and_not_for_a_share_of_the_time(
    monkeypatch: pytest.MonkeyPatch, least_turn_px: float
) -> None:
    monkeypatch.setattr(shutter, "LEAST_TURN_PX", least_turn_px)
    base = make_ringed_base(np.random.default_rng(5), 3, in_4k=False)
    table = VirtualTable(VirtualScene(bases=(base,)), CAMERA, noise=0, blur_px=0, colour=False)
    seen = expose_base(slide(700, 500, bearing_rad=0.7), 0.0, CameraFaults(exposure_ms=30), CAMERA)
    assert isinstance(seen, Passage)
    table.move(base.marker, seen)
    passing, pictures = table.render().astype(np.float64), []
    for at in seen.exposed:
        table.move(base.marker, at)
        pictures.append(table.render().astype(np.float64))
    off, moves = passing - np.mean(pictures, axis=0), np.ptp(pictures, axis=0) > 0
    assert np.abs(off[moves]).mean() < 2.5


def test_rows_that_are_read_later_show_a_base_farther_on_its_way() -> None:
    leaning = render(CameraFaults(readout_ms=100))
    rows = np.flatnonzero(leaning.sum(axis=1) > 500)[6:-6]
    middles = (leaning[rows] * np.arange(960)).sum(axis=1) / leaning[rows].sum(axis=1)
    scale = float(np.diff(CAMERA.project(np.array([[762, 559, 0.0], [763, 559, 0]]))[:, 0])[0])
    assert np.polyfit(rows, middles, 1)[0] == pytest.approx(scale * SPEED_MM_S * 0.1 / 719, rel=0.2)


def test_the_truth_of_a_passing_base_is_the_middle_of_its_way() -> None:
    table = VirtualTable(VirtualScene(bases=(DISC,)), CAMERA)
    seen = expose_base(slide(762, 559), 0.0, CameraFaults(exposure_ms=20), CAMERA)
    table.move(0, seen)
    assert table.get_placements()[0].x_mm == pytest.approx(762, abs=1e-6)
    assert isinstance(seen, Passage)
    assert seen.exposed[0].x_mm == pytest.approx(762 - SPEED_MM_S * 0.01)
    assert replace(seen, exposed=seen.exposed[:1]).middle == seen.exposed[0]
