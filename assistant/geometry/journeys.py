"""Ways out of the graph, made exact and checked again."""

import math
from dataclasses import dataclass, replace

import numpy as np

from assistant.geometry.cheapest import Tree
from assistant.geometry.clearance import Point
from assistant.geometry.convex import Array, unit
from assistant.geometry.field import Flags, Ints
from assistant.geometry.refraction import ARRIVING, DEPARTING, FIXED, PASSING, Stops, ending, refracted
from assistant.geometry.relays import Curves, Relays
from assistant.geometry.ways import Scene, Ways, straight

_HONEST_MM = 1e-9
_BRIEF_MM = 1e-4
"""Shorter legs are the touch of a place on a disc, and are not looked at again."""
_BEND_RAD = 0.05


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Solution:
    """The cheapest ways over relays, and all that they are made of."""

    scene: Scene
    relays: Relays
    curves: Curves
    ways: Ways
    tree: Tree

    def start(self) -> int:
        """Return the place of the start; relays follow it, and then goals."""
        return len(self.ways.corner) - len(self.ways.of_point) - 1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Journeys:
    """Ways from the start, (w,) each."""

    cost_mm: Array
    heading: Array
    """(w, 2) in which they end, ..."""
    pace: Array
    """... and the pace there."""
    stops: Stops


def journeys(found: Solution, ports: Ints, finals: Ints) -> Journeys:
    """Return the cheapest ways to some ports, or where ``finals`` names a leg that leads on from a port, along that.

    A way is only taken in its exact form where that is still free and pays what it should; what it costs is true in
    any case.
    """
    ways = found.ways
    stops, legs, coarse = _stops(found, ports, finals)
    best, lengths = _checked(found, stops, legs)
    # A way that bends at a corner may do better a little beside it, on either of the edges that meet there.
    for nth in (0, 1):
        rows, stop, curve, along = _corners(found, legs, nth)
        moved = stops.among(rows)
        index = np.arange(len(rows))
        moved.role[index, stop], moved.curve[index, stop], moved.along_mm[index, stop] = PASSING, curve, along
        other, other_mm = _checked(found, moved, legs[rows])
        paid = (other_mm * other.pace).sum(axis=1)
        order = np.argsort(-paid)
        order = order[paid[order] < (lengths * best.pace).sum(axis=1)[rows[order]] - _HONEST_MM]
        lengths[rows[order]] = other_mm[order]
        for name in Stops.__slots__:
            getattr(best, name)[rows[order]] = getattr(other, name)[order]
    walked = (ways.legs.length_mm[legs] * ways.legs.pace[legs] * (legs >= 0)).sum(axis=1)
    heading, pace = ending(best, lengths)
    return Journeys(cost_mm=coarse - walked + (lengths * best.pace).sum(axis=1), heading=heading, pace=pace, stops=best)


def _paths(tree: Tree, ports: Ints, finals: Ints) -> list[list[int]]:
    found = []
    for port, final in zip(ports.tolist(), finals.tolist(), strict=True):
        legs, at = [final] if final >= 0 else [], port
        while tree.before[at] >= 0:
            if tree.leg[at] >= 0:
                legs.append(int(tree.leg[at]))
            at = int(tree.before[at])
        found.append(legs[::-1])
    return found


