"""The overlay raster: shapes drawn as a picture, which a projector throws on the table."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from assistant.overlay.palette import PALETTE, Paint, parse_colour
from assistant.overlay.shapes import Layer, OverlayShape, Points

_FRACTION_BITS = 4
"""OpenCV draws at sixteenths of a pixel."""


Warp = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""From (n, 2) places on the table, mm, to (n, 2) pixels."""
LONGEST_MM = 40.0
"""An edge is drawn in pieces no longer than this: a projector's lens bends it."""


def warp_from_homography(projector_from_table: NDArray[np.float64]) -> Warp:
    """Return the warp of a (3, 3) homography from millimetres to pixels."""

    def warp(places_mm: NDArray[np.float64]) -> NDArray[np.float64]:
        places_px = cv2.perspectiveTransform(places_mm.reshape(-1, 1, 2), projector_from_table)
        return np.asarray(places_px, dtype=np.float64).reshape(-1, 2)

    return warp


def rasterise(
    shapes: Iterable[OverlayShape],
    *,
    projector_from_table: Warp,
    image_size: tuple[int, int],
    line_width: float = 1.0,
    paints: Mapping[str, Paint] = PALETTE,
) -> NDArray[np.uint8]:
    """Draw shapes on black.

    Args:
        shapes: what to draw; the order of the layers is that of `Layer`.
        projector_from_table: where the light for a place on the table comes from, such as `warp_from_homography`.
        image_size: width and height, px.
        line_width: times as wide as the paints say.
        paints: by style; of one that is missing the palette's.

    Returns:
        (height, width, 3) BGR.

    """
    width, height = image_size
    picture = np.zeros((height, width, 3), dtype=np.uint8)
    paint_over(picture, shapes, projector_from_table=projector_from_table, line_width=line_width, paints=paints)
    return picture


def paint_over(
    picture: NDArray[np.uint8],
    shapes: Iterable[OverlayShape],
    *,
    projector_from_table: Warp,
    line_width: float = 1.0,
    paints: Mapping[str, Paint] = PALETTE,
) -> None:
    """Draw shapes over a picture, (height, width, 3) BGR; the rest as in `rasterise`."""
    px_per_mm = _find_px_per_mm(projector_from_table)
    order = list(Layer)
    for shape in sorted(shapes, key=lambda shape: order.index(shape.layer)):
        paint = paints.get(shape.style) or PALETTE[shape.style]
        rings = [_project_ring(ring, projector_from_table, closed=shape.closed) for ring in shape.rings_mm]
        if shape.closed and paint.fill:
            _fill(picture, rings, paint.fill)
        thickness = max(1, round(line_width * paint.width_mm * px_per_mm))
        cv2.polylines(
            picture, rings, shape.closed, parse_bgr(paint.stroke), thickness, cv2.LINE_AA, shift=_FRACTION_BITS
        )


def paint_ring(
    picture: NDArray[np.uint8], ring_mm: Points, *, projector_from_table: Warp, fill: str, stroke: str, width_px: int
) -> None:
    """Draw one closed ring over a picture, (height, width, 3) BGR; colours are ``#rrggbb`` or ``#rrggbbaa``."""
    rings = [_project_ring(ring_mm, projector_from_table, closed=True)]
    if fill:
        _fill(picture, rings, fill)
    cv2.polylines(picture, rings, True, parse_bgr(stroke), width_px, cv2.LINE_AA, shift=_FRACTION_BITS)


def darken_masks(
    picture: NDArray[np.uint8], masks_mm: Iterable[Points], *, projector_from_table: Warp
) -> NDArray[np.uint8]:
    """Return a picture with some rings, table frame, left dark: projected light on a marker kills its detection."""
    dark = picture.copy()
    for ring in masks_mm:  # one by one: where two overlap, filling them together would leave light
        cv2.fillPoly(
            dark, [_project_ring(ring, projector_from_table, closed=True)], (0, 0, 0), cv2.LINE_8, shift=_FRACTION_BITS
        )
    return dark


def draw_tags(
    tags: Iterable[tuple[int, int, int, Sequence[int]]], *, level: int, image_size: tuple[int, int]
) -> NDArray[np.uint8]:
    """Draw tags of light on black, as the projector page does.

    Args:
        tags: of each the left and the top of its rim, the width of a cell, px, and its white cells, a number a row.
        level: grey level of the light.
        image_size: width and height, px.

    Returns:
        (height, width, 3) BGR.

    """
    width, height = image_size
    picture = np.zeros((height, width, 3), dtype=np.uint8)
    for left, top, cell_px, rows in tags:
        for down, row in enumerate(rows):
            for across in range(len(rows)):
                if row >> (len(rows) - 1 - across) & 1:
                    y, x = top + down * cell_px, left + across * cell_px
                    picture[y : y + cell_px, x : x + cell_px] = level
    return picture


def _find_px_per_mm(projector_from_table: Warp) -> float:
    """Return the scale a foot from the table's near-left corner."""
    near, right, far = projector_from_table(np.array([[300.0, 300.0], [301.0, 300.0], [300.0, 301.0]]))
    (a, b), (c, d) = right - near, far - near
    return float(np.sqrt(abs(a * d - b * c)))


def _project_ring(ring_mm: Points, projector_from_table: Warp, *, closed: bool) -> NDArray[np.int32]:
    """(n, 1, 2) in OpenCV's fixed point."""
    pixels = projector_from_table(_divide_edges(np.asarray(ring_mm, dtype=np.float64).reshape(-1, 2), closed=closed))
    return np.asarray(np.rint(pixels.reshape(-1, 1, 2) * 2**_FRACTION_BITS), dtype=np.int32)


def _divide_edges(ring: NDArray[np.float64], *, closed: bool) -> NDArray[np.float64]:
    """Divide the long edges of a ring or a line."""
    steps = np.roll(ring, -1, axis=0) - ring
    counts = np.maximum(1, np.ceil(np.hypot(*steps.T) / LONGEST_MM)).astype(int)
    if not closed:
        counts[-1] = 1
    if counts.max() == 1:
        return ring
    start = np.repeat(np.arange(len(ring)), counts)
    share = np.concatenate([np.arange(count) / count for count in counts])
    return np.asarray(ring[start] + share[:, None] * steps[start])


def _fill(picture: NDArray[np.uint8], rings: Sequence[NDArray[np.int32]], colour: str) -> None:
    """Fill by the even-odd rule; on black, light of a certain opacity is that share of the light."""
    *_, share = parse_colour(colour)
    height, width = picture.shape[:2]
    corners = np.concatenate(rings).reshape(-1, 2) >> _FRACTION_BITS
    left, top = np.clip(corners.min(axis=0), 0, (width, height)).tolist()
    right, bottom = np.clip(corners.max(axis=0) + 2, 0, (width, height)).tolist()
    cover = np.zeros((bottom - top, right - left), dtype=np.uint8)
    shift = np.array([left, top], dtype=np.int32) << _FRACTION_BITS
    cv2.fillPoly(cover, [ring - shift for ring in rings], 255, cv2.LINE_8, shift=_FRACTION_BITS)
    part = picture[top:bottom, left:right]
    lit = cv2.addWeighted(part, 1 - share, np.full_like(part, parse_bgr(colour)), share, 0)
    cv2.copyTo(lit, cover, part)


def parse_bgr(colour: str) -> tuple[int, int, int]:
    """Return blue, green and red of a CSS colour, as OpenCV draws with them."""
    red, green, blue, _ = parse_colour(colour)
    return blue, green, red
