"""Measurement of rings: where the base stands, how sure that is, and how high it looks."""

import math
from dataclasses import replace

import numpy as np
import pytest

from tests.vision.rings.conftest import PLACED
from tests.vision.rings.rendered_rings import Grey, PlacedRing, enrol_ring, render_rings
from tests.vision.synthetic_camera import CAMERA
from vision.rings.enrolled_ring import EnrolledRing
from vision.rings.measurement import LEAST_SEEN, MOST_CONTRADICTED, SURE_EVIDENCE, estimate_cell_px, measure_rings
from vision.rings.pattern_fit import RingFit, RingStart, fit_rings
from vision.tags.pose_estimation import BaseMeasurement, estimate_typical_fit


def start_at(placed: PlacedRing, ring: EnrolledRing | None = None, surface_mm: float | None = None) -> RingStart:
    """Return a start a little beside where a ring lies."""
    return RingStart(
        ring=ring or placed.ring,
        x_mm=placed.x_mm + 0.2,
        y_mm=placed.y_mm - 0.3,
        facing_rad=placed.facing_rad + 0.02,
        surface_mm=placed.surface_mm if surface_mm is None else surface_mm,
    )


@pytest.fixture(scope="module")
def fits(ringed_table: Grey) -> list[RingFit]:
    """Return the fits of PLACED."""
    found = [fit for fit in fit_rings(CAMERA, ringed_table, [start_at(one) for one in PLACED]) if fit is not None]
    assert len(found) == len(PLACED)
    return found


def measure(fit: RingFit) -> BaseMeasurement:
    """Return what is measured of one ring."""
    (measured,) = measure_rings(CAMERA, [fit])
    return measured


def test_bases_are_measured_where_they_stand_as_surely_as_is_said(fits: list[RingFit]) -> None:
    measured = measure_rings(CAMERA, fits)
    assert [m.marker for m in measured] == [one.ring.marker for one in PLACED]
    for m, one in zip(measured, PLACED, strict=True):
        turn = math.remainder(m.facing_rad - one.facing_rad, math.tau)
        off = np.array([m.x_mm - one.x_mm, m.y_mm - one.y_mm, turn])
        sigma = np.sqrt(np.diag(m.noise + m.lasting))
        assert np.hypot(*off[:2]) < 0.15
        assert abs(off[2]) < math.radians(0.4)
        assert (np.abs(off) < 4 * sigma).all()
        assert (sigma[:2] < 0.2).all()
        assert sigma[2] < math.radians(0.5)


def test_a_ring_that_was_laid_askew_tells_the_base_through_its_enrolment(fits: list[RingFit]) -> None:
    fit = fits[0]
    askew = replace(fit, ring=replace(fit.ring, x_mm=3.0, y_mm=-1.0, facing_rad=0.3, offset_sigma_mm=0.3))
    straight, m = measure(fit), measure(askew)
    assert m.facing_rad == pytest.approx(straight.facing_rad - 0.3)
    offset = complex(3.0, -1.0) * np.exp(1j * m.facing_rad)
    assert complex(m.x_mm, m.y_mm) == pytest.approx(complex(straight.x_mm, straight.y_mm) - offset)
    added = np.diag(m.lasting - straight.lasting)[:2]
    assert (added >= 0.3**2).all()


def test_a_ring_of_which_too_little_is_borne_out_is_not_measured(fits: list[RingFit]) -> None:
    hidden = replace(fits[0], seen=LEAST_SEEN - 0.01)
    other = replace(fits[1], contradicted=MOST_CONTRADICTED + 0.01)
    huge = replace(fits[2], scale=1.5)
    anything = replace(fits[4], evidence=-0.1)
    assert [m.marker for m in measure_rings(CAMERA, [hidden, other, huge, fits[3], anything])] == [fits[3].ring.marker]
    assert measure_rings(CAMERA, []) == []


def test_a_ring_that_motion_blurs_is_measured_if_it_tells_of_itself_all_the_same(fits: list[RingFit]) -> None:
    told = replace(fits[0], blur_px=3.0, evidence=1.01 * SURE_EVIDENCE * fits[0].ring.layout.cells)
    untold = replace(told, evidence=0.99 * SURE_EVIDENCE * fits[0].ring.layout.cells)
    assert len(measure_rings(CAMERA, [told])) == 1
    assert measure_rings(CAMERA, [untold]) == []


