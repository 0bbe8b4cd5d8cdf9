"""The anchors' places in the picture, averaged while the camera stands still."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MOST_AVERAGED = 64
MOVED_PX = 1.5
"""An anchor whose corners are farther than this from their mean has moved, or is partly hidden."""
STRIKES = 3
"""So many such sightings in a row, of most anchors in view, mean that the camera moved."""
LATELY_NS = 1_000_000_000


@dataclass(kw_only=True)
class AnchorMeans:
    """Mean corners of every anchor that has been seen."""

    corners_px: dict[int, Floats] = field(default_factory=dict)
    """(4, 2) by tag."""
    _counts: dict[int, int] = field(default_factory=dict)
    _seen_ns: dict[int, int] = field(default_factory=dict)
    _strikes: dict[int, int] = field(default_factory=dict)

    def add(self, seen_px: Mapping[int, Floats], captured_ns: int) -> bool:
        """Take in one frame's sightings; return whether a new solve is worth its time.

        It is when an anchor is new, when the number of its sightings has doubled, and when the camera moved.
        """
        news = False
        for tag, corners in seen_px.items():
            self._seen_ns[tag] = captured_ns
            mean, count = self.corners_px.get(tag), self._counts.get(tag, 0)
            if mean is not None and np.abs(corners - mean).max() > MOVED_PX:
                self._strikes[tag] = self._strikes.get(tag, 0) + 1
                continue
            self._strikes[tag] = 0
            count = min(count + 1, MOST_AVERAGED)
            self.corners_px[tag] = corners if mean is None else mean + (corners - mean) / count
            news |= count != self._counts.get(tag) and count & (count - 1) == 0
            self._counts[tag] = count
        return self._start_over(captured_ns) or news

    def seen_lately(self, captured_ns: int) -> int:
        """Return how many anchors were seen within the last second."""
        return sum(captured_ns - at_ns <= LATELY_NS for at_ns in self._seen_ns.values())

    def _start_over(self, captured_ns: int) -> bool:
        """Forget everything if most of the anchors in view have moved."""
        in_view = [tag for tag, at_ns in self._seen_ns.items() if captured_ns - at_ns <= LATELY_NS]
        moved = [tag for tag in in_view if self._strikes.get(tag, 0) >= STRIKES]
        if not moved or 2 * len(moved) <= len(in_view):
            return False
        self.corners_px.clear()
        self._counts.clear()
        self._strikes.clear()
        self._seen_ns.clear()
        return True
