"""Effects as sentences, the same on the command line and on the tablet."""

import pytest

from assistant.rules.books import find_rulebook, list_rulebooks
from assistant.rules.rulebook import Rulebook
from assistant.rules.verdict import Effect
from tests.rulebook_cases import read_cases


@pytest.mark.parametrize("book", list_rulebooks(), ids=lambda book: book.id)
def test_every_effect_of_the_cases_is_said_in_words(book: Rulebook) -> None:
    expected = [case.get("expect", {}) for case in read_cases(book).values()]
    effects = {effect["effect"] for case in expected for effect in case.get("effects", ())}
    for name in effects:
        text = book.describe_effect(Effect(rule="x", subjects=("a", "b"), effect=name))
        assert "a, b" in text
        assert name not in text or "-" not in name, f"{name} has no saying"
        assert name.partition(":")[2] in text


def test_an_effect_is_said_of_its_subjects() -> None:
    book = find_rulebook("warhammer-40k-10e")
    said = {
        effect: book.describe_effect(Effect(rule="x", subjects=("s1",), effect=effect))
        for effect in ("cannot-shoot", "embarked:b{1}", "glows:9")
    }
    assert said == {
        "cannot-shoot": "s1 cannot shoot this turn",
        "embarked:b{1}": "s1 is embarked in b{1}",
        "glows:9": "s1: glows:9",
    }
