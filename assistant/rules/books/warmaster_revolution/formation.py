"""Formations: whether a unit stands in a column, in a line or in neither, and what two sigma leave open."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import combinations

from assistant.game.state import Model
from assistant.geometry.clearance import Point
from assistant.rules.books.warmaster_revolution.joints import (
    COLUMN,
    LINE,
    ROUNDING_RAD,
    Chain,
    chained,
    degrees,
    doubt,
    lacking,
    segments_mm,
    worth,
)
from assistant.rules.books.warmaster_revolution.troops import Edges, edges
from assistant.rules.rulebook import Question
from assistant.rules.ruling import ROUNDING_MM
from assistant.rules.verdict import Outcome
from assistant.rules.words import apart


class Kind(StrEnum):
    """How a unit's stands are arranged."""

    ALONE = "alone"
    COLUMN = "column"
    LINE = "line"
    IRREGULAR = "irregular"


@dataclass(frozen=True, slots=True, kw_only=True)
class Formation:
    """How a unit stands."""

    kind: Kind
    """As measured."""
    sure: bool
    """Whether it is regular, or irregular, beyond two sigma."""
    order: tuple[str, ...]
    """A column's stands from its head, a line's from the right; of an irregular unit the order that lacks least."""
    joints_mm: tuple[tuple[Point, Point], ...] = ()
    """Where each stand of the order is joined, or should be, to the next: the shortest segment between their edges."""
    reason: str
    """What it is, and why it is irregular."""
    doubt: str = ""
    """On what it depends whether it is regular, where that is open."""

    @property
    def regular(self) -> bool:
        """Whether it is regular as measured."""
        return self.kind is not Kind.IRREGULAR


def formation(asked: Question) -> Formation:
    """Return the formation of a unit as its stands on the table stand."""
    return formation_of(
        tuple(stand for stand in asked.unit.models if stand.pose is not None),
        touch_mm=asked.number("touch_mm"),
        tolerance_rad=math.radians(asked.number("line_tolerance_deg")),
    )


@lru_cache(maxsize=512)
def formation_of(stands: tuple[Model, ...], *, touch_mm: float, tolerance_rad: float) -> Formation:
    """Return the formation of stands on the table.

    Args:
        stands: all of one unit that have a pose.
        touch_mm: how far apart edges still touch, and how far a stand of a line may be shifted.
        tolerance_rad: how far any two facings of a line may differ.

    """
    names = tuple(stand.id for stand in stands)
    if len(stands) < 2:
        return Formation(kind=Kind.ALONE, sure=True, order=names, reason="a single stand")
    sides = {stand.id: edges(stand.placed()) for stand in stands}
    known = {stand: own for stand, own in sides.items() if own is not None}
    if len(known) < len(stands):
        edgeless = next(stand for stand, own in sides.items() if own is None)
        reason = f"irregular: the base of {edgeless} has no edges"
        return Formation(kind=Kind.IRREGULAR, sure=True, order=names, reason=reason)
    chain, askew = _likelier(stands, known, touch_mm, tolerance_rad)
    outcome = Outcome.ILLEGAL if askew else chain.worst.outcome
    regular = outcome is Outcome.LEGAL or (not askew and chain.worst.margin_mm >= -ROUNDING_MM)
    kind = Kind(chain.plan.name) if regular else Kind.IRREGULAR
    return Formation(
        kind=kind,
        sure=outcome is not Outcome.TOO_CLOSE,
        order=chain.order,
        joints_mm=segments_mm(chain, known),
        reason=f"a {kind} of {len(stands)}" if regular else f"irregular: {askew or lacking(chain)}",
        doubt=doubt(chain) if outcome is Outcome.TOO_CLOSE else "",
    )


def _likelier(
    stands: Sequence[Model], sides: Mapping[str, Edges], touch_mm: float, tolerance_rad: float
) -> tuple[Chain, str]:
    """Return the column or the line that lacks less, and which facings forbid the line if it is that."""
    own = tuple(sides[stand.id] for stand in stands)
    column = chained(COLUMN, stands, own, touch_mm)
    if column.worst.outcome is Outcome.LEGAL:
        return column, ""
    line = chained(LINE, stands, own, touch_mm)
    askew = _askew(stands, tolerance_rad)
    of_column, of_line = _nearness(column), (0, *_nearness(line)[1:]) if askew else _nearness(line)
    return (column, "") if of_column >= of_line else (line, askew)


def _nearness(chain: Chain) -> tuple[int, int, float]:
    """Return how near a chain comes to what is asked, as what can be compared."""
    grade, margin_mm = worth(chain.worst)
    return grade, chain.touching, margin_mm


def _askew(stands: Sequence[Model], tolerance_rad: float) -> str:
    """Return which two stands face too far apart for a line; empty if all face the same way."""
    facings = [(stand.id, stand.pose.facing_rad) for stand in stands if stand.pose is not None]
    turn_rad, one, two = max(
        (abs(math.remainder(b - a, math.tau)), first, second) for (first, a), (second, b) in combinations(facings, 2)
    )
    if turn_rad <= tolerance_rad + ROUNDING_RAD:
        return ""
    turn, limit = apart(degrees, math.degrees(turn_rad), math.degrees(tolerance_rad))
    return f"{one} and {two} face {turn} apart, more than {limit} for a line"
