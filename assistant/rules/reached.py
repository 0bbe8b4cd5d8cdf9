"""The places whose shortest way is within an allowance, at one height."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import shapely
from shapely.geometry.base import BaseGeometry

from assistant.game.state import Terrain
from assistant.geometry.convex import Convex
from assistant.geometry.ground import ground_region
from assistant.geometry.reach import outside
from assistant.rules.constraints import Allowance, Constraint, Footing
from assistant.rules.costs import footholds
from assistant.rules.ruling import DECIDED_SIGMAS, together
from assistant.rules.space import areas, free_box, turning_body, way_obstacles, with_places
from assistant.rules.terrain import in_space
from assistant.rules.walk import Walk

Known = dict[tuple[float, int, tuple[int, ...]], tuple[list[Convex], BaseGeometry]]
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


def levels(constraints: Sequence[Constraint], walk: Walk, limit_mm: float | None) -> Iterator[Level]:
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


def at_level(walk: Walk, level: Level) -> Walk:
    """Return a model's way to somewhere at a height, of which only the start and the height count.

    On top of terrain it ends somewhere over that, so that the way counts as one that ends on terrain.
    """
    end = replace(walk.path[0], z_mm=level.z_mm)
    if level.top_of is not None:
        over = shapely.Polygon(level.top_of.outline_mm).representative_point()
        end = replace(end, x_mm=over.x, y_mm=over.y)
    return replace(walk, path=(walk.path[0], end))


def reached(
    constraints: Sequence[Constraint], walk: Walk, limit_mm: float | None, known: Known | None = None
) -> BaseGeometry:
    """Return the places whose shortest way is within the limit beyond doubt.

    ``known`` keeps what was found for one height, for the others at which nothing else is in the way.
    """
    start, end, body = walk.path[0], walk.end, turning_body(walk.model.base)
    if limit_mm is None:
        return shapely.box(0.0, 0.0, walk.state.table.width_mm, walk.state.table.depth_mm)
    (place,) = footholds(constraints, walk, (start,))
    limit_mm -= DECIDED_SIGMAS * together(start.sigma_mm, end.sigma_mm)
    if any(isinstance(rule, Allowance) and in_space(rule, walk) for rule in constraints):
        rise = abs(end.z_mm - start.z_mm)
        if rise > limit_mm:
            return shapely.Polygon()
        limit_mm = math.sqrt(limit_mm**2 - rise**2)
    if limit_mm <= ERROR_MM / 2:  # as good as a point: a region has an area, so a dot that its error allows
        return shapely.Point(place).buffer(ERROR_MM / 2)
    obstacles = way_obstacles(constraints, walk, body, (start, end), within_mm=limit_mm, sigmas=DECIDED_SIGMAS)
    box = with_places(free_box(constraints, walk.state.table, body, start.facing_rad), (place,))
    costly = areas(constraints, walk, body, (start,), within_mm=limit_mm, apart_mm=_APART_MM)
    key = (limit_mm, len(costly), tuple(map(id, obstacles)))
    known = {} if known is None else known
    if key not in known:
        known[key] = obstacles, ground_region(place, limit_mm, outside(obstacles, (place,), _APART_MM), costly, box)
    return known[key][1]
