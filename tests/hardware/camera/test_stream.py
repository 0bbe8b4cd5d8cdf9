import socket
import time
from pathlib import Path

import pytest

from hardware.camera import LatestFrameReader, SourceState, open_source
from hardware.errors import BadSource, SourceLost
from tests.hardware.camera.recordings import SIZE, serve_network_camera

PATIENCE_S = 20.0


def test_an_mjpeg_camera_is_live_lost_and_live_again(tmp_path: Path) -> None:
    with serve_network_camera() as port:
        drain = LatestFrameReader(
            lambda: open_source(f"http://127.0.0.1:{port}/video", folder=tmp_path), retry_s=(0.1, 0.2)
        )
        first = drain.wait_for_frame(None, PATIENCE_S)
        assert first is not None
        assert first.image.shape == (SIZE[1], SIZE[0])
        assert first.camera == f"http://127.0.0.1:{port}/video"
        assert abs(time.time_ns() - first.captured_ns) < 60e9
        assert drain.status.state is SourceState.LIVE
    wait_for(drain, SourceState.LOST)
    before = drain.wait_for_frame(None, 0)
    assert before is not None
    with serve_network_camera(port):
        wait_for(drain, SourceState.LIVE)
        after = drain.wait_for_frame(before.sequence, PATIENCE_S)
        assert after is not None
        assert after.captured_ns > before.captured_ns
        drain.close()


def wait_for(drain: LatestFrameReader, state: SourceState) -> None:
    until = time.monotonic() + PATIENCE_S
    while drain.status.state is not state:
        assert time.monotonic() < until, drain.status
        time.sleep(0.01)


def test_a_camera_that_does_not_answer_is_lost(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with pytest.raises(SourceLost, match=rf"http://me:\*\*\*@127.0.0.1:{port}/x does not answer"):
            open_source(f"http://me:secret@127.0.0.1:{port}/x", folder=tmp_path)


def test_pictures_that_would_fill_the_memory_are_refused_until_they_are_smaller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hardware.camera.stream.MOST_PIXELS", SIZE[0] * SIZE[1] - 1)
    with serve_network_camera() as port:
        drain = LatestFrameReader(
            lambda: open_source(f"http://127.0.0.1:{port}/video", folder=tmp_path), retry_s=(0.1, 0.2)
        )
        wait_for(drain, SourceState.LOST)
        assert f"sends pictures of {SIZE[0]} x {SIZE[1]} pixels" in drain.status.text
        monkeypatch.setattr("hardware.camera.stream.MOST_PIXELS", SIZE[0] * SIZE[1])
        assert drain.wait_for_frame(None, PATIENCE_S) is not None
        drain.close()


@pytest.mark.parametrize("url", ["rtsp://", "http:/path", "http://[bad/", "http://host:port/"])
def test_what_is_no_address_is_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(BadSource, match="expected"):
        open_source(url, folder=tmp_path)