def test_the_less_its_cells_tell_the_less_sure_is_where_a_ring_lies(fits: list[RingFit]) -> None:
    def find_sigma(evidence_a_cell: float, seen: float = 0.8) -> float:
        evidence = evidence_a_cell * seen * fits[0].ring.layout.cells
        m = measure(replace(fits[0], evidence=evidence, seen=seen))
        return math.sqrt(np.trace((m.noise + m.lasting)[:2, :2]))

    sure, less, little, hardly = (find_sigma(evidence) for evidence in (2.5, 1.6, 0.7, 0.01))
    assert find_sigma(2.2) == pytest.approx(sure)
    assert find_sigma(1.6, seen=0.6) == pytest.approx(less), "what a figure hides tells nothing, and pulls nothing"
    assert 1.05 * sure < less < 1.4 * sure
    assert 1.5 * sure < little < 3.1 * sure
    assert little < hardly < 4.5 * sure


def test_height_is_told_by_size_and_the_corners_go_with_it() -> None:
    lifted = PlacedRing(ring=enrol_ring(40), x_mm=300.0, y_mm=700.0, facing_rad=0.5, surface_mm=60.0)
    picture = render_rings(CAMERA, [lifted])
    lean = (CAMERA.eye_mm[:2] - (lifted.x_mm, lifted.y_mm)) / CAMERA.height_mm
    x_mm, y_mm = np.array([lifted.x_mm, lifted.y_mm]) - 60.0 * lean * CAMERA.height_mm / (CAMERA.height_mm - 60.0)
    seeming = replace(lifted, x_mm=float(x_mm), y_mm=float(y_mm), surface_mm=0.0)
    (fit,) = fit_rings(CAMERA, picture, [start_at(seeming)])
    assert fit is not None
    m = measure(fit)
    sigma_mm = math.hypot(m.rise_noise_mm, m.rise_floor_mm, m.rise_bias_mm)
    assert m.rise_mm == pytest.approx(60.0, abs=3 * sigma_mm)
    assert sigma_mm < 20.0
    corners = lifted.ring.corners_mm @ np.array([1.0, 1j]) * np.exp(0.5j) + complex(lifted.x_mm, lifted.y_mm)
    true = CAMERA.image_from_table(np.column_stack([corners.real, corners.imag, np.full(4, 60.25)]))
    assert m.corners_px == pytest.approx(true, abs=0.5)


def test_what_edges_among_pixels_do_to_the_height_is_another_in_each_picture_of_what_moves(fits: list[RingFit]) -> None:
    (still,) = measure_rings(CAMERA, fits[:1])
    (moving,) = measure_rings(CAMERA, fits[:1], {fits[0].ring.marker})
    assert moving.rise_noise_mm > 1.5 * still.rise_noise_mm
    assert moving.rise_floor_mm < still.rise_floor_mm
    in_all = math.hypot(still.rise_noise_mm, still.rise_floor_mm)
    assert math.hypot(moving.rise_noise_mm, moving.rise_floor_mm) == pytest.approx(in_all)


def test_rings_say_nothing_of_how_tags_look(fits: list[RingFit]) -> None:
    assert estimate_typical_fit(CAMERA, measure_rings(CAMERA, fits)) == estimate_typical_fit(CAMERA, [])


def test_a_cell_takes_as_many_pixels_as_the_camera_gives_it() -> None:
    layout = enrol_ring(1).layout
    size = estimate_cell_px(CAMERA, layout, (740.0, 560.0, 0.0))
    px_per_mm = CAMERA.lens.parameters[0] / CAMERA.height_mm
    assert size.along_px == pytest.approx(layout.cell_mm * px_per_mm, rel=0.02)
    assert size.across_px == pytest.approx(3.8 * px_per_mm, rel=0.02)


def test_noise_that_explains_more_than_one_picture_shows_leaves_nothing_to_last(fits: list[RingFit]) -> None:
    m = measure(replace(fits[0], noise=4 * fits[0].covariance))
    assert (np.linalg.eigvalsh(m.lasting) > 0).all()
