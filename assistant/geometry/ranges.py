"""Within and wholly within, as wargames measure them, horizontally and vertically apart.

A shape with a height is its outline, from the height it stands at up to that plus its thickness.
"""

import math
from dataclasses import dataclass

from assistant.geometry.clearance import Clearance, clearance
from assistant.geometry.furthest import furthest_part
from assistant.geometry.shapes import Placed

_ROUNDING_MM = 1e-6
"""A range met exactly is met, whatever the rounding of the last digits says."""


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

    @property
    def mm(self) -> float:
        """The straight distance of two upright solids; 0 where they touch or overlap."""
        return math.hypot(max(self.horizontal.mm, 0.0), max(self.vertical_mm, 0.0))


def separation(one: Solid, other: Solid) -> Separation:
    """Return the horizontal and vertical gaps between two solids."""
    least_one, least_other = one.placed.z_mm, other.placed.z_mm
    above, below = least_other - least_one - one.thickness_mm, least_one - least_other - other.thickness_mm
    return Separation(horizontal=clearance(one.placed, other.placed), vertical_mm=max(above, below))


def is_within(one: Solid, other: Solid, horizontal_mm: float, vertical_mm: float = math.inf) -> bool:
    """Return whether any part of one solid is within a range of another, its limits apart as rules measure them."""
    apart = separation(one, other)
    return apart.horizontal.mm <= horizontal_mm + _ROUNDING_MM and apart.vertical_mm <= vertical_mm + _ROUNDING_MM


def is_wholly_within(one: Solid, other: Solid, horizontal_mm: float, vertical_mm: float = math.inf) -> bool:
    """Return whether every part of one solid is within a range of another."""
    lower = other.placed.z_mm - one.placed.z_mm
    upper = one.placed.z_mm + one.thickness_mm - other.placed.z_mm - other.thickness_mm
    if max(lower, upper) > vertical_mm + _ROUNDING_MM:
        return False
    return furthest_part(one.placed, other.placed).mm <= horizontal_mm + _ROUNDING_MM
