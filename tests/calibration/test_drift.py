"""What is made of anchors that are not seen where they were, by projection alone."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
import pytest

from calibration.drift import APART_CHI2, Change, Kind, Sight, apart, carry, explain
from calibration.spaces import CameraOverTable
from calibration.table import without_bleed
from tests.vision.bumps import BUMP_MM, BUMP_RAD, moved
from tests.vision.synthetic import ANCHORS, CAMERA

SQUARES_MM = {anchor.tag: anchor.square_mm for anchor in ANCHORS}
NOISE_PX = 0.01
Slips = Mapping[int, tuple[float, float]]


def seen(camera: CameraOverTable, slips: Slips | None = None, tags: Iterable[int] = SQUARES_MM) -> dict[int, Sight]:
    rng = np.random.default_rng(5)
    sights = {}
    for tag in tags:
        square_mm = SQUARES_MM[tag] + [*(slips or {}).get(tag, (0.0, 0.0)), 0.0]
        corners_px = camera.image_from_table(square_mm) + rng.normal(0, NOISE_PX, (4, 2))
        sights[tag] = Sight(corners_px=corners_px, noise_px2=NOISE_PX**2 * np.eye(8))
    return sights


def explained(camera: CameraOverTable, slips: Slips | None = None, tags: Iterable[int] = SQUARES_MM) -> Change:
    return explain(CAMERA, SQUARES_MM, seen(CAMERA), seen(camera, slips, tags))


def turned_in_place(sight: Sight, turn_rad: float) -> Sight:
    middle = sight.corners_px.mean(axis=0)
    cos, sin = math.cos(turn_rad), math.sin(turn_rad)
    return replace(sight, corners_px=middle + (sight.corners_px - middle) @ np.array([[cos, sin], [-sin, cos]]))


BUMP = moved(BUMP_RAD, BUMP_MM)


def test_noise_is_no_change() -> None:
    change = explained(CAMERA)
    assert (change.kind, change.slipped_mm, change.moved_mm) == (Kind.STILL, {}, 0.0)


@pytest.mark.parametrize(
    "turn_rad", [(0.0, 0.0, 0.0), (2e-4, 0.0, 0.0), (0.004, -0.002, 0.0025), (0.2, -0.3, 0.5), (0.0, 0.1, 2.5)]
)
def test_a_bump_is_told_with_its_size(turn_rad: tuple[float, float, float]) -> None:
    shift_mm = (3.0, -4.0, 1.0)
    change = explained(moved(turn_rad, shift_mm))
    assert change.kind is Kind.BUMPED
    assert change.slipped_mm == {}
    assert change.turned_rad == pytest.approx(math.hypot(*turn_rad), abs=2e-4)
    assert change.moved_mm == pytest.approx(math.hypot(*shift_mm), abs=0.3)
    assert change.camera.eye_mm == pytest.approx(CAMERA.eye_mm + shift_mm, abs=0.3)


@pytest.mark.parametrize("far_mm", [0.4, 3.0, 40.0])
def test_a_slipped_anchor_is_named_with_how_far_it_went(far_mm: float) -> None:
    change = explained(CAMERA, {582: (far_mm, 0.0)})
    assert change.kind is Kind.STILL
    assert change.slipped_mm == {582: pytest.approx(far_mm, abs=0.05)}


def test_two_of_six_may_slip_each_its_own_way() -> None:
    change = explained(CAMERA, {581: (3.0, 1.0), 583: (-2.0, 2.0)})
    assert (change.kind, set(change.slipped_mm)) == (Kind.STILL, {581, 583})


def test_an_anchor_that_slips_in_a_bump_is_told_from_it() -> None:
    change = explained(BUMP, {582: (4.0, 0.0)})
    assert change.kind is Kind.BUMPED
    assert change.slipped_mm == {582: pytest.approx(4.0, abs=0.1)}
    assert change.camera.eye_mm == pytest.approx(BUMP.eye_mm, abs=0.5)


def test_of_two_anchors_that_contradict_each_other_nothing_is_guessed() -> None:
    pair = (580, 581)
    change = explained(CAMERA, {581: (3.0, 1.0)}, pair)
    assert (change.kind, change.astray) == (Kind.UNDECIDED, (581,))
    both = seen(CAMERA, {580: (4.0, 0.0), 581: (4.0, 0.0)}, pair)
    turned = {
        tag: turned_in_place(sight, turn_rad) for (tag, sight), turn_rad in zip(both.items(), (0.1, -0.1), strict=True)
    }
    assert explain(CAMERA, SQUARES_MM, seen(CAMERA), turned).kind is Kind.UNDECIDED
    assert explained(BUMP, None, pair).kind is Kind.BUMPED


def test_half_against_half_is_undecided() -> None:
    slips = {581: (3.0, 1.0), 583: (-2.0, 2.0), 584: (5.0, 5.0)}
    change = explained(CAMERA, slips)
    assert (change.kind, change.astray) == (Kind.UNDECIDED, (581, 583, 584))


def test_one_anchor_of_several_tells_that_all_is_well_and_nothing_else() -> None:
    assert explained(CAMERA, None, [583]).kind is Kind.STILL
    assert explained(BUMP, None, [583]).kind is Kind.UNDECIDED
    assert explained(BUMP, None, []).kind is Kind.UNDECIDED


def test_the_only_anchor_of_a_table_is_believed() -> None:
    alone = {583: SQUARES_MM[583]}
    change = explain(CAMERA, alone, seen(CAMERA), seen(BUMP))
    assert change.kind is Kind.BUMPED


def test_edges_that_bleed_in_another_light_are_no_change() -> None:
    before = seen(CAMERA)
    lit = {
        tag: replace(sight, corners_px=without_bleed(sight.corners_px[None], 0.3)[0]) for tag, sight in before.items()
    }
    assert explain(CAMERA, SQUARES_MM, before, lit).kind is Kind.STILL


def test_what_is_carried_along_is_expected_where_it_will_be_and_less_surely_the_farther() -> None:
    before, after = seen(CAMERA)[584], seen(BUMP)[584]
    expected = carry(CAMERA, BUMP, SQUARES_MM[584], before)
    assert apart(before, after).chi2 > 100 * APART_CHI2
    assert apart(expected, after).chi2 < APART_CHI2
    assert (np.diag(expected.noise_px2) > np.diag(before.noise_px2)).all()


def test_a_square_out_of_shape_is_strained_however_it_lies() -> None:
    before = seen(CAMERA)[580]
    pulled = before.corners_px.copy()
    pulled[0] += (1.5, -0.5)
    assert apart(before, replace(before, corners_px=pulled)).strain_chi2 > 100
    shifted = replace(before, corners_px=before.corners_px + np.array([1.5, -0.5]))
    assert apart(before, shifted).strain_chi2 == pytest.approx(0.0, abs=1e-6)
    assert apart(before, shifted).shift == pytest.approx([1.5, -0.5, 0.0], abs=1e-9)
