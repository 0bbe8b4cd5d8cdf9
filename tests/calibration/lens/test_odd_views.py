"""Bad views are named, with the reason, and good ones kept."""

from dataclasses import replace

import numpy as np
import pytest

from calibration.errors import Unsolvable
from calibration.lens.bundle_adjustment import BoardView
from calibration.lens.odd_views import select_usable_views
from calibration.lens.solve import LensFit, solve_lens
from tests.calibration.lens.board_views import SIZE, TRUE, bend_board, simulate_view, simulate_views


def spoil(view: BoardView, corners: slice, by_px: tuple[float, float]) -> BoardView:
    """Return a view of which some corners were taken for others."""
    pixels = view.points_px.copy()
    pixels[corners] += by_px
    return replace(view, points_px=pixels)


@pytest.fixture(scope="module")
def without() -> LensFit:
    """The lens of good views alone."""
    return solve_lens(simulate_views(2, count=10), SIZE)


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("bent", "the board is bent by about"),
        ("unsteady", "its corners are unsteady by"),
        ("sheared", "the board is drawn out of shape: it or the camera moved"),
        ("misread", "of its 70 corners were misread"),
    ],
)
def test_a_bad_view_is_named_with_its_reason(kind: str, reason: str, without: LensFit) -> None:
    rng = np.random.default_rng(11)
    good = simulate_views(2, count=10)
    really_mm = bend_board(np.array([3.0, 0.0, 2.0]) if kind == "bent" else np.zeros(3))
    bad = simulate_view(rng, name="bad", really_mm=really_mm)
    while len(bad.points_px) < 70:
        bad = simulate_view(rng, name="bad", really_mm=really_mm)
    if kind == "unsteady":
        bad = replace(bad, points_px=bad.points_px + rng.normal(0, 1.0, bad.points_px.shape))
    if kind == "sheared":
        # A shutter that reads row after row, while the board moves sideways
        bad = replace(bad, points_px=bad.points_px + 0.08 * bad.points_px[:, 1:] * [[1.0, 0.0]])
    if kind == "misread":
        bad = spoil(bad, slice(0, 22), (30.0, 8.0))
    fit = solve_lens([*good[:5], bad, *good[5:]], SIZE)
    (drop,) = fit.dropped
    assert drop.view == "bad"
    assert reason in drop.reason
    assert fit.dropped_odd == ("bad",)
    assert set(fit.views) == {view.name for view in good}
    # As if it had never been there
    assert np.allclose(fit.lens.parameters, without.lens.parameters, rtol=1e-3, atol=1e-3)


def test_single_corners_of_the_wrong_square_are_left_out_and_their_view_is_kept() -> None:
    spoilt = [spoil(view, slice(3, 6), (25.0, 0.0)) if i % 3 == 0 else view for i, view in enumerate(simulate_views(4))]
    fit = solve_lens(spoilt, SIZE)
    assert fit.dropped == ()
    assert fit.corners_dropped == pytest.approx(12, abs=2)
    assert abs(fit.lens.parameters[0] - TRUE[0]) < 4 * np.sqrt(fit.lens.covariance[0, 0])


@pytest.mark.parametrize("bad", [2, 3])
def test_what_agrees_is_believed_only_if_it_is_the_most(bad: int) -> None:
    some = simulate_views(5, count=5)
    for i in range(1, 1 + bad):
        some[i] = spoil(some[i], slice(0, len(some[i].points_px) // 2), (60.0 - 9 * i, 8.0 * i))
    if bad == 2:
        fit = solve_lens(some, SIZE)
        assert fit.dropped_odd == ("view 1", "view 2")
        assert abs(fit.lens.parameters[0] - TRUE[0]) < 4 * np.sqrt(fit.lens.covariance[0, 0])
    else:
        with pytest.raises(Unsolvable, match="no lens explains most pictures of the board: they are off by 9"):
            solve_lens(some, SIZE)


def test_what_a_view_cannot_tell_is_said() -> None:
    one, *_ = simulate_views(6, count=1)
    few = replace(one, name="few", points_mm=one.points_mm[:5], points_px=one.points_px[:5])
    row = replace(one, name="row", points_mm=one.points_mm[:10], points_px=one.points_px[:10])
    none = replace(one, name="none", points_mm=np.empty((0, 3)), points_px=np.empty((0, 2)))
    again = replace(one, name="again", points_px=one.points_px + 0.3)
    kept, dropped = select_usable_views([one, few, row, none, again], SIZE[0])
    assert kept == [one]
    assert [(drop.view, drop.reason) for drop in dropped] == [
        ("few", "only 5 corners of the board are seen in it, of 8 at least"),
        ("row", "the corners that are seen in it lie on one line"),
        ("none", "no board is seen in it"),
        ("again", "the board is where it is in view 0"),
    ]
