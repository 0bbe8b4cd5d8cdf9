"""Refraction: ways made exact by moving the places where they pass edges until nothing can be gained.

Where a way is cheapest, what it pays for a small step along the edge is the same on both sides: Snell's law, and at the
critical angle a run along the edge.  Newton's method finds the places of many ways at once; the points where ways touch
discs follow, and by the envelope theorem a touched disc bends what is paid just as a point there would.

What has been made exact is checked again, for a way that has moved may meet what it did not meet before.
"""

import math
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from assistant.geometry.clearance.shape_clearance import Point
from assistant.geometry.shapes.convex import Array, unit_vectors
from assistant.geometry.shortest_path.obstacles import Flags, Ints
from assistant.geometry.shortest_path.weighted.path_graph import (
    CheapestTree,
    PathGraph,
    WeightedScene,
    measure_straight_legs,
)
from assistant.geometry.shortest_path.weighted.steiner_points import EdgeCurves, SteinerPoints

FIXED, PASSING, ARRIVING, DEPARTING = range(4)
"""What a stop does: it stays, it moves along a curve, it touches a disc after or before a stop that moves."""
_ROUNDS = 30
_WORTH_MM = 1e-7
"""A way that gains no more is at rest."""
_NEAR_MM = 1e-4
"""A step of Newton's method that is no longer than this comes to where it leads."""
_SHARES = 0.4 ** np.arange(1, 7)
_LEAST_MM = 1e-9
_TOUCH_MM = 1e-6
_FLAT = 1e-9
"""What is not bent more than this counts as bent so much."""
_STRIDE_MM = 20.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PathStops:
    """The stops of many ways, (w, k), padded with copies of the last one; legs lead from each stop to the next."""

    role: Ints
    place_mm: Array
    """(w, k, 2)"""
    curve: Ints
    along_mm: Array
    """Where on its curve a stop is that may move."""
    centre_mm: Array
    """(w, k, 2) of the disc that is touched."""
    radius_mm: Array
    turn: Ints
    """Which way round the disc."""
    pace: Array
    arc: Flags
    """(w, k - 1) of each leg."""

    def select(self, rows: Ints | Flags) -> "PathStops":
        """Return some of the ways."""
        return PathStops(**{name: getattr(self, name)[rows] for name in PathStops.__slots__})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _PathCourse:
    """Ways for some places on the curves."""

    place_mm: Array
    leg_mm: Array
    cost_mm: Array
    heading: Array
    """(w, k - 1, 2) of straight legs."""


def refract_paths(stops: PathStops, curves: EdgeCurves) -> tuple[PathStops, Array]:
    """Return the cheapest stops, and (w, k - 1) the lengths of the legs."""
    along = np.where(stops.role == PASSING, stops.along_mm, 0.0)
    busy = np.flatnonzero((stops.role == PASSING).any(axis=1))
    if len(busy):
        short, column = _gather_moving_stops(stops.select(busy))
        moved = _settle_stops(short, curves)
        way, stop = np.nonzero(short.role == PASSING)
        along[busy[way], column[way, stop]] = moved[way, stop]
    course = _build_course(stops, curves, along)
    kept = {name: getattr(stops, name) for name in PathStops.__slots__}
    kept |= {"place_mm": course.place_mm, "along_mm": np.where(stops.role == PASSING, along, stops.along_mm)}
    return PathStops(**kept), course.leg_mm


def _gather_moving_stops(stops: PathStops) -> tuple[PathStops, Ints]:
    """Return only the stops that move or stand beside one that does, and which they are, (w, k)."""
    busy = stops.role != FIXED
    needed = busy.copy()
    needed[:, 1:] |= busy[:, :-1]
    needed[:, :-1] |= busy[:, 1:]
    rank = np.argsort(~needed, axis=1, kind="stable")[:, : int(needed.sum(axis=1).max())]
    count = needed.sum(axis=1, keepdims=True)
    real = np.arange(rank.shape[1]) < count
    rank = np.where(real, rank, np.take_along_axis(rank, count - 1, axis=1))
    rows = np.arange(len(rank))[:, None]
    leg = np.minimum(rank[:, :-1], stops.pace.shape[1] - 1)
    beside = rank[:, 1:] == rank[:, :-1] + 1
    picked = {name: getattr(stops, name)[rows, rank] for name in PathStops.__slots__ if name not in {"pace", "arc"}}
    picked["role"] = np.where(real, picked["role"], FIXED)
    picked["pace"] = np.where(beside, stops.pace[rows, leg], 0.0)
    picked["arc"] = beside & stops.arc[rows, leg]
    return PathStops(**picked), rank


