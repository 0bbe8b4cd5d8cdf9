"""Keep-outs: how near a model comes to others, and whether it is engaged with one."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import ClassVar

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

from assistant.game.state import Model, Pose, Unit
from assistant.geometry.clearance.shape_clearance import Clearance, clearance, turn_rad
from assistant.geometry.motion.contact import ProximityZone
from assistant.geometry.shapes.base_shapes import PlacedShape, Round
from assistant.geometry.shapes.convex import Array, decompose_placed, outer_radius_mm
from assistant.geometry.shapes.polygons import circumscribe
from assistant.rules.constraints.base import BlockedEnd, BlockedWay, Constraint, ConstraintSet, Passage, UnitMove
from assistant.rules.context import RuleContext
from assistant.rules.engine.approach import ApproachTarget, NearestApproach, measure_approaches, measure_start_within_mm
from assistant.rules.engine.situation_index import Gaps, Ints, SituationIndex
from assistant.rules.engine.terrain import Level
from assistant.rules.engine.walk import Leg, Walk
from assistant.rules.lengths import format_apart, format_contact
from assistant.rules.selectors import UnitSelector, is_any_model
from assistant.rules.verdict import (
    DECIDED_SIGMAS,
    ROUNDING_MM,
    TIED_MM,
    Finding,
    Outcome,
    build_finding,
    combine_sigmas,
    find_gravest,
)

_MOST_BOUNDS = 4
"""Of ways in one scene: a rule asks of the way, of its end or of its start, and then the next one does."""
_DRAWN_MM = 0.02
"""How far a drawn outline may lie around what it stands for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepOut(Constraint):
    """No nearer to certain models than a range."""

    rule: str
    parties: UnitSelector
    range_mm: float
    vertical_mm: float
    """Models whose heights differ by more than this do not count."""
    on_the_way: bool
    """Holds all along the path, else only where it ends."""
    name: str
    """What the range is called; for a range of 0 what is done to the other model, as `moves across`."""
    everyone: bool = False
    """Holds for the models of the unit that do not move, too."""
    among: Callable[[str], bool] = is_any_model
    """Which of those models it is about, by id."""
    at_limit: bool = True
    """Exactly at the range is allowed."""
    leaving: bool = False
    """One who starts within the range may leave it, and may come no nearer; to end on top of another is forbidden."""
    fixed: frozenset[str] | None = None
    """Of the models of the mover's unit it is about these, and those that have moved before; None for about all."""
    settled: bool = False
    """Asked of each model that moved once all have: it may have ended where another one has left since."""
    unless_ending: bool = False
    """Not asked about a model that the way ends, or may end, within range of."""

    stands_by_itself: ClassVar[bool] = True

    def check(self, walk: Walk, _rules: ConstraintSet, /) -> Iterator[Finding]:
        """Yield what one model's move comes to, unless that is asked once all have moved."""
        if not self.settled:
            yield from self._check_move(walk)

    def check_unmoved(self, walk: Walk, /) -> Iterator[Finding]:
        """Yield what a model that stays comes to, where it holds for these."""
        if self.everyone:
            yield from self._check_move(walk)

    def check_unit(self, move: UnitMove, /) -> Iterator[Finding]:
        """Yield what the models that moved come to where they stand now, where that is asked then."""
        for model_id, path in move.paths.items() if self.settled else ():
            model = move.asked.state.find_model(model_id)
            yield from self._check_move(move.asked.build_walk(model, path[-1], observed=True))

    def _check_move(self, walk: Walk) -> Iterator[Finding]:
        gravest = check_keep_out(self, walk)
        if gravest is not None:
            yield gravest

    def check_standing(
        self,
        _unit: Unit,
        walks: Sequence[Walk],
        gaps: Gaps,
        /,
        *,
        everything: bool,
    ) -> Iterator[Finding]:
        """Yield the gravest of what is near each model, every pair once."""
        for walk in walks:
            within_mm = math.inf if everything else self.range_mm + walk.scene.doubt_mm
            if gaps.nearest_mm[0][walk.scene.index[walk.model.id]] > within_mm:
                continue
            gravest = find_gravest(_sort_by_place(walk, _check_pairs(self, walk, gaps, within_mm)))
            if gravest is not None:
                yield gravest

    @property
    def standing_reach_mm(self) -> float:
        """How near to each other two standing models are for it to ask about both: its range."""
        return self.range_mm

    def holds_on_leg(self, *, seen: bool) -> bool:  # noqa: ARG002  # of either
        """Return whether it holds all along a path."""
        return self.on_the_way

    def block_way(self, passage: Passage, /) -> BlockedWay | None:
        """Return the models of which it is known that the way passes them, from the heights of its ends."""
        if not self.on_the_way:
            return None
        walk, scene, (start, end) = passage.walk, passage.walk.scene, passage.ends
        others = select_others(self, walk)
        if self.unless_ending:
            others = others[~_find_ended_at(self, walk, end, others)]
        range_mm = self.range_mm + passage.sigmas * scene.sigmas_mm[others]
        if self.leaving and self.range_mm > 0:
            range_mm = np.clip(reduce_ranges_at_start(self, walk, others, range_mm), 0.0, range_mm)
        heights = scene.places_mm[others, 2]
        rises = np.maximum(np.abs(heights - start.z_mm), np.abs(heights - end.z_mm))
        met = (rises <= self.vertical_mm) & (passage.floors_mm[others] - range_mm < passage.within_mm)
        return BlockedWay(models=(others[met], range_mm[met]))

    def block_end(self, walk: Walk, _level: Level, bounds: shapely.Polygon, /) -> BlockedEnd:
        """Return the models within reach at that height."""
        scene, pose, reach = walk.scene, walk.end, outer_radius_mm(walk.model.base)
        others = select_others(self, walk)
        range_mm = self.range_mm + DECIDED_SIGMAS * np.hypot(pose.sigma_mm, scene.sigmas_mm[others])
        if self.leaving and self.range_mm > 0:
            range_mm = reduce_ranges_at_start(self, walk, others, range_mm)
        near = _measure_outside_mm(bounds, scene.places_mm[others]) <= range_mm + reach + scene.radii_mm[others]
        near &= np.abs(pose.z_mm - scene.places_mm[others, 2]) <= self.vertical_mm
        return BlockedEnd(models=(others[near], range_mm[near]))

    def find_mate_range_mm(self, walk: Walk, /) -> float:
        """Return its range, if it is about models of the same unit where a way ends and nowhere else."""
        if self.everyone:
            return math.inf
        if not self.parties(walk.unit, walk.unit):
            return -math.inf
        return math.inf if self.on_the_way else self.range_mm + walk.scene.doubt_mm

    def list_contact_zones(self, walk: Walk, /, *, on_the_way: bool) -> Iterator[ProximityZone]:
        """Yield the models that it is about, of those that a path may come to."""
        scene, others = walk.scene, select_others(self, walk)
        if self.on_the_way != on_the_way:
            return
        xs, ys = zip(*((pose.x_mm, pose.y_mm) for pose in walk.path), strict=True)
        away_mm = _measure_outside_mm(shapely.box(min(xs), min(ys), max(xs), max(ys)), scene.places_mm[others])
        reach_mm = self.range_mm + outer_radius_mm(walk.model.base) + scene.radii_mm[others]
        for place in others[away_mm <= reach_mm + ROUNDING_MM].tolist():
            thing = build_approach_target(self, scene.models[place], scene.poses[place])
            yield ProximityZone(other=thing.placed, range_mm=self.range_mm, heights_mm=thing.heights_mm)

    def drop_unit_parts(self) -> "KeepOut":
        """Return it for the model that moves alone."""
        return replace(self, everyone=False)


