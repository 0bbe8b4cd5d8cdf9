"""A recording that was made to harm whoever opens it: each is refused in one sentence, and none is run."""

import sqlite3
import struct
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.recording.journal.cursor import read_entries
from assistant.recording.journal.hash_chain import compute_next_digest
from assistant.recording.journal.reader import read_about, read_picture, read_pictures
from assistant.recording.journal.writer import Journal
from assistant.recording.verification import verify

LAX = """
ALTER TABLE events RENAME TO strict;
CREATE TABLE events (id INTEGER PRIMARY KEY, captured_ns, kind, body, chain);
INSERT INTO events SELECT * FROM strict;
DROP TABLE strict;
"""
"""A table of rows that holds whatever is written to it."""

ENDLESS_VIEW = """
DROP TABLE events;
CREATE VIEW events AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n)
    SELECT id, 0 AS captured_ns, 'Undone' AS kind, '{}' AS body, x'00' AS chain FROM n;
"""
GENERATED_COLUMN = """
DROP TABLE events;
CREATE TABLE events (
    id INTEGER PRIMARY KEY, captured_ns INTEGER, kind TEXT, chain BLOB, body TEXT AS (printf('%.*c', 500000000, 'x'))
);
"""


def craft(path: Path, script: str) -> None:
    with closing(sqlite3.connect(path)) as db:
        triggers = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")]
        db.executescript("".join(f"DROP TRIGGER {name};" for name in triggers) + script)


def append_row(path: Path, captured_ns: object, kind: object, body: object) -> None:
    """Add a row that lies on the chain where it can, as somebody writes it who knows the format."""
    with closing(sqlite3.connect(path)) as db, db:
        last, head = db.execute("SELECT id, chain FROM events ORDER BY id DESC LIMIT 1").fetchone()
        try:
            chain = compute_next_digest(head, last + 1, captured_ns, kind, body)  # type: ignore[arg-type]
        except (TypeError, AttributeError, struct.error):
            chain = head
        db.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?)", (last + 1, captured_ns, kind, body, chain))


def read_all(path: Path) -> None:
    read_about(path)
    list(read_entries(path))
    list(read_pictures(path))


@pytest.mark.parametrize("ask", [read_all, verify], ids=["read", "verify"])
@pytest.mark.parametrize(
    "script",
    [
        ENDLESS_VIEW,
        "DROP TABLE about; CREATE VIEW about AS SELECT 'format' AS key, 'overtable.journal/2' AS value;",
        GENERATED_COLUMN,
        "DROP TABLE pictures; CREATE VIRTUAL TABLE pictures USING fts5(captured_ns, jpeg);",
    ],
    ids=["an endless view", "a view", "a generated column", "a virtual table"],
)
def test_what_would_have_to_be_run_is_refused(path: Path, script: str, ask: Callable[[Path], object]) -> None:
    craft(path, script)
    with pytest.raises(BadInput, match="it has a formula"):
        ask(path)


@pytest.mark.parametrize(
    ("captured_ns", "kind", "body"),
    [
        (None, "Undone", "{}"),
        (1.5, "Undone", "{}"),
        (b"\0", "Undone", "{}"),
        (10, None, "{}"),
        (10, 7, "{}"),
        (10, b"Undone", "{}"),
        (10, "Undone", None),
        (10, "Undone", 3.5),
        (10, "Undone", b"\xff"),
        (10, "Undone", "[" * 100_000),
        (10, "PosesSeen", b"\xff" * 40),
    ],
)
def test_a_row_that_no_journal_has_is_refused(path: Path, captured_ns: object, kind: object, body: object) -> None:
    craft(path, LAX)
    append_row(path, captured_ns, kind, body)
    with pytest.raises(BadInput):
        read_all(path)
    verify(path)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("PictureKept", "{}"),
        ("PictureKept", '{"picture": 10000000000000000000, "sha256": ""}'),
        ("PictureKept", b"\xff"),
        (
            "VideoKept",
            '{"began_ns": 1, "segment": 1, "at_byte": 0, "bytes": 1, "sha256": "", "size": [1], "pictures": []}',
        ),
        ("VideoKept", "null"),
    ],
)
def test_a_row_on_the_chain_that_is_nothing_is_found(path: Path, kind: str, body: str | bytes) -> None:
    append_row(path, 5_000_000_000, kind, body)
    broken = verify(path, video=True).broken
    assert broken is not None
    assert broken.event == 7


@pytest.mark.parametrize("value", ["NULL", "1.5", "x'ff'"])
def test_what_the_game_started_from_is_text(path: Path, value: str) -> None:
    craft(path, f"DROP TABLE about; CREATE TABLE about (key, value); INSERT INTO about VALUES ('format', {value});")
    with pytest.raises(BadInput, match="is no text"):
        read_about(path)


def test_a_picture_that_is_none_is_refused(path: Path) -> None:
    craft(
        path,
        "DROP TABLE pictures; CREATE TABLE pictures (id, captured_ns, jpeg); INSERT INTO pictures VALUES (1, 2, 3);",
    )
    for ask in (lambda: read_picture(path, 2), lambda: list(read_pictures(path))):
        with pytest.raises(BadInput, match="damaged"):
            ask()
    broken = verify(path).broken
    assert broken is not None
    assert broken.what.startswith("picture 1")


def test_a_game_is_not_gone_on_with_where_something_would_run(path: Path) -> None:
    craft(path, "CREATE TRIGGER slow AFTER INSERT ON events BEGIN SELECT 1; END;")
    with pytest.raises(BadInput, match=r"would run with every row that is written \(slow\)"):
        Journal(path, about={"title": "a game"}, go_on=True)


def test_a_value_longer_than_any_that_is_written_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assistant.recording.journal.reader.LONGEST_VALUE_BYTES", 1000)
    craft(path, "INSERT INTO pictures VALUES (3, 5, zeroblob(5000));")
    with pytest.raises(BadInput, match="damaged|cannot be read"):
        list(read_pictures(path))
