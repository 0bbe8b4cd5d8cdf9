"""Outlines of placed shapes as polygons, for drawing only: nothing is judged by them."""

import math
from dataclasses import replace
from functools import lru_cache

import numpy as np
import shapely
from shapely import affinity

from assistant.geometry.shapes import Outline, Oval, Placed, Rect, Round
from assistant.overlay.shapes import Points

DRAWN_WITHIN_MM = 0.05
"""How far a drawn curve may be from the true one: less than a pixel of any projector."""
SKETCHED_WITHIN_MM = 0.6


@lru_cache(maxsize=4096)
def outline_mm(placed: Placed, grow_mm: float = 0.0) -> Points:
    """Return the ring around a placed shape, or around everything within ``grow_mm`` of it, in the table frame."""
    segments = _segments(_reach_mm(placed) + grow_mm)
    if grow_mm and isinstance(placed.shape, Round):  # what is around a disc is a disc: fewer legs than its buffer has
        grown = Round(radius_mm=placed.shape.radius_mm + grow_mm)
        return outline_mm(replace(placed, shape=grown))
    own = affinity.translate(
        affinity.rotate(_polygon(placed, segments), placed.facing_rad, origin=(0, 0), use_radians=True),
        placed.x_mm,
        placed.y_mm,
    )
    drawn = own.buffer(grow_mm, quad_segs=segments) if grow_mm else own
    return tuple((round(x, 2), round(y, 2)) for x, y in drawn.exterior.coords[:-1])


def sketch_mm(placed: Placed, grow_mm: float) -> Points:
    """Return about the same ring in few points, up to SKETCHED_WITHIN_MM off: it goes along with a moving model."""
    drawn = shapely.simplify(shapely.LinearRing(outline_mm(placed, grow_mm)), SKETCHED_WITHIN_MM)
    return tuple((round(x, 1), round(y, 1)) for x, y in drawn.coords[:-1])


def _polygon(placed: Placed, segments: int) -> shapely.Polygon:
    turns = np.linspace(0, math.tau, 4 * segments, endpoint=False)
    circle = np.column_stack([np.cos(turns), np.sin(turns)])
    match placed.shape:
        case Round(radius_mm=radius):
            return shapely.Polygon(radius * circle)
        case Oval(length_mm=length, width_mm=width):
            return shapely.Polygon(circle * (length / 2, width / 2))
        case Rect(length_mm=length, width_mm=width):
            return shapely.box(-length / 2, -width / 2, length / 2, width / 2)
        case Outline(points_mm=points):
            return shapely.Polygon(points)


def _reach_mm(placed: Placed) -> float:
    match placed.shape:
        case Round(radius_mm=radius):
            return radius
        case Oval(length_mm=length, width_mm=width) | Rect(length_mm=length, width_mm=width):
            return max(length, width) / 2
        case Outline(points_mm=points):
            return max(math.hypot(x, y) for x, y in points)


def _segments(radius_mm: float) -> int:
    """Return how many legs a quarter circle needs to stay within DRAWN_WITHIN_MM."""
    half_angle = math.acos(max(0.0, 1 - DRAWN_WITHIN_MM / max(radius_mm, DRAWN_WITHIN_MM)))
    return max(4, math.ceil(math.pi / 4 / max(half_angle, 1e-3)))
