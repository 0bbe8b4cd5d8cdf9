"""Flicker of lamps, told by bands over the rows of pictures."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.quality.flicker import AGAIN_FRAMES, PICTURES, UNTOLD, FlickerWatch, find_flicker, sample_rows

FPS = 30.0
Grey = NDArray[np.uint8]


def take_film(
    *,
    share: float,
    hz: float = 100,
    readout_s: float = 0.016,
    fps: float = FPS,
    exposure_s: float = 0.004,
    seed: int = 0,
) -> list[Grey]:
    """Return pictures of a table on which a hand and its shadow go about."""
    rng = np.random.default_rng(seed)
    height, width = 360, 640
    ground = rng.uniform(70, 150, (height // 8, width // 8)).repeat(8, axis=0).repeat(8, axis=1)
    films = []
    for number in range(PICTURES):
        times_s = number / fps + readout_s * np.arange(height) / height
        gain = 1 + share * np.sinc(hz * exposure_s) * np.sin(math.tau * hz * times_s + 1)
        picture = ground * gain[:, None]
        picture[40 + 14 * number : 170 + 14 * number, 200 + 20 * number : 380 + 20 * number] = 90
        picture[120 + 9 * number : 300, 60 : 330 + 10 * number] *= 0.6
        picture = picture * (1 + 0.01 * number) + rng.normal(0, 2.5, picture.shape)  # the exposure adapts
        films.append(np.clip(np.rint(picture), 0, 255).astype(np.uint8))
    return films


@pytest.mark.parametrize(
    ("hz", "readout_s", "fps"),
    [(100, 0.016, 30), (100, 0.03, 30), (120, 0.012, 25), (100, -0.02, 30), (100, 0.016, 60), (120, 0.016, 29.0)],
)
def test_the_mains_and_the_readout_are_told_by_bands(hz: int, readout_s: float, fps: float) -> None:
    samples = [sample_rows(picture) for picture in take_film(share=0.08, hz=hz, readout_s=readout_s, fps=fps)]
    flicker = find_flicker(samples, 1 / fps)
    assert flicker
    assert flicker.mains_hz == hz // 2
    assert flicker.readout
    assert flicker.readout.s == pytest.approx(readout_s, abs=2 * flicker.readout.sigma_s)
    assert flicker.share == pytest.approx(0.08 * np.sinc(hz * 0.004), rel=0.3)
    assert flicker.shutters == ((100, 50) if hz == 100 else (120, 60))


@pytest.mark.parametrize("seed", range(8))
def test_hands_and_shadows_are_no_flicker(seed: int) -> None:
    assert find_flicker([sample_rows(picture) for picture in take_film(share=0.0, seed=seed)], 1 / FPS) is None


def test_an_exposure_of_whole_swings_cures_it() -> None:
    samples = [sample_rows(picture) for picture in take_film(share=0.3, exposure_s=1 / 100)]
    assert find_flicker(samples, 1 / FPS) is None


def test_a_picture_in_the_dark_tells_nothing() -> None:
    assert find_flicker([np.full((135, 48), 4, dtype=np.uint8)] * PICTURES, 1 / FPS) is None


def test_a_watch_tells_flicker_until_it_has_long_been_gone() -> None:
    watch, number = FlickerWatch(), 0
    swinging, steady = (take_film(share=share) for share in (0.08, 0.0))

    def look(films: list[Grey], count: int) -> None:
        nonlocal number
        for _ in range(count):
            watch.look(films[number % PICTURES], round(number * 1e9 / FPS))
            number += 1

    look(swinging, 30)
    assert watch.flicker is not None
    assert watch.flicker.mains_hz == 50
    look(steady, AGAIN_FRAMES)
    assert watch.flicker is not None
    look(steady, UNTOLD * AGAIN_FRAMES)
    assert watch.flicker is None
