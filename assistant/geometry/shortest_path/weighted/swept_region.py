"""Swept region over ground that costs: what the rays in which ways end sweep, up to an edge or an obstacle.

Rays leave points and hugged arcs as from obstacles alone; they also leave every edge of a paced area, in the direction
in which the wave that comes along there is refracted.  Rays are cast between two others until the end of the one
between lies on the chord: that finds bends, corners and the brink of every shadow alike.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import shapely

from assistant.geometry.shapes.convex import Array, unit_vectors
from assistant.geometry.shortest_path.obstacles import Flags, Ints, complex_from_points
from assistant.geometry.shortest_path.weighted.areas import find_area_crossings
from assistant.geometry.shortest_path.weighted.path_graph import pack_climbed_bits
from assistant.geometry.shortest_path.weighted.ray_families import RayFamilies
from assistant.geometry.shortest_path.weighted.refraction import GraphSolution
from assistant.geometry.shortest_path.weighted.steiner_points import EdgeCurves, find_notches

CHORD_MM = 0.02
"""How far a drawn edge may lie from the true one."""
_ROUNDS = 16
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
_FREE = -1
"""What stops a ray that no obstacle does."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Rays:
    family: Ints
    share: Array
    origin: Array
    end: Array
    stop: Ints
    """The obstacle that stops it, or `_FREE`."""
    void: Flags
    """Whether no part of it counts."""

    def select(self, keep: Flags) -> "_Rays":
        """Return the rays that a mask keeps."""
        return _Rays(**{name: getattr(self, name)[keep] for name in _Rays.__slots__})

    def merge(self, other: "_Rays") -> tuple["_Rays", Ints]:
        """Return the rays of both in order, and where each of them went."""
        both = {name: np.concatenate((getattr(self, name), getattr(other, name))) for name in _Rays.__slots__}
        order = np.argsort(2.0 * both["family"] + both["share"], kind="stable")
        place = np.empty(len(order), dtype=np.intp)
        place[order] = np.arange(len(order))
        return _Rays(**{name: values[order] for name, values in both.items()}), place


def sweep_families(
    solution: GraphSolution, tubes: RayFamilies, limit_mm: float, *, climbed_only: bool = False
) -> Array:
    """Return polygons of what families of rays sweep within a limit of cost; or but those parts that are climbed to."""
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
    rays = _cast_rays(solution, tubes, (family[order], share[order]), limit_mm, climbed_only=climbed_only)
    gap = np.flatnonzero(rays.family[1:] == rays.family[:-1])
    for _ in range(_ROUNDS):
        wide = np.hypot(*(rays.end[gap + 1] - rays.end[gap]).T) + np.hypot(*(rays.origin[gap + 1] - rays.origin[gap]).T)
        void = rays.void[gap] & rays.void[gap + 1]
        fine = np.where(void, _GLIMPSE_MM, _NARROW_MM)
        gap = gap[(wide > fine) & (rays.share[gap + 1] - rays.share[gap] > _LEAST_SHARE)]
        if not len(gap):
            break
        which = rays.family[gap], (rays.share[gap] + rays.share[gap + 1]) / 2
        middle = _cast_rays(solution, tubes, which, limit_mm, climbed_only=climbed_only)
        bent = _distance_to_segments(middle.end, rays.end[gap], rays.end[gap + 1]) > CHORD_MM / 2
        bent |= _measure_bias(middle.end, rays.end[gap], rays.end[gap + 1]) > _JUMP
        if climbed_only:
            off = _distance_to_segments(middle.origin, rays.origin[gap], rays.origin[gap + 1]) > CHORD_MM / 2
            bent |= off & ~middle.void
        bent |= rays.stop[gap] != rays.stop[gap + 1]  # by chance the one between may end on the chord
        bent |= (middle.void != rays.void[gap]) | (middle.void != rays.void[gap + 1]) | middle.void
        rays, place = rays.merge(middle)
        added = place[len(place) - len(gap) :][bent]
        gap = np.sort(np.concatenate((added - 1, added)))
    return _build_polygons(tubes, _thin_rays(rays), climbed_only=climbed_only)


