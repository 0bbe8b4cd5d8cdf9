"""What a camera is to the rest of the program."""

import time
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Protocol

from hardware.frame import Frame


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Which camera the pictures come from, and how it is focused, as far as that can be told."""

    camera: str | None = None
    """Maker, product and serial number, or an address; the same whenever the same camera is opened again."""
    focus: float | None = None
    """The focus that is set, in the driver's own steps."""
    autofocus: bool | None = None
    """Whether the camera changes its focus by itself."""


class FrameSource(Protocol):
    """Delivers frames one after the other; owned by one thread."""

    def read(self) -> Frame:
        """Wait for the next frame.

        EndOfFrames after the last frame of a recording, SourceLost when the device fails, BadSource when a recording
        turns out to be unreadable; after `close` one of the first two.
        """
        ...

    def identity(self) -> Identity:
        """Return which camera this is; asked before `close`, at any time."""
        ...

    def close(self) -> None:
        """Let go of the device; may be called twice."""
        ...


class Pace(Enum):
    """How fast a recording plays."""

    REAL = "real"
    """In its own time."""
    FREE = "free"
    """As fast as it is read."""


class Opener(Protocol):
    """Opens the sources of one kind."""

    def __call__(self, spec: str, *, folder: Path, pace: Pace, colour: bool) -> FrameSource:
        """Open `spec`, which begins with one of the kind's prefixes."""
        ...


class Pacer:
    """Holds frames of a recording back until they are due."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self._began_ns: int | None = None

    def wait(self, captured_ns: int) -> None:
        """Sleep until as much time has passed since the first frame as when it was recorded."""
        if self._pace is Pace.FREE:
            return
        if self._began_ns is None:
            self._began_ns = time.monotonic_ns() - captured_ns
        early_ns = self._began_ns + captured_ns - time.monotonic_ns()
        if early_ns > 0:
            time.sleep(early_ns / 1e9)
