"""The outbox remembers in the recording's file what a hall has, and is no part of the record."""

import sqlite3
from contextlib import closing
from pathlib import Path

from assistant.recording.journal.outbox import Outbox
from assistant.recording.journal.writer import Journal
from assistant.recording.verification import verify
from tests.assistant.recording.journal.test_writer import SEEN


def test_it_remembers_each_halls_rows_beside_the_chain(tmp_path: Path) -> None:
    path = tmp_path / "game.overtable"
    with Journal(path, about={"situation": "{}"}) as journal:
        outbox = Outbox.open(path, "one")
        assert outbox.acknowledged == -1
        outbox.acknowledge(7)
        journal.append((1, SEEN))  # while it is open
        outbox.close()
        other = Outbox.open(path, "other")
        assert (other.acknowledged, other.recording == outbox.recording) == (-1, False)
        other.close()
        again = Outbox.open(path, "one")
        assert (again.acknowledged, again.recording) == (7, outbox.recording)
        again.close()
    assert verify(path).broken is None
    with Journal(path, about={"situation": "{}"}, go_on=True) as journal:
        journal.append((2, SEEN))
    assert verify(path).broken is None


def test_where_it_cannot_be_written_rows_are_sent_again_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "game.overtable"
    with Journal(path, about={"situation": "{}"}):
        outbox = Outbox.open(path, "one")
        with closing(sqlite3.connect(path)) as db:
            db.execute("DROP TABLE outbox")
        outbox.acknowledge(3)
        assert outbox.acknowledged == 3
        outbox.close()
        again = Outbox.open(path, "one")
        assert again.acknowledged == -1
        again.close()
