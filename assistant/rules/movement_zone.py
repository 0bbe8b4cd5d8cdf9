"""Movement zones: where a model may end an action, as the places of its base's centre.

They are made of the same constraints that the verdict is given by.  While a hand drags one model, a zone of another is
made again only where that one matters to it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import shapely

from assistant.game.state import GameState, Pose, Setting
from assistant.geometry.shapes.base_shapes import PlacedShape, Round
from assistant.geometry.shapes.overlays import unite
from assistant.geometry.shapes.polygons import extract_polygons
from assistant.rules.constraints.base import ConstraintSet
from assistant.rules.context import RuleContext
from assistant.rules.engine.end_region import (
    EndRegion,
    Facing,
    follow_end_region,
    measure_diagonal_mm,
    refine_end_region,
)
from assistant.rules.engine.reachability import ERROR_MM
from assistant.rules.engine.situation_index import is_same_ground
from assistant.rules.engine.walk import Walk
from assistant.rules.rulebook import Action


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneQuestion:
    """What is asked of a zone."""

    model: str
    """The model that moves."""
    action: str
    """The rulebook's action."""
    rolls: tuple[int, ...] = ()
    """The dice that the action needs."""
    facing: Facing = "any"
    """``keep`` for the present facing; ``any`` for some facing at which the base may end there."""
    alone: bool = False
    """Leave aside what binds the unit as a whole."""
    intent: Mapping[str, Setting] = field(default_factory=dict)
    """The rulebook's fields of the move."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MovementZone:
    """The places of a base's centre at which a model may end an action, or any model of a unit."""

    model: str
    """The model; of a whole unit, the unit."""
    action: str
    limit_mm: float | None
    """How far the model may go; None for an action that the unit may not choose, or where that has no meaning."""
    error_mm: float
    region: shapely.MultiPolygon


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ZoneParts:
    """What is known of a zone, by the ways of moving that its action offers."""

    state: GameState
    """The situation that it was found in."""
    question: ZoneQuestion
    ways: tuple[ConstraintSet, ...] = ()
    """None for an action that the unit may not choose."""
    regions: tuple[EndRegion, ...] = ()
    """Of the first of the ways; the last of them may grow."""
    limit_mm: float | None = None
    error_mm: float = ERROR_MM

    def join(self) -> MovementZone:
        """Return the zone as far as it is known."""
        places = [region.places for region in self.regions]
        return MovementZone(
            model=self.question.model,
            action=self.question.action,
            limit_mm=self.limit_mm,
            error_mm=self.error_mm,
            region=places[0] if len(places) == 1 else extract_polygons(unite(places)),
        )


def refine_zone_parts(
    state: GameState,
    question: ZoneQuestion,
    action: Action,
    asked: RuleContext,
    *,
    start: Pose,
    known: ZoneParts | None,
) -> Iterator[ZoneParts]:
    """Yield where the model that is asked about may end an action that its unit may choose, more and more of it.

    Args:
        state: the situation.
        question: what is asked.
        action: the action.
        asked: what the rulebook is asked, about the model.
        start: the pose that the model starts from.
        known: the answer to the same question in another situation, if there is one.

    """
    assert asked.model is not None
    each = tuple(action.ways(asked)) or (action.constraints(asked),)
    ways = tuple(ConstraintSet(way).drop_unit_parts() if question.alone else ConstraintSet(way) for way in each)
    walk = replace(asked.build_walk(asked.model, start), moved=frozenset(state.tracks) - {asked.model.id})
    followed = None if known is None else _follow_parts(known, state, ways, walk)
    if followed is not None:
        yield followed
        return
    limits = [None if action.sets_up else _find_limit_mm(way) for way in ways]
    limit_mm = max((limit for limit in limits if limit is not None), default=None)
    done, unknown_mm = list[EndRegion](), measure_diagonal_mm(state.table)
    for number, (way, limit) in enumerate(zip(ways, limits, strict=True), start=1):
        for region in refine_end_region(way, walk, limit, question.facing, done):
            regions = (*done, region)
            error_mm = max(one.error_mm for one in regions) if number == len(ways) else unknown_mm
            yield ZoneParts(
                state=state, question=question, ways=ways, regions=regions, limit_mm=limit_mm, error_mm=error_mm
            )
        done.append(region)


def _follow_parts(known: ZoneParts, state: GameState, ways: tuple[ConstraintSet, ...], walk: Walk) -> ZoneParts | None:
    """Return a zone once models of the same unit stand elsewhere; None where it is to be found again."""
    moved = _list_moved(known.state, state, walk.unit.id, walk.model.id)
    if moved == [] and known.state.tracks == state.tracks:
        return replace(known, state=state)
    if moved is None or ways != known.ways:
        return None
    if known.question.facing == "any" and not isinstance(walk.model.base, Round):
        return None
    regions = [follow_end_region(region, way, walk, moved) for region, way in zip(known.regions, ways, strict=True)]
    if any(region is None for region in regions):
        return None
    return replace(known, state=state, regions=tuple(region for region in regions if region is not None))


def _list_moved(before: GameState, now: GameState, unit: str, model: str) -> list[PlacedShape] | None:
    """Return where the models of a unit stood and stand that are all that has moved; None if anything else changed."""
    if len(before.units) != len(now.units) or not is_same_ground(before, now):
        return None
    if before.tracks.keys() != now.tracks.keys():  # who has moved before matters, and not how
        return None
    changed = [(one, two) for one, two in zip(before.units, now.units, strict=True) if one is not two and one != two]
    if any(one.id != unit or replace(one, models=two.models) != two for one, two in changed):
        return None
    moved = list[PlacedShape]()
    for one, two in changed:
        if len(one.models) != len(two.models):
            return None
        for then, there in zip(one.models, two.models, strict=True):
            if then == there:
                continue
            if then.pose is None or there.pose is None or there.id == model or replace(then, pose=there.pose) != there:
                return None
            moved += [then.place_base(), there.place_base()]
    return moved


def _find_limit_mm(constraints: ConstraintSet) -> float:
    """Return how far constraints let a model go; nowhere if they allow it no way."""
    limit = constraints.find_way_limit()
    return min(limit.limit_mm, limit.sure_mm) if limit is not None else 0.0


def join_zones(unit: str, action: str, zones: Sequence[MovementZone]) -> MovementZone:
    """Return where any of a unit's models may end, of the zones of each."""
    return MovementZone(
        model=unit,
        action=action,
        limit_mm=max((zone.limit_mm for zone in zones if zone.limit_mm is not None), default=None),
        error_mm=max(zone.error_mm for zone in zones),
        region=extract_polygons(shapely.union_all([zone.region for zone in zones])),
    )
