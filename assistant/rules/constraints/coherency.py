"""Unit coherency: which models are near enough to each other, and which break it.

Either each model needs so many others near to it, or all models of a unit hang together as one chain by links of two.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, takewhile
from typing import ClassVar

import shapely
from shapely.geometry.base import BaseGeometry

from assistant.game.state import Model, Pose, Unit
from assistant.geometry.clearance.shape_clearance import bound_leg_clearance, clearance
from assistant.geometry.orientation.facing_constraints import Nearness, build_nearness_constraint
from assistant.geometry.orientation.facing_search import FacingConstraint
from assistant.geometry.shapes.polygons import extract_polygons
from assistant.rules.constraints.base import Constraint, UnitMove
from assistant.rules.engine.minkowski_regions import find_places_within
from assistant.rules.engine.situation_index import Gaps, SituationIndex
from assistant.rules.engine.walk import Walk
from assistant.rules.lengths import LengthFormatter, format_apart
from assistant.rules.verdict import (
    DECIDED_SIGMAS,
    ROUNDING_MM,
    Finding,
    Outcome,
    build_finding,
    combine_sigmas,
    decide_outcome,
    find_least,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Coherency(Constraint):
    """Binds the unit as a whole: each model is near enough to so many others of its unit."""

    rule: str
    range_mm: float
    vertical_mm: float
    needed: int = 1
    """How many other models each one must be near to."""
    chain: bool = False
    """All models hang together by links of two that are near enough to each other, however many each one has."""
    offence: Outcome = Outcome.ILLEGAL
    """What being out of it comes to; if that is no offence, it is none either where it is too close to call."""
    broken: str = "out of coherency"
    """What is said of a unit that is out of it."""

    stands_by_itself: ClassVar[bool] = True

    def check_unit(self, move: UnitMove, /) -> Iterator[Finding]:
        """Yield whether the unit is coherent once all have moved."""
        if any(model.pose is not None for model in move.unit.models):
            alone = move.asked.scene.keep_unit(move.unit)
            yield check_coherency(self, move.unit, alone, alone.measure_gaps(self.range_mm), move.asked.say)

    def check_standing(
        self,
        unit: Unit,
        walks: Sequence[Walk],
        gaps: Gaps,
        /,
        *,
        everything: bool,  # noqa: ARG002  # gaps are cut
    ) -> Iterator[Finding]:
        """Yield whether the unit is coherent as it stands."""
        if walks:
            yield check_coherency(self, unit, walks[0].scene, gaps, walks[0].say)

    @property
    def standing_reach_mm(self) -> float:
        """How near to each other two standing models are for it to ask about both: its range."""
        return self.range_mm

    def narrow_end(self, walk: Walk, places: BaseGeometry, /) -> BaseGeometry:
        """Return the places at which the whole unit is coherent, the others standing where they do."""
        return extract_polygons(shapely.intersection(places, find_kept_places(self, walk)))

    def build_facing_constraint(self, walk: Walk, _limit_mm: float | None, /) -> FacingConstraint | None:
        """Return where the unit is coherent at a facing."""
        if self.offence in {Outcome.LEGAL, Outcome.NOTE}:
            return None
        others = _list_others(walk)
        asked = [
            Nearness(
                others=[
                    (model.place_base(at), _find_link_range_mm(self, walk, at))
                    for model, at in others
                    if model.id in group and _may_link(self, walk, at)
                ],
                needed=needed,
            )
            for group, needed in _list_needs(self, others)
        ]
        return build_nearness_constraint(walk.model.base, asked)

    def drop_unit_parts(self) -> None:
        """Leave it aside."""
        return


Groups = tuple[tuple[str, ...], ...]
_Link = tuple[float, int, int, int]
"""Two models of a unit as `Gaps` keeps them: their clearance, their places, and where the measured points are."""


def check_chain(
    rule: Coherency, models: Sequence[str], scene: SituationIndex, gaps: Gaps, say: LengthFormatter
) -> Finding:
    """Return whether a unit's models are one chain; the subjects are those outside its greatest part.

    What is measured is the longest of the links that it takes to join all models by links as short as can be.
    """
    names = {scene.index[model]: model for model in models}
    links = _list_links(rule, names, scene, gaps)
    sure, known = list[tuple[str, str]](), list[tuple[str, str]]()
    within_mm = rule.range_mm + scene.doubt_mm + ROUNDING_MM
    for mm, one, two, _ in takewhile(lambda link: link[0] <= within_mm, links):
        found = decide_outcome(rule.range_mm - mm, _find_sigma_mm(scene, one, two))
        sure += [(names[one], names[two])] if found is Outcome.LEGAL else []
        known += [(names[one], names[two])] if found is not Outcome.ILLEGAL else []
    outcome = (
        Outcome.LEGAL
        if len(find_connected_groups(models, sure)) == 1
        else Outcome.TOO_CLOSE
        if len(find_connected_groups(models, known)) == 1
        else Outcome.ILLEGAL
    )
    longest = _find_longest_link(names, links)
    if longest is None:
        text = f"{', '.join(models)} cannot be linked: they stand at different heights"
        return Finding(
            rule=rule.rule, outcome=Outcome.ILLEGAL, subjects=tuple(models), limit_mm=rule.range_mm, text=text
        )
    mm, one, two, pair = longest
    shorter = [(names[link[1]], names[link[2]]) for link in links if link[0] < mm - ROUNDING_MM]
    holding = {Outcome.LEGAL: shorter, Outcome.TOO_CLOSE: sure, Outcome.ILLEGAL: known}[outcome]
    gap = gaps.clearance(mm, pair)
    return build_finding(
        rule.rule,
        _find_outside(models, find_connected_groups(models, holding)),
        measured_mm=mm,
        limit_mm=rule.range_mm,
        margin_mm=rule.range_mm - mm,
        sigma_mm=_find_sigma_mm(scene, one, two),
        witness_mm=(gap.near, gap.far),
        text=lambda found: _describe_chain(rule, mm, (names[one], names[two]), say, found),
    )


def find_connected_groups(models: Sequence[str], links: Iterable[tuple[str, str]]) -> Groups:
    """Return the parts into which links join models, in the order of the models."""
    part = {model: model for model in models}
    for one, two in links:
        mine, theirs = part[one], part[two]
        if mine != theirs:
            part = {model: mine if of == theirs else of for model, of in part.items()}
    groups: dict[str, list[str]] = {}
    for model in models:
        groups.setdefault(part[model], []).append(model)
    return tuple(map(tuple, groups.values()))


def find_breaking_models(models: Sequence[str], links: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return the models that break a chain: none if links join all of them."""
    parts = find_connected_groups(models, links)
    return _find_outside(models, parts) if len(parts) > 1 else ()


