"""A camera over a virtual table."""

import time
from pathlib import Path

from hardware.camera.source import FrameSource, Identity, Pace
from hardware.errors import BadSource, SourceLost
from hardware.frame import Frame
from hardware.virtual.table import VirtualTable

PREFIXES = ("virtual:",)


def open_spec(spec: str, *, folder: Path, pace: Pace, colour: bool) -> FrameSource:  # noqa: ARG001 (the kind's signature)
    """Refuse: a virtual camera needs a table to look at, and a source's name holds none; build `VirtualCamera`."""
    raise BadSource(f"camera source '{spec}' needs a virtual table: run `overtable demo`, or name a real source")


class VirtualCamera:
    """Takes pictures of a virtual table at a steady rate.

    `Pace.FREE` takes them without waiting, as if at that rate since time 0, so that they are the same on every run.
    """

    def __init__(self, table: VirtualTable, *, fps: float = 15.0, pace: Pace = Pace.REAL) -> None:
        self._table, self._fps, self._pace = table, fps, pace
        self._sequence = 0
        self._due_s = 0.0
        self._closed = False

    def read(self) -> Frame:
        """Take the next picture when it is due."""
        if self._closed:
            raise SourceLost("the virtual camera is switched off: open it again")
        if self._pace is Pace.REAL:
            now_s = time.monotonic()
            # A picture that is late puts off all that follow, rather than have them hurry.
            self._due_s = max(self._due_s, now_s)
            time.sleep(self._due_s - now_s)
            self._due_s += 1 / self._fps
            captured_ns = time.time_ns()
        else:
            captured_ns = round(self._sequence * 1e9 / self._fps)
        image = self._table.render()
        frame = Frame(camera="virtual:", sequence=self._sequence, captured_ns=captured_ns, image=image)
        self._sequence += 1
        return frame

    def identity(self) -> Identity:
        """Return the name of all virtual cameras; their lens never changes."""
        return Identity(camera="virtual", autofocus=False)

    def close(self) -> None:
        """Switch it off."""
        self._closed = True
