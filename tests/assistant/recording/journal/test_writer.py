"""The journal grows, survives being killed, and says what is wrong with files that are none."""

import json
import os
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from assistant.errors import BadInput
from assistant.game.events import (
    Accepted,
    Bumped,
    CalibrationChanged,
    Declared,
    Event,
    Exchanged,
    ModelPlaced,
    ModelSettled,
    ModelsRemoved,
    ParametersSet,
    PutBack,
    Restored,
    RestoringBegan,
    Ruled,
    ScoreSet,
    SourceChanged,
    Stamped,
    StatusSet,
    StepBegan,
    Swapped,
    TerrainSettled,
    TerrainTaken,
    TurnBegan,
    Undone,
    Withdrawn,
)
from assistant.game.state import Declaration, FormerPlace, ModelTrack, Pose, Restoring, Ruling, Score, TerrainPlace
from assistant.recording.journal.cursor import read_entries
from assistant.recording.journal.reader import read_about, read_picture
from assistant.recording.journal.row_encoding import EVENT_KINDS
from assistant.recording.journal.row_types import (
    OBSERVATION_KINDS,
    CalibrationSeen,
    Called,
    CalledEffect,
    CalledFinding,
    FileUsed,
    KeptPicture,
    NotRecorded,
    PosesSeen,
)
from assistant.recording.journal.writer import Journal, JournalWriteError
from assistant.recording.poses import PoseEntry
from assistant.recording.verification import verify
from assistant.rules.verdict import Outcome
from calibration.camera_match import CameraMark
from tests.vision.synthetic_camera import CAMERA

POSE = Pose(x_mm=1.25, y_mm=2.5, facing_rad=0.1, sigma_mm=0.2)
EVENTS: list[Event] = [
    ModelPlaced(model="a", pose=POSE),
    ModelSettled(model="a", path=(POSE, Pose(x_mm=9, y_mm=2, z_mm=6, other_z_mm=(0,))), observed=False, unseen=(0,)),
    Declared(
        declaration=Declaration(
            unit="u",
            action="advance",
            rolls=(4,),
            intent={"charge": True, "toward": "w", "engages": ("x", "y"), "count": 2, "far": 1.5},
            lost=("b",),
        )
    ),
    Withdrawn(),
    Accepted(
        models=("a",), outcome="illegal", unit="u", action="normal", status={"u": ("x", "y")}, off=("c",), lost=("b",)
    ),
    TerrainSettled(piece="hill", place=TerrainPlace(x_mm=1 / 3, y_mm=0.1, facing_rad=-0.2, sigma_mm=0.1)),
    TerrainTaken(pieces=("hill", "hill-top"), place=TerrainPlace(x_mm=5.0, y_mm=0.1, facing_rad=0.0, sigma_rad=0.01)),
    TurnBegan(player="red", step="move-units", status={"u": ()}),
    TurnBegan(player="red", step="move-units", order=("red", "blue")),
    StepBegan(step="reinforcements"),
    StepBegan(step="move-units", player="blue"),
    ParametersSet(parameters={"premeasuring": False, "engagement_in": 2.0}),
    StatusSet(unit="u", status=("reserves",), off=("a",)),
    ScoreSet(player="red", score=Score(points=5, army="the Red")),
    ModelsRemoved(models=("a", "b")),
    Ruled(
        ruling=Ruling(
            by="players",
            outcome="legal",
            note="we agreed on six inches",
            unit="u",
            action="normal",
            rule="10e-15",
            subjects=("a",),
            agreed_mm=152.4,
            referee="illegal",
            text='a moved 6.3" of 6"',
        )
    ),
    Ruled(ruling=Ruling(by="judge", outcome="again", note="the table was bumped", at_ns=123)),
    Bumped(models=("a", "b")),
    PutBack(models=("a",)),
    Swapped(models=("a", "b"), tags={3: "b"}, since_ns=77, rings={3: "a"}),
    Exchanged(models=("a", "b")),
    RestoringBegan(
        restoring=Restoring(
            places={
                "s1": FormerPlace(accepted=POSE),
                "s2": FormerPlace(accepted=None, track=ModelTrack(poses=(POSE,), observed=True)),
            },
            when="0:01:02.3",
            at_ns=5,
        )
    ),
    Restored(back=("s1",), stay=("s2",)),
    Undone(),
    SourceChanged(state="lost", text="unplugged"),
    CalibrationChanged(what="camera-moved", moved_mm=5.1, turned_rad=0.0053, before="ab12", after="cd34"),
]
SEEN = PosesSeen(
    anchors_seen=6,
    calibration="ab12",
    poses=(
        PoseEntry(
            tag=1,
            model="a",
            x_mm=1,
            y_mm=2,
            facing_deg=3,
            z_mm=0,
            sigma_mm=(0.1, 0.1),
            sigma_deg=0.2,
            state="held",
            moving=False,
            other_z_mm=(6, 80),
            calibration="ab11",
        ),
    ),
    shown_twice=(1,),
    doubt="astray",
    astray=(581,),
    slipped_mm={583: 4.1},
)
CALIBRATION = CalibrationSeen.from_camera(
    CAMERA,
    anchors=(580, 581),
    mark=CameraMark(identity="usb 046d:0825", image_size=(1920, 1080), focus=3.0),
    files=(FileUsed(name="lens.json", sha256="0" * 64),),
)


