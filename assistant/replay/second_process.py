"""The second process: of a long recording a part of the work is done beside the rest of it."""

import gc
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import Protocol, TypeVar, TypeVarTuple

LONG_BYTES = 8_000_000
"""To begin a process takes about a second, which a shorter recording does not give back."""
YIELDING = 19
"""How far a process stands back behind others, as POSIX counts it."""
_Result = TypeVar("_Result")
_Of = TypeVarTuple("_Of")


class Begin(Protocol):
    """Begins a work on a recording, which another process sees to where one is at hand."""

    def __call__(self, work: Callable[[Path, *_Of], _Result], /, *of: *_Of) -> Callable[[], _Result]:
        """Return how to get what a work comes to, a function of a module that is given the recording and some more."""


def begin_here(recording: Path) -> Begin:
    """Return how to begin a work on a recording that is done where its result is asked for."""

    def begin(work: Callable[[Path, *_Of], _Result], /, *of: *_Of) -> Callable[[], _Result]:
        return lambda: work(recording, *of)

    return begin


def is_shared(recording: Path) -> bool:
    """Return whether two processes share the work on a recording: it is long, and there is a core for each."""
    return recording.is_file() and recording.stat().st_size >= LONG_BYTES and (os.cpu_count() or 1) > 1


def _begin_nothing() -> None:
    """Prepare a process for whatever comes."""


@contextmanager
def begin_beside(recording: Path, prepare: Callable[[], object] = _begin_nothing) -> Iterator[Begin]:
    """Yield how to begin works; of a long recording another process, which begins already, sees to one after the other.

    What a work raises is raised where its result is asked for; if the other process is killed, it is done there.

    Args:
        recording: the recording.
        prepare: a function of a module; the process that will do the work runs it first.

    """
    if not is_shared(recording):
        yield begin_here(recording)
        return
    # A fork of a program with threads may stand still for ever.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=_begin_work) as pool:
        pool.submit(prepare)

        def begin(work: Callable[[Path, *_Of], _Result], /, *of: *_Of) -> Callable[[], _Result]:
            def wait() -> _Result:
                try:
                    return beside.result()
                except BrokenProcessPool:  # it was killed, for want of memory most likely
                    return work(recording, *of)

            try:
                beside = pool.submit(work, recording, *of)
            except BrokenProcessPool:
                return lambda: work(recording, *of)
            return wait

        yield begin


def stand_back() -> None:
    """Let every other process go first; for one that works ahead, for as long as the program runs."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who interrupts the program ends it first, and with it this one
    if hasattr(os, "nice"):
        os.nice(YIELDING)
    _end_with_program()


def _begin_work() -> None:
    _end_with_program()
    collect_seldom()


def _end_with_program() -> None:
    """End this process, which would wait for work for ever, when the program is killed."""

    def wait() -> None:
        if (program := parent_process()) is not None:
            program.join()
            os._exit(0)

    threading.Thread(target=wait, daemon=True).start()


def collect_seldom() -> None:
    """Let the collector look seldom for what is left over: playing a game makes much that stays and little of that."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
