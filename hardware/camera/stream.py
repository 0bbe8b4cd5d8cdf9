"""Network streams as a frame source: RTSP, and MJPEG over HTTP."""

import os
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import cv2

from hardware.camera.address import identify_camera, redact_address
from hardware.camera.frame_source import FrameSource, Identity, PlaybackPace
from hardware.camera.stream_clock import StreamClock
from hardware.camera.video_capture import open_capture, read_image
from hardware.clock import read_clock_ns
from hardware.errors import SourceLost
from hardware.frame import Frame

RTSP = ("rtsp:", "rtsps:")
PREFIXES = (*RTSP, "http:", "https:")

OPEN_TIMEOUT_MS = 5000
READ_TIMEOUT_MS = 5000
"""OpenCV's own is half a minute."""
FFMPEG_OPTIONS = "OPENCV_FFMPEG_CAPTURE_OPTIONS"
"""The environment's variable by which OpenCV hands options on to FFmpeg, for each capture that is opened."""
OPTIONS = "rtsp_flags;prefer_tcp|fflags;nobuffer|fpsprobesize;0"
"""Over TCP no packet is lost, which would leave half a picture grey; what is read to learn how the stream is encoded is
not shown first, late; and its rate, which nobody asks for, is not waited for."""
THREADS = 1
"""Of the decoder: each more holds a picture back, and one is quick enough for 4K."""
ASK_TIMEOUT_S = 2.0
HTTP = {"http": HTTPConnection, "https": HTTPSConnection}
RTSP_PORT = 554
MOST_ANSWER = 64
MOST_PIXELS = 50_000_000
"""Of a picture, where one of 8K has 33 million: several are held at a time, and would fill the memory."""


def open_spec(spec: str, *, folder: Path, pace: PlaybackPace, colour: bool) -> FrameSource:  # noqa: ARG001 (a stream has neither)
    """Open a network stream by its address."""
    return StreamCamera(spec, colour=colour)


class StreamCamera:
    """A live stream.  Names and passwords in its address are passed on to the camera and shown nowhere."""

    def __init__(self, url: str, *, colour: bool) -> None:
        self._name, self._shown = identify_camera(url), redact_address(url)
        settings = [
            *(cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, OPEN_TIMEOUT_MS),
            *(cv2.CAP_PROP_READ_TIMEOUT_MSEC, READ_TIMEOUT_MS),
            *(cv2.CAP_PROP_N_THREADS, THREADS),
        ]
        with _set_options():
            capture = open_capture(url, cv2.CAP_FFMPEG, settings)
        if capture is None:
            raise SourceLost(f"{self._shown} {_describe_refusal(ask_status(url), url)}")
        self._capture = capture
        self._colour = colour
        self._sequence = 0
        # Motion JPEG carries no times, and FFmpeg makes some up.
        self._clock = StreamClock() if url.startswith(RTSP) else None

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
        captured_ns = read_clock_ns()
        if self._clock:
            captured_ns = self._clock.convert(round(self._capture.get(cv2.CAP_PROP_POS_MSEC) * 1e6), captured_ns)
        frame = Frame(camera=self._name, sequence=self._sequence, captured_ns=captured_ns, image=image)
        self._sequence += 1
        return frame

    def identify(self) -> Identity:
        """Return the camera's address, without what is secret in it."""
        return Identity(camera=self._name)

    def close(self) -> None:
        """Hang up."""
        self._capture.release()


@contextmanager
def _set_options() -> Iterator[None]:
    """Hand our options on to FFmpeg, unless whoever runs the program has chosen some."""
    if FFMPEG_OPTIONS in os.environ:
        yield
        return
    os.environ[FFMPEG_OPTIONS] = OPTIONS
    try:
        yield
    finally:
        os.environ.pop(FFMPEG_OPTIONS, None)


def ask_status(url: str) -> int | None:
    """Ask a camera for a stream without a name and password, and return its answer's status.

    FFmpeg does not tell why it fails.  RTSP's statuses are HTTP's (RFC 2326, 7.1.1): 401 wants a password, 404 knows no
    such stream.  None where nothing is answered in two seconds, or what is no status.
    """
    try:
        parts = urlsplit(url)
        host, port, path = parts.hostname or "", parts.port, urlunsplit(("", "", parts.path or "/", parts.query, ""))
        if parts.scheme in HTTP:
            with closing(HTTP[parts.scheme](host, port, timeout=ASK_TIMEOUT_S)) as server:
                server.request("GET", path)
                return int(server.getresponse().status)
        if parts.scheme != "rtsp":
            return None
        place = f"rtsp://{parts.netloc.rpartition('@')[2]}{path}"
        with socket.create_connection((host, port or RTSP_PORT), timeout=ASK_TIMEOUT_S) as connection:
            connection.sendall(f"DESCRIBE {place} RTSP/1.0\r\nCSeq: 1\r\n\r\n".encode())
            words = connection.recv(MOST_ANSWER).split()
        return int(words[1]) if len(words) > 1 and words[0].startswith(b"RTSP/") else None
    except (OSError, ValueError, HTTPException):
        return None


def _describe_refusal(status: int | None, url: str) -> str:
    match status:
        case 401 | 403 if "@" in urlsplit(url).netloc:
            return "refuses the name or the password: check both, as the camera's own page has them"
        case 401 | 403:
            return "wants a name and a password: write them before its address, as in rtsp://NAME:PASSWORD@192.168.0.5/stream"
        case 404 | 454:
            return "answers, but has no such stream: look up the path in the camera's manual"
        case int():
            return f"answers, but sends no pictures (status {status}): check its settings for streams"
        case None:
            return "does not answer: check that the camera is on and that its address is right"
