"""Figures that the parts of the book share."""

from assistant.rules.constraints import KeepOut
from assistant.rules.parties import enemies
from assistant.rules.rulebook import Question
from assistant.rules.usual import base_contact


def mm(inches: float) -> float:
    """Return inches in millimetres, without the noise that a product of decimals has."""
    return round(inches * 25.4, 9)


def level_mm(asked: Question) -> float:
    """Return by how much the heights of two models that meet may differ."""
    return mm(asked.number("level_in"))


def in_contact(asked: Question) -> KeepOut:
    """Return base contact with enemies as a keep-out."""
    return base_contact("pri-16", enemies, asked.number("contact_mm"), level_mm(asked))


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
