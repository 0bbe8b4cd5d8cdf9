"""The reach of a base against that of two rivals on a grid of 1 mm: scikit-fmm, and scikit-image's MCP_Geometric.

Each rival is given what favours it: only the cells within 12 inches of the start, the obstacles already drawn on them,
and the start in the middle of one; its time is that of the march alone.  Ours is that of the whole region.
"""

import importlib.util
import math
import random
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import shapely
from numpy.typing import NDArray

from assistant.geometry.clearance import Point
from assistant.geometry.convex import Array, Convex
from assistant.geometry.field import Field, field_of
from assistant.geometry.reach import Box, reach_region, shortest_route
from assistant.geometry.regions import around
from tests.benchmarks.bench_reach import BOX, INCH_MM, bases, grown, places, scenery

LIMIT_MM = 12 * INCH_MM
HALF = math.ceil(LIMIT_MM) + 2
"""The window's half width, in cells of 1 mm."""
STARTS = 8
ASKED = 40
WALL = Convex(corners_mm=np.array([(0.0, 0.0), (8.0, 0.0), (8.0, 900.0), (0.0, 900.0)]), radius_mm=16)
BESIDE: Point = (-70.3, 110.2)
OPEN: Box = (-1000.0, -1000.0, 1000.0, 1000.0)

Flags = NDArray[np.bool_]
March = Callable[[Flags], Array]
"""From the free cells of a window to each cell's length of way from the middle one."""


def run() -> list[str]:
    """Return the time and the error of each, behind a wall's end and on the scene of the bench for reach."""
    rng = random.Random(3)
    terrain, enemies = grown(scenery(rng), 0.0), grown(bases(rng, 40), INCH_MM)
    obstacles = [*terrain, *enemies]
    prepared, starts = field_of(terrain), places(rng, obstacles, STARTS)
    wall = field_of([WALL])
    reach_region(BESIDE, LIMIT_MM, wall, OPEN)
    behind_ms = statistics.median(_ms(partial(reach_region, BESIDE, LIMIT_MM, wall, OPEN)) for _ in range(9))
    among_ms = statistics.median(_ms(partial(_region, prepared, enemies, start)) for start in starts)
    drawn_mm, length_mm = our_errors_mm()
    lines = [
        f"ours, behind a wall: {behind_ms:.2f} ms; lengths to {length_mm:.0e} mm, the edge to {drawn_mm:.3f} mm",
        f"ours, on the table: {among_ms:.2f} ms",
    ]
    for name, march in rivals().items():
        if march is None:
            lines.append(f"{name}: skipped, for it is not installed here")
            continue
        took_ms, errors = _behind_wall(march)
        lines.append(_line(f"{name}, behind a wall", took_ms, errors, behind_ms, drawn_mm))
        took_ms, errors = _on_table(march, obstacles, starts)
        lines.append(_line(f"{name}, on the table", took_ms, errors, among_ms, drawn_mm))
    return lines


def rivals() -> dict[str, March | None]:
    """Return the rivals by name, None for one that is not installed."""
    found = {"scikit-fmm": ("skfmm", _fast_march), "MCP_Geometric": ("skimage", _cheapest_path)}
    return {name: march if importlib.util.find_spec(module) else None for name, (module, march) in found.items()}


def _fast_march(free: Flags) -> Array:
    import skfmm

    known_mm = 5.0  # a smooth front to start from: the error at a single cell would stay for ever
    lengths = skfmm.distance(np.ma.MaskedArray(_straight_mm() - known_mm, ~free), dx=1.0, narrow=LIMIT_MM)
    return np.asarray(np.ma.filled(lengths + known_mm, np.inf))


def _cheapest_path(free: Flags) -> Array:
    from skimage.graph import MCP_Geometric

    lengths, _ = MCP_Geometric(np.where(free, 1.0, -1.0)).find_costs([(HALF, HALF)])
    return np.asarray(lengths)


def exact_mm(goals: Array) -> Array:
    """Return the lengths of the shortest ways around the wall's lower end to (m, 2) places hidden behind it, else nan.

    A way is straight to the arc around one of the end's two corners, hugs it and the end, and is straight again.
    """
    (left, right), radius = WALL.corners_mm[:2], WALL.radius_mm
    away, back = left - BESIDE, goals - right
    first, last = math.hypot(*away), np.hypot(back[:, 0], back[:, 1])
    leaves = math.atan2(away[1], away[0]) - math.asin(radius / first)
    arrives = np.arctan2(back[:, 1], back[:, 0]) + np.arcsin(np.minimum(radius / last, 1.0))
    hugged = np.mod(arrives - leaves, 2 * math.pi)
    hidden = (back[:, 0] > radius) & (arrives > 0) & (leaves < 0)
    ways = math.sqrt(first**2 - radius**2) + (right - left)[0] + radius * hugged
    return np.where(hidden, ways + np.sqrt(np.maximum(last**2 - radius**2, 0.0)), np.nan)


