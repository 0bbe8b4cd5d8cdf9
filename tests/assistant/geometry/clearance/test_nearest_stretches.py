"""Many stretches at once: as each two shapes have it by themselves."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.geometry.clearance.nearest_stretches import find_nearest_stretches
from assistant.geometry.clearance.pairwise import measure_pairs
from assistant.geometry.clearance.shape_arrays import build_shape_arrays
from assistant.geometry.shapes.base_shapes import PlacedShape, Rect, Round
from assistant.geometry.shapes.convex import Array
from tests.assistant.geometry.shape_strategies import placed_shapes


def find_stretches(shapes: list[PlacedShape]) -> tuple[Array, Array]:
    """Return the stretches between all pairs of shapes, and the clearances."""
    first, second = np.array(list(combinations(range(len(shapes)), 2))).T
    found = measure_pairs(build_shape_arrays(shapes), first, second)
    return find_nearest_stretches(shapes, found), found.mm


def test_sides_that_face_each_other_have_a_stretch_between_them() -> None:
    turn = 0.3
    cos, sin = math.cos(turn), math.sin(turn)
    rows = [
        PlacedShape(shape=Rect(length_mm=20, width_mm=40), x_mm=x * cos - y * sin, y_mm=x * sin + y * cos, facing_rad=t)
        for x, y, t in ((0, 0, turn), (50, 10, turn + math.pi))
    ]
    (stretch,), (mm,) = find_stretches(rows)
    assert mm == pytest.approx(30)
    back = stretch @ np.array(((cos, -sin), (sin, cos)))
    assert sorted(back[:, 0, 1].tolist()) == pytest.approx([-10, 20])
    assert back[:, :, 0] == pytest.approx(np.array(((10, 40), (10, 40))))


def test_between_round_bases_it_is_a_point_at_either() -> None:
    discs = [PlacedShape(shape=Round(radius_mm=10), x_mm=x, y_mm=0) for x in (0, 50, 130)]
    stretches, _ = find_stretches(discs)
    assert stretches[:, 0] == pytest.approx(stretches[:, 1])
    assert stretches[0, 0] == pytest.approx(np.array(((10, 0), (40, 0))))


@given(st.lists(placed_shapes(), min_size=2, max_size=4))
def test_each_end_lies_on_its_shape_and_they_are_as_far_apart_as_the_shapes(shapes: list[PlacedShape]) -> None:
    stretches, mm = find_stretches(shapes)
    apart = np.hypot(*np.moveaxis(stretches[:, :, 1] - stretches[:, :, 0], 2, 0))
    free = mm > 1e-3
    assert apart[free] == pytest.approx(np.repeat(mm[free, None], 2, axis=1), abs=1e-5)
