"""The journal: one SQLite file a game, to which rows are only ever added (`overtable.journal/1`).

Table `about` holds what the game started from, table `events` everything after it in order: game events by the name
of their class, poses while anything moves, and every calibration before the first pose that names it.  Table
`pictures`, which older journals lack, holds the camera's picture of moments that somebody may have to look into.  A row
that was acknowledged survives the death of the process.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, get_args

from pydantic import TypeAdapter, ValidationError

from assistant.errors import BadInput
from assistant.files import Format, sentence_of
from assistant.game.events import Event, Stamped
from assistant.poses import PoseEntry
from assistant.record.calibrations import CalibrationSeen

FORMAT = "overtable.journal/1"
KINDS: Mapping[str, type] = {kind.__name__: kind for kind in get_args(Event)}

_SCHEMA = """
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE events (
    id INTEGER PRIMARY KEY, captured_ns INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL
) STRICT;
CREATE TABLE pictures (id INTEGER PRIMARY KEY, captured_ns INTEGER NOT NULL, jpeg BLOB NOT NULL) STRICT;
CREATE TRIGGER about_stays BEFORE UPDATE ON about BEGIN SELECT RAISE(ABORT, 'the journal only grows'); END;
CREATE TRIGGER about_stays_there BEFORE DELETE ON about BEGIN SELECT RAISE(ABORT, 'the journal only grows'); END;
CREATE TRIGGER events_stay BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'the journal only grows'); END;
CREATE TRIGGER events_stay_there BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'the journal only grows'); END;
CREATE TRIGGER pictures_stay BEFORE UPDATE ON pictures BEGIN SELECT RAISE(ABORT, 'the journal only grows'); END;
CREATE TRIGGER pictures_stay_there BEFORE DELETE ON pictures BEGIN SELECT RAISE(ABORT, 'the journal only grows'); END;
"""


class PosesSeen(Format):
    """The poses that changed in one frame."""

    anchors_seen: int
    calibration: str
    poses: tuple[PoseEntry, ...]
    shown_twice: tuple[int, ...] = ()
    """Tags of which two prints are in view."""
    wrong_anchors: tuple[str, ...] = ()
    """Anchors that are not where, how or what the set-up says, a sentence each."""
    doubt: Literal["moving", "hidden", "astray"] | None = None
    """Why the calibration does not hold at the moment, so that nothing is judged."""
    astray: tuple[int, ...] = ()
    """The anchors that are not where they were, while that is the doubt."""
    slipped_mm: Mapping[int, float] = {}
    """How far anchors lie from their places that the calibration leaves out for that, by tag."""

    @property
    def troubles(self) -> tuple[object, ...]:
        """What a person should know of, and a change of it is recorded though no pose changed."""
        return self.shown_twice, self.wrong_anchors, self.doubt, self.astray, self.slipped_mm


Seen = PosesSeen | CalibrationSeen
"""What is recorded beside the events of the game."""
SIGHTS: Mapping[str, type[Seen]] = {kind.__name__: kind for kind in get_args(Seen)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One row of a journal."""

    id: int
    captured_ns: int
    what: Event | Seen


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """What the camera saw at a moment."""

    captured_ns: int
    jpeg: bytes


