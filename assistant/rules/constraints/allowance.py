"""Allowances: a greatest length of way, and how long the way is that a model came.

A seen way is measured along its path.  Of one that nobody saw it is the shortest legal way that counts, or bounds of
it where turning plays a part.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise
from typing import ClassVar

import numpy as np
import shapely

from assistant.game.state import Pose
from assistant.geometry.clearance.shape_clearance import Point, turn_rad
from assistant.geometry.motion.path_length import (
    Travel,
    measure_centre_travel,
    measure_furthest_displacement,
    measure_furthest_travel,
)
from assistant.geometry.orientation.facing_constraints import build_displacement_constraint
from assistant.geometry.orientation.facing_search import FacingConstraint
from assistant.geometry.shapes.base_shapes import Base, PlacedShape, Round
from assistant.geometry.shapes.convex import ConvexSet, outer_radius_mm
from assistant.geometry.shortest_path.free.reach import Route
from assistant.geometry.shortest_path.obstacles import TOUCH_MM
from assistant.geometry.shortest_path.weighted.areas import CostArea
from assistant.geometry.uncertainty import displacement_sigma_mm, route_sigma_mm, travel_sigma_mm
from assistant.rules.constraints.base import Constraint, ConstraintSet, WayLimit
from assistant.rules.constraints.terrain_cost import (
    TerrainCost,
    build_cost_areas,
    check_barred_route,
    check_passages,
    find_pace,
    measure_surcharge_mm,
    weigh_covariance,
)
from assistant.rules.engine.minkowski_regions import find_area_parts
from assistant.rules.engine.reachability import find_turning_body
from assistant.rules.engine.terrain import (
    bound_distances_mm,
    build_outline,
    draw_outline,
    find_terrain_on_path,
    list_taller_terrain,
    measure_climb_mm,
    touches_terrain,
)
from assistant.rules.engine.unseen_way import (
    TurningSearch,
    find_gaps,
    find_kept_way,
    find_narrow_facings,
    keeps_constraints,
    list_places,
    may_stand,
    sort_facings,
)
from assistant.rules.engine.walk import Walk, build_covariance
from assistant.rules.lengths import format_apart
from assistant.rules.selectors import TerrainSelector
from assistant.rules.verdict import (
    DECIDED_SIGMAS,
    EVERYTHING,
    ROUNDING_MM,
    Finding,
    Outcome,
    build_finding,
    combine_sigmas,
    decide_outcome,
)

_HALF_TURN_RAD = 1e-9
"""So much short of half a turn, rounding alone says which way round it is."""


class Pivot(StrEnum):
    """How turning counts towards the length of a move.  A round base turns free under each."""

    FURTHEST_POINT = "furthest-point"
    """The part of the base that travels furthest along its path is measured."""
    FIXED = "fixed-2in"
    """The centre is measured, and the first turn has a price."""
    FREE = "free"
    """The centre is measured."""
    DISPLACEMENT = "displacement"
    """The part of the base whose places, from pose to pose, lie furthest apart is measured, straight."""


BY_PART = frozenset({Pivot.FURTHEST_POINT, Pivot.DISPLACEMENT})
"""By these a length is that of the part of the base which goes furthest, so that turning counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance(Constraint):
    """A greatest length of way."""

    rule: str
    limit_mm: float
    pivot: Pivot
    pivot_mm: float
    """The price of the first turn under `Pivot.FIXED`."""
    free_mm: float = math.inf
    """Terrain taller than this is climbed: the way up and down counts."""
    flies: bool = False
    """A way that starts or ends on terrain is measured through the air."""
    costs: tuple[TerrainCost, ...] = ()
    """What terrain adds."""
    sure_mm: float = math.inf
    """Beyond this it is in doubt whether so much is allowed, for a reason that the measure of the way does not show."""
    no_way: str = ""
    """Cited where no clear way leads there at all; else the rule itself is."""
    because: str = ""
    """Why so much is allowed, or may be, as the sentence adds it."""

    measures_way: ClassVar[bool] = True
    facing_rank: ClassVar[int] = 1

    def check(self, walk: Walk, rules: ConstraintSet, /) -> Iterator[Finding]:
        """Yield how long the way was, and what terrain on it cannot be passed."""
        if not walk.observed:
            yield check_unseen_length(self, rules, walk)
            return
        yield _check_path_length(self, walk)
        yield from check_passages(self, walk)

    def is_through_air(self, walk: Walk, /) -> bool:
        """Return whether its model flies, and starts or ends on terrain."""
        return self.flies and touches_terrain(walk)

    def find_way_limit(self) -> WayLimit:
        """Return how long it lets a way be."""
        return WayLimit(
            limit_mm=self.limit_mm,
            sure_mm=self.sure_mm,
            turn_mm=self.pivot_mm if self.pivot is Pivot.FIXED else 0.0,
            by_part=self.pivot in BY_PART,
        )

    def list_climbed(self) -> Iterator[TerrainSelector]:
        """Yield which terrain is climbed at a price."""
        return (cost.terrain for cost in self.costs if cost.climb > 0)

    def build_cost_areas(
        self, walk: Walk, body: Base, ends: Sequence[Pose], within_mm: float, apart_mm: float, /
    ) -> list[CostArea]:
        """Return the terrain that is climbed on a way, or costs otherwise; a way through the air climbs nothing."""
        if self.is_through_air(walk):
            return []
        start = walk.path[0]
        facing_rad = 0.0 if isinstance(body, Round) else start.facing_rad
        areas, from_start = list(build_cost_areas(self, walk, body, facing_rad)), replace(walk, path=(start,))
        for away_mm, terrain in bound_distances_mm(from_start, list_taller_terrain(walk.state, self.free_mm)):
            if away_mm >= within_mm:
                continue
            parts = find_area_parts(body, facing_rad, build_outline(terrain))
            feet = tuple((at.x_mm, at.y_mm) for at in ends if at.z_mm < terrain.height_mm - ROUNDING_MM)
            parts = _shrink_from_places(parts, feet, apart_mm)
            if _measure_away_mm(parts, start.x_mm, start.y_mm) < within_mm:
                areas.append(CostArea(parts=parts, up_mm=terrain.height_mm, down_mm=terrain.height_mm))
        return areas

    def bound_rise_mm(self, walk: Walk, /) -> float:
        """Return how much of a way's length its height takes at least, besides what is level."""
        return 0.0 if self.is_through_air(walk) else _measure_rise_mm(self, walk)

    def find_pace(self, walk: Walk, pose: Pose, body: Base, /) -> float:
        """Return what terrain makes a millimetre count for; on a way through the air, what it is."""
        return 1.0 if self.is_through_air(walk) else find_pace(self, walk, pose, body)

    def find_mate_range_mm(self, _walk: Walk, /) -> float:
        """Return that it is about no models."""
        return -math.inf

    def build_facing_constraint(self, walk: Walk, limit_mm: float | None, /) -> FacingConstraint | None:
        """Return where a base may be turned to, where turning counts towards its way."""
        if limit_mm is None or self.pivot not in BY_PART:
            return None
        spare_mm = limit_mm - DECIDED_SIGMAS * combine_sigmas(walk.path[0].sigma_mm, walk.end.sigma_mm)
        return build_displacement_constraint(walk.place_base(walk.path[0]), _find_level_limit_mm(self, walk, spare_mm))

    def find_break_time(self, path: Sequence[PlacedShape], _walk: Walk, /) -> float:
        """Return the time at which the centre has come as far as it may; infinite if it never does."""
        lengths = [math.hypot(b.x_mm - a.x_mm, b.y_mm - a.y_mm) for a, b in pairwise(path)]
        done = np.concatenate(((0.0,), np.cumsum(lengths)))
        if done[-1] <= self.limit_mm + ROUNDING_MM:
            return math.inf
        leg = int(np.searchsorted(done, self.limit_mm, side="right")) - 1
        return float(leg + (self.limit_mm - done[leg]) / lengths[leg])


