"""Outlines of bases as polygons, in the base's frame."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def make_oval(length_mm: float, width_mm: float, corners: int = 720) -> Floats:
    """(n, 2) an oval, or a circle."""
    turn = np.linspace(0, 2 * np.pi, corners, endpoint=False)
    return np.column_stack([length_mm / 2 * np.cos(turn), width_mm / 2 * np.sin(turn)])


def make_rectangle(length_mm: float, width_mm: float) -> Floats:
    """(4, 2) a rectangle."""
    return np.array([(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)]) * (length_mm / 2, width_mm / 2)
