"""What is swept by the rays that leave arcs of a field's obstacles, each until its way is used up or it meets another.

Few rays are cast.  The field's tangents part the arcs, so that along one arc the first obstacle met changes without a
jump; where it changes more rays are cast, and where nothing is met the edge is filled in without casting.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import shapely

from assistant.geometry.convex import Array, unit
from assistant.geometry.field import Field, Flags, Ints

CHORD_MM = 0.02
"""How far the drawn edge may lie inside the true one."""
APART_RAD = 1e-7
_OVERLAP_RAD = 2e-6
"""How far neighbouring fans overlap, so that their union has no seams: less than a thousandth of a millimetre."""
_STEP_RAD = 0.15
_ROUNDS = 5
_PARTS = np.arange(1, 16) / 16


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Families:
    """Rays that leave an arc: (f,) corners, first and last outward direction, and the way that remains at the first."""

    corner: Ints
    first: Array
    last: Array
    left_mm: Array
    fan: Ints
    """Families that follow each other around a corner sweep one fan."""

    def span_rad(self) -> Array:
        """Return how far each arc turns."""
        return np.asarray(np.abs(self.last - self.first))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Cast:
    """Rays by family and share of its span."""

    family: Ints
    share: Array
    reach_mm: Array
    kind: Ints
    """Which obstacle stops it, -1 for none."""
    ends_inside: Flags
    """Whether it was let run into the obstacle that stops it, where all its way ends in there."""

    def merged(self, other: "_Cast") -> "_Cast":
        """Return the rays of both, in order."""
        order = np.lexsort((np.concatenate((self.share, other.share)), np.concatenate((self.family, other.family))))
        return _Cast(
            family=np.concatenate((self.family, other.family))[order],
            share=np.concatenate((self.share, other.share))[order],
            reach_mm=np.concatenate((self.reach_mm, other.reach_mm))[order],
            kind=np.concatenate((self.kind, other.kind))[order],
            ends_inside=np.concatenate((self.ends_inside, other.ends_inside))[order],
        )

    def among(self, keep: Flags) -> "_Cast":
        """Return the rays that a mask keeps."""
        return _Cast(
            family=self.family[keep],
            share=self.share[keep],
            reach_mm=self.reach_mm[keep],
            kind=self.kind[keep],
            ends_inside=self.ends_inside[keep],
        )


def fans(field: Field, families: Families) -> Array:
    """Return polygons of what the rays of some families sweep; along obstacles they may cut into them."""
    span = families.span_rad()
    counts = 2 + (span / _STEP_RAD).astype(int)
    family = np.repeat(np.arange(len(counts)), counts)
    share = (np.arange(len(family)) - (np.cumsum(counts) - counts)[family]) / (counts[family] - 1)
    rays = _cast(field, families, family, share)
    for _ in range(_ROUNDS):  # close in on where the rays begin to meet something else
        family, share, kind = rays.family, rays.share, rays.kind
        bridged = (rays.ends_inside[1:] & (kind[:-1] < 0)) | (rays.ends_inside[:-1] & (kind[1:] < 0))
        split = np.flatnonzero((family[1:] == family[:-1]) & (kind[1:] != kind[:-1]) & ~bridged)
        gap = (share[split + 1] - share[split]) * (span * families.left_mm)[family[split]]
        split = split[gap > CHORD_MM]
        if not len(split):
            break
        parts = share[split, None] + (share[split + 1] - share[split])[:, None] * _PARTS
        rays = rays.merged(_cast(field, families, np.repeat(family[split], len(_PARTS)), parts.ravel()))
    return _polygons(field, families, _filled(field, families, _thinned(rays)))


def _cast(field: Field, families: Families, family: Ints, share: Array) -> _Cast:
    """Cast rays.

    At either end of an arc rays may begin to meet another obstacle; the end's own ray is cast from just inside the arc.
    Where a ray is stopped by an obstacle beside one that is not, it runs on into the obstacle if that is where its way
    ends: the chord between the two then keeps to the limit, and the next one to the obstacle.
    """
    span = families.span_rad()[family]
    inset = np.minimum(np.divide(APART_RAD, span, out=np.full(len(span), 0.5), where=span > 0), 0.5)
    origin, heading, left = _rays(field, families, family, np.clip(share, inset, 1 - inset))
    owner = field.owner[families.corner[family]]
    hit, who = field.first_hit(origin, heading, left, np.column_stack((owner, owner)))
    reach, kind = np.minimum(hit, left), np.where(hit < left, who, -1)
    edge = np.flatnonzero(((kind[1:] < 0) != (kind[:-1] < 0)) & (family[1:] == family[:-1]))
    stopped = np.where(kind[edge] < 0, edge + 1, edge)
    over = stopped[field.holds(origin[stopped] + left[stopped, None] * heading[stopped], kind[stopped])]
    reach[over] = left[over]
    inside = np.zeros(len(kind), dtype=bool)
    inside[over] = True
    return _Cast(family=family, share=share, reach_mm=reach, kind=kind, ends_inside=inside)


def _rays(field: Field, families: Families, family: Ints, share: Array) -> tuple[Array, Array, Array]:
    """Return the origins and headings of rays, and the way that remains for each."""
    first, last, corner = families.first[family], families.last[family], families.corner[family]
    angle = first + share * (last - first)
    turn = np.sign(last - first)
    normal = unit(angle)
    heading = np.column_stack((-normal[:, 1], normal[:, 0])) * turn[:, None]
    radius = field.radii_mm[corner]
    left = families.left_mm[family] - radius * np.abs(angle - first)
    return field.centres_mm[corner] + radius[:, None] * normal, heading, np.maximum(left, 0.0)


def _thinned(rays: _Cast) -> _Cast:
    """Leave out rays between two others that the same obstacle stops: the chord cuts into nothing but obstacles."""
    stop = np.where((rays.kind >= 0) & ~rays.ends_inside, rays.kind, -1)
    alike = (stop[1:] == stop[:-1]) & (stop[1:] >= 0) & (rays.family[1:] == rays.family[:-1])
    kept = np.ones(len(stop), dtype=bool)
    kept[1:-1] = ~(alike[1:] & alike[:-1])
    return rays.among(kept)


def _filled(field: Field, families: Families, rays: _Cast) -> _Cast:
    """Add rays between neighbours whose ways are used up, until the chords between their ends keep the error.

    What obstacles may lie between two such rays only reaches in from beyond: its sides would part the arc.
    """
    family, share = rays.family, rays.share
    ended = (rays.kind < 0) | rays.ends_inside
    pair = np.flatnonzero(ended[1:] & ended[:-1] & (family[1:] == family[:-1]))
    gap, left = share[pair + 1] - share[pair], np.maximum(rays.reach_mm[pair], rays.reach_mm[pair + 1])
    turns = gap * families.span_rad()[family[pair]]
    counts = np.maximum(np.ceil(turns * np.sqrt(left / (8 * CHORD_MM))).astype(int) - 1, 0)
    which = np.repeat(np.arange(len(pair)), counts)
    nth = np.arange(1, len(which) + 1) - (np.cumsum(counts) - counts)[which]
    family, share = family[pair][which], share[pair][which] + nth / (counts[which] + 1) * gap[which]
    _, _, reach = _rays(field, families, family, share)
    none = np.zeros(len(family), dtype=bool)
    return rays.merged(
        _Cast(family=family, share=share, reach_mm=reach, kind=np.full(len(family), -1), ends_inside=none)
    )


def _polygons(field: Field, families: Families, rays: _Cast) -> Array:
    bounds = np.searchsorted(families.fan[rays.family], np.arange(families.fan[-1] + 2))
    share, span = rays.share.copy(), families.span_rad()[rays.family]
    share[bounds[:-1]] -= _OVERLAP_RAD / span[bounds[:-1]]
    share[bounds[1:] - 1] += _OVERLAP_RAD / span[bounds[1:] - 1]
    origin, heading, _ = _rays(field, families, rays.family, share)
    ends = origin + rays.reach_mm[:, None] * heading
    rings = [np.concatenate((origin[a:b], ends[a:b][::-1])) for a, b in pairwise(bounds.tolist())]
    ring = np.repeat(np.arange(len(rings)), 2 * np.diff(bounds))
    found = np.asarray(shapely.polygons(np.asarray(shapely.linearrings(np.concatenate(rings), indices=ring))))
    invalid = ~shapely.is_valid(found)
    found[invalid] = shapely.make_valid(found[invalid])
    return found
