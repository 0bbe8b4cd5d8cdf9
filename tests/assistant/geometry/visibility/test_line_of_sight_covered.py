"""Line of sight of what an outline covers: parted into convex pieces or not, nothing looks out between these."""

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.geometry.shapes.base_shapes import Base, Outline, Oval, PlacedShape, Rect, Round
from assistant.geometry.visibility.line_of_sight import find_sight_line
from tests.assistant.geometry.shape_strategies import L_SHAPE, angles

U_SHAPE = Outline(points_mm=((-40, -40), (40, -40), (40, 40), (15, 40), (15, -10), (-15, -10), (-15, 40), (-40, 40)))
PLUS = Outline(
    points_mm=(
        *((-40, -15), (-15, -15), (-15, -40), (15, -40), (15, -15), (40, -15)),
        *((40, 15), (15, 15), (15, 40), (-15, 40), (-15, 15), (-40, 15)),
    )
)
SPOTS = {
    L_SHAPE: ((0, 0), (-8, 0), (0, -8), (20, -8)),
    U_SHAPE: ((0, -25), (-27, 0), (28, 25)),
    PLUS: ((0, 0), (25, 0)),
}
small: st.SearchStrategy[Base] = st.sampled_from(
    (Round(radius_mm=5), Round(radius_mm=6), Oval(length_mm=13, width_mm=9), Rect(length_mm=9, width_mm=9))
)


@settings(max_examples=40)
@given(st.sampled_from(tuple(SPOTS)), st.lists(small, min_size=2, max_size=2), st.data(), angles)
def test_nothing_sees_from_within_an_outline(
    outline: Outline, bases: list[Base], data: st.DataObject, turn: float
) -> None:
    cos, sin = math.cos(turn), math.sin(turn)
    spots = [data.draw(st.sampled_from(SPOTS[outline])) for _ in bases]
    viewer, target = (
        PlacedShape(shape=base, x_mm=x * cos - y * sin, y_mm=x * sin + y * cos, facing_rad=turn)
        for base, (x, y) in zip(bases, spots, strict=True)
    )
    assert find_sight_line(viewer, target, [PlacedShape(shape=outline, x_mm=0, y_mm=0, facing_rad=turn)]) is None
