"""Shape strategies for Hypothesis, and outlines as polygons of many corners to compare shapes with."""

import math

import numpy as np
import shapely
from hypothesis import strategies as st

from assistant.geometry.shapes.base_shapes import Base, Outline, Oval, PlacedShape, Rect, Round

lengths = st.floats(5, 150)
places = st.floats(-200, 200)
angles = st.floats(-math.pi, math.pi)

L_SHAPE = Outline(points_mm=((-20, -20), (40, -20), (40, 5), (5, 5), (5, 50), (-20, 50)))

convex: st.SearchStrategy[Base] = st.one_of(
    st.builds(Round, radius_mm=st.floats(5, 80)),
    st.builds(Oval, length_mm=lengths, width_mm=lengths),
    st.builds(Rect, length_mm=lengths, width_mm=lengths),
)
shapes: st.SearchStrategy[Base] = st.one_of(convex, st.just(L_SHAPE))

noises = st.one_of(
    st.just(0.0),
    st.builds(lambda size, sign: sign * 10.0**size, st.floats(-16.5, -8), st.sampled_from((-1.0, 1.0))),
)
"""None, or as little as rounding and a second measurement make, or just more than counts."""


@st.composite
def shared_facings(draw: st.DrawFn, count: int) -> list[float]:
    """Facings in a crowd: each turned as all are or across, but for a rounding, or anyhow."""
    shared = draw(st.one_of(st.integers(-11, 12).map(lambda step: math.radians(15.0 * step)), angles))
    like = st.builds(lambda quarters, noise: shared + quarters * math.pi / 2 + noise, st.integers(0, 3), noises)
    return draw(st.lists(st.one_of(like, like, angles), min_size=count, max_size=count))


@st.composite
def placed_shapes(draw: st.DrawFn, of: st.SearchStrategy[Base] = shapes) -> PlacedShape:
    return PlacedShape(shape=draw(of), x_mm=draw(places), y_mm=draw(places), facing_rad=draw(angles))


def draw_polygon(placed: PlacedShape, points: int = 2000) -> shapely.Polygon:
    """The outline with many corners, no further inside the true one than 2e-4 mm for the sizes used here."""
    around = np.linspace(0, 2 * math.pi, points, endpoint=False)
    circle = np.column_stack((np.cos(around), np.sin(around)))
    match placed.shape:
        case Round(radius_mm=radius):
            ring = circle * radius
        case Oval(length_mm=length, width_mm=width):
            ring = circle * (length / 2, width / 2)
        case Rect(length_mm=length, width_mm=width):
            ring = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * (length / 2, width / 2)
        case Outline(points_mm=corners):
            ring = np.array(corners)
    cos, sin = math.cos(placed.facing_rad), math.sin(placed.facing_rad)
    return shapely.Polygon(ring @ np.array([[cos, sin], [-sin, cos]]) + (placed.x_mm, placed.y_mm))
