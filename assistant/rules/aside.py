"""How far a way is off the direction in which it must go."""

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Aside:
    """A way of some length, held to a direction with a tolerance, as lengths across that direction."""

    off_mm: float
    """How far its end is aside; for a way that leads back, all of its length."""
    limit_mm: float
    """How far aside the tolerance lets it be."""
    margin_mm: float
    """How far its end is inside the edge of the tolerance, or outside."""


def aside(mm: float, off_rad: float, tolerance_rad: float) -> Aside:
    """Return what a way of a length comes to that is so far off its direction, from 0 to pi."""
    inside = math.sin(tolerance_rad - off_rad) if off_rad <= tolerance_rad + math.pi / 2 else -1.0
    return Aside(
        off_mm=mm * math.sin(min(off_rad, math.pi / 2)), limit_mm=mm * math.sin(tolerance_rad), margin_mm=mm * inside
    )
