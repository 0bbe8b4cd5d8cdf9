"""The journal reader: opens the file, gives its description, pictures and digests, and says what is wrong with it.

A recording may come from anybody.  So nothing in it is run: it is read only where it holds plain tables and nothing
else that could answer for them, no value is longer than any that is written, and each is of the kind that is written.
"""

import itertools
import re
import sqlite3
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from assistant.errors import BadInput
from assistant.files.documents import shorten
from assistant.recording.journal.hash_chain import compute_first_digest
from assistant.recording.journal.row_types import KeptPicture

FORMAT = "overtable.journal/2"
"""What is written."""
CHAINED_FORMATS = {FORMAT}
"""Formats whose rows carry digests."""
READABLE_FORMATS = {"overtable.journal/1", *CHAINED_FORMATS}
"""What is read."""
_FORMULAS = (
    "SELECT name FROM sqlite_master WHERE type = 'view' OR sql LIKE 'CREATE VIRTUAL%'",
    *(
        f"SELECT name FROM pragma_table_xinfo('{table}') WHERE hidden > 0"  # noqa: S608 - these three, and no other
        for table in ("about", "events", "pictures")
    ),
)
"""Find what answers for a table without being one."""
LONGEST_VALUE_BYTES = 64 * 2**20
"""Of a picture or a row; the longest that is written has a few."""
_OURS = re.compile(r"overtable\.journal/(\d+)")
_MAGIC = b"SQLite format 3\0"
_HEADER = 100
"""Bytes of an SQLite file's header: at 16 the size of its pages, at 18 how it is written, at 28 how many there are."""
_WRITTEN_AHEAD = 2


def read_about(path: Path) -> dict[str, str]:
    """Return what a game started from.

    Raises:
        BadInput: there is no such file, it is no journal, it is damaged, or of a newer version.

    """
    with open_journal(path) as db:
        return query_about(db, path)


def read_picture(path: Path, captured_ns: int) -> KeptPicture | None:
    """Return the picture that was kept nearest in time; None where none was, as in older journals.

    Raises:
        BadInput: there is no such file, or it is no journal.

    """
    with open_journal(path) as db:
        if not _has_pictures(db, path):
            return None
        nearest = "SELECT captured_ns, jpeg FROM pictures ORDER BY abs(captured_ns - ?), id LIMIT 1"
        pictures = list(query(db, path, nearest, captured_ns))
    return _build_picture(path, pictures[0]) if pictures else None


def read_head(path: Path, entry: int) -> str | None:
    """Return the digest of a row, which vouches for all before it; None in older journals; errors as in `read_about`.

    Args:
        path: the journal.
        entry: the row; 0 for what the game started from.

    """
    with open_journal(path) as db:
        about = query_about(db, path)
        if about["format"] not in CHAINED_FORMATS:
            return None
        chains = [chain for (chain,) in query(db, path, "SELECT chain FROM events WHERE id = ?", entry)]
    return (chains[0] if chains else compute_first_digest(about)).hex()


def read_pictures(path: Path) -> Iterator[KeptPicture]:
    """Yield the pictures that were kept, in order; errors as in `read_about`."""
    with open_journal(path) as db:
        if not _has_pictures(db, path):
            return
        for picture in query(db, path, "SELECT captured_ns, jpeg FROM pictures ORDER BY id"):
            yield _build_picture(path, picture)


def _build_picture(path: Path, row: tuple[object, object]) -> KeptPicture:
    captured_ns, jpeg = row
    if not isinstance(captured_ns, int) or not isinstance(jpeg, bytes):
        raise build_damage_error(path, "a picture in it is none")
    return KeptPicture(captured_ns=captured_ns, jpeg=jpeg)


