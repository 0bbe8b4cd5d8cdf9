"""Copying a journal while a game is written to it: one whole file, as it stood at one moment."""

import sqlite3
from contextlib import closing
from pathlib import Path

from assistant.recording.journal.reader import build_damage_error, open_journal


def copy_journal(path: Path, to: Path) -> None:
    """Write a copy of a journal to a new file, which needs no other beside it.

    Raises:
        BadInput: there is no such file, it is no journal, or it is damaged.
        OSError: the copy cannot be written.

    """
    with open_journal(path) as db, closing(sqlite3.connect(to)) as copy:
        try:
            db.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
        except sqlite3.OperationalError as error:
            raise OSError(f"{to}: the copy cannot be written ({error})") from None
        except sqlite3.DatabaseError as error:
            raise build_damage_error(path, error) from None
