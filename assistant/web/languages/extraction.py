"""Extraction of what is to be translated: every text that pages say, and the table's sentences.

``python -m assistant.web.languages.extraction`` brings the catalogues up to date: texts that are new come without a
translation, and those that nobody says any more go.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import polib

from assistant.web.languages.catalogue import FOLDER, LANGUAGES, SOURCE, TABLE, UNTRANSLATED, list_texts

STATIC = FOLDER.parent / "static"
SENTENCES = FOLDER / "sentences.txt"
"""What the table says, a template a line; its values have names in braces."""
PLACEHOLDER = re.compile(r"\{(\w+)\}")

_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
    |(?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
    |(?P<template>`)
    |(?P<regex>(?<=[=(,:!&|?{};\[])\s*/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/[a-z]*)
    |(?P<name>[A-Za-z_$][\w$]*)
    |(?P<other>===|!==|\s+|.)""",
    re.VERBOSE | re.DOTALL,
)
Token = tuple[str, str]
"""A kind and what stands there; of a template its text with ``{}`` for each value, whose tokens come after it."""


def tokenize(source: str) -> list[Token]:
    """Return the tokens of a module, without comments and white space."""
    tokens, _ = _tokenize(source, 0, "")
    return tokens


def _tokenize(source: str, at: int, ending: str) -> tuple[list[Token], int]:
    tokens: list[Token] = []
    depth = 0
    while at < len(source):
        match = _TOKEN.match(source, at)
        assert match is not None
        kind, text, at = match.lastgroup or "", match[0], match.end()
        if kind == "template":
            found, at = _tokenize_template(source, at)
            tokens += found
        elif kind == "other" and text == ending and depth == 0:
            return tokens, at
        elif kind != "comment" and text.strip():
            depth += {"{": 1, "}": -1}.get(text, 0)
            tokens.append((kind, text))
    return tokens, at


def _tokenize_template(source: str, at: int) -> tuple[list[Token], int]:
    text, values = "", []
    while source[at] != "`":
        if source.startswith("${", at):
            inner, at = _tokenize(source, at + 2, "}")
            text += "{}"
            values += [("other", "${"), *inner, ("other", "}")]
        elif source[at] == "\\":
            text, at = text + source[at : at + 2], at + 2
        else:
            text, at = text + source[at], at + 1
    return [("template", text), *values], at + 1


def _unquote(token: str) -> str:
    inner = token[1:-1]
    return re.sub(r"\\(.)", lambda match: {"n": "\n"}.get(match[1], match[1]), inner)


def list_said(tokens: list[Token]) -> Iterator[tuple[str, str]]:
    """Yield what a module says through ``say``, and through ``sayCount`` as one and as more."""
    for at, (kind, name) in enumerate(tokens):
        if kind != "name" or name not in {"say", "sayCount"} or tokens[at + 1 : at + 2] != [("other", "(")]:
            continue
        arguments = _split_arguments(tokens, at + 2)
        if name == "say" and arguments:
            yield from ((text, "") for text in _list_strings(arguments[0]))
        elif len(arguments) > 2:
            yield from zip(_list_strings(arguments[1]), _list_strings(arguments[2]), strict=True)


def _split_arguments(tokens: list[Token], at: int) -> list[list[Token]]:
    arguments: list[list[Token]] = [[]]
    depth = 0
    for token in tokens[at:]:
        if depth == 0 and token == ("other", ")"):
            break
        if depth == 0 and token == ("other", ","):
            arguments.append([])
            continue
        depth += (
            {"(": 1, "[": 1, "{": 1, "${": 1, ")": -1, "]": -1, "}": -1}.get(token[1], 0) if token[0] == "other" else 0
        )
        arguments[-1].append(token)
    return arguments


def _list_strings(tokens: list[Token]) -> Iterator[str]:
    """Yield the texts of an argument: not what something is only compared with."""
    for at, (kind, text) in enumerate(tokens):
        beside = [token[1] for token in (*tokens[max(at - 1, 0) : at], *tokens[at + 1 : at + 2])]
        if kind == "string" and not {"===", "!=="} & set(beside):
            yield _unquote(text)


def list_modules() -> list[Path]:
    """Return the scripts of translated pages, and what all pages share."""
    return [file for file in sorted(STATIC.rglob("*.js")) if file.parent.name not in UNTRANSLATED]


def list_documents() -> list[Path]:
    """Return the documents of translated pages."""
    return [file for file in sorted(STATIC.glob("*/*.html")) if file.parent.name not in UNTRANSLATED]


def list_sentences() -> list[str]:
    """Return the templates of what the table says."""
    lines = SENTENCES.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def build_template() -> dict[tuple[str | None, str], polib.POEntry]:
    """Return an entry without a translation for each text, by its context and its English words."""
    entries: dict[tuple[str | None, str], polib.POEntry] = {}

    def add(text: str, more: str, where: str) -> None:
        entry = entries.setdefault((None, text), polib.POEntry(msgid=text))
        entry.msgid_plural = entry.msgid_plural or more
        if (where, "") not in entry.occurrences:
            entry.occurrences.append((where, ""))

    for file in list_documents():
        for text in list_texts(file.read_text(encoding="utf-8")):
            add(text, "", file.relative_to(STATIC).as_posix())
    for file in list_modules():
        for text, more in list_said(tokenize(file.read_text(encoding="utf-8"))):
            add(text, more, file.relative_to(STATIC).as_posix())
    for text in list_sentences():
        entries[TABLE, text] = polib.POEntry(msgctxt=TABLE, msgid=text)
    return entries


def update(language: str) -> polib.POFile:
    """Return a language's catalogue with all that is to be translated and nothing else, in the sources' order."""
    file = FOLDER / f"{language}.po"
    old = polib.pofile(str(file), wrapwidth=110)
    known: dict[tuple[str | None, str], polib.POEntry] = {(entry.msgctxt, entry.msgid): entry for entry in old}
    updated = polib.POFile(wrapwidth=110)
    updated.metadata = old.metadata
    for key, entry in build_template().items():
        before = known.get(key)
        if before is not None and bool(before.msgid_plural) == bool(entry.msgid_plural):
            entry.msgstr, entry.tcomment = before.msgstr, before.tcomment
            entry.msgstr_plural = before.msgstr_plural
        elif entry.msgid_plural:
            entry.msgstr_plural = {0: "", 1: ""}
        updated.append(entry)
    return updated


if __name__ == "__main__":
    for each in LANGUAGES:
        if each != SOURCE:
            update(each).save(str(FOLDER / f"{each}.po"))
