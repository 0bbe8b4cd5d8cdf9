"""Fisheye lenses: solved by their own model where the ordinary one does not foretell views, and only there."""

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from calibration.lens.bundle_adjustment import BoardView
from calibration.lens.file import LensFile
from calibration.lens.quality import map_lens_error, place_table_under
from calibration.lens.solve import solve_lens
from calibration.spaces import Floats, Lens, LensModel, project, unproject
from tests.calibration.lens.board_views import BOARD, SIZE, simulate_view, simulate_views
from tests.calibration.lens.random_boards import measure_off_mm

FOCALS_PX = {120: 917.0, 150: 733.0, 170: 647.0}
"""By how wide an equidistant lens sees, degrees across the picture."""
POSE = np.array([0.3, -0.2, 0.5, 30.0, 40.0, 300.0])


def build_fisheye(focal_px: float) -> Floats:
    """(9,) a lens between an equidistant and an equisolid one, its axis off the middle of the picture."""
    return np.array([focal_px, focal_px + 0.8, 961.0, 536.0, -0.03, 0.001, 3e-4, -2e-4, 0.0])


def simulate_fisheye_views(lens: Floats, seed: int, count: int = 14, noise_px: float = 0.15) -> list[BoardView]:
    """Return views of a board that is held up all over the picture, tilted against the ray that it is seen along."""
    rng = np.random.default_rng(seed)
    views: list[BoardView] = []
    while len(views) < count:
        ray = unproject(rng.uniform(0.08, 0.92, 2) * SIZE, lens, LensModel.FISHEYE)[0]
        facing = np.asarray(cv2.Rodrigues(np.cross([0.0, 0.0, 1.0], ray) * np.arccos(ray[2]) / np.hypot(*ray[:2]))[0])
        turn = facing @ np.asarray(cv2.Rodrigues(np.array([*rng.normal(0, 0.35, 2), rng.normal(0, 0.5)]))[0])
        shift = ray * rng.uniform(180, 450) - turn @ BOARD.mean(axis=0)
        pose = np.concatenate([np.ravel(cv2.Rodrigues(turn)[0]), shift])
        pixels, _ = project(BOARD, np.concatenate([pose, lens]), LensModel.FISHEYE)
        inside = ((pixels > 0) & (pixels < SIZE)).all(axis=1)
        if inside.sum() > 30:
            noisy = pixels[inside] + rng.normal(0, noise_px, (int(inside.sum()), 2))
            views.append(BoardView(name=f"view {len(views)}", points_mm=BOARD[inside], points_px=noisy))
    return views


def differentiate(function: Callable[[Floats], Floats], at: Floats) -> Floats:
    """Return how a function's values go with its numbers, by small steps."""
    steps = np.diag(1e-6 * np.maximum(1.0, np.abs(at)))
    return np.stack([(function(at + s) - function(at - s)) / (2 * s.sum()) for s in steps], axis=-1)


def test_a_point_is_seen_where_opencv_s_fisheye_sees_it() -> None:
    lens = build_fisheye(700.0)
    lens[6:8] = 0
    matrix = np.array([[lens[0], 0, lens[2]], [0, lens[1], lens[3]], [0, 0, 1.0]])
    theirs, _ = cv2.fisheye.projectPoints(
        BOARD.reshape(-1, 1, 3), POSE[:3], POSE[3:], matrix, np.array([lens[4], lens[5], lens[8], 0.0])
    )
    ours, _ = project(BOARD, np.concatenate([POSE, lens]), LensModel.FISHEYE)
    np.testing.assert_allclose(ours, np.asarray(theirs).reshape(-1, 2), atol=1e-8)


def test_rays_lead_back_and_derivatives_are_right_even_beside_the_camera() -> None:
    lens = build_fisheye(700.0)
    points = np.array([(300.0, 20.0, 900.0), (0.0, 0.0, 500.0), (-900.0, 400.0, 60.0), (500.0, 500.0, -30.0)])
    parameters = np.concatenate([POSE, lens])
    pixels, slope = project(points, parameters, LensModel.FISHEYE)
    by_steps = differentiate(lambda at: project(points, at, LensModel.FISHEYE)[0], parameters)
    np.testing.assert_allclose(slope, by_steps, rtol=1e-5, atol=1e-4)
    seen = points @ np.asarray(cv2.Rodrigues(POSE[:3])[0]).T + POSE[3:]
    along = unproject(pixels, lens, LensModel.FISHEYE)
    np.testing.assert_allclose(along, seen / np.linalg.norm(seen, axis=1, keepdims=True), atol=1e-9)


@pytest.mark.parametrize("degrees", FOCALS_PX)
def test_a_wide_lens_is_taken_for_a_fisheye_and_found_as_surely_as_is_said(degrees: int) -> None:
    lens = build_fisheye(FOCALS_PX[degrees])
    fit = solve_lens(simulate_fisheye_views(lens, degrees), SIZE)
    assert fit.lens.model is LensModel.FISHEYE
    assert fit.held_out_px < 0.26  # 0.15 px of noise along both axes
    off = fit.lens.parameters - lens
    assert (np.abs(off) < 4 * np.sqrt(np.diag(fit.lens.covariance))).all()
    said_mm = map_lens_error(fit.lens, place_table_under(fit.lens), misfit_px=fit.misfit_px).typical_mm
    true = Lens(image_size=SIZE, parameters=lens, covariance=np.eye(9), model=LensModel.FISHEYE)
    assert measure_off_mm(true, fit.lens) < 3 * said_mm < 1.5


@pytest.mark.parametrize("focal_px", [1185.0, 800.0])
def test_an_ordinary_lens_stays_one_however_wide_it_is(focal_px: float) -> None:
    lens = np.array([focal_px, focal_px, 955.0, 545.0, -0.05, 0.004, 4e-4, -3e-4, 0.0])
    rng = np.random.default_rng(3)
    views = [simulate_view(rng, 0.15, f"view {number}", lens=lens) for number in range(12)]
    assert solve_lens(views, SIZE).lens.model is LensModel.PINHOLE


def test_its_file_is_of_a_format_of_its_own_and_gives_it_back() -> None:
    wide = solve_lens(simulate_fisheye_views(build_fisheye(FOCALS_PX[150]), 1), SIZE)
    text = LensFile.from_fit(wide).model_dump_json()
    assert '"overtable.lens/2"' in text
    assert '"fisheye"' in text
    again = LensFile.model_validate_json(text).lens
    assert again.model is LensModel.FISHEYE
    np.testing.assert_array_equal(again.parameters, wide.lens.parameters)
    with pytest.raises(ValueError, match="expected a model in overtable.lens/2, and none in overtable.lens/1"):
        LensFile.model_validate_json(text.replace("lens/2", "lens/1"))
    assert '"model"' not in LensFile.from_fit(solve_lens(simulate_views(2), SIZE)).model_dump_json()
