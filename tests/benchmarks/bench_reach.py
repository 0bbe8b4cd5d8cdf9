"""How long a reach zone takes: a 32 mm round base among 40 enemies and 28 terrain outlines on a 60 x 44 inch table."""

import math
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence

from assistant.geometry.clearance.shape_clearance import Point
from assistant.geometry.shapes.base_shapes import Outline, PlacedShape, Round
from assistant.geometry.shapes.convex import ConvexSet, decompose_convex, decompose_placed
from assistant.geometry.shortest_path.free.reach import find_reach
from assistant.geometry.shortest_path.obstacles import ObstacleField, build_field
from assistant.geometry.shortest_path.tangents import Box

INCH_MM = 25.4
WIDTH_MM, DEPTH_MM = 60 * INCH_MM, 44 * INCH_MM
BODY = Round(radius_mm=16)
BOX: Box = (16.0, 16.0, WIDTH_MM - 16, DEPTH_MM - 16)
STARTS = 40
UNITS = 12


def run() -> list[str]:
    """Return one line a measurement, in milliseconds of processor time."""
    rng = random.Random(3)
    begun = time.process_time()
    parts = grow_shapes(make_scenery(rng), 0.0)
    terrain = build_field(parts)
    prepared_ms = (time.process_time() - begun) * 1e3
    enemies = grow_shapes(make_enemies(rng, 40), INCH_MM)
    obstacles = [*parts, *enemies]
    starts = find_places(rng, obstacles, STARTS)
    units = [find_squad_places(leader, obstacles) for leader in find_places(rng, obstacles, UNITS)]
    lines = [f"28 terrain outlines prepared once, {len(parts)} convex parts: {prepared_ms:.1f} ms"]
    _time_regions(terrain, enemies, starts[:3], 12)
    for inches in (6, 12):
        took = [_time_regions(terrain, enemies, [start], inches) for start in starts]
        lines.append(f"reach of {inches} inches: {_format_spread(took)}")
    of_units = [_time_regions(terrain, enemies, unit, 12) for unit in units]
    lines.append(f"reach of 12 inches, a unit of 10: {_format_spread(of_units)}")
    cold = statistics.median(_time_cold_start() for _ in range(3))
    lines.append(f"reach of 12 inches, the first call of a process, imports aside: median {cold:.1f} ms")
    return lines


def make_scenery(rng: random.Random) -> list[PlacedShape]:
    """Return 28 outlines clear of each other's middles: ruins in the shape of an L, blocks and boulders."""
    found: list[PlacedShape] = []
    while len(found) < 28:
        x, y = rng.uniform(80, WIDTH_MM - 80), rng.uniform(80, DEPTH_MM - 80)
        if all(math.dist((x, y), (other.x_mm, other.y_mm)) > 150 for other in found):
            shape = (_make_ruin, _make_block, _make_boulder)[len(found) % 3](rng)
            found.append(PlacedShape(shape=shape, x_mm=x, y_mm=y, facing_rad=rng.uniform(0, 2 * math.pi)))
    return found


def _make_ruin(rng: random.Random) -> Outline:
    a, b, wall = rng.uniform(80, 150), rng.uniform(60, 120), 8.0
    corners = [(0.0, 0.0), (a, 0.0), (a, wall), (wall, wall), (wall, b), (0.0, b)]
    return Outline(points_mm=tuple((x - a / 3, y - b / 3) for x, y in corners))


def _make_block(rng: random.Random) -> Outline:
    a, b = rng.uniform(30, 60), rng.uniform(20, 40)
    return Outline(points_mm=((-a, -b), (a, -b), (a, b), (-a, b)))


def _make_boulder(rng: random.Random) -> Outline:
    turns = [math.tau * (i + rng.uniform(0, 0.4)) / 7 for i in range(7)]
    return Outline(points_mm=tuple((40 * math.cos(turn), 30 * math.sin(turn)) for turn in turns))


def make_enemies(rng: random.Random, count: int) -> list[PlacedShape]:
    """Return enemies of 32 mm that do not overlap each other."""
    found: list[PlacedShape] = []
    while len(found) < count:
        x, y = rng.uniform(16, WIDTH_MM - 16), rng.uniform(16, DEPTH_MM - 16)
        if all(math.dist((x, y), (other.x_mm, other.y_mm)) > 33 for other in found):
            found.append(PlacedShape(shape=Round(radius_mm=16), x_mm=x, y_mm=y))
    return found


def grow_shapes(shapes: Sequence[PlacedShape], range_mm: float) -> list[ConvexSet]:
    """Return the places of the body's centre at which it is nearer to a shape than a range."""
    (body,) = decompose_convex(BODY)
    return [part.minkowski_sum(body).grow(range_mm) for shape in shapes for part in decompose_placed(shape)]


def find_places(rng: random.Random, obstacles: Sequence[ConvexSet], count: int) -> list[Point]:
    """Return places outside all obstacles."""
    found: list[Point] = []
    while len(found) < count:
        place = (rng.uniform(BOX[0], BOX[2]), rng.uniform(BOX[1], BOX[3]))
        if all(obstacle.distance(*place)[0] > 0.5 for obstacle in obstacles):
            found.append(place)
    return found


def find_squad_places(leader: Point, obstacles: Sequence[ConvexSet]) -> list[Point]:
    """Return the free places nearest to a leader, 34 mm apart, for ten models with the leader."""
    grid = [(leader[0] + 34.0 * i, leader[1] + 34.0 * j) for i in range(-8, 9) for j in range(-8, 9)]
    inside = [p for p in grid if BOX[0] <= p[0] <= BOX[2] and BOX[1] <= p[1] <= BOX[3]]
    free = [p for p in inside if all(obstacle.distance(*p)[0] > 0 for obstacle in obstacles)]
    return sorted(free, key=lambda place: math.dist(place, leader))[:10]


def _time_regions(
    terrain: ObstacleField, enemies: Sequence[ConvexSet], starts: Sequence[Point], inches: float
) -> float:
    """Return how long the regions from some places take, the enemies' field included."""
    begun = time.process_time()
    field = terrain.combine(build_field(enemies))
    find_reach(starts, inches * INCH_MM, field, BOX)
    return (time.process_time() - begun) * 1e3


def _format_spread(took: Sequence[float]) -> str:
    return f"median {statistics.median(took):.2f} ms, mean {statistics.mean(took):.2f} ms, most {max(took):.2f} ms"


_COLD = """
import random, time
from tests.benchmarks import bench_reach as bench
rng = random.Random(3)
terrain, enemies = bench.make_scenery(rng), bench.make_enemies(rng, 40)
obstacles = [*bench.grow_shapes(terrain, 0.0), *bench.grow_shapes(enemies, bench.INCH_MM)]
(start,) = bench.find_places(rng, obstacles, 1)
begun = time.process_time()
bench.find_reach([start], 12 * bench.INCH_MM, obstacles, bench.BOX)
print((time.process_time() - begun) * 1e3)
"""


def _time_cold_start() -> float:
    """Return what the first call takes in a fresh process, imports aside."""
    return float(subprocess.run([sys.executable, "-c", _COLD], check=True, capture_output=True, text=True).stdout)
