"""Reachability: the places whose shortest way is within an allowance, at one height.

Constraints become obstacles, costly areas and a box for the centre of a base: the unseen way and the zone are computed
from these.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import compress

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from assistant.game.state import Pose, Table, Terrain
from assistant.geometry.clearance.shape_clearance import Point
from assistant.geometry.shapes.base_shapes import Base, PlacedShape, Round
from assistant.geometry.shapes.convex import (
    Array,
    Complexes,
    ConvexSet,
    inner_radius_mm,
    outer_radius_mm,
)
from assistant.geometry.shapes.polygons import inscribe
from assistant.geometry.shortest_path.free.reach import find_straight_region, measure_polyline_mm, shrink_obstacles
from assistant.geometry.shortest_path.free.shadows import cut_shadows
from assistant.geometry.shortest_path.obstacles import Flags
from assistant.geometry.shortest_path.tangents import Box
from assistant.geometry.shortest_path.weighted.areas import CostArea
from assistant.geometry.shortest_path.weighted.reach import find_weighted_region
from assistant.rules.constraints.base import ConstraintSet, Passage
from assistant.rules.engine.minkowski_regions import DRAWN_MM, drop_repeated, find_obstacles
from assistant.rules.engine.situation_index import Ints, SituationIndex, list_bounding_discs
from assistant.rules.engine.terrain import Level, draw_outline, find_supporting_terrain, measure_inside_mm
from assistant.rules.engine.walk import Walk
from assistant.rules.selectors import TerrainSelector
from assistant.rules.verdict import DECIDED_SIGMAS, combine_sigmas

_BULGE = 4e-4
"""How far an arc comes out over the chords that it is drawn as, as a share of its radius, at most."""
_NEAR_MM = 0.05
"""By more than ovals are drawn too large, nothing near a way is missed."""
_COINCIDE_MM = 1e-5
"""What lies on each other in a heap is no further apart."""
_EDGE_MM = 5e-7
"""Who stands on top so near to the edge of what is climbed has climbed it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WayBlocks:
    """What the centre of a body may not enter on a way whose ends are given; its obstacles are built as asked for."""

    body: Base
    facing_rad: float
    shapes: Sequence[tuple[PlacedShape, float]]
    """Models and other shapes, and how far the body stays from each."""
    discs: tuple[Complexes, Array]
    """The middles of discs in which the body's centre may be too near to each shape, and their radii."""
    walls: Sequence[ConvexSet]
    """Lines that are not crossed."""

    def build_obstacles(self, among: Flags | None = None) -> list[ConvexSet]:
        """Return the obstacles of some of the shapes, or of all, and the walls."""
        shapes = self.shapes if among is None else compress(self.shapes, among)
        blocked = (find_obstacles(self.body, self.facing_rad, other, range_mm) for other, range_mm in shapes)
        return [*(obstacle for each in blocked for obstacle in each), *self.walls]

    def find_near(self, points: Sequence[Point]) -> Flags:
        """Return which of the shapes a drawn way may come too near to, or the arcs that its chords stand for."""
        middles, radii_mm = self.discs
        return np.asarray(
            measure_polyline_mm(middles, points) <= radii_mm + _BULGE * radii_mm.max(initial=0.0) + _NEAR_MM
        )


