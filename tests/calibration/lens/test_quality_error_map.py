"""What a lens's errors are on a table, against errors that are made."""

from dataclasses import replace

import numpy as np
import pytest

from calibration.lens.quality import build_grid_mm, compute_displacement_mm, map_lens_error, place_table_under
from calibration.spaces import Lens, project
from tests.calibration.lens.board_views import SIZE, TRUE

SIGMAS = np.array([2.0, 2.0, 3.0, 3.0, 0.004, 0.004, 3e-4, 3e-4, 0.002])


def build_lens() -> Lens:
    """A lens known not too well, its parameters not independent of each other."""
    twist = np.linalg.qr(np.random.default_rng(1).normal(size=(9, 9)))[0]
    inner = twist @ np.diag(np.linspace(0.3, 2.0, 9)) @ twist.T
    return Lens(image_size=SIZE, parameters=TRUE, covariance=inner * np.outer(SIGMAS, SIGMAS))


def test_the_map_is_the_error_of_lenses_drawn_by_lot() -> None:
    true = build_lens()
    stand = place_table_under(true)
    told = map_lens_error(true, stand)
    points_mm = np.column_stack([told.places_mm.reshape(-1, 2), np.zeros(35)])
    rng = np.random.default_rng(2)
    drawn = rng.multivariate_normal(TRUE, true.covariance, size=400)
    squares = [
        (compute_displacement_mm(true, replace(true, parameters=other), stand, points_mm) ** 2).sum(axis=1)
        for other in drawn
    ]
    np.testing.assert_allclose(np.sqrt(np.mean(squares, axis=0)), told.errors_mm.ravel(), rtol=0.15)


def test_what_the_place_of_the_camera_takes_up_does_no_harm() -> None:
    # Both focal lengths two per cent too long: the camera is thought to hang higher, and nothing else changes.
    true = replace(build_lens(), parameters=np.array([1185.0, 1185.0, 955.0, 545.0, 0, 0, 0, 0, 0]))
    longer = replace(true, parameters=true.parameters * ([1.02, 1.02] + [1.0] * 7))
    stand = place_table_under(true)
    points_mm = np.column_stack([build_grid_mm(stand.table_mm).reshape(-1, 2), np.zeros(35)])
    assert np.abs(compute_displacement_mm(true, longer, stand, points_mm)).max() < 1e-6


def test_what_the_model_does_not_explain_adds_to_the_map() -> None:
    exact = replace(build_lens(), covariance=1e-18 * np.eye(9))
    stand = place_table_under(exact)
    told = map_lens_error(exact, stand, misfit_px=0.3)
    assert told.typical_mm == pytest.approx(0.3 * stand.height_mm / TRUE[0], rel=0.15)


@pytest.mark.parametrize(
    ("table_mm", "size"), [((1524.0, 1118.0), SIZE), ((600.0, 900.0), SIZE), ((900.0, 600.0), (720, 1280))]
)
def test_the_table_fills_the_picture(table_mm: tuple[float, float], size: tuple[int, int]) -> None:
    turned = replace(
        build_lens(), image_size=size, parameters=np.array([1000.0, 1000.0, size[0] / 2, size[1] / 2, *TRUE[4:]])
    )
    stand = place_table_under(turned, table_mm=table_mm)
    corners = np.array([(x, y, 0.0) for x in (0, table_mm[0]) for y in (0, table_mm[1])])
    pixels, _ = project(corners, np.concatenate([stand.pose, turned.parameters]))
    assert (pixels > 0).all()
    assert (pixels < size).all()
    assert (np.ptp(pixels, axis=0) / size).max() > 0.9
    further = place_table_under(turned, table_mm=table_mm, height_mm=2 * stand.height_mm)
    assert map_lens_error(turned, further).typical_mm > 0
    assert further.height_mm == 2 * stand.height_mm
