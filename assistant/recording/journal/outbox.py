"""The outbox: which rows of a journal a hall has acknowledged, remembered in the journal's own file beside the chain.

The journal is what is sent, so nothing waits twice.  What is remembered here tells nothing of the game: it may be
lost, as by a copy that somebody makes of the rows alone, and then rows are sent again, which a hall is used to.
"""

import re
import secrets
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Self

from assistant.recording.journal.writer import connect_to_write

NAME_BYTES = 8
_NAME = re.compile(f"[0-9a-f]{{{2 * NAME_BYTES}}}")
_TABLE = """
CREATE TABLE IF NOT EXISTS outbox (hall TEXT PRIMARY KEY, recording TEXT NOT NULL, acknowledged INTEGER NOT NULL) STRICT
"""
_KEEP = """
INSERT INTO outbox VALUES (?, ?, ?)
ON CONFLICT (hall) DO UPDATE SET recording = excluded.recording, acknowledged = excluded.acknowledged
"""


class Outbox:
    """What one hall has of one recording; used from one thread, beside the journal's writer.

    Each write is one statement, so that the writer never waits for more than a page or two to be copied.
    """

    def __init__(self, db: sqlite3.Connection, hall: str) -> None:
        self._db, self._hall = db, hall
        self.recording = secrets.token_hex(NAME_BYTES)
        """By which the hall knows this recording, made at random: two games may begin from the same situation."""
        self.acknowledged = -1
        """The last row that the hall acknowledged; row 0 is what the game started from, -1 is nothing."""

    @classmethod
    def open(cls, path: Path, hall: str) -> Self:
        """Open the outbox of a journal that is there.

        Args:
            path: the journal.
            hall: by which name the hall is known.

        Raises:
            sqlite3.Error: it cannot be read or written now, as where the disk is full.

        """
        db = connect_to_write(path)
        try:
            db.execute("PRAGMA wal_autocheckpoint = 0")  # that is for who writes the game
            db.execute(_TABLE)
            outbox = cls(db, hall)
            known = "SELECT recording, acknowledged FROM outbox WHERE hall = ?"
            for recording, acknowledged in db.execute(known, (hall,)).fetchall():
                if _NAME.fullmatch(recording):
                    outbox.recording, outbox.acknowledged = recording, acknowledged
        except BaseException:
            db.close()
            raise
        outbox.acknowledge(outbox.acknowledged)
        return outbox

    def acknowledge(self, row: int) -> None:
        """Remember that the hall has all rows up to one; where that cannot be written, they are sent again one day."""
        self.acknowledged = row
        try:
            self._db.execute(_KEEP, (self._hall, self.recording, row))
        except sqlite3.Error:
            return

    def close(self) -> None:
        """Close the file."""
        with closing(self._db):
            pass
