"""`make soak`: play through a night, and print what it held, what happened and whether anything was lost."""

import argparse
import contextlib
import logging
import os
import random
import shlex
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from assistant.errors import BadInput
from assistant.features.demo.catalogue import SETUP, read_demo
from assistant.features.session_plan import SessionPlan
from assistant.recording.verification import verify
from assistant.replay.exports.exporter import Exporter, ExportOptions
from assistant.runtime.composition_root import build_live_table
from assistant.runtime.exporters import list_exporters, load_exporter
from assistant.runtime.live_loop import LatestFrame
from assistant.runtime.page_server import ServingOptions, serve_pages
from assistant.web.replay_routes import Archive
from hardware.simulation.virtual_table import VirtualTable
from tests.soak.night_camera import Night, NightCamera
from tests.soak.resources import Sampler, TimedHub, find_growth, list_breaches, list_warm
from tests.soak.visitors import Visitors

RULEBOOK = "warhammer-40k-10e"
FPS = 5.0
SAMPLES = 72
"""Taken of a night."""
ROOM = "90%"
"""Of the memory: the size of the disk while it is not full."""
FILLED_EVERY_S, FILLED_S = 1200.0, 60.0
"""The disk fills about that often, and is full for so long."""
ENDING_S = 10.0
"""Threads of a table that has ended are gone by then."""
EXPECTED = "the night's driver has a bug"
"""The only fault that may be logged with its traceback: it was made."""
INSIDE = "OVERTABLE_SOAK_DISK"
"""Names the folder that is a disk of its own."""


