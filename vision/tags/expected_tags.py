"""Expected tags: tags found where their tracks lead, in spite of smear, darkness and highlights.

A base that goes on while the shutter is open shows its tag smeared along its way, and no edge of it is where a detector
would follow one.  But which tag it is, about where it must be and along what it is smeared are known.  So
`find_expected_tags(grey, expected)` lays the tag's own print, smeared as it should be, over the picture about the
place, and says what is found only if it is that tag and no other of the family, all smeared alike.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.tag36h11 import COUNT, INNER, MODULES, find_white_modules
from vision.tags.corner_refinement import CORNERS, solve_homographies, warp_points
from vision.types import TagDetection

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Grey = NDArray[np.uint8]

PER_CELL = 2
"""Samples along a cell."""
FINEST_PX = 2.0
"""Each is the mean of places that lie no farther apart."""
BLUR_CELLS = 0.35
"""Usual blur, one standard deviation."""
MOST_REACH_CELLS = 9.0
"""No tag is looked for farther from where it is expected."""
LEAST_SMEAR_CELLS, MOST_SMEAR_CELLS = 0.4, 4.0
"""A smear that is shorter is none; and no longer one is looked for."""
SMEARS = (0.0, 0.5, 1.0, 1.5)
"""Shares of the expected smear that are tried."""
MOMENTS = 7
TURNS = np.radians([0.0, -9.0, 9.0])
NEAR_STEPS, NEAR_TURNS = np.array([-0.25, 0.0, 0.25]), np.radians([-4.5, 0.0, 4.5])
"""Turns that are tried first; moves in cells, and turns, that are tried about the best of these."""
LEAST_LIKENESS = 0.6
"""Correlation of a place with the tag's print, light taken out, from which on it is compared with others."""
PLAIN_LIKENESS = 0.85
"""From here on no other turn is tried."""
LEAST_READ = 0.84
"""Correlation with a print from which on it is that tag; another tag of the family, smeared, has up to 0.83."""
LEAST_LEAD = 1.3
"""The nearest other pattern of the family leaves so many times more unexplained, as a mean square."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedTag:
    """A tag, and where it should be."""

    tag: int
    corners_px: Floats
    """(4, 2) in the order of `TagDetection`."""
    smear_px: complex = 0j
    """How far it goes to the right, and down, while the shutter is open."""
    reach_px: float
    """It may be so far from there, to each side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Looks:
    """How tags look that are smeared in one way, at samples of which m show nothing but the print."""

    shown: NDArray[np.bool_]
    """(k * k,) which samples those are."""
    light: Singles
    """(m, 3) orthonormal: how a light may change across them."""
    by_cell: Singles
    """(m, 100) what each white cell adds to them, light taken out."""
    products: Singles
    """(100, 100) of each cell's with each."""

    def compare(self, samples: Singles, patterns: Singles) -> Singles:
        """(n, p) correlations of (n, k * k) samples with (p, 100) patterns, light taken out."""
        seen = samples[:, self.shown]
        squares = (seen * seen).sum(axis=1) - ((seen @ self.light) ** 2).sum(axis=1)
        lengths = ((patterns @ self.products) * patterns).sum(axis=1)
        both = np.sqrt(np.maximum(squares, 1.0)[:, None] * lengths)
        return np.asarray(np.linalg.multi_dot([seen, self.by_cell, patterns.T]) / both, dtype=np.float32)


def find_expected_tags(grey: Grey, expected: Iterable[ExpectedTag]) -> list[TagDetection]:
    """Return which of some tags are found where they should be.  Their margins are correlations.

    Args:
        grey: (height, width) picture.
        expected: the tags.

    """
    return [found for wanted in expected if (found := _find_tag(grey, wanted)) is not None]


def _find_tag(grey: Grey, wanted: ExpectedTag) -> TagDetection | None:
    cell_px = float(np.linalg.norm(wanted.corners_px - np.roll(wanted.corners_px, 1, axis=0), axis=1).mean()) / INNER
    fine = max(1, math.ceil(cell_px / PER_CELL / FINEST_PX))
    pattern = _list_patterns()[wanted.tag * 4 : wanted.tag * 4 + 1]
    steps = math.ceil(min(wanted.reach_px / cell_px, MOST_REACH_CELLS) * PER_CELL)
    around = _spread_samples(MODULES / 2 + steps / PER_CELL)
    best: tuple[float, float, tuple[float, float], float] | None = None
    for turn in TURNS.tolist():
        corners_px = _turn(wanted.corners_px, turn)
        view = _sample(grey, corners_px[None], around, fine)[0]
        size = MODULES * PER_CELL
        places = np.lib.stride_tricks.sliding_window_view(view, (size, size)).reshape(-1, size * size)
        for share, looks in _list_looks(corners_px, wanted.smear_px, SMEARS):
            likeness = looks.compare(places, pattern)[:, 0]
            at = int(likeness.argmax())
            if best is None or likeness[at] > best[0]:
                x, y = divmod(at, 2 * steps + 1)
                best = float(likeness[at]), turn, ((x - steps) / PER_CELL, (y - steps) / PER_CELL), share
        if best and best[0] > PLAIN_LIKENESS:
            break
    if best is None or best[0] < LEAST_LIKENESS:
        return None
    _, turn, move, share = best
    turned_px = _turn(wanted.corners_px, turn)
    there_px = warp_points(solve_homographies(turned_px[None]), CORNERS[None] + move)[0]
    return _read(grey, wanted.tag, there_px, share * wanted.smear_px, fine)


