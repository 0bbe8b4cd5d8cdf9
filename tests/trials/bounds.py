"""Bounds: how much of the processor's time and of the memory something may take."""

import resource
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType


class OutOfTime(BaseException):
    """What takes longer than it may; no `Exception`, so that nothing on the way swallows it."""

    def __init__(self, limit: "TimeLimit") -> None:
        """Say so; only who set the limit answers for it, for limits may stand in one another."""
        super().__init__(f"longer than {limit.seconds:g} s")
        self.limit = limit


class TimeLimit:
    """One use of `limit_seconds`."""

    def __init__(self, seconds: float) -> None:
        """Remember how long it is."""
        self.seconds = seconds


@contextmanager
def limit_seconds(most_seconds: float) -> Iterator[TimeLimit]:
    """Raise `OutOfTime` where what is done within takes more of the processor's time.

    A library's own loop is only interrupted when it comes back.  Where one limit stands in another, the one that is
    reached first counts.
    """
    limit, begun = TimeLimit(most_seconds), time.process_time()

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise OutOfTime(limit)

    outer_seconds = signal.getitimer(signal.ITIMER_PROF)[0]
    if 0 < outer_seconds <= most_seconds:
        yield limit
        return
    outer = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, most_seconds)
    try:
        yield limit
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, outer)
        if outer_seconds:
            signal.setitimer(signal.ITIMER_PROF, max(outer_seconds - (time.process_time() - begun), 1e-6))


@contextmanager
def limit_memory(most_bytes: int) -> Iterator[None]:
    """Let no more memory be taken within."""
    if sys.platform != "linux":  # elsewhere the limit is not kept
        yield
        return
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + most_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
