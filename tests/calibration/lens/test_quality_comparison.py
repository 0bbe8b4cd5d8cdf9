"""Whether lenses are told apart that differ, and only those."""

from dataclasses import replace

import numpy as np
import pytest

from calibration.errors import Unsolvable
from calibration.lens.quality import chi_square_tail, compare_lens_pair, express_as_fisheye, place_table_under
from calibration.spaces import LensModel
from tests.calibration.lens.board_views import SIZE, TRUE
from tests.calibration.lens.test_quality_error_map import build_lens


@pytest.mark.parametrize(
    ("chi2", "probability"), [(0.0, 1.0), (8.343, 0.5), (16.919, 0.05), (21.666, 0.01), (27.877, 1e-3)]
)
def test_the_chance_of_a_difference_is_that_of_chi_square_with_nine(chi2: float, probability: float) -> None:
    assert chi_square_tail(chi2) == pytest.approx(probability, rel=1e-3)


def test_two_measurements_of_one_lens_seldom_disagree() -> None:
    one = build_lens()
    stand = place_table_under(one)
    rng = np.random.default_rng(4)
    found = [
        compare_lens_pair(replace(one, parameters=a), replace(one, parameters=b), stand)
        for a, b in rng.multivariate_normal(TRUE, one.covariance, size=(200, 2))
    ]
    outcomes = [each.outcome for each in found]
    assert 0.90 < outcomes.count("agree") / 200 < 0.99
    assert outcomes.count("disagree") <= 3
    assert np.mean([each.typical_mm**2 / each.expected_mm**2 for each in found]) == pytest.approx(1, abs=0.25)


def test_a_longer_lens_disagrees_and_says_by_how_much() -> None:
    one = build_lens()
    longer = replace(one, parameters=TRUE + np.array([40.0, 40.0, 0, 0, 0, 0, 0, 0, 0]))
    found = compare_lens_pair(one, longer)
    assert found.outcome == "disagree"
    np.testing.assert_allclose(
        found.differences[:2] / found.sigmas[:2], 40 / np.sqrt(2 * one.covariance[[0, 1], [0, 1]])
    )
    assert found.worst_mm > found.typical_mm > 0
    assert found.worst_px == pytest.approx(found.worst_mm * TRUE[0] / place_table_under(one).height_mm, rel=0.15)


def test_lenses_of_different_resolutions_are_not_compared() -> None:
    with pytest.raises(Unsolvable, match="pictures of 1920x1080, the other of 1280x720"):
        compare_lens_pair(build_lens(), replace(build_lens(), image_size=(1280, 720)))
    assert SIZE == (1920, 1080)


@pytest.mark.parametrize("turned", [False, True])
def test_lenses_of_two_models_are_compared_by_what_they_show(turned: bool) -> None:
    one = build_lens()
    fisheye = express_as_fisheye(one)
    assert fisheye.model is LensModel.FISHEYE
    assert np.abs(fisheye.distortion[:2] - one.distortion[:2]).max() > 0.05, "its numbers are others"
    rng = np.random.default_rng(5)
    outcomes = list[str]()
    for a, b in zip(
        rng.multivariate_normal(one.parameters, one.covariance, size=100),
        rng.multivariate_normal(fisheye.parameters, fisheye.covariance, size=100),
        strict=True,
    ):
        pair = replace(one, parameters=a), replace(fisheye, parameters=b)
        outcomes.append(compare_lens_pair(*(pair[::-1] if turned else pair)).outcome)
    assert 0.90 < outcomes.count("agree") / 100 <= 1
    assert outcomes.count("disagree") <= 2
    longer = replace(fisheye, parameters=fisheye.parameters + np.array([40.0, 40.0, 0, 0, 0, 0, 0, 0, 0]))
    found = compare_lens_pair(one, longer)
    assert found.outcome == "disagree"
    assert found.worst_mm > 1
