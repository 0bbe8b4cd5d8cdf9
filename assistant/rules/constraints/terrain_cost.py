"""Terrain costs: what terrain adds to the length of a way, by the millimetre that goes over it or that is climbed.

A way that was seen is measured along its path.  For one that was not, and for a zone, the same costs are areas of the
ground (`Area`).  Terrain that costs more than the whole allowance cannot be passed: what it would have added is left
out of a seen length, since that is an offence of its own.  Terrain may be made of pieces that touch: from one to the
next only the difference of their heights is climbed.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations, groupby, pairwise
from typing import Protocol

import numpy as np
import shapely

from assistant.game.state import Pose, Terrain
from assistant.geometry.clearance.shape_clearance import clearance
from assistant.geometry.motion.contact import PathSpan, ProximityZone, find_spans_within, measure_travel_within_mm
from assistant.geometry.shapes.base_shapes import Base, PlacedShape, Round
from assistant.geometry.shapes.convex import Array
from assistant.geometry.shortest_path.free.reach import Route
from assistant.geometry.shortest_path.weighted.areas import CostArea
from assistant.rules.constraints.coherency import find_connected_groups
from assistant.rules.engine.minkowski_regions import find_area_parts
from assistant.rules.engine.terrain import (
    build_outline,
    find_terrain_on_path,
    is_over,
    measure_inside_mm,
)
from assistant.rules.engine.walk import Walk, build_covariance
from assistant.rules.selectors import TerrainSelector
from assistant.rules.verdict import ROUNDING_MM, Finding, Outcome, build_finding


def _give_no_width(_: Terrain) -> float:
    return 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TerrainCost:
    """What a way pays for terrain of some kind, besides its length."""

    rule: str
    """Cited for terrain that costs more than the whole allowance and so cannot be passed; empty where that is none."""
    terrain: TerrainSelector
    pace: float = 1.0
    """How many millimetres a millimetre of way over it counts for; where several are crossed, the greatest counts."""
    any_part: bool = False
    """The way over it is that of any part of the base, else that of its centre."""
    across_mm: Callable[[Terrain], float] = _give_no_width
    """How wide it is, for terrain that is passed as a whole."""
    climb: float = 0.0
    """How many millimetres one of height counts for, up and down alike."""
    free_mm: float = 0.0
    """What is lower than this is climbed for nothing."""


class CostedWay(Protocol):
    """A greatest length of way to which terrain adds."""

    @property
    def limit_mm(self) -> float:
        """The greatest length of way."""

    @property
    def costs(self) -> tuple[TerrainCost, ...]:
        """What terrain adds."""


Pile = tuple[Terrain, ...]
_SEAM = 1e-5
"""Of a leg: pieces that a path leaves and enters within so little touch there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PileCrossing:
    """A part of a path that is over a pile."""

    span: PathSpan
    pieces: Pile
    """The highest of the pieces at each moment, in order."""


@lru_cache(maxsize=64)
def group_touching_terrain(features: Pile) -> tuple[Pile, ...]:
    """Return terrain by what touches each other."""
    outlines = {terrain.id: shapely.Polygon(terrain.outline_mm) for terrain in features}
    links = [
        (one, two)
        for one, two in combinations(outlines, 2)
        if shapely.dwithin(outlines[one], outlines[two], ROUNDING_MM)
    ]
    known = {terrain.id: terrain for terrain in features}
    return tuple(tuple(known[name] for name in group) for group in find_connected_groups(tuple(known), links))


def split_layers(pile: Pile) -> Iterator[tuple[Pile, float]]:
    """Yield the pieces that reach as high as each of a pile's heights, and how much higher that is than the last."""
    below = 0.0
    for height_mm in sorted({terrain.height_mm for terrain in pile}):
        yield tuple(terrain for terrain in pile if terrain.height_mm >= height_mm), height_mm - below
        below = height_mm


def find_crossings(over: Sequence[tuple[Terrain, Sequence[PathSpan]]]) -> Iterator[PileCrossing]:
    """Yield the parts of a path that are over some pieces of one pile, by the parts that are over each of them."""
    spans = sorted(((span, terrain) for terrain, spans in over for span in spans), key=lambda entry: entry[0].start)
    while spans:
        start, end, count = spans[0][0].start, spans[0][0].end, 1
        while count < len(spans) and spans[count][0].start <= end + _SEAM:
            end, count = max(end, spans[count][0].end), count + 1
        yield PileCrossing(span=PathSpan(start=start, end=end), pieces=tuple(_list_highest(spans[:count])))
        spans = spans[count:]


