"""Which surface a base stands on: the table, or the top of a piece of terrain."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.spaces import CameraOverTable
from vision.locate import Measured, at_height

FITS_SIGMAS = 3.5
"""A surface fits if the measured height is no farther from it."""
OVERHANG_MM = 10.0
"""A base may stand with its centre so far outside of what carries it, by as much as terrain is drawn carelessly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """The top of a piece of terrain."""

    outline_mm: tuple[tuple[float, float], ...]
    """A simple polygon on the table."""
    height_mm: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Rise:
    """A measured height."""

    mm: float
    sigma_mm: float


def fitting(camera: CameraOverTable, m: Measured, rise: Rise, surfaces: Sequence[Surface]) -> tuple[float, ...]:
    """Return the heights, mm, of the surfaces that a base may stand on, the one that fits best first.

    The table is among the surfaces; a top counts if the base, seen as standing there, is over it.
    """
    heights = {0.0} | {top.height_mm for top in surfaces if _over(camera, m, top)}
    off = {height: abs(rise.mm - height) for height in heights}
    return tuple(sorted((h for h in heights if off[h] <= FITS_SIGMAS * rise.sigma_mm), key=lambda h: (off[h], h)))


def mean_rise(measured: Sequence[Measured], bias_mm: float | None) -> Rise:
    """Return the height that several measurements of a base give together.

    Args:
        measured: of a base that stays where it is.
        bias_mm: by how much the base's tag is known to look too high; None where that has not been seen yet.

    """
    last = measured[-1]
    mean_mm = math.fsum(m.rise_mm for m in measured) / len(measured)
    sigma_mm = math.hypot(last.rise_noise_mm / math.sqrt(len(measured)), last.rise_floor_mm)
    if bias_mm is None:
        return Rise(mm=mean_mm, sigma_mm=math.hypot(sigma_mm, last.rise_bias_mm))
    return Rise(mm=mean_mm - bias_mm, sigma_mm=sigma_mm)


def _over(camera: CameraOverTable, m: Measured, top: Surface) -> bool:
    x_mm, y_mm = at_height(camera, m, top.height_mm)
    outline = np.array(top.outline_mm, dtype=np.float32)
    return cv2.pointPolygonTest(outline, (x_mm, y_mm), measureDist=True) >= -OVERHANG_MM
