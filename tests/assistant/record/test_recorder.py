"""While nothing can be written the game goes on, and afterwards only poses and pictures are lacking."""

from pathlib import Path

import pytest

from assistant.game.events import Accepted, SourceChanged, Stamped, Withdrawn
from assistant.record import recorder
from assistant.record.journal import Journal, NotRecorded, Picture, PosesSeen, Seen, read_entries
from assistant.record.recorder import AGAIN_NS, Recorder
from assistant.record.verify import verify
from assistant.session import Session
from tests.assistant.record.test_compact import SEEN
from tests.assistant.scripted import Script, game

LONG = Stamped(captured_ns=2, event=SourceChanged(state="lost", text="x" * 100_000))


def seen(x_mm: float) -> PosesSeen:
    first, second = SEEN.poses
    return SEEN.model_copy(update={"poses": (first.model_copy(update={"x_mm": x_mm}), second)})


def fill(journal: Journal) -> None:
    journal._db.execute("PRAGMA max_page_count = 1")


def free(journal: Journal) -> None:
    journal._db.execute("PRAGMA max_page_count = 100000")


def test_what_was_held_back_follows_a_row_that_says_what_is_lacking(tmp_path: Path) -> None:
    path = tmp_path / "game.overtable"
    with Journal(path, about={}) as journal:
        writer = Recorder(journal)
        writer.write((1, seen(1.0)))
        fill(journal)
        writer.write(LONG)
        assert "not recorded (the disk is full): free some space" in writer.trouble
        writer.write((3, seen(3.0)))
        writer.write(Picture(captured_ns=3, jpeg=b"a picture"))
        writer.write((4, seen(4.0)))
        writer.write(Stamped(captured_ns=5, event=Accepted(models=("a",), outcome="legal")))
        free(journal)
        writer.look(AGAIN_NS)
        assert writer.trouble != ""  # it is not tried with every picture
        writer.look(AGAIN_NS + 10)
        assert writer.trouble == ""
        writer.write(Stamped(captured_ns=AGAIN_NS + 20, event=Withdrawn()))
    entries = list(read_entries(path))
    assert [entry.captured_ns for entry in entries] == [1, 2, 2, 5, 4, AGAIN_NS + 20]
    gap = entries[1].what
    assert isinstance(gap, NotRecorded)
    assert (gap.until_ns, gap.lost_poses, gap.lost_events, gap.lost_pictures) == (AGAIN_NS + 10, 2, 0, 1)
    assert gap.why == "the disk is full"
    assert [entry.what for entry in entries[2:]] == [
        LONG.event,
        Accepted(models=("a",), outcome="legal"),
        seen(4.0),
        Withdrawn(),
    ]
    assert verify(path).broken is None


def test_what_is_told_together_is_written_at_once_and_all_of_it_held_back_where_it_cannot_be(tmp_path: Path) -> None:
    path = tmp_path / "game.overtable"
    with Journal(path, about={}) as journal:
        writer = Recorder(journal)
        with writer.together():
            writer.write((1, seen(1.0)))
            writer.write(Stamped(captured_ns=1, event=Withdrawn()))
            assert list(read_entries(path)) == []
        assert [entry.what for entry in read_entries(path)] == [seen(1.0), Withdrawn()]
        fill(journal)
        with writer.together():
            writer.write((2, seen(2.0)))
            writer.write(LONG)
        assert writer.trouble != ""
        free(journal)
        with writer.together():
            writer.write(Stamped(captured_ns=3, event=Withdrawn()))
        assert writer.trouble == ""
    _, _, gap, *rest = (entry.what for entry in read_entries(path))
    assert isinstance(gap, NotRecorded)
    assert (gap.lost_poses, gap.lost_events) == (1, 0)
    assert rest == [LONG.event, Withdrawn(), seen(2.0)]


def test_no_more_is_held_back_than_there_is_room_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "MOST", 2)
    with Journal(tmp_path / "game.overtable", about={}) as journal:
        writer = Recorder(journal)
        fill(journal)
        for _ in range(5):
            writer.write(LONG)
        free(journal)
        writer.catch_up(9)
    gap, *rest = (entry.what for entry in read_entries(tmp_path / "game.overtable"))
    assert isinstance(gap, NotRecorded)
    assert (gap.lost_events, rest) == (3, 2 * [LONG.event])


def test_a_game_that_outlived_a_full_disk_is_replayed_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "game.overtable"
    with Journal(path, about={}) as journal:
        session, script = Session(game(), journal), Script()
        session.see(script.frame())
        session.declare(unit="scouts", action="normal")
        fill(journal)
        journal._db.execute("PRAGMA query_only = 1")
        for snapshot in script.slide("s1", 350, 320):
            session.see(snapshot)
        session.accept()
        assert "not recorded" in session.trouble
        journal._db.execute("PRAGMA query_only = 0")
        free(journal)
        for snapshot in script.slide("s2", 350, 360):
            session.see(snapshot)
        session.close()
        assert session.trouble == ""
    again = Session(game())
    for entry in read_entries(path):
        again.now_ns = entry.captured_ns
        if isinstance(entry.what, Seen):
            again.show(entry.what)
        else:
            again.happen(entry.what)
    assert again.state == session.state
    assert again.poses == session.poses
