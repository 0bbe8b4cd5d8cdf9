"""What terrain adds to the length of a way, by the millimetre that goes over it or that is climbed.

A way that was seen is measured along its path.  For one that was not, and for a zone, the same costs are areas of the
ground (`areas.Area`).  Terrain that costs more than the whole allowance cannot be passed: what it would have added is
left out of a seen length, since that is an offence of its own.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import shapely

from assistant.game.state import Pose, Terrain
from assistant.geometry.areas import Area
from assistant.geometry.clearance import Point
from assistant.geometry.contact import Span, Zone, spans_within, travel_within_mm
from assistant.geometry.convex import Array
from assistant.geometry.reach import Route
from assistant.geometry.shapes import Base, Round
from assistant.rules.constraints import Allowance, Constraint, Cost
from assistant.rules.obstacles import obstacles_of
from assistant.rules.parties import Feature
from assistant.rules.piles import Crossed, Pile, crossings, layers, piles
from assistant.rules.ruling import ROUNDING_MM, measured
from assistant.rules.terrain import inside_mm, on_the_way, outline_of, stands_on
from assistant.rules.verdict import Finding, Outcome
from assistant.rules.walk import Walk, covariance_of

BARRED_MM = 1e6
"""What entering and leaving costs on terrain that cannot be passed: more than any allowance."""
_EDGE_MM = 5e-7
"""Who stands on top so near to the edge of what is climbed has climbed it."""
_POINT = Round(radius_mm=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed:
    """Terrain that a path goes over as a whole, or climbs."""

    cost: Cost
    terrain: Terrain
    mm: float
    """What it costs by itself."""


def surcharge_mm(rule: Allowance, walk: Walk, doubt_mm: float = 0.0) -> float:
    """Return what terrain adds to the length of a path; it climbs what it comes deeper into than ``doubt_mm``."""
    climbed = sum(passed.mm for passed in _climbs(rule, walk, doubt_mm) if not _barred(rule, passed.cost, passed.mm))
    return climbed + _slowed_mm(rule, walk)


def passing(rule: Allowance, walk: Walk) -> Iterator[Finding]:
    """Yield for terrain that a seen path climbs or goes over as a whole whether it can be passed at all."""
    for passed in (*_climbs(rule, walk, 0.0), *_crossed(rule, walk)):
        if passed.cost.rule:
            yield _passing(rule, walk, passed)


def counting(rule: Allowance, walk: Walk, pose: Pose) -> Array:
    """Return the covariance of a place on a way, its errors counting as often as a millimetre does there."""
    covariance = covariance_of(pose)
    paces = (cost.pace for cost in rule.costs for terrain in _kind(cost, walk) if _over(cost, walk, terrain, pose))
    return covariance * max(paces, default=1.0) ** 2 if rule.costs else covariance


def cost_areas(rule: Allowance, walk: Walk, body: Base, facing_rad: float) -> Iterator[Area]:
    """Yield the terrain that costs, as areas of the centre of a body."""
    for cost in rule.costs:
        for pieces, up_mm, pace in _ground(rule, cost, _kind(cost, walk)):
            if pieces and (up_mm > 0 or pace > 1):
                shape = body if cost.any_part else _POINT
                parts = tuple(part for each in pieces for part in obstacles_of(shape, facing_rad, outline_of(each)))
                yield Area(parts=parts, pace=pace, up_mm=up_mm, down_mm=up_mm)


def footholds(rules: Iterable[Constraint], walk: Walk, poses: Iterable[Pose]) -> list[Point]:
    """Return the places of poses for their way over terrain that costs.

    One that stands on top at the very edge of what is climbed is taken a little further in, since a way that only comes
    to an edge does not climb.
    """
    climbed = [cost.terrain for rule in rules if isinstance(rule, Allowance) for cost in rule.costs if cost.climb > 0]
    return [_foothold(walk, pose, climbed) for pose in poses]


def _foothold(walk: Walk, pose: Pose, climbed: list[Feature]) -> Point:
    on = stands_on(walk.state, pose) if climbed else None
    if on is not None and any(kind(on) for kind in climbed) and inside_mm(pose, on) <= _EDGE_MM:
        inner = shapely.Polygon(on.outline_mm).buffer(-_EDGE_MM, join_style="mitre")
        nearest = shapely.get_coordinates(shapely.shortest_line(inner, shapely.Point(pose.x_mm, pose.y_mm)))[:1]
        return next(((float(x), float(y)) for x, y in nearest), (pose.x_mm, pose.y_mm))
    return pose.x_mm, pose.y_mm


def _ground(rule: Allowance, cost: Cost, kind: list[Terrain]) -> Iterator[tuple[Pile, float, float]]:
    """Yield terrain by what it costs: pieces that touch are one thing, climbed and paced as a whole.

    A step from one of them to another that is low enough to be free is so from everywhere: who climbed the higher one
    may have come by way of the lower.
    """
    for pile in piles(tuple(kind)):
        barred = tuple(each for each in pile if _barred(rule, cost, cost.pace * cost.across_mm(each)))
        yield barred, BARRED_MM, 1.0
        if cost.climb > 0:
            for pieces, step_mm in layers(pile):
                mm = _climb_mm(cost, step_mm)
                yield pieces, BARRED_MM if _barred(rule, cost, mm) else mm, 1.0
        if cost.pace > 1:
            yield tuple(each for each in pile if each not in barred), 0.0, cost.pace


def barred(rule: Allowance, walk: Walk, way: Route) -> Finding | None:
    """Return what bars the cheapest way, and so every way, to where a model stands; None if nothing does."""
    if way.mm < BARRED_MM / 2:
        return None
    line = shapely.LineString(way.points) if way.points[0] != way.points[-1] else shapely.Point(way.points[0])
    found = [
        Passed(
            cost=cost, terrain=terrain, mm=max(_climb_mm(cost, terrain.height_mm), cost.pace * cost.across_mm(terrain))
        )
        for cost in rule.costs
        for terrain in _kind(cost, walk)
        if cost.rule and shapely.Polygon(terrain.outline_mm).intersects(line)
    ]
    return _passing(rule, walk, max(found, key=lambda passed: passed.mm))


def _passing(rule: Allowance, walk: Walk, passed: Passed) -> Finding:
    needs, limit = walk.say(passed.mm, 2), walk.say(rule.limit_mm, 2)

    def text(outcome: Outcome) -> str:
        if outcome is Outcome.LEGAL:
            return f"{walk.model.id} can pass {passed.terrain.id}: that takes {needs} of {limit}"
        return f"{walk.model.id} cannot pass {passed.terrain.id}: that alone takes {needs} of {limit}"

    return measured(
        passed.cost.rule,
        (walk.model.id, passed.terrain.id),
        measured_mm=passed.mm,
        limit_mm=rule.limit_mm,
        margin_mm=rule.limit_mm - passed.mm,
        sigma_mm=0.0,
        witness_mm=(),
        text=text,
    )


def _barred(rule: Allowance, cost: Cost, mm: float) -> bool:
    """Return whether what costs so much by itself cannot be passed."""
    return bool(cost.rule) and mm > rule.limit_mm + ROUNDING_MM


def _kind(cost: Cost, walk: Walk) -> list[Terrain]:
    return [terrain for terrain in walk.state.terrain if cost.terrain(terrain)]


def _climb_mm(cost: Cost, rise_mm: float) -> float:
    return cost.climb * rise_mm if rise_mm >= cost.free_mm - ROUNDING_MM else 0.0


def _over(cost: Cost, walk: Walk, terrain: Terrain, at: Pose) -> bool:
    if cost.any_part:
        return bool(_spans(cost, walk, terrain, (at,)))
    return inside_mm(at, terrain) > ROUNDING_MM


def _spans(cost: Cost, walk: Walk, terrain: Terrain, path: tuple[Pose, ...], doubt_mm: float = 0.0) -> tuple[Span, ...]:
    placed = [walk.placed(pose) if cost.any_part else replace(walk.placed(pose), shape=_POINT) for pose in path]
    return spans_within(placed, Zone(other=outline_of(terrain), range_mm=-doubt_mm - ROUNDING_MM))


# -- the way over terrain


def _slowed_mm(rule: Allowance, walk: Walk) -> float:
    """Return how much further a path counts than it is long, for the parts of it that are slower."""
    slow = list[tuple[float, Span]]()
    for cost in rule.costs:
        for terrain in on_the_way(walk, _kind(cost, walk)) if cost.pace > 1 else ():
            if not _barred(rule, cost, cost.pace * cost.across_mm(terrain)):
                slow += [(cost.pace, span) for span in _spans(cost, walk, terrain, walk.path)]
    times = sorted({time for _, span in slow for time in (span.start, span.end)})
    path = [walk.placed(pose) for pose in walk.path]
    return sum(
        (max((pace for pace, span in slow if span.start <= a and b <= span.end), default=1.0) - 1.0)
        * travel_within_mm(path, [Span(start=a, end=b)])
        for a, b in pairwise(times)
    )


def _crossed(rule: Allowance, walk: Walk) -> Iterator[Passed]:
    """Yield the terrain that a path goes over as a whole."""
    for cost in rule.costs:
        for terrain in on_the_way(walk, _kind(cost, walk)):
            width_mm = cost.across_mm(terrain)
            if width_mm > 0 and _spans(cost, walk, terrain, walk.path):
                yield Passed(cost=cost, terrain=terrain, mm=cost.pace * width_mm)


# -- climbs


def _climbs(rule: Allowance, walk: Walk, doubt_mm: float) -> Iterator[Passed]:
    """Yield each climb of a path: where its height changes, and where it crosses an outline below the top."""
    for cost in rule.costs:
        if cost.climb > 0:
            for low, high in _rises(walk.path):
                terrain = _climbed(cost, walk, max(low, high, key=lambda pose: pose.z_mm))
                terrain = terrain or _climbed(cost, walk, min(low, high, key=lambda pose: pose.z_mm))
                if terrain is not None:
                    yield from _climb(cost, terrain, abs(high.z_mm - low.z_mm))
            for stretch in _levels(walk.path):
                for pile in piles(tuple(_kind(cost, walk))):
                    for crossed in _over_pile(cost, walk, pile, stretch, doubt_mm):
                        yield from _up_and_down(cost, crossed, stretch)


def _over_pile(cost: Cost, walk: Walk, pile: Pile, stretch: tuple[Pose, ...], doubt_mm: float) -> Iterator[Crossed]:
    """Yield where a stretch of a path is over touching terrain, if it comes deeper into it than ``doubt_mm``."""
    over = [(terrain, _spans(cost, walk, terrain, stretch)) for terrain in on_the_way(walk, pile)]
    deep = [span for terrain, found in over if found for span in _spans(cost, walk, terrain, stretch, doubt_mm)]
    for crossed in crossings(over):
        inside = [span for span in deep if crossed.span.start <= span.start and span.end <= crossed.span.end]
        if inside:
            ends = Span(start=min(span.start for span in inside), end=max(span.end for span in inside))
            yield replace(crossed, span=ends)


def _up_and_down(cost: Cost, crossed: Crossed, stretch: tuple[Pose, ...]) -> Iterator[Passed]:
    """Yield what is climbed at the ends of what is crossed, and from piece to piece."""
    first, last, z_mm = crossed.pieces[0], crossed.pieces[-1], stretch[0].z_mm
    if crossed.span.start > 0:
        yield from _climb(cost, first, first.height_mm - z_mm)
    for one, two in pairwise(crossed.pieces):
        taller = max(one, two, key=lambda terrain: terrain.height_mm)
        yield from _climb(cost, taller, abs(max(one.height_mm, z_mm) - max(two.height_mm, z_mm)))
    if crossed.span.end < len(stretch) - 1:
        yield from _climb(cost, last, last.height_mm - z_mm)


def _climb(cost: Cost, terrain: Terrain, rise_mm: float) -> Iterator[Passed]:
    mm = _climb_mm(cost, rise_mm)
    if mm > 0:
        yield Passed(cost=cost, terrain=terrain, mm=mm)


def _rises(path: tuple[Pose, ...]) -> Iterator[tuple[Pose, Pose]]:
    """Yield where the height of a path changes, up or down without a rest: the first and the last pose of each."""
    start = 0
    for index in range(1, len(path)):
        now = np.sign(path[index].z_mm - path[index - 1].z_mm)
        later = np.sign(path[index + 1].z_mm - path[index].z_mm) if index + 1 < len(path) else 0
        if now not in {0, later}:
            yield path[start], path[index]
        if now != later:
            start = index


def _levels(path: tuple[Pose, ...]) -> Iterator[tuple[Pose, ...]]:
    """Yield the stretches of a path that stay at one height."""
    start = 0
    for index in range(1, len(path) + 1):
        if index == len(path) or path[index].z_mm != path[start].z_mm:
            if index - start > 1:
                yield path[start:index]
            start = index


def _climbed(cost: Cost, walk: Walk, pose: Pose) -> Terrain | None:
    """Return the terrain that a pose stands on, or hangs on in mid-climb."""
    found = [
        terrain
        for terrain in _kind(cost, walk)
        if terrain.height_mm >= pose.z_mm - ROUNDING_MM > 0 and inside_mm(pose, terrain) >= -ROUNDING_MM
    ]
    return min(found, key=lambda terrain: terrain.height_mm, default=None)
