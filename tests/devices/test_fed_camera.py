"""Cameras whose pictures a test writes: compressed ones, damaged ones, ever fewer of them, and two of a make."""

from contextlib import closing

import cv2
import numpy as np
import pytest

from assistant.runtime.live_loop import SLOW_CAMERA, RateMeter
from hardware.camera import LatestFrameReader
from hardware.camera.usb import UsbCamera, list_cameras
from tests.devices.loopback import MAKE, SOCKET, Loopback
from tests.pages.waiting import wait_for

SIZE = (1920, 1080)
SMALL = (320, 240)


def make_jpeg(size: tuple[int, int], blue: int) -> bytes:
    """Return a compressed picture that is dark but for its blue, and of which a corner is white."""
    image = np.zeros((size[1], size[0], 3), np.uint8)
    image[..., 0] = blue
    image[:16, :16] = 255
    return cv2.imencode(".jpg", image)[1].tobytes()


def test_compressed_pictures_come_as_they_are_sent_and_damaged_ones_are_passed_over(loopback: Loopback) -> None:
    whole = make_jpeg(SIZE, 200)
    loopback.feed(0, [whole, b"\xff\xd8 nothing of a picture", whole], size=SIZE, hz=5.0)
    with closing(UsbCamera("usb:0", colour=True)) as camera:
        frames = [camera.read() for _ in range(4)]
    assert [frame.sequence for frame in frames] == [0, 1, 2, 3]
    for frame in frames:
        assert frame.image.shape == (1080, 1920)
        assert frame.packed is not None
        assert frame.packed.tobytes()[: len(whole)] == whole
        assert frame.image[8, 8] > 240
        assert abs(int(frame.image[500, 900]) - 23) < 4, "200 of blue in grey"


def test_a_camera_that_slows_down_is_told_and_no_longer_when_it_is_itself_again(loopback: Loopback) -> None:
    meter, last = RateMeter(live=True), -1

    def follow() -> str:
        nonlocal last
        frame = reader.wait_for_frame(last, 1.0)
        if frame is not None:
            last = frame.sequence
            meter.count_frame(frame, 0.0)
        return meter.trouble

    loopback.feed(0, [make_jpeg(SMALL, 90)], size=SMALL, hz=20.0)
    with closing(LatestFrameReader(lambda: UsbCamera("usb:0", colour=False))) as reader:
        wait_for(lambda: reader.wait_for_frame(None, 1.0))
        assert [follow() for _ in range(60)] == [""] * 60
        loopback.feed(0, [make_jpeg(SMALL, 90)], size=SMALL, hz=4.0)
        wait_for(lambda: follow() == SLOW_CAMERA)
        loopback.feed(0, [make_jpeg(SMALL, 90)], size=SMALL, hz=20.0)
        wait_for(lambda: follow() == "")


@pytest.mark.parametrize("numbers", [(0, 1), (1, 0)], ids=["as before", "numbered otherwise"])
def test_of_two_of_a_make_the_one_in_the_socket_is_taken(loopback: Loopback, numbers: tuple[int, int]) -> None:
    sources = [f"usb:{SOCKET.format(socket)}" for socket in (0, 1)]
    assert list_cameras() == [(source, MAKE) for source in sources]
    loopback.start(*numbers)
    for socket, blue in ((0, 250), (1, 120)):
        loopback.feed(socket, [make_jpeg(SMALL, blue)], size=SMALL, hz=10.0)
        with closing(UsbCamera(sources[socket], colour=False)) as camera:
            assert abs(int(camera.read().image[100, 100]) - round(0.114 * blue)) < 4
