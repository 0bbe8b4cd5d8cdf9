"""Anchors without a place, solved together with the cameras that saw them."""

import math
from collections.abc import Sequence

import numpy as np
import pytest

from calibration.errors import Unsolvable
from calibration.table.anchor_layout import StatedAnchor
from calibration.table.bundle_adjustment import solve_places
from calibration.table.camera_pose import guess_lens
from calibration.table.quality import describe_weaknesses, hold_out_anchors, map_sigma_mm
from tests.calibration.table.simulated_tables import (
    IMAGE_SIZE,
    KNOWN,
    TABLE,
    lay_anywhere,
    lay_in_corners,
    measure_error_at_spots,
    measure_squared_sigmas,
    simulate_calibration,
    simulate_camera,
    simulate_places,
    simulate_sighting,
)

FOUR = lay_in_corners("near-left", "near-right", "far-right", "far-left")


@pytest.mark.parametrize(
    ("laid", "pictures", "with_lens"),
    [
        ((*FOUR, *lay_anywhere(3)), 1, True),
        ((*FOUR[:3], *lay_anywhere(3)), 2, False),
        ((FOUR[0], *lay_anywhere(4)), 2, True),
        ((*KNOWN[:2], *lay_anywhere(3)), 1, False),
    ],
    ids=["four corners", "three corners, no lens", "one corner", "two places, no lens"],
)
def test_places_are_within_their_sigma(laid: Sequence[StatedAnchor], pictures: int, with_lens: bool) -> None:
    rng, anchors, table = np.random.default_rng(1), [], []
    loose = [3 * i + k for i, anchor in enumerate(laid) if anchor.is_open or anchor.corner for k in range(3)]
    for _ in range(10):
        there, first = simulate_places(rng, laid), simulate_camera(rng)
        cameras = [first, *(simulate_camera(rng, first.lens.parameters) for _ in range(pictures - 1))]
        lens = simulate_calibration(first, rng) if with_lens else guess_lens(IMAGE_SIZE)
        fit = solve_places(
            lens=lens, stated=laid, table=TABLE, pictures=[simulate_sighting(rng, c, there) for c in cameras]
        )
        off = fit.places - [(t.x_mm, t.y_mm, t.turn_rad) for t in there.values()]
        off[:, 2] = np.remainder(off[:, 2] + math.pi, math.tau) - math.pi
        anchors.append(measure_squared_sigmas(off.ravel()[loose], fit.covariance[np.ix_(loose, loose)]))
        table.append(measure_error_at_spots(fit.cameras[-1], cameras[-1]))
    assert 0.6 < np.mean(anchors) < 1.3
    assert 0.4 < np.mean(table) < 1.6


def test_a_table_that_nothing_holds_is_refused() -> None:
    rng = np.random.default_rng(2)
    true, laid = simulate_camera(rng), lay_anywhere(4)
    with pytest.raises(Unsolvable, match="nothing says where on the table the anchors lie: give one in the pictures a"):
        solve_places(
            lens=true.lens,
            stated=laid,
            table=TABLE,
            pictures=[simulate_sighting(rng, true, simulate_places(rng, laid))],
        )


def test_pictures_that_show_nothing_in_common_are_refused() -> None:
    rng = np.random.default_rng(3)
    true, laid = simulate_camera(rng), (*KNOWN[:2], *lay_anywhere(2))
    there = simulate_places(rng, laid)
    halves = [{t: there[t] for t in (580, 581)}, {t: there[t] for t in (560, 561)}]
    with pytest.raises(Unsolvable, match="some pictures have no anchor in common with the others"):
        solve_places(
            lens=true.lens, stated=laid, table=TABLE, pictures=[simulate_sighting(rng, true, half) for half in halves]
        )


def test_what_holds_a_table_weakly_is_said() -> None:
    rng = np.random.default_rng(4)
    true = simulate_camera(rng)
    for laid, with_lens, sentence in [
        ((FOUR[0], *lay_anywhere(3)), True, "anchor 570 alone holds the table; lay another into a corner far from it"),
        (KNOWN[:1], True, "anchor 580 is alone; lay three more"),
        (KNOWN[:4], False, "without a lens file the focal length is known to"),
    ]:
        lens = simulate_calibration(true, rng) if with_lens else guess_lens(IMAGE_SIZE)
        fit = solve_places(
            lens=lens, stated=laid, table=TABLE, pictures=[simulate_sighting(rng, true, simulate_places(rng, laid))]
        )
        assert any(sentence in said for said in describe_weaknesses(fit, TABLE, lens_known=with_lens))
    fit = solve_places(
        lens=true.lens, stated=KNOWN, table=TABLE, pictures=[simulate_sighting(rng, true, simulate_places(rng, KNOWN))]
    )
    assert describe_weaknesses(fit, TABLE, lens_known=True) == ()
    assert max(sigma_mm for *_, sigma_mm in map_sigma_mm(fit.cameras[0], TABLE)) < 0.5


def test_anchors_held_out_are_predicted_as_well_as_is_said() -> None:
    rng, off = np.random.default_rng(5), []
    laid = tuple(
        StatedAnchor(tag=a.tag, size_mm=40, x_mm=a.x_mm, y_mm=a.y_mm, turn_rad=a.turn_rad, sigma_mm=0.5, sigma_rad=0.02)
        for a in KNOWN
    )
    for _ in range(4):
        true = simulate_camera(rng)
        lens, pictures = simulate_calibration(true, rng), [simulate_sighting(rng, true, simulate_places(rng, laid))]
        fit = solve_places(lens=lens, stated=laid, table=TABLE, pictures=pictures)
        held = hold_out_anchors(lens=lens, stated=laid, table=TABLE, pictures=pictures, fit=fit)
        assert held.keys() == {a.tag for a in laid}
        off += [h.off_mm / h.sigma_mm for h in held.values()]
    # The sigma is that along the error, and the error has two directions to go.
    assert 1.0 < np.mean(np.square(off)) < 3.0
