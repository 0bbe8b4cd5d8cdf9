"""Cell evidence: what is read of a cell that is seen, of one that is covered in part, and of one that is covered."""

import numpy as np
import pytest

from vision.rings.cell_evidence import COVERED_SPAN, weigh_cells, weigh_covered

SMOOTH = np.float32(0.05)


def tell(level: float) -> tuple[float, float]:
    """Return the nats for light and for dark."""
    light, dark = weigh_cells(np.array([level], dtype=np.float32), np.array([SMOOTH]))
    return float(light[0]), float(dark[0])


@pytest.mark.parametrize("mirrored", [False, True])
def test_what_is_seen_tells_which_it_is(mirrored: bool) -> None:
    light, dark = tell(0.0 if mirrored else 1.0)
    assert (dark if mirrored else light) > 2.0
    assert (light if mirrored else dark) < 0.0


def test_what_is_neither_bears_nothing_out_but_is_rather_paper_the_lighter_it_is() -> None:
    light, dark = np.array([tell(level) for level in (0.3, 0.45, 0.6, 0.7)]).T
    assert (light < 0).all()
    assert (dark < 0).all()
    rather = light - dark
    assert (np.diff(rather) > 0).all()
    assert rather[0] < 0 < rather[-1]
    assert rather[-1] > 1.0


def test_no_cover_tells_more_than_that_some_show_nothing_of_their_cells() -> None:
    levels = np.linspace(-2.0, 3.0, 200, dtype=np.float32)
    light, dark = weigh_covered(levels)
    assert np.abs(np.log(light / dark)).max() < 2.5


def test_covers_are_as_likely_as_all_that_they_may_look_like_together() -> None:
    levels = np.linspace(0.0, 1.0, 4001, dtype=np.float32)
    for likelier in weigh_covered(levels):
        in_part = (likelier - likelier.min()) / (1 - 0.5)
        assert np.mean(in_part) / COVERED_SPAN == pytest.approx(1.0, abs=0.2)
