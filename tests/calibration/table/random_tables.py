"""Random tables under random webcams: how far off a calibration is all over the table, and how far it says it is.

A lot draws the lens, how much is known of it, the camera's place, the anchors and what is wrong with the picture of
them; all by projection, without a picture.
"""

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from calibration.errors import Unsolvable
from calibration.lens.solve import solve_lens
from calibration.spaces import CameraOverTable, Lens
from calibration.table.anchor_layout import turn_sigma
from calibration.table.camera_pose import compute_outward_steps, differentiate_by_place, guess_lens, solve_table
from tests.calibration.lens.board_views import simulate_view
from tests.calibration.table.simulated_tables import LENS_SIGMA, TABLE, aim_camera, draw_webcam

Floats = NDArray[np.float64]

SQUARE = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) / 2
RIM_MM = 60.0
PLACES = np.array([(x, y, 4.0) for x in np.linspace(60, 1464, 7) for y in np.linspace(60, 1058, 5)])


class LensKnown(StrEnum):
    """What the solve is told of the lens."""

    WELL = "from a good lens file"
    BADLY = "from a poor lens file"
    BOARDS = "solved from boards"
    NOT = "without a lens file"


class View(StrEnum):
    """From where, and how well, the anchors are seen."""

    CLEAN = "clean"
    OBLIQUE = "oblique, 2 m"
    DIM = "low light"
    LAID = "anchors laid by hand, creased"


@dataclass(frozen=True, slots=True, kw_only=True)
class CornerErrors:
    """What is wrong with corners, px, one standard deviation each; only the noise is known to the solve."""

    noise: float
    floor: float
    """Of every coordinate."""
    own: float
    """By which one square's edges bleed more than another's."""
    laid_mm: float = 0.0
    """How far anchors lie from where they are said to, along each axis, and the ends of their edges across them."""


