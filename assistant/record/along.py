"""Along the rows of a journal: whole, or with no more of the poses than is asked for."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from assistant.errors import BadInput
from assistant.record.compact import HEAD
from assistant.record.names import Names
from assistant.record.reading import CHAINED, about_of, opened, query
from assistant.record.rows import Body, read, read_named
from assistant.record.seen import LEDGER, Entry, Named
from assistant.record.standing import Stood
from assistant.record.tail import Tail

_NAMED = Named.__name__


class Row(NamedTuple):
    """A row of the table `events` as it is written; of poses that nobody asked for only the first bytes."""

    id: int
    captured_ns: int
    kind: str
    body: Body


def read_entries(path: Path, *, after: int = 0) -> Iterator[Entry]:
    """Yield what happened after the entry with an id, in order; errors as in `read_about`."""
    with opened(path) as db:
        chained = about_of(db, path)["format"] in CHAINED
        names = names_of(db, path, until=after) if chained and after else Names()
        for row in rows_after(db, path, after):
            if row.kind == _NAMED:
                names.add(named_in(row, path))
            elif row.kind not in LEDGER:
                yield entry_in(row, names, path)


def rows_after(db: sqlite3.Connection, path: Path, after: int) -> Iterator[Row]:
    """Yield the rows of an opened journal after one, as they are."""
    rows = "SELECT id, captured_ns, kind, body FROM events WHERE id > ? ORDER BY id"
    yield from map(Row._make, query(db, path, rows, after))


def heads_after(db: sqlite3.Connection, path: Path, after: int, *, most: int = -1) -> Iterator[Row]:
    """Yield the rows of an opened journal after one, of packed poses only the first `HEAD` bytes.

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
    yield from map(Row._make, query(db, path, rows, HEAD, after, most))


def told_after(db: sqlite3.Connection, path: Path, after: int) -> Iterator[Row]:
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
        yield from map(Row._make, query(db, path, told, after, until))
        after = max(after, until)
    yield from heads_after(db, path, after)


def last_seen(db: sqlite3.Connection, path: Path, until: int) -> Row | None:
    """Return the last row of poses up to a row of an opened journal; None where there is none."""
    rows = (
        "SELECT id, captured_ns, kind, body FROM events WHERE kind = 'PosesSeen' AND id <= ? ORDER BY id DESC LIMIT 1"
    )
    return next(map(Row._make, query(db, path, rows, until)), None)


def tail_of(db: sqlite3.Connection, path: Path, first: bytes) -> Tail:
    """Return the end of an opened journal, to be gone on with.

    Args:
        db: the journal.
        path: where it is.
        first: the digest before its first row.

    """
    last = "SELECT id, captured_ns, chain FROM events ORDER BY id DESC LIMIT 1"
    tail = Tail(head=first)
    for tail.row, tail.captured_ns, tail.head in query(db, path, last):
        tail.names = names_of(db, path, until=tail.row)
    tail.summed, tail.stood = summed_before(db, path, tail.row, tail.names)
    for row in rows_after(db, path, tail.summed):
        follow(tail.stood, row, tail.names, path)
    return tail


def summed_before(db: sqlite3.Connection, path: Path, entry: int, names: Names) -> tuple[int, Stood]:
    """Return the last row of an opened journal up to one that says where everything stands, and what it says.

    In a journal without such a row that is its beginning, before which nothing stood anywhere.
    """
    rows = "SELECT id, captured_ns, kind, body FROM events WHERE kind = 'Standing' AND id <= ? ORDER BY id DESC LIMIT 1"
    found = next(map(Row._make, query(db, path, rows, entry)), None)
    return (found.id, stood_in(found, names, path)) if found else (0, Stood())


def follow(stood: Stood, row: Row, names: Names, path: Path) -> None:
    """Let a row count for where everything stands; BadInput names it where it cannot be read."""
    try:  # not `in_row`, for it is done for every row
        stood.follow(row.captured_ns, row.kind, row.body, names)
    except BadInput as error:
        raise _named(error, row, path) from None


def stood_in(row: Row, names: Names, path: Path) -> Stood:
    """Return what a row `Standing` says; errors as in `follow`."""
    with in_row(row, path):
        stood = Stood.of(row.body, names)
        stood.follow(row.captured_ns, row.kind, row.body, names)
        return stood


def entry_in(row: Row, names: Names, path: Path) -> Entry:
    """Return what a row says, which is none of the journal's own; errors as in `follow`."""
    with in_row(row, path):
        return Entry(id=row.id, captured_ns=row.captured_ns, what=read(row.kind, row.body, names))


def named_in(row: Row, path: Path) -> Named:
    """Return what a row `Named` says; errors as in `follow`."""
    with in_row(row, path):
        return read_named(row.body)


@contextmanager
def in_row(row: Row, path: Path) -> Iterator[None]:
    """Let BadInput that is raised within name the file and a row of it."""
    try:
        yield
    except BadInput as error:
        raise _named(error, row, path) from None


def _named(error: BadInput, row: Row, path: Path) -> BadInput:
    return BadInput(f"{path}: event {row.id}: {error}")


def names_of(db: sqlite3.Connection, path: Path, *, until: int) -> Names:
    """Return the names that the rows up to one of an opened journal gave."""
    names = Names()
    said = "SELECT id, captured_ns, kind, body FROM events WHERE kind = 'Named' AND id <= ? ORDER BY id"
    for row in map(Row._make, query(db, path, said, until)):
        names.add(named_in(row, path))
    return names
