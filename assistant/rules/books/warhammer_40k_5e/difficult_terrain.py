"""Difficult terrain and random moves: half the roll, rounded up, for the whole unit that one model slows."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

import shapely
from shapely.geometry.base import BaseGeometry

from assistant.game.state import Terrain
from assistant.geometry.clearance.shape_clearance import clearance, least_clearance
from assistant.geometry.shapes.convex import outer_radius_mm
from assistant.rules.books.warhammer_40k_5e.common import MM, compute_move_mm
from assistant.rules.constraints.allowance import Allowance, check_unseen_length, measure_shortest_mm
from assistant.rules.constraints.base import Constraint, ConstraintSet
from assistant.rules.constraints.custom import CustomConstraint
from assistant.rules.constraints.forbidden_terrain import ForbiddenTerrain
from assistant.rules.context import RuleContext
from assistant.rules.engine.end_region import find_end_places
from assistant.rules.engine.reachability import find_reachable_places
from assistant.rules.engine.terrain import Level, build_outline, find_terrain_on_path
from assistant.rules.engine.walk import Walk
from assistant.rules.presets import limit_centre_way
from assistant.rules.selectors import has_trait
from assistant.rules.verdict import DECIDED_SIGMAS, ROUNDING_MM, Finding, Outcome, combine_sigmas

DIFFICULT = has_trait("difficult")
_SHUT = ForbiddenTerrain(rule="5e-15", terrain=DIFFICULT, on_the_way=True)
_FREE = {Outcome.LEGAL, Outcome.UNOBSERVED}


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomMoveLengths:
    """How far a random move goes, as it is rolled and where it is slowed."""

    full: Allowance
    half: Allowance


def compute_lengths(asked: RuleContext) -> RandomMoveLengths:
    """Return how far the dice let a unit go."""
    base_mm, roll = 0.0 if asked.intent.get("instead", False) else compute_move_mm(asked), sum(asked.rolls)
    return RandomMoveLengths(
        full=limit_centre_way("5e-14", round(base_mm + roll * MM, 9)),
        half=limit_centre_way("5e-15", round(base_mm + math.ceil(roll / 2) * MM, 9)),
    )


def list_walks(asked: RuleContext) -> Iterator[Walk]:
    """Yield the unit's moves one after the other, each with the others where they stand by then."""
    scene = asked.scene
    for model, path in (asked.paths or {}).items():
        yield replace(asked, scene=scene).build_walk(asked.state.find_model(model), *path, observed=asked.observed)
        scene = scene.move_model(model, path[-1])


# -- whether a base comes over terrain


def measure_depth_mm(walk: Walk, terrain: Terrain, *, ends: bool = False) -> float:
    """Return how deep a base comes into an outline on a path that was seen, or at its ends; negative outside."""
    placed, outline = [walk.place_base(pose) for pose in walk.path], build_outline(terrain)
    if ends or len(placed) == 1:
        return -min(clearance(at, outline).mm for at in (placed[0], placed[-1]))
    return -min(least_clearance(a, b, outline).clearance.mm for a, b in pairwise(placed))


def crosses_terrain(walk: Walk, terrain: Terrain, going: Sequence[Constraint], limit: Allowance) -> bool:
    """Whether a base comes over terrain on its way; on one that nobody saw, whether it must have."""
    if walk.observed:
        return bool(find_terrain_on_path(walk, [terrain])) and measure_depth_mm(walk, terrain) > ROUNDING_MM
    if not _is_in_reach(walk, terrain, limit.limit_mm):
        return False
    if measure_depth_mm(walk, terrain, ends=True) > ROUNDING_MM:
        return True
    shut = ForbiddenTerrain(rule="", terrain=lambda other: other.id == terrain.id, on_the_way=True)
    around = ConstraintSet((*going, shut))
    return _is_too_far(limit, around, walk) and not _is_too_far(limit, ConstraintSet(going), walk)


def _is_too_far(limit: Allowance, constraints: ConstraintSet, walk: Walk) -> bool:
    return check_unseen_length(limit, constraints, walk, measured=False).outcome is Outcome.ILLEGAL


def _is_in_reach(walk: Walk, terrain: Terrain, limit_mm: float) -> bool:
    """Whether some way of a length between the ends of a path may come over terrain."""
    outline = shapely.Polygon(terrain.outline_mm)
    aside = sum(outline.distance(shapely.Point(at.x_mm, at.y_mm)) for at in (walk.path[0], walk.end))
    doubt = DECIDED_SIGMAS * combine_sigmas(walk.path[0].sigma_mm, walk.end.sigma_mm)
    return aside - 2 * outer_radius_mm(walk.model.base) <= limit_mm + doubt


