"""Unseen ways: shortest ways that keep constraints, of a body that does not turn and of one that turns as it goes.

A body that may turn is looked for a way among a few facings that matter: those that it starts and ends with, and those
at which it is narrowest across the gaps and along the legs of its shortest way.  At each of them it goes straight from
place to place, and on the spot it turns from one to the next.  What is found so is proven by the code that judges seen
ways; that nothing is found proves nothing.
"""

import heapq
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import combinations, groupby, pairwise

import numpy as np
import shapely

from assistant.game.state import Pose
from assistant.geometry.clearance.passage import least_width
from assistant.geometry.clearance.shape_clearance import (
    Point,
    find_nearest_stretch,
    interpolate_pose,
    is_nearer,
)
from assistant.geometry.shapes.base_shapes import Base, Round
from assistant.geometry.shapes.convex import Array, Complexes, ConvexSet, outer_radius_mm, unit_vectors
from assistant.geometry.shapes.polygons import circumscribe, unite_polygons
from assistant.geometry.shortest_path.free.reach import (
    Route,
    find_met_obstacles,
    find_shortest_route,
    find_straight_route,
    shrink_obstacles,
)
from assistant.geometry.shortest_path.obstacles import (
    TOUCH_MM,
    Flags,
    Ints,
    ObstacleField,
    build_field,
    complex_from_points,
    draw_inside,
)
from assistant.geometry.shortest_path.tangents import Box, is_inside_box
from assistant.geometry.shortest_path.weighted.areas import CostArea
from assistant.geometry.shortest_path.weighted.reach import find_weighted_routes
from assistant.rules.constraints.base import ConstraintSet
from assistant.rules.engine.reachability import (
    WayBlocks,
    extend_box,
    find_costly_areas,
    find_footholds,
    find_free_box,
    find_turning_body,
    find_way_blocks,
)
from assistant.rules.engine.walk import Walk
from assistant.rules.verdict import BREACHES, ROUNDING_MM, Finding


def find_kept_way(
    constraints: ConstraintSet,
    walk: Walk,
    body: Base,
    ends: tuple[Pose, Pose],
    sigmas: float,
    *,
    limit_mm: float = math.inf,
    far: bool = False,
) -> Route | None:
    """Return the shortest way of a body that stays turned as it is; None if there is none.

    It is looked for among what shorter ways have come near to: what comes near to nothing else is the shortest of all.
    With a limit, one that is longer need not be the shortest, nor a legal one, nor found, unless it is asked for that
    is ``far``: then the limit only says how far it is looked for first.
    """
    start, goal = find_footholds(constraints, walk, ends)
    box = extend_box(find_free_box(constraints, walk.state.table, body, ends[0].facing_rad), (start, goal))
    blocks = find_way_blocks(constraints, walk, body, ends, within_mm=math.inf if far else limit_mm, sigmas=sigmas)
    known = blocks.find_near((start, goal))
    if constraints.goes_straight(walk):
        near = shrink_obstacles(blocks.build_obstacles(known), (start, goal))
        return find_straight_route(start, goal, near, box)
    climbs = replace(walk, path=ends)
    for within_mm in dict.fromkeys((limit_mm, math.inf) if far else (limit_mm,)):
        route, known = _find_free_way(blocks, (start, goal), box, within_mm, known)
        if route is not None:
            costly = find_costly_areas(constraints, climbs, body, ends, within_mm=within_mm)
            if costly and _meets_any(costly, route):
                route = _find_cheapest_way(blocks, costly, (start, goal), box, within_mm)
        if route is not None and constraints.is_through_air(walk):
            route = replace(route, mm=math.hypot(route.mm, ends[1].z_mm - ends[0].z_mm))
        if route is not None and route.mm <= limit_mm:
            break
    return route


