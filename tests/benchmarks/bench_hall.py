"""A hall of 200 tables: how late rows are in its file, what it takes of memory and disk, its desk, and its search.

One game is played and recorded before, by a clock of its own; 200 tables in two processes then send it as theirs, each
by a connection of its own to a real broker, while a judge's desk is open in a browser.  A game of three hours, for the
search, is one recording of as many rows under 200 names.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

from playwright.sync_api import sync_playwright

from assistant.features.demo.catalogue import read_demo
from assistant.game.events import Ruled, SourceChanged, Stamped
from assistant.game.state import GameState, Ruling
from assistant.hall import simulated_tables
from assistant.hall.broker import Broker, BrokerMissing, find_broker
from assistant.hall.desk import Desk
from assistant.hall.desk_app import create_desk_app
from assistant.hall.event import LOG, EventLog, RoundBegan, RuledFromDesk
from assistant.hall.folder import HallFolder, make_hall
from assistant.hall.gatherer import gather
from assistant.hall.messages import DeskRuling
from assistant.hall.serving import LOOK_S, SHOWN_S, ServedHall
from assistant.hall.simulated_tables import SimulatedTable
from assistant.recording.journal.mirror import ChainedRow, read_chained_rows
from assistant.recording.journal.writer import Journal
from assistant.web.auth.devices import DeviceRegistry
from assistant.web.server import Server
from tests.assistant.bridges.test_tuio import find_free_port
from tests.assistant.recording.journal.test_writer import SEEN
from tests.pages.conftest import CHROMIUM_ARGUMENTS, find_chromium

TABLES, MODELS, PROCESSES = 200, 40, 2
ROW_MM = 60.0
PLAYED_S = 30.0
POSES_PER_S = 5
ROWS_OF_THREE_HOURS, RULINGS_A_GAME, DESK_RULINGS_A_GAME = 100_000, 20, 5
SEARCHES = ("coherency", "round 2 tape", "table 77", "moved 7", "Ann illegal")
DRAWS = """(() => {
  window.drawn = [];
  const Plain = window.WebSocket;
  window.WebSocket = class extends Plain {
    set onmessage(listener) {
      super.onmessage = (event) => {
        const begun = performance.now();
        listener(event);
        document.body.offsetHeight;  // laid out, too
        window.drawn.push(performance.now() - begun);
      };
    }
  };
})()"""


def run() -> Iterator[str]:
    """Yield what was measured."""
    try:
        program = find_broker()
    except BrokerMissing as error:
        yield f"not run: {error}"
        return
    yield f"load of the machine before: {os.getloadavg()[0]:.1f}"
    with tempfile.TemporaryDirectory(prefix="overtable-bench-") as folder:
        recording = Path(folder) / "game.overtable"
        yield _play_game(recording)
        hall = make_hall(
            Path(folder) / "hall",
            name="Bench",
            addresses=("127.0.0.1",),
            port=find_free_port(),
            desk_port=find_free_port(),
        )
        hall.add(tables=[str(number) for number in range(1, TABLES + 1)])
        hall.write()
        yield from _gather_tables(hall, program, recording)
    with tempfile.TemporaryDirectory(prefix="overtable-bench-") as folder:
        yield from _search_games(Path(folder))


def _play_game(path: Path) -> str:
    """Record a game that plays by itself, by a clock that goes on by a picture at a time; return what it is."""
    now_ns = [1_800_000_000_000_000_000]
    demo = read_demo(simulated_tables.RULEBOOK)
    with (
        patch.object(simulated_tables, "read_clock_ns", lambda: now_ns[0]),
        patch.object(simulated_tables, "read_demo", lambda _: replace(demo, state=_reinforce(demo.state))),
    ):
        table = SimulatedTable(path, 7)
        for _ in range(int((PLAYED_S + 5) * POSES_PER_S)):
            now_ns[0] += 10**9 // POSES_PER_S
            table.tick()
        models = sum(1 for _ in table.session.state.iterate_models())
        table.close()
    return f"{TABLES} tables of {models} models, {POSES_PER_S} pictures a second, {PLAYED_S:.0f} s"


def _reinforce(state: GameState) -> GameState:
    """Return a game with more units, in rows along the table's far edge, until there are enough models."""
    units, rank = list(state.units), 0
    while (left := MODELS - sum(len(unit.models) for unit in units)) > 0:
        unit = max(state.units, key=lambda each: len(each.models))
        y_mm = state.table.depth_mm - ROW_MM * (rank + 1)
        models = tuple(
            replace(model, id=f"{model.id}-{rank}", pose=replace(model.pose, x_mm=ROW_MM * (at + 1), y_mm=y_mm))
            for at, model in enumerate(unit.models[:left])
            if model.pose
        )
        units.append(replace(unit, id=f"{unit.id}-{rank}", models=models))
        rank += 1
    return replace(state, units=tuple(units))


