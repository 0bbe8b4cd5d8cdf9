"""The end of a journal: what the next row follows, and which rows have to stand before it."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Self

from assistant.game.events import Event
from assistant.record.chain import link
from assistant.record.names import Names
from assistant.record.rows import Body, written
from assistant.record.seen import Ledger, PosesSeen, Seen, Standing
from assistant.record.standing import EVERY, Stood

Written = tuple[int, int, str, Body, bytes]
"""A row: its id, capture time, kind, body and digest."""


@dataclass(kw_only=True, slots=True)
class Tail:
    """What is known after the last row; the rows that are made by it are not written yet."""

    head: bytes
    """The digest of the last row."""
    row: int = 0
    captured_ns: int = 0
    """Of the last row."""
    names: Names = field(default_factory=Names)
    stood: Stood = field(default_factory=Stood)
    """What all rows add up to."""
    summed: int = 0
    """The last row that said so."""

    def copy(self) -> Self:
        """Return the same, to which rows can be added that perhaps cannot be written."""
        return replace(self, stood=self.stood.copy())  # names are copied when there are new ones

    def add(self, captured_ns: int, what: Event | Seen | Ledger) -> Iterator[Written]:
        """Yield the rows by which a journal says something."""
        # Between two rows that say where everything stands time only goes on, so that a moment is found between them.
        if self.row and (captured_ns < self.captured_ns or self.row - self.summed >= EVERY):
            self.summed = self.row + 1
            yield self._next(captured_ns, Standing.__name__, self.stood.written(self.names))
        if isinstance(what, PosesSeen) and (lacking := self.names.lacking(what)) is not None:
            self.names = self.names.copy()
            self.names.add(lacking)
            yield self._next(captured_ns, *written(lacking, self.names))
        yield self._next(captured_ns, *written(what, self.names))

    def _next(self, captured_ns: int, kind: str, body: Body) -> Written:
        self.row, self.captured_ns = self.row + 1, captured_ns
        self.head = link(self.head, self.row, captured_ns, kind, body)
        self.stood.follow(captured_ns, kind, body, self.names)
        return self.row, captured_ns, kind, body, self.head