def our_errors_mm() -> tuple[float, float]:
    """Return the greatest error of our region's edge behind the wall, as drawn, and of our lengths."""
    region = reach_region(BESIDE, LIMIT_MM, [WALL], OPEN)
    edge = shapely.get_coordinates(shapely.segmentize(region.boundary, 0.5))
    ways = exact_mm(edge)
    end = np.flatnonzero(np.abs(ways - LIMIT_MM) < 1.0)  # else the edge is the wall's own
    hidden = edge[end][:: max(1, len(end) // ASKED)]
    goals = (hidden - WALL.corners_mm[1]) * 0.9 + WALL.corners_mm[1]
    routes = [shortest_route(BESIDE, (x, y), [WALL], OPEN) for x, y in goals.tolist()]
    lengths = np.array([math.inf if route is None else route.mm for route in routes])
    return float(np.abs(ways[end] - LIMIT_MM).max()), float(np.nanmax(np.abs(lengths - exact_mm(goals))))


def _behind_wall(march: March) -> tuple[float, Array]:
    free = _free(BESIDE, [WALL], OPEN)
    took, lengths = _timed(march, free)
    exact = exact_mm(_cells(BESIDE))
    asked = (exact < LIMIT_MM - 1) & free.ravel() & np.isfinite(lengths)
    return took, np.abs(lengths - exact)[asked]


def _on_table(march: March, obstacles: Sequence[Convex], starts: Sequence[Point]) -> tuple[float, Array]:
    """Return the median time, and the errors at cells that are not in sight of the start."""
    times, errors, rng = [], [], random.Random(5)
    for start in starts:
        took, lengths = _timed(march, _free(start, obstacles, BOX))
        times.append(took)
        cells, straight = _cells(start), _straight_mm().ravel()
        hidden = np.flatnonzero((lengths < LIMIT_MM - 8) & (lengths > 1.1 * straight))  # 8 % is MCP_Geometric's stretch
        for cell in rng.sample(hidden.tolist(), min(ASKED, len(hidden))):
            route = shortest_route(start, (float(cells[cell, 0]), float(cells[cell, 1])), obstacles, BOX)
            if route is not None:
                errors.append(abs(float(lengths[cell]) - route.mm))
    return statistics.median(times), np.array(errors)


def _region(prepared: Field, enemies: Sequence[Convex], start: Point) -> shapely.MultiPolygon:
    return reach_region(start, LIMIT_MM, prepared.plus(field_of(enemies)), BOX)


def _cells(start: Point) -> Array:
    rows, columns = np.mgrid[-HALF : HALF + 1, -HALF : HALF + 1]
    cells: Array = np.column_stack((columns.ravel(), rows.ravel())) + np.array(start)
    return cells


def _straight_mm() -> Array:
    rows, columns = np.mgrid[-HALF : HALF + 1, -HALF : HALF + 1]
    straight: Array = np.hypot(rows, columns)
    return straight


def _free(start: Point, obstacles: Sequence[Convex], box: Box) -> Flags:
    taken = shapely.union_all([around(obstacle, 0.001) for obstacle in obstacles])
    shapely.prepare(taken)
    x, y = _cells(start).T
    free = (x >= box[0]) & (x <= box[2]) & (y >= box[1]) & (y <= box[3]) & ~shapely.contains_xy(taken, x, y)
    return np.asarray(free).reshape(2 * HALF + 1, -1) & (_straight_mm() <= LIMIT_MM)


def _timed(march: March, free: Flags) -> tuple[float, Array]:
    begun = time.process_time()
    lengths = march(free)
    return (time.process_time() - begun) * 1e3, lengths.ravel()


def _ms(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return (time.process_time() - begun) * 1e3


def _line(name: str, took_ms: float, errors: Array, ours_ms: float, ours_mm: float) -> str:
    most = float(errors.max())
    return (
        f"{name}: {took_ms:.0f} ms, {took_ms / ours_ms:.0f} times ours; error mean {errors.mean():.2f} mm, "
        f"most {most:.2f} mm, {most / ours_mm:.0f} times ours"
    )