def _find_outside(models: Sequence[str], parts: Groups) -> tuple[str, ...]:
    """Return the models outside the greatest part; all of them if none is the greatest."""
    sizes = sorted((len(part) for part in parts), reverse=True)
    if len(sizes) > 1 and sizes[0] == sizes[1]:
        return tuple(models)
    greatest = max(parts, key=len)
    return tuple(model for model in models if model not in greatest) or tuple(models)


def _list_links(rule: Coherency, places: Collection[int], scene: SituationIndex, gaps: Gaps) -> Sequence[_Link]:
    """Return the pairs of a unit's models that are on one level, as `Gaps` keeps them."""
    heights_mm = {place: scene.poses[place].z_mm for place in places}
    links = gaps.links[scene.owners[next(iter(places))]]
    if max(heights_mm.values()) - min(heights_mm.values()) <= rule.vertical_mm:
        return links
    return [link for link in links if abs(heights_mm[link[1]] - heights_mm[link[2]]) <= rule.vertical_mm]


def _find_sigma_mm(scene: SituationIndex, one: int, two: int) -> float:
    return combine_sigmas(scene.poses[one].sigma_mm, scene.poses[two].sigma_mm)


def _find_longest_link(places: Collection[int], links: Iterable[_Link]) -> _Link | None:
    """Return the longest of the shortest links that join all models, the links being in order; None if none do."""
    part, left = {place: place for place in places}, len(places) - 1
    for link in links:
        mine, theirs = part[link[1]], part[link[2]]
        if mine != theirs:
            part, left = {place: mine if of == theirs else of for place, of in part.items()}, left - 1
            if left == 0:
                return link
    return None


