"""A journal says whether it is as it was recorded, and where it was first changed."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.game.events import Stamped, Withdrawn
from assistant.recording.journal.hash_chain import compute_first_digest, compute_next_digest
from assistant.recording.journal.writer import Journal
from assistant.recording.verification import VerificationResult, verify
from tests.assistant.recording.journal.test_packed_poses import SEEN
from tests.assistant.recording.journal.test_writer import write_old_journal

TRIGGERS = [f"{name}{there}" for name in ("about_stays", "events_stay", "pictures_stay") for there in ("", "_there")]


def change(path: Path, statement: str) -> VerificationResult:
    with closing(sqlite3.connect(path)) as db, db:
        for trigger in TRIGGERS:
            db.execute(f"DROP TRIGGER {trigger}")
        db.execute(statement)
    return verify(path)


def test_what_was_recorded_is_intact(path: Path) -> None:
    found = verify(path)
    assert (found.events, found.pictures, found.broken) == (6, 2, None)
    assert verify(path, head=found.head.upper()).since_head == 0


@pytest.mark.parametrize(
    ("statement", "event", "at_s", "what"),
    [
        ('UPDATE events SET body = \'{"models":["a"],"outcome":"legal"}\' WHERE id = 3', 3, 1, "event 3 (Accepted)"),
        ("UPDATE events SET captured_ns = 5000000000 WHERE id = 6", 6, 4, "event 6 (Withdrawn)"),
        ("UPDATE events SET kind = 'Undone' WHERE id = 6", 6, 3, "event 6 (Undone)"),
        ("UPDATE events SET body = substr(body, 1, 9) WHERE id = 2", 2, 0, "event 2 (PosesSeen)"),
        ("UPDATE events SET body = 1 WHERE id = 2", 2, 0, "event 2 (PosesSeen)"),
        ("UPDATE events SET chain = x'00' WHERE id = 6", 6, 3, "event 6 (Withdrawn)"),
        ("DELETE FROM events WHERE id = 3", 3, 1, "event 3 is missing"),
        ("UPDATE events SET id = 9 WHERE id = 3", 3, 1, "event 3 is missing"),
        ("INSERT INTO events VALUES (7, 5, 'Undone', '{}', x'00')", 7, 0, "event 7 (Undone)"),
        ("UPDATE about SET value = 'b game' WHERE key = 'title'", 1, 0, "or what the game started from is not"),
        ("INSERT INTO about VALUES ('more', '')", 1, 0, "or what the game started from is not"),
        ("UPDATE pictures SET jpeg = x'00' WHERE id = 2", 5, 2, "picture 2 is not what was recorded"),
        ("UPDATE pictures SET captured_ns = 2 WHERE id = 1", 4, 1, "picture 1 is not what was recorded"),
        ("DELETE FROM pictures WHERE id = 1", 4, 1, "picture 1 is missing"),
        ("INSERT INTO pictures VALUES (3, 3000000000, x'00')", None, 2, "picture 3 was not recorded, but added"),
    ],
)
def test_what_was_changed_is_found(path: Path, statement: str, event: int | None, at_s: int, what: str) -> None:
    broken = change(path, statement).broken
    assert broken is not None
    assert (broken.event, broken.at_ns) == (event, at_s * 10**9)
    assert what in broken.what


def test_a_time_counts_from_the_first_picture_and_not_from_what_was_before_it(tmp_path: Path) -> None:
    path = tmp_path / "game.overtable"
    with Journal(path, about={"title": "a game"}) as journal:
        journal.append(Stamped(captured_ns=0, event=Withdrawn()))
        journal.append((1_795_000_000_000_000_000, SEEN))
        journal.append(Stamped(captured_ns=1_795_000_007_000_000_000, event=Withdrawn()))
    broken = change(path, "UPDATE events SET kind = 'Undone' WHERE id = 4").broken
    assert broken is not None
    assert (broken.event, broken.at_ns) == (4, 7 * 10**9)


def test_a_row_that_sums_up_what_did_not_happen_is_found_by_whoever_knows_no_head(tmp_path: Path) -> None:
    """Even where every digest was made anew: what stands in the rows before is what counts."""
    path = tmp_path / "game.overtable"
    with Journal(path, about={"title": "a game"}) as journal:
        journal.append((2_000_000_000, SEEN))
        journal.append(
            (1_000_000_000, SEEN)
        )  # the clock was set back, so that it is said first where everything stands
    with closing(sqlite3.connect(path)) as db, db:
        for trigger in TRIGGERS:
            db.execute(f"DROP TRIGGER {trigger}")
        head = compute_first_digest(dict(db.execute("SELECT key, value FROM about")))
        for row, captured_ns, kind, told in db.execute("SELECT id, captured_ns, kind, body FROM events").fetchall():
            body = told if kind != "Standing" else told[:-5] + bytes([told[-5] ^ 1]) + told[-4:]
            head = compute_next_digest(head, row, captured_ns, kind, body)
            db.execute("UPDATE events SET body = ?, chain = ? WHERE id = ?", [body, head, row])
    broken = verify(path).broken
    assert broken is not None
    assert (broken.event, broken.what) == (3, "event 3 (Standing) does not say what the rows before add up to")


def test_only_a_head_that_was_written_down_tells_that_the_end_was_cut_off(path: Path) -> None:
    head = verify(path).head
    cut = change(path, "DELETE FROM events WHERE id = 6")
    assert (cut.events, cut.broken) == (5, None)
    broken = verify(path, head=head).broken
    assert broken is not None
    assert "the end was cut off" in broken.what
    assert verify(path, head=cut.head).broken is None


def test_a_game_that_went_on_after_its_head_was_written_down_is_intact(tmp_path: Path) -> None:
    path = tmp_path / "game.overtable"
    with Journal(path, about={}) as journal:
        begun = journal.head.hex()
        journal.append(Stamped(captured_ns=1, event=Withdrawn()))
        head = journal.head.hex()
        journal.append(Stamped(captured_ns=2, event=Withdrawn()))
        found = verify(path, head=head)
        assert (found.broken, found.since_head, found.head) == (None, 1, journal.head.hex())
        assert verify(path, head=begun).since_head == 2


def test_an_older_journal_cannot_be_checked(tmp_path: Path) -> None:
    write_old_journal(tmp_path / "old", ("Withdrawn", "{}"))
    with pytest.raises(BadInput, match="old: this is overtable.journal/1, whose rows are not chained"):
        verify(tmp_path / "old")
