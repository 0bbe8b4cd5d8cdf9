"""Whether the stands of a unit touch, as it stands after its move, and each joined those placed before it."""

import math
from collections.abc import Iterator
from functools import partial

from assistant.rules.coherency import coherency_finding
from assistant.rules.constraints import Coherency
from assistant.rules.rulebook import Question
from assistant.rules.ruling import measured, outcome_of, together
from assistant.rules.scene import Gaps, Scene
from assistant.rules.verdict import Finding, Outcome
from assistant.rules.words import apart

_GRADES = tuple(Outcome)


def joined(asked: Question) -> Coherency | None:
    """Return what is asked of a unit's stands together; None of a unit with one stand on the table, or none."""
    if sum(model.pose is not None for model in asked.unit.models) < 2:
        return None
    return Coherency(
        rule="wm-03",
        range_mm=asked.number("touch_mm"),
        vertical_mm=math.inf,
        chain=bool(asked.parameters["one_group"]),
        broken="the unit is not in formation",
    )


def joining_findings(asked: Question, after: Scene) -> Iterator[Finding]:
    """Yield whether a unit's stands touch as they stand after its move, and whether each joined those placed before it.

    A stand that is outside the unit is not said, besides, not to have joined it.
    """
    rule = joined(asked)
    if rule is None:
        return
    unit = after.state.unit(asked.unit.id)
    alone = after.alone(unit)
    gaps = alone.gaps(rule.range_mm)
    whole = coherency_finding(rule, unit, alone, gaps, asked.say)
    yield whole
    outside = () if whole.outcome is Outcome.LEGAL else whole.subjects
    moved = list(asked.paths or ())
    placed = {model.id for model in alone.models} - set(moved)
    for turn, stand in enumerate(moved):
        if turn > 0 and stand not in outside:
            yield _placed(stand, placed, alone, gaps, asked)
        placed.add(stand)


def _placed(stand: str, placed: set[str], scene: Scene, gaps: Gaps, asked: Question) -> Finding:
    """Return whether a stand touches one of those placed before it."""
    place, touch_mm = scene.index[stand], asked.number("touch_mm")

    def sigma_mm(other: int) -> float:
        return together(scene.poses[place].sigma_mm, scene.poses[other].sigma_mm)

    def touching(entry: tuple[float, int, int]) -> tuple[int, float]:
        return _GRADES.index(outcome_of(touch_mm - entry[0], sigma_mm(entry[1]))), -entry[0]

    mm, other, pair = max((entry for entry in gaps.near[place] if scene.models[entry[1]].id in placed), key=touching)
    gap, name = gaps.clearance(mm, pair), scene.models[other].id
    return measured(
        "wm-10",
        (stand,),
        measured_mm=mm,
        limit_mm=touch_mm,
        margin_mm=touch_mm - mm,
        sigma_mm=sigma_mm(other),
        witness_mm=(gap.near, gap.far),
        text=partial(_text, stand, name, *apart(asked.say, max(mm, 0.0), touch_mm)),
    )


def _text(stand: str, other: str, length: str, limit: str, outcome: Outcome) -> str:
    match outcome:
        case Outcome.LEGAL:
            return f"{stand} joins {other}"
        case Outcome.TOO_CLOSE:
            return f"{stand} is placed {length} from {other}, too near to {limit} to call whether it joins it"
        case _:
            return (
                f"{stand} is placed {length} from {other}, more than {limit}: it joins none of those placed before it"
            )
