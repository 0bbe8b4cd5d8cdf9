"""Relay search: the cheapest ways over ground that costs by the path graph, made exact, and the regions they reach.

Relays are the Steiner points on the edges of areas.
"""

from collections.abc import Sequence

import numpy as np
import shapely

from assistant.geometry.clearance.shape_clearance import Point
from assistant.geometry.shapes.convex import Array, ConvexSet
from assistant.geometry.shapes.overlays import intersect, unite
from assistant.geometry.shapes.polygons import extract_polygons
from assistant.geometry.shortest_path.free.reach import Route
from assistant.geometry.shortest_path.obstacles import ObstacleField, build_field
from assistant.geometry.shortest_path.tangents import Box
from assistant.geometry.shortest_path.weighted.areas import CostArea, build_area_arrays
from assistant.geometry.shortest_path.weighted.path_graph import WeightedScene, build_path_graph, find_cheapest_tree
from assistant.geometry.shortest_path.weighted.ray_families import build_ray_families
from assistant.geometry.shortest_path.weighted.refraction import GraphSolution, draw_path, trace_exact_paths
from assistant.geometry.shortest_path.weighted.steiner_points import (
    EdgeSurroundings,
    build_edge_curves,
    place_steiner_points,
)
from assistant.geometry.shortest_path.weighted.swept_region import sweep_families

SLACK_MM = 14.0
"""How much further than the limit ways are followed: a relay's cost differs from the next one's by no more."""
_NEAR_MM = 6.0
_RIVALS = 12
"""Of the ways to a goal, how many are made exact, if their rounded costs differ by no more than `_NEAR_MM`."""
_SLIT_MM = 2e-3
_FAR_MM = 1e6
"""Further than any region: a box without sides is cut off there."""

CostlyGround = tuple[Sequence[ConvexSet], Sequence[CostArea], Box]
"""Closed obstacles, areas, and the box."""


def _build_point_field(places: Sequence[Point] | Array) -> ObstacleField:
    return build_field([ConvexSet(corners_mm=np.array([place], dtype=float)) for place in places])


def _solve_graph(
    start: Point, goals: Sequence[Point], limit_mm: float, ground: CostlyGround, level_mm: float | None = None
) -> GraphSolution:
    """Return the cheapest ways over relays from a start to goals, and to all that lies within a limit.

    No way is longer than ``level_mm``, if that is known.
    """
    closed, areas, box = ground
    soil = build_area_arrays(areas)
    shut = _build_point_field([start]).combine(build_field(closed)) if closed else _build_point_field([start])
    land = EdgeSurroundings(soil=soil, curves=build_edge_curves(soil), closed=shut, box=box)
    length_mm = limit_mm if level_mm is None else level_mm
    relays = place_steiner_points(land, length_mm)
    field = shut.combine(soil.field)
    points, count = len(field.counts), len(relays.points_mm)
    for places in (relays.points_mm, goals):
        if len(places):
            field = field.combine(_build_point_field(places))
    scene = WeightedScene(field=field, closed=shut, soil=soil, box=box, points=points, goals=points + count)
    ways = build_path_graph(scene, length_mm)
    tree = find_cheapest_tree(ways, soil, limit_mm)
    return GraphSolution(scene=scene, relays=relays, curves=land.curves, ways=ways, tree=tree)


def find_relayed_routes(
    start: Point, goals: Sequence[Point], limit_mm: float, ground: CostlyGround
) -> list[Route | None]:
    """Return the cheapest way to each goal, or None where none costs no more than a limit."""
    solution = _solve_graph(start, goals, limit_mm, ground)
    legs, source = solution.ways.legs, solution.tree.into[0]
    total = solution.tree.cost_mm[source] + legs.pace * legs.length_mm + legs.climb_mm
    rivals, goal_of = [np.empty(0, dtype=np.intp)], []
    for goal, place in enumerate(solution.ways.of_point[len(solution.relays.points_mm) :].tolist()):
        into = np.flatnonzero((legs.target == 2 * place) & np.isfinite(total))
        into = into[np.argsort(total[into])][:_RIVALS]
        into = into[total[into] <= total[into[:1]] + _NEAR_MM] if len(into) else into
        rivals.append(into)
        goal_of += [goal] * len(into)
    last = np.concatenate(rivals)
    routes: list[Route | None] = [None] * len(goals)
    if not len(last):
        return routes
    exact = trace_exact_paths(solution, source[last], last)
    for way in np.argsort(-exact.cost_mm).tolist():
        if exact.cost_mm[way] <= limit_mm:
            routes[goal_of[way]] = Route(mm=float(exact.cost_mm[way]), points=draw_path(exact.stops, way))
    return routes


def find_relayed_regions(
    start: Point,
    limits_mm: Sequence[float],
    ground: CostlyGround,
    *,
    paces: Sequence[float] = (),
    level_mm: float | None = None,
) -> list[shapely.MultiPolygon]:
    """Return the places where ways may end that cost no more than each of some limits.

    The limits after the first one are for ground where a millimetre counts for one of ``paces`` each.  What is returned
    for a limit may lack places on ground that it is not for.

    If only places are asked for that are climbed to, ``level_mm`` says what of the greatest limit their ways leave for
    lengths; then no obstacles are needed that are further away than that.
    """
    climbed_only, limit_mm = level_mm is not None, max(limits_mm)
    rounded_mm = SLACK_MM if any(area.pace > 1 for area in ground[1]) else 0.0
    level_mm = None if level_mm is None else level_mm + rounded_mm
    solution = _solve_graph(start, (), limit_mm + rounded_mm, ground, level_mm)
    families, box = build_ray_families(solution, limit_mm), shapely.box(*np.clip(ground[2], -_FAR_MM, _FAR_MM))
    apart = [families.select_paced(paces, among=False), *(families.select_paced([pace], among=True) for pace in paces)]
    swept = (
        sweep_families(solution, each, up_to_mm, climbed_only=climbed_only)
        for each, up_to_mm in zip(apart, limits_mm, strict=True)
    )
    return [_mend_slits(extract_polygons(intersect(unite(parts.tolist()), box))) for parts in swept]


def _mend_slits(region: shapely.MultiPolygon) -> shapely.MultiPolygon:
    """Close the slits that rounding leaves where sweeps meet, and leave out what is thinner than they are."""
    closed = extract_polygons(region.buffer(_SLIT_MM, join_style="mitre").buffer(-_SLIT_MM, join_style="mitre"))
    parts = [
        shapely.Polygon(part.exterior, [hole for hole in part.interiors if _is_wide(shapely.Polygon(hole))])
        for part in closed.geoms
        if _is_wide(part)
    ]
    return shapely.MultiPolygon(parts)


def _is_wide(part: shapely.Polygon) -> bool:
    return bool(2 * part.area > 2 * _SLIT_MM * part.length)
