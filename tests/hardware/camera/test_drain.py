import threading
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from hardware.camera import Drain, FrameSource, Identity, SourceState
from hardware.camera.controls import Settings, Wanted
from hardware.errors import BadSource, EndOfFrames, SourceLost
from hardware.frame import Frame

PATIENCE_S = 10.0


class Script:
    """A source that delivers so many frames and then does something else."""

    def __init__(self, frames: int, then: Callable[[], None]) -> None:
        self.left, self.then = frames, then
        self.sequence = -1
        self.closed = 0

    def read(self) -> Frame:
        if self.left == 0:
            self.then()
        self.left -= 1
        self.sequence += 1
        image = np.zeros((2, 2), dtype=np.uint8)
        return Frame(camera="script", sequence=self.sequence, captured_ns=time.time_ns(), image=image)

    def identity(self) -> Identity:
        return Identity(camera="script")

    def close(self) -> None:
        self.closed += 1


def failing(error: Exception) -> Callable[[], None]:
    def fail() -> None:
        raise error

    return fail


def held(gate: threading.Event, error: Exception) -> Callable[[], None]:
    def fail() -> None:
        gate.wait()
        raise error

    return fail


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.002)


def test_the_latest_frame_is_kept_and_only_newer_ones_are_given() -> None:
    gate = threading.Event()
    drain = Drain(lambda: Script(5, held(gate, EndOfFrames())))
    until(lambda: (frame := drain.latest(None, PATIENCE_S)) is not None and frame.sequence == 4)
    assert drain.latest(4, 0.0) is None
    assert drain.status.state is SourceState.LIVE
    gate.set()
    until(lambda: drain.status.state is SourceState.ENDED)
    assert drain.latest(4, PATIENCE_S) is None
    last = drain.latest(3, 0.0)
    assert last is not None, "the last frame of a recording can still be had"
    drain.close()


def test_a_lost_source_is_reported_closed_and_opened_again_and_frames_go_on_counting() -> None:
    gate = threading.Event()
    scripts = [Script(3, failing(SourceLost("the cable is out"))), Script(2, held(gate, EndOfFrames()))]
    outcomes: Iterator[Script | SourceLost] = iter([scripts[0], SourceLost("still out"), scripts[1]])

    def open_again() -> FrameSource:
        outcome = next(outcomes)
        if isinstance(outcome, SourceLost):
            raise outcome
        return outcome

    drain = Drain(open_again, retry_s=(0.001, 0.002))
    until(lambda: (frame := drain.latest(None, PATIENCE_S)) is not None and frame.sequence == 4)
    assert drain.status.state is SourceState.LIVE
    assert scripts[0].closed == 1
    gate.set()
    drain.close()


def test_a_lost_source_says_why_until_it_is_back() -> None:
    drain = Drain(failing(SourceLost("usb:0 is not there")), retry_s=(0.001, 0.002))  # type: ignore[arg-type]
    until(lambda: drain.status.state is SourceState.LOST)
    assert drain.status.text == "usb:0 is not there"
    assert drain.latest(None, 0.01) is None
    drain.close()
    assert drain.status.state is SourceState.ENDED


def test_retries_come_at_growing_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
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
    drain = Drain(failing(SourceLost("out")), retry_s=(0.5, 5.0))  # type: ignore[arg-type]
    assert original(enough, PATIENCE_S)
    drain.close()
    assert waits == [0.5, 1.0, 2.0, 4.0, 5.0, 5.0]


def test_a_source_that_is_wrong_as_written_is_raised_and_not_retried() -> None:
    attempts = []

    def open_again() -> FrameSource:
        attempts.append(1)
        raise BadSource("game.avi: no such file")

    drain = Drain(open_again, retry_s=(0.001, 0.001))
    for _ in range(2):
        with pytest.raises(BadSource, match="no such file"):
            drain.latest(None, PATIENCE_S)
    drain.close()
    assert attempts == [1]


def test_a_driver_that_hangs_is_noticed_and_does_not_hold_up_closing() -> None:
    gate = threading.Event()
    script = Script(1, held(gate, SourceLost("late")))
    drain = Drain(lambda: script, stall_s=0.05)
    assert drain.latest(None, PATIENCE_S) is not None
    until(lambda: drain.status.state is SourceState.LOST)
    assert "no picture for" in drain.status.text
    drain.close()
    assert drain.status.state is SourceState.ENDED
    assert drain.latest(0, PATIENCE_S) is None
    assert script.closed == 0, "it is still in the driver's hands"
    gate.set()
    until(lambda: script.closed == 1)


def test_closing_wakes_whoever_waits() -> None:
    gate = threading.Event()
    drain = Drain(lambda: Script(0, held(gate, EndOfFrames())))
    woken = threading.Event()

    def wait() -> None:
        drain.latest(None, PATIENCE_S * 10)
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

    drain = Drain(open_again, retry_s=(0.01, 0.02))
    deadline = time.monotonic() + PATIENCE_S
    while len(tries) < 3:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert drain.status.state is SourceState.LOST
    assert "no room for a picture" in drain.status.text
    drain.close()


class Adjusted(Script):
    """A camera that sets what it is asked to."""

    def __init__(self, frames: int, then: Callable[[], None], asked: list[Wanted]) -> None:
        super().__init__(frames, then)
        self.asked, self.now = asked, Settings(focus=7.0, autofocus=True)

    def settings(self) -> Settings:
        return self.now

    def adjust(self, wanted: Wanted) -> Settings:
        self.asked.append(wanted)
        focus = wanted.focus if isinstance(wanted.focus, float) else self.now.focus
        self.now = Settings(focus=focus, autofocus=wanted.focus == "auto")
        return self.now


def test_a_camera_is_adjusted_between_pictures_and_again_when_it_comes_back() -> None:
    asked: list[Wanted] = []
    gate = threading.Event()
    cameras = [
        Adjusted(-1, lambda: None, asked),
        Adjusted(1, held(gate, EndOfFrames()), asked),
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
    drain = Drain(lambda: next(opened), retry_s=(0.001, 0.001))
    until(lambda: drain.settings == Settings(focus=7.0, autofocus=True))
    drain.adjust(Wanted(focus="hold"))
    until(lambda: not drain.adjusting)
    assert drain.settings == Settings(focus=7.0, autofocus=False)
    lost.set()
    until(lambda: len(asked) == 2)
    gate.set()
    drain.close()
    assert asked == [Wanted(focus="hold"), Wanted(focus=7.0)]


def test_what_is_asked_before_the_camera_has_listened_is_asked_as_one() -> None:
    asked = Wanted(focus="hold", exposure=3.0).over(Wanted(focus=12.0, exposure="auto"))
    assert asked == Wanted(focus=12.0, exposure=3.0)