def _has_entered(walk: Walk, *, ends: bool) -> bool | None:
    """Return whether a base came into difficult terrain, or at its ends; None within error."""
    doubt = DECIDED_SIGMAS * max(pose.sigma_mm for pose in walk.path)
    depths = [
        measure_depth_mm(walk, terrain, ends=ends)
        for terrain in find_terrain_on_path(walk, _list_difficult_terrain(walk))
    ]
    deepest = max(depths, default=-math.inf)
    return True if deepest > max(doubt, ROUNDING_MM) else None if doubt > 0 and deepest >= -doubt else False


def _list_difficult_terrain(walk: Walk) -> Iterable[Terrain]:
    return filter(DIFFICULT, walk.state.terrain)


# -- how far it goes


def constrain_length(asked: RuleContext, going: Sequence[Constraint], slow: bool | None) -> Iterator[Constraint]:
    """Yield how far the models of a move that is judged may go, if the unit was slowed or not."""
    both = compute_lengths(asked)
    if slow is not None and (asked.observed or not any(map(DIFFICULT, asked.state.terrain))):
        yield both.half if slow else both.full
        return
    unslowed, slowed = _build_measure(both.full, (*going, _SHUT)), _build_measure(both.half, going)
    yield CustomConstraint(
        findings=slowed if slow else unslowed if slow is False else partial(_judge_either_length, unslowed, slowed)
    )


_Measure = Callable[[Walk], Iterable[Finding]]


def _build_measure(limit: Allowance, going: Sequence[Constraint]) -> _Measure:
    rules = ConstraintSet(going)
    return lambda walk: limit.check(walk, rules)


def _judge_either_length(unslowed: _Measure, slowed: _Measure, walk: Walk) -> Iterator[Finding]:
    """Yield what the length comes to where it is too close to call whether the unit was slowed."""
    (full,), (half,) = unslowed(walk), slowed(walk)
    if half.outcome is Outcome.LEGAL:
        yield half
    elif half.outcome is full.outcome:
        yield full
    else:
        text = f"{half.text} if difficult terrain slowed it, which is too close to call"
        yield replace(half, outcome=Outcome.TOO_CLOSE, margin_mm=None, sigma_mm=None, p_legal=None, text=text)


def is_slowed(asked: RuleContext, going: Sequence[Constraint]) -> bool | None:
    """Return whether any model of a move slows its unit; None within error.

    Of a way that nobody saw: not where a legal one clear of difficult terrain is short enough.
    """
    judged = [
        _has_entered(walk, ends=False) if asked.observed else _had_to_enter(walk, going, compute_lengths(asked).full)
        for walk in list_walks(asked)
        if any(
            _is_in_reach(walk, terrain, compute_lengths(asked).full.limit_mm)
            for terrain in _list_difficult_terrain(walk)
        )
        or asked.observed
    ]
    return True if True in judged else None if None in judged else False


def _had_to_enter(walk: Walk, going: Sequence[Constraint], full: Allowance) -> bool | None:
    entered = _has_entered(replace(walk, observed=True), ends=True)
    if entered:
        return True
    shut = ConstraintSet((*going, _SHUT))
    outcome = check_unseen_length(full, shut, walk, measured=False).outcome
    if outcome is not Outcome.ILLEGAL:
        return None if entered is None or outcome not in _FREE else False
    anyhow_mm = measure_shortest_mm(ConstraintSet(going), walk)
    if anyhow_mm is None:
        return False
    # Where the terrain makes no way longer it slows nobody: the place is too far away.
    return measure_shortest_mm(shut, walk, limit_mm=anyhow_mm) is None


# -- where it may end


def list_zone_ways(
    asked: RuleContext, going: Sequence[Constraint]
) -> Iterator[tuple[Allowance, tuple[Constraint, ...]]]:
    """Yield how far one model may go and what else holds: as rolled and clear of difficult terrain, or slowed."""
    both = compute_lengths(asked)
    if not any(map(DIFFICULT, asked.state.terrain)):
        yield both.full, tuple(going)
        return
    clear = CustomConstraint(places=_keep_places_if_clear, at_some_facing=_keep_places_if_clear)
    yield both.full, (*going, _SHUT, clear)
    yield both.half, tuple(going)


def _keep_places_if_clear(walk: Walk, places: BaseGeometry, _: float) -> BaseGeometry:
    """Return some places for a model that surely does not start in difficult terrain, none for another."""
    start = replace(walk, path=walk.path[:1])
    return places if _has_entered(start, ends=True) is False else shapely.Polygon()


def exclude_quicker_places(quicker: Sequence[Constraint]) -> CustomConstraint:
    """Return that a model does not come where it can on a way that other constraints hold of."""
    rules = ConstraintSet(quicker)
    limit = rules.find_way_limit()
    assert limit is not None, "the quicker way is so long"

    def others(walk: Walk, places: BaseGeometry, spare_mm: float) -> BaseGeometry:
        level = Level(z_mm=walk.end.z_mm, top_of=None)
        reached_so = find_end_places(find_reachable_places(rules, walk, limit.limit_mm), rules, walk, level)
        return places if spare_mm > 0 else shapely.difference(places, reached_so)

    return CustomConstraint(places=others)
