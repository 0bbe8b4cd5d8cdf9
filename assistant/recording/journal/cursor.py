"""The journal cursor: the one way along the rows of a journal, with no more of the poses than is asked for."""

import sqlite3
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from enum import Enum, auto
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assistant.errors import BadInput
from assistant.recording.journal.journal_state import LastPoses, Tail, read_latest_ns
from assistant.recording.journal.packed_poses import HEAD_BYTES, NameTable
from assistant.recording.journal.reader import CHAINED_FORMATS, open_journal, query, query_about
from assistant.recording.journal.row_encoding import Body, decode_named, decode_row
from assistant.recording.journal.row_types import BOOKKEEPING_KINDS, JournalEntry, Named

_NAMED = Named.__name__
_BODIES = frozenset[type]({str, bytes})
_COLUMNS = (frozenset[type]({int}), frozenset[type]({int}), frozenset[type]({str}), _BODIES)
_WHOLE = "SELECT id, captured_ns, kind, body FROM events WHERE id > ? ORDER BY id"


class RawRow(NamedTuple):
    """A row of the table `events` as it is written; of poses that nobody asked for only the first bytes."""

    id: int
    captured_ns: int
    kind: str
    body: Body


_make_row: Callable[[Iterable[object]], RawRow] = partial(tuple.__new__, RawRow)
"""As `RawRow._make`, which is written in Python and takes longer than all else that is done with most rows."""


def read_rows(db: sqlite3.Connection, path: Path, statement: str, *values: int | str) -> Iterator[RawRow]:
    """Yield the rows of the table `events` that a statement finds; BadInput names one that is none of a journal's."""
    for row in map(_make_row, query(db, path, statement, *values)):
        entry, captured_ns, kind, body = row
        if type(entry) is int and type(captured_ns) is int and type(kind) is str and type(body) in _BODIES:
            yield row
        else:
            raise _build_row_error(entry, path)


def _build_row_error(entry: object, path: Path) -> BadInput:
    return BadInput(f"{path}: event {entry}: it is no row of a journal; take another copy of the file")


class GameClock:
    """Tells times since the game's beginning of the rows of a journal, one after the other."""

    __slots__ = ("at_ns", "began_ns")

    def __init__(self, *, began_ns: int = 0, at_ns: int = 0) -> None:
        self.began_ns = began_ns
        """Capture time of the first picture; 0 before there is one."""
        self.at_ns = at_ns
        """When the last row was written."""

    def advance(self, captured_ns: int) -> int:
        """Return when the next row was written; what was before the first picture, or late, counts as then."""
        self.began_ns = self.began_ns or captured_ns
        self.at_ns = max(self.at_ns, captured_ns - self.began_ns)
        return self.at_ns

    def advance_all(self, captured_ns: Sequence[int]) -> NDArray[np.int64]:
        """Return the same of the next rows, one or more: a game of three hours has hundreds of thousands."""
        self.began_ns = self.began_ns or next((each for each in captured_ns if each), 0)
        since_ns = np.array(captured_ns, dtype=np.int64) - self.began_ns
        since_ns[0] = max(since_ns[0], self.at_ns)
        at_ns: NDArray[np.int64] = np.maximum.accumulate(since_ns)
        self.at_ns = int(at_ns[-1])
        return at_ns

    def catch_up(self, standing: RawRow, path: Path) -> None:
        """Move on to the latest of the rows before one that sums them up; BadInput names it where it cannot be read."""
        with locate_errors(standing, path):
            self.at_ns = max(self.at_ns, read_latest_ns(standing.body) - self.began_ns)


class Scan(Enum):
    """How much of the rows is read."""

    WHOLE = auto()
    """All of every row."""
    HEADS = auto()
    """Of packed poses no more than the first `HEAD_BYTES` bytes: SQLite cuts them off."""
    EVENTS = auto()
    """No rows of poses or video as far as a row `Standing` sums them up, and heads after it."""


