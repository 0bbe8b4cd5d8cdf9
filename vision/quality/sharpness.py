"""Sharpness of a picture: the blur of edges in pixels, whatever the light, and wherever edges are."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.types import TagFit

REACH_PX = 15
"""The window in which an edge's dark and light sides are looked for."""
LEAST_STEP = 50.0
"""Grey levels between them; noise makes smaller steps."""
FEW_EDGES = 40
SHARPEST_SHARE = 0.15
"""Share of the edges that are taken for as sharp as the lens makes them: others are soft by themselves."""
SLOPE_RATIO = 2.5
"""An edge runs across when its slope across is so many times that along."""
OWN_PX2 = 1 / 3
"""What the slope's own three pixels add to the variance of an edge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalSharpness:
    """How sharp one place of a picture is."""

    tag: int | None
    x_px: float
    y_px: float
    blur_px: float
    """One standard deviation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sharpness:
    """How sharp a picture is."""

    blur_px: float
    """One standard deviation: of the middle one of the tags, or of the sharpest edges."""
    by_tags: bool
    """Known from printed tags, whose edges are sharp; else only from what edges there are."""
    spots: tuple[LocalSharpness, ...]
    """The tags, the sharpest first."""
    across_px: float | None
    """Blur of upright edges, by the sharpest of them; None where there are too few."""
    along_px: float | None
    """Blur of level edges."""

    @property
    def smear(self) -> float:
        """How many times wider edges are one way than the other: a picture that is smeared, not out of focus."""
        if self.across_px is None or self.along_px is None:
            return 1.0
        low, high = sorted((self.across_px, self.along_px))
        return high / max(low, 0.3)


def measure_sharpness(grey: NDArray[np.uint8], fits: Sequence[TagFit]) -> Sharpness | None:
    """Return how sharp a picture is; None where it shows no edges.

    White that is burnt out makes edges look sharper than they are: see to the exposure first.

    Args:
        grey: (height, width) picture.
        fits: the tags in it.

    """
    across, along = measure_edge_blur(grey)
    spots = tuple(
        sorted(
            (
                LocalSharpness(
                    tag=fit.tag,
                    x_px=float(fit.corners_px[:, 0].mean()),
                    y_px=float(fit.corners_px[:, 1].mean()),
                    blur_px=fit.blur_px,
                )
                for fit in fits
            ),
            key=lambda spot: spot.blur_px,
        )
    )
    edges = [blur for blur in (across, along) if blur is not None]
    if not spots and not edges:
        return None
    blur = float(np.median([spot.blur_px for spot in spots])) if spots else max(edges)
    return Sharpness(blur_px=blur, by_tags=bool(spots), spots=spots, across_px=across, along_px=along)


def measure_edge_blur(grey: NDArray[np.uint8]) -> tuple[float | None, float | None]:
    """Return the blur of upright and of level edges, px, one standard deviation; None where there are too few.

    A blurred step of some height is steepest in its middle, where its slope is the height over 2.5 sigma; so neither
    the light nor the contrast matters.  Of all edges the sharpest count.
    """
    picture = grey.astype(np.float32)
    slopes = [np.abs(cv2.Sobel(picture, cv2.CV_32F, *order, ksize=3)) / 8 for order in ((1, 0), (0, 1))]
    blurs: list[float | None] = []
    for n, (slope, other) in enumerate((slopes, slopes[::-1])):
        line = np.ones((1, REACH_PX) if n == 0 else (REACH_PX, 1), dtype=np.uint8)
        step = (cv2.dilate(grey, line).astype(np.float32)) - cv2.erode(grey, line)
        steepest = slope >= cv2.dilate(slope, line)
        edges = steepest & (step > LEAST_STEP) & (slope > SLOPE_RATIO * other)
        if int(edges.sum()) < FEW_EDGES:
            blurs.append(None)
            continue
        wide_px2 = (step[edges] / (np.sqrt(2 * np.pi) * slope[edges])) ** 2 - OWN_PX2
        blurs.append(float(np.sqrt(max(0.0, float(np.quantile(wide_px2, SHARPEST_SHARE))))))
    return blurs[0], blurs[1]
