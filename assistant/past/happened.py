"""What happened in a recording, piece by piece: everything but poses that leave the doubt as it was."""

import sqlite3
from pathlib import Path

from assistant.past.playing import Clock
from assistant.record.along import Row, entry_in, heads_after, names_of, rows_after
from assistant.record.compact import doubt_in
from assistant.record.journal import Entry, PosesSeen
from assistant.record.names import Names
from assistant.record.reading import opened
from assistant.record.seen import LEDGER

ROWS = 10_000
"""So many rows are looked at in one piece, which takes some ten milliseconds."""
_POSES = PosesSeen.__name__


class Happened:
    """Goes along a journal that may be growing; used from one thread at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._after = 0
        self.clock = Clock()
        self._doubt: str | None = None

    def next(self) -> tuple[list[tuple[Entry, int]], bool]:
        """Return what happened next, each with its time since the beginning, and whether there may be more."""
        found, looked = [], 0
        with opened(self._path) as db:
            for row in heads_after(db, self._path, self._after, most=ROWS):
                looked, self._after = looked + 1, row.id
                at_ns = self.clock.at(row.captured_ns)
                if (entry := self._entry(db, row)) is not None:
                    found.append((entry, at_ns))
        return found, looked == ROWS

    def _entry(self, db: sqlite3.Connection, row: Row) -> Entry | None:
        if row.kind in LEDGER:
            return None
        if row.kind != _POSES:
            return entry_in(row, Names(), self._path)
        if isinstance(row.body, bytes) and doubt_in(row.body) == self._doubt:
            return None
        whole = next(rows_after(db, self._path, row.id - 1))
        entry = entry_in(whole, names_of(db, self._path, until=row.id), self._path)
        assert isinstance(entry.what, PosesSeen)
        if entry.what.doubt == self._doubt:
            return None  # it is JSON, of which no beginning tells
        self._doubt = entry.what.doubt
        return entry
