"""Tag alignment: tags that are expected somewhere, found there by their own print, without a search for squares.

The picture around each expected place is laid out in the tag's frame, the printed pattern slid over it, and fitted by
a shift, a turn and a scale.  What is found is read cell by cell, and counts only if it is that tag by the same measure
as a tag that is detected: it costs a tenth of a detection, and proves as much.
"""

from collections.abc import Sequence
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.tag36h11 import INNER, MODULES, find_white_modules
from vision.tags.corner_refinement import CORNERS, solve_homographies, warp_points
from vision.tags.detection import MOST_BITS_CORRECTED
from vision.types import TagDetection

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Grey = NDArray[np.uint8]

REACH_CELLS = 3.5
"""A tag is looked for so far from where it is expected, to each side."""
PER_CELL = 2
"""Samples along a cell."""
FINEST_PX = 2.0
"""Each is the mean of places that lie no farther apart: between them a sharp edge would be overlooked."""
ROUNDS = 2
LEAST_LIKENESS = 0.6
"""Normalised correlation with the pattern, below which it is not worth reading."""
LEAST_CONTRAST = 12.0
"""Grey levels between black and white."""


def spread_samples(half_cells: float) -> Floats:
    """Return where samples lie along an axis of a tag's frame, cells, within so far to both sides."""
    return np.arange(-half_cells + 0.5 / PER_CELL, half_cells, 1 / PER_CELL)


_VIEW, _PRINT = spread_samples(MODULES / 2 + REACH_CELLS), spread_samples(MODULES / 2)
"""Where samples lie along each axis, cells: around the expected place, and on the print."""
_IS_RIM = np.pad(np.zeros((INNER, INNER), dtype=bool), 1, constant_values=True).ravel()
_IS_READ = np.pad(np.ones((INNER - 2, INNER - 2), dtype=bool), 2, constant_values=False).ravel()
_IS_BORDER = ~(_IS_RIM | _IS_READ)


def align_tags(grey: Grey, expected: Sequence[int], corners_px: Floats) -> list[TagDetection]:
    """Return the tags among some that lie near where they are expected.

    Args:
        grey: (height, width) picture.
        expected: the tags.
        corners_px: (n, 4, 2) where the corners of each are expected.

    """
    tags = np.array(expected, dtype=np.intp)
    cell_px = np.linalg.norm(corners_px - np.roll(corners_px, 1, axis=1), axis=2).mean(axis=1) / INNER
    fineness = np.ceil(cell_px / PER_CELL / FINEST_PX).astype(np.intp)
    return [
        detection
        for fine in np.unique(fineness).tolist()
        for detection in _align_alike(grey, tags[fineness == fine], corners_px[fineness == fine], fine)
    ]


def _align_alike(grey: Grey, tags: NDArray[np.intp], corners_px: Floats, fine: int) -> list[TagDetection]:
    """Align tags of about one size, each sample of which is a mean of ``fine`` by ``fine`` places."""
    shifts, likeness = _find_shifts(sample_cells(grey, corners_px, _VIEW, fine), tags)
    alike = likeness > LEAST_LIKENESS
    if not alike.any():
        return []
    tags, corners_px, moved = tags[alike], corners_px[alike], CORNERS + shifts[alike, None]
    solvers = np.array([_build_solver(tag) for tag in tags.tolist()])
    for _ in range(ROUNDS):
        corners_px = warp_points(solve_homographies(corners_px), moved)
        samples = sample_cells(grey, corners_px, _PRINT, fine)
        moved = _move_corners(np.einsum("nps,ns->np", solvers, samples.reshape(len(tags), -1)))
    corners_px = warp_points(solve_homographies(corners_px), moved)
    levels = _average_blocks(samples, PER_CELL).reshape(-1, MODULES**2)
    black, white = levels[:, _IS_BORDER].mean(axis=1), levels[:, _IS_RIM].mean(axis=1)
    patterns = np.array([_find_pattern(tag).ravel() for tag in tags.tolist()])
    # Here it is decided which tag it is.
    wrong = ((levels > (black + white)[:, None] / 2) != patterns)[:, _IS_READ].sum(axis=1)
    is_read = (white - black > LEAST_CONTRAST) & (wrong <= MOST_BITS_CORRECTED)
    return [
        TagDetection(
            tag=int(tags[i]), corners_px=corners_px[i], hamming=int(wrong[i]), margin=float(white[i] - black[i]) / 2
        )
        for i in np.flatnonzero(is_read)
    ]