def _describe_chain(rule: Coherency, mm: float, models: tuple[str, str], say: LengthFormatter, outcome: Outcome) -> str:
    length, limit = format_apart(say, max(mm, 0.0), rule.range_mm)
    link = f"the longest link of the chain, from {models[0]} to {models[1]}, is {length}"
    match outcome:
        case Outcome.LEGAL:
            return f"{link}, within {limit}"
        case Outcome.TOO_CLOSE:
            return f"{link}, too near to {limit} to call"
        case _:
            return f"{link}, more than {limit}: {rule.broken}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CoherencyLink:
    """Two models of a unit that are near enough to each other."""

    models: tuple[str, str]
    segment_mm: tuple[tuple[float, float], tuple[float, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class CoherencyLinks:
    """How a unit hangs together."""

    links: tuple[CoherencyLink, ...]
    breaking: tuple[str, ...]
    """Models with too few links, or outside the greatest part of what should be one chain."""


_Neighbour = tuple[float, int, int]
"""Another model as `Gaps` keeps it: its clearance, its place in the scene, and where the measured points are."""


def check_coherency(rule: Coherency, unit: Unit, scene: SituationIndex, gaps: Gaps, say: LengthFormatter) -> Finding:
    """Return whether a unit is coherent as it stands; the subjects are the models that break it, in their order."""
    if rule.chain:
        return _apply_offence(rule, check_chain(rule, _list_standing(unit), scene, gaps, say))
    ranks = _rank_models(rule, unit, scene, gaps)
    assert ranks, "a unit of which a coherency is asked has models on the table"
    gravest = min(rank[0] for rank, _ in ranks.values())
    graves = {model: rank[1] for model, (rank, _) in ranks.items() if rank[0] == gravest}
    worst = list(graves)[find_least(list(graves.values()))]
    found = _check_worst_model(rule, scene, (scene.index[worst], ranks[worst][1]), gaps, say)
    if found.outcome is Outcome.LEGAL:
        return found
    others = [model for model in graves if model != worst]
    more = f"; so {'are' if len(others) > 1 else 'is'} {', '.join(others)}" if others else ""
    return _apply_offence(rule, replace(found, subjects=tuple(graves), text=found.text + more))


def rate_models(rule: Coherency, unit: Unit, scene: SituationIndex, gaps: Gaps) -> dict[str, Outcome]:
    """Return how surely each model of a unit that is on the table is near to as many others as it needs."""
    return {model: _ORDER[rank[0]] for model, (rank, _) in _rank_models(rule, unit, scene, gaps).items()}


def _apply_offence(rule: Coherency, found: Finding) -> Finding:
    """Return a finding as what being out of coherency comes to."""
    if found.outcome is Outcome.LEGAL or rule.offence is Outcome.ILLEGAL:
        return found
    if rule.offence is not Outcome.TOO_CLOSE:
        return replace(found, outcome=rule.offence)
    if found.outcome is Outcome.TOO_CLOSE:
        return found
    text = f"{found.text}, and too close to call whether that is an offence"
    return replace(found, outcome=Outcome.TOO_CLOSE, margin_mm=None, sigma_mm=None, p_legal=None, text=text)


def find_links(rule: Coherency, unit: Unit, scene: SituationIndex) -> CoherencyLinks:
    """Return the links between a unit's models and the models that have too few of them."""
    alone = scene.keep_unit(unit)
    gaps = alone.measure_gaps(rule.range_mm)
    found, few = list[CoherencyLink](), list[str]()
    for place, model in enumerate(alone.models):
        level = [entry for entry in gaps.list_near(place) if _is_level(rule, alone, place, entry[1])]
        near = [entry for entry in level if entry[0] <= rule.range_mm]
        if len(near) < rule.needed and not rule.chain:
            few.append(model.id)
        for mm, other, pair in near:
            if place < other:
                gap = gaps.clearance(mm, pair)
                found.append(CoherencyLink(models=(model.id, alone.models[other].id), segment_mm=(gap.near, gap.far)))
    if rule.chain:
        return CoherencyLinks(
            links=tuple(found), breaking=find_breaking_models(_list_standing(unit), (link.models for link in found))
        )
    return CoherencyLinks(links=tuple(found), breaking=tuple(few))


def _list_standing(unit: Unit) -> list[str]:
    return [model.id for model in unit.models if model.pose is not None]


def _is_level(rule: Coherency, scene: SituationIndex, one: int, other: int) -> bool:
    return abs(scene.poses[other].z_mm - scene.poses[one].z_mm) <= rule.vertical_mm


def _find_last_needed(rule: Coherency, unit: Unit, scene: SituationIndex, gaps: Gaps) -> list[_Neighbour | None]:
    """Return for each model of a unit the last of the nearest others of the unit that it needs, at its height."""
    found: list[_Neighbour | None] = []
    for model in _list_standing(unit):
        place, left, last = scene.index[model], rule.needed, None
        owner = scene.owners[place]
        for entry in gaps.list_near(place):
            if scene.owners[entry[1]] == owner and _is_level(rule, scene, place, entry[1]):
                left -= 1
                if left == 0:
                    last = entry
                    break
        found.append(last)
    return found


def _rank_models(
    rule: Coherency, unit: Unit, scene: SituationIndex, gaps: Gaps
) -> dict[str, tuple[tuple[int, float], _Neighbour | None]]:
    """Return how grave each model's place is, and the last of the others that it needs, by id."""
    last = _find_last_needed(rule, unit, scene, gaps)
    standing = zip(_list_standing(unit), last, strict=True)
    return {model: (_rank_place(rule, scene, scene.index[model], other), other) for model, other in standing}


def _rank_place(rule: Coherency, scene: SituationIndex, place: int, last: _Neighbour | None) -> tuple[int, float]:
    """Return how grave it is that a model is as far from the others as it is: less is graver."""
    if last is None:
        return 0, -math.inf
    margin = rule.range_mm - last[0]
    outcome = decide_outcome(margin, combine_sigmas(scene.poses[place].sigma_mm, scene.poses[last[1]].sigma_mm))
    return _ORDER.index(outcome), margin


_ORDER = list(Outcome)


def _check_worst_model(
    rule: Coherency, scene: SituationIndex, found: tuple[int, _Neighbour | None], gaps: Gaps, say: LengthFormatter
) -> Finding:
    """Return what the clearance to the last model that one model needs comes to."""
    place, last = found
    model, pose = scene.models[place].id, scene.poses[place]
    if last is None:
        alone = f"{model} has no {_name_rank(rule)} model of its unit at its height"
        return Finding(rule=rule.rule, outcome=Outcome.ILLEGAL, subjects=(model,), limit_mm=rule.range_mm, text=alone)
    mm, at, pair = last
    other, gap = scene.models[at].id, gaps.clearance(mm, pair)
    length, limit = format_apart(say, max(mm, 0.0), rule.range_mm)

    def text(outcome: Outcome) -> str:
        apart_from = f"{model} is {length} from {other}, the {_name_rank(rule)} model of its unit"
        match outcome:
            case Outcome.LEGAL:
                return f"{apart_from}, within {limit}"
            case Outcome.TOO_CLOSE:
                return f"{apart_from}, too near to {limit} to call"
            case _:
                return f"{apart_from}, more than {limit}: {rule.broken}"

    return build_finding(
        rule.rule,
        (model,),
        measured_mm=mm,
        limit_mm=rule.range_mm,
        margin_mm=rule.range_mm - mm,
        sigma_mm=combine_sigmas(pose.sigma_mm, scene.poses[at].sigma_mm),
        witness_mm=(gap.near, gap.far),
        text=text,
    )


def _name_rank(rule: Coherency) -> str:
    return {1: "nearest", 2: "second nearest"}.get(rule.needed, f"{rule.needed}th nearest")


# -- where it is kept


def find_kept_places(rule: Coherency, walk: Walk) -> BaseGeometry:
    """Return the places where a base, as it is turned at its end, keeps its unit from an offence beyond doubt."""
    if rule.offence in {Outcome.LEGAL, Outcome.NOTE}:
        return shapely.box(0.0, 0.0, walk.state.table.width_mm, walk.state.table.depth_mm)
    return _find_coherent_places(rule, walk)


def find_linked_places(rule: Coherency, walk: Walk) -> BaseGeometry:
    """Return the places where a base, as it is turned at its end, is beyond doubt near to another of its unit."""
    return shapely.union_all([_find_linking_places(rule, walk, other, at) for other, at in _list_others(walk)])


def _list_others(walk: Walk) -> list[tuple[Model, Pose]]:
    return [(other, other.pose) for other in walk.unit.models if other.pose is not None and other.id != walk.model.id]


def _find_coherent_places(rule: Coherency, walk: Walk) -> BaseGeometry:
    """Return the places at which the whole unit is coherent beyond doubt, the others standing where they do."""
    others = _list_others(walk)
    near = {other.id: _find_linking_places(rule, walk, other, at) for other, at in others}
    return shapely.intersection_all(
        [_intersect_enough([near[model] for model in group], needed) for group, needed in _list_needs(rule, others)]
    )


def _list_needs(rule: Coherency, others: Sequence[tuple[Model, Pose]]) -> list[tuple[tuple[str, ...], int]]:
    """Return of which of the others, as they stand, a model must be near to how many for its unit to be coherent.

    It joins the parts of a chain; else it needs its own number, and every other that lacks one needs it.
    """
    models = tuple(other.id for other, _ in others)
    if rule.chain:
        linked = [
            (one.id, two.id)
            for (one, at), (two, place) in combinations(others, 2)
            if _is_linked(rule, one, at, two, place)
        ]
        return [(part, 1) for part in find_connected_groups(models, linked)]
    needs = [(models, rule.needed)]
    for other, at in others:
        links = sum(_is_linked(rule, other, at, third, place) for third, place in others if third.id != other.id)
        if links < rule.needed:
            needs.append(((other.id,), 1) if links == rule.needed - 1 else ((), 1))
    return needs


def _find_linking_places(rule: Coherency, walk: Walk, other: Model, at: Pose) -> BaseGeometry:
    range_mm = _find_link_range_mm(rule, walk, at)
    return find_places_within(walk, other, at, range_mm) if _may_link(rule, walk, at) else shapely.Polygon()


def _find_link_range_mm(rule: Coherency, walk: Walk, at: Pose) -> float:
    """Return within how much a base is of another, where that stands, that is beyond doubt near to it."""
    return rule.range_mm - DECIDED_SIGMAS * combine_sigmas(walk.end.sigma_mm, at.sigma_mm)


def _may_link(rule: Coherency, walk: Walk, at: Pose) -> bool:
    return _find_link_range_mm(rule, walk, at) >= 0 and abs(walk.end.z_mm - at.z_mm) <= rule.vertical_mm


def _intersect_enough(regions: list[BaseGeometry], needed: int) -> BaseGeometry:
    """Return the places that lie in at least so many of some regions."""
    overlaps = [shapely.intersection_all(group) for group in combinations(regions, needed)]
    return shapely.union_all(overlaps)


def _is_linked(rule: Coherency, one: Model, pose: Pose, other: Model, at: Pose) -> bool:
    mine, theirs = one.place_base(pose), other.place_base(at)
    if abs(pose.z_mm - at.z_mm) > rule.vertical_mm or bound_leg_clearance(mine, mine, theirs) > rule.range_mm:
        return False
    margin = rule.range_mm - clearance(mine, theirs).mm
    return decide_outcome(margin, combine_sigmas(pose.sigma_mm, at.sigma_mm)) is Outcome.LEGAL
