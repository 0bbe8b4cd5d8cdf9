"""A time of a recorded game, as a person gives it."""

import re

from assistant.errors import BadInput
from assistant.past.incident import clock_said
from assistant.past.replayed import Past

_CLOCK = re.compile(r"(?:(?:(\d{1,4}):)?(\d{1,2}):)?(\d{1,5})(?:\.(\d{1,9}))?")


def clock(text: str, past: Past) -> int:
    """Return what ``--at`` says, nanoseconds since the beginning.

    The pages show tenths, and cut off what is finer: ``0:38.9`` is said of what happened at 38.96 s.  So where a
    fraction is given, the end of what its last digit leaves open is meant: what is shown with that time has happened.

    Raises:
        BadInput: it is no time, or not within the game.

    """
    match = _CLOCK.fullmatch(text.strip())
    if match is None:
        raise BadInput(f"--at {text}: expected a time from the game's beginning, such as 754.5, 12:34.5 or 1:02:03")
    hours, minutes, seconds, rest = match.groups()
    whole_ns = (int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds)) * 10**9
    at_ns = whole_ns + int((rest or "0").ljust(9, "0"))
    ended_ns = past.ended_ns()
    if at_ns > ended_ns + 10**8:
        raise BadInput(f"--at {text}: {past.path} ends at {clock_said(ended_ns)}; choose a time before")
    return at_ns + 10 ** (9 - len(rest)) - 1 if rest else at_ns
