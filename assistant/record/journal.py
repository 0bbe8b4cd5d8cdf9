"""The journal: one SQLite file a game, to which rows are only ever added (`overtable.journal/2`; see the README here).

Table `about` holds what the game started from, table `events` everything after it in order: game events by the name
of their class, poses while anything moves, and every calibration before the first pose that names it.  Table
`pictures` holds the camera's picture of moments that somebody may have to look into.  Each event carries a digest over
itself and all before it.  A row that was acknowledged survives the death of the process.
"""

import hashlib
import shutil
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from assistant.errors import BadInput
from assistant.game.events import Event, Stamped
from assistant.record.along import read_entries, tail_of
from assistant.record.chain import genesis
from assistant.record.lock import WriteLock
from assistant.record.reading import FORMAT, about_of, opened, query, read_about, read_picture, read_pictures
from assistant.record.rows import KINDS, Happening
from assistant.record.seen import (
    SIGHTS,
    Entry,
    FilmKept,
    Ledger,
    NotRecorded,
    Picture,
    PictureKept,
    PosesSeen,
    Seen,
)
from assistant.record.tail import Tail

__all__ = [
    "FORMAT",
    "KINDS",
    "SIGHTS",
    "Entry",
    "FilmKept",
    "Happening",
    "Journal",
    "NotRecorded",
    "NotWritten",
    "Picture",
    "PosesSeen",
    "Seen",
    "read_about",
    "read_entries",
    "read_picture",
    "read_pictures",
]

_SCHEMA = """
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE events (
    id INTEGER PRIMARY KEY, captured_ns INTEGER NOT NULL, kind TEXT NOT NULL, body ANY NOT NULL, chain BLOB NOT NULL
) STRICT;
CREATE INDEX named ON events (id) WHERE kind = 'Named';
CREATE INDEX stands ON events (id) WHERE kind = 'Standing';
CREATE INDEX happened ON events (id) WHERE kind NOT IN ('PosesSeen', 'VideoKept');
CREATE TABLE pictures (id INTEGER PRIMARY KEY, captured_ns INTEGER NOT NULL, jpeg BLOB NOT NULL) STRICT;
CREATE TRIGGER about_stays BEFORE UPDATE ON about BEGIN SELECT RAISE(ABORT, 'the journal only grows'); END;
CREATE TRIGGER about_stays_there BEFORE DELETE ON about BEGIN SELECT RAISE(ABORT, 'the journal only grows'); END;
CREATE TRIGGER events_stay BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'the journal only grows'); END;
CREATE TRIGGER events_stay_there BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'the journal only grows'); END;
CREATE TRIGGER pictures_stay BEFORE UPDATE ON pictures BEGIN SELECT RAISE(ABORT, 'the journal only grows'); END;
CREATE TRIGGER pictures_stay_there BEFORE DELETE ON pictures BEGIN SELECT RAISE(ABORT, 'the journal only grows'); END;
"""
_EVENT = "INSERT INTO events (id, captured_ns, kind, body, chain) VALUES (?, ?, ?, ?, ?)"
_PICTURE = "INSERT INTO pictures (id, captured_ns, jpeg) VALUES (?, ?, ?)"


SMALL = 32 * 2**20
"""With fewer bytes free what is written ahead is taken into the file sooner: it is many times as long as what it says,
and would fill the disk before that."""
SMALL_PAGES = 64


class NotWritten(OSError):
    """A journal that cannot be written to at the moment."""

    def __init__(self, path: Path, error: sqlite3.Error) -> None:
        """Say what SQLite said."""
        full = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
        self.why = "the disk is full" if full else str(error)
        """In few words, without the path."""
        super().__init__(f"{path}: the journal cannot be written ({self.why}); free some disk space")


