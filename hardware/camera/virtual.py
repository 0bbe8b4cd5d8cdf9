"""The virtual camera: a frame source over a simulated table."""

import time
from pathlib import Path

from hardware.camera.frame_source import (
    CameraSettings,
    ControlRequest,
    ControlValue,
    FrameSource,
    Identity,
    PlaybackPace,
)
from hardware.clock import read_clock_ns
from hardware.errors import BadSource, SourceLost
from hardware.frame import Frame
from hardware.simulation.virtual_table import VirtualTable

PREFIXES = ("virtual:",)

SHARP_FOCUS = 120.0
"""In the driver's steps, of which there are 250: the table is in focus."""
BLUR_PER_STEP_PX = 0.06
USUAL_EXPOSURE = 100.0
"""Pictures are as light as the table was laid; twice as much is twice as light."""
FOCI, EXPOSURES = (0.0, 250.0), (5.0, 2000.0)


def open_spec(spec: str, *, folder: Path, pace: PlaybackPace, colour: bool) -> FrameSource:  # noqa: ARG001 (the kind's signature)
    """Refuse: a virtual camera needs a table to look at, and a source's name holds none; build `VirtualCamera`."""
    raise BadSource(f"camera source '{spec}' needs a virtual table: run `overtable demo`, or name a real source")


class VirtualCamera:
    """Takes pictures of a virtual table at a steady rate.

    `PlaybackPace.FREE` takes them without waiting, as if at that rate since time 0, so that they are the same on every
    run.
    """

    def __init__(self, table: VirtualTable, *, fps: float = 15.0, pace: PlaybackPace = PlaybackPace.REAL) -> None:
        self._table, self._fps, self._pace = table, fps, pace
        self._sequence = 0
        self._due_s = 0.0
        self._closed = False
        self._settings = CameraSettings(focus=SHARP_FOCUS, autofocus=False, exposure=USUAL_EXPOSURE, autoexposure=False)

    def read(self) -> Frame:
        """Take the next picture when it is due."""
        if self._closed:
            raise SourceLost("the virtual camera is switched off: open it again")
        if self._pace is PlaybackPace.REAL:
            now_s = time.monotonic()
            # A picture that is late puts off all that follow, rather than have them hurry.
            self._due_s = max(self._due_s, now_s)
            time.sleep(self._due_s - now_s)
            self._due_s += 1 / self._fps
            captured_ns = read_clock_ns()
        else:
            captured_ns = round(self._sequence * 1e9 / self._fps)
        image = self._table.render()
        frame = Frame(camera="virtual:", sequence=self._sequence, captured_ns=captured_ns, image=image)
        self._sequence += 1
        return frame

    def identify(self) -> Identity:
        """Return the name of all virtual cameras; their lens never changes."""
        return Identity(camera="virtual", autofocus=False)

    def read_settings(self) -> CameraSettings:
        """Return what is set."""
        return self._settings

    def adjust(self, request: ControlRequest) -> CameraSettings:
        """Turn the lens and the exposure; by itself the camera finds the sharp focus and the usual exposure."""
        now = self._settings
        focus, exposure = (now.focus or 0.0), (now.exposure or 0.0)
        self._settings = CameraSettings(
            focus=_resolve_control(request.focus, focus, SHARP_FOCUS, FOCI),
            autofocus=now.autofocus if request.focus is None else request.focus == "auto",
            exposure=_resolve_control(request.exposure, exposure, USUAL_EXPOSURE, EXPOSURES),
            autoexposure=now.autoexposure if request.exposure is None else request.exposure == "auto",
        )
        off = abs((self._settings.focus or 0.0) - SHARP_FOCUS)
        self._table.adjust_camera(
            defocus_px=BLUR_PER_STEP_PX * off, gain=(self._settings.exposure or USUAL_EXPOSURE) / USUAL_EXPOSURE
        )
        return self._settings

    def close(self) -> None:
        """Switch it off."""
        self._closed = True


def _resolve_control(
    requested: ControlValue | None, current: float, by_itself: float, limits: tuple[float, float]
) -> float:
    if requested is None or requested == "hold":
        return current
    low, high = limits
    return by_itself if requested == "auto" else min(max(float(requested), low), high)
