"""Random tables and real photographs: a calibration is as far off as it says, whatever is known of the lens."""

import numpy as np
import pytest

from tests.calibration.table.photographed_boards import find_boards
from tests.calibration.table.random_tables import LensKnown, View, draw_calibration
from tests.shared_pictures import find_shared_folder

DRAWS = 12


@pytest.mark.parametrize("known", [LensKnown.WELL, LensKnown.BADLY, LensKnown.NOT])
def test_a_calibration_is_as_far_off_as_it_says(known: LensKnown) -> None:
    squares = [draw_calibration(seed, known, view).squared_sigmas for view in View for seed in range(DRAWS)]
    assert 0.6 < np.mean(squares) < 1.6


def test_anchors_laid_by_hand_are_not_taken_for_exact() -> None:
    squares = [draw_calibration(seed, LensKnown.WELL, View.LAID).squared_sigmas for seed in range(3 * DRAWS)]
    assert np.mean(squares) < 1.5
    assert np.median(squares) < 0.9


def test_a_real_webcam_without_a_lens_file_is_as_far_off_as_it_says() -> None:
    find_shared_folder("photos/lifecam-charuco-a")
    found = [board.calibrate(4) for board in find_boards("lifecam-charuco-a")]
    assert len(found) == 15
    assert 0.4 < np.mean([draw.squared_sigmas for draw in found]) < 1.4
    assert np.sqrt(np.mean([(draw.off_mm**2).sum(axis=1).mean() for draw in found])) < 0.22