def _find_free_way(
    blocks: WayBlocks, ends: tuple[Point, Point], box: Box, limit_mm: float, known: Flags
) -> tuple[Route | None, Flags]:
    """Return the shortest way as `find_kept_way` does, over ground that costs nothing, and what was looked at.

    What is ``known`` is looked at from the beginning.
    """
    least_mm = 0.0
    open_mm = _FAR_AROUND * math.dist(*ends) if math.isinf(limit_mm) else math.inf
    while True:
        if least_mm > open_mm:
            among = _bound_detours_mm(blocks, ends) <= 2 * open_mm
            if _is_cut_off(shrink_obstacles(blocks.build_obstacles(among), ends), ends, box):
                return None, known
            open_mm = math.inf if among.all() else 2 * open_mm
        obstacles = shrink_obstacles(blocks.build_obstacles(known), ends)
        route = find_shortest_route(*ends, obstacles, box, least_mm=least_mm, limit_mm=limit_mm + ROUNDING_MM)
        if route is None or route.mm > limit_mm + ROUNDING_MM:
            return route, known
        met = blocks.find_near(route.points) & ~known
        if not met.any():
            return route, known
        known, least_mm = known | met, route.mm


_FAR_MM = 1e5
"""Further than any table reaches."""
_DRAWN_MM = 0.2
"""How far inside obstacles they may be drawn where it is asked whether they part two places at all."""
_FAR_AROUND = 2.0
"""Of a way so many times as long as straight on, or twice that, and so on, it is asked whether there is any at all."""
_SEAM_MM = 1e-3
"""By so much obstacles are drawn too small, so that nothing which touches is taken to shut the way between."""


def _is_cut_off(obstacles: Sequence[ConvexSet], ends: tuple[Point, Point], box: Box) -> bool:
    """Return whether obstacles surely part two places; where it is not sure no way need lead from one to the other."""
    drawn = draw_inside(build_field(obstacles), _DRAWN_MM, _SEAM_MM)
    left, near, right, far = np.clip(box, -_FAR_MM, _FAR_MM)
    whole = shapely.box(left - _SEAM_MM, near - _SEAM_MM, right + _SEAM_MM, far + _SEAM_MM)
    parts = shapely.get_parts(shapely.difference(whole, unite_polygons(drawn)))
    start, goal = (shapely.distance(parts, shapely.Point(at)) <= 2 * _SEAM_MM for at in ends)
    return not (start & goal).any()


def _meets_any(areas: Sequence[CostArea], route: Route) -> bool:
    """Return whether a way comes to any of some areas: else none of them makes another way the cheapest."""
    field = build_field([part for area in areas for part in area.parts])
    return bool(find_met_obstacles(field, route, np.ones(len(field.counts), dtype=bool)).any())


def _find_cheapest_way(
    blocks: WayBlocks, areas: Sequence[CostArea], ends: tuple[Point, Point], box: Box, limit_mm: float
) -> Route | None:
    """Return the cheapest way over ground that costs, among all that a way within the limit may come to."""
    among = _bound_detours_mm(blocks, ends) <= limit_mm + ROUNDING_MM
    obstacles = shrink_obstacles(blocks.build_obstacles(among), ends)
    near = [area for area in areas if _bound_detour_mm(area, ends) <= limit_mm + ROUNDING_MM]
    (route,) = find_weighted_routes(ends[0], ends[1:], obstacles, near, box)
    return route


def _bound_detours_mm(blocks: WayBlocks, ends: tuple[Point, Point]) -> Array:
    """Return lengths that no way between two places falls short of which comes to each shape."""
    middles, radii_mm = blocks.discs
    floors = [np.maximum(np.abs(middles - complex(*at)) - radii_mm, 0.0) for at in ends]
    return np.asarray(np.sum(floors, axis=0))


def _bound_detour_mm(area: CostArea, ends: tuple[Point, Point]) -> float:
    """Return a length that no way between two places falls short of which comes to an area."""
    field = _build_area_field(area.parts)
    return float(sum(max(float(field.bound_distances_mm(at).min()), 0.0) for at in ends))


