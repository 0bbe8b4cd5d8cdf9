"""Lighting of the virtual table: the projectors that hang over it, and the light from them and from the room."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.simulation.ground import Ground
from hardware.simulation.optics import CameraModel, Points
from hardware.simulation.sprite import Image, PixelRect, Sprite

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

    def table_from_projector(self, pixels: Points, *, z_mm: float) -> Points:
        """Where the light of projector pixels (n, 2) crosses height `z_mm`: (n, 2) millimetres."""
        return self.optics.table_from_image(pixels, z_mm=z_mm)


def build_letterboxed_projector(
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


PROJECTOR_GAIN = 0.8
"""A white projector pixel's light as a share of the room's."""


class Lighting:
    """Turns what surfaces reflect into what the camera sees of them."""

    def __init__(self, ground: Ground, camera: CameraModel, projector: Projector) -> None:
        self._camera = camera
        self._projector = projector
        self._frame = PixelRect(0, 0, *camera.image_size)
        self._highest_mm = float(ground.z_mm.max())
        self._falloff = _compute_falloff(camera)
        self._room = self._falloff * _compute_window_light(camera)
        self._projector_albedo = np.rint(ground.albedo * self._falloff[:, :, None]).astype(np.uint8)
        self._room_picture = np.rint(ground.albedo * self._room[:, :, None]).astype(np.uint8)
        sources = camera.interpolate_map(
            lambda pixels: projector.optics.project(_table_points_from_pixels(camera, pixels))
        )
        raised = ground.z_mm > 0
        sources[raised] = projector.project(ground.place_mm[raised], ground.z_mm[raised])
        self._from_projector = cv2.convertMaps(sources[:, :, 0].copy(), sources[:, :, 1].copy(), cv2.CV_16SC2)
        width, height = projector.image_size
        self._projected: Image = np.zeros((height, width, 3), dtype=np.uint8)

    def project_picture(self, image: Image, *, up_to_mm: float) -> PixelRect:
        """Let the projector show `image`; return where the camera may see a change, up to that height."""
        change = cv2.absdiff(image, self._projected)
        self._projected = image
        left, top, width, height = cv2.boundingRect(change.reshape(change.shape[0], -1))
        if width == 0:
            return PixelRect(0, 0, 0, 0)
        left, right = left // 3 - 1, (left + width - 1) // 3 + 1
        along = np.linspace(0.0, 1.0, 9)
        xs, ys = left + along * (right - left), top - 1 + along * (height + 1)
        # The whole area, not only its rim: seen through the lens it may bulge beyond that.
        area = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
        lit = [
            self._camera.project(
                np.column_stack([self._projector.table_from_projector(area, z_mm=z), np.full(len(area), z)])
            )
            for z in (0.0, max(up_to_mm, self._highest_mm))
        ]
        return PixelRect.from_points(np.concatenate(lit)).grow(4).intersect(self._frame)

    def light_ground(self, rect: PixelRect) -> Image:
        """(height, width, 3) the lit ground in `rect`."""
        part = rect.slices
        places, fractions = self._from_projector
        light = cv2.remap(self._projected, places[part], fractions[part], cv2.INTER_LINEAR)
        projected = cv2.multiply(self._projector_albedo[part], light, scale=PROJECTOR_GAIN / 255)
        return np.asarray(cv2.add(self._room_picture[part], projected), dtype=np.uint8)

    def light_surface(self, sprite: Sprite) -> NDArray[np.float32]:
        """(height, width, 3) the lit surface of `sprite`, grey levels times cover."""
        part = sprite.rect.slices
        albedo = sprite.surface[:, :, :3].astype(np.float32)
        lit = albedo * self._room[part][:, :, None]
        if albedo.any():
            lit += albedo * self._falloff[part][:, :, None] * (self._sample_projection(sprite) * (PROJECTOR_GAIN / 255))
        return np.asarray(lit, dtype=np.float32)

    def _sample_projection(self, sprite: Sprite) -> NDArray[np.float32]:
        rect = sprite.rect
        corners = np.array(
            [(rect.left, rect.top), (rect.right, rect.top), (rect.right, rect.bottom), (rect.left, rect.bottom)],
            dtype=np.float64,
        )
        places = self._camera.table_from_image(corners, z_mm=sprite.z_mm)
        sources = self._projector.project(places, np.full(4, sprite.z_mm))
        patch_from_projector = cv2.getPerspectiveTransform(
            sources, (corners - [rect.left, rect.top]).astype(np.float32)
        )
        height, width = sprite.surface.shape[:2]
        light = cv2.warpPerspective(self._projected, patch_from_projector, (width, height), flags=cv2.INTER_LINEAR)
        return np.asarray(light, dtype=np.float32)


def _table_points_from_pixels(camera: CameraModel, pixels: Points) -> Points:
    """(n, 3) where the view through pixels (n, 2) meets the table."""
    return np.column_stack([camera.table_from_image(pixels, z_mm=0.0), np.zeros(len(pixels))])


def _compute_falloff(camera: CameraModel) -> NDArray[np.float32]:
    """Darken toward the corners, as a lens does."""
    x, y = _build_unit_grid(camera)
    return np.asarray(1.0 - 0.22 * (x * x + y * y), dtype=np.float32)


def _compute_window_light(camera: CameraModel) -> NDArray[np.float32]:
    """Brighten the lamp's side of the room."""
    x, y = _build_unit_grid(camera)
    return np.asarray(0.93 - 0.07 * x + 0.04 * y, dtype=np.float32)


def _build_unit_grid(camera: CameraModel) -> tuple[Points, Points]:
    """Return pixel positions from -1 to 1 along the picture's longer side: (1, width) and (height, 1)."""
    width, height = camera.image_size
    return np.linspace(-1.0, 1.0, width)[None, :], np.linspace(-1.0, 1.0, height)[:, None] * (height / width)
