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

import numpy as np
from numpy.typing import NDArray

from hardware.tag36h11 import COUNT, INNER, MODULES, find_white_modules
from vision.tags.alignment import FINEST_PX, PER_CELL, sample_cells, spread_samples
from vision.tags.corner_refinement import CORNERS, solve_homographies, warp_points
from vision.types import TagDetection

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Grey = NDArray[np.uint8]

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
    """How tags look that are smeared in one way, at samples of which some show nothing but the print."""

    shown: Singles
    """(k * k,) 1 for those, 0 for the others."""
    light: Singles
    """(k * k, 3) orthonormal: how a light may change across them."""
    by_cell: Singles
    """(k * k, 100) what each white cell adds to them, light taken out."""
    squares: Singles
    """(COUNT * 4,) what each pattern comes to in all of them, squared and added up."""


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
    itself = slice(wanted.tag * 4, wanted.tag * 4 + 1)
    steps = math.ceil(min(wanted.reach_px / cell_px, MOST_REACH_CELLS) * PER_CELL)
    around = spread_samples(MODULES / 2 + steps / PER_CELL)
    best: tuple[float, float, tuple[float, float], float] | None = None
    for turn in TURNS.tolist():
        corners_px = _turn(wanted.corners_px, turn)
        view = sample_cells(grey, corners_px[None], around, fine)[0]
        size = MODULES * PER_CELL
        places = np.lib.stride_tricks.sliding_window_view(view, (size, size)).reshape(-1, size * size)
        shares, looks = zip(*_list_looks(corners_px, wanted.smear_px, SMEARS), strict=True)
        likeness = _correlate(places, looks, itself)[..., 0]
        at, which = divmod(int(likeness.argmax()), len(looks))
        if best is None or likeness[at, which] > best[0]:
            x, y = divmod(at, 2 * steps + 1)
            move = (x - steps) / PER_CELL, (y - steps) / PER_CELL
            best = float(likeness[at, which]), turn, move, shares[which]
        if best[0] > PLAIN_LIKENESS:
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
    samples = sample_cells(grey, tried, spread_samples(MODULES / 2), fine).reshape(len(tried), -1)
    _, looks = _list_looks(corners_px, smear_px, (1.0,))[0]
    likeness = _correlate(samples, [looks], slice(None))[:, 0]
    at = int(likeness[:, tag * 4].argmax())
    score = float(likeness[at, tag * 4])
    if score < LEAST_READ:
        return None
    others = np.delete(likeness, np.arange(4) + tag * 4, axis=1)
    if 1 - float(others.max()) ** 2 < LEAST_LEAD * (1 - score**2):
        return None
    return TagDetection(tag=tag, corners_px=tried[at], hamming=0, margin=score)


def _correlate(samples: Singles, looks: Sequence[_Looks], which: slice) -> Singles:
    """(n, l, p) correlations of (n, k * k) samples with some patterns in l looks, any light taken out."""
    prints = _list_patterns()[which].T
    shown = np.column_stack([each.shown for each in looks])
    light = samples @ np.hstack([each.light for each in looks])
    left = (samples * samples) @ shown - (light * light).reshape(len(samples), len(looks), -1).sum(axis=2)
    if len(samples) > prints.shape[1]:
        sums = samples @ np.hstack([each.by_cell @ prints for each in looks])
    else:
        sums = np.hstack([samples @ each.by_cell @ prints for each in looks])
    both = np.sqrt(np.maximum(left, 1.0)[..., None] * np.array([each.squares[which] for each in looks]))
    return np.asarray(sums.reshape(both.shape) / both)


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
    along = spread_samples(MODULES / 2)
    edges = np.arange(MODULES + 1) - MODULES / 2
    edges[[0, -1]] = -math.inf, math.inf
    since = ((np.arange(MOMENTS) + 0.5) / MOMENTS - 0.5)[:, None, None]
    by_x, by_y = (
        -np.diff(np.tanh(0.8 / BLUR_CELLS * (along[:, None] - since * far - edges)), axis=2) / 2
        for far in (x_cells, y_cells)
    )
    total = np.tensordot(by_x, by_y, axes=(0, 0)).swapaxes(1, 2).reshape(len(along) ** 2, MODULES**2) / MOMENTS
    x, y = (part.ravel() for part in np.meshgrid(along, along, indexing="ij"))
    farthest = MODULES / 2 - BLUR_CELLS
    shown = (np.abs(x) < farthest - abs(x_cells) / 2) & (np.abs(y) < farthest - abs(y_cells) / 2)
    light = np.linalg.qr(np.column_stack([np.ones_like(x), x, y]) * shown[:, None])[0]
    total *= shown[:, None]
    by_cell = (total - light @ (light.T @ total)).astype(np.float32)
    patterns = _list_patterns()
    return _Looks(
        shown=shown.astype(np.float32),
        light=light.astype(np.float32),
        by_cell=by_cell,
        squares=((patterns @ (by_cell.T @ by_cell)) * patterns).sum(axis=1),
    )


@cache
def _list_patterns() -> Singles:
    """(COUNT * 4, 100) which cells are white, by x and y, of each tag as it is and turned by quarters."""
    cells = np.ones((COUNT, MODULES, MODULES), dtype=np.float32)
    for tag in range(COUNT):
        cells[tag, 1:-1, 1:-1] = find_white_modules(tag)[::-1].T  # rows go down, y goes up
    turned = np.stack([np.rot90(cells, quarter, axes=(1, 2)) for quarter in range(4)], axis=1)
    return np.ascontiguousarray(turned.reshape(-1, MODULES**2))
