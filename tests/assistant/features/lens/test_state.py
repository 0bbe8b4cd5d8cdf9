"""The steps to a lens: when a view is taken, why it is not, and when it is enough."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from assistant.errors import BadInput
from assistant.features.lens.state import (
    LensCalibrationState,
    SolvedLens,
    apply_solution,
    begin,
    describe_ask,
    drop,
    look,
    want_more,
)
from calibration.lens.bundle_adjustment import BoardView
from calibration.lens.odd_views import DroppedView
from calibration.lens.view_guidance import BoardDistance, BoardSide, ViewRequest
from calibration.spaces import project
from tests.assistant.features.lens.board_sightings import INNER, SIZE, TABLE, TRUE, BoardHolder, build_sighting


@pytest.fixture(scope="module")
def finished() -> LensCalibrationState:
    session = BoardHolder()
    session.hold_until_enough()
    return session.state


def test_a_view_is_taken_when_the_board_is_still_and_shows_something_new() -> None:
    session = BoardHolder()
    assert session.state.note.startswith("No board is seen")
    first_px = session.state.target_px
    assert session.show_sighting(build_sighting(first_px, session.scope)) == "It is moving: hold it still."
    assert session.show_sighting(build_sighting(first_px + 4, session.scope)) == "It is moving: hold it still."
    assert session.hold(first_px) == "View 1 is taken."
    assert session.hold(first_px + 10) == "View 1 shows it so already: move on."
    (taken,) = session.state.taken
    assert taken.view.name == "view 1"
    assert not np.array_equal(session.state.target_px, first_px)
    assert session.hold() == "View 2 is taken."
    # Three looks are averaged: their noise is smaller than that of one.
    exact, _ = project(INNER, np.concatenate([*_find_pose(taken.view), TRUE]))
    assert np.std(taken.view.points_px - exact) < 0.075


def _find_pose(view: BoardView) -> tuple[np.ndarray, np.ndarray]:
    matrix = np.array([[1262.0, 0, 951], [0, 1260, 548], [0, 0, 1]])
    _, turn, shift = cv2.solvePnP(view.points_mm, view.points_px.reshape(-1, 1, 2), matrix, TRUE[4:])
    return np.ravel(turn), np.ravel(shift)


def test_why_a_view_is_not_taken_is_said() -> None:
    session = BoardHolder()
    middle_px = np.array([960.0, 540.0])
    square_px = np.array([(-250.0, -175), (250, -175), (250, 175), (-250, 175)])
    assert "Only 10 of its 54 corners" in session.hold(kept=10)
    assert "too small" in session.hold(middle_px + square_px / 4)
    steep_px = middle_px + np.array([(-90.0, -240), (90, -100), (90, 100), (-90, 240)])
    assert "tilted too far" in session.hold(steep_px)
    sharp = build_sighting(middle_px + square_px, session.scope, blur_px=0.8)
    session.show_sighting(sharp)  # from now on it is known how sharp this board can be
    assert "blurred" in session.hold(blur_px=1.6)
    wanted_px = session.state.target_px
    assert session.show_sighting(build_sighting(wanted_px, session.scope, blur_px=1.0)) == "View 1 is taken."
    assert session.show_sighting(build_sighting(wanted_px, session.scope)) == "View 1 shows it so already: move on."
    session.state = drop(session.state, None)
    assert "just discarded" in session.hold(wanted_px)
    assert session.hold() == "View 2 is taken."
    assert session.hold(wanted_px) == "View 3 is taken."
    assert session.show_sighting(None).startswith("No board")
    assert session.state.looks == ()
    assert "The picture is 1280x720 now, but the views are 1920x1080" in session.show_sighting(None, (1280, 720))


def test_it_is_enough_when_nothing_is_missing_and_the_lens_is_sure(finished: LensCalibrationState) -> None:
    state = finished
    assert state.enough
    assert state.ask is None
    assert state.coverage is not None
    assert state.coverage.complete
    assert 12 <= len(state.taken) <= 18
    assert state.found is not None
    assert state.found.doubt < 0.01
    assert state.found.judgement.level == "good"
    lens = state.found.fit.lens
    assert abs(lens.parameters[0] - TRUE[0]) < 4 * np.sqrt(lens.covariance[0, 0])
    # More looks change nothing, until a person wants more.
    assert look(state, None, captured_ns=10**12, image_size=SIZE).taken == state.taken
    longer = want_more(state)
    assert not longer.enough
    assert longer.ask is not None
    assert replace(state, errors_mm=(1.0, 0.8, 0.6, 0.4), found=_make_unsure(state)).enough is False  # still falling
    assert replace(state, errors_mm=(0.5, 0.42, 0.41, 0.40, 0.40), found=_make_unsure(state)).enough is True


def _make_unsure(state: LensCalibrationState) -> SolvedLens:
    assert state.found is not None
    fit = state.found.fit
    covariance = fit.lens.covariance * (0.005 / state.found.doubt) ** 2
    return replace(state.found, fit=replace(fit, lens=replace(fit.lens, covariance=covariance)))


def test_a_view_that_does_not_fit_the_others_counts_for_nothing(finished: LensCalibrationState) -> None:
    assert finished.found is not None
    dropped = (DroppedView(view="view 2", reason="it moved"),)
    doubted = replace(finished.found, fit=replace(finished.found.fit, dropped=dropped))
    state = want_more(replace(finished, found=doubted))
    assert 2 in state.numbers
    assert 2 not in [taken.number for taken in state.counted]
    assert state.coverage is not None
    assert state.coverage.views == len(state.taken) - 1
    # Its place is asked for otherwise: there it would come out no better.
    outline_px, holding = state.taken[1].aspect.outline_px, BoardHolder()
    holding.state = replace(state, looks=())
    assert holding.hold(outline_px) == "View 2 shows it so already: move on."
    assert holding.hold().endswith("is taken.")
    # Less than good is not enough before a person has shown the board for long.
    worse = replace(finished.found, judgement=replace(finished.found.judgement, level="usable"))
    assert not replace(finished, found=worse).enough


def test_a_solve_that_takes_long_is_waited_for_once_nothing_is_missing() -> None:
    session = BoardHolder()
    for _ in range(30):
        session.hold()
    (count, note) = len(session.state.taken), session.state.note
    assert 12 <= count < 20
    assert note.startswith("Wait a moment")
    session.solve()
    assert session.state.enough or session.hold().endswith("is taken.")


def test_a_view_is_thrown_away(finished: LensCalibrationState) -> None:
    with pytest.raises(BadInput, match="no view 99 to discard"):
        drop(finished, 99)
    with pytest.raises(BadInput, match="no view to discard yet"):
        drop(begin("printed", TABLE), None)
    last = drop(finished, None)
    assert last.numbers == finished.numbers[:-1]
    third = drop(finished, 3)
    assert 3 not in third.numbers
    assert not third.enough
    assert third.due
    assert third.ask is not None
    # What was solved with it is not believed, and its number does not come again.
    assert finished.found is not None
    assert apply_solution(third, finished.numbers, finished.found.fit) is third
    assert third.last_number == finished.last_number
    assert apply_solution(third, third.numbers, "too much alike").unsolved == "too much alike"


def test_what_is_no_board_is_refused_with_the_parsers_sentence() -> None:
    with pytest.raises(BadInput, match="board 'chess:2x2': expected charuco:"):
        begin("chess:2x2", TABLE)


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (
            ViewRequest(cell=0, side=BoardSide.LEFT, distance=BoardDistance.NEAR),
            "Hold the board near the camera, in the upper left corner of the picture, its left edge tilted toward it.",
        ),
        (
            ViewRequest(cell=9, side=None, distance=BoardDistance.FAR),
            (
                "Hold the board far from the camera, at the lower edge of the picture, to the left of the middle,"
                " its face straight to it."
            ),
        ),
        (
            ViewRequest(cell=7, side=BoardSide.UPPER, distance=BoardDistance.FAR),
            "Hold the board far from the camera, at the right edge of the picture, its upper edge tilted toward it.",
        ),
        (
            ViewRequest(cell=6, side=BoardSide.LOWER, distance=BoardDistance.NEAR),
            (
                "Hold the board near the camera, in the picture, to the right of the middle,"
                " its lower edge tilted toward it."
            ),
        ),
    ],
)
def test_how_to_hold_it_is_said(ask: ViewRequest, sentence: str) -> None:
    assert describe_ask(ask) == sentence
