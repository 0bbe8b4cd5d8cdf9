"""Standing situations: judging how everybody stands while nobody moves, every model against every other at once."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

from assistant.game.state import Pose, Setting, Unit
from assistant.rules.constraints.keep_out import KeepOut, check_engagement
from assistant.rules.context import RuleContext
from assistant.rules.engine.situation_index import Gaps, SituationIndex, find_widest_sigma_mm
from assistant.rules.rulebook import Rulebook
from assistant.rules.verdict import DECIDED_SIGMAS, ROUNDING_MM, Finding, Outcome, combine_sigmas, find_gravest


def check_standing_situation(
    book: Rulebook, scene: SituationIndex, parameters: Mapping[str, Setting], *, everything: bool
) -> Iterator[Finding]:
    """Yield the findings on how all units stand, and notes on who is engaged.

    Without ``everything`` pairs that are further apart than any rule asks about are not measured.
    """
    asked = [RuleContext(scene=scene, unit=unit, parameters=parameters, say=book.say) for unit in scene.state.units]
    rules = [tuple(book.standing(question)) for question in asked]
    ranges = [rule.standing_reach_mm for group in rules for rule in group]
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
            for found in constraint.check_standing(question.unit, walks, gaps, everything=everything):
                # What is noted as contact within error is not asked about as an overlap by the same rule.
                if found.outcome is not Outcome.TOO_CLOSE or (found.rule, *found.subjects) not in contacts:
                    yield found
        yield from notes


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
