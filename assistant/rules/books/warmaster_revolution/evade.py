"""Evades: away from the enemy, the closest stand first, through friends but not into them.

The stand that evades first goes directly away from the enemy, in a straight line; the others are free in where they go.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from assistant.game.state import Pose
from assistant.geometry.clearance.pairwise import measure_pairs
from assistant.geometry.clearance.shape_arrays import build_shape_arrays
from assistant.geometry.clearance.shape_clearance import Point
from assistant.geometry.motion.path_length import measure_furthest_displacement
from assistant.geometry.orientation.facing_constraints import (
    build_least_displacement_constraint,
    build_rings,
    turn_points,
)
from assistant.geometry.orientation.facing_search import FacingConstraint
from assistant.geometry.shapes.base_shapes import Round
from assistant.geometry.shapes.convex import ConvexSet
from assistant.geometry.shapes.polygons import circumscribe, extract_polygons
from assistant.rules.books.warmaster_revolution.movement_limits import forbid_stands
from assistant.rules.books.warmaster_revolution.parties import (
    are_foes,
    exclude_units,
    find_engaged_units,
    is_comrade,
    is_other_unit,
    restrict_to_units,
)
from assistant.rules.constraints.base import Constraint, ConstraintSet
from assistant.rules.constraints.keep_out import KeepOut, build_approach_target, list_near_models
from assistant.rules.context import RuleContext
from assistant.rules.engine.approach import measure_approaches
from assistant.rules.engine.situation_index import SituationIndex
from assistant.rules.engine.walk import Walk, measure_direction_offset
from assistant.rules.presets import forbid_ending_on_top
from assistant.rules.rulebook import CompletedMove
from assistant.rules.verdict import (
    DECIDED_SIGMAS,
    ROUNDING_MM,
    Effect,
    Finding,
    Outcome,
    build_finding,
    combine_sigmas,
    find_gravest,
)

_LEAST_MM = 10.0
_DRAWN_MM = 0.005


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosestStand:
    """One of the stands closest to the enemy, and the way directly away from there."""

    stand: str
    way: Point
    """A unit vector."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstEvader(Constraint):
    """What is asked of the stand that evades first: the others are free in where they go."""

    asked: RuleContext
    alone: bool = False
    """Asked of a stand whose unit is still moving: one that is not the closest follows those that went before it."""

    def check(self, walk: Walk, _rules: ConstraintSet, /) -> Iterator[Finding]:
        """Yield how far the first stand of a move goes, whether straight, and whether directly away."""
        return _judge_first_evader(self.asked, walk) if self._goes_first(walk) else iter(())

    def goes_straight(self, walk: Walk, /) -> bool:
        """Return whether the stand goes first."""
        return self._goes_first(walk)

    def narrow_end(self, walk: Walk, places: BaseGeometry, /) -> BaseGeometry:
        """Return the places to which the stand may go: for the first far enough, and directly away."""
        if not self._goes_first(walk):
            return places
        near = _find_too_near_places(walk, _LEAST_MM + _compute_doubt_mm(walk))
        return extract_polygons(shapely.difference(_restrict_to_direction(self.asked, walk, places), near))

    def narrow_turned_end(self, walk: Walk, places: BaseGeometry, /) -> BaseGeometry:
        """Return the places in the right direction, however the stand is turned."""
        return extract_polygons(_restrict_to_direction(self.asked, walk, places)) if self._goes_first(walk) else places

    def build_facing_constraint(self, walk: Walk, _limit_mm: float | None, /) -> FacingConstraint | None:
        """Return where the first stand is far enough from where it stood: by a turn it is where it stands."""
        return _build_least_way_constraint(walk) if self._goes_first(walk) else None

    def drop_unit_parts(self) -> "FirstEvader":
        """Return it for a stand whose unit is still moving."""
        return replace(self, alone=True)

    def _goes_first(self, walk: Walk) -> bool:
        if self.asked.paths is not None:
            return next(iter(self.asked.paths), None) == walk.model.id
        if not self.alone:
            return True
        mates = {model.id for model in self.asked.unit.models} - {walk.model.id}
        closest = list_closest_stands(self.asked)
        return mates.isdisjoint(self.asked.state.tracks) and any(each.stand == walk.model.id for each in closest)


