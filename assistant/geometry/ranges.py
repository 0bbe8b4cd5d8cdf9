"""Within and wholly within, as wargames measure them, horizontally and vertically apart.

A shape with a height is its outline, from the height it stands at up to that plus its thickness.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from assistant.geometry.clearance import Clearance, Point, clearance
from assistant.geometry.convex import Array, placed_parts
from assistant.geometry.furthest import furthest_part
from assistant.geometry.pairs import Pairs
from assistant.geometry.shapes import Placed
from assistant.geometry.tangency import crossings

Spot = tuple[float, float, float]
"""A point above the table."""

_ROUNDING_MM = 1e-6
"""A range met exactly is met, whatever the rounding of the last digits says."""
_ACROSS = np.array(((1.0, 0.0), (-1.0, 0.0)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Solid:
    """A placed shape with a thickness above the height that it stands at."""

    placed: Placed
    thickness_mm: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Separation:
    """The horizontal and the vertical gap of two solids."""

    horizontal: Clearance
    vertical_mm: float
    """Between their height intervals; negative, the least way out, where these overlap."""
    near: Spot
    """The measured point of the first; where they touch or overlap, a point of both."""
    far: Spot
    """The measured point of the second, `mm` away."""

    @property
    def mm(self) -> float:
        """The straight distance of two upright solids; 0 where they touch or overlap."""
        return math.hypot(max(self.horizontal.mm, 0.0), max(self.vertical_mm, 0.0))


def separation(one: Solid, other: Solid) -> Separation:
    """Return the horizontal and vertical gaps between two solids, and the line between their nearest points."""
    flat = clearance(one.placed, other.placed)
    near, far = (flat.near, flat.far) if flat.mm > 0 else (common_point(one.placed, other.placed),) * 2
    low = max(one.placed.z_mm, other.placed.z_mm)
    # The lower one's top, if that is below the other's bottom; else both at the higher bottom.
    near_mm, far_mm = (min(low, solid.placed.z_mm + solid.thickness_mm) for solid in (one, other))
    vertical = _vertical_mm(*(np.array([[solid.placed.z_mm, solid.thickness_mm]]).T for solid in (one, other)))
    return Separation(horizontal=flat, vertical_mm=float(vertical[0]), near=(*near, near_mm), far=(*far, far_mm))


def is_within(
    one: Solid,
    other: Solid,
    horizontal_mm: float = math.inf,
    vertical_mm: float = math.inf,
    *,
    straight_mm: float = math.inf,
) -> bool:
    """Return whether any part of one solid is within a range of another: along, up, straight, or each."""
    apart = separation(one, other)
    gaps = (apart.horizontal.mm, horizontal_mm), (apart.vertical_mm, vertical_mm), (apart.mm, straight_mm)
    return all(gap <= limit + _ROUNDING_MM for gap, limit in gaps)


def is_wholly_within(
    one: Solid,
    other: Solid,
    horizontal_mm: float = math.inf,
    vertical_mm: float = math.inf,
    *,
    straight_mm: float = math.inf,
) -> bool:
    """Return whether every part of one solid is within a range of another: along, up, straight, or each."""
    lower = other.placed.z_mm - one.placed.z_mm
    upper = one.placed.z_mm + one.thickness_mm - other.placed.z_mm - other.thickness_mm
    along, up = furthest_part(one.placed, other.placed).mm, max(lower, upper, 0.0)
    # The part that is furthest along is so at every height: straight, it is furthest at the height furthest off.
    gaps = (along, horizontal_mm), (up, vertical_mm), (math.hypot(along, up), straight_mm)
    return all(gap <= limit + _ROUNDING_MM for gap, limit in gaps)


def vertical_gaps_mm(solids: Sequence[Solid], pairs: Pairs) -> Array:
    """Return the vertical gaps, (m,), of pairs of solids whose horizontal ones `pairs` are.

    With them a whole table is asked at once: ``np.hypot(np.maximum(pairs.mm, 0), np.maximum(these, 0))`` is the
    straight distance of each pair.
    """
    heights = np.array([(solid.placed.z_mm, solid.thickness_mm) for solid in solids], dtype=float).reshape(-1, 2).T
    return _vertical_mm(heights[:, pairs.first], heights[:, pairs.second])


def common_point(one: Placed, other: Placed) -> Point:
    """Return a point of two shapes that touch or overlap."""
    flat = clearance(one, other)
    if flat.mm > -_ROUNDING_MM:
        return flat.near
    parts = product(placed_parts(one), placed_parts(other))
    a, b = min(parts, key=lambda pair: pair[1].plus(pair[0].reflected()).distance(0.0, 0.0)[0])
    met = crossings(a, b)
    if not len(met):  # one lies in the other: the narrower
        met = min(a, b, key=lambda part: float(part.support(_ACROSS).sum())).corners_mm
    x, y = met.mean(axis=0)
    return float(x), float(y)


def _vertical_mm(one: Array, other: Array) -> Array:
    """Return the gaps of height intervals, each a (2, m) row of bottoms and a row of thicknesses."""
    gaps: Array = np.maximum(other[0] - one[0] - one[1], one[0] - other[0] - other[1])
    return gaps
