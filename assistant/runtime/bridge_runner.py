"""The bridge runner: bridges in a thread of their own, begun again when the other end was away.

Who is away costs the table nothing: a bridge looks at the latest view when it has time, and no queue is kept for it.
The pages say in one sentence which other end does not answer.
"""

import asyncio
import logging
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial

from assistant.bridges.bridge import Link, PlannedBridge
from assistant.features.feature import Feature
from assistant.table.session import GameSession
from assistant.web.hub import Hub
from assistant.web.messages import View
from assistant.web.messages.table import NoticeView

AGAIN_S = (1.0, 2.0, 5.0, 10.0, 30.0)
"""After so long a bridge is begun again, the last each time from then on."""
GOODBYE_S = 2.0
_log = logging.getLogger(__name__)


class BridgeNotices(Feature):
    """Says on the pages which bridge leads nowhere at the moment; any thread may report."""

    name = "bridges"

    def __init__(self) -> None:
        self._troubles: Mapping[str, str] = {}

    def report(self, name: str, sentence: str) -> None:
        """Take what is wrong with a bridge; an empty sentence: nothing is."""
        others = {other: told for other, told in self._troubles.items() if other != name}
        if sentence and self._troubles.get(name) != sentence:
            _log.warning("The bridge %s: %s", name, sentence)
        self._troubles = {**others, name: sentence} if sentence else others

    def build_views(self, session: GameSession) -> Iterator[View]:
        """Yield what the pages show; nothing while nothing is wrong."""
        del session
        if self._troubles:
            told = {f"bridge:{name}": _describe(name, sentence) for name, sentence in self._troubles.items()}
            yield View(notices=told)


def _describe(name: str, sentence: str) -> NoticeView:
    return NoticeView(text=f"Other programs are not told by {name}: {sentence}. It is tried again.")


@contextmanager
def run_bridges(
    planned: Sequence[PlannedBridge], hub: Hub, markers: Mapping[str, int], notices: BridgeNotices
) -> Iterator[None]:
    """Run bridges meanwhile; without any, nothing is begun."""
    if not planned:
        yield
        return
    loop = asyncio.new_event_loop()
    stop = asyncio.Event()
    thread = threading.Thread(
        target=loop.run_until_complete,
        args=(_run_all(planned, hub, markers, notices, stop),),
        name="bridges",
        daemon=True,
    )
    thread.start()
    try:
        yield
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()


async def _run_all(
    planned: Sequence[PlannedBridge], hub: Hub, markers: Mapping[str, int], notices: BridgeNotices, stop: asyncio.Event
) -> None:
    tasks = [asyncio.create_task(_keep_up(each, hub, markers, notices)) for each in planned]
    await stop.wait()
    for left in (set(tasks), asyncio.all_tasks() - {asyncio.current_task()}):  # who says goodbye for long is cut off
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left, timeout=GOODBYE_S)
    await asyncio.get_running_loop().shutdown_asyncgens()


async def _keep_up(planned: PlannedBridge, hub: Hub, markers: Mapping[str, int], notices: BridgeNotices) -> None:
    """Run one bridge, again and again."""
    name, fails = planned.bridge.name, 0

    def report(sentence: str) -> None:
        nonlocal fails
        if not sentence:
            fails = 0
        notices.report(name, sentence)

    link = Link(follow=partial(hub.follow, planned.settings.role), markers=markers, report=report)
    while True:
        try:
            await planned.bridge.run(link, planned.settings)
        except OSError as error:
            report(str(error.strerror or error))
        except Exception:
            _log.exception("A bridge ended by a bug, and is begun again: %s.", name)
            report("it ended by a bug")
        await asyncio.sleep(AGAIN_S[min(fails, len(AGAIN_S) - 1)])
        fails += 1
