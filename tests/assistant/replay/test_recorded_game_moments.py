"""Any moment of any recording is the game played until then, however the moment is found."""

import json
import random
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from assistant.errors import BadInput
from assistant.game.events import (
    CalibrationChanged,
    Declared,
    Event,
    ModelPlaced,
    ModelSettled,
    Ruled,
    SourceChanged,
    Stamped,
    Undone,
    Withdrawn,
)
from assistant.game.situation_file import encode_situation
from assistant.game.state import Declaration, Pose, Ruling
from assistant.recording.journal import journal_state as tail
from assistant.recording.journal.cursor import read_entries
from assistant.recording.journal.reader import read_about
from assistant.recording.journal.row_types import CalibrationDoubt, PosesSeen
from assistant.recording.journal.writer import Journal
from assistant.recording.poses import POSE_STATE_NAMES, PoseEntry
from assistant.recording.verification import verify
from assistant.replay import recorded_game as replayed
from assistant.replay.playback import play_entry, read_first_state, skip_zone
from assistant.replay.recorded_game import Moment, RecordedGame
from assistant.table.session import GameSession
from assistant.web.views.session import Source, build_view
from tests.assistant.replay.sample_recording import CALIBRATION
from tests.assistant.snapshot_script import build_game

SOURCE = Source(name="", title="", virtual=False, replay=True, state="live", text="", fps=0, latency_ms=0)
FRAME_NS = 33_000_000
MODELS = {"s1": 1, "s2": 2, "w1": 3}


def record_random_game(path: Path, draw: random.Random) -> None:
    """Record whatever a table may come to: hidden and lifted models, doubts, odd poses, a clock that is set back."""
    session = GameSession(build_game(), solve_zone=skip_zone)
    with Journal(path, about={"title": "a game", "situation": json.dumps(encode_situation(build_game()))}) as journal:
        now_ns = 1_800_000_000_000_000_000
        for _ in range(120):
            now_ns += draw.choice([0, FRAME_NS, FRAME_NS, FRAME_NS, 40 * FRAME_NS, -draw.randrange(10**9)])
            if draw.random() < 0.75:
                journal.append((now_ns, draw_poses(draw)))
            elif draw.random() < 0.1:
                journal.append((now_ns, CALIBRATION))
            else:
                event = draw_event(session, draw)
                session.record_event(event)
                journal.append(Stamped(captured_ns=now_ns, event=event))


def draw_poses(draw: random.Random) -> PosesSeen:
    odd = draw.random() < 0.1
    entries = tuple(
        PoseEntry(
            tag=MODELS[model],
            model=model,
            x_mm=round(draw.uniform(100, 900), 2) + (0.001 if odd else 0),  # which is finer than a compact pose
            y_mm=round(draw.uniform(100, 900), 2),
            facing_deg=round(draw.uniform(-180, 180), 2),
            z_mm=draw.choice([0.0, 76.2]),
            sigma_mm=(0.1, 0.05),
            sigma_deg=0.2,
            state=draw.choice((*POSE_STATE_NAMES, "seen", "held", "held")),
            moving=draw.random() < 0.5,
            other_z_mm=draw.choice([(), (0.0, 50.8)]),
            calibration=draw.choice(["ab12", "cd34"]),
        )
        for model in draw.sample(sorted(MODELS), draw.randrange(3))
    )
    doubts: list[CalibrationDoubt | None] = [None, None, None, "moving"]
    return PosesSeen(
        anchors_seen=draw.randrange(7),
        calibration=draw.choice(["ab12", "cd34"]),
        poses=entries,
        doubt=draw.choice(doubts),
    )


def draw_event(session: GameSession, draw: random.Random) -> Event:
    model = draw.choice(sorted(MODELS))
    here = Pose(x_mm=draw.uniform(100, 900), y_mm=draw.uniform(100, 900), sigma_mm=0.1)
    start = session.state.apply_tracks().find_model(model).pose or here
    may: list[Event] = [
        ModelPlaced(model=model, pose=here),
        ModelSettled(model=model, path=(start, here), observed=True),
        Declared(declaration=Declaration(unit="scouts", action="normal")),
        Withdrawn(),
        SourceChanged(state="live", text="the camera is live"),
        CalibrationChanged(what="camera-moved", moved_mm=3.0, before="ab12", after="cd34"),
        Ruled(ruling=Ruling(by="judge", outcome="legal", note="so it is", at_ns=5)),
        *([Undone()] if session.can_undo else []),
    ]
    return draw.choice(may)


def strip_summaries(path: Path) -> Path:
    """Return a recording as it was before its rows said where everything stands."""
    older = path.with_name("older.overtable")
    shutil.copy(path, older)
    with closing(sqlite3.connect(older)) as db, db:
        db.executescript("DROP TRIGGER events_stay_there; DROP INDEX happened; DROP INDEX stands;")
        assert db.execute("DELETE FROM events WHERE kind = 'Standing'").rowcount > 5
    return older


