"""Alignment of rings of known words near where they were predicted."""

import math

import pytest

from tests.vision.rings.conftest import PLACED
from tests.vision.rings.rendered_rings import Grey, PlacedRing, enrol_ring
from tests.vision.synthetic_camera import CAMERA
from vision.rings.alignment import FAR_STEPS, NEAR_STEPS, STEP_MM, align_rings
from vision.rings.enrolled_ring import EnrolledRing, count_symmetries
from vision.rings.pattern_fit import RingStart


def predict(placed: PlacedRing, *, off_mm: complex, off_rad: float, ring: EnrolledRing | None = None) -> RingStart:
    """Return where a ring would be predicted that went otherwise."""
    return RingStart(
        ring=ring or placed.ring,
        x_mm=placed.x_mm + off_mm.real,
        y_mm=placed.y_mm + off_mm.imag,
        facing_rad=placed.facing_rad + off_rad,
    )


@pytest.mark.parametrize("bearing_rad", [0.3, 2.1, -1.9])
@pytest.mark.parametrize(("steps", "off_mm"), [(NEAR_STEPS, 0.2), (NEAR_STEPS, 1.6), (FAR_STEPS, 4.8)])
def test_rings_are_found_near_where_they_were_predicted(
    ringed_table: Grey, steps: int, off_mm: float, bearing_rad: float
) -> None:
    off = off_mm * complex(math.cos(bearing_rad), math.sin(bearing_rad))
    rounds = [count_symmetries(one.ring.layout) == one.ring.layout.cells for one in PLACED]
    predicted = [
        predict(one, off_mm=off, off_rad=0.1 if is_round else 0.02)
        for one, is_round in zip(PLACED, rounds, strict=True)
    ]
    for one, found in zip(PLACED, align_rings(CAMERA, ringed_table, predicted, steps), strict=True):
        assert found is not None
        assert math.hypot(found.x_mm - one.x_mm, found.y_mm - one.y_mm) < STEP_MM
        assert abs(math.remainder(found.facing_rad - one.facing_rad, math.tau)) < 0.06


def test_nothing_is_found_on_the_bare_table(ringed_table: Grey) -> None:
    away = [predict(one, off_mm=50j - 50, off_rad=0.0) for one in PLACED[:2]]
    assert align_rings(CAMERA, ringed_table, away, NEAR_STEPS) == [None, None]


def test_another_ring_is_hardly_taken_for_it(ringed_table: Grey) -> None:
    others = [predict(PLACED[0], off_mm=0j, off_rad=0.0, ring=enrol_ring(number)) for number in range(20, 40)]
    found = align_rings(CAMERA, ringed_table, others, NEAR_STEPS)
    assert sum(start is not None for start in found) < len(others) / 2, "the fit turns the rest down"
