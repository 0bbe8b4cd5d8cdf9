"""The corners of calibration boards in pictures."""

import re
from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.lens import BoardView
from hardware.print.board import SPEC as PRINTED

Grey = NDArray[np.uint8]
_FORM = "charuco:COLSxROWS:SQUARE:MARKER:DICTIONARY[:legacy], chess:COLSxROWS:SQUARE (inner corners), or printed"


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

    def scaled(self, factor: float) -> "CharucoBoard":
        """Return the board as it is when its print came out larger or smaller by a factor."""
        return replace(self, square_mm=self.square_mm * factor, marker_mm=self.marker_mm * factor)

    @property
    def drawn(self) -> cv2.aruco.CharucoBoard:
        """The board as OpenCV has it."""
        dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, f"DICT_{self.dictionary}"))
        board = cv2.aruco.CharucoBoard((self.columns, self.rows), self.square_mm, self.marker_mm, dictionary)
        board.setLegacyPattern(self.legacy)
        return board

    @cached_property
    def _detector(self) -> cv2.aruco.CharucoDetector:
        parameters = cv2.aruco.CharucoParameters()
        parameters.tryRefineMarkers = True
        return cv2.aruco.CharucoDetector(self.drawn, parameters)

    def find(self, grey: Grey, name: str) -> BoardView:
        """Return the corners found in a grey picture, none where the board is not seen."""
        corners, ids, _, _ = self._detector.detectBoard(grey)
        if ids is None:
            return _nothing(name)
        places = np.asarray(self._detector.getBoard().getChessboardCorners(), dtype=np.float64)
        return BoardView(
            name=name,
            points_mm=places[np.asarray(ids).ravel()],
            points_px=np.asarray(corners, dtype=np.float64).reshape(-1, 2),
        )


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
        found, corners = cv2.findChessboardCornersSB(grey, (self.columns, self.rows), flags=cv2.CALIB_CB_ACCURACY)
        if not found:
            return _nothing(name)
        across, down = np.meshgrid(np.arange(self.columns), np.arange(self.rows))
        places = np.stack([across, down, np.zeros_like(across)], axis=-1).reshape(-1, 3)
        places_mm = places.astype(np.float64) * self.square_mm
        return BoardView(name=name, points_mm=places_mm, points_px=np.asarray(corners, dtype=np.float64).reshape(-1, 2))


Board = CharucoBoard | ChessBoard


def parse_board(text: str) -> Board:
    """Read a board's description such as ``charuco:11x8:25:18:5X5_100``, ``chess:9x6:25`` or ``printed``.

    The last is the board that `overtable print board` makes.

    Raises:
        ValueError: it is not one; the sentence says what is expected.

    """
    text = PRINTED if text == "printed" else text
    number = r"(\d+(?:\.\d+)?)"
    if chess := re.fullmatch(rf"chess:(\d+)x(\d+):{number}", text):
        columns, rows, square_mm = int(chess[1]), int(chess[2]), float(chess[3])
        if min(columns, rows) < 3 or square_mm <= 0:
            raise ValueError(f"board {text!r}: expected at least 3x3 inner corners and a square of positive size")
        return ChessBoard(columns=columns, rows=rows, square_mm=square_mm)
    if not (charuco := re.fullmatch(rf"charuco:(\d+)x(\d+):{number}:{number}:(\w+?)(:legacy)?", text)):
        raise ValueError(f"board {text!r}: expected {_FORM}")
    columns, rows, square_mm, marker_mm = int(charuco[1]), int(charuco[2]), float(charuco[3]), float(charuco[4])
    if min(columns, rows) < 3 or not 0 < marker_mm < square_mm:
        raise ValueError(f"board {text!r}: expected at least 3x3 squares and a marker smaller than its square")
    known = sorted(name.removeprefix("DICT_") for name in dir(cv2.aruco) if re.fullmatch(r"DICT_[4-7]X[4-7]_\d+", name))
    if charuco[5] not in known:
        raise ValueError(f"board {text!r}: dictionary {charuco[5]!r} is not one of {', '.join(known)}")
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, f"DICT_{charuco[5]}"))
    if columns * rows // 2 > len(dictionary.bytesList):
        raise ValueError(f"board {text!r}: dictionary {charuco[5]} has too few markers for {columns}x{rows} squares")
    return CharucoBoard(
        columns=columns,
        rows=rows,
        square_mm=square_mm,
        marker_mm=marker_mm,
        dictionary=charuco[5],
        legacy=charuco[6] is not None,
    )


def _nothing(name: str) -> BoardView:
    return BoardView(name=name, points_mm=np.empty((0, 3)), points_px=np.empty((0, 2)))
