"""Boundary crossing: when a moving base is outside of an outline, in part, and when it crosses the table's edge.

Times are exact.  A base is wholly over an outline exactly if it overlaps nothing of what lies outside it: the half
planes beyond the sides of its hull, and the notches between the hull and the outline.  These are convex sets like any
other.
"""

import math
from collections.abc import Sequence

import numpy as np
import shapely

from assistant.geometry.clearance.shape_clearance import Point, edge_clearance, interpolate_pose
from assistant.geometry.motion.contact import (
    ROUNDING_MM,
    Contact,
    PathSpan,
    find_pose,
    find_touching_shares,
    join_spans,
    split_legs,
)
from assistant.geometry.shapes.base_shapes import PlacedShape
from assistant.geometry.shapes.convex import (
    ConvexSet,
    decompose_convex,
    hull,
    outer_radius_mm,
    partition_into_convex_rings,
)


def find_edge_crossing(path: Sequence[PlacedShape], width_mm: float, depth_mm: float) -> Contact | None:
    """Return the first moment at which any part of a base is beyond the table's edge; None if it never is."""
    table = ((0.0, 0.0), (width_mm, 0.0), (width_mm, depth_mm), (0.0, depth_mm))
    beyond = find_spans_beyond(path, table)
    if not beyond:
        return None
    at = find_pose(path, beyond[0].start)
    return Contact(time=beyond[0].start, at=at, clearance=edge_clearance(at, width_mm, depth_mm))


def find_spans_beyond(path: Sequence[PlacedShape], outline_mm: Sequence[Point]) -> tuple[PathSpan, ...]:
    """Return the parts of a path on which some of a base is more than a rounding outside an outline."""
    centres = np.array([(at.x_mm, at.y_mm) for at in path])
    across = np.ptp(np.concatenate((centres, np.array(outline_mm, dtype=float))), axis=0)
    reach = outer_radius_mm(path[0].shape)
    sets = [
        beyond.grow(-ROUNDING_MM) for beyond in _build_outside_sets(outline_mm, float(across.sum()) + 2 * reach + 1.0)
    ]
    parts = decompose_convex(path[0].shape)
    return join_spans(
        PathSpan(start=leg + low, end=leg + high)
        for leg, (a, b) in enumerate(split_legs(path))
        for low, high in find_touching_shares(
            parts, (a, b), [beyond for beyond in sets if _may_meet(a, b, beyond, reach)]
        )
    )


def _may_meet(start: PlacedShape, end: PlacedShape, beyond: ConvexSet, reach_mm: float) -> bool:
    """Return whether the disc around a base may meet a set on a leg; judged from the middle of the leg."""
    middle = interpolate_pose(start, end, 0.5)
    half_mm = math.hypot(end.x_mm - start.x_mm, end.y_mm - start.y_mm) / 2
    return beyond.distance(middle.x_mm, middle.y_mm)[0] <= half_mm + reach_mm


def _build_outside_sets(outline_mm: Sequence[Point], reach_mm: float) -> list[ConvexSet]:
    """Return convex sets that cover all that is outside an outline and no further from it than a reach."""
    corners = hull(np.array(outline_mm, dtype=float))
    sides = np.roll(corners, -1, axis=0) - corners
    outside_sets = []
    for corner, side in zip(corners, sides, strict=True):
        along = side / math.hypot(*side) * reach_mm
        out = np.array((along[1], -along[0]))
        low, high = corner - along, corner + side + along
        outside_sets.append(ConvexSet(corners_mm=np.array((low, low + out, high + out, high))))
    notches = shapely.get_parts(shapely.difference(shapely.Polygon(corners), shapely.Polygon(outline_mm)))
    for notch in notches:
        ring = [(float(x), float(y)) for x, y in shapely.get_coordinates(notch)[:-1]]
        outside_sets += [ConvexSet(corners_mm=hull(part)) for part in partition_into_convex_rings(tuple(ring))]
    return outside_sets