def find_way_blocks(
    constraints: ConstraintSet,
    walk: Walk,
    body: Base,
    ends: tuple[Pose, Pose],
    *,
    within_mm: float = math.inf,
    sigmas: float = 0.0,
) -> WayBlocks:
    """Return what the centre of a body may not enter on a way whose ends are given.

    Each other model is kept clear of by so many of its own ``sigmas`` more: with a positive number a way is clear
    beyond doubt, with a negative one it may have been clear.

    Of a model whose height is out of range of either end it is not known whether the way passed it: it is left out, so
    that nobody is accused wrongly.  So are models further than ``within_mm`` from the start.
    """
    scene, start, extent_mm = walk.scene, ends[0], outer_radius_mm(body)
    away = scene.places_mm[:, :2] - (start.x_mm, start.y_mm)
    floors = np.hypot(*away.T) - scene.radii_mm - extent_mm
    passage = Passage(walk=walk, body=body, ends=ends, floors_mm=floors, within_mm=within_mm, sigmas=sigmas)
    blocked = [each for rule in constraints if (each := rule.block_way(passage)) is not None]
    ranges = merge_ranges(scene, (each.models for each in blocked))
    met = np.flatnonzero(np.isfinite(ranges))
    shapes = [
        (scene.models[k].place_base(), range_mm) for k, range_mm in zip(met.tolist(), ranges[met].tolist(), strict=True)
    ]
    others = [shape for each in blocked for shape in each.shapes]
    middles, radii_mm = (
        np.concatenate((of_models[met], of_others))
        for of_models, of_others in zip(
            scene.discs, list_bounding_discs((at.shape, at) for at, _ in others), strict=True
        )
    )
    shapes += others
    if _may_coincide(middles):
        shapes = drop_repeated(shapes)
        middles, radii_mm = list_bounding_discs((at.shape, at) for at, _ in shapes)
    reach_mm = np.maximum(np.array([range_mm for _, range_mm in shapes], dtype=float), 0.0) + extent_mm
    return WayBlocks(
        body=body,
        facing_rad=passage.facing_rad,
        shapes=shapes,
        discs=(middles, radii_mm + reach_mm),
        walls=[wall for each in blocked for wall in each.walls],
    )


_ASKEW = 1.0 - 0.618j
"""A direction along which tables seldom line up."""


def _may_coincide(places: Complexes) -> bool:
    """Return whether any of some places may be another: told from how far they lie along one direction."""
    along = np.sort((places * _ASKEW).real)
    return bool((np.diff(along) < _COINCIDE_MM).any())


def merge_ranges(scene: SituationIndex, ranges: Iterable[tuple[Ints, Array] | None]) -> Array:
    """Return the greatest of the ranges of each model of a scene, by its place; minus infinity where it has none."""
    merged_mm = np.full(len(scene.models), -np.inf)
    for places, ranges_mm in filter(None, ranges):
        merged_mm[places] = np.maximum(merged_mm[places], ranges_mm)
    return merged_mm


def find_costly_areas(
    constraints: ConstraintSet,
    walk: Walk,
    body: Base,
    ends: tuple[Pose, ...],
    *,
    within_mm: float = math.inf,
    apart_mm: float = 0.0,
) -> list[CostArea]:
    """Return the terrain that is climbed on a way, or costs otherwise, as areas of the centre of a body.

    Features further than ``within_mm`` from the start are left out.  Of one that reaches a little over an end of the
    way at its foot, as measured, that much costs nothing; ``apart_mm`` more is left free there.
    """
    return [area for rule in constraints for area in rule.build_cost_areas(walk, body, ends, within_mm, apart_mm)]


def find_footholds(constraints: ConstraintSet, walk: Walk, poses: Iterable[Pose]) -> list[Point]:
    """Return the places of poses for their way over terrain that costs.

    One that stands on top at the very edge of what is climbed is taken a little further in, since a way that only comes
    to an edge does not climb.
    """
    climbed = [kind for rule in constraints for kind in rule.list_climbed()]
    return [_find_foothold(walk, pose, climbed) for pose in poses]


def _find_foothold(walk: Walk, pose: Pose, climbed: list[TerrainSelector]) -> Point:
    on = find_supporting_terrain(walk.state, pose) if climbed else None
    if on is not None and any(kind(on) for kind in climbed) and measure_inside_mm(pose, on) <= _EDGE_MM:
        inner = shapely.Polygon(on.outline_mm).buffer(-_EDGE_MM, join_style="mitre")
        nearest = shapely.get_coordinates(shapely.shortest_line(inner, shapely.Point(pose.x_mm, pose.y_mm)))[:1]
        return next(((float(x), float(y)) for x, y in nearest), (pose.x_mm, pose.y_mm))
    return pose.x_mm, pose.y_mm


def find_free_box(
    constraints: ConstraintSet, table: Table, body: Base, facing_rad: float, margin_mm: float = 0.0
) -> Box:
    """Return the box that a body's centre stays in with a margin; the plane where nothing binds it."""
    boxes = (rule.bound_places(table, body, facing_rad, margin_mm) for rule in constraints)
    return next((box for box in boxes if box is not None), (-math.inf, -math.inf, math.inf, math.inf))


