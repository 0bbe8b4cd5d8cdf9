"""The anchor that is not as it is said to be is named, and how; a good table is never suspected."""

import math
from dataclasses import replace

import numpy as np
import pytest

from calibration.table.anchor_layout import StatedAnchor
from calibration.table.camera_pose import guess_lens
from calibration.table.misplaced_anchors import AnchorExamination, SuspectKind, examine_anchors
from tests.calibration.table.simulated_tables import (
    IMAGE_SIZE,
    KNOWN,
    TABLE,
    lay_anywhere,
    lay_in_corners,
    simulate_calibration,
    simulate_camera,
    simulate_places,
    simulate_sighting,
)

Wrong = dict[int, dict[str, float]]


def examine_simulated(
    laid: tuple[StatedAnchor, ...], wrong: Wrong, *, seed: int = 1, with_lens: bool = True, laid_mm: float = 0.3
) -> AnchorExamination:
    """Return what is found if anchors lie as is said, give or take ``laid_mm``, but for those that do not."""
    rng = np.random.default_rng(seed)
    there = simulate_places(rng, laid)
    for tag, at in there.items():
        off = dict(zip(("x_mm", "y_mm", "turn_rad"), rng.normal(0, (laid_mm, laid_mm, laid_mm / 30)), strict=True))
        for key, by in wrong.get(tag, {}).items():
            off[key] = by - at.size_mm if key == "size_mm" else off[key] + by
        there[tag] = replace(at, **{key: getattr(at, key) + by for key, by in off.items()})
    true = simulate_camera(rng)
    lens = simulate_calibration(true, rng) if with_lens else guess_lens(IMAGE_SIZE)
    return examine_anchors(lens=lens, stated=laid, table=TABLE, pictures=[simulate_sighting(rng, true, there)])


def swap_places(one: StatedAnchor, other: StatedAnchor) -> Wrong:
    """Return how far two anchors lie off that were swapped."""
    apart = other.find_centre_mm(0, 0) - one.find_centre_mm(0, 0)
    turn = (other.turn_rad or 0.0) - (one.turn_rad or 0.0)
    return {
        one.tag: {"x_mm": apart.real, "y_mm": apart.imag, "turn_rad": turn},
        other.tag: {"x_mm": -apart.real, "y_mm": -apart.imag, "turn_rad": -turn},
    }


@pytest.mark.parametrize(
    ("laid", "wrong", "kind", "sentence"),
    [
        (KNOWN, {581: {"x_mm": 9.0, "y_mm": -5.0}}, "misplaced", "anchor 581 lies 1"),
        (KNOWN[:4], {582: {"x_mm": -200.0}}, "misplaced", "anchor 582 lies "),
        (KNOWN, {583: {"turn_rad": math.pi / 2}}, "turned", "anchor 583 seems turned by 90 degrees counter-clockwise"),
        (KNOWN[:2], {580: {"turn_rad": math.pi}}, "turned", "anchor 580 seems turned by 180 degrees"),
        (KNOWN, {584: {"size_mm": 30.0}}, "other-size", "anchor 584 looks 30."),
        (KNOWN, swap_places(KNOWN[0], KNOWN[1]), "swapped", "anchors 580 and 581 seem swapped"),
        (KNOWN[:3], swap_places(KNOWN[0], KNOWN[2]), "swapped", "anchors 580 and 582 seem swapped"),
    ],
)
def test_one_wrong_anchor_is_named(
    laid: tuple[StatedAnchor, ...], wrong: Wrong, kind: SuspectKind, sentence: str
) -> None:
    found = examine_simulated(laid, wrong, with_lens=kind != "misplaced")
    assert [suspect.kind for suspect in found.suspects] == [kind]
    assert found.left_out == set(wrong)
    assert found.texts[0].startswith(sentence)


