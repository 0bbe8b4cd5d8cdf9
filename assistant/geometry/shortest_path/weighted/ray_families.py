"""Ray families over ground that costs: where the rays begin in which cheapest ways end, and what it costs to be there.

Rays leave the start, corners and the arcs that ways hug.  They also leave every edge of a paced area, in the direction
in which the wave that comes along there is refracted: between two relays the cost is a cubic, once for each course that
the ways to either of them take, and in as many pieces as it takes to fit.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from assistant.geometry.shapes.convex import Array
from assistant.geometry.shortest_path.obstacles import Flags, Ints
from assistant.geometry.shortest_path.weighted.path_graph import CheapestTree, pack_climbed_bits
from assistant.geometry.shortest_path.weighted.refraction import (
    ExactPaths,
    GraphSolution,
    lead_paths_to,
    list_courses,
    trace_exact_paths,
)


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
    climbed: Flags
    """Whether the ways to where the rays begin have paid for a climb."""
    blocker: Ints
    """The obstacle that an arc belongs to."""
    place: Ints
    """The place in the graph that the rays leave; -1 for arcs and curves."""
    corner: Ints
    """The corner that an arc lies around; -1 for points and curves."""

    def select_paced(self, paces: Collection[float], *, among: bool) -> "RayFamilies":
        """Return the families whose rays may begin where a millimetre counts for some of some paces, or of others."""
        point = (self.curve < 0) & (self.radius_mm == 0)
        kept = point | (np.isin(self.pace, list(paces)) == among)
        return RayFamilies(**{name: getattr(self, name)[kept] for name in RayFamilies.__slots__})


_SLACK_MM = 1.0
_KINK_MM = 5e-3
"""How badly the slopes at both ends of a span may fit the costs there before its middle is looked at."""
_FIT_MM = 5e-3
"""How badly a cubic may fit the cost in the middle of a span."""
_NARROW_MM = 0.01
"""Of a piece so short the ends are as good as the middle."""
_GRAZING = 1e-3
_BESIDE_MM = 1e-4
_HONEST_MM = 1e-9
_SAME_MM = 1e-7
_CORNER_MM = 1e-5
OVERLAP_RAD = 2e-6
"""How far neighbouring fans overlap, so that their union has no seams."""


def build_ray_families(solution: GraphSolution, limit_mm: float) -> RayFamilies:
    """Return all families of rays in which ways end that cost no more than a limit."""
    tree, arcs, points = solution.tree, _select_arcs(solution, limit_mm), _select_point_ports(solution)
    if solution.scene.soil.is_level():  # ways bend at no edge, and so what the graph says of them is exact
        families = [
            _build_point_families(solution, points, tree.cost_mm[points]),
            _build_arc_families(solution, _chain_arcs(solution, arcs)),
        ]
    else:
        moved, bent = _pass_relays(solution, tree.into[0][arcs]), _pass_relays(solution, points)
        runs, spans = _chain_arcs(solution, arcs[moved]), _list_spans(solution, limit_mm)
        last, ends = np.array([run[-1] for run in runs], dtype=np.intp), np.unique(spans.ends)
        # All at once: what a call costs is more than what some more ways add to it.
        exact = trace_exact_paths(
            solution,
            np.concatenate((points[bent], tree.into[0][last], ends)),
            np.concatenate((np.full(int(bent.sum()), -1), last, np.full(len(ends), -1))),
        )
        to_points, to_arcs, to_ends = np.split(np.arange(len(exact.cost_mm)), (bent.sum(), bent.sum() + len(last)))
        cost = tree.cost_mm[points]
        cost[bent] = exact.cost_mm[to_points]
        families = [
            _build_point_families(solution, points, cost),
            _build_arc_families(solution, _chain_arcs(solution, arcs[~moved])),
            _build_moved_arc_families(solution, runs, exact.select(to_arcs), limit_mm),
            _build_curve_families(solution, spans, (ends, exact.select(to_ends)), limit_mm),
        ]
    found = {name: np.concatenate([getattr(f, name) for f in families]) for name in RayFamilies.__slots__}
    near = found["cost_mm"].min(axis=1) < limit_mm
    return RayFamilies(**{name: values[near] for name, values in found.items()})


def _find_kinds_of_points(solution: GraphSolution) -> tuple[Flags, Flags]:
    """Return which places are corners of areas, and which are sharp corners of obstacles."""
    field, ways, relays = solution.scene.field, solution.ways, solution.relays
    free = np.zeros(len(ways.corner), dtype=bool)
    free[ways.of_point[: len(relays.points_mm)][relays.fixed]] = True
    sharp = ~free & (field.radii_mm[ways.corner] == 0)
    sharp[ways.of_point] = False
    sharp[solution.find_start()] = False
    return free, sharp


def _select_point_ports(solution: GraphSolution) -> Ints:
    """Return the cheapest ports at each corner."""
    tree, corner = solution.tree, solution.ways.corner
    free, sharp = _find_kinds_of_points(solution)
    ports = np.flatnonzero((free | sharp)[tree.state // 2] & np.isfinite(tree.cost_mm) & (tree.before >= 0))
    place, inside = corner[tree.state[ports] // 2], tree.inside[ports]
    if solution.scene.soil.is_level():
        # Beside an inner corner lie two relays: outside of all areas the same leaves both.
        _, spot = np.unique(np.round(solution.scene.field.centres[place] / _CORNER_MM), return_inverse=True)
        place = np.where(inside == 0, -1 - spot, place)
    order = np.lexsort((tree.cost_mm[ports], inside, place))
    new = (np.diff(place[order], prepend=math.nan) != 0) | (np.diff(inside[order], prepend=-1) != 0)
    return np.asarray(ports[order[new]])


def _build_point_families(solution: GraphSolution, ports: Ints, cost: Array) -> RayFamilies:
    """Return what leaves the start and corners of areas, full turns in halves, and sharp corners of obstacles."""
    scene, tree, field, corner = solution.scene, solution.tree, solution.scene.field, solution.ways.corner
    sharp = _find_kinds_of_points(solution)[1]
    at = corner[tree.state[ports] // 2]
    hard = sharp[tree.state[ports] // 2]
    begin, width = np.where(hard, field.cone_start[at], 0.0), np.where(hard, field.cone_width[at], 2 * math.pi)
    first = np.column_stack((begin, begin + np.where(hard, width, math.pi)))
    last = np.column_stack((begin + np.where(hard, width, math.pi), np.where(hard, begin, 2 * math.pi)))
    first, last = np.vstack(([[0.0, math.pi]], first)), np.vstack(([[math.pi, 2 * math.pi]], last))
    cost, count = np.repeat(np.concatenate(([0.0], cost)), 2), 2 * len(first)
    return RayFamilies(
        centre_mm=np.repeat(np.vstack((field.centres_mm[:1], field.centres_mm[at])), 2, axis=0),
        radius_mm=np.zeros(count),
        first=first.ravel() - np.sign(last - first).ravel() * OVERLAP_RAD,
        last=last.ravel() + np.sign(last - first).ravel() * OVERLAP_RAD,
        curve=np.full(count, -1),
        side=np.ones(count, dtype=np.intp),
        pace=np.ones(count),
        cost_mm=np.column_stack((cost, cost)),
        slope=np.zeros((count, 2)),
        inside=np.repeat(np.concatenate(([-1], tree.inside[ports])), 2),
        climbed=np.repeat(np.concatenate(([False], _find_climbed(solution, ports))), 2),
        blocker=np.repeat(np.concatenate(([0], scene.find_blockers(at))), 2),
        place=np.repeat(np.concatenate(([solution.find_start()], tree.state[ports] // 2)), 2),
        corner=np.full(count, -1),
    )


def _select_arcs(solution: GraphSolution, limit_mm: float) -> Ints:
    """Return the arcs that ways hug, but where they are hugged for less the other way round."""
    legs, tree = solution.ways.legs, solution.tree
    slack_mm = _HONEST_MM if solution.scene.soil.is_level() else _SLACK_MM
    arcs = np.flatnonzero((legs.turn != 0) & (legs.length_mm > 0))
    half = len(arcs) // 2
    begin, step = tree.cost_mm[tree.into[0][arcs]], legs.pace[arcs] * legs.length_mm[arcs]
    back = np.concatenate((begin[half:], begin[:half])) + step
    kept = (begin < limit_mm + slack_mm) & (back + slack_mm >= begin)
    arcs, begin = arcs[kept], begin[kept]
    # The parts of an outline may have a corner in common, and so its arcs.
    ends = (solution.ways.place_mm[end[arcs] // 2] for end in (legs.source, legs.target))
    same = np.unique(np.round(np.column_stack((*ends, legs.leaves[arcs])) / _SAME_MM), axis=0, return_inverse=True)[1]
    order = np.lexsort((begin, same.ravel()))
    return np.sort(arcs[order[np.diff(same.ravel()[order], prepend=-1) > 0]])


def _chain_arcs(solution: GraphSolution, arcs: Ints) -> list[Ints]:
    """Return runs of arcs that ways hug one after the other around one corner, in order: one family leaves each run."""
    ways, tree = solution.ways, solution.tree
    legs = ways.legs
    corner, at = ways.corner[legs.source // 2], tree.into[0][arcs]
    # Several lines may touch at one place: between them lie arcs of no length.
    while (idle := (tree.leg[at] >= 0) & (legs.turn[tree.leg[at]] != 0) & (legs.length_mm[tree.leg[at]] == 0)).any():
        at = np.where(idle, tree.before[at], at)
    before = tree.leg[at]
    known = np.isin(before, arcs)
    known &= (corner[before] == corner[arcs]) & (legs.turn[before] == legs.turn[arcs])
    known &= (legs.pace[before] == legs.pace[arcs]) & (legs.leaves[before] == legs.leaves[arcs])
    following = dict(zip(before[known].tolist(), arcs[known].tolist(), strict=True))
    runs = []
    for arc in arcs[~known].tolist():
        run = [arc]
        while run[-1] in following:
            run.append(following[run[-1]])
        runs.append(np.array(run))
    return runs


def _build_arc_families(solution: GraphSolution, runs: Sequence[Ints]) -> RayFamilies:
    """Return what leaves runs of arcs to which ways lead past no relay: these are where the graph has them."""
    scene, ways, tree = solution.scene, solution.ways, solution.tree
    legs, arcs = ways.legs, np.array([run[0] for run in runs], dtype=np.intp)
    source = tree.into[0][arcs]
    corner = ways.corner[legs.source[arcs] // 2]
    first, radius, turn = ways.angle[legs.source[arcs] // 2], scene.field.radii_mm[corner], legs.turn[arcs]
    length_mm = np.array([legs.length_mm[run].sum() for run in runs])
    cost, count = tree.cost_mm[source], len(arcs)
    return RayFamilies(
        centre_mm=scene.field.centres_mm[corner],
        radius_mm=radius,
        first=first - turn * OVERLAP_RAD,
        last=first + turn * (length_mm / radius + OVERLAP_RAD),
        curve=np.full(count, -1),
        side=np.ones(count, dtype=np.intp),
        pace=legs.pace[arcs],
        cost_mm=np.column_stack((cost, cost)),
        slope=np.zeros((count, 2)),
        inside=legs.leaves[arcs],
        climbed=_find_climbed(solution, source),
        blocker=scene.find_blockers(corner),
        place=np.full(count, -1),
        corner=corner,
    )


def _build_moved_arc_families(
    solution: GraphSolution, runs: Sequence[Ints], exact: ExactPaths, limit_mm: float
) -> RayFamilies:
    """Return what leaves runs of arcs to the ends of which ways lead that are made exact."""
    scene, ways, tree = solution.scene, solution.ways, solution.tree
    legs, arcs = ways.legs, np.array([run[-1] for run in runs], dtype=np.intp)
    source, stops = tree.into[0][np.array([run[0] for run in runs], dtype=np.intp)], exact.stops
    rows, begin, end = np.arange(len(arcs)), _count_legs(tree, source), _count_legs(tree, tree.into[0][arcs]) + 1
    centre = stops.centre_mm[rows, begin]
    one, two = stops.place_mm[rows, begin] - centre, stops.place_mm[rows, end] - centre
    first, turn = np.arctan2(one[:, 1], one[:, 0]), legs.turn[arcs]
    swept_rad = turn * np.arctan2(one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0], (one * two).sum(axis=1))
    swept_rad = np.mod(swept_rad + 1.0, 2 * math.pi) - 1.0
    radius = stops.radius_mm[rows, begin]
    cost = exact.cost_mm - legs.pace[arcs] * radius * swept_rad
    kept = (swept_rad > 1e-9) & (cost < limit_mm)
    rows, arcs = rows[kept], arcs[kept]
    return RayFamilies(
        centre_mm=centre[kept],
        radius_mm=radius[kept],
        first=first[kept] - turn[kept] * OVERLAP_RAD,
        last=first[kept] + turn[kept] * (swept_rad[kept] + OVERLAP_RAD),
        curve=np.full(len(rows), -1),
        side=np.ones(len(rows), dtype=np.intp),
        pace=legs.pace[arcs],
        cost_mm=np.column_stack((cost[kept], cost[kept])),
        slope=np.zeros((len(rows), 2)),
        inside=legs.leaves[arcs],
        climbed=_find_climbed(solution, source[kept]),
        blocker=scene.find_blockers(ways.corner[legs.source[arcs] // 2]),
        place=np.full(len(rows), -1),
        corner=ways.corner[legs.source[arcs] // 2],
    )


def _pass_relays(solution: GraphSolution, ports: Ints) -> Flags:
    """Return whether the ways to ports lead past relays."""
    tree, first = solution.tree, solution.find_start() + 1
    passed, at = np.zeros(len(ports), dtype=bool), tree.before[ports]
    while (on := at >= 0).any():
        relay = tree.state[at] // 2 - first
        passed |= on & (relay >= 0) & (relay < len(solution.relays.fixed))
        at = np.where(on, tree.before[at], -1)
    return passed


def _find_climbed(solution: GraphSolution, ports: Ints) -> Flags:
    """Return whether the ways to ports pay for a climb."""
    tree, legs, at = solution.tree, solution.ways.legs, ports.copy()
    climbed = np.zeros(len(ports), dtype=bool)
    while (on := tree.before[at] >= 0).any():
        leg = tree.leg[at]
        climbed |= on & np.where(leg >= 0, legs.climb_mm[leg] > 0, tree.cost_mm[at] > tree.cost_mm[tree.before[at]])
        at = np.where(on, tree.before[at], at)
    return climbed


def _count_legs(tree: CheapestTree, ports: Ints) -> Ints:
    """Return how many legs lead to ports."""
    counts = np.zeros(len(ports), dtype=np.intp)
    at = ports.copy()
    while (tree.before[at] >= 0).any():
        on = tree.before[at] >= 0
        counts += on & (tree.leg[at] >= 0)
        at = np.where(on, tree.before[at], at)
    return counts


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Spans:
    """Stretches of the edges of paced areas from relays to the next ones, with a side to which rays leave; (m,)."""

    row: Ints
    """The relay where it begins."""
    side: Ints
    pace: Array
    bits: Ints
    """The climbed areas on that side."""
    ends: Ints
    """(m, 2) the ports that are cheapest at both ends, ..."""
    climb_mm: Array
    """... and what it costs to climb from there to that side."""


def _list_spans(solution: GraphSolution, limit_mm: float) -> _Spans:
    """Return the spans that ways come to."""
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
    return _Spans(row=row, side=way_out, pace=pace, bits=bits, ends=ends, climb_mm=climb)


def _build_curve_families(
    solution: GraphSolution, spans: _Spans, traced: tuple[Ints, ExactPaths], limit_mm: float
) -> RayFamilies:
    """Return what leaves the edges of paced areas, to both sides; by the ports where spans end, and the ways there."""
    distinct, which = np.unique(np.column_stack((spans.row, spans.ends)), axis=0, return_inverse=True)
    pieces = _split_spans(solution, distinct[:, 0], np.searchsorted(traced[0], distinct[:, 1:]), traced[1], limit_mm)
    entry, piece = np.nonzero(which.ravel()[:, None] == pieces.span)
    # Who comes from one side and leaves to it again has not gone straight.
    onward = (pieces.outward[piece] * spans.side[entry, None] > -_GRAZING).any(axis=1)
    entry, piece = entry[onward], piece[onward]
    like, count = pieces.like[piece], len(entry)
    cost = pieces.cost_mm[piece] + spans.climb_mm[entry, like, None]
    return RayFamilies(
        centre_mm=np.zeros((count, 2)),
        radius_mm=np.zeros(count),
        first=pieces.first[piece],
        last=pieces.last[piece],
        curve=solution.relays.curve[spans.row[entry]],
        side=spans.side[entry],
        pace=spans.pace[entry],
        cost_mm=cost,
        slope=pieces.slope[piece],
        inside=spans.bits[entry],
        climbed=_find_climbed(solution, spans.ends[entry, like]) | (spans.climb_mm[entry, like] > 0),
        blocker=np.zeros(count, dtype=np.intp),
        place=np.full(count, -1),
        corner=np.full(count, -1),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _SpanPieces:
    """Pieces of spans of curves along which ways arrive that all take the same course; (p,) each."""

    span: Ints
    like: Ints
    """Which of the span's ends, 0 or 1, the ways come to by that course."""
    first: Array
    last: Array
    """Where on the curve a piece begins and ends."""
    cost_mm: Array
    """(p, 2) at both ends of it; infinite where no way arrives."""
    slope: Array
    """(p, 2) what a millimetre along the curve adds to it there."""
    outward: Array
    """(p, 2) how far ways arrive there in the outward direction of the curve, -1 to 1."""

    def select(self, rows: Ints | Flags) -> "_SpanPieces":
        """Return some of the pieces."""
        return _SpanPieces(**{name: getattr(self, name)[rows] for name in _SpanPieces.__slots__})

    def interpolate_middle_mm(self) -> Array:
        """Return what the cubic through both ends gives between them."""
        cost, slope = self.cost_mm, self.slope
        middle: Array = cost.sum(axis=1) / 2 + (self.last - self.first) * (slope[:, 0] - slope[:, 1]) / 8
        return middle


