"""Supervision: a bug ends one step and not the game, and the pages say that something went wrong inside.

A bug is whatever nobody expects.  It is logged with its traceback; what it interrupted, a picture or a command, is
dropped.  Whatever is logged as an error, in any thread, the pages show as a notice for a while; what has ended for good
(logged as critical) they show as long as the program runs.
"""

import logging
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

from assistant.runtime.logs import OURS, describe_log
from assistant.web.messages import View
from assistant.web.messages.table import NoticeView

TOLD_S = 300.0
"""What went wrong is shown for so long after it last did."""
FOREIGN = "A part that the program is built on failed."
_log = logging.getLogger(__name__)


class Attempt:
    """A step that a bug may end: the bug is logged, and what comes after the step goes on.

    >>> with Attempt("A picture was left out.", passing=(KeyError,)) as attempt:
    ...     pass
    >>> attempt.failed
    False
    """

    __slots__ = ("_message", "_passing", "failed")

    def __init__(self, message: str, *, passing: tuple[type[Exception], ...] = ()) -> None:
        """Say in a sentence, without anything secret, what does not happen when it fails, and what may be raised."""
        self._message, self._passing, self.failed = message, passing, False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        if not isinstance(error, Exception) or isinstance(error, self._passing):
            return False
        self.failed = True
        _log.error(self._message, exc_info=error)
        return True


def log_failure(message: str) -> Callable[[Future[Any]], None]:
    """Return what logs that a future ended by a bug, for its `add_done_callback`."""

    def look(future: Future[Any]) -> None:
        if not future.cancelled() and (error := future.exception()) is not None:
            _log.error(message, exc_info=error)

    return look


def describe_fault() -> str:
    """Return what a page is told whose command a bug has ended."""
    return f"Something went wrong inside, and this was not done. {describe_log()}".rstrip()


class FaultNotices(logging.Handler):
    """What went wrong inside, as the pages are told of it; any thread may log it."""

    def __init__(self, *, clock_s: Callable[[], float] = time.monotonic) -> None:
        """Begin with nothing to tell."""
        super().__init__(logging.ERROR)
        self._clock_s = clock_s
        self._until_s: dict[str, float] = {}

    @contextmanager
    def listen(self) -> Iterator[None]:
        """Hear everything that is logged meanwhile."""
        root = logging.getLogger()
        root.addHandler(self)
        try:
            yield
        finally:
            root.removeHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        """Take note of a record."""
        sentence = record.getMessage() if record.name.split(".")[0] in OURS else FOREIGN
        self.tell(sentence, for_s=float("inf") if record.levelno >= logging.CRITICAL else TOLD_S)

    def tell(self, sentence: str, *, for_s: float = TOLD_S) -> None:
        """Tell the pages a sentence for a while."""
        self._until_s[sentence] = max(self._clock_s() + for_s, self._until_s.get(sentence, 0.0))

    @property
    def summary(self) -> str:
        """A sentence for pages that show no notices; empty while nothing is wrong."""
        return "Something went wrong inside: the tablet's page says what." if self._list_told() else ""

    def _list_told(self) -> list[str]:
        if not self._until_s:
            return []
        now_s = self._clock_s()
        return [sentence for sentence, until_s in tuple(self._until_s.items()) if now_s < until_s]

    def build_views(self) -> Iterator[View]:
        """Yield what the pages show of it; nothing while nothing is wrong."""
        if told := self._list_told():
            yield View(notices={f"inside:{sentence}": NoticeView(text=_describe(sentence)) for sentence in told})


def _describe(sentence: str) -> str:
    return f"Something went wrong inside; the game goes on. {sentence} {describe_log()}".rstrip()
