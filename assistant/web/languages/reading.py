"""Reading what the table says: its English sentences in another language, for what is made without a page.

``read()`` does what the function of that name in ``common/language.js`` does on the pages, by the same templates, and a
test holds each to the other: it knows a sentence by its words, takes the values out, and says it anew.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from assistant.web.languages.catalogue import KINDS, SOURCE, read_catalogue

LONGEST = 1000
"""What is longer is no sentence of the table's: people's notes may be long."""
MOST_READ = 2000
"""So many texts are remembered as they were read."""
_BREAK = re.compile(r"(?<=[.!?…]) (?=[A-Z“])")
"""Where one sentence ends and another begins."""
_FIGURE = re.compile(f"(?:{KINDS['figure']})", re.ASCII)
_WORD, _DECIMAL = re.compile(r"[\w.]+", re.ASCII), re.compile(r"(\d+)\.(\d+[A-Za-z_.]*)", re.ASCII)
"""A number with decimals is a word of its own, with its unit if any, and no part of an address or a name."""
_NAME = re.compile(r"\{(\w+)\}", re.ASCII)


def read(text: str, language: str) -> str:
    """Return in a language what the table says in English; what is known as none of its sentences stays as it is.

    >>> read('s1 moved 10.24" of 10"', "de")
    's1 bewegte sich 10,24" von 10"'
    """
    if language == SOURCE or not text or len(text) > LONGEST:
        return text
    said = _read_text(text.strip(), language)
    if said is not None:
        return said
    return write_decimals(text, language) if _FIGURE.fullmatch(text) else text


def write_decimals(text: str, language: str) -> str:
    """Return a text with its decimal numbers as they are written in a language."""
    return text if language == SOURCE else _WORD.sub(_write_decimal, text)


def _write_decimal(word: re.Match[str]) -> str:
    number = _DECIMAL.fullmatch(word[0])
    return f"{number[1]},{number[2]}" if number else word[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pattern:
    """How a sentence is known."""

    form: re.Pattern[str]
    said: str


@cache
def _list_patterns(language: str) -> list[_Pattern]:
    """Return how sentences are known: what is said about another first, then the one with the most own words."""

    def count_own(template: str) -> int:
        return len(_NAME.sub("", template)) + (LONGEST if "{sentence}" in template else 0)

    sentences = read_catalogue(language)["sentences"]
    templates = sorted((each for each in sentences if "{" in each), key=count_own, reverse=True)
    return [_Pattern(form=_build_form(template), said=sentences[template]) for template in templates]


def _build_form(template: str) -> re.Pattern[str]:
    seen = set[str]()
    parts = list[str]()
    for at, part in enumerate(_NAME.split(template)):
        if at % 2 == 0:
            parts.append(re.escape(part))
        else:
            parts.append(f"(?P={part})" if part in seen else f"(?P<{part}>{KINDS.get(part, '.+?')})")
            seen.add(part)
    return re.compile("".join(parts), re.DOTALL | re.ASCII)


@lru_cache(maxsize=MOST_READ)
def _read_text(text: str, language: str) -> str | None:
    """Return sentences, a sentence, or a list of which each part is known; None where nothing is known."""
    parts = _BREAK.split(text)
    if len(parts) == 1:
        known = _read_sentence(text, language)
        return known if known is not None else _read_list(text.split(", "), language)
    said = [_read_text(part, language) for part in parts]
    if None in said and (known := _read_sentence(text, language)) is not None:
        return known
    if all(part is None for part in said):
        return None
    return " ".join(part if own is None else own for own, part in zip(said, parts, strict=True))


def _read_list(items: list[str], language: str) -> str | None:
    if len(items) == 1:
        return None
    said = [_read_text(item, language) for item in items]
    return None if None in said else ", ".join(item for item in said if item is not None)


def _read_sentence(text: str, language: str) -> str | None:
    """Return one sentence, however its first letter is written."""
    known = _read_as(text, language)
    if known is not None:
        return known
    first = text[:1]
    if first.lower() == first.upper():
        return None
    if first == first.lower():
        return _read_as(first.upper() + text[1:], language)
    said = _read_as(first.lower() + text[1:], language)
    return said[:1].upper() + said[1:] if said else said


def _read_as(text: str, language: str) -> str | None:
    sentences = read_catalogue(language)["sentences"]
    if text in sentences:
        return sentences[text]
    for pattern in _list_patterns(language):
        values = pattern.form.fullmatch(text)
        if values and _fits(values.groupdict(), language):
            return _fill(
                pattern.said, {name: read(value, language) for name, value in values.groupdict().items()}, language
            )
    return None


def _fits(values: Mapping[str, str], language: str) -> bool:
    """Whether values are what their names say: a sentence or a fact is known, and others are no sentences."""
    inner = [values[name] for name in ("sentence", "fact") if name in values]
    words = [value for name, value in values.items() if name not in {"more", "sentence"}]
    return all(_read_text(each, language) is not None for each in inner) and not any(map(_BREAK.search, words))


def _fill(said: str, values: Mapping[str, str], language: str) -> str:
    return _NAME.sub(lambda name: write_decimals(values.get(name[1], name[0]), language), said)
