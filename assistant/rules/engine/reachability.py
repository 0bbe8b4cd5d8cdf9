"""Reachability: the places whose shortest way is within an allowance, at one height.

Constraints become obstacles, costly areas and a box for the centre of a base: the unseen way and the zone are computed
from these.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

from assistant.game.state import Pose, Table, Terrain
from assistant.geometry.shapes.base_shapes import Base, Round
from assistant.geometry.shapes.convex import ConvexSet, decompose_convex, inner_radius_mm, outer_radius_mm
from assistant.geometry.shortest_path.free.reach import shrink_obstacles
from assistant.geometry.shortest_path.tangents import Box
from assistant.geometry.shortest_path.weighted.areas import CostArea
from assistant.geometry.shortest_path.weighted.reach import find_weighted_region
from assistant.rules.constraints import (
    Allowance,
    Constraint,
    CustomConstraint,
    Footing,
    ForbiddenTerrain,
    KeepOut,
    TableBoundary,
)
from assistant.rules.constraints.forbidden_terrain import starts_over
from assistant.rules.constraints.keep_out import (
    build_approach_target,
    ends_within,
    reduce_ranges_at_start,
    select_others,
)
from assistant.rules.constraints.terrain_cost import build_cost_areas, find_footholds
from assistant.rules.engine.minkowski_regions import find_obstacles
from assistant.rules.engine.situation_index import Ints
from assistant.rules.engine.terrain import build_outline, is_through_air, list_taller_terrain
from assistant.rules.engine.walk import Walk
from assistant.rules.verdict import DECIDED_SIGMAS, ROUNDING_MM, combine_sigmas

_LINE_MM = 0.005
"""How thick a wall is made: ways that hug an obstacle would run through a line without a width."""


def find_way_obstacles(
    constraints: Sequence[Constraint],
    walk: Walk,
    body: Base,
    ends: tuple[Pose, Pose],
    *,
    within_mm: float = math.inf,
    sigmas: float = 0.0,
) -> list[ConvexSet]:
    """Return what the centre of a body may not enter on a way whose ends are given.

    Each other model is kept clear of by so many of its own ``sigmas`` more: with a positive number a way is clear
    beyond doubt, with a negative one it may have been clear.

    Of a model whose height is out of range of either end it is not known whether the way passed it: it is left out, so
    that nobody is accused wrongly.  So are models further than ``within_mm`` from the start.
    """
    scene, (start, end) = walk.scene, ends
    away = scene.places_mm[:, :2] - (start.x_mm, start.y_mm)
    floors = np.hypot(*away.T) - scene.radii_mm - outer_radius_mm(body)
    heights, ranges = scene.places_mm[:, 2], np.full(len(scene.models), -np.inf)
    for rule in constraints:
        if isinstance(rule, KeepOut) and rule.on_the_way:
            others = select_others(rule, walk)
            if rule.unless_ending:
                others = others[~_find_ended_at(rule, walk, end, others)]
            range_mm = rule.range_mm + sigmas * scene.sigmas_mm[others]
            if rule.leaving and rule.range_mm > 0:
                range_mm = np.clip(reduce_ranges_at_start(rule, walk, others, range_mm), 0.0, range_mm)
            rises = np.maximum(np.abs(heights[others] - start.z_mm), np.abs(heights[others] - end.z_mm))
            met = (rises <= rule.vertical_mm) & (floors[others] - range_mm < within_mm)
            ranges[others[met]] = np.maximum(ranges[others[met]], range_mm[met])
    facing_rad = 0.0 if isinstance(body, Round) else start.facing_rad
    models = [
        obstacle
        for place in np.flatnonzero(np.isfinite(ranges)).tolist()
        for obstacle in find_obstacles(body, facing_rad, scene.models[place].place_base(), float(ranges[place]))
    ]
    shut = [
        obstacle
        for rule in constraints
        if isinstance(rule, ForbiddenTerrain) and rule.on_the_way
        for terrain in filter(rule.terrain, walk.state.terrain)
        if not (rule.unless_starting and starts_over(walk, terrain))
        for obstacle in find_obstacles(body, facing_rad, build_outline(terrain))
        if obstacle.distance(start.x_mm, start.y_mm)[0] < within_mm
    ]
    walls = [
        wall.grow(_LINE_MM) for rule in constraints if isinstance(rule, CustomConstraint) for wall in rule.walls(walk)
    ]
    return models + shut + walls


def _find_ended_at(rule: KeepOut, walk: Walk, end: Pose, others: Ints) -> NDArray[np.bool_]:
    """Return which of some models a way ends within a rule's range of."""
    to = replace(walk, path=(end,))
    things = [
        build_approach_target(rule, walk.scene.models[place], walk.scene.poses[place]) for place in others.tolist()
    ]
    return np.array([ends_within(to, thing) for thing in things], dtype=bool)


