"""The journal writer: one SQLite file a game, to which rows are only ever added (`overtable.journal/2`; see README).

Table `about` holds what the game started from, table `events` everything after it in order: game events by the name
of their class, poses while anything moves, and every calibration before the first pose that names it.  Table
`pictures` holds the camera's picture of moments that somebody may have to look into.  Each event carries a digest over
itself and all before it.  A row that was acknowledged survives the death of the process.

The recorder keeps a game recorded as well as it can be: while the disk is full it goes on, and what matters is held
back.
"""

import hashlib
import logging
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from assistant.errors import BadInput
from assistant.game.events import Event, Stamped
from assistant.recording.journal.cursor import read_tail
from assistant.recording.journal.hash_chain import compute_first_digest
from assistant.recording.journal.journal_state import Tail
from assistant.recording.journal.reader import (
    FORMAT,
    open_journal,
    query,
    query_about,
)
from assistant.recording.journal.row_encoding import TimedRow
from assistant.recording.journal.row_types import (
    BookkeepingRow,
    KeptPicture,
    NotRecorded,
    ObservationRow,
    PictureKept,
    PosesSeen,
)
from assistant.recording.journal.write_lock import WriteLock
from assistant.recording.poses import PoseEntry
from hardware.camera.address import redact_address
from overtable_errors import OvertableError

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
_TRIGGERS = frozenset(line.removesuffix(";") for line in _SCHEMA.splitlines() if line.startswith("CREATE TRIGGER"))
INSERT_EVENT = "INSERT INTO events (id, captured_ns, kind, body, chain) VALUES (?, ?, ?, ?, ?)"
INSERT_PICTURE = "INSERT INTO pictures (id, captured_ns, jpeg) VALUES (?, ?, ?)"


LOW_DISK_BYTES = 32 * 2**20
"""With fewer bytes free what is written ahead is taken into the file sooner: it is many times as long as what it says,
and would fill the disk before that."""
LOW_DISK_PAGES = 64
_log = logging.getLogger(__name__)


