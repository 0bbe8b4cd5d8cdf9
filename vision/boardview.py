"""What a look at a held board is worth: how sharp its edges are, whether it moved, and how much of it is seen."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.aspects import Scope
from calibration.lens import BoardView
from vision.board import Board, CharucoBoard, ChessBoard

Floats = NDArray[np.float64]
Grey = NDArray[np.uint8]

STEP_PX = 0.5
"""Between two samples across an edge."""
SIDE_SHARE = 0.42
"""An edge is looked at across so much of the squares on either side of it."""
LINES = 7
"""So many samples along an edge are averaged, over its middle half: noise is no sharpness, and corners are left out."""
MOST_REACH_PX = 40.0
COARSE_PX = 800
"""A chessboard is looked for in the picture made so wide: in a large one that takes seconds."""
CORNER_SHARE = 0.3
"""Of a square, around a corner, is used to place it."""
LEAST_CONTRAST = 12.0
"""Grey levels between the two sides of an edge; less says nothing about how sharp it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """The board in one picture."""

    view: BoardView
    """Its corners, at least four."""
    blur_px: float
    """Standard deviation of what its edges are blurred by, in the direction in which they are the more blurred."""
    square_px: float
    """Edge of a square as it is seen, in the direction in which it is the shorter."""
    seen_share: float
    """Of all corners of the board."""


def scope_of(board: Board, image_size: tuple[int, int]) -> Scope:
    """Return the size of the task: this board in pictures of that size, (width, height)."""
    inner = isinstance(board, CharucoBoard)  # a chessboard is counted by its inner corners, and so one smaller
    columns, rows = (board.columns, board.rows) if inner else (board.columns + 1, board.rows + 1)
    begins_mm = 0.0 if inner else -board.square_mm
    return Scope(
        image_size=image_size,
        board_mm=(columns * board.square_mm, rows * board.square_mm),
        origin_mm=(begins_mm, begins_mm),
        square_mm=board.square_mm,
    )


def corner_count(board: Board) -> int:
    """Return how many corners the whole board has."""
    if isinstance(board, CharucoBoard):
        return (board.columns - 1) * (board.rows - 1)
    return board.columns * board.rows


def sight(grey: Grey, board: Board, name: str = "") -> Sighting | None:
    """Return the board in a grey picture, or None where it is not seen."""
    view = board.find(grey, name) if isinstance(board, CharucoBoard) else _find_chess(grey, board, name)
    if len(view.points_mm) < 4:
        return None
    edges = _edges(view, board.square_mm)
    if any(len(ends) == 0 for ends in edges):
        return None
    blur_px = max(_blur(grey, ends) for ends in edges)
    square_px = min(float(np.median(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1))) for ends in edges)
    share = len(view.points_mm) / corner_count(board)
    return Sighting(view=view, blur_px=blur_px, square_px=square_px, seen_share=share)


def _find_chess(grey: Grey, board: ChessBoard, name: str) -> BoardView:
    """Find a chessboard coarsely, then each corner in the whole picture."""
    share = min(1.0, COARSE_PX / grey.shape[1])
    small = cv2.resize(grey, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
    found, coarse = cv2.findChessboardCornersSB(small, (board.columns, board.rows))
    if not found:
        return BoardView(name=name, points_mm=np.empty((0, 3)), points_px=np.empty((0, 2)))
    corners = (np.asarray(coarse, dtype=np.float64).reshape(board.rows, board.columns, 2) + 0.5) / share - 0.5
    steps = [np.linalg.norm(np.diff(corners, axis=axis), axis=2).min() for axis in (0, 1)]
    half = max(2, round(CORNER_SHARE * float(min(steps))))
    until = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 40, 1e-3)
    start = corners.reshape(-1, 1, 2).astype(np.float32)
    placed = cv2.cornerSubPix(grey, start, (half, half), (-1, -1), until)
    across, down = np.meshgrid(np.arange(board.columns), np.arange(board.rows))
    places = np.stack([across, down, np.zeros_like(across)], axis=-1).reshape(-1, 3).astype(np.float64)
    points_px = np.asarray(placed, dtype=np.float64).reshape(-1, 2)
    return BoardView(name=name, points_mm=places * board.square_mm, points_px=points_px)