def _judge_first_evader(asked: RuleContext, walk: Walk) -> Iterator[Finding]:
    yield _judge_length(walk)
    closest = list_closest_stands(asked)
    if not closest:
        return
    named = [each for each in closest if each.stand == walk.model.id]
    if not named:
        first, foe = closest[0].stand, asked.intent["toward"]
        text = f"{walk.model.id} goes first, but {first} is the closest to {foe} and goes before the others"
        yield Finding(rule="wm-50", outcome=Outcome.ILLEGAL, subjects=(walk.model.id, first), text=text)
    bent = find_gravest(_judge_bends(asked, walk))
    if bent is not None and named:
        yield bent
    if not _can_go_anywhere(asked):
        ways = (_judge_direction(asked, walk, "wm-49", walk.path, each.way) for each in named or closest)
        yield max(ways, key=lambda found: found.margin_mm or 0.0)


def list_closest_stands(asked: RuleContext) -> tuple[ClosestStand, ...]:
    """Return the pairs of stands that may be the closest to the enemy, the closest first; none while nobody is named.

    A zone may be asked for before the enemy is named.
    """
    name = asked.intent.get("toward")
    return _find_closest_stands(asked.scene, asked.unit.id, str(name)) if name is not None else ()


@lru_cache(maxsize=64)
def _find_closest_stands(scene: SituationIndex, unit: str, foe: str) -> tuple[ClosestStand, ...]:
    mine, theirs = (
        [scene.index[model.id] for model in scene.state.find_unit(each).models if model.id in scene.index]
        for each in (unit, foe)
    )
    if not mine or not theirs:
        return ()
    standing = build_shape_arrays([scene.models[at].place_base() for at in (*mine, *theirs)])
    first, second = np.divmod(np.arange(len(mine) * len(theirs)), len(theirs))
    gaps = measure_pairs(standing, first, second + len(mine))
    sigmas_mm = np.hypot(scene.sigmas_mm[mine][first], scene.sigmas_mm[theirs][second])
    nearest = int(gaps.mm.argmin())
    doubt_mm = ROUNDING_MM + DECIDED_SIGMAS * np.hypot(sigmas_mm, sigmas_mm[nearest])
    tied = np.flatnonzero(gaps.mm <= gaps.mm[nearest] + doubt_mm)
    ranked = tied[np.argsort(gaps.mm[tied], kind="stable")]
    # Along the normal from the enemy: the same as between the closest points, and known of stands that touch, too.
    return tuple(
        ClosestStand(stand=scene.models[mine[first[at]]].id, way=(-float(x), -float(y)))
        for at, (x, y) in zip(ranked.tolist(), gaps.normals[ranked].tolist(), strict=True)
    )


def _can_go_anywhere(asked: RuleContext) -> bool:
    """Whether a unit is light cavalry, which evades in any direction."""
    return asked.unit.profile["troop"] == "cavalry" and "armour-6+" in asked.unit.keywords


def _judge_bends(asked: RuleContext, walk: Walk) -> Iterator[Finding]:
    """Yield how far the way of a seen path is off the straight line at each of its inner poses."""
    start, doubt_mm = walk.path[0], _compute_doubt_mm(walk)
    way = (walk.end.x_mm - start.x_mm, walk.end.y_mm - start.y_mm)
    for pose in walk.path[1:-1] if walk.observed and math.hypot(*way) > doubt_mm else ():
        if math.hypot(pose.x_mm - start.x_mm, pose.y_mm - start.y_mm) > doubt_mm:
            yield _judge_direction(asked, walk, "wm-50", (start, pose), way)


