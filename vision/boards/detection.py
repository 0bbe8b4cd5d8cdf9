"""Board detection: calibration boards, the corners of them that a picture shows, and how sharp and still they are.

A look at a held board is worth as much as its edges are sharp, as little as it moved since the look before, and as many
of its corners as are seen.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.lens.bundle_adjustment import BoardView
from calibration.lens.view_guidance import ViewScope
from hardware.printing.sheets import BOARD_SPEC as PRINTED
from overtable_errors import OvertableError
from vision.boards.corner_fit import fit_corners

Grey = NDArray[np.uint8]
Floats = NDArray[np.float64]
CLEAR_SHARE = 0.8
"""Of the white between a square's edge and its marker is looked at to place the corner: the marker is blurred, too."""
_FORM = "charuco:COLSxROWS:SQUARE:MARKER:DICTIONARY[:legacy], chess:COLSxROWS:SQUARE (inner corners), or printed"


class BadBoard(OvertableError, ValueError):
    """A board that is wrong as written; the message says what was expected."""


@dataclass(frozen=True, kw_only=True)
class CharucoBoard:
    """A chessboard with ArUco markers in its white squares."""

    columns: int
    rows: int
    square_mm: float
    marker_mm: float
    dictionary: str
    legacy: bool
    """The pattern that OpenCV printed before 4.6."""

    def __str__(self) -> str:
        """Describe the board as `parse_board` takes it."""
        lengths = f"{self.square_mm:g}:{self.marker_mm:g}"
        return f"charuco:{self.columns}x{self.rows}:{lengths}:{self.dictionary}{':legacy' if self.legacy else ''}"

    def scale(self, factor: float) -> "CharucoBoard":
        """Return the board as it is when its print came out larger or smaller by a factor."""
        return replace(self, square_mm=self.square_mm * factor, marker_mm=self.marker_mm * factor)

    @property
    def opencv_board(self) -> cv2.aruco.CharucoBoard:
        """The board as OpenCV has it."""
        dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, f"DICT_{self.dictionary}"))
        board = cv2.aruco.CharucoBoard((self.columns, self.rows), self.square_mm, self.marker_mm, dictionary)
        board.setLegacyPattern(self.legacy)
        return board

    @cached_property
    def _detector(self) -> cv2.aruco.CharucoDetector:
        parameters = cv2.aruco.CharucoParameters()
        parameters.tryRefineMarkers = True
        return cv2.aruco.CharucoDetector(self.opencv_board, parameters)

    def find(self, grey: Grey, name: str) -> BoardView:
        """Return the corners found in a grey picture, none where the board is not seen."""
        corners, ids, _, _ = self._detector.detectBoard(grey)
        if ids is None:
            return _build_empty_view(name)
        places = np.asarray(self._detector.getBoard().getChessboardCorners(), dtype=np.float64)
        view = BoardView(
            name=name,
            points_mm=places[np.asarray(ids).ravel()],
            points_px=np.asarray(corners, dtype=np.float64).reshape(-1, 2),
        )
        clear_mm = CLEAR_SHARE * (self.square_mm - self.marker_mm) / 2
        return fit_corners(grey, view, self.square_mm, clear_mm)


@dataclass(frozen=True, kw_only=True)
class ChessBoard:
    """A plain chessboard, counted by its inner corners."""

    columns: int
    rows: int
    square_mm: float

    def __str__(self) -> str:
        """Describe the board as `parse_board` takes it."""
        return f"chess:{self.columns}x{self.rows}:{self.square_mm:g}"

    def find(self, grey: Grey, name: str) -> BoardView:
        """Return the corners found in a grey picture, none where the board is not whole in it."""
        size = (self.columns, self.rows)
        is_found, corners = cv2.findChessboardCornersSB(grey, size, flags=cv2.CALIB_CB_ACCURACY)
        points_px = np.asarray(corners, dtype=np.float64).reshape(-1, 2) if is_found else None
        if points_px is None:  # the older way is less sure of what it sees, but not put off by what is around the board
            is_found, coarse = cv2.findChessboardCorners(grey, size)
            if not is_found:
                return _build_empty_view(name)
            points_px = _place_corners(grey, np.asarray(coarse, dtype=np.float64).reshape(self.rows, self.columns, 2))
        return self.fit(grey, name, points_px)

    def fit(self, grey: Grey, name: str, points_px: Floats) -> BoardView:
        """Return the view of a board whose corners, row by row, are near (n, 2) places."""
        view = BoardView(name=name, points_mm=self.places_mm, points_px=points_px)
        return fit_corners(grey, view, self.square_mm, self.square_mm)

    @property
    def places_mm(self) -> Floats:
        """(n, 3) the inner corners, row by row."""
        across, down = np.meshgrid(np.arange(self.columns), np.arange(self.rows))
        places = np.stack([across, down, np.zeros_like(across)], axis=-1).reshape(-1, 3)
        return np.asarray(places * self.square_mm, dtype=np.float64)


