"""Where a point can go within a length of way, among convex obstacles and inside a box, and the shortest way there.

A shortest way is a chain of straight segments that touch obstacles and arcs that hug them, so it runs in the graph of
all common tangents.  The region is the union of what is swept by the last straight segment: the rays from the start and
the rays that leave each hugged arc, every ray as long as the way that remains, or until it meets an obstacle.  Lengths
are exact; only the drawn region is made of chords, `sweep.CHORD_MM` inside the true edge at most.
"""

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely

from assistant.geometry.clearance import Point
from assistant.geometry.convex import Array, Convex, unit
from assistant.geometry.field import Field, Flags, Ints, Tangents, crossings, field_of, tangents
from assistant.geometry.regions import polygons
from assistant.geometry.sweep import APART_RAD, Families, fans

_FRONT_MM = 1e-6
_SLIT_MM = 1e-4
_SLACK_MM = 1e-6
_DETOUR = 1.5
"""How much longer than the straight line a way is first looked for."""

Box = tuple[float, float, float, float]
"""Least x, least y, greatest x, greatest y of the places where the point may be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """A shortest way."""

    mm: float
    points: tuple[Point, ...]
    """Along it; arcs are drawn as chords."""


def reach_region(start: Point, limit_mm: float, obstacles: Sequence[Convex] | Field, box: Box) -> shapely.MultiPolygon:
    """Return the places that can be reached within a length of way.

    Obstacles that stay may be prepared once, with `field_of`, and joined by others, with `Field.plus`.  The start must
    not lie inside an obstacle.  Along obstacles the region's chords may cut into them: who draws it cuts them out.
    Empty where the start is outside the box.
    """
    if limit_mm <= 0 or not _within(np.array([start]), box)[0]:
        return shapely.MultiPolygon()
    field = obstacles if isinstance(obstacles, Field) else field_of(obstacles)
    field = _spot(start).plus(field.among(field.floor_mm(start) < limit_mm))
    graph = _graph(field, box, limit_mm)
    cost = _dijkstra(graph, limit_mm)[0]
    swept = _swept(graph, cost, limit_mm)
    region = shapely.union_all(swept)
    if not region.is_empty and not _within(np.reshape(region.bounds, (2, 2)), box).all():
        region = shapely.intersection(region, shapely.box(*box))
    return _without_slits(polygons(region))


def _without_slits(region: shapely.MultiPolygon) -> shapely.MultiPolygon:
    """Close the holes that rounding leaves where sweeps meet, thinner than `_SLIT_MM`."""
    parts = shapely.get_parts(region)
    if not shapely.get_num_interior_rings(parts).any():
        return region
    rings, part = shapely.get_rings(parts, return_index=True)
    kept = 2 * shapely.area(shapely.polygons(rings)) > _SLIT_MM * shapely.length(rings)
    kept |= np.diff(part, prepend=-1) > 0  # each part's first ring is its outer one
    mended = []
    for index in range(len(parts)):
        shell, *holes = rings[kept & (part == index)]
        mended.append(shapely.Polygon(shell, holes))
    return shapely.MultiPolygon(mended)


def shortest_route(start: Point, goal: Point, obstacles: Sequence[Convex], box: Box) -> Route | None:
    """Return the shortest way between two places outside all obstacles, or None if there is none."""
    if not _within(np.array([start, goal]), box).all():
        return None
    straight = Route(mm=math.dist(start, goal), points=(start, goal))
    if straight.mm == 0 or not obstacles:
        return straight
    field = field_of(obstacles)
    ray = (np.array(goal) - start) / straight.mm
    hit, _ = (
        _spot(start)
        .plus(field)
        .first_hit(np.array([start]), ray[None], np.array([straight.mm]), np.zeros((1, 2), dtype=np.intp))
    )
    if hit[0] >= straight.mm:
        return straight
    around = np.maximum(field.floor_mm(start), 0.0) + np.maximum(field.floor_mm(goal), 0.0)
    for limit_mm in (_DETOUR * straight.mm, math.inf):  # a shorter way than the limit meets nothing further out
        near = field.among(around <= limit_mm)
        graph = _graph(_spot(start).plus(_spot(goal)).plus(near), box, limit_mm)
        cost, before = _dijkstra(graph, limit_mm)
        arrivals = np.flatnonzero(np.repeat(graph.field.owner[graph.corner] == 1, 2))
        best = int(arrivals[np.argmin(cost[arrivals])])
        if math.isfinite(cost[best]):
            return Route(mm=float(cost[best]), points=(start, *_drawn(graph, before, best), goal))
    return None


def outside(obstacles: Sequence[Convex], places: Sequence[Point]) -> list[Convex]:
    """Return obstacles shrunk until they no longer cover certain places.

    One who stands inside a keep-out may leave it, and may not go deeper; an obstacle whose hard core is covered is
    left out.
    """
    shrunk = []
    for obstacle in obstacles:
        depth = max(0.0, *(-obstacle.distance(*place)[0] for place in places))
        if depth < obstacle.radius_mm or depth == 0:
            shrunk.append(obstacle.grown(-depth))
    return shrunk


def without_ellipses(obstacle: Convex, error_mm: float) -> Convex:
    """Return the obstacle with its ellipses replaced by polygons around them, no further away than ``error_mm``."""
    corners = Convex(corners_mm=obstacle.corners_mm, radius_mm=obstacle.radius_mm)
    for a, b, turn in obstacle.ellipses:
        count = 4 * math.ceil(math.pi / 4 * math.sqrt(max(a, b) / (2 * error_mm)))
        around = unit(np.arange(count, dtype=float) * (2 * math.pi / count)) / math.cos(math.pi / count) * (a, b)
        corners = corners.plus(Convex(corners_mm=around).moved(0.0, 0.0, turn))
    return corners


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Graph:
    """Places on obstacles where a way may begin or end to hug, ordered around each; a state is 2 node + (turn > 0)."""

    field: Field
    corner: Ints
    angle: Array
    """From the start of the corner's cone, radians."""
    open_after: Flags
    """Whether the arc, or the edge, to the next node is free."""
    next_node: Ints
    step_mm: Array
    """The length to the next node."""
    hops: tuple[Ints, Ints, Array]
    """Tangents as states: from, to, length."""


