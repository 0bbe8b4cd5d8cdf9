"""The base of constraints: what a rule asks of a move, as values with one protocol, one module a kind.

A rulebook's action lists constraints.  The judge asks them for findings, the zone for the places where a model may
end, both of the same values, so that the zone that is drawn and the verdict that is given cannot disagree.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from shapely.geometry import Polygon
from shapely.geometry.base import BaseGeometry

from assistant.game.state import Model, Pose, Table, Unit
from assistant.geometry.motion.contact import PathSpan, ProximityZone
from assistant.geometry.orientation.facing_search import FacingConstraint
from assistant.geometry.shapes.base_shapes import Base, PlacedShape, Round
from assistant.geometry.shapes.convex import Array, ConvexSet
from assistant.geometry.shortest_path.tangents import Box
from assistant.geometry.shortest_path.weighted.areas import CostArea
from assistant.rules.context import RuleContext
from assistant.rules.engine.situation_index import Gaps, Ints
from assistant.rules.engine.terrain import Level
from assistant.rules.engine.walk import Walk
from assistant.rules.selectors import TerrainSelector
from assistant.rules.verdict import Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossing:
    """What is known of one model's way across those that may be crossed at a price."""

    surely: bool | None
    """None where it cannot be told."""
    finding: Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitMove:
    """A unit once all of its models have moved."""

    asked: RuleContext
    """As everybody stands then."""
    paths: Mapping[str, tuple[Pose, ...]]
    unit: Unit
    left: Collection[Model]
    """Its models that do not move."""
    rules: "ConstraintSet"


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A way whose ends are given, for the centre of a body."""

    walk: Walk
    body: Base
    ends: tuple[Pose, Pose]
    floors_mm: Array
    """How far each model of the scene is from the start at least, the body's own reach left out."""
    within_mm: float
    """What is further from the start does not count."""
    sigmas: float
    """Each other model is kept clear of by so many of its own more."""

    @property
    def facing_rad(self) -> float:
        """How the body is turned."""
        return 0.0 if isinstance(self.body, Round) else self.ends[0].facing_rad


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockedWay:
    """What a centre may not enter on its way."""

    models: tuple[Ints, Array] | None = None
    """Places of models in the scene, and how far the body stays from each."""
    shapes: Sequence[tuple[PlacedShape, float]] = ()
    """Other shapes, and how far the body stays from each."""
    walls: Sequence[ConvexSet] = ()
    """Lines that are not crossed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockedEnd:
    """What is kept clear of where a way ends, beyond doubt."""

    models: tuple[Ints, Array] | None = None
    """Places of models in the scene, and how far the base stays from each."""
    shapes: Sequence[tuple[PlacedShape, float]] = ()
    """Other shapes, and how far from each it stays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WayLimit:
    """How long a way may be."""

    limit_mm: float
    sure_mm: float
    """Beyond this it is in doubt whether so much is allowed."""
    turn_mm: float
    """The price of a first turn."""
    by_part: bool
    """The length is that of the part of the base which goes furthest, so that turning counts."""


