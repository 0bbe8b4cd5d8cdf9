"""Loopback: cameras, two of a make, whose pictures a test writes, as the kernel's driver v4l2loopback takes them."""

import fcntl
import struct
import threading
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path
from types import TracebackType
from typing import Self

import cv2

from hardware.camera.usb import DEVICES, LINKS
from tests.devices.guest import MODULES
from tests.devices.vivid import run
from tests.pages.waiting import PATIENCE_S, wait_for

DRIVER = MODULES / "v4l2loopback.ko"
MAKE = "Webcam"
SOCKET = str(LINKS / "by-path" / "platform-socket.{}-video-index0")
"""As udev, which the guest has not, would name what is in a socket."""
SET_FORMAT = 0xC0D05605
"""VIDIOC_S_FMT of the kernel's videodev2.h."""
OUTPUT, NO_FIELDS = 2, 1


class Loopback:
    """Two cameras in two sockets, which answer to one name."""

    def __init__(self) -> None:
        self.numbers: tuple[int, int] = (0, 1)
        self._feeder: threading.Thread | None = None
        self._stop_event = threading.Event()

    def __enter__(self) -> Self:
        """Start the machine with both plugged in."""
        self.start(0, 1)
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        """Pull both out."""
        self._stop()

    def start(self, first: int, second: int) -> None:
        """Start the machine anew, and let it give the cameras in both sockets these numbers."""
        self._stop()
        names, wanted = f"{MAKE},{MAKE}", f"{first},{second}"
        assert run("insmod", DRIVER, "devices=2", f"video_nr={wanted}", f"card_label={names}", "max_buffers=4")
        self.numbers = (first, second)
        for socket, number in enumerate(self.numbers):
            link = Path(SOCKET.format(socket))
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(DEVICES / f"video{number}")

    def feed(self, socket: int, jpegs: Sequence[bytes], *, size: tuple[int, int], hz: float) -> None:
        """Let the camera in a socket, and no other, send these pictures, compressed, over and over, from now on."""
        self._stop_feeding()
        device = DEVICES / f"video{self.numbers[socket]}"
        begun, self._stop_event = threading.Event(), threading.Event()
        events = {"begun": begun, "stop": self._stop_event}
        self._feeder = threading.Thread(target=_feed, args=(device, jpegs, size, hz), kwargs=events, daemon=True)
        self._feeder.start()
        assert begun.wait(PATIENCE_S)

    def _stop_feeding(self) -> None:
        self._stop_event.set()
        if self._feeder is not None:
            self._feeder.join()
            self._feeder = None

    def _stop(self) -> None:
        self._stop_feeding()
        for link in Path(SOCKET).parent.glob("*"):
            link.unlink()
        if Path("/sys/module/v4l2loopback").exists():
            wait_for(lambda: run("rmmod", "v4l2loopback"))  # as long as a reader has not let go of it, it is in use


def _feed(
    device: Path,
    jpegs: Sequence[bytes],
    size: tuple[int, int],
    hz: float,
    *,
    begun: threading.Event,
    stop: threading.Event,
) -> None:
    width, height = size
    packed = struct.pack("8I", width, height, cv2.VideoWriter.fourcc(*"MJPG"), NO_FIELDS, 0, 2 * width * height, 8, 0)
    wanted = bytearray(struct.pack("II", OUTPUT, 0) + packed.ljust(200, b"\0"))
    with device.open("r+b", buffering=0) as opened:
        fcntl.ioctl(opened, SET_FORMAT, wanted)
        for jpeg in cycle(jpegs):
            opened.write(jpeg)
            begun.set()
            if stop.wait(1 / hz):
                return
