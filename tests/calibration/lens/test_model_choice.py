"""As much of a lens is left open as held-out views want."""

import numpy as np
import pytest

from calibration.lens.bundle_adjustment import BoardView
from calibration.lens.model_choice import EVERY_PART, LensPart, build_prior
from calibration.lens.solve import solve_lens
from calibration.spaces import project
from tests.calibration.lens.board_views import BOARD, SIZE, TRUE

WAVY = TRUE + np.array([0, 0, 0, 0, 0.1, -0.45, 0, 0, 0.3])


def show(lens: np.ndarray, reach: float) -> list[BoardView]:
    """Return ten views of a board in the inner part of the picture, as large as reach says."""
    rng = np.random.default_rng(8)
    views: list[BoardView] = []
    while len(views) < 10:
        turn = np.array([rng.normal(0, 0.35), rng.normal(0, 0.35), rng.normal(0, 0.3)])
        at = (rng.uniform(-reach, reach, 2) * SIZE / 2) / lens[:2] * 600.0
        pose = np.concatenate([turn, np.array([*at, 600.0]) - BOARD.mean(axis=0)])
        pixels, _ = project(BOARD, np.concatenate([pose, lens]))
        inside = (pixels > 0).all(axis=1) & (pixels < SIZE).all(axis=1)
        if inside.sum() > 40:
            noisy = pixels[inside] + rng.normal(0, 0.15, (int(inside.sum()), 2))
            views.append(BoardView(name=f"view {len(views)}", points_mm=BOARD[inside], points_px=noisy))
    return views


def test_a_wavy_lens_is_opened_and_an_ordinary_one_is_not() -> None:
    ordinary, wavy = (solve_lens(show(lens, 0.8), SIZE) for lens in (TRUE, WAVY))
    k2 = 5
    assert "k3" in wavy.estimated
    assert abs(wavy.lens.parameters[k2] - WAVY[k2]) < 4 * np.sqrt(wavy.lens.covariance[k2, k2]) < 0.2
    assert ordinary.lens.covariance[k2, k2] < 0.02**2


def test_what_was_not_told_is_as_doubtful_as_in_any_lens() -> None:
    fit = solve_lens(show(TRUE, 0.1), SIZE)
    assert {"k2", "k3"}.isdisjoint(fit.estimated)
    usual = np.linalg.inv(build_prior(frozenset(), SIZE, TRUE[0]).information)
    for number in (5, 8):
        assert 0.4 * usual[number, number] < fit.lens.covariance[number, number] < 1.6 * usual[number, number]
        assert abs(fit.lens.parameters[number]) < np.sqrt(usual[number, number])


@pytest.mark.parametrize("part", LensPart)
def test_opening_a_part_leaves_its_parameters_more_room(part: LensPart) -> None:
    closed, opened = (
        np.linalg.inv(build_prior(parts, SIZE, TRUE[0]).information) for parts in (EVERY_PART - {part}, EVERY_PART)
    )
    difference = np.array([1.0, -1.0, *np.zeros(10)])
    if part is LensPart.ASPECT:
        assert difference @ opened @ difference > 100 * (difference @ closed @ difference)
    else:
        assert (np.diag(opened) > 1.5 * np.diag(closed)).sum() == 2
