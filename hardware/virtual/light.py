"""Light on the virtual table: the room's, and the projector's."""

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.virtual.ground import Ground
from hardware.virtual.optics import CameraModel, Points
from hardware.virtual.projector import Projector
from hardware.virtual.sprite import Image, Rect, Sprite

PROJECTOR_GAIN = 0.8
"""A white projector pixel's light as a share of the room's."""


class Lighting:
    """Turns what surfaces reflect into what the camera sees of them."""

    def __init__(self, ground: Ground, camera: CameraModel, projector: Projector) -> None:
        self._camera = camera
        self._projector = projector
        self._frame = Rect(0, 0, *camera.image_size)
        self._highest_mm = float(ground.z_mm.max())
        self._falloff = _falloff(camera)
        self._room = self._falloff * _window(camera)
        self._shone_on = np.rint(ground.albedo * self._falloff[:, :, None]).astype(np.uint8)
        self._roomlit = np.rint(ground.albedo * self._room[:, :, None]).astype(np.uint8)
        sources = camera.map_of(lambda pixels: projector.optics.project(_on_table(camera, pixels)))
        raised = ground.z_mm > 0
        sources[raised] = projector.project(ground.place_mm[raised], ground.z_mm[raised])
        self._from_projector = cv2.convertMaps(sources[:, :, 0].copy(), sources[:, :, 1].copy(), cv2.CV_16SC2)
        width, height = projector.image_size
        self._thrown: Image = np.zeros((height, width, 3), dtype=np.uint8)

    def throw(self, image: Image, *, up_to_mm: float) -> Rect:
        """Let the projector show `image`; return where the camera may see a change, up to that height."""
        change = cv2.absdiff(image, self._thrown)
        self._thrown = image
        left, top, width, height = cv2.boundingRect(change.reshape(change.shape[0], -1))
        if width == 0:
            return Rect(0, 0, 0, 0)
        left, right = left // 3 - 1, (left + width - 1) // 3 + 1
        along = np.linspace(0.0, 1.0, 9)
        xs, ys = left + along * (right - left), top - 1 + along * (height + 1)
        # The whole area, not only its rim: seen through the lens it may bulge beyond that.
        area = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
        lit = [
            self._camera.project(np.column_stack([self._projector.place(area, z_mm=z), np.full(len(area), z)]))
            for z in (0.0, max(up_to_mm, self._highest_mm))
        ]
        return Rect.of_points(np.concatenate(lit)).grown(4).within(self._frame)

    def ground(self, rect: Rect) -> Image:
        """(height, width, 3) the lit ground in `rect`."""
        part = rect.slices
        places, fractions = self._from_projector
        light = cv2.remap(self._thrown, places[part], fractions[part], cv2.INTER_LINEAR)
        thrown = cv2.multiply(self._shone_on[part], light, scale=PROJECTOR_GAIN / 255)
        return np.asarray(cv2.add(self._roomlit[part], thrown), dtype=np.uint8)

    def surface(self, sprite: Sprite) -> NDArray[np.float32]:
        """(height, width, 3) the lit surface of `sprite`, grey levels times cover."""
        part = sprite.rect.slices
        albedo = sprite.surface[:, :, :3].astype(np.float32)
        lit = albedo * self._room[part][:, :, None]
        if albedo.any():
            lit += albedo * self._falloff[part][:, :, None] * (self._light_on(sprite) * (PROJECTOR_GAIN / 255))
        return np.asarray(lit, dtype=np.float32)

    def _light_on(self, sprite: Sprite) -> NDArray[np.float32]:
        rect = sprite.rect
        corners = np.array(
            [(rect.left, rect.top), (rect.right, rect.top), (rect.right, rect.bottom), (rect.left, rect.bottom)],
            dtype=np.float64,
        )
        places = self._camera.sight(corners, z_mm=sprite.z_mm)
        sources = self._projector.project(places, np.full(4, sprite.z_mm))
        patch_from_projector = cv2.getPerspectiveTransform(
            sources, (corners - [rect.left, rect.top]).astype(np.float32)
        )
        height, width = sprite.surface.shape[:2]
        light = cv2.warpPerspective(self._thrown, patch_from_projector, (width, height), flags=cv2.INTER_LINEAR)
        return np.asarray(light, dtype=np.float32)


def _on_table(camera: CameraModel, pixels: Points) -> Points:
    """(n, 3) where the view through pixels (n, 2) meets the table."""
    return np.column_stack([camera.sight(pixels, z_mm=0.0), np.zeros(len(pixels))])


def _falloff(camera: CameraModel) -> NDArray[np.float32]:
    """Darken toward the corners, as a lens does."""
    x, y = _unit_square(camera)
    return np.asarray(1.0 - 0.22 * (x * x + y * y), dtype=np.float32)


def _window(camera: CameraModel) -> NDArray[np.float32]:
    """Brighten the lamp's side of the room."""
    x, y = _unit_square(camera)
    return np.asarray(0.93 - 0.07 * x + 0.04 * y, dtype=np.float32)


def _unit_square(camera: CameraModel) -> tuple[Points, Points]:
    """Return pixel positions from -1 to 1 along the picture's longer side: (1, width) and (height, 1)."""
    width, height = camera.image_size
    return np.linspace(-1.0, 1.0, width)[None, :], np.linspace(-1.0, 1.0, height)[:, None] * (height / width)
