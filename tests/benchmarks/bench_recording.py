"""Recording: three hours at thirty pictures a second, in each of which five of a hundred models have moved."""

import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from assistant.errors import BadInput
from assistant.recording.journal.cursor import read_entries
from assistant.recording.journal.row_types import PosesSeen
from assistant.recording.journal.writer import Journal
from assistant.recording.verification import verify
from assistant.recording.video.reader import read_frames, read_runs
from tests.assistant.recording.journal.crash_simulation import FRAME_NS, simulate_motion, simulate_rows
from tests.assistant.recording.video.crash_simulation import FRAME_NS as FILMED_NS

PICTURES = 3 * 3600 * 30
SHARE = 36_000
"""So many of them are recorded as the first version did, and its size is taken for all."""
KILLS = 200
_FIRST = """
PRAGMA journal_mode=WAL;
PRAGMA synchronous=NORMAL;
CREATE TABLE events (
    id INTEGER PRIMARY KEY, captured_ns INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL
) STRICT;
"""


def run() -> Iterator[str]:
    """Record the game, as now and as the first version did, read and verify it, and kill those who record."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yield _format_costs("overtable.journal/2", *_time_recording(folder / "game.overtable"))
        yield _format_costs("overtable.journal/1", *_time_first_format(folder / "first.db"))
        began_s = time.perf_counter()
        entries = sum(1 for _ in read_entries(folder / "game.overtable"))
        yield f"{entries} entries read in {time.perf_counter() - began_s:.1f} s"
        began_s = time.perf_counter()
        assert verify(folder / "game.overtable").broken is None
        yield f"verified in {time.perf_counter() - began_s:.1f} s"
        shutil.rmtree(folder)
        folder.mkdir()
        yield _check_killed(folder)
        shutil.rmtree(folder)
        folder.mkdir()
        yield _check_killed_filming(folder)


def _format_costs(what: str, size: float, costs_us: list[float]) -> str:
    costs_us.sort()
    median, worst = statistics.median(costs_us), costs_us[int(0.999 * len(costs_us))]
    return (
        f"{what}: {size / 1e6:.1f} MB for {PICTURES} pictures of 5 poses, {size / PICTURES:.0f} bytes each;"
        f" an append {median:.0f} us, of a thousand the worst {worst:.0f} us"
    )


def _time_recording(path: Path) -> tuple[float, list[float]]:
    costs = []
    with Journal(path, about={"title": "long"}) as journal:
        for at, poses in enumerate(islice(simulate_motion(random.Random(4)), PICTURES)):
            seen = PosesSeen(anchors_seen=6, calibration="0123456789ab", poses=poses)
            began_s = time.perf_counter()
            journal.append((at * FRAME_NS, seen))
            costs.append(1e6 * (time.perf_counter() - began_s))
    return path.stat().st_size, costs


def _time_first_format(path: Path) -> tuple[float, list[float]]:
    costs = []
    db = sqlite3.connect(path, isolation_level=None)
    db.executescript(_FIRST)
    for at, poses in enumerate(islice(simulate_motion(random.Random(4)), SHARE)):
        seen = PosesSeen(anchors_seen=6, calibration="0123456789ab", poses=poses)
        began_s = time.perf_counter()
        row = (at * FRAME_NS, "PosesSeen", seen.model_dump_json())
        db.execute("BEGIN")
        db.executemany("INSERT INTO events (captured_ns, kind, body) VALUES (?, ?, ?)", [row])
        db.execute("COMMIT")
        costs.append(1e6 * (time.perf_counter() - began_s))
    db.close()
    return path.stat().st_size / SHARE * PICTURES, costs


def _check_killed(folder: Path) -> str:
    """Return what became of recordings whose process was killed."""
    command = [sys.executable, "-m", "tests.assistant.recording.journal.crash_simulation", str(folder), "7", str(KILLS)]
    acknowledged = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    lost, worst_ms = 0, 0.0
    for at, count in enumerate(map(int, acknowledged)):
        path = folder / f"{at}.overtable"
        began_s = time.perf_counter()
        entries = list(read_entries(path))
        worst_ms = max(worst_ms, 1e3 * (time.perf_counter() - began_s))
        made = islice(simulate_rows(random.Random(7 + at)), count)
        wanted = [each if isinstance(each, tuple) else (each.captured_ns, each.event) for each in made]
        lost += [(entry.captured_ns, entry.what) for entry in entries[:count]] != wanted
        lost += verify(path).broken is not None  # which checks SQLite's integrity, too
    total = sum(map(int, acknowledged))
    return (
        f"killed {KILLS} times while recording, after {total} acknowledged entries: {lost} files lost any;"
        f" opened and read in {worst_ms:.0f} ms at worst"
    )


def _check_killed_filming(folder: Path) -> str:
    """Return what became of videos whose process was killed."""
    command = [sys.executable, "-m", "tests.assistant.recording.video.crash_simulation", str(folder), "7", str(KILLS)]
    handed_in = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    worst_ms, damaged, kept = 0.0, 0, 0
    for at, count in enumerate(map(int, handed_in)):
        path = folder / f"{at}.overtable"
        try:
            (film,) = read_runs(path)
        except BadInput:
            found = 0  # killed before the first piece was whole
        else:
            found = sum(1 for _ in read_frames(path, film))
        checked = verify(path, video=True)
        damaged += not (checked.broken is None and checked.video_broken is None)
        worst_ms, kept = max(worst_ms, (count - found) * FILMED_NS / 1e6), kept + found
    total = sum(map(int, handed_in))
    return (
        f"killed {KILLS} times while filming, after {total} pictures: {kept} are there, {damaged} files are damaged,"
        f" {worst_ms:.0f} ms lost at worst"
    )