def _find_level_limit_mm(rule: Allowance, walk: Walk, limit_mm: float) -> float:
    """Return what a limit leaves for the level part of a way, its height being climbed or flown."""
    rise = _measure_rise_mm(rule, walk)
    level = math.sqrt(max(limit_mm**2 - rise**2, 0.0)) if rule.is_through_air(walk) else limit_mm - rise
    return max(level, 0.0) if limit_mm > 0 else 0.0


@lru_cache(maxsize=4096)
def _measure_away_mm(parts: tuple[ConvexSet, ...], x_mm: float, y_mm: float) -> float:
    return min(part.distance(x_mm, y_mm)[0] for part in parts)


@lru_cache(maxsize=4096)
def _shrink_from_places(
    parts: tuple[ConvexSet, ...], places: tuple[tuple[float, float], ...], apart_mm: float
) -> tuple[ConvexSet, ...]:
    """Return parts shrunk until they are so far from some places; as they are where a hard core covers one."""
    depths = [max((apart_mm - part.distance(*place)[0] for place in places), default=0.0) for part in parts]
    if any(depth > 0 and depth >= part.radius_mm for part, depth in zip(parts, depths, strict=True)):
        return parts
    return tuple(part.grow(-depth) if depth > 0 else part for part, depth in zip(parts, depths, strict=True))


