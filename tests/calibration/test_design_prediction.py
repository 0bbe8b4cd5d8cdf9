"""The expected error is that of real solves, and the advice is what helps."""

from dataclasses import replace

import numpy as np
import pytest

from calibration.design_prediction import (
    DesignChange,
    Remedy,
    TableDesign,
    assume_calibrated,
    find_remedies,
    map_error,
    measure_lens_share_mm,
    predict_camera,
    scale_lens,
)
from calibration.spaces import Lens
from calibration.table.camera_pose import guess_lens, solve_table
from tests.vision.synthetic_camera import ANCHORS, CAMERA, IMAGE_SIZE
from vision.tags.pose_estimation import Anchor

WIDTH_MM, DEPTH_MM = 1524.0, 1118.0
GUESS, KNOWN = guess_lens(IMAGE_SIZE), assume_calibrated(CAMERA.lens)
NEAR_EDGE = (ANCHORS[0], ANCHORS[4], ANCHORS[1])


def build_design(anchors: tuple[Anchor, ...], lens: Lens, sigma_px: float = 0.05) -> TableDesign:
    squares_mm = np.array([anchor.square_mm for anchor in anchors])
    return TableDesign(
        camera=CAMERA, lens=lens, squares_mm=squares_mm, sigma_px=sigma_px, width_mm=WIDTH_MM, depth_mm=DEPTH_MM
    )


def group_by_change(found: list[Remedy]) -> dict[DesignChange, Remedy]:
    return {remedy.change: remedy for remedy in found}


@pytest.mark.parametrize("anchors", [ANCHORS, NEAR_EDGE])
def test_the_expected_error_is_that_of_solves(anchors: tuple[Anchor, ...]) -> None:
    sigma_px = 0.08
    lens = assume_calibrated(CAMERA.lens)
    reckoned = build_design(anchors, lens, sigma_px)
    places = np.array([[100.0, 80.0, 0.0], [762.0, 559.0, 0.0], [1450.0, 1000.0, 0.0]])
    covariance = predict_camera(reckoned).covariance_mm2(places)
    pixels = CAMERA.image_from_table(places)
    squares_px = CAMERA.image_from_table(reckoned.squares_mm.reshape(-1, 3)).reshape(-1, 4, 2)
    rng = np.random.default_rng(7)
    squares = []
    for _ in range(60):
        told = replace(lens, parameters=rng.multivariate_normal(lens.parameters, lens.covariance))
        noisy = squares_px + rng.normal(0, sigma_px, squares_px.shape)
        camera = solve_table(lens=told, squares_mm=reckoned.squares_mm, squares_px=noisy)
        off = camera.table_from_image(pixels, 0.0) - places[:, :2]
        squares += [e @ np.linalg.solve(c, e) / 2 for e, c in zip(off, covariance, strict=True)]
    assert 0.75 < np.mean(squares) < 1.3


def test_to_three_anchors_in_a_line_a_fourth_is_best_far_off_the_line() -> None:
    best, *_ = find_remedies(build_design(NEAR_EDGE, KNOWN))
    assert best.change is DesignChange.ANCHOR
    assert best.at_mm is not None
    assert best.at_mm[1] > 0.8 * DEPTH_MM
    assert best.gain < 0.3


def test_the_gain_of_another_anchor_is_what_laying_it_there_brings() -> None:
    before = build_design(NEAR_EDGE, KNOWN)
    best, *_ = find_remedies(before)
    assert best.at_mm is not None
    laid = Anchor(tag=1, x_mm=best.at_mm[0], y_mm=best.at_mm[1], facing_rad=0, size_mm=40, z_mm=0)
    now, then = (
        map_error(predict_camera(s), width_mm=WIDTH_MM, depth_mm=DEPTH_MM).worst_mm
        for s in (before, build_design((*NEAR_EDGE, laid), KNOWN))
    )
    assert then / now == pytest.approx(best.gain, rel=1e-6)


def test_to_four_corners_without_a_lens_a_lens_file_is_best() -> None:
    best, *_ = find_remedies(build_design(ANCHORS[:4], GUESS), known_lens=KNOWN)
    assert best.change is DesignChange.LENS
    assert best.gain < 0.2
    assert DesignChange.LENS not in group_by_change(find_remedies(build_design(ANCHORS[:4], KNOWN)))


def test_covered_anchors_are_brought_into_view_first() -> None:
    covered_mm = np.array([anchor.square_mm for anchor in ANCHORS[1:]])
    best, *_ = find_remedies(build_design(ANCHORS[:1], KNOWN), covered_mm=covered_mm)
    assert best.change is DesignChange.UNCOVER


def test_a_finer_camera_halves_what_noise_does_and_none_is_finer_than_4k() -> None:
    exact = replace(KNOWN, covariance=KNOWN.covariance * 1e-8)
    finer = group_by_change(find_remedies(build_design(ANCHORS, exact)))[DesignChange.FINER_CAMERA]
    assert finer.gain == pytest.approx(0.5, abs=0.02)
    fine = scale_lens(CAMERA.lens, 2)
    at_4k = replace(build_design(ANCHORS, scale_lens(KNOWN, 2)), camera=replace(CAMERA, lens=fine))
    assert DesignChange.FINER_CAMERA not in group_by_change(find_remedies(at_4k))
    place = np.array([[300.0, 900.0, 0.0]])
    # The centre of the top-left pixel is (0, 0), so its corner is at (-0.5, -0.5) in either picture.
    seen, seen_4k = (c.image_from_table(place) + 0.5 for c in (CAMERA, replace(CAMERA, lens=fine)))
    np.testing.assert_allclose(seen_4k, 2 * seen, rtol=1e-9)


def test_the_lens_has_its_share_of_the_error() -> None:
    known = build_design(ANCHORS[:1], KNOWN)
    now_mm = map_error(predict_camera(known), width_mm=WIDTH_MM, depth_mm=DEPTH_MM).worst_mm
    exact = replace(known, lens=replace(KNOWN, covariance=1e-10 * KNOWN.covariance))
    noise_mm = map_error(predict_camera(exact), width_mm=WIDTH_MM, depth_mm=DEPTH_MM).worst_mm
    assert measure_lens_share_mm(known) == pytest.approx(np.sqrt(now_mm**2 - noise_mm**2), rel=1e-3)
    assert 0 < measure_lens_share_mm(known) < now_mm


def test_the_worst_place_is_where_the_map_says() -> None:
    found = map_error(predict_camera(build_design(NEAR_EDGE, KNOWN)), width_mm=WIDTH_MM, depth_mm=DEPTH_MM)
    assert found.worst_at_mm[1] == DEPTH_MM
    assert found.centre_mm < found.worst_mm
    here = predict_camera(build_design(NEAR_EDGE, KNOWN)).covariance_mm2(np.array([[*found.worst_at_mm, 0.0]]))[0]
    assert np.sqrt(np.linalg.eigvalsh(here)[-1]) == pytest.approx(found.worst_mm)
