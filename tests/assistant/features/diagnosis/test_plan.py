"""The plan of a table: what follows from a camera's figures, and one camera of it put up over the virtual table."""

import math

import numpy as np
import pytest

from assistant.features.diagnosis.camera_table import load_cameras
from assistant.features.diagnosis.plan import (
    ENOUGH_NOISE,
    LAMP_MS,
    MARGIN_MM,
    CameraPlan,
    Room,
    describe_plan,
    hang_camera,
    plan_camera,
    plan_table,
)
from tests.benchmarks.bench_plan import TABLE_MM, find_tags, measure_errors, measure_recall, set_up
from tests.vision.random_scenes import markers_from_scene

CAMERAS = load_cameras()
C920 = CAMERAS["logitech-c920"]


def plan(name: str, *, height_mm: float | None = None, lux: float = 300.0) -> CameraPlan:
    return plan_camera(Room(table_mm=TABLE_MM, height_mm=height_mm, lux=lux), CAMERAS[name])


@pytest.mark.parametrize("name", CAMERAS)
def test_from_the_least_height_on_the_table_fits_and_below_it_does_not(name: str) -> None:
    least_mm = plan(name).least_height_mm
    assert least_mm is not None
    rim = np.array([(x, y, 0.0) for x in (-MARGIN_MM, TABLE_MM[0] + MARGIN_MM) for y in (-MARGIN_MM, TABLE_MM[1] / 2)])
    size = np.array(CAMERAS[name].picture_px)
    for height_mm, fits in ((least_mm, True), (0.97 * least_mm, False)):
        assert plan(name, height_mm=height_mm).fits is fits
        rim[1::2, 1] = -MARGIN_MM
        seen = hang_camera(CAMERAS[name], TABLE_MM, height_mm).image_from_table(rim)
        if fits:
            assert ((seen >= 0) & (seen <= size - 1)).all()


@pytest.mark.parametrize("name", CAMERAS)
def test_the_published_angle_of_view_is_what_the_picture_spans(name: str) -> None:
    camera, height_mm = CAMERAS[name], 1000.0
    tangent, pixels = camera.half_view
    over = hang_camera(camera, TABLE_MM, height_mm)
    way = np.array([1.0, 0.0] if camera.across_deg else camera.picture_px) * [1, -1]
    edge = np.array(TABLE_MM) / 2 + height_mm * tangent * way / np.linalg.norm(way)
    (seen,) = over.image_from_table(np.array([[*edge, 0.0]]))
    assert np.linalg.norm(seen - (np.array(camera.picture_px) - 1) / 2) == pytest.approx(pixels, rel=1e-6)


def test_higher_means_coarser_and_larger_tags() -> None:
    low, high = plan("logitech-brio-90"), plan("logitech-brio-90", height_mm=2200)
    assert high.fits
    assert high.px_per_mm[0] == pytest.approx(low.px_per_mm[0] * low.height_mm / 2200, abs=0.01)
    assert high.tag_mm > low.tag_mm
    assert low.px_per_mm[1] < low.px_per_mm[0]


def test_less_light_means_longer_exposure_then_more_noise() -> None:
    plans = [plan("logitech-c920", lux=lux) for lux in (2000, 300, 100, 10)]
    assert plans[0].exposure_ms == LAMP_MS
    assert [each.exposure_ms for each in plans] == sorted(each.exposure_ms for each in plans)
    assert all(each.exposure_ms % LAMP_MS == 0 for each in plans)
    assert plans[1].noise <= ENOUGH_NOISE < plans[3].noise
    assert plans[0].fastest_mm_s > plans[2].fastest_mm_s


def test_a_global_shutter_places_what_slides_as_what_rests() -> None:
    shutter = plan("pi-global-shutter-6mm")
    assert shutter.moving_mm == shutter.first_moving_mm == pytest.approx(shutter.rest_mm[1], abs=0.01)
    rolling = plan("pi-camera-3-half")
    assert rolling.first_moving_mm is not None
    assert rolling.moving_mm is not None
    assert rolling.first_moving_mm > 5 * rolling.rest_mm[1] > 3 * rolling.moving_mm


def test_what_does_not_fit_is_said_with_what_would_help() -> None:
    said = describe_plan(plan_table(Room(table_mm=TABLE_MM, height_mm=1000, lux=20), [C920]))
    assert "(!) logitech-c920 does not see the whole table from 1000 mm: hang it at 1570 mm or higher" in said
    assert "More light would help logitech-c920: up to " in said


def test_what_is_told_of_a_camera_that_hangs_too_low_is_of_what_it_sees() -> None:
    whole, low = plan("logitech-c920"), plan("logitech-c920", height_mm=400)
    assert whole.seen_mm == TABLE_MM
    assert low.seen_mm[0] < 0.3 * TABLE_MM[0]
    assert low.px_per_mm[1] < low.px_per_mm[0]  # never finer in the corners, as beyond the picture the lens would be
    assert low.rest_mm[1] < 2 * whole.rest_mm[1]
    said = describe_plan(plan_table(Room(table_mm=TABLE_MM, height_mm=400, lux=300), [C920]))
    assert f"of the {low.seen_mm[0]:.0f} x {low.seen_mm[1]:.0f} mm in its middle that it sees" in said


def test_every_figure_of_a_camera_has_its_source() -> None:
    for camera in CAMERAS.values():
        assert all(source.startswith("https://") for source in camera.sources)
        assert (camera.across_deg is None) != (camera.diagonal_deg is None)


def test_a_render_of_a_camera_bears_its_plan_out() -> None:
    name = "logitech-c920"
    smallest_mm = plan(name).tag_mm
    table = set_up(name, [0.6 * smallest_mm, smallest_mm, 1.3 * smallest_mm])
    fits = find_tags(table.shoot(), markers_from_scene(table.scene, None))
    small, smallest, larger = measure_recall(table, fits).values()
    assert (smallest, larger) == (1.0, 1.0)
    assert small < 0.5
    middle_mm, corner_mm = measure_errors(table, fits, draws=20)
    assert 0.6 < middle_mm / table.plan.rest_mm[0] < 1.5
    assert 0.5 < corner_mm / table.plan.rest_mm[1] < 1.5
    assert not math.isnan(middle_mm)
