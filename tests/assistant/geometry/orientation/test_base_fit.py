import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.geometry.shapes.base_shapes import Base, Oval, PlacedShape, Rect, Round
from tests.assistant.geometry.orientation.base_fit import TOUCH_MM, fit_base, measure_room_mm
from tests.assistant.geometry.shape_strategies import L_SHAPE, placed_shapes, shapes

DISC, WALL = Round(radius_mm=16), Rect(length_mm=10, width_mm=200)
STAND, OVAL = Rect(length_mm=40, width_mm=20), Oval(length_mm=60, width_mm=35)
ROOMY = {"width_mm": 1000.0, "depth_mm": 1000.0}


def place_shape(shape: Base, x: float, y: float, facing: float = 0.0) -> PlacedShape:
    return PlacedShape(shape=shape, x_mm=x, y_mm=y, facing_rad=facing)


@pytest.mark.parametrize(
    ("base", "place", "facing", "fits"),
    [
        (DISC, (16, 16), None, True),
        (DISC, (15.999, 16), None, False),
        (DISC, (500, 532), None, True),
        (DISC, (500, 531.999), None, False),
        (STAND, (20, 10), 0.0, True),
        (STAND, (20, 10), 0.1, False),
        (STAND, (10, 20), None, True),
        (STAND, (9.99, 20), None, False),
        (OVAL, (500, 551), None, True),
        (OVAL, (500, 530), None, False),
        (L_SHAPE, (500, 490), None, False),
    ],
)
def test_fits_at_a_place(base: Base, place: tuple[float, float], facing: float | None, fits: bool) -> None:
    found = fit_base(base, place, [place_shape(DISC, 500, 500)], facing_rad=facing, **ROOMY)
    assert (found is not None) == fits
    if found is not None:
        assert found.room_mm == measure_room_mm(
            place_shape(base, *place, found.facing_rad), [place_shape(DISC, 500, 500)], **ROOMY
        )
        assert found.room_mm >= -TOUCH_MM


@pytest.mark.parametrize(("slot", "fits"), [(20.0, True), (20.01, True), (19.999, False)])
@pytest.mark.parametrize("turn", [0.0, 0.7, 2.0])
def test_a_slot_that_only_one_facing_fits(slot: float, fits: bool, turn: float) -> None:
    away = 5 + slot / 2
    walls = [place_shape(WALL, 500 + s * away * math.cos(turn), 500 + s * away * math.sin(turn), turn) for s in (1, -1)]
    found = fit_base(STAND, (500, 500), walls, **ROOMY)
    assert (found is not None) == fits
    if found is not None:
        assert math.remainder(found.facing_rad - turn - math.pi / 2, math.pi) == pytest.approx(0, abs=0.01)


@settings(max_examples=12)
@given(st.one_of(shapes), st.lists(placed_shapes(), min_size=1, max_size=4))
def test_it_fits_if_some_facing_tried_does(base: Base, others: list[PlacedShape]) -> None:
    others = [replace(other, x_mm=other.x_mm + 300, y_mm=other.y_mm + 300) for other in others]
    found = fit_base(base, (300, 300), others, **ROOMY)
    tried = [
        measure_room_mm(place_shape(base, 300, 300, facing), others, **ROOMY)
        for facing in np.linspace(-math.pi, math.pi, 48)
    ]
    if found is None:
        assert max(tried) < 0
    else:
        assert measure_room_mm(place_shape(base, 300, 300, found.facing_rad), others, **ROOMY) >= -TOUCH_MM