def extend_box(box: Box, places: Sequence[tuple[float, float]]) -> Box:
    """Return the least box that holds a box and some places: one who stands over the edge may come back."""
    xs, ys = [x for x, _ in places], [y for _, y in places]
    return (min(box[0], *xs), min(box[1], *ys), max(box[2], *xs), max(box[3], *ys))


def find_turning_body(base: Base) -> Base:
    """Return the disc that a base covers however it turns; a round base itself."""
    return base if isinstance(base, Round) else Round(radius_mm=inner_radius_mm(base))


ERROR_MM = 0.05
"""Bounds the distance between a region's drawn edge and the true one, where the facing is kept."""
_QUARTER_SEGMENTS = 64
"""Of a circle that is drawn: a foot around, it is drawn 0.02 mm too small at most."""

_APART_MM = 1e-3
"""So near to an obstacle the sweep of what is reached may lose its edge; a start is held further away from it."""


def list_levels(constraints: ConstraintSet, walk: Walk, limit_mm: float | None) -> Iterator[Level]:
    """Yield the heights at which a model may stand: the ground, and the tops of terrain that is not too far away.

    Where no rule asks for a footing, heights mean nothing: it stays at its own.
    """
    footed = any(rule.asks_footing for rule in constraints)
    yield Level(z_mm=0.0 if footed else walk.path[0].z_mm, top_of=None)
    if footed:
        for terrain in walk.state.terrain:
            level = Level(z_mm=terrain.height_mm, top_of=terrain)
            if terrain.height_mm > 0 and (limit_mm is None or _is_level_near(constraints, walk, level, limit_mm)):
                yield level


def _is_level_near(constraints: ConstraintSet, walk: Walk, level: Level, limit_mm: float) -> bool:
    """Return whether the top of terrain may be within a length of way, from how far off and how high it is."""
    assert level.top_of is not None
    away = draw_outline(level.top_of).distance(shapely.Point(walk.path[0].x_mm, walk.path[0].y_mm))
    if away == 0 or away > limit_mm:  # who stands inside an outline has it under or around the base already
        return away == 0
    way = end_at_level(walk, level)
    return away + max((rule.bound_rise_mm(way) for rule in constraints), default=0.0) <= limit_mm


def end_at_level(walk: Walk, level: Level) -> Walk:
    """Return a model's way to somewhere at a height, of which only the start and the height count.

    On top of terrain it ends somewhere over that, so that the way counts as one that ends on terrain.
    """
    end = replace(walk.path[0], z_mm=level.z_mm)
    if level.top_of is not None:
        over = draw_outline(level.top_of).representative_point()
        end = replace(end, x_mm=over.x, y_mm=over.y)
    return replace(walk, path=(walk.path[0], end))


def find_reachable_places(
    constraints: ConstraintSet, walk: Walk, limit_mm: float | None, top_of: Terrain | None = None
) -> BaseGeometry:
    """Return the places whose shortest way is within the limit beyond doubt; perhaps only those on top of terrain."""
    start, end, body = walk.path[0], walk.end, find_turning_body(walk.model.base)
    if limit_mm is None:
        return shapely.box(0.0, 0.0, walk.state.table.width_mm, walk.state.table.depth_mm)
    (place,) = find_footholds(constraints, walk, (start,))
    whole_mm, limit_mm = limit_mm, limit_mm - _measure_doubt_mm(constraints, walk, body, 1.0)
    if constraints.is_through_air(walk):
        rise = abs(end.z_mm - start.z_mm)
        if rise > limit_mm:
            return shapely.Polygon()
        limit_mm = math.sqrt(limit_mm**2 - rise**2)
    if limit_mm <= ERROR_MM / 2:  # as good as a point: a region has an area, so a dot that its error allows
        return shapely.Point(place).buffer(ERROR_MM / 2)
    obstacles, box = _find_obstacles_within(constraints, walk, place, limit_mm)
    if constraints.goes_straight(walk):
        return find_straight_region(place, limit_mm, shrink_obstacles(obstacles, (place,), _APART_MM), box)
    costly = find_costly_areas(constraints, walk, body, (start,), within_mm=limit_mm, apart_mm=_APART_MM)
    slower = tuple(
        (pace, whole_mm - _measure_doubt_mm(constraints, walk, body, pace))
        for pace in sorted({area.pace for area in costly if area.pace > 1})
    )
    climbed_only = bool(slower) and top_of is not None and any(_is_climbed_to(area, place, top_of) for area in costly)
    region = _find_region(
        place, limit_mm, tuple(obstacles), tuple(costly), box, slower=slower, climbed_only=climbed_only
    )
    rise_mm = max((rule.bound_rise_mm(walk) for rule in constraints), default=0.0)
    if rise_mm > 0 and any(part.distance(*place)[0] < 0 for area in costly for part in area.parts):
        # Who stands inside of what is climbed, at its foot, crosses no edge of it, and climbs it all the same.
        level = shapely.Point(place).buffer(max(limit_mm - rise_mm, ERROR_MM / 2), quad_segs=_QUARTER_SEGMENTS)
        region = shapely.intersection(region, level)
    return region


