"""A lens is judged by its weakest side, and never by how well it fits its own pictures."""

from dataclasses import replace

import pytest

from calibration.compare import compare
from calibration.judgement import judge_lens
from calibration.lens import LensFit, solve_lens
from calibration.lens_map import lens_map, stand_over
from tests.calibration.boards import SIZE, views


@pytest.fixture(scope="module")
def fit() -> LensFit:
    """A lens from many views of all kinds."""
    return solve_lens(views(8, count=24), SIZE)


def test_a_lens_without_a_weak_side_is_good(fit: LensFit) -> None:
    told = judge_lens(fit, lens_map(fit.lens, stand_over(fit.lens), misfit_px=fit.misfit_px))
    assert told.level == "good", told
    assert "on the table it is expected to be off by" in "".join(reason.sentence for reason in told.reasons)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"held_out_px": 9.0}, "in pictures held out of the fit its error is"),
        ({"dropped_odd": tuple("abcdefghijklmnopqr")}, "18 of the 42 pictures"),
        ({"inflation": 20.0}, "the pictures contradict each other"),
    ],
)
def test_a_low_error_in_its_own_pictures_does_not_make_it_good(
    fit: LensFit, change: dict[str, object], sentence: str
) -> None:
    doubtful = replace(fit, rms_px=0.01, **{"held_out_px": 0.01, **change})  # type: ignore[arg-type]
    told = judge_lens(doubtful, lens_map(fit.lens, stand_over(fit.lens)))
    assert told.level != "good"
    assert sentence in told.reasons[0].sentence


def test_what_no_picture_reaches_is_named(fit: LensFit) -> None:
    coverage = replace(fit.coverage, counts=((0, 0, 3, 3), (3, 3, 3, 3), (3, 3, 3, 0)), tilts_deg=(0.0, 10.0))
    told = judge_lens(replace(fit, coverage=coverage), lens_map(fit.lens, stand_over(fit.lens)))
    assert told.level == "poor"
    assert "the board was tilted by 0 to 10 degrees; tilt it by 30" in told.reasons[0].sentence
    assert "no picture shows the board in these parts: upper left, upper left of the middle, lower right" in [
        reason.sentence for reason in told.reasons
    ]


def test_a_lens_that_is_off_on_the_table_or_contradicts_its_camera_is_poor(fit: LensFit) -> None:
    blurred = lens_map(fit.lens, stand_over(fit.lens), misfit_px=3.0)
    assert judge_lens(fit, blurred).level == "poor"
    other = replace(fit.lens, parameters=fit.lens.parameters * ([1.1, 1.1] + [1.0] * 7))
    told = judge_lens(fit, lens_map(fit.lens, stand_over(fit.lens)), compare(fit.lens, other))
    assert (told.level, told.reasons[0].sentence) == ("poor", "it disagrees with the other lens of the same camera")
