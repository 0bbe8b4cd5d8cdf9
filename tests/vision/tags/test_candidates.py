"""Tag candidates in a picture of tags among other things."""

import numpy as np
from numpy.typing import NDArray

from tests.vision.rendered_tags import draw_cells, place_square, render_print, take_picture
from vision.tags.candidates import find_candidates
from vision.tags.detection import ImageRegion, detect_tags, select_whole

TAGS = {3: (60.0, 14.0, 0.3), 8: (150.0, 22.0, 1.1), 21: (240.0, 40.0, 2.0)}
"""Column of the middle, side and turn of each tag, px and radians."""


def lay_out_things() -> NDArray[np.uint8]:
    picture = np.full((330, 300), 90.0)
    for tag, (at_px, side_px, turn_rad) in TAGS.items():
        corners_px = place_square((40.0, 40.0), side_px, turn_rad=turn_rad)
        printed = render_print(draw_cells(tag), corners_px, (80, 80))
        left = int(at_px) - 40
        picture[60:140, left : left + 80] = np.where(printed == 90.0, picture[60:140, left : left + 80], printed)
    picture[10:14, 10:290] = 30.0  # a line, a coin and a shade
    picture[170:176, 20:26] = 30.0
    picture[150:200, 200:300] -= 8.0
    return take_picture(picture, noise=3.0, seed=1)


def test_tags_are_candidates_and_hardly_anything_else_is() -> None:
    picture = lay_out_things()
    candidates = find_candidates(picture, select_whole(picture))
    assert {tag.tag for tag in detect_tags(picture, candidates)} == TAGS.keys()
    assert sum((part.right - part.left) * (part.bottom - part.top) for part in candidates) < 0.25 * picture.size
    assert len(candidates) < 10


def test_candidates_of_a_region_lie_in_it_and_none_inside_another() -> None:
    picture = lay_out_things()
    region = ImageRegion(left=120, top=50, right=300, bottom=330)
    candidates = find_candidates(picture, region)
    assert {tag.tag for tag in detect_tags(picture, candidates)} == {8, 21}
    for one in candidates:
        assert region.left <= one.left < one.right <= region.right
        assert region.top <= one.top < one.bottom <= region.bottom
        assert not any(
            other is not one
            and other.left <= one.left
            and other.top <= one.top
            and other.right >= one.right
            and other.bottom >= one.bottom
            for other in candidates
        )


def test_a_bare_table_has_none() -> None:
    bare = np.full((200, 300), 120, dtype=np.uint8)
    assert find_candidates(bare, select_whole(bare)) == []
