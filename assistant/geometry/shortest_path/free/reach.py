"""Reach: where a point can go within a length of way among convex obstacles, and the shortest way there.

All places lie inside a box.  A place is reached by the last straight segment of its shortest way: one of the rays from
the start, or of those that leave the arcs which shortest ways hug.  The region is the union of what these rays sweep,
each as long as the way that remains, or until it meets an obstacle; the distance of a place is the least over the rays
that come by it.  Lengths are exact; only the drawn region is made of chords, `swept_region.CHORD_MM` inside the true
edge at most.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from assistant.geometry.clearance.shape_clearance import Point
from assistant.geometry.shapes.convex import Array, Complexes, ConvexSet, unit_vectors
from assistant.geometry.shapes.polygons import extract_polygons
from assistant.geometry.shortest_path.free.swept_region import CHORD_MM, sweep_fans
from assistant.geometry.shortest_path.free.tangent_graph import HuggedArcs, find_hugged_arcs
from assistant.geometry.shortest_path.obstacles import (
    TOUCH_MM,
    Flags,
    Ints,
    ObstacleField,
    build_field,
    complex_from_angles,
    complex_from_points,
)
from assistant.geometry.shortest_path.tangents import BESIDE_MM, Box, is_inside_box

_ANGLE_RAD = 1e-9
_AT_ONCE = 6
"""So many last straights are held against what is in the way in one go: to one place the shortest few."""
_DRAWN_RAD = 0.05


def find_arrivals(hugs: HuggedArcs, start: int, places: Complexes, limit_mm: float) -> tuple[Array, Ints, Array]:
    """Return the shortest ways from a start to (m,) places: the length, the arc left last, and where it is left.

    The length is infinite where no way leads within the limit; the arc is -1 where the way is straight.
    """
    field = hugs.field
    arcs = ((hugs.start == start) & (hugs.corner != start)).nonzero()[0]
    corner, first, radius = hugs.corner[arcs], hugs.first[arcs], field.radii_mm[hugs.corner[arcs]]
    span = hugs.last[arcs] - first
    turn = np.sign(span)
    away = places[:, None] - field.centres[corner]
    square = np.abs(away) ** 2
    straight = np.sqrt(np.maximum(square - radius**2, 0.0))
    normal = away * (radius - 1j * turn * straight)  # points where the tangent to the place leaves, times the square
    hugged = np.angle(normal * (complex_from_angles(first) * field.lows[corner]).conj()) * turn
    able = (hugged >= -_ANGLE_RAD) & (hugged <= np.abs(span) + _ANGLE_RAD) & (square >= (radius - TOUCH_MM) ** 2)
    hugged = np.maximum(hugged, 0.0)
    mm = np.where(able, hugs.cost_mm[arcs] + radius * hugged + straight, np.inf)
    # The start itself is one more arc, of no radius.
    direct = np.abs(places - field.centres[start])[:, None]
    mm = np.concatenate((mm, direct), axis=1)
    mm[mm > limit_mm] = np.inf
    angle = np.concatenate((first + turn * hugged, np.zeros_like(direct)), axis=1)
    straight = np.concatenate((straight, direct), axis=1)
    corner = np.append(corner, start)

    least_mm, last_arc = np.full(len(places), np.inf), np.full(len(places), -1)
    open_places, count = np.arange(len(places)), max(1, _AT_ONCE // max(len(places), 1))
    while len(open_places):  # the shortest first, until one meets nothing
        mms = mm[open_places]
        best = mms.argmin(axis=1)[:, None] if count == 1 else mms.argsort(axis=1, kind="stable")[:, :count]
        able = np.take_along_axis(mms, best, axis=1) < np.inf
        place = np.broadcast_to(open_places[:, None], best.shape)[able]
        around, length = corner[best[able]], straight[place, best[able]]
        leaves = complex_from_angles(angle[place, best[able]]) * field.lows[around]
        origin = field.centres[around] + field.radii_mm[around] * leaves
        heading = np.divide(places[place] - origin, length, out=np.ones(len(place), dtype=complex), where=length > 0)
        owner, free = field.owner[around], able.copy()
        free[able] = field.cast_rays_complex(origin, heading, length, owner, owner)[0] >= length - TOUCH_MM
        found = free.any(axis=1)
        ends, arc = open_places[found], best[found, free[found].argmax(axis=1)]
        least_mm[ends], last_arc[ends] = mm[ends, arc], arc
        mm[open_places[:, None], best] = np.inf
        open_places = open_places[~found & able.all(axis=1)]
    rows = np.arange(len(places))
    return least_mm, np.where(last_arc < len(arcs), np.append(arcs, -1)[last_arc], -1), angle[rows, last_arc]


def trace_route_points(hugs: HuggedArcs, hug: int, angle: float) -> list[complex]:
    """Return the places along the way to where it leaves an arc for good, arcs as chords."""
    if hug < 0:
        return []
    graph, states = hugs.graph, [int(hugs.state[hug])]
    while graph.before[states[-1]] >= 0:
        states.append(int(graph.before[states[-1]]))
    nodes = [state // 2 for state in states[-2::-1]]  # the last is at the start
    drawn = []
    for one, two in zip(nodes, [*nodes[1:], None], strict=True):
        corner, begin = graph.corner[one], graph.angle[one]
        end = angle if two is None else graph.angle[two]
        if two is not None and (graph.corner[two] != corner or abs(two - one) != 1):  # a hop, or the seam of a disc
            end = begin
        angles = np.linspace(begin, end, 1 + (begin != end) + int(abs(end - begin) / _DRAWN_RAD))
        field = hugs.field
        drawn += (
            field.centres[corner] + field.radii_mm[corner] * complex_from_angles(angles) * field.lows[corner]
        ).tolist()
    return drawn


ERROR_MM = 2 * CHORD_MM
_SLIT_MM = 1e-4
_OFF_MM = 1e-6
"""From so near to an obstacle a way may be lost where it touches another one, too."""
_DETOUR = 1.5
"""How much longer than the straight line a way is first looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """A shortest way."""

    mm: float
    points: tuple[Point, ...]
    """Along it; arcs are drawn as chords."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReachableRegion:
    """What can be reached from a start within a length of way."""

    start: Point
    limit_mm: float
    box: Box
    region: shapely.MultiPolygon
    """Along obstacles its chords may cut into them: who draws it cuts them out."""
    error_mm: float = ERROR_MM
    """How far the region's edge may lie from the true one, outside of the obstacles."""
    hugs: HuggedArcs
    """What the shortest ways from this start, and maybe others, hug."""
    index: int
    """Which of the starts this is."""

    def measure_distances_mm(self, places: Array) -> Array:
        """Return the lengths of the shortest ways to (m, 2) places, (m,) millimetres.

        Exact; infinity beyond the limit, where no way leads, inside obstacles and outside the box.
        """
        points = complex_from_points(np.asarray(places, dtype=float).reshape(-1, 2))
        mm = np.full(len(points), np.inf)
        inside = is_inside_box(points, self.box).nonzero()[0]
        if is_inside_box(complex_from_points(np.array([self.start])), self.box)[0]:
            mm[inside] = find_arrivals(self.hugs, self.index, points[inside], self.limit_mm)[0]
        return mm

    def find_route(self, place: Point) -> Route | None:
        """Return the shortest way to a place, or None if it is not within reach."""
        if not is_inside_box(complex_from_points(np.array([self.start, place])), self.box).all():
            return None
        return _find_route(self.hugs, self.index, place, self.limit_mm)