def check_clear_of_enemies(rule: KeepOut, asked: RuleContext) -> Finding:
    """Return whether a unit is outside a range of all enemies; at exactly the range it is not.

    The finding is legal when it is outside.
    """
    found = find_gravest(find_engagements(rule, asked.scene, asked.unit))
    if found is not None:
        return found
    text = f"{asked.unit.id} is outside {rule.name} of every enemy"
    return Finding(rule=rule.rule, outcome=Outcome.LEGAL, subjects=(asked.unit.id,), text=text)


def find_engagements(
    rule: KeepOut, scene: SituationIndex, unit: Unit, models: Iterable[str] | None = None
) -> Iterator[Finding]:
    """Yield a finding for each enemy that a model of the unit is, or may be, within range of.

    Args:
        rule: the range.
        scene: where everybody stands.
        unit: the unit.
        models: the models of the unit that are asked about; None for all.

    """
    asked = (model.id for model in unit.models) if models is None else models
    mine = np.array([scene.index[model] for model in asked if model in scene.index], dtype=np.intp)
    theirs = scene.select_party(rule.parties, unit, "", rule.among)
    apart = np.abs(scene.places_mm[mine, None] - scene.places_mm[theirs])
    floors = np.hypot(apart[..., 0], apart[..., 1]) - scene.radii_mm[mine, None] - scene.radii_mm[theirs]
    reach = rule.range_mm + DECIDED_SIGMAS * np.hypot(scene.sigmas_mm[mine, None], scene.sigmas_mm[theirs])
    for i, j in np.argwhere((floors <= reach) & (apart[..., 2] <= rule.vertical_mm)).tolist():
        one, two = int(mine[i]), int(theirs[j])
        gap = clearance(scene.models[one].place_base(), scene.models[two].place_base())
        found = check_engagement(rule, scene, (one, two), gap)
        if found.outcome is not Outcome.LEGAL:
            yield found