@lru_cache(maxsize=512)
def _build_area_field(parts: tuple[ConvexSet, ...]) -> ObstacleField:
    """Return the field of an area's parts, which are the same for many a way."""
    return build_field(parts)


def keeps_constraints(constraints: ConstraintSet, walk: Walk, leg: Sequence[Pose], sigmas: float = 0.0) -> bool:
    """Return whether a leg keeps what holds all along a way, clear of other models by some of their sigmas more."""
    turns = leg[0].facing_rad != leg[-1].facing_rad and not isinstance(walk.model.base, Round)
    if len(leg) == 2 and turns and not may_stand(constraints, walk, leg[0], _interpolate_poses(walk, *leg), sigmas):
        return False
    return all(room >= -ROUNDING_MM for _, room in _measure_rooms(constraints, walk, leg, sigmas))


def may_stand(
    constraints: ConstraintSet,
    walk: Walk,
    start: Pose,
    places: Sequence[Pose],
    sigmas: float = 0.0,
    *,
    deeper_mm: float = ROUNDING_MM,
) -> bool:
    """Return whether somewhere that a way comes to may be on it: told sooner than whether all of the way may be.

    Who stands inside of something at the start may be as deep in it, or in another like it, and so much deeper.
    """
    least: dict[str, float] | None = None
    for place in places:
        for rule, room in _measure_rooms(constraints, walk, (place,), sigmas):
            if room < -deeper_mm:
                least = _find_least_rooms(constraints, walk, start, sigmas) if least is None else least
                if room < least.get(rule, 0.0) - deeper_mm:
                    return False
    return True


def _find_least_rooms(constraints: ConstraintSet, walk: Walk, at: Pose, sigmas: float) -> dict[str, float]:
    """Return by how much each rule is broken that one who stands somewhere breaks, as negative millimetres."""
    least = dict[str, float]()
    for rule, room in _measure_rooms(constraints, walk, (at,), sigmas):
        least[rule] = min(room, least.get(rule, 0.0))
    return least


def _measure_rooms(
    constraints: ConstraintSet, walk: Walk, path: Sequence[Pose], sigmas: float
) -> Iterator[tuple[str, float]]:
    """Yield by how much rules are kept that hold all along a way, as far as that need be measured."""
    seen = replace(walk, path=tuple(path), observed=True, detail=BREACHES)
    for finding in constraints.check_legs(seen, seen=False):
        if finding.margin_mm is not None:
            yield finding.rule, finding.margin_mm - sigmas * _find_other_sigma_mm(walk, finding)


def _interpolate_poses(walk: Walk, start: Pose, end: Pose) -> list[Pose]:
    """Return some poses on a leg, its end first."""
    placed = [interpolate_pose(walk.place_base(start), walk.place_base(end), share) for share in (1.0, 0.5, 0.25, 0.75)]
    return [replace(end, x_mm=at.x_mm, y_mm=at.y_mm, z_mm=at.z_mm, facing_rad=at.facing_rad) for at in placed]


def _find_other_sigma_mm(walk: Walk, finding: Finding) -> float:
    """Return how sure the place of a finding's other model is; 0 where it is no model, or is only left."""
    place = walk.scene.index.get(finding.subjects[-1]) if finding.sigma_mm and len(finding.subjects) > 1 else None
    return 0.0 if place is None else walk.scene.poses[place].sigma_mm


# -- facings that matter

_SAME_RAD = 0.02
"""Facings nearer to each other than this are taken for one: the first, which is that of the narrower gap."""
_ALIKE_DIGITS = 6
"""Lengths that agree to a millionth of a millimetre are one, whatever way round the table lies."""
_MOST_FACINGS = 4


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Gap:
    """Where two obstacles of the disc in a body come near to each other."""

    mm: float
    middle_mm: Array
    """(2,)"""
    across_rad: float


