"""Play refinement: tags at rest mend a lens that is known badly, say how surely, and leave one that is known well."""

import numpy as np
import pytest

from calibration.design_prediction import map_error
from calibration.errors import Unsolvable
from tests.calibration.table.random_games import draw_game
from tests.calibration.table.random_tables import LensKnown, View
from tests.calibration.table.simulated_tables import TABLE


def test_what_is_offered_is_better_and_as_far_off_as_it_says() -> None:
    drawn = [draw_game(seed, LensKnown.NOT, View.LAID) for seed in range(8, 19)]
    offered = [draw for draw in drawn if draw.found.is_better]
    assert len(offered) >= 2
    for draw in offered:
        assert (draw.after.off_mm**2).sum() < 0.6 * (draw.before.off_mm**2).sum()
    assert 0.5 < np.mean([draw.after.squared_sigmas for draw in drawn]) < 1.4


def test_what_is_expected_of_an_offer_is_what_comes_of_using_it() -> None:
    for seed in range(4):
        draw = draw_game(seed, LensKnown.NOT, View.LAID)
        used = map_error(draw.after.camera, width_mm=TABLE.width_mm, depth_mm=TABLE.depth_mm)
        assert draw.found.after_mm == pytest.approx(used.worst_mm, rel=0.1)


def test_a_lens_that_is_known_well_is_kept_and_not_made_worse() -> None:
    for seed in range(5):
        draw = draw_game(seed, LensKnown.WELL, View.CLEAN)
        assert not draw.found.is_better
        assert draw.found.after_mm < 1.01 * draw.found.before_mm
        assert np.abs(draw.after.off_mm - draw.before.off_mm).max() < 0.05


def test_a_few_tags_tell_nothing() -> None:
    with pytest.raises(
        Unsolvable, match="tags lay still at only 12 places where they could be measured; 24 are needed"
    ):
        draw_game(1, LensKnown.NOT, View.CLEAN, count=12)
