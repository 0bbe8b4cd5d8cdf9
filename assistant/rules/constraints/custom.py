"""Custom constraints: an odd mechanic of one rulebook, in functions of its own."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from shapely.geometry.base import BaseGeometry

from assistant.geometry.orientation.facing_search import FacingConstraint
from assistant.geometry.shapes.convex import ConvexSet
from assistant.geometry.shapes.polygons import extract_polygons
from assistant.rules.constraints.base import BlockedWay, Constraint, ConstraintSet, Passage, UnitMove
from assistant.rules.engine.minkowski_regions import build_turning_constraint
from assistant.rules.engine.situation_index import SituationIndex
from assistant.rules.engine.walk import Walk
from assistant.rules.verdict import Finding

_LINE_MM = 0.005
"""How thick a wall is made: ways that hug an obstacle would run through a line without a width."""


def keep_all_places(_: Walk, places: BaseGeometry, __: float) -> BaseGeometry:
    """Return all of some places."""
    return places


def _give_nothing(_: object) -> tuple[()]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomConstraint(Constraint):
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

    def check(self, walk: Walk, _rules: ConstraintSet, /) -> Iterable[Finding]:
        """Return what the rulebook says of one model's move."""
        return self.findings(walk)

    def check_unmoved(self, walk: Walk, /) -> Iterable[Finding]:
        """Return what it says of a model that stays."""
        return self.staying(walk)

    def check_unit(self, move: UnitMove, /) -> Iterable[Finding]:
        """Return what it says once all have moved."""
        return self.after(move.asked.scene)

    def holds_on_leg(self, *, seen: bool) -> bool:
        """Return whether it says something of each leg that was seen; those made up its walls keep clear of."""
        return seen and self.on_the_way

    def block_way(self, passage: Passage, /) -> BlockedWay:
        """Return its walls."""
        return BlockedWay(walls=[wall.grow(_LINE_MM) for wall in self.walls(passage.walk)])

    def has_walls(self) -> bool:
        """Return whether it has any."""
        return self.walls is not _give_nothing

    def narrow_end(self, walk: Walk, places: BaseGeometry, /) -> BaseGeometry:
        """Return the places at which it is kept."""
        return extract_polygons(self.places(walk, places, 0.0))

    def narrow_turned_end(self, walk: Walk, places: BaseGeometry, /) -> BaseGeometry:
        """Return the places at which it is kept at some facing, where the rulebook knows."""
        return places if self.at_some_facing is None else extract_polygons(self.at_some_facing(walk, places, 0.0))

    def build_facing_constraint(self, walk: Walk, _limit_mm: float | None, /) -> FacingConstraint | None:
        """Return where it is kept at a facing, where that is not known at once."""
        if self.at_some_facing is not None or self.places is keep_all_places:
            return None
        return build_turning_constraint(walk, self.places)

    def drop_unit_parts(self) -> "CustomConstraint":
        """Return it without what it says of the unit and of models that stay."""
        return replace(self, after=_give_nothing, staying=_give_nothing)
