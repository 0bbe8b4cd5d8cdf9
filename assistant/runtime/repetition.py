"""Repetition: what is done again and again, in a thread of its own, for as long as a part of the program runs."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def repeat(work: Callable[[], None], *, every_s: float, name: str) -> Iterator[None]:
    """Do something every so many seconds meanwhile, the first time after the first of them; it ends with what is in it.

    Args:
        work: is done in a thread; it raises nothing.
        every_s: how long is waited between.
        name: the thread's, by which logs and stacks tell it.

    """
    ended = threading.Event()

    def go_on() -> None:
        while not ended.wait(every_s):
            work()

    thread = threading.Thread(target=go_on, name=name, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
