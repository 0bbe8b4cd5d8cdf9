import math
from dataclasses import replace

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.geometry.clearance import clearance
from assistant.geometry.pairs import all_pairs
from assistant.geometry.ranges import Solid, common_point, is_wholly_within, is_within, separation, vertical_gaps_mm
from assistant.geometry.shapes import Base, Oval, Placed, Rect, Round
from assistant.geometry.standing import stand
from tests.assistant.geometry.shapes_at_random import L_SHAPE, placed_shapes, polygon

quick = settings(max_examples=60)
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


def holds(solid: Solid, spot: tuple[float, float, float]) -> bool:
    x, y, z = spot
    low = solid.placed.z_mm
    return (
        low - 1e-9 <= z <= low + solid.thickness_mm + 1e-9
        and polygon(solid.placed).distance(shapely.Point(x, y)) < 1e-3
    )


@quick
@given(placed_shapes(), placed_shapes(), heights, thicknesses, thicknesses)
def test_the_measured_line_leads_from_one_to_the_other(
    one: Placed, other: Placed, z: float, thick_one: float, thick_other: float
) -> None:
    a, b = Solid(placed=replace(one, z_mm=z), thickness_mm=thick_one), Solid(placed=other, thickness_mm=thick_other)
    found = separation(a, b)
    assert math.dist(found.near, found.far) == pytest.approx(found.mm, abs=2e-6)
    assert holds(a, found.near)
    assert holds(b, found.far)
    assert is_within(a, b, straight_mm=found.mm)
    assert not is_within(a, b, straight_mm=found.mm - 1e-4)


@pytest.mark.parametrize("one", [Round(radius_mm=30), Oval(length_mm=80, width_mm=30), L_SHAPE])
@pytest.mark.parametrize("other", [Round(radius_mm=5), Oval(length_mm=9, width_mm=6), Rect(length_mm=8, width_mm=5)])
@pytest.mark.parametrize("depth_mm", [0.0, 1e-5, 0.5, 4.0, 100.0])
def test_a_common_point_of_what_touches_overlaps_or_lies_inside(one: Base, other: Base, depth_mm: float) -> None:
    here, away = Placed(shape=one, x_mm=10, y_mm=5, facing_rad=0.4), Placed(shape=other, x_mm=150, y_mm=60)
    gap = clearance(here, away)
    way = np.subtract(gap.near, gap.far) / gap.mm
    dx, dy = way * min(gap.mm + depth_mm, gap.mm + 8)
    met = replace(away, x_mm=away.x_mm + dx, y_mm=away.y_mm + dy)
    for a, b in ((here, met), (met, here)):
        spot = shapely.Point(common_point(a, b))
        assert polygon(a).distance(spot) < 1e-3
        assert polygon(b).distance(spot) < 1e-3


def test_a_common_point_of_one_within_another() -> None:
    plate, chip = (
        Placed(shape=Rect(length_mm=90, width_mm=90), x_mm=0, y_mm=0),
        Placed(shape=Round(radius_mm=5), x_mm=30, y_mm=20),
    )
    assert common_point(plate, chip) == common_point(chip, plate) == (30, 20)


def test_wholly_within_a_straight_range() -> None:
    tower, model = solid(Rect(length_mm=100, width_mm=60), 0, 100, 20), solid(Round(radius_mm=16), 84, 0, 30)
    # The rim furthest along is 50 mm away, its foot 100 mm below the tower: the furthest part; the nearest is above it.
    assert separation(model, tower).mm == pytest.approx(math.hypot(18, 70))
    assert is_wholly_within(model, tower, straight_mm=math.hypot(50, 100))
    assert not is_wholly_within(model, tower, straight_mm=math.hypot(50, 100) - 1e-3)
    assert not is_wholly_within(model, tower, 49, straight_mm=200)
    assert not is_wholly_within(model, tower, 50, 99, straight_mm=200)
    beside = solid(Round(radius_mm=16), 84, 105, 4)  # at heights that the tower has too
    assert is_wholly_within(beside, tower, straight_mm=50)


@quick
@given(st.lists(st.tuples(placed_shapes(), heights, thicknesses), min_size=1, max_size=6))
def test_a_whole_table_with_heights_is_measured_as_each_pair(table: list[tuple[Placed, float, float]]) -> None:
    solids = [Solid(placed=replace(placed, z_mm=z), thickness_mm=thickness) for placed, z, thickness in table]
    pairs = all_pairs(stand([solid.placed for solid in solids]))
    vertical = vertical_gaps_mm(solids, pairs)
    for first, second, mm, gap in zip(pairs.first, pairs.second, pairs.mm, vertical, strict=True):
        found = separation(solids[first], solids[second])
        assert gap == pytest.approx(found.vertical_mm, abs=1e-9)
        assert np.hypot(max(mm, 0), max(gap, 0)) == pytest.approx(found.mm, abs=1e-6)
    assert len(vertical) == len(pairs.mm)
