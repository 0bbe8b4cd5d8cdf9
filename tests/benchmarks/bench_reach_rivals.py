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

from assistant.geometry.clearance.shape_clearance import Point
from assistant.geometry.shapes.convex import Array, ConvexSet
from assistant.geometry.shapes.polygons import circumscribe
from assistant.geometry.shortest_path.free.reach import find_reach_region, find_shortest_route
from assistant.geometry.shortest_path.obstacles import ObstacleField, build_field
from assistant.geometry.shortest_path.tangents import Box
from tests.benchmarks.bench_reach import BOX, INCH_MM, find_places, grow_shapes, make_enemies, make_scenery

LIMIT_MM = 12 * INCH_MM
HALF = math.ceil(LIMIT_MM) + 2
"""The window's half width, in cells of 1 mm."""
STARTS = 8
ASKED = 40
WALL = ConvexSet(corners_mm=np.array([(0.0, 0.0), (8.0, 0.0), (8.0, 900.0), (0.0, 900.0)]), radius_mm=16)
BESIDE: Point = (-70.3, 110.2)
OPEN: Box = (-1000.0, -1000.0, 1000.0, 1000.0)

Flags = NDArray[np.bool_]
March = Callable[[Flags], Array]
"""From the free cells of a window to each cell's length of way from the middle one."""


def run() -> list[str]:
    """Return the time and the error of each, behind a wall's end and on the scene of the bench for reach."""
    rng = random.Random(3)
    terrain, enemies = grow_shapes(make_scenery(rng), 0.0), grow_shapes(make_enemies(rng, 40), INCH_MM)
    obstacles = [*terrain, *enemies]
    prepared, starts = build_field(terrain), find_places(rng, obstacles, STARTS)
    wall = build_field([WALL])
    find_reach_region(BESIDE, LIMIT_MM, wall, OPEN)
    behind_ms = statistics.median(
        _time_work(partial(find_reach_region, BESIDE, LIMIT_MM, wall, OPEN)) for _ in range(9)
    )
    among_ms = statistics.median(_time_work(partial(_find_region, prepared, enemies, start)) for start in starts)
    drawn_mm, length_mm = measure_our_errors_mm()
    lines = [
        f"ours, behind a wall: {behind_ms:.2f} ms; lengths to {length_mm:.0e} mm, the edge to {drawn_mm:.3f} mm",
        f"ours, on the table: {among_ms:.2f} ms",
    ]
    for name, march in list_rivals().items():
        if march is None:
            lines.append(f"{name}: skipped, for it is not installed here")
            continue
        took_ms, errors = _time_behind_wall(march)
        lines.append(_format_row(f"{name}, behind a wall", took_ms, errors, behind_ms, drawn_mm))
        took_ms, errors = _time_on_table(march, obstacles, starts)
        lines.append(_format_row(f"{name}, on the table", took_ms, errors, among_ms, drawn_mm))
    return lines


def list_rivals() -> dict[str, March | None]:
    """Return the rivals by name, None for one that is not installed."""
    found = {"scikit-fmm": ("skfmm", _run_fast_march), "MCP_Geometric": ("skimage", _find_cheapest_path)}
    return {name: march if importlib.util.find_spec(module) else None for name, (module, march) in found.items()}


def _run_fast_march(free: Flags) -> Array:
    import skfmm

    known_mm = 5.0  # a smooth front to start from: the error at a single cell would stay for ever
    lengths = skfmm.distance(np.ma.MaskedArray(_compute_straight_mm() - known_mm, ~free), dx=1.0, narrow=LIMIT_MM)
    return np.asarray(np.ma.filled(lengths + known_mm, np.inf))


def _find_cheapest_path(free: Flags) -> Array:
    from skimage.graph import MCP_Geometric

    lengths, _ = MCP_Geometric(np.where(free, 1.0, -1.0)).find_costs([(HALF, HALF)])
    return np.asarray(lengths)


def compute_exact_mm(goals: Array) -> Array:
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


