"""The cheapest ways from a start through a graph of ways over ground that costs."""

import heapq
import math
from dataclasses import dataclass

import numpy as np

from assistant.geometry.areas import Soil
from assistant.geometry.convex import Array
from assistant.geometry.field import Ints
from assistant.geometry.ways import Ways


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tree:
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


def cheapest(ways: Ways, soil: Soil, limit_mm: float) -> Tree:
    """Return the cheapest ways from the start to all states."""
    legs, start = ways.legs, len(ways.corner) - len(ways.of_point) - 1
    climbed = soil.climbed()
    pairs = np.concatenate(
        (
            np.column_stack((legs.source, legs.leaves)),
            np.column_stack((legs.target, legs.arrives)),
            np.array([(2 * start, 0)], dtype=np.intp),
        )
    )
    ports, which = np.unique(pairs, axis=0, return_inverse=True)
    which = which.ravel()
    count = len(legs.source)
    source, target = which[:count], which[count : 2 * count]
    state, inside = ports[:, 0], ports[:, 1]
    one, two = _alike(state)
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
    return Tree(
        state=state,
        inside=inside,
        cost_mm=np.array(cost),
        before=np.array(before),
        leg=np.array(leg),
        into=(source, target),
    )


def _alike(state: Ints) -> tuple[Ints, Ints]:
    """Return the pairs of different ports of one state, which lie beside each other."""
    found: list[tuple[Ints, Ints]] = []
    gap = 1
    while gap < len(state):
        low = np.flatnonzero(state[gap:] == state[:-gap])
        if not len(low):
            break
        found += [(low, low + gap), (low + gap, low)]
        gap += 1
    nothing = np.empty(0, dtype=np.intp)
    one, two = (np.concatenate(column) for column in zip((nothing, nothing), *found, strict=True))
    return one, two
