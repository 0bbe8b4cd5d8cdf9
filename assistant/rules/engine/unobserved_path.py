"""Unobserved paths: the length of a way that nobody saw.

It is the shortest legal way, or bounds of it where turning plays a part.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from assistant.game.state import Pose
from assistant.geometry.clearance.shape_clearance import Point, turn_rad
from assistant.geometry.motion.path_length import measure_furthest_displacement
from assistant.geometry.shapes.base_shapes import Base, Round
from assistant.geometry.shortest_path.free.reach import Route, shrink_obstacles
from assistant.geometry.shortest_path.weighted.reach import find_weighted_routes
from assistant.geometry.uncertainty import route_sigma_mm
from assistant.rules.constraints import BY_PART, Allowance, Constraint, ForbiddenTerrain, KeepOut, TableBoundary
from assistant.rules.constraints.terrain_cost import check_barred_route, find_footholds, weigh_covariance
from assistant.rules.engine.measurement import (
    check_constraint,
    check_length,
    find_pivot_price_mm,
    measure_added_mm,
    measure_travel,
)
from assistant.rules.engine.reachability import (
    extend_box,
    find_costly_areas,
    find_free_box,
    find_turning_body,
    find_way_obstacles,
)
from assistant.rules.engine.terrain import is_through_air, measure_rise_mm
from assistant.rules.engine.walk import Walk
from assistant.rules.verdict import DECIDED_SIGMAS, ROUNDING_MM, Finding, Outcome


def check_unseen_length(rule: Allowance, constraints: Sequence[Constraint], walk: Walk) -> Finding:
    """Return whether a model can have come to where it stands within an allowance.

    Legal if some way that keeps the constraints is short enough, illegal if none can be, else unobserved.  Where that
    turns on a passage between models that their sigma leaves open, a person decides.
    """
    found = _check_with_sigmas(rule, constraints, walk, 0.0)
    if found.outcome is Outcome.TOO_CLOSE or not walk.scene.sigmas_mm.any():
        return found
    if found.outcome is Outcome.ILLEGAL:
        passage, doubted = (
            "unless it could pass where that",
            _check_with_sigmas(rule, constraints, walk, -DECIDED_SIGMAS),
        )
    else:
        passage, doubted = "if it could pass where that", _check_with_sigmas(rule, constraints, walk, DECIDED_SIGMAS)
    if doubted.outcome is found.outcome:
        return found
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


def _check_with_sigmas(rule: Allowance, constraints: Sequence[Constraint], walk: Walk, sigmas: float) -> Finding:
    """Return what the length comes to with the other models so many of their ``sigmas`` wider."""
    start, end = walk.path[0], walk.end
    base = walk.model.base
    least = _find_route(constraints, walk, find_turning_body(base), (start, end), sigmas)
    if least is None:
        text = f"{walk.model.id} can only have come there on a way that breaks another rule"
        return Finding(rule=rule.no_way or rule.rule, outcome=Outcome.ILLEGAL, subjects=(walk.model.id,), text=text)
    bar = check_barred_route(rule, walk, least)
    if bar is not None:
        return bar
    sigma = route_sigma_mm(least.points, weigh_covariance(rule, walk, start), weigh_covariance(rule, walk, end))
    floor = _bound_length_mm(rule, walk, least)
    lower = check_length(rule, walk, replace(least, mm=floor), sigma)
    if isinstance(base, Round) or lower.outcome is not Outcome.LEGAL:
        return lower
    for way in _find_witnesses(rule, constraints, walk, sigmas):
        upper = check_length(rule, walk, way, sigma)
        if upper.outcome is Outcome.LEGAL:
            return upper
    return Finding(
        rule=rule.rule,
        outcome=Outcome.UNOBSERVED,
        subjects=(walk.model.id,),
        measured_mm=floor,
        limit_mm=rule.limit_mm,
        sigma_mm=sigma,
        witness_mm=least.points,
        way=True,
        text=f"{walk.model.id} needs at least {walk.say(floor, 2)} of {walk.say(rule.limit_mm, 2)}; "
        "how it turned on its way was not seen",
    )


def _bound_length_mm(rule: Allowance, walk: Walk, least: Route) -> float:
    """Return a length that no way falls short of."""
    ends = [walk.place_base(walk.path[0]), walk.place_base(walk.end)]
    if rule.pivot in BY_PART:
        apart, rise = measure_furthest_displacement(ends).mm, measure_rise_mm(rule, walk)
        return max(least.mm, math.hypot(apart, rise) if is_through_air(rule, walk) else apart + rise)
    return least.mm + find_pivot_price_mm(rule, ends)


def _find_route(
    constraints: Sequence[Constraint], walk: Walk, body: Base, ends: tuple[Pose, Pose], sigmas: float
) -> Route | None:
    start, goal = find_footholds(constraints, walk, ends)
    box = find_free_box(constraints, walk.state.table, body, ends[0].facing_rad)
    obstacles = shrink_obstacles(find_way_obstacles(constraints, walk, body, ends, sigmas=sigmas), (start, goal))
    costly = find_costly_areas(constraints, replace(walk, path=ends), body, ends)
    (route,) = find_weighted_routes(start, [goal], obstacles, costly, extend_box(box, (start, goal)))
    flown = any(isinstance(rule, Allowance) and is_through_air(rule, walk) for rule in constraints)
    if route is None or not flown:
        return route
    return replace(route, mm=math.hypot(route.mm, ends[1].z_mm - ends[0].z_mm))


def measure_shortest_mm(constraints: Sequence[Constraint], walk: Walk) -> float | None:
    """Return the length of the shortest way that keeps the constraints, turning aside; None if there is none."""
    route = _find_route(constraints, walk, find_turning_body(walk.model.base), (walk.path[0], walk.end), 0.0)
    return None if route is None else route.mm


def _find_witnesses(rule: Allowance, constraints: Sequence[Constraint], walk: Walk, sigmas: float) -> Iterator[Route]:
    """Yield legal ways: straight while turning, turning first, turning last."""
    start, end = walk.path[0], walk.end
    if start.z_mm == end.z_mm or is_through_air(rule, walk):
        climbed = 0.0 if is_through_air(rule, walk) else measure_added_mm(rule, walk)
        yield from _find_legal_ways(rule, constraints, walk, (start, end), climbed)
    for facing in dict.fromkeys((start.facing_rad, end.facing_rad)):
        turned = replace(start, facing_rad=facing), replace(end, facing_rad=facing)
        route = _find_route(constraints, walk, walk.model.base, turned, sigmas)
        if route is not None:
            between = tuple(replace(turned[0], x_mm=x, y_mm=y) for x, y in route.points[1:-1])
            drawn = sum(math.dist(a, b) for a, b in pairwise(route.points))
            drawn = math.hypot(drawn, end.z_mm - start.z_mm) if is_through_air(rule, walk) else drawn
            yield from _find_legal_ways(
                rule, constraints, walk, (start, turned[0], *between, turned[1], end), route.mm - drawn
            )


def _find_legal_ways(
    rule: Allowance, constraints: Sequence[Constraint], walk: Walk, path: tuple[Pose, ...], missing_mm: float
) -> Iterator[Route]:
    """Yield a way if it keeps the constraints; its arcs are drawn so much too short.

    Legs without a turn are a shortest way's own, and keep them already, but for the straight one.
    """
    placed = [walk.place_base(pose) for pose in path]
    flown = is_through_air(rule, walk)
    turns = [leg for leg, (a, b) in zip(pairwise(path), pairwise(placed), strict=True) if turn_rad(a, b) != 0]
    if len(path) > 2 and not flown:  # who turns beside terrain may climb it with a corner
        missing_mm += sum(measure_added_mm(rule, replace(walk, path=leg)) for leg in turns)
    if all(_keeps_constraints(constraints, walk, leg) for leg in (turns if len(path) > 2 else [path])):
        travel = measure_travel(rule, placed, in_space=flown)
        yield Route(mm=travel.mm + missing_mm + find_pivot_price_mm(rule, placed), points=_list_centres(path))


def _list_centres(path: Sequence[Pose]) -> tuple[Point, ...]:
    return tuple((pose.x_mm, pose.y_mm) for pose in path)


def _keeps_constraints(constraints: Sequence[Constraint], walk: Walk, leg: Sequence[Pose]) -> bool:
    """Return whether a leg keeps what holds all along a way."""
    seen = replace(walk, path=tuple(leg), observed=True)
    return all(
        found.margin_mm is None or found.margin_mm >= -ROUNDING_MM
        for rule in constraints
        if isinstance(rule, TableBoundary) or (isinstance(rule, KeepOut | ForbiddenTerrain) and rule.on_the_way)
        for found in check_constraint(rule, seen)
    )
