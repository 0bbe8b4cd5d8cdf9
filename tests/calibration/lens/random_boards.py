"""Random boards before random webcams: what the eyes find of them in pictures, by projection, and the lens from that.

A lot draws the lens, the board and how it is bent, the light, and where the board is held in each picture.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.lens.bundle_adjustment import BEND_MM, BoardView
from calibration.lens.quality import build_grid_mm, compute_displacement_mm, map_lens_error, place_table_under
from calibration.lens.solve import LensFit, solve_lens
from calibration.spaces import Lens, project
from tests.calibration.table.simulated_tables import IMAGE_SIZE, draw_webcam
from vision.boards.detection import ChessBoard, parse_board

Floats = NDArray[np.float64]

BOARDS = (
    "printed",
    "charuco:8x8:25.4:19.05:4X4_1000",
    "charuco:5x7:30:22:4X4_50",
    "chess:9x6:25",
    "chess:8x6:25.4",
    "chess:7x5:30",
)


class Light(StrEnum):
    """How well the board is lit."""

    GOOD = "good light"
    LOW = "low light"


class ViewSet(StrEnum):
    """How the board is held up."""

    MANY = "10 to 16 views all over the picture"
    FEW = "2 to 7 views"
    MIDDLE = "10 to 16 views of the picture's middle"
    FRONTAL = "10 to 16 face-on views"


NOISE_PX = {Light.GOOD: 0.01, Light.LOW: 0.04}
"""How far corners are off.  In rendered pictures of 1280 x 720 with noise of 2 and of 8 grey levels and JPEG of quality
90 and 60 they are off by 0.006 and 0.033."""
KNOWN_SHARE, LEAST_PX = 0.85, 0.015
"""So much of it a fit of the corners says, and never less."""
UNLIKE = 0.4
"""How much steadier one view is than another, as a logarithm: hands move it while the shutter is open."""
BENT_MM, OWN_BENT_MM = 0.1, 0.03
"""How far a board bends off its plane, `BEND_MM` from its middle: the same in all views, and otherwise in each."""
ASIDE = {ViewSet.MIDDLE: 0.14}
LEAN_RAD = {ViewSet.FRONTAL: 0.05}
"""One standard deviation of the turns about the picture's axes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LensDraw:
    """A lens that was solved from drawn views, beside the truth."""

    true: Lens
    fit: LensFit

    @property
    def focal_share(self) -> float:
        """By which share the focal length is off."""
        return float(self.fit.lens.parameters[:2].mean() / self.true.parameters[:2].mean() - 1)

    @property
    def focal_sigma(self) -> float:
        """One standard deviation of it, as it is stated."""
        return float(np.sqrt(self.fit.lens.covariance[:2, :2].mean()) / self.fit.lens.parameters[:2].mean())

    @property
    def axis_squares(self) -> float:
        """Mean square of what the principal point is off, in sigma."""
        off = self.fit.lens.parameters[2:4] - self.true.parameters[2:4]
        return float(off @ np.linalg.solve(self.fit.lens.covariance[2:4, 2:4], off) / 2)

    def compare_on_table(self) -> tuple[float, float]:
        """Return how far places on a table are off, and how far they are said to be, mm root mean square."""
        said = map_lens_error(self.fit.lens, place_table_under(self.fit.lens), misfit_px=self.fit.misfit_px)
        return measure_off_mm(self.true, self.fit.lens), said.typical_mm


def measure_off_mm(true: Lens, found: Lens) -> float:
    """Return how far places on a table are off by a lens, mm root mean square."""
    stand = place_table_under(true)
    places = build_grid_mm(stand.table_mm).reshape(-1, 2)
    points_mm = np.column_stack([places, np.zeros(len(places))])
    off_mm = compute_displacement_mm(true, found, stand, points_mm)
    return float(np.sqrt((off_mm**2).sum(axis=1).mean()))


def draw_lens(seed: int, light: Light, views: ViewSet) -> LensDraw:
    """Draw a lens and views of a board by lot, and solve the lens from them.

    Raises:
        Unsolvable: the views do not tell it.

    """
    hands = BoardHands(np.random.default_rng([seed, *light.encode(), *views.encode()]), light, views)
    return LensDraw(true=hands.lens, fit=solve_lens(hands.hold_up_all(), hands.lens.image_size))


