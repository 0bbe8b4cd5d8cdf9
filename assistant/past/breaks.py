"""When nobody played: from the end of one run of the program to the beginning of the next."""

from dataclasses import dataclass
from pathlib import Path

from assistant.game.events import SourceChanged
from assistant.past.playing import Clock
from assistant.record.names import Names
from assistant.record.reading import opened, query
from assistant.record.rows import read

LEAST_NS = 10_000_000_000
"""A shorter time between two rows is none: nothing moved."""
SOON_NS = 5_000_000_000
"""A program tells of its camera so soon after its first picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Breaks:
    """The breaks of a game, since its beginning."""

    spans_ns: tuple[tuple[int, int], ...] = ()

    def played_ns(self, from_ns: int, until_ns: int) -> int:
        """Return how long was played between two times."""
        return until_ns - from_ns - sum(max(0, min(until_ns, b) - max(from_ns, a)) for a, b in self.spans_ns)


def breaks_of(path: Path) -> Breaks:
    """Return the breaks of a recording that was gone on with.

    A program that begins says that its camera is live, which the one before never took back.

    Raises:
        BadInput: it cannot be read.

    """
    clock, names, found = Clock(), Names(), list[tuple[int, int]]()
    pause: tuple[int, int] | None = None
    live = False
    told = "SELECT captured_ns, CASE WHEN kind = 'SourceChanged' THEN body END FROM events ORDER BY id"
    with opened(path) as db:
        for captured_ns, body in query(db, path, told):
            before_ns, at_ns = clock.at_ns, clock.at(captured_ns)
            if at_ns - before_ns >= LEAST_NS:
                pause = before_ns, at_ns
            if body is None:
                continue
            changed = read(SourceChanged.__name__, body, names)
            was, live = live, isinstance(changed, SourceChanged) and changed.state == "live"
            if was and live and pause and at_ns - pause[1] <= SOON_NS:
                found.append(pause)
                pause = None
    return Breaks(spans_ns=tuple(found))
