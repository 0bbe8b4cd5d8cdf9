"""The clock of live cameras: the time of day as it was known when the program began, and what has passed since.

Somebody sets a computer's clock, a computer without one of its own learns the time from the network minutes after it
was switched on, and in both cases a game that is under way would jump, for an hour back and forth.  So the time of day
is read once.  What passes while the computer sleeps counts, where the system tells it (Linux does).
"""

import time


def _read_passed_ns() -> int:
    return time.clock_gettime_ns(_SINCE_BOOT) if _SINCE_BOOT is not None else time.monotonic_ns()


_SINCE_BOOT: int | None = getattr(time, "CLOCK_BOOTTIME", None)
_BEGAN_NS = time.time_ns() - _read_passed_ns()


def read_clock_ns() -> int:
    """Return the time that frames are dated by: UTC in nanoseconds, and never less than before.

    >>> before_ns = read_clock_ns()
    >>> read_clock_ns() >= before_ns
    True
    """
    return _BEGAN_NS + _read_passed_ns()
