"""Corner refinement on rendered tags of which every corner is known."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.vision.rendered_tags import BLACK, WHITE, draw_cells, place_square, render_print, take_picture
from vision.tags.corner_refinement import CORNERS, refine_corners, solve_homographies
from vision.tags.detection import detect_tags, select_whole
from vision.tags.pose_estimation import MOST_ASTRAY
from vision.types import TagDetection, TagFit

Floats = NDArray[np.float64]
Grey = NDArray[np.uint8]

TAG = 17


def make_detection(tag: int, corners_px: Floats) -> TagDetection:
    return TagDetection(tag=tag, corners_px=corners_px, hamming=0, margin=50.0)


def fit_tag(grey: Grey, corners_px: Floats, tag: int = TAG) -> TagFit | None:
    """Fit a tag that the detector puts a fifth of a pixel beside its corners, one or the other way."""
    beside = np.array([[0.2, -0.1], [0.1, 0.2], [-0.2, 0.1], [0.1, -0.2]])
    fits = refine_corners(grey, [make_detection(tag, corners_px + beside)])
    return fits[0] if fits else None


def render_usual(*, side_px: float = 30.0, blur_px: float = 0.6, noise: float = 0.0) -> tuple[Grey, Floats]:
    corners = place_square((35.2, 34.6), side_px, turn_rad=0.4)
    return take_picture(render_print(draw_cells(TAG), corners, (70, 70), blur_px=blur_px), noise=noise), corners


def measure_outward(corners_px: Floats) -> Floats:
    """(4, 2) how far corners move when every edge moves out by a pixel."""
    along = np.roll(corners_px, -1, axis=0) - corners_px
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    return np.asarray(np.roll(along, 1, axis=0) - along)


@pytest.mark.parametrize(
    ("side_px", "turn_rad", "blur_px", "noise", "worst_px"),
    [
        (18, 0.0, 0.5, 0.0, 0.05),  # hardly two pixels a cell, and every edge lies alike among them
        (18, 0.8, 0.7, 2.0, 0.02),
        (22, -1.4, 0.9, 0.0, 0.02),
        (28, 0.3, 0.4, 2.0, 0.02),
        (28, 2.0, 0.7, 0.0, 0.02),
        (36, 3.0, 1.1, 2.0, 0.02),
        (48, -0.6, 0.6, 0.0, 0.02),
        (48, 1.2, 1.0, 4.0, 0.02),
        (70, 0.1, 0.8, 2.0, 0.02),
    ],
)
def test_corners_are_found_to_hundredths_of_a_pixel(
    side_px: int, turn_rad: float, blur_px: float, noise: float, worst_px: float
) -> None:
    size = round(1.6 * side_px) + 20
    shift = np.random.default_rng(side_px).uniform(-0.5, 0.5, 2)
    corners = place_square((size / 2 + shift[0], size / 2 + shift[1]), side_px, turn_rad=turn_rad, tilt=0.01)
    grey = take_picture(render_print(draw_cells(TAG), corners, (size, size), blur_px=blur_px), noise=noise)
    (fit,) = refine_corners(grey, detect_tags(grey, [select_whole(grey)]))
    off, away = fit.corners_px - corners, measure_outward(corners)
    noise_px = 4 * float(np.sqrt(np.diag(fit.covariance_px2)).mean()) if noise else 0.0
    assert np.abs(off.mean(axis=0)).max() < worst_px / 2 + noise_px / 2
    # All edges may be found a little outside alike, which the calibration takes out.
    bleed_px = float((off * away).sum() / (away * away).sum())
    assert abs(bleed_px) < 0.05
    assert np.abs(off - bleed_px * away).max() < worst_px + noise_px
    assert fit.astray < 0.01
    assert fit.blur_px == pytest.approx(np.hypot(blur_px, 0.29), abs=0.12)  # a pixel is a blur, too


@pytest.mark.parametrize(("side_px", "smear"), [(24, 3 + 2j), (28, 6j), (24, 8 - 3j)])
def test_what_moves_is_found_where_it_is_in_the_middle_of_the_exposure(side_px: int, smear: complex) -> None:
    shares, middle = np.linspace(-0.5, 0.5, 25), np.array([50.2, 49.6])
    corners = place_square((50.2, 49.6), side_px, turn_rad=0.4)
    moments = [corners + share * np.array([smear.real, smear.imag]) for share in shares]
    views = [render_print(draw_cells(TAG), moment, (100, 100), blur_px=0.6) for moment in moments]
    grey = take_picture(np.mean(views, axis=0), noise=1.0)
    beside = make_detection(TAG, corners + 0.2)
    fit = refine_corners(grey, [beside], smears_px={TAG: 0.85 * smear}, blur_px=0.6)[0]
    assert np.abs(fit.corners_px - corners).max() < 0.07
    assert np.abs(fit.corners_px.mean(axis=0) - middle).max() < 0.025
    assert fit.smear_px == pytest.approx(abs(smear), rel=0.12)
    blurred = refine_corners(grey, [beside])[0]
    assert blurred.smear_px == 0
    assert fit.unexplained < 0.6 * blurred.unexplained


def test_the_fit_does_not_depend_on_where_it_began() -> None:
    grey, corners = render_usual()
    ways = np.random.default_rng(5).uniform(-0.7, 0.7, (12, 4, 2))
    fits = refine_corners(grey, [make_detection(TAG, corners + way) for way in ways])
    assert len(fits) == 12
    assert np.ptp([fit.corners_px for fit in fits], axis=0).max() < 0.03


def test_tags_of_all_sizes_are_fitted_together() -> None:
    cells, size = draw_cells(TAG), (260, 100)
    squares = [place_square((30.0, 50.2), 18, turn_rad=0.3), place_square((180.0, 50.0), 64, turn_rad=-0.2)]
    left, right = (render_print(cells, square, size) for square in squares)
    grey = take_picture(np.hstack([left[:, :80], right[:, 80:]]))
    together = refine_corners(grey, [make_detection(TAG, square) for square in squares])
    alone = [refine_corners(grey, [make_detection(TAG, square)])[0] for square in squares]
    assert [fit.tag for fit in together] == [TAG, TAG]
    for fit, single in zip(together, alone, strict=True):
        assert fit.corners_px == pytest.approx(single.corners_px, abs=1e-4)
    assert refine_corners(grey, []) == []


def test_what_moves_and_what_rests_is_fitted_together() -> None:
    still, moved = place_square((30.0, 50.2), 26, turn_rad=0.3), place_square((80.0, 50.0), 26, turn_rad=-0.2)
    views = [
        np.hstack(
            [render_print(draw_cells(TAG), still, (55, 100)), render_print(draw_cells(TAG + 1), there, (55, 100))]
        )
        for share in np.linspace(-0.5, 0.5, 15)
        for there in [moved - (55, 0) + share * np.array([4.0, 2.0])]
    ]
    grey = take_picture(np.mean(views, axis=0))
    tags, smears_px = [make_detection(TAG, still), make_detection(TAG + 1, moved)], {TAG + 1: 4 + 2j}
    together = refine_corners(grey, tags, smears_px=smears_px)
    alone = [refine_corners(grey, [tag], smears_px=smears_px)[0] for tag in tags]
    assert [fit.smear_px > 0 for fit in together] == [False, True]
    for fit, single, corners in zip(together, alone, (still, moved), strict=True):
        assert fit.corners_px == pytest.approx(single.corners_px, abs=1e-4)
        assert fit.corners_px == pytest.approx(corners, abs=0.07)
        assert (fit.blur_px, fit.smear_px) == pytest.approx((single.blur_px, single.smear_px), rel=1e-3)


def test_uneven_light_and_ink_do_not_move_the_corners() -> None:
    corners = place_square((35.2, 34.6), 30.0, turn_rad=0.4)
    even = render_print(draw_cells(TAG), corners, (70, 70)) / WHITE
    row, column = np.mgrid[:70, :70] / 70
    lit = 220 * even**1.3 * (0.6 + 0.3 * column + 0.1 * row)
    fit = fit_tag(take_picture(lit), corners)
    assert fit is not None
    assert fit.corners_px == pytest.approx(corners, abs=0.05)


def test_the_homographies_are_those_of_four_points() -> None:
    rng = np.random.default_rng(3)
    squares = CORNERS * rng.uniform(2, 9, (20, 1, 1)) + rng.uniform(50, 900, (20, 1, 2))
    squares += rng.normal(0, 1.5, (20, 4, 2))
    for matrix, corners in zip(solve_homographies(squares), squares, strict=True):
        expected = cv2.getPerspectiveTransform(CORNERS.astype(np.float32), corners.astype(np.float32))
        assert matrix / matrix[2, 2] == pytest.approx(np.asarray(expected), rel=1e-3, abs=1e-3)
        there = np.column_stack([CORNERS, np.ones(4)]) @ matrix.T
        assert there[:, :2] / there[:, 2:] == pytest.approx(corners, abs=1e-9)


@pytest.mark.parametrize("side", range(4))
def test_a_finger_over_a_third_of_a_tag_is_told(side: int) -> None:
    grey, corners = render_usual(noise=2.0)
    low, high = corners[side], corners[(side + 1) % 4]
    inward = (corners[(side + 3) % 4] - low) * 0.33
    over = np.array([low, high, high + inward, low + inward])
    cv2.fillConvexPoly(grey, np.rint(over * 16).astype(np.int32), 140, cv2.LINE_AA, 4)
    fit = fit_tag(grey, corners)
    assert fit is None or fit.astray > MOST_ASTRAY


@pytest.mark.parametrize("other", [0, 18, 123, 586])
def test_another_tags_pattern_does_not_hold(other: int) -> None:
    grey, corners = render_usual()
    fit = fit_tag(grey, corners, other)
    assert fit is None or fit.astray > MOST_ASTRAY


@pytest.mark.parametrize("noise", [0.0, 3.0])
def test_a_plain_patch_is_no_tag(noise: float) -> None:
    grey = take_picture(np.full((70, 70), 120.0), noise=noise)
    assert fit_tag(grey, place_square((35.0, 35.0), 30.0)) is None


def test_a_tag_printed_white_on_black_is_none() -> None:
    corners = place_square((35.2, 34.6), 30.0, turn_rad=0.4)
    assert fit_tag(take_picture(BLACK + WHITE - render_print(draw_cells(TAG), corners, (70, 70))), corners) is None


@pytest.mark.parametrize("middle", [(14.0, 35.0), (35.0, 14.0), (56.0, 35.0), (35.0, 56.0)])
def test_a_tag_that_reaches_out_of_the_picture_is_left_out(middle: tuple[float, float]) -> None:
    corners = place_square(middle, 30.0)
    assert fit_tag(take_picture(render_print(draw_cells(TAG), corners, (70, 70))), corners) is None


def test_sigma_grows_with_noise_with_blur_and_with_fewer_pixels() -> None:
    def sigma_px(*, side_px: float = 30.0, blur_px: float = 0.6, noise: float = 2.0) -> float:
        corners = place_square((35.2, 34.6), side_px, turn_rad=0.4)
        picture = render_print(draw_cells(TAG), corners, (70, 70), blur_px=blur_px)
        fits = [fit_tag(take_picture(picture, noise=noise, seed=seed), corners) for seed in range(5)]
        stated = np.mean([fit.covariance_px2 for fit in fits if fit is not None], axis=0)
        assert np.linalg.eigvalsh(stated).min() > 0
        return float(np.sqrt(np.diag(stated)).mean())

    by_noise = [sigma_px(noise=noise) for noise in (1.0, 2.0, 4.0, 8.0)]
    by_blur = [sigma_px(blur_px=blur, noise=6.0) for blur in (0.6, 0.9, 1.2)]
    by_size = [sigma_px(side_px=side, noise=4.0) for side in (44, 30, 18)]
    for row in (by_noise, by_blur, by_size):
        assert (np.diff(row) > 0).all()
    assert by_noise[3] / by_noise[2] == pytest.approx(2.0, rel=0.3)
