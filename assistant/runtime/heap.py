"""The heap: one for all threads, of which what is free goes back to the system every minute.

The C library of Linux gives threads heaps of their own, up to eight a core, so that none waits for another.  Each keeps
most of what it ever held at a time, and here every thread holds pictures: that took a quarter more memory.
Threads that work on pictures seldom allocate; the line is as quick with one heap.

Of its own accord the C library gives back no more than the heap's free end.  What is free between things that last
stays with the program, and between pictures there is more and more of it: a long night's memory grew by that alone.
"""

import ctypes
import sys
from contextlib import AbstractContextManager, suppress

from assistant.runtime.repetition import repeat

M_ARENA_MAX = -8
"""mallopt(3), of the GNU C library."""
TRIM_EVERY_S = 60.0
"""It takes some milliseconds, in which whoever allocates waits."""


def share_one_heap() -> None:
    """Let threads that begin from now on allocate from one heap, where the system can be told so."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # another C library
            ctypes.CDLL(None).mallopt(M_ARENA_MAX, 1)


def trim_heap() -> None:
    """Give what is free back to the system, where it can be told so."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)


def keep_trimmed() -> AbstractContextManager[None]:
    """Give back what is free every `TRIM_EVERY_S` meanwhile."""
    return repeat(trim_heap, every_s=TRIM_EVERY_S, name="heap")
