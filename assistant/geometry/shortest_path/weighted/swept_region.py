"""Swept region over ground that costs: what the rays in which ways end sweep, up to an edge or an obstacle.

Rays leave points and hugged arcs as from obstacles alone; they also leave every edge of a paced area, in the direction
in which the wave that comes along there is refracted.  Rays are cast between two others until the end of the one
between lies on the chord: that finds bends, corners and the brink of every shadow alike.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import shapely

from assistant.geometry.shapes.convex import Array, Complexes, unit_vectors
from assistant.geometry.shortest_path.obstacles import Flags, Ints, complex_from_points
from assistant.geometry.shortest_path.weighted.areas import find_area_crossings
from assistant.geometry.shortest_path.weighted.path_graph import pack_climbed_bits
from assistant.geometry.shortest_path.weighted.ray_families import OVERLAP_RAD, RayFamilies
from assistant.geometry.shortest_path.weighted.refraction import GraphSolution
from assistant.geometry.shortest_path.weighted.steiner_points import EdgeCurves, find_notches

CHORD_MM = 0.02
"""How far a drawn edge may lie from the true one."""
_HALVINGS = 14
"""How often the gap between two rays is halved at most."""
_AT_ONCE = 400
"""So many rays cost hardly more than few do: of few gaps more are cast at once."""
_STEP_RAD = 0.06
_STEP_MM = 2.0
_NARROW_MM = 2e-3
_THIN_MM = 3e-3
_GLIMPSE_MM = 4.0
"""So far apart rays may end of which neither counts; between obstacles there might be one that does."""
_JUMP = 0.85
"""Where a ray half way between two others ends so far along their chord, the ends may jump from one to the other."""
_LEAST_SHARE = 1e-7
_APART_RAD = 1e-7
_SMOOTH = 3.0
"""So much further off the chord than it may a ray may end whose way is used up on level ground: half as far apart rays
will be a fourth of that off."""
_FREE, _EDGE = -1, -2
"""What stops a ray that no obstacle does: its way is used up, or the edge of an area that it cannot pass."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Rays:
    family: Ints
    share: Array
    origin: Complexes
    end: Complexes
    stop: Ints
    """The obstacle that stops it, or `_FREE`, or `_EDGE`."""
    void: Flags
    """Whether no part of it counts."""

    def select(self, keep: Ints | Flags) -> "_Rays":
        """Return some of the rays."""
        return _Rays(**{name: getattr(self, name)[keep] for name in _Rays.__slots__})

    def slice(self, first: int, last: int | None) -> "_Rays":
        """Return some of the rays of each row."""
        return _Rays(**{name: getattr(self, name)[:, first:last] for name in _Rays.__slots__})

    def shape_rows(self, count: int) -> "_Rays":
        """Return the rays in so many rows."""
        return _Rays(**{name: getattr(self, name).reshape(count, -1) for name in _Rays.__slots__})


def _join_rays(rays: Sequence[_Rays], axis: int = 0) -> _Rays:
    return _Rays(**{name: np.concatenate([getattr(each, name) for each in rays], axis) for name in _Rays.__slots__})


def sweep_families(
    solution: GraphSolution, tubes: RayFamilies, limit_mm: float, *, climbed_only: bool = False
) -> Array:
    """Return polygons of what families of rays sweep within a limit of cost; or but those parts that are climbed to."""
    which, beside = _list_first_rays(solution, tubes, limit_mm, climbed_only=climbed_only)
    rays = _cast_rays(solution, tubes, which, limit_mm, climbed_only=climbed_only)
    found, halved = [rays], 0
    low, high = rays.select(beside), rays.select(beside + 1)
    while halved < _HALVINGS:
        void = low.void & high.void
        wide = np.abs(high.end - low.end) + np.abs(high.origin - low.origin) > np.where(void, _GLIMPSE_MM, _NARROW_MM)
        wide &= (high.share - low.share > _LEAST_SHARE) & ~(void & (low.stop == high.stop))
        low, high = low.select(wide), high.select(wide)
        count = len(low.share)
        if not count:
            break
        halvings = min(max(int(math.log2(_AT_ONCE / count + 1)), 1), _HALVINGS - halved)
        halved += halvings
        inner = np.arange(1, 2**halvings) / 2**halvings
        share = low.share[:, None] + (high.share - low.share)[:, None] * inner
        which = np.repeat(low.family, len(inner)), share.ravel()
        found.append(_cast_rays(solution, tubes, which, limit_mm, climbed_only=climbed_only))
        row = _join_rays([each.shape_rows(count) for each in (low, found[-1], high)], axis=1)
        bent = _are_bent(row.slice(0, -2), row.slice(1, -1), row.slice(2, None), climbed_only=climbed_only)
        still = np.zeros((count, len(inner) + 1), dtype=bool)
        still[:, :-1] |= bent
        still[:, 1:] |= bent
        low, high = row.slice(0, -1).select(still), row.slice(1, None).select(still)
    rays = _join_rays(found)
    rays = rays.select(np.argsort(2.0 * rays.family + rays.share, kind="stable"))
    return _build_polygons(tubes, _thin_rays(rays), climbed_only=climbed_only)


