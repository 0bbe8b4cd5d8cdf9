"""Anchors averaged while the camera stands still, and forgotten when it moves."""

import numpy as np
import pytest

from vision.anchors import LATELY_FRAMES, AnchorMeans

SQUARE = np.array([[0.0, 40.0], [40.0, 40.0], [40.0, 0.0], [0.0, 0.0]])


def sighting(tag: int, shift_px: float = 0.0, seed: int | None = None) -> dict[int, np.ndarray]:
    noise = np.random.default_rng(seed).normal(0, 0.1, (4, 2)) if seed is not None else 0.0
    return {tag: SQUARE + 100 * tag + shift_px + noise}


def test_sightings_are_averaged() -> None:
    means = AnchorMeans()
    for seed in range(60):
        means.add(sighting(1, seed=seed))
    assert means.corners_px[1] == pytest.approx(SQUARE + 100, abs=0.06)


def test_a_solve_is_asked_for_when_there_is_more_to_know() -> None:
    means = AnchorMeans()
    asked = [means.add(sighting(1)) for _ in range(200)]
    assert [number for number, worth in enumerate(asked, start=1) if worth] == [1, 2, 4, 8, 16, 32, 64]
    assert means.add(sighting(2))


def test_one_anchor_that_is_half_hidden_changes_nothing() -> None:
    means = AnchorMeans()
    for _ in range(10):
        means.add({**sighting(1), **sighting(2), **sighting(3)})
    assert not any(means.add({**sighting(1), **sighting(2), **sighting(3, shift_px=9)}) for _ in range(5))
    assert means.corners_px[3] == pytest.approx(SQUARE + 300)


def test_a_bumped_camera_starts_over() -> None:
    means = AnchorMeans()
    for _ in range(10):
        means.add({**sighting(1), **sighting(2), **sighting(3)})
    told = [means.add({**sighting(1, 5), **sighting(2, 5), **sighting(3, 5)}) for _ in range(4)]
    assert told == [False, False, True, True]
    assert means.corners_px[2] == pytest.approx(SQUARE + 205)


def test_an_anchor_that_has_gone_is_in_view_no_more() -> None:
    means = AnchorMeans()
    means.add({**sighting(1), **sighting(2)})
    for _ in range(LATELY_FRAMES):
        means.add(sighting(1))
    assert means.in_view == [1]
