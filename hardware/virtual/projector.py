"""Projectors that hang over the virtual table."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hardware.virtual.optics import CameraModel, Points, facing, rim_of, zooming

ROWS_AT_ONCE = 128
"""Light is traced for so many rows of the camera's picture at a time, which spares memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Projector:
    """A projector above the table: a camera run backwards, with a lens of its own."""

    optics: CameraModel

    @property
    def image_size(self) -> tuple[int, int]:
        """Width, height."""
        return self.optics.image_size

    @property
    def position_mm(self) -> Points:
        """(3,) its lens, which decides where its light falls above the table."""
        return self.optics.position_mm

    @property
    def projector_from_table(self) -> Points:
        """(3, 3) homography from (x_mm, y_mm, 1) on the table to projector pixels, as if its lens did not distort."""
        columns = np.column_stack([self.optics.rotation[:, :2], self.optics.translation])
        rows = self.optics.matrix @ columns
        return np.asarray(rows / rows[2, 2], dtype=np.float64)

    def project(self, place_mm: NDArray[np.floating], z_mm: NDArray[np.floating]) -> NDArray[np.float32]:
        """Projector pixels (..., 2) whose light falls on places (..., 2) at heights (...)."""
        pixels = np.empty(place_mm.shape, dtype=np.float32)
        for at in range(0, len(place_mm), ROWS_AT_ONCE):
            rows = slice(at, at + ROWS_AT_ONCE)
            points = np.concatenate([place_mm[rows], z_mm[rows][..., None]], axis=-1).reshape(-1, 3)
            pixels[rows] = self.optics.project(points.astype(np.float64)).reshape(place_mm[rows].shape)
        return pixels

    def place(self, pixels: Points, *, z_mm: float) -> Points:
        """Where the light of projector pixels (n, 2) crosses height `z_mm`: (n, 2) millimetres."""
        return self.optics.sight(pixels, z_mm=z_mm)


def letterboxed(
    *,
    width_mm: float = 1524.0,
    depth_mm: float = 1118.0,
    image_size: tuple[int, int] = (1920, 1080),
    eye_mm: tuple[float, float, float] | None = None,
) -> Projector:
    """Hang a projector whose picture holds the whole table, as large as it fits and centred, far edge at the top.

    It looks straight down, wherever it is: a lens shift does the rest.
    """
    scale = min(image_size[0] / width_mm, image_size[1] / depth_mm)
    left = (image_size[0] - scale * width_mm) / 2 - 0.5
    bottom = (image_size[1] + scale * depth_mm) / 2 - 0.5
    eye = np.array(eye_mm or (width_mm / 2, depth_mm * 0.3, 1900.0))
    focal_px = scale * eye[2]
    centre_px = left + scale * eye[0], bottom - scale * eye[1]
    down = np.diag([1.0, -1.0, -1.0])
    return Projector(
        optics=CameraModel(
            image_size=image_size,
            matrix=np.array([[focal_px, 0, centre_px[0]], [0, focal_px, centre_px[1]], [0, 0, 1]], dtype=np.float64),
            distortion=np.zeros(5),
            rotation=down,
            translation=-down @ eye,
        )
    )


def askew(
    *,
    width_mm: float = 1524.0,
    depth_mm: float = 1118.0,
    image_size: tuple[int, int] = (1920, 1080),
    eye_mm: tuple[float, float, float] = (640.0, -150.0, 1750.0),
    aim_mm: tuple[float, float] = (730.0, 150.0),
    roll_rad: float = 0.02,
    shift: tuple[float, float] = (0.03, 0.3),
    margin_mm: float = 30.0,
    distortion: tuple[float, float, float, float, float] = (-0.06, 0.015, 0.0008, -0.0006, 0.0),
) -> Projector:
    """Hang a projector as a shelf at the near side holds one: tilted, turned, off its axis, through a cheap lens.

    It is aimed at `aim_mm`, its principal point is moved from the middle of its picture by `shift` of the picture's
    size, and it has the longest focal length that keeps the table and a margin in its light.
    """
    eye = np.array(eye_mm)
    rotation = facing(eye, np.array([*aim_mm, 0.0]), roll_rad)
    size = np.array(image_size, dtype=np.float64)
    centre_px = (size - 1) / 2 + np.array(shift) * size

    with_focal = zooming(
        image_size=image_size, centre_px=centre_px, distortion=distortion, rotation=rotation, eye_mm=eye
    )
    # Distances from the principal point are in proportion to the focal length.
    away = with_focal(1.0).project(rim_of(width_mm, depth_mm, margin_mm)) - centre_px
    room = np.array([centre_px / -away.min(axis=0), (size - 1 - centre_px) / away.max(axis=0)])
    return Projector(optics=with_focal(float(room[room > 0].min())))