def _stops(found: Solution, ports: Ints, finals: Ints) -> tuple[Stops, Ints, Array]:
    """Return the stops of ways, the legs between them (-1 where a way is over), and what they cost."""
    scene, ways, tree, relays = found.scene, found.ways, found.tree, found.relays
    paths = _paths(tree, ports, finals)
    most = max([1, *(len(path) for path in paths)])
    legs = np.full((len(paths), most), -1)
    for row, path in enumerate(paths):
        legs[row, : len(path)] = path
    real = legs >= 0
    start = found.start()
    place = np.column_stack((np.full(len(paths), start), np.where(real, ways.legs.target[legs] // 2, -1)))
    for column in range(1, most + 1):
        place[:, column] = np.where(place[:, column] < 0, place[:, column - 1], place[:, column])
    arc = real & (ways.legs.turn[legs] != 0)
    straight_in = np.column_stack((np.zeros(len(paths), dtype=bool), real & ~arc))
    straight_out = np.column_stack((real & ~arc, np.zeros(len(paths), dtype=bool)))
    arc_in = np.column_stack((np.zeros(len(paths), dtype=bool), arc))
    arc_out = np.column_stack((arc, np.zeros(len(paths), dtype=bool)))
    relay = place - start - 1
    is_relay = (relay >= 0) & (relay < len(relays.fixed))
    which = np.where(is_relay, relay, 0)
    goes_on = np.column_stack((real, np.zeros(len(paths), dtype=bool)))
    role = np.full(place.shape, FIXED)
    if len(relays.fixed):
        role[is_relay & ~relays.fixed[which] & goes_on] = PASSING
    passes = role == PASSING
    bent = scene.field.radii_mm[ways.corner[place]] > 0
    role[:, 1:][(bent & straight_in & arc_out)[:, 1:] & passes[:, :-1]] = ARRIVING
    role[:, :-1][(bent & arc_in & straight_out)[:, :-1] & passes[:, 1:]] = DEPARTING
    pace = np.where(real, ways.legs.pace[legs], 0.0)
    # A place on an arc's own edge is left along the arc, though its touch, of no length, may count as inside.
    touch = real & ~arc & (ways.legs.length_mm[legs] < _BRIEF_MM)
    pace[:, :-1] = np.where(touch[:, :-1] & arc[:, 1:], pace[:, 1:], pace[:, :-1])
    pace[:, 1:] = np.where(touch[:, 1:] & arc[:, :-1], pace[:, :-1], pace[:, 1:])
    turn = np.where(arc, ways.legs.turn[legs], 0)
    around = np.column_stack((turn, np.zeros(len(paths), dtype=np.intp)))
    around[:, 1:] += np.where(around[:, 1:] == 0, turn, 0)
    first = relays.first[which] if len(relays.fixed) else np.zeros_like(which)
    stops = Stops(
        role=role,
        place_mm=ways.place_mm[place],
        curve=relays.curve[first] if len(relays.curve) else first,
        along_mm=relays.along_mm[first] if len(relays.curve) else np.zeros(first.shape),
        centre_mm=scene.field.centres_mm[ways.corner[place]],
        radius_mm=np.where(bent, scene.field.radii_mm[ways.corner[place]], 1.0),
        turn=around,
        pace=pace,
        arc=arc,
    )
    cost = tree.cost_mm[ports].copy()
    onward = finals >= 0
    final = finals[onward]
    cost[onward] += ways.legs.pace[final] * ways.legs.length_mm[final] + ways.legs.climb_mm[final]
    return stops, legs, cost


def _checked(solution: Solution, stops: Stops, legs: Ints) -> tuple[Stops, Array]:
    """Return ways made exact, or as they were where something would be in the way; and the lengths of their legs."""
    scene, curves = solution.scene, solution.curves
    kept, kept_mm = refracted(replace(stops, role=np.full_like(stops.role, FIXED)), curves)
    found, found_mm = refracted(stops, curves)
    moves = stops.role != FIXED
    moved = moves[:, 1:] | moves[:, :-1]
    way, leg = np.nonzero(moved & (legs >= 0) & ~stops.arc & (found_mm > _BRIEF_MM))
    first, last = found.place_mm[way, leg], found.place_mm[way, leg + 1]
    old, new = (kept.place_mm[way, leg], kept.place_mm[way, leg + 1]), (first, last)
    touched = np.zeros((len(way), 2), dtype=np.intp)
    before, _ = straight(scene, *old, touched)
    now, _ = straight(scene, *new, touched)
    free = _free(scene, *new)
    alike = (now.pace == stops.pace[way, leg]) & (now.climb_mm == before.climb_mm)
    alike &= (now.leaves == before.leaves) & (now.arrives == before.arrives) & free
    good = (found_mm * stops.pace).sum(axis=1) <= (kept_mm * stops.pace).sum(axis=1) + _HONEST_MM
    good &= _forward(found, found_mm)
    row, stop = np.nonzero((stops.role == ARRIVING) | (stops.role == DEPARTING))
    np.logical_and.at(good, row, _clear(scene, stops, row, stop, found.place_mm[row, stop]))
    np.logical_and.at(good, way, alike)
    for name in Stops.__slots__:
        getattr(kept, name)[good] = getattr(found, name)[good]
    kept_mm[good] = found_mm[good]
    return kept, kept_mm


def _runs(stops: Stops) -> Flags:
    """Return which legs go on along the arc of the leg before, at the same pace, (w, k - 1)."""
    on = np.zeros(stops.arc.shape, dtype=bool)
    alike = (stops.pace[:, 1:] == stops.pace[:, :-1]) & (stops.turn[:, 1:-1] == stops.turn[:, :-2])
    alike &= (stops.centre_mm[:, 1:-1] == stops.centre_mm[:, :-2]).all(axis=2)
    on[:, 1:] = alike & stops.arc[:, 1:] & stops.arc[:, :-1]
    return on


def _clear(scene: Scene, stops: Stops, way: Ints, stop: Ints, place: Array) -> Flags:
    """Return whether the arcs are free and of one zone between where discs were touched and where they are now."""
    centre, radius = stops.centre_mm[way, stop], stops.radius_mm[way, stop, None] + _BRIEF_MM / 10
    old, new = stops.place_mm[way, stop] - centre, place - centre
    clear, before = np.ones(len(way), dtype=bool), None
    for share in np.linspace(0.0, 1.0, 5):
        outward = (1 - share) * old + share * new
        point = centre + radius * outward / np.hypot(outward[:, 0], outward[:, 1])[:, None]
        inside = scene.soil.holding(point)
        before = inside if before is None else before
        clear &= (inside == before).all(axis=1)
        clear &= (share == 0) | ~scene.closed.covered(point, np.full(len(point), -1))
    return clear


def _forward(stops: Stops, leg_mm: Array) -> Flags:
    """Return which ways turn back on no arc; where one touches its arc may move past the places on it."""
    on, run = _runs(stops), np.zeros(len(leg_mm))
    good = np.ones(len(leg_mm), dtype=bool)
    for leg in range(leg_mm.shape[1]):
        good &= on[:, leg] | (run >= -_HONEST_MM)
        run = np.where(on[:, leg], run, 0.0) + leg_mm[:, leg]
    return good & (run >= -_HONEST_MM)


def _free(scene: Scene, first: Array, last: Array) -> Flags:
    """Return which legs stay within one pace and enter no obstacle deeper than rounding, whatever they touch."""
    step = last - first
    length = np.hypot(step[:, 0], step[:, 1])
    heading = step / length[:, None]
    inset = np.minimum(1e-4, length / 4)[:, None] * heading
    touched = np.zeros((len(first), 2), dtype=np.intp)
    _, free = straight(scene, first + inset, last - inset, touched)
    return free


def _corners(found: Solution, legs: Ints, nth: int) -> tuple[Ints, Ints, Ints, Array]:
    """Return the ways, and which of their stops, are at corners; with the nth curve that begins or ends there."""
    relays = found.relays
    place = np.where(legs >= 0, found.ways.legs.target[legs] // 2, -1) - found.start() - 1
    goes_on = np.column_stack((legs[:, 1:] >= 0, np.zeros(len(legs), dtype=bool)))
    rows, leg = np.nonzero((place >= 0) & (place < len(relays.fixed)) & goes_on)
    point = place[rows, leg]
    order = np.argsort(relays.point, kind="stable")
    begins = np.searchsorted(relays.point[order], np.arange(len(relays.fixed) + 1))
    many = begins[point + 1] - begins[point] > nth
    many &= relays.fixed[point] | (nth > 0)
    relay = order[(begins[point] + nth)[many]] if many.any() else np.empty(0, dtype=np.intp)
    return rows[many], leg[many] + 1, relays.curve[relay], relays.along_mm[relay]


def drawn(stops: Stops, way: int) -> tuple[Point, ...]:
    """Return the places along a way; arcs are drawn as chords."""
    line, runs, swept = [stops.place_mm[way, :1]], _runs(stops)[way], 0.0
    for leg, arc in enumerate(stops.arc[way]):
        if not arc:
            line.append(stops.place_mm[way, leg + 1 : leg + 2])
            continue
        if not runs[leg]:
            begin, swept = stops.place_mm[way, leg] - stops.centre_mm[way, leg], 0.0
        (x0, y0), (x1, y1) = (stops.place_mm[way, leg + k] - stops.centre_mm[way, leg] for k in (0, 1))
        step = stops.turn[way, leg] * math.atan2(x0 * y1 - y0 * x1, x0 * x1 + y0 * y1)
        swept += stops.turn[way, leg] * (math.fmod(step + 1.0 + 2 * math.pi, 2 * math.pi) - 1.0)
        if leg + 1 == len(runs) or not runs[leg + 1]:
            angles = math.atan2(begin[1], begin[0]) + np.linspace(0.0, swept, 2 + int(abs(swept) / _BEND_RAD))[1:]
            line.append(stops.centre_mm[way, leg] + math.hypot(*begin) * unit(angles))
    points = np.concatenate(line)
    kept = np.ones(len(points), dtype=bool)
    kept[1:] = np.hypot(*np.diff(points, axis=0).T) > _HONEST_MM
    return tuple((float(x), float(y)) for x, y in points[kept])
