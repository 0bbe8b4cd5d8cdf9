"""Change detection: which markers' pictures have changed since they were last measured.

A few hundred pixels of each marker tell, at almost no cost; what has not changed need not be searched for.
"""

import statistics
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from vision.rings.enrolled_ring import EnrolledRing

Floats = NDArray[np.float64]
Grey = NDArray[np.uint8]

COMPARED = 256
"""Pixels of each marker that are compared."""
HALF_SIDE_SHARE = 0.62
"""Half of the side of the lattice of such pixels over a tag, as a share of the tag's: its white rim counts."""
_LATTICE = np.linspace(-2 * HALF_SIDE_SHARE, 2 * HALF_SIDE_SHARE, 16)
TAG_SAMPLE: Floats = np.stack(np.meshgrid(_LATTICE, _LATTICE), axis=-1).reshape(COMPARED, 2)
"""(COMPARED, 2) where they lie over a tag, whose corners are at -1 and 1."""
CIRCLES = (1 / 6, 1 / 2, 5 / 6)
"""Where across a ring's print they lie, in turns: hardly two of them are the same pixel of a small ring."""
CHANGE_RATIO = 1.7
"""A mean square difference of so many times the noise's is a change; its own spread is under a tenth."""
MOVED_CHI2 = 20.0
"""Squared length, in sigma, of what a small shift or turn of the tag would make of the picture (3 dimensions)."""
LEAST_NOISE = 0.5
"""Grey levels squared."""
NOISE_GROWTH = 1.1
"""By how much the noise may seem to grow from picture to picture, so that a change is not taken for it."""
SMALL_MOTION = 4.0
"""A motion is small enough to be told from noise if it makes so many times as much difference as it leaves."""
LEAST_GAIN, MOST_GAIN = 0.5, 2.0
"""A cloud or a lamp changes the light by less; what changes more is looked at."""


@dataclass(slots=True, kw_only=True)
class ChangeDetector:
    """What some markers looked like.  It is written to, and used from one thread."""

    rows: dict[int, int]
    """Row by marker."""
    from_corners: Floats
    """(markers, COMPARED, 4) how the compared places lie among the picture's four corners of a marker."""
    pixels: NDArray[np.intp]
    """(markers, COMPARED) numbers of the pixels that are compared."""
    before: NDArray[np.float32]
    """(markers, COMPARED) their brightness, mean taken out."""
    motion_basis: NDArray[np.float32]
    """(markers, 3, COMPARED) orthonormal: how the brightness goes with a small shift or turn."""
    is_known: NDArray[np.bool_]
    """(markers,) whether the row holds anything."""
    noise: float = 0.0
    """Mean square difference of two pictures of the same thing, grey levels squared; 0 before it is known."""
    nudged: frozenset[int] = frozenset()
    """Markers that the last picture showed a little shifted or turned, and otherwise as before."""

    def remember(self, grey: Grey, corners_px: Mapping[int, Floats]) -> None:
        """Take note of what markers look like, (4, 2) corners in the picture by marker."""
        if not corners_px:
            return
        height, width = grey.shape
        rows = [self.rows[marker] for marker in corners_px]
        places = np.rint(self.from_corners[rows] @ np.array(list(corners_px.values()))).astype(np.intp)
        # One pixel beside each tells how the brightness goes.
        columns, lines = places.clip(1, (width - 2, height - 2)).transpose(2, 0, 1)
        self.pixels[rows] = lines * width + columns
        self.is_known[rows] = True
        self.refresh(grey, corners_px.keys())

    def forget(self, marker: int) -> None:
        """Take note that a marker is no longer where it was looked at."""
        self.is_known[self.rows[marker]] = False

    def refresh(self, grey: Grey, markers: Collection[int]) -> None:
        """Take note of what is to be seen where markers were looked for in vain."""
        rows = [row for row in map(self.rows.__getitem__, markers) if self.is_known[row]]
        if rows:
            levels = grey.reshape(-1)[self.pixels[rows]].astype(np.float32)
            self.before[rows] = levels - levels.mean(axis=1, keepdims=True)
            self.motion_basis[rows] = _build_motion_basis(grey, self.pixels[rows])

    def find_unchanged(self, grey: Grey, at_rest: Collection[int]) -> set[int]:
        """Return the markers around which the picture shows what it showed before, but for light and noise.

        Args:
            grey: the picture.
            at_rest: markers that are known to rest: what differs there, most of the time, is noise.

        """
        markers = [marker for marker, row in self.rows.items() if self.is_known[row]]
        if not markers:
            return set()
        rows = np.array([self.rows[marker] for marker in markers])
        levels = grey.reshape(-1)[self.pixels[rows]].astype(np.float32)
        levels -= levels.mean(axis=1, keepdims=True)
        before = self.before[rows]
        gain = np.einsum("tp,tp->t", levels, before) / np.maximum(np.einsum("tp,tp->t", before, before), 1.0)
        levels -= gain[:, None] * before
        off = np.einsum("tp,tp->t", levels, levels) / COMPARED
        # A picture that barely moves differs little, but all of it in one way.
        along = self.motion_basis[rows] @ levels[..., None]
        moved = (along**2).sum(axis=(1, 2))
        left = off - moved / COMPARED
        resting = np.array([marker in at_rest for marker in markers])
        judged = resting if resting.any() else np.ones_like(resting)
        if resting.any() or not self.noise:  # at first, most rest whether that is known or not
            self._learn_noise(left[judged], moved[judged])
        lit = (gain > LEAST_GAIN) & (gain < MOST_GAIN)
        same = (moved < MOVED_CHI2 * self.noise) & (off < CHANGE_RATIO * self.noise) & lit
        nudged = ~same & (left < CHANGE_RATIO * self.noise) & lit
        self.nudged = frozenset(marker for marker, is_nudged in zip(markers, nudged, strict=True) if is_nudged)
        return {marker for marker, still in zip(markers, same, strict=True) if still}

    def _learn_noise(self, left: Floats, moved: Floats) -> None:
        """Learn from what small motions leave of the differences where nothing should have changed."""
        usual, shifted = max(statistics.median(left.tolist()), LEAST_NOISE), statistics.median(moved.tolist())
        if shifted > MOVED_CHI2 * usual and shifted < SMALL_MOTION * usual * COMPARED:
            return  # a camera that sways so far leaves more than noise
        self.noise = min(self.noise * NOISE_GROWTH, usual) if self.noise else usual


