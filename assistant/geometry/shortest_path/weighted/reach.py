"""Weighted reach: where a point can go over ground that costs, and the cheapest way there.

Obstacles are convex, and a box bounds all places.  Ground that costs is a list of areas (`areas.CostArea`): a
millimetre inside counts so many, entering and leaving cost a climb, and a move may have to pass without ending inside.
What a way costs is the sum of what each millimetre counts, and of the climbs at every edge that it crosses; one that
begins or ends inside pays only for what it crosses.  On the edge is outside: the mover has the benefit.

Where areas cost only climbs, `climbs` tells their ways apart by what they climb.  Else a cheapest way is made of
straight legs, refracted where they cross the edge of an area with a pace, of runs along such edges, and of arcs that
hug obstacles and areas.  `relay_search` looks for it: `path_graph` finds it over relays on the edges, `refraction`
makes it exact, `ray_families` says where the rays begin in which the ways end, and `swept_region` sweeps the region.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import compress
from types import MappingProxyType

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from assistant.geometry.clearance.shape_clearance import Point
from assistant.geometry.shapes.convex import ConvexSet
from assistant.geometry.shapes.overlays import intersect, subtract, unite
from assistant.geometry.shapes.polygons import circumscribe, extract_polygons, inscribe
from assistant.geometry.shortest_path.free.reach import (
    Route,
    find_met_obstacles,
    find_reach_region,
    find_shortest_route,
)
from assistant.geometry.shortest_path.obstacles import build_field
from assistant.geometry.shortest_path.tangents import Box
from assistant.geometry.shortest_path.weighted.areas import (
    CostArea,
    build_area_arrays,
    close_area,
    find_area_crossings,
)
from assistant.geometry.shortest_path.weighted.climbs import (
    UndecidedClimb,
    build_climb_scene,
    find_climb_region,
    find_climb_route,
)
from assistant.geometry.shortest_path.weighted.relay_search import (
    SLACK_MM,
    CostlyGround,
    find_relayed_regions,
    find_relayed_routes,
)

ERROR_MM = 0.05
"""How far the drawn edge of a region lies from where ways cost the limit.

