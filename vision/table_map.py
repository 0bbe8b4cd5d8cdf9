"""Table maps: a part of the picture drawn anew as seen from straight above.

What lies flat on the table has its own shape and size there.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.spaces import CameraOverTable
from vision.tags.detection import ImageRegion

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Bytes = NDArray[np.uint8]

FINEST, COARSEST = 0.87, 1.3
"""A map's pixels are no finer and no coarser than these times the picture's own."""
FARTHEST = 2.5
"""The map ends at so many times the camera's height from its foot: beyond, all is seen too much from the side."""
GRID_PX = 16
"""The lens is asked for every so many pixels of the map; between them it is as good as linear."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableMap:
    """A part of the table as the picture shows it, as if seen from straight above."""

    grey: Bytes
    corner_mm: Floats
    """(2,) of the middle of its first pixel; rows go along y."""
    pixel_mm: float
    eye_mm: Floats
    """(3,) the camera."""

    def compute_scale(self, height_mm: float) -> float:
        """Return how much larger on the map something is that lies at a height."""
        return float(self.eye_mm[2] / (self.eye_mm[2] - height_mm))

    def lower(self, places_mm: Floats, height_mm: float) -> Floats:
        """Return where on the map (n, 2) places at a height are seen, mm at height 0."""
        return np.asarray(self.eye_mm[:2] + (places_mm - self.eye_mm[:2]) * self.compute_scale(height_mm))

    def raise_to(self, places_mm: Floats, height_mm: float) -> Floats:
        """Return the (n, 2) places at a height that are seen at places of the map."""
        return np.asarray(self.eye_mm[:2] + (places_mm - self.eye_mm[:2]) / self.compute_scale(height_mm))


def draw_table_map(camera: CameraOverTable, grey: Bytes, region: ImageRegion, *, pixel_mm: float) -> TableMap | None:
    """Draw a part of the picture as it would be seen from straight above; None where it does not show the table.

    Args:
        camera: where the camera is.
        grey: (height, width) picture.
        region: the part.
        pixel_mm: wanted size of the map's pixels; it is kept near that of the picture's own.

    """
    across, down = np.linspace(region.left, region.right - 1, 9), np.linspace(region.top, region.bottom - 1, 9)
    pixels = np.stack(np.meshgrid(across, down), axis=-1).reshape(-1, 2)
    places = np.column_stack([camera.table_from_image(pixels, 0.0), np.zeros(len(pixels))])
    eye_mm = camera.eye_mm
    is_ahead = places @ camera.camera_from_table[2] + camera.translation_mm[2] > 0
    is_near = np.hypot(*(places - eye_mm)[:, :2].T) < FARTHEST * eye_mm[2]
    places = places[is_ahead & is_near]
    if len(places) < 3 or eye_mm[2] <= 0:
        return None
    own_mm = float(np.median(np.abs(np.linalg.det(camera.scale_px_per_mm(places))) ** -0.5))
    drawn_mm = float(np.clip(pixel_mm, FINEST * own_mm, COARSEST * own_mm))
    corner_mm = places.min(axis=0)[:2]
    width, height = np.ceil(np.ptp(places, axis=0)[:2] / drawn_mm).astype(int) + 1
    x, y = _project_grid(camera, corner_mm, drawn_mm, (int(width), int(height)))
    drawn = cv2.remap(grey, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return TableMap(grey=np.asarray(drawn, dtype=np.uint8), corner_mm=corner_mm, pixel_mm=drawn_mm, eye_mm=eye_mm)


def _project_grid(camera: CameraOverTable, corner_mm: Floats, pixel_mm: float, size: tuple[int, int]) -> list[Singles]:
    """Return (rows, columns) each, x and y in the picture of every pixel of a map."""
    # cv2.resize takes its nodes to lie in the middles of what they grow to.
    width, height = size
    columns, rows = (np.arange(-1, -(-length // GRID_PX) + 1) * GRID_PX + (GRID_PX - 1) / 2 for length in size)
    nodes_mm = corner_mm + np.stack(np.meshgrid(columns, rows), axis=-1).reshape(-1, 2) * pixel_mm
    pixels = camera.image_from_table(np.column_stack([nodes_mm, np.zeros(len(nodes_mm))])).astype(np.float32)
    grown = (len(columns) * GRID_PX, len(rows) * GRID_PX)
    return [
        np.asarray(cv2.resize(nodes.reshape(len(rows), -1), grown), dtype=np.float32)[
            GRID_PX : GRID_PX + height, GRID_PX : GRID_PX + width
        ]
        for nodes in pixels.T
    ]
