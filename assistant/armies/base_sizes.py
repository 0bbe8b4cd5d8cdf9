"""Base sizes as rosters name them: ``32mm``, ``60x35 oval``, ``square 25``."""

import re

from pydantic import ValidationError

from assistant.errors import BadInput
from assistant.files.documents import shorten
from assistant.game.base_spec import BaseSpec

OVALS_MM = ((60.0, 35.0), (75.0, 42.0), (90.0, 52.0), (105.0, 70.0), (120.0, 92.0), (150.0, 95.0), (170.0, 109.0))
"""Sizes that are sold as ovals: two numbers without a word are one of these, or else a rectangle."""
COMMON_BASES = (
    *(BaseSpec(round_mm=across) for across in (25.0, 28.5, 32.0, 40.0, 50.0, 60.0, 80.0, 90.0, 100.0, 130.0, 160.0)),
    *(BaseSpec(oval_mm=sides) for sides in OVALS_MM),
    *(BaseSpec(rect_mm=(side, side)) for side in (20.0, 25.0, 40.0)),
    *(BaseSpec(rect_mm=sides) for sides in ((25.0, 50.0), (50.0, 25.0), (40.0, 20.0), (20.0, 40.0))),
)
"""Offered where none is given; lengths along the model's front come first."""

NUMBER = r"(\d+(?:[.,]\d+)?)"
_ROUND = re.compile(rf"(?:round[: ]*|[⌀Øø] ?)?{NUMBER} ?(?:mm)? ?(?:round)?(?: base)?", re.IGNORECASE)
_SQUARE = re.compile(rf"square[: ]*{NUMBER} ?(?:mm)?|{NUMBER} ?(?:mm)? ?square", re.IGNORECASE)
_SIDES = re.compile(
    rf"(oval|rect(?:angle)?)?[: ]*{NUMBER} ?(?:mm)? ?[x×*] ?{NUMBER} ?(?:mm)? ?(oval|rect(?:angle)?)?(?: base)?",
    re.IGNORECASE,
)
_ALONE = rf"(?<!\d){NUMBER}"
_MENTIONED_SIDES = re.compile(
    rf"(?:\b(?:oval|rect)\w{{0,9}} )?{_ALONE} ?(?:mm)? ?[x×*] ?{NUMBER} ?mm(?: ?(?:oval|rect\w*))?", re.IGNORECASE
)
_MENTIONED = re.compile(rf"(?:square )?{_ALONE} ?mm(?: ?square)?|^ ?{NUMBER} ?$", re.IGNORECASE)


def parse_base(text: str) -> BaseSpec:
    """Read a base as a roster or a command line names it.

    ``32`` is a round base of that diameter in millimetres, ``60x35`` an oval where ovals are sold in that size and
    else a rectangle, the length along the model's front first; a word (oval, rect, square) decides.

    Raises:
        BadInput: it is no base.

    """
    plain = " ".join(text.split())
    try:
        if match := _SQUARE.fullmatch(plain):
            side = _read_number(match[1] or match[2])
            return BaseSpec(rect_mm=(side, side))
        if match := _ROUND.fullmatch(plain):
            return BaseSpec(round_mm=_read_number(match[1]))
        if match := _SIDES.fullmatch(plain):
            sides = (_read_number(match[2]), _read_number(match[3]))
            word = (match[1] or match[4] or "").lower()
            is_oval = word == "oval" or (not word and sides in OVALS_MM)
            return BaseSpec(oval_mm=sides) if is_oval else BaseSpec(rect_mm=sides)
    except ValidationError:
        pass  # a length of 0, or of a mile
    raise BadInput(f"base {shorten(text)!r}: expected one such as 32, 60x35 oval, 25x50 or square 25, in millimetres")


def find_base(text: str) -> BaseSpec | None:
    """Return the base that is named somewhere in a text of it, such as ``Base size: 32mm``; None if none is."""
    plain = " ".join(text.split())
    for match in (_MENTIONED_SIDES.search(plain), _MENTIONED.search(plain)):
        if match:
            try:
                return parse_base(match[0])
            except BadInput:
                continue
    return None


def name_base(base: BaseSpec) -> str:
    """Return a base as `parse_base` reads it, and as people say it; an outline of its own has no such name."""
    if base.round_mm is not None:
        return f"{base.round_mm:g}"
    for kind, sides in (("oval", base.oval_mm), ("rect", base.rect_mm)):
        if sides is not None:
            return (
                f"square {sides[0]:g}"
                if kind == "rect" and sides[0] == sides[1]
                else f"{sides[0]:g}x{sides[1]:g} {kind}"
            )
    return "outline"


def _read_number(text: str) -> float:
    return float(text.replace(",", "."))
