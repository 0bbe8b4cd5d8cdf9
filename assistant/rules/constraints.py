"""What a rule can ask of a move, as data.

A rulebook's action lists constraints; `assistant.rules.measure` turns them into findings and `assistant.rules.zone`
into the places where a model may end.  Both read the same values, so the zone that is drawn and the verdict that is
given cannot disagree.
"""

from dataclasses import dataclass
from enum import StrEnum


class Parties(StrEnum):
    """Whom a keep-out is about."""

    ENEMIES = "enemies"
    OTHERS = "others"
    """Every other model, friend or enemy."""


class Pivot(StrEnum):
    """How turning counts towards the length of a move.  A round base turns free under each."""

    FURTHEST_POINT = "furthest-point"
    """The part of the base that travels furthest along its path is measured."""
    FIXED = "fixed-2in"
    """The centre is measured, and the first turn has a price."""
    FREE = "free"
    """The centre is measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepOut:
    """No nearer to certain models than a range; exactly at the range is allowed."""

    rule: str
    parties: Parties
    range_mm: float
    vertical_mm: float
    """Models whose heights differ by more than this do not count."""
    on_the_way: bool
    """Holds all along the path, else only where it ends."""
    name: str
    """What the range is called; for a range of 0 what is done to the other model, as `moves across`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """A greatest length of way."""

    rule: str
    limit_mm: float
    pivot: Pivot
    pivot_mm: float
    """The price of the first turn under `Pivot.FIXED`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stay:
    """Does not move at all."""

    rule: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OnTable:
    """No part of the base crosses the table's edge."""

    rule: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Coherency:
    """Binds the unit as a whole: each model is near enough to so many others of its unit."""

    rule: str
    range_mm: float
    vertical_mm: float
    needed: int
    """How many other models each one must be near to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Climb:
    """Terrain higher than this is climbed, which is not judged: a move that meets it gets a note."""

    rule: str
    free_mm: float


Constraint = KeepOut | Allowance | Stay | OnTable | Coherency | Climb
