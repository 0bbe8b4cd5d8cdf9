"""Where a point can go within a length of way, among convex obstacles and inside a box, and the shortest way there.

A shortest way is a chain of straight segments that touch obstacles and arcs that hug them, so it runs in the graph of
all common tangents.  The region is the union of what is swept by the last straight segment: the rays from the start and
the rays that leave each hugged arc, every ray as long as the way that remains, or until it meets an obstacle.  Lengths
are exact; only the drawn region is made of chords, `CHORD_MM` inside the true edge at most.
"""

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from assistant.geometry.clearance import Point
from assistant.geometry.convex import Array, Convex, unit
from assistant.geometry.field import Field, Flags, Ints, Tangents, crossings, field_of, tangents
from assistant.geometry.regions import polygons

CHORD_MM = 0.02
"""How far the drawn edge may lie inside the true one."""
_GRID_MM = 1e-5
_APART_RAD = 1e-7
_ROUNDS = 12
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

    The start must not lie inside an obstacle.  Along obstacles the region's chords may cut into them: who draws it cuts
    them out.  Empty where the start is outside the box.
    """
    if limit_mm <= 0 or not _within(np.array([start]), box)[0]:
        return shapely.MultiPolygon()
    field = obstacles if isinstance(obstacles, Field) else field_of(obstacles)
    field = _spot(start).plus(field.among(field.floor_mm(start) < limit_mm))
    graph = _graph(field, box, limit_mm)
    cost = _dijkstra(graph, limit_mm)[0]
    swept = _swept(graph, cost, limit_mm)
    region = shapely.union_all(swept, grid_size=_GRID_MM)
    return polygons(shapely.intersection(region, shapely.box(*box), grid_size=_GRID_MM))


def shortest_route(start: Point, goal: Point, obstacles: Sequence[Convex], box: Box) -> Route | None:
    """Return the shortest way between two places outside all obstacles, or None if there is none."""
    if not _within(np.array([start, goal]), box).all():
        return None
    straight = Route(mm=math.dist(start, goal), points=(start, goal))
    if straight.mm == 0 or not obstacles:
        return straight
    field = field_of(obstacles)
    ray = (np.array(goal) - start) / straight.mm
    hit, _ = field.first_hit(np.array([start]), ray[None], np.full((1, 2), -1))
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
    cross_corner, cross_angle = crossings(field, (box[0], box[2]), (box[1], box[3]))
    everyone = np.arange(len(field.owner))
    corner = np.concatenate((lines.source, lines.target, cross_corner, everyone, everyone))
    angle = np.concatenate((lines.source_angle, lines.target_angle, cross_angle))
    angle = np.mod(angle - field.cone_start[corner[: len(angle)]] + 1e-12, 2 * math.pi)
    angle = np.concatenate((angle, np.zeros(len(everyone)), field.cone_width))
    kept = np.flatnonzero(angle <= field.cone_width[corner] + 2e-12)
    order = kept[np.lexsort((angle[kept], corner[kept]))]
    place = np.empty(len(corner), dtype=np.intp)
    place[order] = np.arange(len(order))
    corner, angle = corner[order], np.minimum(angle[order], field.cone_width[corner[order]])
    following, step, free = _chain(field, corner, angle, box)
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
    lines, first, along, length = lines.among(keep), first[keep], along[keep], length[keep]
    heading = np.divide(along, length[:, None], out=np.zeros_like(along), where=length[:, None] > 0)
    spare = np.column_stack((field.owner[lines.source], field.owner[lines.target]))
    hit, _ = field.first_hit(first, heading, spare)
    free = (hit >= length) & ~field.covered(first, field.owner[lines.source])
    return lines.among(free), length[free]


def _chain(field: Field, corner: Ints, angle: Array, box: Box) -> tuple[Ints, Array, Flags]:
    """Return for each node the next one around its obstacle, the length to it, and whether the way to it is free."""
    nodes = np.arange(len(corner))
    first = np.searchsorted(corner, np.arange(len(field.owner)))
    last = np.searchsorted(corner, np.arange(len(field.owner)), side="right") - 1
    following = nodes + 1
    following[last] = first[field.following]
    ahead = np.append(angle[1:], 0.0)
    step = field.radii_mm[corner] * (ahead - angle)
    halfway = field.at(corner, field.cone_start[corner] + (angle + ahead) / 2)
    free = _within(halfway, box) & ~field.covered(halfway, field.owner[corner])
    begin = field.at(corner[last], field.cone_start + field.cone_width)
    end = field.at(corner[first[field.following]], field.cone_start[field.following])
    along = end - begin
    length = np.hypot(along[:, 0], along[:, 1])
    heading = np.divide(along, length[:, None], out=np.zeros_like(along), where=length[:, None] > 0)
    hit, _ = field.first_hit(begin, heading, np.column_stack((field.owner, field.owner)))
    step[last] = length
    free[last] = (hit >= length) & _within(begin, box) & _within(end, box) & ~field.covered(begin, field.owner)
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


def _swept(graph: _Graph, cost: Array, limit_mm: float) -> list[BaseGeometry]:
    """Return what the rays sweep that leave the start and the hugged arcs."""
    field = graph.field
    arcs = np.flatnonzero(graph.open_after & (graph.corner == np.append(graph.corner[1:], -1)))
    families = []
    for turn in (1, -1):
        near, far = (arcs, arcs + 1) if turn > 0 else (arcs + 1, arcs)
        begin = cost[2 * near + (turn > 0)]
        # Where the other way round is shorter all along an arc, it sweeps all that this way does, and more.
        other = cost[2 * far + (turn < 0)] + graph.step_mm[arcs]
        worse = other < begin if turn > 0 else other <= begin
        keep = (begin < limit_mm) & ~worse & (graph.angle[arcs + 1] - graph.angle[arcs] > 2 * _APART_RAD)
        for a, b, used in zip(near[keep].tolist(), far[keep].tolist(), begin[keep].tolist(), strict=True):
            families.append((graph.corner[a], graph.angle[a], graph.angle[b], limit_mm - used))
    if not families:
        return []
    return _fans(field, _Families.of(field, families))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Families:
    """Rays that leave an arc: (f,) corners, first and last outward direction, and the way that remains at the first."""

    corner: Ints
    first: Array
    last: Array
    left_mm: Array

    @classmethod
    def of(cls, field: Field, rows: list[tuple[int, float, float, float]]) -> "_Families":
        corner = np.array([row[0] for row in rows])
        angles = np.array([row[1:] for row in rows])
        first, last = angles[:, 0], angles[:, 1]
        radius = field.radii_mm[corner]
        most = np.divide(angles[:, 2], radius, out=np.full(len(rows), math.inf), where=radius > 0)
        last = first + np.sign(last - first) * np.minimum(np.abs(last - first), most)
        start = field.cone_start[corner]
        return cls(corner=corner, first=start + first, last=start + last, left_mm=angles[:, 2])


def _fans(field: Field, families: _Families) -> list[BaseGeometry]:
    step = math.sqrt(8 * CHORD_MM / float(families.left_mm.max()))
    counts = 2 + np.ceil(np.abs(families.last - families.first) / step).astype(int)
    family = np.repeat(np.arange(len(counts)), counts)
    share = np.concatenate([np.linspace(0.0, 1.0, count) for count in counts])
    reach, kind = _cast(field, families, family, share)
    for _ in range(_ROUNDS):  # close in on where the rays begin to meet something else
        gap = np.diff(share) * np.abs(families.last - families.first)[family[:-1]]
        split = np.flatnonzero((family[1:] == family[:-1]) & (kind[1:] != kind[:-1]) & (gap > 4 * _APART_RAD))
        if not len(split):
            break
        extra = (share[split] + share[split + 1]) / 2
        extra_reach, extra_kind = _cast(field, families, family[split], extra)
        family, share = np.insert(family, split + 1, family[split]), np.insert(share, split + 1, extra)
        reach, kind = np.insert(reach, split + 1, extra_reach), np.insert(kind, split + 1, extra_kind)
    origin, heading, _ = _rays(field, families, family, share)
    ends = origin + reach[:, None] * heading
    bounds = np.searchsorted(family, np.arange(len(counts) + 1))
    fans = [shapely.Polygon(np.concatenate((origin[a:b], ends[a:b][::-1]))) for a, b in pairwise(bounds)]
    return [fan if fan.is_valid else shapely.make_valid(fan) for fan in fans if fan.area > 0]


def _rays(field: Field, families: _Families, family: Ints, share: Array) -> tuple[Array, Array, Array]:
    """Return the origins and headings of rays, and the way that remains for each."""
    first, last, corner = families.first[family], families.last[family], families.corner[family]
    angle = first + share * (last - first)
    turn = np.sign(last - first)
    normal = unit(angle)
    heading = np.column_stack((-normal[:, 1], normal[:, 0])) * turn[:, None]
    left = families.left_mm[family] - field.radii_mm[corner] * np.abs(angle - first)
    return field.at(corner, angle), heading, np.maximum(left, 0.0)


def _cast(field: Field, families: _Families, family: Ints, share: Array) -> tuple[Array, Ints]:
    """Return how far rays run and which obstacle stops each, -1 for none.

    At either end of an arc rays may begin to meet another obstacle; the end's own ray is cast from just inside the arc.
    """
    span = np.abs(families.last - families.first)[family]
    inset = np.minimum(np.divide(_APART_RAD, span, out=np.full(len(span), 0.5), where=span > 0), 0.5)
    origin, heading, left = _rays(field, families, family, np.clip(share, inset, 1 - inset))
    owner = field.owner[families.corner[family]]
    hit, who = field.first_hit(origin, heading, np.column_stack((owner, owner)))
    return np.minimum(hit, left), np.where(hit < left, who, -1)
