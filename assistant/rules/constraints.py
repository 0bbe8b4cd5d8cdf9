"""What a rule can ask of a move, as data.

A rulebook's action lists constraints; `assistant.rules.measure` turns them into findings and `assistant.rules.zone`
into the places where a model may end.  Both read the same values, so the zone that is drawn and the verdict that is
given cannot disagree.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from assistant.game.state import Unit

Party = Callable[[Unit, Unit], bool]
"""Whether a rule about the models of one unit is about those of another, or of the same."""


def enemies(unit: Unit, other: Unit) -> bool:
    """Whether the other unit is an enemy's."""
    return other.player != unit.player


def everybody(_: Unit, __: Unit) -> bool:
    """Every other model, friend or enemy."""
    return True


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
    parties: Party
    range_mm: float
    vertical_mm: float
    """Models whose heights differ by more than this do not count."""
    on_the_way: bool
    """Holds all along the path, else only where it ends."""
    name: str
    """What the range is called; for a range of 0 what is done to the other model, as `moves across`."""
    everyone: bool = False
    """Holds for the models of the unit that do not move, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cross:
    """Certain models may be crossed on the way, at a price: it must be known which mover crosses one."""

    rule: str
    parties: Party
    vertical_mm: float
    """Models whose heights differ by more than this do not count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Near:
    """Within a range of one model, or wholly within it; exactly at the range is within."""

    rule: str
    model: str
    range_mm: float
    """In space: the difference of heights is part of it."""
    wholly: bool
    """Every part of the base, else some part."""
    everyone: bool = False
    """Holds for the models of the unit that do not move, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """A greatest length of way."""

    rule: str
    limit_mm: float
    pivot: Pivot
    pivot_mm: float
    """The price of the first turn under `Pivot.FIXED`."""
    free_mm: float = math.inf
    """Terrain taller than this is climbed: the way up and down counts."""
    flies: bool = False
    """A way that starts or ends on terrain is measured through the air."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Solid:
    """Terrain higher than this is not gone through, and no move ends in mid-climb."""

    through: str
    ending: str
    """The rules to cite for each."""
    free_mm: float
    """Terrain up to this height is moved over as if absent."""
    flies: bool = False
    """A way that starts or ends on terrain goes through the air, and so through nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stay:
    """Does not move at all."""

    rule: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OnTable:
    """No part of the base crosses the table's edge."""

    rule: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """Binds the unit as a whole: every model of it takes part."""

    rule: str
    if_room: bool = False
    """Only a model for which there is room must."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coherency:
    """Binds the unit as a whole: each model is near enough to so many others of its unit."""

    rule: str
    range_mm: float
    vertical_mm: float
    needed: int
    """How many other models each one must be near to."""


Constraint = KeepOut | Cross | Near | Allowance | Solid | Stay | OnTable | Whole | Coherency
