"""Path graph over ground that costs: straight legs within one pace, hugged arcs, and the cheapest ways through.

In the graph, ways touch obstacles and rounded areas along common tangents, and pass the edges of areas at relays.  What
a leg pays and whether it is free is exact; only where a way passes an edge is rounded to a relay, which `refraction`
undoes.
"""

import heapq
import math
from dataclasses import dataclass

import numpy as np

from assistant.geometry.shapes.convex import Array, Complexes
from assistant.geometry.shortest_path.obstacles import Flags, Ints, ObstacleField
from assistant.geometry.shortest_path.tangents import (
    Box,
    Tangents,
    find_arc_crossings,
    find_tangents,
    measure_cone_offsets,
)
from assistant.geometry.shortest_path.weighted.areas import AreaArrays, find_area_crossings


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WeightedScene:
    """Everything a way may meet, in one field: the start, obstacles, the parts of areas, relays, and then goals."""

    field: ObstacleField
    closed: ObstacleField
    """The start and the obstacles."""
    soil: AreaArrays
    box: Box
    points: int
    """The first relay's index among the things of the field, ..."""
    goals: int
    """... and the first goal's."""

    def is_point(self, corners: Ints) -> Flags:
        """Return which corners are the start, relays or goals."""
        owner = self.field.owner[corners]
        return np.asarray((owner >= self.points) | (owner == 0))

    def find_blockers(self, corners: Ints) -> Ints:
        """Return which of the closed things a corner belongs to; the start, which blocks nothing, for all else."""
        owner = self.field.owner[corners]
        return np.where(owner < len(self.closed.counts), owner, 0)

    def is_within_box(self, points: Array) -> Flags:
        """Return which (m, 2) points lie in the box."""
        low, high = np.array(self.box[:2]) - 1e-9, np.array(self.box[2:]) + 1e-9
        return np.asarray(((points >= low) & (points <= high)).all(axis=1))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GraphLegs:
    """Straight legs or arcs: (m,) states they lead from and to, what they cost, and what they are."""

    source: Ints
    target: Ints
    pace: Array
    length_mm: Array
    climb_mm: Array
    leaves: Ints
    """The climbed areas that a leg begins in, as bits, ..."""
    arrives: Ints
    """... and those that it ends in."""
    turn: Ints
    """1 or -1 for arcs counter-clockwise or clockwise, 0 for straight legs."""

    def select(self, keep: Flags | Ints) -> "GraphLegs":
        """Return some of the legs."""
        return GraphLegs(
            source=self.source[keep],
            target=self.target[keep],
            pace=self.pace[keep],
            length_mm=self.length_mm[keep],
            climb_mm=self.climb_mm[keep],
            leaves=self.leaves[keep],
            arrives=self.arrives[keep],
            turn=self.turn[keep],
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PathGraph:
    """Places and legs; a state is 2 place + 1 where an arc is hugged counter-clockwise, and 2 place at points."""

    corner: Ints
    angle: Array
    """(n,) the outward direction of a place on the disc around its corner; 0 for points."""
    place_mm: Array
    """(n, 2)"""
    legs: GraphLegs
    of_point: Ints
    """The place of each relay and goal."""


def measure_straight_legs(scene: WeightedScene, first: Array, last: Array, touched: Ints) -> tuple[GraphLegs, Flags]:
    """Return what straight legs between (m, 2) places pay, and which are free; ``touched`` (m, 2) as in `first_hit`.

    A leg is free that stays in the box, enters no obstacle and does not pass the edge of an area whose pace is not 1.
    """
    soil = scene.soil
    crossings = find_area_crossings(soil, first, last)
    free = scene.is_within_box(first) & scene.is_within_box(last)
    free &= ~(crossings.is_crossed_midway() & (soil.pace[crossings.area] > 1)).any(axis=1)
    rows = np.flatnonzero(free & (crossings.length_mm > 0))
    heading = (last[rows] - first[rows]) / crossings.length_mm[rows, None]
    hit, _ = scene.closed.cast_rays(first[rows], heading, crossings.length_mm[rows], touched[rows])
    free[rows] = hit >= crossings.length_mm[rows]
    free[free] = ~scene.closed.is_covered(first[free], touched[free, 0])
    climb = np.where(crossings.change > 0, soil.up_mm[crossings.area], soil.down_mm[crossings.area])
    nothing = np.zeros(len(first), dtype=np.intp)
    return GraphLegs(
        source=nothing,
        target=nothing,
        pace=soil.find_pace(crossings.begins_inside & crossings.ends_inside),
        length_mm=crossings.length_mm,
        climb_mm=np.where(crossings.is_crossed_midway(), climb, 0.0).sum(axis=1),
        leaves=pack_climbed_bits(soil, crossings.begins_inside),
        arrives=pack_climbed_bits(soil, crossings.ends_inside),
        turn=nothing,
    ), free


def pack_climbed_bits(soil: AreaArrays, inside: Flags) -> Ints:
    """Return the climbed areas among flags (m, a) as bits, (m,)."""
    climbed = soil.list_climbed()
    return np.asarray(inside[:, climbed] @ (1 << np.arange(len(climbed), dtype=np.int64)), dtype=np.intp)


def build_path_graph(scene: WeightedScene, limit_mm: float) -> PathGraph:
    """Return the graph of all ways that cost no more than a limit from the start."""
    field = scene.field
    lines = find_tangents(field, 1, limit_mm)
    count, lines = len(lines.source), lines.add_reversed()
    useful = _find_useful(scene, lines) & (np.abs(lines.first - field.centres[0]) + lines.length_mm <= limit_mm)
    measured = kept = np.flatnonzero(useful)
    if not len(scene.soil.list_climbed()):  # then a line costs the same in either direction
        measured, kept_of = np.unique(kept % count, return_inverse=True)
    else:
        kept_of = np.arange(len(kept))
    ends = lines.select(measured)
    touched = np.column_stack((scene.find_blockers(ends.source), scene.find_blockers(ends.target)))
    legs, free = measure_straight_legs(
        scene, _points_from_complex(ends.first), _points_from_complex(ends.last), touched
    )
    open_ones = free[kept_of]
    return _assemble_graph(scene, lines.select(kept[open_ones]), legs.select(kept_of[open_ones]))


def _points_from_complex(places: Complexes) -> Array:
    return np.ascontiguousarray(places).view(float).reshape(-1, 2)


def _find_useful(scene: WeightedScene, lines: Tangents) -> Flags:
    """Return all but what leads from goals or touches sharp areas, whose corners are relays, and one of lines twice."""
    field = scene.field
    sharp = (field.owner >= len(scene.closed.counts)) & (field.owner < scene.points) & (field.radii_mm == 0)
    keep = ~sharp[lines.source] & ~sharp[lines.target] & (field.owner[lines.source] < scene.goals)
    keep &= field.owner[lines.target] > 0
    one, two = scene.is_point(lines.source), scene.is_point(lines.target)
    same = lines.source_turn == lines.target_turn
    keep &= ~(one | two) | same | (field.owner[lines.source] == 0)  # from the start there is but one of each
    return np.asarray(keep & (~(one & two) | (lines.target_turn > 0)))


def _assemble_graph(scene: WeightedScene, lines: Tangents, legs: GraphLegs) -> PathGraph:
    field = scene.field
    everyone = np.arange(len(field.owner))
    points = everyone[scene.is_point(everyone)]
    soft = (field.owner >= len(scene.closed.counts)) & (field.owner < scene.points)
    met = np.zeros(len(field.counts), dtype=bool)
    met[field.owner[lines.target]] = True
    round_ones = everyone[~scene.is_point(everyone) & ~(soft & (field.radii_mm == 0)) & met[field.owner]]
    crossed, normal = find_arc_crossings(field, scene.box)
    ours = np.isin(crossed, round_ones)
    wide = round_ones[field.counts[field.owner[round_ones]] == 1]
    touched = np.concatenate((lines.source, lines.target, crossed[ours]))
    angle = measure_cone_offsets(
        field, touched, np.concatenate((lines.source_normal, lines.target_normal, normal[ours]))
    )
    corner = np.concatenate((touched, round_ones, wide, round_ones))
    angle = np.concatenate(
        (angle, np.zeros(len(round_ones)), np.full(len(wide), math.pi), field.cone_width[round_ones])
    )
    kept = np.flatnonzero((angle <= field.cone_width[corner] + 2e-12) & ~scene.is_point(corner))
    order = kept[np.lexsort((angle[kept], corner[kept]))]
    row = np.zeros(len(corner), dtype=np.intp)
    row[order] = np.arange(len(order))
    on_point = scene.is_point(corner)
    row[on_point] = len(order) + np.searchsorted(points, corner[on_point])
    count = len(lines.source)
    source, target = row[:count], row[count : 2 * count]
    hugged, around = corner[order], np.minimum(angle[order], field.cone_width[corner[order]])
    outward = field.cone_start[hugged] + around
    place = np.concatenate((field.find_boundary_points(hugged, outward), field.centres_mm[points]))
    chain = _chain_arcs(scene, hugged, around, place)
    hops = _connect_legs(
        legs,
        2 * source + (~scene.is_point(lines.source) & (lines.source_turn > 0)),
        2 * target + (~scene.is_point(lines.target) & (lines.target_turn > 0)),
    )
    return PathGraph(
        corner=np.concatenate((hugged, points)),
        angle=np.concatenate((outward, np.zeros(len(points)))),
        place_mm=place,
        legs=_concatenate_legs(hops, chain),
        of_point=len(order) + np.arange(1, len(points)),
    )


def _chain_arcs(scene: WeightedScene, hugged: Ints, around: Array, place: Array) -> GraphLegs:
    """Return the free arcs and edges from each place on an obstacle to the next one, both ways round."""
    field = scene.field
    if not len(hugged):
        return measure_straight_legs(scene, np.empty((0, 2)), np.empty((0, 2)), np.empty((0, 2), dtype=np.intp))[0]
    first = np.full(len(field.owner), -1)
    begins = np.flatnonzero(np.diff(hugged, prepend=-1))
    first[hugged[begins]] = begins
    following = np.arange(1, len(hugged) + 1)
    lasts = np.append(begins[1:], len(hugged)) - 1
    following[lasts] = first[field.following[hugged[lasts]]]
    seam = np.zeros(len(hugged), dtype=bool)
    seam[lasts] = True
    edges = lasts[field.lengths_mm[hugged[lasts]] > 0]
    arcs = np.flatnonzero(~seam)
    joints = np.setdiff1d(lasts, edges)  # of no length: the seam of a disc, or where an arc goes on as another
    owner = scene.find_blockers(hugged)
    after = following[edges]
    touched = np.column_stack((owner[edges], owner[edges]))
    one, two = np.concatenate((edges, after)), np.concatenate((after, edges))
    along, free = measure_straight_legs(scene, place[one], place[two], np.concatenate((touched, touched)))
    turn = np.repeat((1, 0), len(edges))
    edge_legs = _connect_legs(along, 2 * one + turn, 2 * two + turn).select(free)
    swept = around[arcs + 1] - around[arcs]
    middle = field.find_boundary_points(hugged[arcs], field.cone_start[hugged[arcs]] + around[arcs] + swept / 2)
    inside = scene.soil.find_containing(middle)
    bits = pack_climbed_bits(scene.soil, inside)
    open_arc = scene.is_within_box(middle) & ~scene.closed.is_covered(middle, owner[arcs])
    arc_legs = GraphLegs(
        source=2 * arcs + 1,
        target=2 * arcs + 3,
        pace=scene.soil.find_pace(inside),
        length_mm=field.radii_mm[hugged[arcs]] * swept,
        climb_mm=np.zeros(len(arcs)),
        leaves=bits,
        arrives=bits,
        turn=np.ones(len(arcs), dtype=np.intp),
    ).select(open_arc)
    bits = pack_climbed_bits(scene.soil, scene.soil.find_containing(place[joints]))
    nothing = np.zeros(len(joints))
    joint_legs = GraphLegs(
        source=2 * joints + 1,
        target=2 * following[joints] + 1,
        pace=nothing + 1,
        length_mm=nothing,
        climb_mm=nothing,
        leaves=bits,
        arrives=bits,
        turn=np.ones(len(joints), dtype=np.intp),
    )
    forth = _concatenate_legs(arc_legs, joint_legs)
    back = GraphLegs(
        source=forth.target - 1,
        target=forth.source - 1,
        pace=forth.pace,
        length_mm=forth.length_mm,
        climb_mm=forth.climb_mm,
        leaves=forth.arrives,
        arrives=forth.leaves,
        turn=-forth.turn,
    )
    return _concatenate_legs(edge_legs, _concatenate_legs(forth, back))


def _connect_legs(legs: GraphLegs, source: Ints, target: Ints) -> GraphLegs:
    return GraphLegs(
        source=source,
        target=target,
        pace=legs.pace,
        length_mm=legs.length_mm,
        climb_mm=legs.climb_mm,
        leaves=legs.leaves,
        arrives=legs.arrives,
        turn=legs.turn,
    )


def _concatenate_legs(one: GraphLegs, two: GraphLegs) -> GraphLegs:
    return GraphLegs(**{name: np.concatenate((getattr(one, name), getattr(two, name))) for name in GraphLegs.__slots__})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CheapestTree:
    """The cheapest ways from the start; a port is a state that is left or reached inside some climbed areas."""

    state: Ints
    inside: Ints
    """(p,) the climbed areas as bits."""
    cost_mm: Array
    before: Ints
    """The port before, or -1."""
    leg: Ints
    """The leg that leads from there, or -1 for a climb on the spot."""
    into: tuple[Ints, Ints]
    """For each leg, the ports it leads from and to."""


def find_cheapest_tree(ways: PathGraph, soil: AreaArrays, limit_mm: float) -> CheapestTree:
    """Return the cheapest ways from the start to all states."""
    legs, start = ways.legs, len(ways.corner) - len(ways.of_point) - 1
    climbed = soil.list_climbed()
    states = np.concatenate((legs.source, legs.target, [2 * start]))
    zones, zone = np.unique(np.concatenate((legs.leaves, legs.arrives, [0])), return_inverse=True)
    ports, which = np.unique(states * len(zones) + zone, return_inverse=True)
    count = len(legs.source)
    source, target = which[:count], which[count : 2 * count]
    state, inside = ports // len(zones), zones[ports % len(zones)]
    one, two = _pair_ports(state)
    entered, left = inside[two] & ~inside[one], inside[one] & ~inside[two]
    spot = np.zeros(len(one))
    for bit, area in enumerate(climbed.tolist()):
        spot += soil.up_mm[area] * (entered >> bit & 1) + soil.down_mm[area] * (left >> bit & 1)
    origin, onward = np.concatenate((source, one)), np.concatenate((target, two))
    price = np.concatenate((legs.pace * legs.length_mm + legs.climb_mm, spot))
    order = np.argsort(origin, kind="stable")
    begins = np.searchsorted(origin[order], np.arange(len(ports) + 1)).tolist()
    targets, prices, edges = onward[order].tolist(), price[order].tolist(), order.tolist()
    cost, before, leg = [math.inf] * len(ports), [-1] * len(ports), [-1] * len(ports)
    queue = []
    for port in np.flatnonzero(state == 2 * start).tolist():
        cost[port] = 0.0
        queue.append((0.0, port))
    while queue:
        so_far, port = heapq.heappop(queue)
        if so_far > cost[port]:
            continue
        for index in range(begins[port], begins[port + 1]):
            total, other = so_far + prices[index], targets[index]
            if total < cost[other] and total <= limit_mm:
                cost[other], before[other] = total, port
                leg[other] = edges[index] if edges[index] < count else -1
                heapq.heappush(queue, (total, other))
    return CheapestTree(
        state=state,
        inside=inside,
        cost_mm=np.array(cost),
        before=np.array(before),
        leg=np.array(leg),
        into=(source, target),
    )


def _pair_ports(state: Ints) -> tuple[Ints, Ints]:
    """Return the pairs of different ports of one state, which lie beside each other."""
    pairs: list[tuple[Ints, Ints]] = []
    gap = 1
    while gap < len(state):
        low = np.flatnonzero(state[gap:] == state[:-gap])
        if not len(low):
            break
        pairs += [(low, low + gap), (low + gap, low)]
        gap += 1
    nothing = np.empty(0, dtype=np.intp)
    one, two = (np.concatenate(column) for column in zip((nothing, nothing), *pairs, strict=True))
    return one, two
