"""Constraints as obstacles and regions for the centre of a base: what the unseen way and the zone are computed from."""

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from assistant.game.state import Pose, Table
from assistant.geometry.clearance import leg_floor
from assistant.geometry.convex import Convex, convex_parts, inner_radius_mm, placed_parts
from assistant.geometry.reach import Box, without_ellipses
from assistant.geometry.shapes import Base, Placed, Round
from assistant.rules.constraints import Constraint, KeepOut, OnTable
from assistant.rules.walk import Walk

_OVAL_MM = 0.01
"""How far the polygon that stands for an oval in a way's obstacles may lie outside it."""


def kept_out(body: Base, facing_rad: float, other: Placed, range_mm: float) -> Iterator[Convex]:
    """Yield the places of a body's centre at which it is nearer to another than a range, as convex sets."""
    for part in convex_parts(body):
        mirrored = part.moved(0.0, 0.0, facing_rad).reflected()
        for theirs in placed_parts(other):
            yield theirs.plus(mirrored).grown(range_mm)


@lru_cache(maxsize=2048)
def _obstacles(body: Base, facing_rad: float, other: Placed, range_mm: float) -> tuple[Convex, ...]:
    """Return what `kept_out` yields without ellipses: the models of a unit have most of it in common."""
    return tuple(without_ellipses(each, _OVAL_MM) for each in kept_out(body, facing_rad, other, range_mm))


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
    ranges: dict[str, float] = {}
    placed: dict[str, Placed] = {}
    start = Placed(shape=body, x_mm=ends[0].x_mm, y_mm=ends[0].y_mm, facing_rad=ends[0].facing_rad)
    for rule in constraints:
        if not isinstance(rule, KeepOut) or not rule.on_the_way:
            continue
        for other, at in walk.parties(rule):
            level = all(abs(end.z_mm - at.z_mm) <= rule.vertical_mm for end in ends)
            theirs = other.placed(at)
            range_mm = rule.range_mm + sigmas * at.sigma_mm
            if level and leg_floor(start, start, theirs) - range_mm < within_mm:
                ranges[other.id] = max(range_mm, ranges.get(other.id, range_mm))
                placed[other.id] = theirs
    facing_rad = 0.0 if isinstance(body, Round) else ends[0].facing_rad
    return [
        obstacle
        for other_id, range_mm in ranges.items()
        for obstacle in _obstacles(body, facing_rad, placed[other_id], range_mm)
    ]


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