class JournalCursor:
    """Goes along the rows of an opened journal, keeping its clock and learning its names on the way.

    It neither opens the journal nor asks whether it is one.
    """

    def __init__(
        self,
        db: sqlite3.Connection,
        path: Path,
        *,
        after: int = 0,
        scan: Scan = Scan.WHOLE,
        only: str | None = None,
        most: int = -1,
        names: NameTable | None = None,
        clock: GameClock | None = None,
        clock_after: int = 0,
        until_ns: int | None = None,
    ) -> None:
        """Begin after a row.

        Args:
            db: the journal.
            path: where it is.
            after: the row.
            scan: how much of the rows is read.
            only: kinds and bodies of no rows but those of this kind are read: others' are empty; with ``WHOLE``.
            most: so many rows are gone along, with ``HEADS``; -1 for all.
            names: learns what the rows `Named` say, each before it is yielded; without it they are not decoded.
            clock: is moved on by each row, before it is decoded or yielded.
            clock_after: rows up to this one leave the clock as it is.
            until_ns: the first row later than this by the clock is the end, and is not decoded.

        """
        self._db, self._path, self._after = db, path, after
        self._scan, self._only, self._most = scan, only, most
        self._names, self._clock = names, clock
        self._clock_after, self._until_ns = clock_after, until_ns

    def rows(self) -> Iterator[RawRow]:
        """Return the rows, as they are; BadInput where the file or a row `Named` cannot be read."""
        if self._names is None and self._clock is None:
            return self._select()
        return self._follow()

    def batches(self, size: int) -> Iterator[list[RawRow]]:
        """Yield all of the rows, so many at once, and their names known; errors as in `rows`."""
        names, path = self._names, self._path
        with closing(query(self._db, path, _WHOLE, self._after)) as found:
            while rows := list(map(_make_row, islice(found, size))):
                for allowed, column in zip(_COLUMNS, zip(*rows, strict=True), strict=True):
                    types = [*map(type, column)]
                    if not {*types} <= allowed:
                        at = next(at for at, kind in enumerate(types) if kind not in allowed)
                        raise _build_row_error(rows[at].id, path)
                for row in rows:
                    if row.kind == _NAMED and names is not None:
                        names.add(_decode_named_row(row, path))
                yield rows

    def entries(self) -> Iterator[JournalEntry]:
        """Yield what happened, without the journal's own rows; BadInput names a row that cannot be read."""
        names, path = NameTable() if self._names is None else self._names, self._path
        for row in self.rows():
            if row.kind not in BOOKKEEPING_KINDS:
                yield decode_entry(row, names, path)

    def read_whole(self, row: RawRow) -> JournalEntry:
        """Return what a row says of which only the head was read; errors as in `entries`."""
        whole = next(JournalCursor(self._db, self._path, after=row.id - 1).rows())
        return decode_entry(whole, read_names(self._db, self._path, until=row.id), self._path)

    def _follow(self) -> Iterator[RawRow]:
        """Yield the rows, each once clock and names know of it; what is asked of every row is bound before."""
        names, clock, path = self._names, self._clock, self._path
        clock_after, until_ns = self._clock_after, self._until_ns
        for row in self._select():
            if clock is not None and row.id > clock_after:
                at_ns = clock.advance(row.captured_ns)
                if until_ns is not None and at_ns > until_ns:
                    return
            if names is not None and row.kind == _NAMED:
                names.add(_decode_named_row(row, path))
            yield row

    def _select(self) -> Iterator[RawRow]:
        if self._only is not None:
            return self._select_only(self._only)
        match self._scan:
            case Scan.WHOLE:
                return self._select_whole()
            case Scan.HEADS:
                return self._select_heads(self._after)
            case Scan.EVENTS:
                return self._select_events()

    def _select_whole(self) -> Iterator[RawRow]:
        return read_rows(self._db, self._path, _WHOLE, self._after)

    def _select_only(self, kind: str) -> Iterator[RawRow]:
        """Return the rows, with nothing but the times of other kinds than one, which SQLite hands over faster."""
        rows = (
            "SELECT id, captured_ns, CASE WHEN kind = ?1 THEN kind ELSE '' END,"
            " CASE WHEN kind = ?1 THEN body ELSE '' END FROM events WHERE id > ?2 ORDER BY id"
        )
        return read_rows(self._db, self._path, rows, kind, self._after)

    def _select_heads(self, after: int) -> Iterator[RawRow]:
        rows = (
            "SELECT id, captured_ns, kind, CASE WHEN kind = 'PosesSeen' AND typeof(body) = 'blob'"
            " THEN substr(body, 1, ?) ELSE body END FROM events WHERE id > ? ORDER BY id LIMIT ?"
        )
        return read_rows(self._db, self._path, rows, HEAD_BYTES, after, self._most)

    def _select_events(self) -> Iterator[RawRow]:
        """Yield events by their index, if there is one, up to the last row `Standing`, and heads after it."""
        db, path, after = self._db, self._path, self._after
        if list(query(db, path, "SELECT 1 FROM sqlite_master WHERE type = 'index' AND name = 'happened'")):
            last = "SELECT coalesce(max(id), 0) FROM events WHERE kind = 'Standing' AND id > ?"
            ((until,),) = query(db, path, last, after)
            events = (
                "SELECT id, captured_ns, kind, body FROM events INDEXED BY happened"
                " WHERE kind NOT IN ('PosesSeen', 'VideoKept') AND id > ? AND id <= ? ORDER BY id"
            )
            yield from read_rows(db, path, events, after, until)
            after = max(after, until)
        yield from self._select_heads(after)