def find_gaps(constraints: ConstraintSet, walk: Walk, points: Sequence[Point], sigmas: float) -> list[Gap]:
    """Return the gaps near to a way that a body may pass in one turn and not in another, the narrowest first."""
    base = walk.model.base
    disc, reach_mm = find_turning_body(base), outer_radius_mm(base)
    slack_mm = reach_mm - outer_radius_mm(disc)
    ends = walk.path[0], walk.end
    within_mm = sum(math.dist(a, b) for a, b in pairwise(points)) + 2 * reach_mm
    obstacles = find_way_blocks(constraints, walk, disc, ends, within_mm=within_mm, sigmas=sigmas).build_obstacles()
    obstacles += _build_edges(find_free_box(constraints, walk.state.table, disc, 0.0))
    line = shapely.LineString(points) if len(set(points)) > 1 else shapely.Point(points[0])
    drawn = np.array([circumscribe(obstacle, 0.1) for obstacle in obstacles], dtype=object)
    near = [obstacles[k] for k in np.flatnonzero(shapely.distance(drawn, line) < slack_mm).tolist()]
    gaps = list[Gap]()
    for one, two in combinations(near, 2):
        mm, normal = two.minkowski_sum(one.reflect()).distance(0.0, 0.0)
        if -ROUNDING_MM <= mm < 2 * slack_mm:
            middle = np.mean(find_nearest_stretch(one, two, -normal), axis=(0, 1))
            gaps.append(Gap(mm=mm, middle_mm=middle, across_rad=math.atan2(normal[1], normal[0])))
    return sorted(gaps, key=lambda gap: round(gap.mm, _ALIKE_DIGITS))


def _build_edges(box: Box) -> list[ConvexSet]:
    """Return what lies outside a box beyond each of its sides."""
    left, near, right, far = box
    sides = [
        (left - _FAR_MM, near, left, far),
        (right, near, right + _FAR_MM, far),
        (left, near - _FAR_MM, right, near),
        (left, far, right, far + _FAR_MM),
    ]
    return [
        ConvexSet(corners_mm=np.array([(a, b), (c, b), (c, d), (a, d)]))
        for a, b, c, d in sides
        if all(map(math.isfinite, (a, b, c, d)))
    ]


def find_narrow_facings(walk: Walk, gaps: Sequence[Gap], points: Sequence[Point]) -> list[float]:
    """Return the facings at which a body is narrowest across gaps, the narrowest first, and along a way's legs."""
    _, across = least_width(walk.model.base)
    legs = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(points)]
    legs.sort(key=lambda leg: -round(math.hypot(*leg), _ALIKE_DIGITS))  # chords of one arc stay in order
    bearings = [gap.across_rad for gap in gaps]
    bearings += [math.atan2(leg[1], leg[0]) + math.pi / 2 for leg in legs if math.hypot(*leg) > 0]
    found = list[float]()
    start = walk.path[0].facing_rad
    for facing in (bearing - narrow for bearing in bearings for narrow in across):
        if len(found) < _MOST_FACINGS * len(across) and all(
            abs(math.remainder(facing - known, math.pi)) > _SAME_RAD for known in found
        ):
            found.append(start + math.remainder(facing - start, math.pi))  # of the two, by the lesser turn
    return found


# -- a way that turns on the spot, and goes straight between

_MOST_STEPS, _MOST_TURNS, _MOST_WAYS = 600, 60, 4
"""So many places at a facing are looked at, turns where there is little room, and ways that were hoped to do."""
_BESIDE_MM = 0.05
"""So far beside the arcs that a shortest way hugs the places lie between which straight legs stay clear of them."""
_AROUND_RAD = np.linspace(0.0, 2 * math.pi, 8, endpoint=False)

_State = tuple[int, int]
"""A place and a facing, by number."""


