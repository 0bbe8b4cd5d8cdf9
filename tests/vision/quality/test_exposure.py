"""Exposure of pictures: noise, flicker, darkness."""

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.quality.exposure import measure_exposure, measure_flicker

NO_TAGS = np.empty((0, 4, 2))


def make_noisy_picture(grey: float, sigma: float, seed: int) -> NDArray[np.uint8]:
    noise = np.random.default_rng(seed).normal(grey, sigma, (240, 320))
    return np.asarray(np.clip(np.rint(noise), 0, 255), dtype=np.uint8)


@pytest.mark.parametrize("sigma", [0.7, 2.0, 9.0])
def test_the_noise_is_told_though_something_moves(sigma: float) -> None:
    before, after = make_noisy_picture(120, sigma, 1), make_noisy_picture(120, sigma, 2)
    after[:60] = 20
    found = measure_exposure([before, before, after], NO_TAGS).noise
    assert found is not None
    # A quarter of the picture moves, so the median stands at two thirds of what rests.
    assert 0.8 * sigma < found < 1.7 * sigma
    still = measure_exposure([make_noisy_picture(120, sigma, 1), make_noisy_picture(120, sigma, 2)], NO_TAGS).noise
    assert still == pytest.approx(np.hypot(sigma, 0.29), rel=0.08)  # whole grey levels are noise too


def test_one_picture_and_one_without_detail_tell_no_noise() -> None:
    assert measure_exposure([make_noisy_picture(120, 2, 1)], NO_TAGS).noise is None
    black = np.zeros((240, 320), dtype=np.uint8)
    assert measure_exposure([black, black], NO_TAGS).noise is None


def test_tags_tell_how_light_it_is_on_a_dark_table() -> None:
    grey = np.full((240, 320), 40, dtype=np.uint8)
    grey[100:120, 200:220] = 180
    grey[105:115, 205:215] = 60
    grey[:40] = 255
    square = np.array([[[200, 100], [219, 100], [219, 119], [200, 119]]], dtype=np.float64)
    found = measure_exposure([grey], square)
    assert (found.white, found.black) == (180, 60)
    assert found.burnt == pytest.approx(1 / 6, abs=0.01)
    outside = measure_exposure([grey], square - 1000)
    assert (outside.white, outside.black) == (255, 40)


def test_flicker_is_told_from_light_that_stays_or_changes_slowly() -> None:
    assert measure_flicker([100, 100]) == 0
    assert measure_flicker([100 + 0.05 * n for n in range(20)]) < 0.001
    assert measure_flicker([100 + 5 * (n % 2) for n in range(20)]) == pytest.approx(0.05, rel=0.1)


def test_what_is_drowned_in_black_is_counted() -> None:
    grey = make_noisy_picture(120, 2, 1)
    grey[:60] = 0
    assert measure_exposure([grey], NO_TAGS).drowned == pytest.approx(0.25)
