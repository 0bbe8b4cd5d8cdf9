"""Tag alignment on prints of which every corner is known."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.vision.rendered_tags import draw_cells, place_square, render_print, take_picture
from vision.tags.alignment import align_tags

SIZE = (120, 120)


def picture_tag(tag: int, corners_px: NDArray[np.float64], *, noise: float = 2.0) -> NDArray[np.uint8]:
    return take_picture(render_print(draw_cells(tag), corners_px, SIZE), noise=noise)


@pytest.mark.parametrize("side_px", [18.0, 24.0, 60.0])
def test_a_tag_is_found_where_it_has_gone_and_turned(side_px: float) -> None:
    cell_px = side_px / 8
    corners_px = place_square((61.3, 58.7), side_px, turn_rad=0.7)
    picture = picture_tag(5, corners_px)
    for way, turn_rad in ((0.0, 0.05), (1.5, -0.05), (3.0, 0.03)):
        went_px = way * cell_px * np.array([math.cos(2.0), math.sin(2.0)])
        expected_px = place_square((61.3, 58.7), side_px, turn_rad=0.7 + turn_rad) + went_px
        (found,) = align_tags(picture, [5], expected_px[None])
        assert (found.tag, found.hamming) == (5, 0)
        assert found.corners_px == pytest.approx(corners_px, abs=0.15 * cell_px)


def test_no_other_tag_is_taken_for_the_one_that_is_expected() -> None:
    corners_px = place_square((60.0, 60.0), 24.0)
    picture = picture_tag(5, corners_px)
    others = [tag for tag in range(587) if tag != 5]
    turned_px = np.array([np.roll(corners_px, tag % 4, axis=0) for tag in others])
    assert align_tags(picture, others, turned_px) == []


def test_each_of_several_tags_is_found_by_itself() -> None:
    left, right = (place_square((at, 60.0), 20.0, turn_rad=at) for at in (30.0, 90.0))
    picture = np.hstack([picture_tag(3, left)[:, :60], picture_tag(8, right)[:, 60:]])
    expected_px = np.array([right + 1.0, left - 1.0, left])
    found = {tag.tag: tag.corners_px for tag in align_tags(picture, [8, 3, 9], expected_px)}
    assert found.keys() == {3, 8}
    assert found[3] == pytest.approx(left, abs=0.4)
    assert found[8] == pytest.approx(right, abs=0.4)


def test_what_cannot_be_read_is_not_found() -> None:
    corners_px = place_square((60.0, 60.0), 24.0)
    hidden = picture_tag(5, corners_px)
    hidden[:, 50:70] = 120
    assert align_tags(hidden, [5], corners_px[None]) == []
    assert align_tags(np.full_like(hidden, 120), [5], corners_px[None]) == []
    assert align_tags(hidden, [], np.empty((0, 4, 2))) == []
