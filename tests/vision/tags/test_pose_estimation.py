"""Pose estimation: from tags to base poses, and how sure they are."""

import math
from dataclasses import replace

import numpy as np
import pytest

from calibration.errors import Unsolvable
from calibration.spaces import CameraOverTable, Lens
from calibration.table.camera_pose import guess_lens
from tests.vision.synthetic_camera import (
    ANCHORS,
    CAMERA,
    IMAGE_SIZE,
    LENS,
    NOISE_SHARE,
    make_enrolled_tag,
    make_fit,
    place_tag_square,
    project_anchors,
)
from vision.tags.pose_estimation import (
    FLOOR_SHARES,
    LASTING_LOOKS,
    LASTING_SHARES,
    LEAST_TYPICAL_TAGS,
    MOST_ASTRAY_BASE,
    UNUSUAL_RATIO,
    BaseMeasurement,
    TypicalFit,
    estimate_typical_fit,
    measure_bases,
    place_on_surface,
    recalibrate,
    solve_camera_over_table,
)
from vision.tracking.surfaces import average_rise

FLOOR_PX = 0.01
CLEAN = TypicalFit(floor_px=FLOOR_PX, unexplained=math.inf)


def test_the_cameras_place_and_bleed_are_found_from_the_anchors() -> None:
    camera = solve_camera_over_table(LENS, ANCHORS, project_anchors(noise_px=0.05, bleed_px=0.3))
    assert camera.bleed_px == pytest.approx(0.3, abs=0.05)
    assert camera.height_mm == pytest.approx(CAMERA.height_mm, abs=3)
    places = np.array([[200, 200, 0], [1300, 900, 4]], dtype=float)
    assert CAMERA.image_from_table(places) == pytest.approx(camera.image_from_table(places), abs=0.15)


def test_without_a_lens_file_the_anchors_give_the_lens_and_its_larger_uncertainty() -> None:
    told = solve_camera_over_table(LENS, ANCHORS, project_anchors(noise_px=0.05))
    guessed = solve_camera_over_table(guess_lens(IMAGE_SIZE), ANCHORS, project_anchors(noise_px=0.05))
    places = np.array([[200, 200, 4], [1300, 900, 4], [762, 559, 4]], dtype=float)
    pixels = CAMERA.image_from_table(places)
    assert guessed.table_from_image(pixels, 4.0) == pytest.approx(places[:, :2], abs=0.6)
    assert (guessed.covariance_mm2(places)[:, 0, 0] > told.covariance_mm2(places)[:, 0, 0]).all()


def test_no_anchor_in_view_is_said() -> None:
    with pytest.raises(Unsolvable, match="no anchor is in the picture"):
        solve_camera_over_table(LENS, ANCHORS, {})


@pytest.mark.parametrize("pose", [(300.0, 300.0, 0.0), (1200.0, 800.0, 2.5), (762.0, 100.0, -3.0)])
@pytest.mark.parametrize("surface_mm", [0.0, 120.0])
def test_a_base_is_found_where_it_stands(pose: tuple[float, float, float], surface_mm: float) -> None:
    base = make_enrolled_tag(7)
    tag = make_fit(place_tag_square(base, *pose, z_mm=surface_mm), 7)
    (found,) = measure_bases(CAMERA, [tag], {7: base}, {7: surface_mm}, CLEAN)
    assert (found.x_mm, found.y_mm) == pytest.approx(pose[:2], abs=1e-6)
    assert math.remainder(found.facing_rad - pose[2], math.tau) == pytest.approx(0, abs=1e-8)
    assert (found.surface_mm, found.rise_mm) == pytest.approx((surface_mm, surface_mm), abs=1e-5)


def test_the_height_of_a_lifted_base_is_told_by_its_tags_size() -> None:
    base = make_enrolled_tag(7)
    tag = make_fit(place_tag_square(base, 300, 300, 0.4, z_mm=80.0), 7)
    (found,) = measure_bases(CAMERA, [tag], {7: base}, {}, CLEAN)
    assert found.rise_mm == pytest.approx(80, abs=0.5)
    there = place_on_surface(found, found.rise_mm)
    assert (there.x_mm, there.y_mm) == pytest.approx((300, 300), abs=0.5)
    assert there.surface_mm == found.rise_mm


