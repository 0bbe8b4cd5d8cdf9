"""Coordinate spaces of a camera over a table, and the ways between them with their uncertainty.

The conventions are in this folder's README.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from hashlib import blake2s

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

LENS_PARAMETERS = ("fx", "fy", "cx", "cy", "k1", "k2", "p1", "p2", "k3")
_UNDISTORT_UNTIL = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 60, 1e-12)


class LensModel(StrEnum):
    """How far from the centre of the picture a lens shows what is seen under an angle, before it distorts.

    Both are distorted by the same five numbers, in OpenCV's formula.
    """

    PINHOLE = "pinhole"
    """As far as the angle's tangent: ordinary lenses."""
    FISHEYE = "fisheye"
    """As far as the angle (Kannala and Brandt 2006): where p1 and p2 are 0, this is OpenCV's fisheye model with a k4 of
    0.  Mei and Rives (2007) distort wide lenses by p1 and p2, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lens:
    """What the lens does, in OpenCV's five-parameter distortion, and how surely that is known."""

    image_size: tuple[int, int]
    """Width and height, px."""
    parameters: Floats
    """(9,) in the order of LENS_PARAMETERS."""
    covariance: Floats
    """(9, 9) of the parameters."""
    is_guess: bool = False
    """Nobody has calibrated it: it says what lenses are like."""
    model: LensModel = LensModel.PINHOLE

    @property
    def matrix(self) -> Floats:
        """(3, 3) camera matrix, px."""
        fx, fy, cx, cy = self.parameters[:4]
        return np.array([[fx, 0.0, cx], [0.0, fy, cy], [0.0, 0.0, 1.0]])

    @property
    def distortion(self) -> Floats:
        """(5,) k1, k2, p1, p2, k3."""
        return self.parameters[4:]


