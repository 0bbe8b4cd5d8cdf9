"""Directly away: the way of the stand that evades first, which the others do not share."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from assistant.game.state import Pose
from assistant.geometry.clearance import Point, clearance
from assistant.geometry.convex import Convex
from assistant.geometry.paths import furthest_displacement
from assistant.geometry.regions import around
from assistant.geometry.shapes import Round
from assistant.geometry.slices import rings, turned
from assistant.rules.aside import aside
from assistant.rules.constraints import Own
from assistant.rules.rulebook import Question
from assistant.rules.ruling import DECIDED_SIGMAS, ROUNDING_MM, gravest, measured, together
from assistant.rules.verdict import Finding, Outcome
from assistant.rules.walk import Walk

_LEAST_MM = 10.0
_DRAWN_MM = 0.005


@dataclass(frozen=True, slots=True, kw_only=True)
class _Closest:
    """One of the stands closest to the enemy, and the way directly away from there."""

    stand: str
    way: Point


def away(asked: Question) -> Own:
    """Return what is asked of the first stand that evades: the others are free in where they go."""
    return Own(
        findings=partial(_findings, asked),
        places=partial(_places, asked),
        at_some_facing=partial(_directly, asked),
    )


def _findings(asked: Question, walk: Walk) -> Iterator[Finding]:
    if asked.paths is None or next(iter(asked.paths), None) != walk.model.id:
        return
    yield _far_enough(walk)
    closest = _closest(asked)
    if not closest:
        return
    named = [each for each in closest if each.stand == walk.model.id]
    if not named:
        first, foe = closest[0].stand, asked.intent["toward"]
        text = f"{walk.model.id} goes first, but {first} is the closest to {foe} and goes before the others"
        yield Finding(rule="wm-50", outcome=Outcome.ILLEGAL, subjects=(walk.model.id, first), text=text)
    bent = gravest(_bends(asked, walk))
    if bent is not None and named:
        yield bent
    if not _goes_anywhere(asked):
        ways = (_direction(asked, walk, "wm-49", walk.path, each.way) for each in named or closest)
        yield max(ways, key=lambda found: found.margin_mm or 0.0)


def _closest(asked: Question) -> list[_Closest]:
    """Return the pairs of stands that may be the closest to the enemy, the closest first; none while nobody is named.

    A zone may be asked for before the enemy is named.
    """
    name = asked.intent.get("toward")
    pairs = sorted(
        (
            (clearance(mine.placed(), theirs.placed()), mine.id, together(mine.pose.sigma_mm, theirs.pose.sigma_mm))
            for mine in asked.unit.models
            for theirs in (asked.state.unit(str(name)).models if name is not None else ())
            if mine.pose is not None and theirs.pose is not None
        ),
        key=lambda entry: entry[0].mm,
    )
    return [
        _Closest(stand=stand, way=(gap.near[0] - gap.far[0], gap.near[1] - gap.far[1]))
        for gap, stand, sigma in pairs
        if gap.mm <= pairs[0][0].mm + ROUNDING_MM + DECIDED_SIGMAS * together(pairs[0][2], sigma)
    ]


def _goes_anywhere(asked: Question) -> bool:
    """Whether a unit is light cavalry, which evades in any direction."""
    return asked.unit.profile["troop"] == "cavalry" and "armour-6+" in asked.unit.keywords


def _bends(asked: Question, walk: Walk) -> Iterator[Finding]:
    """Yield how far the way of a seen path is off the straight line at each of its inner poses."""
    start, doubt_mm = walk.path[0], _doubt_mm(walk)
    way = (walk.end.x_mm - start.x_mm, walk.end.y_mm - start.y_mm)
    for pose in walk.path[1:-1] if walk.observed and math.hypot(*way) > doubt_mm else ():
        if math.hypot(pose.x_mm - start.x_mm, pose.y_mm - start.y_mm) > doubt_mm:
            yield _direction(asked, walk, "wm-50", (start, pose), way)


def _direction(asked: Question, walk: Walk, rule: str, path: Sequence[Pose], way: tuple[float, float]) -> Finding:
    """Return whether the way from the first to the last pose goes in a direction, within the tolerance.

    A way that may as well be none goes nowhere: that is only noted.
    """
    x, y = path[-1].x_mm - path[0].x_mm, path[-1].y_mm - path[0].y_mm
    gone, tolerance = math.hypot(x, y), math.radians(asked.number("direction_tolerance_deg"))
    if gone <= _doubt_mm(walk):
        said = f"{walk.model.id} stands within {walk.say(_doubt_mm(walk), 2)} of where it began, so it goes nowhere"
        return Finding(rule=rule, outcome=Outcome.NOTE, subjects=(walk.model.id,), measured_mm=gone, text=said)
    off = abs(math.atan2(x * way[1] - y * way[0], x * way[0] + y * way[1])) if gone > 0 else 0.0
    held = aside(gone, off, tolerance)
    said = f"{math.degrees(off):.1f}° off {'a straight line' if rule == 'wm-50' else 'directly away'}"

    def text(outcome: Outcome) -> str:
        doubt = ", too close to call" if outcome is Outcome.TOO_CLOSE else ""
        return f"{walk.model.id} goes {said}; {math.degrees(tolerance):g}° are allowed{doubt}"

    return measured(
        rule,
        (walk.model.id,),
        measured_mm=held.off_mm,
        limit_mm=held.limit_mm,
        margin_mm=held.margin_mm,
        sigma_mm=together(path[0].sigma_mm, path[-1].sigma_mm),
        witness_mm=((path[0].x_mm, path[0].y_mm), (path[-1].x_mm, path[-1].y_mm)),
        text=text,
    )


def _far_enough(walk: Walk) -> Finding:
    """Return whether the first stand goes as far as an evade must."""
    travel = furthest_displacement([walk.placed(pose) for pose in walk.path])
    length, least = walk.say(travel.mm, 2), walk.say(_LEAST_MM, 2)

    def text(outcome: Outcome) -> str:
        doubt = ", too close to call" if outcome is Outcome.TOO_CLOSE else ""
        return f"{walk.model.id} evades {length}, at least {least} is asked{doubt}"

    return measured(
        "wm-48",
        (walk.model.id,),
        measured_mm=travel.mm,
        limit_mm=_LEAST_MM,
        margin_mm=travel.mm - _LEAST_MM,
        sigma_mm=together(walk.path[0].sigma_mm, walk.end.sigma_mm),
        witness_mm=travel.points,
        text=text,
    )


# -- the same as places


def _places(asked: Question, walk: Walk, places: BaseGeometry, spare_mm: float) -> BaseGeometry:
    """Return the places to which the first stand may go, far enough and directly away; all for one that follows."""
    if not _first(asked, walk):
        return places
    near = _too_near(walk, _LEAST_MM + _doubt_mm(walk) - spare_mm)
    return _directly(asked, walk, shapely.difference(places, near), spare_mm)


def _directly(asked: Question, walk: Walk, places: BaseGeometry, spare_mm: float) -> BaseGeometry:
    """Return the places directly away for the first stand: by a turn it comes far enough where it stands."""
    named = _first(asked, walk)
    if not named or _goes_anywhere(asked):
        return places
    tolerance_rad, inside_mm = math.radians(asked.number("direction_tolerance_deg")), _doubt_mm(walk) - spare_mm
    start = shapely.Point(walk.path[0].x_mm, walk.path[0].y_mm)
    nowhere = shapely.intersection(places, start.buffer(_doubt_mm(walk) + spare_mm))
    wedges = [_wedge(walk.path[0], each.way, tolerance_rad, places, inside_mm) for each in named]
    return shapely.union_all([nowhere, *wedges])


def _first(asked: Question, walk: Walk) -> list[_Closest]:
    """Return the ways directly away for a stand that may go first; none for one that follows."""
    mates = {model.id for model in asked.unit.models} - {walk.model.id}
    if not mates.isdisjoint(asked.state.tracks):
        return []
    return [each for each in _closest(asked) if each.stand == walk.model.id]


def _doubt_mm(walk: Walk) -> float:
    return DECIDED_SIGMAS * together(walk.path[0].sigma_mm, walk.end.sigma_mm)


def _too_near(walk: Walk, least_mm: float) -> BaseGeometry:
    """Return the places at which no part of a base is so far from where it started."""
    if least_mm <= 0:
        return shapely.Polygon()
    start, end, base = walk.path[0], walk.end, walk.model.base
    body = np.zeros((1, 2)) if isinstance(base, Round) else np.concatenate(rings(base, outside=False))
    moved = turned(body, start.facing_rad) - turned(body, end.facing_rad) + (start.x_mm, start.y_mm)
    middles = np.unique(moved, axis=0)
    return shapely.intersection_all(
        [around(Convex(corners_mm=middle[None], radius_mm=least_mm), _DRAWN_MM) for middle in middles]
    )


def _wedge(start: Pose, way: Point, tolerance_rad: float, places: BaseGeometry, inside_mm: float) -> BaseGeometry:
    """Return the part of some places within a tolerance of a direction, so far inside of both of its edges."""
    middle, reach = math.atan2(way[1], way[0]), 2 * _reach_mm(places, start)
    for side in (1, -1):
        bearing = middle + side * tolerance_rad
        along = np.array((math.cos(bearing), math.sin(bearing)))
        inward = side * np.array((along[1], -along[0]))
        edge = np.array((start.x_mm, start.y_mm)) + inside_mm * inward
        half = (edge - reach * along, edge + reach * along)
        corners = (*half, half[1] + reach * inward, half[0] + reach * inward)
        places = shapely.intersection(places, shapely.Polygon(corners))
    return places


def _reach_mm(places: BaseGeometry, start: Pose) -> float:
    """Return a distance from the start beyond which there is none of some places."""
    if places.is_empty:
        return 1.0
    left, low, right, high = places.bounds
    across = max(right, start.x_mm) - min(left, start.x_mm), max(high, start.y_mm) - min(low, start.y_mm)
    return math.hypot(*across) + 1.0
