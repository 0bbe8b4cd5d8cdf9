"""The length of a way that nobody saw: the shortest legal one, or bounds of it where turning plays a part."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from assistant.game.state import Pose
from assistant.geometry.clearance import Point, turn_rad
from assistant.geometry.ground import ground_routes
from assistant.geometry.paths import furthest_displacement
from assistant.geometry.reach import Route, outside
from assistant.geometry.shapes import Base, Round
from assistant.geometry.uncertainty import route_sigma_mm
from assistant.rules.constraints import BY_PART, Allowance, Constraint, KeepOut, OnTable, Shut
from assistant.rules.costs import barred, counting, footholds
from assistant.rules.measure import added_mm, findings, length_finding, pivot_price_mm, travelled
from assistant.rules.ruling import DECIDED_SIGMAS, ROUNDING_MM
from assistant.rules.space import areas, free_box, turning_body, way_obstacles, with_places
from assistant.rules.terrain import in_space, rise_mm
from assistant.rules.verdict import Finding, Outcome
from assistant.rules.walk import Walk


def unseen_length(rule: Allowance, constraints: Sequence[Constraint], walk: Walk) -> Finding:
    """Return whether a model can have come to where it stands within an allowance.

    Legal if some way that keeps the constraints is short enough, illegal if none can be, else unobserved.  Where that
    turns on a passage between models that their sigma leaves open, a person decides.
    """
    found = _unseen(rule, constraints, walk, 0.0)
    if found.outcome is Outcome.TOO_CLOSE or not walk.scene.sigmas_mm.any():
        return found
    if found.outcome is Outcome.ILLEGAL:
        passage, doubted = "unless it could pass where that", _unseen(rule, constraints, walk, -DECIDED_SIGMAS)
    else:
        passage, doubted = "if it could pass where that", _unseen(rule, constraints, walk, DECIDED_SIGMAS)
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


def _unseen(rule: Allowance, constraints: Sequence[Constraint], walk: Walk, sigmas: float) -> Finding:
    """Return what the length comes to with the other models so many of their ``sigmas`` wider."""
    start, end = walk.path[0], walk.end
    base = walk.model.base
    least = _route(constraints, walk, turning_body(base), (start, end), sigmas)
    if least is None:
        text = f"{walk.model.id} can only have come there on a way that breaks another rule"
        return Finding(rule=rule.no_way or rule.rule, outcome=Outcome.ILLEGAL, subjects=(walk.model.id,), text=text)
    bar = barred(rule, walk, least)
    if bar is not None:
        return bar
    sigma = route_sigma_mm(least.points, counting(rule, walk, start), counting(rule, walk, end))
    floor = _floor_mm(rule, walk, least)
    lower = length_finding(rule, walk, replace(least, mm=floor), sigma)
    if isinstance(base, Round) or lower.outcome is not Outcome.LEGAL:
        return lower
    for way in _witnesses(rule, constraints, walk, sigmas):
        upper = length_finding(rule, walk, way, sigma)
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


def _floor_mm(rule: Allowance, walk: Walk, least: Route) -> float:
    """Return a length that no way falls short of."""
    ends = [walk.placed(walk.path[0]), walk.placed(walk.end)]
    if rule.pivot in BY_PART:
        apart, rise = furthest_displacement(ends).mm, rise_mm(rule, walk)
        return max(least.mm, math.hypot(apart, rise) if in_space(rule, walk) else apart + rise)
    return least.mm + pivot_price_mm(rule, ends)


def _route(
    constraints: Sequence[Constraint], walk: Walk, body: Base, ends: tuple[Pose, Pose], sigmas: float
) -> Route | None:
    start, goal = footholds(constraints, walk, ends)
    box = free_box(constraints, walk.state.table, body, ends[0].facing_rad)
    obstacles = outside(way_obstacles(constraints, walk, body, ends, sigmas=sigmas), (start, goal))
    costly = areas(constraints, replace(walk, path=ends), body, ends)
    (route,) = ground_routes(start, [goal], obstacles, costly, with_places(box, (start, goal)))
    flown = any(isinstance(rule, Allowance) and in_space(rule, walk) for rule in constraints)
    if route is None or not flown:
        return route
    return replace(route, mm=math.hypot(route.mm, ends[1].z_mm - ends[0].z_mm))


def shortest_mm(constraints: Sequence[Constraint], walk: Walk) -> float | None:
    """Return the length of the shortest way that keeps the constraints, turning aside; None if there is none."""
    route = _route(constraints, walk, turning_body(walk.model.base), (walk.path[0], walk.end), 0.0)
    return None if route is None else route.mm


def _witnesses(rule: Allowance, constraints: Sequence[Constraint], walk: Walk, sigmas: float) -> Iterator[Route]:
    """Yield legal ways: straight while turning, turning first, turning last."""
    start, end = walk.path[0], walk.end
    if start.z_mm == end.z_mm or in_space(rule, walk):
        climbed = 0.0 if in_space(rule, walk) else added_mm(rule, walk)
        yield from _legal(rule, constraints, walk, (start, end), climbed)
    for facing in dict.fromkeys((start.facing_rad, end.facing_rad)):
        turned = replace(start, facing_rad=facing), replace(end, facing_rad=facing)
        route = _route(constraints, walk, walk.model.base, turned, sigmas)
        if route is not None:
            between = tuple(replace(turned[0], x_mm=x, y_mm=y) for x, y in route.points[1:-1])
            drawn = sum(math.dist(a, b) for a, b in pairwise(route.points))
            drawn = math.hypot(drawn, end.z_mm - start.z_mm) if in_space(rule, walk) else drawn
            yield from _legal(rule, constraints, walk, (start, turned[0], *between, turned[1], end), route.mm - drawn)


def _legal(
    rule: Allowance, constraints: Sequence[Constraint], walk: Walk, path: tuple[Pose, ...], missing_mm: float
) -> Iterator[Route]:
    """Yield a way if it keeps the constraints; its arcs are drawn so much too short.

    Legs without a turn are a shortest way's own, and keep them already, but for the straight one.
    """
    placed = [walk.placed(pose) for pose in path]
    flown = in_space(rule, walk)
    turns = [leg for leg, (a, b) in zip(pairwise(path), pairwise(placed), strict=True) if turn_rad(a, b) != 0]
    if len(path) > 2 and not flown:  # who turns beside terrain may climb it with a corner
        missing_mm += sum(added_mm(rule, replace(walk, path=leg)) for leg in turns)
    if all(_keeps(constraints, walk, leg) for leg in (turns if len(path) > 2 else [path])):
        travel = travelled(rule, placed, in_space=flown)
        yield Route(mm=travel.mm + missing_mm + pivot_price_mm(rule, placed), points=_centres(path))


def _centres(path: Sequence[Pose]) -> tuple[Point, ...]:
    return tuple((pose.x_mm, pose.y_mm) for pose in path)


def _keeps(constraints: Sequence[Constraint], walk: Walk, leg: Sequence[Pose]) -> bool:
    """Return whether a leg keeps what holds all along a way."""
    seen = replace(walk, path=tuple(leg), observed=True)
    return all(
        found.margin_mm is None or found.margin_mm >= -ROUNDING_MM
        for rule in constraints
        if isinstance(rule, OnTable) or (isinstance(rule, KeepOut | Shut) and rule.on_the_way)
        for found in findings(rule, seen)
    )
