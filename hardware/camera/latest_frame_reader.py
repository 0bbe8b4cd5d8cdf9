"""The latest-frame reader: a thread keeps a source drained, so that there is only ever its latest frame to look at."""

import atexit
import contextlib
import dataclasses
import logging
import math
import threading
import time
from collections.abc import Callable
from enum import StrEnum

from hardware.camera.address import redact_text
from hardware.camera.frame_source import Adjustable, CameraSettings, ControlRequest, FrameSource, Identity
from hardware.errors import BadSource, DeviceLost, EndOfFrames, SourceLost
from hardware.frame import Frame
from hardware.thread_stack import describe_stack

CLOSING_S, LEAVING_S = 0.5, 2.0
"""So long a picture that is being read is waited for as its reader is closed, and once more as the program ends."""
STEP_NS = 1_000_000
"""A camera whose clock was set back goes on so much after its last picture."""
_log = logging.getLogger(__name__)


class SourceState(StrEnum):
    """How a source fares."""

    STARTING = "starting"
    LIVE = "live"
    LOST = "lost"
    """No pictures now; it is being tried again."""
    ENDED = "ended"
    """A recording that has been read to its end, or a drain that was closed."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class SourceStatus:
    """How a source fares, and what a person can do about it."""

    state: SourceState
    text: str


class LatestFrameReader:
    """Reads a source in a thread of its own and keeps the latest frame.

    A source that is lost is reported in `status` and opened again, for ever, at growing intervals `retry_s`, or at the
    shortest of them where it is a device on a cable; its frames go on counting where they left off.  A source that is
    silent for `stall_s`, or for twice as long at its start, is lost too, even if its driver hangs.
    One whose driver does not come back for `hang_s` is opened again in another thread; None: that is waited for.
    Its frames' times never go back, whatever the source says, nor before `after_ns`.
    """

    def __init__(
        self,
        open_again: Callable[[], FrameSource],
        *,
        stall_s: float = 2.0,
        retry_s: tuple[float, float] = (0.5, 5.0),
        hang_s: float | None = None,
        after_ns: int = 0,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._open, self._stall_s, self._retry_s = open_again, stall_s, retry_s
        self._hang_s, self._clock_s = hang_s, clock_s
        self._latest_ns, self._put_off_ns = after_ns, 0
        """The time of the latest frame, and what is added to the source's times lest they go back."""
        self._asked_s: float | None = None
        """Since when the driver has been asked for a picture; None while it is not."""
        self._changed = threading.Condition()
        self._frame: Frame | None = None
        self._status = SourceStatus(state=SourceState.STARTING, text="the camera is starting")
        self._identity = Identity()
        self._settings: CameraSettings | None = None
        self._request: ControlRequest | None = None
        self._held_controls = ControlRequest()
        """What was asked of the camera so far: it is asked again of one that comes back."""
        self._fault: BadSource | None = None
        self._woken = False
        self._last_contact_s = time.monotonic()
        self._closing = threading.Event()
        self._thread = self._begin()

    def _begin(self) -> threading.Thread:
        # A thread that hangs in a driver must not keep the program from ending.
        thread = threading.Thread(target=self._run, name="camera", daemon=True)
        self._thread = thread
        thread.start()
        return thread

    def wait_for_frame(self, after: int | None, timeout_s: float) -> Frame | None:
        """Wait for a frame newer than number `after` (None: for any).

        None when the time is up or `wake` was called, and at once when nothing more will come.  BadSource if the source
        cannot be read as it was written.
        """
        self._begin_anew_if_hung()
        with self._changed:
            self._changed.wait_for(lambda: self._has_newer(after) or self._is_finished or self._woken, timeout_s)
            self._woken = False
            if self._has_newer(after):
                return self._frame
            if self._fault is not None:
                raise self._fault
            return None

    def wake(self) -> None:
        """Let who waits for a frame, or does so next, go on without one; any thread may call."""
        with self._changed:
            self._woken = True
            self._changed.notify_all()

    def _begin_anew_if_hung(self) -> None:
        """Leave a thread that hangs in the driver to itself: when it comes back one day, it ends."""
        asked_s, thread = self._asked_s, self._thread
        if self._hang_s is None or asked_s is None or self._closing.is_set():
            return
        if self._clock_s() - asked_s < self._hang_s:
            return
        _log.warning("The camera's driver does not answer; it is opened anew:\n%s", describe_stack(thread))
        self._asked_s = None
        self._report(SourceState.LOST, "the camera's driver does not answer: it is opened anew")
        self._begin()

    @property
    def _is_left(self) -> bool:
        """Whether the thread that asks was left to itself."""
        return threading.current_thread() is not self._thread

    @property
    def status(self) -> SourceStatus:
        """How the source fares now."""
        with self._changed:
            silent_s = time.monotonic() - self._last_contact_s
            patience_s = {SourceState.STARTING: 2 * self._stall_s, SourceState.LIVE: self._stall_s}
            if silent_s > patience_s.get(self._status.state, math.inf):
                text = f"no picture for {silent_s:.0f} s: check the camera's cable or network, or plug it in again"
                return SourceStatus(state=SourceState.LOST, text=text)
            return self._status

    @property
    def identity(self) -> Identity:
        """Which camera the latest frame came from."""
        with self._changed:
            return self._identity

    @property
    def settings(self) -> CameraSettings | None:
        """What the camera says of its focus and exposure; None while there is none, or where it has no controls."""
        with self._changed:
            return self._settings

    def adjust(self, request: ControlRequest) -> None:
        """Ask the camera for another focus or exposure, between two pictures; `settings` then tells what it did."""
        with self._changed:
            self._request = request if self._request is None else request.merge_onto(self._request)

    @property
    def adjusting(self) -> bool:
        """Whether the camera has not yet been asked for all that it is to do."""
        with self._changed:
            return self._request is not None

    def close(self) -> None:
        """Stop; returns at once, even if the driver hangs."""
        self._closing.set()
        self._report(SourceState.ENDED, "the camera is closed")
        self._thread.join(CLOSING_S)
        if self._thread.is_alive():
            # Python ends what still runs at its own end, and where that is within C++ code the program is aborted.
            atexit.register(self._thread.join, LEAVING_S)

    @property
    def _is_finished(self) -> bool:
        return self._fault is not None or self._status.state is SourceState.ENDED

    def _has_newer(self, after: int | None) -> bool:
        return self._frame is not None and (after is None or self._frame.sequence > after)

    def _report(self, state: SourceState, text: str) -> None:
        with self._changed:
            if not (self._closing.is_set() and state is not SourceState.ENDED):
                if state is not self._status.state:
                    _log.info("%s: %s", state.value, text)
                self._status = SourceStatus(state=state, text=text)
            self._changed.notify_all()

    def _run(self) -> None:
        shortest_s, longest_s = self._retry_s
        delay_s = shortest_s
        while not self._closing.is_set():
            before, is_at_hand = self._frame, False
            try:
                with contextlib.closing(self._open()) as source:
                    self._read_all(source)
            except Exception as fault:
                if self._is_left or not self._tell(fault):
                    return
                is_at_hand = isinstance(fault, DeviceLost)
            if self._is_left:
                return
            if self._frame is not before or is_at_hand:
                delay_s = shortest_s
            self._closing.wait(delay_s)
            delay_s = min(2 * delay_s, longest_s)

    def _tell(self, fault: Exception) -> bool:
        """Tell why a source gives nothing more; return whether it is tried again."""
        match fault:
            case EndOfFrames():
                self._report(SourceState.ENDED, "the recording has ended")
                return False
            case BadSource():
                self._fault = fault
                self._report(SourceState.LOST, str(fault))
                return False
            case SourceLost():
                self._report(SourceState.LOST, str(fault))
            case _:
                _log.warning("The camera's driver failed; it is tried again.", exc_info=fault)
                text = f"the camera's driver failed ({redact_text(str(fault))}); it is tried again"
                self._report(SourceState.LOST, text)
        return True

    def _read_all(self, source: FrameSource) -> None:
        first = 0 if self._frame is None else self._frame.sequence + 1
        opened = True
        self._adjust(source, self._held_controls)
        while not self._closing.is_set():
            if (request := self._request) is not None:
                self._adjust(source, request)
                with self._changed:
                    if self._request is request:  # else more was asked for meanwhile
                        self._request = None
            self._asked_s = self._clock_s()
            try:
                frame = source.read()
            finally:
                if not self._is_left:
                    self._asked_s = None
            if self._is_left:
                return
            identity = source.identify() if opened else self._identity
            opened = False
            with self._changed:
                self._identity = identity
                self._frame = dataclasses.replace(
                    frame, sequence=first + frame.sequence, captured_ns=self._date(frame.captured_ns)
                )
                self._last_contact_s = time.monotonic()
            self._report(SourceState.LIVE, "the camera is live")

    def _date(self, captured_ns: int) -> int:
        """Return a frame's time on the one line of times that the game has."""
        dated_ns = captured_ns + self._put_off_ns
        if dated_ns < self._latest_ns:
            _log.warning(
                "The camera's clock was set back by %.3f s; its time goes on.", (self._latest_ns - dated_ns) / 1e9
            )
            dated_ns = self._latest_ns + STEP_NS
            self._put_off_ns = dated_ns - captured_ns
        self._latest_ns = dated_ns
        return dated_ns

    def _adjust(self, source: FrameSource, request: ControlRequest) -> None:
        if not isinstance(source, Adjustable):
            return
        settings = source.read_settings() if request == ControlRequest() else source.adjust(request)
        with self._changed:
            self._held_controls, self._settings = (
                request.merge_onto(self._held_controls).resolve_holds(settings),
                settings,
            )
