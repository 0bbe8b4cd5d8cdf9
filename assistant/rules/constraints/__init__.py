"""Constraints: what a rule can ask of a move, as data.

A rulebook's action lists constraints; `assistant.rules.engine.measurement` turns them into findings and
`assistant.rules.engine.end_region` into the places where a model may end.  Both read the same values, so the zone that
is drawn and the verdict that is given cannot disagree.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from shapely.geometry.base import BaseGeometry

from assistant.game.state import Terrain
from assistant.geometry.shapes.convex import ConvexSet
from assistant.rules.engine.situation_index import SituationIndex
from assistant.rules.engine.walk import Walk
from assistant.rules.selectors import TerrainSelector, UnitSelector, is_any_model
from assistant.rules.verdict import Finding, Outcome


def keep_all_places(_: Walk, places: BaseGeometry, __: float) -> BaseGeometry:
    """Return all of some places."""
    return places


def _give_nothing(_: object) -> tuple[()]:
    return ()


class Pivot(StrEnum):
    """How turning counts towards the length of a move.  A round base turns free under each."""

    FURTHEST_POINT = "furthest-point"
    """The part of the base that travels furthest along its path is measured."""
    FIXED = "fixed-2in"
    """The centre is measured, and the first turn has a price."""
    FREE = "free"
    """The centre is measured."""
    DISPLACEMENT = "displacement"
    """The part of the base whose places, from pose to pose, lie furthest apart is measured, straight."""


BY_PART = frozenset({Pivot.FURTHEST_POINT, Pivot.DISPLACEMENT})
"""By these a length is that of the part of the base which goes furthest, so that turning counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepOut:
    """No nearer to certain models than a range."""

    rule: str
    parties: UnitSelector
    range_mm: float
    vertical_mm: float
    """Models whose heights differ by more than this do not count."""
    on_the_way: bool
    """Holds all along the path, else only where it ends."""
    name: str
    """What the range is called; for a range of 0 what is done to the other model, as `moves across`."""
    everyone: bool = False
    """Holds for the models of the unit that do not move, too."""
    among: Callable[[str], bool] = is_any_model
    """Which of those models it is about, by id."""
    at_limit: bool = True
    """Exactly at the range is allowed."""
    leaving: bool = False
    """One who starts within the range may leave it, and may come no nearer; to end on top of another is forbidden."""
    fixed: frozenset[str] | None = None
    """Of the models of the mover's unit it is about these, and those that have moved before; None for about all."""
    settled: bool = False
    """Asked of each model that moved once all have: it may have ended where another one has left since."""
    unless_ending: bool = False
    """Not asked about a model that the way ends, or may end, within range of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForbiddenTerrain:
    """No part of a base over certain terrain; touching it is allowed."""

    rule: str
    terrain: TerrainSelector
    on_the_way: bool
    """Holds all along the path, else only where it ends."""
    leaving: bool = False
    """One who starts over it may leave it, and may go no deeper; to end over it is forbidden."""
    unless_starting: bool = False
    """Not asked about a piece that the way starts over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossingPrice:
    """Certain models may be crossed on the way, at a price: it must be known which mover crosses one."""

    rule: str
    parties: UnitSelector
    vertical_mm: float
    """Models whose heights differ by more than this do not count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proximity:
    """Within a range of one model, or wholly within it; exactly at the range is within."""

    rule: str
    model: str
    range_mm: float
    """In space: the difference of heights is part of it."""
    wholly: bool
    """Every part of the base, else some part."""
    everyone: bool = False
    """Holds for the models of the unit that do not move, too."""


def _give_no_width(_: Terrain) -> float:
    return 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TerrainCost:
    """What a way pays for terrain of some kind, besides its length."""

    rule: str
    """Cited for terrain that costs more than the whole allowance and so cannot be passed; empty where that is none."""
    terrain: TerrainSelector
    pace: float = 1.0
    """How many millimetres a millimetre of way over it counts for; where several are crossed, the greatest counts."""
    any_part: bool = False
    """The way over it is that of any part of the base, else that of its centre."""
    across_mm: Callable[[Terrain], float] = _give_no_width
    """How wide it is, for terrain that is passed as a whole."""
    climb: float = 0.0
    """How many millimetres one of height counts for, up and down alike."""
    free_mm: float = 0.0
    """What is lower than this is climbed for nothing."""


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
    costs: tuple[TerrainCost, ...] = ()
    """What terrain adds."""
    sure_mm: float = math.inf
    """Beyond this it is in doubt whether so much is allowed, for a reason that the measure of the way does not show."""
    no_way: str = ""
    """Cited where no clear way leads there at all; else the rule itself is."""
    because: str = ""
    """Why so much is allowed, or may be, as the sentence adds it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Footing:
    """Ends on the ground or on top of terrain, not in mid-climb."""

    rule: str
    by_height: bool = False
    """Its height tells what it stands on, however near to the edge; a climb that ends half-way names the terrain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SolidTerrain:
    """Terrain higher than this is not gone through."""

    rule: str
    free_mm: float
    """Terrain up to this height is moved over as if absent."""
    flies: bool = False
    """A way that starts or ends on terrain goes through the air, and so through nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Immobility:
    """Does not move at all."""

    rule: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TableBoundary:
    """No part of the base crosses the table's edge."""

    rule: str
    leaving: bool = False
    """One who starts over the edge may come back, and may go no further over it; to end over it is forbidden."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeUnit:
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
    needed: int = 1
    """How many other models each one must be near to."""
    chain: bool = False
    """All models hang together by links of two that are near enough to each other, however many each one has."""
    offence: Outcome = Outcome.ILLEGAL
    """What being out of it comes to; if that is no offence, it is none either where it is too close to call."""
    broken: str = "out of coherency"
    """What is said of a unit that is out of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomConstraint:
    """An odd mechanic of one rulebook, said by the rulebook itself."""

    findings: Callable[[Walk], Iterable[Finding]] = _give_nothing
    """What it says of one model's move; at most one for each rule."""
    on_the_way: bool = False
    """Holds of each leg of a path by itself."""
    places: Callable[[Walk, BaseGeometry, float], BaseGeometry] = keep_all_places
    """Of some places of the base's centre, as it stands at the end of the walk, those at which it is kept beyond doubt.

    With a number of millimetres to spare, those at which it is kept if every length is so much longer or shorter.
    """
    walls: Callable[[Walk], Sequence[ConvexSet]] = _give_nothing
    """What the base's centre may not cross on a way that nobody saw."""
    at_some_facing: Callable[[Walk, BaseGeometry, float], BaseGeometry] | None = None
    """The same at some facing or other, where that is known, or where turning plays no part; else each is asked."""
    after: Callable[[SituationIndex], Iterable[Finding]] = _give_nothing
    """What it says once all models have moved, of how everybody stands then."""
    staying: Callable[[Walk], Iterable[Finding]] = _give_nothing
    """What it says of a model of the unit that does not move, the others having moved."""


Constraint = (
    KeepOut
    | ForbiddenTerrain
    | CrossingPrice
    | Proximity
    | Allowance
    | Footing
    | SolidTerrain
    | Immobility
    | TableBoundary
    | WholeUnit
    | Coherency
    | CustomConstraint
)
