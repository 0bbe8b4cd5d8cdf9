"""Replaying a game of three hours: a hundred models, and five of them moving in each of 324,000 pictures.

The game is recorded first, as it would have been in play; then it is opened, looked into at any moment, and exported.
"""

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

from assistant.game.events import Accepted, Declared, Event, ModelPlaced, ModelSettled, Stamped, Undone, Withdrawn
from assistant.game.situation_file import encode_situation
from assistant.game.state import Declaration, GameState, Model, Pose, Table, Unit
from assistant.geometry.shapes.base_shapes import Round
from assistant.recording.journal.reader import read_about
from assistant.recording.journal.row_encoding import TimedRow
from assistant.recording.journal.row_types import PosesSeen
from assistant.recording.journal.writer import Journal
from assistant.recording.poses import PoseEntry
from assistant.recording.verification import verify
from assistant.replay.exports.json_lines import export_lines
from assistant.replay.recorded_game import RecordedGame
from assistant.replay.reports.statistics import compute_statistics as figures
from assistant.runtime.live_loop import freeze_collector
from assistant.web.replay_page import render_replay_page
from assistant.web.replay_routes import build_past_view

MOVES, PICTURES = 600, 540
"""Moves of a unit in the game, and pictures of each: three hours without a rest, save for what people decide."""
UNITS, MODELS, MOVING = 10, 10, 5
"""Units, models in each, and how many of those move at a time."""
FRAME_NS = 33_333_333
THOUGHT_NS = 500_000_000
"""Between the decisions on a move."""
BEGAN_NS = 1_800_000_000_000_000_000
CALIBRATION = "0123456789ab"


def make_game() -> GameState:
    """Return what it begins with."""
    units = tuple(
        Unit(
            id=f"unit {at}",
            player="red" if at % 2 else "blue",
            keywords=frozenset({"infantry"}),
            profile={"move_in": 6},
            models=tuple(
                Model(
                    id=f"{at}-{m}",
                    base=Round(radius_mm=16),
                    pose=Pose(x_mm=100 + 130 * at, y_mm=100 + 40 * m, sigma_mm=0.1),
                )
                for m in range(MODELS)
            ),
        )
        for at in range(UNITS)
    )
    return GameState(rulebook="warhammer-40k-10e", table=Table(width_mm=1524, depth_mm=1118), units=units)


def record_game(path: Path, *, moves: int = MOVES) -> None:
    """Write the game as it would have been recorded, the pictures of each move at once."""
    state, now_ns, draw = make_game(), BEGAN_NS, random.Random(4)
    places = {model.id: model.pose for _, model in state.iterate_models() if model.pose is not None}
    tags = {model: tag for tag, model in enumerate(places)}
    with Journal(path, about={"title": "long", "situation": json.dumps(encode_situation(state))}) as journal:
        first = tuple(_make_entry(tags[model], model, pose, moving=False) for model, pose in places.items())
        journal.append(
            (now_ns, PosesSeen(anchors_seen=6, calibration=CALIBRATION, poses=first)),
            *(Stamped(captured_ns=now_ns, event=ModelPlaced(model=m, pose=pose)) for m, pose in places.items()),
        )
        for move in range(moves):
            unit = state.units[move % UNITS]
            own = draw.sample([model.id for model in unit.models], MOVING)
            way = {m: (draw.uniform(-60, 60), draw.uniform(-20, 20)) for m in own}
            rows: list[TimedRow] = [
                Stamped(captured_ns=now_ns, event=Declared(declaration=Declaration(unit=unit.id, action="normal")))
            ]
            for picture in range(PICTURES):
                now_ns += FRAME_NS
                here = {m: _move_pose(places[m], way[m], (picture + 1) / PICTURES, draw) for m in own}
                poses = tuple(_make_entry(tags[m], m, here[m], moving=picture < PICTURES - 1) for m in own)
                rows.append((now_ns, PosesSeen(anchors_seen=6, calibration=CALIBRATION, poses=poses)))
            journal.append(*rows)
            accepted = Accepted(models=tuple(own), outcome="legal", unit=unit.id, action="normal")
            settled = [ModelSettled(model=m, path=(places[m], here[m]), observed=True) for m in own]
            back = [ModelPlaced(model=m, pose=places[m]) for m in own]  # so that nobody leaves the table
            happened: tuple[list[Event], ...] = ([*settled], [Withdrawn(), Undone()], [accepted], [*back])
            for events in happened:
                journal.append(*(Stamped(captured_ns=now_ns, event=event) for event in events))
                now_ns += THOUGHT_NS
            poses = tuple(_make_entry(tags[m], m, places[m], moving=False) for m in own)
            journal.append((now_ns, PosesSeen(anchors_seen=6, calibration=CALIBRATION, poses=poses)))