def _settle_stops(stops: PathStops, curves: EdgeCurves) -> Array:
    """Return where on their curves the stops that move come to rest, (w, k)."""
    passing = stops.role == PASSING
    along = np.where(passing, stops.along_mm, 0.0)
    loop = (curves.radius_mm > 0) & (curves.length_mm > 2 * np.pi * curves.radius_mm * (1 - 1e-12))
    low = np.where(passing & loop[stops.curve], -np.inf, 0.0)
    high = np.where(passing, np.where(loop[stops.curve], np.inf, curves.length_mm[stops.curve]), 0.0)
    busy = np.arange(len(along))
    for _ in range(_ROUNDS):
        part, at, least, most = stops.select(busy), along[busy], low[busy], high[busy]
        here = _build_course(part, curves, at)
        step = _compute_newton_step(part, curves, here, at, (least, most))
        far = np.abs(step).max(axis=1) > _NEAR_MM
        along[busy[~far]] = np.clip(at + step, least, most)[~far]  # the next would be no longer than a rounding
        rows = np.flatnonzero(far)
        if not len(rows):
            break
        tried = np.clip(at + step, least, most)[rows]
        gain = here.cost_mm[rows] - _build_course(part.select(rows), curves, tried).cost_mm
        swift = gain > _WORTH_MM
        along[busy[rows[swift]]] = tried[swift]
        rows, going = rows[~swift], rows[swift]
        if len(rows):
            tried, gain = _shorten_steps(
                part.select(rows),
                curves,
                (here.leg_mm[rows], here.cost_mm[rows]),
                (at[rows], step[rows]),
                (least[rows], most[rows]),
            )
            along[busy[rows[gain > 0]]] = tried[gain > 0]
            going = np.sort(np.concatenate((going, rows[gain > _WORTH_MM])))
        busy = busy[going]
        if not len(busy):
            break
    return along


def _shorten_steps(
    stops: PathStops,
    curves: EdgeCurves,
    course: tuple[Array, Array],
    step: tuple[Array, Array],
    bounds: tuple[Array, Array],
) -> tuple[Array, Array]:
    """Return where the best of several shares of a step leads, and what it gains, (w,).

    Of ways whose legs are so long and cost so much as ``course`` says; ``step`` is where it begins, and itself.

    All shares at once: what a call costs is more than what some more ways add to it.  One of them takes a stop to the
    next one: where a way runs along an edge, what it pays has a kink there.
    """
    (leg_mm, cost_mm), (along, whole) = course, step
    swift = np.abs(whole[:, 1:]) + np.abs(whole[:, :-1])
    apart = (swift > 0) & ~stops.arc & (leg_mm > _TOUCH_MM)
    meets = np.divide(leg_mm, swift, out=np.ones_like(swift), where=apart)
    shares = np.column_stack((np.tile(_SHARES, (len(along), 1)), np.clip(meets, 0.0, 1.0).min(axis=1)))
    nth, count = np.arange(len(along)), shares.shape[1]
    many = np.repeat(nth, count)
    tried = np.clip(along[many] + shares.reshape(-1, 1) * whole[many], bounds[0][many], bounds[1][many])
    cost = _build_course(stops.select(many), curves, tried).cost_mm.reshape(-1, count)
    best = cost.argmin(axis=1)
    return tried[nth * count + best], cost_mm - cost[nth, best]


def find_endings(stops: PathStops, leg_mm: Array) -> tuple[Array, Array]:
    """Return the headings in which ways end, (w, 2), and their pace there; of the last leg that is not just a touch."""
    last = leg_mm.shape[1] - 1 - (leg_mm > _TOUCH_MM)[:, ::-1].argmax(axis=1)
    way = np.arange(len(last))
    one, two = stops.place_mm[way, last], stops.place_mm[way, last + 1]
    step = two - one
    length = np.maximum(np.hypot(step[:, 0], step[:, 1]), 1e-300)[:, None]
    out = (two - stops.centre_mm[way, last]) / stops.radius_mm[way, last, None]
    around = np.column_stack((-out[:, 1], out[:, 0])) * stops.turn[way, last, None]
    return np.where(stops.arc[way, last, None], around, step / length), stops.pace[way, last]


