"""The second process: of a long recording a part of the work is done beside the rest of it."""

import gc
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

LONG_BYTES = 8_000_000
"""To begin a process takes about a second, which a shorter recording does not give back."""
_Result = TypeVar("_Result")


@contextmanager
def work_beside(recording: Path, work: Callable[[Path], _Result]) -> Iterator[Callable[[], _Result]]:
    """Yield how to get what a work on a recording comes to; of a long one another process sees to it meanwhile.

    What the work raises is raised where its result is asked for.
    """
    if not recording.is_file() or recording.stat().st_size < LONG_BYTES:
        yield lambda: work(recording)
        return
    # A fork of a program with threads may stand still for ever.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=collect_seldom) as pool:
        yield pool.submit(work, recording).result


def collect_seldom() -> None:
    """Let the collector look seldom for what is left over: playing a game makes much that stays and little of that."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
