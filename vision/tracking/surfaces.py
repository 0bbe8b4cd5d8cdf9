"""Surfaces that a base may stand on, the table or the top of a piece of terrain, and which of them its height fits.

The height is measured by the apparent size of the base's tag; what all tags look too high by is estimated and taken
off.
"""

import math
import statistics
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.tags.pose_estimation import LEAST_TYPICAL_TAGS, BaseMeasurement, place_on_surface

FITS_SIGMAS = 3.5
"""A surface fits if the measured height is no farther from it."""
OVERHANG_MM = 10.0
"""A base may stand with its centre so far outside of what carries it, by as much as terrain is drawn carelessly."""


USUAL_SPREAD_SHARE = 0.3
"""How much tags differ in this, as a share of how far all of them may be off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """The top of a piece of terrain."""

    outline_mm: tuple[tuple[float, float], ...]
    """A simple polygon on the table."""
    height_mm: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredHeight:
    """A measured height."""

    mm: float
    sigma_mm: float


def find_fitting_heights(m: BaseMeasurement, rise: MeasuredHeight, surfaces: Sequence[Surface]) -> tuple[float, ...]:
    """Return the heights, mm, of the surfaces that a base may stand on, the one that fits best first.

    The table is among the surfaces; a top counts if the base, seen as standing there, is over it.
    """
    heights = {0.0} | {top.height_mm for top in surfaces if _is_over(m, top)}
    off = {height: abs(rise.mm - height) for height in heights}
    return tuple(sorted((h for h in heights if off[h] <= FITS_SIGMAS * rise.sigma_mm), key=lambda h: (off[h], h)))


def average_rise(measured: Sequence[BaseMeasurement], bias: MeasuredHeight | None) -> MeasuredHeight:
    """Return the height that several measurements of a base give together.

    Args:
        measured: of a base that stays where it is.
        bias: by how much the base's tag is known to look too high; None where nothing is known of it.

    """
    last = measured[-1]
    mean_mm = math.fsum(m.rise_mm for m in measured) / len(measured)
    noise_mm = math.hypot(last.rise_noise_mm / math.sqrt(len(measured)), last.rise_floor_mm)
    known = bias or MeasuredHeight(mm=0.0, sigma_mm=last.rise_bias_mm)
    return MeasuredHeight(mm=mean_mm - known.mm, sigma_mm=math.hypot(noise_mm, known.sigma_mm))


def estimate_usual_bias(measured: Collection[tuple[BaseMeasurement, float]]) -> MeasuredHeight | None:
    """Return by how much tags look too high as a rule: one printer and one lens made them all alike.

    Args:
        measured: of bases, with the height of the surface that each is taken to stand on.

    """
    if len(measured) < LEAST_TYPICAL_TAGS:
        return None
    off = [m.rise_mm - level_mm for m, level_mm in measured]
    spread = statistics.median(m.rise_bias_mm for m, _ in measured)
    return MeasuredHeight(mm=statistics.median(off), sigma_mm=USUAL_SPREAD_SHARE * spread)


def _is_over(m: BaseMeasurement, top: Surface) -> bool:
    there = place_on_surface(m, top.height_mm)
    outline = np.array(top.outline_mm, dtype=np.float32)
    return cv2.pointPolygonTest(outline, (there.x_mm, there.y_mm), measureDist=True) >= -OVERHANG_MM