def _spot(place: Point) -> Field:
    return field_of([Convex(corners_mm=np.array([place], dtype=float))])


def _within(points: Array, box: Box) -> Flags:
    low, high = np.array(box[:2]) - 1e-9, np.array(box[2:]) + 1e-9
    return np.asarray(((points >= low) & (points <= high)).all(axis=1))


def _graph(field: Field, box: Box, limit_mm: float) -> _Graph:
    lines, lengths = _free_tangents(field, box, limit_mm)
    met = np.zeros(len(field.begins), dtype=bool)
    met[field.owner[lines.target]] = met[0] = True
    hugged = np.flatnonzero(met[field.owner])
    cross_corner, cross_angle = crossings(field, hugged, (box[0], box[2]), (box[1], box[3]))
    everyone, wide = np.arange(len(field.owner)), field.begins[field.counts == 1]
    corner = np.concatenate((lines.source, lines.target, cross_corner, everyone, wide, everyone))
    angle = np.concatenate((lines.source_angle, lines.target_angle, cross_angle))
    angle = np.mod(angle - field.cone_start[corner[: len(angle)]] + 1e-12, 2 * math.pi)
    # Half a turn is the most that one fan of rays may sweep: then it does not overlap itself.
    angle = np.concatenate((angle, np.zeros(len(everyone)), np.full(len(wide), math.pi), field.cone_width))
    kept = np.flatnonzero(angle <= field.cone_width[corner] + 2e-12)
    order = kept[np.lexsort((angle[kept], corner[kept]))]
    place = np.empty(len(corner), dtype=np.intp)
    place[order] = np.arange(len(order))
    corner, angle = corner[order], np.minimum(angle[order], field.cone_width[corner[order]])
    following, step, free = _chain(field, corner, angle, box, met)
    count = len(lines.source)
    sources = 2 * place[:count] + (lines.source_turn > 0)
    targets = 2 * place[count : 2 * count] + (lines.target_turn > 0)
    return _Graph(
        field=field,
        corner=corner,
        angle=angle,
        open_after=free,
        next_node=following,
        step_mm=step,
        hops=(sources, targets, lengths),
    )


