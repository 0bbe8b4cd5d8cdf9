"""Enrolment on corners made by projection alone: the solves, their sigma, and what they refuse."""

import math
from dataclasses import replace

import numpy as np
import pytest

from calibration.errors import Unsolvable
from hardware.print.enrol import RingTag, ring
from hardware.virtual.scene import oval_outline
from tests.vision.synthetic import CAMERA, enrolled, seen, tag_square
from vision.enrol import BLEED_SIGMA_PX, SET_SIGMA_MM, SET_SIGMA_RAD, Enrolment, Height, solve_ring
from vision.locate import Enrolled
from vision.ring import Place, find_place, find_sheet, square
from vision.spin import FRONT_SIGMA_RAD, SPOT_SIGMA_MM, solve_spin, turning_tag
from vision.types import TagFit

RING = ring(oval_outline(length_mm=32, width_mm=32))
TRUE = enrolled(7)
MIDDLE, CORNER, OPPOSITE = (700.0, 500.0, 0.3), (250.0, 250.0, 1.0), (250.0, 250.0, 1.0 + math.pi)
NOISE_PX = 0.06
Spot = tuple[float, float, float]


def detections(
    at: Spot,
    base: Enrolled = TRUE,
    *,
    careless: bool = False,
    bleeds_px: tuple[float, float] = (0, 0),
    seed: int = 0,
    round_: tuple[RingTag, ...] = RING,
) -> list[TagFit]:
    """What is seen of a sheet at a place and turn, and of a base in it, set down by a hand or exactly."""
    x, y, turn = at
    rng = np.random.default_rng([seed, round(1000 * turn)])
    found = []
    for tag in round_:
        corners = complex(x, y) + np.exp(1j * turn) * square(complex(tag.x_mm, tag.y_mm), 0.0, tag.size_mm)
        flat = np.column_stack([corners.real, corners.imag, np.zeros(4)])
        found.append(seen(flat, tag.tag, noise_px=NOISE_PX, bleed_px=bleeds_px[0], seed=seed + round(x)))
    if careless:
        x, y = np.array([x, y]) + rng.normal(0, SET_SIGMA_MM, 2)
        turn += rng.normal(0, SET_SIGMA_RAD)
    found.append(
        seen(tag_square(base, x, y, turn), base.tag, noise_px=NOISE_PX, bleed_px=bleeds_px[1], seed=seed + round(x))
    )
    return found


def place(found: list[TagFit]) -> Place:
    return find_place(CAMERA, RING, find_sheet(CAMERA, RING, found), found, anchors=[580])


def errors(result: Enrolment, base: Enrolled = TRUE) -> np.ndarray:
    turn = math.remainder(result.facing_rad - base.facing_rad, math.tau)
    return np.array([result.x_mm - base.x_mm, result.y_mm - base.y_mm, turn, result.height_mm - base.height_mm])


def test_two_places_tell_offset_turn_and_height() -> None:
    for height_mm in (0.5, 4.0, 30.0):
        base = enrolled(7, height_mm=height_mm)
        result = solve_ring([place(detections(at, base)) for at in (CORNER, OPPOSITE)], RING, 20.0)
        assert np.abs(errors(result, base)[:2]).max() < 0.15
        assert abs(math.degrees(errors(result, base)[2])) < 0.5
        assert abs(errors(result, base)[3]) < 0.5
        assert result.advice == ""


def test_one_place_says_what_would_help() -> None:
    aside = solve_ring([place(detections(CORNER))], RING, 20.0)
    assert aside.height_sigma_mm > 3
    assert aside.offset_sigma_mm > 1  # the height's doubt, times the tangent of the view
    assert "Turn the sheet half round" in aside.advice
    below = solve_ring([place(detections(MIDDLE))], RING, 20.0)
    assert below.offset_sigma_mm < 0.5
    assert "far from here" in below.advice


def test_a_height_that_was_measured_makes_one_place_enough() -> None:
    result = solve_ring([place(detections(CORNER))], RING, 20.0, Height(mm=4.0, sigma_mm=0.2))
    assert np.abs(errors(result)[:2]).max() < 0.2
    assert result.offset_sigma_mm < 0.3
    assert result.advice == ""


def test_sigma_of_the_ring_is_what_monte_carlo_finds() -> None:
    off = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        bleeds = (rng.normal(0, BLEED_SIGMA_PX), rng.normal(0, BLEED_SIGMA_PX))
        spots = (CORNER, OPPOSITE)
        places = [place(detections(at, careless=True, bleeds_px=bleeds, seed=100 * seed)) for at in spots]
        result = solve_ring(places, RING, 20.0)
        off.append(errors(result) / np.sqrt(np.diag(result.covariance)))
    # of 30 trials, each of the four ratios is within these limits in all but one of thousand cases
    assert np.sqrt(np.mean(np.square(off), axis=0)) == pytest.approx(np.ones(4), abs=0.45)


def test_the_lens_being_open_is_part_of_the_heights_sigma() -> None:
    covariance = np.zeros((15, 15))
    covariance[5, 5] = 70.0**2  # five percent of the camera's height
    unsure = [
        replace(place(detections(at)), camera=replace(CAMERA, covariance=covariance)) for at in (CORNER, OPPOSITE)
    ]
    sure = solve_ring([place(detections(at)) for at in (CORNER, OPPOSITE)], RING, 20.0)
    open_ = solve_ring(unsure, RING, 20.0)
    extra = math.sqrt(open_.height_sigma_mm**2 - sure.height_sigma_mm**2)
    assert extra == pytest.approx(0.05 * open_.height_mm, rel=0.05)
    assert open_.advice == ""


