import pytest
from hypothesis import given

from assistant.geometry.clearance.shape_clearance import bound_clearance_mm, clearance
from assistant.geometry.clearance.signed_distance import measure_separation, simplify_set
from assistant.geometry.shapes.base_shapes import PlacedShape
from assistant.geometry.shapes.convex import decompose_placed
from tests.assistant.geometry.shape_strategies import placed_shapes, places


@given(placed_shapes(), placed_shapes())
def test_a_separation_is_the_distance_of_the_origin_from_the_difference(one: PlacedShape, other: PlacedShape) -> None:
    for part in decompose_placed(one):
        for fixed in decompose_placed(other):
            mm, _ = part.minkowski_sum(fixed.reflect()).distance(0.0, 0.0)
            found, x, y = measure_separation(simplify_set(part), simplify_set(fixed))
            assert abs(found - mm) < 1e-7
            reach = simplify_set(part).measure_extent_mm(x, y) + simplify_set(fixed).measure_extent_mm(-x, -y)
            assert abs(-reach - found) < 1e-6


@given(placed_shapes(), placed_shapes())
def test_two_shapes_are_no_nearer_than_the_discs_around_them(one: PlacedShape, other: PlacedShape) -> None:
    assert bound_clearance_mm(one, other) <= clearance(one, other).mm + 1e-9


@given(placed_shapes(), places, places)
def test_a_place_is_as_far_from_a_set_as_a_point_there(shape: PlacedShape, x: float, y: float) -> None:
    for part in decompose_placed(shape):
        mm = simplify_set(part).measure_place_mm(x, y)
        assert mm == pytest.approx(part.distance(x, y)[0], abs=1e-7)