def _free_tangents(field: Field, box: Box, limit_mm: float) -> tuple[Tangents, Array]:
    """Return the tangents that no obstacle is in the way of, with their lengths."""
    lines = tangents(field, limit_mm)
    first, last = field.at(lines.source, lines.source_angle), field.at(lines.target, lines.target_angle)
    along = last - first
    length, start = np.hypot(along[:, 0], along[:, 1]), field.centres_mm[0]
    before = np.hypot(first[:, 0] - start[0], first[:, 1] - start[1])
    keep = _within(first, box) & _within(last, box) & (before + length <= limit_mm)
    keep[keep] = ~(_lit(field, first[keep], lines.source[keep], lines.source_angle[keep]))
    lines, first, last = lines.among(keep), first[keep], last[keep]
    along, length = along[keep], length[keep]
    heading = np.divide(along, length[:, None], out=np.zeros_like(along), where=length[:, None] > 0)
    spare = np.column_stack((field.owner[lines.source], field.owner[lines.target]))
    hit, _ = field.first_hit(first, heading, length, spare)
    free = hit >= length
    free[free] = ~field.covered(first[free], field.owner[lines.source[free]])
    lines, last, length = lines.among(free), last[free], length[free]
    # Rays turn from obstacle to obstacle at these tangents too: they part the arcs, though no way goes along them.
    return lines, np.where(_lit(field, last, lines.target, lines.target_angle), np.inf, length)


def _lit(field: Field, points: Array, corners: Ints, angles: Array) -> Flags:
    """Return which places on obstacles are seen from the start, and not just touched: no shortest way hugs there."""
    away = points - field.centres_mm[0]
    distance = np.hypot(away[:, 0], away[:, 1])
    front = (away * unit(angles)).sum(axis=1) < -_FRONT_MM
    asked = np.flatnonzero(front & (field.radii_mm[corners] > 0))
    heading = away[asked] / distance[asked, None]
    owner = field.owner[corners[asked]]
    origins = np.broadcast_to(field.centres_mm[0], heading.shape)
    hit, _ = field.first_hit(origins, heading, distance[asked], np.column_stack((owner, owner)))
    lit = np.zeros(len(points), dtype=bool)
    lit[asked] = hit >= distance[asked]
    return lit


def _chain(field: Field, corner: Ints, angle: Array, box: Box, met: Flags) -> tuple[Ints, Array, Flags]:
    """Return for each node the next one around its obstacle, the length to it, and whether the way to it is free.

    Around obstacles that no tangent leads to, none is.
    """
    first = np.searchsorted(corner, np.arange(len(field.owner)))
    last = np.append(first[1:], len(corner)) - 1
    following = np.arange(1, len(corner) + 1)
    following[last] = first[field.following]
    ahead = np.append(angle[1:], 0.0)
    step, free = field.radii_mm[corner] * (ahead - angle), np.zeros(len(corner), dtype=bool)
    step[last] = field.lengths_mm
    arc = met[field.owner[corner]]
    arc[last] = False
    arcs, around = np.flatnonzero(arc), corner[arc]
    halfway = field.at(around, field.cone_start[around] + (angle[arcs] + ahead[arcs]) / 2)
    free[arcs] = _within(halfway, box) & ~field.covered(halfway, field.owner[around])
    edges = np.flatnonzero(met[field.owner])
    heading = np.column_stack((-field.normals[edges, 1], field.normals[edges, 0]))
    begin = field.at(edges, field.cone_start[edges] + field.cone_width[edges])
    length, owner = field.lengths_mm[edges], field.owner[edges]
    hit, _ = field.first_hit(begin, heading, length, np.column_stack((owner, owner)))
    end = begin + length[:, None] * heading
    free[last[edges]] = (hit >= length) & _within(begin, box) & _within(end, box) & ~field.covered(begin, owner)
    return following, step, free