def _measure_rise_mm(rule: Allowance, walk: Walk) -> float:
    """Return the difference of heights between the ends of a way, as far as it counts."""
    start, end = walk.path[0].z_mm, walk.end.z_mm
    return abs(end - start) if rule.is_through_air(walk) or max(start, end) > rule.free_mm else 0.0


def check_length(rule: Allowance, walk: Walk, way: Route, sigma_mm: float) -> Finding:
    """Return what a length of way, measured against an allowance, comes to."""
    length, limit = format_apart(walk.say, way.mm, rule.limit_mm)
    moved, because = "moved" if walk.observed else "moved at least", f" ({rule.because})" if rule.because else ""

    def text(outcome: Outcome) -> str:
        doubt = ", too close to call" if outcome is Outcome.TOO_CLOSE else ""
        return f"{walk.model.id} {moved} {length} of {limit}{doubt}{because}"

    found = build_finding(
        rule.rule,
        (walk.model.id,),
        measured_mm=way.mm,
        limit_mm=rule.limit_mm,
        margin_mm=rule.limit_mm - way.mm,
        sigma_mm=sigma_mm,
        witness_mm=way.points,
        text=text,
    )
    found = replace(found, way=True)
    if found.outcome is not Outcome.LEGAL or decide_outcome(rule.sure_mm - way.mm, sigma_mm) is Outcome.LEGAL:
        return found
    text_in_doubt = f"{walk.model.id} {moved} {length}, more than the {walk.say(rule.sure_mm, 2)} that it surely may"
    return replace(
        found,
        outcome=Outcome.TOO_CLOSE,
        margin_mm=None,
        sigma_mm=None,
        p_legal=None,
        text=f"{text_in_doubt}, and within the {limit} that it may have: a person decides{because}",
    )


def _check_path_length(rule: Allowance, walk: Walk) -> Finding:
    path = [walk.place_base(pose) for pose in walk.path]
    flown = rule.is_through_air(walk)
    travel = _measure_travel(rule, path, in_space=flown)
    errors = [weigh_covariance(rule, walk, pose) for pose in walk.path]
    if rule.pivot is Pivot.DISPLACEMENT:
        sigma = displacement_sigma_mm(travel.points, errors)
    else:
        sigma = travel_sigma_mm(path, errors, furthest=rule.pivot is Pivot.FURTHEST_POINT)
    flat = travel.mm + _find_pivot_price_mm(rule, path)
    doubt = DECIDED_SIGMAS * max(pose.sigma_mm for pose in walk.path)
    climbs = [0.0] if flown else [_measure_added_mm(rule, walk, least) for least in dict.fromkeys((0.0, doubt))]
    found, *others = (check_length(rule, walk, Route(mm=flat + up, points=travel.points), sigma) for up in climbs)
    if all(other.outcome is found.outcome for other in others):
        return found
    text = f"{found.text}, unless what it passes so near to was not climbed: too close to call"
    return replace(found, outcome=Outcome.TOO_CLOSE, margin_mm=None, sigma_mm=None, p_legal=None, text=text)