def moved_px(one: BoardView, other: BoardView) -> float:
    """Return how far apart two views' corners are, on average; infinite where less than half of them are in both."""
    mine, its = _common(one, other)
    if 2 * len(mine) < max(len(one.points_mm), len(other.points_mm)):
        return float("inf")
    return float(np.linalg.norm(one.points_px[mine] - other.points_px[its], axis=1).mean())


def averaged(views: Sequence[BoardView]) -> BoardView:
    """Return the last of some views of a board that was held still, each corner at the mean of its places in all."""
    last = views[-1]
    total, count = np.zeros_like(last.points_px), np.zeros(len(last.points_px))
    for view in views:
        mine, its = _common(last, view)
        total[mine] += view.points_px[its]
        count[mine] += 1
    return replace(last, points_px=total / count[:, None])


def _common(one: BoardView, other: BoardView) -> tuple[list[int], list[int]]:
    """Return which corners, by their number in either view, are in both."""
    places = {tuple(place): at for at, place in enumerate(np.round(other.points_mm, 3).tolist())}
    keys = [tuple(place) for place in np.round(one.points_mm, 3).tolist()]
    pairs = [(mine, places[key]) for mine, key in enumerate(keys) if key in places]
    return [mine for mine, _ in pairs], [its for _, its in pairs]


def _edges(view: BoardView, square_mm: float) -> tuple[Floats, Floats]:
    """Return (n, 2, 2) ends of the squares' edges in the picture, those along the rows and those along the columns."""
    cells = np.round((view.points_mm[:, :2] - view.points_mm[0, :2]) / square_mm).astype(int)
    at = {tuple(cell): number for number, cell in enumerate(cells.tolist())}

    def along(step: tuple[int, int]) -> Floats:
        pairs = [(number, at.get((c + step[0], r + step[1]))) for (c, r), number in at.items()]
        ends = [(view.points_px[start], view.points_px[end]) for start, end in pairs if end is not None]
        return np.array(ends, dtype=np.float64).reshape(-1, 2, 2)

    return along((1, 0)), along((0, 1))


def _blur(grey: Grey, ends: Floats) -> float:
    """Return the median blur of some edges: contrast over steepest slope, as a Gaussian's standard deviation."""
    along = ends[:, 1] - ends[:, 0]
    length = np.linalg.norm(along, axis=1)
    across = np.column_stack([-along[:, 1], along[:, 0]]) / length[:, None]
    reach_px = min(SIDE_SHARE * float(np.median(length)), MOST_REACH_PX)
    offsets = np.arange(-reach_px, reach_px + STEP_PX / 2, STEP_PX)
    shares = np.linspace(0.25, 0.75, LINES)
    places = ends[:, None, None, 0] + shares[None, :, None, None] * along[:, None, None]
    places = places + offsets[None, None, :, None] * across[:, None, None]
    flat = places.reshape(len(ends), -1, 2).astype(np.float32)
    read = cv2.remap(grey.astype(np.float32), flat[..., 0], flat[..., 1], cv2.INTER_LINEAR)
    profiles = np.asarray(read, dtype=np.float64).reshape(len(ends), LINES, len(offsets)).mean(axis=1)
    slope = np.abs(profiles[:, 2:] - profiles[:, :-2]) / (2 * STEP_PX)
    near = np.abs(offsets[1:-1]) <= max(2.0, 0.15 * reach_px / SIDE_SHARE)  # beyond it a marker's own edges begin
    contrast, steepest = np.ptp(profiles, axis=1), slope[:, near].max(axis=1)
    told = contrast >= LEAST_CONTRAST
    if not told.any():
        return float("inf")
    return float(np.median(contrast[told] / np.maximum(steepest[told], 1e-6))) / float(np.sqrt(2 * np.pi))
