"""Random moves through difficult terrain: half the roll, rounded up, for the whole unit that one model slows."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

import shapely
from shapely.geometry.base import BaseGeometry

from assistant.game.state import Terrain
from assistant.geometry.clearance import clearance, least_clearance
from assistant.geometry.convex import outer_radius_mm
from assistant.rules.books.warhammer_40k_5e.common import MM, move_mm
from assistant.rules.constraints import Allowance, Constraint, Own, Shut
from assistant.rules.ends import ends
from assistant.rules.measure import findings
from assistant.rules.parties import having
from assistant.rules.reached import Level, reached
from assistant.rules.route import unseen_length
from assistant.rules.rulebook import Question
from assistant.rules.ruling import DECIDED_SIGMAS, ROUNDING_MM, together
from assistant.rules.terrain import on_the_way, outline_of
from assistant.rules.usual import by_centre
from assistant.rules.verdict import Finding, Outcome
from assistant.rules.walk import Walk

DIFFICULT = having("difficult")
_SHUT = Shut(rule="5e-15", terrain=DIFFICULT, on_the_way=True)
_FREE = {Outcome.LEGAL, Outcome.UNOBSERVED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Lengths:
    """How far a random move goes, as it is rolled and where it is slowed."""

    full: Allowance
    half: Allowance


def lengths(asked: Question) -> Lengths:
    """Return how far the dice let a unit go."""
    base_mm, roll = 0.0 if asked.intent.get("instead", False) else move_mm(asked), sum(asked.rolls)
    return Lengths(
        full=by_centre("5e-14", round(base_mm + roll * MM, 9)),
        half=by_centre("5e-15", round(base_mm + math.ceil(roll / 2) * MM, 9)),
    )


def walks(asked: Question) -> Iterator[Walk]:
    """Yield the unit's moves one after the other, each with the others where they stand by then."""
    scene = asked.scene
    for model, path in (asked.paths or {}).items():
        yield replace(asked, scene=scene).walk(asked.state.model(model), *path, observed=asked.observed)
        scene = scene.after(model, path[-1])


# -- whether a base comes over terrain


def depth_mm(walk: Walk, terrain: Terrain, *, ends: bool = False) -> float:
    """Return how deep a base comes into an outline on a path that was seen, or at its ends; negative outside."""
    placed, outline = [walk.placed(pose) for pose in walk.path], outline_of(terrain)
    if ends or len(placed) == 1:
        return -min(clearance(at, outline).mm for at in (placed[0], placed[-1]))
    return -min(least_clearance(a, b, outline).clearance.mm for a, b in pairwise(placed))


def crosses(walk: Walk, terrain: Terrain, going: Sequence[Constraint], limit: Allowance) -> bool:
    """Whether a base comes over terrain on its way; on one that nobody saw, whether it must have."""
    if walk.observed:
        return bool(on_the_way(walk, [terrain])) and depth_mm(walk, terrain) > ROUNDING_MM
    if not _in_reach(walk, terrain, limit.limit_mm):
        return False
    if depth_mm(walk, terrain, ends=True) > ROUNDING_MM:
        return True
    around = (*going, Shut(rule="", terrain=lambda other: other.id == terrain.id, on_the_way=True))
    barred = unseen_length(limit, around, walk).outcome is Outcome.ILLEGAL
    return barred and unseen_length(limit, going, walk).outcome is not Outcome.ILLEGAL


def _in_reach(walk: Walk, terrain: Terrain, limit_mm: float) -> bool:
    """Whether some way of a length between the ends of a path may come over terrain."""
    outline = shapely.Polygon(terrain.outline_mm)
    aside = sum(outline.distance(shapely.Point(at.x_mm, at.y_mm)) for at in (walk.path[0], walk.end))
    doubt = DECIDED_SIGMAS * together(walk.path[0].sigma_mm, walk.end.sigma_mm)
    return aside - 2 * outer_radius_mm(walk.model.base) <= limit_mm + doubt


def _entered(walk: Walk, *, ends: bool) -> bool | None:
    """Return whether a base came into difficult terrain, or at its ends; None within error."""
    doubt = DECIDED_SIGMAS * max(pose.sigma_mm for pose in walk.path)
    depths = [depth_mm(walk, terrain, ends=ends) for terrain in on_the_way(walk, _bogs(walk))]
    deepest = max(depths, default=-math.inf)
    return True if deepest > max(doubt, ROUNDING_MM) else None if doubt > 0 and deepest >= -doubt else False


