"""Tag detection in pictures of which every pixel is known."""

import threading
from itertools import pairwise

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.tags import detection
from vision.tags.detection import ImageRegion, cut_tiles, detect_tags, leave_detector, select_around, select_whole

CELL_PX = 8


def draw_tags(*tags: tuple[int, int, int], size: tuple[int, int] = (400, 300)) -> NDArray[np.uint8]:
    """A white picture with upright tags: id, and the column and row of the black square's top-left pixel."""
    picture = np.full((size[1], size[0]), 230, dtype=np.uint8)
    family = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
    for tag, left, top in tags:
        drawn = cv2.aruco.generateImageMarker(family, tag, 8 * CELL_PX)
        upright = cv2.rotate(drawn, cv2.ROTATE_180)  # OpenCV draws the family upside down
        picture[top : top + 8 * CELL_PX, left : left + 8 * CELL_PX] = upright
    return np.asarray(cv2.GaussianBlur(picture, (5, 5), 0.8), dtype=np.uint8)


def test_corners_count_from_the_centre_of_the_first_pixel_and_go_round_the_tags_own_frame() -> None:
    (found,) = detect_tags(picture := draw_tags((7, 100, 60)), [select_whole(picture)])
    low, high = 100 - 0.5, 100 + 8 * CELL_PX - 0.5  # the edges of the black pixels
    top, bottom = 60 - 0.5, 60 + 8 * CELL_PX - 0.5
    expected = np.array([(low, bottom), (high, bottom), (high, top), (low, top)])
    assert (found.tag, found.hamming) == (7, 0)
    # Black edges are found a little outside, all alike: half a pixel of shift would show in the centre.
    assert found.corners_px.mean(axis=0) == pytest.approx(expected.mean(axis=0), abs=0.2)
    assert found.corners_px == pytest.approx(expected, abs=0.6)


def test_a_region_gives_the_corners_that_the_whole_picture_gives() -> None:
    picture = draw_tags((7, 100, 60), (9, 250, 150))
    everywhere = {tag.tag: tag.corners_px for tag in detect_tags(picture, [select_whole(picture)])}
    (alone,) = detect_tags(picture, [select_around(everywhere[9], 12, picture)])
    assert alone.tag == 9
    assert alone.corners_px == pytest.approx(everywhere[9], abs=0.2)


def test_only_wanted_tags_are_returned() -> None:
    picture = draw_tags((7, 100, 60), (9, 250, 150))
    assert [tag.tag for tag in detect_tags(picture, [select_whole(picture)], frozenset({9}))] == [9]


def test_a_tag_in_two_regions_is_one_and_a_tag_at_two_places_is_two() -> None:
    picture = draw_tags((7, 40, 60))
    assert len(detect_tags(picture, [select_whole(picture), ImageRegion(left=20, top=40, right=200, bottom=200)])) == 1
    twice = draw_tags((7, 40, 60), (7, 250, 150))
    assert len(detect_tags(twice, [select_whole(twice)])) == 2


def test_tiles_cover_the_picture_and_hold_any_tag_whole() -> None:
    picture = np.zeros((1080, 1920), dtype=np.uint8)
    cut = cut_tiles(picture, 4, 3, 60)
    assert len(cut) == 12
    covered = np.zeros_like(picture)
    for tile in cut:
        covered[tile.top : tile.bottom, tile.left : tile.right] = 1
    assert covered.all()
    columns = sorted({(tile.left, tile.right) for tile in cut})
    assert all(one[1] - two[0] >= 60 for one, two in pairwise(columns))


def test_a_region_at_the_edge_stays_in_the_picture() -> None:
    picture = np.zeros((100, 100), dtype=np.uint8)
    region = select_around(np.array([[-3.0, 90], [20, 90], [20, 120], [-3, 120]]), 10, picture)
    assert (region.left, region.bottom) == (0, 100)
    assert detect_tags(picture, [region, select_around(np.array([[150.0, 150], [160, 160]]), 5, picture)]) == []


def test_a_detector_that_a_thread_hangs_in_is_left_to_it_and_others_find_tags_as_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    picture = draw_tags((7, 100, 60))
    monkeypatch.setattr(detection, "TURN_S", 0.01)
    hangs, freed, seen = threading.Event(), threading.Event(), list[int]()

    def hang(_picture: NDArray[np.uint8]) -> list[object]:
        hangs.set()
        freed.wait(60)
        return []

    monkeypatch.setattr(detection._detectors[-1].library, "detect", hang)
    hung = threading.Thread(target=lambda: detect_tags(picture, [select_whole(picture)]))
    waits = threading.Thread(target=lambda: seen.extend(t.tag for t in detect_tags(picture, [select_whole(picture)])))
    hung.start()
    hangs.wait()
    waits.start()
    leave_detector(threading.get_ident())
    assert len(detection._detectors) == 1, "who hangs in no detector leaves none"
    try:
        assert hung.ident
        leave_detector(hung.ident)
        waits.join(30)
        assert seen == [7]
        freed.set()
        hung.join()
        assert [tag.tag for tag in detect_tags(picture, [select_whole(picture)])] == [7]
    finally:
        freed.set()
        del detection._detectors[1:]
