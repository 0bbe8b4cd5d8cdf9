"""What is made of anchors that are not seen where they were, by projection alone."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
import pytest

from calibration.drift import (
    APART_CHI2,
    DriftExplanation,
    DriftKind,
    ObservedSquare,
    carry,
    explain_drift,
    measure_shift,
)
from calibration.spaces import CameraOverTable
from calibration.table.camera_pose import remove_bleed
from tests.vision.synthetic_camera import ANCHORS, BUMP_MM, BUMP_RAD, CAMERA, move_camera

SQUARES_MM = {anchor.tag: anchor.square_mm for anchor in ANCHORS}
NOISE_PX = 0.01
Slips = Mapping[int, tuple[float, float]]


def observe_squares(
    camera: CameraOverTable, slips: Slips | None = None, tags: Iterable[int] = SQUARES_MM
) -> dict[int, ObservedSquare]:
    rng = np.random.default_rng(5)
    sights = {}
    for tag in tags:
        square_mm = SQUARES_MM[tag] + [*(slips or {}).get(tag, (0.0, 0.0)), 0.0]
        corners_px = camera.image_from_table(square_mm) + rng.normal(0, NOISE_PX, (4, 2))
        sights[tag] = ObservedSquare(corners_px=corners_px, noise_px2=NOISE_PX**2 * np.eye(8))
    return sights


def explain_observed(
    camera: CameraOverTable, slips: Slips | None = None, tags: Iterable[int] = SQUARES_MM
) -> DriftExplanation:
    return explain_drift(CAMERA, SQUARES_MM, observe_squares(CAMERA), observe_squares(camera, slips, tags))


def turn_in_place(sight: ObservedSquare, turn_rad: float) -> ObservedSquare:
    middle = sight.corners_px.mean(axis=0)
    cos, sin = math.cos(turn_rad), math.sin(turn_rad)
    return replace(sight, corners_px=middle + (sight.corners_px - middle) @ np.array([[cos, sin], [-sin, cos]]))


BUMP = move_camera(BUMP_RAD, BUMP_MM)


def test_noise_is_no_change() -> None:
    change = explain_observed(CAMERA)
    assert (change.kind, change.slipped_mm, change.moved_mm) == (DriftKind.STILL, {}, 0.0)


@pytest.mark.parametrize(
    "turn_rad", [(0.0, 0.0, 0.0), (2e-4, 0.0, 0.0), (0.004, -0.002, 0.0025), (0.2, -0.3, 0.5), (0.0, 0.1, 2.5)]
)
def test_a_bump_is_told_with_its_size(turn_rad: tuple[float, float, float]) -> None:
    shift_mm = (3.0, -4.0, 1.0)
    change = explain_observed(move_camera(turn_rad, shift_mm))
    assert change.kind is DriftKind.BUMPED
    assert change.slipped_mm == {}
    assert change.turned_rad == pytest.approx(math.hypot(*turn_rad), abs=2e-4)
    assert change.moved_mm == pytest.approx(math.hypot(*shift_mm), abs=0.3)
    assert change.camera.eye_mm == pytest.approx(CAMERA.eye_mm + shift_mm, abs=0.3)


@pytest.mark.parametrize("far_mm", [0.4, 3.0, 40.0])
def test_a_slipped_anchor_is_named_with_how_far_it_went(far_mm: float) -> None:
    change = explain_observed(CAMERA, {582: (far_mm, 0.0)})
    assert change.kind is DriftKind.STILL
    assert change.slipped_mm == {582: pytest.approx(far_mm, abs=0.05)}


def test_two_of_six_may_slip_each_its_own_way() -> None:
    change = explain_observed(CAMERA, {581: (3.0, 1.0), 583: (-2.0, 2.0)})
    assert (change.kind, set(change.slipped_mm)) == (DriftKind.STILL, {581, 583})


def test_an_anchor_that_slips_in_a_bump_is_told_from_it() -> None:
    change = explain_observed(BUMP, {582: (4.0, 0.0)})
    assert change.kind is DriftKind.BUMPED
    assert change.slipped_mm == {582: pytest.approx(4.0, abs=0.1)}
    assert change.camera.eye_mm == pytest.approx(BUMP.eye_mm, abs=0.5)


def test_of_two_anchors_that_contradict_each_other_nothing_is_guessed() -> None:
    pair = (580, 581)
    change = explain_observed(CAMERA, {581: (3.0, 1.0)}, pair)
    assert (change.kind, change.astray) == (DriftKind.UNDECIDED, (581,))
    both = observe_squares(CAMERA, {580: (4.0, 0.0), 581: (4.0, 0.0)}, pair)
    turned = {
        tag: turn_in_place(sight, turn_rad) for (tag, sight), turn_rad in zip(both.items(), (0.1, -0.1), strict=True)
    }
    assert explain_drift(CAMERA, SQUARES_MM, observe_squares(CAMERA), turned).kind is DriftKind.UNDECIDED
    assert explain_observed(BUMP, None, pair).kind is DriftKind.BUMPED


def test_half_against_half_is_undecided() -> None:
    slips = {581: (3.0, 1.0), 583: (-2.0, 2.0), 584: (5.0, 5.0)}
    change = explain_observed(CAMERA, slips)
    assert (change.kind, change.astray) == (DriftKind.UNDECIDED, (581, 583, 584))


def test_one_anchor_of_several_tells_that_all_is_well_and_nothing_else() -> None:
    assert explain_observed(CAMERA, None, [583]).kind is DriftKind.STILL
    assert explain_observed(BUMP, None, [583]).kind is DriftKind.UNDECIDED
    assert explain_observed(BUMP, None, []).kind is DriftKind.UNDECIDED


def test_the_only_anchor_of_a_table_is_believed() -> None:
    alone = {583: SQUARES_MM[583]}
    change = explain_drift(CAMERA, alone, observe_squares(CAMERA), observe_squares(BUMP))
    assert change.kind is DriftKind.BUMPED


def test_edges_that_bleed_in_another_light_are_no_change() -> None:
    before = observe_squares(CAMERA)
    lit = {
        tag: replace(sight, corners_px=remove_bleed(sight.corners_px[None], 0.3)[0]) for tag, sight in before.items()
    }
    assert explain_drift(CAMERA, SQUARES_MM, before, lit).kind is DriftKind.STILL


def test_what_is_carried_along_is_expected_where_it_will_be_and_less_surely_the_farther() -> None:
    before, after = observe_squares(CAMERA)[584], observe_squares(BUMP)[584]
    expected = carry(CAMERA, BUMP, SQUARES_MM[584], before)
    assert measure_shift(before, after).chi2 > 100 * APART_CHI2
    assert measure_shift(expected, after).chi2 < APART_CHI2
    assert (np.diag(expected.noise_px2) > np.diag(before.noise_px2)).all()


def test_a_square_out_of_shape_is_strained_however_it_lies() -> None:
    before = observe_squares(CAMERA)[580]
    pulled = before.corners_px.copy()
    pulled[0] += (1.5, -0.5)
    assert measure_shift(before, replace(before, corners_px=pulled)).strain_chi2 > 100
    shifted = replace(before, corners_px=before.corners_px + np.array([1.5, -0.5]))
    assert measure_shift(before, shifted).strain_chi2 == pytest.approx(0.0, abs=1e-6)
    assert measure_shift(before, shifted).shift == pytest.approx([1.5, -0.5, 0.0], abs=1e-9)
