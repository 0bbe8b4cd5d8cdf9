"""What most rulebooks ask, as constraints."""

from assistant.rules.constraints import Allowance, Cost, KeepOut, Pivot
from assistant.rules.parties import Party


def across(rule: str, party: Party, level_mm: float, *, leaving: bool = True) -> KeepOut:
    """Return that certain models are not moved across; one who starts on one may leave it."""
    return KeepOut(
        rule=rule,
        parties=party,
        range_mm=0.0,
        vertical_mm=level_mm,
        on_the_way=True,
        name="across",
        leaving=leaving,
    )


def on_top(rule: str, party: Party, level_mm: float) -> KeepOut:
    """Return that nobody ends on top of certain models."""
    return KeepOut(rule=rule, parties=party, range_mm=0.0, vertical_mm=level_mm, on_the_way=False, name="on top of")


def base_contact(
    rule: str, party: Party, range_mm: float, level_mm: float, *, on_the_way: bool = False, name: str = "base contact"
) -> KeepOut:
    """Return being in contact with certain models as a keep-out: exactly at the range is contact."""
    return KeepOut(
        rule=rule,
        parties=party,
        range_mm=range_mm,
        vertical_mm=level_mm,
        on_the_way=on_the_way,
        name=name,
        at_limit=False,
        leaving=on_the_way,
    )


def by_centre(rule: str, limit_mm: float, costs: tuple[Cost, ...] = ()) -> Allowance:
    """Return a greatest length of the way of a base's centre: turning is free."""
    return Allowance(rule=rule, limit_mm=limit_mm, pivot=Pivot.FREE, pivot_mm=0.0, costs=costs)