class JournalWriteError(OvertableError, OSError):
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
            about: what the game started from, such as its situation as JSON; what is secret in its camera's address
                is not written.
            go_on: if the file is there, and of a game that started from the same situation, rows are added to it.

        Raises:
            BadInput: there is a file already that is not to be gone on with, or cannot be; somebody else writes to it;
                or none can be made there.

        """
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(f"{path}: no journal can be written here ({error.strerror})") from None
        about = {key: redact_address(value) if key == "source" else value for key, value in about.items()}
        self._lock = WriteLock(path)
        self._turn, self._taken = threading.Lock(), False
        self.path = path
        self._tail, self._picture = Tail(head=compute_first_digest({"format": FORMAT, **about})), 0
        try:
            if go_on and path.exists():
                self._reopen(about)
            else:
                self._db = create_file(path, {"format": FORMAT, **about})
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

    def _reopen(self, about: Mapping[str, str]) -> None:
        """Open a journal that is there, and learn where it ends."""
        with open_journal(self.path) as db:
            recorded = query_about(db, self.path)
            if recorded["format"] != FORMAT:
                raise BadInput(
                    f"{self.path}: this is {recorded['format']}, which can be replayed, but not gone on with;"
                    " record to another file"
                )
            if recorded.get("situation") != about.get("situation"):
                raise BadInput(
                    f"{self.path}: this is a recording of another game, {recorded.get('title', 'without a title')!r};"
                    " record to another file, or give the situation that it began with"
                )
            for name, trigger in query(db, self.path, "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"):
                if trigger not in _TRIGGERS:
                    raise BadInput(
                        f"{self.path}: something in it would run with every row that is written ({name}); record to"
                        " another file"
                    )
            self._tail = read_tail(db, self.path, compute_first_digest(recorded))
            ((self._picture,),) = query(db, self.path, "SELECT coalesce(max(id), 0) FROM pictures")
        self._db = connect_to_write(self.path)
        try:
            self._db.execute("BEGIN")
            self._db.execute("INSERT INTO about VALUES ('', '')")  # only to see that it could be
            self._db.execute("ROLLBACK")
        except sqlite3.Error as error:
            self._db.close()
            raise BadInput(f"{self.path}: this recording cannot be written to ({error})") from None

    def append(self, *happenings: TimedRow) -> None:
        """Write some events, all or none; when this returns they survive the death of the process.

        Raises:
            NotWritten: they could not be written, for instance because the disk is full; nothing before is harmed.

        """
        self._write([(h.captured_ns, h.event) if isinstance(h, Stamped) else h for h in happenings])

    def keep(self, picture: KeptPicture) -> None:
        """Keep what the camera saw; errors as in `append`."""
        record = PictureKept(picture=self._picture + 1, sha256=hashlib.sha256(picture.jpeg).hexdigest())
        self._write([(picture.captured_ns, record)], (record.picture, picture.captured_ns, picture.jpeg))
        self._picture = record.picture

    def _write(
        self,
        events: Sequence[tuple[int, Event | ObservationRow | BookkeepingRow]],
        picture: tuple[int, int, bytes] | None = None,
    ) -> None:
        """Write rows and what has to stand before them; what this object knows changes only if all of it is written."""
        with self._turn:
            if self._taken:
                raise JournalWriteError(self.path, sqlite3.OperationalError("it is another line's by now"))
            self._write_rows(events, picture)

    def _write_rows(
        self,
        events: Sequence[tuple[int, Event | ObservationRow | BookkeepingRow]],
        picture: tuple[int, int, bytes] | None,
    ) -> None:
        tail = self._tail.copy()
        rows = [row for captured_ns, what in events for row in tail.add(captured_ns, what)]
        try:
            self._db.execute("BEGIN")
            if picture is not None:
                self._db.execute(INSERT_PICTURE, picture)
            self._db.executemany(INSERT_EVENT, rows)
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            raise JournalWriteError(self.path, error) from None
        finally:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
        self._tail = tail

    def close(self) -> None:
        """Close the file; a journal that was never closed is whole all the same."""
        self._db.close()
        self._lock.release()

    def take_away(self) -> None:
        """Close the file to a thread that hangs, so that another journal may go on with it; any thread may call.

        What that thread would still write is refused.  If it hangs in the writing itself, its file is left open.
        """
        self._taken = True
        if self._turn.acquire(timeout=TAKEN_AWAY_S):
            self._db.close()
            self._turn.release()
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def connect_to_write(path: Path) -> sqlite3.Connection:
    """Open a journal's file for writing, as every writer does; sqlite3.Error where that cannot be."""
    db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)  # by turns
    db.execute("PRAGMA synchronous=NORMAL")
    if shutil.disk_usage(path.parent).free < LOW_DISK_BYTES:
        db.execute(f"PRAGMA wal_autocheckpoint={LOW_DISK_PAGES}")
    return db


def create_file(path: Path, about: Mapping[str, str]) -> sqlite3.Connection:
    """Make a journal with no events yet, or no file at all."""
    if path.exists():
        raise BadInput(f"{path}: this file is there already; a journal is never written over, name another")
    try:
        db = connect_to_write(path)
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


TAKEN_AWAY_S = 2.0
"""So long what is being written is waited for."""
BUG = "something went wrong inside"
RETRY_NS = 1_000_000_000
"""After so long it is tried again, in the time of the pictures."""
MOST_HELD = 20_000
"""So many events are held back at most: more than any game has."""


@dataclass(kw_only=True)
class _Outage:
    """What could not be written since the first failure."""

    from_ns: int
    why: str
    tried_ns: int
    held: list[TimedRow] = field(default_factory=list)
    standing: dict[str, PoseEntry] = field(default_factory=dict)
    """How every model that changed was last seen."""
    latest: tuple[int, PosesSeen] | None = None
    lost_poses: int = 0
    lost_events: int = 0
    lost_pictures: int = 0


