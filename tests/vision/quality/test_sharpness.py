"""Sharpness: the measured blur is the lens's, whatever the light."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from hardware.camera import PlaybackPace
from hardware.camera.frame_source import ControlRequest
from hardware.camera.virtual import BLUR_PER_STEP_PX, SHARP_FOCUS, VirtualCamera
from hardware.simulation.optics import build_overhead_camera
from hardware.simulation.scene import VirtualAnchor, VirtualScene
from hardware.simulation.virtual_table import VirtualTable
from vision.images import convert_to_grey
from vision.quality.sharpness import Sharpness, measure_edge_blur, measure_sharpness
from vision.tags.corner_refinement import refine_corners
from vision.tags.detection import detect_tags, select_whole

SCENE = VirtualScene(
    width_mm=400,
    depth_mm=240,
    anchors=tuple(
        VirtualAnchor(tag=580 + n, x_mm=80.0 + 80 * n, y_mm=70.0 + 50 * (n % 2), size_mm=36.0) for n in range(4)
    ),
)


@pytest.fixture(scope="module")
def camera() -> VirtualCamera:
    table = VirtualTable(SCENE, build_overhead_camera(width_mm=400, depth_mm=240, image_size=(640, 400)), colour=False)
    return VirtualCamera(table, pace=PlaybackPace.FREE)


def measure_picture(grey: NDArray[np.uint8]) -> Sharpness:
    found = measure_sharpness(grey, refine_corners(grey, detect_tags(grey, [select_whole(grey)])))
    assert found is not None
    return found


@pytest.mark.parametrize("exposure", [40, 100, 120])
@pytest.mark.parametrize("off", [0, 10, 20])
def test_tags_tell_the_blur_whatever_the_light(camera: VirtualCamera, off: float, exposure: float) -> None:
    camera.adjust(ControlRequest(focus=SHARP_FOCUS + off, exposure=exposure))
    found = measure_picture(convert_to_grey(camera.read().image))
    assert found.by_tags
    assert len(found.spots) == 4
    assert found.blur_px == pytest.approx(np.hypot(0.5, BLUR_PER_STEP_PX * off), rel=0.12)
    assert found.smear < 1.2


def test_without_tags_edges_tell_which_of_two_pictures_is_sharper() -> None:
    rng = np.random.default_rng(1)
    plain = np.full((300, 400), 60, dtype=np.uint8)
    for _ in range(30):
        x, y = (int(n) for n in rng.integers(0, 300, 2))
        cv2.rectangle(plain, (x, y), (x + 60, y + 40), int(rng.integers(0, 255)), -1)
    blurs = [measure_picture(cv2.GaussianBlur(plain, (31, 31), sigma).astype(np.uint8)) for sigma in (0.7, 1.4, 2.8)]
    assert not any(found.by_tags for found in blurs)
    assert [found.blur_px for found in blurs] == pytest.approx([0.7, 1.4, 2.8], rel=0.3)
    assert measure_picture((cv2.GaussianBlur(plain, (31, 31), 1.4) // 2).astype(np.uint8)).blur_px == pytest.approx(
        blurs[1].blur_px, rel=0.1
    )


def test_a_picture_that_is_smeared_one_way_is_told_from_one_out_of_focus(camera: VirtualCamera) -> None:
    camera.adjust(ControlRequest(focus=SHARP_FOCUS, exposure=100))
    smeared = cv2.blur(convert_to_grey(camera.read().image), (13, 1)).astype(np.uint8)
    across, along = measure_edge_blur(smeared)
    assert across is not None
    assert along is not None
    assert across > 2 * along


def test_an_even_picture_has_no_edges() -> None:
    assert measure_sharpness(np.full((100, 100), 90, dtype=np.uint8), []) is None
