"""Base outlines: polygons of the bases that a virtual table is laid with."""

import math

from hardware.simulation.scene import Outline


def build_oval_outline(*, length_mm: float, width_mm: float, corners: int = 96) -> Outline:
    """Return an ellipse about the origin as a polygon, length along +x; a round base has length and width the same."""
    turns = [math.tau * k / corners for k in range(corners)]
    return tuple((length_mm / 2 * math.cos(a), width_mm / 2 * math.sin(a)) for a in turns)


def build_rect_outline(*, length_mm: float, width_mm: float) -> Outline:
    """Return a rectangle about the origin, length along +x."""
    x, y = length_mm / 2, width_mm / 2
    return ((-x, -y), (x, -y), (x, y), (-x, y))
