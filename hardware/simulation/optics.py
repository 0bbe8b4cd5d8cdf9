"""The virtual camera's optics: its lens and pose, in OpenCV's model and pixel convention."""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]

MAP_STEP_PX = 8
"""Pixel maps are computed at every eighth pixel: between two nodes a lens is straight to a thousandth of a pixel."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraModel:
    """A pinhole camera with a distorting lens, somewhere above the table."""

    image_size: tuple[int, int]
    """Width, height."""
    matrix: Points
    """(3, 3) focal lengths and principal point, pixels."""
    distortion: Points
    """(5,) k1, k2, p1, p2, k3."""
    rotation: Points
    """(3, 3) table frame to camera frame (x right, y down, z along the view)."""
    translation: Points
    """(3,) millimetres."""

    def project(self, points_mm: Points) -> Points:
        """Pixels (n, 2) of points (n, 3) of the table frame."""
        pixels, _ = cv2.projectPoints(
            np.ascontiguousarray(points_mm, dtype=np.float64).reshape(-1, 1, 3),
            _find_turn(self.rotation.tobytes()),
            self.translation,
            self.matrix,
            self.distortion,
        )
        return np.asarray(pixels, dtype=np.float64).reshape(-1, 2)

    def table_from_image(self, pixels: Points, *, z_mm: float) -> Points:
        """Where the view through pixels (n, 2) meets the plane at height `z_mm`: (n, 2) millimetres."""
        enough = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 50, 1e-10)
        flat = cv2.undistortPoints(
            np.ascontiguousarray(pixels, dtype=np.float64).reshape(-1, 1, 2),
            self.matrix,
            self.distortion,
            criteria=enough,
        )
        in_camera = np.column_stack([np.asarray(flat, dtype=np.float64).reshape(-1, 2), np.ones(len(pixels))])
        rays = in_camera @ self.rotation
        eye = self.position_mm
        reach = (z_mm - eye[2]) / rays[:, 2]
        return np.asarray(eye[:2] + rays[:, :2] * reach[:, None], dtype=np.float64)

    @property
    def position_mm(self) -> Points:
        """(3,) the camera's centre in the table frame."""
        return np.asarray(-self.rotation.T @ self.translation, dtype=np.float64)

    def map_table_from_image(self, *, z_mm: float) -> NDArray[np.float32]:
        """`table_from_image` of every pixel: (height, width, 2) millimetres."""
        return self.interpolate_map(lambda pixels: self.table_from_image(pixels, z_mm=z_mm))

    def interpolate_map(self, map_points: Callable[[Points], Points]) -> NDArray[np.float32]:
        """(height, width, 2) of what is smooth over the picture: told at (n, 2) pixels, and interpolated between."""
        width, height = self.image_size
        # One spare node all round: resizing holds the outermost nodes still.
        columns, rows = (-(-size // MAP_STEP_PX) + 2 for size in self.image_size)
        xs = (np.arange(columns) - 0.5) * MAP_STEP_PX - 0.5
        ys = (np.arange(rows) - 0.5) * MAP_STEP_PX - 0.5
        nodes = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
        coarse = np.asarray(map_points(nodes)).reshape(rows, columns, 2).astype(np.float32)
        fine = cv2.resize(coarse, (columns * MAP_STEP_PX, rows * MAP_STEP_PX), interpolation=cv2.INTER_LINEAR)
        inner = fine[MAP_STEP_PX : MAP_STEP_PX + height, MAP_STEP_PX : MAP_STEP_PX + width]
        return np.ascontiguousarray(inner, dtype=np.float32)


@functools.lru_cache(maxsize=64)
def _find_turn(rotation: bytes) -> Points:
    """(3, 1) rotation vector of a matrix, which is asked for at every projection."""
    return np.asarray(cv2.Rodrigues(np.frombuffer(rotation).reshape(3, 3))[0], dtype=np.float64)


def build_camera_factory(
    *,
    image_size: tuple[int, int],
    centre_px: Points,
    distortion: tuple[float, float, float, float, float],
    rotation: Points,
    eye_mm: Points,
) -> Callable[[float], CameraModel]:
    """Return what gives a camera that hangs there the focal length in pixels that it is called with."""

    def with_focal(focal_px: float) -> CameraModel:
        return CameraModel(
            image_size=image_size,
            matrix=np.array([[focal_px, 0, centre_px[0]], [0, focal_px, centre_px[1]], [0, 0, 1]], dtype=np.float64),
            distortion=np.array(distortion),
            rotation=rotation,
            translation=-rotation @ eye_mm,
        )

    return with_focal


def build_overhead_camera(
    *,
    width_mm: float = 1524.0,
    depth_mm: float = 1118.0,
    image_size: tuple[int, int] = (1920, 1080),
    eye_mm: tuple[float, float, float] | None = None,
    roll_rad: float = math.radians(0.8),
    margin_mm: float = 40.0,
    distortion: tuple[float, float, float, float, float] = (-0.1, 0.01, 0.0003, -0.0004, 0.0),
) -> CameraModel:
    """Hang a camera that sees the whole table and a margin around it.

    `eye_mm` is where it hangs; by default 1400 mm up and so far off the middle that it is tilted by about four degrees.
    It looks at the middle of the table with its far edge at the top of the picture, and has the longest focal
    length that keeps the margin in view.
    """
    middle = np.array([width_mm / 2, depth_mm / 2, 0.0])
    eye = np.array(eye_mm) if eye_mm is not None else middle + np.array([35.0, -85.0, 1400.0])
    rotation = look_at(eye, middle, roll_rad)
    centre_px = (np.array(image_size) - 1) / 2

    with_focal = build_camera_factory(
        image_size=image_size, centre_px=centre_px, distortion=distortion, rotation=rotation, eye_mm=eye
    )
    # Distances from the picture's centre are in proportion to the focal length.
    extent_px = np.abs(with_focal(1.0).project(sample_rim(width_mm, depth_mm, margin_mm)) - centre_px).max(axis=0)
    return with_focal(float((centre_px / extent_px).min()))


def look_at(eye: Points, aim: Points, roll_rad: float) -> Points:
    """(3, 3) rotation from the table's frame to one at `eye` that looks at `aim`, the table's far edge up, rolled."""
    forward = (aim - eye) / np.linalg.norm(aim - eye)
    right = np.cross(forward, [math.sin(-roll_rad), math.cos(roll_rad), 0.0])
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(forward, right), forward])


def sample_rim(width_mm: float, depth_mm: float, margin_mm: float) -> Points:
    """(n, 3) places all along the edges of a table and a margin around it."""
    along = np.linspace(0.0, 1.0, 25)
    xs, ys = -margin_mm + along * (width_mm + 2 * margin_mm), -margin_mm + along * (depth_mm + 2 * margin_mm)
    return np.array(
        [(x, y, 0.0) for x in xs for y in (ys[0], ys[-1])] + [(x, y, 0.0) for y in ys for x in (xs[0], xs[-1])]
    )
