"""Enrolment by sheet and by spin, on corners made by projection alone: the solves, their sigma, what they refuse."""

import math
from dataclasses import replace

import numpy as np
import pytest

from calibration.errors import Unsolvable
from hardware.printing.sheets import EnrolmentTag, build_enrolment_tags
from tests.hardware.simulation.base_outlines import build_oval_outline
from tests.vision.synthetic_camera import CAMERA, make_enrolled_tag, make_fit, place_tag_square
from vision.enrolment.enrolment_sheet import (
    BLEED_SIGMA_PX,
    SET_SIGMA_MM,
    SET_SIGMA_RAD,
    Enrolment,
    HeightPrior,
    SheetPlacement,
    build_square,
    find_placement,
    find_sheet,
    solve_sheet,
)
from vision.enrolment.spin import FRONT_SIGMA_RAD, SPOT_SIGMA_MM, find_turning_tag, solve_spin
from vision.tags.pose_estimation import EnrolledTag
from vision.types import TagFit

RING = build_enrolment_tags(build_oval_outline(length_mm=32, width_mm=32))
TRUE = make_enrolled_tag(7)
MIDDLE, CORNER, OPPOSITE = (700.0, 500.0, 0.3), (250.0, 250.0, 1.0), (250.0, 250.0, 1.0 + math.pi)
NOISE_PX = 0.06
SheetPose = tuple[float, float, float]


def make_fits(
    at: SheetPose,
    base: EnrolledTag = TRUE,
    *,
    careless: bool = False,
    bleeds_px: tuple[float, float] = (0, 0),
    seed: int = 0,
    round_: tuple[EnrolmentTag, ...] = RING,
) -> list[TagFit]:
    """What is seen of a sheet at a place and turn, and of a base in it, set down by a hand or exactly."""
    x, y, turn = at
    rng = np.random.default_rng([seed, round(1000 * turn)])
    found = []
    for tag in round_:
        corners = complex(x, y) + np.exp(1j * turn) * build_square(complex(tag.x_mm, tag.y_mm), 0.0, tag.size_mm)
        flat = np.column_stack([corners.real, corners.imag, np.zeros(4)])
        found.append(make_fit(flat, tag.tag, noise_px=NOISE_PX, bleed_px=bleeds_px[0], seed=seed + round(x)))
    if careless:
        x, y = np.array([x, y]) + rng.normal(0, SET_SIGMA_MM, 2)
        turn += rng.normal(0, SET_SIGMA_RAD)
    found.append(
        make_fit(
            place_tag_square(base, x, y, turn),
            base.marker,
            noise_px=NOISE_PX,
            bleed_px=bleeds_px[1],
            seed=seed + round(x),
        )
    )
    return found


def read_placement(found: list[TagFit]) -> SheetPlacement:
    return find_placement(CAMERA, RING, find_sheet(CAMERA, RING, found), found, anchors=[580])


def compute_errors(result: Enrolment, base: EnrolledTag = TRUE) -> np.ndarray:
    turn = math.remainder(result.facing_rad - base.facing_rad, math.tau)
    return np.array([result.x_mm - base.x_mm, result.y_mm - base.y_mm, turn, result.height_mm - base.height_mm])


def test_two_places_tell_offset_turn_and_height() -> None:
    for height_mm in (0.5, 4.0, 30.0):
        base = make_enrolled_tag(7, height_mm=height_mm)
        result = solve_sheet([read_placement(make_fits(at, base)) for at in (CORNER, OPPOSITE)], RING, 20.0)
        assert np.abs(compute_errors(result, base)[:2]).max() < 0.15
        assert abs(math.degrees(compute_errors(result, base)[2])) < 0.5
        assert abs(compute_errors(result, base)[3]) < 0.5
        assert result.advice == ""


def test_one_place_says_what_would_help() -> None:
    aside = solve_sheet([read_placement(make_fits(CORNER))], RING, 20.0)
    assert aside.height_sigma_mm > 3
    assert aside.offset_sigma_mm > 1  # the height's doubt, times the tangent of the view
    assert "Turn the sheet half round" in aside.advice
    below = solve_sheet([read_placement(make_fits(MIDDLE))], RING, 20.0)
    assert below.offset_sigma_mm < 0.5
    assert "far from here" in below.advice


def test_a_height_that_was_measured_makes_one_place_enough() -> None:
    result = solve_sheet([read_placement(make_fits(CORNER))], RING, 20.0, HeightPrior(mm=4.0, sigma_mm=0.2))
    assert np.abs(compute_errors(result)[:2]).max() < 0.2
    assert result.offset_sigma_mm < 0.3
    assert result.advice == ""