def convert_to_first_version(path: Path) -> Path:
    """Return a recording as the first version made it."""
    oldest = path.with_name("oldest.overtable")
    with closing(sqlite3.connect(oldest)) as db, db:
        db.executescript(
            "CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;"
            "CREATE TABLE events (id INTEGER PRIMARY KEY, captured_ns INTEGER NOT NULL, kind TEXT NOT NULL,"
            " body TEXT NOT NULL) STRICT;"
        )
        about = {**read_about(path), "format": "overtable.journal/1"}
        db.executemany("INSERT INTO about VALUES (?, ?)", about.items())
        with closing(sqlite3.connect(path)) as other:
            bodies = dict(other.execute("SELECT id, body FROM events"))
        for entry in read_entries(path):
            body = entry.what.model_dump_json() if isinstance(entry.what, PosesSeen) else bodies[entry.id]
            row = (entry.captured_ns, type(entry.what).__name__, body)
            db.execute("INSERT INTO events (captured_ns, kind, body) VALUES (?, ?, ?)", row)
    return oldest


def play_straight(path: Path, at_ns: int) -> GameSession:
    """Play a recording from its beginning."""
    session = GameSession(read_first_state(path, read_about(path)), solve_zone=skip_zone)
    began_ns = next(entry.captured_ns for entry in read_entries(path))
    for entry in read_entries(path):
        if entry.captured_ns - began_ns > at_ns:
            break
        play_entry(session, entry, path)
    session.now_ns = began_ns + at_ns
    return session


def list_facts(session: GameSession) -> Iterator[object]:
    yield session.now_ns, session.state, list(session.poses.items()), session.seen, session.pick
    yield (
        session.timeline.calibration_changes,
        session.timeline.past_ruling,
        session.rulings,
        session.can_undo,
        session.timeline.decision_count,
    )
    yield session.observations.hidden_ns, session.recorder.calibrations
    yield build_view(session, SOURCE).model_dump_json()


@pytest.mark.parametrize("age", [lambda path: path, strip_summaries, convert_to_first_version])
@pytest.mark.parametrize("seed", range(3))
def test_any_moment_is_the_game_played_until_then(
    age: object, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tail, "ROWS_PER_SUMMARY", 9)
    monkeypatch.setattr(replayed, "ROWS_PER_SUMMARY", 9)
    draw = random.Random(seed)
    record_random_game(tmp_path / "game.overtable", draw)
    assert verify(tmp_path / "game.overtable").broken is None
    assert callable(age)
    path = age(tmp_path / "game.overtable")
    past = RecordedGame(path)
    end_ns = past.find_end_ns()
    times = [0, end_ns, *(draw.randrange(end_ns) for _ in range(15))]
    for at_ns in times:
        moment = past.find_moment(at_ns)
        assert list(list_facts(moment.session)) == list(list_facts(play_straight(path, at_ns))), at_ns
    assert [describe_moment(past.find_moment(at_ns)) for at_ns in times] == [
        describe_moment(RecordedGame(path).find_moment(at_ns)) for at_ns in times
    ]


def describe_moment(moment: Moment) -> tuple[object, ...]:
    return moment.at_ns, moment.entry, moment.camera, build_view(moment.session, SOURCE)


def test_what_happened_is_told_as_it_is_when_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The times in the list, and the places to step to, are those of the rows before, whatever was left unread."""
    monkeypatch.setattr(tail, "ROWS_PER_SUMMARY", 9)
    path = tmp_path / "game.overtable"
    record_random_game(path, random.Random(8))
    older = strip_summaries(path)
    assert RecordedGame(path).list_move_times() == RecordedGame(older).list_move_times()
    lists = [
        [(each.at_ns, each.kind, each.text) for each in RecordedGame(p).judge_all().happenings] for p in (path, older)
    ]
    assert lists[0] == lists[1]
    assert sum(kind == "camera" for _, kind, _ in lists[0]) > 5


def test_poses_that_are_damaged_are_named_where_somebody_looks_and_nowhere_else(tmp_path: Path) -> None:
    path = tmp_path / "game.overtable"
    record_random_game(path, random.Random(1))
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DROP TRIGGER events_stay")
        chosen = "SELECT id FROM events WHERE kind = 'PosesSeen' AND typeof(body) = 'blob' AND length(body) > 30"
        ((row,),) = db.execute(f"{chosen} ORDER BY id DESC LIMIT 1")
        db.execute("UPDATE events SET body = substr(body, 1, 20) WHERE id = ?", [row])
    past = RecordedGame(path)
    assert past.find_moment(0).session.poses == play_straight(path, 0).poses
    with pytest.raises(BadInput, match=f"game.overtable: event {row}: its poses are not whole; the file is damaged"):
        past.find_moment(past.find_end_ns())
