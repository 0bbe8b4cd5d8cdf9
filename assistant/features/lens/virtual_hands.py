"""Virtual hands for a lens calibration: over a virtual table they hold the board where it is asked for."""

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from assistant.features.lens.state import LensCalibrationState
from calibration.lens.view_guidance import ViewScope
from hardware.simulation.plate import HeldPlate, Plate
from hardware.simulation.virtual_table import VirtualTable
from vision.boards.detection import Board, CharucoBoard

Floats = NDArray[np.float64]

TEXELS_PER_MM = 7
"""With this, and the printed board's sizes, squares and modules of markers are whole texels."""
LEAST_SQUARE_TEXELS = 64
RIM_SHARE = 0.5
"""Of a square, as white paper around the squares."""
MOVE_NS = 500_000_000
"""From one place to the next."""
PATIENCE_NS = 4_000_000_000
"""What was not taken by then is held a little otherwise."""
OTHERWISE = 0.94


class LensHands:
    """A pair of hands with a board over a virtual table."""

    def __init__(self, table: VirtualTable) -> None:
        self._table = table
        self._board: Board | None = None
        self._plate: Plate | None = None
        self._from_px: Floats | None = None
        self._to_px: Floats | None = None
        self._since_ns = 0
        self._tries = 0
        self._shown_px: Floats | None = None

    def help(self, state: LensCalibrationState, now_ns: int) -> None:
        """Go on with what the calibration needs, at a moment."""
        if state.scope is None or state.ask is None:
            self.end()
            return
        if state.board != self._board:
            self._board, self._plate = state.board, build_plate(state.board)
        if self._to_px is None or not np.array_equal(self._to_px, state.target_px):
            self._from_px = self._shown_px if self._shown_px is not None else 0.8 * state.target_px
            self._to_px, self._since_ns, self._tries = state.target_px, now_ns, 0
        elif now_ns - self._since_ns > PATIENCE_NS:
            self._from_px, self._since_ns, self._tries = self._shown_px, now_ns, self._tries + 1
        middle_px = np.array(state.scope.image_size) / 2
        goal_px = middle_px + (self._to_px - middle_px) * OTHERWISE**self._tries
        part = min(1.0, (now_ns - self._since_ns) / MOVE_NS)
        assert self._from_px is not None
        outline_px = self._from_px + (goal_px - self._from_px) * part
        if self._shown_px is None or not np.array_equal(outline_px, self._shown_px):
            self._shown_px = outline_px
            self._hold(outline_px, state.scope)

    def end(self) -> None:
        """Take the board away."""
        self._table.hold_plate(None)
        self._from_px = self._to_px = self._shown_px = None

    def _hold(self, outline_px: Floats, scope: ViewScope) -> None:
        """Hold the board so that its corners are seen there, as nearly as a flat board can."""
        camera = self._table.camera
        is_solved, turn, shift = cv2.solvePnP(
            scope.outline_mm,
            outline_px.reshape(-1, 1, 2),
            camera.matrix,
            camera.distortion,
            flags=cv2.SOLVEPNP_IPPE,
        )
        if not is_solved or self._plate is None:
            return
        camera_from_board = np.asarray(cv2.Rodrigues(turn)[0], dtype=np.float64)
        at_mm = camera.rotation.T @ (np.ravel(shift) - camera.translation)
        table_from_plate = camera.rotation.T @ camera_from_board
        self._table.hold_plate(HeldPlate(plate=self._plate, table_from_plate=table_from_plate, at_mm=np.asarray(at_mm)))


def build_plate(board: Board) -> Plate:
    """Return a board as it is printed, with a white rim."""
    texels_per_mm = max(TEXELS_PER_MM, math.ceil(LEAST_SQUARE_TEXELS / board.square_mm))
    square = round(texels_per_mm * board.square_mm)
    rim = math.ceil(RIM_SHARE * square)
    if isinstance(board, CharucoBoard):
        size = (board.columns * square, board.rows * square)
        picture = np.asarray(board.opencv_board.generateImage(size, marginSize=0), dtype=np.uint8)
        begins_mm = 0.0
    else:
        columns, rows = np.meshgrid(np.arange(board.columns + 1), np.arange(board.rows + 1))
        picture = np.kron(np.where((columns + rows) % 2, 255, 0), np.ones((square, square))).astype(np.uint8)
        begins_mm = -board.square_mm
    scale = square / board.square_mm
    return Plate(
        image=np.asarray(cv2.copyMakeBorder(picture, rim, rim, rim, rim, cv2.BORDER_CONSTANT, value=255)),
        texels_per_mm=scale,
        origin_mm=(begins_mm - rim / scale, begins_mm - rim / scale),
    )
