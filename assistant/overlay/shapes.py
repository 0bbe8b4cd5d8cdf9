"""Overlay shapes: layers and shapes to draw, in millimetres, and outlines of bases as polygons.

Outlines are for drawing only: nothing is judged by them.
"""

import math
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import numpy as np
import shapely
from numpy.typing import NDArray

from assistant.geometry.shapes.base_shapes import Base, Outline, Oval, PlacedShape, Rect, Round

Points = tuple[tuple[float, float], ...]


class Layer(StrEnum):
    """What a shape tells, from the bottom of the drawing to its top."""

    DEPLOYMENT = "deployment"
    """Where a player sets up."""
    OBJECTIVE = "objective"
    """A marker that players fight for, and its range."""
    LAYING = "laying"
    """What is to be laid on the table, and what lies."""
    ZONE = "zone"
    """Where the picked model may end."""
    THREAT = "threat"
    """What an enemy unit may come to threaten."""
    ENGAGEMENT = "engagement"
    """Around an enemy base."""
    COHERENCY = "coherency"
    """A link between two models of a unit."""
    NAMED = "named"
    """Whom the announced move names."""
    BREAK = "break"
    """A model out of coherency."""
    GHOST = "ghost"
    """Where a moved model came from."""
    PATH = "path"
    """The way it took, as far as it was seen, and where it was not."""
    WAY = "way"
    """Around a model that has moved: how far it has come, and how much is left."""
    RESTORE = "restore"
    """Where a model is to be put back, and which way it has to go."""
    STOP = "stop"
    """Where a way that turned illegal ends instead."""
    WITNESS = "witness"
    """The segment that a finding measured."""
    TAPE = "tape"
    """What somebody measures."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlayShape:
    """One thing to draw."""

    key: str
    """The same key means the same thing, redrawn."""
    layer: Layer
    rings_mm: tuple[Points, ...]
    """Closed rings (holes by the even-odd rule) if ``closed``, else open lines; table frame."""
    closed: bool
    style: str
    """A name in the palette."""
    label: str = ""
    on: str | None = None
    """The model in whose frame the rings are; None: the table's."""


DRAWN_WITHIN_MM = 0.05
"""How far a drawn curve may be from the true one: less than a pixel of any projector."""
SKETCHED_WITHIN_MM = 0.2


_LEAST_TURN = 2.5e-16
"""A smaller sine or cosine is none."""
MOST_OUTLINES = 1024
"""Kept: some for each of two hundred models.  Each has up to 9 kB, and whatever moves makes new ones."""


@lru_cache(maxsize=MOST_OUTLINES)
def trace_outline(placed: PlacedShape, grow_mm: float = 0.0) -> Points:
    """Return the ring around a placed shape, or around everything within ``grow_mm`` of it, in the table frame."""
    shape, segments = placed.shape, _count_segments(_find_reach_mm(placed) + grow_mm)
    if grow_mm and isinstance(shape, Round):  # what is around a disc is a disc: fewer legs than its buffer has
        shape, grow_mm = Round(radius_mm=shape.radius_mm + grow_mm), 0.0
    (x, y), turn = _build_ring(shape, segments), placed.facing_rad
    cos, sin = (0.0 if abs(part) < _LEAST_TURN else part for part in (math.cos(turn), math.sin(turn)))
    ring = np.column_stack((cos * x - sin * y + placed.x_mm, sin * x + cos * y + placed.y_mm))
    if grow_mm:
        ring = shapely.get_coordinates(shapely.Polygon(ring).buffer(grow_mm, quad_segs=segments).exterior)[:-1]
    return tuple((round(x, 2), round(y, 2)) for x, y in ring.tolist())


def sketch_outline(placed: PlacedShape, grow_mm: float) -> Points:
    """Return about the same ring in few points, up to SKETCHED_WITHIN_MM off: it goes along with a moving model."""
    outline = shapely.simplify(shapely.LinearRing(trace_outline(placed, grow_mm)), SKETCHED_WITHIN_MM)
    return tuple((round(x, 1), round(y, 1)) for x, y in outline.coords[:-1])


@lru_cache(maxsize=256)
def _build_ring(shape: Base, segments: int) -> NDArray[np.float64]:
    """Return the corners of a shape in its own frame, (2, n), with so many legs to a quarter of a circle."""
    turns = np.linspace(0, math.tau, 4 * segments, endpoint=False)
    circle = np.column_stack([np.cos(turns), np.sin(turns)])
    match shape:
        case Round(radius_mm=radius):
            corners = radius * circle
        case Oval(length_mm=length, width_mm=width):
            corners = circle * (length / 2, width / 2)
        case Rect(length_mm=length, width_mm=width):
            corners = shapely.get_coordinates(shapely.box(-length / 2, -width / 2, length / 2, width / 2))[:-1]
        case Outline(points_mm=points):
            corners = np.array(points, dtype=float)
    return corners.T


def _find_reach_mm(placed: PlacedShape) -> float:
    match placed.shape:
        case Round(radius_mm=radius):
            return radius
        case Oval(length_mm=length, width_mm=width) | Rect(length_mm=length, width_mm=width):
            return max(length, width) / 2
        case Outline(points_mm=points):
            return max(math.hypot(x, y) for x, y in points)


def _count_segments(radius_mm: float) -> int:
    """Return how many legs a quarter circle needs to stay within DRAWN_WITHIN_MM."""
    half_angle = math.acos(max(0.0, 1 - DRAWN_WITHIN_MM / max(radius_mm, DRAWN_WITHIN_MM)))
    return max(4, math.ceil(math.pi / 4 / max(half_angle, 1e-3)))