def look_straight_down(higher: float, doubt: float) -> CameraOverTable:
    """Return a camera with a lens as much longer as it is higher, by which share is in doubt: the table looks alike."""
    focal_px, height_mm = 1185.0 * higher, 1380.0 * higher
    lens = replace(LENS, parameters=np.array([focal_px, focal_px, 961.0, 534.0, 0, 0, 0, 0, 0]))
    doubted = doubt * np.array([0, 0, 0, 0, 0, height_mm, focal_px, focal_px, 0, 0, 0, 0, 0, 0, 0])
    return replace(
        CAMERA,
        lens=lens,
        rotation=np.array([math.pi, 0.0, 0.0]),
        translation_mm=np.array([-740.0, 560.0, height_mm]),
        covariance=np.outer(doubted, doubted),
    )


@pytest.mark.parametrize("higher", [0.8, 1.25])
@pytest.mark.parametrize("z_mm", [0.0, 60.0])
@pytest.mark.parametrize("raised_mm", [4.0, 60.0])
def test_what_stands_over_the_table_is_doubted_by_its_height_and_not_by_what_it_seems(
    higher: float, z_mm: float, raised_mm: float
) -> None:
    base, taken, true = (
        make_enrolled_tag(7, height_mm=raised_mm),
        look_straight_down(1, 0.2),
        look_straight_down(higher, 0),
    )
    square_mm = place_tag_square(base, 762, 559, 0.4, z_mm=z_mm)
    fit = replace(make_fit(square_mm, 7), corners_px=true.image_from_table(square_mm))
    (m,) = measure_bases(taken, [fit], {7: base}, {}, CLEAN)
    rise = average_rise([m], None)
    assert m.rise_mm == pytest.approx((z_mm + raised_mm) / higher - raised_mm, abs=2)
    assert not rise.is_beyond(z_mm, 2.0)
    assert rise.is_beyond(0.0, 2.0) == (z_mm > 0)


def test_a_base_put_on_another_surface_is_as_sure_as_one_that_is_measured_there() -> None:
    base, camera = make_enrolled_tag(7), look_straight_down(1, 0.2)
    square_mm = place_tag_square(base, 300, 300, 0.4, z_mm=75.0)
    fit = replace(make_fit(square_mm, 7), corners_px=camera.image_from_table(square_mm))
    put, measured = (measure_bases(camera, [fit], {7: base}, {7: at_mm}, CLEAN)[0] for at_mm in (0.0, 75.0))
    put = place_on_surface(put, 75.0)
    assert (put.x_mm, put.y_mm) == pytest.approx((measured.x_mm, measured.y_mm), abs=0.5)
    assert math.sqrt(np.trace(measured.lasting[:2, :2])) > 3.0
    assert put.lasting[:2, :2] == pytest.approx(measured.lasting[:2, :2], rel=0.2)


@pytest.mark.parametrize("lens", [LENS, guess_lens(IMAGE_SIZE)], ids=["lens known", "lens solved"])
def test_what_a_camera_showed_before_it_was_known_better_is_as_it_would_show_it_now(lens: Lens) -> None:
    base = make_enrolled_tag(7)
    rough, fine = (
        solve_camera_over_table(lens, ANCHORS, project_anchors(noise_px=noise_px)) for noise_px in (0.3, 0.02)
    )
    tags = [make_fit(place_tag_square(base, 300 + step, 900, 0.4), 7) for step in (0.0, 0.1, 0.2)]
    by_rough, by_fine = ([measure_bases(at, [tag], {7: base}, {}, CLEAN)[0] for tag in tags] for at in (rough, fine))
    away_mm = math.dist((by_rough[0].x_mm, by_rough[0].y_mm), (by_fine[0].x_mm, by_fine[0].y_mm))
    for carried, there in zip(recalibrate(by_rough, fine, base.height_mm), by_fine, strict=True):
        assert carried.camera is fine
        assert math.dist((carried.x_mm, carried.y_mm), (there.x_mm, there.y_mm)) < 0.02 * away_mm
        assert carried.facing_rad == pytest.approx(there.facing_rad, abs=1e-4)
        assert carried.rise_mm == pytest.approx(there.rise_mm, abs=0.5)


