"""Tangent graph: the arcs of convex obstacles that shortest ways hug, and how long the ways are by then.

A shortest way is a chain of straight segments that touch obstacles and arcs that hug them, so it runs in the graph of
all common tangents.  What ties obstacles to each other is found once for all starts; then each start has its own copy
of the graph, with its own tangents, cut off where its way is used up.
"""

import heapq
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from assistant.geometry.shapes.convex import Array, Complexes
from assistant.geometry.shortest_path.obstacles import (
    Flags,
    Ints,
    ObstacleField,
    build_disc_field,
    complex_from_angles,
)
from assistant.geometry.shortest_path.tangents import (
    BESIDE_RAD,
    Box,
    Tangents,
    find_arc_crossings,
    find_tangents,
    is_inside_box,
    measure_cone_offsets,
)

_SLACK_MM = 1e-6
_CONE = 2e-12
_KEY = 8.0
"""More than any angle: for one number out of a corner and an angle."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HuggedArcs:
    """Arcs that shortest ways hug, and the starts, as arcs of no radius: (f,) arrays."""

    field: ObstacleField
    """The starts as points, and then the obstacles."""
    start: Ints
    """Whose way it is."""
    corner: Ints
    first: Array
    last: Array
    """Where the arc begins and ends on the way, as radians from where the corner's cone begins."""
    cost_mm: Array
    """The length of way at the first."""
    notches: Complexes
    """Places where the boundary passes from one obstacle to another that it enters."""
    state: Ints
    """The place where the arc begins, in `graph`."""
    graph: "TangentGraph"


class TangentGraph(NamedTuple):
    """Places where a way may begin or end to hug, ordered around each corner, for each start.

    A state is 2 node + (turn > 0): a place, and which way round.
    """

    start: Ints
    corner: Ints
    angle: Array
    cost_mm: Array
    """The least length of way to each state, infinite where none comes by, ..."""
    before: Ints
    """... and the state before it on that way, or -1."""


class _ObstacleBoundaries(NamedTuple):
    """The boundaries of obstacles, parted where they enter others or leave the box."""

    key: Array
    corner: Ints
    angle: Array
    free: Flags
    """Whether the arc to the next part is."""
    edge_free: Flags
    """(n,) whether the edge that begins at a corner is; for a disc, the place where its arc closes."""

    def find_notches(self, field: ObstacleField) -> Complexes:
        """Return where free arcs become covered ones."""
        node = ((self.free[1:] != self.free[:-1]) & (self.corner[1:] == self.corner[:-1])).nonzero()[0] + 1
        node = node[self.angle[node] < field.cone_width[self.corner[node]]]
        corner = self.corner[node]
        notches: Complexes = (
            complex_from_angles(self.angle[node]) * field.lows[corner] * field.radii_mm[corner] + field.centres[corner]
        )
        return notches

    def snap_to_free(self, corners: Ints, angles: Array) -> tuple[Array, Flags]:
        """Return places moved onto an arc that is free where one begins or ends beside them, and which are on one."""
        on_free = self.free[self.find_part(corners, angles)]
        for side in (1, -1):
            part = self.find_part(corners, np.maximum(angles + side * BESIDE_RAD, 0.0))
            beside = ~on_free & self.free[part]
            angles = np.where(beside, self.angle[part + (side < 0)], angles)
            on_free |= beside
        return angles, on_free

    def find_part(self, corners: Ints, angles: Array) -> Ints:
        """Return in which part places lie."""
        part = self.key.searchsorted(_KEY * corners + angles, side="right") - 1
        closes = self.corner[np.minimum(part + 1, len(self.key) - 1)] != corners
        return np.asarray(part - (closes | (part == len(self.key) - 1)))


class _FreeTangents(NamedTuple):
    """The tangents that are free, with their ends around the corners, and which starts (s, m) may use them."""

    lines: Tangents
    source_angle: Array
    target_angle: Array
    used: Flags
    edge_free: Flags
    """(n,) whether the edge that begins at a corner is free, too; where arcs follow each other, the place."""


def find_hugged_arcs(starts: Complexes, limit_mm: float, obstacles: ObstacleField, box: Box) -> HuggedArcs:
    """Return the arcs hugged by the shortest ways from some starts, within a length and a box.

    Raises:
        BadInput: more is in the way than can be looked at.

    """
    field = build_disc_field(starts, np.zeros(len(starts))).combine(obstacles)
    rims = _split_boundaries(field, box)
    free = _select_free_tangents(field, len(starts), rims, limit_mm, box)
    return _search_graph(field, rims, free, limit_mm)


