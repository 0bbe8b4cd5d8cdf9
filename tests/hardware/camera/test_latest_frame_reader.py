import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
import pytest

from hardware.camera import FrameSource, Identity, LatestFrameReader, SourceState
from hardware.camera.frame_source import CameraSettings, ControlRequest
from hardware.errors import BadSource, DeviceLost, EndOfFrames, SourceLost
from hardware.frame import Frame

PATIENCE_S = 10.0


class ScriptedSource:
    """A source that delivers so many frames and then does something else."""

    def __init__(self, frames: int, then: Callable[[], None], times_ns: Sequence[int] = ()) -> None:
        self.left, self.then, self.times_ns = frames, then, times_ns
        self.sequence = -1
        self.closed = 0

    def read(self) -> Frame:
        if self.left == 0:
            self.then()
        self.left -= 1
        self.sequence += 1
        image = np.zeros((2, 2), dtype=np.uint8)
        captured_ns = self.times_ns[self.sequence] if self.times_ns else time.time_ns()
        return Frame(camera="script", sequence=self.sequence, captured_ns=captured_ns, image=image)

    def identify(self) -> Identity:
        return Identity(camera="script")

    def close(self) -> None:
        self.closed += 1


def fail_with(error: Exception) -> Callable[[], None]:
    def fail() -> None:
        raise error

    return fail


def fail_after(gate: threading.Event, error: Exception) -> Callable[[], None]:
    def fail() -> None:
        gate.wait()
        raise error

    return fail


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.002)


@pytest.mark.parametrize(
    ("after_ns", "expected_ms"), [(0, [5000, 5100, 5101, 5201]), (9 * 10**9, [9001, 9101, 9102, 9202])]
)
def test_times_never_go_back(after_ns: int, expected_ms: list[int]) -> None:
    told_ms = (5000, 5100, 1400, 1500)
    for count, expected in enumerate(expected_ms, start=1):
        source = ScriptedSource(count, fail_with(EndOfFrames()), [ms * 10**6 for ms in told_ms])
        reader = LatestFrameReader(partial(lambda source: source, source), after_ns=after_ns)
        wait_until(lambda reader=reader: reader.status.state is SourceState.ENDED)  # type: ignore[misc]
        last = reader.wait_for_frame(None, 0.0)
        assert last is not None
        assert last.captured_ns == expected * 10**6


def test_the_latest_frame_is_kept_and_only_newer_ones_are_given() -> None:
    gate = threading.Event()
    drain = LatestFrameReader(lambda: ScriptedSource(5, fail_after(gate, EndOfFrames())))
    wait_until(lambda: (frame := drain.wait_for_frame(None, PATIENCE_S)) is not None and frame.sequence == 4)
    assert drain.wait_for_frame(4, 0.0) is None
    assert drain.status.state is SourceState.LIVE
    gate.set()
    wait_until(lambda: drain.status.state is SourceState.ENDED)
    assert drain.wait_for_frame(4, PATIENCE_S) is None
    last = drain.wait_for_frame(3, 0.0)
    assert last is not None, "the last frame of a recording can still be had"
    drain.close()


def test_who_waits_for_a_frame_goes_on_without_one_when_woken() -> None:
    gate = threading.Event()
    drain = LatestFrameReader(lambda: ScriptedSource(1, fail_after(gate, EndOfFrames())))
    assert drain.wait_for_frame(None, PATIENCE_S) is not None
    given: list[Frame | None] = []
    waiting = threading.Thread(target=lambda: given.append(drain.wait_for_frame(0, 100 * PATIENCE_S)), daemon=True)
    waiting.start()
    drain.wake()  # it need not wait yet
    waiting.join(PATIENCE_S)
    assert given == [None]
    gate.set()
    drain.close()


def test_a_lost_source_is_reported_closed_and_opened_again_and_frames_go_on_counting() -> None:
    gate = threading.Event()
    scripts = [
        ScriptedSource(3, fail_with(SourceLost("the cable is out"))),
        ScriptedSource(2, fail_after(gate, EndOfFrames())),
    ]
    outcomes: Iterator[ScriptedSource | SourceLost] = iter([scripts[0], SourceLost("still out"), scripts[1]])

    def open_again() -> FrameSource:
        outcome = next(outcomes)
        if isinstance(outcome, SourceLost):
            raise outcome
        return outcome

    drain = LatestFrameReader(open_again, retry_s=(0.001, 0.002))
    wait_until(lambda: (frame := drain.wait_for_frame(None, PATIENCE_S)) is not None and frame.sequence == 4)
    assert drain.status.state is SourceState.LIVE
    assert scripts[0].closed == 1
    gate.set()
    drain.close()