def _measure_travel(rule: Allowance, path: Sequence[PlacedShape], *, in_space: bool) -> Travel:
    """Return how long a path is by the part of the base that a rule measures, level or in space."""
    match rule.pivot:
        case Pivot.FURTHEST_POINT:
            return measure_furthest_travel(path, in_space=in_space)
        case Pivot.DISPLACEMENT:
            return measure_furthest_displacement(path)
        case _:
            return measure_centre_travel(path, in_space=in_space)


def _measure_added_mm(rule: Allowance, walk: Walk, doubt_mm: float = 0.0) -> float:
    """Return what terrain adds to a path; it climbs what it comes deeper into than ``doubt_mm``."""
    return measure_climb_mm(rule.free_mm, walk, doubt_mm) + measure_surcharge_mm(rule, walk, doubt_mm)


def _find_pivot_price_mm(rule: Allowance, path: list[PlacedShape]) -> float:
    """Return what turning costs besides the way: the price of a first turn, where the rule has one."""
    turned = any(turn_rad(a, b) != 0 for a, b in pairwise(path))
    return rule.pivot_mm if rule.pivot is Pivot.FIXED and turned else 0.0


# -- a way that nobody saw


def check_unseen_length(rule: Allowance, constraints: ConstraintSet, walk: Walk, *, measured: bool = True) -> Finding:
    """Return whether a model can have come to where it stands within an allowance.

    Legal if some way that keeps the constraints is short enough, illegal if none can be, else unobserved.  Where that
    turns on a passage between models that their sigma leaves open, a person decides.

    Only the outcome is right unless it is to be ``measured``: of a way that is surely too long it is not asked then how
    long it is, and one that may be legal is not proven to be.  Nor is the length of a legal way the least unless the
    walk is one of which that is asked.
    """
    if not (measured and walk.detail.ways) and (straight := _check_straight_way(rule, constraints, walk)) is not None:
        return straight
    found, path = _check_with_sigmas(rule, constraints, walk, 0.0, measured=measured, prove=measured)
    if found.outcome is Outcome.TOO_CLOSE or not walk.scene.sigmas_mm.any():
        return found
    if found.outcome is Outcome.ILLEGAL:
        passage, sigmas = "unless it could pass where that", -DECIDED_SIGMAS
    else:
        passage, sigmas = "if it could pass where that", DECIDED_SIGMAS
    if path is not None and keeps_constraints(constraints, walk, path, sigmas):
        return found
    # Only a way that is legal as measured may be so beyond doubt, too.
    prove = found.outcome is Outcome.LEGAL
    doubted, _ = _check_with_sigmas(rule, constraints, walk, sigmas, measured=False, prove=prove)
    if doubted.outcome is found.outcome:
        return found
    if prove and not walk.detail.ways:  # another way, which is longer or shorter, may be legal beyond doubt
        return check_unseen_length(rule, constraints, replace(walk, detail=EVERYTHING), measured=measured)
    if {found.outcome, doubted.outcome} == {Outcome.LEGAL, Outcome.UNOBSERVED}:
        return doubted
    return replace(
        found,
        outcome=Outcome.TOO_CLOSE,
        margin_mm=None,
        sigma_mm=None,
        p_legal=None,
        text=f"{found.text}, {passage} is too close to call",
    )


def _check_straight_way(rule: Allowance, constraints: ConstraintSet, walk: Walk) -> Finding | None:
    """Return that a model may have come straight, on the level and over no terrain that costs, if beyond doubt it may.

    Most models come so, and it is soon told: the length and how sure it is are bounds.  Nothing is said where there are
    walls, which legs by themselves are not held to.
    """
    start, end = walk.path[0], walk.end
    if start.z_mm != end.z_mm or any(each.has_walls() for each in constraints):
        return None
    placed, reach_mm = [walk.place_base(start), walk.place_base(end)], outer_radius_mm(walk.model.base)
    mm = math.hypot(end.x_mm - start.x_mm, end.y_mm - start.y_mm) + _find_pivot_price_mm(rule, placed)
    mm += reach_mm * abs(turn_rad(*placed)) if rule.pivot in BY_PART else 0.0
    way = Route(mm=mm, points=_list_centres((start, end)))
    found = check_length(rule, walk, way, start.sigma_mm + end.sigma_mm)
    if found.outcome is not Outcome.LEGAL or rule.is_through_air(walk):
        return None
    kinds = [cost.terrain for cost in rule.costs]
    costly = (each for each in walk.state.terrain if each.height_mm > rule.free_mm or any(kind(each) for kind in kinds))
    beside_mm = reach_mm + DECIDED_SIGMAS * max(start.sigma_mm, end.sigma_mm) + ROUNDING_MM
    line = shapely.LineString(way.points)
    if any(draw_outline(each).distance(line) <= beside_mm for each in find_terrain_on_path(walk, costly)):
        return None
    return found if keeps_constraints(constraints, walk, (start, end), DECIDED_SIGMAS) else None


