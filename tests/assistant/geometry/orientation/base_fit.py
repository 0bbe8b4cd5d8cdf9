"""Base fit: whether a base fits at a place, searched facing by facing; regions over all facings are held to it."""

import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from assistant.geometry.clearance.shape_clearance import Point, clearance, edge_clearance
from assistant.geometry.shapes.base_shapes import Base, Oval, PlacedShape, Rect, Round
from assistant.geometry.shapes.convex import inner_radius_mm, outer_radius_mm

TOUCH_MM = 1e-6
"""What overlaps no deeper than this touches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseFit:
    """How a base stands at a place."""

    room_mm: float
    """The least clearance to all others and to the table's edge; negative where it overlaps or overhangs."""
    facing_rad: float


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
