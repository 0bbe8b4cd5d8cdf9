"""The loop thread: what talks to a broker, in a thread and an event loop of its own, until it is told to end."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager

GOODBYE_S = 2.0


@contextmanager
def run_loop(
    work: Callable[[asyncio.Event], Coroutine[object, object, None]], name: str
) -> Iterator[Callable[[Callable[[], None]], None]]:
    """Run some work in a loop of its own meanwhile.

    Args:
        work: is to end when the event is set that it is given; what it leaves behind is cut off.
        name: of the thread.

    Returns:
        a way to have something done in that loop.

    """
    loop, stop = asyncio.new_event_loop(), asyncio.Event()

    async def run() -> None:
        await work(stop)
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left, timeout=GOODBYE_S)

    def call(do: Callable[[], None]) -> None:
        loop.call_soon_threadsafe(do)

    thread = threading.Thread(target=loop.run_until_complete, args=(run(),), name=name, daemon=True)
    thread.start()
    try:
        yield call
    finally:
        call(stop.set)
        thread.join()
        loop.close()
