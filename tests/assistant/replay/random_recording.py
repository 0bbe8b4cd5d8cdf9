"""A random recording: whatever a table may come to, as it is recorded now and as older programs did."""

import json
import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

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
from assistant.recording.journal.cursor import read_entries
from assistant.recording.journal.reader import read_about
from assistant.recording.journal.row_types import CalibrationDoubt, PosesSeen
from assistant.recording.journal.writer import Journal
from assistant.recording.poses import POSE_STATE_NAMES, PoseEntry, name_in_file
from assistant.table.session import GameSession
from assistant.table.zone_query import skip_zone
from tests.assistant.replay.sample_recording import CALIBRATION
from tests.assistant.snapshot_script import build_game
from vision.marker_numbers import number_ring

FRAME_NS = 33_000_000
MODELS = {"s1": 1, "s2": number_ring(1), "w1": 3}
"""By marker."""


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
            **name_in_file(MODELS[model]),
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