@dataclass(slots=True, kw_only=True, eq=False)
class TurningSearch:
    """The search for a short way by which a body that turns keeps constraints.

    Over places and facings, by the length of the centre's way; a leg is looked at when the search comes to it.
    """

    constraints: ConstraintSet
    walk: Walk
    places: Array
    """(m, 2): the start, the end, and others to go by."""
    facings: Sequence[float]
    """Counter-clockwise, those of the start and the end among them."""
    limit_mm: float
    sigmas: float
    """Each other model is kept clear of by so many of its own more."""
    _layers: dict[int, "_Layer"] = field(default_factory=dict)
    _turns: dict[tuple[int, int, int], bool] = field(default_factory=dict)
    _disc: "_Layer | None" = None
    _blocks: WayBlocks | None = None
    _tight: int = 0

    def find_path(self) -> tuple[Pose, ...] | None:
        """Return the way, no longer than the limit by its centre; None if none is found."""
        for _ in range(_MOST_WAYS):
            states = self._search()
            if states is None:
                return None
            path = (*self._ends[:1], *(self._place(state) for state in states[1:-1]), *self._ends[1:])
            if keeps_constraints(self.constraints, self.walk, path, max(self.sigmas, 0.0)):
                return path
            turns = [(one, two) for one, two in pairwise(states) if one[0] == two[0]]
            failed = [turn for turn in turns if not self._is_proven(*turn)]
            if not failed:
                return None
            self._turns.update({self._name_turn(one, two[1]): False for one, two in failed})
        return None

    def _search(self) -> list[_State] | None:
        """Return the states of the shortest way that may do."""
        start, goal = ((spot, self.facings.index(at.facing_rad)) for spot, at in enumerate(self._ends))
        spots = complex_from_points(self.places)
        if not self._may_arrive(start, goal, spots):
            return None
        ahead_mm = np.abs(spots - spots[1])
        cost_mm, before, done = np.full((len(self.facings), len(spots)), np.inf), {start: start}, set[_State]()
        cost_mm[start[::-1]] = 0.0
        queue = [(float(ahead_mm[0]), start)]
        while queue and len(done) < _MOST_STEPS:
            _, state = heapq.heappop(queue)
            if state == goal:
                states = [goal]
                while states[-1] != start:
                    states.append(before[states[-1]])
                return states[::-1]
            if state in done:
                continue
            done.add(state)
            spot, facing = state
            here_mm = float(cost_mm[facing, spot])
            there_mm = here_mm + np.abs(spots - spots[spot])
            wanted = (there_mm + ahead_mm <= self.limit_mm + ROUNDING_MM) & (there_mm < cost_mm[facing])
            legs = ((other, facing) for other in self._list_legs(state, spots, np.flatnonzero(wanted)))
            for onward in (*self._list_turns(state), *legs):
                mm = float(there_mm[onward[0]])
                if mm < cost_mm[onward[::-1]]:
                    cost_mm[onward[::-1]], before[onward] = mm, state
                    heapq.heappush(queue, (mm + float(ahead_mm[onward[0]]), onward))
        return None

    def _may_arrive(self, start: _State, goal: _State, spots: Complexes) -> bool:
        """Return whether any way leads to the goal if all may turn who have room before and after: soon told, from it.

        Whoever ends among others has but few places to come from.
        """
        within = np.abs(spots - spots[0]) + np.abs(spots - spots[1]) <= self.limit_mm + ROUNDING_MM
        unseen = np.tile(within, (len(self.facings), 1))
        unseen[goal[::-1]] = False
        left = [goal]
        while left and unseen[start[::-1]]:
            spot, facing = state = left.pop()
            turns = self._list_next_facings(facing) if self._find_layer(facing).free[spot] else ()
            turned = ((spot, other) for other in turns if self._find_layer(other).free[spot] or (spot, other) == start)
            legs = ((other, facing) for other in self._list_legs(state, spots, np.flatnonzero(unseen[facing])))
            for before in (*turned, *legs):
                if unseen[before[::-1]]:
                    unseen[before[::-1]] = False
                    left.append(before)
        return not unseen[start[::-1]]

    @property
    def _ends(self) -> tuple[Pose, Pose]:
        return self.walk.path[0], self.walk.end

    def _place(self, state: _State) -> Pose:
        """Return the pose of a state; those of the ends are the ends."""
        spot, facing = state
        x, y = self.places[spot].tolist()
        return replace(self._ends[0] if spot != 1 else self._ends[1], x_mm=x, y_mm=y, facing_rad=self.facings[facing])

    def _find_layer(self, facing: int) -> "_Layer":
        """Return what is in the way of a body that keeps a facing."""
        if facing not in self._layers:
            turned = self.facings[facing]
            stood = [(at.x_mm, at.y_mm) for at in self._ends if at.facing_rad == turned]
            self._layers[facing] = self._build_layer(self.walk.model.base, turned, stood)
        return self._layers[facing]

    def _build_layer(self, body: Base, facing_rad: float, stood: Sequence[Point]) -> "_Layer":
        """Return what is in the way of some body, less what it stands in."""
        start, end = (replace(at, facing_rad=facing_rad) for at in self._ends)
        blocks = find_way_blocks(
            self.constraints, self.walk, body, (start, end), within_mm=self.limit_mm, sigmas=self.sigmas
        )
        between = (start.x_mm, start.y_mm), (end.x_mm, end.y_mm)
        obstacles = blocks.build_obstacles(_bound_detours_mm(blocks, between) <= self.limit_mm)
        box = find_free_box(self.constraints, self.walk.state.table, body, facing_rad)
        if stood:
            obstacles, box = shrink_obstacles(obstacles, stood), extend_box(box, stood)
        field, places = build_field(obstacles), complex_from_points(self.places)
        inside = is_inside_box(places, box)
        covered = field.is_covered_complex(places, np.full(len(places), -1))
        return _Layer(field=field, inside=inside, free=inside & ~covered)

    def _list_turns(self, state: _State) -> Iterator[_State]:
        """Yield where a turn on the spot may lead to, to the next facing on either side."""
        spot, facing = state
        for other in self._list_next_facings(facing):
            turn = self._name_turn(state, other)
            if turn not in self._turns:
                self._turns[turn] = self._may_turn(spot, facing, other)
            if self._turns[turn]:
                yield spot, other

    def _list_next_facings(self, facing: int) -> set[int]:
        return {(facing + 1) % len(self.facings), (facing - 1) % len(self.facings)} - {facing}

    def _name_turn(self, state: _State, other: int) -> tuple[int, int, int]:
        return state[0], min(state[1], other), max(state[1], other)

    def _may_turn(self, spot: int, facing: int, other: int) -> bool:
        """Return whether a body may turn on a spot: it surely does where there is room for the disc around it."""
        if not self._find_layer(other).free[spot]:
            return False
        if self._disc is None:
            self._disc = self._build_layer(Round(radius_mm=outer_radius_mm(self.walk.model.base)), 0.0, ())
        if self._disc.free[spot]:
            return True
        self._tight += 1
        if self._tight > _MOST_TURNS:
            return False
        turn = self._place((spot, facing)), self._place((spot, other))
        poses = _interpolate_poses(self.walk, *turn)
        if spot > 1:
            return self._has_room(spot, poses)
        # Where the way begins or ends it may stand inside of something.
        return may_stand(self.constraints, self.walk, turn[0], poses, max(self.sigmas, 0.0))

    def _has_room(self, spot: int, poses: Sequence[Pose]) -> bool:
        """Return whether a base is clear of all that is near to a place, and on the table, at each of some facings."""
        base, table = self.walk.model.base, self.walk.state.table
        if self._blocks is None:
            self._blocks = find_way_blocks(
                self.constraints, self.walk, base, self._ends, within_mm=self.limit_mm, sigmas=max(self.sigmas, 0.0)
            )
        place = complex_from_points(self.places[spot : spot + 1])
        middles, radii_mm = self._blocks.discs
        near = [self._blocks.shapes[k] for k in np.flatnonzero(np.abs(middles - place) < radii_mm).tolist()]
        for pose in poses:
            placed = self.walk.place_base(pose)
            if not is_inside_box(place, find_free_box(self.constraints, table, base, pose.facing_rad)).all():
                return False
            if any(is_nearer(placed, other, range_mm - ROUNDING_MM) for other, range_mm in near):
                return False
        return True

    def _is_proven(self, one: _State, two: _State) -> bool:
        turn = self._place(one), self._place(two)
        return keeps_constraints(self.constraints, self.walk, turn, max(self.sigmas, 0.0))

    def _list_legs(self, state: _State, spots: Complexes, wanted: Ints) -> list[int]:
        """Return to which of some places a straight leg leads at a kept facing."""
        spot, facing = state
        layer = self._find_layer(facing)
        wanted = wanted[layer.inside[wanted] & (spots[wanted] != spots[spot])]
        ways, none = spots[wanted] - spots[spot], np.full(len(wanted), -1)
        lengths_mm = np.abs(ways)
        met_mm, _ = layer.field.cast_rays_complex(
            np.full(len(wanted), spots[spot]), ways / lengths_mm, lengths_mm, none, none
        )
        there: list[int] = wanted[met_mm >= lengths_mm - TOUCH_MM].tolist()
        return there


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Layer:
    """What is in the way of a body that keeps a facing, and which of the places of a search it leaves."""

    field: ObstacleField
    inside: Flags
    """Which places are inside the box that the body's centre stays in, ..."""
    free: Flags
    """... and which of them lie in no obstacle."""


