"""Photographed boards: real pictures of a cheap webcam, in which some markers play anchors and the others bases."""

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.table.camera_pose import guess_lens, remove_bleed, solve_table
from tests.calibration.table.random_tables import CalibrationDraw
from tests.shared_pictures import SHARED

Floats = NDArray[np.float64]

BOARDS = {"lifecam-charuco-a": False, "lifecam-charuco-b": True}
"""Folders of photographs, and whether the board has the pattern of before OpenCV 4.6."""
SQUARES, SQUARE_MM, MARKER_MM = (8, 8), 25.4, 19.05
FOUND_PX = 0.2
"""How far off a marker as a whole is found in these photographs, by what a lens that is solved from all of them and
each board's own place leave."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhotographedBoard:
    """The markers of a board in one photograph."""

    image_size: tuple[int, int]
    squares_mm: Floats
    """(n, 4, 3) on the board, y up."""
    squares_px: Floats
    """(n, 4, 2)."""

    def calibrate(self, count: int) -> CalibrationDraw:
        """Calibrate by markers near the corners, and the middles of two sides, without a lens file; try the others."""
        side = SQUARES[0] * SQUARE_MM
        spots = np.array([(0, 0), (side, 0), (side, side), (0, side), (side / 2, 0), (side / 2, side)])
        middles, anchors = self.squares_mm.mean(axis=1), list[int]()
        for spot in spots[:count]:
            near = np.linalg.norm(middles[:, :2] - spot, axis=1)
            near[anchors] = np.inf
            anchors.append(int(near.argmin()))
        camera = solve_table(
            lens=guess_lens(self.image_size),
            squares_mm=self.squares_mm[anchors],
            squares_px=self.squares_px[anchors],
        )
        others = [i for i in range(len(middles)) if i not in anchors]
        corners_px = remove_bleed(self.squares_px[others], camera.bleed_px).reshape(-1, 2)
        found = camera.table_from_image(corners_px, 0.0).reshape(-1, 4, 2).mean(axis=1)
        mm_per_px = np.linalg.inv(camera.scale_px_per_mm(middles[others]))
        own = FOUND_PX**2 * mm_per_px @ mm_per_px.transpose(0, 2, 1)
        return CalibrationDraw(
            camera=camera,
            off_mm=found - middles[others, :2],
            covariance=camera.covariance_mm2(middles[others]) + own,
        )


def find_boards(name: str) -> Iterator[PhotographedBoard]:
    """Yield the boards of a folder of photographs; none where it is not there."""
    board = cv2.aruco.CharucoBoard(
        SQUARES, SQUARE_MM, MARKER_MM, cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_1000)
    )
    board.setLegacyPattern(BOARDS[name])
    detector = cv2.aruco.CharucoDetector(board)
    at = {int(marker): square for marker, square in zip(np.ravel(board.getIds()), board.getObjPoints(), strict=True)}
    enough = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 50, 1e-4)
    for path in sorted((SHARED / "photos" / name).glob("*.jpg")):
        grey = np.asarray(cv2.imread(str(path), cv2.IMREAD_GRAYSCALE))
        corners, _, squares, markers = detector.detectBoard(grey)
        if np.size(corners) < 2 * 30:
            continue
        named = zip(map(int, np.ravel(markers)), squares, strict=True)
        seen = [(at[marker], square) for marker, square in named if marker in at]
        squares_mm = np.array([square for square, _ in seen], dtype=np.float64)[:, ::-1]
        squares_mm[..., 1] = SQUARES[1] * SQUARE_MM - squares_mm[..., 1]
        squares_px = [cv2.cornerSubPix(grey, square.reshape(-1, 1, 2), (3, 3), (-1, -1), enough) for _, square in seen]
        yield PhotographedBoard(
            image_size=(grey.shape[1], grey.shape[0]),
            squares_mm=squares_mm,
            squares_px=np.array(squares_px, dtype=np.float64).reshape(-1, 4, 2)[:, ::-1],
        )