def find_reach(
    starts: Sequence[Point], limit_mm: float, obstacles: Sequence[ConvexSet] | ObstacleField, box: Box
) -> list[ReachableRegion]:
    """Return what can be reached from each of some starts within a length of way.

    Obstacles that stay may be prepared once, with `build_field`, and joined by others, with `ObstacleField.combine`.
    No start may lie inside an obstacle.  Nothing is reached from outside the box.
    """
    if not starts:
        return []
    places = complex_from_points(np.array(starts, dtype=float))
    field = obstacles if isinstance(obstacles, ObstacleField) else build_field(obstacles)
    near = np.abs(field.middles - places[:, None]).min(axis=0) - field.extents_mm < limit_mm
    hugs = find_hugged_arcs(places, limit_mm, field.select(near), box)
    swept, owner = sweep_fans(hugs, limit_mm)
    wide = limit_mm > 0 and box[0] < box[2] and box[1] < box[3]
    inside = is_inside_box(places, box) & wide
    regions = [
        _build_region(swept[owner == k], box) if inside[k] else shapely.MultiPolygon() for k in range(len(starts))
    ]
    return [
        ReachableRegion(start=start, limit_mm=limit_mm, box=box, region=region, hugs=hugs, index=k)
        for k, (start, region) in enumerate(zip(starts, regions, strict=True))
    ]


