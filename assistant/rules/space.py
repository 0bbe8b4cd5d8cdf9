"""Constraints as obstacles and regions for the centre of a base: what the unseen way and the zone are computed from."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from assistant.game.state import Pose, Table
from assistant.geometry.areas import Area
from assistant.geometry.convex import Convex, convex_parts, inner_radius_mm, outer_radius_mm
from assistant.geometry.reach import Box
from assistant.geometry.shapes import Base, Round
from assistant.rules.constraints import Allowance, Constraint, KeepOut, OnTable, Own, Shut
from assistant.rules.costs import cost_areas
from assistant.rules.keepout import ends_within, left_mm, others_of, thing_of
from assistant.rules.obstacles import obstacles_of
from assistant.rules.ruling import ROUNDING_MM
from assistant.rules.scene import Ints
from assistant.rules.shut import starts_over
from assistant.rules.terrain import in_space, outline_of, taller
from assistant.rules.walk import Walk

_LINE_MM = 0.005
"""How thick a wall is made: ways that hug an obstacle would run through a line without a width."""


def way_obstacles(
    constraints: Sequence[Constraint],
    walk: Walk,
    body: Base,
    ends: tuple[Pose, Pose],
    *,
    within_mm: float = math.inf,
    sigmas: float = 0.0,
) -> list[Convex]:
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
            others = others_of(rule, walk)
            if rule.unless_ending:
                others = others[~_ended_at(rule, walk, end, others)]
            range_mm = rule.range_mm + sigmas * scene.sigmas_mm[others]
            if rule.leaving and rule.range_mm > 0:
                range_mm = np.clip(left_mm(rule, walk, others, range_mm), 0.0, range_mm)
            rises = np.maximum(np.abs(heights[others] - start.z_mm), np.abs(heights[others] - end.z_mm))
            met = (rises <= rule.vertical_mm) & (floors[others] - range_mm < within_mm)
            ranges[others[met]] = np.maximum(ranges[others[met]], range_mm[met])
    facing_rad = 0.0 if isinstance(body, Round) else start.facing_rad
    models = [
        obstacle
        for place in np.flatnonzero(np.isfinite(ranges)).tolist()
        for obstacle in obstacles_of(body, facing_rad, scene.models[place].placed(), float(ranges[place]))
    ]
    shut = [
        obstacle
        for rule in constraints
        if isinstance(rule, Shut) and rule.on_the_way
        for terrain in filter(rule.terrain, walk.state.terrain)
        if not (rule.unless_starting and starts_over(walk, terrain))
        for obstacle in obstacles_of(body, facing_rad, outline_of(terrain))
        if obstacle.distance(start.x_mm, start.y_mm)[0] < within_mm
    ]
    walls = [wall.grown(_LINE_MM) for rule in constraints if isinstance(rule, Own) for wall in rule.walls(walk)]
    return models + shut + walls


def _ended_at(rule: KeepOut, walk: Walk, end: Pose, others: Ints) -> NDArray[np.bool_]:
    """Return which of some models a way ends within a rule's range of."""
    to = replace(walk, path=(end,))
    things = [thing_of(rule, walk.scene.models[place], walk.scene.poses[place]) for place in others.tolist()]
    return np.array([ends_within(to, thing) for thing in things], dtype=bool)


def areas(
    constraints: Sequence[Constraint],
    walk: Walk,
    body: Base,
    ends: tuple[Pose, ...],
    *,
    within_mm: float = math.inf,
    apart_mm: float = 0.0,
) -> list[Area]:
    """Return the terrain that is climbed on a way, or costs otherwise, as areas of the centre of a body.

    A way through the air climbs nothing.  Features further than ``within_mm`` from the start are left out.  Of one that
    reaches a little over an end of the way at its foot, as measured, that much costs nothing; ``apart_mm`` more is left
    free there.
    """
    found, start = list[Area](), walk.path[0]
    facing_rad = 0.0 if isinstance(body, Round) else start.facing_rad
    for rule in constraints:
        if isinstance(rule, Allowance) and not in_space(rule, walk):
            found += cost_areas(rule, walk, body, facing_rad)
            for terrain in taller(walk.state, rule.free_mm):
                parts = obstacles_of(body, facing_rad, outline_of(terrain))
                feet = [(at.x_mm, at.y_mm) for at in ends if at.z_mm < terrain.height_mm - ROUNDING_MM]
                parts = _off(parts, feet, apart_mm)
                if min(part.distance(start.x_mm, start.y_mm)[0] for part in parts) < within_mm:
                    found.append(Area(parts=parts, up_mm=terrain.height_mm, down_mm=terrain.height_mm))
    return found


def _off(parts: tuple[Convex, ...], places: Sequence[tuple[float, float]], apart_mm: float) -> tuple[Convex, ...]:
    """Return parts shrunk until they are so far from some places; as they are where a hard core covers one."""
    depths = [max((apart_mm - part.distance(*place)[0] for place in places), default=0.0) for part in parts]
    if any(depth > 0 and depth >= part.radius_mm for part, depth in zip(parts, depths, strict=True)):
        return parts
    return tuple(part.grown(-max(depth, 0.0)) for part, depth in zip(parts, depths, strict=True))


def free_box(
    constraints: Sequence[Constraint], table: Table, body: Base, facing_rad: float, margin_mm: float = 0.0
) -> Box:
    """Return the places of a body's centre that keep it on the table with a margin; the plane without that rule."""
    if not any(isinstance(rule, OnTable) for rule in constraints):
        return (-math.inf, -math.inf, math.inf, math.inf)
    sides = np.array([(-1.0, 0.0), (0.0, -1.0), (1.0, 0.0), (0.0, 1.0)])
    parts = [part.moved(0.0, 0.0, facing_rad) for part in convex_parts(body)]
    left, near, right, far = np.max([part.support(sides) for part in parts], axis=0) + margin_mm
    return (float(left), float(near), table.width_mm - float(right), table.depth_mm - float(far))


def with_places(box: Box, places: Sequence[tuple[float, float]]) -> Box:
    """Return the least box that holds a box and some places: one who stands over the edge may come back."""
    xs, ys = [x for x, _ in places], [y for _, y in places]
    return (min(box[0], *xs), min(box[1], *ys), max(box[2], *xs), max(box[3], *ys))


def turning_body(base: Base) -> Base:
    """Return the disc that a base covers however it turns; a round base itself."""
    return base if isinstance(base, Round) else Round(radius_mm=inner_radius_mm(base))
