"""Rendered boards: pictures of a board that hands hold up in poor light, and the lens from them, beside OpenCV's.

The lens, the board and where it is held are drawn as `random_boards` draws them; here the eyes look at pictures.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from assistant.features.lens.virtual_hands import build_plate
from calibration.lens.solve import solve_lens
from calibration.spaces import Lens
from hardware.simulation.camera_faults import CameraFaults, FaultyCamera
from hardware.simulation.optics import CameraModel
from hardware.simulation.plate import HeldPlate, draw_plate
from tests.calibration.lens.random_boards import BOARDS, BoardHands, LensDraw, Light, ViewSet
from vision.boards.detection import CharucoBoard

Floats = NDArray[np.float64]
Grey = NDArray[np.uint8]

POOR = CameraFaults(exposure_ms=25.0, noise=8.0, jpeg_quality=60)
"""A dim living room: an exposure that long, pixels off by so many grey levels, and a webcam's thrift."""
BLUR_PX = 0.8
BRIGHTNESS = 0.6
"""Of what it would be in good light."""
BEHIND = 70.0
"""Grey level of what is behind the board."""
HAND_MM_S, HAND_RAD_S = 12.0, 0.02
"""How fast hands that hold a board still move and turn it, along and about each axis, one standard deviation."""
STEPS = 5
"""An exposure is the mean of so many moments."""


CHARUCO = tuple(board for board in BOARDS if not board.startswith("chess"))


@dataclass(frozen=True, slots=True, kw_only=True)
class PicturedLens:
    """A lens from pictures: ours, and what OpenCV's own calibration makes of its own corners in them."""

    ours: LensDraw
    theirs: Lens
    """With OpenCV's standard deviations."""

    @property
    def their_focal(self) -> tuple[float, float]:
        """By which share its focal length is off, and one standard deviation of it as it is stated."""
        focal_px = float(self.theirs.parameters[:2].mean())
        share = focal_px / float(self.ours.true.parameters[:2].mean()) - 1
        return share, float(np.sqrt(self.theirs.covariance[0, 0])) / focal_px


def draw_pictured_lens(seed: int, views: ViewSet, faults: CameraFaults = POOR) -> PicturedLens:
    """Draw a lens, have a ChArUco board held up before it and photographed, and solve the lens from the pictures.

    Raises:
        Unsolvable: they do not tell it.

    """
    rng = np.random.default_rng([seed, *views.encode(), 7])
    hands = BoardHands(rng, Light.LOW, views, CHARUCO)
    assert isinstance(hands.board, CharucoBoard)
    camera = FaultyCamera(faults, hands.lens.image_size, seed=seed)
    greys = [camera.take(_expose(rng, hands, faults.exposure_ms), 0.0) for _ in range(hands.draw_count())]
    size = hands.lens.image_size
    found = [hands.board.find(grey, f"view {number}") for number, grey in enumerate(greys)]
    ours = LensDraw(true=hands.lens, fit=solve_lens(found, size))
    return PicturedLens(ours=ours, theirs=solve_by_opencv(hands.board, greys, size))


def _expose(rng: np.random.Generator, hands: BoardHands, exposure_ms: float) -> Grey:
    """Return a picture of the board, held up somewhere by hands that are not quite still."""
    width, height = hands.lens.image_size
    plate, pose = build_plate(hands.board), hands.hold_up()[0]
    camera = CameraModel(
        image_size=(width, height),
        matrix=hands.lens.matrix,
        distortion=hands.lens.distortion,
        rotation=np.eye(3),
        translation=np.zeros(3),
    )
    way = rng.normal(0, [HAND_RAD_S] * 3 + [HAND_MM_S] * 3) * exposure_ms / 1e3
    total = np.zeros((height, width), dtype=np.float32)
    for share in np.linspace(-0.5, 0.5, STEPS):
        there = pose + share * way
        turn = np.asarray(cv2.Rodrigues(there[:3])[0], dtype=np.float64)
        picture = np.full((height, width), BEHIND, dtype=np.float32)
        for sprite in draw_plate(HeldPlate(plate=plate, table_from_plate=turn, at_mm=there[3:]), camera):
            area, surface = sprite.rect, sprite.surface.astype(np.float32)
            part = picture[area.top : area.bottom, area.left : area.right]
            cover = surface[..., 3] / 255
            part[:] = (1 - cover) * part + cover * BRIGHTNESS * surface[..., 0]
        total += picture / STEPS
    return np.asarray(cv2.GaussianBlur(total, (0, 0), BLUR_PX).round(), dtype=np.uint8)


def solve_by_opencv(board: CharucoBoard, greys: Sequence[Grey], size: tuple[int, int]) -> Lens:
    """Return the lens as OpenCV's ordinary calibration has it, by its own corners and with its own doubts."""
    detector = cv2.aruco.CharucoDetector(board.opencv_board)
    places = np.asarray(board.opencv_board.getChessboardCorners())
    views = [(corners, ids) for corners, ids, *_ in map(detector.detectBoard, greys) if np.size(ids) >= 8]
    _, matrix, distortion, _, _, sigmas, _, _ = cv2.calibrateCameraExtended(
        [places[np.ravel(ids)] for _, ids in views], [corners for corners, _ in views], size, np.eye(3), np.zeros(5)
    )
    found = np.asarray(matrix, dtype=np.float64)
    parameters = np.array([found[0, 0], found[1, 1], found[0, 2], found[1, 2], *np.ravel(distortion)[:5]])
    return Lens(image_size=size, parameters=parameters, covariance=np.diag(np.ravel(sigmas)[:9] ** 2))
