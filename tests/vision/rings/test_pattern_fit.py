"""The fit of a ring's pattern that a motion has smeared."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from hardware.rings.layout import RingKind
from tests.vision.rings.rendered_rings import Grey, PlacedRing, enrol_ring, expose, render_rings
from tests.vision.synthetic_camera import CAMERA
from vision.rings.pattern_drawing import Patterns, build_grid
from vision.rings.pattern_fit import LEAST_HOLD, RingFit, RingStart, _measure_hold, fit_rings


def fit(picture: Grey, placed: PlacedRing, step_mm: complex) -> RingFit:
    """Return the fit of a ring that is begun beside its place."""
    start = RingStart(
        ring=placed.ring,
        x_mm=placed.x_mm + 0.2,
        y_mm=placed.y_mm - 0.2,
        facing_rad=placed.facing_rad + 0.01,
        step_mm=step_mm,
    )
    (found,) = fit_rings(CAMERA, picture, [start])
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("outline", "kind", "bearing_rad"), [("round 32", RingKind.HALO, 0.3), ("oval 60x35", RingKind.RIM, 1.9)]
)
def test_what_smears_a_ring_is_told_from_what_blurs_it(outline: str, kind: RingKind, bearing_rad: float) -> None:
    placed = PlacedRing(ring=enrol_ring(12, outline, kind), x_mm=420.3, y_mm=310.4, facing_rad=0.8)
    step_mm = 5.0 * complex(math.cos(bearing_rad), math.sin(bearing_rad))
    picture = expose(placed, step_mm)
    still, moving = fit(picture, placed, 0j), fit(picture, placed, step_mm)
    assert moving.unexplained < 0.9 * still.unexplained
    assert moving.blur_px < 0.85 * still.blur_px
    assert moving.seen >= still.seen
    assert moving.scale == pytest.approx(1.0, abs=0.006)
    assert math.hypot(moving.x_mm - placed.x_mm, moving.y_mm - placed.y_mm) < 0.1


def test_dark_and_light_may_be_farther_apart_than_a_ring_shows_that_a_motion_fades() -> None:
    placed = PlacedRing(ring=enrol_ring(40, "round 25"), x_mm=420.3, y_mm=310.4, facing_rad=0.8)
    step_mm = 14.0 * complex(math.cos(1.9), math.sin(1.9))
    dim = 0.35 * expose(placed, step_mm)
    for seed in range(4):
        noise = np.random.default_rng(seed).normal(0.0, 6.0, dim.shape)
        assert fit(np.clip(dim + noise, 0, 255).astype(np.uint8), placed, step_mm).evidence > 0


def test_what_moves_evenly_is_drawn_as_the_mean_of_what_goes_by_meanwhile() -> None:
    ring, blur_mm, half_mm = enrol_ring(12, "round 25"), 0.5, 1.7
    patterns = Patterns([ring], [build_grid(ring.layout, 6, 9)])
    drawn = patterns.draw(np.array([blur_mm]), half_mm * patterns.normals[:, 0])
    band, shifts_mm = ring.layout.band, half_mm * ((np.arange(200) + 0.5) / 100 - 1)
    beyond = 0.8 * (patterns.across[0][:, None] - shifts_mm - np.array([band.inner_mm, band.outer_mm])[:, None, None])
    inner, outer = np.tanh(beyond / blur_mm).mean(axis=2) / 2
    np.testing.assert_allclose(drawn.across[0, 0, 0, 0], inner - outer, atol=2e-3)


def test_a_pattern_that_is_smeared_goes_with_its_blur_and_its_smear_as_is_said() -> None:
    ring, blur_mm, step = enrol_ring(12, "round 25"), np.array([0.5]), 1.01
    half_mm = np.array([1.2 + 0.9j], dtype=np.complex128)
    patterns = Patterns([ring], [build_grid(ring.layout, 6, 9)])

    def draw(blur: float, smear: float) -> NDArray[np.float32]:
        return np.asarray(patterns.build_light(patterns.draw(blur_mm * blur, half_mm * smear))[0, 1])

    slopes = patterns.compute_slopes(patterns.draw(blur_mm, half_mm), np.array([[0.0, 1.0, 0.0, 0.0]]))[0]
    changes = draw(step, 1.0) - draw(1 / step, 1.0), draw(1.0, step) - draw(1.0, 1 / step)
    np.testing.assert_allclose(slopes[4:], np.array(changes) / (2 * math.log(step)), atol=2e-3)


def test_a_step_that_smears_nothing_changes_no_fit() -> None:
    placed = PlacedRing(ring=enrol_ring(13), x_mm=420.3, y_mm=310.4, facing_rad=0.8)
    picture = render_rings(CAMERA, [placed])
    still, slow = fit(picture, placed, 0j), fit(picture, placed, 0.5 + 0j)
    assert (slow.x_mm, slow.y_mm, slow.scale) == (still.x_mm, still.y_mm, still.scale)
    quick = fit(picture, placed, 4.0 + 2.0j)
    assert quick.evidence == pytest.approx(still.evidence, rel=0.02)
    assert abs(complex(quick.x_mm - still.x_mm, quick.y_mm - still.y_mm)) < 0.01


def test_a_fit_is_as_sure_as_it_is_where_noise_is_not_small_against_the_contrast() -> None:
    one = PlacedRing(ring=enrol_ring(5), x_mm=600.3, y_mm=500.2, facing_rad=1.0)
    found = [fit(render_rings(CAMERA, [one], noise=28.0, seed=seed), one, 0j) for seed in range(24)]
    off = np.array([[f.x_mm - one.x_mm, f.y_mm - one.y_mm] for f in found])
    stated = np.mean([f.covariance[:2, :2] for f in found], axis=0)
    assert 0.5 < (off**2).mean() / (np.trace(stated) / 2) < 1.5


def test_the_size_of_a_ring_is_told_to_be_as_noisy_as_it_is() -> None:
    kinds = (RingKind.HALO, RingKind.RIM)
    placed = [
        PlacedRing(
            ring=enrol_ring(n, kind=kinds[n % 2]), x_mm=300.3 + 70.4 * n, y_mm=400.3 + 3.1 * n, facing_rad=0.8 * n
        )
        for n in range(8)
    ]
    clean, rng = render_rings(CAMERA, placed, noise=0.0), np.random.default_rng(0)
    starts = [RingStart(ring=p.ring, x_mm=p.x_mm, y_mm=p.y_mm, facing_rad=p.facing_rad) for p in placed]
    sizes, told = [], []
    for _ in range(24):
        off = np.float32(2.3) * rng.standard_normal(clean.shape, dtype=np.float32)
        fits = fit_rings(CAMERA, np.clip(np.rint(clean + off), 0, 255).astype(np.uint8), starts, 2.3)
        sizes.append([fit.scale for fit in fits if fit])
        told.append([fit.noise[3, 3] for fit in fits if fit])
    assert 0.8 < float(np.mean(np.var(sizes, axis=0, ddof=1) / np.mean(told, axis=0))) < 1.25


def test_the_size_is_held_by_what_tells_of_it() -> None:
    # Two samples tell of the place, two of the size; the latter two are astray by as much as leaves no hold.
    rows = np.zeros((1, 9, 4), dtype=np.float32)
    rows[0, 0, :2] = rows[0, 3, 2:] = 1.0
    astray = np.array([[0.0, 0.0, 0.1, 0.1]], dtype=np.float32)
    hold = _measure_hold(rows, astray, np.ones((1, 4), dtype=np.float32))
    assert hold[0, 0] == 1.0
    assert hold[0, 3] == pytest.approx(LEAST_HOLD)