ERRORS = {
    View.CLEAN: CornerErrors(noise=0.015, floor=0.01, own=0.02),
    View.OBLIQUE: CornerErrors(noise=0.02, floor=0.02, own=0.03),
    View.DIM: CornerErrors(noise=0.08, floor=0.05, own=0.05),
    View.LAID: CornerErrors(noise=0.02, floor=0.08, own=0.08, laid_mm=0.3),
}
BLEED_PX = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationDraw:
    """One calibration beside the truth."""

    camera: CameraOverTable
    off_mm: Floats
    """(n, 2) how far places all over the table are off."""
    covariance: Floats
    """(n, 2, 2) as it is stated."""

    @property
    def squared_sigmas(self) -> float:
        """Mean square of the errors in sigma."""
        return float(np.einsum("ni,nij,nj->n", self.off_mm, np.linalg.inv(self.covariance), self.off_mm).mean() / 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnTable:
    """A table under a camera, and what is seen and known of both."""

    true: CameraOverTable
    lens: Lens
    """What is known of it."""
    squares_mm: Floats
    squares_px: Floats
    noise_px2: Floats
    rng: np.random.Generator
    """To draw more with."""

    def solve(self, lens: Lens, before: CameraOverTable | None = None) -> CameraOverTable:
        """Calibrate the table with such a lens."""
        return solve_table(
            lens=lens,
            squares_mm=self.squares_mm,
            squares_px=self.squares_px,
            noise_px2=self.noise_px2,
            before=before,
        )

    def measure(self, camera: CameraOverTable) -> CalibrationDraw:
        """Compare a calibration with the truth."""
        off_mm = camera.table_from_image(self.true.image_from_table(PLACES), PLACES[:, 2]) - PLACES[:, :2]
        return CalibrationDraw(camera=camera, off_mm=off_mm, covariance=camera.covariance_mm2(PLACES))


def draw_table(seed: int, known: LensKnown, view: View) -> DrawnTable:
    """Draw a table by lot."""
    rng = np.random.default_rng([seed, *known.encode(), *view.encode()])
    true = _draw_camera(rng, view)
    squares_mm = _draw_anchors(rng)
    squares_px, noise_px2 = _look(rng, true, squares_mm, ERRORS[view])
    return DrawnTable(
        true=true,
        lens=_learn_lens(rng, true.lens, known, view),
        squares_mm=squares_mm,
        squares_px=squares_px,
        noise_px2=noise_px2,
        rng=rng,
    )


def draw_calibration(seed: int, known: LensKnown, view: View) -> CalibrationDraw:
    """Draw a table by lot, calibrate it, and measure what that is worth."""
    table = draw_table(seed, known, view)
    return table.measure(table.solve(table.lens))


def _draw_camera(rng: np.random.Generator, view: View) -> CameraOverTable:
    while True:
        camera = aim_camera(rng, draw_webcam(rng), tilts_deg=(9.0, 7.0) if view is View.OBLIQUE else None)
        if camera is not None and (view is not View.OBLIQUE or 1500 < camera.height_mm < 2500):
            return camera


def _draw_anchors(rng: np.random.Generator) -> Floats:
    """(n, 4, 3) corners of 4 to 8 anchors near the rim: the corners of the table first."""
    width, depth = TABLE.width_mm, TABLE.depth_mm
    near, far = RIM_MM, (width - RIM_MM, depth - RIM_MM)
    middles = [(width / 2, near), (width / 2, far[1]), (near, depth / 2), (far[0], depth / 2)]
    spots = [(near, near), (far[0], near), far, (near, far[1]), *rng.permutation(middles)]
    squares = []
    for spot in spots[: rng.integers(4, 9)]:
        turn = rng.uniform(-math.pi, math.pi)
        rotation = np.array([(math.cos(turn), -math.sin(turn)), (math.sin(turn), math.cos(turn))])
        square = np.array(spot) + rng.uniform(-25, 25, 2) + rng.choice([30.0, 40.0, 50.0]) * SQUARE @ rotation.T
        squares.append(np.column_stack([square, np.zeros(4)]))
    return np.array(squares)


def _look(
    rng: np.random.Generator, true: CameraOverTable, squares_mm: Floats, errors: CornerErrors
) -> tuple[Floats, Floats]:
    """Return (n, 4, 2) corners as they are found, and (n, 8, 8) their covariance as far as a fit of them knows it."""
    count = len(squares_mm)
    there = squares_mm + np.pad(rng.normal(0, 1, (count, 1, 2)) * errors.laid_mm, ((0, 0), (0, 0), (0, 1)))
    sizes_mm = np.linalg.norm(squares_mm[:, 1] - squares_mm[:, 0], axis=1)
    turns = rng.spawn(1)[0].normal(0, 1, count) * turn_sigma(errors.laid_mm, 1.0) / sizes_mm
    by_turn = differentiate_by_place(there)[..., 2]
    there = there + by_turn * turns[:, None, None]
    corners = true.image_from_table(there.reshape(-1, 3)).reshape(-1, 4, 2)
    bleeds = rng.normal(0, BLEED_PX) + rng.normal(0, errors.own, (count, 1, 1))
    corners = corners + bleeds * compute_outward_steps(corners)
    corners += rng.normal(0, math.hypot(errors.noise, errors.floor), corners.shape)
    return corners, np.tile(errors.noise**2 * np.eye(8), (count, 1, 1))


def _learn_lens(rng: np.random.Generator, true: Lens, known: LensKnown, view: View) -> Lens:
    match known:
        case LensKnown.NOT:
            return guess_lens(true.image_size)
        case LensKnown.BOARDS:
            noise_px = 0.3 if view is View.DIM else 0.1
            views = [
                simulate_view(rng, noise_px, f"view {i}", lens=true.parameters) for i in range(rng.integers(10, 16))
            ]
            try:
                return solve_lens(views, true.image_size).lens
            except Unsolvable:  # people are told so, and take other pictures
                return _learn_lens(rng, true, known, view)
        case LensKnown.WELL | LensKnown.BADLY:
            sigmas = LENS_SIGMA * (1 if known is LensKnown.WELL else 8)
            covariance = np.diag(sigmas**2)
            parameters = true.parameters + rng.normal(0, sigmas)
            return Lens(image_size=true.image_size, parameters=parameters, covariance=covariance)