Held by all of 2,600 places just beside the edges of 70 random scenes: outlines that overlap, touch and are rounded,
starts inside them, discs in the way.  In other scenes single places were up to 0.1 mm off.
"""
_NO_LIMITS: Mapping[float, float] = MappingProxyType({})


def find_weighted_region(
    start: Point,
    limit_mm: float,
    closed: Sequence[ConvexSet],
    areas: Sequence[CostArea],
    box: Box,
    *,
    slower_mm: Mapping[float, float] = _NO_LIMITS,
    climbed_only: bool = False,
) -> shapely.MultiPolygon:
    """Return the places where a way may end that costs no more than a limit, to `ERROR_MM`.

    Where a millimetre counts for more than one, ``slower_mm`` may name another limit, by what it counts for there.
    With ``climbed_only`` those may be left out which are in no area that is climbed from the start.

    The start must not lie inside a closed obstacle; it may lie inside areas.  Along obstacles the region's chords may
    cut into them: who draws it cuts them out.  Empty where the start is outside the box.
    """
    costly = [area for area in areas if _is_costly(area)]
    furthest_mm = max(limit_mm, *slower_mm.values(), 0.0)
    near = list(compress(closed, build_field(closed).measure_distances_mm(start) < furthest_mm))
    costly = [area for area in costly if _measure_away_mm(area, start) < furthest_mm]
    others = {pace: mm for pace, mm in sorted(slower_mm.items()) if mm != limit_mm}
    if not _is_inside_box(start, box):
        return shapely.MultiPolygon()
    if not costly or furthest_mm <= 0:
        region = find_reach_region(start, limit_mm, closed, box)
    else:
        region, *slower = _find_costly_regions(
            start, {1.0: limit_mm} | others, (near, costly, box), climbed_only=climbed_only
        )
        for pace, reached in zip(others, slower, strict=True):
            parts = [part for area in costly if area.pace == pace for part in area.parts]
            within, around = (unite([draw(part, ERROR_MM / 5) for part in parts]) for draw in (inscribe, circumscribe))
            region = extract_polygons(unite([subtract(region, within), intersect(reached, around)]))
    shut = [circumscribe(part, ERROR_MM / 2) for area in areas if not area.endable for part in area.parts]
    return extract_polygons(subtract(region, unite(shut))) if shut else region


def find_weighted_routes(
    start: Point,
    goals: Sequence[Point],
    closed: Sequence[ConvexSet],
    areas: Sequence[CostArea],
    box: Box,
    *,
    limit_mm: float = math.inf,
) -> list[Route | None]:
    """Return the cheapest way to each goal, or None where none costs no more than a limit; ``mm`` is what it costs.

    Over areas that cost only a climb a way is exact to 1e-6 mm.  Else its crossings are made exact to that where the
    legs stay free; which of several ways is taken is decided by their costs over relays, so that one that is better by
    less than a relay's rounding may be missed.  Starts and goals must not lie inside closed obstacles.
    """
    costly = [area for area in areas if _is_costly(area)]
    if not costly:
        plain = [find_shortest_route(start, goal, closed, box) for goal in goals]
        return [route if route is not None and route.mm <= limit_mm else None for route in plain]
    return [_find_costly_route(start, goal, (closed, costly, box), limit_mm) for goal in goals]


def _find_costly_route(start: Point, goal: Point, ground: CostlyGround, limit_mm: float) -> Route | None:
    """Return the cheapest way to one goal, if it costs no more than a limit.

    It is looked for among the obstacles and areas that cheaper ways have met: what meets no others is the cheapest.
    """
    closed, areas, box = ground
    if not (_is_inside_box(start, box) and _is_inside_box(goal, box)):
        return None
    if goal == start:
        return Route(mm=0.0, points=(start, start))
    passable = _find_passable_route(start, goal, ground)
    if passable is None:
        return None
    bound_mm = min(limit_mm, passable.mm + SLACK_MM)
    field = build_field([*closed, *(part for area in areas for part in area.parts)])
    area_of = np.repeat(np.arange(len(areas)), [len(area.parts) for area in areas])
    shut, costly = np.zeros(len(closed), dtype=bool), np.array([_holds_either(area, start, goal) for area in areas])
    route: Route | None = Route(mm=0.0, points=(start, goal))
    while route is not None:
        met = find_met_obstacles(field, route, ~np.concatenate((shut, costly[area_of])))
        if not met.any() and route.mm > 0:
            break
        shut |= met[: len(closed)]
        costly[area_of[met[len(closed) :]]] = True
        near = list(compress(closed, shut)), list(compress(areas, costly)), box
        route = _find_route_on_ground(start, goal, near, bound_mm)
        if route is None and bound_mm < limit_mm:  # by rounding what is passable may cost more than was measured
            bound_mm = limit_mm
            route = _find_route_on_ground(start, goal, near, bound_mm)
    best = route or passable
    return best if best.mm <= limit_mm else None


def _holds_either(area: CostArea, start: Point, goal: Point) -> bool:
    """Return whether one of two places lies inside an area, however little: less than a way meets it by."""
    return any(part.distance(*place)[0] < 0 for part in area.parts for place in (start, goal))


def _find_route_on_ground(start: Point, goal: Point, ground: CostlyGround, bound_mm: float) -> Route | None:
    """Return the cheapest way by the areas that are climbed, where that decides it, else over relays."""
    closed, areas, box = ground
    if not areas:
        return find_shortest_route(start, goal, closed, box)
    if all(area.pace == 1 for area in areas):
        try:
            return find_climb_route(build_climb_scene(start, closed, areas, box), goal, bound_mm)
        except UndecidedClimb as undecided:
            bound_mm = min(bound_mm, undecided.known_mm + SLACK_MM)
    return find_relayed_routes(start, [goal], bound_mm, ground)[0]


def _find_passable_route(start: Point, goal: Point, ground: CostlyGround) -> Route | None:
    """Return a way between two places and about what it costs, though it may not be the cheapest; None if none is.

    It is the better of the shortest way of all, and the shortest that enters no area that it need not.
    """
    closed, areas, box = ground
    straight_on = find_shortest_route(start, goal, closed, box)
    if straight_on is None:
        return None
    best = replace(straight_on, mm=_measure_cost_mm(straight_on, areas))
    needed = [area for area in areas if min(_list_depths_mm(area, (start, goal))) < 0]
    others = [part for area in areas if area not in needed for part in area.parts]
    around = find_shortest_route(start, goal, [*closed, *others], box) if others else None
    if around is None:
        return best
    around = replace(around, mm=_measure_cost_mm(around, areas))  # it may run along a seam within an area
    return min(best, around, key=lambda route: route.mm)


def _list_depths_mm(area: CostArea, places: Sequence[Point]) -> list[float]:
    return [part.distance(*place)[0] for part in area.parts for place in places]


def _measure_cost_mm(route: Route, areas: Sequence[CostArea]) -> float:
    """Return what a way costs, or a little more where areas overlap."""
    if not areas:
        return route.mm
    soil, points = build_area_arrays(areas), np.array(route.points, dtype=float)
    crossings = find_area_crossings(soil, points[:-1], points[1:])
    climb = np.where(crossings.change > 0, soil.up_mm[crossings.area], soil.down_mm[crossings.area])
    climbed = float(np.where(crossings.is_crossed_midway(), climb, 0.0).sum())
    inside = np.where(
        crossings.change != 0, -crossings.change * np.where(crossings.change != 0, crossings.at_mm, 0.0), 0.0
    )
    added = float((inside * (soil.pace[crossings.area] - 1)).sum())
    before, after = crossings.ends_inside[:-1], crossings.begins_inside[1:]
    climbed += float((after & ~before).sum(axis=0) @ soil.up_mm + (before & ~after).sum(axis=0) @ soil.down_mm)
    return route.mm + added + climbed


def _find_costly_regions(
    start: Point, limits_mm: Mapping[float, float], ground: CostlyGround, *, climbed_only: bool
) -> list[shapely.MultiPolygon]:
    """Return the regions within limits: by the areas that are climbed where nothing else costs, else over relays.

    Limits are by pace; the first one is for all ground that no other is for, and a region may lack other ground.
    """
    closed, areas, box = ground
    if all(area.pace == 1 for area in areas):
        scene = build_climb_scene(start, closed, areas, box)
        return [find_climb_region(scene, limit_mm) for limit_mm in limits_mm.values()]
    climbed = [area for area in areas if _is_climbed(area)]
    if any(_measure_away_mm(area, start) < 0 for area in climbed):
        return find_relayed_regions(start, list(limits_mm.values()), ground, paces=list(limits_mm)[1:])
    limit_mm = max(limits_mm.values())
    able = [area for area in climbed if area.up_mm + _measure_away_mm(area, start) < limit_mm]
    level_mm = limit_mm - min((area.up_mm for area in able), default=limit_mm)
    if level_mm > limit_mm / 2 and not climbed_only:  # by far most is near enough to what is climbed
        return _find_regions_climbing(start, limits_mm, ground, able)
    above = _find_regions_climbing(start, limits_mm, ground, able, level_mm=level_mm) if able else []
    below = [] if climbed_only else _find_regions_climbing(start, limits_mm, ground, [])
    nowhere = [shapely.MultiPolygon() for _ in limits_mm]
    return [extract_polygons(unite(each)) for each in zip(above or nowhere, below or nowhere, strict=True)]


def _find_regions_climbing(
    start: Point,
    limits_mm: Mapping[float, float],
    ground: CostlyGround,
    able: Sequence[CostArea],
    *,
    level_mm: float | None = None,
) -> list[shapely.MultiPolygon]:
    """Return where ways lead that climb no other areas than some.

    With ``level_mm`` those that do climb: so much is left of the limit, and only what is so near has to be looked at.
    """
    closed, areas, box = ground
    walls = [area for area in areas if _is_climbed(area) and area not in able]
    shut = [*closed, *(wall for area in walls for wall in close_area(area))]
    open_areas = [area for area in areas if not _is_climbed(area) or area in able]
    if level_mm is not None:
        shut = [each for each in shut if each.distance(*start)[0] < level_mm]
        open_areas = [area for area in open_areas if _measure_away_mm(area, start) < level_mm]
    if open_areas:
        regions = find_relayed_regions(
            start, list(limits_mm.values()), (shut, open_areas, box), paces=list(limits_mm)[1:], level_mm=level_mm
        )
    else:
        regions = [find_reach_region(start, limit_mm, shut, box) for limit_mm in limits_mm.values()]
    drawn = unite([_draw_area(area) for area in walls])
    return [extract_polygons(subtract(region, drawn)) for region in regions]


def _measure_away_mm(area: CostArea, place: Point) -> float:
    return min(part.distance(*place)[0] for part in area.parts)


def _draw_area(area: CostArea) -> BaseGeometry:
    return unite([circumscribe(part, ERROR_MM / 5) for part in area.parts])


def _is_costly(area: CostArea) -> bool:
    return area.pace > 1 or area.up_mm > 0 or area.down_mm > 0


def _is_climbed(area: CostArea) -> bool:
    """Return whether it costs a climb to enter an area."""
    return area.up_mm > 0


def _is_inside_box(place: Point, box: Box) -> bool:
    return box[0] <= place[0] <= box[2] and box[1] <= place[1] <= box[3]
