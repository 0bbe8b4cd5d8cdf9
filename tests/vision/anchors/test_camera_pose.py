"""Anchors in pictures: averaged where the camera stood still, and a wrong one left out of the solve."""

from dataclasses import replace

import numpy as np
import pytest

from calibration.table.bundle_adjustment import AnchorSighting
from calibration.table.camera_pose import guess_lens
from tests.vision.synthetic_camera import ANCHORS, CAMERA, IMAGE_SIZE, LENS, make_fit, project_anchors
from vision.anchors.camera_pose import are_as_examined, merge_sightings, solve_trusted_camera
from vision.markers import Markers
from vision.tags.corner_refinement import NOISE_SHARE

SQUARE = np.array([[0.0, 40.0], [40.0, 40.0], [40.0, 0.0], [0.0, 0.0]])
SPOTS = np.array([[x, y, 0.0] for x in (100, 760, 1400) for y in (100, 560, 1000)])
NOISE = {a.tag: 0.02**2 * np.eye(8) for a in ANCHORS}


def make_sighting(name: str, **squares_px: np.ndarray) -> AnchorSighting:
    by_tag = {int(tag[1:]): square for tag, square in squares_px.items()}
    return AnchorSighting(name=name, squares_px=by_tag, noise_px2={tag: np.eye(8) for tag in by_tag})


def test_pictures_of_a_camera_that_stood_still_count_as_one() -> None:
    one, two, elsewhere = merge_sightings(
        [
            make_sighting("one", t1=SQUARE, t2=SQUARE + 100),
            make_sighting("elsewhere", t1=SQUARE + 7),
            make_sighting("still", t1=SQUARE + 0.2),
            make_sighting("nothing in common", t3=SQUARE),
        ]
    )
    assert [found.name for found in (one, two, elsewhere)] == ["one", "elsewhere", "nothing in common"]
    np.testing.assert_allclose(one.squares_px[1], SQUARE + 0.1)
    # What two pictures have in common does not average out.
    np.testing.assert_allclose(one.noise_px2[1], np.eye(8) * (1 - NOISE_SHARE / 2))
    np.testing.assert_allclose(one.noise_px2[2], np.eye(8))


def test_anchors_are_examined_again_when_they_are_others_or_elsewhere() -> None:
    then = {1: SQUARE, 2: SQUARE + 50}
    assert are_as_examined(then, {1: SQUARE + 0.1, 2: SQUARE + 50})
    assert not are_as_examined(then, {1: SQUARE + 0.3, 2: SQUARE + 50})
    assert not are_as_examined(then, {1: SQUARE})
    assert not are_as_examined({}, then)


@pytest.mark.parametrize("with_lens", [True, False])
def test_nothing_rests_on_an_anchor_that_is_not_where_it_is_said_to_be(with_lens: bool) -> None:
    markers = Markers(anchors=ANCHORS, bases={}, lens=None)
    lens = LENS if with_lens else guess_lens(IMAGE_SIZE)
    slipped = replace(ANCHORS[1], x_mm=ANCHORS[1].x_mm - 15)
    there = project_anchors(noise_px=0.02) | {
        slipped.tag: make_fit(slipped.square_mm, slipped.tag, noise_px=0.02).corners_px
    }
    found, camera = solve_trusted_camera(markers, lens, there, NOISE)
    assert found.left_out == {slipped.tag}
    off = camera.table_from_image(CAMERA.image_from_table(SPOTS), 0.0) - SPOTS[:, :2]
    assert np.abs(off).max() < 1.0
    _, misled = solve_trusted_camera(
        Markers(anchors=ANCHORS, bases={}, lens=None, placement=400 * np.eye(18)), lens, there, NOISE
    )
    assert np.abs(misled.table_from_image(CAMERA.image_from_table(SPOTS), 0.0) - SPOTS[:, :2]).max() > 1.5


def test_anchors_that_are_where_they_are_said_to_be_are_all_used() -> None:
    markers = Markers(anchors=ANCHORS, bases={}, lens=None)
    found, camera = solve_trusted_camera(markers, LENS, project_anchors(noise_px=0.02), NOISE)
    assert found.texts == ()
    assert np.abs(camera.table_from_image(CAMERA.image_from_table(SPOTS), 0.0) - SPOTS[:, :2]).max() < 0.3
