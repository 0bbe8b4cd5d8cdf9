import pytest
import shapely

from assistant.geometry.orientation.facing_constraints import OVAL_MM, build_rings
from assistant.geometry.shapes.base_shapes import Base, Oval, PlacedShape
from tests.assistant.geometry.shape_strategies import L_SHAPE, draw_polygon


@pytest.mark.parametrize("base", [Oval(length_mm=105, width_mm=70), L_SHAPE])
def test_rings_lie_around_a_base_or_in_it(base: Base) -> None:
    true = draw_polygon(PlacedShape(shape=base, x_mm=0, y_mm=0), 400)
    outer, inner = (
        shapely.union_all([shapely.Polygon(ring) for ring in build_rings(base, outside=side)]) for side in (True, False)
    )
    assert outer.buffer(0.005).covers(true)
    assert true.buffer(0.005).covers(inner)
    assert outer.hausdorff_distance(inner) < 3 * OVAL_MM
