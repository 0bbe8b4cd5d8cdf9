"""Rest detection: the average of a resting base's measurements, and what ends a rest."""

import math
from collections.abc import Iterator

import numpy as np
import pytest

from tests.vision.synthetic_camera import make_measurement
from vision.tags.pose_estimation import BaseMeasurement
from vision.tracking.rest_detection import MOST_AVERAGED, RestingPose, average_measurements, extend_rest

NOISE_MM = 0.04


def make_measurements(
    count: int, *, x_mm: float = 300.0, shaken: float = 1.0, creep_mm: float = 0.0, seed: int = 0
) -> Iterator[BaseMeasurement]:
    """Measurements with the noise that they state, times ``shaken``, of a base that creeps from picture to picture."""
    off = np.random.default_rng(seed).normal(0.0, 1.0, (count, 3)) * np.array([1.0, 1.0, 0.05]) * NOISE_MM * shaken
    for number, (x, y, turn) in enumerate(off):
        yield make_measurement(x_mm + creep_mm * number + x, 500.0 + y, facing_rad=turn, noise_mm=NOISE_MM)


def average_to_rest(measured: list[BaseMeasurement]) -> RestingPose:
    rest = average_measurements(measured, 4.0)
    assert rest is not None
    return rest


def follow_rest(count: int = 20, **changes: float) -> RestingPose:
    rest, strays = average_to_rest(list(make_measurements(8))), 0
    for m in make_measurements(count, seed=1, **changes):
        following = extend_rest(rest, m)
        strays = strays + 1 if following is None else 0
        assert strays < 2, "one stray measurement is noise, two in a row are a motion"
        rest = following or rest
    return rest


def test_the_average_is_the_mean_and_its_noise_falls_while_what_lasts_stays() -> None:
    measured = list(make_measurements(40))
    rest = average_to_rest(measured[:5])
    for m in measured[5:]:
        following = extend_rest(rest, m)
        assert following is not None
        rest = following
    assert rest.count == 40
    assert rest.pose[:2] == pytest.approx(np.mean([(m.x_mm, m.y_mm) for m in measured], axis=0), abs=1e-9)
    assert rest.noise[0, 0] == pytest.approx(NOISE_MM**2 / 40, rel=0.2)
    assert rest.lasting == pytest.approx(measured[0].lasting)
    assert rest.covariance == pytest.approx(rest.noise + rest.unnoticed + rest.lasting)


def test_the_stated_noise_of_an_average_is_that_of_its_errors() -> None:
    scaled = []
    for seed in range(150):
        rest = average_to_rest(list(make_measurements(6, seed=seed)))
        off = rest.pose - (300.0, 500.0, 0.0)
        scaled.append(off @ np.linalg.solve(rest.noise, off) / 3)
    assert 0.7 < np.mean(scaled) < 1.4


def test_turns_are_averaged_across_the_half_turn() -> None:
    rest = average_to_rest([make_measurement(300.0, facing_rad=side * (math.pi - 0.002)) for side in (1, -1, -1, 1)])
    assert abs(math.remainder(rest.pose[2] - math.pi, math.tau)) < 1e-9
    following = extend_rest(rest, make_measurement(300.0, facing_rad=0.003 - math.pi))
    assert following is not None
    assert abs(math.remainder(following.pose[2] - math.pi, math.tau)) == pytest.approx(0.003 / 5)


@pytest.mark.parametrize("jump", [(0.6, 0.0, 0.0), (0.0, -0.6, 0.0), (0.0, 0.0, 0.03)])
def test_a_jump_does_not_belong_to_the_average(jump: tuple[float, float, float]) -> None:
    rest = follow_rest()
    x_mm, y_mm, facing_rad = rest.pose + jump
    assert extend_rest(rest, make_measurement(x_mm, y_mm, facing_rad=facing_rad, noise_mm=NOISE_MM)) is None
    x_mm, y_mm, facing_rad = rest.pose + np.array(jump) / 10
    assert extend_rest(rest, make_measurement(x_mm, y_mm, facing_rad=facing_rad, noise_mm=NOISE_MM)) is not None


@pytest.mark.parametrize("creep_mm", [0.03, 0.1, 1.0])
def test_what_creeps_is_not_taken_for_a_rest(creep_mm: float) -> None:
    assert average_measurements(list(make_measurements(15, creep_mm=creep_mm)), 2.0) is None
    assert average_measurements(list(make_measurements(15, creep_mm=0.0)), 2.0) is not None


def test_what_shakes_is_a_rest_if_that_much_is_allowed_for() -> None:
    shaking = list(make_measurements(30, shaken=5.0))
    assert average_measurements(shaking, 2.0) is None
    allowed = average_measurements(shaking, 25.0)
    assert allowed is not None
    assert allowed.noise[0, 0] > 5 * average_to_rest(list(make_measurements(30))).noise[0, 0]


def test_a_slow_creep_is_noticed_before_a_single_measurement_is_remarkable() -> None:
    rest = follow_rest(40)
    behind_mm = 0.0
    for number, m in enumerate(make_measurements(200, creep_mm=0.02, seed=2)):
        following = extend_rest(rest, m)
        if following is None:
            break
        rest, behind_mm = following, 300.0 + 0.02 * number - following.pose[0]
    assert following is None
    assert 0.05 < behind_mm < 0.25
    assert extend_rest(follow_rest(40), make_measurement(300.0 + behind_mm, noise_mm=NOISE_MM)) is not None


def test_noise_alone_ends_no_rest() -> None:
    assert follow_rest(20_000).count == MOST_AVERAGED


def test_a_restless_table_is_learned_and_makes_the_average_less_sure() -> None:
    calm, shaky = follow_rest(200), follow_rest(200)
    for m in [*make_measurements(100, shaken=1.7, seed=3), *make_measurements(300, shaken=3.0, seed=4)]:
        shaky = extend_rest(shaky, m) or shaky  # a measurement may be left out before the shaking is known
    assert calm.restless < 1.3
    assert 4.0 < shaky.restless < 7.0  # of 9, what the base may do on any table explains a third
    assert shaky.noise[0, 0] > 3 * calm.noise[0, 0]
    away = make_measurement(300.3, noise_mm=NOISE_MM)
    assert extend_rest(calm, away) is None
    assert extend_rest(shaky, away) is not None
