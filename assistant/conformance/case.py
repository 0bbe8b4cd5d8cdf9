"""Cases: situations worked out by hand, each with a question and the answer that an engine must give.

The kit carries this module to wherever another engine is: it needs nothing but Python.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

FORMAT = "overtable.case/1"
JUDGE: Mapping[str, Any] = {"command": "judge"}
"""What a case asks that does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One situation with a question and what to expect, as its file says it."""

    name: str
    rules: tuple[str, ...]
    """The ids of the rules that it is an example of."""
    situation: Mapping[str, Any]
    ask: Mapping[str, Any]
    expect: Mapping[str, Any]

    @property
    def rulebook(self) -> str:
        """The id of the rulebook that it belongs to."""
        return str(self.situation["rulebook"])


def build_case(document: Mapping[str, Any]) -> Case:
    """Return the case that stands in a document of the format."""
    return Case(
        name=document["name"],
        rules=tuple(document["rules"]),
        situation=document["situation"],
        ask=document.get("ask", JUDGE),
        expect=document["expect"],
    )
