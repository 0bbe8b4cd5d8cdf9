"""The overlay as a picture: what a projector throws on the table."""

from collections.abc import Iterable, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from assistant.overlay.palette import PALETTE
from assistant.overlay.shapes import Layer, OverlayShape, Points

_FRACTION_BITS = 4
"""OpenCV draws at sixteenths of a pixel."""


def raster(
    shapes: Iterable[OverlayShape], *, projector_from_table: NDArray[np.float64], image_size: tuple[int, int]
) -> NDArray[np.uint8]:
    """Draw shapes on black.

    Args:
        shapes: what to draw; the order of the layers is that of `Layer`.
        projector_from_table: (3, 3) homography from millimetres to pixels.
        image_size: width and height, px.

    Returns:
        (height, width, 3) BGR.

    """
    width, height = image_size
    picture = np.zeros((height, width, 3), dtype=np.uint8)
    px_per_mm = float(np.sqrt(abs(np.linalg.det(projector_from_table[:2, :2]))))
    order = list(Layer)
    for shape in sorted(shapes, key=lambda shape: order.index(shape.layer)):
        paint = PALETTE[shape.style]
        rings = [_pixels(ring, projector_from_table) for ring in shape.rings_mm]
        if shape.closed and paint.fill:
            _fill(picture, rings, paint.fill)
        thickness = max(1, round(paint.width_mm * px_per_mm))
        cv2.polylines(picture, rings, shape.closed, _bgr(paint.stroke)[0], thickness, cv2.LINE_AA, shift=_FRACTION_BITS)
    return picture


def darkened(
    picture: NDArray[np.uint8], masks_mm: Iterable[Points], *, projector_from_table: NDArray[np.float64]
) -> NDArray[np.uint8]:
    """Return a picture with some rings, table frame, left dark: projected light on a tag kills its detection."""
    dark = picture.copy()
    for ring in masks_mm:  # one by one: where two overlap, filling them together would leave light
        cv2.fillPoly(dark, [_pixels(ring, projector_from_table)], (0, 0, 0), cv2.LINE_8, shift=_FRACTION_BITS)
    return dark


def _pixels(ring_mm: Points, projector_from_table: NDArray[np.float64]) -> NDArray[np.int32]:
    """(n, 1, 2) in OpenCV's fixed point."""
    places = np.asarray(ring_mm, dtype=np.float64).reshape(-1, 1, 2)
    pixels = np.asarray(cv2.perspectiveTransform(places, projector_from_table))
    return np.asarray(np.rint(pixels * 2**_FRACTION_BITS), dtype=np.int32)


def _fill(picture: NDArray[np.uint8], rings: Sequence[NDArray[np.int32]], colour: str) -> None:
    """Fill by the even-odd rule; on black, light of a certain opacity is that share of the light."""
    bgr, share = _bgr(colour)
    height, width = picture.shape[:2]
    corners = np.concatenate(rings).reshape(-1, 2) >> _FRACTION_BITS
    left, top = np.clip(corners.min(axis=0), 0, (width, height)).tolist()
    right, bottom = np.clip(corners.max(axis=0) + 2, 0, (width, height)).tolist()
    cover = np.zeros((bottom - top, right - left), dtype=np.uint8)
    shift = np.array([left, top], dtype=np.int32) << _FRACTION_BITS
    cv2.fillPoly(cover, [ring - shift for ring in rings], 255, cv2.LINE_8, shift=_FRACTION_BITS)
    part = picture[top:bottom, left:right]
    lit = cv2.addWeighted(part, 1 - share, np.full_like(part, bgr), share, 0)
    cv2.copyTo(lit, cover, part)


def _bgr(colour: str) -> tuple[tuple[int, int, int], float]:
    """Read ``#rrggbb`` or ``#rrggbbaa``: blue, green, red, and the opacity from 0 to 1."""
    red, green, blue, *alpha = bytes.fromhex(colour.removeprefix("#"))
    return (blue, green, red), (alpha[0] / 255 if alpha else 1.0)