def create_change_detector(samples: Mapping[int, Floats]) -> ChangeDetector:
    """Begin with nothing seen.

    Args:
        samples: by marker, (COMPARED, 2) places in its own frame, in which its corners are at -1 and 1.

    """
    markers = sorted(samples)
    places = np.array([samples[marker] for marker in markers]).reshape(-1, COMPARED, 1, 2)
    return ChangeDetector(
        rows={marker: row for row, marker in enumerate(markers)},
        from_corners=(1 + places * _CORNERS).prod(axis=-1) / 4,
        pixels=np.zeros((len(markers), COMPARED), dtype=np.intp),
        before=np.zeros((len(markers), COMPARED), dtype=np.float32),
        motion_basis=np.zeros((len(markers), 3, COMPARED), dtype=np.float32),
        is_known=np.zeros(len(markers), dtype=bool),
    )


@cache
def sample_ring(ring: EnrolledRing) -> Floats:
    """Return (COMPARED, 2) places on a ring's band, its corners at -1 and 1: a figure in its middle may flicker."""
    layout, number = ring.layout, np.arange(COMPARED)
    inner_mm, outer_mm = layout.band.inner_mm, layout.band.reach_mm
    offset_mm = inner_mm + np.array(CIRCLES)[number % len(CIRCLES)] * (outer_mm - inner_mm)
    return np.asarray(layout.place(number * layout.cells / COMPARED, offset_mm) / ring.corners_mm.max(axis=0))


_CORNERS = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
"""The corners of a marker in its own frame, in their order."""


def _build_motion_basis(grey: Grey, pixels: NDArray[np.intp]) -> NDArray[np.float32]:
    """(n, 3, p) orthonormal rows that span what small shifts and turns make of some (n, p) pixels."""
    flat, width = grey.reshape(-1), grey.shape[1]
    right, left, below, above = (flat[pixels + beside].astype(np.float32) for beside in (1, -1, width, -width))
    across, down = right - left, below - above
    lines, columns = np.divmod(pixels, width)
    x, y = (at - at.mean(axis=1, keepdims=True) for at in (columns, lines))
    ways = np.stack([across, down, x * down - y * across], axis=1)
    ways -= ways.mean(axis=2, keepdims=True)
    gram = ways @ ways.transpose(0, 2, 1) + np.diag(np.array([1e-6, 1e-6, 1e-6]))
    return np.asarray(np.linalg.inv(np.linalg.cholesky(gram)) @ ways, dtype=np.float32)