def _gather_tables(hall: HallFolder, program: Path, recording: Path) -> Iterator[str]:
    came: dict[tuple[str, int], float] = {}
    rss_mb = _read_rss_mb("self")
    with _serve(hall, program, came) as (address, pid), _open_desk(address) as read_draws:
        share = TABLES // PROCESSES
        publishers = [
            subprocess.Popen(
                [
                    *(sys.executable, "-m", "tests.benchmarks.hall_publishers", str(hall.path), str(recording)),
                    *(str(1 + at * share), str((at + 1) * share), str(PLAYED_S)),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for at in range(PROCESSES)
        ]
        for each in publishers:
            assert each.stdout is not None
            assert each.stdout.readline() == "connected\n"
        cpu_s, starts_s = time.process_time(), time.monotonic() + 1
        for each in publishers:
            assert each.stdin is not None
            each.stdin.write(f"{starts_s}\n")
            each.stdin.flush()
        told = [each.communicate(timeout=300)[0] for each in publishers]
        sent = [each for text in told for each in json.loads(text)]
        cpu_s = time.process_time() - cpu_s
        time.sleep(2)
        lags_ms = sorted(1e3 * (came[table, row] - at_s) for table, row, at_s in sent if (table, row) in came)
        lost = len(sent) - len(lags_ms)
        late = lags_ms[int(0.99 * len(lags_ms))]
        median = statistics.median(lags_ms)
        yield f"from sending (after up to 200 ms) to the file: median {median:.0f} ms, 99 % {late:.0f} ms"
        yield f"{len(sent)} messages, of which {lost} had not come 2 s after the last"
        yield (
            f"the hall: {cpu_s / PLAYED_S:.2f} cores, {_read_rss_mb('self'):.0f} MB ({rss_mb:.0f} before it began),"
            f" its broker {_read_rss_mb(pid):.0f} MB"
        )
        rows = list(read_chained_rows(recording, 0, 2**40))
        size = sum(len(row.body) + len(row.jpeg) for row in rows) * TABLES * 3600 / (PLAYED_S + 5)
        waits = sum(file.stat().st_size for file in (hall.path / "jetstream").rglob("*") if file.is_file())
        yield f"disk: {size / 1e9:.1f} GB of rows and pictures an hour; {waits / 1e6:.0f} MB wait at the broker"
        draws = sorted(read_draws())
        if draws:
            yield (
                f"the desk of {TABLES} tiles, script and layout of a message: median {statistics.median(draws):.1f} ms,"
                f" 99 % {draws[int(0.99 * len(draws))]:.1f} ms, {len(draws)} messages"
            )


@contextmanager
def _serve(hall: HallFolder, program: Path, came: dict[tuple[str, int], float]) -> Iterator[tuple[str, int]]:
    """Run a hall; notes when rows were in its files.  Yields the desk's address and the broker's process."""
    broker = Broker(program, hall.path, hall.event.port)
    served, stop = ServedHall(hall, broker), threading.Event()
    take_rows: Callable[[str, Path, list[ChainedRow]], None] = served.desk.take_rows

    def note(table: str, path: Path, rows: list[ChainedRow]) -> None:
        now_s = time.monotonic()
        if rows:
            came[table, rows[-1].id] = now_s
        take_rows(table, path, rows)

    served.gatherer._on_rows = note
    server = Server(create_desk_app(served.desk, served.hub, DeviceRegistry(state=hall.path), [], []), "127.0.0.1", 0)

    def work() -> None:
        shown_s = 0.0
        while not stop.wait(LOOK_S):
            shown_s += LOOK_S
            served.work(shown=shown_s >= SHOWN_S)
            shown_s = 0.0 if shown_s >= SHOWN_S else shown_s

    thread = threading.Thread(target=work)
    broker.start()
    server.start()
    thread.start()
    try:
        with gather(served.gatherer):
            yield f"http://127.0.0.1:{server.port}/hall", broker.pid
    finally:
        stop.set()
        thread.join()
        server.stop()
        broker.stop()


@contextmanager
def _open_desk(address: str) -> Iterator[Callable[[], list[float]]]:
    """Yield a way to read how long the desk's page took to draw each message; of none without a browser."""
    chromium = find_chromium("chromium-headless-shell")
    if chromium is None:
        yield list
        return
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_ARGUMENTS)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.add_init_script(DRAWS)
        page.goto(address)
        page.wait_for_selector("#tiles article")
        yield lambda: page.evaluate("window.drawn")
        browser.close()


def _search_games(folder: Path) -> Iterator[str]:
    """Look for rulings among 200 games of three hours."""
    hall = make_hall(folder / "hall", name="Bench", addresses=("127.0.0.1",))
    names = [str(number) for number in range(1, TABLES + 1)]
    hall.add(tables=names)
    game, began_ns = folder / "game.overtable", 1_800_000_000_000_000_000
    _write_long_game(game, began_ns)
    log = EventLog(hall.path / LOG)
    log.add(RoundBegan(at_ns=began_ns - 1, round=1, minutes=180))
    log.add(RoundBegan(at_ns=began_ns + 5400 * 10**9, round=2, minutes=180))
    with patch("os.fsync"):
        for name in names:
            path = hall.find_recording(name, f"{int(name):016x}")
            path.parent.mkdir(parents=True)
            os.link(game, path)
            for at in range(DESK_RULINGS_A_GAME):
                ruling = DeskRuling(judge="Ann", captured_ns=began_ns + at * 10**12, outcome="legal", note=f"tape {at}")
                log.add(
                    RuledFromDesk(
                        at_ns=began_ns + at * 10**12,
                        table=name,
                        recording=path.stem,
                        ruling=ruling,
                        text="s2 is out of coherency",
                        rule="10e-60",
                    )
                )
    begun_s = time.perf_counter()
    desk = Desk(hall, dict)
    opened_s = time.perf_counter() - begun_s
    took_ms, found = list[float](), list[int]()
    for asked in SEARCHES * 4:
        begun_s = time.perf_counter()
        found.append(len(desk.find_rulings(asked)))
        took_ms.append(1e3 * (time.perf_counter() - begun_s))
    rulings = TABLES * (RULINGS_A_GAME + DESK_RULINGS_A_GAME)
    size_mb = game.stat().st_size / 1e6
    yield (
        f"search over {TABLES} games of {ROWS_OF_THREE_HOURS} rows ({size_mb:.1f} MB each) with {rulings} rulings:"
        f" median {statistics.median(took_ms):.0f} ms, most {max(took_ms):.0f} ms, {min(found)} to {max(found)} found"
    )
    yield f"a hall that is begun again with these has read them after {opened_s:.1f} s"


def _write_long_game(path: Path, began_ns: int) -> None:
    journal = Journal(path, about={"title": "Long", "situation": "{}", "source": "virtual:"})
    now_ns = began_ns
    every = ROWS_OF_THREE_HOURS // RULINGS_A_GAME
    for number in range(ROWS_OF_THREE_HOURS):
        now_ns += 108_000_000
        if number % every == every - 1:
            ruling = Ruling(
                by="judge", outcome="illegal", note="It is seven inches.", at_ns=now_ns, judge="Ben", text='s1 moved 7"'
            )
            journal.append(Stamped(captured_ns=now_ns, event=Ruled(ruling=ruling)))
        elif number % 50 == 0:
            journal.append(Stamped(captured_ns=now_ns, event=SourceChanged(state="live", text=f"{number}")))
        else:
            journal.append((now_ns, SEEN))
    journal.close()


def _read_rss_mb(pid: int | str) -> float:
    """Return the memory of a process that is its own or shared now."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024