def _list_highest(spans: Sequence[tuple[PathSpan, Terrain]]) -> Iterator[Terrain]:
    times = sorted({time for span, _ in spans for time in (span.start, span.end)})
    middles = [(a + b) / 2 for a, b in pairwise(times) if b - a > _SEAM] or times[:1]
    under = [[terrain for span, terrain in spans if span.start <= time <= span.end] for time in middles]
    tops = [max(pieces, key=lambda terrain: terrain.height_mm) for pieces in under if pieces]
    yield from (next(same) for _, same in groupby(tops, key=lambda terrain: terrain.height_mm))


BARRED_MM = 1e6
"""What entering and leaving costs on terrain that cannot be passed: more than any allowance."""
_POINT = Round(radius_mm=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class TerrainPassage:
    """Terrain that a path goes over as a whole, or climbs."""

    cost: TerrainCost
    terrain: Terrain
    mm: float
    """What it costs by itself."""


def measure_surcharge_mm(rule: CostedWay, walk: Walk, doubt_mm: float = 0.0) -> float:
    """Return what terrain adds to the length of a path; it climbs what it comes deeper into than ``doubt_mm``."""
    climbed = sum(
        passed.mm for passed in _find_climbs(rule, walk, doubt_mm) if not _is_barred(rule, passed.cost, passed.mm)
    )
    return climbed + _measure_slowing_mm(rule, walk)


def check_passages(rule: CostedWay, walk: Walk) -> Iterator[Finding]:
    """Yield for terrain that a seen path climbs or goes over as a whole whether it can be passed at all."""
    for passed in (*_find_climbs(rule, walk, 0.0), *_find_whole_passages(rule, walk)):
        if passed.cost.rule:
            yield _build_passage_finding(rule, walk, passed)


def weigh_covariance(rule: CostedWay, walk: Walk, pose: Pose) -> Array:
    """Return the covariance of a place on a way, its errors counting as often as a millimetre does there."""
    covariance: Array = build_covariance(pose) * find_pace(rule, walk, pose, walk.model.base) ** 2
    return covariance


def find_pace(rule: CostedWay, walk: Walk, pose: Pose, body: Base) -> float:
    """Return how many millimetres a millimetre of way counts for where a body is at a pose."""
    paces = (
        cost.pace
        for cost in rule.costs
        if cost.pace > 1
        for terrain in _select_terrain(cost, walk)
        if _is_over(cost, body, terrain, pose)
    )
    return max(paces, default=1.0)


def build_cost_areas(rule: CostedWay, walk: Walk, body: Base, facing_rad: float) -> Iterator[CostArea]:
    """Yield the terrain that costs, as areas of the centre of a body."""
    for cost in rule.costs:
        for pieces, up_mm, pace in _rate_ground(rule, cost, _select_terrain(cost, walk)):
            if pieces and (up_mm > 0 or pace > 1):
                shape = body if cost.any_part else _POINT
                parts = tuple(
                    part for each in pieces for part in find_area_parts(shape, facing_rad, build_outline(each))
                )
                yield CostArea(parts=parts, pace=pace, up_mm=up_mm, down_mm=up_mm)


def _rate_ground(rule: CostedWay, cost: TerrainCost, kind: list[Terrain]) -> Iterator[tuple[Pile, float, float]]:
    """Yield terrain by what it costs: pieces that touch are one thing, climbed and paced as a whole.

    A step from one of them to another that is low enough to be free is so from everywhere: who climbed the higher one
    may have come by way of the lower.
    """
    for pile in group_touching_terrain(tuple(kind)):
        barred = tuple(each for each in pile if _is_barred(rule, cost, cost.pace * cost.across_mm(each)))
        yield barred, BARRED_MM, 1.0
        if cost.climb > 0:
            for pieces, step_mm in split_layers(pile):
                mm = _price_climb_mm(cost, step_mm)
                yield pieces, BARRED_MM if _is_barred(rule, cost, mm) else mm, 1.0
        if cost.pace > 1:
            yield tuple(each for each in pile if each not in barred), 0.0, cost.pace


def check_barred_route(rule: CostedWay, walk: Walk, way: Route) -> Finding | None:
    """Return what bars the cheapest way, and so every way, to where a model stands; None if nothing does."""
    if way.mm < BARRED_MM / 2:
        return None
    line = shapely.LineString(way.points) if way.points[0] != way.points[-1] else shapely.Point(way.points[0])
    found = [
        TerrainPassage(
            cost=cost,
            terrain=terrain,
            mm=max(_price_climb_mm(cost, terrain.height_mm), cost.pace * cost.across_mm(terrain)),
        )
        for cost in rule.costs
        for terrain in _select_terrain(cost, walk)
        if cost.rule and shapely.Polygon(terrain.outline_mm).intersects(line)
    ]
    return _build_passage_finding(rule, walk, max(found, key=lambda passed: passed.mm))


def _build_passage_finding(rule: CostedWay, walk: Walk, passed: TerrainPassage) -> Finding:
    needs, limit = walk.say(passed.mm, 2), walk.say(rule.limit_mm, 2)

    def text(outcome: Outcome) -> str:
        if outcome is Outcome.LEGAL:
            return f"{walk.model.id} can pass {passed.terrain.id}: that takes {needs} of {limit}"
        return f"{walk.model.id} cannot pass {passed.terrain.id}: that alone takes {needs} of {limit}"

    return build_finding(
        passed.cost.rule,
        (walk.model.id, passed.terrain.id),
        measured_mm=passed.mm,
        limit_mm=rule.limit_mm,
        margin_mm=rule.limit_mm - passed.mm,
        sigma_mm=0.0,
        witness_mm=(),
        text=text,
    )


def _is_barred(rule: CostedWay, cost: TerrainCost, mm: float) -> bool:
    """Return whether what costs so much by itself cannot be passed."""
    return bool(cost.rule) and mm > rule.limit_mm + ROUNDING_MM


def _select_terrain(cost: TerrainCost, walk: Walk) -> list[Terrain]:
    return [terrain for terrain in walk.state.terrain if cost.terrain(terrain)]


def _price_climb_mm(cost: TerrainCost, rise_mm: float) -> float:
    return cost.climb * rise_mm if rise_mm >= cost.free_mm - ROUNDING_MM else 0.0


def _is_over(cost: TerrainCost, body: Base, terrain: Terrain, at: Pose) -> bool:
    if cost.any_part:
        placed = PlacedShape(shape=body, x_mm=at.x_mm, y_mm=at.y_mm, facing_rad=at.facing_rad)
        return clearance(placed, build_outline(terrain)).mm < -ROUNDING_MM
    return is_over(at, terrain)


def _find_spans(
    cost: TerrainCost, walk: Walk, terrain: Terrain, path: tuple[Pose, ...], doubt_mm: float = 0.0
) -> tuple[PathSpan, ...]:
    placed = [walk.place_base(pose) if cost.any_part else replace(walk.place_base(pose), shape=_POINT) for pose in path]
    return find_spans_within(placed, ProximityZone(other=build_outline(terrain), range_mm=-doubt_mm - ROUNDING_MM))


# -- the way over terrain


def _measure_slowing_mm(rule: CostedWay, walk: Walk) -> float:
    """Return how much further a path counts than it is long, for the parts of it that are slower."""
    if not rule.costs:
        return 0.0
    slow = list[tuple[float, PathSpan]]()
    for cost in rule.costs:
        for terrain in find_terrain_on_path(walk, _select_terrain(cost, walk)) if cost.pace > 1 else ():
            if not _is_barred(rule, cost, cost.pace * cost.across_mm(terrain)):
                slow += [(cost.pace, span) for span in _find_spans(cost, walk, terrain, walk.path)]
    times = sorted({time for _, span in slow for time in (span.start, span.end)})
    path = [walk.place_base(pose) for pose in walk.path]
    return sum(
        (max((pace for pace, span in slow if span.start <= a and b <= span.end), default=1.0) - 1.0)
        * measure_travel_within_mm(path, [PathSpan(start=a, end=b)])
        for a, b in pairwise(times)
    )


def _find_whole_passages(rule: CostedWay, walk: Walk) -> Iterator[TerrainPassage]:
    """Yield the terrain that a path goes over as a whole."""
    for cost in rule.costs:
        for terrain in find_terrain_on_path(walk, _select_terrain(cost, walk)):
            width_mm = cost.across_mm(terrain)
            if width_mm > 0 and _find_spans(cost, walk, terrain, walk.path):
                yield TerrainPassage(cost=cost, terrain=terrain, mm=cost.pace * width_mm)


# -- climbs


def _find_climbs(rule: CostedWay, walk: Walk, doubt_mm: float) -> Iterator[TerrainPassage]:
    """Yield each climb of a path: where its height changes, and where it crosses an outline below the top."""
    for cost in rule.costs:
        if cost.climb > 0:
            for low, high in _split_rises(walk.path):
                terrain = _find_climbed_terrain(cost, walk, max(low, high, key=lambda pose: pose.z_mm))
                terrain = terrain or _find_climbed_terrain(cost, walk, min(low, high, key=lambda pose: pose.z_mm))
                if terrain is not None:
                    yield from _build_climb(cost, terrain, abs(high.z_mm - low.z_mm))
            for stretch in _split_levels(walk.path):
                for pile in group_touching_terrain(tuple(_select_terrain(cost, walk))):
                    for crossed in _find_pile_crossings(cost, walk, pile, stretch, doubt_mm):
                        yield from _list_crossing_climbs(cost, crossed, stretch)


def _find_pile_crossings(
    cost: TerrainCost, walk: Walk, pile: Pile, stretch: tuple[Pose, ...], doubt_mm: float
) -> Iterator[PileCrossing]:
    """Yield where a stretch of a path is over touching terrain, if it comes deeper into it than ``doubt_mm``."""
    over = [(terrain, _find_spans(cost, walk, terrain, stretch)) for terrain in find_terrain_on_path(walk, pile)]
    deep = [span for terrain, found in over if found for span in _find_spans(cost, walk, terrain, stretch, doubt_mm)]
    for crossed in find_crossings(over):
        inside = [span for span in deep if crossed.span.start <= span.start and span.end <= crossed.span.end]
        if inside:
            ends = PathSpan(start=min(span.start for span in inside), end=max(span.end for span in inside))
            yield replace(crossed, span=ends)


def _list_crossing_climbs(
    cost: TerrainCost, crossed: PileCrossing, stretch: tuple[Pose, ...]
) -> Iterator[TerrainPassage]:
    """Yield what is climbed at the ends of what is crossed, and from piece to piece."""
    first, last, z_mm = crossed.pieces[0], crossed.pieces[-1], stretch[0].z_mm
    if crossed.span.start > 0:
        yield from _build_climb(cost, first, first.height_mm - z_mm)
    for one, two in pairwise(crossed.pieces):
        taller = max(one, two, key=lambda terrain: terrain.height_mm)
        yield from _build_climb(cost, taller, abs(max(one.height_mm, z_mm) - max(two.height_mm, z_mm)))
    if crossed.span.end < len(stretch) - 1:
        yield from _build_climb(cost, last, last.height_mm - z_mm)


def _build_climb(cost: TerrainCost, terrain: Terrain, rise_mm: float) -> Iterator[TerrainPassage]:
    mm = _price_climb_mm(cost, rise_mm)
    if mm > 0:
        yield TerrainPassage(cost=cost, terrain=terrain, mm=mm)


def _split_rises(path: tuple[Pose, ...]) -> Iterator[tuple[Pose, Pose]]:
    """Yield where the height of a path changes, up or down without a rest: the first and the last pose of each."""
    start = 0
    for index in range(1, len(path)):
        now = np.sign(path[index].z_mm - path[index - 1].z_mm)
        later = np.sign(path[index + 1].z_mm - path[index].z_mm) if index + 1 < len(path) else 0
        if now not in {0, later}:
            yield path[start], path[index]
        if now != later:
            start = index


def _split_levels(path: tuple[Pose, ...]) -> Iterator[tuple[Pose, ...]]:
    """Yield the stretches of a path that stay at one height."""
    start = 0
    for index in range(1, len(path) + 1):
        if index == len(path) or path[index].z_mm != path[start].z_mm:
            if index - start > 1:
                yield path[start:index]
            start = index


def _find_climbed_terrain(cost: TerrainCost, walk: Walk, pose: Pose) -> Terrain | None:
    """Return the terrain that a pose stands on, or hangs on in mid-climb."""
    found = [
        terrain
        for terrain in _select_terrain(cost, walk)
        if terrain.height_mm >= pose.z_mm - ROUNDING_MM > 0 and measure_inside_mm(pose, terrain) >= -ROUNDING_MM
    ]
    return min(found, key=lambda terrain: terrain.height_mm, default=None)