def _judge_direction(
    asked: RuleContext, walk: Walk, rule: str, path: Sequence[Pose], way: tuple[float, float]
) -> Finding:
    """Return whether the way from the first to the last pose goes in a direction, within the tolerance.

    A way that may as well be none goes nowhere: that is only noted.
    """
    x, y = path[-1].x_mm - path[0].x_mm, path[-1].y_mm - path[0].y_mm
    gone, tolerance = math.hypot(x, y), math.radians(asked.read_number("direction_tolerance_deg"))
    if gone <= _compute_doubt_mm(walk):
        doubt = walk.say(_compute_doubt_mm(walk), 2)
        said = f"{walk.model.id} stands within {doubt} of where it began, so it goes nowhere"
        return Finding(rule=rule, outcome=Outcome.NOTE, subjects=(walk.model.id,), measured_mm=gone, text=said)
    off = abs(math.atan2(x * way[1] - y * way[0], x * way[0] + y * way[1])) if gone > 0 else 0.0
    held = measure_direction_offset(gone, off, tolerance)
    said = f"{math.degrees(off):.1f}° off {'a straight line' if rule == 'wm-50' else 'directly away'}"

    def text(outcome: Outcome) -> str:
        doubt = ", too close to call" if outcome is Outcome.TOO_CLOSE else ""
        return f"{walk.model.id} goes {said}; {math.degrees(tolerance):g}° are allowed{doubt}"

    return build_finding(
        rule,
        (walk.model.id,),
        measured_mm=held.off_mm,
        limit_mm=held.limit_mm,
        margin_mm=held.margin_mm,
        sigma_mm=combine_sigmas(path[0].sigma_mm, path[-1].sigma_mm),
        witness_mm=((path[0].x_mm, path[0].y_mm), (path[-1].x_mm, path[-1].y_mm)),
        text=text,
    )


def _judge_length(walk: Walk) -> Finding:
    """Return whether the first stand goes as far as an evade must."""
    travel = measure_furthest_displacement([walk.place_base(pose) for pose in walk.path])
    length, least = walk.say(travel.mm, 2), walk.say(_LEAST_MM, 2)

    def text(outcome: Outcome) -> str:
        doubt = ", too close to call" if outcome is Outcome.TOO_CLOSE else ""
        return f"{walk.model.id} evades {length}, at least {least} is asked{doubt}"

    return build_finding(
        "wm-48",
        (walk.model.id,),
        measured_mm=travel.mm,
        limit_mm=_LEAST_MM,
        margin_mm=travel.mm - _LEAST_MM,
        sigma_mm=combine_sigmas(walk.path[0].sigma_mm, walk.end.sigma_mm),
        witness_mm=travel.points,
        text=text,
    )


# -- the same as places


def _restrict_to_direction(asked: RuleContext, walk: Walk, places: BaseGeometry) -> BaseGeometry:
    """Return the places directly away for the stand that goes first: none for one that may not."""
    closest = list_closest_stands(asked)
    named = [each for each in closest if each.stand == walk.model.id]
    if closest and not named:
        return shapely.Polygon()
    if not named or _can_go_anywhere(asked):
        return places
    tolerance_rad, doubt_mm = math.radians(asked.read_number("direction_tolerance_deg")), _compute_doubt_mm(walk)
    nowhere = shapely.intersection(places, shapely.Point(walk.path[0].x_mm, walk.path[0].y_mm).buffer(doubt_mm))
    wedges = [_clip_to_wedge(walk.path[0], each.way, tolerance_rad, places, doubt_mm) for each in named]
    return shapely.union_all([nowhere, *wedges])


def _build_least_way_constraint(walk: Walk) -> FacingConstraint:
    """Return where the first stand goes as far as it must, over facings."""
    return build_least_displacement_constraint(walk.place_base(walk.path[0]), _LEAST_MM + _compute_doubt_mm(walk))


def _compute_doubt_mm(walk: Walk) -> float:
    return DECIDED_SIGMAS * combine_sigmas(walk.path[0].sigma_mm, walk.end.sigma_mm)