def find_reach_region(
    start: Point, limit_mm: float, obstacles: Sequence[ConvexSet] | ObstacleField, box: Box
) -> shapely.MultiPolygon:
    """Return the places that can be reached from one start, as `find_reach` does."""
    return find_reach([start], limit_mm, obstacles, box)[0].region


def find_straight_region(
    start: Point, limit_mm: float, obstacles: Sequence[ConvexSet] | ObstacleField, box: Box
) -> shapely.MultiPolygon:
    """Return the places to which the straight way from a start meets no obstacle and is no longer than a limit.

    The start must not lie inside an obstacle.  Along obstacles the region's chords may cut into them.
    """
    place = complex_from_points(np.array([start], dtype=float))
    if limit_mm <= 0 or not is_inside_box(place, box).all():
        return shapely.MultiPolygon()
    field = obstacles if isinstance(obstacles, ObstacleField) else build_field(obstacles)
    near = np.abs(field.middles - place[0]) - field.extents_mm < limit_mm
    hugs = find_hugged_arcs(place, limit_mm, field.select(near), box)
    spot = hugs.corner == hugs.start  # what leaves the start itself, and nothing that goes round an obstacle
    arcs = {name: getattr(hugs, name)[spot] for name in ("start", "corner", "first", "last", "cost_mm")}
    swept, _ = sweep_fans(replace(hugs, **arcs), limit_mm)
    return _build_region(swept, box)


def find_straight_route(
    start: Point, goal: Point, obstacles: Sequence[ConvexSet] | ObstacleField, box: Box
) -> Route | None:
    """Return the straight way between two places outside all obstacles, or None if it meets one of them."""
    ends = complex_from_points(np.array([start, goal], dtype=float))
    if not is_inside_box(ends, box).all():
        return None
    field = obstacles if isinstance(obstacles, ObstacleField) else build_field(obstacles)
    straight = Route(mm=math.dist(start, goal), points=(start, goal))
    if straight.mm == 0:
        return straight
    none, length = np.full(1, -1), np.array([straight.mm])
    met_mm, _ = field.cast_rays_complex(ends[:1], (ends[1:] - ends[:1]) / straight.mm, length, none, none)
    return straight if met_mm[0] >= straight.mm - TOUCH_MM else None


