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

from vision.tags.pose_estimation import LEAST_TYPICAL_TAGS, BaseMeasurement, find_place_on_surface

FITS_SIGMAS = 3.5
"""A surface fits if the measured height is no farther from it."""
ODD_SIGMAS, ODD_FITS_SIGMAS = 2.5, 6.0
"""Where the measured height is farther than the first from the surface that fits best, something is odd with it, as
with a ring that its figure half hides: then others that it is no farther from than the second may be right as well."""
OVERHANG_MM = 10.0
"""A base may stand with its centre so far outside of what carries it, by as much as terrain is drawn carelessly."""


LEAST_NOISE_MM = 0.01
"""No height is measured more exactly."""
USUAL_SPREAD_SHARE = 0.3
"""How much tags differ in this, as a share of how far all of them may be off, as far as they do not tell it."""
USUAL_TAGS = 4.0
"""So many tags that tell it count as much."""


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
    doubt: float = 0.0
    """By which share of the true height it may be off beside."""

    def is_beyond(self, height_mm: float, sigmas: float) -> bool:
        """Whether it is so many sigma above a height, or below it.

        What it would be off by there counts: where nobody knows how high the camera is, 100 mm may well be 50, but
        they are not 0.
        """
        return abs(self.mm - height_mm) > sigmas * self.find_sigma(height_mm)

    def find_sigma(self, height_mm: float) -> float:
        """Return the standard deviation, mm, of what would be measured at a true height."""
        return math.hypot(self.sigma_mm, height_mm * self.doubt)


def find_fitting_heights(m: BaseMeasurement, rise: MeasuredHeight, surfaces: Sequence[Surface]) -> tuple[float, ...]:
    """Return the heights, mm, of the surfaces that a base may stand on, the one that fits best first.

    The table is among the surfaces; a top counts if the base, seen as standing there, is over it.
    """
    heights = {0.0} | {top.height_mm for top in surfaces if _is_over(m, top)}
    fitting = [height for height in heights if not rise.is_beyond(height, FITS_SIGMAS)]
    if fitting and all(rise.is_beyond(height, ODD_SIGMAS) for height in fitting):
        fitting = [height for height in heights if not rise.is_beyond(height, ODD_FITS_SIGMAS)]
    return tuple(sorted(fitting, key=lambda height: (abs(rise.mm - height), height)))


def average_rise(measurements: Sequence[BaseMeasurement], bias: MeasuredHeight | None) -> MeasuredHeight:
    """Return the height that several measurements of a base give together, each by as much as it tells.

    Args:
        measurements: of a base that stays at its height.
        bias: by how much the base's tag is known to look too high; None where nothing is known of it.

    """
    last = measurements[-1]
    weights = _weigh_rises(measurements)
    mean_mm = math.fsum(w * m.rise_mm for w, m in zip(weights, measurements, strict=True)) / math.fsum(weights)
    # One bad fit says little of what lasts: the floor is that of most of the looks.
    noise_mm = math.hypot(estimate_rise_noise(measurements), statistics.median(m.rise_floor_mm for m in measurements))
    known_bias = bias or MeasuredHeight(mm=0.0, sigma_mm=last.rise_bias_mm)
    return MeasuredHeight(
        mm=mean_mm - known_bias.mm, sigma_mm=math.hypot(noise_mm, known_bias.sigma_mm), doubt=last.height_doubt
    )


def estimate_rise_noise(measurements: Sequence[BaseMeasurement]) -> float:
    """Return the standard deviation, mm, that the pictures' noise leaves of that height."""
    return 1 / math.sqrt(math.fsum(_weigh_rises(measurements)))


def _weigh_rises(measurements: Sequence[BaseMeasurement]) -> list[float]:
    return [max(m.rise_noise_mm, LEAST_NOISE_MM) ** -2 for m in measurements]


def estimate_usual_bias(measurements: Collection[tuple[BaseMeasurement, float]]) -> MeasuredHeight | None:
    """Return by how much tags look too high as a rule: one printer and one lens made them all alike.

    Args:
        measurements: of bases, with the height of the surface that each is taken to stand on.

    """
    if len(measurements) < LEAST_TYPICAL_TAGS:
        return None
    offsets_mm = [m.rise_mm - level_mm for m, level_mm in measurements]
    usual_mm, count = statistics.median(offsets_mm), len(offsets_mm)
    believed_mm = USUAL_SPREAD_SHARE * statistics.median(m.rise_bias_mm for m, _ in measurements)
    # The squares of normal deviates have their median at 0.455 of their mean.
    told_mm2 = statistics.median((mm - usual_mm) ** 2 for mm in offsets_mm) / 0.455
    explained_mm2 = statistics.median(m.rise_noise_mm**2 + m.rise_floor_mm**2 for m, _ in measurements)
    beyond_mm2 = max(0.0, told_mm2 - explained_mm2)
    variance = (USUAL_TAGS * believed_mm**2 + count * beyond_mm2) / (USUAL_TAGS + count)
    return MeasuredHeight(mm=usual_mm, sigma_mm=math.sqrt(variance))


def _is_over(m: BaseMeasurement, top: Surface) -> bool:
    outline = np.array(top.outline_mm, dtype=np.float32)
    return cv2.pointPolygonTest(outline, find_place_on_surface(m, top.height_mm), measureDist=True) >= -OVERHANG_MM
