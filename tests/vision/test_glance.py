"""Tags that look as before, and those that do not."""

from functools import cache

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.vision.printed import printed, seen, square_at, taken
from vision.glance import Glances, no_glances

Floats = NDArray[np.float64]

COLUMNS, ROWS, PART_PX = 4, 3, 48
TAGS = frozenset(range(COLUMNS * ROWS))
NOISE = 2.0


@cache
def part(tag: int, shift_px: float) -> tuple[Floats, Floats]:
    """Return one tag's part of the picture, and its corners there; it is shifted to the right."""
    corners = square_at((23.3 + 0.1 * tag + shift_px, 23.8 - 0.1 * tag), 24.0, turn_rad=0.5 * tag)
    return seen(printed(tag), corners, (PART_PX, PART_PX), blur_px=0.7), corners


def picture(shifts_px: dict[int, float] | None = None) -> Floats:
    """Return all tags in rows, without noise."""
    shifts = shifts_px or {}
    parts = [part(tag, shifts.get(tag, 0.0))[0] for tag in sorted(TAGS)]
    return np.vstack([np.hstack(parts[row * COLUMNS : (row + 1) * COLUMNS]) for row in range(ROWS)])


def corners_of(tag: int) -> Floats:
    return part(tag, 0.0)[1] + (PART_PX * (tag % COLUMNS), PART_PX * (tag // COLUMNS))


def glances(*, noise: float = NOISE) -> Glances:
    """Return what remembers all tags, and has seen what noise does."""
    what = no_glances(TAGS)
    grey = taken(picture(), noise=noise, seed=100)
    for tag in TAGS:
        what.remember(grey, tag, corners_of(tag))
    assert what.unchanged(taken(picture(), noise=noise, seed=101), TAGS) == TAGS
    return what


@pytest.mark.parametrize("noise", [0.0, 1.0, 2.0, 5.0])
def test_noise_leaves_a_tag_unchanged(noise: float) -> None:
    what = glances(noise=noise)
    same = [what.unchanged(taken(picture(), noise=noise, seed=seed), TAGS) for seed in range(40)]
    assert sum(len(tags) for tags in same) >= 40 * len(TAGS) - 1


@pytest.mark.parametrize(("gain", "offset"), [(0.7, 0.0), (1.2, -10.0), (1.0, 25.0), (0.9, 15.0)])
def test_a_change_of_light_leaves_a_tag_unchanged(gain: float, offset: float) -> None:
    assert glances().unchanged(taken(gain * picture() + offset, noise=NOISE), TAGS) == TAGS


def test_the_lights_going_out_is_a_change() -> None:
    assert glances().unchanged(taken(0.3 * picture(), noise=NOISE), TAGS) == set()


@pytest.mark.parametrize("shift_px", [-0.15, 0.15, 0.5, 3.0])
@pytest.mark.parametrize("tag", [0, 1, 7])
def test_the_least_shift_is_a_change(tag: int, shift_px: float) -> None:
    what = glances()
    assert what.unchanged(taken(picture({tag: shift_px}), noise=NOISE), TAGS) == TAGS - {tag}
    assert what.unchanged(taken(picture(), noise=NOISE, seed=1), TAGS) == TAGS, "and it is over when it is undone"


def test_the_edge_of_a_shadow_is_a_change() -> None:
    what, shaded = glances(), picture()
    left, top = corners_of(6).mean(axis=0).astype(int)
    shaded[top - 20 : top + 20, left - 20 : left] *= 0.8
    assert what.unchanged(taken(shaded, noise=NOISE), TAGS) == TAGS - {6}


def test_a_finger_over_a_corner_is_a_change() -> None:
    what, covered = glances(), picture()
    column, row = corners_of(5)[2]
    cv2.circle(covered, (round(column), round(row)), 6, 140.0, cv2.FILLED)
    assert what.unchanged(taken(covered, noise=NOISE), TAGS) == TAGS - {5}


def test_noise_that_grows_slowly_is_learned() -> None:
    what, before = glances(noise=1.0), 0.0
    for seed, noise in enumerate(np.geomspace(1.0, 4.0, 60)):
        assert len(what.unchanged(taken(picture(), noise=float(noise), seed=seed), TAGS)) >= len(TAGS) - 1
        before = max(before, what.noise)
    assert before == pytest.approx(1.0 + 16.0, rel=0.2), "of the picture before and of this one"
    assert what.unchanged(taken(picture(), noise=1.0), TAGS) == TAGS


def test_what_changes_everywhere_at_once_is_not_taken_for_noise() -> None:
    what = glances(noise=1.0)
    shifted = picture(dict.fromkeys(TAGS, 0.3))
    assert what.unchanged(taken(shifted, noise=1.0), TAGS) == set()


def test_what_moves_tells_nothing_of_the_noise() -> None:
    what, quiet = glances(), TAGS - {2}
    noise = what.noise
    for seed in range(30):
        moving = picture({2: 0.4 + 0.1 * (seed % 3)})
        assert what.unchanged(taken(moving, noise=NOISE, seed=seed), quiet) == quiet
    assert what.noise == pytest.approx(noise, rel=0.2)


def test_what_was_looked_for_in_vain_is_looked_for_again_only_when_it_changes() -> None:
    what = glances()
    gone = picture()
    gone[PART_PX : 2 * PART_PX, :PART_PX] = 90.0
    gone[PART_PX : 2 * PART_PX, : PART_PX // 2] = 150.0  # part of a sleeve
    assert 4 not in what.unchanged(taken(gone, noise=NOISE), TAGS)
    what.again(taken(gone, noise=NOISE, seed=1), 4)
    assert what.unchanged(taken(gone, noise=NOISE, seed=2), TAGS - {4}) == TAGS
    assert what.unchanged(taken(picture(), noise=NOISE, seed=3), TAGS - {4}) == TAGS - {4}


def test_a_tag_that_was_never_seen_is_never_unchanged() -> None:
    what = no_glances({3, 8})
    grey = taken(picture(), noise=NOISE)
    assert what.unchanged(grey, ()) == set()
    what.again(grey, 3)
    what.remember(grey, 8, corners_of(8))
    assert what.unchanged(grey, {8}) == {8}


def test_a_tag_at_the_pictures_edge_can_be_remembered() -> None:
    what = no_glances({0})
    grey = taken(picture(), noise=NOISE)
    what.remember(grey, 0, corners_of(0) - corners_of(0).min(axis=0))
    assert what.unchanged(taken(picture(), noise=NOISE, seed=1), {0}) == {0}
