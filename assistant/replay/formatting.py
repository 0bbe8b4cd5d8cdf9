"""Formatting: how times, lengths and outcomes are written wherever a recorded game is told of."""

import re
from pathlib import Path

from assistant.errors import BadInput
from assistant.game.state import NO_RULEBOOK, GameState
from assistant.rules.books import find_rulebook
from assistant.rules.lengths import format_inches

SECOND_NS = 1_000_000_000
DATED_NS = 1_000_000_000 * SECOND_NS
"""Capture times after this (2001) are times of day; those of a film count from its beginning."""
OUTCOMES = {
    "legal": "legal",
    "illegal": "not legal",
    "too-close": "too close to call",
    "unobserved": "not seen",
    "note": "a note",
    "unjudged": "not judged",
}
"""What people read of each outcome, and of what came to none."""
RULED_OUTCOMES = {"legal": OUTCOMES["legal"], "illegal": OUTCOMES["illegal"], "again": "the move is redone"}
"""What people read of each outcome of a ruling."""
_CLOCK = re.compile(r"(?:(?:(\d{1,4}):)?(\d{1,2}):)?(\d{1,5})(?:\.(\d{1,9}))?")


def format_clock(at_ns: int) -> str:
    """Return a time since the game's beginning; what is finer than a tenth of a second is cut off.

    >>> format_clock(3_723_456_000_000)
    '1:02:03.4'
    """
    tenths = at_ns // (SECOND_NS // 10)
    return f"{tenths // 36000}:{tenths // 600 % 60:02}:{tenths // 10 % 60:02}.{tenths % 10}"


def parse_clock(text: str, *, recording: Path, ended_ns: int) -> int:
    """Return what ``--at`` says, nanoseconds since the game's beginning.

    The pages show tenths, and cut off what is finer: ``0:38.9`` is said of what happened at 38.96 s.  So where a
    fraction is given, the end of what its last digit leaves open is meant: what is shown with that time has happened.

    Args:
        text: the option's value.
        recording: the game, to name it.
        ended_ns: when it ended.

    Raises:
        BadInput: it is no time, or not within the game.

    """
    match = _CLOCK.fullmatch(text.strip())
    if match is None:
        raise BadInput(f"--at {text}: expected a time from the game's beginning, such as 754.5, 12:34.5 or 1:02:03")
    hours, minutes, seconds, rest = match.groups()
    whole_ns = (int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds)) * SECOND_NS
    at_ns = whole_ns + int((rest or "0").ljust(9, "0"))
    if at_ns > ended_ns + SECOND_NS // 10:
        raise BadInput(f"--at {text}: {recording} ends at {format_clock(ended_ns)}; choose a time before")
    return at_ns + 10 ** (9 - len(rest)) - 1 if rest else at_ns


def format_length(state: GameState, mm: float, decimals: int = 2) -> str:
    """Return a length in the unit of a game's rulebook."""
    if state.rulebook == NO_RULEBOOK:
        return format_inches(mm, decimals)
    return find_rulebook(state.rulebook).say(mm, decimals)


def lower_sentence(sentence: str) -> str:
    """Return a sentence as the end of another, which has its own full stop."""
    return sentence[0].lower() + sentence[1:].rstrip(".")
