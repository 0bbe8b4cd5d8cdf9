"""From a measured margin and its uncertainty to a finding."""

import math
from collections.abc import Callable, Iterable

from assistant.rules.verdict import Finding, Outcome

ROUNDING_MM = 1e-6
"""The only slack there is besides sigma."""
DECIDED_SIGMAS = 2.0
"""A margin nearer to zero than this many standard deviations is for a person to decide."""


def outcome_of(margin_mm: float, sigma_mm: float, *, at_limit: bool = True) -> Outcome:
    """Return how a margin turns out; ``at_limit`` says whether a limit met exactly is legal."""
    if sigma_mm > 0 and abs(margin_mm) <= DECIDED_SIGMAS * sigma_mm:
        return Outcome.TOO_CLOSE
    least = -ROUNDING_MM if at_limit else ROUNDING_MM
    return Outcome.LEGAL if margin_mm > least or (at_limit and margin_mm == least) else Outcome.ILLEGAL


def probability(margin_mm: float, sigma_mm: float, *, at_limit: bool = True) -> float:
    """Return the probability that the true margin is legal, its error being normal."""
    if sigma_mm == 0:
        return 1.0 if outcome_of(margin_mm, 0.0, at_limit=at_limit) is Outcome.LEGAL else 0.0
    return 0.5 * math.erfc(-margin_mm / (sigma_mm * math.sqrt(2)))


def measured(
    rule: str,
    subjects: tuple[str, ...],
    *,
    measured_mm: float,
    limit_mm: float,
    margin_mm: float,
    sigma_mm: float,
    witness_mm: tuple[tuple[float, float], ...],
    text: Callable[[Outcome], str],
    at_limit: bool = True,
) -> Finding:
    """Return the finding that a measurement comes to; ``text`` says it for each outcome."""
    outcome = outcome_of(margin_mm, sigma_mm, at_limit=at_limit)
    return Finding(
        rule=rule,
        outcome=outcome,
        subjects=subjects,
        measured_mm=measured_mm,
        limit_mm=limit_mm,
        margin_mm=margin_mm,
        sigma_mm=sigma_mm,
        p_legal=probability(margin_mm, sigma_mm, at_limit=at_limit),
        witness_mm=witness_mm,
        text=text(outcome),
    )


def together(*sigmas_mm: float) -> float:
    """Return the standard deviation of a sum of independent errors."""
    return math.hypot(*sigmas_mm)


def gravest(findings: Iterable[Finding]) -> Finding | None:
    """Return the finding that matters most: by outcome, then by the least margin; None if there is none."""
    order = list(Outcome)
    return min(
        findings,
        key=lambda found: (order.index(found.outcome), math.inf if found.margin_mm is None else found.margin_mm),
        default=None,
    )