def test_sigma_of_the_ring_is_what_monte_carlo_finds() -> None:
    off = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        bleeds = (rng.normal(0, BLEED_SIGMA_PX), rng.normal(0, BLEED_SIGMA_PX))
        spots = (CORNER, OPPOSITE)
        places = [read_placement(make_fits(at, careless=True, bleeds_px=bleeds, seed=100 * seed)) for at in spots]
        result = solve_sheet(places, RING, 20.0)
        off.append(compute_errors(result) / np.sqrt(np.diag(result.covariance)))
    # of 30 trials, each of the four ratios is within these limits in all but one of thousand cases
    assert np.sqrt(np.mean(np.square(off), axis=0)) == pytest.approx(np.ones(4), abs=0.45)


def test_the_lens_being_open_is_part_of_the_heights_sigma() -> None:
    covariance = np.zeros((15, 15))
    covariance[5, 5] = 70.0**2  # five percent of the camera's height
    unsure = [
        replace(read_placement(make_fits(at)), camera=replace(CAMERA, covariance=covariance))
        for at in (CORNER, OPPOSITE)
    ]
    sure = solve_sheet([read_placement(make_fits(at)) for at in (CORNER, OPPOSITE)], RING, 20.0)
    open_ = solve_sheet(unsure, RING, 20.0)
    extra = math.sqrt(open_.height_sigma_mm**2 - sure.height_sigma_mm**2)
    assert extra == pytest.approx(0.05 * open_.height_mm, rel=0.05)
    assert open_.advice == ""


def test_hidden_tags_of_the_ring_are_done_without() -> None:
    found = make_fits(MIDDLE)
    few = [*found[2:6], found[-1]]
    result = solve_sheet([read_placement(few)], RING, 20.0, HeightPrior(mm=4, sigma_mm=0.3))
    assert np.abs(compute_errors(result)[:2]).max() < 0.2
    bad = move_corners(found[0], ASKEW)
    assert bad.tag not in read_placement([bad, *found[1:]]).sheet_px


def squeeze(found: list[TagFit], share: float) -> list[TagFit]:
    middle = np.mean([tag.corners_px.mean(axis=0) for tag in found[:8]], axis=0)
    return [replace(tag, corners_px=middle + share * (tag.corners_px - middle)) for tag in found]


def move_corners(tag: TagFit, by_px: list[list[float]], number: int | None = None) -> TagFit:
    corners = tag.corners_px + np.array(by_px)
    return replace(tag, tag=tag.tag if number is None else number, corners_px=corners)


ASKEW = [[0.0, 0.0], [4.0, 3.0], [0.0, 0.0], [0.0, 0.0]]
LARGER = build_enrolment_tags(build_oval_outline(length_mm=40, width_mm=40))


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (make_fits(MIDDLE)[:2], "2 of the sheet.s 8 tags are seen; at least 4 are needed"),
        (make_fits(MIDDLE)[:8], "no model's tag is seen on the sheet"),
        (
            [*make_fits(MIDDLE), move_corners(make_fits(MIDDLE)[-1], [[3.0, 0.0]], 9)],
            "tags 7 and 9 are on the sheet",
        ),
        (
            [*make_fits(MIDDLE)[:8], move_corners(make_fits(MIDDLE)[-1], ASKEW)],
            "tag 7 on the sheet is partly hidden",
        ),
        (squeeze(make_fits(MIDDLE), 0.97), "looks 97.0 % of its size: it has to be printed at 100 %"),
        (make_fits(MIDDLE, round_=LARGER), "it has to be the sheet of this very base"),
    ],
)
def test_what_cannot_be_measured_is_said(found: list[TagFit], sentence: str) -> None:
    with pytest.raises(Unsolvable, match=sentence):
        read_placement(found)


def test_anchors_and_far_away_tags_are_not_the_models() -> None:
    found = make_fits(MIDDLE)
    near, far = move_corners(found[-1], [[2.0, 2.0]], 580), move_corners(found[-1], [[300.0, 300.0]], 9)
    assert read_placement([*found, near, far]).tag == 7


