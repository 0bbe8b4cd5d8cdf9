"""USB cameras by a real driver: named, opened, unplugged, taken by another program, frozen and broken off."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from hardware.camera import LatestFrameReader, SourceState
from hardware.camera.usb import UsbCamera, describe_device, list_cameras
from tests.devices.vivid import LINK, Vivid
from tests.pages.waiting import wait_for

NAME = "vivid-000-vid-cap"
HOLDING = """
from hardware.camera.usb import UsbCamera
camera = UsbCamera("usb:0", colour=False)
camera.read()
print("holds it", flush=True)
input()
"""

plugged = pytest.mark.usefixtures("vivid")


@contextmanager
def read_camera() -> Iterator[LatestFrameReader]:
    with closing(LatestFrameReader(lambda: UsbCamera("usb:0", colour=False))) as reader:
        wait_until(reader, SourceState.LIVE)
        yield reader


def wait_until(reader: LatestFrameReader, state: SourceState) -> str:
    """Wait until the camera fares so, and return what is said of it."""
    wait_for(lambda: reader.status.state is state, otherwise=lambda: reader.status)
    return reader.status.text


def wait_for_next(reader: LatestFrameReader) -> int:
    """Return the number of a picture that is taken from now on."""
    before = reader.wait_for_frame(None, 0)
    last = None if before is None else before.sequence
    return wait_for(lambda: reader.wait_for_frame(last, 1)).sequence


@plugged
def test_a_camera_is_named_and_gives_its_largest_pictures() -> None:
    assert list_cameras() == [(f"usb:{LINK.format(NAME)}", NAME)]
    with closing(UsbCamera("usb:0", colour=True)) as camera:
        first, second = camera.read(), camera.read()
        assert camera.identify().camera == NAME
        assert (first.image.shape, first.packed) == ((2160, 3840, 3), None)  # it has no compressed ones
        assert (first.sequence, second.sequence) == (0, 1)
        settings = camera.read_settings()
    assert (settings.focus, settings.exposure, settings.is_adjustable) == (None, None, False)


def test_pictures_have_the_drivers_time(vivid: Vivid) -> None:
    vivid.control("timestamp_source", 1)
    with closing(UsbCamera("usb:0", colour=False)) as camera:
        camera.read()
        time.sleep(1.5)
        asked_ns = time.time_ns()
        waited_for = camera.read()
    assert asked_ns - waited_for.captured_ns > 0.4e9  # it lay in the driver's buffer meanwhile
    assert asked_ns - waited_for.captured_ns < 30e9


def test_an_unplugged_camera_comes_back(vivid: Vivid) -> None:
    with read_camera() as reader:
        vivid.unplug()
        wait_for(lambda: "is not there: plug the camera in (cameras there: none)" in reader.status.text)
        assert reader.status.state is SourceState.LOST
        assert list_cameras() == []
        vivid.plug()
        wait_until(reader, SourceState.LIVE)
        wait_for_next(reader)


def test_it_is_found_again_under_another_number(vivid: Vivid) -> None:
    with read_camera() as reader:
        vivid.unplug()
        wait_until(reader, SourceState.LOST)
        device = vivid.plug(4)
        assert list_cameras() == [(f"usb:{LINK.format(NAME)}", NAME)]
        wait_until(reader, SourceState.LIVE)
        wait_for_next(reader)
        assert describe_device(device) == NAME


def test_after_a_restart_that_numbers_two_cameras_otherwise_each_is_itself(vivid: Vivid) -> None:
    vivid.plug(0, 1)
    told = list_cameras()
    assert told is not None
    assert [name for _, name in told] == [NAME, NAME.replace("000", "001")]
    vivid.unplug()
    vivid.plug(1, 0)
    assert dict(list_cameras() or []) == dict(told)
    for source, name in told:
        with closing(UsbCamera(source, colour=False)) as camera:
            assert camera.identify().camera == name
            camera.read()


@plugged
def test_a_camera_that_another_program_holds_is_said_and_taken_once_it_is_free() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDING], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "holds it\n"
        with closing(LatestFrameReader(lambda: UsbCamera("usb:0", colour=False))) as reader:
            assert "end the program that uses it" in wait_until(reader, SourceState.LOST)
            other.communicate("\n")
            wait_until(reader, SourceState.LIVE)


def test_a_driver_that_freezes_is_said_and_goes_on(vivid: Vivid) -> None:
    with read_camera() as reader:
        vivid.control("dropped_percent", 100)
        assert wait_until(reader, SourceState.LOST).startswith("no picture for")
        vivid.control("dropped_percent", 0)
        wait_until(reader, SourceState.LIVE)
        wait_for_next(reader)


@pytest.mark.parametrize("fault", ["damaged", "failed"])
def test_what_arrives_damaged_or_breaks_off_is_passed_over(vivid: Vivid, fault: str) -> None:
    with read_camera() as reader:
        vivid.control(fault, 1)
        before = wait_for_next(reader)
        wait_for(lambda: wait_for_next(reader) > before + 2)
        wait_until(reader, SourceState.LIVE)
