"""The places where a base may end at some facing."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import shapely
from shapely.geometry.base import BaseGeometry

from assistant.geometry.convex import outer_radius_mm, placed_parts
from assistant.geometry.facing import Legality, SomeFacing, some_facing
from assistant.geometry.legality import clear_of, displaced_within, on_table
from assistant.geometry.regions import polygons
from assistant.geometry.shapes import Oval, Rect
from assistant.rules.bounds import DRAWN_MM, bound_places
from assistant.rules.constraints import BY_PART, Allowance, Coherency, Constraint, Near, OnTable, Own, Pivot, everywhere
from assistant.rules.ends import kept_clear, on_top
from assistant.rules.reached import Level, reached
from assistant.rules.ruling import DECIDED_SIGMAS, together
from assistant.rules.terrain import in_space, rise_mm
from assistant.rules.walk import Walk

_STEP_RAD = math.pi / 8
"""How far apart the facings are that are tried first."""


def turned_places(
    constraints: Sequence[Constraint], walk: Walk, level: Level, limit_mm: float | None, kept: BaseGeometry
) -> SomeFacing | None:
    """Return where the base may end at some facing, of those places where it may not with the facing it has."""
    pose, base = walk.end, walk.model.base
    doubt = DECIDED_SIGMAS * pose.sigma_mm
    pivots = {rule.pivot: rule.pivot_mm for rule in constraints if isinstance(rule, Allowance)}
    if limit_mm is not None:
        limit_mm -= pivots.get(Pivot.FIXED, 0.0)
    if limit_mm is not None and limit_mm < 0:
        return None
    places = polygons(shapely.difference(reached(constraints, walk, limit_mm), kept))
    if level.top_of is not None:
        places = polygons(shapely.intersection(places, on_top(level.top_of, constraints, doubt)))
    for rule in constraints:
        if isinstance(rule, Own) and rule.at_some_facing is not None:
            places = polygons(rule.at_some_facing(walk, places, 0.0))
    if places.is_empty:
        return None
    others = kept_clear(constraints, walk, level, shapely.box(*places.bounds))
    legal = clear_of(base, [part.grown(range_mm) for other, range_mm in others for part in placed_parts(other)])
    if any(isinstance(rule, OnTable) for rule in constraints):
        table = walk.state.table
        legal = legal.where(on_table(base, table.width_mm, table.depth_mm, doubt))
    if BY_PART & pivots.keys() and limit_mm is not None:
        spare = limit_mm - DECIDED_SIGMAS * together(walk.path[0].sigma_mm, pose.sigma_mm)
        legal = legal.where(displaced_within(walk.placed(walk.path[0]), _level_mm(constraints, walk, spare)))
    for rule in constraints:
        if isinstance(rule, Coherency | Near):
            legal = legal.where(_bound(rule, walk))
        elif isinstance(rule, Own) and rule.at_some_facing is None and rule.places is not everywhere:
            legal = legal.where(_own(rule, walk))
    half = math.pi / 2 if isinstance(base, Oval | Rect) and not BY_PART & pivots.keys() else math.pi
    steps = round(half / _STEP_RAD)
    facings = [pose.facing_rad + half * step / steps for step in range(-steps, steps + 1)]
    return some_facing(legal, places, facings)


def _level_mm(constraints: Sequence[Constraint], walk: Walk, limit_mm: float) -> float:
    """Return what a limit leaves for the level part of a way, its height being climbed or flown."""
    for rule in constraints:
        if isinstance(rule, Allowance):
            rise = rise_mm(rule, walk)
            level = math.sqrt(max(limit_mm**2 - rise**2, 0.0)) if in_space(rule, walk) else limit_mm - rise
            return max(level, 0.0) if limit_mm > 0 else 0.0
    return limit_mm


def _own(rule: Own, walk: Walk) -> Legality:
    """Return where a rulebook's own mechanic holds at a facing."""
    reach_mm = outer_radius_mm(walk.model.base)
    table = shapely.box(0, 0, walk.state.table.width_mm, walk.state.table.depth_mm)

    @cache
    def kept(facing_rad: float, spare_mm: float) -> BaseGeometry:
        turned = replace(walk, path=(walk.path[0], replace(walk.end, facing_rad=facing_rad)))
        return rule.places(turned, table, spare_mm)

    return Legality(
        at=lambda facing, places: shapely.intersection(places, kept(facing, 0.0)),
        between=lambda low, high, places: shapely.intersection(
            places, kept((low + high) / 2, reach_mm * (high - low) / 2 + DRAWN_MM)
        ),
        doubtful=(table,),
    )


def _bound(rule: Coherency | Near, walk: Walk) -> Legality:
    """Return where a rule about being near holds at a facing."""
    reach_mm = outer_radius_mm(walk.model.base)

    @cache
    def bound(facing_rad: float, spare_mm: float) -> BaseGeometry:
        turned = replace(walk, path=(walk.path[0], replace(walk.end, facing_rad=facing_rad)))
        wider = replace(rule, range_mm=rule.range_mm + spare_mm)
        return bound_places(wider, turned)

    return Legality(
        at=lambda facing, places: shapely.intersection(places, bound(facing, 0.0)),
        between=lambda low, high, places: shapely.intersection(
            places, bound((low + high) / 2, reach_mm * (high - low) / 2 + DRAWN_MM)
        ),
        doubtful=(shapely.box(0, 0, walk.state.table.width_mm, walk.state.table.depth_mm),),
    )