def test_a_lost_source_says_why_until_it_is_back() -> None:
    drain = LatestFrameReader(fail_with(SourceLost("usb:0 is not there")), retry_s=(0.001, 0.002))  # type: ignore[arg-type]
    wait_until(lambda: drain.status.state is SourceState.LOST)
    assert drain.status.text == "usb:0 is not there"
    assert drain.wait_for_frame(None, 0.01) is None
    drain.close()
    assert drain.status.state is SourceState.ENDED


@pytest.mark.parametrize(
    ("fault", "expected"),
    [(SourceLost("out"), [0.5, 1.0, 2.0, 4.0, 5.0, 5.0]), (DeviceLost("unplugged"), 6 * [0.5])],
    ids=["network", "cable"],
)
def test_retries_come_at_growing_intervals_where_they_cost_something(
    monkeypatch: pytest.MonkeyPatch, fault: SourceLost, expected: list[float]
) -> None:
    waits: list[float] = []
    enough = threading.Event()

    def wait(event: threading.Event, timeout: float | None = None) -> bool:
        if threading.current_thread().name == "camera" and timeout is not None:
            waits.append(timeout)
            if len(waits) == 6:
                enough.set()
                event.set()
            return event.is_set()
        return original(event, timeout)

    original = threading.Event.wait
    monkeypatch.setattr(threading.Event, "wait", wait)
    drain = LatestFrameReader(fail_with(fault), retry_s=(0.5, 5.0))  # type: ignore[arg-type]
    assert original(enough, PATIENCE_S)
    drain.close()
    assert waits == expected


def test_a_source_that_is_wrong_as_written_is_raised_and_not_retried() -> None:
    attempts = []

    def open_again() -> FrameSource:
        attempts.append(1)
        raise BadSource("game.avi: no such file")

    drain = LatestFrameReader(open_again, retry_s=(0.001, 0.001))
    for _ in range(2):
        with pytest.raises(BadSource, match="no such file"):
            drain.wait_for_frame(None, PATIENCE_S)
    drain.close()
    assert attempts == [1]


def test_a_driver_that_hangs_is_noticed_and_does_not_hold_up_closing() -> None:
    gate = threading.Event()
    script = ScriptedSource(1, fail_after(gate, SourceLost("late")))
    drain = LatestFrameReader(lambda: script, stall_s=0.05)
    assert drain.wait_for_frame(None, PATIENCE_S) is not None
    wait_until(lambda: drain.status.state is SourceState.LOST)
    assert "no picture for" in drain.status.text
    drain.close()
    assert drain.status.state is SourceState.ENDED
    assert drain.wait_for_frame(0, PATIENCE_S) is None
    assert script.closed == 0, "it is still in the driver's hands"
    gate.set()
    wait_until(lambda: script.closed == 1)


def test_a_camera_whose_driver_hangs_is_opened_anew_and_its_frames_count_on(caplog: pytest.LogCaptureFixture) -> None:
    gate, end, now_s = threading.Event(), threading.Event(), [100.0]
    hung = ScriptedSource(2, fail_after(gate, SourceLost("late")))
    fresh = ScriptedSource(1, fail_after(end, EndOfFrames()))
    sources = iter((hung, fresh))
    drain = LatestFrameReader(lambda: next(sources), hang_s=5.0, clock_s=lambda: now_s[0])
    wait_until(lambda: (frame := drain.wait_for_frame(None, PATIENCE_S)) is not None and frame.sequence == 1)
    now_s[0] += 4.9
    assert drain.wait_for_frame(1, 0.01) is None
    assert not caplog.records
    wait_until(lambda: hung.left == 0)
    now_s[0] += 0.2
    frame = drain.wait_for_frame(1, PATIENCE_S)
    assert frame is not None
    assert frame.sequence == 2
    assert drain.status.state is SourceState.LIVE
    (said,) = (record.message for record in caplog.records)
    assert "does not answer" in said
    assert "gate.wait()" in said
    gate.set()
    wait_until(lambda: hung.closed == 1)
    assert drain.status.state is SourceState.LIVE, "what was left says nothing more"
    end.set()
    wait_until(lambda: drain.status.state is SourceState.ENDED)
    drain.close()


SLOW_CAMERA = """
import threading, time
import cv2, numpy as np
from hardware.camera import LatestFrameReader
from hardware.errors import EndOfFrames

reading = threading.Event()

class SlowSource:
    def read(self):
        reading.set()
        until_s = time.monotonic() + 1.0
        while time.monotonic() < until_s:
            cv2.GaussianBlur(np.zeros((300, 300), np.uint8), (0, 0), 3)
        raise EndOfFrames

    def close(self):
        pass

reader = LatestFrameReader(SlowSource)
reading.wait()
reader.close()
"""


