"""When a base on its way is over an outline, wholly or in part, and when it crosses the table's edge; exact in time.

A base is wholly over an outline exactly if it overlaps nothing of what lies outside it: the half planes beyond the
sides of its hull, and the notches between the hull and the outline.  These are convex sets like any other.
"""

import math
from collections.abc import Sequence
from enum import Enum, auto

import numpy as np
import shapely

from assistant.geometry.clearance import Point, between, edge_clearance, least_edge_clearance
from assistant.geometry.contact import (
    ROUNDING_MM,
    Contact,
    Span,
    Zone,
    joined,
    legs_of,
    pose_at,
    shares_touching,
    spans_within,
)
from assistant.geometry.convex import Convex, convex_parts, hull, outer_radius_mm
from assistant.geometry.division import convex_rings
from assistant.geometry.shapes import Outline, Placed, Round


class Part(Enum):
    """How much of a base must be over an outline."""

    ANY = auto()
    """Some of its area; merely touching does not count."""
    WHOLE = auto()
    """All of it; touching the outline from inside does count."""
    CENTRE = auto()
    """Its centre, the outline counted in."""


def spans_over(path: Sequence[Placed], outline_mm: Sequence[Point], part: Part) -> tuple[Span, ...]:
    """Return the parts of a path on which a base is over an outline on the table, in order and apart."""
    feature = Placed(shape=Outline(points_mm=tuple(outline_mm)), x_mm=0.0, y_mm=0.0)
    match part:
        case Part.ANY:
            return spans_within(path, Zone(other=feature, range_mm=-ROUNDING_MM))
        case Part.CENTRE:
            point = Round(radius_mm=0.0)
            centres = [Placed(shape=point, x_mm=at.x_mm, y_mm=at.y_mm, z_mm=at.z_mm) for at in path]
            return spans_within(centres, Zone(other=feature))
        case Part.WHOLE:
            beyond = spans_beyond(path, outline_mm)
            ends = [0.0, *(time for span in beyond for time in (span.start, span.end)), float(len(path) - 1)]
            inside = zip(ends[::2], ends[1::2], strict=True)
            return tuple(Span(start=a, end=b) for a, b in inside if a < b or (a == b and not beyond))


def first_over_edge(path: Sequence[Placed], width_mm: float, depth_mm: float) -> Contact | None:
    """Return the first moment at which any part of a base is beyond the table's edge; None if it never is."""
    table = ((0.0, 0.0), (width_mm, 0.0), (width_mm, depth_mm), (0.0, depth_mm))
    beyond = spans_beyond(path, table)
    if not beyond:
        return None
    at = pose_at(path, beyond[0].start)
    return Contact(time=beyond[0].start, at=at, clearance=edge_clearance(at, width_mm, depth_mm))


def furthest_over_edge(path: Sequence[Placed], width_mm: float, depth_mm: float) -> Contact:
    """Return the moment at which a base is furthest beyond the table's edge, or comes nearest to it."""
    legs = [least_edge_clearance(a, b, width_mm, depth_mm) for a, b in legs_of(path)]
    leg = min(range(len(legs)), key=lambda index: legs[index].clearance.mm)
    time = leg + legs[leg].share
    return Contact(time=time, at=pose_at(path, time), clearance=legs[leg].clearance)


def spans_beyond(path: Sequence[Placed], outline_mm: Sequence[Point]) -> tuple[Span, ...]:
    """Return the parts of a path on which some of a base is more than a rounding outside an outline."""
    centres = np.array([(at.x_mm, at.y_mm) for at in path])
    across = np.ptp(np.concatenate((centres, np.array(outline_mm, dtype=float))), axis=0)
    reach = outer_radius_mm(path[0].shape)
    sets = [beyond.grown(-ROUNDING_MM) for beyond in _outside(outline_mm, float(across.sum()) + 2 * reach + 1.0)]
    parts = convex_parts(path[0].shape)
    return joined(
        Span(start=leg + low, end=leg + high)
        for leg, (a, b) in enumerate(legs_of(path))
        for low, high in shares_touching(parts, (a, b), [beyond for beyond in sets if _comes_near(a, b, beyond, reach)])
    )


def _comes_near(start: Placed, end: Placed, beyond: Convex, reach_mm: float) -> bool:
    """Return whether the disc around a base may meet a set on a leg; judged from the middle of the leg."""
    middle = between(start, end, 0.5)
    half_mm = math.hypot(end.x_mm - start.x_mm, end.y_mm - start.y_mm) / 2
    return beyond.distance(middle.x_mm, middle.y_mm)[0] <= half_mm + reach_mm


def _outside(outline_mm: Sequence[Point], reach_mm: float) -> list[Convex]:
    """Return convex sets that cover all that is outside an outline and no further from it than a reach."""
    corners = hull(np.array(outline_mm, dtype=float))
    sides = np.roll(corners, -1, axis=0) - corners
    found = []
    for corner, side in zip(corners, sides, strict=True):
        along = side / math.hypot(*side) * reach_mm
        out = np.array((along[1], -along[0]))
        low, high = corner - along, corner + side + along
        found.append(Convex(corners_mm=np.array((low, low + out, high + out, high))))
    notches = shapely.get_parts(shapely.difference(shapely.Polygon(corners), shapely.Polygon(outline_mm)))
    for notch in notches:
        ring = [(float(x), float(y)) for x, y in shapely.get_coordinates(notch)[:-1]]
        found += [Convex(corners_mm=hull(part)) for part in convex_rings(tuple(ring))]
    return found