def _has_pictures(db: sqlite3.Connection, path: Path) -> bool:
    return bool(list(query(db, path, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'pictures'")))


def query_about(db: sqlite3.Connection, path: Path) -> dict[str, str]:
    """Return what the game in an opened journal started from; errors as in `read_about`."""
    if not list(query(db, path, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'about'")):
        raise BadInput(f"{path}: this is a database, but not a journal of a game")
    about = dict(query(db, path, "SELECT key, value FROM about"))
    if not all(isinstance(each, str) for each in itertools.chain(about, about.values())):
        raise build_damage_error(path, "what the game started from is no text")
    version = str(about.get("format", ""))
    if version not in READABLE_FORMATS:
        if not _OURS.fullmatch(version):
            raise BadInput(f"{path}: this is {version or 'a database'}, not a journal of a game")
        raise BadInput(
            f"{path}: this is {version}, which a newer version made; this one reads up to {FORMAT}: update it"
        )
    return about


@contextmanager
def open_journal(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a journal for reading only, and close it at the end; errors as in `read_about`."""
    check_file(path)
    with closing(_connect(path)) as db:
        _refuse_what_runs(db, path)
        yield db


def _refuse_what_runs(db: sqlite3.Connection, path: Path) -> None:
    """Raise BadInput where a table is none: behind its name a query or a formula may run for ever."""
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE_BYTES)
    db.execute("PRAGMA trusted_schema = OFF")
    for statement in _FORMULAS:
        for (name,) in query(db, path, statement):
            raise BadInput(f"{path}: this is not a journal of a game: where rows should be it has a formula ({name})")


def query(db: sqlite3.Connection, path: Path, statement: str, *values: int | str) -> Generator[Any, None, None]:
    """Yield the rows that a statement finds.

    Raises:
        BadInput: the file cannot be read, or is damaged.

    """
    try:
        yield from db.execute(statement, values)
    except OverflowError:  # a number that no row can have
        return
    except sqlite3.OperationalError as error:
        raise BadInput(f"{path}: this journal cannot be read ({shorten(' '.join(str(error).split()))})") from None
    except UnicodeDecodeError:  # SQLite's own names, or what it says of them
        raise build_damage_error(path, "a name or a text in it is none") from None
    except sqlite3.DatabaseError as error:
        raise build_damage_error(path, error) from None


def build_damage_error(path: Path, why: object) -> BadInput:
    """Return what is said of a journal that SQLite finds broken."""
    said = shorten(" ".join(str(why).split()))  # SQLite lists what is wrong in lines
    return BadInput(f"{path}: this journal is damaged ({said}); take another copy, from where it was recorded")


def check_file(path: Path) -> None:
    """Raise BadInput where a file cannot be a whole journal, by its first bytes and its size."""
    if not path.is_file():
        raise BadInput(f"{path}: {'this is a folder' if path.is_dir() else 'there is no such file'}")
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(_HEADER)
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror})") from None
    unwritten = _has_write_ahead_log(path)  # then SQLite knows better what there is
    if not head and not unwritten:
        raise BadInput(f"{path}: this file is empty; expected a journal of a game")
    if not _MAGIC.startswith(head[: len(_MAGIC)]):
        raise BadInput(f"{path}: this is not a journal of a game")
    if unwritten:
        return
    page, pages = int.from_bytes(head[16:18], "big"), int.from_bytes(head[28:32], "big")
    whole = (1 << 16 if page == 1 else page) * pages
    if len(head) < _HEADER or size < whole:
        short = f"{size:,} of {whole:,} bytes" if len(head) == _HEADER else f"{size} bytes"
        raise BadInput(
            f"{path}: this journal is cut short ({short} are there); take another copy, from where it was recorded"
        )
    if head[18] == _WRITTEN_AHEAD and pages == 1:
        raise BadInput(
            f"{path}: nothing of the game is in this file yet: it was copied while it was recorded, without"
            f" {path.name}-wal; copy both, from where it was recorded"
        )


def _connect(path: Path) -> sqlite3.Connection:
    """Open a file for reading, and leave nothing beside it.

    It is used from one thread, but may be closed in another: what is read only in part is left to the collector, which
    runs in any.
    """
    name = f"{path.resolve().as_uri()}?mode=ro"
    if not _has_write_ahead_log(path):
        # Whoever begins to write does so beside it.
        return sqlite3.connect(f"{name}&immutable=1", uri=True, check_same_thread=False)
    db = sqlite3.connect(name, uri=True, check_same_thread=False)
    try:
        db.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
    except sqlite3.OperationalError as error:
        db.close()
        raise BadInput(
            f"{path}: the end of it is still in {path.name}-wal, which cannot be put together here ({error});"
            " copy both into a folder where you may write"
        ) from None
    except sqlite3.DatabaseError:
        return db  # what is wrong is said where it is asked for
    return db


def _has_write_ahead_log(path: Path) -> bool:
    """Whether some of it is still beside it: it is being recorded, or who did was killed."""
    beside = path.with_name(path.name + "-wal")
    try:
        return beside.stat().st_size > 0
    except FileNotFoundError:
        return False