class Journal:
    """A journal that is being written; used from one thread."""

    def __init__(self, path: Path, *, about: Mapping[str, str], go_on: bool = False) -> None:
        """Start a new journal, or go on with one.

        Args:
            path: where; it must not exist yet, unless it is gone on with.
            about: what the game started from, such as its situation as JSON.
            go_on: if the file is there, and of a game that started from the same situation, rows are added to it.

        Raises:
            BadInput: there is a file already that is not to be gone on with, or cannot be; somebody else writes to it;
                or none can be made there.

        """
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(f"{path}: no journal can be written here ({error.strerror})") from None
        self._lock = WriteLock(path)
        self.path = path
        self._tail, self._picture = Tail(head=genesis({"format": FORMAT, **about})), 0
        try:
            if go_on and path.exists():
                self._take_up(about)
            else:
                self._db = _created(path, {"format": FORMAT, **about})
        except BaseException:
            self._lock.release()
            raise

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return self._tail.row

    @property
    def head(self) -> bytes:
        """The digest of the last row, which vouches for all before it."""
        return self._tail.head

    def _take_up(self, about: Mapping[str, str]) -> None:
        """Open a journal that is there, and learn where it ends."""
        with opened(self.path) as db:
            held = about_of(db, self.path)
            if held["format"] != FORMAT:
                raise BadInput(
                    f"{self.path}: this is {held['format']}, which can be replayed, but not gone on with;"
                    " record to another file"
                )
            if held.get("situation") != about.get("situation"):
                raise BadInput(
                    f"{self.path}: this is a recording of another game, {held.get('title', 'without a title')!r};"
                    " record to another file, or give the situation that it began with"
                )
            self._tail = tail_of(db, self.path, genesis(held))
            ((self._picture,),) = query(db, self.path, "SELECT coalesce(max(id), 0) FROM pictures")
        self._db = _connected(self.path)
        try:
            self._db.execute("BEGIN")
            self._db.execute("INSERT INTO about VALUES ('', '')")  # only to see that it could be
            self._db.execute("ROLLBACK")
        except sqlite3.Error as error:
            self._db.close()
            raise BadInput(f"{self.path}: this recording cannot be written to ({error})") from None

    def append(self, *happenings: Happening) -> None:
        """Write some events, all or none; when this returns they survive the death of the process.

        Raises:
            NotWritten: they could not be written, for instance because the disk is full; nothing before is harmed.

        """
        self._write([(h.captured_ns, h.event) if isinstance(h, Stamped) else h for h in happenings])

    def keep(self, picture: Picture) -> None:
        """Keep what the camera saw; errors as in `append`."""
        kept = PictureKept(picture=self._picture + 1, sha256=hashlib.sha256(picture.jpeg).hexdigest())
        self._write([(picture.captured_ns, kept)], (kept.picture, picture.captured_ns, picture.jpeg))
        self._picture = kept.picture

    def _write(
        self, told: Sequence[tuple[int, Event | Seen | Ledger]], picture: tuple[int, int, bytes] | None = None
    ) -> None:
        """Write rows and what has to stand before them; what this object knows changes only if all of it is written."""
        tail = self._tail.copy()
        rows = [row for captured_ns, what in told for row in tail.add(captured_ns, what)]
        try:
            self._db.execute("BEGIN")
            if picture is not None:
                self._db.execute(_PICTURE, picture)
            self._db.executemany(_EVENT, rows)
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise NotWritten(self.path, error) from None
        self._tail = tail

    def close(self) -> None:
        """Close the file; a journal that was never closed is whole all the same."""
        self._db.close()
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def _connected(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA synchronous=NORMAL")
    if shutil.disk_usage(path.parent).free < SMALL:
        db.execute(f"PRAGMA wal_autocheckpoint={SMALL_PAGES}")
    return db


def _created(path: Path, about: Mapping[str, str]) -> sqlite3.Connection:
    """Make a journal with no events yet, or no file at all."""
    if path.exists():
        raise BadInput(f"{path}: this file is there already; a journal is never written over, name another")
    try:
        db = _connected(path)
        try:
            db.execute("PRAGMA journal_mode=WAL")
            db.executescript(f"BEGIN; {_SCHEMA}")
            db.executemany("INSERT INTO about VALUES (?, ?)", about.items())
            db.execute("COMMIT")
        except BaseException:
            db.close()
            path.unlink(missing_ok=True)
            raise
    except sqlite3.Error as error:
        raise BadInput(f"{path}: no journal can be written here ({error})") from None
    return db
