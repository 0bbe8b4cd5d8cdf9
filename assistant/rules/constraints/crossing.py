"""Crossing: whether a model crossed another one that may be crossed at a price."""

from dataclasses import dataclass, replace

from assistant.rules.constraints.allowance import measure_shortest_mm
from assistant.rules.constraints.base import Constraint, ConstraintSet, Crossing
from assistant.rules.constraints.keep_out import KeepOut, check_keep_out
from assistant.rules.engine.walk import Walk
from assistant.rules.selectors import UnitSelector
from assistant.rules.verdict import Finding, Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossingPrice(Constraint):
    """Certain models may be crossed on the way, at a price: it must be known which mover crosses one."""

    rule: str
    parties: UnitSelector
    vertical_mm: float
    """Models whose heights differ by more than this do not count."""

    def find_crossing(self, walk: Walk, rules: ConstraintSet, /) -> Crossing:
        """Return whether a model crossed one that it is about."""
        return check_crossing(self, rules, walk)


def check_crossing(rule: CrossingPrice, constraints: ConstraintSet, walk: Walk) -> Crossing:
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
    return _check_observed(barrier, walk) if walk.observed else _check_unobserved(barrier, constraints, walk)


def _check_observed(barrier: KeepOut, walk: Walk) -> Crossing:
    found = check_keep_out(barrier, walk)
    if found is None or found.outcome is Outcome.LEGAL:
        return _build_way_around(barrier, walk)
    if found.outcome is Outcome.TOO_CLOSE:
        return Crossing(surely=None, finding=found)
    text = f"{walk.model.id} moves across {found.subjects[1]}, which costs a test"
    return Crossing(surely=True, finding=replace(found, outcome=Outcome.LEGAL, p_legal=1.0, text=text))


def _check_unobserved(barrier: KeepOut, constraints: ConstraintSet, walk: Walk) -> Crossing:
    allowance = next(rule for rule in constraints if rule.find_way_limit() is not None)
    barred = ConstraintSet((*constraints, barrier))
    across = measure_shortest_mm(constraints, walk)
    if across is None or measure_shortest_mm(barred, walk, limit_mm=across) is not None:
        return _build_way_around(barrier, walk)
    (length,) = allowance.check(walk, constraints)
    if length.outcome is Outcome.ILLEGAL:  # across is as much too far as around
        text = f"{walk.model.id} cannot have come there either way"
        return Crossing(surely=False, finding=_build_kept_finding(barrier, (walk.model.id,), text))
    (length,) = allowance.check(walk, barred)
    met = check_keep_out(barrier, replace(walk, observed=True), name_clear=True)
    subjects = met.subjects if met is not None else (walk.model.id,)
    enemy = subjects[1] if len(subjects) > 1 else "an enemy"
    if length.outcome is Outcome.ILLEGAL:
        text = f"{walk.model.id} can only have moved across {enemy}, which costs a test"
        return Crossing(surely=True, finding=_build_kept_finding(barrier, subjects, text))
    text = f"{walk.model.id} may have moved across {enemy} or around; its way was not seen"
    return Crossing(
        surely=None, finding=replace(_build_kept_finding(barrier, subjects, text), outcome=Outcome.UNOBSERVED)
    )


def _build_way_around(barrier: KeepOut, walk: Walk) -> Crossing:
    return Crossing(
        surely=False,
        finding=_build_kept_finding(barrier, (walk.model.id,), f"{walk.model.id} crosses nobody on its way"),
    )


def _build_kept_finding(barrier: KeepOut, subjects: tuple[str, ...], text: str) -> Finding:
    return Finding(rule=barrier.rule, outcome=Outcome.LEGAL, subjects=subjects, text=text)
