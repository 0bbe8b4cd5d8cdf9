"""A lens from board views, and the file that keeps it."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.errors import BadInput
from assistant.files import read_json
from calibration.errors import Unsolvable
from calibration.lens import BoardView, solve_lens
from calibration.pairing import CameraMark
from calibration.spaces import project
from calibration.store import LensFile

TRUE = np.array([1185.0, 1183.0, 955.0, 545.0, -0.11, 0.02, 4e-4, -3e-4, 0.0])
SIZE = (1920, 1080)
BOARD = np.array([(25.0 * c, 25.0 * r, 0.0) for r in range(7) for c in range(10)])


def view(rng: np.random.Generator, noise_px: float, name: str = "view") -> BoardView:
    """Return what the true lens shows of a board that is held up somewhere, tilted."""
    while True:
        pose = np.concatenate([rng.normal(0, 0.35, 3), rng.uniform(-250, 50, 2), rng.uniform(350, 700, 1)])
        pixels, _ = project(BOARD, np.concatenate([pose, TRUE]))
        inside = (pixels > 0).all(axis=1) & (pixels < SIZE).all(axis=1)
        if inside.sum() > 40:
            noisy = pixels + rng.normal(0, noise_px, pixels.shape)
            return BoardView(name=name, points_mm=BOARD[inside], points_px=noisy[inside])


def views(seed: int, count: int = 12, noise_px: float = 0.15) -> list[BoardView]:
    rng = np.random.default_rng(seed)
    return [view(rng, noise_px, f"view {i}") for i in range(count)]


def errors_in_sigma(seed: int) -> NDArray[np.float64]:
    lens = solve_lens(views(seed), SIZE).lens
    return np.asarray((lens.parameters - TRUE) / np.sqrt(np.diag(lens.covariance)))


def test_the_stated_sigma_is_that_of_the_errors() -> None:
    squares = np.mean([errors_in_sigma(seed) ** 2 for seed in range(12)])
    assert 0.6 < squares < 1.6


def test_views_held_out_are_explained_as_well_as_those_of_the_fit() -> None:
    fit = solve_lens(views(3), SIZE)
    assert fit.rms_px == pytest.approx(0.15 * np.sqrt(2), rel=0.1)
    assert fit.rms_px < fit.held_out_px < 1.3 * fit.rms_px


def test_too_few_views_are_refused() -> None:
    with pytest.raises(Unsolvable, match="seen well in 7 pictures; at least 8 are needed"):
        solve_lens(views(1, count=7), SIZE)


def test_a_lens_comes_back_from_its_file_as_it_was(tmp_path: Path) -> None:
    fit = solve_lens(views(4), SIZE)
    path = tmp_path / "lens.json"
    mark = CameraMark(identity="usb 046d:0825", image_size=SIZE, focus=12.0)
    path.write_text(LensFile.of(fit, mark).model_dump_json())
    file = read_json(path, LensFile)
    lens = file.lens
    assert file.mark == mark
    assert lens.image_size == fit.lens.image_size
    np.testing.assert_array_equal(lens.parameters, fit.lens.parameters)
    np.testing.assert_allclose(lens.covariance, fit.lens.covariance)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"distortion": [0.1, 0.0]}, "distortion: tuple should have at least 4 items"),
        ({"matrix": [[0, 0, 5], [0, 9, 5], [0, 0, 1]]}, "with positive focal lengths"),
        ({"format": "overtable.lens/2"}, "expected 'overtable.lens/1', not 'overtable.lens/2'"),
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
    one = view(rng, 0.0)
    alike = [
        BoardView(name=str(i), points_mm=one.points_mm, points_px=one.points_px + rng.normal(0, 0.15, (1, 2)))
        for i in range(10)
    ]
    with pytest.raises(Unsolvable, match="too much alike to tell the focal length"):
        solve_lens([replace(v, points_px=v.points_px + rng.normal(0, 0.15, v.points_px.shape)) for v in alike], SIZE)
