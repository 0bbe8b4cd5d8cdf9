"""The places where a base keeps what holds where it ends, at one height and facing."""

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from assistant.game.state import Terrain
from assistant.geometry.convex import Array, outer_radius_mm
from assistant.geometry.regions import around, polygons, united
from assistant.geometry.shapes import Base, Placed, Round
from assistant.rules.bounds import DRAWN_MM, bound_places
from assistant.rules.constraints import Coherency, Constraint, Footing, KeepOut, Near, Own, Shut, Solid
from assistant.rules.keepout import left_mm, others_of
from assistant.rules.obstacles import kept_out
from assistant.rules.reached import Level
from assistant.rules.ruling import DECIDED_SIGMAS
from assistant.rules.shut import starts_over
from assistant.rules.space import free_box
from assistant.rules.terrain import outline_of, taller
from assistant.rules.walk import Walk


def ends(places: BaseGeometry, constraints: Sequence[Constraint], walk: Walk, level: Level) -> BaseGeometry:
    """Return the part of some places where the base keeps beyond doubt what holds where it ends."""
    pose, base = walk.end, walk.model.base
    doubt = DECIDED_SIGMAS * pose.sigma_mm
    box = free_box(constraints, walk.state.table, base, pose.facing_rad, doubt)
    if box[0] > box[2] or box[1] > box[3]:
        return shapely.Polygon()
    if all(map(math.isfinite, box)):
        places = polygons(shapely.intersection(places, shapely.box(*box)))
    if level.top_of is not None and not places.is_empty:
        places = polygons(shapely.intersection(places, on_top(level.top_of, constraints, doubt)))
    if places.is_empty:
        return places
    facing_rad = 0.0 if isinstance(base, Round) else pose.facing_rad
    taken = [
        each
        for other, range_mm in kept_clear(constraints, walk, level, shapely.box(*places.bounds))
        for each in _taken(base, facing_rad, other, range_mm)
    ]
    places = shapely.difference(places, united(taken)) if taken else places
    for rule in constraints:
        if isinstance(rule, Coherency | Near) and not places.is_empty:
            places = polygons(shapely.intersection(places, bound_places(rule, walk)))
        elif isinstance(rule, Own) and not places.is_empty:
            places = polygons(rule.places(walk, places, 0.0))
    return places


@lru_cache(maxsize=2048)
def _taken(base: Base, facing_rad: float, other: Placed, range_mm: float) -> tuple[shapely.Polygon, ...]:
    """Return what is cut out around another shape: the models of a unit have most of it in common."""
    return tuple(around(each, DRAWN_MM) for each in kept_out(base, facing_rad, other, range_mm))


def on_top(terrain: Terrain, constraints: Sequence[Constraint], doubt_mm: float) -> BaseGeometry:
    """Return the places of a base's centre at which it stands on terrain beyond doubt."""
    outline = shapely.Polygon(terrain.outline_mm)
    by_height = any(isinstance(rule, Footing) and rule.by_height for rule in constraints)
    return outline.buffer(-doubt_mm) if doubt_mm > 0 and not by_height else outline


def kept_clear(
    constraints: Sequence[Constraint], walk: Walk, level: Level, bounds: shapely.Polygon
) -> list[tuple[Placed, float]]:
    """Return the shapes to be kept clear of somewhere within bounds, and how widely, beyond doubt."""
    scene, pose, reach = walk.scene, walk.end, outer_radius_mm(walk.model.base)
    ranges, solids = np.full(len(scene.models), -np.inf), list[tuple[Placed, float]]()
    for rule in constraints:
        if isinstance(rule, KeepOut):
            others = others_of(rule, walk)
            range_mm = rule.range_mm + DECIDED_SIGMAS * np.hypot(pose.sigma_mm, scene.sigmas_mm[others])
            if rule.leaving and rule.range_mm > 0:
                range_mm = left_mm(rule, walk, others, range_mm)
            near = _outside_mm(bounds, scene.places_mm[others]) <= range_mm + reach + scene.radii_mm[others]
            near &= np.abs(pose.z_mm - scene.places_mm[others, 2]) <= rule.vertical_mm
            ranges[others[near]] = np.maximum(ranges[others[near]], range_mm[near])
        elif isinstance(rule, Solid):
            for terrain in taller(walk.state, max(rule.free_mm, level.z_mm)):
                if bounds.distance(shapely.Polygon(terrain.outline_mm)) <= reach:
                    solids.append((outline_of(terrain), DECIDED_SIGMAS * pose.sigma_mm))
        elif isinstance(rule, Shut):
            for terrain in filter(rule.terrain, walk.state.terrain):
                if rule.unless_starting and starts_over(walk, terrain):
                    continue
                if bounds.distance(shapely.Polygon(terrain.outline_mm)) <= reach:
                    solids.append((outline_of(terrain), DECIDED_SIGMAS * pose.sigma_mm))
    models = [(scene.models[k].placed(), float(ranges[k])) for k in np.flatnonzero(np.isfinite(ranges)).tolist()]
    return models + solids


def _outside_mm(box: shapely.Polygon, places_mm: Array) -> Array:
    """Return how far places are outside of an upright box."""
    left, near, right, far = box.bounds
    x, y = places_mm[:, 0], places_mm[:, 1]
    away: Array = np.hypot(np.maximum(np.maximum(left - x, x - right), 0), np.maximum(np.maximum(near - y, y - far), 0))
    return away
