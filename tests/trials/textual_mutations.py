"""Textual mutations: what turns a text, or the words of a command, into one that nobody would write."""

import random
import re
from collections.abc import Callable

NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?")
QUOTED = re.compile(r'"[^"\n]*"')
NUMBERS = (
    "0", "-0", "-1", "1", "2.5", "1e9", "1e308", "1e309", "-1e309", "5e-324", "nan", "inf", "-inf", "NaN", "Infinity",
    "1e-9", "0x10", "1_000", "9" * 30, "9" * 401, "9" * 5000, "587", "65535", "-2147483649", "9223372036854775808",
    "1e", "٣", "½", "1,5", "1-1000000000", "0-586", "39-0", "true", "null", "", " ", '""', "[]", "{}", "1979-05-27",
)  # fmt: skip
"""What may stand in the place of a number."""
WORDS = (
    "", " ", "\t", "\u0000", "\n", "a" * 101, "a" * 5000, "\u202eabc", "👾", "e\u0301", "\ud800", "\udcff", "..", ".",
    "nowhere/at/all", "~", "*", "%s", "%d%n", "{0}", "{}", "$(id)", "\\", "\\u0000",
    "'", '"', "<b>", "--", "-", "--json", "--help", "--no-such", "=", "a=b", "round:0", "oval:60x", "rect:1e999x1",
    "round:nan", "chess:0x0:0", "chess:3x3:1e999", "charuco:11x8:25:18:5X5_100", "images:", "usb:x",
    "http://[", "1:2:3:4", "99999999999:00", "0", "-1", "nan", "inf", "1e309", "9" * 400,
)  # fmt: skip
"""What may stand in the place of a word; no path of anything that is there, for a command may write to it."""


def _replace_match(pattern: re.Pattern[str], values: tuple[str, ...]) -> Callable[[random.Random, str], str]:
    def mutate(rng: random.Random, text: str) -> str:
        found = list(pattern.finditer(text))
        if not found:
            return text + rng.choice(values)
        chosen = rng.choice(found)
        return text[: chosen.start()] + rng.choice(values) + text[chosen.end() :]

    return mutate


def _drop_line(rng: random.Random, text: str) -> str:
    lines = text.splitlines(keepends=True) or [""]
    del lines[rng.randrange(len(lines)) : rng.randrange(len(lines)) + 1]
    return "".join(lines)


def _repeat_line(rng: random.Random, text: str) -> str:
    lines = text.splitlines(keepends=True) or [""]
    at, count = rng.randrange(len(lines)), rng.choice((1, 2, 1000))
    return "".join(lines[:at] + lines[at : at + rng.choice((1, 6))] * count + lines[at:])


def _swap_lines(rng: random.Random, text: str) -> str:
    lines = text.splitlines(keepends=True) or [""]
    one, two = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[one], lines[two] = lines[two], lines[one]
    return "".join(lines)


def _cut_off(rng: random.Random, text: str) -> str:
    return text[: rng.randrange(len(text) + 1)]


def _put_in(rng: random.Random, text: str) -> str:
    at = rng.randrange(len(text) + 1)
    return text[:at] + rng.choice((*WORDS, "[" * 5000, '{"a":' * 5000, "\ufeff", "\r", "\x1b[2J")) + text[at:]


def _drop_letter(rng: random.Random, text: str) -> str:
    at = rng.randrange(len(text) + 1)
    return text[:at] + text[at + 1 :]


def _replace_all(rng: random.Random, _text: str) -> str:
    return rng.choice(
        ("", "\n", "{}", "[]", "null", "\ufeff", "0", '"a"', "\udcff\udcfe", "PK\x03\x04", "[[a]]", "a=1")
    )


TEXT_MUTATIONS: tuple[Callable[[random.Random, str], str], ...] = (
    *(_replace_match(NUMBER, NUMBERS),) * 4,
    *(_replace_match(QUOTED, tuple(f'"{word}"' for word in WORDS)),) * 2,
    *(_replace_match(re.compile(r"[\w-]+"), WORDS),) * 2,
    _drop_line, _repeat_line, _swap_lines, _cut_off, _put_in, _drop_letter, _replace_all,
)  # fmt: skip


def _replace_argument(rng: random.Random, arguments: list[str]) -> None:
    arguments[rng.randrange(len(arguments))] = rng.choice((*WORDS, *NUMBERS))


def _change_argument(rng: random.Random, arguments: list[str]) -> None:
    at = rng.randrange(len(arguments))
    arguments[at] = rng.choice(TEXT_MUTATIONS[:8])(rng, arguments[at])


def _add_argument(rng: random.Random, arguments: list[str]) -> None:
    arguments.insert(rng.randrange(1, len(arguments) + 1), rng.choice((*WORDS, *arguments)))


def _drop_argument(rng: random.Random, arguments: list[str]) -> None:
    if len(arguments) > 1:
        del arguments[rng.randrange(1, len(arguments))]


_ARGUMENT_MUTATIONS: tuple[Callable[[random.Random, list[str]], None], ...] = (
    *(_replace_argument,) * 3,
    _change_argument,
    _add_argument,
    _drop_argument,
)


def mutate_arguments(rng: random.Random, arguments: list[str]) -> None:
    """Change the words of a command, as far as a shell can hand them over."""
    rng.choice(_ARGUMENT_MUTATIONS)(rng, arguments)
    arguments[:] = [word.replace("\u0000", "").replace("\ud800", "\udcd8") for word in arguments]
