"""Common to this rulebook: contact, the keep-out range and the units of length that its parts share."""

from assistant.rules.constraints.keep_out import KeepOut
from assistant.rules.context import RuleContext
from assistant.rules.presets import define_base_contact
from assistant.rules.selectors import is_enemy


def mm_from_inches(inches: float) -> float:
    """Return inches in millimetres, without the noise that a product of decimals has."""
    return round(inches * 25.4, 9)


def get_level_mm(asked: RuleContext) -> float:
    """Return by how much the heights of two models that meet may differ."""
    return mm_from_inches(asked.read_number("level_in"))


def build_contact(asked: RuleContext) -> KeepOut:
    """Return base contact with enemies as a keep-out."""
    return define_base_contact("pri-16", is_enemy, asked.read_number("contact_mm"), get_level_mm(asked))


def build_keep_out(asked: RuleContext) -> KeepOut:
    """Return the range of enemies that only one who means to engage enters."""
    return KeepOut(
        rule="pri-15",
        parties=is_enemy,
        range_mm=mm_from_inches(asked.read_number("keep_out_in")),
        vertical_mm=get_level_mm(asked),
        on_the_way=True,
        name="range",
        leaving=True,
    )