def test_a_program_ends_well_though_a_picture_is_still_being_read() -> None:
    ended = subprocess.run([sys.executable, "-c", SLOW_CAMERA], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_closing_wakes_whoever_waits() -> None:
    gate = threading.Event()
    drain = LatestFrameReader(lambda: ScriptedSource(0, fail_after(gate, EndOfFrames())))
    woken = threading.Event()

    def wait() -> None:
        drain.wait_for_frame(None, PATIENCE_S * 10)
        woken.set()

    waiter = threading.Thread(target=wait)
    waiter.start()
    drain.close()
    assert woken.wait(PATIENCE_S)
    gate.set()
    waiter.join()


def test_a_driver_that_fails_in_its_own_way_is_tried_again() -> None:
    tries = []

    def open_again() -> FrameSource:
        tries.append(1)
        raise MemoryError("no room for a picture")

    drain = LatestFrameReader(open_again, retry_s=(0.01, 0.02))
    deadline = time.monotonic() + PATIENCE_S
    while len(tries) < 3:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert drain.status.state is SourceState.LOST
    assert "no room for a picture" in drain.status.text
    drain.close()


class AdjustableSource(ScriptedSource):
    """A camera that sets what it is asked to."""

    def __init__(self, frames: int, then: Callable[[], None], asked: list[ControlRequest]) -> None:
        super().__init__(frames, then)
        self.asked, self.now = asked, CameraSettings(focus=7.0, autofocus=True)

    def read_settings(self) -> CameraSettings:
        return self.now

    def adjust(self, wanted: ControlRequest) -> CameraSettings:
        self.asked.append(wanted)
        focus = wanted.focus if isinstance(wanted.focus, float) else self.now.focus
        self.now = CameraSettings(focus=focus, autofocus=wanted.focus == "auto")
        return self.now


def test_a_camera_is_adjusted_between_pictures_and_again_when_it_comes_back() -> None:
    asked: list[ControlRequest] = []
    gate = threading.Event()
    cameras = [
        AdjustableSource(-1, lambda: None, asked),
        AdjustableSource(1, fail_after(gate, EndOfFrames()), asked),
    ]
    cameras[0].then = lambda: None
    lost = threading.Event()
    first_read = cameras[0].read

    def read() -> Frame:
        if lost.is_set():
            raise SourceLost("gone")
        time.sleep(0.001)
        return first_read()

    cameras[0].read = read  # type: ignore[method-assign]
    opened = iter(cameras)
    drain = LatestFrameReader(lambda: next(opened), retry_s=(0.001, 0.001))
    wait_until(lambda: drain.settings == CameraSettings(focus=7.0, autofocus=True))
    drain.adjust(ControlRequest(focus="hold"))
    wait_until(lambda: not drain.adjusting)
    assert drain.settings == CameraSettings(focus=7.0, autofocus=False)
    lost.set()
    wait_until(lambda: len(asked) == 2)
    gate.set()
    drain.close()
    assert asked == [ControlRequest(focus="hold"), ControlRequest(focus=7.0)]


def test_what_is_asked_before_the_camera_has_listened_is_asked_as_one() -> None:
    asked = ControlRequest(focus="hold", exposure=3.0).merge_onto(ControlRequest(focus=12.0, exposure="auto"))
    assert asked == ControlRequest(focus=12.0, exposure=3.0)


def test_a_bug_in_a_driver_is_said_without_a_password() -> None:
    drain = LatestFrameReader(
        lambda: ScriptedSource(0, fail_with(KeyError("rtsp://me:hunter2@cam"))), retry_s=(PATIENCE_S, PATIENCE_S)
    )
    wait_until(lambda: drain.status.state is SourceState.LOST)
    assert "rtsp://me:***@cam" in drain.status.text
    drain.close()


def test_a_bug_in_a_driver_is_logged_with_its_traceback(caplog: pytest.LogCaptureFixture) -> None:
    failing = ScriptedSource(1, fail_with(KeyError("rtsp://me:hunter2@cam")))
    sources = iter([failing, ScriptedSource(10**6, lambda: None)])
    drain = LatestFrameReader(lambda: next(sources), retry_s=(0.01, 0.01))
    wait_until(lambda: (frame := drain.wait_for_frame(None, PATIENCE_S)) is not None and frame.sequence > 5)
    drain.close()
    assert [record.exc_info is not None for record in caplog.records if record.levelname == "WARNING"] == [True]