class Journal:
    """A journal that is being written; used from one thread."""

    def __init__(self, path: Path, *, about: Mapping[str, str]) -> None:
        """Start a new journal.

        Args:
            path: where; it must not exist yet.
            about: what the game started from, such as its situation as JSON.

        Raises:
            BadInput: there is a file already, or none can be made there.

        """
        if path.exists():
            raise BadInput(f"{path}: this file is there already; a journal is never written over")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, isolation_level=None)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.executescript(f"BEGIN; {_SCHEMA} COMMIT;")
        except (OSError, sqlite3.Error) as error:
            raise BadInput(f"{path}: no journal can be written here ({error})") from None
        self.path = path
        with self._db:
            self._db.executemany("INSERT INTO about VALUES (?, ?)", [("format", FORMAT), *about.items()])

    def append(self, *happenings: Stamped | tuple[int, Seen]) -> None:
        """Write some events, all or none; when this returns they survive the death of the process.

        Raises:
            OSError: they could not be written, for instance because the disk is full; nothing before is harmed.

        """
        rows = [_row(happening) for happening in happenings]
        self._insert("INSERT INTO events (captured_ns, kind, body) VALUES (?, ?, ?)", rows)

    def keep(self, picture: Picture) -> None:
        """Keep what the camera saw; errors as in `append`."""
        self._insert("INSERT INTO pictures (captured_ns, jpeg) VALUES (?, ?)", [(picture.captured_ns, picture.jpeg)])

    def _insert(self, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
        try:
            self._db.execute("BEGIN")
            self._db.executemany(statement, rows)
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise OSError(f"{self.path}: the journal cannot be written ({error}); free some disk space") from None

    def close(self) -> None:
        """Close the file; a journal that was never closed is whole all the same."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def _row(happening: Stamped | tuple[int, Seen]) -> tuple[int, str, str]:
    match happening:
        case Stamped(captured_ns=captured_ns, event=event):
            kind = type(event).__name__
            return captured_ns, kind, _adapter(kind).dump_json(event).decode()
        case (captured_ns, seen):
            return captured_ns, type(seen).__name__, seen.model_dump_json()


def read_about(path: Path) -> dict[str, str]:
    """Return what a game started from.

    Raises:
        BadInput: there is no such file, it is no journal, or it is of a newer version.

    """
    with _opened(path) as db:
        about = dict(_query(db, path, "SELECT key, value FROM about"))
    if about.get("format") != FORMAT:
        raise BadInput(f"{path}: this is {about.get('format', 'no journal')}; this version reads {FORMAT}")
    return about


def read_entries(path: Path, *, after: int = 0) -> Iterator[Entry]:
    """Yield what happened after the entry with an id, in order; errors as in `read_about`."""
    read_about(path)
    with _opened(path) as db:
        for row_id, captured_ns, kind, body in _query(
            db, path, "SELECT id, captured_ns, kind, body FROM events WHERE id > ? ORDER BY id", after
        ):
            try:
                what = SIGHTS[kind].model_validate_json(body) if kind in SIGHTS else _event(path, kind, body)
            except ValidationError as error:
                raise BadInput(f"{path}: event {row_id}: {sentence_of(error)}") from None
            yield Entry(id=row_id, captured_ns=captured_ns, what=what)


def read_picture(path: Path, captured_ns: int) -> Picture | None:
    """Return the picture that was kept nearest in time; None where none was, as in older journals.

    Raises:
        BadInput: there is no such file, or it is no journal.

    """
    with _opened(path) as db:
        if not list(_query(db, path, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'pictures'")):
            return None
        nearest = "SELECT captured_ns, jpeg FROM pictures ORDER BY abs(captured_ns - ?), id LIMIT 1"
        found = list(_query(db, path, nearest, captured_ns))
    return Picture(captured_ns=found[0][0], jpeg=found[0][1]) if found else None


def _event(path: Path, kind: str, body: str) -> Event:
    if kind not in KINDS:
        raise BadInput(f"{path}: it holds an event {kind!r} that this version does not know; a newer one wrote it")
    event: Event = _adapter(kind).validate_json(body)
    return event


@cache
def _adapter(kind: str) -> TypeAdapter[Any]:
    return TypeAdapter(KINDS[kind])


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a journal for reading only, and close it at the end."""
    if not path.is_file():
        raise BadInput(f"{path}: {'this is a folder' if path.is_dir() else 'there is no such file'}")
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as db:
        yield db


def _query(db: sqlite3.Connection, path: Path, query: str, *values: int) -> Iterator[Any]:
    try:
        yield from db.execute(query, values)
    except sqlite3.DatabaseError:
        raise BadInput(f"{path}: this is not a journal of a game") from None
