"""The calibration board that is printed: a chessboard with ArUco markers in its white squares."""

import cv2
import numpy as np

from hardware.print.page import MARGIN_MM, Area, Mark, Page, Paper, Point, Words
from hardware.print.parts import FOOT_MM, ruler

COLUMNS, ROWS = 10, 7
SQUARE_MM, MARKER_MM = 25.0, 18.0
DICTIONARY = "5X5_100"
SPEC = f"charuco:{COLUMNS}x{ROWS}:{SQUARE_MM:g}:{MARKER_MM:g}:{DICTIONARY}"
"""The board as `overtable calibrate lens --board` takes it; ``printed`` is short for it."""
MARKER_MODULES = 7
"""Along the edge of a 5x5 marker, its black border included."""


def board_page(paper: Paper) -> Page:
    """Return the board on a paper laid on its side; A4 and Letter have room for it."""
    side = paper.across
    left = (side.width_mm - COLUMNS * SQUARE_MM) / 2
    top = (side.height_mm + FOOT_MM + ROWS * SQUARE_MM - MARGIN_MM / 2) / 2
    marks: list[Mark] = [
        Area(rings_mm=tuple(tuple((left + x, top - y) for x, y in ring) for ring in _black())),
        Words(
            text=f"overtable board: {SPEC}. Glue it flat on something stiff.",
            x_mm=side.width_mm / 2,
            y_mm=top + 1.5,
            size_mm=2.6,
            centred=True,
        ),
        *ruler(side),
    ]
    return Page(paper=side, marks=tuple(marks))


def _black() -> list[tuple[Point, ...]]:
    """Return the rings of the black parts, counted even and odd; x right, y down from the board's upper left corner."""
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, f"DICT_{DICTIONARY}"))
    board = cv2.aruco.CharucoBoard((COLUMNS, ROWS), SQUARE_MM, MARKER_MM, dictionary)
    corners = [np.asarray(found, dtype=np.float64).reshape(4, 3)[:, :2] for found in board.getObjPoints()]
    light = {(int(c[0, 0] // SQUARE_MM), int(c[0, 1] // SQUARE_MM)) for c in corners}
    rings = [
        _box(column * SQUARE_MM, row * SQUARE_MM, SQUARE_MM)
        for row in range(ROWS)
        for column in range(COLUMNS)
        if (column, row) not in light
    ]
    module = MARKER_MM / MARKER_MODULES
    for number, places in zip(np.ravel(np.asarray(board.getIds())), corners, strict=True):
        x, y = places.min(axis=0)
        rings.append(_box(x, y, MARKER_MM))
        white = cv2.aruco.generateImageMarker(dictionary, int(number), MARKER_MODULES) > 127
        rings += [_box(x + column * module, y + row * module, module) for row, column in np.argwhere(white)]
    return rings


def _box(x: float, y: float, edge: float) -> tuple[Point, ...]:
    x, y = float(x), float(y)
    return ((x, y), (x + edge, y), (x + edge, y + edge), (x, y + edge))
