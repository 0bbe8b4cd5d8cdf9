"""Whether a model crossed another one that may be crossed at a price."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from assistant.rules.constraints import Allowance, Constraint, Cross, KeepOut
from assistant.rules.keepout import nearest
from assistant.rules.route import shortest_mm, unseen_length
from assistant.rules.ruling import ROUNDING_MM
from assistant.rules.verdict import Finding, Outcome
from assistant.rules.walk import Walk


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossing:
    """What is known of one model's way."""

    surely: bool | None
    """None where it cannot be told."""
    finding: Finding


def crossing(rule: Cross, constraints: Sequence[Constraint], walk: Walk) -> Crossing:
    """Return whether a model crossed one that a rule is about.

    Of a way that nobody saw: it did not where the shortest one does not, it did where every way around is too long,
    and else only the way that was taken could tell.
    """
    barrier = KeepOut(
        rule=rule.rule,
        parties=rule.parties,
        range_mm=0.0,
        vertical_mm=rule.vertical_mm,
        on_the_way=True,
        name="across",
    )
    return _seen(barrier, walk) if walk.observed else _unseen(barrier, constraints, walk)


def _seen(barrier: KeepOut, walk: Walk) -> Crossing:
    found = nearest(barrier, walk)
    if found is None or found.outcome is Outcome.LEGAL:
        return _around(barrier, walk)
    if found.outcome is Outcome.TOO_CLOSE:
        return Crossing(surely=None, finding=found)
    text = f"{walk.model.id} moves across {found.subjects[1]}, which costs a test"
    return Crossing(surely=True, finding=replace(found, outcome=Outcome.LEGAL, p_legal=1.0, text=text))


def _unseen(barrier: KeepOut, constraints: Sequence[Constraint], walk: Walk) -> Crossing:
    allowance = next(rule for rule in constraints if isinstance(rule, Allowance))
    barred = (*constraints, barrier)
    across, around = shortest_mm(constraints, walk), shortest_mm(barred, walk)
    if across is None or (around is not None and around <= across + ROUNDING_MM):
        return _around(barrier, walk)
    if unseen_length(allowance, constraints, walk).outcome is Outcome.ILLEGAL:  # across is as much too far as around
        text = f"{walk.model.id} cannot have come there either way"
        return Crossing(surely=False, finding=_kept(barrier, (walk.model.id,), text))
    outcome = unseen_length(allowance, barred, walk).outcome
    met = nearest(barrier, replace(walk, observed=True))
    subjects = met.subjects if met is not None else (walk.model.id,)
    enemy = subjects[1] if len(subjects) > 1 else "an enemy"
    if outcome is Outcome.ILLEGAL:
        text = f"{walk.model.id} can only have moved across {enemy}, which costs a test"
        return Crossing(surely=True, finding=_kept(barrier, subjects, text))
    text = f"{walk.model.id} may have moved across {enemy} or around; its way was not seen"
    return Crossing(surely=None, finding=replace(_kept(barrier, subjects, text), outcome=Outcome.UNOBSERVED))


def _around(barrier: KeepOut, walk: Walk) -> Crossing:
    return Crossing(
        surely=False, finding=_kept(barrier, (walk.model.id,), f"{walk.model.id} crosses nobody on its way")
    )


def _kept(barrier: KeepOut, subjects: tuple[str, ...], text: str) -> Finding:
    return Finding(rule=barrier.rule, outcome=Outcome.LEGAL, subjects=subjects, text=text)
