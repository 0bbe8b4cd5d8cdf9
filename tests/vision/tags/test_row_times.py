"""Row times: what moving tags tell of a camera's readout, in numbers drawn by lot."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.tags.row_times import PictureMotion, Readout, ReadoutEvidence, find_velocities

Floats = NDArray[np.float64]

NOISE_PX = 0.05


def watch(readout_s: float, count: int, *, noisier: float = 1.0, seed: int = 0) -> ReadoutEvidence:
    """Return what is known after so many tags, each of which goes its own way."""
    rng, evidence = np.random.default_rng(seed), ReadoutEvidence()
    for tag in range(count):
        by_readout = rng.normal(0, 60, 2)
        bent = readout_s * by_readout + rng.normal(0, noisier * NOISE_PX, 2)
        evidence = evidence.add([tag % 50], bent[None], by_readout[None], np.full((1, 2), NOISE_PX**2))
    return evidence


@pytest.mark.parametrize(("readout_s", "shares"), [(0.016, [0, 0.25, 1]), (-0.016, [-1, -0.75, 0])])
def test_the_row_that_is_exposed_first_is_the_pictures_moment(readout_s: float, shares: list[float]) -> None:
    readout = Readout(s=readout_s, sigma_s=0.001)
    assert readout.find_share(np.array([0.0, 270.0, 1080.0]), 1080).tolist() == shares


def test_what_turns_goes_about_its_middle() -> None:
    motion = PictureMotion(velocity_px_s=10 - 4j, turn_rad_s=0.5, sigma_px_s=1, sigma_rad_s=0.1)
    corners_px = np.array([[90.0, 190.0], [110.0, 190.0], [110.0, 210.0], [90.0, 210.0]])
    (moves,) = find_velocities([motion], corners_px[None])
    assert moves.mean(axis=0) == pytest.approx([10, -4])
    assert moves[0] == pytest.approx([10 + 5, -4 - 5])  # the picture's y goes down: it turns clockwise there
    ahead = corners_px + 1e-3 * moves
    sides = np.linalg.norm(np.roll(ahead, -1, axis=0) - ahead, axis=1)
    assert sides == pytest.approx(np.full(4, 20.0), rel=1e-6)


def test_at_first_a_shutter_is_taken_for_an_instant_one_with_the_doubt_in_its_sigma() -> None:
    untold = ReadoutEvidence().estimate()
    assert untold.s == 0
    assert 0.012 < untold.sigma_s < 0.025


@pytest.mark.parametrize("readout_s", [0.0, 0.008, 0.016, 0.03, -0.016])
def test_the_readout_is_found_and_its_sigma_falls(readout_s: float) -> None:
    sigmas_s = []
    for count in (60, 400):
        told = watch(readout_s, count).estimate()
        assert told.s == pytest.approx(readout_s, abs=3 * told.sigma_s)
        sigmas_s.append(told.sigma_s)
    assert sigmas_s[1] <= sigmas_s[0] < 0.002


def test_tags_that_are_off_by_more_than_they_say_tell_less() -> None:
    steady, restless = (watch(0.016, 40, noisier=noisier).estimate() for noisier in (1.0, 5.0))
    assert restless.sigma_s > 1.5 * steady.sigma_s
    assert restless.s == pytest.approx(0.016, abs=3 * restless.sigma_s)


def watch_again(own_px: Floats, pictures: int = 60) -> ReadoutEvidence:
    """Return what is known after many pictures of tags with something of their own that bends them as they go."""
    rng, evidence = np.random.default_rng(0), ReadoutEvidence()
    for _ in range(pictures):
        by_readout = np.full((len(own_px), 2), 60.0)
        bent = 0.016 * by_readout + own_px + rng.normal(0, NOISE_PX, by_readout.shape)
        evidence = evidence.add(range(len(own_px)), bent, by_readout, np.full(by_readout.shape, NOISE_PX**2))
    return evidence


def test_tags_that_contradict_each_other_in_every_picture_tell_less() -> None:
    own_px = np.random.default_rng(1).normal(0, 0.3, (12, 1))
    alike, apart = (watch_again(each).estimate() for each in (np.zeros((12, 1)), own_px))
    assert apart.sigma_s > 1.8 * alike.sigma_s
    assert apart.s == pytest.approx(0.016, abs=3 * apart.sigma_s)


def test_a_tag_that_contradicts_all_others_tells_less() -> None:
    own_px = np.array([[0.15]] + 11 * [[0.0]])
    mean_s = 0.016 + own_px.mean() / 60
    assert abs(watch_again(own_px).estimate().s - 0.016) < 0.3 * (mean_s - 0.016)


def test_a_tag_that_is_far_off_tells_nothing() -> None:
    evidence = watch(0.016, 200)
    astray = evidence.add([0], np.array([[9.0, -9.0]]), np.array([[60.0, 60.0]]), np.full((1, 2), NOISE_PX**2))
    assert astray.estimate() == evidence.estimate()


def test_what_is_told_from_elsewhere_is_weighed_in() -> None:
    lamps = Readout(s=0.02, sigma_s=5e-4)
    alone = ReadoutEvidence().estimate(lamps)
    assert alone.s == pytest.approx(0.02, abs=5e-4)
    assert alone.sigma_s < 1e-3
    assert math.isclose(watch(0.016, 3000).estimate(Readout(s=0.017, sigma_s=0.01)).s, 0.016, abs_tol=3e-4)
