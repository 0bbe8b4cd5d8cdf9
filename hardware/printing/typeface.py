"""The typeface of printed pages: how wide a text is, and what is printed for a letter that the typeface lacks.

DejaVu Sans is embedded in every PDF, so that Latin, Greek, Cyrillic, Hebrew and Arabic names are printed, and can be
searched, whatever fonts a viewer or printer has.  Chinese, Japanese and Korean letters are printed as outlines.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from hardware.printing.right_to_left import draw_in_order
from hardware.printing.traced_letters import TracedLetter, trace_letter

FONTS = Path(__file__).parent / "fonts"
REGULAR, BOLD = "DejaVuSans", "DejaVuSans-Bold"
MISSING = "□"
"""Printed in place of a letter that is in no font, and has no name to print instead as emoji have."""
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


def clean_text(text: str) -> str:
    """Return a text with accents joined to their letters, and blanks for line ends and the like."""
    return "".join(map(_clean_letter, unicodedata.normalize("NFC", text)))


def _clean_letter(letter: str) -> str:
    category = unicodedata.category(letter)
    if category in _SPACE_CATEGORIES:
        return " "
    return MISSING if category == "Cs" or letter in "\ufffe\uffff" else letter


def compose_text(text: str) -> str:
    """Return a text's letters as they are printed from left to right.

    A picture that is in no font is called by its name in Unicode, and another letter is a square.

    >>> compose_text("Łukasz 龍 🐉")
    'Łukasz 龍 (dragon)'
    """
    return "".join(map(_compose_letter, draw_in_order(clean_text(text))))


def _compose_letter(letter: str) -> str:
    category = unicodedata.category(letter)
    if _is_set(letter) and category != "Cf":
        return letter
    if category in _UNPRINTED_CATEGORIES:
        return ""
    if trace_letter(letter) is not None:
        return letter
    name = unicodedata.name(letter, "").lower() if category == "So" else ""
    return f"({name})" if name else MISSING


def list_runs(composed: str) -> Iterator[str | TracedLetter]:
    """Yield what a composed text is printed as, from left to right: text in the typeface, and letters as outlines."""
    for is_set, letters in groupby(composed, _is_set):
        if is_set:
            yield "".join(letters)
        else:
            yield from filter(None, map(trace_letter, letters))


def measure_run_mm(run: str | TracedLetter, size_mm: float, *, bold: bool = False) -> float:
    """Return how wide a part of a text is printed."""
    if isinstance(run, TracedLetter):
        return run.width * size_mm
    return float(load_font(bold=bold).stringWidth(run, size_mm))


def measure_text_mm(text: str, size_mm: float, *, bold: bool = False) -> float:
    """Return how wide a line of text is printed."""
    return sum((measure_run_mm(run, size_mm, bold=bold) for run in list_runs(compose_text(text))), 0.0)


def _is_set(letter: str) -> bool:
    """Return whether the typeface has a letter."""
    return ord(letter) in load_font().face.charToGlyph


def fit_text(text: str, *, room_mm: float, sizes_mm: Sequence[float]) -> tuple[str, float]:
    """Return a text and the largest of some sizes at which it has room; at the least it is cut short."""
    for size_mm in sizes_mm:
        if measure_text_mm(text, size_mm) <= room_mm:
            return text, size_mm
    least_mm = min(sizes_mm)
    while text and measure_text_mm(text + "…", least_mm) > room_mm:
        text = text[:-1]
    return text + "…", least_mm