class Recorder:
    """Writes to a journal, and never fails.

    While nothing can be written, events are held back and poses and pictures are lost, save where everything stands at
    the end.  Once there is room again a row `NotRecorded` says what is lacking, and the events follow.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._gap: _Outage | None = None
        self._together: list[TimedRow] | None = None
        """What is to be written at once, while that is being gathered."""

    @property
    def trouble(self) -> str:
        """Why nothing is being recorded, in words for the players; empty while all is."""
        if self._gap is None:
            return ""
        advice = "it is tried again every second" if self._gap.why == BUG else "free some space on the table's computer"
        return f"The game goes on, but is not recorded ({self._gap.why}): {advice}."

    def write(self, row: TimedRow | KeptPicture) -> None:
        """Write what happened, was seen or is to be kept, or hold it back."""
        if self._gap is not None:
            _hold(self._gap, row)
            if isinstance(row, Stamped):
                self.catch_up(row.captured_ns)
        elif isinstance(row, KeptPicture):
            self._try_to_write(partial(self._journal.keep, row), row)
        elif self._together is not None:
            self._together.append(row)
        else:
            self._try_to_write(partial(self._journal.append, row), row)

    @contextmanager
    def write_together(self) -> Iterator[None]:
        """Write what is told meanwhile at the end, all or none: for several rows that takes a part of the time."""
        self._together = []
        try:
            yield
        finally:
            rows, self._together = self._together, None
            if rows:
                self._try_to_write(partial(self._journal.append, *rows), *rows)

    def _try_to_write(self, write: Callable[[], None], *rows: TimedRow | KeptPicture) -> None:
        try:
            write()
        except Exception as error:
            at_ns = rows[0][0] if isinstance(rows[0], tuple) else rows[0].captured_ns
            self._gap = _Outage(from_ns=at_ns, why=_find_why(error), tried_ns=at_ns)
            for each in rows:
                _hold(self._gap, each)

    def retry_if_due(self, now_ns: int) -> None:
        """Try again now and then; call it with every picture."""
        if self._gap is not None and now_ns - self._gap.tried_ns >= RETRY_NS:
            self.catch_up(now_ns)

    def catch_up(self, now_ns: int) -> None:
        """Write all that was held back, if that is possible by now."""
        gap = self._gap
        if gap is None:
            return
        gap.tried_ns = now_ns
        outage = NotRecorded(
            until_ns=max(now_ns, gap.from_ns),
            lost_poses=gap.lost_poses,
            lost_events=gap.lost_events,
            lost_pictures=gap.lost_pictures,
            why=gap.why,
        )
        standing: list[TimedRow] = []
        if gap.latest is not None:
            seen_ns, seen = gap.latest
            standing = [(seen_ns, seen.model_copy(update={"poses": tuple(gap.standing.values())}))]
        try:
            self._journal.append((gap.from_ns, outage), *gap.held, *standing)
        except Exception as error:
            gap.why = _find_why(error)
        else:
            self._gap = None
            _log.info("The game is recorded again.")


def _find_why(error: Exception) -> str:
    """Return in few words why nothing can be written, and log it."""
    if isinstance(error, JournalWriteError):
        _log.warning("%s", error)
        return error.why
    _log.error("The game was not recorded; it is tried again.", exc_info=error)
    return BUG


def _hold(gap: _Outage, row: TimedRow | KeptPicture) -> None:
    match row:
        case KeptPicture():
            gap.lost_pictures += 1
        case (_, PosesSeen() as seen):
            gap.lost_poses += 1
            gap.latest = row[0], seen
            gap.standing.update({entry.model: entry for entry in seen.poses})
        case _ if len(gap.held) < MOST_HELD:
            gap.held.append(row)
        case _:
            gap.lost_events += 1
