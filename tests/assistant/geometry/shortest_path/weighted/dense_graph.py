"""Dense graph: scenes of ground that costs, and two slow ways to price a way that share no kernel code."""

import heapq
import math
import random
from collections.abc import Sequence

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

from assistant.geometry.clearance.shape_clearance import Point
from assistant.geometry.shapes.convex import ConvexSet
from assistant.geometry.shortest_path.tangents import Box
from assistant.geometry.shortest_path.weighted.areas import CostArea

BOX: Box = (0.0, 0.0, 400.0, 400.0)
START = (200.0, 200.0)


def make_disc(x: float, y: float, radius: float) -> ConvexSet:
    return ConvexSet(corners_mm=np.array([(x, y)]), radius_mm=radius)


def make_block(x: float, y: float, width: float, depth: float, *turned: float) -> ConvexSet:
    turn, radius = (*turned, 0.0, 0.0)[:2]
    corners = np.array([(-width, -depth), (width, -depth), (width, depth), (-width, depth)]) / 2
    return ConvexSet(corners_mm=corners, radius_mm=radius).move(x, y, turn)


def make_obstacles(rng: random.Random, count: int) -> list[ConvexSet]:
    found: list[ConvexSet] = []
    while len(found) < count:
        x, y, turn = rng.uniform(30, 370), rng.uniform(30, 370), rng.uniform(0, 3)
        kind = rng.choice(
            [make_disc(x, y, rng.uniform(15, 35)), make_block(x, y, 60, 25, turn, rng.choice([0.0, 12.0]))]
        )
        if kind.distance(*START)[0] > 1:
            found.append(kind)
    return found


def make_areas(rng: random.Random, count: int, *, even: bool = False) -> list[CostArea]:
    found = []
    for _ in range(count):
        x, y, turn = rng.uniform(90, 310), rng.uniform(90, 310), rng.uniform(0, 3)
        kinds = [
            make_disc(x, y, rng.uniform(20, 50)),
            make_block(x, y, rng.uniform(40, 100), 70, turn, rng.choice([0.0, 12.0])),
        ]
        up = rng.choice([0.0, 0.0, 25.0])
        down = up if even else rng.choice([0.0, 15.0])
        found.append(
            CostArea(parts=(rng.choice(kinds),), pace=rng.choice([1.0, 1.5, 2.0, 2.0]), up_mm=up, down_mm=down)
        )
    return found


def draw_area(area: CostArea, margin: float = 0.0) -> shapely.Polygon:
    """The area with many corners, grown or shrunk."""
    parts = [
        shapely.MultiPoint(part.corners_mm).convex_hull.buffer(part.radius_mm, quad_segs=16)
        if part.radius_mm
        else shapely.Polygon(part.corners_mm)
        for part in area.parts
    ]
    return shapely.union_all(parts).buffer(margin, join_style="mitre")


def measure_cost_mm(lines: NDArray[np.object_], areas: Sequence[CostArea], margin: float = 1e-3) -> NDArray[np.float64]:
    """What lines cost, edges being outside: by clipping with areas that are a little smaller."""
    cost = shapely.length(lines)
    left: BaseGeometry = shapely.Polygon()
    for area in sorted(areas, key=lambda area: -area.pace):
        inside = draw_area(area, -margin)
        shapely.prepare(inside)
        cost = cost + (area.pace - 1) * shapely.length(shapely.intersection(lines, inside.difference(left)))
        left = left.union(inside)
        stays = shapely.get_num_geometries(shapely.line_merge(shapely.intersection(lines, inside)))
        stays = np.where(shapely.is_empty(shapely.intersection(lines, inside)), 0, stays)
        begins, ends = (shapely.intersects(inside, shapely.get_point(lines, k)) for k in (0, -1))
        cost = cost + area.up_mm * (stays - begins) + area.down_mm * (stays - ends)
    return np.asarray(cost)


def measure_least_cost_mm(
    goal: Point, closed: Sequence[ConvexSet], areas: Sequence[CostArea], spacing: float = 8.0
) -> float:
    """Dijkstra over places on both sides of all edges, every leg paying for what it crosses."""
    shut = [draw_area(CostArea(parts=(part,))) for part in closed]
    blocked = shapely.union_all([polygon.buffer(-0.02) for polygon in shut])
    shapely.prepare(blocked)
    rings = [polygon.buffer(0.001).exterior for polygon in shut]
    rings += [draw_area(area, margin).exterior for area in areas for margin in (0.02, -0.02)]
    places = [START, goal]
    for ring in rings:
        corners = shapely.get_coordinates(shapely.simplify(ring, 0.02))
        evenly = [ring.interpolate(s) for s in np.arange(0, ring.length, spacing)]
        places += [(x, y) for x, y in corners] + [(p.x, p.y) for p in evenly]
    nodes = np.array(places)
    nodes = nodes[((nodes >= np.array(BOX[:2])) & (nodes <= np.array(BOX[2:]))).all(axis=1)]
    onward = np.hypot(*(nodes - nodes[1]).T)
    cost, queue, done = {0: 0.0}, [(0.0, 0)], set[int]()
    while queue:
        so_far, node = heapq.heappop(queue)
        if node == 1:
            return so_far
        if node in done:
            continue
        done.add(node)
        least = so_far + np.hypot(*(nodes - nodes[node]).T)
        known = np.array([cost.get(i, math.inf) for i in range(len(nodes))])
        worth = np.flatnonzero((least < known) & (least + onward < known[1]))
        lines = np.asarray(
            shapely.linestrings(np.stack((np.broadcast_to(nodes[node], (len(worth), 2)), nodes[worth]), axis=1))
        )
        free = ~shapely.intersects(blocked, lines)
        for other, mm in zip(worth[free].tolist(), measure_cost_mm(lines[free], areas).tolist(), strict=True):
            if so_far + mm < cost.get(other, math.inf):
                cost[other] = so_far + mm
                heapq.heappush(queue, (so_far + mm, other))
    return math.inf
