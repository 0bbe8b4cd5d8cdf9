"""Direction offset: how far a way is off the direction in which it must go."""

import math

import pytest

from assistant.rules.engine.walk import measure_direction_offset

TOLERANCE = math.radians(3)


def test_within_the_tolerance_there_is_room_on_the_nearer_side() -> None:
    held = measure_direction_offset(100, math.radians(1), TOLERANCE)
    assert (held.off_mm, held.limit_mm) == pytest.approx((100 * math.sin(math.radians(1)), 100 * math.sin(TOLERANCE)))
    assert held.margin_mm == pytest.approx(100 * math.sin(math.radians(2)))


@pytest.mark.parametrize(("off_deg", "margin_mm"), [(3, 0.0), (33, -50.0), (93, -100.0), (120, -100.0), (180, -100.0)])
def test_beyond_it_the_way_to_its_edge_is_missing_at_most_the_whole_way(off_deg: float, margin_mm: float) -> None:
    assert measure_direction_offset(100, math.radians(off_deg), TOLERANCE).margin_mm == pytest.approx(
        margin_mm, abs=1e-9
    )


def test_a_way_back_is_aside_by_all_of_it() -> None:
    assert measure_direction_offset(100, math.pi, TOLERANCE).off_mm == pytest.approx(100)
