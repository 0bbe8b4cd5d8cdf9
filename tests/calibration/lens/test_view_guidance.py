"""Which views of a board are asked for, and that a person who follows is led to a lens."""

import math

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.lens.bundle_adjustment import BoardView
from calibration.lens.solve import solve_lens
from calibration.lens.view_guidance import (
    COLUMNS,
    ROWS,
    BoardDistance,
    BoardSide,
    ViewAspect,
    ViewRequest,
    ViewScope,
    choose_next_view,
    count_coverage,
    find_aspect,
    find_similar_view,
    locate_target_px,
)
from calibration.spaces import project
from calibration.table.camera_pose import guess_lens

HD = ViewScope(image_size=(1920, 1080), board_mm=(250.0, 175.0), origin_mm=(0.0, 0.0), square_mm=25.0)
INNER = np.array([(25.0 * c, 25.0 * r, 0.0) for r in range(1, 7) for c in range(1, 10)])
TRUE = np.array([1262.0, 1260.0, 951.0, 548.0, -0.11, 0.02, 4e-4, -3e-4, 0.0])


def hold_board(
    lean_deg: tuple[float, float], *, at: tuple[float, float] = (0.0, 0.0), depth_mm: float = 700.0
) -> BoardView:
    """Return a board that leans about the camera's x and y axes, its middle at a place of the picture's plane."""
    turn = np.asarray(cv2.Rodrigues(np.radians([lean_deg[0], lean_deg[1], 0.0]))[0], dtype=np.float64)
    middle = np.array([at[0], at[1], 1.0]) * depth_mm
    shift = middle - turn @ HD.outline_mm.mean(axis=0)
    pixels, _ = project(INNER, np.concatenate([cv2.Rodrigues(turn)[0].ravel(), shift, TRUE]))
    return BoardView(name="", points_mm=INNER, points_px=pixels)


def find_known_aspect(view: BoardView, parameters: NDArray[np.float64] = TRUE) -> ViewAspect:
    found = find_aspect(view, HD, parameters)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("lean_deg", "side"),
    # x goes right, y down, z away: a turn about y brings the right edge nearer, one about x the upper edge.
    [
        ((0, 30), BoardSide.RIGHT),
        ((0, -30), BoardSide.LEFT),
        ((-30, 0), BoardSide.LOWER),
        ((30, 0), BoardSide.UPPER),
        ((3, 4), None),
    ],
)
def test_the_edge_that_is_nearer_is_told(lean_deg: tuple[float, float], side: BoardSide | None) -> None:
    view = hold_board(lean_deg, at=(0.1, -0.05))
    for parameters in (TRUE, guess_lens(HD.image_size).parameters):  # before the lens is known, too
        seen = find_known_aspect(view, parameters)
        assert seen.side is side
    assert math.degrees(find_known_aspect(view).lean_rad) == pytest.approx(math.hypot(*lean_deg), abs=0.01)


def test_a_turn_in_the_hand_changes_nothing_but_the_outline() -> None:
    view = hold_board((0, 30))
    turned = BoardView(name="", points_mm=HD.outline_mm[2] - INNER * [1, 1, -1], points_px=view.points_px)
    assert find_known_aspect(turned).side is BoardSide.RIGHT
    assert find_known_aspect(turned).share == pytest.approx(find_known_aspect(view).share)
    np.testing.assert_allclose(
        find_known_aspect(turned).outline_px, find_known_aspect(view).outline_px[[2, 3, 0, 1]], atol=1e-3
    )


def test_near_and_far_are_told_by_the_size_face_on() -> None:
    near, far = (
        find_known_aspect(hold_board((0, 40), depth_mm=500)),
        find_known_aspect(hold_board((0, 40), depth_mm=1100)),
    )
    cover = count_coverage([near, far], HD)
    assert cover.distances == {BoardDistance.NEAR: 1, BoardDistance.FAR: 1}
    assert near.share / far.share == pytest.approx(1100 / 500)
    assert cover.sides[BoardSide.RIGHT] == 2
    assert sum(cover.cells) == 2 * len(INNER)


def test_only_a_view_that_is_nearly_the_same_is_the_same() -> None:
    one = find_known_aspect(hold_board((0, 20)))
    assert find_similar_view(find_known_aspect(hold_board((0, 24), at=(0.02, 0.0))), [one], HD.image_size) == 0
    for other in (
        hold_board((0, 35)),
        hold_board((0, 20), at=(0.2, 0.0)),
        hold_board((0, 20), depth_mm=950),
        hold_board((0, -20)),
    ):
        assert find_similar_view(find_known_aspect(other), [one], HD.image_size) is None


@pytest.mark.parametrize("size", [(1920, 1080), (3840, 2160), (640, 480), (1080, 1920)])
def test_what_is_asked_for_is_in_the_picture_and_shows_what_was_asked(size: tuple[int, int]) -> None:
    scope = ViewScope(image_size=size, board_mm=(250.0, 175.0), origin_mm=(0.0, 0.0), square_mm=25.0)
    parameters = guess_lens(size).parameters
    for cell in range(COLUMNS * ROWS):
        for side in (*BoardSide, None):
            for distance in BoardDistance:
                outline_px = locate_target_px(ViewRequest(cell=cell, side=side, distance=distance), scope, parameters)
                assert (outline_px > 0).all()
                assert (outline_px < size).all()
                shown = find_aspect(
                    BoardView(name="", points_mm=scope.outline_mm, points_px=outline_px), scope, parameters
                )
                assert shown is not None
                if cell % COLUMNS in {0, COLUMNS - 1} and cell // COLUMNS in {0, ROWS - 1}:
                    assert shown.side is side  # right at the rim it is not leant otherwise by the way it is moved
                if size[0] > size[1]:
                    assert count_coverage([shown], scope).distances[distance] == 1


def test_who_does_what_is_asked_comes_to_a_lens() -> None:
    rng = np.random.default_rng(2)
    guess = guess_lens(HD.image_size).parameters
    aspects: list[ViewAspect] = []
    views: list[BoardView] = []
    while not count_coverage(aspects, HD).complete:
        assert len(views) < 20
        wanted_px = locate_target_px(choose_next_view(aspects, HD, guess), HD, guess)
        # A hand holds it only roughly so, and the true lens is not the one that is guessed.
        wanted_px = wanted_px + rng.normal(0, 15, (4, 2))
        _, turn, shift = cv2.solvePnP(
            HD.outline_mm, wanted_px.reshape(-1, 1, 2), np.diag([1262.0, 1260, 1]) + _MIDDLE, None
        )
        pixels, _ = project(INNER, np.concatenate([np.ravel(turn), np.ravel(shift), TRUE]))
        inside = ((pixels > 0) & (pixels < HD.image_size)).all(axis=1)
        pixels += rng.normal(0, 0.1, pixels.shape)
        view = BoardView(name=str(len(views)), points_mm=INNER[inside], points_px=pixels[inside])
        seen = find_known_aspect(view, guess)
        assert find_similar_view(seen, aspects, HD.image_size) is None
        aspects.append(seen)
        views.append(view)
    lens = solve_lens(views, HD.image_size).lens
    assert np.sqrt(lens.covariance[0, 0]) < 0.002 * TRUE[0]
    assert abs(lens.parameters[0] - TRUE[0]) < 4 * np.sqrt(lens.covariance[0, 0])


_MIDDLE = np.array([[0, 0, 951.0], [0, 0, 548.0], [0, 0, 0]])