def check_engagement(rule: KeepOut, scene: SituationIndex, pair: tuple[int, int], gap: Clearance) -> Finding:
    """Return whether the first of two models is outside a range of the second; at exactly the range it is not."""
    mover, other = (scene.models[place].id for place in pair)
    return build_finding(
        rule.rule,
        (mover, other),
        measured_mm=gap.mm,
        limit_mm=rule.range_mm,
        margin_mm=gap.mm - rule.range_mm,
        sigma_mm=combine_sigmas(*(scene.poses[place].sigma_mm for place in pair)),
        witness_mm=(gap.near, gap.far),
        text=partial(_describe_engagement, rule, mover, other, gap.mm),
        at_limit=False,
    )


def _describe_engagement(rule: KeepOut, mover: str, other: str, mm: float, outcome: Outcome) -> str:
    doubt = ", too close to call" if outcome is Outcome.TOO_CLOSE else ""
    if rule.at_limit:
        return f"{mover} is within {rule.name} of {other}{doubt}"
    return f"{mover} is in {rule.name} with {other}{format_contact(mm, rule.range_mm)}{doubt}"


def _check_pairs(rule: KeepOut, walk: Walk, gaps: Gaps, within_mm: float) -> Iterator[Finding]:
    """Yield findings on a model and those within a distance that come after it: so a pair is named once."""
    scene, place = walk.scene, walk.scene.index[walk.model.id]
    alone = True
    for mm, other, pair in gaps.list_near(place):
        if mm > within_mm:
            return
        at = scene.poses[other]
        sigma = combine_sigmas(walk.end.sigma_mm, at.sigma_mm)
        if (
            other > place
            and (alone or mm <= rule.range_mm + DECIDED_SIGMAS * sigma)
            and rule.parties(walk.unit, scene.state.units[scene.owners[other]])
            and rule.among(scene.models[other].id)
            and abs(walk.end.z_mm - at.z_mm) <= rule.vertical_mm
        ):
            alone = False
            near = NearestApproach(
                gap=gaps.clearance(mm, pair), margin_mm=mm - rule.range_mm, sigma_mm=sigma, verb="stands"
            )
            yield build_keep_out_finding(rule, walk, scene.models[other], near)


def _find_ended_at(rule: KeepOut, walk: Walk, end: Pose, others: Ints) -> NDArray[np.bool_]:
    """Return which of some models a way ends within a rule's range of."""
    to = replace(walk, path=(end,))
    things = [
        build_approach_target(rule, walk.scene.models[place], walk.scene.poses[place]) for place in others.tolist()
    ]
    return np.array([ends_within(to, thing) for thing in things], dtype=bool)


