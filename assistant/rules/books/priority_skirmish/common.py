"""Figures that the parts of the book share."""

from assistant.rules.constraints import KeepOut
from assistant.rules.parties import Party, enemies
from assistant.rules.rulebook import Question


def mm(inches: float) -> float:
    """Return inches in millimetres, without the noise that a product of decimals has."""
    return round(inches * 25.4, 9)


def level_mm(asked: Question) -> float:
    """Return by how much the heights of two models that meet may differ."""
    return mm(asked.number("level_in"))


def contact(asked: Question) -> KeepOut:
    """Return base contact with enemies as a keep-out."""
    return KeepOut(
        rule="pri-16",
        parties=enemies,
        range_mm=asked.number("contact_mm"),
        vertical_mm=level_mm(asked),
        on_the_way=False,
        name="base contact",
        at_limit=False,
    )


def ring(asked: Question) -> KeepOut:
    """Return the range of enemies that only one who means to engage enters."""
    return KeepOut(
        rule="pri-15",
        parties=enemies,
        range_mm=mm(asked.number("keep_out_in")),
        vertical_mm=level_mm(asked),
        on_the_way=True,
        name="range",
        leaving=True,
    )


def apart(asked: Question, rule: str, party: Party, *, on_the_way: bool) -> KeepOut:
    """Return that certain models are not gone through, or not ended on."""
    return KeepOut(
        rule=rule,
        parties=party,
        range_mm=0.0,
        vertical_mm=level_mm(asked),
        on_the_way=on_the_way,
        name="across" if on_the_way else "on top of",
        leaving=on_the_way,
    )