def _build_course(stops: PathStops, curves: EdgeCurves, along: Array) -> _PathCourse:
    place, passing = stops.place_mm.copy(), stops.role == PASSING
    place[passing] = curves.evaluate(stops.curve[passing], along[passing])[0]
    for role, shift in ((ARRIVING, -1), (DEPARTING, 1)):
        way, stop = np.nonzero(stops.role == role)
        if not len(way):
            continue
        away = place[way, stop + shift] - stops.centre_mm[way, stop]
        radius, turn = stops.radius_mm[way, stop], stops.turn[way, stop]
        distance = np.hypot(away[:, 0], away[:, 1])
        opening = np.arccos(np.minimum(radius / distance, 1.0))
        angle: Array = np.arctan2(away[:, 1], away[:, 0]) - shift * turn * opening
        place[way, stop] = stops.centre_mm[way, stop] + radius[:, None] * unit_vectors(angle)
    step = place[:, 1:] - place[:, :-1]
    length = np.hypot(step[..., 0], step[..., 1])
    heading = np.divide(step, length[..., None], out=np.zeros_like(step), where=length[..., None] > 0)
    for role, shift in ((ARRIVING, -1), (DEPARTING, 0)):
        way, stop = np.nonzero(stops.role == role)
        if not len(way):
            continue
        out = (place[way, stop] - stops.centre_mm[way, stop]) / stops.radius_mm[way, stop, None]
        turned = np.column_stack((-out[:, 1], out[:, 0])) * stops.turn[way, stop, None]
        heading[way, stop + shift] = turned
    way, leg = np.nonzero(stops.arc)
    one, two = (place[way, leg + k] - stops.centre_mm[way, leg] for k in (0, 1))
    swept = np.arctan2(one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0], (one * two).sum(axis=1))
    length[way, leg] = (
        stops.radius_mm[way, leg] * np.mod(stops.turn[way, leg] * swept + 1.0, 2 * np.pi) - stops.radius_mm[way, leg]
    )
    heading[way, leg] = (
        stops.turn[way, leg, None] * np.column_stack((-two[:, 1], two[:, 0])) / stops.radius_mm[way, leg, None]
    )
    return _PathCourse(place_mm=place, leg_mm=length, cost_mm=(stops.pace * length).sum(axis=1), heading=heading)


def _compute_newton_step(
    stops: PathStops, curves: EdgeCurves, course: _PathCourse, along: Array, bounds: tuple[Array, Array]
) -> Array:
    """Return the step that Newton's method takes, (w, k)."""
    ways, count = along.shape
    passing = stops.role == PASSING
    tangent, bend = np.zeros((2, ways, count, 2))
    _, tangent[passing], bend[passing] = curves.evaluate(stops.curve[passing], along[passing])
    pace = stops.pace[..., None]
    pull = np.zeros((ways, count, 2))
    pull[:, 1:] += pace * course.heading
    pull[:, :-1] -= pace * course.heading
    slope = (pull * tangent).sum(axis=2)
    stiff = np.where(stops.arc, 0.0, stops.pace / np.maximum(course.leg_mm, _LEAST_MM))
    before, after = (tangent[:, 1:], tangent[:, :-1])
    lean_b, lean_a = (course.heading * before).sum(axis=2), (course.heading * after).sum(axis=2)
    matrix = np.zeros((ways, count, count))
    k = np.arange(count)
    matrix[:, k, k] = (pull * bend).sum(axis=2)
    matrix[:, k[1:], k[1:]] += stiff * ((before**2).sum(axis=2) - lean_b**2)
    matrix[:, k[:-1], k[:-1]] += stiff * ((after**2).sum(axis=2) - lean_a**2)
    cross = -stiff * ((before * after).sum(axis=2) - lean_a * lean_b)
    matrix[:, k[:-1], k[1:]] = matrix[:, k[1:], k[:-1]] = cross
    still = ~passing | ((along <= bounds[0]) & (slope > 0)) | ((along >= bounds[1]) & (slope < 0))
    slope = np.where(still, 0.0, slope)
    matrix[still[:, :, None] | still[:, None, :]] = 0.0
    matrix[:, k, k] = np.where(still, 1.0, np.maximum(np.abs(matrix[:, k, k]), _FLAT) + _FLAT / 1e3)
    try:
        step = np.linalg.solve(matrix, -slope[..., None])[..., 0]
    except np.linalg.LinAlgError:  # stops of some way hold each other: then each steps by itself
        step = -slope / matrix[:, k, k]
    return np.asarray(np.clip(step, -_STRIDE_MM, _STRIDE_MM))