class FaultLog(logging.Handler):
    """Keeps what was logged as a bug."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.logged: list[str] = []

    @contextlib.contextmanager
    def listen(self) -> Iterator[None]:
        """Keep what is logged meanwhile."""
        logging.getLogger().addHandler(self)
        try:
            yield
        finally:
            logging.getLogger().removeHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        """Keep it, unless the night made it happen."""
        error = record.exc_info[1] if record.exc_info else None
        if record.levelno >= logging.ERROR or (error is not None and EXPECTED not in str(error)):
            self.logged.append(f"{record.getMessage()} {error!r}")


@dataclass(kw_only=True)
class Disk:
    """The disk that a night is recorded on, which fills and empties; it lies in memory."""

    folder: Path
    rng: random.Random
    fills: bool
    """Whether it is a disk of its own, so that it may."""
    times: int = 0
    is_full: bool = False
    _next_s: float = field(init=False)

    def __post_init__(self) -> None:
        self._next_s = self.rng.expovariate(1 / FILLED_EVERY_S)

    def follow(self, now_s: float) -> None:
        """Fill it or empty it, if that is due."""
        if not self.fills or now_s < self._next_s:
            return
        if self.is_full:
            self.empty()
            self._next_s = now_s + self.rng.expovariate(1 / FILLED_EVERY_S)
            return
        use = os.statvfs(self.folder)
        self._resize(f"{(use.f_blocks - use.f_bfree) * use.f_frsize // 1024}k")
        self.is_full = True
        self.times += 1
        self._next_s = now_s + FILLED_S

    def empty(self) -> None:
        """Make room."""
        if self.is_full:
            self._resize(ROOM)
        self.is_full = False

    def _resize(self, size: str) -> None:
        subprocess.run(["mount", "-o", f"remount,size={size}", self.folder], check=True)


def play_night(
    folder: Path,
    night: Night,
    seed: int,
    *,
    fills: bool,
    exports: Collection[str],
    tell: Callable[[str], None] = lambda _: None,
) -> Iterator[str]:
    """Play, yield what it came to, and the breaches as sentences that begin with BREACH.

    Args:
        folder: where it is recorded.
        night: how long it lasts, and how badly it goes.
        seed: of all that happens by lot.
        fills: the folder lies on a disk of its own, which fills and empties.
        exports: the formats that the recording is exported to in the end.
        tell: told of each sample as it is taken.

    """
    rng = random.Random(seed)
    game = read_demo(RULEBOOK)
    plan = SessionPlan(
        path=SETUP,
        kept_at=None,
        setup=game.setup,
        state=game.state,
        title="A long night",
        recording=folder / "night.overtable",
        video=True,
        fps=night.fps,
        in_4k=game.in_4k,
    )
    assert plan.recording is not None
    latest, archive, faults = LatestFrame(), Archive(), FaultLog()
    hub = TimedHub(latest)
    line = build_live_table(plan)
    assert line.table is not None
    # Without the camera's noise hours of video find room in memory.
    table = VirtualTable(line.table.scene, line.table.camera, projector=line.table.projector, noise=0.0)
    disk = Disk(folder=folder.parent, rng=random.Random(rng.random()), fills=fills)
    sampler = Sampler(hub=hub, every_s=night.length_s / SAMPLES, tell=tell)
    camera = NightCamera(night=night, table=table, rng=random.Random(rng.random()), hub=hub)
    where = ServingOptions(host="127.0.0.1", port=find_port(), open_pages=False)
    visitors = Visitors(port=where.port, game=plan.state, seed=rng.getrandbits(32))
    before, began_s = threading.enumerate(), time.monotonic()
    with faults.listen(), serve_pages(hub, latest, where, plan.title, archive=archive) as stop:

        def pass_time(passed_s: float) -> None:
            disk.follow(passed_s)
            if passed_s >= night.length_s:
                stop.set()
            if not stop.is_set():  # what ends holds less and less
                sampler.sample(passed_s)

        camera.beside = pass_time
        with visitors.come_and_go():
            replace(line, table=table, open_camera=camera.open).run(hub, latest, archive, stop)
    disk.empty()
    hub.end_waiting()
    took_s = time.monotonic() - began_s
    yield f"{night.passed_s / 3600:.2f} hours, {night.pictures} pictures in {took_s / 60:.1f} minutes, seed {seed}"
    yield f"  faults: {_count(night.happened)}, the disk was full {disk.times} times"
    yield f"  visitors: {visitors.visits} visits, {visitors.messages} messages; {_count(visitors.acts)}"
    if len(warm := list_warm(sampler.samples)) > 1:
        growth = f"memory grows by {find_growth(warm):+.2f} MB an hour"
        yield f"  warm from {warm[0].passed_s / 3600:.2f} h on; {growth}"
    yield from (f"BREACH: {each}" for each in list_breaches(sampler.samples))
    yield from (f"BREACH: {what} ({count} times)" for what, count in visitors.faults.items())
    yield from (f"BREACH: logged: {what} ({count} times)" for what, count in Counter(faults.logged).items())
    if names := wait_for_threads(before):
        yield f"BREACH: threads are left: {names}"
    yield from _check_recording(plan.recording, exports)


def _count(counted: Counter[str]) -> str:
    return ", ".join(f"{count} {what}" for what, count in counted.most_common()) or "none"


def _check_recording(recording: Path, exports: Collection[str]) -> Iterator[str]:
    """Yield whether it verifies, and what comes of every export."""
    size_mb = sum(path.stat().st_size for path in recording.parent.rglob("*") if path.is_file()) / 1e6
    found = verify(recording, video=True)
    yield f"  the recording: {found.events} rows, {found.filmed} filmed pictures, {size_mb:.0f} MB with its video"
    for broken in (found.broken, found.video_broken):
        if broken is not None:
            yield f"BREACH: the recording: {broken.what} (row {broken.event})"
    yield from (f"BREACH: {name} of the video is not there" for name in found.video_missing)
    for name in exports:
        exporter, began_s = load_exporter(name), time.monotonic()
        out = recording.with_name(f"out-{name}{exporter.suffix}")
        out.touch()
        try:
            said = exporter.export(recording, out, ExportOptions(**_choose_options(exporter)))
        except BadInput as refusal:
            yield f"  export to {name}: refused: {refusal}"
            continue
        except Exception as bug:  # any is a breach
            yield f"BREACH: export to {name}: {bug!r}"
            continue
        yield f"  export to {name}: {said} ({time.monotonic() - began_s:.0f} s, {out.stat().st_size / 1e6:.1f} MB)"
        out.unlink()


def _choose_options(exporter: Exporter) -> dict[str, Any]:
    wanted = {"at": "60", "verdicts": True, "poses": True}
    return {name: value for name, value in wanted.items() if name in exporter.options}


def wait_for_threads(before: Collection[threading.Thread]) -> str:
    """Return the names of those threads that do not end, though they were not there before."""
    until_s = time.monotonic() + ENDING_S
    for thread in set(threading.enumerate()) - set(before):
        thread.join(max(0.0, until_s - time.monotonic()))
    return ", ".join(sorted(thread.name for thread in set(threading.enumerate()) - set(before)))


def find_port() -> int:
    """Return a port that is free."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def enter_own_disk(arguments: Sequence[str]) -> int | None:
    """Run the same again on a small disk of its own, and return its exit status; None where there can be none.

    A user may mount one in memory in a name space of their own, where the system allows that.
    """
    unshare = ["unshare", "--map-root-user", "--mount"]
    with tempfile.TemporaryDirectory(prefix="overtable-soak-") as folder:
        mount = ["mount", "-t", "tmpfs", "-o", f"size={ROOM}", "overtable", folder]
        try:
            if subprocess.run([*unshare, *mount], capture_output=True, check=False).returncode:
                return None
        except FileNotFoundError:
            return None
        again = [sys.executable, "-m", "tests.soak", *arguments]
        inside = f"{shlex.join(mount)} && exec {shlex.join(again)}"
        return subprocess.run(
            [*unshare, "sh", "-c", inside], env={**os.environ, INSIDE: folder}, check=False
        ).returncode


def main() -> int:
    """Play the nights that are asked for; 1 if there is any breach."""
    parser = argparse.ArgumentParser(prog="make soak", description=__doc__)
    parser.add_argument("--hours", type=float, default=6.0, help="of the table's time, as fast as they go")
    parser.add_argument("--clock-hours", type=float, default=1.0, help="after them, by the clock")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fps", type=float, default=FPS, help="pictures a second of the table's time")
    parser.add_argument("--fault-every", type=float, default=240.0, help="seconds, on average")
    given = parser.parse_args()
    own = os.environ.get(INSIDE)
    if own is None and (status := enter_own_disk(sys.argv[1:])) is not None:
        return status
    nights = ((given.hours, False), (given.clock_hours, True))
    breached = False
    for hours, by_clock in nights:
        if not hours:
            continue
        with tempfile.TemporaryDirectory(prefix="night-", dir=own) as folder:
            night = Night(length_s=hours * 3600, fps=given.fps, by_clock=by_clock, fault_every_s=given.fault_every)
            if own is None:
                print("no disk of its own can be had here (unshare, mount): none fills")
            tell, fills = partial(print, flush=True), own is not None
            for line in play_night(Path(folder), night, given.seed, fills=fills, exports=list_exporters(), tell=tell):
                breached |= line.startswith("BREACH")
                print(line, flush=True)
    return int(breached)


if __name__ == "__main__":
    raise SystemExit(main())
