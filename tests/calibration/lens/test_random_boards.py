"""Lenses from boards by lot: as far off as they say, from many views and few, wherever the board was held."""

import cv2
import numpy as np
import pytest

from calibration.errors import Unsolvable
from calibration.lens.solve import solve_lens
from tests.calibration.lens.random_boards import LensDraw, Light, ViewSet, draw_lens
from tests.calibration.table.random_tables import LensKnown, View, draw_table
from tests.shared_pictures import find_shared_folder
from vision.boards.detection import parse_board


def draw_lenses(views: ViewSet, count: int) -> tuple[list[LensDraw], list[str]]:
    """Return the lenses that were solved, and why others were not."""
    found: list[LensDraw] = []
    refusals: list[str] = []
    for seed in range(count):
        try:
            found.append(draw_lens(seed, Light.LOW, views))
        except Unsolvable as error:
            refusals.append(str(error))
    return found, refusals


@pytest.mark.parametrize(("views", "count"), [(ViewSet.FEW, 20), (ViewSet.MIDDLE, 6)])
def test_a_lens_is_as_far_off_as_it_says(views: ViewSet, count: int) -> None:
    found, _ = draw_lenses(views, count)
    assert len(found) >= 0.8 * count
    table = [(off_mm / said_mm) ** 2 for off_mm, said_mm in (draw.compare_on_table() for draw in found)]
    assert 0.2 < np.mean(table) < 1.6
    assert 0.4 < np.mean([draw.axis_squares for draw in found]) < 1.6
    assert 0.3 < np.mean([(draw.focal_share / draw.focal_sigma) ** 2 for draw in found]) < 1.6


def test_a_lens_is_found_though_its_views_contradict_each_other_of_where_to_begin() -> None:
    # From what Zhang's equations say here a fit ends with another lens: at 596 px of 1390, or with a refusal.
    table = draw_table(21037, LensKnown.BOARDS, View.CLEAN)
    sigma_px = float(np.sqrt(table.lens.covariance[0, 0]))
    assert abs(table.lens.parameters[0] - table.true.lens.parameters[0]) < 3 * sigma_px < 20
    draw = draw_lens(63005, Light.LOW, ViewSet.MANY)
    assert abs(draw.focal_share) < 3 * draw.focal_sigma < 0.005


def test_face_on_views_are_refused_or_leave_the_focal_length_open() -> None:
    found, refusals = draw_lenses(ViewSet.FRONTAL, 2)
    assert refusals
    assert all(refusal.startswith("all views are face-on") for refusal in refusals)
    assert all(draw.focal_sigma > 0.003 for draw in found)  # views that lean leave a tenth of that
    assert all(abs(draw.focal_share) < 4 * draw.focal_sigma for draw in found)


def test_two_real_face_on_pictures_are_told_to_be_tilted() -> None:
    folder, board = find_shared_folder("photos/chess-7x5-phone"), parse_board("chess:7x5:30")
    names = ("IMG_1432.JPG", "IMG_1433.JPG")
    greys = [np.asarray(cv2.imread(str(folder / name), cv2.IMREAD_GRAYSCALE), dtype=np.uint8) for name in names]
    height, width = greys[0].shape
    with pytest.raises(Unsolvable, match="all views are face-on .none is tilted by more than"):
        solve_lens([board.find(grey, name) for name, grey in zip(names, greys, strict=True)], (width, height))
