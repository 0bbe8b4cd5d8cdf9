"""The anchors' places in the picture, averaged while the camera stands still."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MOST_AVERAGED = 64
OFTEN = 16
"""An anchor that was seen so often need not be looked at while nothing changes there."""
MOVED_PX = 1.5
"""An anchor whose corners are farther than this from their mean has moved, or is partly hidden."""
STRIKES = 3
"""So many such sightings in a row, of most anchors in view, mean that the camera moved."""
LATELY_FRAMES = 24
"""An anchor is in view if it was seen within so many frames; each is looked at more often than that."""


@dataclass(kw_only=True)
class AnchorMeans:
    """Mean corners of every anchor that has been seen."""

    corners_px: dict[int, Floats] = field(default_factory=dict)
    """(4, 2) by tag."""
    noise_px2: dict[int, Floats] = field(default_factory=dict)
    """(8, 8) what of the corners' covariance does not average out, by tag, as it was last stated."""
    _counts: dict[int, int] = field(default_factory=dict)
    _seen_at: dict[int, int] = field(default_factory=dict)
    _strikes: dict[int, int] = field(default_factory=dict)
    _gone: set[int] = field(default_factory=set)
    """Those that neither were seen in the last frame nor look as before."""
    _solved_with: int = 1
    """Sightings when a solve was last due."""
    _frames: int = 0

    def add(
        self,
        seen_px: Mapping[int, Floats],
        noise_px2: Mapping[int, Floats] | None = None,
        unchanged: Collection[int] = (),
    ) -> bool:
        """Take in one frame's sightings, and which anchors look as before; return whether a new solve is due.

        It is when an anchor is new, when the number of all sightings has doubled, and when the camera moved.
        """
        news = False
        self._frames += 1
        self._seen_at.update({tag: self._frames for tag in unchanged if tag in self._seen_at})
        for tag, corners in seen_px.items():
            self._seen_at[tag] = self._frames
            mean, count = self.corners_px.get(tag), self._counts.get(tag, 0)
            if mean is not None and np.abs(corners - mean).max() > MOVED_PX:
                self._strikes[tag] = self._strikes.get(tag, 0) + 1
                continue
            self._strikes[tag] = 0
            count = min(count + 1, MOST_AVERAGED)
            self.corners_px[tag] = corners if mean is None else mean + (corners - mean) / count
            news |= mean is None
            self._counts[tag] = count
            if noise_px2:
                self.noise_px2[tag] = noise_px2[tag]
        self._gone = {tag for tag in self.corners_px if tag not in seen_px and tag not in unchanged}
        news |= sum(self._counts.values()) >= 2 * self._solved_with
        news |= self._start_over()
        if news:
            self._solved_with = max(1, sum(self._counts.values()))
        return news

    def struck(self, tag: int) -> bool:
        """Whether an anchor was last seen elsewhere than before."""
        return self._strikes.get(tag, 0) > 0

    @property
    def doubted(self) -> bool:
        """Whether most anchors in view are no longer seen where they were: the camera may have been moved."""
        in_view = self.in_view
        return 2 * sum(self.struck(tag) or tag in self._gone for tag in in_view) > len(in_view)

    def steady(self, tag: int) -> bool:
        """Whether an anchor has been seen often, and lately where it was before."""
        return self._counts.get(tag, 0) >= OFTEN and not self.struck(tag)

    @property
    def in_view(self) -> list[int]:
        """The anchors that were seen lately."""
        return [tag for tag, at in self._seen_at.items() if self._frames - at < LATELY_FRAMES]

    def _start_over(self) -> bool:
        """Forget everything if most of the anchors in view have moved."""
        in_view = self.in_view
        moved = [tag for tag in in_view if self._strikes.get(tag, 0) >= STRIKES]
        if not moved or 2 * len(moved) <= len(in_view):
            return False
        self.corners_px.clear()
        self.noise_px2.clear()
        self._counts.clear()
        self._strikes.clear()
        self._seen_at.clear()
        return True