def test_how_far_it_lies_off_is_told_within_its_sigma() -> None:
    for seed in range(3):
        (suspect,) = examine_simulated(KNOWN, {581: {"x_mm": 12.0, "turn_rad": 0.1}}, seed=seed).suspects
        assert abs(math.hypot(*suspect.off_mm) - 12.0) < 4 * math.hypot(suspect.off_sigma_mm, 0.3)
        assert abs(suspect.turn_rad - 0.1) < 4 * math.hypot(suspect.turn_sigma_rad, 0.01)


def test_two_wrong_anchors_are_named() -> None:
    found = examine_simulated(KNOWN, {581: {"x_mm": 30.0}, 584: {"y_mm": 40.0}})
    assert {suspect.tag for suspect in found.suspects} == {581, 584}


def test_anchors_that_are_laid_as_people_lay_them_are_not_suspected() -> None:
    for seed in range(6):
        for count in (2, 4, 6):
            assert (
                examine_simulated(KNOWN[:count], {}, seed=seed, laid_mm=0.5, with_lens=seed % 2 == 0)
                == AnchorExamination()
            )


def test_of_two_that_contradict_each_other_neither_is_blamed() -> None:
    found = examine_simulated(KNOWN[:2], {581: {"x_mm": 200.0, "y_mm": 100.0, "turn_rad": 0.3}})
    assert (found.suspects, found.undecided, found.left_out) == ((), (580, 581), frozenset())
    assert found.texts[0].startswith("anchors 580 and 581 contradict each other, and it cannot be told which of them")


def test_anchors_in_the_wrong_corners_are_named() -> None:
    laid = lay_in_corners("near-left", "near-right", "far-right", "far-left")
    crossed = (replace(laid[0], tag=571), replace(laid[1], tag=570), *laid[2:], *lay_anywhere(2))
    rng = np.random.default_rng(3)
    true, there = simulate_camera(rng), simulate_places(rng, (*laid, *lay_anywhere(2)))
    found = examine_anchors(
        lens=simulate_calibration(true, rng),
        stated=crossed,
        table=TABLE,
        pictures=[simulate_sighting(rng, true, there)],
    )
    assert found.texts == ("anchors 570 and 571 seem swapped: each lies where the other is said to lie",)


def test_a_place_that_is_surer_is_held_to_more() -> None:
    sure = tuple(replace(anchor, sigma_mm=0.1, sigma_rad=0.005) for anchor in KNOWN)
    slip: Wrong = {581: {"x_mm": 2.0}}
    assert examine_simulated(KNOWN, slip, laid_mm=0.1).suspects == ()
    assert examine_simulated(sure, slip, laid_mm=0.0).left_out == {581}


@pytest.mark.parametrize("with_lens", [True, False])
@pytest.mark.parametrize("laid", [KNOWN, KNOWN[:4], lay_in_corners("near-left", "near-right", "far-right", "far-left")])
def test_anchors_that_were_all_printed_smaller_are_told_with_the_size_that_fits(
    laid: tuple[StatedAnchor, ...], with_lens: bool
) -> None:
    scaled: Wrong = {anchor.tag: {"size_mm": 0.9 * anchor.size_mm} for anchor in laid}
    found = examine_simulated(laid, scaled, with_lens=with_lens)
    assert [wrong.tag for wrong in found.wrong_sizes] == [anchor.tag for anchor in laid]
    assert all(abs(wrong.share + 0.1) < 3 * wrong.sigma for wrong in found.wrong_sizes)
    (text,) = found.texts
    assert text.startswith(f"all {len(laid)} anchors look 3")
    assert text.endswith(
        " mm large, not 40 mm: measure the edge of a black square, and enter that as size_mm, or print"
        " them again at 100 %"
    )
    assert found.left_out == frozenset()  # their places tell where the table is


def test_two_anchors_of_another_print_are_told_and_left_out_where_the_others_are_enough() -> None:
    smaller: Wrong = {580: {"size_mm": 35.0}, 581: {"size_mm": 35.0}}
    found = examine_simulated(KNOWN, smaller)
    assert found.texts[0].startswith("anchors 580 and 581 look 3")
    assert found.left_out == set(smaller)
    assert examine_simulated(KNOWN[:4], smaller).left_out == frozenset()