GAP = NotRecorded(until_ns=2_000_000_000, lost_poses=3, lost_events=0, lost_pictures=1, why="the disk is full")


CALLED = Called(
    program="0.1.0",
    outcome="illegal",
    findings=(
        CalledFinding(
            rule="10e-15",
            outcome=Outcome.ILLEGAL,
            subjects=("a",),
            measured_mm=1 / 3,
            limit_mm=0.1,
            margin_mm=0.1 - 1 / 3,
            sigma_mm=None,
            text="a moved too far",
        ),
    ),
    effects=(CalledEffect(rule="10e-19", subjects=("u",), effect="cannot-shoot"),),
)


def write_old_journal(path: Path, *rows: tuple[str, str], told: str = "overtable.journal/1") -> None:
    """Write a journal as the first version did."""
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript(
            "CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;"
            "CREATE TABLE events (id INTEGER PRIMARY KEY, captured_ns INTEGER NOT NULL, kind TEXT NOT NULL,"
            " body TEXT NOT NULL) STRICT;"
        )
        db.execute("INSERT INTO about VALUES ('format', ?)", [told])
        db.executemany("INSERT INTO events (captured_ns, kind, body) VALUES (1, ?, ?)", rows)


def test_every_kind_of_event_comes_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "game.overtable"
    stamped = [Stamped(captured_ns=10 * i, event=event) for i, event in enumerate(EVENTS)]
    with Journal(path, about={"title": "a game"}) as journal:
        journal.append(*stamped)
        journal.append((990, SEEN))
        journal.append((995, CALIBRATION))
        journal.append((996, GAP))
        journal.append((997, CALLED))
    assert {type(event).__name__ for event in EVENTS} == set(EVENT_KINDS)
    assert {type(sight).__name__ for sight in (SEEN, CALIBRATION, GAP, CALLED)} == set(OBSERVATION_KINDS)
    entries = list(read_entries(path))
    assert [entry.what for entry in entries] == [*EVENTS, SEEN, CALIBRATION, GAP, CALLED]
    assert [entry.captured_ns for entry in entries] == [*range(0, 10 * len(EVENTS), 10), 990, 995, 996, 997]
    assert read_about(path)["title"] == "a game"


def test_a_recorded_calibration_measures_as_it_did() -> None:
    place = np.array([[300.0, 200.0, 4.0]])
    again = CALIBRATION.solved_camera
    assert again.id == CAMERA.id == CALIBRATION.calibration
    np.testing.assert_array_equal(again.image_from_table(place), CAMERA.image_from_table(place))
    np.testing.assert_array_equal(again.covariance_mm2(place), CAMERA.covariance_mm2(place))