def find_costly_areas(
    constraints: Sequence[Constraint],
    walk: Walk,
    body: Base,
    ends: tuple[Pose, ...],
    *,
    within_mm: float = math.inf,
    apart_mm: float = 0.0,
) -> list[CostArea]:
    """Return the terrain that is climbed on a way, or costs otherwise, as areas of the centre of a body.

    A way through the air climbs nothing.  Features further than ``within_mm`` from the start are left out.  Of one that
    reaches a little over an end of the way at its foot, as measured, that much costs nothing; ``apart_mm`` more is left
    free there.
    """
    found, start = list[CostArea](), walk.path[0]
    facing_rad = 0.0 if isinstance(body, Round) else start.facing_rad
    for rule in constraints:
        if isinstance(rule, Allowance) and not is_through_air(rule, walk):
            found += build_cost_areas(rule, walk, body, facing_rad)
            for terrain in list_taller_terrain(walk.state, rule.free_mm):
                parts = find_obstacles(body, facing_rad, build_outline(terrain))
                feet = [(at.x_mm, at.y_mm) for at in ends if at.z_mm < terrain.height_mm - ROUNDING_MM]
                parts = _shrink_from_places(parts, feet, apart_mm)
                if min(part.distance(start.x_mm, start.y_mm)[0] for part in parts) < within_mm:
                    found.append(CostArea(parts=parts, up_mm=terrain.height_mm, down_mm=terrain.height_mm))
    return found


def _shrink_from_places(
    parts: tuple[ConvexSet, ...], places: Sequence[tuple[float, float]], apart_mm: float
) -> tuple[ConvexSet, ...]:
    """Return parts shrunk until they are so far from some places; as they are where a hard core covers one."""
    depths = [max((apart_mm - part.distance(*place)[0] for place in places), default=0.0) for part in parts]
    if any(depth > 0 and depth >= part.radius_mm for part, depth in zip(parts, depths, strict=True)):
        return parts
    return tuple(part.grow(-max(depth, 0.0)) for part, depth in zip(parts, depths, strict=True))


def find_free_box(
    constraints: Sequence[Constraint], table: Table, body: Base, facing_rad: float, margin_mm: float = 0.0
) -> Box:
    """Return the places of a body's centre that keep it on the table with a margin; the plane without that rule."""
    if not any(isinstance(rule, TableBoundary) for rule in constraints):
        return (-math.inf, -math.inf, math.inf, math.inf)
    sides = np.array([(-1.0, 0.0), (0.0, -1.0), (1.0, 0.0), (0.0, 1.0)])
    parts = [part.move(0.0, 0.0, facing_rad) for part in decompose_convex(body)]
    left, near, right, far = np.max([part.support(sides) for part in parts], axis=0) + margin_mm
    return (float(left), float(near), table.width_mm - float(right), table.depth_mm - float(far))


def extend_box(box: Box, places: Sequence[tuple[float, float]]) -> Box:
    """Return the least box that holds a box and some places: one who stands over the edge may come back."""
    xs, ys = [x for x, _ in places], [y for _, y in places]
    return (min(box[0], *xs), min(box[1], *ys), max(box[2], *xs), max(box[3], *ys))


