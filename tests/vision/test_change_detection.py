"""Change detection: tags that look as before, and tags that do not."""

from functools import cache

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.vision.rendered_tags import draw_cells, place_square, render_print, take_picture
from vision.change_detection import TAG_SAMPLE, ChangeDetector, create_change_detector

Floats = NDArray[np.float64]

COLUMNS, ROWS, PART_PX = 4, 3, 48
TAGS = frozenset(range(COLUMNS * ROWS))
NOISE = 2.0


@cache
def draw_part(tag: int, shift_px: float) -> tuple[Floats, Floats]:
    """Return one tag's part of the picture, and its corners there; it is shifted to the right."""
    corners = place_square((23.3 + 0.1 * tag + shift_px, 23.8 - 0.1 * tag), 24.0, turn_rad=0.5 * tag)
    return render_print(draw_cells(tag), corners, (PART_PX, PART_PX), blur_px=0.7), corners


def draw_picture(shifts_px: dict[int, float] | None = None) -> Floats:
    """Return all tags in rows, without noise."""
    shifts = shifts_px or {}
    parts = [draw_part(tag, shifts.get(tag, 0.0))[0] for tag in sorted(TAGS)]
    return np.vstack([np.hstack(parts[row * COLUMNS : (row + 1) * COLUMNS]) for row in range(ROWS)])


