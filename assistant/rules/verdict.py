"""Verdicts: what the referee answers.

A measured margin and its uncertainty come to an outcome; findings come to a verdict; and a verdict comes to something
else once people have decided otherwise than the referee.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from assistant.game.state import Pose, Ruling


class Outcome(StrEnum):
    """How a finding or a verdict turned out."""

    ILLEGAL = "illegal"
    TOO_CLOSE = "too-close"
    """The margin is within two standard deviations of zero: a person decides."""
    UNOBSERVED = "unobserved"
    """It needs a path that nobody saw."""
    LEGAL = "legal"
    NOTE = "note"
    """A fact that is no offence."""


_GRAVITY = tuple(Outcome)
"""The gravest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one rule says of one model."""

    rule: str
    outcome: Outcome
    subjects: tuple[str, ...]
    """Ids: the offending model first, then the other party."""
    measured_mm: float | None = None
    limit_mm: float | None = None
    margin_mm: float | None = None
    """Positive when there is room to spare."""
    sigma_mm: float | None = None
    p_legal: float | None = None
    witness_mm: tuple[tuple[float, float], ...] = ()
    """The segment or path that was measured, in the table frame."""
    stops_at: Pose | None = None
    """Where a move that turns illegal on its way ends instead."""
    way: bool = False
    """What is measured is the length of a model's way, against what it is allowed."""
    text: str
    """A sentence that a player understands, in the rulebook's unit."""

    def is_within(self, sigmas: float) -> bool:
        """Return whether its margin is within so many standard deviations of zero; notes decide nothing."""
        if self.outcome is Outcome.NOTE or self.margin_mm is None or not self.sigma_mm:
            return False
        return abs(self.margin_mm) / self.sigma_mm <= sigmas


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What a legal action costs: a test to roll, something the unit may no longer do."""

    rule: str
    subjects: tuple[str, ...]
    effect: str
    dice: int = 0
    """How many dice it takes that are given with the move."""
    lost: int = 0
    """How many of the unit's models it destroys, by their owner's choice."""
    destroys: bool = False
    """It destroys its subjects."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The referee's answer to a position or a move."""

    rulebook: str
    findings: tuple[Finding, ...]
    effects: tuple[Effect, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """The worst of the findings; notes do not count."""
        return find_worst_outcome(finding.outcome for finding in self.findings)


def find_worst_outcome(outcomes: Iterable[Outcome]) -> Outcome:
    """Return the worst of some outcomes in the order illegal, too close, unobserved, legal."""
    return min((o for o in outcomes if o is not Outcome.NOTE), key=_GRAVITY.index, default=Outcome.LEGAL)


ROUNDING_MM = 1e-6
"""The only slack there is besides sigma."""
DECIDED_SIGMAS = 2.0
"""A margin nearer to zero than this many standard deviations is for a person to decide."""


def decide_outcome(margin_mm: float, sigma_mm: float, *, at_limit: bool = True) -> Outcome:
    """Return how a margin turns out; ``at_limit`` says whether a limit met exactly is legal."""
    if sigma_mm > 0 and abs(margin_mm) <= DECIDED_SIGMAS * sigma_mm:
        return Outcome.TOO_CLOSE
    least = -ROUNDING_MM if at_limit else ROUNDING_MM
    return Outcome.LEGAL if margin_mm > least or (at_limit and margin_mm == least) else Outcome.ILLEGAL


def probability(margin_mm: float, sigma_mm: float, *, at_limit: bool = True) -> float:
    """Return the probability that the true margin is legal, its error being normal."""
    if sigma_mm == 0:
        return 1.0 if decide_outcome(margin_mm, 0.0, at_limit=at_limit) is Outcome.LEGAL else 0.0
    return 0.5 * math.erfc(-margin_mm / (sigma_mm * math.sqrt(2)))


def build_finding(
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
    outcome = decide_outcome(margin_mm, sigma_mm, at_limit=at_limit)
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


def combine_sigmas(*sigmas_mm: float) -> float:
    """Return the standard deviation of a sum of independent errors."""
    return math.hypot(*sigmas_mm)


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """How much a verdict tells of what is kept, beside all that is not: what nobody asks about is not measured."""

    sigmas: float = DECIDED_SIGMAS
    """What is kept by no more than so many standard deviations; at least `DECIDED_SIGMAS`, infinite for all."""
    ways: bool = False
    """How long the models' ways are, of a way that nobody saw the shortest."""

    @property
    def everything(self) -> bool:
        """Whether all that is kept is told."""
        return math.isinf(self.sigmas)

    @property
    def measured_sigmas(self) -> float:
        """How many standard deviations from a limit is measured whatever else there is."""
        return DECIDED_SIGMAS if self.everything else self.sigmas

    def tells(self, finding: Finding) -> bool:
        """Return whether a finding is told."""
        return (
            finding.outcome is not Outcome.LEGAL
            or self.everything
            or (self.ways and finding.way and finding.measured_mm is not None)
            or finding.is_within(self.sigmas)
        )


BREACHES = Detail()
"""What is not kept, and nothing else."""
WITH_WAYS = Detail(ways=True)
EVERYTHING = Detail(sigmas=math.inf, ways=True)


_TIED_MM = 1e-6
"""Margins that differ by less are the same: how the table lies would decide between them."""


TIED_MM = 1e-3
"""What is less grave than another finding by so much more of a margin need not be measured to the end."""


def find_gravest(findings: Iterable[Finding]) -> Finding | None:
    """Return the finding that matters most: by outcome, then by the least margin, of equal ones the first."""
    found = list(findings)
    if len(found) < 2:
        return found[0] if found else None
    worst = min((each.outcome for each in found), key=_GRAVITY.index)
    graves = [each for each in found if each.outcome is worst]
    return graves[find_least([math.inf if each.margin_mm is None else each.margin_mm for each in graves])]


def find_least(margins_mm: Sequence[float]) -> int:
    """Return the index of the least margin, of equal ones the first: how the table lies must not choose."""
    least_mm = min(margins_mm) + _TIED_MM
    return next(index for index, mm in enumerate(margins_mm) if mm <= least_mm)


RULED_OUTCOMES = {"legal": Outcome.LEGAL, "illegal": Outcome.ILLEGAL, "again": Outcome.ILLEGAL}
"""A move that is to be made again does not stand as it is."""


def apply_rulings(verdict: Verdict, rulings: Iterable[Ruling]) -> Outcome:
    """Return the outcome of a verdict; a ruling of it as a whole counts before those of its findings."""
    ruled = {(ruling.rule, ruling.subjects): RULED_OUTCOMES[ruling.outcome] for ruling in rulings}
    whole = ruled.get((None, ()))
    if whole is not None:
        return whole
    return find_worst_outcome(
        ruled.get((finding.rule, finding.subjects), finding.outcome) for finding in verdict.findings
    )


def find_deciding_finding(verdict: Verdict, rule: str | None = None, subjects: tuple[str, ...] = ()) -> Finding | None:
    """Return the finding with this rule and these subjects; without a rule the first of the worst, if any."""
    if rule is not None:
        return next((f for f in verdict.findings if (f.rule, f.subjects) == (rule, subjects)), None)
    outcome = verdict.outcome
    return next((f for f in verdict.findings if f.outcome is outcome is not Outcome.LEGAL), None)
