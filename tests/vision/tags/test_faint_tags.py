"""Faint tags: what is read where noise or a smudge breaks a tag's edges, and that nothing else is."""

import cv2
import numpy as np
import pytest

from tests.vision.rendered_tags import draw_cells, render_print, take_picture
from tests.vision.synthetic_camera import CAMERA, IMAGE_SIZE
from vision.tags.corner_refinement import refine_corners
from vision.tags.detection import ImageRegion, detect_tags
from vision.tags.faint_tags import FaintSightings, WantedTag, find_faint_tags, select_tags

SIZE_MM, HEIGHT_MM = 18.0, 4.0
HALF_PX = 60
WANTED = [WantedTag(tag=tag, size_mm=SIZE_MM, height_mm=HEIGHT_MM) for tag in range(40)]
Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
Grey = np.ndarray[tuple[int, ...], np.dtype[np.uint8]]


def place_tag(turn_rad: float) -> Floats:
    """(4, 2) corners in the picture of a tag on the table."""
    square = np.array([-1 - 1j, 1 - 1j, 1 + 1j, -1 + 1j]) * np.exp(1j * turn_rad) * SIZE_MM / 2 + complex(420, 310)
    return CAMERA.image_from_table(np.column_stack([square.real, square.imag, np.full(4, HEIGHT_MM)]))


def put_in_room(
    tag: int, turn_rad: float, *, light: float, noise: float, smudge: bool, seed: int
) -> tuple[Grey, ImageRegion, Floats]:
    """Return a picture with one tag, the region around it, and the tag's corners."""
    corners_px = place_tag(turn_rad)
    left, top = np.rint(corners_px.mean(axis=0)).astype(int) - HALF_PX
    part = render_print(draw_cells(tag), corners_px - (left, top), (2 * HALF_PX, 2 * HALF_PX))
    if smudge:  # across an edge, where it joins black and what is around
        middle = (corners_px[0] + corners_px[1]) / 2 - (left, top)
        cv2.circle(part, np.rint(middle).astype(int).tolist(), 3, 60.0, -1)
    width, height = IMAGE_SIZE
    picture = np.full((height, width), 90 * light)
    picture[top : top + 2 * HALF_PX, left : left + 2 * HALF_PX] = part * light
    region = ImageRegion(left=int(left), top=int(top), right=int(left) + 2 * HALF_PX, bottom=int(top) + 2 * HALF_PX)
    return take_picture(picture, noise=noise, seed=seed), region, corners_px


def shine_on(tag: int) -> tuple[Grey, ImageRegion, Floats]:
    """Return the same of a tag in which a lamp is mirrored, so that it cannot be read."""
    grey, region, corners_px = put_in_room(tag, 0.4, light=0.5, noise=2.0, smudge=False, seed=0)
    rows, columns = np.indices(grey.shape)
    x, y = corners_px.mean(axis=0) + 2
    lamp = 200 * np.exp(-((columns - x) ** 2 + (rows - y) ** 2) / 4.5)
    return np.minimum(grey + lamp, 255).astype(np.uint8), region, corners_px


@pytest.mark.parametrize(("light", "noise", "smudge"), [(1.0, 2.0, False), (0.2, 7.0, False), (1.0, 3.0, True)])
def test_a_tag_is_read_whichever_way_it_is_turned(light: float, noise: float, smudge: bool) -> None:
    for tag in range(12):
        grey, region, corners_px = put_in_room(tag, tag * 0.55, light=light, noise=noise, smudge=smudge, seed=tag)

        found = find_faint_tags(CAMERA, grey, [region], WANTED).tags

        assert [f.tag for f in found] == [tag]
        fits = refine_corners(grey, found)
        assert np.abs(fits[0].corners_px - corners_px).max() < (1.2 if noise > 5 or smudge else 0.15)


def test_it_is_read_where_the_detector_is_at_its_end() -> None:
    missed = 0
    for tag in range(12):
        grey, region, _ = put_in_room(tag, tag * 0.55, light=0.2, noise=7.0, smudge=False, seed=tag)
        missed += not detect_tags(grey, [region])
    assert missed > 6


def test_another_tag_is_not_taken_for_one_that_is_wanted() -> None:
    for tag in range(100, 112):
        grey, region, _ = put_in_room(tag, tag * 0.55, light=1.0, noise=2.0, smudge=False, seed=tag)

        assert find_faint_tags(CAMERA, grey, [region], WANTED).tags == ()


def test_nothing_is_read_in_noise_and_beside_the_picture() -> None:
    width, height = IMAGE_SIZE
    clutter = np.random.default_rng(0).normal(120.0, 60.0, (height // 6, width // 6))
    grey = take_picture(np.asarray(cv2.resize(clutter, IMAGE_SIZE, interpolation=cv2.INTER_CUBIC), dtype=np.float64))

    everywhere = ImageRegion(left=0, top=0, right=600, bottom=600)
    assert find_faint_tags(CAMERA, grey, [everywhere], WANTED).tags == ()
    beside = ImageRegion(left=0, top=0, right=50, bottom=50)
    assert find_faint_tags(CAMERA, np.full_like(grey, 90), [beside], WANTED) == FaintSightings()
    assert find_faint_tags(CAMERA, grey, [], WANTED) == FaintSightings()
    assert find_faint_tags(CAMERA, grey, [everywhere], []) == FaintSightings()


def test_a_tag_that_cannot_be_read_is_told_from_the_others_that_are_looked_for() -> None:
    grey, region, corners_px = shine_on(5)

    found = find_faint_tags(CAMERA, grey, [region], WANTED[:10])

    assert found.tags == ()
    (unread,) = select_tags(found.unread, [])
    assert (unread.tag, unread.is_known) == (5, True)
    assert np.abs(unread.corners_px - corners_px).max() < 3
    assert select_tags(found.unread, [corners_px]) == ()
