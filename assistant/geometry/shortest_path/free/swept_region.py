"""Swept region: what the rays sweep that leave hugged arcs, each until its way is used up or it meets an obstacle.

Few rays are cast.  The field's tangents part the arcs, so that along one arc the first obstacle met changes without a
jump; rays are cast to where obstacles enter each other, and more where yet another change is seen.  Where nothing is
met the edge is filled in without casting.
"""

import math
from dataclasses import dataclass

import numpy as np
import shapely

from assistant.geometry.shapes.convex import Array, Complexes
from assistant.geometry.shortest_path.free.tangent_graph import HuggedArcs
from assistant.geometry.shortest_path.obstacles import (
    Flags,
    Ints,
    ObstacleField,
    complex_from_angles,
    find_run_starts,
)

CHORD_MM = 0.02
"""How far the drawn edge may lie inside the true one."""
_APART_RAD = 1e-7
_OVERLAP_RAD = 2e-6
"""How far neighbouring fans overlap, so that their union has no seams: less than a thousandth of a millimetre."""
_SLACK_MM = 1e-6
_STEP_RAD = 0.15
_ROUNDS = 3
_PARTS = np.arange(1, 48) / 48


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _RayFamilies:
    """Rays that leave an arc each; (f,) arrays, angles in radians."""

    centre: Complexes
    radius: Array
    owner: Ints
    """The obstacle whose arc it is."""
    first: Array
    """The outward direction of the first ray's origin."""
    span: Array
    """How far the arc turns, counter-clockwise positive."""
    left_mm: Array
    """The way that remains for the first ray."""
    fan: Ints
    """Families that follow each other around a corner sweep one fan."""
    spot: Flags
    """Whether it is the start that the rays leave: all round, and from one place."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _CastRays:
    """Rays by family and share of its span."""

    family: Ints
    share: Array
    reach_mm: Array
    kind: Ints
    """Which obstacle stops it, -1 for none."""
    ends_inside: Flags
    """Whether it was let run into the obstacle that stops it, where all its way ends in there."""

    def merge(self, other: "_CastRays") -> "_CastRays":
        """Return the rays of both, in order."""
        family, share = np.concatenate((self.family, other.family)), np.concatenate((self.share, other.share))
        order = (2.0 * family + share).argsort(kind="stable")
        return _CastRays(
            family=family[order],
            share=share[order],
            reach_mm=np.concatenate((self.reach_mm, other.reach_mm))[order],
            kind=np.concatenate((self.kind, other.kind))[order],
            ends_inside=np.concatenate((self.ends_inside, other.ends_inside))[order],
        )


def sweep_fans(hugs: HuggedArcs, limit_mm: float) -> tuple[Array, Ints]:
    """Return polygons of what the rays sweep that leave hugged arcs, and whose each is.

    Along obstacles they may cut into them; by rounding, and no further, an edge may cross another.
    """
    families, whose = _build_families(hugs, limit_mm)
    if not len(whose):
        return np.array([]), whose
    return _sweep_families(hugs.field, families, hugs.notches), whose


def _build_families(hugs: HuggedArcs, limit_mm: float) -> tuple[_RayFamilies, Ints]:
    field, wide = hugs.field, (np.abs(hugs.last - hugs.first) > 2 * _APART_RAD).nonzero()[0]
    corner, start = hugs.corner[wide], hugs.start[wide]
    first, last, cost = hugs.first[wide], hugs.last[wide], hugs.cost_mm[wide]
    span = last - first
    left_mm = limit_mm - cost
    radius = field.radii_mm[corner]
    low, spot = np.angle(field.lows[corner]), corner == start
    half = spot | (np.minimum(first, last) < math.pi)
    onward = (corner[1:] == corner[:-1]) & (start[1:] == start[:-1]) & (half[1:] == half[:-1])
    onward &= np.abs(first[1:] - last[:-1]) < _APART_RAD
    onward &= np.abs((cost + radius * np.abs(span))[:-1] - cost[1:]) < _SLACK_MM
    new = np.concatenate(((True,), ~onward))[: len(corner)]
    families = _RayFamilies(
        centre=field.centres[corner],
        radius=radius,
        owner=field.owner[corner],
        first=low + first,
        span=span,
        left_mm=left_mm,
        fan=new.cumsum() - 1,
        spot=spot,
    )
    return families, start[new]


def _sweep_families(field: ObstacleField, families: _RayFamilies, notches: Complexes) -> Array:
    span = np.abs(families.span)
    counts = 2 + (span / _STEP_RAD).astype(int)
    ends = counts.cumsum()
    family = np.arange(len(counts)).repeat(counts)
    share = (np.arange(ends[-1]) - (ends - counts)[family]) / (counts - 1)[family]
    into, toward = _aim_at_notches(families, notches)
    order = np.concatenate((2.0 * family + share, 2.0 * into + toward)).argsort(kind="stable")
    family, share = np.concatenate((family, into))[order], np.concatenate((share, toward))[order]
    rays = _cast_rays(field, families, family, share)
    for _ in range(_ROUNDS):  # close in on where the rays begin to meet something else
        family, share, kind, inside = rays.family, rays.share, rays.kind, rays.ends_inside
        bridged = (inside[1:] & (kind[:-1] < 0)) | (inside[:-1] & (kind[1:] < 0))
        split = ((family[1:] == family[:-1]) & (kind[1:] != kind[:-1]) & ~bridged).nonzero()[0]
        width = share[split + 1] - share[split]
        wide = width * (span * families.left_mm)[family[split]] > CHORD_MM
        if not wide.any():
            break
        split, width = split[wide], width[wide]
        parts = share[split, None] + width[:, None] * _PARTS
        rays = rays.merge(_cast_rays(field, families, np.repeat(family[split], len(_PARTS)), parts.ravel()))
    return _build_polygons(families, _thin_rays(families, rays))


def _aim_at_notches(families: _RayFamilies, notches: Complexes) -> tuple[Ints, Array]:
    """Return rays to either side of the places where obstacles enter each other: there one takes over from another."""
    away = notches - families.centre[:, None]
    square, radius = away.real**2 + away.imag**2, families.radius[:, None]
    least, most = radius * radius, radius * radius + (families.left_mm * families.left_mm)[:, None]
    family, notch = ((square > least) & (square < most)).nonzero()
    radius, span = families.radius[family], families.span[family]
    turn, far = np.sign(span), np.abs(span)
    straight = np.sqrt(square[family, notch] - radius * radius)
    normal = away[family, notch] * (radius - 1j * turn * straight)
    beyond = np.angle(normal * complex_from_angles(-families.first[family])) * turn
    beyond[beyond < 0] += 2 * math.pi
    met = ((beyond < far) & (straight + radius * beyond < families.left_mm[family])).nonzero()[0]
    family, far, beyond = family[met], far[met], beyond[met]
    share = np.concatenate((np.maximum(beyond - _APART_RAD, 0.0) / far, np.minimum(beyond + _APART_RAD, far) / far))
    return np.concatenate((family, family)), share


def _cast_rays(field: ObstacleField, families: _RayFamilies, family: Ints, share: Array) -> _CastRays:
    """Cast rays.

    At either end of an arc rays may begin to meet another obstacle; the end's own ray is cast from just inside the arc.
    Where a ray is stopped by an obstacle beside one that is not, it runs on into the obstacle if that is where its way
    ends: the chord between the two then keeps to the limit, and the next one to the obstacle.
    """
    inset = np.minimum(_APART_RAD / np.abs(families.span), 0.5)[family]
    origin, heading, left = _place_rays(families, family, np.minimum(np.maximum(share, inset), 1 - inset))
    owner = families.owner[family]
    reach, kind = field.cast_rays_complex(origin, heading, left, owner, owner)
    reach = np.minimum(reach, left)
    kind[reach >= left] = -1
    edge = (((kind[1:] < 0) != (kind[:-1] < 0)) & (family[1:] == family[:-1])).nonzero()[0]
    stopped = np.where(kind[edge] < 0, edge + 1, edge)
    over = stopped[field.is_inside_complex(origin[stopped] + left[stopped] * heading[stopped], kind[stopped])]
    reach[over] = left[over]
    inside = np.zeros(len(kind), dtype=bool)
    inside[over] = True
    return _CastRays(family=family, share=share, reach_mm=reach, kind=kind, ends_inside=inside)


def _place_rays(families: _RayFamilies, family: Ints, share: Array) -> tuple[Complexes, Complexes, Array]:
    """Return the origins and headings of rays, and the way that remains for each."""
    span, radius = families.span[family], families.radius[family]
    beyond = share * span
    normal = complex_from_angles(families.first[family] + beyond)
    heading = 1j * np.sign(span) * normal
    return families.centre[family] + radius * normal, heading, _measure_remaining_mm(families, family, beyond)


def _measure_remaining_mm(families: _RayFamilies, family: Ints, beyond: Array) -> Array:
    """Return the way that remains for rays that leave so far beyond the first of their family."""
    left: Array = np.maximum(families.left_mm[family] - families.radius[family] * np.abs(beyond), 0.0)
    return left


def _thin_rays(families: _RayFamilies, rays: _CastRays) -> _CastRays:
    """Leave out rays between two others that the same obstacle stops: the chord cuts into nothing but obstacles.

    Add rays between neighbours whose ways are used up, until the chords between their ends keep the error.  What
    obstacles may lie between two such rays only reaches in from beyond: its sides would part the arc.
    """
    family, share = rays.family, rays.share
    stop = np.where(rays.ends_inside, -1, rays.kind)
    same = family[1:] == family[:-1]
    alike = same & (stop[1:] == stop[:-1])
    pair = (alike & (stop[1:] < 0)).nonzero()[0]
    gap, left = share[pair + 1] - share[pair], np.maximum(rays.reach_mm[pair], rays.reach_mm[pair + 1])
    turns = gap * np.abs(families.span)[family[pair]]
    counts = np.maximum(np.ceil(turns * np.sqrt(left / (8 * CHORD_MM))).astype(int) - 1, 0)
    which = np.arange(len(pair)).repeat(counts)
    nth = np.arange(1, len(which) + 1) - (counts.cumsum() - counts)[which]
    added, among = family[pair][which], share[pair][which] + nth * (gap / (counts + 1))[which]
    reach = _measure_remaining_mm(families, added, among * families.span[added])
    kept = np.ones(len(stop), dtype=bool)
    kept[1:-1] = ~(alike[1:] & alike[:-1] & (stop[1:-1] >= 0))
    order = np.concatenate((2.0 * family[kept] + share[kept], 2.0 * added + among)).argsort(kind="stable")
    none = np.full(len(added), -1)
    return _CastRays(
        family=np.concatenate((family[kept], added))[order],
        share=np.concatenate((share[kept], among))[order],
        reach_mm=np.concatenate((rays.reach_mm[kept], reach))[order],
        kind=np.concatenate((rays.kind[kept], none))[order],
        ends_inside=np.zeros(len(order), dtype=bool),
    )


def _build_polygons(families: _RayFamilies, rays: _CastRays) -> Array:
    fan = families.fan[rays.family]
    firsts = find_run_starts(fan)
    lasts = np.concatenate((firsts[1:], (len(fan),))) - 1
    share, over = rays.share.copy(), _OVERLAP_RAD / np.abs(families.span)[rays.family]
    over[families.spot[rays.family]] = 0.0
    share[firsts] -= over[firsts]
    share[lasts] += over[lasts]
    origin, heading, _ = _place_rays(families, rays.family, share)
    ends = origin + rays.reach_mm * heading
    # Once around each fan: along the ends of its rays, and back along their origins.
    hinge = families.radius[rays.family] > 0
    hinge[firsts] = ~families.spot[rays.family[firsts]]
    back = hinge.nonzero()[0]
    count = len(ends)
    corner = np.concatenate((ends, origin[back]))
    ring = np.concatenate((fan, fan[back]))
    rank = np.concatenate((np.arange(count), 2 * count - back))
    order = (ring * (2 * count + 1) + rank).argsort(kind="stable")
    corner = corner[order]
    return np.asarray(shapely.polygons(shapely.linearrings(corner.view(float).reshape(-1, 2), indices=ring[order])))
