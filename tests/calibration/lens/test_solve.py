"""A lens from board views, and the file that keeps it."""

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.errors import BadInput
from assistant.files.documents import read_json
from calibration.camera_match import CameraMark
from calibration.errors import Unsolvable
from calibration.lens.bundle_adjustment import BoardView
from calibration.lens.file import LensFile
from calibration.lens.quality import compare_lens_pair, map_lens_error, place_table_under
from calibration.lens.solve import solve_lens
from calibration.spaces import Lens, project
from tests.calibration.lens.board_views import BOARD, SIZE, TRUE, simulate_view, simulate_views
from tests.shared_pictures import find_shared_folder
from vision.boards.detection import parse_board


def measure_errors_in_sigma(seed: int, bend_mm: float) -> NDArray[np.float64]:
    lens = solve_lens(simulate_views(seed, bend_mm=bend_mm), SIZE).lens
    return np.asarray((lens.parameters - TRUE) / np.sqrt(np.diag(lens.covariance)))


@pytest.mark.parametrize("bend_mm", [0.0, 0.3])
def test_the_stated_sigma_is_that_of_the_errors(bend_mm: float) -> None:
    # A board that is bent by 0.3 mm, another way in each view, makes the corners of a view err together.
    squares = np.mean([measure_errors_in_sigma(seed, bend_mm) ** 2 for seed in range(6)])
    assert 0.4 < squares < 1.8


def test_corners_that_err_together_are_noticed() -> None:
    assert solve_lens(simulate_views(1), SIZE).inflation < 2
    assert solve_lens(simulate_views(1, bend_mm=0.3), SIZE).inflation > 4


def test_views_held_out_are_explained_as_well_as_those_of_the_fit() -> None:
    fit = solve_lens(simulate_views(3), SIZE)
    assert fit.rms_px == pytest.approx(0.15 * np.sqrt(2), rel=0.1)
    assert fit.rms_px < fit.held_out_px < 1.3 * fit.rms_px
    assert fit.spread_px == pytest.approx(0.15, rel=0.1)
    assert fit.dropped == ()
    assert fit.corners_dropped <= 1


def test_what_neighbouring_corners_share_is_told_from_noise() -> None:
    assert solve_lens(simulate_views(6, count=16), SIZE).misfit_px < 0.05
    assert solve_lens(simulate_views(6, count=16, bend_mm=0.4), SIZE).misfit_px > 0.15


def test_a_few_views_give_a_lens_with_its_doubt() -> None:
    errors, doubts = [], []
    for count in (2, 3, 5, 12):
        fits = [solve_lens(simulate_views(seed, count=count), SIZE).lens for seed in range(5)]
        errors.append(np.mean([(fit.parameters[0] - TRUE[0]) ** 2 / fit.covariance[0, 0] for fit in fits]))
        doubts.append(np.median([np.sqrt(fit.covariance[0, 0]) for fit in fits]))
    assert doubts == sorted(doubts, reverse=True)
    assert doubts[0] > 4 * doubts[-1]
    assert max(errors) < 3


def test_one_view_alone_is_refused() -> None:
    with pytest.raises(Unsolvable, match="seen well in 1 picture; at least 2 are needed"):
        solve_lens(simulate_views(1, count=1), SIZE)


