"""How long it takes to say where a base that may turn can end, and where it can go, in the scenery of `bench_reach`."""

import math
import random
import statistics
import time

import numpy as np

from assistant.geometry.clearance import Point
from assistant.geometry.convex import Convex, convex_parts, inner_radius_mm, placed_parts
from assistant.geometry.facing import some_facing
from assistant.geometry.legality import clear_of, on_table
from assistant.geometry.reach import reach_region
from assistant.geometry.shapes import Base, Oval, Placed, Rect, Round
from assistant.geometry.turning import turning_reach
from tests.benchmarks.bench_reach import DEPTH_MM, INCH_MM, WIDTH_MM, bases, scenery

LIMIT_MM = 12 * INCH_MM
STARTS = 4


def run() -> list[str]:
    """Return one line a measurement, in milliseconds of processor time."""
    rng = random.Random(3)
    enemies = [part.grown(INCH_MM) for enemy in bases(rng, 40) for part in placed_parts(enemy)]
    parts = [part for outline in scenery(rng) for part in placed_parts(outline)]
    lines = []
    for name, base in (
        ("oval 105 x 70", Oval(length_mm=105, width_mm=70)),
        ("100 x 60", Rect(length_mm=100, width_mm=60)),
    ):
        for where, obstacles in (("among 40 enemies", enemies), ("and 28 outlines", [*enemies, *parts])):
            starts = _starts(rng, obstacles)
            took = [_ends(base, place, obstacles) for place in starts]
            ms, area, error = (statistics.median(column) for column in zip(*took, strict=True))
            lines.append(f"{name} {where}, ends at some facing: {ms:.0f} ms, open {area:.0f} mm2, error {error:.2f} mm")
        for slices in (6, 12):
            begun = time.process_time()
            found = turning_reach(
                Placed(shape=base, x_mm=starts[0][0], y_mm=starts[0][1]),
                LIMIT_MM,
                obstacles,
                (WIDTH_MM, DEPTH_MM),
                slices=slices,
            )
            ms = (time.process_time() - begun) * 1e3
            lines.append(
                f"{name}, ways with {slices} facings: {ms:.0f} ms, inner {found.inner.area / 100:.0f} cm2, "
                f"outer {found.outer.area / 100:.0f} cm2, greatest width between {found.width_mm:.1f} mm"
            )
    return lines


def _starts(rng: random.Random, obstacles: list[Convex]) -> list[Point]:
    found: list[Point] = []
    while len(found) < STARTS:
        place = (rng.uniform(60, WIDTH_MM - 60), rng.uniform(60, DEPTH_MM - 60))
        if all(obstacle.distance(*place)[0] > 55 for obstacle in obstacles):
            found.append(place)
    return found


def _ends(base: Base, place: Point, obstacles: list[Convex]) -> tuple[float, float, float]:
    """Return the time, the area left open and the error of the places to end in at some facing."""
    begun = time.process_time()
    (disc,) = convex_parts(Round(radius_mm=inner_radius_mm(base)))
    r = disc.radius_mm
    reached = reach_region(place, LIMIT_MM, [o.plus(disc) for o in obstacles], (r, r, WIDTH_MM - r, DEPTH_MM - r))
    legal = clear_of(base, obstacles).where(on_table(base, WIDTH_MM, DEPTH_MM))
    found = some_facing(legal, reached, np.linspace(0, math.pi, 9).tolist())
    return (time.process_time() - begun) * 1e3, found.area_mm2, found.error_mm
