"""Looking back into a game of three hours: a hundred models, and five of them moving in each of 324,000 pictures."""

import json
import random
import shutil
import sqlite3
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from assistant.cli.spared import spared
from assistant.past.lines import lines
from assistant.past.replayed import Past
from assistant.past.statistics import statistics as figures
from assistant.record.journal import Journal, read_about
from assistant.record.verify import verify
from assistant.web.onefile import one_file
from assistant.web.past import past_view
from tests.benchmarks.long_game import MOVES, PICTURES, record

SEEKS = 200


def run() -> Iterator[str]:
    """Record the game, then open it and look into it here and there."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "game.overtable"
        record(path)
        yield f"{MOVES} moves, {MOVES * PICTURES} pictures of 5 poses: {path.stat().st_size / 1e6:.1f} MB"
        yield from _looked_into(path, "")
        older = _older(path)
        yield from _looked_into(older, ", recorded before rows summed up where models stood")
        older.unlink()
        yield from _worked_over(path)


def _looked_into(path: Path, said: str) -> Iterator[str]:
    """Open a recording, and look at moments at once and while it is judged."""
    began_s = time.perf_counter()
    past = Past(path)
    end_ns = past.ended_ns()
    _look(past, 0)
    yield f"opened until its beginning is shown in {time.perf_counter() - began_s:.2f} s{said}"
    with spared():
        if said:
            yield f"its end is shown the first time after {_look(past, end_ns):.0f} ms"
        draw = random.Random(3)
        times = [draw.randrange(end_ns) for _ in range(SEEKS)]
        yield f"any moment with its verdict as the page has it {_share([_look(past, at_ns) for at_ns in times])}"
        if said:
            return
        stop = threading.Event()
        judging = threading.Thread(target=_judge, args=(past, stop))
        judging.start()
        yield f"the same while the list of findings is made {_share([_look(past, at_ns) for at_ns in times])}"
        stop.set()
        judging.join()
        began_s = time.perf_counter()
        log = Past(path).judged()
        took_s = time.perf_counter() - began_s
        yield f"{len(log.happenings)} events judged, {len(log.found)} findings, in {took_s:.1f} s"


def _look(past: Past, at_ns: int) -> float:
    """Show a moment as the server does; return how long that took, milliseconds."""
    began_s = time.perf_counter()
    with past.looking():
        past_view(past, past.at(at_ns)).model_dump_json()
    return 1e3 * (time.perf_counter() - began_s)


def _judge(past: Past, stop: threading.Event) -> None:
    while not stop.is_set() and past.judge_on():
        pass


def _share(times_ms: list[float]) -> str:
    times_ms.sort()
    return (
        f"{statistics.median(times_ms):.1f} ms, 99 % within {times_ms[int(0.99 * SEEKS) - 1]:.1f} ms,"
        f" at worst {times_ms[-1]:.1f} ms"
    )


def _older(path: Path) -> Path:
    """Return the recording as it was made before."""
    older = path.with_name("older.overtable")
    shutil.copy(path, older)
    with closing(sqlite3.connect(older)) as db, db:
        db.executescript(
            "DROP TRIGGER events_stay_there; DROP INDEX happened; DROP INDEX stands;"
            "DELETE FROM events WHERE kind = 'Standing'"
        )
    return older


def _worked_over(path: Path) -> Iterator[str]:
    def timed(what: str, work: Callable[[], object]) -> str:
        began_s = time.perf_counter()
        work()
        return f"{what} in {time.perf_counter() - began_s:.1f} s"

    def go_on() -> None:
        with Journal(path, about=read_about(path), go_on=True):
            past = Past(path)
            past.at(past.ended_ns())

    assert verify(path).broken is None
    yield timed("verified", lambda: verify(path))
    yield timed("taken up where it ended, once verified,", go_on)
    yield timed("counted for the page of statistics", lambda: figures(path))
    yield timed("exported as JSON Lines", lambda: [json.dumps(line) for line in lines(path)])
    out = path.with_name("game.html")
    yield timed("exported as a page", lambda: out.write_text(one_file(path), encoding="utf-8"))
    yield f"the page has {out.stat().st_size / 1e6:.1f} MB"
