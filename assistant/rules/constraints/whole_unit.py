"""The whole unit: every model of it takes part."""

from collections.abc import Iterator
from dataclasses import dataclass

from assistant.rules.constraints.base import Constraint, UnitMove
from assistant.rules.engine.placement import has_room
from assistant.rules.verdict import Finding, Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeUnit(Constraint):
    """Binds the unit as a whole: every model of it takes part."""

    rule: str
    if_room: bool = False
    """Only a model for which there is room must."""

    def check_unit(self, move: UnitMove, /) -> Iterator[Finding]:
        """Yield which models are left out."""
        names = tuple(m.id for m in move.left if not self.if_room or has_room(move.rules, move.asked, m))
        if names:
            text = f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} left out; every model takes part"
            yield Finding(rule=self.rule, outcome=Outcome.ILLEGAL, subjects=names, text=text)

    def drop_unit_parts(self) -> None:
        """Leave it aside."""
        return
