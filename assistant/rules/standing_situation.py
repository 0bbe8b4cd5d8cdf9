"""Standing situations: judging how everybody stands while nobody moves, every model against every other at once."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import takewhile

from assistant.game.state import Setting, Unit
from assistant.rules.constraints.keep_out import KeepOut, check_engagement
from assistant.rules.context import RuleContext
from assistant.rules.engine.situation_index import Gaps, SituationIndex
from assistant.rules.rulebook import Rulebook
from assistant.rules.verdict import DECIDED_SIGMAS, ROUNDING_MM, Finding, Outcome, combine_sigmas, decide_outcome


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
    gaps = scene.measure_gaps(math.inf if everything else max(ranges, default=0.0) + scene.doubt_mm)
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


def _note_engagements(rule: KeepOut, scene: SituationIndex, gaps: Gaps, unit: Unit) -> Iterator[Finding]:
    """Yield a note for each model that is, or may be, within engagement range; an overlap is no contact."""
    nearest_mm, within_mm = gaps.nearest_mm[not rule.parties(unit, unit)], rule.range_mm + scene.doubt_mm
    for model in unit.models:
        place = scene.index.get(model.id)
        if place is not None and nearest_mm[place] <= within_mm:
            found = _find_engagement(rule, scene, gaps, unit, place)
            if found is not None:
                yield replace(found, outcome=Outcome.NOTE)


def _find_engagement(rule: KeepOut, scene: SituationIndex, gaps: Gaps, unit: Unit, place: int) -> Finding | None:
    """Return that a model is within engagement range, or else that it may be, of the nearest of whom that holds."""
    at, within_mm = scene.poses[place], rule.range_mm + scene.doubt_mm
    doubtful: tuple[float, int, int] | None = None
    for mm, other, pair in takewhile(lambda entry: entry[0] <= within_mm, gaps.list_near(place)):
        sigma_mm = combine_sigmas(at.sigma_mm, scene.poses[other].sigma_mm)
        if (
            rule.parties(unit, scene.state.units[scene.owners[other]])
            and abs(at.z_mm - scene.poses[other].z_mm) <= rule.vertical_mm
            and (rule.range_mm > 0 or mm >= -ROUNDING_MM - DECIDED_SIGMAS * sigma_mm)
        ):
            outcome = decide_outcome(mm - rule.range_mm, sigma_mm, at_limit=False)
            if outcome is Outcome.ILLEGAL:
                return check_engagement(rule, scene, (place, other), gaps.clearance(mm, pair))
            doubtful = doubtful or ((mm, other, pair) if outcome is Outcome.TOO_CLOSE else None)
    if doubtful is None:
        return None
    mm, other, pair = doubtful
    return check_engagement(rule, scene, (place, other), gaps.clearance(mm, pair))
