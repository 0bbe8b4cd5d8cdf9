"""Climbs: cheapest ways over areas that cost nothing but a climb, told apart by the areas that are climbed.

Inside such an area a millimetre counts what it counts outside.  So among the ways that climb certain areas and no
others, the cheapest is a shortest way with the other areas as obstacles, and costs its length and these climbs.  There
are few sets to try, for each climb uses up much of what a way may cost.

That holds where a way enters an area only once.  It may leave and come back where the area has several parts, or where
an obstacle lies across its edge.  A region is then swept over relays, for those areas alone and from where they are
climbed on; of a way, where that could make a difference, nothing is answered, and the search over relays is left to
say.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, compress

import shapely
from shapely.geometry.base import BaseGeometry

from assistant.geometry.clearance.shape_clearance import Point
from assistant.geometry.shapes.convex import ConvexSet
from assistant.geometry.shapes.overlays import unite
from assistant.geometry.shapes.polygons import circumscribe, extract_polygons, inscribe
from assistant.geometry.shortest_path.free.reach import Route, find_reach_region, find_shortest_route
from assistant.geometry.shortest_path.obstacles import ObstacleField, build_field
from assistant.geometry.shortest_path.tangents import Box
from assistant.geometry.shortest_path.weighted.areas import TOUCH_MM, CostArea, close_area
from assistant.geometry.shortest_path.weighted.relay_search import find_relayed_regions

_DRAWN_MM = 0.01
_SHORT_MM = 1e-3

ClimbedAreas = frozenset[int]


class UndecidedClimb(Exception):
    """It would take ways that enter an area twice."""

    def __init__(self, known_mm: float = math.inf) -> None:
        """``known_mm`` is what some way costs."""
        super().__init__()
        self.known_mm = known_mm


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClimbScene:
    """What is around a start."""

    start: Point
    obstacles: tuple[ConvexSet, ...]
    closed: ObstacleField
    """The same as a field."""
    areas: tuple[CostArea, ...]
    fields: tuple[ObstacleField, ...]
    """What keeps ways out of each area."""
    away_mm: tuple[float, ...]
    """How far each area is from the start; negative for one that it lies in."""
    box: Box

    def build_obstacles(self, chosen: ClimbedAreas) -> ObstacleField:
        """Return the obstacles of ways that may climb some areas."""
        field = self.closed
        for index, parts in enumerate(self.fields):
            if index not in chosen:
                field = field.combine(parts)
        return field

    def find_start_areas(self) -> ClimbedAreas:
        """Return the areas that the start lies in."""
        return frozenset(index for index, mm in enumerate(self.away_mm) if mm < -TOUCH_MM)


def build_climb_scene(start: Point, closed: Sequence[ConvexSet], areas: Sequence[CostArea], box: Box) -> ClimbScene:
    """Return what is around a start."""
    return ClimbScene(
        start=start,
        obstacles=tuple(closed),
        closed=build_field(closed),
        areas=tuple(areas),
        fields=tuple(build_field(close_area(area)) for area in areas),
        away_mm=tuple(_distance_to_area_mm(area, start) for area in areas),
        box=box,
    )


def find_climb_region(ground: ClimbScene, limit_mm: float) -> shapely.MultiPolygon:
    """Return the places where a way may end that costs no more than a limit."""
    tops = [_draw_within(area.parts) for area in ground.areas]
    walls = [_draw_around(area.parts) for area in ground.areas]
    # What comes by none of the areas that are climbed has been found without them.
    ways = [chosen for chosen in _choose_climbs(ground, limit_mm) if _bound_away_mm(ground, chosen) < limit_mm]
    regions = list[BaseGeometry]()
    climbed = frozenset[int]().union(*ways)
    # A way may leave an area and come back where that has several parts, or where an obstacle lies across its edge.
    if any(len(ground.areas[index].parts) > 1 for index in climbed) or any(
        _lies_across(ground, chosen, walls) for chosen in ways
    ):
        region = _find_relayed_region(ground, climbed, limit_mm)
        regions.append(_cut_out(region, [wall for index, wall in enumerate(walls) if index not in climbed]))
        ways = [chosen for chosen in ways if not chosen]
    for chosen in ways:
        for ending, cost_mm in _choose_endings(ground, chosen):
            left_mm = limit_mm - cost_mm
            if left_mm > 0 and max((ground.away_mm[index] for index in chosen), default=0.0) < left_mm:
                region = find_reach_region(ground.start, left_mm, ground.build_obstacles(chosen), ground.box)
                regions.append(_clip_to_areas(region, ending, tops, walls))
    return extract_polygons(unite(regions))


def _bound_away_mm(ground: ClimbScene, chosen: ClimbedAreas) -> float:
    """Return what it costs at least to be on all of some areas."""
    climbs_mm = sum(ground.areas[index].up_mm for index in chosen - ground.find_start_areas())
    return climbs_mm + max((ground.away_mm[index] for index in chosen), default=0.0)


def _lies_across(ground: ClimbScene, chosen: ClimbedAreas, drawn: Sequence[BaseGeometry]) -> bool:
    """Return whether an obstacle lies across the edge of one of some areas: round it a way may leave and come back."""
    others = [wall for index, wall in enumerate(drawn) if index not in chosen]
    others += [_draw_around((obstacle,)) for obstacle in ground.obstacles]
    return any(shapely.intersects(drawn[index].boundary, others).any() for index in chosen)


@lru_cache(maxsize=1024)
def _draw_around(parts: tuple[ConvexSet, ...]) -> BaseGeometry:
    """Return what holds an area, or an obstacle: the models of a unit have most of them in common."""
    return shapely.union_all([circumscribe(part, _DRAWN_MM) for part in parts])


@lru_cache(maxsize=512)
def _draw_within(parts: tuple[ConvexSet, ...]) -> BaseGeometry:
    """Return what an area holds."""
    return shapely.union_all([inscribe(part, _DRAWN_MM) for part in parts])


def _find_relayed_region(ground: ClimbScene, chosen: ClimbedAreas, limit_mm: float) -> shapely.MultiPolygon:
    """Return where ways lead that climb no other areas than some, which they may enter more than once.

    What is reached without a climb is left out, where it is sure that an area is not entered for nothing.
    """
    climbed = [ground.areas[index] for index in sorted(chosen)]
    least_mm = 0.0 if chosen & ground.find_start_areas() else min(area.up_mm for area in climbed)
    level_mm = limit_mm - least_mm
    shut = [
        *ground.obstacles,
        *(part for k, area in enumerate(ground.areas) if k not in chosen for part in close_area(area)),
    ]
    shut = list(compress(shut, ground.build_obstacles(chosen).measure_distances_mm(ground.start) < level_mm))
    (region,) = find_relayed_regions(
        ground.start, [limit_mm], (shut, climbed, ground.box), level_mm=level_mm if least_mm > 0 else None
    )
    return region


def find_climb_route(ground: ClimbScene, goal: Point, limit_mm: float) -> Route | None:
    """Return the cheapest way to a place, if it costs no more than a limit; ``mm`` is what it costs.

    Raises:
        Undecided: a way that enters an area twice may be the cheapest.

    """
    ending = frozenset(index for index, area in enumerate(ground.areas) if _distance_to_area_mm(area, goal) < -TOUCH_MM)
    straight_mm, best, least_mm, doubtful_mm = math.dist(ground.start, goal), None, limit_mm, math.inf
    always = ground.find_start_areas() | ending
    around = find_shortest_route(ground.start, goal, ground.build_obstacles(always), ground.box)
    if around is not None:
        least_mm = min(
            least_mm, around.mm + _sum_climbs_mm(ground, always, ending) + _measure_reentry_mm(ground, always, around)
        )
    elif math.isinf(limit_mm):
        raise UndecidedClimb
    detours = [
        mm + max(_distance_to_area_mm(area, goal), 0.0) for mm, area in zip(ground.away_mm, ground.areas, strict=True)
    ]
    for chosen in sorted(
        _choose_climbs(ground, least_mm, ending, detours), key=lambda each: _sum_climbs_mm(ground, each, ending)
    ):
        cost_mm = _sum_climbs_mm(ground, chosen, ending)
        if straight_mm + cost_mm > least_mm:
            break
        route = (
            around
            if chosen == always
            else find_shortest_route(ground.start, goal, ground.build_obstacles(chosen), ground.box)
        )
        if route is None or route.mm + cost_mm > least_mm:
            continue
        again_mm = _measure_reentry_mm(ground, chosen, route)
        if again_mm > 0:
            doubtful_mm = min(doubtful_mm, route.mm + cost_mm)
        if route.mm + cost_mm + again_mm <= least_mm:
            least_mm = route.mm + cost_mm + again_mm
            best = Route(mm=least_mm, points=route.points)
    if doubtful_mm < least_mm:
        raise UndecidedClimb(least_mm)
    return best


def _choose_climbs(
    ground: ClimbScene,
    limit_mm: float,
    ending: ClimbedAreas | None = None,
    ways_mm: Sequence[float] | None = None,
) -> Iterator[ClimbedAreas]:
    """Yield the sets of areas that a way within a limit may climb; those that it starts or ends in are always climbed.

    Where it is not said which areas a way ends in, it may end in all of them.  ``ways_mm`` are lower bounds of the ways
    that come by each area; by default, of those that come to it.
    """
    always, ways_mm = ground.find_start_areas() | (ending or frozenset()), ways_mm or ground.away_mm
    costs = [area.up_mm + (0.0 if ending is None else area.down_mm) for area in ground.areas]
    others = [index for index, mm in enumerate(ways_mm) if index not in always and mm + costs[index] < limit_mm]
    for count in range(len(others) + 1):
        fitting = False
        for more in combinations(others, count):
            spent = sum(costs[index] for index in more)
            if spent + max((ways_mm[index] for index in more), default=0.0) < limit_mm:
                fitting = True
                yield always | frozenset(more)
        if not fitting:
            return


def _choose_endings(ground: ClimbScene, chosen: ClimbedAreas) -> Iterator[tuple[ClimbedAreas, float]]:
    """Yield in which of some climbed areas a way may end, with what its climbs then cost."""
    for count in range(len(chosen) + 1):
        for ending in combinations(sorted(chosen), count):
            yield frozenset(ending), _sum_climbs_mm(ground, chosen, frozenset(ending))


def _sum_climbs_mm(ground: ClimbScene, chosen: ClimbedAreas, ending: ClimbedAreas) -> float:
    begun = ground.find_start_areas()
    ups = sum(ground.areas[index].up_mm for index in chosen - begun)
    return ups + sum(ground.areas[index].down_mm for index in chosen - ending)


def _clip_to_areas(
    reached: BaseGeometry, ending: ClimbedAreas, tops: Sequence[BaseGeometry], walls: Sequence[BaseGeometry]
) -> BaseGeometry:
    """Return the part of a region that lies in certain areas and in no others."""
    for index in ending:
        reached = shapely.intersection(reached, tops[index])
    return _cut_out(reached, [wall for index, wall in enumerate(walls) if index not in ending])


def _cut_out(reached: BaseGeometry, walls: Sequence[BaseGeometry]) -> BaseGeometry:
    shut = [wall for wall in walls if shapely.intersects(wall, reached)]
    return shapely.difference(reached, shapely.union_all(shut)) if shut else reached


def _measure_reentry_mm(ground: ClimbScene, chosen: ClimbedAreas, route: Route) -> float:
    """Return what a way costs besides, because it leaves areas and comes back."""
    more_mm, line = 0.0, shapely.LineString(route.points)
    for area in (ground.areas[index] for index in chosen):
        if len(area.parts) == 1 and len(route.points) == 2:
            continue
        inside = shapely.intersection(line, _draw_within(area.parts))
        stays = sum(part.length > _SHORT_MM for part in shapely.get_parts(shapely.line_merge(inside)))
        more_mm += max(stays - 1, 0) * (area.up_mm + area.down_mm)
    return more_mm


def _distance_to_area_mm(area: CostArea, place: Point) -> float:
    return min(part.distance(*place)[0] for part in area.parts)