def _read(grey: Grey, tag: int, corners_px: Floats, smear_px: complex, fine: int) -> TagDetection | None:
    """Return a tag that is about there, if it is that tag."""
    moves = np.stack(np.meshgrid(NEAR_STEPS, NEAR_STEPS, indexing="ij"), axis=-1).reshape(-1, 1, 2)
    tried = np.concatenate(
        [
            warp_points(
                np.repeat(solve_homographies(_turn(corners_px, turn)[None]), len(moves), axis=0), CORNERS + moves
            )
            for turn in NEAR_TURNS.tolist()
        ]
    )
    samples = _sample(grey, tried, _spread_samples(MODULES / 2), fine).reshape(len(tried), -1)
    patterns = _list_patterns()
    looks = _list_looks(corners_px, smear_px, (1.0,))[0][1]
    likeness = looks.compare(samples, patterns[tag * 4 : tag * 4 + 1])[:, 0]
    at = int(likeness.argmax())
    score = float(likeness[at])
    if score < LEAST_READ:
        return None
    others = np.delete(looks.compare(samples, patterns), np.arange(4) + tag * 4, axis=1)
    if 1 - float(others.max()) ** 2 < LEAST_LEAD * (1 - score**2):
        return None
    return TagDetection(tag=tag, corners_px=tried[at], hamming=0, margin=score)


def _turn(corners_px: Floats, turn_rad: float) -> Floats:
    middle = corners_px.mean(axis=0)
    cos, sin = math.cos(turn_rad), math.sin(turn_rad)
    return np.asarray((corners_px - middle) @ np.array([[cos, sin], [-sin, cos]]) + middle)


def _list_looks(corners_px: Floats, smear_px: complex, shares: Sequence[float]) -> list[tuple[float, _Looks]]:
    """Return how tags look at (4, 2) corners that are smeared by some shares of a way, those that are told apart."""
    right, up = (corners_px[1] - corners_px[0]) / INNER, (corners_px[3] - corners_px[0]) / INNER
    way = np.linalg.solve(np.column_stack([right, up]), (smear_px.real, smear_px.imag))
    far = float(np.hypot(*way))
    if far < LEAST_SMEAR_CELLS:
        return [(1.0, _smear_looks(0.0, 0.0))]
    most = MOST_SMEAR_CELLS / far
    chosen = sorted({min(share, most) for share in shares})
    # Ways that differ less are not told apart.
    ways = [np.round(way * share * 2) / 2 for share in chosen]
    return [(share, _smear_looks(*each.tolist())) for share, each in zip(chosen, ways, strict=True)]


@lru_cache(maxsize=256)
def _smear_looks(x_cells: float, y_cells: float) -> _Looks:
    """Return how tags look that go so far along their own axes while the shutter is open."""
    along = _spread_samples(MODULES / 2)
    edges = np.arange(MODULES + 1) - MODULES / 2
    edges[[0, -1]] = -math.inf, math.inf
    total = np.zeros((len(along) ** 2, MODULES**2))
    for since in (np.arange(MOMENTS) + 0.5) / MOMENTS - 0.5:
        by_x, by_y = (
            -np.diff(np.tanh(0.8 / BLUR_CELLS * (along[:, None] - since * far - edges)), axis=1) / 2
            for far in (x_cells, y_cells)
        )
        total += np.kron(by_x, by_y) / MOMENTS
    x, y = (part.ravel() for part in np.meshgrid(along, along, indexing="ij"))
    farthest = MODULES / 2 - BLUR_CELLS
    shown = (np.abs(x) < farthest - abs(x_cells) / 2) & (np.abs(y) < farthest - abs(y_cells) / 2)
    light = np.linalg.qr(np.column_stack([np.ones_like(x), x, y])[shown])[0]
    by_cell = (total[shown] - light @ (light.T @ total[shown])).astype(np.float32)
    return _Looks(shown=shown, light=light.astype(np.float32), by_cell=by_cell, products=by_cell.T @ by_cell)


def _spread_samples(half_cells: float) -> Floats:
    return np.arange(-half_cells + 0.5 / PER_CELL, half_cells, 1 / PER_CELL)


@cache
def _list_patterns() -> Singles:
    """(COUNT * 4, 100) which cells are white, by x and y, of each tag as it is and turned by quarters."""
    cells = np.ones((COUNT, MODULES, MODULES), dtype=np.float32)
    for tag in range(COUNT):
        cells[tag, 1:-1, 1:-1] = find_white_modules(tag)[::-1].T  # rows go down, y goes up
    turned = np.stack([np.rot90(cells, quarter, axes=(1, 2)) for quarter in range(4)], axis=1)
    return np.ascontiguousarray(turned.reshape(-1, MODULES**2))


def _sample(grey: Grey, corners_px: Floats, along: Floats, fine: int) -> Singles:
    """(n, k, k) the picture at places in the frame of each tag with (n, 4, 2) corners, by x and y."""
    along = (along[:, None] + ((np.arange(fine) + 0.5) / fine - 0.5) / PER_CELL).ravel()
    x, y = np.meshgrid(along, along, indexing="ij")
    places = np.stack([x.ravel(), y.ravel(), np.ones(x.size)]).astype(np.float32)
    across, down, depth = (solve_homographies(corners_px).astype(np.float32) @ places).transpose(1, 0, 2)
    columns, lines = ((part / depth).reshape(-1, len(along)) for part in (across, down))
    sampled = cv2.remap(grey, columns, lines, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    count = len(along) // fine
    means = np.asarray(sampled, dtype=np.float32).reshape(len(corners_px), count, fine, count, fine).mean(axis=(2, 4))
    return np.asarray(means, dtype=np.float32)
