"""At rest or moving, seen, held, lifted or lost."""

import math
from dataclasses import replace

import numpy as np
import pytest

from tests.vision.synthetic import CAMERA, enrolled
from vision.locate import Measured
from vision.track import VOUCHED_NS, Track, advance, base_pose
from vision.types import BasePose, PoseState

FRAME_NS = 33_333_333
SIGMA_MM = 0.1


def look(x_mm: float, y_mm: float = 500.0, *, facing_rad: float = 0.0, rise_mm: float = 0.0) -> Measured:
    return Measured(
        tag=1,
        x_mm=x_mm,
        y_mm=y_mm,
        facing_rad=facing_rad,
        noise=np.diag([SIGMA_MM**2, SIGMA_MM**2, 0.005**2]),
        calibration=np.diag([0.01, 0.01]),
        rise_mm=rise_mm,
        corners_px=np.array([[0, 20], [20, 20], [20, 0], [0, 0]], dtype=float) + x_mm,
    )


class Table:
    """One base, frame by frame."""

    def __init__(self) -> None:
        self.tracks: dict[int, Track] = {}
        self.now_ns = 0
        self.frame_ns = FRAME_NS

    def frames(self, *looks: Measured | None) -> BasePose:
        for m in looks:
            self.tracks = advance(self.tracks, CAMERA, [m] if m else [], self.now_ns)
            self.now_ns += self.frame_ns
        return base_pose(self.tracks[1], enrolled(1), self.now_ns - self.frame_ns)


def noisy(x_mm: float, count: int, seed: int = 0) -> list[Measured]:
    rng = np.random.default_rng(seed)
    return [look(x_mm + rng.normal(0, SIGMA_MM), 500 + rng.normal(0, SIGMA_MM)) for _ in range(count)]


def test_a_base_comes_to_rest_and_its_place_gets_surer() -> None:
    table = Table()
    first = table.frames(look(300.0))
    assert first.moving
    rested = table.frames(*noisy(300.0, 60))
    assert not rested.moving
    assert rested.state is PoseState.SEEN
    assert rested.x_mm == pytest.approx(300.0, abs=0.06)
    assert rested.covariance[0, 0] < first.covariance[0, 0]


@pytest.mark.parametrize("fps", [2, 7, 15, 60])
def test_rest_is_told_by_a_camera_of_any_speed(fps: int) -> None:
    table = Table()
    table.frame_ns = 1_000_000_000 // fps
    table.frames(*noisy(300.0, 20))
    assert table.frames(look(350.0), look(360.0)).moving
    count = max(4, math.ceil(0.25 * fps) + 2)
    assert table.frames(look(370.0)).moving
    assert not table.frames(*noisy(370.0, count)).moving


def test_noise_does_not_end_the_rest_and_a_push_does() -> None:
    table = Table()
    table.frames(*noisy(300.0, 20))
    assert not any(table.frames(m).moving for m in noisy(300.0, 300, seed=1))
    table.frames(look(302.0))
    pushed = table.frames(look(304.0))
    assert pushed.moving
    assert pushed.x_mm == pytest.approx(304.0)
    assert not table.frames(*noisy(310.0, 20)).moving


def test_one_stray_measurement_moves_nothing() -> None:
    table = Table()
    table.frames(*noisy(300.0, 20))
    stray = table.frames(look(305.0))
    assert not stray.moving
    assert stray.x_mm == pytest.approx(300.0, abs=0.1)


def test_a_slow_slide_is_followed() -> None:
    table = Table()
    table.frames(*noisy(300.0, 30))
    for step in range(100):
        pose = table.frames(look(300.0 + 0.3 * step))
        assert abs(pose.x_mm - (300.0 + 0.3 * step)) < 1.5


def test_a_turn_on_the_spot_is_a_motion() -> None:
    table = Table()
    table.frames(*noisy(300.0, 20))
    turned = table.frames(look(300.0, facing_rad=0.1), look(300.0, facing_rad=0.2))
    assert turned.moving
    assert turned.facing_rad == pytest.approx(0.2)


def test_facing_is_averaged_across_the_half_turn() -> None:
    table = Table()
    sides = [look(300.0, facing_rad=s * (math.pi - 0.002)) for s in (1, -1)] * 20
    assert abs(abs(table.frames(*sides).facing_rad) - math.pi) < 0.002


def test_a_hidden_base_is_held_then_lost_and_found_again() -> None:
    table = Table()
    before = table.frames(*noisy(300.0, 30))
    assert table.frames(None, None).state is PoseState.SEEN
    held = table.frames(*[None] * 30)
    assert held.state is PoseState.HELD
    assert (held.x_mm, held.moving) == (before.x_mm, False)
    assert held.covariance[0, 0] > before.covariance[0, 0]
    table.now_ns += VOUCHED_NS
    assert table.frames(None).state is PoseState.LOST
    assert table.frames(*noisy(300.0, 2)).state is PoseState.SEEN


def test_a_base_in_the_hand_is_lifted_until_it_stands_again() -> None:
    table = Table()
    table.frames(*noisy(300.0, 20))
    up = table.frames(*[look(300.0 + i, rise_mm=10.0 * i) for i in range(9)])
    assert up.state is PoseState.LIFTED
    assert up.moving
    assert up.z_mm == pytest.approx(70.0)
    down = table.frames(*[replace(m, rise_mm=1.0) for m in noisy(320.0, 20)])
    assert down.state is PoseState.SEEN
    assert (down.z_mm, down.moving) == (0.0, False)