def _measure_outside_mm(box: shapely.Polygon, places_mm: Array) -> Array:
    """Return how far places are outside of an upright box."""
    left, near, right, far = box.bounds
    x, y = places_mm[:, 0], places_mm[:, 1]
    away: Array = np.hypot(np.maximum(np.maximum(left - x, x - right), 0), np.maximum(np.maximum(near - y, y - far), 0))
    return away


def check_keep_out(rule: KeepOut, walk: Walk, *, name_clear: bool = False) -> Finding | None:
    """Return what a keep-out says of one model's move: the gravest of its findings, None without another party.

    Who is clear of one that is near may be passed over unless it is to be named.
    """
    return find_gravest(_check_nearest_models(rule, walk, name_clear=name_clear))


def _sort_by_place(walk: Walk, found: Iterable[Finding]) -> list[Finding]:
    """Return findings in the order of the situation by the other model, so that of equal ones the same is named."""
    return sorted(found, key=lambda finding: walk.scene.index[finding.subjects[1]])


def _check_nearest_models(rule: KeepOut, walk: Walk, *, name_clear: bool) -> list[Finding]:
    """Return findings on the models that may be nearest, in the order of the situation and of the way.

    Those that cannot be are passed over unmeasured: what may be gravest is measured first.
    """
    scene, legs = walk.scene, walk.list_legs(on_the_way=rule.on_the_way)
    others = select_others(rule, walk)
    if not len(others):
        return []
    floors = _bound_clearances(walk, legs, others)
    sigma_mm = combine_sigmas(max(p.sigma_mm for p in walk.path), float(scene.sigmas_mm[others].max()))
    doubt = walk.detail.measured_sigmas * sigma_mm
    if not walk.everything and floors.min() > rule.range_mm + doubt:
        return []
    _raise_by_sweeps(floors, walk, legs, others, rule.range_mm + doubt)
    least = np.inf if walk.everything else -np.inf  # who is surely clear of all need not be told of whom
    asked_mm = math.inf if walk.everything or name_clear else rule.range_mm + doubt + TIED_MM
    found, aims = list[tuple[tuple[int, int], Finding]](), dict[int, tuple[ApproachTarget, float | None] | None]()
    near = np.argwhere(floors <= max(least, rule.range_mm + doubt))
    for at, index in near[np.argsort(floors[near[:, 0], near[:, 1]], kind="stable")].tolist():
        if floors[at, index] > max(least, rule.range_mm + doubt):
            break
        place = int(others[index])
        if place not in aims:
            aims[place] = _aim_at(rule, walk, place)
        aim = aims[place]
        for approach in measure_approaches(walk, legs[at], *aim, asked_mm) if aim is not None else ():
            least = min(least, approach.gap.mm)
            finding = build_keep_out_finding(rule, walk, scene.models[place], approach)
            if finding.outcome is Outcome.ILLEGAL:
                asked_mm = min(asked_mm, approach.margin_mm + rule.range_mm + TIED_MM)
            found.append(((place, at), finding))
    return [finding for _, finding in sorted(found, key=lambda entry: entry[0])]


def _aim_at(rule: KeepOut, walk: Walk, place: int) -> tuple[ApproachTarget, float | None] | None:
    """Return another model as what is approached, and how near to it a way started within range; None if not asked."""
    thing = build_approach_target(rule, walk.scene.models[place], walk.scene.poses[place])
    if rule.unless_ending and ends_within(walk, thing):
        return None
    return thing, measure_start_within_mm(walk, thing) if rule.leaving else None


def list_near_models(rule: KeepOut, walk: Walk, legs: tuple[Leg, ...]) -> Iterator[tuple[Leg, int]]:
    """Yield legs, and the places of models that may come within range on each."""
    others = select_others(rule, walk)
    if len(others):
        floors = _bound_clearances(walk, legs, others)
        _raise_by_sweeps(floors, walk, legs, others, rule.range_mm)
        yield from ((legs[leg], int(others[index])) for leg, index in np.argwhere(floors <= rule.range_mm).tolist())


