"""A plate held over the virtual table: a flat picture on something stiff, such as a calibration board in a hand."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.simulation.drawing import BODY
from hardware.simulation.optics import CameraModel, Points
from hardware.simulation.sprite import Image, PixelRect, Sprite
from hardware.simulation.tag_print import INK, PAPER

NODE_PX = 4
"""Where a pixel looks on the plate is worked out at every fourth pixel: between them it is straight to 0.003 px."""
TEXELS_A_SAMPLE = 1.4
"""Samples lie so close that reading the picture between its texels skips nothing of it."""
MOST_FINENESS = 6
NEAREST_MM = 50.0
"""What is nearer to the lens than this is not drawn."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Plate:
    """A picture in ink on paper, in a frame of its own: x right, y down, z off the back of it."""

    image: Image
    """(height, width) grey as it is printed, from black ink to white paper."""
    texels_per_mm: float
    origin_mm: tuple[float, float] = (0.0, 0.0)
    """The upper left corner of the picture in that frame: off (0, 0) where the frame does not begin at the edge."""

    @property
    def corners_mm(self) -> Points:
        """(4, 3) from the upper left corner clockwise as seen from the front."""
        height, width = self.image.shape
        (x, y), w, h = self.origin_mm, width / self.texels_per_mm, height / self.texels_per_mm
        return np.array([(x, y, 0.0), (x + w, y, 0.0), (x + w, y + h, 0.0), (x, y + h, 0.0)])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HeldPlate:
    """Where a plate is held."""

    plate: Plate
    table_from_plate: Points
    """(3, 3) rotation."""
    at_mm: Points
    """(3,) the origin of the plate's frame in the table's."""

    def place_points(self, points_mm: Points) -> Points:
        """Table coordinates (n, 3) of points (n, 3) of the plate's frame."""
        return np.asarray(points_mm @ self.table_from_plate.T + self.at_mm, dtype=np.float64)


def draw_plate(held_plate: HeldPlate, camera: CameraModel) -> Iterator[Sprite]:
    """Draw a plate above everything else; from behind it is blank paper."""
    rim_mm = held_plate.place_points(_sample_plate_rim(held_plate.plate.corners_mm))
    if (rim_mm @ camera.rotation[2] + camera.translation[2]).min() < NEAREST_MM:
        return
    rim_px = camera.project(rim_mm)
    visible = PixelRect.from_points(rim_px).intersect(PixelRect(0, 0, *camera.image_size))
    area_px = cv2.contourArea(rim_px.astype(np.float32), oriented=True)  # y is down: clockwise is positive
    if visible.empty or abs(area_px) < 1:
        return
    height, width = held_plate.plate.image.shape
    fineness = math.ceil(math.sqrt(height * width / abs(area_px)) / TEXELS_A_SAMPLE)
    u, v = _map_texels(held_plate, camera, visible, min(max(fineness, 2), MOST_FINENESS))
    ink = INK + held_plate.plate.image.astype(np.float32) * ((PAPER - INK) / 255)
    printed = np.rint(ink if area_px > 0 else np.full_like(ink, PAPER)).astype(np.uint8)
    texture = np.dstack([printed, np.full_like(printed, 255)])
    size = (visible.right - visible.left, visible.bottom - visible.top)
    fine = cv2.remap(texture, u, v, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=(0, 0))
    grey, cover = cv2.split(cv2.resize(fine, size, interpolation=cv2.INTER_AREA))
    surface = np.asarray(cv2.merge([grey, grey, grey, cover]), dtype=np.uint8)
    yield Sprite(rect=visible, surface=surface, z_mm=float(rim_mm[:, 2].mean()), level=(math.inf, BODY))


def _sample_plate_rim(corners_mm: Points) -> Points:
    """Return points (n, 3) along the edges, close enough that a lens does not bend one out of its neighbours' box."""
    along = np.linspace(0.0, 1.0, 16, endpoint=False)[:, None]
    sides = zip(corners_mm, np.roll(corners_mm, -1, axis=0), strict=True)
    return np.concatenate([start + (end - start) * along for start, end in sides])


def _map_texels(
    held_plate: HeldPlate, camera: CameraModel, visible: PixelRect, fineness: int
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the texel, x and y, that every sample of a part of the picture shows."""
    # One spare node all round, as resizing holds the outermost nodes still.
    columns, rows = (-(-size // NODE_PX) + 2 for size in (visible.right - visible.left, visible.bottom - visible.top))
    xs = visible.left + (np.arange(columns) - 0.5) * NODE_PX - 0.5
    ys = visible.top + (np.arange(rows) - 0.5) * NODE_PX - 0.5
    nodes = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 1, 2)
    until = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 50, 1e-10)
    flat = np.asarray(cv2.undistortPoints(nodes, camera.matrix, camera.distortion, criteria=until), dtype=np.float64)
    rays = np.column_stack([flat.reshape(-1, 2), np.ones(len(nodes))])
    turn = camera.rotation @ held_plate.table_from_plate
    shift = camera.rotation @ held_plate.at_mm + camera.translation
    # A point (x, y, 0) of the plate is seen along turn[:, 0] x + turn[:, 1] y + shift.
    places = rays @ np.linalg.inv(np.column_stack([turn[:, 0], turn[:, 1], shift])).T
    with np.errstate(divide="ignore", invalid="ignore"):
        texels = (places[:, :2] / places[:, 2:] - held_plate.plate.origin_mm) * held_plate.plate.texels_per_mm - 0.5
    texels = np.nan_to_num(texels, nan=-1e6, posinf=1e6, neginf=-1e6).clip(-1e6, 1e6)
    texels[places[:, 2] <= 0] = -1e6  # behind the camera
    coarse = texels.reshape(rows, columns, 2).astype(np.float32)
    scale = NODE_PX * fineness
    fine = cv2.resize(coarse, (columns * scale, rows * scale), interpolation=cv2.INTER_LINEAR)
    height, width = (visible.bottom - visible.top) * fineness, (visible.right - visible.left) * fineness
    part = np.asarray(fine[scale : scale + height, scale : scale + width], dtype=np.float32)
    return np.ascontiguousarray(part[:, :, 0]), np.ascontiguousarray(part[:, :, 1])
