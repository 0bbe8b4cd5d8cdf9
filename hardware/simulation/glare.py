"""Glare: a lamp that is mirrored in varnish or in lamination, as blobs of light over the picture."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from hardware.simulation.optics import CameraModel
from hardware.simulation.sprite import Image, PixelRect


@dataclass(frozen=True, slots=True, kw_only=True)
class GlareBlob:
    """One reflection, bright in its middle and fading as a bell curve."""

    x_mm: float
    y_mm: float
    z_mm: float = 0.0
    length_mm: float
    width_mm: float
    """Standard deviations along and across."""
    turn_rad: float = 0.0
    level: float
    """What it adds in its middle, grey levels; what comes above white is white."""


def render_glare(blobs: Iterable[GlareBlob], camera: CameraModel) -> Image:
    """(height, width) what reflections add to a camera's pictures, grey levels; `cv2.add` lays it over them."""
    width, height = camera.image_size
    picture = np.zeros((height, width), dtype=np.uint8)
    for blob in blobs:
        cos, sin = math.cos(blob.turn_rad), math.sin(blob.turn_rad)
        axes_mm = np.array([[blob.length_mm * cos, blob.length_mm * sin], [-blob.width_mm * sin, blob.width_mm * cos]])
        spots = np.array([blob.x_mm, blob.y_mm]) + np.vstack([np.zeros(2), axes_mm])
        middle, *ends = camera.project(np.column_stack([spots, np.full(3, blob.z_mm)]))
        axes_px = np.array(ends) - middle
        reach = 4 * np.abs(axes_px).sum(axis=0)
        rect = PixelRect.from_points(np.array([middle - reach, middle + reach]))
        rect = rect.intersect(PixelRect(0, 0, width, height))
        if rect.empty:
            continue
        rows, columns = np.mgrid[rect.top : rect.bottom, rect.left : rect.right]
        away = np.stack([columns - middle[0], rows - middle[1]], axis=-1) @ np.linalg.inv(axes_px)
        light = blob.level * np.exp(-0.5 * (away**2).sum(axis=-1))
        part = picture[rect.slices]
        part[:] = np.minimum(part + np.rint(light), 255)
    return picture
