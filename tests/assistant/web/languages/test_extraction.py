"""Whatever a page says goes through the catalogues, and the catalogues hold that and nothing else."""

import ast
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import polib
import pytest

from assistant.web.languages import extraction
from assistant.web.languages.catalogue import FOLDER, KINDS, LANGUAGES, SOURCE, UNTRANSLATED
from assistant.web.languages.extraction import (
    PLACEHOLDER,
    STATIC,
    Token,
    list_modules,
    list_said,
    list_sentences,
    tokenize,
)
from tests.throwaway_environment import ROOT

TRANSLATED = [language for language in LANGUAGES if language != SOURCE]
UNSAID_PROPERTIES = {
    *("accept", "autocomplete", "class", "d", "fill", "for", "href", "id", "inputmode", "key", "pattern", "points"),
    *("rel", "role", "src", "stroke", "style", "transform", "type", "viewBox", "data-key", "data-for", "query"),
}
"""Properties whose values nobody reads."""
UNSAID_CALLS = {
    *("Error", "Event", "addEventListener", "byId", "closest", "getContext", "isTypeSupported", "matchMedia"),
    *("querySelector", "querySelectorAll", "removeEventListener", "removeProperty", "setAttribute", "setProperty"),
}
"""Functions that are given words for programs."""
UNSAID = {
    "Width|Depth",
    "light blue|dark pink|almost white|dark green",
    "system-ui, sans-serif",
    "{}px system-ui, sans-serif",
    'system-ui, "DejaVu Sans", sans-serif',
    "button, a, summary, label, select, input",
    "host judge player",
    " chosen",
    "marker chosen",
    "shot picked",
    "shot odd",
    "button primary",
    "overtable setup",
    "Files",
    '5 Scouts 32mm move 6", infantry\\nBattle Tank 100x60 move 10", vehicle',
    " rotate({} {} {})",
    "input, select",
    "input, select, textarea",
    "button, select, summary, input, textarea",
    "small primary",
    "English",
    "Deutsch",
    "Français",
    "{}, head {}",
    "ring {}",
    "ring {} unseen",
    "ring side-{}{}",
    " unseen",
    " in ",
    "View {} is taken.",
    "<!doctype html>\\n{}",
}
"""Fonts, selectors, roles, the languages in their own words, and what the table's words are made of."""
PROSE = re.compile(r"[A-Za-z’']+[,;:.]? [A-Za-z{“]|^[A-Z][a-z]+|[a-z] ?…|^[ ,]+[a-z]{2}")
NO_PROSE = re.compile(r"^(/|https?:|#|\.|data:|image/|video/|var\(|calc\()|px \{\}$")


def list_unsaid(tokens: list[Token]) -> Iterator[str]:
    """Yield what looks as if people were to read it, and is said in English to all of them."""
    said = {text for pair in list_said(tokens) for text in pair} | UNSAID
    for at, (kind, token) in enumerate(tokens):
        text = token[1:-1].replace('\\"', '"') if kind == "string" else token
        if kind in {"string", "template"} and text not in said and PROSE.search(text) and not NO_PROSE.search(text):
            neighbours = [each[1] for each in (*tokens[max(at - 2, 0) : at], *tokens[at + 1 : at + 2])]
            if not is_for_programs(*neighbours):
                yield text


def is_for_programs(function: str, before: str, after: str = "") -> bool:
    """Whether a string between such tokens is a name, a key, a selector or a property that nobody reads."""
    return (
        before in {"from", "case", "===", "!=="}
        or after in {"===", "!=="}
        or (before == "[" and after == "]")
        or (before in {"{", ","} and after == ":")
        or (before == ":" and function.strip("\"'") in UNSAID_PROPERTIES)
        or (before == "(" and function in UNSAID_CALLS)
    )


@pytest.mark.parametrize("file", list_modules(), ids=lambda file: file.relative_to(STATIC).as_posix())
def test_whatever_people_read_goes_through_the_catalogues(file: Path) -> None:
    assert list(list_unsaid(tokenize(file.read_text(encoding="utf-8")))) == []


