"""What the referee said in play, as a journal keeps it: to be held to what is said of the same now."""

from functools import cache
from importlib.metadata import version
from typing import Annotated, Literal, Self

from pydantic import Field

from assistant.files import Format
from assistant.rules.verdict import Finding, Outcome, Verdict

Word = Annotated[Outcome, Field(strict=False)]


class CalledFinding(Format):
    """What one rule said of one model."""

    rule: str
    outcome: Word
    subjects: tuple[str, ...]
    measured_mm: float | None
    limit_mm: float | None
    margin_mm: float | None
    sigma_mm: float | None
    text: str

    @classmethod
    def of(cls, finding: Finding) -> Self:
        """Return what is kept of a finding."""
        return cls(
            rule=finding.rule,
            outcome=finding.outcome,
            subjects=finding.subjects,
            measured_mm=finding.measured_mm,
            limit_mm=finding.limit_mm,
            margin_mm=finding.margin_mm,
            sigma_mm=finding.sigma_mm,
            text=finding.text,
        )


class CalledEffect(Format):
    """What the move cost or brought."""

    rule: str
    subjects: tuple[str, ...]
    effect: str


class Called(Format):
    """What the referee said of the move that was being made, or of how the table stood.

    It is about the game as all rows before it leave it.  Notes are left out: they are no calls.
    """

    program: str
    """The version of the program that said it."""
    outcome: Literal["legal", "illegal", "too-close", "unobserved"]
    findings: tuple[CalledFinding, ...] = ()
    effects: tuple[CalledEffect, ...] = ()

    @classmethod
    def of(cls, verdict: Verdict) -> Self:
        """Return what is kept of a verdict that this program gives."""
        effects = (CalledEffect(rule=e.rule, subjects=e.subjects, effect=e.effect) for e in verdict.effects)
        return cls(
            program=program(),
            outcome=verdict.outcome.value,  # type: ignore[arg-type]  # the worst of findings is never a note
            findings=tuple(CalledFinding.of(f) for f in verdict.findings if f.outcome is not Outcome.NOTE),
            effects=tuple(effects),
        )

    def same(self, other: "Called") -> bool:
        """Whether another says the same to the last digit, by whatever version."""
        return (self.outcome, self.findings, self.effects) == (other.outcome, other.findings, other.effects)

    def alike(self, other: "Called") -> bool:
        """Whether another finds the same by the same rules, whichever of two models is named first."""
        return self._found() == other._found()

    def _found(self) -> set[tuple[str, frozenset[str], str]]:
        found = ((f.rule, frozenset(f.subjects), f.outcome.value) for f in self.findings)
        return {*found, *((effect.rule, frozenset(effect.subjects), effect.effect) for effect in self.effects)}


@cache
def program() -> str:
    """Return the version of this program."""
    return version("overtable")
