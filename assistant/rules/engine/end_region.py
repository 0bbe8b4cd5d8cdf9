"""End regions: where a base may end, by the constraints that the verdict is given by, as a region of its centre.

At one height and facing it is what can be reached and keeps what holds where a base ends; then over all heights, and
with other facings where the present one does not do.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Literal

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from assistant.game.state import Terrain
from assistant.geometry.orientation.facing_constraints import (
    build_displacement_constraint,
    build_obstacle_constraint,
    build_table_constraint,
)
from assistant.geometry.orientation.facing_search import FacingConstraint, FacingRegion, search_facings
from assistant.geometry.shapes.base_shapes import Base, Oval, PlacedShape, Rect, Round
from assistant.geometry.shapes.convex import Array, decompose_placed, outer_radius_mm
from assistant.geometry.shapes.polygons import circumscribe, extract_polygons, unite_polygons
from assistant.rules.constraints import (
    BY_PART,
    Allowance,
    Coherency,
    Constraint,
    CustomConstraint,
    Footing,
    ForbiddenTerrain,
    KeepOut,
    Pivot,
    Proximity,
    SolidTerrain,
    TableBoundary,
    keep_all_places,
)
from assistant.rules.constraints.forbidden_terrain import starts_over
from assistant.rules.constraints.keep_out import reduce_ranges_at_start, select_others
from assistant.rules.engine.measurement import check_unmoved_model
from assistant.rules.engine.minkowski_regions import DRAWN_MM, find_bound_places, find_kept_out
from assistant.rules.engine.reachability import (
    ERROR_MM,
    Level,
    RegionCache,
    end_at_level,
    find_free_box,
    find_reachable_places,
    list_levels,
)
from assistant.rules.engine.terrain import build_outline, is_through_air, list_taller_terrain, measure_rise_mm
from assistant.rules.engine.walk import Walk
from assistant.rules.verdict import DECIDED_SIGMAS, Outcome, combine_sigmas


def find_end_places(places: BaseGeometry, constraints: Sequence[Constraint], walk: Walk, level: Level) -> BaseGeometry:
    """Return the part of some places where the base keeps beyond doubt what holds where it ends."""
    pose, base = walk.end, walk.model.base
    doubt = DECIDED_SIGMAS * pose.sigma_mm
    box = find_free_box(constraints, walk.state.table, base, pose.facing_rad, doubt)
    if box[0] > box[2] or box[1] > box[3]:
        return shapely.Polygon()
    if all(map(math.isfinite, box)):
        places = extract_polygons(shapely.intersection(places, shapely.box(*box)))
    if level.top_of is not None and not places.is_empty:
        places = extract_polygons(shapely.intersection(places, find_top_places(level.top_of, constraints, doubt)))
    if places.is_empty:
        return places
    facing_rad = 0.0 if isinstance(base, Round) else pose.facing_rad
    taken = [
        each
        for other, range_mm in list_kept_clear(constraints, walk, level, shapely.box(*places.bounds))
        for each in _find_taken(base, facing_rad, other, range_mm)
    ]
    places = shapely.difference(places, unite_polygons(taken)) if taken else places
    for rule in constraints:
        if isinstance(rule, Coherency | Proximity) and not places.is_empty:
            places = extract_polygons(shapely.intersection(places, find_bound_places(rule, walk)))
        elif isinstance(rule, CustomConstraint) and not places.is_empty:
            places = extract_polygons(rule.places(walk, places, 0.0))
    return places


@lru_cache(maxsize=2048)
def _find_taken(base: Base, facing_rad: float, other: PlacedShape, range_mm: float) -> tuple[shapely.Polygon, ...]:
    """Return what is cut out around another shape: the models of a unit have most of it in common."""
    return tuple(circumscribe(each, DRAWN_MM) for each in find_kept_out(base, facing_rad, other, range_mm))


def find_top_places(terrain: Terrain, constraints: Sequence[Constraint], doubt_mm: float) -> BaseGeometry:
    """Return the places of a base's centre at which it stands on terrain beyond doubt."""
    outline = shapely.Polygon(terrain.outline_mm)
    by_height = any(isinstance(rule, Footing) and rule.by_height for rule in constraints)
    return outline.buffer(-doubt_mm) if doubt_mm > 0 and not by_height else outline