def test_what_does_not_go_through_the_catalogues_is_found() -> None:
    source = """
    import { say } from "../common/some words.js"; // a comment, "with words in it"
    const made = el("p", { class: "two words", title: "A title" }, say("Said {here}", { here: "not so" }),
      `${n} of them`);
    if (kind === "as it was") place.textContent = /a "b c" d/.test(x) ? say(a ? "One" : "The other") : "It is over";
    """
    tokens = tokenize(source)
    assert list(list_unsaid(tokens)) == ["A title", "not so", "{} of them", "It is over"]
    assert [text for text, _ in list_said(tokens)] == ["Said {here}", "One", "The other"]


def test_what_is_counted_is_found_as_one_and_as_more() -> None:
    tokens = tokenize('sayCount(count(a, b), "One model", "{n} models", { name })')
    assert list(list_said(tokens)) == [("One model", "{n} models")]


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_catalogue_holds_all_that_is_said_and_nothing_else(language: str) -> None:
    updated = extraction.update(language)
    kept = polib.pofile(str(FOLDER / f"{language}.po"))
    assert {(entry.msgctxt, entry.msgid, entry.msgid_plural) for entry in kept} == {
        (entry.msgctxt, entry.msgid, entry.msgid_plural) for entry in updated
    }, "run python -m assistant.web.languages.extraction, and translate what is new"
    assert [entry.msgid for entry in updated if not entry.translated()] == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_a_translation_has_the_values_and_the_spaces_of_its_text(language: str) -> None:
    for entry in extraction.update(language):
        forms = list(entry.msgstr_plural.values()) if entry.msgid_plural else [entry.msgstr]
        assert forms, entry.msgid
        values = set(PLACEHOLDER.findall(entry.msgid + entry.msgid_plural))
        for form in forms:
            assert set(PLACEHOLDER.findall(form)) | {"n"} == values | {"n"}, entry.msgid
            assert (form[:1].isspace(), form[-1:].isspace()) == (
                entry.msgid[:1].isspace(),
                entry.msgid[-1:].isspace(),
            ), entry.msgid


def test_pages_that_are_in_english_for_everybody_are_listed() -> None:
    assert {file.parent.name for file in STATIC.glob("*/*.js")} >= UNTRANSLATED - {"api", "board"}


def is_made_of(part: str, said: str, pieces: int = 4) -> bool:
    """Whether so many pieces of what is said make up a part of a sentence; the table makes some of several."""
    if part in said:
        return True
    ends = [match.start() for match in re.finditer(r"(?<=\S)(?=\s|\b)", part)][::-1] if pieces > 1 else []
    return any(part[:end] in said and is_made_of(part[end:].strip(), said, pieces - 1) for end in ends)


def test_each_sentence_of_the_table_is_still_worded_so() -> None:
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    strings: set[str] = set()
    for file in chain.from_iterable(
        (ROOT / room).rglob("*.py") for room in ("assistant", "calibration", "hardware", "vision")
    ):
        nodes = list(ast.walk(ast.parse(file.read_bytes())))
        docs = {ast.get_docstring(node, clean=False) for node in nodes if isinstance(node, documented)}
        strings |= {
            node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)
        } - docs
    said = "\0".join(strings)
    said += "".join(file.read_text(encoding="utf-8") for file in (ROOT / "assistant").rglob("script.json"))
    parts = {part.strip() for sentence in list_sentences() for part in PLACEHOLDER.sub("\0", sentence).split("\0")}
    assert sorted(part for part in parts if not is_made_of(part, said)) == []


def test_no_sentence_of_the_table_is_listed_twice() -> None:
    sentences = [
        PLACEHOLDER.sub(lambda name: name[0] if name[1] in KINDS else "{}", sentence) for sentence in list_sentences()
    ]
    assert len(sentences) == len(set(sentences))
