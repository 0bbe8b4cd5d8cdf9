import time

import numpy as np
import pytest

from hardware.camera import PlaybackPace
from hardware.camera.frame_source import Adjustable, CameraSettings, ControlRequest
from hardware.camera.virtual import VirtualCamera
from hardware.simulation.optics import build_overhead_camera
from hardware.simulation.scene import VirtualScene
from hardware.simulation.virtual_table import VirtualTable

CAMERA = build_overhead_camera(image_size=(320, 180))


def test_free_pace_gives_the_same_frames_on_every_run() -> None:
    runs = []
    for _ in range(2):
        source = VirtualCamera(VirtualTable(VirtualScene(), CAMERA), fps=15, pace=PlaybackPace.FREE)
        runs.append([source.read() for _ in range(3)])
    assert [frame.captured_ns for frame in runs[0]] == [0, round(1e9 / 15), round(2e9 / 15)]
    for one, other in zip(*runs, strict=True):
        assert one.captured_ns == other.captured_ns
        assert np.array_equal(one.image, other.image)


def test_real_pace_keeps_the_rate_and_does_not_hurry_after_a_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s, slept_s = [100.0], []

    def sleep(seconds: float) -> None:
        slept_s.append(seconds)
        now_s[0] += seconds

    source = VirtualCamera(VirtualTable(VirtualScene(), CAMERA), fps=10, pace=PlaybackPace.REAL)
    monkeypatch.setattr(time, "monotonic", lambda: now_s[0])
    monkeypatch.setattr(time, "sleep", sleep)
    monkeypatch.setattr("hardware.camera.virtual.read_clock_ns", lambda: round(now_s[0] * 1e9))
    times_ns = [source.read().captured_ns for _ in range(2)]
    now_s[0] += 0.35
    times_ns += [source.read().captured_ns for _ in range(2)]
    assert slept_s == pytest.approx([0.0, 0.1, 0.0, 0.1])
    assert np.diff(times_ns) / 1e9 == pytest.approx([0.1, 0.35, 0.1])


def test_its_lens_is_turned_and_its_exposure_set_within_limits() -> None:
    table = VirtualTable(VirtualScene(), CAMERA, noise=0, colour=False)
    source = VirtualCamera(table, pace=PlaybackPace.FREE)
    assert isinstance(source, Adjustable)
    usual = source.read().image
    assert source.adjust(ControlRequest(focus=180, exposure=50)) == CameraSettings(
        focus=180, autofocus=False, exposure=50, autoexposure=False
    )
    darker = source.read().image
    assert darker.mean() == pytest.approx(usual.mean() / 2, rel=0.02)
    assert np.abs(np.diff(darker.astype(int))).max() < 0.3 * np.abs(np.diff(usual.astype(int))).max()
    assert source.adjust(ControlRequest(focus=1e6)).focus == 250
    assert source.adjust(ControlRequest(focus="auto", exposure="auto")).autofocus
    assert not source.adjust(ControlRequest(focus="hold", exposure="hold")).autoexposure
    assert np.array_equal(source.read().image, usual)