def _dijkstra(graph: _Graph, limit_mm: float) -> tuple[Array, Ints]:
    """Return each state's least length of way from the start (obstacle 0), and the state before it on that way."""
    free = np.flatnonzero(graph.open_after)
    sources = np.concatenate((graph.hops[0], 2 * free + 1, 2 * graph.next_node[free]))
    targets = np.concatenate((graph.hops[1], 2 * graph.next_node[free] + 1, 2 * free))
    lengths = np.concatenate((graph.hops[2], graph.step_mm[free], graph.step_mm[free]))
    order = np.argsort(sources, kind="stable")
    count = 2 * len(graph.corner)
    begins = np.searchsorted(sources[order], np.arange(count + 1)).tolist()
    onward, ways = targets[order].tolist(), lengths[order].tolist()
    cost, before = [math.inf] * count, [-1] * count
    queue = []
    for state in np.flatnonzero(np.repeat(graph.field.owner[graph.corner] == 0, 2)).tolist():
        cost[state] = 0.0
        queue.append((0.0, state))
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


def _drawn(graph: _Graph, before: Ints, state: int) -> list[Point]:
    """Return the places along the way to a state, between the start and the goal."""
    states = [state]
    while before[states[-1]] >= 0:
        states.append(int(before[states[-1]]))
    points: list[Point] = []
    field = graph.field
    for one, two in zip(states[::-1], states[-2::-1], strict=False):
        a, b = one // 2, two // 2
        if field.owner[graph.corner[a]] < 2:
            continue
        angles = np.array([graph.angle[a]])
        if graph.corner[a] == graph.corner[b] and abs(a - b) == 1:  # else a hop, or the seam of a disc
            angles = np.linspace(graph.angle[a], graph.angle[b], 2 + int(abs(graph.angle[a] - graph.angle[b]) / 0.05))
        corners = np.full(len(angles), graph.corner[a])
        points += [(float(x), float(y)) for x, y in field.at(corners, field.cone_start[corners] + angles)]
    return points


def _swept(graph: _Graph, cost: Array, limit_mm: float) -> Array:
    """Return polygons of what the rays sweep that leave the start and the hugged arcs."""
    arcs = np.flatnonzero(graph.open_after & (graph.corner == np.append(graph.corner[1:], -1)))
    found = []
    for turn in (1, -1):
        near, far = (arcs, arcs + 1) if turn > 0 else (arcs[::-1] + 1, arcs[::-1])
        begin, step = cost[2 * near + (turn > 0)], graph.step_mm[np.minimum(near, far)]
        # Where the other way round is shorter all along an arc, it sweeps all that this way does, and more.
        other = cost[2 * far + (turn < 0)] + step
        worse = other < begin if turn > 0 else other <= begin
        keep = (begin < limit_mm) & ~worse & (np.abs(graph.angle[far] - graph.angle[near]) > 2 * APART_RAD)
        near, far, begin, step = near[keep], far[keep], begin[keep], step[keep]
        onward = np.zeros(len(near), dtype=bool)
        onward[1:] = (far[:-1] == near[1:]) & (np.abs(begin[:-1] + step[:-1] - begin[1:]) < _SLACK_MM)
        half = np.minimum(graph.angle[near], graph.angle[far]) >= math.pi
        onward[1:] &= half[1:] == half[:-1]
        found.append((graph.corner[near], graph.angle[near], graph.angle[far], limit_mm - begin, onward))
    corner, first, last, left, onward = (np.concatenate(column) for column in zip(*found, strict=True))
    if not len(corner):
        return np.array([])
    radius, start = graph.field.radii_mm[corner], graph.field.cone_start[corner]
    most = np.divide(left, radius, out=np.full(len(left), math.inf), where=radius > 0)
    last = first + np.sign(last - first) * np.minimum(np.abs(last - first), most)
    families = Families(corner=corner, first=start + first, last=start + last, left_mm=left, fan=np.cumsum(~onward) - 1)
    return fans(graph.field, families)
