"""Rings under figures, beside tags: how many are found, how well, and at what cost.

The same tables are rendered twice, with rings around the bases and with tags in their middles, as large as they find
room; figures stand in the middle of all of them.  Ours follows either; pupil-apriltags and OpenCV's ArucoDetector look
for the tags, and are told the true camera.  What a picture costs is compared with as many tags that nothing hides.

Of other markers with rings, nobody's figures for as few pixels were found.  The authors of WhyCon, on whose discs
WhyCode's ids are written, report that hundreds of them are tracked in hundreds of pictures a second to millimetres
(Krajnik et al., A Practical Multirobot Localization System, 2014); those of RUNE-Tag, a ring of dots with a code that
corrects errors, that it is read with much of it hidden (Bergamasco et al., CVPR 2011).
"""

import tempfile
from collections.abc import Iterator
from typing import Any

from tests.benchmarks.bench_vision import format_spread, run_contender
from tests.benchmarks.vision_films import MOVERS, QUALITY

FRAMES = 84
COUNT = 100
RIVALS = {"apriltags-1": 6, "aruco": 10}
"""The rivals, and how many pictures each is timed on."""
SIZES = ("4K", "1080p")


def run() -> Iterator[str]:
    """Yield a table for each size of picture."""
    for size in SIZES:
        with (
            tempfile.TemporaryDirectory() as ringed,
            tempfile.TemporaryDirectory() as middle,
            tempfile.TemporaryDirectory() as beside,
        ):
            for folder, marked in ((ringed, "ring"), (middle, "middle"), (beside, "beside")):
                run_contender("shoot", folder, size, COUNT, FRAMES, marked, MOVERS)
            yield (
                f"{size}, {COUNT} bases under figures of which {MOVERS} slide and stop, {FRAMES} pictures, JPEG "
                f"{QUALITY}; base's centre off, mm, as mean / 99 %"
            )
            yield f"{'':<26}{'ms':>8}{'recall':>8}{'false':>6}{'resting':>16}{'moving':>16}"
            rings = run_contender("ours", ringed)
            yield _format_row("ours, rings", rings)
            yield _format_row("ours, tags in the middle", run_contender("ours", middle))
            for name, frames in RIVALS.items():
                yield _format_row(f"{name}, on those tags", run_contender(name, middle, frames))
            yield from _format_details(rings, run_contender("ours", beside))


def _format_row(name: str, report: dict[str, Any]) -> str:
    off = report["tag_off_mm"]
    return (
        f"{name:<26}{report['ms']:8.1f}{report['recall']:8.2%}{report['false']:6d}"
        f"{format_spread(off['resting']):>16}{format_spread(off['moving']):>16}"
    )


def _format_details(rings: dict[str, Any], tags: dict[str, Any]) -> Iterator[str]:
    recalls, start = rings["recalls"], rings["start_stages_ms"]
    yield f"  rings with 60 % of their cells to be seen: {recalls['0.4']:.2%}; with half of them: {recalls['0.5']:.2%}"
    ratio = rings["step_processor_ms"] / tags["step_processor_ms"]
    yield (
        f"  processor time of the vision step: {rings['step_processor_ms']:.1f} ms, {ratio:.2f} times that of as many "
        f"tags beside figures ({tags['step_processor_ms']:.1f} ms)"
    )
    yield (
        f"  from nothing: rings {start['rings']:.0f} ms, of {sum(start.values()):.0f} ms for the first picture, "
        f"{rings['start_processor_ms']:.0f} ms processor"
    )
