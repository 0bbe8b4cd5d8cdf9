"""How long zones over weighted ground take: the scenery of `bench_reach`, with three slow areas and two hills."""

import math
import random
import time

from assistant.geometry.clearance.shape_clearance import Point
from assistant.geometry.shapes.base_shapes import Rect
from assistant.geometry.shapes.convex import decompose_convex
from assistant.geometry.shortest_path.weighted.areas import CostArea
from assistant.geometry.shortest_path.weighted.reach import find_weighted_region, find_weighted_routes
from tests.benchmarks.bench_reach import (
    BOX,
    INCH_MM,
    _format_spread,
    find_places,
    grow_shapes,
    make_enemies,
    make_scenery,
)

STARTS = 12


def run() -> list[str]:
    """Return one line a measurement, in milliseconds of processor time."""
    rng = random.Random(3)
    closed = [*grow_shapes(make_scenery(rng), 0.0), *grow_shapes(make_enemies(rng, 40), INCH_MM)]
    lines = []
    starts = find_places(rng, closed, STARTS)
    ground = [make_areas(start, rng) for start in starts]
    find_weighted_region(starts[0], 12 * INCH_MM, closed, ground[0], BOX)
    for inches in (6, 12):
        took = []
        for start, areas in zip(starts, ground, strict=True):
            begun = time.process_time()
            find_weighted_region(start, inches * INCH_MM, closed, areas, BOX)
            took.append((time.process_time() - begun) * 1e3)
        lines.append(f"zone of {inches} inches over 3 slow areas and 2 hills: {_format_spread(took)}")
    lines += time_climbs(rng)
    took = []
    for start, areas in zip(starts, ground, strict=True):
        (goal,) = find_places(random.Random(len(took)), closed, 1)
        begun = time.process_time()
        find_weighted_routes(start, [goal], closed, areas, BOX, limit_mm=12 * INCH_MM)
        took.append((time.process_time() - begun) * 1e3)
    lines.append(f"the cheapest way to a place, 12 inches at most: {_format_spread(took)}")
    return lines


def time_climbs(rng: random.Random) -> list[str]:
    """Return one line a length of way, over the bench's 28 outlines as terrain of 60 to 120 mm to climb."""
    areas = [
        CostArea(parts=tuple(grow_shapes([outline], 0.0)), up_mm=height, down_mm=height)
        for outline, height in zip(make_scenery(random.Random(3)), (60, 76, 100, 120) * 7, strict=True)
    ]
    enemies = grow_shapes(make_enemies(rng, 40), INCH_MM)
    free = find_places(rng, [*enemies, *(part for area in areas for part in area.parts)], STARTS)
    lines = []
    for inches in (6, 12):
        took = []
        for start in free:
            begun = time.process_time()
            find_weighted_region(start, inches * INCH_MM, enemies, areas, BOX)
            took.append((time.process_time() - begun) * 1e3)
        lines.append(f"zone of {inches} inches over 28 outlines to climb: {_format_spread(took)}")
    return lines


def make_areas(start: Point, rng: random.Random) -> list[CostArea]:
    """Return areas of 6 x 4 inches near a start: three at half speed and two that are climbed, 2 inches up and down."""
    found = []
    for index in range(5):
        x, y = (middle + rng.uniform(-8, 8) * INCH_MM for middle in start)
        (part,) = decompose_convex(Rect(length_mm=6 * INCH_MM, width_mm=4 * INCH_MM))
        parts = (part.move(x, y, rng.uniform(0, math.pi)),)
        climb = 0.0 if index < 3 else 2 * INCH_MM
        found.append(CostArea(parts=parts, pace=2.0 if index < 3 else 1.0, up_mm=climb, down_mm=climb))
    return found
