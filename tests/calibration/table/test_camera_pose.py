"""The camera's place from anchors: its covariance is that of the errors, with and without a lens file."""

import numpy as np

from calibration.spaces import CameraOverTable
from calibration.table.anchor_layout import CORNERS
from calibration.table.camera_pose import guess_lens, solve_table
from tests.calibration.table.simulated_tables import (
    IMAGE_SIZE,
    KNOWN,
    SIZE_MM,
    SPOTS,
    Floats,
    TruePlace,
    measure_error_at_spots,
    simulate_calibration,
    simulate_camera,
    simulate_places,
    simulate_sighting,
)

SQUARES = np.array(
    [
        [(s.real, s.imag, 0.0) for s in a.find_centre_mm(0, 0) + CORNERS * SIZE_MM / 2 * np.exp(1j * (a.turn_rad or 0))]
        for a in KNOWN
    ]
)


def solve_simulated(
    rng: np.random.Generator, true: CameraOverTable, there: dict[int, TruePlace], **known: object
) -> CameraOverTable:
    seen = simulate_sighting(rng, true, there)
    return solve_table(
        lens=known.pop("lens", None) or simulate_calibration(true, rng),  # type: ignore[arg-type]
        squares_mm=SQUARES,
        squares_px=np.array([seen.squares_px[a.tag] for a in KNOWN]),
        noise_px2=np.array([seen.noise_px2[a.tag] for a in KNOWN]),
        **known,  # type: ignore[arg-type]
    )


def build_placement() -> Floats:
    """Return a covariance of places that are all off in proportion, and each a little by itself."""
    stretched = np.array(
        [(0.002 * a.find_centre_mm(0, 0).real, 0.001 * a.find_centre_mm(0, 0).imag, 0.0) for a in KNOWN]
    ).ravel()
    return np.outer(stretched, stretched) + np.diag([0.25, 0.25, 1e-4] * len(KNOWN))


def test_what_is_not_known_of_the_anchors_places_is_not_known_of_the_table() -> None:
    rng, spread = np.random.default_rng(1), build_placement()
    draw, found = np.linalg.cholesky(spread), []
    for _ in range(40):
        off = (draw @ rng.standard_normal(len(draw))).reshape(-1, 3)
        there = {
            tag: TruePlace(x_mm=at.x_mm + dx, y_mm=at.y_mm + dy, turn_rad=at.turn_rad + turn)
            for (tag, at), (dx, dy, turn) in zip(simulate_places(rng, KNOWN).items(), off, strict=True)
        }
        true = simulate_camera(rng)
        found.append(measure_error_at_spots(solve_simulated(rng, true, there, placement=spread), true))
    assert 0.7 < np.mean(found) < 1.4


def test_exact_places_are_no_other_than_none() -> None:
    true, there = simulate_camera(np.random.default_rng(2)), simulate_places(np.random.default_rng(2), KNOWN)
    one = solve_simulated(np.random.default_rng(3), true, there, placement=np.zeros((18, 18)))
    other = solve_simulated(np.random.default_rng(3), true, there)
    np.testing.assert_array_equal(one.parameters, other.parameters)


def test_without_a_lens_file_the_stated_sigma_is_that_of_the_errors() -> None:
    """For cameras drawn from what is known of cameras; any single one lies near its middle or far from it."""
    rng, found, heights = np.random.default_rng(4), [], []
    for _ in range(60):
        true = simulate_camera(rng)
        camera_found = solve_simulated(rng, true, simulate_places(rng, KNOWN), lens=guess_lens(IMAGE_SIZE))
        found.append(measure_error_at_spots(camera_found, true))
        heights.append((camera_found.height_mm - true.height_mm) / camera_found.height_sigma_mm)
    assert 0.4 < np.mean(found) < 1.4
    assert 0.4 < np.mean(np.square(heights)) < 1.5


def test_a_table_that_may_be_turned_makes_poses_less_sure_of_their_turn() -> None:
    rng, found = np.random.default_rng(5), []
    about = np.array([(-a.find_centre_mm(0, 0).imag, a.find_centre_mm(0, 0).real, 1.0) for a in KNOWN]).ravel()
    spread = 0.004**2 * np.outer(about, about) + np.diag([0.01, 0.01, 1e-6] * len(KNOWN))
    draw, square = np.linalg.cholesky(spread), np.column_stack([CORNERS.real, CORNERS.imag, np.zeros(4)])
    for _ in range(30):
        off = (draw @ rng.standard_normal(len(draw))).reshape(-1, 3)
        there = {
            tag: TruePlace(x_mm=at.x_mm + dx, y_mm=at.y_mm + dy, turn_rad=at.turn_rad + turn)
            for (tag, at), (dx, dy, turn) in zip(simulate_places(rng, KNOWN).items(), off, strict=True)
        }
        true = simulate_camera(rng)
        found_camera = solve_simulated(rng, true, there, placement=spread)
        for spot in SPOTS[::4]:
            seen = found_camera.table_from_image(true.image_from_table(spot + 10 * square), 0.0)
            turn_rad = np.angle((seen @ (1, 1j) * CORNERS.conj()).sum())
            error = np.array([*(seen.mean(axis=0) - spot[:2]), turn_rad])
            (stated,) = found_camera.pose_covariance(spot)
            found.append(error @ np.linalg.solve(stated, error) / 3)
    np.testing.assert_allclose(found_camera.pose_covariance(SPOTS)[:, :2, :2], found_camera.covariance_mm2(SPOTS))
    assert 0.6 < np.mean(found) < 1.5
