"""Change detection: which tags' pictures have changed since they were last measured.

A few hundred pixels of each tag tell, at almost no cost; what has not changed need not be searched for.
"""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Grey = NDArray[np.uint8]

LATTICE_PIXELS = 16
"""Pixels along each side of the lattice over a tag."""
HALF_SIDE_SHARE = 0.62
"""Half of the lattice's side, as a share of the tag's: its white rim counts."""
CHANGE_RATIO = 1.7
"""A mean square difference of so many times the noise's is a change; its own spread is under a tenth."""
MOVED_CHI2 = 20.0
"""Squared length, in sigma, of what a small shift or turn of the tag would make of the picture (3 dimensions)."""
LEAST_NOISE = 0.5
"""Grey levels squared."""
NOISE_GROWTH = 1.1
"""By how much the noise may seem to grow from picture to picture, so that a change is not taken for it."""
LEAST_GAIN, MOST_GAIN = 0.5, 2.0
"""A cloud or a lamp changes the light by less; what changes more is looked at."""


@dataclass(slots=True, kw_only=True)
class ChangeDetector:
    """What some tags looked like.  It is written to, and used from one thread."""

    rows: dict[int, int]
    """Row by tag."""
    pixels: NDArray[np.intp]
    """(tags, LATTICE_PIXELS squared) numbers of the pixels that are compared."""
    before: NDArray[np.float32]
    """(tags, LATTICE_PIXELS squared) their brightness, mean taken out."""
    motion_basis: NDArray[np.float32]
    """(tags, 3, LATTICE_PIXELS squared) orthonormal: how the brightness goes with a small shift or turn."""
    is_known: NDArray[np.bool_]
    """(tags,) whether the row holds anything."""
    noise: float = 0.0
    """Mean square difference of two pictures of the same thing, grey levels squared; 0 before it is known."""

    def remember(self, grey: Grey, tag: int, corners_px: Floats) -> None:
        """Take note of what a tag looks like, (4, 2) corners."""
        height, width = grey.shape
        side_px = float(np.linalg.norm(np.roll(corners_px, -1, axis=0) - corners_px, axis=1).max())
        offsets = np.linspace(-HALF_SIDE_SHARE, HALF_SIDE_SHARE, LATTICE_PIXELS) * side_px
        x, y = (
            np.clip(np.rint(middle + offsets), 0, size - 1).astype(np.intp)
            for middle, size in zip(corners_px.mean(axis=0), (width, height), strict=True)
        )
        row = self.rows[tag]
        self.pixels[row] = (y[:, None] * width + x).ravel()
        self.is_known[row] = True
        self.refresh(grey, tag)

    def forget(self, tag: int) -> None:
        """Take note that a tag is no longer where it was looked at."""
        self.is_known[self.rows[tag]] = False

    def refresh(self, grey: Grey, tag: int) -> None:
        """Take note of what is to be seen where a tag was looked for in vain."""
        row = self.rows[tag]
        if self.is_known[row]:
            levels = grey.reshape(-1)[self.pixels[row]].astype(np.float32)
            self.before[row] = levels - levels.mean()
            self.motion_basis[row] = _build_motion_basis(levels.reshape(LATTICE_PIXELS, LATTICE_PIXELS))

    def find_unchanged(self, grey: Grey, at_rest: Collection[int]) -> set[int]:
        """Return the tags around which the picture shows what it showed before, but for light and noise.

        Args:
            grey: the picture.
            at_rest: tags that are known to rest: what differs there, most of the time, is noise.

        """
        tags = [tag for tag, row in self.rows.items() if self.is_known[row]]
        if not tags:
            return set()
        rows = np.array([self.rows[tag] for tag in tags])
        levels = grey.reshape(-1)[self.pixels[rows]].astype(np.float32)
        levels -= levels.mean(axis=1, keepdims=True)
        before = self.before[rows]
        gain = np.einsum("tp,tp->t", levels, before) / np.maximum(np.einsum("tp,tp->t", before, before), 1.0)
        levels -= gain[:, None] * before
        off = np.einsum("tp,tp->t", levels, levels) / LATTICE_PIXELS**2
        resting = np.array([tag in at_rest for tag in tags])
        if resting.any() or not self.noise:  # at first, most tags rest whether that is known or not
            usual = max(float(np.median(off[resting] if resting.any() else off)), LEAST_NOISE)
            self.noise = min(self.noise * NOISE_GROWTH, usual) if self.noise else usual
        # A picture that barely moves differs little, but all of it in one way.
        along = self.motion_basis[rows] @ levels[..., None]
        moved = (along**2).sum(axis=(1, 2))
        same = (
            (moved < MOVED_CHI2 * self.noise)
            & (off < CHANGE_RATIO * self.noise)
            & (gain > LEAST_GAIN)
            & (gain < MOST_GAIN)
        )
        return {tag for tag, still in zip(tags, same, strict=True) if still}


def create_change_detector(tags: Collection[int]) -> ChangeDetector:
    """Begin with nothing seen."""
    return ChangeDetector(
        rows={tag: row for row, tag in enumerate(sorted(tags))},
        pixels=np.zeros((len(tags), LATTICE_PIXELS**2), dtype=np.intp),
        before=np.zeros((len(tags), LATTICE_PIXELS**2), dtype=np.float32),
        motion_basis=np.zeros((len(tags), 3, LATTICE_PIXELS**2), dtype=np.float32),
        is_known=np.zeros(len(tags), dtype=bool),
    )


def _build_motion_basis(patch: NDArray[np.float32]) -> NDArray[np.float32]:
    """(3, n) orthonormal rows that span what small shifts and turns make of a (k, k) patch."""
    across, down = np.zeros_like(patch), np.zeros_like(patch)
    across[:, 1:-1] = patch[:, 2:] - patch[:, :-2]
    down[1:-1] = patch[2:] - patch[:-2]
    middle = np.arange(len(patch), dtype=np.float32) - (len(patch) - 1) / 2
    ways = np.stack([across, down, middle * down - middle[:, None] * across]).reshape(3, -1)
    ways -= ways.mean(axis=1, keepdims=True)
    gram = (ways @ ways.T).astype(np.float64) + 1e-6 * np.eye(3)
    return np.asarray(np.linalg.inv(np.linalg.cholesky(gram)) @ ways, dtype=np.float32)
