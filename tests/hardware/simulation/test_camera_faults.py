"""Camera faults: each switch does what it says, and nothing else."""

import math

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from hardware.simulation.camera_faults import CameraFaults, FaultyCamera
from hardware.simulation.sprite import Image

SIZE = (320, 240)
GREY: Image = np.full((240, 320), 120, dtype=np.uint8)


def take(faults: CameraFaults, picture: Image = GREY, at_s: float = 0.0) -> NDArray[np.float64]:
    return FaultyCamera(faults, SIZE, seed=4, colour=picture.ndim == 3).take(picture, at_s).astype(np.float64)


def draw_spot(x: float, y: float) -> Image:
    ys, xs = np.mgrid[:240, :320]
    light = 30 + 200 * np.exp(-((xs - x) ** 2 + (ys - y) ** 2) / 18)
    return np.asarray(np.rint(light), dtype=np.uint8)


def find_spot(picture: NDArray[np.float64]) -> NDArray[np.float64]:
    ys, xs = np.mgrid[:240, :320]
    weight = np.clip(picture - 40, 0, None)
    return np.asarray([(weight * xs).sum(), (weight * ys).sum()] / weight.sum())


def test_a_camera_without_faults_changes_nothing() -> None:
    spot = draw_spot(100, 50)
    assert (take(CameraFaults(), spot) == spot).all()


def test_flicker_is_bands_of_the_lamps_frequency_over_the_rows_as_they_are_read() -> None:
    faults = CameraFaults(flicker_share=0.08, flicker_hz=100, readout_ms=20)
    rows = take(faults).mean(axis=1) / 120 - 1
    times_s = np.linspace(-0.01, 0.01, 240)
    assert rows == pytest.approx(0.08 * np.sin(math.tau * 100 * times_s), abs=0.005)


def test_flicker_without_a_rolling_shutter_is_the_same_in_all_rows() -> None:
    rows = take(CameraFaults(flicker_share=0.08), at_s=1 / 400).mean(axis=1)
    assert np.ptp(rows) == 0
    assert rows[0] == pytest.approx(120 * 1.08, abs=1)


@pytest.mark.parametrize(("exposure_ms", "left"), [(10.0, 0.0), (5.0, 2 / math.pi)])
def test_a_shutter_that_is_open_for_a_whole_swing_sees_no_flicker(exposure_ms: float, left: float) -> None:
    gains = CameraFaults(flicker_share=0.5, exposure_ms=exposure_ms).find_row_gains(1 / 400, 8)
    assert gains - 1 == pytest.approx(0.5 * left, abs=1e-9)


def test_breathing_scales_the_picture_about_its_middle() -> None:
    faults = CameraFaults(breathing_share=0.01, breathing_s=4)
    spot = np.array([250.0, 190.0])
    for at_s, share in ((0.0, 0.0), (1.0, 0.01), (3.0, -0.01)):
        middle = np.array([159.5, 119.5])
        there = find_spot(take(faults, draw_spot(*spot), at_s))
        assert there == pytest.approx(middle + (spot - middle) * (1 + share), abs=0.015)


def test_vibration_shifts_the_picture_and_row_by_row_with_a_rolling_shutter() -> None:
    faults = CameraFaults(vibration_px=1.5, vibration_hz=10)
    x_px, y_px = faults.find_shift(0.02)
    assert find_spot(take(faults, draw_spot(100, 50), 0.02)) == pytest.approx([100 + x_px, 50 + y_px], abs=0.015)
    rolling = CameraFaults(vibration_px=1.5, vibration_hz=10, readout_ms=30)
    high, low = (find_spot(take(rolling, draw_spot(160, y)))[0] - 160 for y in (20, 220))
    times_s = rolling.find_row_times(np.array([20, 220]), 240)
    assert [high, low] == pytest.approx(rolling.find_shift(times_s)[0].tolist(), abs=0.04)
    assert low - high > 1


def test_exposure_drifts() -> None:
    faults = CameraFaults(exposure_drift_share=0.2, exposure_drift_s=4)
    assert [take(faults, at_s=at_s).mean() for at_s in (0, 1, 3)] == pytest.approx([120, 144, 96], abs=1)


def test_aberration_takes_red_outward_and_blue_inward() -> None:
    faults = CameraFaults(aberration_share=0.01)
    for channel, share in ((0, -0.01), (1, 0.0), (2, 0.01)):
        picture = np.zeros((240, 320, 3), dtype=np.uint8)
        picture[:, :, channel] = draw_spot(280, 119)
        shown = take(faults, picture)
        there = find_spot(shown / shown.max() * 230)
        assert there[0] == pytest.approx(280 + (280 - 159.5) * share, abs=0.1)


def test_noise_is_as_strong_as_is_said_and_another_in_each_picture() -> None:
    camera = FaultyCamera(CameraFaults(noise=8), SIZE, seed=4)
    first, second = (camera.take(GREY, 0.0).astype(np.float64) for _ in range(2))
    assert first.std() == pytest.approx(8, rel=0.03)
    assert (first - second).std() == pytest.approx(8 * math.sqrt(2), rel=0.05)


def test_sharpening_leaves_halos_along_edges() -> None:
    edge = np.full((240, 320), 60, dtype=np.uint8)
    edge[:, 160:] = 180
    soft = np.asarray(cv2.GaussianBlur(edge, (0, 0), 1.0), dtype=np.uint8)
    shown = take(CameraFaults(sharpening=0.8), soft)
    assert shown.max() > 182
    assert shown.min() < 58


def test_jpeg_loses_what_its_quality_says() -> None:
    noisy = take(CameraFaults(noise=8)).astype(np.uint8)
    lost = [np.abs(take(CameraFaults(jpeg_quality=quality), noisy) - noisy).mean() for quality in (95, 60)]
    assert 0 < lost[0] < lost[1] / 2