Board = CharucoBoard | ChessBoard


def parse_board(text: str) -> Board:
    """Read a board's description such as ``charuco:11x8:25:18:5X5_100``, ``chess:9x6:25`` or ``printed``.

    The last is the board that `overtable print board` makes.

    Raises:
        BadBoard: it is not one; the sentence says what is expected.

    """
    text = PRINTED if text == "printed" else text
    number = r"(\d+(?:\.\d+)?)"
    if chess := re.fullmatch(rf"chess:(\d+)x(\d+):{number}", text):
        columns, rows, square_mm = int(chess[1]), int(chess[2]), float(chess[3])
        if min(columns, rows) < 3 or square_mm <= 0:
            raise BadBoard(f"board {text!r}: expected at least 3x3 inner corners and a square of positive size")
        return ChessBoard(columns=columns, rows=rows, square_mm=square_mm)
    if not (charuco := re.fullmatch(rf"charuco:(\d+)x(\d+):{number}:{number}:(\w+?)(:legacy)?", text)):
        raise BadBoard(f"board {text!r}: expected {_FORM}")
    columns, rows, square_mm, marker_mm = int(charuco[1]), int(charuco[2]), float(charuco[3]), float(charuco[4])
    if min(columns, rows) < 3 or not 0 < marker_mm < square_mm:
        raise BadBoard(f"board {text!r}: expected at least 3x3 squares and a marker smaller than its square")
    known = sorted(name.removeprefix("DICT_") for name in dir(cv2.aruco) if re.fullmatch(r"DICT_[4-7]X[4-7]_\d+", name))
    if charuco[5] not in known:
        raise BadBoard(f"board {text!r}: dictionary {charuco[5]!r} is not one of {', '.join(known)}")
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, f"DICT_{charuco[5]}"))
    if columns * rows // 2 > len(dictionary.bytesList):
        raise BadBoard(f"board {text!r}: dictionary {charuco[5]} has too few markers for {columns}x{rows} squares")
    return CharucoBoard(
        columns=columns,
        rows=rows,
        square_mm=square_mm,
        marker_mm=marker_mm,
        dictionary=charuco[5],
        legacy=charuco[6] is not None,
    )


def _build_empty_view(name: str) -> BoardView:
    return BoardView(name=name, points_mm=np.empty((0, 3)), points_px=np.empty((0, 2)))


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
class BoardSighting:
    """The board in one picture."""

    view: BoardView
    """Its corners, at least four."""
    blur_px: float
    """Standard deviation of what its edges are blurred by, in the direction in which they are the more blurred."""
    square_px: float
    """Edge of a square as it is seen, in the direction in which it is the shorter."""
    seen_share: float
    """Of all corners of the board."""


def scope_from_board(board: Board, image_size: tuple[int, int]) -> ViewScope:
    """Return the size of the task: this board in pictures of that size, (width, height)."""
    inner = isinstance(board, CharucoBoard)  # a chessboard is counted by its inner corners, and so one smaller
    columns, rows = (board.columns, board.rows) if inner else (board.columns + 1, board.rows + 1)
    begins_mm = 0.0 if inner else -board.square_mm
    return ViewScope(
        image_size=image_size,
        board_mm=(columns * board.square_mm, rows * board.square_mm),
        origin_mm=(begins_mm, begins_mm),
        square_mm=board.square_mm,
    )


def count_corners(board: Board) -> int:
    """Return how many corners the whole board has."""
    if isinstance(board, CharucoBoard):
        return (board.columns - 1) * (board.rows - 1)
    return board.columns * board.rows


