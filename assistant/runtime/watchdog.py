"""The watchdog: sees that a line makes progress, and says in which stage it stands still.

A line (camera, eyes, game, pages) says which stage it enters.  If it enters none for a while, its stack is logged, the
line is left to itself, and whoever runs it begins another.  What was left may wake up one day: it ends then, at the
next stage, and writes nothing more.

Time is counted in looks of the watchdog: on a machine that has no time for anybody, or sleeps, the watchdog has none
either.  A line that still works, and be it slowly, stands still only once that has taken it five seconds by itself.
"""

import logging
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import wait as wait_for
from contextlib import suppress
from typing import TypeVar

from hardware.thread_stack import describe_stack

LOOK_S = 0.25
MOST_LOOKS = 20
"""A line that is in the same stage for so many looks, five seconds, stands still."""
IDLE_S, MOST_WORK_S = 0.001, 5.0
"""Of the processor: with less between two looks a line does nothing, and no stage takes more."""
ENDING_S = 30.0
"""A line that is told to stop ends within one picture, and closes what it has open."""
_log = logging.getLogger(__name__)
T = TypeVar("T")


class LineLeft(BaseException):
    """The line that this is raised in was left to itself; no `Exception`, so that nothing on the way swallows it."""


class LineProgress:
    """In which stage a line is.  The line enters stages, the watchdog looks."""

    def __init__(self, tell: Callable[[str], None] = lambda _: None, *, idle_s: float = IDLE_S) -> None:
        """Begin before the first stage, which may take any time.

        Args:
            tell: hears of each stage.
            idle_s: what works no longer than this between two looks, of the processor, does nothing.

        """
        self._tell, self._idle_s = tell, idle_s
        self.thread = 0
        """The line's, by the system's number; 0 before the first stage."""
        self.left = False
        """Nobody waits for the line any more."""
        self._stage = ""
        self._entered = self._seen = self._looks = 0
        self._began_s = self._worked_s = 0.0

    def enter(self, stage: str) -> None:
        """Say what the line does from now on, in words that complete "it stood still while it"; in the line's thread.

        Raises:
            LineLeft: the line was left to itself, and ends here.

        """
        if self.left:
            raise LineLeft
        self._tell(stage)
        self._stage, self.thread = stage, threading.get_ident()
        self._entered += 1

    def look(self, worked_s: float = 0.0) -> str | None:
        """Return in which stage the line stands still; None while it does not.

        Args:
            worked_s: how long the line's thread has worked, of the processor; 0 where nobody knows.

        """
        entered = self._entered
        if entered != self._seen:
            self._began_s, self._looks = worked_s, 0
        elif worked_s - self._worked_s > self._idle_s and worked_s - self._began_s < MOST_WORK_S:
            self._looks = 0
        else:
            self._looks += 1
        self._seen, self._worked_s = entered, worked_s
        return self._stage if entered and self._looks >= MOST_LOOKS else None


def run_watched(run: Callable[[], T], progress: LineProgress, leave: Callable[[], None]) -> tuple[T | None, str | None]:
    """Run a line in a thread of its own until it ends, or stands still.

    An interrupt of the thread that waits here is to stop the line as well, which is given the time to end.

    Args:
        run: the line; what it raises is raised here.
        progress: in which stage it is.
        leave: called when it stands still and was left to itself.

    Returns:
        what the line returned, and in which stage it stands still; None if it has ended.

    """
    ended: Future[T] = Future()

    def work() -> None:
        try:
            ended.set_result(run())
        except LineLeft:
            _log.info("The line that was left to itself has ended.")
        except BaseException as error:
            with suppress(Exception):
                ended.set_exception(error)

    # A thread that stands still must not keep the program from ending.
    thread = threading.Thread(target=work, name="line", daemon=True)
    try:
        thread.start()
        while not wait_for((ended,), LOOK_S).done:
            if (stage := progress.look(_measure_work(thread))) is not None:
                _log.warning("The line stands still while it %s:\n%s", stage, describe_stack(thread))
                progress.left = True
                leave()
                return None, stage
    except KeyboardInterrupt:
        wait_for((ended,), ENDING_S)  # the line was told as well: it closes what it has open
        raise
    return ended.result(), None


def _measure_work(thread: threading.Thread) -> float:
    """Return how long a thread has worked, s of the processor; 0 where no system tells."""
    if sys.platform != "linux" or thread.ident is None or not thread.is_alive():
        return 0.0
    with suppress(OSError):  # it has just ended
        return time.clock_gettime(time.pthread_getcpuclockid(thread.ident))
    return 0.0
