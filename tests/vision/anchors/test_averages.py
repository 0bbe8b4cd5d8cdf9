"""Anchor averages: what is known of where an anchor is, by how often it was looked at."""

import numpy as np
import pytest

from tests.vision.synthetic_camera import ANCHORS, NOISE_SHARE, make_fit
from vision.anchors.averages import begin_average


@pytest.mark.parametrize("looks", [1, 4, 16])
def test_noise_averages_out_and_what_it_does_not_explain_stays(looks: int) -> None:
    fits = [make_fit(ANCHORS[0].square_mm, ANCHORS[0].tag, noise_px=0.1, seed=seed) for seed in range(looks)]
    mean = begin_average(fits[0])
    for fit in fits[1:]:
        mean = mean.extend(fit, np.zeros(3))
    expected_px2 = 0.1**2 * (1 - NOISE_SHARE + NOISE_SHARE / looks)
    assert mean.covariance_px2 == pytest.approx(expected_px2 * np.eye(8))
