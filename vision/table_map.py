"""Table maps: a part of the picture drawn anew as seen from straight above.

What lies flat on the table has its own shape and size there.
"""

from collections.abc import Iterable, Sequence
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


WHITE, LIGHTEST_PERCENT = 235, 99
MOST_GAIN, GAIN_STEPS = 4.0, 8
LOOKED_AT_PX = 8
HIDDEN = 24
"""The grey of what the camera cannot see because something stands before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableArea:
    """A rectangle of the table, along its edges."""

    left_mm: float = 0.0
    low_mm: float = 0.0
    """Its near edge."""
    width_mm: float
    depth_mm: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RaisedOutline:
    """The flat top of a solid block on the table."""

    outline_mm: Sequence[tuple[float, float]]
    height_mm: float


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
    own_mm = float(np.median(1 / camera.patch_scale_px_per_mm(places)))
    drawn_mm = float(np.clip(pixel_mm, FINEST * own_mm, COARSEST * own_mm))
    corner_mm = places.min(axis=0)[:2]
    width, height = np.ceil(np.ptp(places, axis=0)[:2] / drawn_mm).astype(int) + 1
    x, y = _project_grid(camera, corner_mm, drawn_mm, (int(width), int(height)))
    drawn = cv2.remap(grey, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return TableMap(grey=np.asarray(drawn, dtype=np.uint8), corner_mm=corner_mm, pixel_mm=drawn_mm, eye_mm=eye_mm)


def draw_table(
    camera: CameraOverTable,
    image: Bytes,
    area: TableArea,
    *,
    width_px: int,
    height_mm: float = 0.0,
    raised: Iterable[RaisedOutline] = (),
) -> Bytes:
    """Draw a part of the table as it would be seen from straight above, for people to look at.

    What is raised lies where it is, not where it hides the table; of anything else that stands up its picture lies on
    the table.  A dim picture is drawn brighter.

    Args:
        camera: where the camera is.
        image: (height, width) or (height, width, 3) picture.
        area: the part of the table.
        width_px: of what is drawn; its height follows.
        height_mm: what lies so high above the table is drawn where it is.
        raised: solid blocks with flat tops, as hills and buildings; lower than the camera.

    Returns:
        The part, its far edge at the top; nearly black where the picture does not show it, or shows a block's side.

    """
    pixel_mm = area.width_mm / width_px
    size = (width_px, max(1, round(area.depth_mm / pixel_mm)))
    corner_mm = np.array([area.left_mm, area.low_mm]) + pixel_mm / 2
    columns, rows = _project_grid(camera, corner_mm, pixel_mm, size, height_mm)
    is_hidden = np.zeros(columns.shape, dtype=np.uint8)
    for top in sorted(raised, key=lambda one: one.height_mm):
        outline_px = (np.asarray(top.outline_mm, dtype=float) - corner_mm) / pixel_mm
        eye_px = (camera.eye_mm[:2] - corner_mm) / pixel_mm
        farther = camera.height_mm / (camera.height_mm - top.height_mm)
        shadow_px = np.vstack([outline_px, eye_px + (outline_px - eye_px) * farther])
        cv2.fillPoly(is_hidden, [cv2.convexHull(np.rint(shadow_px).astype(np.int32))], 1)
        cv2.fillPoly(is_hidden, [np.rint(outline_px).astype(np.int32)], 0)
        left, low = np.clip(np.floor(outline_px.min(axis=0)).astype(int), 0, size)
        right, high = np.clip(np.ceil(outline_px.max(axis=0)).astype(int) + 1, 0, size)
        if right <= left or high <= low:
            continue
        is_top = np.zeros((high - low, right - left), dtype=np.uint8)
        cv2.fillPoly(is_top, [np.rint(outline_px - (left, low)).astype(np.int32)], 1)
        part_mm = corner_mm + np.array([left, low]) * pixel_mm
        part = _project_grid(camera, part_mm, pixel_mm, (right - left, high - low), top.height_mm)
        for along, raised_along in zip((columns, rows), part, strict=True):
            np.copyto(along[low:high, left:right], raised_along, where=is_top > 0)
    middle_mm = np.array([[area.left_mm + area.width_mm / 2, area.low_mm + area.depth_mm / 2, height_mm]])
    own_mm = float(1 / camera.patch_scale_px_per_mm(middle_mm)[0])
    if (times := int(pixel_mm / own_mm)) > 1:  # many pixels come to one: none of them is to be left out
        height, width = image.shape[:2]
        image = np.asarray(cv2.resize(image, (width // times, height // times), interpolation=cv2.INTER_AREA), np.uint8)
        columns, rows = (((along + 0.5) / times - 0.5).astype(np.float32) for along in (columns, rows))
    drawn = cv2.remap(image, columns[::-1], rows[::-1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    bright = _brighten(np.asarray(drawn, dtype=np.uint8))
    bright[is_hidden[::-1] > 0] = HIDDEN
    return bright


def _brighten(image: Bytes) -> Bytes:
    """Return a picture with its lightest parts near white; in steps, lest a film of them flickers."""
    lightest = float(np.percentile(image[::LOOKED_AT_PX, ::LOOKED_AT_PX], LIGHTEST_PERCENT))
    gain = min(MOST_GAIN, round(GAIN_STEPS * WHITE / max(lightest, 1.0)) / GAIN_STEPS)
    return image if gain <= 1 else np.asarray(cv2.convertScaleAbs(image, alpha=gain), dtype=np.uint8)


def _project_grid(
    camera: CameraOverTable, corner_mm: Floats, pixel_mm: float, size: tuple[int, int], height_mm: float = 0.0
) -> list[Singles]:
    """Return (rows, columns) each, x and y in the picture of every pixel of a map."""
    # cv2.resize takes its nodes to lie in the middles of what they grow to.
    width, height = size
    columns, rows = (np.arange(-1, -(-length // GRID_PX) + 1) * GRID_PX + (GRID_PX - 1) / 2 for length in size)
    nodes_mm = corner_mm + np.stack(np.meshgrid(columns, rows), axis=-1).reshape(-1, 2) * pixel_mm
    pixels = camera.image_from_table(np.column_stack([nodes_mm, np.full(len(nodes_mm), height_mm)])).astype(np.float32)
    grown = (len(columns) * GRID_PX, len(rows) * GRID_PX)
    return [
        np.asarray(cv2.resize(nodes.reshape(len(rows), -1), grown), dtype=np.float32)[
            GRID_PX : GRID_PX + height, GRID_PX : GRID_PX + width
        ]
        for nodes in pixels.T
    ]
