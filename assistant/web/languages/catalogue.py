"""The catalogue of a language, and the documents of pages in it.

A catalogue is a gettext file (``de.po``), the format that translators' programs read and write.  What a page says
itself stands in it by its English words; what the table says in English, with ``table`` as its context, by a template
with names for the values, which the page knows the sentence by.  So nothing that is judged, recorded or told to other
programs depends on anybody's language, and a game of long ago reads in the reader's.
"""

import html
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TypedDict

from starlette.requests import cookie_parser

FOLDER = Path(__file__).parent
SOURCE = "en"
"""What the pages are written in."""
LANGUAGES = (SOURCE, *sorted(file.stem for file in FOLDER.glob("*.po")))
COOKIE = "overtable-language"
TABLE = "table"
"""The context of what the table says."""

UNTRANSLATED = frozenset(
    {
        "api",
        "help",
    }
)
"""Pages, by their folders, that are in English for everybody: not all that they say goes through the catalogues yet."""

_TEXT = re.compile(r"(?<=>)[^<>]+(?=<)")
_ATTRIBUTE = re.compile(r'(?<= )(aria-label|title|alt|placeholder)="([^"]*)"')
_WORD = re.compile(r"[^\W\d_]{2}")


_LENGTH = r'-?\d+(?:\.\d+)?(?:"| cm| mm)?'
KINDS = {
    "figure": rf"{_LENGTH}|\d+\.\d+ %",
    **dict.fromkeys(("gap", "length", "limit", "sure", "width"), _LENGTH),
    "mm": r"[+-]?\d+\.\d+",
    **dict.fromkeys(("counted", "nth", "last"), r"\d+"),
    "moves": r"1 move|\d+ moves",
    "players": r"1 player|\d+ players",
    "points": r"1 point|\d+ points",
    "troops": r"1 model|\d+ models",
    "units": r"1 unit|\d+ units",
    **dict.fromkeys(("clock", "until"), r"\d+:\d\d(?::\d\d(?:\.\d)?)?"),
    "lasting": r"\d+ h \d\d min|\d+ min \d\d s|\d+ s",
    "day": r"\d\d",
    "month": "[A-Z][a-z]+",
    "year": r"\d{4}",
    "side": "Width|Depth",
    **dict.fromkeys(("edge", "joining"), "front|rear|left|right"),
    "verb": "stands|ends|passes",
    "colour": "light blue|dark pink|almost white|dark green",
    **dict.fromkeys(("others", "owner"), "[^()]+"),
    "rule_id": r"[\w.-]+",
}
"""What values of these names look like in the table's sentences, as patterns that Python and browsers read alike; of
other names they are any words."""


class Catalogue(TypedDict):
    """What a page loads."""

    texts: dict[str, str | list[str]]
    """By their English words; of what is counted, one for each of the language's plural forms."""
    sentences: dict[str, str]
    """What the table says, by its template."""
    kinds: dict[str, str]
    """See KINDS."""


@lru_cache(maxsize=8)
def read_catalogue(language: str) -> Catalogue:
    """Return a language's catalogue; what is not translated is left out."""
    import polib  # noqa: PLC0415 - who reads English does not wait for it

    texts: dict[str, str | list[str]] = {}
    sentences: dict[str, str] = {}
    for entry in polib.pofile(str(FOLDER / f"{language}.po")):
        if not entry.translated() or entry.obsolete:
            continue
        if entry.msgctxt == TABLE:
            sentences[entry.msgid] = entry.msgstr
        elif entry.msgid_plural:
            texts[entry.msgid] = [form for _, form in sorted(entry.msgstr_plural.items())]
        else:
            texts[entry.msgid] = entry.msgstr
    return Catalogue(texts=texts, sentences=sentences, kinds=KINDS)


def choose_language(headers: Mapping[str, str]) -> str:
    """Return the language for a device: the one that was chosen on it, else the first that its browser prefers.

    >>> choose_language({"accept-language": "fr-CH, de;q=0.7, *;q=0.5"})
    'fr'
    >>> choose_language({"accept-language": "fr", "cookie": "overtable-language=en"})
    'en'
    """
    chosen = cookie_parser(headers.get("cookie", "")).get(COOKIE)
    if chosen in LANGUAGES:
        return chosen
    preferred = [_parse_preference(each) for each in headers.get("accept-language", "").split(",")]
    ranked = sorted(preferred, key=lambda each: -each[1])
    return next((language for language, weight in ranked if weight > 0 and language in LANGUAGES), SOURCE)


def _parse_preference(text: str) -> tuple[str, float]:
    language, _, weight = text.replace(" ", "").partition(";q=")
    try:
        return language.lower().partition("-")[0], float(weight or 1)
    except ValueError:
        return "", 0.0


def list_texts(document: str) -> list[str]:
    """Return what a page's document says, in order, each text once."""
    found = [(match.start(), match[0]) for match in _TEXT.finditer(document)]
    found += [(match.start(), match[2]) for match in _ATTRIBUTE.finditer(document)]
    texts = (_unescape(text) for _, text in sorted(found))
    return list(dict.fromkeys(text for text in texts if _is_said(text)))


@lru_cache(maxsize=64)
def translate_document(file: Path, language: str) -> str:
    """Return a page's document in a language."""
    texts = read_catalogue(language)["texts"]

    def translate(text: str) -> str:
        english = _unescape(text)
        said = texts.get(english)
        if not isinstance(said, str):
            return text
        before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
        return before + html.escape(said) + after

    document = file.read_text(encoding="utf-8").replace('<html lang="en"', f'<html lang="{language}"', 1)
    document = _ATTRIBUTE.sub(lambda match: f'{match[1]}="{translate(match[2])}"', document)
    return _TEXT.sub(lambda match: translate(match[0]), document)


def _unescape(text: str) -> str:
    return " ".join(html.unescape(text).split())


def _is_said(text: str) -> bool:
    return bool(_WORD.search(text)) and text != "overtable"
