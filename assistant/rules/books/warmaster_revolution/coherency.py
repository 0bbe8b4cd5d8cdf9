"""Unit coherency: whether the stands of a unit touch after its move, and each joined those placed before it."""

import math
from collections.abc import Iterator
from functools import partial

from assistant.rules.constraints.coherency import Coherency, check_coherency
from assistant.rules.context import RuleContext
from assistant.rules.engine.situation_index import Gaps, SituationIndex
from assistant.rules.lengths import format_apart
from assistant.rules.verdict import Finding, Outcome, build_finding, combine_sigmas, decide_outcome

_GRADES = tuple(Outcome)
_TIED_DIGITS = 6
"""Of those that are equally near, to so many digits of a millimetre, the first of the situation is named."""


def build_coherency(asked: RuleContext) -> Coherency | None:
    """Return what is asked of a unit's stands together; None of a unit with one stand on the table, or none."""
    if sum(model.pose is not None for model in asked.unit.models) < 2:
        return None
    return Coherency(
        rule="wm-03",
        range_mm=asked.read_number("touch_mm"),
        vertical_mm=math.inf,
        chain=bool(asked.parameters["one_group"]),
        broken="the unit is not in formation",
    )


def judge_joining(asked: RuleContext, after: SituationIndex) -> Iterator[Finding]:
    """Yield whether a unit's stands touch as they stand after its move, and whether each joined those placed before it.

    A stand that is outside the unit is not said, besides, not to have joined it.
    """
    rule = build_coherency(asked)
    if rule is None:
        return
    unit = after.state.find_unit(asked.unit.id)
    alone = after.keep_unit(unit)
    gaps = alone.measure_gaps(rule.range_mm)
    whole = check_coherency(rule, unit, alone, gaps, asked.say)
    yield whole
    outside = () if whole.outcome is Outcome.LEGAL else whole.subjects
    moved = list(asked.paths or ())
    placed = {model.id for model in alone.models} - set(moved)
    for turn, stand in enumerate(moved):
        if turn > 0 and stand not in outside:
            yield _judge_placed_stand(stand, placed, alone, gaps, asked)
        placed.add(stand)


def _judge_placed_stand(stand: str, placed: set[str], scene: SituationIndex, gaps: Gaps, asked: RuleContext) -> Finding:
    """Return whether a stand touches one of those placed before it."""
    place, touch_mm = scene.index[stand], asked.read_number("touch_mm")

    def sigma_mm(other: int) -> float:
        return combine_sigmas(scene.poses[place].sigma_mm, scene.poses[other].sigma_mm)

    def touching(entry: tuple[float, int, int]) -> tuple[int, float, int]:
        grade = _GRADES.index(decide_outcome(touch_mm - entry[0], sigma_mm(entry[1])))
        return grade, -round(entry[0], _TIED_DIGITS), -entry[1]

    mm, other, pair = max(
        (entry for entry in gaps.list_near(place) if scene.models[entry[1]].id in placed), key=touching
    )
    gap, name = gaps.clearance(mm, pair), scene.models[other].id
    return build_finding(
        "wm-10",
        (stand,),
        measured_mm=mm,
        limit_mm=touch_mm,
        margin_mm=touch_mm - mm,
        sigma_mm=sigma_mm(other),
        witness_mm=(gap.near, gap.far),
        text=partial(_describe_placement, stand, name, *format_apart(asked.say, max(mm, 0.0), touch_mm)),
    )


def _describe_placement(stand: str, other: str, length: str, limit: str, outcome: Outcome) -> str:
    match outcome:
        case Outcome.LEGAL:
            return f"{stand} joins {other}"
        case Outcome.TOO_CLOSE:
            return f"{stand} is placed {length} from {other}, too near to {limit} to call whether it joins it"
        case _:
            return (
                f"{stand} is placed {length} from {other}, more than {limit}: it joins none of those placed before it"
            )