def test_hidden_tags_of_the_ring_are_done_without() -> None:
    found = detections(MIDDLE)
    few = [*found[2:6], found[-1]]
    result = solve_ring([place(few)], RING, 20.0, Height(mm=4, sigma_mm=0.3))
    assert np.abs(errors(result)[:2]).max() < 0.2
    bad = moved(found[0], ASKEW)
    assert bad.tag not in place([bad, *found[1:]]).ring_px


def squeezed(found: list[TagFit], share: float) -> list[TagFit]:
    middle = np.mean([tag.corners_px.mean(axis=0) for tag in found[:8]], axis=0)
    return [replace(tag, corners_px=middle + share * (tag.corners_px - middle)) for tag in found]


def moved(tag: TagFit, by_px: list[list[float]], number: int | None = None) -> TagFit:
    corners = tag.corners_px + np.array(by_px)
    return replace(tag, tag=tag.tag if number is None else number, corners_px=corners)


ASKEW = [[0.0, 0.0], [4.0, 3.0], [0.0, 0.0], [0.0, 0.0]]
LARGER = ring(oval_outline(length_mm=40, width_mm=40))


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (detections(MIDDLE)[:2], "2 of the sheet.s 8 tags are seen; at least 4 are needed"),
        (detections(MIDDLE)[:8], "no model's tag is seen inside the ring"),
        ([*detections(MIDDLE), moved(detections(MIDDLE)[-1], [[3.0, 0.0]], 9)], "tags 7 and 9 are inside the ring"),
        ([*detections(MIDDLE)[:8], moved(detections(MIDDLE)[-1], ASKEW)], "tag 7 inside the ring is partly hidden"),
        (squeezed(detections(MIDDLE), 0.97), "looks 97.0 % of its size: it has to be printed at 100 %"),
        (detections(MIDDLE, round_=LARGER), "it has to be the sheet of this very base"),
    ],
)
def test_what_cannot_be_measured_is_said(found: list[TagFit], sentence: str) -> None:
    with pytest.raises(Unsolvable, match=sentence):
        place(found)


def test_anchors_and_far_away_tags_are_not_the_models() -> None:
    found = detections(MIDDLE)
    near, far = moved(found[-1], [[2.0, 2.0]], 580), moved(found[-1], [[300.0, 300.0]], 9)
    assert place([*found, near, far]).tag == 7


def test_places_that_do_not_agree_are_refused() -> None:
    other = detections(OPPOSITE, enrolled(7, x_mm=-6.0))
    with pytest.raises(Unsolvable, match="the places do not agree"):
        solve_ring([place(detections(CORNER)), place(other)], RING, 20.0, Height(mm=4, sigma_mm=0.2))
    with pytest.raises(Unsolvable, match="the pictures show tags 7 and 8"):
        solve_ring([place(detections(CORNER)), place(detections(OPPOSITE, enrolled(8)))], RING, 20.0)


def turned(
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
        base = tag_square(TRUE, 500 + at.real, 400 + at.imag, facing)
        corners.append(seen(base, 7, noise_px=NOISE_PX, bleed_px=bleed_px, seed=1000 * seed + number).corners_px)
    return corners


def test_turning_on_the_spot_tells_offset_and_turn() -> None:
    result = solve_spin(CAMERA, 7, turned(), 20.0, Height(mm=4.0, sigma_mm=0.3))
    assert np.abs(errors(result)[:2]).max() < 0.1
    assert abs(math.degrees(errors(result)[2])) < 0.3
    assert result.advice == ""
    ended = solve_spin(CAMERA, 7, turned()[::-1], 20.0, Height(mm=4.0, sigma_mm=0.3), front_last=True)
    assert errors(ended) == pytest.approx(errors(result), abs=1e-9)


def test_wandering_enlarges_sigma() -> None:
    still = solve_spin(CAMERA, 7, turned(), 20.0)
    wandering = solve_spin(CAMERA, 7, turned(wander_mm=2.5, seed=3), 20.0)
    assert wandering.offset_sigma_mm > 1.5 * still.offset_sigma_mm
    assert "it wandered" in wandering.advice
    assert "ruler" in still.advice


def test_sigma_of_the_turn_is_what_monte_carlo_finds() -> None:
    off = []
    for seed in range(1, 41):
        rng = np.random.default_rng(seed)
        corners = turned(
            off_mm=complex(*rng.normal(0, SPOT_SIGMA_MM, 2)),
            aside_rad=rng.normal(0, FRONT_SIGMA_RAD),
            wander_mm=0.3,
            seed=seed,
        )
        result = solve_spin(CAMERA, 7, corners, 20.0, Height(mm=4 + rng.normal(0, 0.3), sigma_mm=0.3))
        off.append(errors(result) / np.sqrt(np.diag(result.covariance)))
    assert np.sqrt(np.mean(np.square(off), axis=0)) == pytest.approx(np.ones(4), abs=0.35)


def test_too_little_turning_is_refused() -> None:
    with pytest.raises(Unsolvable, match="tag 7 was seen over 1[0-4]\\d° of a turn; at least 150° are needed"):
        solve_spin(CAMERA, 7, turned(last_rad=2.1), 20.0)
    half = solve_spin(CAMERA, 7, turned(last_rad=3.2), 20.0, Height(mm=4.0, sigma_mm=0.3))
    assert "Turn it once round" in half.advice


def test_the_tag_that_turns_is_the_models() -> None:
    still = [turned()[0]] * 10
    assert turning_tag(CAMERA, {3: still, 7: turned()}) == 7
    with pytest.raises(Unsolvable, match="no tag is seen to turn"):
        turning_tag(CAMERA, {3: still})
    with pytest.raises(Unsolvable, match="tags 3 and 7 were both turned"):
        turning_tag(CAMERA, {3: turned(), 7: turned()})