def select_others(rule: KeepOut, walk: Walk) -> Ints:
    """Return the places of the models that a rule is about as one of a unit moves."""
    scene = walk.scene
    found = scene.select_party(rule.parties, walk.unit, walk.model.id, rule.among)
    if rule.fixed is None:
        return found
    passed = {model.id for model in walk.unit.models} - rule.fixed - walk.moved
    return np.array([place for place in found.tolist() if scene.models[place].id not in passed], dtype=np.intp)


def build_approach_target(rule: KeepOut, other: Model, at: Pose) -> ApproachTarget:
    """Return another model as something to keep away from."""
    return ApproachTarget(
        placed=other.place_base(at),
        range_mm=rule.range_mm,
        heights_mm=(at.z_mm - rule.vertical_mm, at.z_mm + rule.vertical_mm),
        sigma_mm=at.sigma_mm,
    )


def reduce_ranges_at_start(rule: KeepOut, walk: Walk, others: Ints, range_mm: Array) -> Array:
    """Return ranges, less for a model that the walk starts within range of: it may stay as near as it stood."""
    scene, start = walk.scene, walk.path[0]
    near = _bound_clearances(walk, ((start, start),), others)[0] <= rule.range_mm + DECIDED_SIGMAS * np.hypot(
        start.sigma_mm, scene.sigmas_mm[others]
    )
    left = np.array(range_mm)
    for index in np.flatnonzero(near).tolist():
        place = int(others[index])
        mm = measure_start_within_mm(walk, build_approach_target(rule, scene.models[place], scene.poses[place]))
        left[index] = range_mm[index] if mm is None else mm
    return left


def ends_within(walk: Walk, thing: ApproachTarget) -> bool:
    """Return whether a way ends, or may end, within the range of something."""
    low, high = thing.heights_mm
    doubt = DECIDED_SIGMAS * combine_sigmas(walk.end.sigma_mm, thing.sigma_mm)
    near = clearance(walk.place_base(walk.end), thing.placed).mm <= thing.range_mm + doubt + ROUNDING_MM
    return near and low <= walk.end.z_mm <= high


def _bound_clearances(walk: Walk, legs: tuple[Leg, ...], others: Ints) -> Array:
    """Return lower bounds of the clearances, legs by others, from the discs around the bases."""
    known, key = walk.scene.bounds_mm, (walk.model.base, legs)
    bounds = known.get(key)
    if bounds is None:
        if len(known) >= _MOST_BOUNDS:  # ways that nobody saw have many legs
            known.clear()
        bounds = known[key] = _bound_all_clearances(walk, legs)
    return bounds.take(others, axis=1)


def _bound_all_clearances(walk: Walk, legs: tuple[Leg, ...]) -> Array:
    """Return lower bounds of the clearances from all models: several rules ask about each way."""
    scene = walk.scene
    ends = np.array([(a.x_mm, a.y_mm, b.x_mm - a.x_mm, b.y_mm - a.y_mm) for a, b in legs])[:, None]
    offset, along = scene.places_mm[:, :2] - ends[..., :2], ends[..., 2:]
    squared = (along**2).sum(axis=2)
    share = np.divide((offset * along).sum(axis=2), squared, out=np.zeros(offset.shape[:2]), where=squared > 0)
    away = offset - np.clip(share, 0.0, 1.0)[..., None] * along
    floors: Array = np.hypot(away[..., 0], away[..., 1]) - scene.radii_mm - outer_radius_mm(walk.model.base)
    return floors