def test_places_that_do_not_agree_are_refused() -> None:
    other = make_fits(OPPOSITE, make_enrolled_tag(7, x_mm=-6.0))
    with pytest.raises(Unsolvable, match="the places do not agree"):
        solve_sheet(
            [read_placement(make_fits(CORNER)), read_placement(other)], RING, 20.0, HeightPrior(mm=4, sigma_mm=0.2)
        )
    with pytest.raises(Unsolvable, match="the pictures show tags 7 and 8"):
        solve_sheet(
            [read_placement(make_fits(CORNER)), read_placement(make_fits(OPPOSITE, make_enrolled_tag(8)))], RING, 20.0
        )


def turn_base(
    *, off_mm: complex = 0j, aside_rad: float = 0.0, wander_mm: float = 0.0, last_rad: float = 6.4, seed: int = 0
) -> list[np.ndarray]:
    """Corners of a base that begins with its front to the far edge and is turned, hidden for a while in between."""
    rng = np.random.default_rng(seed)
    waves, phases = rng.normal(0, wander_mm, (2, 4)), rng.uniform(0, math.tau, (2, 4))
    bleed_px = rng.normal(0, BLEED_SIGMA_PX) if seed else 0.0
    corners = []
    for number, turn in enumerate([*np.zeros(5), *np.linspace(0, last_rad, 50)]):
        if 20 <= number < 26:
            continue
        facing = math.pi / 2 + aside_rad + turn
        at = off_mm * np.exp(1j * facing) + complex(
            *(waves * np.cos(turn * np.array([0.5, 0.8, 1.3, 2]) + phases)).sum(1)
        )
        base = place_tag_square(TRUE, 500 + at.real, 400 + at.imag, facing)
        corners.append(make_fit(base, 7, noise_px=NOISE_PX, bleed_px=bleed_px, seed=1000 * seed + number).corners_px)
    return corners


def test_turning_on_the_spot_tells_offset_and_turn() -> None:
    result = solve_spin(CAMERA, 7, turn_base(), 20.0, HeightPrior(mm=4.0, sigma_mm=0.3))
    assert np.abs(compute_errors(result)[:2]).max() < 0.1
    assert abs(math.degrees(compute_errors(result)[2])) < 0.3
    assert result.advice == ""
    ended = solve_spin(CAMERA, 7, turn_base()[::-1], 20.0, HeightPrior(mm=4.0, sigma_mm=0.3), front_last=True)
    assert compute_errors(ended) == pytest.approx(compute_errors(result), abs=1e-9)


def test_wandering_enlarges_sigma() -> None:
    still = solve_spin(CAMERA, 7, turn_base(), 20.0)
    wandering = solve_spin(CAMERA, 7, turn_base(wander_mm=2.5, seed=3), 20.0)
    assert wandering.offset_sigma_mm > 1.5 * still.offset_sigma_mm
    assert "it wandered" in wandering.advice
    assert "ruler" in still.advice


def test_sigma_of_the_turn_is_what_monte_carlo_finds() -> None:
    off = []
    for seed in range(1, 41):
        rng = np.random.default_rng(seed)
        corners = turn_base(
            off_mm=complex(*rng.normal(0, SPOT_SIGMA_MM, 2)),
            aside_rad=rng.normal(0, FRONT_SIGMA_RAD),
            wander_mm=0.3,
            seed=seed,
        )
        result = solve_spin(CAMERA, 7, corners, 20.0, HeightPrior(mm=4 + rng.normal(0, 0.3), sigma_mm=0.3))
        off.append(compute_errors(result) / np.sqrt(np.diag(result.covariance)))
    assert np.sqrt(np.mean(np.square(off), axis=0)) == pytest.approx(np.ones(4), abs=0.35)


def test_too_little_turning_is_refused() -> None:
    with pytest.raises(Unsolvable, match="tag 7 was seen over 1[0-4]\\d° of a turn; at least 150° are needed"):
        solve_spin(CAMERA, 7, turn_base(last_rad=2.1), 20.0)
    half = solve_spin(CAMERA, 7, turn_base(last_rad=3.2), 20.0, HeightPrior(mm=4.0, sigma_mm=0.3))
    assert "Turn it once round" in half.advice


def test_the_tag_that_turns_is_the_models() -> None:
    still = [turn_base()[0]] * 10
    assert find_turning_tag(CAMERA, {3: still, 7: turn_base()}) == 7
    with pytest.raises(Unsolvable, match="no tag is seen to turn"):
        find_turning_tag(CAMERA, {3: still})
    with pytest.raises(Unsolvable, match="tags 3 and 7 were both turned"):
        find_turning_tag(CAMERA, {3: turn_base(), 7: turn_base()})