def _split_spans(solution: GraphSolution, row: Ints, end: Ints, exact: ExactPaths, limit_mm: float) -> _SpanPieces:
    """Return spans from relays (m,) to the next ones in pieces that cubics fit; (m, 2) of some ways lead to their ends.

    Where the ways to both ends take one course and their slopes say that nothing happens between, a span is one
    piece.  Else the course to either end is followed along the whole span, and quartered where it does not fit or ends.
    """
    relays = solution.relays
    along = np.column_stack((relays.along_mm[row], relays.along_mm[row + 1]))
    heading = solution.curves.evaluate(np.repeat(relays.curve[row], 2), along.ravel())[1]
    ways = end.ravel()
    slope = (exact.pace[ways] * (exact.heading[ways] * heading).sum(axis=1)).reshape(-1, 2)
    outward = _measure_outward(exact.heading[ways], heading).reshape(-1, 2)
    cost = exact.cost_mm[end]
    whole = _SpanPieces(
        span=np.arange(len(row)),
        like=np.zeros(len(row), dtype=np.intp),
        first=along[:, 0],
        last=along[:, 1],
        cost_mm=cost,
        slope=slope,
        outward=outward,
    )
    courses = list_courses(solution, exact)
    alike = np.array([courses[one] == courses[two] for one, two in end.tolist()], dtype=bool)
    bent = np.abs(cost[:, 1] - cost[:, 0] - (along[:, 1] - along[:, 0]) * slope.sum(axis=1) / 2) > _KINK_MM
    found, work = [whole.select(alike & ~bent)], [whole.select(alike & bent)]
    for like in (0, 1):
        led, other = whole.select(~alike), 1 - like
        led_cost, led_slope, led_outward = _lead_along(
            solution, exact.select(end[led.span, like]), row[led.span], along[led.span, other]
        )
        led.like[:], led.cost_mm[:, other], led.slope[:, other] = like, led_cost, led_slope
        led.outward[:, other] = led_outward
        work.append(led)
    left = _join_pieces(work)
    while len(left.span):
        left = left.select(np.flatnonzero(left.cost_mm.min(axis=1) < limit_mm + _SLACK_MM))
        quarters = _quarter_pieces(solution, left, exact.select(end[left.span, left.like]), row[left.span])
        middle = quarters[1].cost_mm[:, 1]
        narrow = np.asarray(left.last - left.first < _NARROW_MM, dtype=bool)
        whole_way = np.asarray(np.isfinite(left.cost_mm).all(axis=1), dtype=bool)
        fits = np.zeros(len(middle), dtype=bool)
        both = np.flatnonzero(whole_way)
        fits[both] = np.abs(left.select(both).interpolate_middle_mm() - middle[both]) < _FIT_MM
        found.append(left.select(np.flatnonzero(whole_way & (fits | narrow))))
        split = ~narrow & ~(whole_way & fits)
        left = _join_pieces([each.select(split & np.isfinite(each.cost_mm).any(axis=1)) for each in quarters])
    return _join_pieces(found)