def _check_with_sigmas(
    rule: Allowance, constraints: ConstraintSet, walk: Walk, sigmas: float, *, measured: bool, prove: bool
) -> tuple[Finding, tuple[Pose, ...] | None]:
    """Return what the length comes to with the other models so many of their ``sigmas`` wider.

    Unless it is to be proven that a base which turns came there legally, it only may have done so; a proof by a way
    that turns on the spot comes with it.  Unless it is to be ``measured``, a way that is surely too long may be taken
    for none, and one that proves it need not be the shortest.
    """
    start, end = walk.path[0], walk.end
    base = walk.model.base
    least = _find_least_way(rule, constraints, walk, sigmas, far=measured)
    if least is None:
        straight = ": it must go in a straight line" if constraints.goes_straight(walk) else ""
        text = f"{walk.model.id} can only have come there on a way that breaks another rule{straight}"
        no_way = rule.no_way or rule.rule
        return Finding(rule=no_way, outcome=Outcome.ILLEGAL, subjects=(walk.model.id,), text=text), None
    bar = check_barred_route(rule, walk, least)
    if bar is not None:
        return bar, None
    start_error, end_error = (
        build_covariance(at) * rule.find_pace(walk, at, find_turning_body(base)) ** 2 for at in (start, end)
    )
    sigma = route_sigma_mm(least.points, start_error, end_error)
    floor = _bound_length_mm(rule, walk, least)
    lower = check_length(rule, walk, replace(least, mm=floor), sigma)
    if isinstance(base, Round) or lower.outcome is not Outcome.LEGAL:
        return lower, None
    shortest = measured and walk.detail.ways
    best: Finding | None = None
    path: tuple[Pose, ...] | None = None
    for way, turning in _find_witnesses(rule, constraints, walk, least, sigmas) if prove else ():
        upper = check_length(rule, walk, way, sigma)
        if upper.outcome is Outcome.LEGAL and (best is None or way.mm < (best.measured_mm or 0.0)):
            best, path = upper, turning
        if best is not None and (not shortest or rule.pivot in BY_PART or way.mm <= floor + ROUNDING_MM):
            break  # no shorter way is looked for where a turn on the spot has its length
    if best is not None:
        return best, path
    unproven = Finding(
        rule=rule.rule,
        outcome=Outcome.UNOBSERVED,
        subjects=(walk.model.id,),
        measured_mm=floor,
        limit_mm=rule.limit_mm,
        sigma_mm=sigma,
        witness_mm=least.points,
        way=True,
        text=f"{walk.model.id} moved at least {walk.say(floor, 2)} of {walk.say(rule.limit_mm, 2)}; "
        "how it turned on its way was not seen",
    )
    return unproven, None


def _find_least_way(
    rule: Allowance, constraints: ConstraintSet, walk: Walk, sigmas: float, *, far: bool
) -> Route | None:
    """Return the shortest way of the disc in a base; None if there is none, or none that is not surely too long."""
    body, ends, limit_mm = find_turning_body(walk.model.base), (walk.path[0], walk.end), _find_sure_end_mm(rule, walk)
    return find_kept_way(constraints, walk, body, ends, sigmas, limit_mm=limit_mm, far=far)


def _find_sure_end_mm(rule: Allowance, walk: Walk) -> float:
    """Return a length beyond which a way is surely too long, however it goes."""
    body = find_turning_body(walk.model.base)
    errors = (rule.find_pace(walk, at, body) * at.sigma_mm for at in (walk.path[0], walk.end))
    return rule.limit_mm + DECIDED_SIGMAS * sum(errors)