def read_entries(path: Path, *, after: int = 0) -> Generator[JournalEntry, None, None]:
    """Yield what happened after the entry with an id, in order; errors as in `read_about`."""
    with open_journal(path) as db:
        chained = query_about(db, path)["format"] in CHAINED_FORMATS
        names = read_names(db, path, until=after) if chained and after else NameTable()
        yield from JournalCursor(db, path, after=after, names=names).entries()


def find_last_poses_row(db: sqlite3.Connection, path: Path, until: int) -> RawRow | None:
    """Return the last row of poses up to a row of an opened journal; None where there is none."""
    rows = (
        "SELECT id, captured_ns, kind, body FROM events WHERE kind = 'PosesSeen' AND id <= ? ORDER BY id DESC LIMIT 1"
    )
    return next(read_rows(db, path, rows, until), None)


def read_tail(db: sqlite3.Connection, path: Path, first: bytes) -> Tail:
    """Return the end of an opened journal, to be gone on with.

    Args:
        db: the journal.
        path: where it is.
        first: the digest before its first row.

    """
    last = "SELECT id, captured_ns, chain FROM events ORDER BY id DESC LIMIT 1"
    tail = Tail(head=first)
    for tail.row, tail.captured_ns, tail.head in query(db, path, last):
        tail.names = read_names(db, path, until=tail.row)
    tail.summary_row, tail.last_poses = find_last_summary(db, path, tail.row, tail.names)
    for row in JournalCursor(db, path, after=tail.summary_row).rows():
        follow_row(tail.last_poses, row, tail.names, path)
    return tail


def find_last_summary(db: sqlite3.Connection, path: Path, entry: int, names: NameTable) -> tuple[int, LastPoses]:
    """Return the last row of an opened journal up to one that says where everything stands, and what it says.

    In a journal without such a row that is its beginning, before which nothing stood anywhere.
    """
    rows = "SELECT id, captured_ns, kind, body FROM events WHERE kind = 'Standing' AND id <= ? ORDER BY id DESC LIMIT 1"
    summary = next(read_rows(db, path, rows, entry), None)
    return (summary.id, _decode_summary(summary, names, path)) if summary else (0, LastPoses())


def follow_row(last_poses: LastPoses, row: RawRow, names: NameTable, path: Path) -> None:
    """Let a row count for where everything stands; BadInput names it where it cannot be read."""
    try:  # not `locate_errors`, for it is done for every row
        last_poses.follow(row.captured_ns, row.kind, row.body, names)
    except BadInput as error:
        raise locate_error(error, row, path) from None


def _decode_summary(row: RawRow, names: NameTable, path: Path) -> LastPoses:
    """Return what a row `Standing` says; errors as in `follow_row`."""
    with locate_errors(row, path):
        last_poses = LastPoses.from_body(row.body, names)
        last_poses.follow(row.captured_ns, row.kind, row.body, names)
        return last_poses


def decode_entry(row: RawRow, names: NameTable, path: Path) -> JournalEntry:
    """Return what a row says, which is none of the journal's own; errors as in `follow_row`."""
    with locate_errors(row, path):
        return JournalEntry(id=row.id, captured_ns=row.captured_ns, what=decode_row(row.kind, row.body, names))


def _decode_named_row(row: RawRow, path: Path) -> Named:
    """Return what a row `Named` says; errors as in `follow_row`."""
    with locate_errors(row, path):
        return decode_named(row.body)


@contextmanager
def locate_errors(row: RawRow, path: Path) -> Iterator[None]:
    """Let BadInput that is raised within name the file and a row of it."""
    try:
        yield
    except BadInput as error:
        raise locate_error(error, row, path) from None


def locate_error(error: BadInput, row: RawRow, path: Path) -> BadInput:
    """Return what is wrong with a row, with the file and the row."""
    return BadInput(f"{path}: event {row.id}: {error}")


def read_names(db: sqlite3.Connection, path: Path, *, until: int) -> NameTable:
    """Return the names that the rows up to one of an opened journal gave."""
    names = NameTable()
    rows = "SELECT id, captured_ns, kind, body FROM events WHERE kind = 'Named' AND id <= ? ORDER BY id"
    for row in read_rows(db, path, rows, until):
        names.add(_decode_named_row(row, path))
    return names
