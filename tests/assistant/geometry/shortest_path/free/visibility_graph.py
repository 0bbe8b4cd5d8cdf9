"""Visibility graph: shortest ways over polygons of many corners, the slow and obvious way, in NumPy alone."""

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Ints = NDArray[np.intp]
Flags = NDArray[np.bool_]

STEP_RAD = 2 * math.pi / 256
TOUCH_MM = 1e-7
"""A segment that goes no deeper than this into a polygon touches it."""


def round_polygon(core: Array, radius_mm: float) -> Array:
    """Corners of a convex polygon (k, 2), counter-clockwise, or of a single point, grown by a disc."""
    if radius_mm == 0:
        return core
    along = np.roll(core, -1, axis=0) - core
    after = np.arctan2(-along[:, 0], along[:, 1])  # the outward direction of the edge after each corner
    before = np.roll(after, 1)
    width = np.full(1, 2 * math.pi) if len(core) == 1 else np.mod(after - before, 2 * math.pi)
    corners = []
    for corner, first, turn in zip(core, before, width, strict=True):
        count = 2 + math.ceil(turn / STEP_RAD)
        angles = first + np.linspace(0, turn, count)[: count - (len(core) == 1)]
        corners.append(corner + radius_mm * np.column_stack((np.cos(angles), np.sin(angles))))
    return np.concatenate(corners)


def round_ellipse(centre: Array, axes_mm: tuple[float, float], turn_rad: float, radius_mm: float) -> Array:
    """Corners of an ellipse grown by a disc, one for each of many directions of its outward normal."""
    angles = np.arange(0, 2 * math.pi, STEP_RAD / 2)
    normals = np.column_stack((np.cos(angles), np.sin(angles)))
    pulls = normals * axes_mm
    local = pulls * axes_mm / np.hypot(pulls[:, 0], pulls[:, 1])[:, None] + radius_mm * normals
    cos, sin = math.cos(turn_rad), math.sin(turn_rad)
    corners: Array = local @ np.array([[cos, sin], [-sin, cos]]) + centre
    return corners


@dataclass(frozen=True, kw_only=True, eq=False)
class VisibilityGraphDistances:
    """The least lengths of way from a start to the corners of all polygons, inf where no way is free."""

    start: Array
    polygons: list[Array]
    mm: list[Array]
    low: Array
    high: Array

    def measure_lengths_mm(self, goals: Array) -> Array:
        """Least lengths of way to (m, 2) places outside all polygons, inf where there is none."""
        ways: Array = np.hypot(*(goals - self.start).T)
        ways[_is_blocked(np.broadcast_to(self.start, goals.shape), goals, self.polygons)] = math.inf
        for corners, mm in zip(self.polygons, self.mm, strict=True):
            place, corner = np.nonzero(_is_tangent(corners, goals[:, None, :] - corners) & np.isfinite(mm))
            totals = mm[corner] + np.hypot(*(goals[place] - corners[corner]).T)
            shorter = np.flatnonzero(totals < ways[place])
            place, corner = place[shorter], corner[shorter]
            free = ~_is_blocked(corners[corner], goals[place], self.polygons)
            np.minimum.at(ways, place[free], totals[shorter][free])
        ways[~self._is_on_table(goals)] = math.inf
        return ways

    def is_free(self, places: Array, margin_mm: float) -> Flags:
        """Which of (m, 2) places are on the table and outside all polygons by a margin, along one of their sides."""
        outside = self._is_on_table(places)
        for corners in self.polygons:
            normals, offsets = _list_sides(corners)
            outside &= (places @ normals.T - offsets).max(axis=1) > margin_mm
        return outside

    def _is_on_table(self, places: Array) -> Flags:
        return np.asarray(((places >= self.low) & (places <= self.high)).all(axis=1))