class Constraint:
    """What a rule asks of a move; a kind says what it has to say, and is otherwise in nobody's way."""

    __slots__ = ()

    measures_way: ClassVar[bool] = False
    """Its finding is on the length of a way."""
    asks_footing: ClassVar[bool] = False
    """Heights mean something: a model stands on the ground or on top of terrain."""

    stands_by_itself: ClassVar[bool] = False
    """What it says of a unit that merely stands is about that unit, the ground, and models within its reach only."""

    # -- what is found

    def check(self, _walk: Walk, _rules: "ConstraintSet", /) -> Iterable[Finding]:
        """Return what it says of one model's move, seen or not, among the other constraints of the action."""
        return ()

    def find_crossing(self, _walk: Walk, _rules: "ConstraintSet", /) -> Crossing | None:
        """Return whether a model crossed another at a price; None where it is about no such thing."""
        return None

    def check_unmoved(self, _walk: Walk, /) -> Iterable[Finding]:
        """Return what it says of a model of the unit that stays while others move."""
        return ()

    def check_unit(self, _move: UnitMove, /) -> Iterable[Finding]:
        """Return what it says of the unit once all have moved."""
        return ()

    def check_standing(
        self, _unit: Unit, walks: Sequence[Walk], _gaps: Gaps, /, *, everything: bool
    ) -> Iterable[Finding]:
        """Return what it says of a unit that merely stands; without `everything` what is surely kept is passed over."""
        asked = (walk for walk in walks if everything or not self.surely_holds(walk))
        return (finding for walk in asked for finding in self.check(walk, ConstraintSet((self,))))

    def surely_holds(self, _walk: Walk, /) -> bool:
        """Return whether a standing model is so far from all that it is about that nothing need be measured."""
        return False

    @property
    def standing_reach_mm(self) -> float:
        """How near to each other two standing models are for it to ask about both."""
        return 0.0

    # -- where a way may go

    def holds_on_leg(self, *, seen: bool) -> bool:  # noqa: ARG002  # kinds tell seen legs from those made up
        """Return whether it is asked of each leg of a way by itself, of one that was seen or of one made up."""
        return False

    def block_way(self, _passage: Passage, /) -> BlockedWay | None:
        """Return what it keeps a way out of."""
        return None

    def has_walls(self) -> bool:
        """Return whether it may keep a way out by walls: what it says of a leg by itself is not all then."""
        return False

    def build_cost_areas(
        self, _walk: Walk, _body: Base, _ends: Sequence[Pose], _within_mm: float, _apart_mm: float, /
    ) -> Sequence[CostArea]:
        """Return the terrain that a way pays for, as areas of the centre of a body; see `find_costly_areas`."""
        return ()

    def bound_rise_mm(self, _walk: Walk, /) -> float:
        """Return how much of a way's length its height takes at least, besides what is level."""
        return 0.0

    def find_pace(self, _walk: Walk, _pose: Pose, _body: Base, /) -> float:
        """Return how many millimetres a millimetre of way counts for where a body is at a pose."""
        return 1.0

    def list_climbed(self) -> Iterable[TerrainSelector]:
        """Return which terrain is climbed at a price."""
        return ()

    def find_way_limit(self) -> WayLimit | None:
        """Return how long it lets a way be."""
        return None

    def is_through_air(self, _walk: Walk, /) -> bool:
        """Return whether it measures a way through the air."""
        return False

    def goes_straight(self, _walk: Walk, /) -> bool:
        """Return whether it asks of a way that the centre goes in one straight line."""
        return False

    # -- where a way may end

    def bound_places(self, _table: Table, _body: Base, _facing_rad: float, _margin_mm: float, /) -> Box | None:
        """Return a box that a body's centre stays in with a margin."""
        return None

    def is_top_by_height(self) -> bool:
        """Return whether a height alone tells what a model stands on, however near to the edge."""
        return False

    def block_end(self, _walk: Walk, _level: Level, _bounds: Polygon, /) -> BlockedEnd | None:
        """Return what it keeps the end of a way out of, somewhere within bounds."""
        return None

    def find_mate_range_mm(self, _walk: Walk, /) -> float:
        """Return how near to another model of its unit a way must end for it to matter where that one stands.

        Then only what it keeps the end of the way out of changes there.  Infinite where it may matter in another way,
        or further off; minus infinity where it does not matter at all.
        """
        return math.inf

    def narrow_end(self, _walk: Walk, places: BaseGeometry, /) -> BaseGeometry:
        """Return the part of some places, as the base is turned at its end, where it is kept beyond doubt."""
        return places

    def narrow_turned_end(self, _walk: Walk, places: BaseGeometry, /) -> BaseGeometry:
        """Return the part of some places where it is kept at some facing or other, where that is known at once."""
        return places

    def build_facing_constraint(self, _walk: Walk, _limit_mm: float | None, /) -> FacingConstraint | None:
        """Return the same over facings, for a way of a length; None where the facing plays no part."""
        return None

    facing_rank: ClassVar[int] = 2
    """In which order facings are asked about: the simplest first."""

    # -- how far a seen path is legal

    def find_break_time(self, _path: Sequence[PlacedShape], _walk: Walk, /) -> float:
        """Return the time at which a path first breaks it, where that is no contact."""
        return math.inf

    def list_contact_zones(self, _walk: Walk, /, *, on_the_way: bool) -> Iterable[ProximityZone]:  # noqa: ARG002  # as above
        """Return what it keeps a base out of on the way, or only where it ends."""
        return ()

    def list_closed_spans(self, _path: Sequence[PlacedShape], _walk: Walk, /) -> Iterable[PathSpan]:
        """Return the parts of a path at which it may not end, where these are no contacts."""
        return ()

    # -- one model by itself

    def drop_unit_parts(self) -> "Constraint | None":
        """Return it without what binds the unit as a whole, or models that do not move; None if nothing is left."""
        return self


class ConstraintSet(tuple[Constraint, ...]):
    """All constraints of one action, in its order."""

    __slots__ = ()

    def find_way_limit(self) -> WayLimit | None:
        """Return how long a way may be by the first constraint that limits it."""
        return next((limit for rule in self if (limit := rule.find_way_limit()) is not None), None)

    def list_way_limits(self) -> list[WayLimit]:
        """Return how long a way may be by each constraint that limits it."""
        return [limit for rule in self if (limit := rule.find_way_limit()) is not None]

    def is_through_air(self, walk: Walk) -> bool:
        """Return whether a way is measured through the air."""
        return any(rule.is_through_air(walk) for rule in self)

    def goes_straight(self, walk: Walk) -> bool:
        """Return whether a way must be one straight line of the centre."""
        return any(rule.goes_straight(walk) for rule in self)

    def check_legs(self, walk: Walk, *, seen: bool) -> Iterator[Finding]:
        """Yield what holds all along a way says of a walk."""
        return (finding for rule in self if rule.holds_on_leg(seen=seen) for finding in rule.check(walk, self))

    def check_unmoved(self, walk: Walk) -> Iterator[Finding]:
        """Yield what is said of a model that stays while others of its unit move."""
        return (finding for rule in self for finding in rule.check_unmoved(walk))

    def drop_unit_parts(self) -> "ConstraintSet":
        """Return what binds one model by itself."""
        alone = (rule.drop_unit_parts() for rule in self)
        return ConstraintSet(rule for rule in alone if rule is not None)