def _list_first_rays(
    solution: GraphSolution, tubes: RayFamilies, limit_mm: float, *, climbed_only: bool
) -> tuple[tuple[Ints, Array], Ints]:
    """Return rays all over the families and to where something may begin, and which have their neighbour after them."""
    span = np.where(
        tubes.curve < 0, np.abs(tubes.last - tubes.first) / _STEP_RAD, (tubes.last - tubes.first) / _STEP_MM
    )
    counts = 2 + span.astype(int)
    family = np.repeat(np.arange(len(counts)), counts)
    share = (np.arange(len(family)) - np.repeat(np.cumsum(counts) - counts, counts)) / (counts[family] - 1)
    aimed = _aim_at_tangents(solution, tubes), _aim_at_notches(solution, tubes, limit_mm)
    family = np.concatenate((family, *(into for into, _ in aimed)))
    share = np.concatenate((share, *(toward for _, toward in aimed)))
    order = np.argsort(2.0 * family + share, kind="stable")
    family, share = family[order], share[order]
    beside = np.append(family[1:] == family[:-1], False)
    if climbed_only:
        near = _may_climb(solution, tubes, (family, share), limit_mm)
        family, share, beside = family[near], share[near], (beside & np.append(near[1:], False))[near]
    return (family, share), np.flatnonzero(beside)


def _are_bent(low: _Rays, middle: _Rays, high: _Rays, *, climbed_only: bool) -> Flags:
    """Return between which rays the region's edge is not the chord, as far as a ray between them tells."""
    off_mm = _distance_to_segments(middle.end, low.end, high.end)
    used_up = climbed_only & (low.stop == _FREE) & (middle.stop == _FREE) & (high.stop == _FREE)
    bent = off_mm > np.where(used_up, _SMOOTH * CHORD_MM, CHORD_MM) / 2
    bent |= _measure_bias(middle.end, low.end, high.end) > _JUMP
    if climbed_only:
        bent |= (_distance_to_segments(middle.origin, low.origin, high.origin) > CHORD_MM / 2) & ~middle.void
    # By chance the one between may end on the chord of two that different obstacles stop.
    bent |= np.maximum(low.stop, _FREE) != np.maximum(high.stop, _FREE)
    bent |= (middle.void != low.void) | (middle.void != high.void) | middle.void
    return bent


def _may_climb(solution: GraphSolution, tubes: RayFamilies, which: tuple[Ints, Array], limit_mm: float) -> Flags:
    """Return which rays may be climbed to, or be beside one that is, from discs around what is climbed."""
    family, share = which
    soil = solution.scene.soil
    origin, heading, cost = _emit_rays(solution.curves, tubes, family, share)
    left = limit_mm - cost[:, None] - soil.up_mm[soil.map_parts_to_areas()]
    ahead = (soil.field.middles - complex_from_points(origin)[:, None]) * complex_from_points(heading).conj()[:, None]
    along, extent = ahead.real, soil.field.extents_mm
    turned = np.minimum(_STEP_RAD, np.abs(tubes.last - tubes.first))[family, None]  # to the next ray at most
    aside = turned * (np.abs(ahead) + extent + 2 * tubes.radius_mm[family, None])
    near = (np.abs(ahead.imag) < extent + aside) & (along > -extent - aside) & (np.abs(ahead) - extent - aside < left)
    return np.asarray(near.any(axis=1) | tubes.climbed[family] | (tubes.inside[family] > 0))


