"""Judging a situation in which nobody moves: every model against every other, worked out at once."""

import math
from collections.abc import Iterator
from dataclasses import replace

from assistant.game.state import GameState, Pose, Unit
from assistant.rules.approach import Nearest
from assistant.rules.coherency import coherency_finding
from assistant.rules.constraints import Coherency, Constraint, KeepOut, OnTable, Shut
from assistant.rules.edge import near_the_edge
from assistant.rules.keepout import engagement_finding, keep_out_finding
from assistant.rules.measure import findings
from assistant.rules.rulebook import Question, Rulebook
from assistant.rules.ruling import DECIDED_SIGMAS, ROUNDING_MM, gravest, together
from assistant.rules.scene import Gaps, Scene, scene_of, widest_sigma_mm
from assistant.rules.terrain import on_the_way
from assistant.rules.validity import as_ruled, check_state
from assistant.rules.verdict import Finding, Outcome
from assistant.rules.walk import Walk


def of_standing(book: Rulebook, state: GameState, *, everything: bool) -> Iterator[Finding]:
    """Yield the findings on how all units stand, and notes on who is engaged.

    Without ``everything`` pairs that are further apart than any rule asks about are not measured.
    """
    parameters, scene = check_state(book, state), scene_of(as_ruled(book, state))
    asked = [Question(scene=scene, unit=unit, parameters=parameters, say=book.say) for unit in scene.state.units]
    rules = [tuple(book.standing(question)) for question in asked]
    ranges = [rule.range_mm for group in rules for rule in group if isinstance(rule, KeepOut | Coherency)]
    ranges += [book.engagement(question).range_mm for question in asked]
    doubt = DECIDED_SIGMAS * widest_sigma_mm(scene)
    gaps = scene.gaps(math.inf if everything else max(ranges, default=0.0) + doubt)
    for question, constraints in zip(asked, rules, strict=True):
        walks = [
            question.walk(model, model.pose, observed=True) for model in question.unit.models if model.pose is not None
        ]
        notes = list(_engaged(book.engagement(question), scene, gaps, question.unit))
        contacts = {(note.rule, *note.subjects) for note in notes}
        for constraint in constraints:
            for found in _of_unit(constraint, question.unit, walks, gaps, everything=everything):
                # What is noted as contact within error is not asked about as an overlap by the same rule.
                if found.outcome is not Outcome.TOO_CLOSE or (found.rule, *found.subjects) not in contacts:
                    yield found
        yield from notes


def _of_unit(
    constraint: Constraint, unit: Unit, walks: list[Walk], gaps: Gaps, *, everything: bool
) -> Iterator[Finding]:
    match constraint:
        case Coherency():
            if walks:
                yield coherency_finding(constraint, unit, walks[0].scene, gaps, walks[0].say)
        case KeepOut():
            for walk in walks:
                found = gravest(_apart(constraint, walk, gaps))
                if found is not None:
                    yield found
        case _:
            for walk in walks:
                if everything or not _surely_keeps(constraint, walk):
                    yield from findings(constraint, walk)


def _surely_keeps(constraint: Constraint, walk: Walk) -> bool:
    """Return whether a model is so far from all that a constraint is about that nothing need be measured."""
    match constraint:
        case OnTable():
            return not near_the_edge(walk)
        case Shut(terrain=terrain):
            return not on_the_way(walk, filter(terrain, walk.state.terrain))
        case _:
            return False


def _apart(rule: KeepOut, walk: Walk, gaps: Gaps) -> Iterator[Finding]:
    """Yield findings on a model and those that come after it: so a pair is named once."""
    scene, place = walk.scene, walk.scene.index[walk.model.id]
    alone = True
    for mm, other, pair in gaps.near[place]:
        at = scene.poses[other]
        sigma = together(walk.end.sigma_mm, at.sigma_mm)
        if (
            other > place
            and (alone or mm <= rule.range_mm + DECIDED_SIGMAS * sigma)
            and rule.parties(walk.unit, scene.state.units[scene.owners[other]])
            and rule.among(scene.models[other].id)
            and abs(walk.end.z_mm - at.z_mm) <= rule.vertical_mm
        ):
            alone = False
            near = Nearest(gap=gaps.clearance(mm, pair), margin_mm=mm - rule.range_mm, sigma_mm=sigma, verb="stands")
            yield keep_out_finding(rule, walk, scene.models[other], near)


def _doubt_mm(one: Pose, other: Pose) -> float:
    return DECIDED_SIGMAS * together(one.sigma_mm, other.sigma_mm)


def _engaged(rule: KeepOut, scene: Scene, gaps: Gaps, unit: Unit) -> Iterator[Finding]:
    """Yield a note for each model that is, or may be, within engagement range; an overlap is no contact."""
    for model in unit.models:
        if model.pose is None:
            continue
        place = scene.index[model.id]
        found = gravest(
            finding
            for mm, other, pair in gaps.near[place]
            if rule.parties(unit, scene.state.units[scene.owners[other]])
            and abs(model.pose.z_mm - scene.poses[other].z_mm) <= rule.vertical_mm
            and mm <= rule.range_mm + ROUNDING_MM + _doubt_mm(model.pose, scene.poses[other])
            and (rule.range_mm > 0 or mm >= -ROUNDING_MM - _doubt_mm(model.pose, scene.poses[other]))
            for finding in [engagement_finding(rule, scene, (place, other), gaps.clearance(mm, pair))]
            if finding.outcome is not Outcome.LEGAL
        )
        if found is not None:
            yield replace(found, outcome=Outcome.NOTE)
