"""Comparison of verdicts that should be the same: outcomes, findings by rule and subjects, margins, effects."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from assistant.rules.verdict import DECIDED_SIGMAS, ROUNDING_MM, Effect, Finding, Outcome, Verdict

SAME_MM = 2e-4
"""Margins are exact to 1e-4 mm; two that are worked out in different ways may differ by twice that."""
_TIE_MM = 1e-8
"""So near to what decides an outcome, rounding decides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What differs."""

    kind: str
    what: str


def compare_verdicts(one: Verdict, two: Verdict, names: Mapping[str, str] | None = None) -> Iterator[Difference]:
    """Yield how the second verdict differs from the first; ``names`` are the first's names by the second's.

    Ties are no differences: a finding may name another model or party whose margin is the same, however sure that is
    where it keeps the rule, or of several parties that it does not measure another one; and a margin within rounding of
    what decides its outcome may be decided either way.
    """
    called = names or {}
    left = list(two.findings)
    missing = list[Finding]()
    for finding in one.findings:
        found = _find_same(finding, left, called)
        if found is None:
            missing.append(finding)
        else:
            left.remove(found)
    yield from _pair_up(missing, left, called)
    ours, theirs = ({_build_key(effect, {}) for effect in one.effects}, {_build_key(e, called) for e in two.effects})
    for key in sorted(ours ^ theirs, key=repr):
        yield Difference(
            kind=f"effect {key[0]}", what=f"{'only before' if key in ours else 'only after'}: effect {key[2]}"
        )


def _build_key(effect: Effect, called: Mapping[str, str]) -> tuple[str, frozenset[str], str]:
    word, colon, name = effect.effect.partition(":")
    subjects = frozenset(called.get(subject, subject) for subject in effect.subjects)
    return effect.rule, subjects, f"{word}{colon}{called.get(name, name)}"


def _find_same(finding: Finding, among: Sequence[Finding], called: Mapping[str, str]) -> Finding | None:
    """Return the finding that says the same, or one with the same margin that names another party first met."""
    alike = [
        other
        for other in among
        if other.rule == finding.rule and other.outcome is finding.outcome and _are_alike(finding, other)
    ]
    subjects = frozenset(finding.subjects)
    for other in alike:
        if subjects == frozenset(called.get(subject, subject) for subject in other.subjects):
            return other
    measured = finding.margin_mm is not None
    return next((o for o in alike if measured or called.get(o.subjects[0], o.subjects[0]) == finding.subjects[0]), None)


def _are_alike(one: Finding, two: Finding) -> bool:
    pairs = [(one.margin_mm, two.margin_mm), (one.limit_mm, two.limit_mm)]
    if one.outcome is not Outcome.LEGAL:
        pairs += [(one.measured_mm, two.measured_mm), (one.sigma_mm, two.sigma_mm)]
    return all(_is_near(*pair) for pair in pairs)


def _is_near(one: float | None, two: float | None) -> bool:
    if one is None or two is None:
        return one is two
    return one == two or abs(one - two) <= SAME_MM or math.isclose(one, two, rel_tol=1e-6)


def _pair_up(ours: list[Finding], theirs: list[Finding], called: Mapping[str, str]) -> Iterator[Difference]:
    """Yield what differs among the findings that have no like."""
    for finding in ours:
        other = next(
            (
                o
                for o in theirs
                if o.rule == finding.rule and called.get(o.subjects[0], o.subjects[0]) == finding.subjects[0]
            ),
            None,
        )
        if other is None:
            yield Difference(kind=f"{finding.rule} {finding.outcome} lost", what=f"only before: {describe(finding)}")
            continue
        theirs.remove(other)
        if _is_tie(finding, other):
            continue
        turn = "other margin" if finding.outcome is other.outcome else f"{finding.outcome} to {other.outcome}"
        yield Difference(kind=f"{finding.rule} {turn}", what=f"before: {describe(finding)}; after: {describe(other)}")
    for other in theirs:
        yield Difference(kind=f"{other.rule} {other.outcome} gained", what=f"only after: {describe(other)}")


def _is_tie(one: Finding, two: Finding) -> bool:
    """Return whether rounding decides which of two outcomes a margin has."""
    if one.margin_mm is None or two.margin_mm is None or one.outcome is two.outcome:
        return False
    sigma = one.sigma_mm or 0.0
    limits = (ROUNDING_MM, -ROUNDING_MM, 0.0) if sigma == 0 else (DECIDED_SIGMAS * sigma, -DECIDED_SIGMAS * sigma)
    near = min(abs(margin - limit) for margin in (one.margin_mm, two.margin_mm) for limit in limits)
    return near <= _TIE_MM and abs(one.margin_mm - two.margin_mm) <= 2 * ROUNDING_MM


def describe(finding: Finding) -> str:
    """Return a finding in a few words."""
    margin = "" if finding.margin_mm is None else f" by {finding.margin_mm:.6f} mm"
    return f"{finding.rule} {finding.outcome}{margin} ({', '.join(finding.subjects)})"


def rank(outcome: Outcome) -> int:
    """Return how good an outcome is: illegal 0, too close 1, unobserved 2, legal 3."""
    return list(Outcome).index(outcome)


def describe_verdict(verdict: Verdict) -> str:
    """Return a verdict in a few words."""
    found = ", ".join(describe(f) for f in verdict.findings if f.outcome not in {Outcome.LEGAL, Outcome.NOTE})
    return f"{verdict.outcome}{f' ({found})' if found else ''}"