def _aim_at_tangents(solution: GraphSolution, tubes: RayFamilies) -> tuple[Ints, Array]:
    """Return rays to either side of the legs that leave the points which families leave: there shadows begin."""
    ways = solution.ways
    families = np.flatnonzero(tubes.place >= 0)
    straight = np.flatnonzero(ways.legs.turn == 0)
    leaves = ways.legs.source[straight] // 2
    order = np.argsort(leaves, kind="stable")
    begins, ends = (np.searchsorted(leaves[order], tubes.place[families], side=side) for side in ("left", "right"))
    counts = ends - begins
    into = np.repeat(families, counts)
    nth = np.arange(len(into)) - np.repeat(np.cumsum(counts) - counts, counts)
    legs = straight[order[np.repeat(begins, counts) + nth]]
    step = ways.place_mm[ways.legs.target[legs] // 2] - ways.place_mm[ways.legs.source[legs] // 2]
    span = (tubes.last - tubes.first)[into]
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


def _distance_to_segments(points: Array, first: Array, last: Array) -> Array:
    """Return how far points are from the segments between others."""
    along, away = last - first, points - first
    length = (along**2).sum(axis=1)
    share = np.clip((away * along).sum(axis=1) / np.maximum(length, 1e-18), 0.0, 1.0)
    off: Array = np.hypot(*(away - share[:, None] * along).T)
    return off


def _measure_bias(points: Array, first: Array, last: Array) -> Array:
    """Return how far points are from the further one of two others, as a share of what is between these."""
    away = np.maximum(np.hypot(*(points - first).T), np.hypot(*(points - last).T))
    return np.asarray(away / np.maximum(np.hypot(*(last - first).T), 1e-9))


def _cast_rays(
    solution: GraphSolution, tubes: RayFamilies, which: tuple[Ints, Array], limit_mm: float, *, climbed_only: bool
) -> _Rays:
    """Return rays, by family and share, with their ends."""
    family, share = which
    scene, soil = solution.scene, solution.scene.soil
    # At either end of an arc rays may begin to meet another obstacle: the end's own is cast from just inside.
    inset = np.where(tubes.radius_mm > 0, np.minimum(_APART_RAD / np.abs(tubes.last - tubes.first), 0.5), 0.0)[family]
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
    order = np.argsort(np.where(crossed, crossings.at_mm, np.inf), axis=1)
    for column in order[:, : int(crossed.sum(axis=1).max(initial=0))].T:
        at, area = crossings.at_mm[rows, column], crossings.area[column]
        met = crossed[rows, column] & (at < end)
        climb = np.where(crossings.change[rows, column] > 0, soil.up_mm[area], soil.down_mm[area])
        end = np.where(met, np.maximum(at, end - climb / pace), end)
        end = np.where(met & (soil.pace[area] > 1), at, end)
        skip = np.where(met & (climb > 0), np.minimum(skip, at), skip)
    touched = np.column_stack((tubes.blocker[family],) * 2)
    hit, blocker = scene.closed.cast_rays(origin, heading, end, touched)
    stop = np.where(hit < end, blocker, _FREE)
    end = np.minimum(end, hit)
    last = origin + end[:, None] * heading
    void = (skip >= end) & climbed_only
    if climbed_only:
        origin = origin + np.minimum(skip, end)[:, None] * heading
    return _Rays(family=family, share=share, origin=origin, end=last, stop=stop, void=void)


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
    far = np.maximum.reduceat(np.hypot(*(rays.end - rays.origin).T), begins)
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
        polygons = np.asarray(shapely.polygons(np.asarray(shapely.linearrings(np.concatenate(rings), indices=ring))))
        valid = shapely.is_valid(polygons)
        single = np.array([b - a == 2 for a, b in strips])
        mended = shapely.get_parts(shapely.make_valid(polygons[single & ~valid]))
        found += [polygons[valid], mended[shapely.area(mended) > _NARROW_MM * shapely.length(mended) / 4]]
        folded = [strips[index] for index in np.flatnonzero(~valid & ~single).tolist()]
        strips = [half for a, b in folded for half in ((a, (a + b) // 2 + 1), ((a + b) // 2, b))]
    return np.concatenate(found)