def find_corners(tag: int) -> Floats:
    return draw_part(tag, 0.0)[1] + (PART_PX * (tag % COLUMNS), PART_PX * (tag // COLUMNS))


def make_change_detector(*, noise: float = NOISE) -> ChangeDetector:
    """Return what remembers all tags, and has seen what noise does."""
    what = create_change_detector(dict.fromkeys(TAGS, TAG_SAMPLE))
    grey = take_picture(draw_picture(), noise=noise, seed=100)
    for tag in TAGS:
        what.remember(grey, {tag: find_corners(tag)})
    assert what.find_unchanged(take_picture(draw_picture(), noise=noise, seed=101), TAGS) == TAGS
    return what


@pytest.mark.parametrize("noise", [0.0, 1.0, 2.0, 5.0])
def test_noise_leaves_a_tag_unchanged(noise: float) -> None:
    what = make_change_detector(noise=noise)
    same = [what.find_unchanged(take_picture(draw_picture(), noise=noise, seed=seed), TAGS) for seed in range(40)]
    assert sum(len(tags) for tags in same) >= 40 * len(TAGS) - 1


@pytest.mark.parametrize(("gain", "offset"), [(0.7, 0.0), (1.2, -10.0), (1.0, 25.0), (0.9, 15.0)])
def test_a_change_of_light_leaves_a_tag_unchanged(gain: float, offset: float) -> None:
    assert (
        make_change_detector().find_unchanged(take_picture(gain * draw_picture() + offset, noise=NOISE), TAGS) == TAGS
    )


def test_the_lights_going_out_is_a_change() -> None:
    assert make_change_detector().find_unchanged(take_picture(0.3 * draw_picture(), noise=NOISE), TAGS) == set()


@pytest.mark.parametrize("shift_px", [-0.15, 0.15, 0.5, 3.0])
@pytest.mark.parametrize("tag", [0, 1, 7])
def test_the_least_shift_is_a_change(tag: int, shift_px: float) -> None:
    what = make_change_detector()
    assert what.find_unchanged(take_picture(draw_picture({tag: shift_px}), noise=NOISE), TAGS) == TAGS - {tag}
    assert what.find_unchanged(take_picture(draw_picture(), noise=NOISE, seed=1), TAGS) == TAGS, (
        "and it is over when it is undone"
    )


def test_a_tag_that_is_only_shifted_a_little_is_told_from_one_that_is_covered() -> None:
    what = make_change_detector()
    picture = draw_picture({1: 0.15})
    picture[:30, :30] = 90.0
    assert what.find_unchanged(take_picture(picture, noise=NOISE), TAGS) == TAGS - {0, 1}
    assert what.nudged == {1}


@pytest.mark.parametrize("shift_px", [0.1, 1.5])
def test_a_camera_that_sways_is_not_taken_for_noise(shift_px: float) -> None:
    what = make_change_detector()
    noise = what.noise
    for number in range(20):
        swayed = draw_picture(dict.fromkeys(TAGS, shift_px if number % 2 else -shift_px))
        what.find_unchanged(take_picture(swayed, noise=NOISE, seed=number), TAGS)
    assert what.noise == pytest.approx(noise, rel=0.25)


def test_the_edge_of_a_shadow_is_a_change() -> None:
    what, shaded = make_change_detector(), draw_picture()
    left, top = find_corners(6).mean(axis=0).astype(int)
    shaded[top - 20 : top + 20, left - 20 : left] *= 0.8
    assert what.find_unchanged(take_picture(shaded, noise=NOISE), TAGS) == TAGS - {6}


def test_a_finger_over_a_corner_is_a_change() -> None:
    what, covered = make_change_detector(), draw_picture()
    column, row = find_corners(5)[2]
    cv2.circle(covered, (round(column), round(row)), 6, 140.0, cv2.FILLED)
    assert what.find_unchanged(take_picture(covered, noise=NOISE), TAGS) == TAGS - {5}


def test_noise_that_grows_slowly_is_learned() -> None:
    what, before = make_change_detector(noise=1.0), 0.0
    for seed, noise in enumerate(np.geomspace(1.0, 4.0, 60)):
        assert (
            len(what.find_unchanged(take_picture(draw_picture(), noise=float(noise), seed=seed), TAGS)) >= len(TAGS) - 1
        )
        before = max(before, what.noise)
    assert before == pytest.approx(1.0 + 16.0, rel=0.2), "of the picture before and of this one"
    assert what.find_unchanged(take_picture(draw_picture(), noise=1.0), TAGS) == TAGS


def test_what_changes_everywhere_at_once_is_not_taken_for_noise() -> None:
    what = make_change_detector(noise=1.0)
    shifted = draw_picture(dict.fromkeys(TAGS, 0.3))
    assert what.find_unchanged(take_picture(shifted, noise=1.0), TAGS) == set()


def test_what_moves_tells_nothing_of_the_noise() -> None:
    what, quiet = make_change_detector(), TAGS - {2}
    noise = what.noise
    for seed in range(30):
        moving = draw_picture({2: 0.4 + 0.1 * (seed % 3)})
        assert what.find_unchanged(take_picture(moving, noise=NOISE, seed=seed), quiet) == quiet
    assert what.noise == pytest.approx(noise, rel=0.2)


def test_what_was_looked_for_in_vain_is_looked_for_again_only_when_it_changes() -> None:
    what = make_change_detector()
    gone = draw_picture()
    gone[PART_PX : 2 * PART_PX, :PART_PX] = 90.0
    gone[PART_PX : 2 * PART_PX, : PART_PX // 2] = 150.0  # part of a sleeve
    assert 4 not in what.find_unchanged(take_picture(gone, noise=NOISE), TAGS)
    what.refresh(take_picture(gone, noise=NOISE, seed=1), [4])
    assert what.find_unchanged(take_picture(gone, noise=NOISE, seed=2), TAGS - {4}) == TAGS
    assert what.find_unchanged(take_picture(draw_picture(), noise=NOISE, seed=3), TAGS - {4}) == TAGS - {4}


def test_a_tag_that_was_never_seen_is_never_unchanged() -> None:
    what = create_change_detector({3: TAG_SAMPLE, 8: TAG_SAMPLE})
    grey = take_picture(draw_picture(), noise=NOISE)
    assert what.find_unchanged(grey, ()) == set()
    what.refresh(grey, [3])
    what.remember(grey, {8: find_corners(8)})
    assert what.find_unchanged(grey, {8}) == {8}


def test_a_tag_at_the_pictures_edge_can_be_remembered() -> None:
    what = create_change_detector({0: TAG_SAMPLE})
    grey = take_picture(draw_picture(), noise=NOISE)
    what.remember(grey, {0: find_corners(0) - find_corners(0).min(axis=0)})
    assert what.find_unchanged(take_picture(draw_picture(), noise=NOISE, seed=1), {0}) == {0}