def test_an_older_journal_is_read(tmp_path: Path) -> None:
    path = tmp_path / "game.overtable"
    pose = {"x_mm": 1, "y_mm": 2, "facing_rad": 0, "z_mm": 0, "sigma_mm": 0}
    entry = {"tag": 1, "model": "a", "x_mm": 1, "y_mm": 2, "facing_deg": 0, "z_mm": 0, "sigma_mm": [0, 0]}
    rows = [
        ("ModelSettled", {"model": "a", "path": [pose, pose], "observed": False}),
        (
            "PosesSeen",
            {
                "anchors_seen": 6,
                "calibration": "",
                "poses": [{**entry, "sigma_deg": 0, "state": "seen", "moving": True}],
            },
        ),
    ]
    write_old_journal(path, *((kind, json.dumps(body)) for kind, body in rows))
    settled, seen = (entry.what for entry in read_entries(path))
    assert isinstance(settled, ModelSettled)
    assert (settled.observed, settled.unseen, settled.path[0].other_z_mm) == (False, (), ())
    assert isinstance(seen, PosesSeen)
    assert (seen.shown_twice, seen.poses[0].other_z_mm, seen.poses[0].calibration) == ((), (), "")
    assert (seen.doubt, seen.astray, seen.slipped_mm) == (None, (), {})


def test_the_picture_nearest_in_time_is_found(tmp_path: Path) -> None:
    path = tmp_path / "game.overtable"
    with Journal(path, about={}) as journal:
        assert read_picture(path, 5) is None
        pictures = [KeptPicture(captured_ns=at, jpeg=f"{at}".encode()) for at in (10, 20, 30)]
        for picture in pictures:
            journal.keep(picture)
        assert [read_picture(path, at) for at in (0, 16, 99)] == pictures
        journal._db.execute("DROP TABLE pictures")
    assert read_picture(path, 0) is None


def test_what_came_after_an_entry_is_read_alone(tmp_path: Path) -> None:
    path = tmp_path / "game.overtable"
    with Journal(path, about={}) as journal:
        journal.append(*(Stamped(captured_ns=at, event=Withdrawn()) for at in range(4)))
        assert [entry.id for entry in read_entries(path, after=2)] == [3, 4]


@pytest.mark.parametrize(
    "change", ["DELETE FROM events", "UPDATE events SET kind = 'x'", "DELETE FROM about", "DELETE FROM pictures"]
)
def test_nothing_that_was_written_can_be_changed(tmp_path: Path, change: str) -> None:
    path = tmp_path / "game.overtable"
    with Journal(path, about={}) as journal:
        journal.append(Stamped(captured_ns=0, event=Withdrawn()))
        journal.keep(KeptPicture(captured_ns=0, jpeg=b"a picture"))
    db = sqlite3.connect(path)
    with pytest.raises(sqlite3.IntegrityError, match="only grows"):
        db.execute(change)
    db.close()


def test_a_journal_is_taken_away_from_a_thread_that_hangs(tmp_path: Path) -> None:
    path = tmp_path / "game.overtable"
    hung = Journal(path, about={})
    hung.append(Stamped(captured_ns=1, event=Withdrawn()))
    taker = threading.Thread(target=hung.take_away)
    taker.start()
    taker.join()
    with Journal(path, about={}, go_on=True) as journal:
        with pytest.raises(JournalWriteError, match="another line's"):
            hung.append(Stamped(captured_ns=2, event=Withdrawn()))
        journal.append(Stamped(captured_ns=3, event=Withdrawn()))
        hung.close()
    assert [entry.captured_ns for entry in read_entries(path)] == [1, 3]
    assert verify(path).broken is None