def _raise_by_sweeps(floors: Array, walk: Walk, legs: tuple[Leg, ...], others: Ints, range_mm: float) -> None:
    """Raise lower bounds of clearances that are within a range, legs by others, to those of what a base sweeps.

    On a leg each point of a base strays from the straight line between its ends by no more than its part of the turn
    bulges, so the base lies in the hull around both of its places, grown by that.
    """
    if isinstance(walk.model.base, Round):
        return  # its disc is the bound already
    radius_mm = outer_radius_mm(walk.model.base)
    for index, (start, end) in enumerate(legs):
        near = np.flatnonzero(floors[index] <= range_mm)
        if not len(near):
            continue
        placed = walk.place_base(start), walk.place_base(end)
        swept = _draw_hull(*placed)
        outlines = [draw_outline(walk.scene.models[place].place_base()) for place in others[near].tolist()]
        apart_mm = shapely.distance(swept, outlines)
        bulge_mm = radius_mm * (1 - math.cos(turn_rad(*placed) / 2)) + ROUNDING_MM
        raised = np.where(apart_mm > 0, apart_mm - bulge_mm, -np.inf)  # of what overlaps it is not known how deep
        floors[index, near] = np.maximum(floors[index, near], raised)


@lru_cache(maxsize=64)
def _draw_hull(one: PlacedShape, other: PlacedShape) -> BaseGeometry:
    """Return a hull around two places of a base: several rules ask about each leg."""
    return shapely.convex_hull(shapely.geometrycollections([draw_outline(one), draw_outline(other)]))


@lru_cache(maxsize=4096)
def draw_outline(placed: PlacedShape) -> BaseGeometry:
    """Return a polygon around a shape where it stands, no further from it than `_DRAWN_MM`."""
    return shapely.union_all([circumscribe(part, _DRAWN_MM) for part in decompose_placed(placed)])


def build_keep_out_finding(rule: KeepOut, walk: Walk, other: Model, approach: NearestApproach) -> Finding:
    """Return what coming so near to another model comes to."""
    return build_finding(
        rule.rule,
        (walk.model.id, other.id),
        measured_mm=approach.gap.mm,
        limit_mm=rule.range_mm,
        margin_mm=approach.margin_mm,
        sigma_mm=approach.sigma_mm,
        witness_mm=(approach.gap.near, approach.gap.far),
        text=lambda outcome: _describe_keep_out(rule, walk, (approach.verb, other.id), approach.gap.mm, outcome),
        at_limit=rule.at_limit or approach.left,
    )


def _describe_keep_out(rule: KeepOut, walk: Walk, does: tuple[str, str], mm: float, outcome: Outcome) -> str:
    mover, (verb, other) = walk.model.id, does
    if not rule.at_limit:
        match outcome:
            case Outcome.LEGAL:
                return f"{mover} {verb} {walk.say(mm, 2)} from {other}, out of {rule.name}"
            case Outcome.TOO_CLOSE:
                return f"{mover} {verb} so near to {other} that it is too close to call whether they are in {rule.name}"
            case _:
                return f"{mover} {verb} in {rule.name} with {other}{format_contact(mm, rule.range_mm)}"
    if rule.range_mm <= 0:  # below it, models that must touch may overlap by what nobody measures
        touch = "moves across" if rule.on_the_way else f"{verb} on top of"
        match outcome:
            case Outcome.LEGAL:
                return f"{mover} {verb} {walk.say(max(mm, 0.0), 2)} clear of {other}"
            case Outcome.TOO_CLOSE:
                return f"{mover} {verb} so near to {other} that it is too close to call whether it {touch} it"
            case _:
                return f"{mover} {touch} {other} by {walk.say(-mm, 2)}"
    gap, limit = format_apart(walk.say, mm, rule.range_mm)
    where = f"{gap} from {other}" if mm >= 0 else f"on {other}"
    match outcome:
        case Outcome.LEGAL if mm < rule.range_mm - ROUNDING_MM:  # who stands in it may leave it
            return f"{mover} {verb} {where}, no deeper in its {rule.name} of {limit} than where it began"
        case Outcome.LEGAL:
            return f"{mover} {verb} {where}, outside its {rule.name} of {limit}"
        case Outcome.TOO_CLOSE:
            return f"{mover} {verb} {where}, too close to its {rule.name} of {limit} to call"
        case _:
            return f"{mover} {verb} {where}, inside its {rule.name} of {limit}"