def find_shortest_route(
    start: Point,
    goal: Point,
    obstacles: Sequence[ConvexSet] | ObstacleField,
    box: Box,
    *,
    least_mm: float | None = None,
    limit_mm: float = math.inf,
) -> Route | None:
    """Return the shortest way between two places outside all obstacles, or None if there is none within a limit.

    It is looked for among the obstacles that shorter ways have met: what meets no others is the shortest of all.  One
    who has looked so already gives the length of the last of those ways, and all obstacles are looked at at once.
    """
    ends = complex_from_points(np.array([start, goal], dtype=float))
    if not is_inside_box(ends, box).all():
        return None
    field = obstacles if isinstance(obstacles, ObstacleField) else build_field(obstacles)
    straight = find_straight_route(start, goal, field, box)
    if straight is not None:
        return straight
    if least_mm is not None:
        return _find_way_around(field, start, goal, box, lengths_mm=(least_mm, limit_mm))
    route: Route | None = Route(mm=math.dist(start, goal), points=(start, goal))
    known = np.zeros(len(field.counts), dtype=bool)
    while route is not None and (met := find_met_obstacles(field, route, ~known)).any():
        known |= met
        route = _find_way_around(field.select(known), start, goal, box, lengths_mm=(route.mm, limit_mm))
    return route


def find_met_obstacles(field: ObstacleField, route: Route, among: Flags) -> Flags:
    """Return which of some obstacles are met by a drawn way, or by the arcs that its chords stand for, (o,)."""
    away = measure_polyline_mm(field.middles, route.points)
    bulge_mm = field.radii_mm.max(initial=0.0) * _DRAWN_RAD**2 / 8 + TOUCH_MM
    near = (among & (away <= field.extents_mm + bulge_mm)).nonzero()[0]
    line, met = shapely.LineString(route.points), np.zeros(len(among), dtype=bool)
    for obstacle in near.tolist():
        corners = slice(field.begins[obstacle], field.begins[obstacle] + field.counts[obstacle])
        core, around_mm = _draw_core(field.centres[corners], field.radii_mm[corners], field.outward[corners])
        met[obstacle] = shapely.distance(core, line) <= around_mm + bulge_mm
    return met


def _draw_core(centres: Complexes, radii_mm: Array, outward: Complexes) -> tuple[BaseGeometry, float]:
    """Return a convex outline in an obstacle, and how far its boundary lies from that at most."""
    points, radius_mm = centres, float(radii_mm[0])
    if (radii_mm != radius_mm).any():  # the arcs of an ellipse: around where they meet
        points = centres + radii_mm * outward
        widths = np.angle(outward * np.roll(outward, 1).conj())
        radius_mm = float((radii_mm * (1 - np.cos(widths / 2))).max())
    return shapely.MultiPoint(points.view(float).reshape(-1, 2)).convex_hull, radius_mm


def measure_polyline_mm(places: Complexes, points: Sequence[Point]) -> Array:
    """Return how far (m,) places are from a polyline, (m,)."""
    corners = complex_from_points(np.array(points, dtype=float))
    first, step = corners[:-1], np.diff(corners)
    square = np.abs(step) ** 2
    along = ((places[:, None] - first) * step.conj()).real
    share = np.divide(along, square, out=np.zeros(along.shape), where=square > 0)
    away: Array = np.abs(places[:, None] - first - np.clip(share, 0.0, 1.0) * step).min(axis=1)
    return away


def _find_way_around(
    field: ObstacleField, start: Point, goal: Point, box: Box, *, lengths_mm: tuple[float, float]
) -> Route | None:
    """Return the shortest way between two places among all obstacles of a field, or None if there is none.

    It is known to be no shorter than the first of the lengths; one that is longer than the second is none.
    """
    place = complex_from_points(np.array([start], dtype=float))
    around = np.maximum(field.bound_distances_mm(start), 0.0) + np.maximum(field.bound_distances_mm(goal), 0.0)
    # A shorter way than the limit meets nothing further out.
    least_mm, limit_mm = lengths_mm
    near_mm = _DETOUR * max(math.dist(start, goal), least_mm)
    for within_mm in (near_mm, limit_mm) if near_mm < limit_mm else (limit_mm,):
        hugs = find_hugged_arcs(place, within_mm, field.select(around <= within_mm), box)
        route = _find_route(hugs, 0, goal, within_mm)
        if route is not None:
            return route
    return None


