"""How long it takes to judge motion: the first contact of a base on its path with 200 others, its spans, its length."""

import math
import random
import statistics
import time
from collections.abc import Callable
from dataclasses import replace

from assistant.geometry.motion.boundary_crossing import find_edge_crossing, find_spans_beyond
from assistant.geometry.motion.contact import ProximityZone, find_first_contact, find_spans_within, shrink_zone
from assistant.geometry.motion.path_length import measure_furthest_displacement, measure_furthest_travel
from assistant.geometry.shapes.base_shapes import Base, Oval, PlacedShape, Rect, Round
from tests.benchmarks.bench_clearance import MIXES, lay_out_bases

WIDTH_MM, DEPTH_MM = 1524.0, 1118.0
POSES = 20
PATHS = 30
WOOD = ((500.0, 300.0), (820.0, 260.0), (900.0, 420.0), (760.0, 400.0), (700.0, 620.0), (520.0, 560.0))
MOVERS: dict[str, Base] = {
    "round, 32 mm": Round(radius_mm=16.0),
    "oval, 60 x 35 mm": Oval(length_mm=60, width_mm=35),
    "rectangle, 50 x 25 mm": Rect(length_mm=50, width_mm=25),
}


def run() -> list[str]:
    """Return one line a measurement: milliseconds of CPU a path, median and greatest."""
    others = lay_out_bases(MIXES["three fifths round, a fifth oval, a fifth rectangle"])
    lines = [f"paths of {POSES} poses over 12 inches that wind and turn, among {len(others)} bases; a path each"]
    for name, shape in MOVERS.items():
        paths = [make_path(shape, others, seed) for seed in range(PATHS)]
        lines.append(f"{name}:")
        for what, action in (
            ("first contact", lambda way: find_first_contact(way, [ProximityZone(other=other) for other in others])),
            (
                "first within 1 inch",
                lambda way: find_first_contact(way, [ProximityZone(other=o, range_mm=25.4) for o in others]),
            ),
            (
                "within 1 inch, or deeper where it starts in it",
                lambda way: find_first_contact(way, _make_keep_outs(way, others)),
            ),
            (
                "spans within 1 inch of all",
                lambda way: [find_spans_within(way, ProximityZone(other=o, range_mm=25.4)) for o in others],
            ),
            ("first over the table's edge", lambda way: find_edge_crossing(way, WIDTH_MM, DEPTH_MM)),
            ("spans beyond a concave outline", lambda way: find_spans_beyond(way, WOOD)),
            ("the way of the point that travels furthest", measure_furthest_travel),
            ("the displacement that is greatest", measure_furthest_displacement),
        ):
            lines.append(f"  {what}: {_time_paths(action, paths)}")
    return lines


def make_path(shape: Base, others: list[PlacedShape], seed: int) -> list[PlacedShape]:
    """Return a path from where one of the others stands that winds and turns as a hand's does."""
    rng = random.Random(seed)
    start = others[rng.randrange(len(others))]
    heading, facing = rng.uniform(-math.pi, math.pi), rng.uniform(-math.pi, math.pi)
    way = [PlacedShape(shape=shape, x_mm=start.x_mm, y_mm=start.y_mm + 60, facing_rad=facing)]
    for _ in range(POSES - 1):
        heading, facing = heading + rng.uniform(-0.3, 0.3), facing + rng.uniform(-0.15, 0.15)
        step = 304.8 / (POSES - 1)
        at = way[-1]
        way.append(
            replace(
                at,
                x_mm=at.x_mm + step * math.cos(heading),
                y_mm=at.y_mm + step * math.sin(heading),
                facing_rad=facing,
            )
        )
    return way


def _make_keep_outs(way: list[PlacedShape], others: list[PlacedShape]) -> list[ProximityZone]:
    """Return keep-outs of an inch, smaller where the path starts in one."""
    near = 2 * 25.4 + 100
    zones = [ProximityZone(other=other, range_mm=25.4) for other in others]
    at = (way[0].x_mm, way[0].y_mm)
    return [
        shrink_zone(zone, way[0]) if math.dist(at, (zone.other.x_mm, zone.other.y_mm)) < near else zone
        for zone in zones
    ]


def _time_paths(action: Callable[[list[PlacedShape]], object], paths: list[list[PlacedShape]]) -> str:
    action(paths[0])
    took = []
    for way in paths:
        begun = time.process_time()
        action(way)
        took.append((time.process_time() - begun) * 1e3)
    return f"{statistics.median(took):.1f} ms, {max(took):.1f} ms"