@dataclass(frozen=True, kw_only=True)
class CameraOverTable:
    """A camera with its lens and its place over the table.

    What follows from them is worked out once, for every picture asks for it.
    """

    lens: Lens
    rotation: Floats
    """(3,) Rodrigues vector of camera_from_table."""
    translation_mm: Floats
    """(3,) the table's origin in the camera frame."""
    covariance: Floats
    """(15, 15) of rotation, translation and the lens parameters, in this order."""
    bleed_px: float
    """How far outside of its true place the edge of a black square is found."""
    sigma_px: float
    """How far a coordinate of a corner is off beyond what its picture's noise and its bleed explain; one sigma."""
    id: str = field(init=False)
    """A short name that tells it from every other calibration."""

    def __post_init__(self) -> None:
        told = self.parameters.tobytes()
        if self.lens.model is not LensModel.PINHOLE:
            told += self.lens.model.encode()
        object.__setattr__(self, "id", blake2s(told, digest_size=6).hexdigest())

    @cached_property
    def camera_from_table(self) -> Floats:
        """(3, 3) rotation matrix."""
        return _as_floats(cv2.Rodrigues(self.rotation)[0])

    @cached_property
    def eye_mm(self) -> Floats:
        """(3,) the lens in the table's frame."""
        return np.asarray(-self.camera_from_table.T @ self.translation_mm)

    @property
    def height_mm(self) -> float:
        """Height of the lens above the table."""
        return float(self.eye_mm[2])

    @cached_property
    def height_sigma_mm(self) -> float:
        """Standard deviation of the height."""
        eye_mm = self.eye_mm
        nudge = 1e-6
        by_turn = [
            -(_as_floats(cv2.Rodrigues(self.rotation + nudge * axis)[0]).T @ self.translation_mm)[2] - eye_mm[2]
            for axis in np.eye(3)
        ]
        slope = np.concatenate([np.array(by_turn) / nudge, -self.camera_from_table.T[2]])
        return float(np.sqrt(slope @ self.covariance[:6, :6] @ slope))

    @property
    def height_doubt(self) -> float:
        """By which share of it the height may be off, and what stands on the table seem too high or too low."""
        return self.height_sigma_mm / self.height_mm

    def image_from_table(self, points_mm: ArrayLike) -> Floats:
        """Project (n, 3) points to (n, 2) pixels."""
        return self._project(points_mm)[0]

    def table_from_image(self, points_px: ArrayLike, z_mm: ArrayLike) -> Floats:
        """Return the (n, 2) places at height ``z_mm`` (a number or (n,)) that are seen at (n, 2) pixels."""
        rays = unproject(points_px, self.lens.parameters, self.lens.model)
        if not len(rays):
            return np.empty((0, 2))
        turn = self.camera_from_table
        rays_table = rays @ turn  # R^T applied to every ray
        eye_mm = self.eye_mm
        reach = (np.asarray(z_mm, dtype=np.float64) - eye_mm[2]) / rays_table[:, 2]
        return np.asarray(eye_mm[:2] + reach[:, None] * rays_table[:, :2])

    def scale_px_per_mm(self, points_mm: ArrayLike) -> Floats:
        """(n, 2, 2) derivative of the pixel by a horizontal step on the table, at (n, 3) points."""
        return self._scale(self._project(points_mm)[1])

    def patch_scale_px_per_mm(self, points_mm: ArrayLike) -> Floats:
        """(n,) by which a small patch of the table at (n, 3) points is larger in the picture, the mean of all ways."""
        return np.asarray(np.sqrt(np.abs(np.linalg.det(self.scale_px_per_mm(points_mm)))))

    @cached_property
    def finest_px_per_mm(self) -> float:
        """The greatest of the patches' scales where the picture's middle, edges and corners see the table."""
        width, height = self.lens.image_size
        pixels = np.stack(np.meshgrid((0, (width - 1) / 2, width - 1), (0, (height - 1) / 2, height - 1)), axis=-1)
        rays = unproject(pixels.reshape(-1, 2), self.lens.parameters, self.lens.model) @ self.camera_from_table
        rays = rays[rays[:, 2] < 0]
        places_mm = self.eye_mm - rays * (self.height_mm / rays[:, 2:])
        return float(self.patch_scale_px_per_mm(places_mm).max())

    def covariance_mm2(self, points_mm: ArrayLike) -> Floats:
        """(n, 2, 2) covariance that the calibration alone leaves on places measured at (n, 3) points."""
        _, by_parameters = self._project(points_mm)
        steps_mm = np.linalg.solve(self._scale(by_parameters), by_parameters)
        return np.asarray(steps_mm @ self.covariance @ steps_mm.transpose(0, 2, 1))

    def covariance_between_mm2(self, points_mm: ArrayLike) -> Floats:
        """(2, 2) covariance that the calibration leaves on how far apart two places, one above the other as seen, are.

        Args:
            points_mm: (2, 3) the two, which the picture shows at the same pixel.

        """
        _, by_parameters = self._project(points_mm)
        first, second = np.linalg.solve(self._scale(by_parameters), by_parameters)
        return np.asarray((second - first) @ self.covariance @ (second - first).T)

    def pose_covariance(self, points_mm: ArrayLike) -> Floats:
        """(n, 3, 3) covariance of x, y (mm) and turn (rad) that the calibration leaves on what is at (n, 3) points."""
        points = np.asarray(points_mm, dtype=np.float64).reshape(-1, 3)
        reach_mm = 10.0
        around = points[:, None] + reach_mm * np.array([(0, 0, 0), (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)])
        _, by_parameters = self._project(around.reshape(-1, 3))
        steps = np.linalg.solve(self._scale(by_parameters), by_parameters).reshape(-1, 5, 2, 15)
        # What turns is half of how far y goes along x, less x along y.
        turn = (steps[:, 1, 1] - steps[:, 2, 1] - steps[:, 3, 0] + steps[:, 4, 0]) / (4 * reach_mm)
        ways = np.concatenate([steps[:, 0], turn[:, None]], axis=1)
        return np.asarray(ways @ self.covariance @ ways.transpose(0, 2, 1))

    @property
    def parameters(self) -> Floats:
        """(15,) rotation, translation and the lens parameters, in the order of the covariance."""
        return np.concatenate([self.rotation, self.translation_mm, self.lens.parameters])

    def _scale(self, by_parameters: Floats) -> Floats:
        """(n, 2, 2) derivative of the pixel by a horizontal step, from (n, 2, 15) those by the parameters."""
        # Moving a point by d moves the camera frame's coordinates by R d, just as a shift of the camera would.
        return np.asarray(by_parameters[:, :, 3:6] @ self.camera_from_table[:, :2])

    def _project(self, points_mm: ArrayLike) -> tuple[Floats, Floats]:
        """Return (n, 2) pixels and their (n, 2, 15) derivatives by the parameters."""
        return project(np.asarray(points_mm, dtype=np.float64), self.parameters, self.lens.model)


