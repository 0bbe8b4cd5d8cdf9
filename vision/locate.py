"""From decoded tags to measured base poses, each picture by itself."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.spaces import CameraOverTable, Lens
from calibration.table import solve_table, without_bleed
from vision.types import TagDetection

Floats = NDArray[np.float64]

SIDES = np.array([-1 - 1j, 1 - 1j, 1 + 1j, -1 + 1j])
"""The corners of a tag in its own frame as complex numbers, for an edge of 2."""
LEAST_SIGMA_PX = 0.05
"""Noise of one coordinate of a small tag's corner in the cleanest of pictures."""
SHAPE_LIMIT = 5.0
"""A tag whose corners are farther from a square than this many sigma is partly hidden or not a tag."""
SCALES = (0.75, 1.6)
"""A tag that looks smaller or larger than this, against its size on the table, is none of ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """A tag that is fixed on the table."""

    tag: int
    x_mm: float
    y_mm: float
    facing_rad: float
    size_mm: float
    z_mm: float

    @property
    def square_mm(self) -> Floats:
        """(4, 3) its corners on the table, counter-clockwise from the tag's (-, -)."""
        corners = complex(self.x_mm, self.y_mm) + SIDES * self.size_mm / 2 * np.exp(1j * self.facing_rad)
        return np.column_stack([corners.real, corners.imag, np.full(4, self.z_mm)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Enrolled:
    """A tag on a model's base."""

    tag: int
    model: str
    size_mm: float
    """Edge of the black square."""
    x_mm: float
    y_mm: float
    facing_rad: float
    """The tag's centre and turn in the base's frame."""
    height_mm: float
    """Of the tag above what the base stands on."""
    offset_sigma_mm: float = 0.0
    """One standard deviation of the tag's centre in the base, along each axis."""
    facing_sigma_rad: float = 0.0
    height_sigma_mm: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A base pose as one picture shows it."""

    tag: int
    x_mm: float
    y_mm: float
    facing_rad: float
    """The base's centre and facing, taken that it stands on the surface that was assumed."""
    noise: Floats
    """(3, 3) covariance from the noise of the corners alone; independent from picture to picture."""
    calibration: Floats
    """(2, 2) covariance, mm^2, of the centre from the calibration; the same error in every picture."""
    rise_mm: float
    """Height above the surface that was assumed, from the tag's apparent size."""
    corners_px: Floats


def camera_over_table(
    lens: Lens, anchors: Sequence[Anchor], seen_px: Mapping[int, Floats], before: CameraOverTable | None = None
) -> CameraOverTable:
    """Solve the camera's place from the anchors whose corners, (4, 2) px by tag, are seen; go on from ``before``.

    Raises:
        calibration.errors.Unsolvable: the anchors that are seen do not determine it.

    """
    there = [anchor for anchor in anchors if anchor.tag in seen_px]
    return solve_table(
        lens=lens,
        squares_mm=np.array([anchor.square_mm for anchor in there]),
        squares_px=np.array([seen_px[anchor.tag] for anchor in there]),
        before=before,
    )


def measure(
    camera: CameraOverTable,
    detections: Sequence[TagDetection],
    enrolled: Mapping[int, Enrolled],
    surface_mm: Mapping[int, float],
) -> list[Measured]:
    """Return the pose of every enrolled base among some detections, leaving out tags that do not look as they must.

    Args:
        camera: where the camera is.
        detections: decoded tags of one picture.
        enrolled: the bases, by tag.
        surface_mm: height of the surface that a base stands on, by tag; 0 where it is not given.

    """
    detections = [tag for tag in detections if tag.tag in enrolled]
    if not detections:
        return []
    bases = [enrolled[tag.tag] for tag in detections]
    surfaces = np.array([surface_mm.get(base.tag, 0.0) for base in bases])
    heights = surfaces + [base.height_mm for base in bases]
    sizes = np.array([base.size_mm for base in bases])
    corners = np.array([tag.corners_px for tag in detections])
    square = _fit_squares(camera, without_bleed(corners, camera.bleed_px), sizes, heights)
    scale = square.scale * _usual_size(square.scale)
    sigma_px = max(LEAST_SIGMA_PX, float(np.median(square.rms_px)))
    spots = np.column_stack([square.centre.real, square.centre.imag, heights])
    # Noise of a corner on the table; the centre averages four of them, the turn has them at half a diagonal.
    per_corner = sigma_px**2 * np.linalg.inv(_gram(camera.scale_px_per_mm(spots)))
    calibration = camera.covariance_mm2(spots)
    drop = camera.height_mm - heights
    found = []
    for i, base in enumerate(bases):
        if square.rms_px[i] > SHAPE_LIMIT * sigma_px or not SCALES[0] < scale[i] < SCALES[1]:
            continue
        facing = math.remainder(float(np.angle(square.turn[i])) - base.facing_rad, math.tau)
        offset = complex(base.x_mm, base.y_mm) * np.exp(1j * facing)
        centre = square.centre[i] - offset
        corner_variance = float(np.trace(per_corner[i])) / 2
        lever = np.array([[1, 0, offset.imag], [0, 1, -offset.real], [0, 0, 1]])
        own = np.zeros((3, 3))
        own[:2, :2] = per_corner[i] / 4
        own[2, 2] = corner_variance / (2 * base.size_mm**2)
        found.append(
            Measured(
                tag=base.tag,
                x_mm=float(centre.real),
                y_mm=float(centre.imag),
                facing_rad=facing,
                noise=lever @ own @ lever.T,
                calibration=calibration[i],
                rise_mm=float(drop[i] * (1 - 1 / scale[i])),
                corners_px=corners[i],
            )
        )
    return found


def raised(camera: CameraOverTable, measured: Measured) -> tuple[float, float]:
    """Return the x, y of a measured base if it really is ``rise_mm`` above the surface that was assumed."""
    eye = -camera.camera_from_table.T @ camera.translation_mm
    nearer = 1 - measured.rise_mm / eye[2]
    return (
        float(eye[0] + nearer * (measured.x_mm - eye[0])),
        float(eye[1] + nearer * (measured.y_mm - eye[1])),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Squares:
    """Squares fitted to (n, 4) corners on the table, places as complex numbers."""

    centre: NDArray[np.complex128]
    turn: NDArray[np.complex128]
    scale: Floats
    rms_px: Floats
    """Of one coordinate of a corner from the fitted square, with the four fitted parameters accounted for."""


def _fit_squares(camera: CameraOverTable, corners_px: Floats, sizes_mm: Floats, heights_mm: Floats) -> _Squares:
    """Fit a square of free place, turn and scale to each tag's corners, in the least-squares sense."""
    flat = camera.table_from_image(corners_px.reshape(-1, 2), np.repeat(heights_mm, 4)).reshape(-1, 4, 2)
    corners = flat[..., 0] + 1j * flat[..., 1]
    centre = corners.mean(axis=1)
    model = SIDES * sizes_mm[:, None] / 2
    ratio = ((corners - centre[:, None]) * model.conj()).sum(axis=1) / (np.abs(model) ** 2).sum(axis=1)
    off_mm = np.abs(corners - centre[:, None] - ratio[:, None] * model)
    spots = np.column_stack([centre.real, centre.imag, heights_mm])
    px_per_mm = np.sqrt(np.abs(np.linalg.det(camera.scale_px_per_mm(spots))))
    rms_px = px_per_mm * np.sqrt((off_mm**2).sum(axis=1) / 4)
    return _Squares(centre=centre, turn=ratio / np.abs(ratio), scale=np.abs(ratio), rms_px=rms_px)


def _usual_size(scale: Floats) -> float:
    """Return what brings most tags to their true size: small tags bleed less than the large anchors, all alike."""
    plain = scale[(scale > 0.9) & (scale < 1.1)]
    return float(1 / np.median(plain)) if len(plain) >= 4 else 1.0


def _gram(matrices: Floats) -> Floats:
    return np.asarray(matrices.transpose(0, 2, 1) @ matrices)