def _find_route(hugs: HuggedArcs, index: int, place: Point, limit_mm: float) -> Route | None:
    goal = complex_from_points(np.array([place], dtype=float))
    mm, hug, angle = (column[0] for column in find_arrivals(hugs, index, goal, limit_mm))
    if math.isinf(mm):
        return None
    start, *between = [hugs.field.centres[index], *trace_route_points(hugs, int(hug), float(angle))]
    places = [start]
    for spot in between:  # an arc begins where the one before it ends, but for the last digits
        if abs(spot - places[-1]) > TOUCH_MM:
            places.append(spot)
    return Route(mm=float(mm), points=tuple((float(each.real), float(each.imag)) for each in (*places, goal[0])))


def _build_region(swept: Array, box: Box) -> shapely.MultiPolygon:
    # Grown by nothing they are mended and united, in half of the time that `union_all` takes.
    region = cast("BaseGeometry", shapely.buffer(shapely.geometrycollections(swept), 0))
    if region.is_empty:
        return shapely.MultiPolygon()
    left, low, right, high = region.bounds
    if min(left - box[0], low - box[1], box[2] - right, box[3] - high) < -BESIDE_MM:
        region = extract_polygons(shapely.clip_by_rect(region, *box))
    return _close_slits(region)


def _close_slits(region: BaseGeometry) -> shapely.MultiPolygon:
    """Close the holes that rounding leaves where sweeps meet, thinner than `_SLIT_MM`."""
    parts = shapely.get_parts(region)
    if not shapely.get_num_interior_rings(parts).any():
        return cast("shapely.MultiPolygon", shapely.multipolygons(parts))
    rings, part = shapely.get_rings(parts, return_index=True)
    kept = 2 * shapely.area(shapely.polygons(rings)) > _SLIT_MM * shapely.length(rings)
    kept |= np.diff(part, prepend=-1) > 0  # each part's first ring is its outer one
    mended = []
    for index in range(len(parts)):
        shell, *holes = rings[kept & (part == index)]
        mended.append(shapely.Polygon(shell, holes))
    return shapely.MultiPolygon(mended)


def shrink_obstacles(
    obstacles: Sequence[ConvexSet], places: Sequence[Point], apart_mm: float = _OFF_MM
) -> list[ConvexSet]:
    """Return obstacles shrunk until they no longer cover certain places, nor come near to them where they are round.

    One who stands inside a keep-out may leave it, and may not go deeper; an obstacle whose hard core is covered is
    left out.
    """
    if not obstacles:
        return []
    field = build_field(obstacles)
    depths_mm = np.zeros(len(obstacles))
    for place in complex_from_points(np.array(places, dtype=float)):
        near = (np.abs(field.middles - place) - field.extents_mm < apart_mm).nonzero()[0]
        if len(near):
            apart = field.measure_separations_mm(np.full(len(near), place), near)
            depths_mm[near] = np.maximum(depths_mm[near], apart_mm - apart)
    shrunk = []
    for obstacle, depth in zip(obstacles, depths_mm.tolist(), strict=True):
        if depth < obstacle.radius_mm:
            shrunk.append(obstacle.grow(-depth) if depth > 0 else obstacle)
        elif depth <= apart_mm + TOUCH_MM:  # who stands at its edge, to a rounding, does not stand in it
            shrunk.append(obstacle)
    return shrunk


def replace_ellipses(obstacle: ConvexSet, error_mm: float) -> ConvexSet:
    """Return the obstacle with its ellipses replaced by polygons around them, no further away than ``error_mm``."""
    corners = ConvexSet(corners_mm=obstacle.corners_mm, radius_mm=obstacle.radius_mm)
    for a, b, turn in obstacle.ellipses:
        count = 4 * math.ceil(math.pi / 4 * math.sqrt(max(a, b) / (2 * error_mm)))
        around = (
            unit_vectors(np.arange(count, dtype=float) * (2 * math.pi / count)) / math.cos(math.pi / count) * (a, b)
        )
        corners = corners.minkowski_sum(ConvexSet(corners_mm=around).move(0.0, 0.0, turn))
    return corners
