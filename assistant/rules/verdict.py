"""What the referee answers."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from assistant.game.state import Pose


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
        return worst(finding.outcome for finding in self.findings)


def worst(outcomes: Iterable[Outcome]) -> Outcome:
    """Return the worst of some outcomes in the order illegal, too close, unobserved, legal."""
    order = list(Outcome)
    return min((o for o in outcomes if o is not Outcome.NOTE), key=order.index, default=Outcome.LEGAL)