def _aim_at_tangents(solution: GraphSolution, tubes: RayFamilies) -> tuple[Ints, Array]:
    """Return rays to either side of the legs that leave the points and arcs which families leave: there shadows begin.

    A point is known by its place, an arc by its corner and which way round it is hugged.
    """
    ways, span = solution.ways, tubes.last - tubes.first
    smooth = np.zeros(len(ways.corner), dtype=bool)  # in the middle of an edge no shadow begins
    smooth[ways.of_point[: len(solution.relays.fixed)][~solution.relays.fixed]] = True
    straight = np.flatnonzero((ways.legs.turn == 0) & ~smooth[ways.legs.target // 2])
    place, two = ways.legs.source[straight] // 2, 2 * len(solution.scene.field.owner)
    leaves = np.concatenate((2 * ways.corner[place] + ways.legs.source[straight] % 2, two + place))
    families = np.flatnonzero((tubes.place >= 0) | (tubes.corner >= 0))
    asked = np.where(tubes.place >= 0, two + tubes.place, 2 * tubes.corner + (span > 0))[families]
    order = np.argsort(leaves, kind="stable")
    begins, ends = (np.searchsorted(leaves[order], asked, side=side) for side in ("left", "right"))
    counts = ends - begins
    into = np.repeat(families, counts)
    nth = np.arange(len(into)) - np.repeat(np.cumsum(counts) - counts, counts)
    legs = np.tile(straight, 2)[order[np.repeat(begins, counts) + nth]]
    step = ways.place_mm[ways.legs.target[legs] // 2] - ways.place_mm[ways.legs.source[legs] // 2]
    span = span[into]
    normal = np.arctan2(step[:, 1], step[:, 0]) - np.sign(span) * np.pi / 2
    toward = np.mod((normal - tubes.first[into]) * np.sign(span), 2 * np.pi) / np.abs(span)
    beside = _APART_RAD / np.abs(span)
    share = np.concatenate((toward - beside, toward + beside))
    met = (share > 0) & (share < 1)
    return np.tile(into, 2)[met], share[met]


def _aim_at_notches(solution: GraphSolution, tubes: RayFamilies, limit_mm: float) -> tuple[Ints, Array]:
    """Return rays to either side of the places where obstacles or areas enter each other: there one takes over."""
    scene = solution.scene
    notches = find_notches(scene.field.select(np.arange(len(scene.field.counts)) < scene.points))
    families = np.flatnonzero(tubes.curve < 0)
    radius, left_mm = tubes.radius_mm[families, None], (limit_mm - tubes.cost_mm[families, :1])
    away = complex_from_points(notches) - complex_from_points(tubes.centre_mm[families])[:, None]
    square = away.real**2 + away.imag**2
    near, notch = ((square > radius**2 + _NARROW_MM) & (square < radius**2 + np.maximum(left_mm, 0.0) ** 2)).nonzero()
    into, radius = families[near], radius[near, 0]
    span = (tubes.last - tubes.first)[into]
    turn = np.sign(span)
    normal = away[near, notch] * (radius - 1j * turn * np.sqrt(square[near, notch] - radius**2))
    toward = np.mod((np.angle(normal) - tubes.first[into]) * turn, 2 * np.pi) / np.abs(span)
    beside = _APART_RAD / np.abs(span)
    share = np.concatenate((toward - beside, toward + beside))
    met = (share > 0) & (share < 1)
    return np.tile(into, 2)[met], share[met]


def _distance_to_segments(points: Complexes, first: Complexes, last: Complexes) -> Array:
    """Return how far points are from the segments between others."""
    along, away = last - first, points - first
    length = along.real**2 + along.imag**2
    share = np.clip((away * along.conj()).real / np.maximum(length, 1e-18), 0.0, 1.0)
    return np.asarray(np.abs(away - share * along))


def _measure_bias(points: Complexes, first: Complexes, last: Complexes) -> Array:
    """Return how far points are from the further one of two others, as a share of what is between these."""
    away = np.maximum(np.abs(points - first), np.abs(points - last))
    return np.asarray(away / np.maximum(np.abs(last - first), 1e-9))


def _cast_rays(
    solution: GraphSolution, tubes: RayFamilies, which: tuple[Ints, Array], limit_mm: float, *, climbed_only: bool
) -> _Rays:
    """Return rays, by family and share, with their ends."""
    family, share = which
    scene, soil = solution.scene, solution.scene.soil
    # At either end of an arc rays may begin to meet another obstacle: the end's own is cast from just inside.
    # What they overlap by only grazes an area: of what is climbed to, that is nothing.
    beyond = _APART_RAD + OVERLAP_RAD * climbed_only
    inset = np.where(tubes.radius_mm > 0, np.minimum(beyond / np.abs(tubes.last - tubes.first), 0.5), 0.0)[family]
    origin, heading, cost = _emit_rays(solution.curves, tubes, family, np.clip(share, inset, 1 - inset))
    left = np.maximum(limit_mm - cost, 0.0)
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
    skip = np.where(tubes.climbed[family] | (inside_now != inside_before), 0.0, np.inf)
    crossed, rows = crossings.is_crossed_midway(), np.arange(len(origin))
    order, shut = np.argsort(np.where(crossed, crossings.at_mm, np.inf), axis=1), np.zeros(len(origin), dtype=bool)
    for column in order[:, : int(crossed.sum(axis=1).max(initial=0))].T:
        at, area = crossings.at_mm[rows, column], crossings.area[column]
        met = crossed[rows, column] & (at < end)
        climb = np.where(crossings.change[rows, column] > 0, soil.up_mm[area], soil.down_mm[area])
        spent = met & ((end - climb / pace <= at) | (soil.pace[area] > 1))
        end = np.where(spent, at, np.where(met, end - climb / pace, end))
        shut |= spent
        skip = np.where(met & (climb > 0), np.minimum(skip, at), skip)
    touched = np.column_stack((tubes.blocker[family],) * 2)
    hit, blocker = scene.closed.cast_rays(origin, heading, end, touched)
    stop = np.where(hit < end, blocker, np.where(shut, _EDGE, _FREE))
    end = np.minimum(end, hit)
    last = origin + end[:, None] * heading
    void = (skip >= end) & climbed_only
    if climbed_only:
        origin = origin + np.minimum(skip, end)[:, None] * heading
    return _Rays(
        family=family,
        share=share,
        origin=complex_from_points(origin),
        end=complex_from_points(last),
        stop=stop,
        void=void,
    )


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
    return origin, heading, cost


def _thin_rays(rays: _Rays) -> _Rays:
    """Leave out rays that begin and end on the chords between two others, every other one at a time."""
    for start in (1, 0, 1, 0, 1, 0):
        middle = np.arange(1 + start, len(rays.share) - 1, 2)
        middle = middle[(rays.family[middle - 1] == rays.family[middle + 1])]
        idle = _distance_to_segments(rays.end[middle], rays.end[middle - 1], rays.end[middle + 1]) < _THIN_MM
        idle &= _distance_to_segments(rays.origin[middle], rays.origin[middle - 1], rays.origin[middle + 1]) < _THIN_MM
        idle &= (rays.void[middle] == rays.void[middle - 1]) & (rays.void[middle] == rays.void[middle + 1])
        kept = np.ones(len(rays.share), dtype=bool)
        kept[middle[idle]] = False
        rays = rays.select(kept)
    return rays


def _build_polygons(tubes: RayFamilies, rays: _Rays, *, climbed_only: bool) -> Array:
    """Return one polygon a run of rays, or where one folds over itself, as many as it takes for none to do so."""
    real = ~rays.void
    run = np.cumsum((np.diff(rays.family, prepend=-1) != 0) | (np.diff(rays.void, prepend=False)))[real]
    rays = rays.select(real)
    if not len(run):
        return np.array([], dtype=object)
    begins = np.flatnonzero(np.diff(run, prepend=-1))
    far = np.maximum.reduceat(np.abs(rays.end - rays.origin), begins)
    wide = np.repeat(far > _NARROW_MM, np.diff(begins, append=len(run)))
    rays, run = rays.select(wide), run[wide]
    bounds = np.append(np.flatnonzero(np.diff(run, prepend=-1)), len(run))
    point = ((tubes.curve < 0) & (tubes.radius_mm == 0))[rays.family] & (not climbed_only)
    strips = [(a, b) for a, b in pairwise(bounds.tolist()) if b - a > 1]
    found = [np.array([], dtype=object)]
    while strips:
        rings = [
            np.concatenate((rays.origin[a : a + 1] if point[a] else rays.origin[a:b], rays.end[a:b][::-1]))
            for a, b in strips
        ]
        ring = np.repeat(np.arange(len(rings)), [len(points) for points in rings])
        polygons = np.asarray(
            shapely.polygons(
                np.asarray(shapely.linearrings(np.concatenate(rings).view(float).reshape(-1, 2), indices=ring))
            )
        )
        valid = shapely.is_valid(polygons)
        single = np.array([b - a == 2 for a, b in strips])
        mended = shapely.get_parts(shapely.make_valid(polygons[single & ~valid]))
        found += [polygons[valid], mended[shapely.area(mended) > _NARROW_MM * shapely.length(mended) / 4]]
        folded = [strips[index] for index in np.flatnonzero(~valid & ~single).tolist()]
        strips = [half for a, b in folded for half in ((a, (a + b) // 2 + 1), ((a + b) // 2, b))]
    return np.concatenate(found)
