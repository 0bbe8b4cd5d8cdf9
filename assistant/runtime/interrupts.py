"""Interrupts: Ctrl-C and whatever else asks the program to end, so that a recording is closed in every case."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

END_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Ctrl-C, a service manager or a shutdown, a terminal that is closed; Windows has no last one."""


@contextmanager
def interrupt_at_signals() -> Iterator[None]:
    """Let every signal that asks for an end do as Ctrl-C does: raise KeyboardInterrupt in the main thread.

    What was ignored on purpose stays ignored, as a closed terminal under nohup.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    changed = [each for each in END_SIGNALS if signal.getsignal(each) is signal.SIG_DFL]
    for each in changed:
        signal.signal(each, signal.default_int_handler)
    try:
        yield
    finally:
        for each in changed:
            signal.signal(each, signal.SIG_DFL)


@contextmanager
def catch_interrupts(stop: threading.Event) -> Iterator[None]:
    """Let an interrupt set an event as well: it ends the program even where its exception is lost on the way."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    interrupted = threading.Event()

    def interrupt(number: int, frame: FrameType | None) -> None:
        interrupted.set()
        stop.set()
        signal.default_int_handler(number, frame)

    changed = [each for each in END_SIGNALS if signal.getsignal(each) is signal.default_int_handler]
    for each in changed:
        signal.signal(each, interrupt)
    try:
        yield
    finally:
        for each in changed:
            signal.signal(each, signal.default_int_handler)
    if interrupted.is_set():
        raise KeyboardInterrupt
