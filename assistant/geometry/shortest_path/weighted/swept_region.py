"""Swept region over ground that costs: what the rays in which ways end sweep, up to an edge or an obstacle.

Rays leave points and hugged arcs as from obstacles alone; they also leave every edge of a paced area, in the direction
in which the wave that comes along there is refracted.  Rays are cast between two others until the end of the one
between lies on the chord: that finds bends, corners and the brink of every shadow alike.
"""

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import shapely

from assistant.geometry.shapes.convex import Array, unit_vectors
from assistant.geometry.shortest_path.obstacles import Flags, Ints
from assistant.geometry.shortest_path.weighted.areas import find_area_crossings
from assistant.geometry.shortest_path.weighted.path_graph import CheapestTree, WeightedScene, pack_climbed_bits
from assistant.geometry.shortest_path.weighted.refraction import GraphSolution, trace_exact_paths
from assistant.geometry.shortest_path.weighted.steiner_points import EdgeCurves

CHORD_MM = 0.02
"""How far a drawn edge may lie from the true one."""
_ROUNDS = 16
_STEP_RAD = 0.06
_STEP_MM = 2.0
_NARROW_MM = 2e-3
_THIN_MM = 5e-4


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RayFamilies:
    """Families of rays by share, from 0 to 1, of an arc (radius 0: a point) or of a stretch of a curve; (f,) each."""

    centre_mm: Array
    radius_mm: Array
    first: Array
    last: Array
    """Outward directions where an arc begins and ends, or places along the curve."""
    curve: Ints
    """-1 for arcs."""
    side: Ints
    """1 or -1: to which side of its curve rays leave."""
    pace: Array
    """Along the arc, or beyond the curve."""
    cost_mm: Array
    """(f, 2) where the first and the last ray begin, ..."""
    slope: Array
    """... and what a millimetre along the curve adds to it there."""
    inside: Ints
    """The climbed areas that the rays come from as bits; -1 where they may begin anywhere."""
    blocker: Ints
    """The obstacle that an arc belongs to."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Rays:
    family: Ints
    share: Array
    origin: Array
    end: Array
    heading: Array

    def select(self, keep: Flags) -> "_Rays":
        """Return the rays that a mask keeps."""
        return _Rays(**{name: getattr(self, name)[keep] for name in _Rays.__slots__})

    def merge(self, other: "_Rays") -> tuple["_Rays", Ints]:
        """Return the rays of both in order, and where each of them went."""
        both = {name: np.concatenate((getattr(self, name), getattr(other, name))) for name in _Rays.__slots__}
        order = np.lexsort((both["share"], both["family"]))
        place = np.empty(len(order), dtype=np.intp)
        place[order] = np.arange(len(order))
        return _Rays(**{name: values[order] for name, values in both.items()}), place


def sweep_families(scene: WeightedScene, curves: EdgeCurves, tubes: RayFamilies, limit_mm: float) -> Array:
    """Return polygons of what families of rays sweep within a limit of cost."""
    span = np.where(
        tubes.curve < 0, np.abs(tubes.last - tubes.first) / _STEP_RAD, (tubes.last - tubes.first) / _STEP_MM
    )
    counts = 2 + np.ceil(span).astype(int)
    family = np.repeat(np.arange(len(counts)), counts)
    share = (np.arange(len(family)) - np.repeat(np.cumsum(counts) - counts, counts)) / (counts[family] - 1)
    rays = _cast_rays(scene, curves, tubes, (family, share), limit_mm)
    gap = np.flatnonzero(rays.family[1:] == rays.family[:-1])
    for _ in range(_ROUNDS):
        wide = np.hypot(*(rays.end[gap + 1] - rays.end[gap]).T) + np.hypot(*(rays.origin[gap + 1] - rays.origin[gap]).T)
        gap = gap[wide > _NARROW_MM]
        apart = rays.share[gap + 1] - rays.share[gap]
        gap = gap[apart > 1e-7]
        if not len(gap):
            break
        middle = _cast_rays(
            scene, curves, tubes, (rays.family[gap], (rays.share[gap] + rays.share[gap + 1]) / 2), limit_mm
        )
        bent = _distance_to_segments(middle.end, rays.end[gap], rays.end[gap + 1]) > CHORD_MM / 2
        rays, place = rays.merge(middle)
        added = place[len(place) - len(gap) :][bent]
        gap = np.sort(np.concatenate((added - 1, added)))
    return _build_polygons(tubes, _thin_rays(rays))


def _distance_to_segments(points: Array, first: Array, last: Array) -> Array:
    """Return how far points are from the segments between others."""
    along, away = last - first, points - first
    length = (along**2).sum(axis=1)
    share = np.clip((away * along).sum(axis=1) / np.maximum(length, 1e-18), 0.0, 1.0)
    off: Array = np.hypot(*(away - share[:, None] * along).T)
    return off


def _cast_rays(
    scene: WeightedScene, curves: EdgeCurves, tubes: RayFamilies, which: tuple[Ints, Array], limit_mm: float
) -> _Rays:
    """Return rays, by family and share, with their ends."""
    family, share = which
    origin, heading, cost = _emit_rays(curves, tubes, family, share)
    left = np.maximum(limit_mm - cost, 0.0)
    soil = scene.soil
    crossings = find_area_crossings(soil, origin, origin + left[:, None] * heading)
    pace = soil.find_pace(crossings.begins_inside)
    climbed, inside_now, inside_before = (
        soil.list_climbed(),
        pack_climbed_bits(soil, crossings.begins_inside),
        tubes.inside[family],
    )
    inside_before = np.where(inside_before < 0, inside_now, inside_before)
    for bit, area in enumerate(climbed.tolist()):
        entered, left_area = (inside_now & ~inside_before) >> bit & 1, (inside_before & ~inside_now) >> bit & 1
        left = left - soil.up_mm[area] * entered - soil.down_mm[area] * left_area
    left = np.maximum(left, 0.0)
    end = left / pace
    order = np.argsort(crossings.at_mm, axis=1)
    crossed, rows = crossings.is_crossed_midway(), np.arange(len(origin))
    for column in order.T:
        at, area = crossings.at_mm[rows, column], crossings.area[column]
        met = crossed[rows, column] & (at < end)
        climb = np.where(crossings.change[rows, column] > 0, soil.up_mm[area], soil.down_mm[area])
        end = np.where(met, np.maximum(at, end - climb / pace), end)
        end = np.where(met & (soil.pace[area] > 1), at, end)
    touched = np.column_stack((tubes.blocker[family],) * 2)
    hit, _ = scene.closed.cast_rays(origin, heading, end, touched)
    end = np.minimum(end, hit)
    return _Rays(family=family, share=share, origin=origin, end=origin + end[:, None] * heading, heading=heading)


def _emit_rays(curves: EdgeCurves, tubes: RayFamilies, family: Ints, share: Array) -> tuple[Array, Array, Array]:
    """Return the origins and headings of rays, and what it costs to be there; too much where none leaves."""
    first, last = tubes.first[family], tubes.last[family]
    at = first + share * (last - first)
    normal = unit_vectors(at)
    origin = tubes.centre_mm[family] + tubes.radius_mm[family, None] * normal
    heading = np.column_stack((-normal[:, 1], normal[:, 0])) * np.sign(last - first)[:, None]
    cost = tubes.cost_mm[family, 0] + tubes.pace[family] * tubes.radius_mm[family] * np.abs(at - first)
    bent = np.flatnonzero(tubes.curve[family] >= 0)
    if len(bent):
        which, t, width = family[bent], share[bent], (last - first)[bent]
        origin[bent], along, _ = curves.evaluate(tubes.curve[which], at[bent])
        (c0, c1), (s0, s1) = tubes.cost_mm[which].T, tubes.slope[which].T * width
        cost[bent] = (
            c0 * (1 + 2 * t) * (1 - t) ** 2 + s0 * t * (1 - t) ** 2 + c1 * t**2 * (3 - 2 * t) + s1 * t**2 * (t - 1)
        )
        slope = 6 * t * (1 - t) * (c1 - c0) + s0 * (1 - t) * (1 - 3 * t) + s1 * t * (3 * t - 2)
        sine = slope / width / tubes.pace[which]
        outward = np.column_stack((along[:, 1], -along[:, 0])) * tubes.side[which, None]
        cosine = np.sqrt(np.maximum(1 - sine**2, 0.0))
        heading[bent] = np.clip(sine, -1, 1)[:, None] * along + cosine[:, None] * outward
        cost[bent] = np.where(np.abs(sine) > 1 + 1e-6, np.inf, cost[bent])
    return origin, heading, np.where(np.isinf(cost), 1e9, cost)


def _thin_rays(rays: _Rays) -> _Rays:
    """Leave out rays that begin and end on the chords between two others, every other one at a time."""
    for start in (1, 0, 1, 0):
        middle = np.arange(1 + start, len(rays.share) - 1, 2)
        middle = middle[(rays.family[middle - 1] == rays.family[middle + 1])]
        idle = _distance_to_segments(rays.end[middle], rays.end[middle - 1], rays.end[middle + 1]) < _THIN_MM
        idle &= _distance_to_segments(rays.origin[middle], rays.origin[middle - 1], rays.origin[middle + 1]) < _THIN_MM
        kept = np.ones(len(rays.share), dtype=bool)
        kept[middle[idle]] = False
        rays = rays.select(kept)
    return rays


def _build_polygons(tubes: RayFamilies, rays: _Rays) -> Array:
    """Return one polygon a family, or one for each two rays where a family folds over itself."""
    far = np.maximum.reduceat(
        np.hypot(*(rays.end - rays.origin).T), np.searchsorted(rays.family, np.arange(len(tubes.curve)))
    )
    rays = rays.select((far > _NARROW_MM)[rays.family])
    bounds = np.flatnonzero(np.diff(rays.family, prepend=-1, append=len(tubes.curve)))
    point = (tubes.curve < 0) & (tubes.radius_mm == 0)
    rings = [
        np.concatenate((rays.origin[a : a + 1] if point[rays.family[a]] else rays.origin[a:b], rays.end[a:b][::-1]))
        for a, b in pairwise(bounds.tolist())
    ]
    ring = np.repeat(np.arange(len(rings)), [len(points) for points in rings])
    polygons = np.asarray(shapely.polygons(np.asarray(shapely.linearrings(np.concatenate(rings), indices=ring))))
    valid = shapely.is_valid(polygons)
    folded = np.repeat(~valid, np.diff(bounds))
    pair = np.flatnonzero(folded[:-1] & (rays.family[1:] == rays.family[:-1]))
    corners = (rays.origin[pair], rays.end[pair], rays.end[pair + 1], rays.origin[pair + 1])
    quads = np.asarray(shapely.polygons(np.stack(corners, axis=1)))
    return np.concatenate((polygons[valid], np.asarray(shapely.make_valid(quads))))


_SLACK_MM = 1.0
_KINK_MM = 5e-3
"""How badly a cubic may fit the costs at both ends of a span before the ways that arrive there are told apart."""
_BESIDE_MM = 1e-4
_OVERLAP_RAD = 2e-6
"""How far neighbouring fans overlap, so that their union has no seams."""


def build_ray_families(solution: GraphSolution, limit_mm: float) -> RayFamilies:
    """Return all families of rays in which ways end that cost no more than a limit."""
    families = [
        _build_point_families(solution),
        _build_arc_families(solution, limit_mm),
        _build_curve_families(solution, limit_mm),
    ]
    return RayFamilies(**{name: np.concatenate([getattr(f, name) for f in families]) for name in RayFamilies.__slots__})


def _build_point_families(solution: GraphSolution) -> RayFamilies:
    """Return what leaves the start and corners of areas, full turns in halves, and sharp corners of obstacles."""
    scene, ways, tree, relays = solution.scene, solution.ways, solution.tree, solution.relays
    field, corner = scene.field, ways.corner
    free = np.zeros(len(corner), dtype=bool)
    free[ways.of_point[: len(relays.points_mm)][relays.fixed]] = True
    sharp = ~free & (field.radii_mm[corner] == 0)
    sharp[ways.of_point] = False
    sharp[solution.find_start()] = False
    ports = np.flatnonzero((free | sharp)[tree.state // 2] & np.isfinite(tree.cost_mm) & (tree.before >= 0))
    place = np.column_stack((corner[tree.state[ports] // 2], tree.inside[ports]))
    order = np.lexsort((tree.cost_mm[ports], place[:, 1], place[:, 0]))
    ports = ports[order[np.any(np.diff(place[order], axis=0, prepend=-1) != 0, axis=1)]]
    exact = trace_exact_paths(solution, ports, np.full(len(ports), -1))
    at = corner[tree.state[ports] // 2]
    hard = sharp[tree.state[ports] // 2]
    begin, width = np.where(hard, field.cone_start[at], 0.0), np.where(hard, field.cone_width[at], 2 * math.pi)
    first = np.column_stack((begin, begin + np.where(hard, width, math.pi)))
    last = np.column_stack((begin + np.where(hard, width, math.pi), np.where(hard, begin, 2 * math.pi)))
    first, last = np.vstack(([[0.0, math.pi]], first)), np.vstack(([[math.pi, 2 * math.pi]], last))
    cost, count = np.repeat(np.concatenate(([0.0], exact.cost_mm)), 2), 2 * len(first)
    return RayFamilies(
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
        blocker=np.repeat(np.concatenate(([0], scene.find_blockers(at))), 2),
    )


def _build_arc_families(solution: GraphSolution, limit_mm: float) -> RayFamilies:
    """Return what leaves the arcs that ways hug, but where they are hugged for less the other way round."""
    scene, ways, tree = solution.scene, solution.ways, solution.tree
    legs, source = ways.legs, tree.into[0]
    arcs = np.flatnonzero((legs.turn != 0) & (legs.length_mm > 0))
    half = len(arcs) // 2
    other = np.concatenate((arcs[half:], arcs[:half]))
    begin, step = tree.cost_mm[source[arcs]], legs.pace[arcs] * legs.length_mm[arcs]
    back = tree.cost_mm[source[other]] + step
    arcs = arcs[(begin < limit_mm + _SLACK_MM) & (back + _SLACK_MM >= begin)]
    exact = trace_exact_paths(solution, source[arcs], arcs)
    stops, last = exact.stops, _count_legs(tree, source[arcs])
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
    return RayFamilies(
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
        blocker=scene.find_blockers(ways.corner[legs.source[arcs] // 2]),
    )


def _count_legs(tree: CheapestTree, ports: Ints) -> Ints:
    """Return how many legs lead to ports."""
    counts = np.zeros(len(ports), dtype=np.intp)
    at = ports.copy()
    while (tree.before[at] >= 0).any():
        on = tree.before[at] >= 0
        counts += on & (tree.leg[at] >= 0)
        at = np.where(on, tree.before[at], at)
    return counts


def _build_curve_families(solution: GraphSolution, limit_mm: float) -> RayFamilies:
    """Return what leaves the edges of paced areas, to both sides."""
    scene, ways, tree, relays, curves = solution.scene, solution.ways, solution.tree, solution.relays, solution.curves
    on_edge = np.isin(tree.state, 2 * ways.of_point[: len(relays.points_mm)])
    ports = np.flatnonzero(on_edge & np.isfinite(tree.cost_mm))
    rows = np.flatnonzero(relays.onward)
    middle, heading, _ = curves.evaluate(relays.curve[rows], (relays.along_mm[rows] + relays.along_mm[rows + 1]) / 2)
    outward = np.column_stack((heading[:, 1], -heading[:, 0]))
    spans = []
    for side in (1, -1):
        inside = scene.soil.find_containing(middle + side * _BESIDE_MM * outward)
        bits, pace = pack_climbed_bits(scene.soil, inside), scene.soil.find_pace(inside)
        port_ends = [
            _find_cheapest_ports(solution, ports, 2 * ways.of_point[relays.point[rows + k]], bits) for k in (0, 1)
        ]
        ends, climb = (np.column_stack([end[k] for end in port_ends]) for k in (0, 1))
        spans.append((rows, np.full(len(rows), side), pace, bits, ends, climb))
    row, way_out, pace, bits, ends, climb = (np.concatenate([span[k] for span in spans]) for k in range(6))
    kept = np.flatnonzero((ends >= 0).all(axis=1))
    kept = kept[(tree.cost_mm[ends[kept]] + climb[kept]).min(axis=1) < limit_mm + _SLACK_MM]
    row, way_out, pace, bits, ends, climb = (c[kept] for c in (row, way_out, pace, bits, ends, climb))
    none = np.full(len(ends), -1)
    cost, slope = _measure_span_ends(solution, row, ends, np.column_stack((none, none)))
    width = relays.along_mm[row + 1] - relays.along_mm[row]
    rough = np.abs(cost[:, 1] - cost[:, 0] - width * slope.sum(axis=1) / 2) > _KINK_MM
    which, entry, legs, spot = _find_rivals(tree, np.flatnonzero(rough), ends)
    more_cost, more_slope = _measure_span_ends(solution, row[which], entry, legs)
    smooth = ~rough
    smooth[rough] = np.bincount(which, minlength=len(rough))[rough] < 2
    index = np.concatenate((np.flatnonzero(smooth), which))
    cost = np.concatenate(((cost + climb)[smooth], more_cost + spot[:, None] + climb[which]))
    count = len(index)
    return RayFamilies(
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


def _find_cheapest_ports(solution: GraphSolution, ports: Ints, state: Ints, bits: Ints) -> tuple[Ints, Array]:
    """Return the cheapest of some ports to leave states inside areas, as bits; or -1; and what that climb costs."""
    tree, soil = solution.tree, solution.scene.soil
    one, two = np.nonzero(state[:, None] == tree.state[ports])
    inside_before, inside_after = tree.inside[ports[two]], bits[one]
    climb = np.zeros(len(one))
    for bit, area in enumerate(soil.list_climbed().tolist()):
        climb += soil.up_mm[area] * ((inside_after & ~inside_before) >> bit & 1) + soil.down_mm[area] * (
            (inside_before & ~inside_after) >> bit & 1
        )
    order = np.lexsort((tree.cost_mm[ports[two]] + climb, one))
    first = order[np.diff(one[order], prepend=-1) > 0]
    best, cost = np.full(len(state), -1), np.zeros(len(state))
    best[one[first]], cost[one[first]] = ports[two[first]], climb[first]
    return best, cost


def _measure_span_ends(solution: GraphSolution, row: Ints, ports: Ints, legs: Ints) -> tuple[Array, Array]:
    """Return what it costs to come to both ends of spans of curves, (m, 2), and the slope of that along the curve."""
    relays, curves = solution.relays, solution.curves
    exact = trace_exact_paths(solution, ports.T.ravel(), legs.T.ravel())
    at = np.concatenate((row, row + 1))
    _, heading, _ = curves.evaluate(relays.curve[at], relays.along_mm[at])
    slope = exact.pace * (exact.heading * heading).sum(axis=1)
    return exact.cost_mm.reshape(2, -1).T, slope.reshape(2, -1).T


def _find_rivals(tree: CheapestTree, spans: Ints, ends: Ints) -> tuple[Ints, Ints, Ints, Array]:
    """Return for spans at whose ends different ways arrive each of these ways led to both ends.

    The span, (m, 2) the port before the ends and the legs from there to them, and what the climb at the ends adds.
    """
    pairs = zip(tree.into[0].tolist(), tree.into[1].tolist(), strict=True)
    legs_from = {pair: leg for leg, pair in enumerate(pairs)}
    ports = {(s, i): p for p, (s, i) in enumerate(zip(tree.state.tolist(), tree.inside.tolist(), strict=True))}
    rivals: dict[tuple[int, int, int], tuple[int, int, int, float]] = {}
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
                rivals[span, entry, inside] = (span, legs[0], legs[1], spot)
    keys = list(rivals)
    rows = np.array([[rivals[key][k] for k in range(3)] for key in keys], dtype=np.intp).reshape(-1, 3)
    entries = np.array([key[1] for key in keys], dtype=np.intp)
    return rows[:, 0], np.column_stack((entries, entries)), rows[:, 1:], np.array([rivals[key][3] for key in keys])
