"""The typeface of printed pages: how wide a text is, and what is printed for a letter that the typeface lacks.

DejaVu Sans is embedded in every PDF, so that Latin, Greek and Cyrillic names are printed, and can be searched, whatever
fonts a viewer or printer has.
"""

import unicodedata
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

FONTS = Path(__file__).parent / "fonts"
REGULAR, BOLD = "DejaVuSans", "DejaVuSans-Bold"
MISSING = "□"
"""Printed in place of a letter that the typeface lacks, such as an emoji or a Chinese one."""
_UNPRINTED_CATEGORIES = {"Cf", "Mn", "Me"}
"""Unicode's categories of marks that only change the letter before them, and of invisible ones."""
_SPACE_CATEGORIES = {"Cc", "Zl", "Zp", "Zs"}


def load_font(*, bold: bool = False) -> Any:  # noqa: ANN401 - reportlab ships no types
    """Return reportlab's font of that weight, registered under its name."""
    return _load_font(BOLD if bold else REGULAR)


@cache
def _load_font(name: str) -> Any:  # noqa: ANN401 - reportlab ships no types
    from reportlab.pdfbase import pdfmetrics, ttfonts  # noqa: PLC0415 - slow to load, and few commands print

    font = ttfonts.TTFont(name, str(FONTS / f"{name}.ttf"))
    pdfmetrics.registerFont(font)
    return font


def compose_text(text: str) -> str:
    """Return a text in letters that the typeface has: accents joined to their letters, a square for what it lacks.

    >>> compose_text("Łukasz 龍 ☃")
    'Łukasz □ □'
    """
    letters: dict[int, int] = load_font().face.charToGlyph
    composed = []
    for letter in unicodedata.normalize("NFC", text):
        category = unicodedata.category(letter)
        if category in _SPACE_CATEGORIES:
            composed.append(" ")
        elif ord(letter) in letters and category != "Cf":
            composed.append(letter)
        elif category not in _UNPRINTED_CATEGORIES:
            composed.append(MISSING)
    return "".join(composed)


def measure_text_mm(text: str, size_mm: float, *, bold: bool = False) -> float:
    """Return how wide a line of text is printed."""
    return float(load_font(bold=bold).stringWidth(compose_text(text), size_mm))


def fit_text(text: str, *, room_mm: float, sizes_mm: Sequence[float]) -> tuple[str, float]:
    """Return a text and the largest of some sizes at which it has room; at the least it is cut short."""
    for size_mm in sizes_mm:
        if measure_text_mm(text, size_mm) <= room_mm:
            return text, size_mm
    least_mm = min(sizes_mm)
    while text and measure_text_mm(text + "…", least_mm) > room_mm:
        text = text[:-1]
    return text + "…", least_mm
