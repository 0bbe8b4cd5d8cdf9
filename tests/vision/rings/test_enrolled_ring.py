"""Enrolled rings: where a ring lies above what its base stands on, and its word."""

import numpy as np
import pytest

from hardware.rings.layout import RingKind, RingLayout
from hardware.rings.words import load_ring_list
from tests.base_outlines import make_oval
from vision.marker_numbers import number_ring
from vision.rings.enrolled_ring import EnrolledRing


@pytest.mark.parametrize(("kind", "high_mm"), [(RingKind.HALO, 0.25), (RingKind.RIM, 4.0)])
def test_a_halo_lies_near_the_ground_and_a_rim_on_the_base(kind: RingKind, high_mm: float) -> None:
    rings = load_ring_list()
    words = rings.round
    layout = RingLayout.build(make_oval(32.0, 32.0), rings.bands[kind], words.cells)
    ring = EnrolledRing(marker=number_ring(1), model="s1", layout=layout, word=words.ids[1], height_mm=4.0)
    assert ring.ring_height_mm == high_mm
    assert np.array_equal(ring.bits, words.get_bits(1))
