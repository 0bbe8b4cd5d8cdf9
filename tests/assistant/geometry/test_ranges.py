import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.geometry.ranges import Solid, is_wholly_within, is_within, separation
from assistant.geometry.shapes import Base, Placed, Rect, Round
from tests.assistant.geometry.shapes_at_random import placed_shapes

quick = settings(max_examples=60, deadline=None, derandomize=True)
heights = st.floats(-50, 50)
thicknesses = st.floats(0, 40)


def solid(shape: Base, x: float, z: float, thickness: float = 0.0) -> Solid:
    return Solid(placed=Placed(shape=shape, x_mm=x, y_mm=0, z_mm=z), thickness_mm=thickness)


@pytest.mark.parametrize(
    ("z_one", "thick_one", "z_other", "thick_other", "gap"),
    [(0, 4, 100, 4, 96), (100, 4, 0, 4, 96), (0, 0, 0, 0, 0), (0, 10, 5, 50, -5), (0, 30, 10, 5, -15), (3, 2, 5, 1, 0)],
)
def test_vertical_gap(z_one: float, thick_one: float, z_other: float, thick_other: float, gap: float) -> None:
    # An interval inside another shares its own length and what is left on the nearer side: the least way out.
    one, other = solid(Round(radius_mm=16), 0, z_one, thick_one), solid(Round(radius_mm=16), 62, z_other, thick_other)
    found = separation(one, other)
    assert found.vertical_mm == pytest.approx(gap)
    assert found.horizontal.mm == pytest.approx(30)
    assert found.mm == pytest.approx(math.hypot(30, max(gap, 0)))


@quick
@given(placed_shapes(), placed_shapes(), heights, thicknesses, thicknesses)
def test_separation_is_symmetric_and_within_follows_it(
    one: Placed, other: Placed, z: float, thick_one: float, thick_other: float
) -> None:
    a, b = Solid(placed=replace(one, z_mm=z), thickness_mm=thick_one), Solid(placed=other, thickness_mm=thick_other)
    there, back = separation(a, b), separation(b, a)
    assert there.vertical_mm == pytest.approx(back.vertical_mm, abs=1e-9)
    assert there.horizontal.mm == pytest.approx(back.horizontal.mm, abs=1e-6)
    wide, high = there.horizontal.mm, there.vertical_mm
    assert is_within(a, b, wide, high)
    assert not is_within(a, b, wide - 1e-4, high)
    assert not is_within(a, b, wide, high - 1e-4)
    assert is_within(a, b, wide)


def test_wholly_within_asks_for_every_part() -> None:
    transport, model = solid(Rect(length_mm=100, width_mm=60), 0, 0, 40), solid(Round(radius_mm=16), 100, 0, 4)
    assert is_within(model, transport, 34)
    assert not is_wholly_within(model, transport, 34)
    assert is_wholly_within(model, transport, 66)
    assert not is_wholly_within(model, transport, 65.99)
    raised = replace(model, placed=replace(model.placed, z_mm=100))
    assert is_wholly_within(raised, transport, 66, 64)
    assert not is_wholly_within(raised, transport, 66, 63.9)
    assert is_within(raised, transport, 34, 60)
    sunk = replace(model, placed=replace(model.placed, z_mm=-10))
    assert not is_wholly_within(sunk, transport, 66, 9.9)
