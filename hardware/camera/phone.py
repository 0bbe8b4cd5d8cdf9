"""A phone as a camera: its page sends pictures by the network, and the source reads them as they come.

Between the two lies the inbox.  There is one in a process, for the web server fills it and a source that is opened by
its name, ``phone:``, empties it, and neither knows the other.
"""

import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hardware.camera.frame_source import CameraSettings, ControlRequest, FrameSource, Identity, PlaybackPace
from hardware.camera.jpeg import decode_jpeg_grey, read_jpeg_size
from hardware.errors import BadSource, SourceLost
from hardware.frame import Frame

PREFIXES = ("phone:",)
KEY_BYTES = 16
WAIT_S = 1.0
"""A phone that sends nothing for so long is lost; it is waited for anew at once."""
OLDEST_NS = 2_000_000_000
"""A picture that is said to be older has the time of a clock that does not go right."""
MOST_PIXELS = 50_000_000
"""Of a picture, where the largest film of a phone (8K) has 33 million."""
ABSENT = "the phone sends no pictures: open the camera's page on it, and leave it open and in front"


@dataclass(frozen=True, slots=True, kw_only=True)
class PhonePicture:
    """A picture as a phone took it."""

    data: NDArray[np.uint8]
    """(n,) a JPEG."""
    captured_ns: int
    """By the clock of this machine (`hardware.clock`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhoneReport:
    """What a phone says of itself."""

    device: str = ""
    """By which it is known again; its page makes it up once."""
    settings: CameraSettings = field(default_factory=CameraSettings)


class PhoneInbox:
    """Where pictures wait from the network until they are read, the latest only; used by any thread."""

    def __init__(self) -> None:
        self.key = secrets.token_urlsafe(KEY_BYTES)
        """Whoever knows it may send pictures: it is in the address that the host shows."""
        self.report = PhoneReport()
        self.request = ControlRequest()
        """How focus and exposure are to be set."""
        self._changed = threading.Condition()
        self._picture: PhonePicture | None = None
        self._latest_ns = 0

    def opens(self, key: str) -> bool:
        """Return whether a key is the right one."""
        return secrets.compare_digest(key.encode(), self.key.encode())

    def put(self, data: bytes, *, captured_ns: int, now_ns: int) -> None:
        """Leave a picture in place of one that nobody has read yet; one that was overtaken on its way is dropped.

        Args:
            data: the picture.
            captured_ns: when it was taken, as the phone has worked out from this machine's answers.
            now_ns: when it came; it was taken before, and not long before.

        Raises:
            BadSource: it is no JPEG, or larger than any that is looked at.

        """
        size = read_jpeg_size(data)
        if size is None:
            raise BadSource("what the phone sent is no whole JPEG picture")
        if size[0] * size[1] > MOST_PIXELS:
            raise BadSource(f"the phone's picture has {size[0]} x {size[1]} pixels, more than are looked at")
        taken_ns = min(max(captured_ns, now_ns - OLDEST_NS), now_ns)
        with self._changed:
            if taken_ns <= self._latest_ns:
                return
            self._latest_ns = taken_ns
            self._picture = PhonePicture(data=np.frombuffer(data, np.uint8), captured_ns=taken_ns)
            self._changed.notify_all()

    def take(self, wait_s: float, is_wanted: Callable[[], bool] = lambda: True) -> PhonePicture | None:
        """Wait for a picture and take it; None where none comes in time, or none is wanted any more."""
        with self._changed:
            self._changed.wait_for(lambda: self._picture is not None or not is_wanted(), wait_s)
            if not is_wanted():
                return None
            picture, self._picture = self._picture, None
        return picture

    def wake(self) -> None:
        """Let whoever waits look again whether they still want a picture."""
        with self._changed:
            self._changed.notify_all()


INBOX = PhoneInbox()
"""The process's one."""


def open_spec(spec: str, *, folder: Path, pace: PlaybackPace, colour: bool) -> FrameSource:  # noqa: ARG001 (a phone has neither)
    """Open ``phone:``, whichever phone has the address that the host shows."""
    if spec != "phone:":
        raise BadSource(f"camera source '{spec}': expected phone: and nothing more")
    return PhoneCamera(INBOX, colour=colour)


class PhoneCamera:
    """The phone whose pictures come to an inbox."""

    def __init__(self, inbox: PhoneInbox, *, colour: bool) -> None:
        self._inbox, self._colour = inbox, colour
        self._sequence = 0
        self._closed = False
        inbox.request = ControlRequest()
        inbox.take(0.0)  # one that has waited since before is nobody's

    def read(self) -> Frame:
        """Wait for the next picture, in which others may have come and gone."""
        while True:
            picture = self._inbox.take(WAIT_S, lambda: not self._closed)
            if picture is None:
                raise SourceLost(ABSENT)
            image = decode_jpeg_grey(picture.data)
            if image is not None:  # else it was damaged, and the next is on its way
                break
        frame = Frame(
            camera="phone:",
            sequence=self._sequence,
            captured_ns=picture.captured_ns,
            image=image,
            packed=picture.data if self._colour else None,
        )
        self._sequence += 1
        return frame

    def identify(self) -> Identity:
        """Return which phone it is, by the name that its page has made up, and its focus."""
        report = self._inbox.report
        settings = report.settings
        return Identity(
            camera=f"phone {report.device}" if report.device else None,
            focus=None if settings.autofocus else settings.focus,
            autofocus=settings.autofocus,
        )

    def read_settings(self) -> CameraSettings:
        """Return what the phone said last of its focus and exposure."""
        return self._inbox.report.settings

    def adjust(self, request: ControlRequest) -> CameraSettings:
        """Ask the phone to set its focus and exposure; it is told with its next report."""
        self._inbox.request = request.merge_onto(self._inbox.request)
        return self.read_settings()

    def close(self) -> None:
        """Read nothing more."""
        self._closed = True
        self._inbox.wake()
