"""Expected tags: what is read where a tag is smeared and dark, and that nothing else is."""

import numpy as np
import pytest

from tests.vision.rendered_tags import draw_cells, place_square, render_print, take_picture
from vision.tags.detection import detect_tags, select_whole
from vision.tags.expected_tags import ExpectedTag, find_expected_tags

SIZE = (90, 90)
SIDE_PX = 17.0
Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
Grey = np.ndarray[tuple[int, ...], np.dtype[np.uint8]]


def take_smeared(tag: int, corners_px: Floats, way_px: complex, *, light: float, noise: float) -> Grey:
    """Return a picture of a tag that goes some way to the right, and down, about some corners."""
    moments = [corners_px + np.array([way_px.real, way_px.imag]) * since for since in np.linspace(-0.5, 0.5, 9)]
    shown = np.mean([render_print(draw_cells(tag), corners, SIZE) for corners in moments], axis=0)
    return take_picture(shown * light, noise=noise, seed=tag)


def expect(tag: int, corners_px: Floats, way_px: complex = 0j, reach_px: float = 8.0) -> ExpectedTag:
    """Expect a tag some pixels beside where it is, turned and smeared a little otherwise."""
    middle, turn = corners_px.mean(axis=0), 0.1
    turned = (corners_px - middle) @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]) + middle
    return ExpectedTag(tag=tag, corners_px=turned + np.array([4.0, -3.0]), smear_px=0.8 * way_px, reach_px=reach_px)


@pytest.mark.parametrize("far_px", [0.0, 3.0, 6.0])
def test_a_dark_tag_is_found_however_it_is_smeared(far_px: float) -> None:
    detected = 0
    for tag in range(0, 60, 10):
        corners_px, way_px = place_square((45, 44), SIDE_PX, turn_rad=tag * 0.11), far_px * np.exp(0.3j * tag)
        grey = take_smeared(tag, corners_px, way_px, light=0.4, noise=6.0)

        found = find_expected_tags(grey, [expect(tag, corners_px, way_px)])

        assert [f.tag for f in found] == [tag]
        assert np.abs(found[0].corners_px - corners_px).max() < 2.0  # less than a cell, from where a fit goes on
        detected += len(detect_tags(grey, [select_whole(grey)]))
    assert detected < 6 or not far_px


@pytest.mark.parametrize("far_px", [0.0, 6.0])
def test_no_other_tag_is_taken_for_it(far_px: float) -> None:
    for tag in range(0, 60, 10):
        corners_px = place_square((45, 44), SIDE_PX, turn_rad=tag * 0.11)
        grey = take_smeared(tag, corners_px, far_px + 0j, light=1.0, noise=2.0)

        others = [expect(other, corners_px, far_px + 0j) for other in range(100, 110)]

        assert find_expected_tags(grey, others) == []


def test_nothing_is_found_where_it_is_not() -> None:
    corners_px = place_square((45, 44), SIDE_PX)
    clutter = take_picture(np.full((90, 90), 120.0), noise=50.0)
    there = take_smeared(7, corners_px, 0j, light=1.0, noise=2.0)

    assert find_expected_tags(clutter, [expect(tag, corners_px) for tag in range(20)]) == []
    assert find_expected_tags(np.full_like(clutter, 90), [expect(7, corners_px)]) == []
    assert find_expected_tags(there, [expect(7, corners_px + 300.0)]) == []
    assert find_expected_tags(there, []) == []


def test_what_is_half_one_tag_and_half_another_is_neither() -> None:
    corners_px = place_square((45, 44), SIDE_PX)
    for tag in range(10):
        own = draw_cells(tag)
        turned = [np.rot90(draw_cells(other), quarter) for other in range(60) for quarter in range(4) if other != tag]
        nearest = min(turned, key=lambda cells: np.count_nonzero(cells != own))
        differ = np.argwhere(nearest != own)
        mixed = own.copy()
        for row, column in differ[: (len(differ) + 1) // 2]:
            mixed[row, column] = nearest[row, column]
        grey = take_picture(render_print(mixed, corners_px, SIZE), noise=2.0, seed=tag)

        assert find_expected_tags(grey, [expect(tag, corners_px)]) == []


def test_a_tag_is_not_placed_by_the_part_of_it_that_is_not_covered() -> None:
    for tag in range(10):
        corners_px = place_square((45, 44), SIDE_PX)
        shown = render_print(draw_cells(tag), corners_px, SIZE)
        assert find_expected_tags(take_picture(shown, noise=2.0, seed=tag), [expect(tag, corners_px)])
        shown[:, : round(corners_px[:, 0].min() + 0.4 * SIDE_PX)] = 120.0

        assert find_expected_tags(take_picture(shown, noise=2.0, seed=tag), [expect(tag, corners_px)]) == []
