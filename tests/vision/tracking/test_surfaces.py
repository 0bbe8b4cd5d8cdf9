"""Which surface a base stands on, by its measured height."""

import math
from dataclasses import replace

import numpy as np
import pytest

from tests.vision.synthetic_camera import CAMERA, make_enrolled_tag, make_fit, make_measurement, place_tag_square
from vision.tags.pose_estimation import LEAST_TYPICAL_TAGS, BaseMeasurement, TypicalFit, measure_bases, place_on_surface
from vision.tracking.surfaces import (
    OVERHANG_MM,
    MeasuredHeight,
    Surface,
    average_rise,
    estimate_usual_bias,
    find_fitting_heights,
)


def make_block(left_mm: float, right_mm: float, height_mm: float) -> Surface:
    return Surface(
        outline_mm=((left_mm, 300.0), (right_mm, 300.0), (right_mm, 700.0), (left_mm, 700.0)), height_mm=height_mm
    )


HILL = make_block(600, 900, 50.0)


def measure_standing(x_mm: float, z_mm: float, *, taken_mm: float = 0.0) -> BaseMeasurement:
    """Measure a base that stands at y 500, taken that it stood at ``taken_mm``."""
    base = make_enrolled_tag(1)
    tag = make_fit(place_tag_square(base, x_mm, 500.0, 0.4, z_mm=z_mm), 1)
    (found,) = measure_bases(CAMERA, [tag], {1: base}, {1: taken_mm}, TypicalFit(floor_px=0.05, unexplained=math.inf))
    return found


@pytest.mark.parametrize("z_mm", [0.0, 50.0])
@pytest.mark.parametrize("taken_mm", [0.0, 50.0])
def test_the_rise_tells_the_table_from_a_top(z_mm: float, taken_mm: float) -> None:
    m = measure_standing(750.0, z_mm, taken_mm=taken_mm)
    assert find_fitting_heights(m, MeasuredHeight(mm=m.rise_mm, sigma_mm=2.0), [HILL]) == (z_mm,)


def test_in_between_it_stands_nowhere() -> None:
    assert find_fitting_heights(make_measurement(750.0), MeasuredHeight(mm=25.0, sigma_mm=2.0), [HILL]) == ()
    assert find_fitting_heights(make_measurement(750.0), MeasuredHeight(mm=-25.0, sigma_mm=2.0), [HILL]) == ()


def test_all_surfaces_that_fit_are_returned_the_best_first() -> None:
    tops = [make_block(600, 900, 6.0), make_block(600, 900, 3.0), make_block(600, 900, 90.0)]
    assert find_fitting_heights(make_measurement(750.0), MeasuredHeight(mm=4.0, sigma_mm=2.0), tops) == (3.0, 6.0, 0.0)
    assert find_fitting_heights(make_measurement(750.0), MeasuredHeight(mm=4.0, sigma_mm=0.7), tops) == (3.0, 6.0)
    assert find_fitting_heights(make_measurement(750.0), MeasuredHeight(mm=1.5, sigma_mm=2.0), tops[1:2]) == (
        0.0,
        3.0,
    ), "a tie goes to the lower"


def test_where_the_best_fits_badly_others_are_thought_of_as_well() -> None:
    m = make_measurement(750.0)
    for rise_mm, fitting in ((17.0, (0.0,)), (20.0, (0.0, 50.0)), (30.0, (50.0, 0.0)), (33.0, (50.0,))):
        assert find_fitting_heights(m, MeasuredHeight(mm=rise_mm, sigma_mm=7.0), [HILL]) == fitting
    assert find_fitting_heights(m, MeasuredHeight(mm=24.0, sigma_mm=4.0), [HILL]) == (), "nor does any fit"