def measure_our_errors_mm() -> tuple[float, float]:
    """Return the greatest error of our region's edge behind the wall, as drawn, and of our lengths."""
    region = find_reach_region(BESIDE, LIMIT_MM, [WALL], OPEN)
    edge = shapely.get_coordinates(shapely.segmentize(region.boundary, 0.5))
    ways = compute_exact_mm(edge)
    end = np.flatnonzero(np.abs(ways - LIMIT_MM) < 1.0)  # else the edge is the wall's own
    hidden = edge[end][:: max(1, len(end) // ASKED)]
    goals = (hidden - WALL.corners_mm[1]) * 0.9 + WALL.corners_mm[1]
    routes = [find_shortest_route(BESIDE, (x, y), [WALL], OPEN) for x, y in goals.tolist()]
    lengths = np.array([math.inf if route is None else route.mm for route in routes])
    return float(np.abs(ways[end] - LIMIT_MM).max()), float(np.nanmax(np.abs(lengths - compute_exact_mm(goals))))


def _time_behind_wall(march: March) -> tuple[float, Array]:
    free = _find_free_cells(BESIDE, [WALL], OPEN)
    took, lengths = _time_march(march, free)
    exact = compute_exact_mm(_list_cells(BESIDE))
    asked = (exact < LIMIT_MM - 1) & free.ravel() & np.isfinite(lengths)
    return took, np.abs(lengths - exact)[asked]


def _time_on_table(march: March, obstacles: Sequence[ConvexSet], starts: Sequence[Point]) -> tuple[float, Array]:
    """Return the median time, and the errors at cells that are not in sight of the start."""
    times, errors, rng = [], [], random.Random(5)
    for start in starts:
        took, lengths = _time_march(march, _find_free_cells(start, obstacles, BOX))
        times.append(took)
        cells, straight = _list_cells(start), _compute_straight_mm().ravel()
        hidden = np.flatnonzero((lengths < LIMIT_MM - 8) & (lengths > 1.1 * straight))  # 8 % is MCP_Geometric's stretch
        for cell in rng.sample(hidden.tolist(), min(ASKED, len(hidden))):
            route = find_shortest_route(start, (float(cells[cell, 0]), float(cells[cell, 1])), obstacles, BOX)
            if route is not None:
                errors.append(abs(float(lengths[cell]) - route.mm))
    return statistics.median(times), np.array(errors)


def _find_region(prepared: ObstacleField, enemies: Sequence[ConvexSet], start: Point) -> shapely.MultiPolygon:
    return find_reach_region(start, LIMIT_MM, prepared.combine(build_field(enemies)), BOX)


def _list_cells(start: Point) -> Array:
    rows, columns = np.mgrid[-HALF : HALF + 1, -HALF : HALF + 1]
    cells: Array = np.column_stack((columns.ravel(), rows.ravel())) + np.array(start)
    return cells


def _compute_straight_mm() -> Array:
    rows, columns = np.mgrid[-HALF : HALF + 1, -HALF : HALF + 1]
    straight: Array = np.hypot(rows, columns)
    return straight


def _find_free_cells(start: Point, obstacles: Sequence[ConvexSet], box: Box) -> Flags:
    taken = shapely.union_all([circumscribe(obstacle, 0.001) for obstacle in obstacles])
    shapely.prepare(taken)
    x, y = _list_cells(start).T
    free = (x >= box[0]) & (x <= box[2]) & (y >= box[1]) & (y <= box[3]) & ~shapely.contains_xy(taken, x, y)
    return np.asarray(free).reshape(2 * HALF + 1, -1) & (_compute_straight_mm() <= LIMIT_MM)


def _time_march(march: March, free: Flags) -> tuple[float, Array]:
    begun = time.process_time()
    lengths = march(free)
    return (time.process_time() - begun) * 1e3, lengths.ravel()


def _time_work(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return (time.process_time() - begun) * 1e3


def _format_row(name: str, took_ms: float, errors: Array, ours_ms: float, ours_mm: float) -> str:
    most = float(errors.max())
    return (
        f"{name}: {took_ms:.0f} ms, {took_ms / ours_ms:.0f} times ours; error mean {errors.mean():.2f} mm, "
        f"most {most:.2f} mm, {most / ours_mm:.0f} times ours"
    )