def list_kept_clear(
    constraints: Sequence[Constraint], walk: Walk, level: Level, bounds: shapely.Polygon
) -> list[tuple[PlacedShape, float]]:
    """Return the shapes to be kept clear of somewhere within bounds, and how widely, beyond doubt."""
    scene, pose, reach = walk.scene, walk.end, outer_radius_mm(walk.model.base)
    ranges, solids = np.full(len(scene.models), -np.inf), list[tuple[PlacedShape, float]]()
    for rule in constraints:
        if isinstance(rule, KeepOut):
            others = select_others(rule, walk)
            range_mm = rule.range_mm + DECIDED_SIGMAS * np.hypot(pose.sigma_mm, scene.sigmas_mm[others])
            if rule.leaving and rule.range_mm > 0:
                range_mm = reduce_ranges_at_start(rule, walk, others, range_mm)
            near = _measure_outside_mm(bounds, scene.places_mm[others]) <= range_mm + reach + scene.radii_mm[others]
            near &= np.abs(pose.z_mm - scene.places_mm[others, 2]) <= rule.vertical_mm
            ranges[others[near]] = np.maximum(ranges[others[near]], range_mm[near])
        elif isinstance(rule, SolidTerrain):
            for terrain in list_taller_terrain(walk.state, max(rule.free_mm, level.z_mm)):
                if bounds.distance(shapely.Polygon(terrain.outline_mm)) <= reach:
                    solids.append((build_outline(terrain), DECIDED_SIGMAS * pose.sigma_mm))
        elif isinstance(rule, ForbiddenTerrain):
            for terrain in filter(rule.terrain, walk.state.terrain):
                if rule.unless_starting and starts_over(walk, terrain):
                    continue
                if bounds.distance(shapely.Polygon(terrain.outline_mm)) <= reach:
                    solids.append((build_outline(terrain), DECIDED_SIGMAS * pose.sigma_mm))
    models = [(scene.models[k].place_base(), float(ranges[k])) for k in np.flatnonzero(np.isfinite(ranges)).tolist()]
    return models + solids


def _measure_outside_mm(box: shapely.Polygon, places_mm: Array) -> Array:
    """Return how far places are outside of an upright box."""
    left, near, right, far = box.bounds
    x, y = places_mm[:, 0], places_mm[:, 1]
    away: Array = np.hypot(np.maximum(np.maximum(left - x, x - right), 0), np.maximum(np.maximum(near - y, y - far), 0))
    return away


_STEP_RAD = math.pi / 8
"""How far apart the facings are that are tried first."""


def find_turned_places(
    constraints: Sequence[Constraint], walk: Walk, level: Level, limit_mm: float | None, kept: BaseGeometry
) -> FacingRegion | None:
    """Return where the base may end at some facing, of those places where it may not with the facing it has."""
    pose, base = walk.end, walk.model.base
    doubt = DECIDED_SIGMAS * pose.sigma_mm
    pivots = {rule.pivot: rule.pivot_mm for rule in constraints if isinstance(rule, Allowance)}
    if limit_mm is not None:
        limit_mm -= pivots.get(Pivot.FIXED, 0.0)
    if limit_mm is not None and limit_mm < 0:
        return None
    places = extract_polygons(shapely.difference(find_reachable_places(constraints, walk, limit_mm), kept))
    if level.top_of is not None:
        places = extract_polygons(shapely.intersection(places, find_top_places(level.top_of, constraints, doubt)))
    for rule in constraints:
        if isinstance(rule, CustomConstraint) and rule.at_some_facing is not None:
            places = extract_polygons(rule.at_some_facing(walk, places, 0.0))
    if places.is_empty:
        return None
    others = list_kept_clear(constraints, walk, level, shapely.box(*places.bounds))
    legal = build_obstacle_constraint(
        base, [part.grow(range_mm) for other, range_mm in others for part in decompose_placed(other)]
    )
    if any(isinstance(rule, TableBoundary) for rule in constraints):
        table = walk.state.table
        legal = legal.combine(build_table_constraint(base, table.width_mm, table.depth_mm, doubt))
    if BY_PART & pivots.keys() and limit_mm is not None:
        spare = limit_mm - DECIDED_SIGMAS * combine_sigmas(walk.path[0].sigma_mm, pose.sigma_mm)
        legal = legal.combine(
            build_displacement_constraint(walk.place_base(walk.path[0]), _find_level_limit_mm(constraints, walk, spare))
        )
    for rule in constraints:
        if isinstance(rule, Coherency | Proximity):
            legal = legal.combine(_build_bound_legality(rule, walk))
        elif isinstance(rule, CustomConstraint) and rule.at_some_facing is None and rule.places is not keep_all_places:
            legal = legal.combine(_build_custom_legality(rule, walk))
    half = math.pi / 2 if isinstance(base, Oval | Rect) and not BY_PART & pivots.keys() else math.pi
    steps = round(half / _STEP_RAD)
    facings = [pose.facing_rad + half * step / steps for step in range(-steps, steps + 1)]
    return search_facings(legal, places, facings)