def observe_board(grey: Grey, board: Board, name: str = "") -> BoardSighting | None:
    """Return the board in a grey picture, or None where it is not seen."""
    view = board.find(grey, name) if isinstance(board, CharucoBoard) else _find_chess(grey, board, name)
    if len(view.points_mm) < 4:
        return None
    edges = _find_edges(view, board.square_mm)
    if any(len(ends) == 0 for ends in edges):
        return None
    blur_px = max(_measure_blur(grey, ends) for ends in edges)
    square_px = min(float(np.median(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1))) for ends in edges)
    share = len(view.points_mm) / count_corners(board)
    return BoardSighting(view=view, blur_px=blur_px, square_px=square_px, seen_share=share)


def _find_chess(grey: Grey, board: ChessBoard, name: str) -> BoardView:
    """Find a chessboard coarsely, then each corner in the whole picture."""
    share = min(1.0, COARSE_PX / grey.shape[1])
    small = cv2.resize(grey, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
    is_found, coarse = cv2.findChessboardCornersSB(small, (board.columns, board.rows))
    if not is_found:
        return BoardView(name=name, points_mm=np.empty((0, 3)), points_px=np.empty((0, 2)))
    corners = (np.asarray(coarse, dtype=np.float64).reshape(board.rows, board.columns, 2) + 0.5) / share - 0.5
    return board.fit(grey, name, _place_corners(grey, corners))


def _place_corners(grey: Grey, corners_px: Floats) -> Floats:
    """(n, 2) where the corners near (rows, columns, 2) places are, px."""
    steps = [np.linalg.norm(np.diff(corners_px, axis=axis), axis=2).min() for axis in (0, 1)]
    half = max(2, round(CORNER_SHARE * float(min(steps))))
    until = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 40, 1e-3)
    start = corners_px.reshape(-1, 1, 2).astype(np.float32)
    return np.asarray(cv2.cornerSubPix(grey, start, (half, half), (-1, -1), until), dtype=np.float64).reshape(-1, 2)


def measure_motion_px(one: BoardView, other: BoardView) -> float:
    """Return how far apart two views' corners are, on average; infinite where less than half of them are in both."""
    first_rows, second_rows = _match_corners(one, other)
    if 2 * len(first_rows) < max(len(one.points_mm), len(other.points_mm)):
        return float("inf")
    return float(np.linalg.norm(one.points_px[first_rows] - other.points_px[second_rows], axis=1).mean())


def average_views(views: Sequence[BoardView]) -> BoardView:
    """Return the last of some views of a board that was held still, each corner at the mean of its places in all."""
    last = views[-1]
    total, count = np.zeros_like(last.points_px), np.zeros(len(last.points_px))
    for view in views:
        last_rows, view_rows = _match_corners(last, view)
        total[last_rows] += view.points_px[view_rows]
        count[last_rows] += 1
    return replace(last, points_px=total / count[:, None])


def _match_corners(one: BoardView, other: BoardView) -> tuple[list[int], list[int]]:
    """Return which corners, by their number in either view, are in both."""
    places = {tuple(place): at for at, place in enumerate(np.round(other.points_mm, 3).tolist())}
    keys = [tuple(place) for place in np.round(one.points_mm, 3).tolist()]
    pairs = [(row, places[key]) for row, key in enumerate(keys) if key in places]
    return [row for row, _ in pairs], [other_row for _, other_row in pairs]


def _find_edges(view: BoardView, square_mm: float) -> tuple[Floats, Floats]:
    """Return (n, 2, 2) ends of the squares' edges in the picture, those along the rows and those along the columns."""
    cells = np.round((view.points_mm[:, :2] - view.points_mm[0, :2]) / square_mm).astype(int)
    at = {tuple(cell): number for number, cell in enumerate(cells.tolist())}

    def along(step: tuple[int, int]) -> Floats:
        pairs = [(number, at.get((c + step[0], r + step[1]))) for (c, r), number in at.items()]
        ends = [(view.points_px[start], view.points_px[end]) for start, end in pairs if end is not None]
        return np.array(ends, dtype=np.float64).reshape(-1, 2, 2)

    return along((1, 0)), along((0, 1))


def _measure_blur(grey: Grey, ends: Floats) -> float:
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
    has_contrast = contrast >= LEAST_CONTRAST
    if not has_contrast.any():
        return float("inf")
    return float(np.median(contrast[has_contrast] / np.maximum(steepest[has_contrast], 1e-6))) / float(
        np.sqrt(2 * np.pi)
    )