def _bound_length_mm(rule: Allowance, walk: Walk, least: Route) -> float:
    """Return a length that no way falls short of."""
    ends = [walk.place_base(walk.path[0]), walk.place_base(walk.end)]
    if rule.pivot in BY_PART:
        apart, rise = measure_furthest_displacement(ends).mm, _measure_rise_mm(rule, walk)
        return max(least.mm, math.hypot(apart, rise) if rule.is_through_air(walk) else apart + rise)
    return least.mm + _find_pivot_price_mm(rule, ends)


def measure_shortest_mm(constraints: ConstraintSet, walk: Walk, limit_mm: float = math.inf) -> float | None:
    """Return the length of the shortest way that keeps the constraints, turning aside, if any is within a limit."""
    ends = walk.path[0], walk.end
    route = find_kept_way(constraints, walk, find_turning_body(walk.model.base), ends, 0.0, limit_mm=limit_mm)
    return None if route is None or route.mm > limit_mm + ROUNDING_MM else route.mm


def _find_witnesses(
    rule: Allowance, constraints: ConstraintSet, walk: Walk, least: Route, sigmas: float
) -> Iterator[tuple[Route, tuple[Pose, ...] | None]]:
    """Yield legal ways: straight while turning, turning first, turning last, and turned to pass what is narrow.

    Those of the last kind that go straight from turn to turn come with their poses.
    """
    start, end = walk.path[0], walk.end
    if start.z_mm == end.z_mm or rule.is_through_air(walk):
        for path in _list_straight_paths(start, end):
            if _is_path_legal(constraints, walk, path):
                added_mm = 0.0 if len(path) > 2 or rule.is_through_air(walk) else _measure_added_mm(rule, walk)
                yield _build_way(rule, walk, path, added_mm), None
    straight, limit_mm = False, rule.limit_mm
    for facing in dict.fromkeys((start.facing_rad, end.facing_rad)):
        if not _may_turn_at_ends(constraints, walk, facing):
            continue
        route = _find_turned_route(rule, constraints, walk, facing, sigmas)
        if route is not None:
            way = _add_turns(rule, walk, facing, route)
            yield way, None
            limit_mm = min(limit_mm, way.mm)
            straight |= route.mm <= least.mm + ROUNDING_MM
    level = start.z_mm == end.z_mm and not rule.is_through_air(walk)
    if level and not straight and not constraints.goes_straight(walk) and may_stand(constraints, walk, start, (end,)):
        yield from _find_turning_ways(rule, constraints, walk, least, sigmas, limit_mm=limit_mm)


def _list_straight_paths(start: Pose, end: Pose) -> list[tuple[Pose, ...]]:
    """Return the straight path between two poses; by half a turn, which has no side of its own, each way round, too."""
    turn_rad = math.remainder(end.facing_rad - start.facing_rad, 2 * math.pi)
    if math.pi - abs(turn_rad) > _HALF_TURN_RAD:
        return [(start, end)]
    middle = replace(
        end,
        x_mm=(start.x_mm + end.x_mm) / 2,
        y_mm=(start.y_mm + end.y_mm) / 2,
        z_mm=(start.z_mm + end.z_mm) / 2,
    )
    quarters = (start.facing_rad + sign * math.pi / 2 for sign in (1, -1))
    return [(start, end), *((start, replace(middle, facing_rad=facing_rad), end) for facing_rad in quarters)]


def _turn_ends(walk: Walk, facing_rad: float) -> tuple[Pose, Pose]:
    """Return the ends of a way, turned to a facing."""
    return replace(walk.path[0], facing_rad=facing_rad), replace(walk.end, facing_rad=facing_rad)


def _may_turn_at_ends(constraints: ConstraintSet, walk: Walk, facing_rad: float) -> bool:
    """Return whether a way at a facing, with the turns at its ends, is legal if one without them is."""
    return _is_path_legal(constraints, walk, (walk.path[0], *_turn_ends(walk, facing_rad), walk.end))