def _find_level_limit_mm(constraints: Sequence[Constraint], walk: Walk, limit_mm: float) -> float:
    """Return what a limit leaves for the level part of a way, its height being climbed or flown."""
    for rule in constraints:
        if isinstance(rule, Allowance):
            rise = measure_rise_mm(rule, walk)
            level = math.sqrt(max(limit_mm**2 - rise**2, 0.0)) if is_through_air(rule, walk) else limit_mm - rise
            return max(level, 0.0) if limit_mm > 0 else 0.0
    return limit_mm


def _build_custom_legality(rule: CustomConstraint, walk: Walk) -> FacingConstraint:
    """Return where a rulebook's own mechanic holds at a facing."""
    reach_mm = outer_radius_mm(walk.model.base)
    table = shapely.box(0, 0, walk.state.table.width_mm, walk.state.table.depth_mm)

    @cache
    def kept(facing_rad: float, spare_mm: float) -> BaseGeometry:
        turned = replace(walk, path=(walk.path[0], replace(walk.end, facing_rad=facing_rad)))
        return rule.places(turned, table, spare_mm)

    return FacingConstraint(
        at=lambda facing, places: shapely.intersection(places, kept(facing, 0.0)),
        between=lambda low, high, places: shapely.intersection(
            places, kept((low + high) / 2, reach_mm * (high - low) / 2 + DRAWN_MM)
        ),
        doubtful=(table,),
    )


def _build_bound_legality(rule: Coherency | Proximity, walk: Walk) -> FacingConstraint:
    """Return where a rule about being near holds at a facing."""
    reach_mm = outer_radius_mm(walk.model.base)

    @cache
    def bound(facing_rad: float, spare_mm: float) -> BaseGeometry:
        turned = replace(walk, path=(walk.path[0], replace(walk.end, facing_rad=facing_rad)))
        wider = replace(rule, range_mm=rule.range_mm + spare_mm)
        return find_bound_places(wider, turned)

    return FacingConstraint(
        at=lambda facing, places: shapely.intersection(places, bound(facing, 0.0)),
        between=lambda low, high, places: shapely.intersection(
            places, bound((low + high) / 2, reach_mm * (high - low) / 2 + DRAWN_MM)
        ),
        doubtful=(shapely.box(0, 0, walk.state.table.width_mm, walk.state.table.depth_mm),),
    )


Facing = Literal["any", "keep"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EndRegion:
    """Places of a base's centre."""

    places: shapely.MultiPolygon
    error_mm: float = ERROR_MM


def find_end_region(constraints: Sequence[Constraint], walk: Walk, limit_mm: float | None, facing: Facing) -> EndRegion:
    """Return where a model may end beyond doubt, on the ground or on top of terrain.

    Args:
        constraints: what holds; one that binds the unit as a whole is asked with the others standing where they do.
        walk: its path is the pose that the model starts from.
        limit_mm: the allowance; None for a model that is put anywhere.
        facing: ``keep`` for the present facing; ``any`` for some facing at which the base may end there.

    """
    found, error_mm, known = list[BaseGeometry](), ERROR_MM, RegionCache()
    for level in list_levels(constraints, walk, limit_mm) if _do_others_keep(constraints, walk) else ():
        kept = find_region_at_level(constraints, walk, level, limit_mm, known)
        found.append(kept)
        if facing == "any" and not isinstance(walk.model.base, Round):
            turned = find_turned_places(constraints, end_at_level(walk, level), level, limit_mm, kept)
            if turned is not None:
                found.append(turned.inner)
                error_mm = max(error_mm, turned.error_mm)
    return EndRegion(places=extract_polygons(shapely.union_all(found)), error_mm=error_mm)


def find_region_at_level(
    constraints: Sequence[Constraint],
    walk: Walk,
    level: Level,
    limit_mm: float | None,
    known: RegionCache | None = None,
) -> shapely.MultiPolygon:
    """Return where a model may end beyond doubt at one height, with the facing that it has."""
    way = end_at_level(walk, level)
    return extract_polygons(
        find_end_places(find_reachable_places(constraints, way, limit_mm, known), constraints, way, level)
    )


def _do_others_keep(constraints: Sequence[Constraint], walk: Walk) -> bool:
    """Return whether the unit's other models, where they stand, keep what holds for them, too."""
    asked = [
        rule
        for rule in constraints
        if isinstance(rule, CustomConstraint) or (isinstance(rule, KeepOut | Proximity) and rule.everyone)
    ]
    mates = [(mate, mate.pose) for mate in walk.unit.models if mate.pose is not None and mate.id != walk.model.id]
    standing = [
        Walk(scene=walk.scene, unit=walk.unit, model=mate, path=(at,), observed=True, say=walk.say)
        for mate, at in mates
    ]
    return all(
        found.outcome is Outcome.LEGAL
        for rule in asked
        for each in standing
        for found in check_unmoved_model(rule, each)
    )