def make_truth(tag: int) -> tuple[float, float, float]:
    return 150 + 61.0 * (tag % 20), 150 + 90.0 * (tag // 20), 0.1 * tag


def measure_often(
    count: int, *, noise_px: float, floor_px: float = 0.0, told_px: float = FLOOR_PX
) -> list[BaseMeasurement]:
    bases = {tag: make_enrolled_tag(tag) for tag in range(count)}
    tags = [
        make_fit(place_tag_square(bases[i], *make_truth(i)), i, noise_px=noise_px, floor_px=floor_px)
        for i in range(count)
    ]
    return measure_bases(CAMERA, tags, bases, {}, TypicalFit(floor_px=told_px, unexplained=math.inf))


@pytest.mark.parametrize(("noise_px", "floor_px"), [(0.15, FLOOR_PX), (0.05, 0.2)])
def test_the_stated_sigma_is_that_of_the_errors(noise_px: float, floor_px: float) -> None:
    found = measure_often(200, noise_px=noise_px, floor_px=floor_px, told_px=floor_px)
    assert len(found) > 190
    poses, rises = [], []
    for m in found:
        off = np.array([m.x_mm, m.y_mm, m.facing_rad]) - make_truth(m.marker)
        off[2] = math.remainder(off[2], math.tau)
        poses.append(off @ np.linalg.solve(m.noise + m.lasting, off) / 3)
        rises.append(m.rise_mm**2 / (m.rise_noise_mm**2 + m.rise_floor_mm**2))
    # A fit is taken to be off by other shares than it states; these corners are not.
    place, _, turn, size = zip(LASTING_SHARES, FLOOR_SHARES, strict=True)
    for squares, shares in ((poses, (place, place, turn)), (rises, (size,))):
        told = [(NOISE_SHARE + lasting) * noise_px**2 + (floor * floor_px) ** 2 for lasting, floor in shares]
        assert 0.7 < np.mean(squares) / np.mean((noise_px**2 + floor_px**2) / np.array(told)) < 1.4


@pytest.mark.parametrize("floor_px", [0.0, 0.06, 0.2])
def test_how_far_corners_are_off_beyond_the_noise_is_told_by_the_squares_they_make(floor_px: float) -> None:
    found = measure_often(60, noise_px=0.05, floor_px=floor_px)
    assert estimate_typical_fit(CAMERA, found).floor_px == pytest.approx(floor_px, abs=0.015 + 0.2 * floor_px)
    few = estimate_typical_fit(CAMERA, found[: LEAST_TYPICAL_TAGS - 1])
    assert (few.floor_px, few.unexplained) == (CAMERA.sigma_px, math.inf), "few tags tell nothing"


def look_again(
    found: list[BaseMeasurement], noise_px: float, looks: int = LASTING_LOOKS
) -> list[list[BaseMeasurement]]:
    """Return looks at what rests, in which squares look otherwise by noise that nothing explains."""
    rng = np.random.default_rng(3)
    return [
        [replace(m, stretch_px=np.asarray(m.stretch_px) + rng.normal(0, noise_px, 2)) for _ in range(looks)]
        for m in found
    ]


@pytest.mark.parametrize("floor_px", [0.0, 0.06, 0.2])
def test_what_is_another_in_each_picture_of_what_rests_is_not_taken_to_last(floor_px: float) -> None:
    rests = look_again(measure_often(120, noise_px=0.0, floor_px=floor_px, told_px=max(floor_px, FLOOR_PX)), 0.15)
    typical_fit = estimate_typical_fit(CAMERA, [rest[-1] for rest in rests], rests)
    assert typical_fit.floor_px == pytest.approx(math.hypot(floor_px, 0.15), rel=0.2), "one picture cannot tell"
    assert typical_fit.lasting_px == pytest.approx(floor_px, abs=0.04 + 0.1 * floor_px)
    few = rests[: LEAST_TYPICAL_TAGS - 1]
    assert estimate_typical_fit(CAMERA, [rest[-1] for rest in rests], few).lasting_px is None
    assert estimate_typical_fit(CAMERA, [], [rest[1:] for rest in rests]).lasting_px is None


def test_what_rests_is_surer_where_fits_are_off_by_noise_alone() -> None:
    base = make_enrolled_tag(7)
    fit = replace(make_fit(place_tag_square(base, 500, 500, 0.0), 7), covariance_px2=0.1**2 * np.eye(8))
    noisy = TypicalFit(floor_px=0.1, unexplained=math.inf, lasting_px=0.02)

    def find_lasting_px2(noise: float, *, rests: bool) -> float:
        told = replace(fit, noise_px2=noise * fit.covariance_px2)
        (m,) = measure_bases(CAMERA, [told], {7: base}, {}, noisy, resting={7} if rests else ())
        by_noise = m.lasting - CAMERA.pose_covariance([(m.x_mm, m.y_mm, base.height_mm)])[0]
        return float(by_noise[0, 0] / m.noise[0, 0] * noise * 0.1**2)

    resting, moving = (find_lasting_px2(1.0, rests=rests) for rests in (True, False))
    taken_off_px2 = LASTING_SHARES[0] * 0.1**2 + FLOOR_SHARES[0] ** 2 * (0.1**2 - 0.02**2) * 4 / 6
    assert moving - resting == pytest.approx(taken_off_px2, rel=0.05)
    for noise in (0.25, 0.75):
        lasting_px2 = find_lasting_px2(noise, rests=True) - resting
        assert lasting_px2 == pytest.approx((1 - noise) * LASTING_SHARES[0] * 0.1**2, rel=0.05)


def test_a_surer_corner_counts_for_more() -> None:
    base = make_enrolled_tag(7)
    tag = make_fit(place_tag_square(base, 500, 500, 0.0), 7)
    tag.corners_px[1] += (0.3, 0.3)
    doubt = TypicalFit(floor_px=0.2, unexplained=math.inf)
    (trusting,) = measure_bases(CAMERA, [tag], {7: base}, {}, doubt)
    tag.covariance_px2[2:4, 2:4] = np.eye(2)
    (doubting,) = measure_bases(CAMERA, [tag], {7: base}, {}, doubt)
    away = [math.hypot(m.x_mm - 500, m.y_mm - 500) for m in (trusting, doubting)]
    assert away[1] < away[0] / 4


def test_a_tag_that_fits_worse_than_is_usual_is_less_sure() -> None:
    base = make_enrolled_tag(7)
    square = place_tag_square(base, 500, 500, 0.0)
    tag = replace(make_fit(square, 7), covariance_px2=0.05**2 * np.eye(8))
    as_a_rule, odd = (
        measure_bases(CAMERA, [tag], {7: base}, {}, TypicalFit(floor_px=0.0, unexplained=tag.unexplained / worse))[0]
        for worse in (1.0, 3.0)
    )
    assert odd.lasting == pytest.approx((3 / UNUSUAL_RATIO) ** 2 * as_a_rule.lasting, rel=0.02)
    assert odd.rise_floor_mm == pytest.approx(3 / UNUSUAL_RATIO * as_a_rule.rise_floor_mm)


def test_a_tag_that_is_more_askew_than_others_is_less_sure() -> None:
    base = make_enrolled_tag(7)
    straight = make_fit(place_tag_square(base, 500, 500, 0.0), 7)
    bent = replace(straight, corners_px=straight.corners_px + 0.1 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]))
    as_a_rule, odd = (
        measure_bases(CAMERA, [tag], {7: base}, {}, TypicalFit(floor_px=0.05, unexplained=math.inf))[0]
        for tag in (straight, bent)
    )
    assert odd.lasting[0, 0] > 2 * as_a_rule.lasting[0, 0]
    assert (odd.x_mm, odd.y_mm) == pytest.approx((as_a_rule.x_mm, as_a_rule.y_mm), abs=0.01)


