"""Threat ranges: where a unit's next plain move may take it, and how far it can strike from there."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import shapely
from shapely.geometry.base import BaseGeometry

from assistant.errors import BadInput
from assistant.game.state import NO_RULEBOOK, GameState
from assistant.geometry.shapes.base_shapes import Round
from assistant.geometry.shapes.convex import outer_radius_mm
from assistant.geometry.shapes.polygons import extract_polygons
from assistant.overlay.shapes import trace_outline
from assistant.rules.books import find_rulebook
from assistant.rules.referee import Referee
from assistant.table.declared_move import find_plain_move

SIMPLER_MM = 0.2
CHORD_MM = 0.25
ERROR_MM = 0.5
"""How far the drawn edge may be from that of the zones grown by the range: their own error, and the two above."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Threat:
    """The part of the table that a unit may come to threaten."""

    unit: str
    text: str
    """What is shown, such as ``raiders: 6" normal move + 1" engagement range``."""
    note: str
    """What it leaves aside, in a sentence; empty if nothing."""
    region: shapely.MultiPolygon


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreatQuery:
    """The question what a unit may come to threaten."""

    referee: Referee
    """Of the game as it will stand when the unit moves next, as far as that is known now."""
    unit: str
    action: str | None
    """Its next plain move; None if it may make none."""
    range_mm: float
    what: str
    """What the range is, in a word or two."""

    def answers(self) -> Iterator[Threat | None]:
        """Yield the threat once it is known, and None after each model before: then the question may be dropped.

        A base that is not round goes as it faces now, since all other ways to turn take too long, and reaches to every
        side as far as its furthest part does.
        """
        state = self.referee.state
        models = [model for model in state.find_unit(self.unit).models if model.pose is not None]
        reached: list[BaseGeometry] = []
        furthest_mm = 0.0
        for model in models:
            reached.append(shapely.Polygon(trace_outline(model.place_base(), self.range_mm)))
            if self.action is not None:
                try:
                    zone = self.referee.find_zone(model=model.id, action=self.action, alone=True, facing="keep")
                except BadInput:  # such as a profile that does not say how far it moves: it threatens from where it is
                    continue
                furthest_mm = max(furthest_mm, zone.limit_mm or 0.0)
                reached.append(grow_region(zone.region, self.range_mm + outer_radius_mm(model.base)))
            yield None
        table = shapely.box(0, 0, state.table.width_mm, state.table.depth_mm)
        region = shapely.intersection(shapely.union_all(reached), table)
        straight = not all(isinstance(model.base, Round) for model in models) and furthest_mm > 0
        note = "Without what it could reach only by turning on its way." if straight else ""
        yield Threat(unit=self.unit, text=self._describe(furthest_mm), note=note, region=extract_polygons(region))

    def _describe(self, move_mm: float) -> str:
        book = self.referee.book
        label = book.find_action(self.action).label.lower() if self.action else ""
        moved = f"{book.say(move_mm, 2)} {label}" if move_mm else "no move"
        return f"{self.unit}: {moved} + {book.say(self.range_mm, 2)} {self.what}"


def build_threat_query(state: GameState, unit: str, range_mm: float | None) -> ThreatQuery:
    """Return the question what a unit may come to threaten.

    Args:
        state: the game as it stands.
        unit: the unit.
        range_mm: how far it can strike; None for the range in which models are engaged.

    Raises:
        BadInput: there is no such unit, it is not on the table, or nothing is played.

    """
    if state.rulebook == NO_RULEBOOK:
        raise BadInput("nothing is played on this table, so nobody threatens anybody")
    try:
        member = state.find_unit(unit)
    except KeyError:
        raise BadInput(f"there is no unit {unit!r} in this game") from None
    book = find_rulebook(state.rulebook)
    now = state.apply_tracks()
    # What ends as its player's next turn begins is over by then.
    lasting = tuple(status for status in member.status if status not in book.passing)
    free = replace(now.set_statuses({unit: lasting}), turn=None, orders_begun=False, declared=None, tracks={})
    if book.absent(member) or not any(model.pose for model in free.find_unit(unit).models):
        raise BadInput(f"{unit} is not on the table, so it threatens nobody yet")
    referee = Referee(free)
    drawn = referee.find_engagement_rule(unit)
    return ThreatQuery(
        referee=referee,
        unit=unit,
        action=find_plain_move(referee, unit),
        range_mm=drawn.range_mm if range_mm is None else range_mm,
        what=drawn.name if range_mm is None else "range",
    )


def grow_region(region: BaseGeometry, by_mm: float) -> BaseGeometry:
    """Return everything within some millimetres of a region, for drawing: up to ERROR_MM less than that."""
    if region.is_empty:
        return region
    half_angle = math.acos(max(0.0, 1 - CHORD_MM / max(by_mm, CHORD_MM)))
    segments = max(8, math.ceil(math.pi / 4 / max(half_angle, 1e-3)))
    wide = shapely.buffer(shapely.simplify(region, SIMPLER_MM / 2), by_mm, quad_segs=segments)
    return shapely.simplify(wide, SIMPLER_MM / 2)
