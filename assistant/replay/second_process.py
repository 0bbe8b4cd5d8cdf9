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
from typing import TypeVar, TypeVarTuple

LONG_BYTES = 8_000_000
"""To begin a process takes about a second, which a shorter recording does not give back."""
YIELDING = 19
"""How far a process stands back behind others, as POSIX counts it."""
_Result = TypeVar("_Result")
_Of = TypeVarTuple("_Of")


def is_shared(recording: Path) -> bool:
    """Return whether two processes share the work on a recording: it is long, and there is a core for each."""
    return recording.is_file() and recording.stat().st_size >= LONG_BYTES and (os.cpu_count() or 1) > 1


@contextmanager
def begin_beside(
    recording: Path, prepare: Callable[[], object]
) -> Iterator[Callable[[Callable[[Path, *_Of], _Result], *_Of], Callable[[], _Result]]]:
    """Yield how to begin a work as in `work_beside`, while its process, if there is one, begins already.

    Args:
        recording: the recording.
        prepare: a function of a module; the process that will do the work runs it first.

    """
    if not is_shared(recording):
        yield lambda work, *of: lambda: work(recording, *of)
        return
    # A fork of a program with threads may stand still for ever.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=_begin_work) as pool:
        pool.submit(prepare)

        def begin(work: Callable[[Path, *_Of], _Result], *of: *_Of) -> Callable[[], _Result]:
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


@contextmanager
def work_beside(recording: Path, work: Callable[[Path, *_Of], _Result], *of: *_Of) -> Iterator[Callable[[], _Result]]:
    """Yield how to get what a work on a recording comes to; of a long one another process sees to it meanwhile.

    What the work raises is raised where its result is asked for; if the other process is killed, it is done there.

    Args:
        recording: the recording.
        work: a function of a module, which is given the recording.
        of: what else it is given.

    """
    with begin_beside(recording, _begin_nothing) as begin:
        yield begin(work, *of)


def stand_back() -> None:
    """Let every other process go first; for one that works ahead, for as long as the program runs."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who interrupts the program ends it first, and with it this one
    if hasattr(os, "nice"):
        os.nice(YIELDING)
    _end_with_program()


def _begin_nothing() -> None:
    pass


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
