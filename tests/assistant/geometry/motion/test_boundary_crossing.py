import math
from dataclasses import replace

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.geometry.clearance.shape_clearance import edge_clearance
from assistant.geometry.motion.boundary_crossing import find_edge_crossing, find_spans_beyond
from assistant.geometry.motion.contact import PathSpan, find_pose
from assistant.geometry.shapes.base_shapes import Base, Outline, Oval, PlacedShape, Rect, Round
from tests.assistant.geometry.shape_strategies import L_SHAPE, angles, draw_polygon, placed_shapes, places

DISC, STAND = Round(radius_mm=16), Rect(length_mm=40, width_mm=20)
WOOD = ((100.0, -50.0), (200.0, -50.0), (200.0, 50.0), (100.0, 50.0))
U_SHAPE = ((-150, -150), (150, -150), (150, 150), (70, 150), (70, -60), (-70, -60), (-70, 150), (-150, 150))


def place_shape(shape: Base, x: float, y: float, facing: float = 0.0) -> PlacedShape:
    return PlacedShape(shape=shape, x_mm=x, y_mm=y, facing_rad=facing)


def list_times(spans: tuple[PathSpan, ...]) -> list[float]:
    return [time for span in spans for time in (span.start, span.end)]


def test_a_disc_through_a_wood_is_wholly_in_it_for_a_while() -> None:
    path = [place_shape(DISC, 0, 0), place_shape(DISC, 100, 0), place_shape(DISC, 300, 0)]
    assert list_times(find_spans_beyond(path, WOOD)) == pytest.approx([0.0, 1.08, 1.42, 2.0], abs=1e-7)


def test_touching_from_inside_is_not_beyond() -> None:
    inside = [place_shape(STAND, 150, 40), place_shape(STAND, 160, 40)]
    assert find_spans_beyond(inside, WOOD) == ()
    assert find_spans_beyond(inside[:1], WOOD) == ()
    assert find_spans_beyond([place_shape(STAND, 150, 40.1)], WOOD)[0].start == 0.0


def test_a_stand_turns_out_of_a_lane_it_fits() -> None:
    lane = ((-100.0, -12.0), (100.0, -12.0), (100.0, 12.0), (-100.0, 12.0))
    path = [place_shape(STAND, 0, 0, 0.0), place_shape(STAND, 0, 0, math.pi)]
    out = math.asin(12 / math.hypot(20, 10)) - math.atan2(10, 20)
    assert list_times(find_spans_beyond(path, lane)) == pytest.approx([out / math.pi, 1 - out / math.pi], abs=1e-7)


@settings(max_examples=30)
@given(placed_shapes(), places, places, angles, st.sampled_from([U_SHAPE, WOOD, L_SHAPE.points_mm]))
def test_spans_agree_with_dense_sampling(
    start: PlacedShape, x: float, y: float, facing: float, outline: tuple[tuple[float, float], ...]
) -> None:
    path = [start, replace(start, x_mm=x, y_mm=y, facing_rad=facing)]
    spans = find_spans_beyond(path, outline)
    feature = shapely.Polygon(outline)
    inner, outer = feature.buffer(-1e-3, join_style="mitre"), feature.buffer(1e-3, join_style="mitre")
    for time in np.linspace(0, 1, 60).tolist():
        base = draw_polygon(find_pose(path, time), 400)
        if any(span.start <= time <= span.end for span in spans):
            assert not inner.contains(base.buffer(0.02))
        else:
            assert outer.contains(base.buffer(-1e-3))


def test_the_first_corner_over_the_edge() -> None:
    path = [place_shape(STAND, 300, 100), place_shape(STAND, 300, 100, 0.5), place_shape(STAND, 300, 0, 0.5)]
    found = find_edge_crossing(path, 600, 400)
    assert found is not None
    reach = 20 * math.sin(0.5) + 10 * math.cos(0.5)
    assert found.time == pytest.approx(1 + (100 - reach) / 100, abs=1e-7)
    assert found.at.y_mm == pytest.approx(reach, abs=1e-5)
    assert find_edge_crossing(path[:2], 600, 400) is None


def test_along_the_edge_is_not_over_it() -> None:
    assert find_edge_crossing([place_shape(STAND, 20, 10), place_shape(STAND, 580, 10)], 600, 400) is None
    beyond = find_edge_crossing([place_shape(STAND, 20, 9.99)], 600, 400)
    assert beyond is not None
    assert beyond.time == 0.0


def test_a_table_smaller_than_the_base_is_left_at_once() -> None:
    found = find_edge_crossing([place_shape(STAND, 10, 5), place_shape(STAND, 11, 5)], 20, 10)
    assert found is not None
    assert (found.time, found.clearance.mm) == (0.0, -10)


@settings(max_examples=30)
@given(placed_shapes(), st.floats(0, 400), st.floats(0, 300), angles)
def test_the_edge_is_crossed_where_the_room_ends(start: PlacedShape, x: float, y: float, facing: float) -> None:
    path = [replace(start, x_mm=200, y_mm=150), replace(start, x_mm=x, y_mm=y, facing_rad=facing)]
    found = find_edge_crossing(path, 400, 300)
    last = 1.0 if found is None else found.time
    for time in np.linspace(0, last, 50)[:-1].tolist():
        assert edge_clearance(find_pose(path, time), 400, 300).mm > -2e-6
    if found is not None and found.time > 0:
        assert found.clearance.mm == pytest.approx(-1e-6, abs=1e-7)


def test_an_oval_and_an_outline_are_measured_by_their_own_shape() -> None:
    for shape in (Oval(length_mm=60, width_mm=35), Outline(points_mm=((-30, -10), (30, 0), (-30, 10)))):
        found = find_edge_crossing([place_shape(shape, 100, 100), place_shape(shape, 0, 100)], 400, 300)
        assert found is not None
        assert found.at.x_mm == pytest.approx(30, abs=1e-5)


def test_a_turn_too_small_to_divide_by_is_none() -> None:
    oval = Oval(length_mm=5, width_mm=6)
    path = [place_shape(oval, 200, 150), place_shape(oval, 0, 0, 2.225073858507203e-309)]
    found = find_edge_crossing(path, 400, 300)
    assert found is not None
    assert found.at.y_mm == pytest.approx(3.0, abs=1e-5)