def _split_boundaries(field: ObstacleField, box: Box) -> _ObstacleBoundaries:
    corner, normal = find_arc_crossings(field, box)
    everyone, discs = np.arange(len(field.owner)), field.is_disc.nonzero()[0]
    # Half a turn is the most that one fan of rays may sweep: then it does not overlap itself.
    ends = (np.zeros(len(everyone)), np.full(len(discs), math.pi), field.cone_width)
    angle = np.concatenate((measure_cone_offsets(field, corner, normal), *ends))
    corner = np.concatenate((corner, everyone, discs, everyone))
    kept = angle <= field.cone_width[corner] + _CONE
    corner, angle = corner[kept], np.minimum(angle, field.cone_width[corner])[kept]
    key = _KEY * corner + angle
    order = key.argsort(kind="stable")
    key, corner, angle = key[order], corner[order], angle[order]
    arcs = (corner[:-1] == corner[1:]).nonzero()[0]
    around = corner[arcs]
    halfway = complex_from_angles((angle[arcs] + angle[arcs + 1]) / 2) * field.lows[around]
    begin = field.centres + field.radii_mm * field.outward
    end = begin + 1j * field.lengths_mm * field.outward
    points = np.concatenate((field.centres[around] + field.radii_mm[around] * halfway, begin, end))
    inside = is_inside_box(points, box)
    count, both = len(arcs), len(arcs) + len(begin)
    clear = inside[:both] & ~field.is_covered_complex(points[:both], np.concatenate((field.owner[around], field.owner)))
    free = np.zeros(len(corner), dtype=bool)
    free[arcs] = clear[:count]
    return _ObstacleBoundaries(key=key, corner=corner, angle=angle, free=free, edge_free=clear[count:] & inside[both:])


def _select_free_tangents(
    field: ObstacleField, count: int, rims: _ObstacleBoundaries, limit_mm: float, box: Box
) -> _FreeTangents:
    """Return the tangents and edges that no obstacle is in the way of; the first ``count`` obstacles are starts."""
    lines = find_tangents(field, count, limit_mm)
    ends = np.concatenate((lines.source, lines.target))
    angles = measure_cone_offsets(field, ends, np.concatenate((lines.source_normal, lines.target_normal)))
    places = field.centres[:count, None]
    used = np.minimum(np.abs(lines.first - places), np.abs(lines.last - places)) + lines.length_mm <= limit_mm
    used &= (lines.source >= count) | (lines.source == np.arange(count)[:, None])
    angles, keep = rims.snap_to_free(ends, angles)
    keep &= is_inside_box(np.concatenate((lines.first, lines.last)), box)
    kept = np.flatnonzero(keep.reshape(2, -1).all(axis=0) & used.any(axis=0))

    edges = (rims.edge_free & (field.lengths_mm > 0)).nonzero()[0]
    normals, owner = field.outward[edges], field.owner[edges]
    begin = field.centres[edges] + field.radii_mm[edges] * normals
    lengths = np.concatenate((lines.length_mm[kept], field.lengths_mm[edges]))
    hit, _ = field.cast_rays_complex(
        np.concatenate((lines.first[kept], begin)),
        1j * np.concatenate(((lines.source_turn * lines.source_normal)[kept], normals)),
        lengths,
        np.concatenate((field.owner[lines.source[kept]], owner)),
        np.concatenate((field.owner[lines.target[kept]], owner)),
    )
    clear = hit >= lengths
    edge_free = rims.edge_free.copy()
    edge_free[edges] = clear[len(kept) :]
    free, angles = kept[clear[: len(kept)]], angles.reshape(2, -1)
    return _FreeTangents(lines.select(free), angles[0, free], angles[1, free], used[:, free], edge_free)


