"""Breaks: when nobody played, from the end of one run of the program to the beginning of the next."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assistant.game.events import SourceChanged

LEAST_BREAK_NS = 10_000_000_000
"""A shorter time between two rows is none: nothing moved."""
CAMERA_STARTS_NS = 5_000_000_000
"""A program tells of its camera so soon after its first picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Breaks:
    """The breaks of a game, since its beginning."""

    spans_ns: tuple[tuple[int, int], ...] = ()

    def compute_played_ns(self, from_ns: int, until_ns: int) -> int:
        """Return how long was played between two times."""
        return until_ns - from_ns - sum(max(0, min(until_ns, b) - max(from_ns, a)) for a, b in self.spans_ns)

    def remove(self, times_ns: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how long was played until each of many times."""
        return times_ns - sum(np.clip(times_ns - a, 0, b - a) for a, b in self.spans_ns)


def find_breaks(times_ns: NDArray[np.int64], sources: Sequence[tuple[int, SourceChanged]]) -> Breaks:
    """Return the breaks of a recording that was gone on with.

    A program that begins says that its camera is live, which the one before never took back.

    Args:
        times_ns: when each row of the journal was written, since the game's beginning.
        sources: what was told of the camera, each with its place among the rows.

    """
    pauses = np.flatnonzero(np.diff(times_ns, prepend=0) >= LEAST_BREAK_NS)
    spans, live, used = list[tuple[int, int]](), False, -1
    for row, changed in sources:
        was, live = live, changed.state == "live"
        latest = int(np.searchsorted(pauses, row, side="right")) - 1
        if not (was and live) or latest <= used:
            continue
        before = int(pauses[latest])
        if times_ns[row] - times_ns[before] <= CAMERA_STARTS_NS:
            spans.append((int(times_ns[before - 1]) if before else 0, int(times_ns[before])))
            used = latest
    return Breaks(spans_ns=tuple(spans))
