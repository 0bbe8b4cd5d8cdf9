import math
from dataclasses import replace

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.geometry.clearance import clearance
from assistant.geometry.ranges import Solid, furthest_part, is_wholly_within, is_within, separation
from assistant.geometry.shapes import Base, Oval, Placed, Rect, Round
from tests.assistant.geometry.shapes_at_random import L_SHAPE, angles, convex, placed_shapes, polygon

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


@quick
@given(placed_shapes(), placed_shapes(convex))
def test_furthest_part_agrees_with_many_sampled_points(one: Placed, other: Placed) -> None:
    found = furthest_part(one, other)
    sampled = shapely.distance(polygon(other, 500), shapely.points(shapely.get_coordinates(polygon(one)))).max()
    assert found.mm == pytest.approx(sampled, abs=3e-3)
    spot = Placed(shape=Round(radius_mm=0.0), x_mm=found.point[0], y_mm=found.point[1])
    assert found.mm == pytest.approx(max(clearance(spot, other).mm, 0.0), abs=1e-6)
    assert found.mm >= clearance(one, other).mm - 1e-6


@quick
@given(st.floats(0, 300), angles, st.floats(5, 60), st.floats(5, 60))
def test_furthest_part_of_a_disc_from_a_disc(apart: float, angle: float, a: float, b: float) -> None:
    one = Placed(shape=Round(radius_mm=a), x_mm=apart * math.cos(angle), y_mm=apart * math.sin(angle))
    other = Placed(shape=Round(radius_mm=b), x_mm=0, y_mm=0)
    assert furthest_part(one, other).mm == pytest.approx(max(apart + a - b, 0.0), abs=1e-9)


@pytest.mark.parametrize(
    ("one", "other", "mm"),
    [
        (Rect(length_mm=20, width_mm=10), Round(radius_mm=16), math.hypot(110, 5) - 16),
        (Oval(length_mm=60, width_mm=30), Oval(length_mm=60, width_mm=30), 100.0),
        (Round(radius_mm=16), Rect(length_mm=40, width_mm=400), 96.0),
        (L_SHAPE, Rect(length_mm=40, width_mm=10), math.hypot(120, 15)),
    ],
)
def test_known_furthest_parts(one: Base, other: Base, mm: float) -> None:
    at = Placed(shape=one, x_mm=100, y_mm=0)
    assert furthest_part(at, Placed(shape=other, x_mm=0, y_mm=0)).mm == pytest.approx(mm, abs=1e-9)


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


def test_what_lies_inside_is_no_distance_away() -> None:
    ruin = Placed(shape=Oval(length_mm=200, width_mm=150), x_mm=0, y_mm=0)
    assert furthest_part(Placed(shape=Rect(length_mm=40, width_mm=30), x_mm=20, y_mm=10), ruin).mm == 0
    assert furthest_part(ruin, ruin).mm == pytest.approx(0, abs=1e-9)


def test_a_concave_other_is_refused() -> None:
    disc, notched = Placed(shape=Round(radius_mm=5), x_mm=0, y_mm=0), Placed(shape=L_SHAPE, x_mm=0, y_mm=0)
    with pytest.raises(ValueError, match="concave"):
        furthest_part(disc, notched)
    assert np.isfinite(furthest_part(notched, disc).mm)
