"""Works out zones beside the line from the camera to the pages, so that nothing waits for them."""

import threading
from types import TracebackType
from typing import Self

from assistant.answer import Wanted, reckon
from assistant.errors import BadInput
from assistant.geometry.shapes import Round
from assistant.rules.judge import Zone
from assistant.rules.region import Facing


class Reckoner:
    """Works out the zone that was asked for last: with the base's own facing, then with any."""

    def __init__(self) -> None:
        self._change = threading.Condition()
        self._asked: Wanted | None = None
        self._known: Zone | None = None
        self._fresh = self._ended = False
        self._thread = threading.Thread(target=self._run, name="zones", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with self._change:
            self._ended = True
            self._change.notify()
        self._thread.join()

    def __call__(self, asked: Wanted) -> Zone | None:
        """Return what is known of a zone so far."""
        with self._change:
            if asked is not self._asked and asked != self._asked:
                self._asked, self._known, self._fresh = asked, None, True
                self._change.notify()
            return self._known

    def _run(self) -> None:
        while True:
            with self._change:
                self._change.wait_for(lambda: self._ended or self._fresh)
                if self._ended or self._asked is None:
                    return
                asked, self._fresh = self._asked, False
            self._reckon(asked)

    def _reckon(self, asked: Wanted) -> None:
        for facing in _facings(asked):
            try:
                found = reckon(asked, facing)
            except BadInput:  # the verdict says it
                return
            with self._change:
                if asked is not self._asked or self._ended:
                    return
                self._known = found


def _facings(asked: Wanted) -> tuple[Facing, ...]:
    model = asked.state.model(asked.model)
    return ("keep",) if isinstance(model.base, Round) else ("keep", "any")