def sort_facings(walk: Walk, facings: Sequence[float]) -> list[float]:
    """Return the facings of the ends of a way, and some others both ways round, counter-clockwise."""
    found = list(dict.fromkeys((walk.path[0].facing_rad, walk.end.facing_rad)))
    for facing in (turned for each in facings for turned in (each, each + math.pi)):
        if all(abs(math.remainder(facing - known, 2 * math.pi)) > _SAME_RAD for known in found):
            found.append(facing)
    return sorted(found, key=lambda facing: (facing - found[0]) % (2 * math.pi))  # however the table lies


def list_places(walk: Walk, known: Sequence[Route], gaps: Sequence[Gap]) -> Array:
    """Return places to go by: the ends first, then around them, before, in and behind gaps, and along known ways."""
    ends = np.array([(at.x_mm, at.y_mm) for at in (walk.path[0], walk.end)])
    reach = outer_radius_mm(walk.model.base)
    straight = math.atan2(*(ends[1] - ends[0])[::-1]) if (ends[0] != ends[1]).any() else walk.path[0].facing_rad
    rings = [end + away * unit_vectors(straight + _AROUND_RAD) for end in ends for away in (reach / 3, reach)]
    steps: Array = reach * np.array((-2.0, -1.0, 0.0, 1.0, 2.0))[:, None]
    bearings: Array = np.array([gap.across_rad for gap in gaps], dtype=np.float64)
    aside = unit_vectors(bearings + math.pi / 2)
    through = [gap.middle_mm + steps * along for gap, along in zip(gaps, aside, strict=True)]
    return np.concatenate((ends, *rings, *through, *(_list_bends(route.points) for route in known)))


def _list_bends(points: Sequence[Point]) -> Array:
    """Return the places at which a way bends, a little aside of what it bends around."""
    way = np.array([here for here, _ in groupby(points)], dtype=float).reshape(-1, 2)
    steps = np.diff(way, axis=0)
    steps /= np.hypot(steps[:, 0], steps[:, 1])[:, None]
    aside = steps[:-1] - steps[1:]
    size = np.hypot(aside[:, 0], aside[:, 1])[:, None]
    bends: Array = way[1:-1] + _BESIDE_MM * np.divide(aside, size, out=np.zeros_like(aside), where=size > 0)
    return bends