_HONEST_MM = 1e-9
_BRIEF_MM = 1e-4
"""Shorter legs are the touch of a place on a disc, and are not looked at again."""
_BEND_RAD = 0.05


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GraphSolution:
    """The cheapest ways over relays, and all that they are made of."""

    scene: WeightedScene
    relays: SteinerPoints
    curves: EdgeCurves
    ways: PathGraph
    tree: CheapestTree

    def find_start(self) -> int:
        """Return the place of the start; relays follow it, and then goals."""
        return len(self.ways.corner) - len(self.ways.of_point) - 1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ExactPaths:
    """Ways from the start, (w,) each."""

    cost_mm: Array
    heading: Array
    """(w, 2) in which they end, ..."""
    pace: Array
    """... and the pace there."""
    climb_mm: Array
    """What of the cost is not paid by the way's length."""
    stops: PathStops
    legs: Ints
    """(w, k - 1) the graph's legs from stop to stop, -1 where a way is over."""

    def select(self, rows: Ints) -> "ExactPaths":
        """Return some of the ways."""
        kept = {name: getattr(self, name)[rows] for name in ExactPaths.__slots__ if name != "stops"}
        return ExactPaths(stops=self.stops.select(rows), **kept)


def trace_exact_paths(solution: GraphSolution, ports: Ints, finals: Ints) -> ExactPaths:
    """Return the cheapest ways to some ports, or where ``finals`` names a leg that leads on from a port, along that.

    A way is only taken in its exact form where that is still free and pays what it should; what it costs is true in
    any case.
    """
    ways = solution.ways
    stops, legs, coarse = _build_stops(solution, ports, finals)
    best, lengths = _refract_and_check(solution, stops, legs)
    # A way that bends at a corner may do better a little beside it, on either of the edges that meet there.
    for nth in (0, 1):
        rows, stop, curve, along = _find_corner_stops(solution, legs, nth)
        moved = stops.select(rows)
        index = np.arange(len(rows))
        moved.role[index, stop], moved.curve[index, stop], moved.along_mm[index, stop] = PASSING, curve, along
        other, other_mm = _refract_and_check(solution, moved, legs[rows])
        paid = (other_mm * other.pace).sum(axis=1)
        order = np.argsort(-paid)
        order = order[paid[order] < (lengths * best.pace).sum(axis=1)[rows[order]] - _HONEST_MM]
        lengths[rows[order]] = other_mm[order]
        for name in PathStops.__slots__:
            getattr(best, name)[rows[order]] = getattr(other, name)[order]
    walked = (ways.legs.length_mm[legs] * ways.legs.pace[legs] * (legs >= 0)).sum(axis=1)
    heading, pace = find_endings(best, lengths)
    return ExactPaths(
        cost_mm=coarse - walked + (lengths * best.pace).sum(axis=1),
        heading=heading,
        pace=pace,
        climb_mm=coarse - walked,
        stops=best,
        legs=legs,
    )


