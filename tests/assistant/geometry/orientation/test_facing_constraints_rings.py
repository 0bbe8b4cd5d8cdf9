import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.geometry.orientation.facing_constraints import OVAL_MM, build_core_rings, build_rings
from assistant.geometry.shapes.base_shapes import Base, Outline, Oval, PlacedShape, Rect
from assistant.geometry.shapes.convex import outer_radius_mm
from tests.assistant.geometry.shape_strategies import L_SHAPE, angles, draw_polygon, shapes

ASIDE = Outline(points_mm=((10, -5), (60, -5), (60, 20), (10, 20)))
ranges = st.floats(0, 0.9)


def turn_polygon(base: Base, facing: float) -> shapely.Polygon:
    return draw_polygon(PlacedShape(shape=base, x_mm=0, y_mm=0, facing_rad=facing), 400)


@settings(max_examples=60)
@given(st.one_of(shapes, st.just(ASIDE)), angles, ranges, st.floats(0, 1))
def test_a_base_covers_its_core_at_every_facing(base: Base, low: float, width: float, share: float) -> None:
    body = turn_polygon(base, low + share * width)
    always = shapely.union_all([shapely.Polygon(ring) for ring in build_core_rings(base, low, low + width)])
    assert always.is_empty or body.buffer(0.01).covers(always)


@pytest.mark.parametrize("base", [Oval(length_mm=105, width_mm=70), Rect(length_mm=100, width_mm=60)])
def test_the_core_closes_in_with_the_square_of_the_range(base: Base) -> None:
    whole = turn_polygon(base, 0.3)
    for width in (0.2, 0.02):
        (ring,) = build_core_rings(base, 0.3, 0.3 + width)
        both = whole.intersection(turn_polygon(base, 0.3 + width))
        assert shapely.Polygon(ring).hausdorff_distance(both) < outer_radius_mm(base) * width**2 / 8 * 1.1 + 0.03


@pytest.mark.parametrize("base", [Oval(length_mm=105, width_mm=70), L_SHAPE])
def test_rings_lie_around_a_base_or_in_it(base: Base) -> None:
    true = turn_polygon(base, 0.0)
    outer, inner = (
        shapely.union_all([shapely.Polygon(ring) for ring in build_rings(base, outside=side)]) for side in (True, False)
    )
    assert outer.buffer(0.005).covers(true)
    assert true.buffer(0.005).covers(inner)
    assert outer.hausdorff_distance(inner) < 3 * OVAL_MM