def _draw_true_lens(rng: np.random.Generator) -> Lens:
    width, height = IMAGE_SIZE
    while True:
        drawn = draw_webcam(rng)
        corner2 = (width**2 + height**2) / (4 * drawn[0] ** 2) * np.linspace(0, 1.1, 30)
        unfolded = (1 + 3 * drawn[4] * corner2 + 5 * drawn[5] * corner2**2 + 7 * drawn[8] * corner2**3).min() > 0.3
        if 0.35 < drawn[0] / width < 1.5 and unfolded:
            return Lens(image_size=IMAGE_SIZE, parameters=drawn, covariance=1e-12 * np.eye(9))


class BoardHands:
    """Hands that hold up a board before a camera, drawn by lot."""

    def __init__(self, rng: np.random.Generator, light: Light, views: ViewSet, boards: Sequence[str] = BOARDS) -> None:
        self.lens = _draw_true_lens(rng)
        self._rng, self._light, self._views = rng, light, views
        self.board = parse_board(boards[int(rng.integers(len(boards)))])
        self._least_seen = 1.0 if isinstance(self.board, ChessBoard) else 0.6
        """Of the corners: a chessboard has to be whole in the picture."""
        self._flat_mm = (
            self.board.places_mm
            if isinstance(self.board, ChessBoard)
            else np.array(self.board.opencv_board.getChessboardCorners(), dtype=np.float64)
        )
        self._bent_mm = rng.normal(0, BENT_MM, 3)

    def hold_up_all(self) -> list[BoardView]:
        """Return what is found of the board in all pictures."""
        return [self._look_at_board(f"view {i}") for i in range(self.draw_count())]

    def draw_count(self) -> int:
        """Return of how many pictures there are to be."""
        return int(self._rng.integers(2, 8) if self._views is ViewSet.FEW else self._rng.integers(10, 17))

    def _look_at_board(self, name: str) -> BoardView:
        rng, flat_mm = self._rng, self._flat_mm
        x, y = (flat_mm - flat_mm.mean(axis=0))[:, :2].T / BEND_MM
        bend = (self._bent_mm + rng.normal(0, OWN_BENT_MM, 3)) @ np.stack([x * x, x * y, y * y])
        _, pixels, seen = self.hold_up(flat_mm + np.outer(bend, (0, 0, 1)))
        sigma_px = NOISE_PX[self._light] * np.exp(rng.normal(0, UNLIKE))
        found_px = pixels[seen] + rng.normal(0, sigma_px, (int(seen.sum()), 2))
        known_px = np.full(len(found_px), np.hypot(KNOWN_SHARE * sigma_px, LEAST_PX))
        return BoardView(name=name, points_mm=flat_mm[seen], points_px=found_px, sigma_px=known_px)

    def hold_up(self, really_mm: Floats | None = None) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        """Return (6,) camera_from_board, (n, 2) where the corners are in the picture, px, and which are inside of it.

        Args:
            really_mm: (n, 3) where the corners are on the board; as on a flat one where it is not given.

        """
        rng, flat_mm = self._rng, self._flat_mm
        middle_mm, really_mm = flat_mm.mean(axis=0), flat_mm if really_mm is None else really_mm
        size, lens = np.array(self.lens.image_size), self.lens.parameters
        while True:
            turn = np.array([*rng.normal(0, LEAN_RAD.get(self._views, 0.35), 2), rng.normal(0, 0.5)])
            away_mm = np.ptp(flat_mm[:, 0]) * lens[0] / size[0] / rng.uniform(0.2, 0.55)
            aim = (0.5 + rng.uniform(-1, 1, 2) * ASIDE.get(self._views, 0.42)) * size
            at_mm = np.array([*(aim - lens[2:4]) / lens[:2], 1.0]) * away_mm
            pose = np.concatenate([turn, at_mm - np.asarray(cv2.Rodrigues(turn)[0]) @ middle_mm])
            pixels, _ = project(really_mm, np.concatenate([pose, lens]))
            seen = np.asarray(((pixels > 0) & (pixels < size)).all(axis=1))
            if seen.mean() >= self._least_seen:
                return pose, np.asarray(pixels), seen
