"""Standing situations: judging how everybody stands while nobody moves, every model against every other at once."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

from assistant.game.state import Pose, Setting, Unit
from assistant.rules.constraints import Coherency, Constraint, ForbiddenTerrain, KeepOut, TableBoundary
from assistant.rules.constraints.coherency import check_coherency
from assistant.rules.constraints.keep_out import build_keep_out_finding, check_engagement
from assistant.rules.constraints.table_boundary import is_near_edge
from assistant.rules.engine.approach import NearestApproach
from assistant.rules.engine.measurement import check_constraint
from assistant.rules.engine.situation_index import Gaps, SituationIndex, find_widest_sigma_mm
from assistant.rules.engine.terrain import find_terrain_on_path
from assistant.rules.engine.walk import Walk
from assistant.rules.rulebook import Rulebook, RuleContext
from assistant.rules.verdict import DECIDED_SIGMAS, ROUNDING_MM, Finding, Outcome, combine_sigmas, find_gravest


def check_standing_situation(
    book: Rulebook, scene: SituationIndex, parameters: Mapping[str, Setting], *, everything: bool
) -> Iterator[Finding]:
    """Yield the findings on how all units stand, and notes on who is engaged.

    Without ``everything`` pairs that are further apart than any rule asks about are not measured.
    """
    asked = [RuleContext(scene=scene, unit=unit, parameters=parameters, say=book.say) for unit in scene.state.units]
    rules = [tuple(book.standing(question)) for question in asked]
    ranges = [rule.range_mm for group in rules for rule in group if isinstance(rule, KeepOut | Coherency)]
    ranges += [book.engagement(question).range_mm for question in asked]
    doubt = DECIDED_SIGMAS * find_widest_sigma_mm(scene)
    gaps = scene.measure_gaps(math.inf if everything else max(ranges, default=0.0) + doubt)
    for question, constraints in zip(asked, rules, strict=True):
        walks = [
            question.build_walk(model, model.pose, observed=True)
            for model in question.unit.models
            if model.pose is not None
        ]
        notes = list(_note_engagements(book.engagement(question), scene, gaps, question.unit))
        contacts = {(note.rule, *note.subjects) for note in notes}
        for constraint in constraints:
            for found in _check_unit(constraint, question.unit, walks, gaps, everything=everything):
                # What is noted as contact within error is not asked about as an overlap by the same rule.
                if found.outcome is not Outcome.TOO_CLOSE or (found.rule, *found.subjects) not in contacts:
                    yield found
        yield from notes


def _check_unit(
    constraint: Constraint, unit: Unit, walks: list[Walk], gaps: Gaps, *, everything: bool
) -> Iterator[Finding]:
    match constraint:
        case Coherency():
            if walks:
                yield check_coherency(constraint, unit, walks[0].scene, gaps, walks[0].say)
        case KeepOut():
            for walk in walks:
                found = find_gravest(_check_pairs(constraint, walk, gaps))
                if found is not None:
                    yield found
        case _:
            for walk in walks:
                if everything or not _surely_keeps(constraint, walk):
                    yield from check_constraint(constraint, walk)


def _surely_keeps(constraint: Constraint, walk: Walk) -> bool:
    """Return whether a model is so far from all that a constraint is about that nothing need be measured."""
    match constraint:
        case TableBoundary():
            return not is_near_edge(walk)
        case ForbiddenTerrain(terrain=terrain):
            return not find_terrain_on_path(walk, filter(terrain, walk.state.terrain))
        case _:
            return False


def _check_pairs(rule: KeepOut, walk: Walk, gaps: Gaps) -> Iterator[Finding]:
    """Yield findings on a model and those that come after it: so a pair is named once."""
    scene, place = walk.scene, walk.scene.index[walk.model.id]
    alone = True
    for mm, other, pair in gaps.near[place]:
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


def _find_doubt_mm(one: Pose, other: Pose) -> float:
    return DECIDED_SIGMAS * combine_sigmas(one.sigma_mm, other.sigma_mm)


def _note_engagements(rule: KeepOut, scene: SituationIndex, gaps: Gaps, unit: Unit) -> Iterator[Finding]:
    """Yield a note for each model that is, or may be, within engagement range; an overlap is no contact."""
    for model in unit.models:
        if model.pose is None:
            continue
        place = scene.index[model.id]
        found = find_gravest(
            finding
            for mm, other, pair in gaps.near[place]
            if rule.parties(unit, scene.state.units[scene.owners[other]])
            and abs(model.pose.z_mm - scene.poses[other].z_mm) <= rule.vertical_mm
            and mm <= rule.range_mm + ROUNDING_MM + _find_doubt_mm(model.pose, scene.poses[other])
            and (rule.range_mm > 0 or mm >= -ROUNDING_MM - _find_doubt_mm(model.pose, scene.poses[other]))
            for finding in [check_engagement(rule, scene, (place, other), gaps.clearance(mm, pair))]
            if finding.outcome is not Outcome.LEGAL
        )
        if found is not None:
            yield replace(found, outcome=Outcome.NOTE)