def project(points_mm: Floats, parameters: Floats, model: LensModel = LensModel.PINHOLE) -> tuple[Floats, Floats]:
    """Project (n, 3) points with 15 parameters (turn, shift, lens); return (n, 2) pixels and (n, 2, 15) derivatives."""
    points = np.asarray(points_mm, dtype=np.float64).reshape(-1, 3)
    if not len(points):
        return np.empty((0, 2)), np.empty((0, 2, 15))
    fx, fy, cx, cy = parameters[6:10]
    matrix = np.array([[fx, 0.0, cx], [0.0, fy, cy], [0.0, 0.0, 1.0]])
    if model is LensModel.FISHEYE:
        return _project_fisheye(points, parameters, matrix)
    pixels, jacobian = cv2.projectPoints(points, parameters[:3], parameters[3:6], matrix, parameters[10:])
    return _as_floats(pixels).reshape(-1, 2), _as_floats(jacobian)[:, :15].reshape(-1, 2, 15)


def _project_fisheye(points: Floats, parameters: Floats, matrix: Floats) -> tuple[Floats, Floats]:
    """Project as `project` by the angle: what is distorted is the point as far from the axis as its angle, radians."""
    turn, by_turn = cv2.Rodrigues(parameters[:3])
    seen = points @ _as_floats(turn).T + parameters[3:6]
    aside, ahead = seen[:, :2], seen[:, 2]
    reach = np.maximum(np.hypot(*aside.T), 1e-12 * np.abs(ahead) + 1e-300)
    angle, square = np.arctan2(reach, ahead), reach**2 + ahead**2
    way, share = aside / reach[:, None], angle / reach
    flat = np.column_stack([aside * share[:, None], np.ones(len(points))])
    still = np.zeros(3)
    pixels, jacobian = cv2.projectPoints(flat, still, still, matrix, parameters[10:])
    slope = _as_floats(jacobian)[:, :15].reshape(-1, 2, 15)
    outward = way[:, :, None] * way[:, None, :]
    by_seen = np.concatenate(
        [
            (ahead / square)[:, None, None] * outward + share[:, None, None] * (np.eye(2) - outward),
            -(aside / square[:, None])[:, :, None],
        ],
        axis=2,
    )
    by_shift = slope[:, :, 3:5] @ by_seen
    # OpenCV lists how the nine numbers of the matrix, row by row, go with each of the three of the vector.
    by_vector = np.einsum("krc,nc->nrk", _as_floats(by_turn).reshape(3, 3, 3), points)
    return (
        _as_floats(pixels).reshape(-1, 2),
        np.concatenate([by_shift @ by_vector, by_shift, slope[:, :, 6:]], axis=2),
    )


def unproject(points_px: ArrayLike, parameters: Floats, model: LensModel = LensModel.PINHOLE) -> Floats:
    """(n, 3) along which rays of the camera frame (n, 2) pixels are seen; ``parameters`` are the lens's nine."""
    pixels = np.asarray(points_px, dtype=np.float64).reshape(-1, 1, 2)
    if not len(pixels):
        return np.empty((0, 3))
    fx, fy, cx, cy = parameters[:4]
    matrix = np.array([[fx, 0.0, cx], [0.0, fy, cy], [0.0, 0.0, 1.0]])
    flat = _as_floats(cv2.undistortPoints(pixels, matrix, parameters[4:], criteria=_UNDISTORT_UNTIL)).reshape(-1, 2)
    if model is LensModel.PINHOLE:
        return np.column_stack([flat, np.ones(len(flat))])
    angle = np.hypot(*flat.T)
    return np.column_stack([flat * np.sinc(angle / np.pi)[:, None], np.cos(angle)])


WIDEST_RAD = 1.55
"""What is seen under a greater angle is not taken to lie on the plane ahead, which it hardly reaches."""


def flatten(points_px: ArrayLike, parameters: Floats, model: LensModel = LensModel.PINHOLE) -> Floats:
    """(n, 2) where (n, 2) pixels are seen on the plane one unit ahead: as by a pinhole camera without distortion."""
    rays = unproject(points_px, parameters, model)
    least = np.hypot(rays[:, 0], rays[:, 1]) / np.tan(WIDEST_RAD)
    return np.asarray(rays[:, :2] / np.maximum(rays[:, 2], least)[:, None])


def is_same_lens(one: Lens | None, other: Lens | None) -> bool:
    """Whether two lenses are one and the same, or both not known."""
    return one is other or bool(
        one and other and one.model is other.model and np.array_equal(one.parameters, other.parameters)
    )


def _as_floats(value: object) -> Floats:
    return np.asarray(value, dtype=np.float64)
