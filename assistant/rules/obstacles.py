"""What a shape that stands keeps out of its place: sets of places of another's centre."""

from collections.abc import Iterator
from functools import lru_cache

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
            yield theirs.plus(mirrored).grown(range_mm)


@lru_cache(maxsize=2048)
def obstacles_of(body: Base, facing_rad: float, other: Placed, range_mm: float = 0.0) -> tuple[Convex, ...]:
    """Return what `kept_out` yields without ellipses: the models of a unit have most of it in common."""
    return tuple(without_ellipses(each, _OVAL_MM) for each in kept_out(body, facing_rad, other, range_mm))
