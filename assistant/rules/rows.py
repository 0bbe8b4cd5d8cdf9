"""The rows of a rule table, and what becomes of each."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Coverage(StrEnum):
    """What becomes of a rule here."""

    JUDGED = "judged"
    REPORTED = "reported"
    """As an effect: a person carries it out."""
    TRACKED = "tracked"
    """By the session that plays the game."""
    NOT_COVERED = "not covered"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One row of the rule table."""

    id: str
    kind: str
    """``G`` measured, ``O`` which actions may be chosen, ``E`` effect, ``S`` sequence, ``X`` outside the chapter."""
    statement: str
    coverage: Coverage
    reason: str = ""
    """Why it is not covered."""


_BECOMES = {
    "G": Coverage.JUDGED,
    "O": Coverage.JUDGED,
    "X": Coverage.JUDGED,
    "E": Coverage.REPORTED,
    "S": Coverage.TRACKED,
}


def rule_table(rows: str, elsewhere: Mapping[str, str] | None = None) -> tuple[Rule, ...]:
    """Return a rule table from lines of id, kind and statement.

    ``elsewhere`` has, by id, why rules are not covered here.  What is outside the chapter (``X``) and is covered
    nevertheless is judged, through a parameter.
    """
    reasons = elsewhere or {}

    def rule(line: str) -> Rule:
        name, kind, statement = line.split(maxsplit=2)
        coverage = Coverage.NOT_COVERED if name in reasons else _BECOMES[kind[0]]
        return Rule(id=name, kind=kind, statement=statement, coverage=coverage, reason=reasons.get(name, ""))

    return tuple(map(rule, rows.strip().splitlines()))