def find_turning_body(base: Base) -> Base:
    """Return the disc that a base covers however it turns; a round base itself."""
    return base if isinstance(base, Round) else Round(radius_mm=inner_radius_mm(base))


RegionCache = dict[tuple[float, int, tuple[int, ...]], tuple[list[ConvexSet], BaseGeometry]]
"""Regions by allowance, number of climbs, and obstacles; these are kept, so that no others take their places."""

ERROR_MM = 0.05
"""Bounds the distance between a region's drawn edge and the true one, where the facing is kept."""

_APART_MM = 1e-3
"""So near to an obstacle the sweep of what is reached may lose its edge; a start is held further away from it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """A height to stand at."""

    z_mm: float
    top_of: Terrain | None
    """None for the ground."""


def list_levels(constraints: Sequence[Constraint], walk: Walk, limit_mm: float | None) -> Iterator[Level]:
    """Yield the heights at which a model may stand: the ground, and the tops of terrain that is not too far away.

    Where no rule asks for a footing, heights mean nothing: it stays at its own.
    """
    footed = any(isinstance(rule, Footing) for rule in constraints)
    yield Level(z_mm=0.0 if footed else walk.path[0].z_mm, top_of=None)
    if footed:
        start = shapely.Point(walk.path[0].x_mm, walk.path[0].y_mm)
        for terrain in walk.state.terrain:
            near = limit_mm is None or shapely.Polygon(terrain.outline_mm).distance(start) <= limit_mm
            if near and terrain.height_mm > 0:
                yield Level(z_mm=terrain.height_mm, top_of=terrain)


def end_at_level(walk: Walk, level: Level) -> Walk:
    """Return a model's way to somewhere at a height, of which only the start and the height count.

    On top of terrain it ends somewhere over that, so that the way counts as one that ends on terrain.
    """
    end = replace(walk.path[0], z_mm=level.z_mm)
    if level.top_of is not None:
        over = shapely.Polygon(level.top_of.outline_mm).representative_point()
        end = replace(end, x_mm=over.x, y_mm=over.y)
    return replace(walk, path=(walk.path[0], end))


def find_reachable_places(
    constraints: Sequence[Constraint], walk: Walk, limit_mm: float | None, known: RegionCache | None = None
) -> BaseGeometry:
    """Return the places whose shortest way is within the limit beyond doubt.

    ``known`` keeps what was found for one height, for the others at which nothing else is in the way.
    """
    start, end, body = walk.path[0], walk.end, find_turning_body(walk.model.base)
    if limit_mm is None:
        return shapely.box(0.0, 0.0, walk.state.table.width_mm, walk.state.table.depth_mm)
    (place,) = find_footholds(constraints, walk, (start,))
    limit_mm -= DECIDED_SIGMAS * combine_sigmas(start.sigma_mm, end.sigma_mm)
    if any(isinstance(rule, Allowance) and is_through_air(rule, walk) for rule in constraints):
        rise = abs(end.z_mm - start.z_mm)
        if rise > limit_mm:
            return shapely.Polygon()
        limit_mm = math.sqrt(limit_mm**2 - rise**2)
    if limit_mm <= ERROR_MM / 2:  # as good as a point: a region has an area, so a dot that its error allows
        return shapely.Point(place).buffer(ERROR_MM / 2)
    obstacles = find_way_obstacles(constraints, walk, body, (start, end), within_mm=limit_mm, sigmas=DECIDED_SIGMAS)
    box = extend_box(find_free_box(constraints, walk.state.table, body, start.facing_rad), (place,))
    costly = find_costly_areas(constraints, walk, body, (start,), within_mm=limit_mm, apart_mm=_APART_MM)
    key = (limit_mm, len(costly), tuple(map(id, obstacles)))
    known = {} if known is None else known
    if key not in known:
        known[key] = (
            obstacles,
            find_weighted_region(place, limit_mm, shrink_obstacles(obstacles, (place,), _APART_MM), costly, box),
        )
    return known[key][1]
