"""The frame source: what a camera is to the rest of the program.

A source delivers frames and says which camera they come from (`Identity`); where the camera lets a program set its
focus and exposure it is `Adjustable`, too.  Pictures and films do not carry which camera took them.  A file
``camera.json`` beside them may: ``{"format": "overtable.camera/1", "identity": "usb 046d:0825 serial 1A2B3C4D",
"focus": 30}``.
"""

import json
import time
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from hardware.errors import BadSource
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

    def identify(self) -> Identity:
        """Return which camera this is; asked before `close`, at any time."""
        ...

    def close(self) -> None:
        """Let go of the device; may be called twice."""
        ...


class PlaybackPace(Enum):
    """How fast a recording plays."""

    REAL = "real"
    """In its own time."""
    FREE = "free"
    """As fast as it is read."""


class Opener(Protocol):
    """Opens the sources of one kind."""

    def __call__(self, spec: str, *, folder: Path, pace: PlaybackPace, colour: bool) -> FrameSource:
        """Open `spec`, which begins with one of the kind's prefixes."""
        ...


class Pacer:
    """Holds frames of a recording back until they are due."""

    def __init__(self, pace: PlaybackPace) -> None:
        self._pace = pace
        self._began_ns: int | None = None

    def wait(self, captured_ns: int) -> None:
        """Sleep until as much time has passed since the first frame as when it was recorded."""
        if self._pace is PlaybackPace.FREE:
            return
        if self._began_ns is None:
            self._began_ns = time.monotonic_ns() - captured_ns
        early_ns = self._began_ns + captured_ns - time.monotonic_ns()
        if early_ns > 0:
            time.sleep(early_ns / 1e9)


ControlValue = float | Literal["hold", "auto"]
"""A value in the driver's own steps; ``hold``: stay at what is set now; ``auto``: the camera decides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraSettings:
    """What a camera says of itself; None where it does not tell."""

    focus: float | None = None
    """In the driver's own steps."""
    autofocus: bool | None = None
    """The camera changes its focus by itself."""
    exposure: float | None = None
    """In the driver's own steps; Linux counts 100 microseconds."""
    autoexposure: bool | None = None

    @property
    def locked(self) -> bool:
        """Whether neither focus nor exposure changes by itself, as far as the camera has them."""
        return not self.autofocus and not self.autoexposure and self.is_adjustable

    @property
    def is_adjustable(self) -> bool:
        """Whether there is anything that a program could set."""
        return self.focus is not None or self.exposure is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlRequest:
    """What a camera is asked to do; None leaves it as it is."""

    focus: ControlValue | None = None
    exposure: ControlValue | None = None

    def merge_onto(self, before: "ControlRequest") -> "ControlRequest":
        """Return what is wanted after another wish."""
        return ControlRequest(
            focus=_merge_value(self.focus, before.focus), exposure=_merge_value(self.exposure, before.exposure)
        )

    def resolve_holds(self, settings: CameraSettings) -> "ControlRequest":
        """Return the same with the values that are held, so that a camera that comes back holds them again."""
        focus = settings.focus if self.focus == "hold" else self.focus
        return ControlRequest(focus=focus, exposure=settings.exposure if self.exposure == "hold" else self.exposure)


def _merge_value(turn: ControlValue | None, before: ControlValue | None) -> ControlValue | None:
    """Return what is wanted after another wish; a value that was wanted is what is held."""
    return before if turn is None or (turn == "hold" and isinstance(before, float | int)) else turn


@runtime_checkable
class Adjustable(Protocol):
    """A source whose camera has controls; asked in the thread that reads it."""

    def read_settings(self) -> CameraSettings:
        """Return what is set now."""
        ...

    def adjust(self, request: ControlRequest) -> CameraSettings:
        """Set what is wanted, as far as the camera lets itself be set, and return what it then says of itself."""
        ...


IDENTITY_FILE = "camera.json"
IDENTITY_FORMAT = "overtable.camera/1"
MOST_CHARACTERS, LARGEST_FOCUS = 100_000, 1e9
"""What a camera's file may hold at most."""


def read_identity_beside(recording: Path) -> Identity:
    """Return which camera took a film or a picture, nothing where its folder does not say.

    Raises:
        BadSource: the folder's camera.json is not as it should be.

    """
    path = recording.parent / IDENTITY_FILE
    if not path.is_file():
        return Identity()
    try:
        with path.open(encoding="utf-8-sig") as file:
            document = json.loads(file.read(MOST_CHARACTERS))
    except (OSError, ValueError, RecursionError) as fault:
        raise BadSource(f"{path}: this is not whole JSON ({fault}): mend it, or take it away") from None
    if not isinstance(document, dict) or document.get("format") != IDENTITY_FORMAT:
        raise BadSource(f'{path}: expected an object with "format": "{IDENTITY_FORMAT}"')
    camera, focus = document.get("identity"), document.get("focus")
    if camera is not None and not (isinstance(camera, str) and camera):
        raise BadSource(f"{path}: identity: expected the name of a camera, not {_shorten(camera)}")
    number = isinstance(focus, int | float) and not isinstance(focus, bool)
    if focus is not None and not (number and abs(focus) < LARGEST_FOCUS):
        raise BadSource(f"{path}: focus: expected a number, not {_shorten(focus)}")
    return Identity(camera=camera, focus=None if focus is None else float(focus))


def _shorten(value: object) -> str:
    """Return what stands in a file as a sentence can hold it."""
    try:
        return repr(value)[:60]
    except (ValueError, RecursionError):  # a number of thousands of digits, or lists in lists
        return "that"