def build_visibility_graph(
    start: Array, polygons: Sequence[Array], low: Array, high: Array
) -> VisibilityGraphDistances:
    """Dijkstra over the corners: the sides of the polygons, and the free segments that touch one at either end."""
    owner = np.repeat(np.arange(len(polygons)), [len(corners) for corners in polygons])
    begins = np.cumsum([0, *(len(corners) for corners in polygons)])
    nodes = np.concatenate((*polygons, start[None]))
    one, two = _list_candidates(polygons, start, begins)
    usable = np.asarray(((nodes >= low) & (nodes <= high)).all(axis=1))
    kept = usable[one] & usable[two]
    one, two = one[kept], two[kept]
    kept = ~_is_blocked(nodes[one], nodes[two], polygons)
    cost = _run_dijkstra(one[kept], two[kept], np.hypot(*(nodes[one[kept]] - nodes[two[kept]]).T), len(nodes))
    mm = [cost[:-1][owner == index] for index in range(len(polygons))]
    return VisibilityGraphDistances(start=start, polygons=list(polygons), mm=mm, low=low, high=high)


def _list_candidates(polygons: Sequence[Array], start: Array, begins: Ints) -> tuple[Ints, Ints]:
    """Pairs of nodes that a shortest way may join; the start is the last node."""
    one, two = [], []
    for index, corners in enumerate(polygons):
        nodes = np.arange(len(corners)) + begins[index]
        seen = np.flatnonzero(_is_tangent(corners, start - corners))
        one += [nodes, nodes[seen]]
        two += [np.roll(nodes, -1), np.full(len(seen), begins[-1])]
        for other in range(index):
            steps = polygons[other][None, :, :] - corners[:, None, :]
            touching = _is_tangent(corners, steps.transpose(1, 0, 2)).T
            mine, theirs = np.nonzero(touching & _is_tangent(polygons[other], steps))
            one.append(nodes[mine])
            two.append(theirs + begins[other])
    return np.concatenate(one), np.concatenate(two)


def _is_tangent(corners: Array, steps: Array) -> Flags:
    """Whether lines through (k, 2) corners with directions (..., k, 2) leave the whole polygon on one side."""
    before, after = np.roll(corners, 1, axis=0) - corners, np.roll(corners, -1, axis=0) - corners
    sides = [steps[..., 0] * way[:, 1] - steps[..., 1] * way[:, 0] for way in (before, after)]
    return np.asarray(sides[0] * sides[1] >= -1e-9)


def _list_sides(corners: Array) -> tuple[Array, Array]:
    along = np.roll(corners, -1, axis=0) - corners
    normals = np.column_stack((along[:, 1], -along[:, 0])) / np.hypot(along[:, 0], along[:, 1])[:, None]
    return normals, (normals * corners).sum(axis=1)


def _is_blocked(begins: Array, ends: Array, polygons: Sequence[Array]) -> Flags:
    """Which segments have a part inside a polygon, deeper than a touch."""
    blocked = np.zeros(len(begins), dtype=bool)
    least, most = np.minimum(begins, ends), np.maximum(begins, ends)
    for corners in polygons:
        beside = (least < corners.max(axis=0)).all(axis=1) & (most > corners.min(axis=0)).all(axis=1)
        open_ones = np.flatnonzero(beside & ~blocked)
        normals, offsets = _list_sides(corners)
        at_begin = begins[open_ones] @ normals.T - offsets + TOUCH_MM
        change = (ends - begins)[open_ones] @ normals.T
        with np.errstate(divide="ignore", invalid="ignore"):
            meets = -at_begin / change
        enters = np.where(change < 0, meets, np.where((change == 0) & (at_begin >= 0), math.inf, -math.inf))
        leaves = np.where(change > 0, meets, math.inf)
        first, last = np.maximum(enters.max(axis=1), 0.0), np.minimum(leaves.min(axis=1), 1.0)
        blocked[open_ones[first < last]] = True
    return blocked


def _run_dijkstra(one: Ints, two: Ints, lengths: Array, count: int) -> Array:
    """Least lengths from the last node to all, over ways that may be gone both ways."""
    onward: list[list[tuple[int, float]]] = [[] for _ in range(count)]
    for a, b, mm in zip(one.tolist(), two.tolist(), lengths.tolist(), strict=True):
        onward[a].append((b, mm))
        onward[b].append((a, mm))
    cost = [math.inf] * (count - 1) + [0.0]
    queue = [(0.0, count - 1)]
    while queue:
        so_far, node = heapq.heappop(queue)
        if so_far > cost[node]:
            continue
        for other, mm in onward[node]:
            if so_far + mm < cost[other]:
                cost[other] = so_far + mm
                heapq.heappush(queue, (so_far + mm, other))
    return np.array(cost)