@pytest.mark.parametrize(("beyond_mm", "carried"), [(-30.0, True), (0.7, True), (1.3, False)])
def test_a_base_may_overhang_a_little(beyond_mm: float, carried: bool) -> None:
    x_mm = 900.0 + (beyond_mm * OVERHANG_MM if beyond_mm > 0 else beyond_mm)
    m = measure_standing(x_mm, 50.0)
    assert find_fitting_heights(m, MeasuredHeight(mm=m.rise_mm, sigma_mm=2.0), [HILL]) == ((50.0,) if carried else ())


def test_where_it_is_seen_from_does_not_matter_but_where_it_is() -> None:
    # Far from the camera's foot a base 120 mm up looks as if it stood elsewhere on the table, and the other way round.
    tower = make_block(1250, 1400, 120.0)
    on_top = measure_standing(1390.0, 120.0)
    there = place_on_surface(on_top, 120.0)
    assert on_top.x_mm > 1400 + 2 * OVERHANG_MM, "seen as on the table, it is beside the tower"
    assert (there.x_mm, there.y_mm) == pytest.approx((1390.0, 500.0), abs=0.1)
    rise = MeasuredHeight(mm=120.0, sigma_mm=2.0)
    assert find_fitting_heights(on_top, rise, [tower]) == (120.0,)
    before = measure_standing(1390.0, 120.0, taken_mm=120.0)
    assert find_fitting_heights(before, rise, [tower]) == (120.0,)
    behind = measure_standing(1460.0, 120.0)
    assert find_fitting_heights(behind, rise, [tower]) == ()


def test_heights_of_several_pictures_are_averaged_and_only_noise_averages_out() -> None:
    measured = [
        replace(make_measurement(300.0), rise_mm=rise, rise_noise_mm=2.0, rise_floor_mm=0.5, rise_bias_mm=3.0)
        for rise in np.random.default_rng(1).normal(7.0, 2.0, 64)
    ]
    unknown, known = average_rise(measured, None), average_rise(measured, MeasuredHeight(mm=5.0, sigma_mm=0.1))
    assert unknown.mm == pytest.approx(np.mean([m.rise_mm for m in measured]))
    assert unknown.sigma_mm == pytest.approx(math.hypot(0.25, 0.5, 3.0))
    assert known.mm == pytest.approx(unknown.mm - 5.0)
    assert known.sigma_mm == pytest.approx(math.hypot(0.25, 0.5, 0.1))


def test_one_bad_look_says_little_of_what_lasts() -> None:
    looks = [make_measurement(300.0, rise_mm=12.0, rise_noise_mm=2.0, rise_floor_mm=4.0)] * 5
    bad = replace(looks[-1], rise_floor_mm=30.0)
    known = MeasuredHeight(mm=0.0, sigma_mm=0.1)
    assert average_rise([*looks, bad], known).sigma_mm == pytest.approx(average_rise(looks, known).sigma_mm, abs=0.1)


def test_what_most_tags_look_too_high_by_is_usual() -> None:
    offs = [(5.0, 0.0), (55.2, 50.0), (4.9, 0.0), (5.1, 0.0), (40.0, 0.0)]  # the last is in the air
    measured = [(make_measurement(300.0, rise_mm=rise, rise_bias_mm=8.0), level) for rise, level in offs]
    usual = estimate_usual_bias(measured)
    assert usual is not None
    assert usual.mm == pytest.approx(5.1)
    assert 0 < usual.sigma_mm < 8.0
    assert estimate_usual_bias(measured[: LEAST_TYPICAL_TAGS - 1]) is None


@pytest.mark.parametrize("spread_mm", [0.0, 1.0, 6.0])
def test_tags_tell_how_much_they_differ_in_this(spread_mm: float) -> None:
    rng = np.random.default_rng(3)
    measured = [
        (
            make_measurement(300.0, rise_mm=5.0 + math.hypot(spread_mm, 0.7) * float(rng.normal()), rise_bias_mm=10.0),
            0.0,
        )
        for _ in range(200)
    ]
    usual = estimate_usual_bias(measured)
    assert usual is not None
    assert usual.sigma_mm == pytest.approx(spread_mm, rel=0.2, abs=0.6)
