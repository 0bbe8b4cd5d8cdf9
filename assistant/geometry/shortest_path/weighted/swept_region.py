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
from assistant.geometry.shortest_path.obstacles import Flags, Ints
from assistant.geometry.shortest_path.weighted.areas import find_area_crossings
from assistant.geometry.shortest_path.weighted.path_graph import WeightedScene, pack_climbed_bits
from assistant.geometry.shortest_path.weighted.ray_families import RayFamilies
from assistant.geometry.shortest_path.weighted.steiner_points import EdgeCurves

CHORD_MM = 0.02
"""How far a drawn edge may lie from the true one."""
_ROUNDS = 16
_STEP_RAD = 0.06
_STEP_MM = 2.0
_NARROW_MM = 2e-3
_THIN_MM = 3e-3


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
    return origin, heading, cost


def _thin_rays(rays: _Rays) -> _Rays:
    """Leave out rays that begin and end on the chords between two others, every other one at a time."""
    for start in (1, 0, 1, 0, 1, 0):
        middle = np.arange(1 + start, len(rays.share) - 1, 2)
        middle = middle[(rays.family[middle - 1] == rays.family[middle + 1])]
        idle = _distance_to_segments(rays.end[middle], rays.end[middle - 1], rays.end[middle + 1]) < _THIN_MM
        idle &= _distance_to_segments(rays.origin[middle], rays.origin[middle - 1], rays.origin[middle + 1]) < _THIN_MM
        kept = np.ones(len(rays.share), dtype=bool)
        kept[middle[idle]] = False
        rays = rays.select(kept)
    return rays


def _build_polygons(tubes: RayFamilies, rays: _Rays) -> Array:
    """Return one polygon a family, or where one folds over itself, as many as it takes for none to do so."""
    far = np.maximum.reduceat(
        np.hypot(*(rays.end - rays.origin).T), np.searchsorted(rays.family, np.arange(len(tubes.curve)))
    )
    rays = rays.select((far > _NARROW_MM)[rays.family])
    bounds = np.flatnonzero(np.diff(rays.family, prepend=-1, append=len(tubes.curve)))
    point = ((tubes.curve < 0) & (tubes.radius_mm == 0))[rays.family]
    strips, found = list(pairwise(bounds.tolist())), [np.array([], dtype=object)]
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
