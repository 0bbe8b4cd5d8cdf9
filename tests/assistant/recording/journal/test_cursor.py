"""The journal cursor yields the rows that there are, decodes no more than is asked for, and says what is damaged."""

import random
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.errors import BadInput
from assistant.recording.journal import journal_state
from assistant.recording.journal.cursor import GameClock, JournalCursor, RawRow, Scan, read_entries, read_names
from assistant.recording.journal.packed_poses import HEAD_BYTES, NameTable
from assistant.recording.journal.reader import open_journal
from assistant.recording.journal.row_types import BOOKKEEPING_KINDS
from assistant.replay.playback import play_downsampled, play_events
from assistant.replay.recorded_game import RecordedGame
from assistant.replay.reports.statistics import compute_statistics
from tests.assistant.replay.random_recording import convert_to_first_version, record_random_game, strip_summaries

Ageing = Callable[[Path], Path]


def keep_present(path: Path) -> Path:
    return path


@pytest.fixture(params=[keep_present, strip_summaries, convert_to_first_version])
def journal(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A recording as it is made now, without summaries, and of the first version."""
    monkeypatch.setattr(journal_state, "ROWS_PER_SUMMARY", 9)
    record_random_game(tmp_path / "game.overtable", random.Random(5))
    age: Ageing = request.param
    return age(tmp_path / "game.overtable")


def select_rows(path: Path) -> list[RawRow]:
    with closing(sqlite3.connect(path)) as db:
        return [RawRow(*row) for row in db.execute("SELECT id, captured_ns, kind, body FROM events ORDER BY id")]


def cut_poses(row: RawRow) -> RawRow:
    packed = row.kind == "PosesSeen" and isinstance(row.body, bytes)
    return row._replace(body=row.body[:HEAD_BYTES]) if packed else row


def test_what_is_left_half_read_may_be_collected_in_any_thread(journal: Path) -> None:
    entries = read_entries(journal)
    assert next(entries).captured_ns >= 0
    with ThreadPoolExecutor(1) as other:
        other.submit(entries.close).result()
    assert next(entries, None) is None


@pytest.mark.parametrize("after", [0, 1, 40, 1000])
def test_every_scan_yields_the_rows_that_there_are(journal: Path, after: int) -> None:
    rows = [row for row in select_rows(journal) if row.id > after]
    heads = [cut_poses(row) for row in rows]
    summed = max((row.id for row in rows if row.kind == "Standing"), default=0)
    events = [row for row in heads if row.id > summed or row.kind not in {"PosesSeen", "VideoKept"}]
    calibrations = [row if row.kind == "CalibrationSeen" else row._replace(kind="", body="") for row in rows]
    with open_journal(journal) as db:
        for clock in (None, GameClock()):  # with one the rows take another way

            def scan(scan: Scan = Scan.WHOLE, *, only: str | None = None, most: int = -1) -> list[RawRow]:
                cursor = JournalCursor(db, journal, after=after, scan=scan, only=only, most=most, clock=clock)  # noqa: B023
                return list(cursor.rows())

            assert scan() == rows
            assert scan(Scan.HEADS) == heads
            assert scan(Scan.HEADS, most=7) == heads[:7]
            assert scan(Scan.EVENTS) == events
            assert scan(only="CalibrationSeen") == calibrations
        (*_, last) = JournalCursor(db, journal, scan=Scan.HEADS).rows()
        assert [JournalCursor(db, journal).read_whole(last)] == list(read_entries(journal))[-1:]


def test_names_are_learned_and_the_clock_is_moved_before_a_row_is_yielded(journal: Path) -> None:
    rows = select_rows(journal)
    clock, names = GameClock(), NameTable()
    at_ns = 0
    with open_journal(journal) as db:
        for row in JournalCursor(db, journal, names=names, clock=clock).rows():
            at_ns = max(at_ns, row.captured_ns - rows[0].captured_ns)
            known = read_names(db, journal, until=row.id)
            assert (clock.at_ns, names.bases, names.calibrations) == (at_ns, known.bases, known.calibrations)
        entries = list(JournalCursor(db, journal, names=NameTable()).entries())
        middle, until_ns = rows[len(rows) // 3], at_ns // 2
        clock = GameClock(began_ns=rows[0].captured_ns, at_ns=17)
        cursor = JournalCursor(db, journal, clock=clock, clock_after=middle.id, until_ns=until_ns)
        met = [(row.id, clock.at_ns) for row in cursor.rows()]
    assert [entry.id for entry in entries] == [row.id for row in rows if row.kind not in BOOKKEEPING_KINDS]
    before = [(row.id, 17) for row in rows if row.id <= middle.id]
    assert met[: len(before)] == before
    assert len(before) < len(met) < len(rows)
    assert max(time_ns for _, time_ns in met) <= until_ns < clock.at_ns


def damage(path: Path, kind: str) -> int:
    """Spoil the last row of a kind; return which it is."""
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DROP TRIGGER events_stay")
        ((row,),) = db.execute("SELECT max(id) FROM events WHERE kind = ?", [kind])
        db.execute("UPDATE events SET body = substr(body, 1, 4) WHERE id = ?", [row])
    return int(row)


def read_all(path: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    yield "entries", lambda: list(read_entries(path))
    yield "events", lambda: list(play_events(path))
    yield "downsampled", lambda: list(play_downsampled(path))
    yield "statistics", lambda: compute_statistics(path)
    yield "end", lambda: RecordedGame(path).find_end_ns()
    yield "beginning", lambda: RecordedGame(path).find_moment(0)
    yield "judged", lambda: RecordedGame(path).judge_all()


@pytest.mark.parametrize(
    ("kind", "readers"),
    [
        ("Named", {"entries", "downsampled", "statistics", "judged"}),
        ("PosesSeen", {"entries", "downsampled", "statistics", "judged"}),
        ("Standing", {"events", "statistics", "end", "beginning"}),
        ("ModelSettled", {"entries", "events", "downsampled", "statistics", "beginning", "judged"}),
    ],
)
def test_what_is_damaged_is_named_by_those_who_need_it_and_hinders_nobody_else(
    kind: str, readers: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_state, "ROWS_PER_SUMMARY", 9)
    path = tmp_path / "game.overtable"
    record_random_game(path, random.Random(5))
    row = damage(path, kind)
    refusals = {}
    for reader, read in read_all(path):
        try:
            read()
        except BadInput as error:
            refusals[reader] = str(error)
    assert refusals.keys() == readers
    assert all(sentence.startswith(f"{path}: event {row}: ") for sentence in refusals.values()), refusals


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_batches_are_the_rows_with_their_names_and_times(journal: Path, size: int) -> None:
    with open_journal(journal) as db:
        names, clock, known, steps = NameTable(), GameClock(), NameTable(), GameClock()
        batches = list(JournalCursor(db, journal, names=names).batches(size))
        rows = list(JournalCursor(db, journal, names=known).rows())
    assert [row for batch in batches for row in batch] == rows
    assert {len(batch) for batch in batches[:-1]} <= {size}
    assert (names.bases, names.calibrations) == (known.bases, known.calibrations)
    times = [clock.advance_all([row.captured_ns for row in batch]).tolist() for batch in batches]
    assert [at_ns for batch in times for at_ns in batch] == [steps.advance(row.captured_ns) for row in rows]
    assert (clock.began_ns, clock.at_ns) == (steps.began_ns, steps.at_ns)


@given(batches=st.lists(st.lists(st.sampled_from([0, 3, 5, 8, 13, 10**18]), min_size=1, max_size=5), max_size=4))
def test_a_clock_that_is_moved_by_many_rows_tells_the_time_of_each(batches: list[list[int]]) -> None:
    one, many = GameClock(), GameClock()
    for batch in batches:
        assert many.advance_all(batch).tolist() == [one.advance(captured_ns) for captured_ns in batch]
        assert (many.began_ns, many.at_ns) == (one.began_ns, one.at_ns)


@pytest.mark.parametrize("bad", [(12, 1.5, "Named", ""), (12, 1, None, ""), (12, 1, "Named", 7)])
def test_a_batch_with_a_row_that_is_none_names_it(bad: tuple[object, ...]) -> None:
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE TABLE events (id, captured_ns, kind, body)")
        db.executemany("INSERT INTO events VALUES (?, ?, ?, ?)", [(11, 1, "Named", ""), bad, (13, 2, "Named", b"")])
        with pytest.raises(BadInput, match="event 12: it is no row"):
            list(JournalCursor(db, Path("game")).batches(5))
