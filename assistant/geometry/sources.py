"""Where the rays begin that sweep a region over ground that costs: points, hugged arcs, and the edges of areas."""

import math

import numpy as np

from assistant.geometry.cheapest import Tree
from assistant.geometry.convex import Array
from assistant.geometry.field import Ints
from assistant.geometry.journeys import Solution, journeys
from assistant.geometry.tubes import Tubes
from assistant.geometry.ways import bits_of

_SLACK_MM = 1.0
_KINK_MM = 5e-3
"""How badly a cubic may fit the costs at both ends of a span before the ways that arrive there are told apart."""
_BESIDE_MM = 1e-4
_OVERLAP_RAD = 2e-6
"""How far neighbouring fans overlap, so that their union has no seams."""


def sources(found: Solution, limit_mm: float) -> Tubes:
    """Return all families of rays in which ways end that cost no more than a limit."""
    families = [
        _from_points(found),
        _from_arcs(found, limit_mm),
        _from_curves(found, limit_mm),
    ]
    return Tubes(**{name: np.concatenate([getattr(f, name) for f in families]) for name in Tubes.__slots__})


def _from_points(found: Solution) -> Tubes:
    """Return what leaves the start and corners of areas, full turns in halves, and sharp corners of obstacles."""
    scene, ways, tree, relays = found.scene, found.ways, found.tree, found.relays
    field, corner = scene.field, ways.corner
    free = np.zeros(len(corner), dtype=bool)
    free[ways.of_point[: len(relays.points_mm)][relays.fixed]] = True
    sharp = ~free & (field.radii_mm[corner] == 0)
    sharp[ways.of_point] = False
    sharp[found.start()] = False
    ports = np.flatnonzero((free | sharp)[tree.state // 2] & np.isfinite(tree.cost_mm) & (tree.before >= 0))
    place = np.column_stack((corner[tree.state[ports] // 2], tree.inside[ports]))
    order = np.lexsort((tree.cost_mm[ports], place[:, 1], place[:, 0]))
    ports = ports[order[np.any(np.diff(place[order], axis=0, prepend=-1) != 0, axis=1)]]
    exact = journeys(found, ports, np.full(len(ports), -1))
    at = corner[tree.state[ports] // 2]
    hard = sharp[tree.state[ports] // 2]
    begin, width = np.where(hard, field.cone_start[at], 0.0), np.where(hard, field.cone_width[at], 2 * math.pi)
    first = np.column_stack((begin, begin + np.where(hard, width, math.pi)))
    last = np.column_stack((begin + np.where(hard, width, math.pi), np.where(hard, begin, 2 * math.pi)))
    first, last = np.vstack(([[0.0, math.pi]], first)), np.vstack(([[math.pi, 2 * math.pi]], last))
    cost, count = np.repeat(np.concatenate(([0.0], exact.cost_mm)), 2), 2 * len(first)
    return Tubes(
        centre_mm=np.repeat(np.vstack((field.centres_mm[:1], field.centres_mm[at])), 2, axis=0),
        radius_mm=np.zeros(count),
        first=first.ravel() - np.sign(last - first).ravel() * _OVERLAP_RAD,
        last=last.ravel() + np.sign(last - first).ravel() * _OVERLAP_RAD,
        curve=np.full(count, -1),
        side=np.ones(count, dtype=np.intp),
        pace=np.ones(count),
        cost_mm=np.column_stack((cost, cost)),
        slope=np.zeros((count, 2)),
        inside=np.repeat(np.concatenate(([-1], tree.inside[ports])), 2),
        blocker=np.repeat(np.concatenate(([0], scene.blocker(at))), 2),
    )


def _from_arcs(found: Solution, limit_mm: float) -> Tubes:
    """Return what leaves the arcs that ways hug, but where they are hugged for less the other way round."""
    scene, ways, tree = found.scene, found.ways, found.tree
    legs, source = ways.legs, tree.into[0]
    arcs = np.flatnonzero((legs.turn != 0) & (legs.length_mm > 0))
    half = len(arcs) // 2
    other = np.concatenate((arcs[half:], arcs[:half]))
    begin, step = tree.cost_mm[source[arcs]], legs.pace[arcs] * legs.length_mm[arcs]
    back = tree.cost_mm[source[other]] + step
    arcs = arcs[(begin < limit_mm + _SLACK_MM) & (back + _SLACK_MM >= begin)]
    exact = journeys(found, source[arcs], arcs)
    stops, last = exact.stops, _lengths(tree, source[arcs])
    rows = np.arange(len(arcs))
    centre = stops.centre_mm[rows, last]
    one, two = stops.place_mm[rows, last] - centre, stops.place_mm[rows, last + 1] - centre
    first, turn = np.arctan2(one[:, 1], one[:, 0]), legs.turn[arcs]
    swept_rad = turn * np.arctan2(one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0], (one * two).sum(axis=1))
    swept_rad = np.mod(swept_rad + 1.0, 2 * math.pi) - 1.0
    radius = stops.radius_mm[rows, last]
    cost = exact.cost_mm - legs.pace[arcs] * radius * swept_rad
    kept = (swept_rad > 1e-9) & (cost < limit_mm)
    rows, arcs = rows[kept], arcs[kept]
    return Tubes(
        centre_mm=centre[kept],
        radius_mm=radius[kept],
        first=first[kept] - turn[kept] * _OVERLAP_RAD,
        last=first[kept] + turn[kept] * (swept_rad[kept] + _OVERLAP_RAD),
        curve=np.full(len(rows), -1),
        side=np.ones(len(rows), dtype=np.intp),
        pace=legs.pace[arcs],
        cost_mm=np.column_stack((cost[kept], cost[kept])),
        slope=np.zeros((len(rows), 2)),
        inside=legs.leaves[arcs],
        blocker=scene.blocker(ways.corner[legs.source[arcs] // 2]),
    )


def _lengths(tree: Tree, ports: Ints) -> Ints:
    """Return how many legs lead to ports."""
    found = np.zeros(len(ports), dtype=np.intp)
    at = ports.copy()
    while (tree.before[at] >= 0).any():
        on = tree.before[at] >= 0
        found += on & (tree.leg[at] >= 0)
        at = np.where(on, tree.before[at], at)
    return found


def _from_curves(found: Solution, limit_mm: float) -> Tubes:
    """Return what leaves the edges of paced areas, to both sides."""
    scene, ways, tree, relays, curves = found.scene, found.ways, found.tree, found.relays, found.curves
    on_edge = np.isin(tree.state, 2 * ways.of_point[: len(relays.points_mm)])
    ports = np.flatnonzero(on_edge & np.isfinite(tree.cost_mm))
    rows = np.flatnonzero(relays.onward)
    middle, heading, _ = curves.at(relays.curve[rows], (relays.along_mm[rows] + relays.along_mm[rows + 1]) / 2)
    outward = np.column_stack((heading[:, 1], -heading[:, 0]))
    spans = []
    for side in (1, -1):
        inside = scene.soil.holding(middle + side * _BESIDE_MM * outward)
        bits, pace = bits_of(scene.soil, inside), scene.soil.pace_at(inside)
        begun = [_ports(found, ports, 2 * ways.of_point[relays.point[rows + k]], bits) for k in (0, 1)]
        ends, climb = (np.column_stack([end[k] for end in begun]) for k in (0, 1))
        spans.append((rows, np.full(len(rows), side), pace, bits, ends, climb))
    row, way_out, pace, bits, ends, climb = (np.concatenate([span[k] for span in spans]) for k in range(6))
    kept = np.flatnonzero((ends >= 0).all(axis=1))
    kept = kept[(tree.cost_mm[ends[kept]] + climb[kept]).min(axis=1) < limit_mm + _SLACK_MM]
    row, way_out, pace, bits, ends, climb = (c[kept] for c in (row, way_out, pace, bits, ends, climb))
    none = np.full(len(ends), -1)
    cost, slope = _ends_of(found, row, ends, np.column_stack((none, none)))
    width = relays.along_mm[row + 1] - relays.along_mm[row]
    rough = np.abs(cost[:, 1] - cost[:, 0] - width * slope.sum(axis=1) / 2) > _KINK_MM
    which, entry, legs, spot = _rivals(tree, np.flatnonzero(rough), ends)
    more_cost, more_slope = _ends_of(found, row[which], entry, legs)
    smooth = ~rough
    smooth[rough] = np.bincount(which, minlength=len(rough))[rough] < 2
    index = np.concatenate((np.flatnonzero(smooth), which))
    cost = np.concatenate(((cost + climb)[smooth], more_cost + spot[:, None] + climb[which]))
    count = len(index)
    return Tubes(
        centre_mm=np.zeros((count, 2)),
        radius_mm=np.zeros(count),
        first=relays.along_mm[row[index]],
        last=relays.along_mm[row[index] + 1],
        curve=relays.curve[row[index]],
        side=way_out[index],
        pace=pace[index],
        cost_mm=cost,
        slope=np.concatenate((slope[smooth], more_slope)),
        inside=bits[index],
        blocker=np.zeros(count, dtype=np.intp),
    )


def _ports(found: Solution, ports: Ints, state: Ints, bits: Ints) -> tuple[Ints, Array]:
    """Return the cheapest of some ports to leave states inside areas, as bits; or -1; and what that climb costs."""
    tree, soil = found.tree, found.scene.soil
    one, two = np.nonzero(state[:, None] == tree.state[ports])
    come, goes = tree.inside[ports[two]], bits[one]
    climb = np.zeros(len(one))
    for bit, area in enumerate(soil.climbed().tolist()):
        climb += soil.up_mm[area] * ((goes & ~come) >> bit & 1) + soil.down_mm[area] * ((come & ~goes) >> bit & 1)
    order = np.lexsort((tree.cost_mm[ports[two]] + climb, one))
    first = order[np.diff(one[order], prepend=-1) > 0]
    best, cost = np.full(len(state), -1), np.zeros(len(state))
    best[one[first]], cost[one[first]] = ports[two[first]], climb[first]
    return best, cost


def _ends_of(found: Solution, row: Ints, ports: Ints, legs: Ints) -> tuple[Array, Array]:
    """Return what it costs to come to both ends of spans of curves, (m, 2), and the slope of that along the curve."""
    relays, curves = found.relays, found.curves
    exact = journeys(found, ports.T.ravel(), legs.T.ravel())
    at = np.concatenate((row, row + 1))
    _, heading, _ = curves.at(relays.curve[at], relays.along_mm[at])
    slope = exact.pace * (exact.heading * heading).sum(axis=1)
    return exact.cost_mm.reshape(2, -1).T, slope.reshape(2, -1).T


def _rivals(tree: Tree, spans: Ints, ends: Ints) -> tuple[Ints, Ints, Ints, Array]:
    """Return for spans at whose ends different ways arrive each of these ways led to both ends.

    The span, (m, 2) the port before the ends and the legs from there to them, and what the climb at the ends adds.
    """
    pairs = zip(tree.into[0].tolist(), tree.into[1].tolist(), strict=True)
    legs_from = {pair: leg for leg, pair in enumerate(pairs)}
    ports = {(s, i): p for p, (s, i) in enumerate(zip(tree.state.tolist(), tree.inside.tolist(), strict=True))}
    found: dict[tuple[int, int, int], tuple[int, int, int, float]] = {}
    for span in spans.tolist():
        for end in ends[span].tolist():
            last, spot = end, 0.0
            while tree.leg[last] < 0 <= tree.before[last]:
                last = int(tree.before[last])
            if tree.before[last] < 0:
                continue
            spot = float(tree.cost_mm[end] - tree.cost_mm[last])
            entry, inside = int(tree.before[last]), int(tree.inside[last])
            targets = [ports.get((int(tree.state[port]), inside), -1) for port in ends[span]]
            legs = [legs_from.get((entry, target), -1) for target in targets]
            if min(legs) >= 0:
                found[span, entry, inside] = (span, legs[0], legs[1], spot)
    keys = list(found)
    rows = np.array([[found[key][k] for k in range(3)] for key in keys], dtype=np.intp).reshape(-1, 3)
    entries = np.array([key[1] for key in keys], dtype=np.intp)
    return rows[:, 0], np.column_stack((entries, entries)), rows[:, 1:], np.array([found[key][3] for key in keys])