def _search_graph(field: ObstacleField, rims: _ObstacleBoundaries, free: _FreeTangents, limit_mm: float) -> HuggedArcs:
    """Return the ways through the copies of the graph, one for each start."""
    lines, count = free.lines, len(free.used)
    corners = len(field.owner)
    start, line = free.used.nonzero()
    source, target = lines.source[line], lines.target[line]
    met = np.zeros((count, len(field.begins)), dtype=bool)
    met[start, field.owner[target]] = met[start, field.owner[source]] = True
    met[np.arange(count), np.arange(count)] = True
    whose, part = met[:, field.owner[rims.corner]].nonzero()

    corner = np.concatenate((source, target, rims.corner[part]))
    angle = np.concatenate((free.source_angle[line], free.target_angle[line], rims.angle[part]))
    group = np.concatenate((start, start, whose)) * corners + corner
    order = (_KEY * group + angle).argsort(kind="stable")
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.arange(len(order))
    corner, angle, group = corner[order], angle[order], group[order]

    changes: Flags = np.not_equal(group[1:], group[:-1])
    arc = (~changes).nonzero()[0]
    arc = arc[rims.free[rims.find_part(corner[arc], (angle[arc] + angle[arc + 1]) / 2)]]
    step = field.radii_mm[corner[arc]] * (angle[arc + 1] - angle[arc])
    ends = np.concatenate((changes.nonzero()[0], (len(group) - 1,)))
    begins = np.empty(count * corners, dtype=np.intp)
    begins[group[ends]] = np.concatenate(((0,), ends[:-1] + 1))
    ends = ends[free.edge_free[corner[ends]]]
    following = begins[group[ends] - corner[ends] + field.following[corner[ends]]]
    edge = field.lengths_mm[corner[ends]]

    leaving = 2 * place[: len(line)] + (lines.source_turn[line] > 0)
    arriving = 2 * place[len(line) : 2 * len(line)] + (lines.target_turn[line] > 0)
    both, length = (source >= count).nonzero()[0], lines.length_mm[line]
    cost, before = _run_dijkstra(
        np.concatenate((leaving, arriving[both] ^ 1, 2 * arc + 1, 2 * arc + 2, 2 * ends + 1, 2 * following)),
        np.concatenate((arriving, leaving[both] ^ 1, 2 * arc + 3, 2 * arc, 2 * following + 1, 2 * ends)),
        np.concatenate((length, length[both], step, step, edge, edge)),
        (corner < count).repeat(2),
        limit_mm,
    )
    graph = TangentGraph(group // corners, corner, angle, cost, before)
    return _collect_hugged_arcs(field, graph, arc, rims.find_notches(field), limit_mm)


def _run_dijkstra(sources: Ints, targets: Ints, lengths: Array, begun: Flags, limit_mm: float) -> tuple[Array, Ints]:
    """Return each state's least length of way, and the state before it on that way."""
    order = sources.argsort(kind="stable")
    begins = sources[order].searchsorted(np.arange(len(begun) + 1)).tolist()
    onward, ways = targets[order].tolist(), lengths[order].tolist()
    cost, before = np.where(begun, 0.0, math.inf).tolist(), [-1] * len(begun)
    queue = [(0.0, state) for state in begun.nonzero()[0].tolist()]
    while queue:
        so_far, state = heapq.heappop(queue)
        if so_far > cost[state]:
            continue
        if so_far > cost[state ^ 1] + _SLACK_MM:  # no shortest way comes by here this way round
            cost[state] = math.inf
            continue
        for index in range(begins[state], begins[state + 1]):
            total, other = so_far + ways[index], onward[index]
            if total < cost[other] and total <= limit_mm:
                cost[other], before[other] = total, state
                heapq.heappush(queue, (total, other))
    return np.array(cost), np.array(before)


def _collect_hugged_arcs(
    field: ObstacleField, graph: TangentGraph, arc: Ints, notches: Complexes, limit_mm: float
) -> HuggedArcs:
    """Return the arcs that are hugged, each as far as no way the other way round is shorter.

    Where one is, it comes by sooner: whatever goes on from there belongs to a shorter way.
    """
    there, back = graph.cost_mm[2 * arc + 1], graph.cost_mm[2 * arc + 2]
    hugged = (np.minimum(there, back) < limit_mm).nonzero()[0]
    arc, there, back = arc[hugged], there[hugged], back[hugged]
    low, high, radius = graph.angle[arc], graph.angle[arc + 1], field.radii_mm[graph.corner[arc]]
    step = radius * (high - low)
    share = np.divide(back + step - there, 2 * step, out=(there <= back).astype(float), where=step > 0)
    meet = low + np.minimum(np.maximum(share, 0.0), 1.0) * (high - low)
    begin = np.concatenate((there, back[::-1]))  # counter-clockwise, and then clockwise in the order of that way
    reached = (begin < limit_mm).nonzero()[0]
    begin, node = begin[reached], np.concatenate((arc, arc[::-1] + 1))[reached]
    first, around = np.concatenate((low, high[::-1]))[reached], np.concatenate((radius, radius[::-1]))[reached]
    room = np.divide(limit_mm - begin, around, out=np.full(len(reached), math.inf), where=around > 0)
    last = np.concatenate((meet, meet[::-1]))[reached]
    last = first + np.minimum(np.maximum(last - first, -room), room)
    nonempty = (first != last).nonzero()[0]
    node, first, last = node[nonempty], first[nonempty], last[nonempty]
    return HuggedArcs(
        field=field,
        start=graph.start[node],
        corner=graph.corner[node],
        first=first,
        last=last,
        cost_mm=begin[nonempty],
        notches=notches,
        state=2 * node + (first < last),
        graph=graph,
    )
