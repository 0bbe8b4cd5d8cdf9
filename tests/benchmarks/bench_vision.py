"""Vision on rendered films, side by side with pupil-apriltags and OpenCV's ArucoDetector on the same pictures.

Each film is rendered with noise, kept as JPEG, and shown to each contender in a process of its own, on one thread.
The rivals look for tags in the whole picture and are told the true camera; ours solves its camera from six anchors.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.benchmarks.vision_films import FPS, MOVERS, QUALITY

ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
ROOT = Path(__file__).parents[2]
FRAMES = 84
RIVALS = {"apriltags-1": 6, "apriltags-2": 10, "aruco": 10}
"""The rivals, and how many pictures each is timed on."""
FILMS = (
    ("4K", 100, MOVERS, True),
    ("4K", 100, 60, True),
    ("4K", 10, MOVERS, False),
    ("4K", 50, MOVERS, False),
    ("4K", 200, MOVERS, False),
    ("1080p", 100, MOVERS, True),
)
"""Size, bases, how many of them slide, and whether the rivals see it too."""


def run() -> Iterator[str]:
    """Yield a table for each film."""
    for size, count, movers, with_rivals in FILMS:
        with tempfile.TemporaryDirectory() as folder:
            run_contender("shoot", folder, size, count, FRAMES, "beside", movers)
            yield (
                f"{size}, {count} bases of which {movers} slide and stop, {FRAMES} pictures, JPEG {QUALITY}; "
                f"tag's centre off, mm, as mean / 99 %"
            )
            yield HEADING
            ours = run_contender("ours", folder)
            yield format_row("ours", ours, ours)
            for name, frames in RIVALS.items() if with_rivals else ():
                yield format_row(name, run_contender(name, folder, frames), ours)
            yield from _format_details(ours)


HEADING = (
    f"{'':<14}{'ms':>8}{'ratio':>7}{'recall':>8}{'false':>6}{'resting':>16}{'moving':>16}{'square':>12}{'peak MB':>9}"
)
"""Of these, `square` is the mean square of error over sigma, resting / moving, which only ours says."""


def run_contender(what: str, folder: str, *more: str | int) -> dict[str, Any]:
    """Run one contender in a process of its own, and return its report."""
    # The library's detector sometimes reads where it must not; then the handler says where it died.
    command = [
        sys.executable,
        "-X",
        "faulthandler",
        "-m",
        "tests.benchmarks.vision_contender",
        what,
        folder,
        *map(str, more),
    ]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True, env={**os.environ, **ONE_THREAD})
    report: dict[str, Any] = json.loads(done.stdout or "{}")
    return report


def format_row(name: str, report: dict[str, Any], ours: dict[str, Any]) -> str:
    """Return a contender's line below `HEADING`."""
    off = report["tag_off_mm"]
    return (
        f"{name:<14}{report['ms']:8.1f}{report['ms'] / ours['ms']:7.1f}{report['recall']:8.2%}{report['false']:6d}"
        f"{format_spread(off['resting']):>16}{format_spread(off['moving']):>16}{_format_squares(report['square']):>15}{report['peak_mb']:9.0f}"
    )


def _format_squares(square: dict[str, float | None]) -> str:
    told = ["none" if of is None else f"{of:.2f}" for of in square.values()]
    return "" if set(told) == {"none"} else " / ".join(told)


def _format_details(ours: dict[str, Any]) -> Iterator[str]:
    first, *next_ones = ours["start_ms"]
    yield f"  ours: vouched for as seen, of those found: {ours['vouched']:.2%}"
    yield (
        f"  ours: vision step mean {ours['mean_ms']:.1f}, longest {ours['most_ms']:.1f} ms; start: first frame "
        f"{first:.0f} ms, the next {len(next_ones)} at most {max(next_ones):.0f} ms"
    )
    yield (
        f"  nothing changed but noise {ours['still_ms']:.2f} ms, the very same picture {ours['twin_ms']:.2f} ms; "
        f"base's centre off {format_spread(ours['base_off_mm']['resting'])} resting, "
        f"{format_spread(ours['base_off_mm']['moving'])} moving"
    )
    yield (
        f"  with JPEG decoding: {ours['whole_ms']:.1f} ms a frame, {ours['processor_ms']:.1f} ms processor: "
        f"{ours['processor_ms'] * FPS / 1e3:.0%} of one core at {FPS} frames a second"
    )


def format_spread(off_mm: list[float] | None) -> str:
    """Return mean and 99 % of some errors."""
    return "none" if off_mm is None else f"{off_mm[0]:.3f} / {off_mm[1]:.3f}"
