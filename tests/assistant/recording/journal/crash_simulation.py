"""Crash simulation of a journal: records at full rate in processes of its own, and kills each at a random moment.

Each is killed with SIGKILL.

    python -m tests.assistant.recording.journal.crash_simulation FOLDER SEED TIMES

For each time a line is printed: how many entries had been acknowledged in ``FOLDER/<time>.overtable``.
"""

import os
import random
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

from assistant.game.events import Accepted, Stamped
from assistant.recording.journal.row_encoding import TimedRow
from assistant.recording.journal.row_types import KeptPicture, PosesSeen
from assistant.recording.journal.writer import Journal
from assistant.recording.poses import PoseEntry

LONGEST_S = 0.06
"""The killing falls within so long of the first entry, which is a few hundred entries."""
MODELS, MOVING = 100, 5
ACCEPTED_EVERY, PICTURE_EVERY = 30, 50
FRAME_NS = 33_333_333


def simulate_motion(draw: random.Random, models: int = MODELS, unit: int = MOVING) -> Iterator[tuple[PoseEntry, ...]]:
    """Yield how the models of a unit stand, picture after picture; unit after unit moves, for three seconds each."""
    places = [(100 + 12.0 * at, 100.0 + 7 * at) for at in range(models)]
    for picture in count():
        first = picture // 90 % (models // unit) * unit
        poses = []
        for at in range(first, first + unit):
            places[at] = x_mm, y_mm = places[at][0] + draw.uniform(-3, 3), places[at][1] + draw.uniform(-3, 3)
            poses.append(
                PoseEntry(
                    tag=at,
                    model=f"unit {at // unit}-{at % unit}",
                    x_mm=round(x_mm, 2),
                    y_mm=round(y_mm, 2),
                    facing_deg=round(draw.uniform(-180, 180), 2),
                    z_mm=0.0,
                    sigma_mm=(round(draw.uniform(0.03, 0.099), 4), round(draw.uniform(0.03, 0.099), 4)),
                    sigma_deg=round(draw.uniform(0.1, 0.3), 3),
                    state="seen",
                    moving=True,
                    calibration="0123456789ab",
                )
            )
        yield tuple(poses)


def simulate_rows(draw: random.Random) -> Iterator[TimedRow]:
    """Yield what a game at full rate writes: poses, and now and then an event."""
    for at, poses in enumerate(simulate_motion(draw)):
        yield at * FRAME_NS, PosesSeen(anchors_seen=6, calibration="0123456789ab", poses=poses)
        if at % ACCEPTED_EVERY == 0:
            models = tuple(pose.model for pose in poses)
            yield Stamped(captured_ns=at * FRAME_NS, event=Accepted(models=models, outcome="legal"))


def kill_repeatedly(
    folder: Path, seed: int, times: int, *, work: Callable[[Path, int, int], None], within_s: float
) -> None:
    """Begin and kill some work so many times, and print each time how many bytes it had said.

    Args:
        folder: where each gets a recording of its own.
        seed: of the moments, and of the first work.
        times: how often.
        work: never returns; it is given its recording, its seed, and where to say a byte for each thing that is done.
        within_s: the killing falls within so long of the first byte.

    """
    draw = random.Random(seed)
    for time_ in range(times):
        heard, said = os.pipe()
        process = os.fork()
        if process == 0:
            os.close(heard)
            work(folder / f"{time_}.overtable", seed + time_, said)
        os.close(said)
        select.select([heard], [], [])
        time.sleep(draw.uniform(0, within_s))
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        done = 0
        while part := os.read(heard, 1 << 16):
            done += len(part)
        os.close(heard)
        print(done, flush=True)


def _record(path: Path, seed: int, said: int) -> None:
    """Record for ever, with a byte for every entry that was acknowledged."""
    journal = Journal(path, about={"title": "to be killed"})
    for at, happening in enumerate(simulate_rows(random.Random(seed))):
        journal.append(happening)
        if at % PICTURE_EVERY == PICTURE_EVERY - 1:
            journal.keep(KeptPicture(captured_ns=at, jpeg=bytes(100_000)))
        os.write(said, b".")


if __name__ == "__main__":
    kill_repeatedly(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), work=_record, within_s=LONGEST_S)