def _is_climbed_to(area: CostArea, place: Point, top_of: Terrain) -> bool:
    """Return whether who comes from a place to the top of terrain has climbed an area."""
    if area.up_mm <= 0 or min(part.distance(*place)[0] for part in area.parts) < 0:
        return False
    drawn = shapely.union_all([inscribe(part, DRAWN_MM) for part in area.parts])
    return bool(shapely.covers(drawn.buffer(_EDGE_MM), draw_outline(top_of)))


def find_straight_places(constraints: ConstraintSet, walk: Walk, limit_mm: float) -> BaseGeometry:
    """Return some of the places that are reached straight on open ground, for one who starts on it: what is soon known.

    By more than its error it is within what `find_reachable_places` returns.
    """
    start, body = walk.path[0], find_turning_body(walk.model.base)
    limit_mm -= _measure_doubt_mm(constraints, walk, body, 1.0) + ERROR_MM
    (place,) = find_footholds(constraints, walk, (start,))
    obstacles, box = _find_obstacles_within(constraints, walk, place, limit_mm)
    costly = find_costly_areas(constraints, walk, body, (start,), within_mm=limit_mm, apart_mm=_APART_MM)
    closed = [*shrink_obstacles(obstacles, (place,), _APART_MM), *(part for area in costly for part in area.parts)]
    return cut_shadows(place, limit_mm, closed, box).buffer(-ERROR_MM)


def _find_obstacles_within(
    constraints: ConstraintSet, walk: Walk, place: Point, limit_mm: float
) -> tuple[list[ConvexSet], Box]:
    """Return what keeps the centre of a base that turns aside off its way, and the box that it stays in."""
    body, ends = find_turning_body(walk.model.base), (walk.path[0], walk.end)
    blocks = find_way_blocks(constraints, walk, body, ends, within_mm=limit_mm, sigmas=DECIDED_SIGMAS)
    box = find_free_box(constraints, walk.state.table, body, ends[0].facing_rad)
    return blocks.build_obstacles(), extend_box(box, (place,))


def _measure_doubt_mm(constraints: ConstraintSet, walk: Walk, body: Base, pace: float) -> float:
    """Return how uncertain the length of a way is that ends where a millimetre counts for so many."""
    start = walk.path[0]
    begins = max(rule.find_pace(walk, start, body) for rule in constraints)
    return DECIDED_SIGMAS * combine_sigmas(begins * start.sigma_mm, pace * walk.end.sigma_mm)


@lru_cache(maxsize=256)
def _find_region(
    place: Point,
    limit_mm: float,
    obstacles: tuple[ConvexSet, ...],
    costly: tuple[CostArea, ...],
    box: Box,
    *,
    slower: tuple[tuple[float, float], ...],
    climbed_only: bool,
) -> BaseGeometry:
    """Return the places within a limit, among what `find_obstacles` returned and so is known again.

    Kept, for at most heights the same is in the way, and so it is while a hand moves a model that is in no one's way.
    """
    shut = shrink_obstacles(obstacles, (place,), _APART_MM)
    return find_weighted_region(place, limit_mm, shut, costly, box, slower_mm=dict(slower), climbed_only=climbed_only)
