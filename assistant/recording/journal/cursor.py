"""The journal cursor: going along the rows of a journal, whole or with no more of the poses than is asked for."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from assistant.errors import BadInput
from assistant.recording.journal.journal_state import LastPoses, Tail
from assistant.recording.journal.packed_poses import HEAD_BYTES, NameTable
from assistant.recording.journal.reader import CHAINED_FORMATS, open_journal, query, query_about
from assistant.recording.journal.row_encoding import Body, decode_named, decode_row
from assistant.recording.journal.row_types import BOOKKEEPING_KINDS, JournalEntry, Named

_NAMED = Named.__name__


class RawRow(NamedTuple):
    """A row of the table `events` as it is written; of poses that nobody asked for only the first bytes."""

    id: int
    captured_ns: int
    kind: str
    body: Body


def read_entries(path: Path, *, after: int = 0) -> Iterator[JournalEntry]:
    """Yield what happened after the entry with an id, in order; errors as in `read_about`."""
    with open_journal(path) as db:
        chained = query_about(db, path)["format"] in CHAINED_FORMATS
        names = read_names(db, path, until=after) if chained and after else NameTable()
        for row in read_rows(db, path, after):
            if row.kind == _NAMED:
                names.add(decode_named_row(row, path))
            elif row.kind not in BOOKKEEPING_KINDS:
                yield decode_entry(row, names, path)


def read_rows(db: sqlite3.Connection, path: Path, after: int) -> Iterator[RawRow]:
    """Yield the rows of an opened journal after one, as they are."""
    rows = "SELECT id, captured_ns, kind, body FROM events WHERE id > ? ORDER BY id"
    yield from map(RawRow._make, query(db, path, rows, after))


def read_row_heads(db: sqlite3.Connection, path: Path, after: int, *, most: int = -1) -> Iterator[RawRow]:
    """Yield the rows of an opened journal after one, of packed poses only the first `HEAD_BYTES` bytes.

    Args:
        db: the journal.
        path: where it is.
        after: the row.
        most: so many rows; -1 for all.

    """
    rows = (
        "SELECT id, captured_ns, kind, CASE WHEN kind = 'PosesSeen' AND typeof(body) = 'blob'"
        " THEN substr(body, 1, ?) ELSE body END FROM events WHERE id > ? ORDER BY id LIMIT ?"
    )
    yield from map(RawRow._make, query(db, path, rows, HEAD_BYTES, after, most))


def read_event_rows(db: sqlite3.Connection, path: Path, after: int) -> Iterator[RawRow]:
    """Yield the rows of an opened journal after one without poses or video, as far as a row `Standing` sums them up.

    After the last such row all are there, of packed poses only the head; so are they in a journal that has no index of
    what was told, as older ones have none.
    """
    if list(query(db, path, "SELECT 1 FROM sqlite_master WHERE type = 'index' AND name = 'happened'")):
        last = "SELECT coalesce(max(id), 0) FROM events WHERE kind = 'Standing' AND id > ?"
        ((until,),) = query(db, path, last, after)
        told = (
            "SELECT id, captured_ns, kind, body FROM events INDEXED BY happened"
            " WHERE kind NOT IN ('PosesSeen', 'VideoKept') AND id > ? AND id <= ? ORDER BY id"
        )
        yield from map(RawRow._make, query(db, path, told, after, until))
        after = max(after, until)
    yield from read_row_heads(db, path, after)


def find_last_poses_row(db: sqlite3.Connection, path: Path, until: int) -> RawRow | None:
    """Return the last row of poses up to a row of an opened journal; None where there is none."""
    rows = (
        "SELECT id, captured_ns, kind, body FROM events WHERE kind = 'PosesSeen' AND id <= ? ORDER BY id DESC LIMIT 1"
    )
    return next(map(RawRow._make, query(db, path, rows, until)), None)


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
    tail.summed, tail.stood = find_last_summary(db, path, tail.row, tail.names)
    for row in read_rows(db, path, tail.summed):
        follow_row(tail.stood, row, tail.names, path)
    return tail


def find_last_summary(db: sqlite3.Connection, path: Path, entry: int, names: NameTable) -> tuple[int, LastPoses]:
    """Return the last row of an opened journal up to one that says where everything stands, and what it says.

    In a journal without such a row that is its beginning, before which nothing stood anywhere.
    """
    rows = "SELECT id, captured_ns, kind, body FROM events WHERE kind = 'Standing' AND id <= ? ORDER BY id DESC LIMIT 1"
    found = next(map(RawRow._make, query(db, path, rows, entry)), None)
    return (found.id, decode_summary(found, names, path)) if found else (0, LastPoses())


def follow_row(stood: LastPoses, row: RawRow, names: NameTable, path: Path) -> None:
    """Let a row count for where everything stands; BadInput names it where it cannot be read."""
    try:  # not `locate_errors`, for it is done for every row
        stood.follow(row.captured_ns, row.kind, row.body, names)
    except BadInput as error:
        raise _locate_error(error, row, path) from None


def decode_summary(row: RawRow, names: NameTable, path: Path) -> LastPoses:
    """Return what a row `Standing` says; errors as in `follow_row`."""
    with locate_errors(row, path):
        stood = LastPoses.from_body(row.body, names)
        stood.follow(row.captured_ns, row.kind, row.body, names)
        return stood


def decode_entry(row: RawRow, names: NameTable, path: Path) -> JournalEntry:
    """Return what a row says, which is none of the journal's own; errors as in `follow_row`."""
    with locate_errors(row, path):
        return JournalEntry(id=row.id, captured_ns=row.captured_ns, what=decode_row(row.kind, row.body, names))


def decode_named_row(row: RawRow, path: Path) -> Named:
    """Return what a row `Named` says; errors as in `follow_row`."""
    with locate_errors(row, path):
        return decode_named(row.body)


@contextmanager
def locate_errors(row: RawRow, path: Path) -> Iterator[None]:
    """Let BadInput that is raised within name the file and a row of it."""
    try:
        yield
    except BadInput as error:
        raise _locate_error(error, row, path) from None


def _locate_error(error: BadInput, row: RawRow, path: Path) -> BadInput:
    return BadInput(f"{path}: event {row.id}: {error}")


def read_names(db: sqlite3.Connection, path: Path, *, until: int) -> NameTable:
    """Return the names that the rows up to one of an opened journal gave."""
    names = NameTable()
    said = "SELECT id, captured_ns, kind, body FROM events WHERE kind = 'Named' AND id <= ? ORDER BY id"
    for row in map(RawRow._make, query(db, path, said, until)):
        names.add(decode_named_row(row, path))
    return names
