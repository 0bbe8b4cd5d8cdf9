"""Patterns: none in the source takes steps that grow faster than the text that it is given."""

import re

import pytest

from tests.docs.source_names import ROOT
from tests.pattern_growth import Use, find_growth
from tests.source_patterns import ROOMS, list_source_patterns


def test_no_pattern_of_the_source_is_slow() -> None:
    slow = []
    for found in list_source_patterns():
        word = find_growth(found.pattern, found.flags, found.use)
        if word is not None:
            slow.append(f"{found.where}: {found.pattern!r} is slow where {word!r} stands again and again")
    assert not slow, "\n".join(slow)


def test_every_pattern_of_the_source_is_looked_at() -> None:
    looked_at = {found.where for found in list_source_patterns()}
    asked = re.compile(r"\bre\.(?:compile|search|(?:full)?match|findall|finditer|subn?|split)\(")
    for room in ROOMS:
        for path in (ROOT / room).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"^\s*(?:from re import|import re as|import regex)", text, re.MULTILINE), path
            for number, line in enumerate(text.splitlines(), 1):
                assert not asked.search(line) or f"{path.relative_to(ROOT)}:{number}" in looked_at, line


@pytest.mark.parametrize(
    ("pattern", "use"),
    [
        (r"\s*x", "anywhere"),  # each place of a run of spaces begins anew
        (r"a*a*", "whole"),
        (r"\s*(.+)", "whole"),
        (r"(?:\w+\s?)*$", "start"),
        (r"(?:a|a)*b", "whole"),
        (r"(?:a*)*b", "whole"),
        (r"(?:a*c|a)*", "start"),
        (r"a{0,500}b", "anywhere"),
        (r"x*(?=\s*m)y|\s", "anywhere"),
        (r"\d+\s*(?!\s*m)", "anywhere"),
    ],
)
def test_tells_a_slow_pattern(pattern: str, use: Use) -> None:
    assert find_growth(pattern, 0, use)


@pytest.mark.parametrize(
    ("pattern", "use"),
    [
        (r"\s*x", "start"),
        (r"\d+(?:[.,]\d+)?", "anywhere"),  # once begun it fits
        (r"(?<!\d)\d+x", "anywhere"),
        (r"\b\d+x", "anywhere"),
        (r"a*a*", "start"),
        (r"^a*a", "anywhere"),
        (r"(\d+(?:\.\d+)?)\s*x", "whole"),
        (r"a{0,9}b", "anywhere"),
        (r"(?:a+b)+", "whole"),
        (r"x(?!\s*m)", "anywhere"),
        (r"(?s:[a-z]:/*.*)", "whole"),
    ],
)
def test_tells_a_pattern_that_is_not_slow(pattern: str, use: Use) -> None:
    assert find_growth(pattern, re.DOTALL if pattern.startswith("(?s") else 0, use) is None