def _find_shifts(views: Singles, tags: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Return where each tag's view is most like its pattern, (n, 2) cells from its middle, and how like it is there."""
    maps = np.array(
        [
            cv2.matchTemplate(view, _draw_pattern(tag), cv2.TM_CCOEFF_NORMED)
            for view, tag in zip(views, tags.tolist(), strict=True)
        ]
    )
    across = maps.shape[2]
    best = maps.reshape(len(maps), -1).argmax(axis=1)
    likeness = maps.reshape(len(maps), -1)[np.arange(len(maps)), best]
    return np.column_stack(np.divmod(best, across)) / PER_CELL - REACH_CELLS, likeness


def _move_corners(step: Floats) -> Floats:
    """(n, 4, 2) where corners lie, in the frame of a tag that is off by (n, 5) shift, turn, scale and contrast."""
    contrast = np.maximum(step[:, 4:], 1.0)
    x, y, turn, scale = np.clip(step[:, :4] / contrast, -1.0, 1.0).T
    off = np.empty((len(step), 4, 2))
    off[..., 0] = x[:, None] - turn[:, None] * CORNERS[:, 1] + scale[:, None] * CORNERS[:, 0]
    off[..., 1] = y[:, None] + turn[:, None] * CORNERS[:, 0] + scale[:, None] * CORNERS[:, 1]
    return CORNERS - off


@cache
def _find_pattern(tag: int) -> NDArray[np.bool_]:
    """(10, 10) which cells are white, by x and y in the tag's frame."""
    return np.pad(find_white_modules(tag)[::-1].T, 1, constant_values=True)  # rows go down, y goes up


@cache
def _draw_pattern(tag: int) -> Singles:
    """Return (20, 20) the pattern as it is sampled, a little blurred."""
    fine = np.kron(_find_pattern(tag), np.ones((PER_CELL, PER_CELL)))
    return np.asarray(cv2.GaussianBlur(fine, (3, 3), 0, borderType=cv2.BORDER_REPLICATE), dtype=np.float32)


@cache
def _build_solver(tag: int) -> Singles:
    """(5, samples) from what is sampled to shift, turn and scale, times the contrast, and the contrast."""
    pattern = _draw_pattern(tag)
    wider = np.pad(pattern, 1, constant_values=1.0)
    by_x = (wider[2:, 1:-1] - wider[:-2, 1:-1]) * PER_CELL / 2
    by_y = (wider[1:-1, 2:] - wider[1:-1, :-2]) * PER_CELL / 2
    x, y = np.meshgrid(_PRINT, _PRINT, indexing="ij")
    rows = np.stack([by_x, by_y, x * by_y - y * by_x, x * by_x + y * by_y, pattern, np.ones_like(pattern)])
    return np.asarray(np.linalg.pinv(rows.reshape(len(rows), -1).T)[:5], dtype=np.float32)


def sample_cells(grey: Grey, corners_px: Floats, along: Floats, fine: int) -> Singles:
    """(n, k, k) the picture at places in the frame of each tag with (n, 4, 2) corners, by x and y."""
    step = along[1] - along[0]
    along = (along[:, None] + step * ((np.arange(fine) + 0.5) / fine - 0.5)).ravel()
    x, y = np.meshgrid(along, along, indexing="ij")
    places = np.stack([x.ravel(), y.ravel(), np.ones(x.size)]).astype(np.float32)
    across, down, depth = (solve_homographies(corners_px).astype(np.float32) @ places).transpose(1, 0, 2)
    columns, lines = ((part / depth).reshape(-1, len(along)) for part in (across, down))
    sampled = cv2.remap(grey, columns, lines, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return _average_blocks(np.asarray(sampled, dtype=np.float32).reshape(-1, *x.shape), fine)


def _average_blocks(values: Singles, side: int) -> Singles:
    """(n, k, k) the means of square blocks of (n, k side, k side) values."""
    if side == 1:
        return values
    count, along = len(values), values.shape[1] // side
    means = cv2.resize(values.reshape(-1, values.shape[2]), (along, along * count), interpolation=cv2.INTER_AREA)
    return np.asarray(means, dtype=np.float32).reshape(count, along, along)
