"""What a shape that stands keeps out of its place: sets of places of another's centre."""

from collections.abc import Iterator
from functools import lru_cache

import shapely

from assistant.geometry.convex import Convex, convex_parts, placed_parts
from assistant.geometry.reach import without_ellipses
from assistant.geometry.shapes import Base, Placed

_OVAL_MM = 0.01
"""How far the polygon that stands for an oval in a way's obstacles may lie outside it."""


def kept_out(body: Base, facing_rad: float, other: Placed, range_mm: float) -> Iterator[Convex]:
    """Yield the places of a body's centre at which it is nearer to another than a range, as convex sets."""
    for part in convex_parts(body):
        mirrored = part.moved(0.0, 0.0, facing_rad).reflected()
        for theirs in placed_parts(other):
            kept = theirs.plus(mirrored)
            yield kept.grown(range_mm) if range_mm >= -kept.radius_mm else _eroded(kept, -range_mm)


def _eroded(kept: Convex, by_mm: float) -> Convex:
    """Return what is left of a polygon, grown by its radius, when a width is taken off all around."""
    kept = without_ellipses(kept, _OVAL_MM)
    core = shapely.Polygon(kept.corners_mm).buffer(kept.radius_mm - by_mm, join_style="mitre")
    corners = shapely.get_coordinates(shapely.orient_polygons(core))[:-1] if not core.is_empty else kept.corners_mm[:1]
    return Convex(corners_mm=corners)


@lru_cache(maxsize=2048)
def obstacles_of(body: Base, facing_rad: float, other: Placed, range_mm: float = 0.0) -> tuple[Convex, ...]:
    """Return what `kept_out` yields without ellipses: the models of a unit have most of it in common."""
    return tuple(without_ellipses(each, _OVAL_MM) for each in kept_out(body, facing_rad, other, range_mm))