def _bogs(walk: Walk) -> Iterable[Terrain]:
    return filter(DIFFICULT, walk.state.terrain)


# -- how far it goes


def limited(asked: Question, going: Sequence[Constraint], slow: bool | None) -> Iterator[Constraint]:
    """Yield how far the models of a move that is judged may go, if the unit was slowed or not."""
    both = lengths(asked)
    if slow is not None and (asked.observed or not any(map(DIFFICULT, asked.state.terrain))):
        yield both.half if slow else both.full
        return
    unslowed, slowed = _measure(asked, both.full, (*going, _SHUT)), _measure(asked, both.half, going)
    yield Own(findings=slowed if slow else unslowed if slow is False else partial(_either, unslowed, slowed))


_Measure = Callable[[Walk], Iterable[Finding]]


def _measure(asked: Question, limit: Allowance, going: Sequence[Constraint]) -> _Measure:
    if asked.observed:
        return partial(findings, limit)
    return lambda walk: [unseen_length(limit, going, walk)]


def _either(unslowed: _Measure, slowed: _Measure, walk: Walk) -> Iterator[Finding]:
    """Yield what the length comes to where it is too close to call whether the unit was slowed."""
    (full,), (half,) = unslowed(walk), slowed(walk)
    if half.outcome is Outcome.LEGAL:
        yield half
    elif half.outcome is full.outcome:
        yield full
    else:
        text = f"{half.text} if difficult terrain slowed it, which is too close to call"
        yield replace(half, outcome=Outcome.TOO_CLOSE, margin_mm=None, sigma_mm=None, p_legal=None, text=text)


def is_slowed(asked: Question, going: Sequence[Constraint]) -> bool | None:
    """Return whether any model of a move slows its unit; None within error.

    Of a way that nobody saw: not where a legal one clear of difficult terrain is short enough.
    """
    judged = [
        _entered(walk, ends=False) if asked.observed else _had_to_enter(walk, going, lengths(asked).full)
        for walk in walks(asked)
        if any(_in_reach(walk, terrain, lengths(asked).full.limit_mm) for terrain in _bogs(walk)) or asked.observed
    ]
    return True if True in judged else None if None in judged else False


def _had_to_enter(walk: Walk, going: Sequence[Constraint], full: Allowance) -> bool | None:
    entered = _entered(replace(walk, observed=True), ends=True)
    if entered:
        return True
    clear = unseen_length(full, (*going, _SHUT), walk)
    if clear.outcome is not Outcome.ILLEGAL:
        return None if entered is None or clear.outcome not in _FREE else False
    anyhow = unseen_length(full, going, walk)
    if clear.measured_mm is None or anyhow.measured_mm is None:
        return anyhow.measured_mm is not None
    # Where the terrain makes no way longer it slows nobody: the place is too far away.
    return clear.measured_mm > anyhow.measured_mm + ROUNDING_MM


# -- where it may end


def zone_ways(asked: Question, going: Sequence[Constraint]) -> Iterator[tuple[Allowance, tuple[Constraint, ...]]]:
    """Yield how far one model may go and what else holds: as rolled and clear of difficult terrain, or slowed."""
    both = lengths(asked)
    if not any(map(DIFFICULT, asked.state.terrain)):
        yield both.full, tuple(going)
        return
    yield both.full, (*going, _SHUT, Own(places=_starting_clear))
    yield both.half, tuple(going)


def _starting_clear(walk: Walk, places: BaseGeometry, _: float) -> BaseGeometry:
    """Return some places for a model that surely does not start in difficult terrain, none for another."""
    start = replace(walk, path=walk.path[:1])
    return places if _entered(start, ends=True) is False else shapely.Polygon()


def unless(quicker: Sequence[Constraint]) -> Own:
    """Return that a model does not come where it can on a way that other constraints hold of."""
    limit_mm = next(rule.limit_mm for rule in quicker if isinstance(rule, Allowance))

    def others(walk: Walk, places: BaseGeometry, spare_mm: float) -> BaseGeometry:
        level = Level(z_mm=walk.end.z_mm, top_of=None)
        reached_so = ends(reached(quicker, walk, limit_mm), quicker, walk, level)
        return places if spare_mm > 0 else shapely.difference(places, reached_so)

    return Own(places=others)
