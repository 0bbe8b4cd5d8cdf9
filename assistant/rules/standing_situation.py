"""Standing situations: judging how everybody stands while nobody moves, every model against every other at once."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

import numpy as np

from assistant.game.state import Setting, Unit
from assistant.rules.constraints.base import Constraint
from assistant.rules.constraints.keep_out import KeepOut, check_engagement
from assistant.rules.context import RuleContext
from assistant.rules.engine.situation_index import Gaps, SituationIndex, is_same_ground
from assistant.rules.rulebook import Rulebook
from assistant.rules.verdict import DECIDED_SIGMAS, ROUNDING_MM, Finding, Outcome, combine_sigmas, decide_outcome


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _StandingUnit:
    """What is found of one unit, and by what."""

    constraints: tuple[Constraint, ...]
    engagement: KeepOut
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StandingFindings:
    """What is found of how everybody stands."""

    scene: SituationIndex
    parameters: Mapping[str, Setting]
    everything: bool
    within_mm: float
    """How far apart those are at most that were measured."""
    gaps: Gaps
    units: tuple[_StandingUnit, ...]

    @property
    def findings(self) -> list[Finding]:
        """All of it, unit by unit."""
        return [finding for unit in self.units for finding in unit.findings]

    def list_left_alone(self, scene: SituationIndex, gaps: Gaps) -> frozenset[int]:
        """Return the places of the units that stand as they did, and nobody near to them stood or stands elsewhere."""
        now, then = scene.state.units, self.scene.state.units
        if len(now) != len(then) or not is_same_ground(scene.state, self.scene.state):
            return frozenset()
        moved = np.array([one is not two and one != two for one, two in zip(now, then, strict=True)], dtype=bool)
        met = moved.copy()
        for each in (gaps, self.gaps):
            one, two = each.owners[each.found.first], each.owners[each.found.second]
            met[one[moved[two]]] = True
            met[two[moved[one]]] = True
        return frozenset(np.flatnonzero(~met).tolist())


def check_standing_situation(
    book: Rulebook,
    scene: SituationIndex,
    parameters: Mapping[str, Setting],
    *,
    everything: bool,
    before: StandingFindings | None = None,
) -> StandingFindings:
    """Return the findings on how all units stand, and notes on who is engaged.

    Args:
        book: the rulebook.
        scene: who stands where.
        parameters: the rulebook's.
        everything: without it pairs that are further apart than any rule asks about are not measured.
        before: what was found of how everybody stood before; it is taken over of units about which nothing has changed.

    """
    asked = [RuleContext(scene=scene, unit=unit, parameters=parameters, say=book.say) for unit in scene.state.units]
    rules = [tuple(book.standing(question)) for question in asked]
    engagements = [book.engagement(question) for question in asked]
    ranges = [rule.standing_reach_mm for group in rules for rule in group]
    ranges += [rule.range_mm for rule in engagements]
    within_mm = math.inf if everything else max(ranges, default=0.0) + scene.doubt_mm
    if before is not None and before.within_mm == within_mm and before.scene.has_same_models(scene):
        gaps = before.gaps
    else:
        gaps = scene.measure_gaps(within_mm)
    left_alone = frozenset[int]()
    if before is not None and before.parameters == parameters and not (everything or before.everything):
        left_alone = before.list_left_alone(scene, gaps)
    units = list[_StandingUnit]()
    for place, (question, constraints, engagement) in enumerate(zip(asked, rules, engagements, strict=True)):
        known = before.units[place] if before is not None and place in left_alone else None
        if (
            known is not None
            and (known.constraints, known.engagement) == (constraints, engagement)
            and all(rule.stands_by_itself for rule in constraints)
        ):
            units.append(known)
            continue
        found = tuple(_check_unit(question, constraints, engagement, gaps, everything=everything))
        units.append(_StandingUnit(constraints=constraints, engagement=engagement, findings=found))
    return StandingFindings(
        scene=scene, parameters=parameters, everything=everything, within_mm=within_mm, gaps=gaps, units=tuple(units)
    )


def _check_unit(
    asked: RuleContext, constraints: Sequence[Constraint], engagement: KeepOut, gaps: Gaps, *, everything: bool
) -> Iterator[Finding]:
    """Yield what is found of one unit, and notes on whom it is engaged with."""
    unit, scene = asked.unit, asked.scene
    walks = [asked.build_walk(model, model.pose, observed=True) for model in unit.models if model.pose is not None]
    notes = list(_note_engagements(engagement, scene, gaps, unit))
    contacts = {(note.rule, *note.subjects) for note in notes}
    for constraint in constraints:
        for found in constraint.check_standing(unit, walks, gaps, everything=everything):
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
