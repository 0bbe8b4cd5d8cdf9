"""The mirror of a journal: a recording that grows by the rows of another machine's, each held to the hash chain.

It has all rows as they were written there, so that it is verified, replayed and gone on with as the first one is.
"""

import hashlib
import sqlite3
import struct
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from pydantic import ValidationError

from assistant.errors import BadInput
from assistant.recording.journal.hash_chain import DIGEST_BYTES, compute_first_digest, compute_next_digest
from assistant.recording.journal.reader import FORMAT, open_journal, query, query_about
from assistant.recording.journal.row_encoding import Body
from assistant.recording.journal.row_types import PictureKept
from assistant.recording.journal.write_lock import WriteLock
from assistant.recording.journal.writer import (
    INSERT_EVENT,
    INSERT_PICTURE,
    JournalWriteError,
    connect_to_write,
    create_file,
)

_PICTURE = PictureKept.__name__
_MOST_PICTURES = 2**62
_ADD_PICTURE = INSERT_PICTURE.replace("INSERT", "INSERT OR IGNORE")
"""Of two pictures with one number the first stays: a table that says such things is no reason to stop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainedRow:
    """A row with its digest, and the picture that it tells of."""

    id: int
    captured_ns: int
    kind: str
    body: Body
    chain: bytes
    jpeg: bytes = b""
    """Of a row `PictureKept`; empty of all others."""


class RowGap(BadInput):
    """Rows are lacking between the last one of a mirror and those that came."""


class RowConflict(BadInput):
    """A row that does not lie on the chain of those before it: it was changed, or two machines go on with one game."""


def read_chained_rows(path: Path, after: int, most_bytes: int) -> Iterator[ChainedRow]:
    """Yield the rows of a journal after one, with their pictures, until they come to so many bytes.

    At least one is yielded where there is any.

    Raises:
        BadInput: the journal cannot be read, or a row is none.

    """
    rows = (
        "SELECT events.id, events.captured_ns, kind, body, chain, jpeg FROM events LEFT JOIN pictures"
        " ON pictures.id = CASE kind WHEN 'PictureKept' THEN json_extract(body, '$.picture') END"
        " WHERE events.id > ? ORDER BY events.id"
    )
    size = 0
    with open_journal(path) as db:
        for row, captured_ns, kind, body, chain, jpeg in query(db, path, rows, after):
            found = ChainedRow(id=row, captured_ns=captured_ns, kind=kind, body=body, chain=chain, jpeg=jpeg or b"")
            size += len(body) + len(found.jpeg)
            if size > most_bytes and row > after + 1:
                return
            yield found


class JournalMirror:
    """A journal that is written by the rows of another; used from one thread."""

    def __init__(self, path: Path, db: sqlite3.Connection, lock: WriteLock, *, row: int, head: bytes) -> None:
        self.path, self.row = path, row
        """`row` is the last one that is there."""
        self._db, self._lock, self._head = db, lock, head

    @classmethod
    def open(cls, path: Path, about: Mapping[str, str] | None = None) -> Self:
        """Open a mirror, or begin one.

        Args:
            path: where.
            about: what the game started from, where the file is not there yet.

        Raises:
            RowGap: there is neither a file nor that.
            BadInput: the file is no journal of this format, somebody else writes to it, or none can be made there.

        """
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = WriteLock(path)
        try:
            if path.exists() and _is_unfinished(path):
                for part in ("", "-wal", "-shm"):
                    path.with_name(path.name + part).unlink(missing_ok=True)
            if not path.exists():
                db, head = _begin(path, about)
                return cls(path, db, lock, row=0, head=head)
            with open_journal(path) as db:
                recorded = query_about(db, path)
                row, head = 0, compute_first_digest(recorded)
                for row, head in query(db, path, "SELECT id, chain FROM events ORDER BY id DESC LIMIT 1"):  # noqa: B007
                    pass
            return cls(path, connect_to_write(path), lock, row=row, head=head)
        except BaseException:
            lock.release()
            raise

    def append(self, rows: list[ChainedRow]) -> list[ChainedRow]:
        """Write the rows that are not there yet, all or none; return them.

        Raises:
            RowGap: rows are lacking before them.
            RowConflict: one does not lie on the chain, or is another than the one that is there.
            JournalWriteError: they cannot be written now.

        """
        new = [row for row in rows if row.id > self.row]
        self._check_known([row for row in rows if row.id <= self.row])
        head, last = self._head, self.row
        for row in new:
            if row.id != last + 1:
                raise RowGap(f"{self.path}: row {row.id} came after row {last}")
            if compute_digest(head, row) != row.chain:
                raise RowConflict(f"{self.path}: row {row.id} does not lie on the chain of the rows before it")
            head, last = row.chain, row.id
        try:
            self._db.execute("BEGIN")
            self._db.executemany(INSERT_EVENT, [(r.id, r.captured_ns, r.kind, r.body, r.chain) for r in new])
            self._db.executemany(_ADD_PICTURE, [each for row in new for each in _find_picture(row)])
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            raise JournalWriteError(self.path, error) from None
        finally:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
        self._head, self.row = head, last
        return new

    def _check_known(self, rows: list[ChainedRow]) -> None:
        """Raise RowConflict where a row is there already, and is another."""
        for row in rows:
            known = self._db.execute("SELECT chain FROM events WHERE id = ?", (row.id,)).fetchone()
            if known != (row.chain,):
                raise RowConflict(f"{self.path}: another row {row.id} is there already")

    def close(self) -> None:
        """Close the file."""
        self._db.close()
        self._lock.release()


def _begin(path: Path, about: Mapping[str, str] | None) -> tuple[sqlite3.Connection, bytes]:
    """Make a journal without rows; return it, and the digest that its first row follows."""
    if about is None:
        raise RowGap(f"{path}: the recording is not there")
    check_format(path, about)
    return create_file(path, about), compute_first_digest(about)


def _is_unfinished(path: Path) -> bool:
    """Whether somebody was killed who was making a journal: then nothing at all is in its file."""
    try:
        with closing(sqlite3.connect(path)) as db:
            return db.execute("SELECT 1 FROM sqlite_master").fetchone() is None
    except sqlite3.Error:
        return False


def check_format(path: Path, about: Mapping[str, str]) -> None:
    """Raise BadInput where a game is recorded in a format of which no mirror can be made."""
    if about.get("format") != FORMAT:
        raise BadInput(f"{path}: the table records {about.get('format', '')[:60]!r}, which is not known here")


def compute_digest(before: bytes, row: ChainedRow) -> bytes:
    """Return the digest that a row has after the row with another."""
    try:
        return compute_next_digest(before, row.id, row.captured_ns, row.kind, row.body)
    except (struct.error, UnicodeEncodeError):
        return b"\0" * DIGEST_BYTES


def _find_picture(row: ChainedRow) -> Iterator[tuple[int, int, bytes]]:
    """Yield the picture that a row tells of; one that is not what was kept is left out, and `verify` misses it."""
    if row.kind != _PICTURE:
        return
    try:
        record = PictureKept.model_validate_json(row.body)
    except ValidationError:
        return
    if hashlib.sha256(row.jpeg).hexdigest() == record.sha256 and 0 < record.picture < _MOST_PICTURES:
        yield record.picture, row.captured_ns, row.jpeg
