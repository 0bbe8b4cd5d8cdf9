"""Passage and fit: whether a base passes between two shapes, and whether it fits at a place.

A base that keeps its facing passes between two shapes exactly if the places of its centre that each of them forbids do
not overlap: then it can go around one without meeting the other.  For convex shapes that is: along some direction, the
strip between the two is at least as wide as the base's shadow.  A base free to turn passes if it does at some facing.
Between convex shapes nothing is gained by turning on the way: a convex body's least width is no more than any gap that
it gets through (Strang, The width of a chair, 1982), and a gap of that width is enough.  Touching is passing, and
fitting.
"""

import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from assistant.geometry.clearance.shape_clearance import Clearance, Point, clearance, edge_clearance
from assistant.geometry.shapes.base_shapes import Base, Outline, Oval, PlacedShape, Rect, Round
from assistant.geometry.shapes.convex import decompose_convex, decompose_placed, hull, inner_radius_mm, outer_radius_mm

TOUCH_MM = 1e-6
"""What overlaps no deeper than this touches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """How a base gets between two shapes."""

    margin_mm: float
    """How much wider the gap is than the base across it; negative where the base does not pass."""
    facing_rad: float
    """The base's facing as it passes, or as it comes nearest to it."""
    gap: Clearance
    """The gap where it is narrowest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseFit:
    """How a base stands at a place."""

    room_mm: float
    """The least clearance to all others and to the table's edge; negative where it overlaps or overhangs."""
    facing_rad: float


def measure_passage(base: Base, one: PlacedShape, other: PlacedShape, *, facing_rad: float | None = None) -> Passage:
    """Return how a base passes between two shapes, at a kept facing or at the best one.

    Exact for a kept facing, and for convex shapes at any.  At any facing with a concave shape the margin is that of the
    narrowest place: a negative one says that a convex base does not pass, a positive one not that a bend further on
    lets it through.  A concave base that is free to turn counts as its hull.
    """
    gap = clearance(one, other)
    if facing_rad is not None:
        return Passage(margin_mm=_measure_strip_mm(base, one, other, facing_rad), facing_rad=facing_rad, gap=gap)
    width, across = least_width(base)
    bearing = math.atan2(gap.far[1] - gap.near[1], gap.far[0] - gap.near[0])
    facing = math.remainder(bearing - across, 2 * math.pi)
    return Passage(margin_mm=gap.mm - width, facing_rad=facing, gap=gap)


def least_width(base: Base) -> tuple[float, float]:
    """Return the width of the narrowest strip that holds a base, and the direction across it in the base's frame."""
    match base:
        case Round(radius_mm=radius):
            return 2 * radius, 0.0
        case Oval(length_mm=length, width_mm=width) | Rect(length_mm=length, width_mm=width):
            return (length, 0.0) if length < width else (width, math.pi / 2)
        case Outline(points_mm=points):
            corners = hull(np.array(points))
            along = np.roll(corners, -1, axis=0) - corners
            across = np.column_stack((along[:, 1], -along[:, 0])) / np.hypot(along[:, 0], along[:, 1])[:, None]
            extent = across @ corners.T
            widths = extent.max(axis=1) - extent.min(axis=1)
            least = int(widths.argmin())
            return float(widths[least]), math.atan2(across[least, 1], across[least, 0])


def measure_room_mm(placed: PlacedShape, others: Sequence[PlacedShape], width_mm: float, depth_mm: float) -> float:
    """Return the least clearance of a shape to others and to the table's edge; it fits where that is not negative."""
    gaps = [clearance(placed, other).mm for other in others]
    return min([edge_clearance(placed, width_mm, depth_mm).mm, *gaps])


def fit_base(
    base: Base,
    place: Point,
    others: Sequence[PlacedShape],
    *,
    width_mm: float,
    depth_mm: float,
    facing_rad: float | None = None,
) -> BaseFit | None:
    """Return how a base fits at a place on a table, or None if it does not.

    Exact to `TOUCH_MM` for a kept facing and for round bases.  At any facing, the facings are searched by branch and
    bound: None is certified, for from one facing to another the room changes by no more than the base's furthest
    point moves.  The facing returned is one that fits, not the one with most room.

    Args:
        base: What is to stand there.
        place: Where its centre comes to.
        others: What it may touch but not overlap.
        width_mm: The table's extent along x.
        depth_mm: The table's extent along y.
        facing_rad: The facing that it keeps; None if it may face anywhere.

    """
    standing = PlacedShape(shape=base, x_mm=place[0], y_mm=place[1], facing_rad=facing_rad or 0.0)
    if facing_rad is not None or isinstance(base, Round):
        room = measure_room_mm(standing, others, width_mm, depth_mm)
        return BaseFit(room_mm=room, facing_rad=standing.facing_rad) if room >= -TOUCH_MM else None
    inner, outer = (replace(standing, shape=Round(radius_mm=size(base))) for size in (inner_radius_mm, outer_radius_mm))
    if inner_radius_mm(base) > 0 and measure_room_mm(inner, others, width_mm, depth_mm) < -TOUCH_MM:
        return None
    near = [other for other in others if clearance(outer, other).mm < 0]

    def room_at(facing: float) -> float:
        return measure_room_mm(replace(standing, facing_rad=facing), near, width_mm, depth_mm)

    facing = _find_fitting_facing(room_at, base)
    if facing is None:
        return None
    turned = replace(standing, facing_rad=facing)
    return BaseFit(room_mm=measure_room_mm(turned, others, width_mm, depth_mm), facing_rad=facing)


def _measure_strip_mm(base: Base, one: PlacedShape, other: PlacedShape, facing_rad: float) -> float:
    """Return by how much the places that two shapes forbid to a base's centre stay apart; negative if they overlap."""
    body = [part.move(0.0, 0.0, facing_rad) for part in decompose_convex(base)]
    pairs = product(decompose_placed(one), decompose_placed(other), body, body)
    return min(
        b.minkowski_sum(a.reflect()).minkowski_sum(p).minkowski_sum(q.reflect()).distance(0.0, 0.0)[0]
        for a, b, p, q in pairs
    )


def _find_fitting_facing(room_at: Callable[[float], float], base: Base) -> float | None:
    """Return a facing with room, or None if none has: the most promising intervals of facings are looked at first."""
    whole = math.pi if isinstance(base, Oval | Rect) else 2 * math.pi
    slope_mm, best = outer_radius_mm(base), -math.inf
    queue = [(-math.inf, whole / 2, whole / 2)]
    while queue:
        ceiling, middle, half = heapq.heappop(queue)
        if -ceiling <= max(best + TOUCH_MM / 2, -TOUCH_MM):
            break
        room = room_at(middle)
        if room >= -TOUCH_MM:
            return middle
        best, half, ceiling = max(best, room), half / 2, -(room + slope_mm * half)
        heapq.heappush(queue, (ceiling, middle - half, half))
        heapq.heappush(queue, (ceiling, middle + half, half))
    return None
