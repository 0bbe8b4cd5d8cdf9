import time
from pathlib import Path

import pytest

from hardware.camera import PlaybackPace, open_source
from hardware.camera.frame_source import Pacer
from hardware.errors import BadSource


@pytest.mark.parametrize("spec", ["webcam:0", "", "game.avi", "USB:0"])
def test_an_unknown_kind_is_refused_with_those_there_are(tmp_path: Path, spec: str) -> None:
    with pytest.raises(BadSource, match=r"no known kind: expected one of file: .*images: .*rtsp: .*usb: virtual:"):
        open_source(spec, folder=tmp_path)


def test_a_virtual_camera_is_not_opened_by_name(tmp_path: Path) -> None:
    with pytest.raises(BadSource, match="needs a virtual table"):
        open_source("virtual:", folder=tmp_path)


def test_real_pace_waits_until_a_frame_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    now_ns, slept_s = [5_000_000_000], []

    def sleep(seconds: float) -> None:
        slept_s.append(seconds)
        now_ns[0] += round(seconds * 1e9)

    monkeypatch.setattr(time, "monotonic_ns", lambda: now_ns[0])
    monkeypatch.setattr(time, "sleep", sleep)
    pacer = Pacer(PlaybackPace.REAL)
    pacer.wait(0)
    now_ns[0] += 30_000_000
    pacer.wait(100_000_000)
    now_ns[0] += 500_000_000
    pacer.wait(200_000_000)
    pacer.wait(700_000_000)
    assert slept_s == pytest.approx([0.07, 0.1])


def test_free_pace_never_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "sleep", lambda _: pytest.fail("slept"))
    pacer = Pacer(PlaybackPace.FREE)
    pacer.wait(0)
    pacer.wait(10**12)
