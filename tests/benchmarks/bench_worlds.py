"""The worlds, side by side with pupil-apriltags and OpenCV's ArucoDetector on the same pictures, as in `bench_vision`.

One short film of each: how many markers that are whole are found, and within what; `python -m
tests.benchmarks.trial_eyes` says at length how honest the eyes are there.  The rivals know nothing of a rolling
shutter: they find what moves where it was when its own rows were read.  So do ours in a single picture, whose sigma is
that of what rests.  Most of its minutes render and search the crowds.
"""

import tempfile
from collections.abc import Iterator

from tests.benchmarks.bench_vision import HEADING, format_row, run_contender
from tests.vision.worlds import WORLDS

FRAMES = 66
STILLS = 2
RIVALS = {"apriltags-1": 3, "aruco": 3}
"""The rivals, and how many pictures each is shown."""


def run() -> Iterator[str]:
    """Yield the lines of each world's table."""
    for world in WORLDS.values():
        if world.movers is None:
            continue  # bases that are lifted are nowhere that a rival could say
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as ringed:
            run_contender("shoot-world", folder, world.name, "tags", FRAMES)
            run_contender("shoot-world", ringed, world.name, "rings", FRAMES)
            yield f"{world.name}: a film of {FRAMES} pictures; tag's centre off, mm, as mean / 99 %"
            yield HEADING
            ours = run_contender("ours", folder)
            yield format_row("ours", ours, ours)
            yield format_row("ours, stills", run_contender("stills", folder, STILLS), ours)
            for name, frames in RIVALS.items():
                yield format_row(name, run_contender(name, folder, frames), ours)
            yield format_row("ours, rings", run_contender("ours", ringed), ours)
            yield format_row("rings, stills", run_contender("stills", ringed, STILLS), ours)