def test_a_tag_with_a_wrong_corner_is_left_out() -> None:
    bases = {tag: make_enrolled_tag(tag) for tag in range(6)}
    tags = [make_fit(place_tag_square(bases[i], 200 + 100 * i, 500, 0.0), i, noise_px=0.1) for i in range(6)]
    tags[2].corners_px[1] += (3.0, -2.0)
    assert [m.marker for m in measure_bases(CAMERA, tags, bases, {}, CLEAN)] == [0, 1, 3, 4, 5]


def test_a_small_tag_that_looks_a_little_askew_is_whole_for_all_that() -> None:
    base = make_enrolled_tag(7)
    tag = make_fit(place_tag_square(base, 500, 500, 0.0), 7, noise_px=0.01)
    lozenge = np.array([(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)])
    for askew_px, whole in ((0.04, True), (0.6, False)):
        shown = replace(tag, corners_px=tag.corners_px + askew_px * lozenge)
        assert (
            bool(measure_bases(CAMERA, [shown], {7: base}, {}, TypicalFit(floor_px=0.0, unexplained=math.inf))) is whole
        )


def test_a_tag_that_is_partly_something_else_is_left_out() -> None:
    base = make_enrolled_tag(7)
    square = place_tag_square(base, 500, 500, 0.0)
    whole, partly, hidden = (
        measure_bases(CAMERA, [make_fit(square, 7, astray=astray)], {7: base}, {}, CLEAN)
        for astray in (0.0, MOST_ASTRAY_BASE, MOST_ASTRAY_BASE + 0.01)
    )
    assert len(whole) == 1
    assert hidden == []
    assert np.trace(partly[0].lasting[:2, :2]) > np.trace(whole[0].lasting[:2, :2])


def test_a_tag_of_a_size_that_cannot_be_is_left_out() -> None:
    tag = make_fit(place_tag_square(make_enrolled_tag(3, size_mm=40.0), 500, 500, 0.0), 3)
    assert measure_bases(CAMERA, [tag], {3: make_enrolled_tag(3)}, {}, CLEAN) == []
    assert measure_bases(CAMERA, [tag], {}, {}, CLEAN) == []