def _move_pose(start: Pose, way_mm: tuple[float, float], share: float, draw: random.Random) -> Pose:
    return Pose(
        x_mm=round(start.x_mm + share * way_mm[0], 2),
        y_mm=round(start.y_mm + share * way_mm[1], 2),
        sigma_mm=round(draw.uniform(0.03, 0.099), 4),
    )


def _make_entry(tag: int, model: str, at: Pose, *, moving: bool) -> PoseEntry:
    return PoseEntry(
        tag=tag,
        model=model,
        x_mm=at.x_mm,
        y_mm=at.y_mm,
        facing_deg=0.0,
        z_mm=0.0,
        sigma_mm=(at.sigma_mm, at.sigma_mm),
        sigma_deg=0.2,
        state="seen",
        moving=moving,
        calibration=CALIBRATION,
    )


SEEKS = 200


def run() -> Iterator[str]:
    """Record the game, then open it and look into it here and there."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "game.overtable"
        record_game(path)
        yield f"{MOVES} moves, {MOVES * PICTURES} pictures of 5 poses: {path.stat().st_size / 1e6:.1f} MB"
        yield from _time_replay(path, "")
        older = _make_older(path)
        yield from _time_replay(older, ", recorded before rows summed up where models stood")
        older.unlink()
        yield from _time_exports(path)


def _time_replay(path: Path, said: str) -> Iterator[str]:
    """Open a recording, and look at moments at once and while it is judged."""
    began_s = time.perf_counter()
    past = RecordedGame(path)
    end_ns = past.find_end_ns()
    _time_look(past, 0)
    yield f"opened until its beginning is shown in {time.perf_counter() - began_s:.2f} s{said}"
    with freeze_collector():
        if said:
            yield f"its end is shown the first time after {_time_look(past, end_ns):.0f} ms"
        draw = random.Random(3)
        times = [draw.randrange(end_ns) for _ in range(SEEKS)]
        took = _format_times([_time_look(past, at_ns) for at_ns in times])
        yield f"any moment with its verdict as the page has it {took}"
        if said:
            return
        stop = threading.Event()
        judging = threading.Thread(target=_judge, args=(past, stop))
        judging.start()
        took = _format_times([_time_look(past, at_ns) for at_ns in times])
        yield f"the same while the list of findings is made {took}"
        stop.set()
        judging.join()
        began_s = time.perf_counter()
        log = RecordedGame(path).judge_all()
        took_s = time.perf_counter() - began_s
        yield f"{len(log.happenings)} events judged, {len(log.findings)} findings, in {took_s:.1f} s"


def _time_look(past: RecordedGame, at_ns: int) -> float:
    """Show a moment as the server does; return how long that took, milliseconds."""
    began_s = time.perf_counter()
    with past.hold_judging():
        build_past_view(past, past.find_moment(at_ns)).model_dump_json()
    return 1e3 * (time.perf_counter() - began_s)


def _judge(past: RecordedGame, stop: threading.Event) -> None:
    while not stop.is_set() and past.judge_more():
        pass


def _format_times(times_ms: list[float]) -> str:
    times_ms.sort()
    return (
        f"{statistics.median(times_ms):.1f} ms, 99 % within {times_ms[int(0.99 * SEEKS) - 1]:.1f} ms,"
        f" at worst {times_ms[-1]:.1f} ms"
    )


def _make_older(path: Path) -> Path:
    """Return the recording as it was made before."""
    older = path.with_name("older.overtable")
    shutil.copy(path, older)
    with closing(sqlite3.connect(older)) as db, db:
        db.executescript(
            "DROP TRIGGER events_stay_there; DROP INDEX happened; DROP INDEX stands;"
            "DELETE FROM events WHERE kind = 'Standing'"
        )
    return older


def _time_exports(path: Path) -> Iterator[str]:
    def timed(what: str, work: Callable[[], object]) -> str:
        began_s = time.perf_counter()
        work()
        return f"{what} in {time.perf_counter() - began_s:.1f} s"

    def go_on() -> None:
        with Journal(path, about=read_about(path), go_on=True):
            past = RecordedGame(path)
            past.find_moment(past.find_end_ns())

    assert verify(path).broken is None
    yield timed("verified", lambda: verify(path))
    yield timed("taken up where it ended, once verified,", go_on)
    yield timed("counted for the page of statistics", lambda: figures(path))
    yield timed("exported as JSON Lines", lambda: [json.dumps(line) for line in export_lines(path)])
    out = path.with_name("game.html")
    yield timed("exported as a page", lambda: out.write_text(render_replay_page(path), encoding="utf-8"))
    yield f"the page has {out.stat().st_size / 1e6:.1f} MB"
