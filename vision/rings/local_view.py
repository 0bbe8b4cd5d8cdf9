"""Local views: where the places around a ring are in the picture, by a polynomial instead of the whole camera.

Lens and pose are so nearly quadratic over a few centimetres that nine points tell them; a picture of a hundred
thousand samples costs a product of matrices.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.spaces import CameraOverTable

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]

_NODES = (np.arange(-1, 2)[:, None] + 1j * np.arange(-1, 2)).ravel()


def build_bases(places_mm: Complexes, reach_mm: float) -> Floats:
    """(m, 6) the terms of the polynomial at places in a ring's frame, x + iy, within so far along each axis."""
    x, y = places_mm.real / reach_mm, places_mm.imag / reach_mm
    return np.column_stack([np.ones_like(x), x, y, x * x, x * y, y * y])


_FROM_NODES = np.linalg.pinv(build_bases(_NODES, 1.0))


def map_places(
    camera: CameraOverTable, middles_mm: Complexes, turns: Complexes, heights_mm: Floats, reach_mm: float | Floats
) -> Floats:
    """(n, 2, 6) the polynomials that lead from the frames of n rings into the picture.

    Args:
        camera: where the camera is.
        middles_mm: (n,) of the rings on the table.
        turns: (n,) by which a ring's frame is turned, and grown where its size is not 1.
        heights_mm: (n,) of the rings above the table.
        reach_mm: how far each polynomial goes along each axis of the ring's frame; a number or (n,).

    """
    nodes = middles_mm[:, None] + (turns * reach_mm)[:, None] * _NODES
    points = np.column_stack([nodes.real.ravel(), nodes.imag.ravel(), np.repeat(heights_mm, len(_NODES))])
    pixels = camera.image_from_table(points).reshape(-1, len(_NODES), 2)
    return (_FROM_NODES @ pixels).transpose(0, 2, 1)


MOST_ROWS = 32_000
"""OpenCV samples no larger an array at once."""


def sample_picture(grey: NDArray[np.uint8], places_px: NDArray[np.float32], interpolation: int) -> NDArray[np.uint8]:
    """(k, m) the picture at (k, m, 2) places; however many rows there are."""
    x, y = places_px.transpose(2, 0, 1)
    parts = [
        cv2.remap(grey, x[at : at + MOST_ROWS], y[at : at + MOST_ROWS], interpolation, borderMode=cv2.BORDER_REPLICATE)
        for at in range(0, len(x), MOST_ROWS)
    ]
    return np.concatenate(parts).astype(np.uint8, copy=False)