def test_the_second_writer_is_refused_and_readers_are_not(tmp_path: Path) -> None:
    path = tmp_path / "game.overtable"
    with Journal(path, about={}) as journal:
        with pytest.raises(BadInput, match="game.overtable: another overtable is recording to this file; end that one"):
            Journal(path, about={})
        journal.append(Stamped(captured_ns=1, event=Withdrawn()))
        assert [entry.captured_ns for entry in read_entries(path)] == [1]
    assert [entry.captured_ns for entry in read_entries(path)] == [1]
    with pytest.raises(BadInput, match="never written over"):
        Journal(path, about={})
    assert list(tmp_path.iterdir()) == [path]


def test_a_journal_is_gone_on_with(tmp_path: Path) -> None:
    path, about = tmp_path / "game.overtable", {"title": "a game", "situation": "{}"}
    for at in (10, 20, 30):
        with Journal(path, about=about, go_on=True) as journal:
            # With the names once, a row for each picture, and one where each steps back in time.
            assert journal.rows == {10: 0, 20: 5, 30: 9}[at]
            journal.append((at, SEEN), Stamped(captured_ns=at + 1, event=Withdrawn()))
            journal.keep(KeptPicture(captured_ns=at, jpeg=b"a picture"))
        wanted = [(a + i, what) for a in range(10, at + 1, 10) for i, what in enumerate((SEEN, Withdrawn()))]
        assert [(entry.captured_ns, entry.what) for entry in read_entries(path)] == wanted
    found = verify(path)
    assert (found.broken, found.pictures) == (None, 3)
    path.chmod(0o444)
    with (
        become_nobody(tmp_path),
        pytest.raises(BadInput, match="cannot be written to \\(attempt to write"),
    ):
        Journal(path, about=about, go_on=True)


def test_only_a_recording_of_the_same_game_is_gone_on_with(tmp_path: Path) -> None:
    path, old = tmp_path / "game.overtable", tmp_path / "old.overtable"
    Journal(path, about={"title": "a game", "situation": "{}"}).close()
    with pytest.raises(BadInput, match="game.overtable: this is a recording of another game, 'a game'; record"):
        Journal(path, about={"situation": "[]"}, go_on=True)
    write_old_journal(old)
    with pytest.raises(BadInput, match="overtable.journal/1, which can be replayed, but not gone on with"):
        Journal(old, about={}, go_on=True)
    old.write_text("notes")
    with pytest.raises(BadInput, match="this is not a journal"):
        Journal(old, about={}, go_on=True)
    with Journal(path, about={"situation": "{}"}, go_on=True), pytest.raises(BadInput, match="another overtable is"):
        Journal(path, about={"situation": "{}"}, go_on=True)


def test_a_journal_is_read_where_nothing_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / "games" / "game.overtable"
    with Journal(path, about={"title": "a game"}) as journal:
        journal.append(Stamped(captured_ns=1, event=Withdrawn()))
        killed = path.with_name("killed.overtable")
        for end in ("", "-wal"):  # as they are while it is written
            killed.with_name(killed.name + end).write_bytes(path.with_name(path.name + end).read_bytes())
    with become_nobody(tmp_path):
        path.chmod(0o444)
        path.parent.chmod(0o555)
        assert [entry.captured_ns for entry in read_entries(path)] == [1]
        assert verify(path).broken is None
        with pytest.raises(BadInput, match="is still in killed.overtable-wal.*; copy both into a folder where you may"):
            read_about(killed)
        with pytest.raises(BadInput, match="no journal can be written here \\(Permission denied\\)"):
            Journal(path.parent / "other.overtable", about={})


@contextmanager
def become_nobody(folder: Path) -> Iterator[None]:
    """Be somebody whom the rights to files bind, who owns a folder."""
    if os.geteuid() != 0:
        yield
        return
    for path in (folder, *folder.rglob("*")):
        os.chown(path, 65534, 65534)
    modes = {parent: parent.stat().st_mode for parent in folder.parents if parent.stat().st_uid == 0}
    for parent, mode in modes.items():
        parent.chmod(mode | 0o011)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)
        for parent, mode in modes.items():
            parent.chmod(mode)


