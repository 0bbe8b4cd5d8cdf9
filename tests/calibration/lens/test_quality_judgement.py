"""A lens is judged by its weakest side, and never by how well it fits its own pictures."""

from dataclasses import replace

import pytest

from calibration.lens.quality import compare_lens_pair, judge_lens, map_lens_error, place_table_under
from calibration.lens.solve import LensFit, solve_lens
from tests.calibration.lens.board_views import SIZE, simulate_views


@pytest.fixture(scope="module")
def fit() -> LensFit:
    """A lens from many views of all kinds."""
    return solve_lens(simulate_views(8, count=24), SIZE)


def test_a_lens_without_a_weak_side_is_good(fit: LensFit) -> None:
    told = judge_lens(fit, map_lens_error(fit.lens, place_table_under(fit.lens), misfit_px=fit.misfit_px))
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
    told = judge_lens(doubtful, map_lens_error(fit.lens, place_table_under(fit.lens)))
    assert told.level != "good"
    assert sentence in told.reasons[0].sentence


def test_what_no_picture_reaches_is_named(fit: LensFit) -> None:
    coverage = replace(fit.coverage, counts=((0, 0, 3, 3), (3, 3, 3, 3), (3, 3, 3, 0)), tilts_deg=(0.0, 10.0))
    told = judge_lens(replace(fit, coverage=coverage), map_lens_error(fit.lens, place_table_under(fit.lens)))
    assert told.level == "poor"
    assert "the board was tilted by 0 to 10 degrees; tilt it by 30" in told.reasons[0].sentence
    assert "no picture shows the board in these parts: upper left, upper left of the middle, lower right" in [
        reason.sentence for reason in told.reasons
    ]


def test_a_lens_that_is_off_on_the_table_or_contradicts_its_camera_is_poor(fit: LensFit) -> None:
    blurred = map_lens_error(fit.lens, place_table_under(fit.lens), misfit_px=3.0)
    assert judge_lens(fit, blurred).level == "poor"
    other = replace(fit.lens, parameters=fit.lens.parameters * ([1.1, 1.1] + [1.0] * 7))
    told = judge_lens(fit, map_lens_error(fit.lens, place_table_under(fit.lens)), compare_lens_pair(fit.lens, other))
    assert (told.level, told.reasons[0].sentence) == ("poor", "it disagrees with the other lens of the same camera")
