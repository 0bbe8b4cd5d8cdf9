"""What every camera must do, whatever its kind."""

import itertools
import sys
import threading
from collections.abc import Callable, Iterator
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

import hardware.camera
from hardware.camera import FrameSource, PlaybackPace, open_file, open_source, usb
from hardware.camera.phone import INBOX
from hardware.camera.virtual import VirtualCamera
from hardware.clock import read_clock_ns
from hardware.errors import EndOfFrames, SourceLost
from hardware.simulation.optics import build_overhead_camera
from hardware.simulation.scene import VirtualScene
from hardware.simulation.virtual_table import VirtualTable
from tests.hardware.camera.recordings import serve_network_camera, write_images, write_video
from tests.hardware.camera.test_usb import UsbBench

Open = Callable[[bool], FrameSource]


def video(folder: Path, _: pytest.MonkeyPatch) -> Iterator[Open]:
    write_video(folder / "game.avi", frames=5)
    yield lambda colour: open_source("file:game.avi", folder=folder, pace=PlaybackPace.FREE, colour=colour)


def paced_video(folder: Path, _: pytest.MonkeyPatch) -> Iterator[Open]:
    write_video(folder / "game.avi", frames=5, fps=100)
    yield lambda colour: open_source("file:game.avi", folder=folder, pace=PlaybackPace.REAL, colour=colour)


def images(folder: Path, _: pytest.MonkeyPatch) -> Iterator[Open]:
    write_images(folder / "stills", count=5)
    yield lambda colour: open_source("images:stills", folder=folder, pace=PlaybackPace.FREE, colour=colour)


def files(folder: Path, _: pytest.MonkeyPatch) -> Iterator[Open]:
    path = write_video(folder / "game.avi", frames=5)
    yield lambda colour: open_file(path, name=path.name, colour=colour)


def network(folder: Path, _: pytest.MonkeyPatch) -> Iterator[Open]:
    with serve_network_camera() as port:
        yield lambda colour: open_source(f"http://127.0.0.1:{port}/", folder=folder, colour=colour)


def device(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Open]:
    if sys.platform != "linux":
        pytest.skip("devices have paths on Linux only")
    bench = UsbBench(folder)
    bench.plug(0)
    bench.describe(0, idVendor="046d", idProduct="0825")
    monkeypatch.setattr(usb, "DEVICES", bench.devices)
    monkeypatch.setattr(usb, "LINKS", bench.links)
    monkeypatch.setattr(usb, "SYSFS", bench.sysfs)
    monkeypatch.setattr(cv2, "VideoCapture", bench.open_capture)
    yield lambda colour: open_source("usb:0", folder=folder, colour=colour)


def phone(folder: Path, _: pytest.MonkeyPatch) -> Iterator[Open]:
    picture = cv2.imencode(".jpg", np.full((180, 320, 3), 90, np.uint8))[1].tobytes()
    ended = threading.Event()

    def send() -> None:
        while not ended.wait(0.005):
            now_ns = read_clock_ns()
            INBOX.put(picture, captured_ns=now_ns, now_ns=now_ns)

    sender = threading.Thread(target=send)
    sender.start()
    yield lambda colour: open_source("phone:", folder=folder, colour=colour)
    ended.set()
    sender.join()


def virtual(_folder: Path, _: pytest.MonkeyPatch) -> Iterator[Open]:
    camera = build_overhead_camera(image_size=(320, 180))
    yield lambda colour: VirtualCamera(VirtualTable(VirtualScene(), camera, colour=colour), fps=100)


KINDS: dict[str, list[Callable[[Path, pytest.MonkeyPatch], Iterator[Open]]]] = {
    "file:": [video, paced_video, files],
    "images:": [images],
    "http:": [network],
    "phone:": [phone],
    "https:": [],  # the same code as http:, and the tests have no certificate
    "rtsp:": [],  # the same code as http:, and OpenCV brings no server for it
    "rtsps:": [],
    "usb:": [device],
    "virtual:": [virtual],
}


def list_brought_kinds() -> list[Callable[[Path, pytest.MonkeyPatch], Iterator[Open]]]:
    """Return the kinds that other packages bring; each makes a sample of a source by its `make_sample`."""

    def build(module: Any) -> Callable[[Path, pytest.MonkeyPatch], Iterator[Open]]:
        def kind(folder: Path, _: pytest.MonkeyPatch) -> Iterator[Open]:
            spec = module.make_sample(folder)
            yield lambda colour: open_source(spec, folder=folder, pace=PlaybackPace.FREE, colour=colour)

        kind.__name__ = module.__name__
        return kind

    return [build(point.load()) for point in entry_points(group="overtable.cameras")]


@pytest.fixture(params=[*itertools.chain(*KINDS.values()), *list_brought_kinds()], ids=lambda kind: kind.__name__)
def opener(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Open]:
    yield from request.param(tmp_path, monkeypatch)


def test_every_kind_is_held_to_the_contract() -> None:
    openers = hardware.camera._find_openers()
    assert set(KINDS) == {prefix for prefix, opener in openers.items() if opener.__module__.startswith("hardware.")}


def test_frames_are_numbered_and_timed_in_order(opener: Open) -> None:
    source = opener(False)
    frames = [source.read() for _ in range(5)]
    source.close()
    assert [frame.sequence for frame in frames] == [0, 1, 2, 3, 4]
    times = [frame.captured_ns for frame in frames]
    assert all(before < after for before, after in itertools.pairwise(times))
    assert all(type(time_ns) is int for time_ns in times)
    assert len({frame.camera for frame in frames}) == 1


@pytest.mark.parametrize("colour", [False, True])
def test_pictures_are_bytes_that_nobody_can_change(opener: Open, colour: bool) -> None:
    source = opener(colour)
    first, second = source.read(), source.read()
    source.close()
    assert first.image.dtype == np.uint8
    assert first.shown.shape[2:] == ((3,) if colour else ())
    assert not first.image.flags.writeable
    assert not np.shares_memory(first.image, second.image)


def test_after_closing_there_is_nothing_to_read(opener: Open) -> None:
    source = opener(False)
    source.read()
    source.close()
    source.close()
    with pytest.raises((SourceLost, EndOfFrames)):
        source.read()


def test_a_source_may_be_closed_unread(opener: Open) -> None:
    source = opener(False)
    source.close()
    with pytest.raises((SourceLost, EndOfFrames)):
        source.read()


def test_a_source_tells_the_same_camera_whenever_it_is_opened(opener: Open) -> None:
    unread, read = opener(False), opener(True)
    read.read()
    first, second = unread.identify(), read.identify()
    unread.close()
    read.close()
    assert first == second
    assert first.camera is None or first.camera.strip() == first.camera != ""
    assert first.focus is None or (np.isfinite(first.focus) and not first.autofocus)


def test_live_sources_say_which_camera_they_are(request: pytest.FixtureRequest, opener: Open) -> None:
    source = opener(False)
    named = source.identify().camera is not None
    source.close()
    if request.node.callspec.params["opener"] not in itertools.chain(*KINDS.values()):
        pytest.skip("of a camera of another package nobody knows here whether it is live")
    assert named is (request.node.callspec.params["opener"] in (network, device, virtual))
