"""Colours of light: what stands out on a mat stays, and what is lost there is exchanged."""

import pytest

from assistant.overlay.light_colours import (
    APART,
    ENOUGH,
    LEAST_MM,
    MEANING,
    compare_on_mat,
    fit_to_mat,
    mix_with_mat,
)
from assistant.overlay.palette import GREEN, PALETTE, VERMILLION

FLOCK, SAND, CONCRETE, SNOW = "#5a7a45", "#8a7a5a", "#808080", "#d8d8d0"


def find_contrast(light: str, mat: str) -> float:
    return compare_on_mat(mix_with_mat(light, mat), mat, mat)


def test_light_takes_the_colour_of_what_it_falls_on() -> None:
    assert mix_with_mat("#000000", FLOCK) == FLOCK
    assert mix_with_mat("#ff0000", "#00ff00") == "#00ff00"  # nothing there throws red back
    assert find_contrast(GREEN, FLOCK) < ENOUGH < find_contrast(VERMILLION, FLOCK)


def test_green_light_is_exchanged_on_green_flock_and_red_light_stays() -> None:
    thrown = fit_to_mat(FLOCK)
    assert thrown["zone"].stroke not in {GREEN, VERMILLION}
    assert thrown["zone"].fill == thrown["zone"].stroke + PALETTE["zone"].fill[7:]
    assert thrown["witness-illegal"].stroke == VERMILLION
    assert find_contrast(thrown["zone"].stroke, FLOCK) > 1.2 * find_contrast(GREEN, FLOCK)


@pytest.mark.parametrize("mat", [CONCRETE, SNOW])
def test_on_a_grey_mat_all_colours_stay(mat: str) -> None:
    assert {name: paint.stroke for name, paint in fit_to_mat(mat).items()} == {
        name: paint.stroke for name, paint in PALETTE.items() if not name.startswith(("terrain-", "side-"))
    }


@pytest.mark.parametrize("mat", [FLOCK, SAND])
def test_what_is_exchanged_is_told_from_all_others(mat: str) -> None:
    thrown = fit_to_mat(mat)
    colours = {PALETTE[name].stroke: paint.stroke for name, paint in thrown.items()}
    exchanged = {now for before, now in colours.items() if before in MEANING and now != before}
    assert exchanged
    for one in exchanged:
        for other in {colours[colour] for colour in MEANING} - {one}:
            assert compare_on_mat(mix_with_mat(one, mat), mix_with_mat(other, mat), mat) >= 0.6 * APART


def test_no_line_is_too_thin() -> None:
    assert min(paint.width_mm for paint in fit_to_mat(FLOCK).values()) == LEAST_MM
