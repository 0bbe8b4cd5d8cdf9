"""Lengths in words: inches and centimetres, as players write them."""

from collections.abc import Callable

LengthFormatter = Callable[[float, int], str]


def format_inches(mm: float, decimals: int = 2) -> str:
    """Return a length as a player writes it: ``10.24"``, ``10"``."""
    return f'{_trim_decimals(mm / 25.4, decimals)}"'


def format_centimetres(mm: float, decimals: int = 2) -> str:
    """Return a length as a player writes it: ``10.2 cm``, ``20 cm``."""
    return f"{_trim_decimals(mm / 10, decimals)} cm"


def format_apart(say: LengthFormatter, measured_mm: float, limit_mm: float) -> tuple[str, str]:
    """Return a measured length and its limit in words, with as many decimals as it takes to tell them apart."""
    for decimals in range(2, 7):
        words = say(measured_mm, decimals), say(limit_mm, decimals)
        if words[0] != words[1]:
            break
    return words


def format_contact(gap_mm: float, contact_mm: float) -> str:
    """Return by which tolerance bases are in contact that were measured to be so far apart.

    Where only what touches is in contact there is none, and nothing to say.
    """
    if contact_mm <= 0:
        return ""
    return f": {_trim_decimals(max(gap_mm, 0.0), 2)} mm apart, up to {_trim_decimals(contact_mm, 2)} mm counts"


def _trim_decimals(value: float, decimals: int) -> str:
    text = f"{value:.{decimals}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text