def _quarter_pieces(solution: GraphSolution, pieces: _SpanPieces, paths: ExactPaths, row: Ints) -> list[_SpanPieces]:
    """Return the first quarters of pieces, the second, third and last ones, at once: what costs most is a call."""
    nth, inner = np.repeat(np.arange(len(row)), 3), np.array([0.25, 0.5, 0.75])
    along = pieces.first[:, None] + (pieces.last - pieces.first)[:, None] * inner
    cost, slope, outward = _lead_along(solution, paths.select(nth), row[nth], along.ravel())
    at = np.column_stack((pieces.first, along, pieces.last))
    known = [
        np.column_stack((ends[:, :1], between.reshape(-1, 3), ends[:, 1:]))
        for ends, between in ((pieces.cost_mm, cost), (pieces.slope, slope), (pieces.outward, outward))
    ]
    return [
        _SpanPieces(
            span=pieces.span,
            like=pieces.like,
            first=at[:, k],
            last=at[:, k + 1],
            cost_mm=known[0][:, k : k + 2],
            slope=known[1][:, k : k + 2],
            outward=known[2][:, k : k + 2],
        )
        for k in range(4)
    ]


def _lead_along(solution: GraphSolution, paths: ExactPaths, row: Ints, along_mm: Array) -> tuple[Array, Array, Array]:
    """Return what it costs to come by the courses of some paths to places along curves, the slope of that, and how far.

    The last is how far they arrive there in the outward direction.
    """
    place, heading, _ = solution.curves.evaluate(solution.relays.curve[row], along_mm)
    cost, arriving, pace = lead_paths_to(solution, paths, place)
    return cost, pace * (arriving * heading).sum(axis=1), _measure_outward(arriving, heading)


def _measure_outward(arriving: Array, heading: Array) -> Array:
    return np.asarray(arriving[:, 0] * heading[:, 1] - arriving[:, 1] * heading[:, 0])


def _join_pieces(pieces: Sequence[_SpanPieces]) -> _SpanPieces:
    return _SpanPieces(
        **{name: np.concatenate([getattr(each, name) for each in pieces]) for name in _SpanPieces.__slots__}
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
