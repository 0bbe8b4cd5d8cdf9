"""While nothing can be written the game goes on, and afterwards only poses and pictures are lacking."""

from pathlib import Path

import pytest

from assistant.game.events import Accepted, SourceChanged, Stamped, Withdrawn
from assistant.recording.journal import writer as recorder
from assistant.recording.journal.cursor import read_entries
from assistant.recording.journal.row_types import KeptPicture, NotRecorded, ObservationRow, PosesSeen
from assistant.recording.journal.writer import RETRY_NS, Journal, Recorder
from assistant.recording.verification import verify
from assistant.table.session import GameSession
from tests.assistant.recording.journal.test_packed_poses import SEEN
from tests.assistant.snapshot_script import SnapshotScript, build_game

LONG = Stamped(captured_ns=2, event=SourceChanged(state="lost", text="x" * 100_000))


def build_poses(x_mm: float) -> PosesSeen:
    first, second = SEEN.poses
    return SEEN.model_copy(update={"poses": (first.model_copy(update={"x_mm": x_mm}), second)})


def fill_disk(journal: Journal) -> None:
    journal._db.execute("PRAGMA max_page_count = 1")


def free_disk(journal: Journal) -> None:
    journal._db.execute("PRAGMA max_page_count = 100000")


def test_what_was_held_back_follows_a_row_that_says_what_is_lacking(tmp_path: Path) -> None:
    path = tmp_path / "game.overtable"
    with Journal(path, about={}) as journal:
        writer = Recorder(journal)
        writer.write((1, build_poses(1.0)))
        fill_disk(journal)
        writer.write(LONG)
        assert "not recorded (the disk is full): free some space" in writer.trouble
        writer.write((3, build_poses(3.0)))
        writer.write(KeptPicture(captured_ns=3, jpeg=b"a picture"))
        writer.write((4, build_poses(4.0)))
        writer.write(Stamped(captured_ns=5, event=Accepted(models=("a",), outcome="legal")))
        free_disk(journal)
        writer.retry_if_due(RETRY_NS)
        assert writer.trouble != ""  # it is not tried with every picture
        writer.retry_if_due(RETRY_NS + 10)
        assert writer.trouble == ""
        writer.write(Stamped(captured_ns=RETRY_NS + 20, event=Withdrawn()))
    entries = list(read_entries(path))
    assert [entry.captured_ns for entry in entries] == [1, 2, 2, 5, 4, RETRY_NS + 20]
    gap = entries[1].what
    assert isinstance(gap, NotRecorded)
    assert (gap.until_ns, gap.lost_poses, gap.lost_events, gap.lost_pictures) == (RETRY_NS + 10, 2, 0, 1)
    assert gap.why == "the disk is full"
    assert [entry.what for entry in entries[2:]] == [
        LONG.event,
        Accepted(models=("a",), outcome="legal"),
        build_poses(4.0),
        Withdrawn(),
    ]
    assert verify(path).broken is None


def test_what_is_told_together_is_written_at_once_and_all_of_it_held_back_where_it_cannot_be(tmp_path: Path) -> None:
    path = tmp_path / "game.overtable"
    with Journal(path, about={}) as journal:
        writer = Recorder(journal)
        with writer.write_together():
            writer.write((1, build_poses(1.0)))
            writer.write(Stamped(captured_ns=1, event=Withdrawn()))
            assert list(read_entries(path)) == []
        assert [entry.what for entry in read_entries(path)] == [build_poses(1.0), Withdrawn()]
        fill_disk(journal)
        with writer.write_together():
            writer.write((2, build_poses(2.0)))
            writer.write(LONG)
        assert writer.trouble != ""
        free_disk(journal)
        with writer.write_together():
            writer.write(Stamped(captured_ns=3, event=Withdrawn()))
        assert writer.trouble == ""
    _, _, gap, *rest = (entry.what for entry in read_entries(path))
    assert isinstance(gap, NotRecorded)
    assert (gap.lost_poses, gap.lost_events) == (1, 0)
    assert rest == [LONG.event, Withdrawn(), build_poses(2.0)]


def test_no_more_is_held_back_than_there_is_room_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "MOST_HELD", 2)
    with Journal(tmp_path / "game.overtable", about={}) as journal:
        writer = Recorder(journal)
        fill_disk(journal)
        for _ in range(5):
            writer.write(LONG)
        free_disk(journal)
        writer.catch_up(9)
    gap, *rest = (entry.what for entry in read_entries(tmp_path / "game.overtable"))
    assert isinstance(gap, NotRecorded)
    assert (gap.lost_events, rest) == (3, 2 * [LONG.event])


def test_a_game_that_outlived_a_full_disk_is_replayed_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "game.overtable"
    with Journal(path, about={}) as journal:
        session, script = GameSession(build_game(), journal), SnapshotScript()
        session.observe(script.take_snapshot())
        session.declare(unit="scouts", action="normal")
        fill_disk(journal)
        journal._db.execute("PRAGMA query_only = 1")
        for snapshot in script.slide("s1", 350, 320):
            session.observe(snapshot)
        session.accept()
        assert "not recorded" in session.recorder.trouble
        journal._db.execute("PRAGMA query_only = 0")
        free_disk(journal)
        for snapshot in script.slide("s2", 350, 360):
            session.observe(snapshot)
        session.close()
        assert session.recorder.trouble == ""
    again = GameSession(build_game())
    for entry in read_entries(path):
        again.now_ns = entry.captured_ns
        if isinstance(entry.what, ObservationRow):
            again.apply_observation(entry.what)
        else:
            again.record_event(entry.what)
    assert again.state == session.state
    assert again.poses == session.poses


def test_after_a_bug_in_the_middle_of_writing_nothing_is_half_written_and_all_follows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "game.overtable"
    accepted = Stamped(captured_ns=2, event=Accepted(models=("a",), outcome="legal"))
    with Journal(path, about={}) as journal:
        writer = Recorder(journal)
        with monkeypatch.context() as patched:
            patched.setattr(recorder, "INSERT_EVENT", 7)  # no text: it is found out once the writing has begun
            writer.write(accepted)
        assert "not recorded (something went wrong inside): it is tried again" in writer.trouble
        assert [record.exc_info is not None for record in caplog.records] == [True]
        writer.catch_up(3)
        assert writer.trouble == ""
    assert verify(path).broken is None
    assert [entry.what for entry in read_entries(path)][1:] == [accepted.event]
