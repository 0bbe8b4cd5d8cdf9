"""Text from right to left: Arabic letters in the forms in which they join, and all in the order in which it is drawn.

Both follow Unicode (its joining forms, and what of its bidirectional algorithm a line of names and numbers needs).
"""

import unicodedata
from collections.abc import Sequence
from functools import cache

_FORMS = range(0xFB50, 0xFEFD)
"""Where Unicode keeps letters in the forms in which they join."""
_LAM, _ALEFS = "\u0644", "\u0622\u0623\u0625\u0627"
"""Written as one letter where one follows the other."""
_TATWEEL = "\u0640"
_RIGHT = ("R", "AL")
_NUMBERS = ("EN", "AN")
_MIRRORED = str.maketrans("()[]{}<>«»‹›", ")(][}{><»«›‹")


def draw_in_order(text: str) -> str:
    """Return a line's letters as they are drawn from left to right.

    >>> draw_in_order("guard 3") == "guard 3"
    True
    >>> draw_in_order("אבג-12")
    '12-גבא'
    """
    if not any(unicodedata.bidirectional(letter) in _RIGHT for letter in text):
        return text
    clusters = _list_clusters(_join_letters(text))
    levels = _find_levels([unicodedata.bidirectional(cluster[0]) for cluster in clusters])
    shown = [
        cluster.translate(_MIRRORED) if level == 1 else cluster for cluster, level in zip(clusters, levels, strict=True)
    ]
    for least in (2, 1):
        shown, levels = _turn_runs(shown, levels, least)
    return "".join(shown)


@cache
def _list_forms() -> dict[str, dict[str, str]]:
    """Return each letter's, or pair of letters', forms by ``isolated``, ``initial``, ``medial`` and ``final``."""
    forms: dict[str, dict[str, str]] = {}
    for code in _FORMS:
        kind, _, letters = unicodedata.decomposition(chr(code)).partition(" ")
        plain = "".join(chr(int(letter, 16)) for letter in letters.split())
        if kind.startswith("<") and (len(plain) == 1 or (len(plain) == 2 and plain[0] == _LAM and plain[1] in _ALEFS)):
            forms.setdefault(plain, {})[kind.strip("<>")] = chr(code)
    return forms


def _join_letters(text: str) -> str:
    """Return Arabic letters in the forms that they have beside each other; others stay."""
    forms = _list_forms()
    letters = _list_clusters(text)
    joined: list[str] = []
    is_reached = False  # by the letter before
    at = 0
    while at < len(letters):
        first, marks = letters[at][0], letters[at][1:]
        after = letters[at + 1][0] if at + 1 < len(letters) else ""
        if after and (pair := first + after) in forms:
            own, marks = forms[pair], marks + letters[at + 1][1:]
            after, at = (letters[at + 2][0] if at + 2 < len(letters) else ""), at + 1
        else:
            own = forms.get(first, {})
        is_joined = is_reached and "final" in own
        reaches = "initial" in own and ("final" in forms.get(after, {}) or after == _TATWEEL)
        kind = ("medial" if reaches else "final") if is_joined else ("initial" if reaches else "isolated")
        joined.append(own.get(kind, first) + marks)
        is_reached = "initial" in own or first == _TATWEEL
        at += 1
    return "".join(joined)


def _list_clusters(text: str) -> list[str]:
    """Return letters with the marks that belong to them."""
    clusters: list[str] = []
    for letter in text:
        if clusters and unicodedata.bidirectional(letter) == "NSM":
            clusters[-1] += letter
        else:
            clusters.append(letter)
    return clusters


def _find_levels(kinds: Sequence[str]) -> list[int]:
    """Return for each letter 1 if it runs from the right, and else 0, or 2 within what runs so."""
    base = next((int(kind in _RIGHT) for kind in kinds if kind in (*_RIGHT, "L")), 0)
    levels: list[int | None] = []
    strong = base
    for kind in kinds:
        if kind in (*_RIGHT, "L"):
            strong = int(kind in _RIGHT)
            levels.append(1 if strong else 2 * base)
        elif kind in _NUMBERS:
            levels.append(2 if strong or base else 0)
        else:
            levels.append(None)
    return _fill_neutrals(levels, kinds, base)


def _fill_neutrals(levels: Sequence[int | None], kinds: Sequence[str], base: int) -> list[int]:
    """Return levels in which blanks and signs are drawn as what stands on both sides of them, or as the line."""
    filled: list[int] = []
    for at, level in enumerate(levels):
        if level is not None:
            filled.append(level)
            continue
        sides = [
            next((one for one in beside if levels[one] is not None), None)
            for beside in (range(at - 1, -1, -1), range(at + 1, len(levels)))
        ]
        ways = {base if one is None else int(_runs_from_right(kinds[one], levels[one])) for one in sides}
        way = ways.pop() if len(ways) == 1 else base
        filled.append(1 if way else 2 * base)
    return filled


def _runs_from_right(kind: str, level: int | None) -> bool:
    """Return whether signs beside it run from the right: numbers count so within such a text."""
    return kind in _RIGHT or (kind in _NUMBERS and level == 2)


def _turn_runs(shown: Sequence[str], levels: Sequence[int], least: int) -> tuple[list[str], list[int]]:
    """Return clusters, and their levels, with each run of some level or a higher one in the other direction."""
    turned: list[str] = []
    turned_levels: list[int] = []
    at = 0
    while at < len(shown):
        end = at + 1
        if levels[at] >= least:
            while end < len(shown) and levels[end] >= least:
                end += 1
        turned += reversed(shown[at:end])
        turned_levels += reversed(levels[at:end])
        at = end
    return turned, turned_levels
