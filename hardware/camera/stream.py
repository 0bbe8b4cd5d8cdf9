"""Network streams as a frame source: RTSP, and MJPEG over HTTP."""

import time
from pathlib import Path

import cv2

from hardware.camera.address import identify_camera, redact_address
from hardware.camera.frame_source import FrameSource, Identity, PlaybackPace
from hardware.camera.video_capture import open_capture, read_image
from hardware.errors import SourceLost
from hardware.frame import Frame

PREFIXES = ("rtsp:", "rtsps:", "http:", "https:")

OPEN_TIMEOUT_MS = 5000
READ_TIMEOUT_MS = 5000
"""OpenCV's own is half a minute."""
MOST_PIXELS = 50_000_000
"""Of a picture, where one of 8K has 33 million: several are held at a time, and would fill the memory."""


def open_spec(spec: str, *, folder: Path, pace: PlaybackPace, colour: bool) -> FrameSource:  # noqa: ARG001 (a stream has neither)
    """Open a network stream by its address."""
    return StreamCamera(spec, colour=colour)


class StreamCamera:
    """A live stream.  Names and passwords in its address are passed on to the camera and shown nowhere."""

    def __init__(self, url: str, *, colour: bool) -> None:
        self._name, self._shown = identify_camera(url), redact_address(url)
        timeouts = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, OPEN_TIMEOUT_MS, cv2.CAP_PROP_READ_TIMEOUT_MSEC, READ_TIMEOUT_MS]
        capture = open_capture(url, cv2.CAP_FFMPEG, timeouts)
        if capture is None:
            raise SourceLost(
                f"{self._shown} does not answer: check that the camera is on and that its address is right"
            )
        self._capture = capture
        self._colour = colour
        self._sequence = 0

    def read(self) -> Frame:
        """Read the next frame."""
        image = read_image(self._capture, colour=self._colour)
        if image is None:
            raise SourceLost(f"{self._shown} sends no more pictures: check the camera and the network")
        height, width = image.shape[:2]
        if width * height > MOST_PIXELS:
            raise SourceLost(
                f"{self._shown} sends pictures of {width} x {height} pixels, more than are looked at:"
                " set it to 3840 x 2160 or less"
            )
        frame = Frame(camera=self._name, sequence=self._sequence, captured_ns=time.time_ns(), image=image)
        self._sequence += 1
        return frame

    def identify(self) -> Identity:
        """Return the camera's address, without what is secret in it."""
        return Identity(camera=self._name)

    def close(self) -> None:
        """Hang up."""
        self._capture.release()