def _find_turned_route(
    rule: Allowance, constraints: ConstraintSet, walk: Walk, facing_rad: float, sigmas: float
) -> Route | None:
    """Return the shortest way of a base at a facing; None if there is none within the limit."""
    turned, limit_mm = _turn_ends(walk, facing_rad), rule.limit_mm
    route = find_kept_way(constraints, walk, walk.model.base, turned, sigmas, limit_mm=limit_mm)
    return None if route is None or route.mm > limit_mm + ROUNDING_MM else route


def _add_turns(rule: Allowance, walk: Walk, facing_rad: float, route: Route) -> Route:
    """Return a way at a facing with the turns at its ends."""
    first, last = _turn_ends(walk, facing_rad)
    between = tuple(replace(first, x_mm=x, y_mm=y) for x, y in route.points[1:-1])
    drawn = sum(math.dist(a, b) for a, b in pairwise(route.points))
    drawn = math.hypot(drawn, last.z_mm - first.z_mm) if rule.is_through_air(walk) else drawn
    return _build_way(rule, walk, (walk.path[0], first, *between, last, walk.end), route.mm - drawn)


def _find_turning_ways(
    rule: Allowance, constraints: ConstraintSet, walk: Walk, least: Route, sigmas: float, *, limit_mm: float
) -> Iterator[tuple[Route, tuple[Pose, ...] | None]]:
    """Yield legal ways, no longer than a limit, that take a facing at which the base passes what is narrow."""
    gaps = find_gaps(constraints, walk, least.points, sigmas)
    known, facings = [least], find_narrow_facings(walk, gaps, least.points)
    for facing in facings:
        route = _find_turned_route(rule, constraints, walk, facing, sigmas)
        if route is None:
            continue
        known.append(route)
        if _may_turn_at_ends(constraints, walk, facing):
            way = _add_turns(rule, walk, facing, route)
            yield way, None
            limit_mm = min(limit_mm, way.mm)
    search = TurningSearch(
        constraints=constraints,
        walk=walk,
        places=list_places(walk, known, gaps),
        facings=sort_facings(walk, facings),
        limit_mm=limit_mm,
        sigmas=sigmas,
    )
    path = search.find_path()
    if path is not None:
        placed = [walk.place_base(pose) for pose in path]
        added = _measure_added_mm(rule, replace(walk, path=path, observed=True))
        travel = _measure_travel(rule, placed, in_space=False)
        mm = travel.mm + added + _find_pivot_price_mm(rule, placed)
        yield Route(mm=mm, points=_list_centres(path)), path


def _is_path_legal(constraints: ConstraintSet, walk: Walk, path: Sequence[Pose]) -> bool:
    """Return whether a way keeps the constraints.

    Legs without a turn are a shortest way's own, and keep them already, but for the straight one, and for those at a
    facing at which the base stands deeper in something at their ends, be it by a rounding: that was not in their way.
    """
    if len(path) == 2:
        return keeps_constraints(constraints, walk, path)
    ends = [(own, turned) for own, turned in (path[:2], path[:-3:-1]) if own != turned]
    if not all(may_stand(constraints, walk, own, (turned,), deeper_mm=TOUCH_MM) for own, turned in ends):
        return False
    return all(keeps_constraints(constraints, walk, leg) for leg in _list_turns(walk, path))


def _list_turns(walk: Walk, path: Sequence[Pose]) -> list[tuple[Pose, Pose]]:
    """Return the legs of a path on which a base turns."""
    return [leg for leg in pairwise(path) if turn_rad(*map(walk.place_base, leg)) != 0]


def _build_way(rule: Allowance, walk: Walk, path: Sequence[Pose], missing_mm: float) -> Route:
    """Return a path as a way; its arcs are drawn so much too short."""
    placed = [walk.place_base(pose) for pose in path]
    flown = rule.is_through_air(walk)
    if len(path) > 2 and not flown:  # who turns beside terrain may climb it with a corner
        missing_mm += sum(_measure_added_mm(rule, replace(walk, path=leg)) for leg in _list_turns(walk, path))
    travel = _measure_travel(rule, placed, in_space=flown)
    return Route(mm=travel.mm + missing_mm + _find_pivot_price_mm(rule, placed), points=_list_centres(path))


def _list_centres(path: Sequence[Pose]) -> tuple[Point, ...]:
    return tuple((pose.x_mm, pose.y_mm) for pose in path)