def test_a_lens_comes_back_from_its_file_as_it_was(tmp_path: Path) -> None:
    fit = solve_lens(simulate_views(4), SIZE)
    path = tmp_path / "lens.json"
    mark = CameraMark(identity="usb 046d:0825", image_size=SIZE, focus=12.0)
    path.write_text(LensFile.from_fit(fit, mark).model_dump_json())
    file = read_json(path, LensFile)
    lens = file.lens
    assert file.mark == mark
    assert lens.image_size == fit.lens.image_size
    np.testing.assert_array_equal(lens.parameters, fit.lens.parameters)
    np.testing.assert_allclose(lens.covariance, fit.lens.covariance)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"distortion": [0.1, 0.0]}, "distortion: expected at least 4 in the list"),
        ({"matrix": [[0, 0, 5], [0, 9, 5], [0, 0, 1]]}, "with positive focal lengths"),
        ({"format": "overtable.lens/3"}, "expected 'overtable.lens/1' or 'overtable.lens/2', not 'overtable.lens/3'"),
        ({"format": "overtable.lens/2"}, "expected a model in overtable.lens/2"),
        ({"model": "fisheye"}, "none in overtable.lens/1"),
        ({"covariance": [[1.0] * 9] * 9}, "positive definite"),
        ({"covariance": [[1.0]]}, "expected a covariance of 9 rows"),
        ({"image_size": [1920]}, "image_size"),
        ({"camera": {"image_size": [640, 480]}}, "expected camera.image_size to be the same as image_size"),
    ],
)
def test_what_is_wrong_with_a_lens_file_is_said(tmp_path: Path, change: dict[str, object], sentence: str) -> None:
    good = {
        "format": "overtable.lens/1",
        "image_size": [1920, 1080],
        "matrix": [[1185, 0, 960], [0, 1185, 540], [0, 0, 1]],
        "distortion": [-0.1, 0.01, 0, 0],
    }
    path = tmp_path / "lens.json"
    path.write_text(json.dumps(good))
    assert read_json(path, LensFile).lens.parameters[8] == 0.0
    assert read_json(path, LensFile).mark == CameraMark(image_size=SIZE)
    path.write_text(json.dumps({**good, **change}))
    with pytest.raises(BadInput, match=r"lens\.json: ") as refusal:
        read_json(path, LensFile)
    assert sentence in str(refusal.value)


def test_pictures_that_are_all_alike_are_refused() -> None:
    rng = np.random.default_rng(5)
    one = simulate_view(rng, 0.0)
    alike = [
        replace(one, name=str(i), points_px=one.points_px + rng.normal(0, 0.15, one.points_px.shape)) for i in range(10)
    ]
    with pytest.raises(Unsolvable, match="too much alike to tell the lens.*: only 1 of 10 show it in a place of its"):
        solve_lens(alike, SIZE)


def test_a_board_that_is_never_tilted_is_told_to_be_tilted() -> None:
    rng = np.random.default_rng(7)
    flat: list[BoardView] = []
    for i in range(10):
        pose = np.array([0, 0, rng.uniform(-1, 1), *rng.uniform(-120, 0, 2), 600.0])
        pixels = project(BOARD, np.concatenate([pose, TRUE]))[0] + rng.normal(0, 0.15, (len(BOARD), 2))
        flat.append(BoardView(name=str(i), points_mm=BOARD, points_px=pixels))
    with pytest.raises(
        Unsolvable, match="all views are face-on .none is tilted by more than 1 degree.*: tilt the board"
    ):
        solve_lens(flat, SIZE)


@pytest.mark.parametrize("folder", ["frames/table-4k", "frames/table-1080p"])
def test_the_lens_of_pictures_with_truth_is_found_within_its_sigma(folder: str) -> None:
    pictures = sorted(find_shared_folder(folder).glob("board_*.jpg"))
    board = parse_board("charuco:11x8:25:18:5X5_100")
    images = [np.asarray(cv2.imread(str(path), cv2.IMREAD_GRAYSCALE), dtype=np.uint8) for path in pictures]
    height, width = images[0].shape
    fit = solve_lens(
        [board.find(image, path.name) for image, path in zip(images, pictures, strict=True)], (width, height)
    )
    camera = json.loads((find_shared_folder(folder) / "truth.json").read_text())["camera"]
    (fx, _, cx), (_, fy, cy), _ = camera["matrix"]
    truth = Lens(
        image_size=(width, height),
        parameters=np.array([fx, fy, cx, cy, *camera["distortion"]]),
        covariance=1e-12 * np.eye(9),
    )
    found = compare_lens_pair(truth, fit.lens)
    assert found.outcome == "agree", found
    expected = map_lens_error(fit.lens, place_table_under(fit.lens), misfit_px=fit.misfit_px)
    assert found.typical_mm < 2.5 * expected.typical_mm
    assert found.worst_mm < 3 * expected.worst_mm
