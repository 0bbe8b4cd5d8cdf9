"""Word proposals: the right word is among those that suit a place at a glance, and none where nothing is printed."""

import numpy as np
import pytest

from tests.vision.rings.conftest import PLACED
from tests.vision.rings.rendered_rings import Grey, PlacedRing, enrol_ring
from tests.vision.synthetic_camera import CAMERA
from vision.rings.pattern_fit import RingStart
from vision.rings.word_proposals import HYPOTHESIS_MM, RingHypothesis, propose_words, turn_all

STRANGERS = tuple(enrol_ring(number + 20) for number in range(12))
KNOWN = (*(one.ring for one in PLACED), *STRANGERS)
EACH = pytest.mark.parametrize("placed", PLACED, ids=lambda one: str(one.ring.marker))


def propose(picture: Grey, placed: PlacedRing, *, but_for: int | None = None, most: int = 1) -> list[RingStart]:
    """Return what is proposed for a place that is off by as much as a hypothesis may be."""
    beside = RingHypothesis(
        shape=placed.ring.shape,
        x_mm=placed.x_mm + 0.9 * HYPOTHESIS_MM,
        y_mm=placed.y_mm - 0.9 * HYPOTHESIS_MM,
        facing_rad=placed.facing_rad,
    )
    words = turn_all(KNOWN)[placed.ring.layout]
    return propose_words(CAMERA, picture, [beside], words, but_for=but_for, most=most)[0]


@EACH
def test_the_ring_that_lies_there_is_proposed_first_and_nearer_than_it_was_guessed(
    ringed_table: Grey, placed: PlacedRing
) -> None:
    start, *_ = propose(ringed_table, placed)
    assert start.ring is placed.ring
    off = complex(start.x_mm - placed.x_mm, start.y_mm - placed.y_mm)
    assert abs(off) < HYPOTHESIS_MM


@EACH
def test_each_ring_is_proposed_once_and_what_is_left_out_is_not_among_them(
    ringed_table: Grey, placed: PlacedRing
) -> None:
    markers = [start.ring.marker for start in propose(ringed_table, placed, most=3)]
    alike = {ring.marker for ring in KNOWN if ring.layout is placed.ring.layout}
    assert markers[0] == placed.ring.marker
    assert len(set(markers)) == len(markers) == min(3, len(alike))
    others = [start.ring.marker for start in propose(ringed_table, placed, but_for=placed.ring.marker, most=3)]
    assert placed.ring.marker not in others
    assert len(others) == min(3, len(alike) - 1)


@pytest.mark.parametrize("most", [1, 3])
def test_nothing_is_proposed_where_nothing_has_contrast(ringed_table: Grey, most: int) -> None:
    assert propose(np.full_like(ringed_table, 120), PLACED[0], most=most) == []
