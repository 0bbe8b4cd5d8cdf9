"""What a verdict comes to once people have decided otherwise than the referee."""

from collections.abc import Iterable

from assistant.game.state import Ruling
from assistant.rules.verdict import Finding, Outcome, Verdict, worst

RULED = {"legal": Outcome.LEGAL, "illegal": Outcome.ILLEGAL, "again": Outcome.ILLEGAL}
"""A move that is to be made again does not stand as it is."""


def as_ruled(verdict: Verdict, rulings: Iterable[Ruling]) -> Outcome:
    """Return the outcome of a verdict; a ruling of it as a whole counts before those of its findings."""
    ruled = {(ruling.rule, ruling.subjects): RULED[ruling.outcome] for ruling in rulings}
    whole = ruled.get((None, ()))
    if whole is not None:
        return whole
    return worst(ruled.get((finding.rule, finding.subjects), finding.outcome) for finding in verdict.findings)


def deciding(verdict: Verdict, rule: str | None = None, subjects: tuple[str, ...] = ()) -> Finding | None:
    """Return the finding with this rule and these subjects; without a rule the first of the worst, if any."""
    if rule is not None:
        return next((f for f in verdict.findings if (f.rule, f.subjects) == (rule, subjects)), None)
    outcome = verdict.outcome
    return next((f for f in verdict.findings if f.outcome is outcome is not Outcome.LEGAL), None)
