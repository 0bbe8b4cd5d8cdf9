"""Network cameras, by a real RTSP server: GStreamer's, where Debian's packages of it are installed."""

import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from hardware.camera import LatestFrameReader, SourceState, open_source
from hardware.camera.frame_source import FrameSource
from hardware.errors import SourceLost
from hardware.frame import Frame
from tests.hardware.camera.test_stream import PATIENCE_S, wait_for

SERVER = Path(__file__).with_name("rtsp_server.py")
PYTHON = "/usr/bin/python3"
"""Debian's own, for which its packages of GStreamer are."""
SIZE = (640, 480)
BITS, LEVEL = 32, 128
PICTURES = 30
HALF_DAY_MS = 12 * 3600 * 1000


@cache
def has_gstreamer() -> bool:
    asked = 'import gi; gi.require_version("GstRtspServer", "1.0"); from gi.repository import Gst; Gst.init(None)'
    found = f'{asked}; assert all(map(Gst.ElementFactory.find, ("x264enc", "x265enc", "rtph265pay")))'
    with suppress(FileNotFoundError):
        return subprocess.run([PYTHON, "-c", found], capture_output=True, check=False).returncode == 0
    return False


pytestmark = pytest.mark.skipif(not has_gstreamer(), reason="needs GStreamer's RTSP server, see .ci/gstreamer")


class NetworkCamera:
    """A server in a process of its own."""

    def __init__(self, port: int, *how: str) -> None:
        self.port = port
        self._process = subprocess.Popen(
            [PYTHON, str(SERVER), str(port), *how], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "ready\n"

    def tell(self, what: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(what + "\n")
        self._process.stdin.flush()

    def end(self) -> None:
        self._process.kill()
        self._process.communicate()


@contextmanager
def serve(
    *, codec: str = "h264", size: tuple[int, int] = SIZE, password: str = "", port: int = 0
) -> Iterator[NetworkCamera]:
    if not port:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
    camera = NetworkCamera(port, codec, f"{size[0]}x{size[1]}", *([password] if password else []))
    try:
        yield camera
    finally:
        camera.end()


@contextmanager
def opened(address: str) -> Iterator[FrameSource]:
    source = open_source(address, folder=Path())
    try:
        yield source
    finally:
        source.close()


def read_clock_ms(frame: Frame) -> int:
    """Return the clock that a picture shows, as far as its bits go."""
    grey = frame.image if frame.image.ndim == 2 else frame.image[..., 0]
    width = grey.shape[1] // BITS
    row = grey[grey.shape[0] // 2, width // 2 :: width]
    return sum(1 << bit for bit, value in enumerate(row) if value > LEVEL)


def compute_delay_ms(frame: Frame, at_ns: int) -> int:
    """Return how long before a time the clock was read that a picture shows."""
    return (at_ns // 1_000_000 - read_clock_ms(frame)) % (1 << BITS)


@pytest.mark.parametrize("codec", ["h264", "h265"])
def test_pictures_come_in_order_and_each_says_when_it_was_taken(codec: str) -> None:
    with serve(codec=codec) as camera, opened(f"rtsp://127.0.0.1:{camera.port}/one") as source:
        frames = [source.read() for _ in range(PICTURES)]
    shown_ms = [read_clock_ms(frame) for frame in frames]
    assert frames[0].image.shape[:2] == (SIZE[1], SIZE[0])
    assert shown_ms == sorted(shown_ms)
    delays = np.array([compute_delay_ms(frame, frame.captured_ns) for frame in frames])
    assert (delays < HALF_DAY_MS).all(), "no picture is dated before its clock"
    # What the network and the decoder did to single pictures is not in their times: the quickest counts for all.
    assert (np.diff(delays) <= 1).all()
    # The stream's beginning is not shown late, as FFmpeg does by itself while it learns how the stream is encoded.
    assert delays[0] < 1000


def test_a_sub_stream_is_a_stream_of_its_own() -> None:
    with serve() as camera, opened(f"rtsp://127.0.0.1:{camera.port}/sub") as source:
        assert source.read().image.shape[:2] == (SIZE[1] // 2, SIZE[0] // 2)


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("rtsp://127.0.0.1:{port}/one", "wants a name and a password"),
        ("rtsp://me:hunter3@127.0.0.1:{port}/one", "refuses the name or the password"),
        ("rtsp://me:hunter2@127.0.0.1:{port}/three", "has no such stream"),
    ],
)
def test_a_camera_with_a_password_says_what_is_wrong(address: str, says: str) -> None:
    with serve(password="hunter2") as camera:
        with pytest.raises(SourceLost, match=says) as refusal, opened(address.format(port=camera.port)):
            pass
        assert "hunter" not in str(refusal.value)
        with opened(f"rtsp://me:hunter2@127.0.0.1:{camera.port}/one") as source:
            assert source.read().image.shape[:2] == (SIZE[1], SIZE[0])


def test_a_stream_that_stalls_and_one_that_begins_anew_are_lost_and_come_back() -> None:
    with serve() as camera:
        port = camera.port
        reader = LatestFrameReader(lambda: open_source(f"rtsp://127.0.0.1:{port}/one", folder=Path()))
        first = reader.wait_for_frame(None, PATIENCE_S)
        assert first is not None
        camera.tell("stall")
        wait_for(reader, SourceState.LOST)
        before = reader.wait_for_frame(None, 0)
        assert before is not None
        camera.tell("go on")
        wait_for(reader, SourceState.LIVE)
        after = reader.wait_for_frame(before.sequence, PATIENCE_S)
        assert after is not None
        assert after.captured_ns > before.captured_ns
    wait_for(reader, SourceState.LOST)
    with serve(port=port, size=(320, 240)):
        until_s = time.monotonic() + PATIENCE_S
        while (frame := reader.wait_for_frame(after.sequence, 1.0)) is None or frame.image.shape[0] != 240:
            assert time.monotonic() < until_s, reader.status
            after = frame or after
        reader.close()


def test_what_is_lost_on_the_way_costs_pictures_and_no_more() -> None:
    with serve() as camera, opened(f"rtsp://127.0.0.1:{camera.port}/one") as source:
        source.read()
        camera.tell("lose")
        frames = [source.read() for _ in range(PICTURES)]
    times = [frame.captured_ns for frame in frames]
    assert times == sorted(times)
    assert np.diff(times).max() > 1.5e9 / 15, "some were lost"