def _find_too_near_places(walk: Walk, least_mm: float) -> BaseGeometry:
    """Return the places at which no part of a base is so far from where it started."""
    if least_mm <= 0:
        return shapely.Polygon()
    start, end, base = walk.path[0], walk.end, walk.model.base
    body = np.zeros((1, 2)) if isinstance(base, Round) else np.concatenate(build_rings(base, outside=False))
    moved = turn_points(body, start.facing_rad) - turn_points(body, end.facing_rad) + (start.x_mm, start.y_mm)
    middles = np.unique(moved, axis=0)
    return shapely.intersection_all(
        [circumscribe(ConvexSet(corners_mm=middle[None], radius_mm=least_mm), _DRAWN_MM) for middle in middles]
    )


def _clip_to_wedge(
    start: Pose, way: Point, tolerance_rad: float, places: BaseGeometry, inside_mm: float
) -> BaseGeometry:
    """Return the part of some places within a tolerance of a direction, so far inside of both of its edges."""
    middle, reach = math.atan2(way[1], way[0]), 2 * _bound_reach_mm(places, start)
    for side in (1, -1):
        bearing = middle + side * tolerance_rad
        along = np.array((math.cos(bearing), math.sin(bearing)))
        inward = side * np.array((along[1], -along[0]))
        edge = np.array((start.x_mm, start.y_mm)) + inside_mm * inward
        half = (edge - reach * along, edge + reach * along)
        corners = (*half, half[1] + reach * inward, half[0] + reach * inward)
        places = shapely.intersection(places, shapely.Polygon(corners))
    return places


def _bound_reach_mm(places: BaseGeometry, start: Pose) -> float:
    """Return a distance from the start beyond which there is none of some places."""
    if places.is_empty:
        return 1.0
    left, low, right, high = places.bounds
    across = max(right, start.x_mm) - min(left, start.x_mm), max(high, start.y_mm) - min(low, start.y_mm)
    return math.hypot(*across) + 1.0


_AWAY_MM = 50.0


def constrain_evade(asked: RuleContext) -> Iterator[Constraint]:
    """Yield what is asked of an evade besides its length, its ground and its formation."""
    fighting = find_engaged_units(asked)
    yield forbid_stands(asked, "wm-53", are_foes)
    yield forbid_stands(asked, "wm-53", restrict_to_units(is_comrade, fighting))
    yield forbid_ending_on_top("wm-55", exclude_units(is_comrade, fighting), math.inf)
    for party in (are_foes, restrict_to_units(is_other_unit, fighting)):
        yield KeepOut(
            rule="wm-54",
            parties=party,
            range_mm=_AWAY_MM,
            vertical_mm=math.inf,
            on_the_way=False,
            name="evading distance",
        )
    yield FirstEvader(asked=asked)


def list_confusion_effects(moved: CompletedMove) -> Iterator[Effect]:
    """Yield the friendly units that the evaders burst through."""
    fighting = find_engaged_units(moved.asked)
    rule = KeepOut(
        rule="wm-55",
        parties=exclude_units(is_comrade, fighting),
        range_mm=0.0,
        vertical_mm=math.inf,
        on_the_way=True,
        name="across",
    )
    met = {unit for walk in moved.walks for unit in _list_overlapped_units(rule, walk)}
    for unit in moved.asked.state.units:
        if unit.id in met:
            yield Effect(rule="wm-55", subjects=(unit.id,), effect="confused")


def _list_overlapped_units(rule: KeepOut, walk: Walk) -> Iterator[str]:
    legs = walk.list_legs(on_the_way=True) if walk.observed else ((walk.path[0], walk.end),)
    for leg, place in list_near_models(rule, walk, legs):
        thing = build_approach_target(rule, walk.scene.models[place], walk.scene.poses[place])
        if any(near.gap.mm < -ROUNDING_MM for near in measure_approaches(walk, leg, thing)):
            yield walk.scene.state.units[walk.scene.owners[place]].id