def test_a_full_disk_is_said_and_harms_nothing(tmp_path: Path) -> None:
    path = tmp_path / "game.overtable"
    with Journal(path, about={}) as journal:
        journal.append(Stamped(captured_ns=1, event=Withdrawn()))
        journal._db.execute("PRAGMA max_page_count = 1")
        with pytest.raises(OSError, match="free some disk space"):
            journal.append(Stamped(captured_ns=2, event=SourceChanged(state="lost", text="x" * 100_000)))
        journal._db.execute("PRAGMA max_page_count = 1000")
        journal.append(Stamped(captured_ns=3, event=Withdrawn()))
    assert [entry.captured_ns for entry in read_entries(path)] == [1, 3]


def test_on_a_small_disk_what_is_written_ahead_stays_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ahead = {}
    for free in (2**20, 2**33):
        monkeypatch.setattr(shutil, "disk_usage", lambda _, free=free: SimpleNamespace(free=free))
        path = tmp_path / f"{free}.overtable"
        with Journal(path, about={}) as journal:
            for at in range(60):
                journal.append(Stamped(captured_ns=at, event=SourceChanged(state="lost", text="x" * 9000)))
            ahead[free] = path.with_name(path.name + "-wal").stat().st_size
        assert len(list(read_entries(path))) == 60
    assert ahead[2**20] < 400_000 < ahead[2**33]


def test_a_file_that_is_there_is_never_written_over(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("not a journal")
    with pytest.raises(BadInput, match="never written over"):
        Journal(tmp_path / "notes.txt", about={})
    (tmp_path / "folder").mkdir()
    with pytest.raises(BadInput, match="never written over"):
        Journal(tmp_path / "folder", about={})
    with pytest.raises(BadInput, match="no journal can be written here"):
        Journal(tmp_path / "notes.txt" / "game.overtable", about={})
    assert (tmp_path / "notes.txt").read_text() == "not a journal"


def test_a_damaged_event_is_named(tmp_path: Path) -> None:
    path = tmp_path / "game.overtable"
    write_old_journal(path, ("Accepted", "{}"))
    entries = read_entries(path)
    with pytest.raises(BadInput, match="game.overtable: event 1: models: this key is missing"):
        next(entries)


def test_an_event_of_a_newer_version_is_named(tmp_path: Path) -> None:
    path = tmp_path / "game.overtable"
    write_old_journal(path, ("Teleported", "{}"))
    with pytest.raises(BadInput, match="event 1: it is a 'Teleported', which this version does not know"):
        list(read_entries(path))


@pytest.mark.parametrize(
    ("kind", "body", "event"),
    [
        (
            "Declared",
            '{"declaration": {"unit": "u", "action": "advance", "rolls": [4]}}',
            Declared(declaration=Declaration(unit="u", action="advance", rolls=(4,))),
        ),
        ("Accepted", '{"models": ["a"], "outcome": "legal"}', Accepted(models=("a",), outcome="legal")),
        ("StatusSet", '{"unit": "u", "status": []}', StatusSet(unit="u", status=())),
    ],
)
def test_what_was_recorded_before_there_were_turns_is_still_read(
    tmp_path: Path, kind: str, body: str, event: Event
) -> None:
    path = tmp_path / "game.overtable"
    write_old_journal(path, (kind, body))
    assert [entry.what for entry in read_entries(path)] == [event]


def test_a_recording_that_was_copied_without_its_end_says_so(tmp_path: Path) -> None:
    path, alone = tmp_path / "game.overtable", tmp_path / "copy.overtable"
    with Journal(path, about={"title": "a game"}):
        shutil.copy(path, alone)
        assert read_about(path)["title"] == "a game"
    with pytest.raises(BadInput, match=r"copied while it was recorded, without copy.overtable-wal; copy both"):
        read_about(alone)