def list_courses(solution: GraphSolution, paths: ExactPaths) -> list[tuple[int, ...]]:
    """Return by what each way goes before its end: the curves that it passes and the corners that it touches."""
    corner = solution.ways.corner[solution.ways.legs.target[paths.legs] // 2]
    passed = np.where(paths.stops.role[:, 1:] == PASSING, paths.stops.curve[:, 1:], -1 - corner)
    counts = (paths.legs >= 0).sum(axis=1)
    return [
        tuple(key for key, _ in groupby(passed[way, : max(count - 1, 0)].tolist()))
        for way, count in enumerate(counts.tolist())
    ]


def lead_paths_to(solution: GraphSolution, paths: ExactPaths, places: Array) -> tuple[Array, Array, Array]:
    """Return what ways cost that pass the same edges and obstacles but end at other places, (w, 2), near their own.

    The cost, infinite where such a way is not free or would pay something else; and how it ends: heading and pace.
    """
    count = (paths.legs >= 0).sum(axis=1)
    stops = replace(paths.stops, place_mm=paths.stops.place_mm.copy())
    way = np.arange(len(count))
    # Where an arc ends in the touch of a place on it, the touch goes along.
    touching = (count > 1) & stops.arc[way, np.maximum(count - 2, 0)] & ~stops.arc[way, np.maximum(count - 1, 0)]
    touch = stops.place_mm[way, count] - stops.place_mm[way, np.maximum(count - 1, 0)]
    touching &= np.hypot(touch[:, 0], touch[:, 1]) < _BRIEF_MM
    ends = np.arange(stops.place_mm.shape[1]) >= (count - touching)[:, None]
    stops.place_mm[ends] = np.broadcast_to(places[:, None], stops.place_mm.shape)[ends]
    led, length = refract_paths(stops, solution.curves)
    good = (count > 0) & _find_forward_paths(led, length)
    row, leg = np.nonzero((paths.legs >= 0) & ~led.arc & (length > _BRIEF_MM))
    first, last = led.place_mm[row, leg], led.place_mm[row, leg + 1]
    np.logical_and.at(good, row, _find_like_legs(solution, paths.legs[row, leg], led.pace[row, leg], first, last))
    row, stop = np.nonzero((led.role == ARRIVING) | (led.role == DEPARTING))
    np.logical_and.at(good, row, _find_clear_arcs(solution.scene, paths.stops, row, stop, led.place_mm[row, stop]))
    heading, pace = find_endings(led, length)
    return np.where(good, paths.climb_mm + (length * led.pace).sum(axis=1), np.inf), heading, pace


def _trace_legs(tree: CheapestTree, ports: Ints, finals: Ints) -> list[list[int]]:
    paths = []
    for port, final in zip(ports.tolist(), finals.tolist(), strict=True):
        legs, at = [final] if final >= 0 else [], port
        while tree.before[at] >= 0:
            if tree.leg[at] >= 0:
                legs.append(int(tree.leg[at]))
            at = int(tree.before[at])
        paths.append(legs[::-1])
    return paths


def _build_stops(solution: GraphSolution, ports: Ints, finals: Ints) -> tuple[PathStops, Ints, Array]:
    """Return the stops of ways, the legs between them (-1 where a way is over), and what they cost."""
    scene, ways, tree, relays = solution.scene, solution.ways, solution.tree, solution.relays
    paths = _trace_legs(tree, ports, finals)
    most = max([1, *(len(path) for path in paths)])
    legs = np.full((len(paths), most), -1)
    for row, path in enumerate(paths):
        legs[row, : len(path)] = path
    real = legs >= 0
    start = solution.find_start()
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
    stops = PathStops(
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


def _refract_and_check(solution: GraphSolution, stops: PathStops, legs: Ints) -> tuple[PathStops, Array]:
    """Return ways made exact, or as they were where something would be in the way; and the lengths of their legs."""
    scene, curves = solution.scene, solution.curves
    kept, kept_mm = refract_paths(replace(stops, role=np.full_like(stops.role, FIXED)), curves)
    refracted, refracted_mm = refract_paths(stops, curves)
    moves = stops.role != FIXED
    moved = moves[:, 1:] | moves[:, :-1]
    way, leg = np.nonzero(moved & (legs >= 0) & ~stops.arc & (refracted_mm > _BRIEF_MM))
    first, last = refracted.place_mm[way, leg], refracted.place_mm[way, leg + 1]
    alike = _find_like_legs(solution, legs[way, leg], stops.pace[way, leg], first, last)
    is_better = (refracted_mm * stops.pace).sum(axis=1) <= (kept_mm * stops.pace).sum(axis=1) + _HONEST_MM
    is_better &= _find_forward_paths(refracted, refracted_mm)
    row, stop = np.nonzero((stops.role == ARRIVING) | (stops.role == DEPARTING))
    np.logical_and.at(is_better, row, _find_clear_arcs(scene, stops, row, stop, refracted.place_mm[row, stop]))
    np.logical_and.at(is_better, way, alike)
    for name in PathStops.__slots__:
        getattr(kept, name)[is_better] = getattr(refracted, name)[is_better]
    kept_mm[is_better] = refracted_mm[is_better]
    return kept, kept_mm


def _find_arc_runs(stops: PathStops) -> Flags:
    """Return which legs go on along the arc of the leg before, at the same pace, (w, k - 1)."""
    on = np.zeros(stops.arc.shape, dtype=bool)
    alike = (stops.pace[:, 1:] == stops.pace[:, :-1]) & (stops.turn[:, 1:-1] == stops.turn[:, :-2])
    alike &= (stops.centre_mm[:, 1:-1] == stops.centre_mm[:, :-2]).all(axis=2)
    on[:, 1:] = alike & stops.arc[:, 1:] & stops.arc[:, :-1]
    return on


def _find_like_legs(solution: GraphSolution, legs: Ints, pace: Array, first: Array, last: Array) -> Flags:
    """Return which straight legs are free where they are now, and pay for what they did as legs of the graph."""
    scene, known = solution.scene, solution.ways.legs
    step = last - first
    length = np.hypot(step[:, 0], step[:, 1])
    inset = (np.minimum(1e-4, length / 4) / np.maximum(length, 1e-300))[:, None] * step
    touched = np.zeros((len(first), 2), dtype=np.intp)
    within, free = measure_straight_legs(scene, first + inset, last - inset, touched)
    alike = free & (within.pace == pace)
    if len(scene.soil.list_climbed()):
        now, _ = measure_straight_legs(scene, first, last, touched)
        alike &= (now.climb_mm == known.climb_mm[legs]) & (now.pace == pace)
        alike &= (now.leaves == known.leaves[legs]) & (now.arrives == known.arrives[legs])
    return np.asarray(alike)


def _find_clear_arcs(scene: WeightedScene, stops: PathStops, way: Ints, stop: Ints, place: Array) -> Flags:
    """Return whether the arcs are free and of one zone between where discs were touched and where they are now."""
    centre, radius = stops.centre_mm[way, stop], stops.radius_mm[way, stop, None] + _BRIEF_MM / 10
    old, new = stops.place_mm[way, stop] - centre, place - centre
    clear, before = np.ones(len(way), dtype=bool), None
    for share in np.linspace(0.0, 1.0, 5):
        outward = (1 - share) * old + share * new
        point = centre + radius * outward / np.hypot(outward[:, 0], outward[:, 1])[:, None]
        inside = scene.soil.find_containing(point)
        before = inside if before is None else before
        clear &= (inside == before).all(axis=1)
        clear &= (share == 0) | ~scene.closed.is_covered(point, np.full(len(point), -1))
    return clear


def _find_forward_paths(stops: PathStops, leg_mm: Array) -> Flags:
    """Return which ways turn back on no arc; where one touches its arc may move past the places on it."""
    on, run = _find_arc_runs(stops), np.zeros(len(leg_mm))
    good = np.ones(len(leg_mm), dtype=bool)
    for leg in range(leg_mm.shape[1]):
        good &= on[:, leg] | (run >= -_HONEST_MM)
        run = np.where(on[:, leg], run, 0.0) + leg_mm[:, leg]
    return good & (run >= -_HONEST_MM)


def _find_corner_stops(solution: GraphSolution, legs: Ints, nth: int) -> tuple[Ints, Ints, Ints, Array]:
    """Return the ways, and which of their stops, are at corners; with the nth curve that begins or ends there."""
    relays = solution.relays
    place = np.where(legs >= 0, solution.ways.legs.target[legs] // 2, -1) - solution.find_start() - 1
    goes_on = np.column_stack((legs[:, 1:] >= 0, np.zeros(len(legs), dtype=bool)))
    rows, leg = np.nonzero((place >= 0) & (place < len(relays.fixed)) & goes_on)
    point = place[rows, leg]
    order = np.argsort(relays.point, kind="stable")
    begins = np.searchsorted(relays.point[order], np.arange(len(relays.fixed) + 1))
    many = begins[point + 1] - begins[point] > nth
    many &= relays.fixed[point] | (nth > 0)
    relay = order[(begins[point] + nth)[many]] if many.any() else np.empty(0, dtype=np.intp)
    return rows[many], leg[many] + 1, relays.curve[relay], relays.along_mm[relay]


def draw_path(stops: PathStops, way: int) -> tuple[Point, ...]:
    """Return the places along a way; arcs are drawn as chords."""
    line, runs, swept = [stops.place_mm[way, :1]], _find_arc_runs(stops)[way], 0.0
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
            line.append(stops.centre_mm[way, leg] + math.hypot(*begin) * unit_vectors(angles))
    points = np.concatenate(line)
    kept = np.ones(len(points), dtype=bool)
    kept[1:] = np.hypot(*np.diff(points, axis=0).T) > _HONEST_MM
    return tuple((float(x), float(y)) for x, y in points[kept])
