"""The army format: one way in which people write down whom they play with."""

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from assistant.armies.army import Army
from assistant.armies.formats.code_pages import find_encoding
from assistant.errors import BadInput
from assistant.rules.rulebook import Rulebook

if TYPE_CHECKING:
    from assistant.armies.formats.roster_line import LineParser

MOST_BYTES = 5_000_000
"""Of a file, and of what is packed in it: many times any army list, and little beside a machine's memory."""
WIDE = 0.1
"""Of the bytes of a text, how many are zero at least where each letter has two."""
_FOREIGN = {
    b"<!doctype html": "a web page",
    b"<html": "a web page",
    b"%pdf-": "a PDF",
    b"\x89png": "a picture",
    b"\xff\xd8": "a picture",
    b"{\\rtf": "a text of a word processor",
}
"""By how a file begins, in lower case."""
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmyReading:
    """What a file was found to say."""

    armies: tuple[Army, ...]
    """At least one."""
    remarks: tuple[str, ...] = ()
    """What was passed over or not understood, a sentence each with the place in the file."""


class ArmyReader(Protocol):
    """Reads the armies in a file."""

    def __call__(self, data: bytes, name: str, book: Rulebook | None) -> ArmyReading:
        """Return what the content of a file of this name says, by a rulebook if one is chosen.

        Raises:
            BadInput: one sentence that names the file, the place in it and what was expected.

        """


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmyFormat:
    """A format; a file is of it by the ending of its name, or by what stands in it."""

    name: str
    """Its own among all formats."""
    read: ArmyReader
    suffixes: tuple[str, ...] = ()
    """Endings of its files' names, in lower case, such as ``.toml``."""
    parse: "LineParser | None" = None
    """Of a list of lines: each of them, and what it was taken for."""
    recognises: Callable[[bytes], bool] = lambda _: False
    """Whether content is of this format, whatever the file is called; it decides where several have one ending."""


def decode_text(data: bytes, name: str, expected: str) -> str:
    """Return the text in a file, in UTF-8, UTF-16 or a page of older programs; BadInput if it has none, or no list."""
    check_content(data, name)
    text = data.decode(_find_wide_encoding(data) or find_encoding(data), errors="replace")
    if _CONTROL.search(text):
        raise BadInput(f"{name}: this is not a text file; expected {expected}")
    return text


def _find_wide_encoding(data: bytes) -> str | None:
    """Return the kind of UTF-16 that a text is in, also where no mark says so; None if it is in none."""
    if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return "utf-16"
    zeros = [data[at:4000:2].count(0) for at in (1, 0)]
    return ("utf-16-le", "utf-16-be")[zeros[1] > zeros[0]] if max(zeros) > WIDE * min(len(data), 4000) else None


def check_content(data: bytes, name: str) -> None:
    """Raise BadInput if a file is empty, or what people take for a list by mistake."""
    start = data[:4000].replace(b"\0", b"").removeprefix(codecs.BOM_UTF8).strip()[:200].lower()
    if not start.strip(b"\xff\xfe"):
        raise BadInput(f"{name}: it is empty; save the list anew")
    for opening, what in _FOREIGN.items():
        if start.startswith(opening):
            raise BadInput(f"{name}: this is {what}; paste the list's text, or take the file that its program exports")


def check_size(data: bytes, name: str) -> None:
    """Raise BadInput if a file's content, or what is packed in it, is larger than any list."""
    if len(data) > MOST_BYTES:
        raise BadInput(f"{name}: it is larger than any army list, which has {MOST_BYTES // 1_000_000} MB at most")
