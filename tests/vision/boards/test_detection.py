"""The blur and the motion of calibration boards, on rendered pictures."""

from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.features.lens.virtual_hands import build_plate
from calibration.lens.bundle_adjustment import BoardView
from calibration.lens.view_guidance import count_coverage, find_aspect
from calibration.table.camera_pose import guess_lens
from hardware.simulation.optics import build_overhead_camera
from hardware.simulation.plate import HeldPlate
from hardware.simulation.scene import VirtualScene
from hardware.simulation.virtual_table import VirtualTable
from tests.shared_pictures import find_shared_folder
from vision.boards.detection import (
    BoardSighting,
    average_views,
    measure_motion_px,
    observe_board,
    parse_board,
    scope_from_board,
)

CHARUCO, CHESS = parse_board("charuco:8x6:30:22:4X4_50:legacy"), parse_board("chess:7x5:30")
FLAT = np.diag([1.0, -1.0, -1.0])


@pytest.fixture(scope="module")
def table() -> VirtualTable:
    return VirtualTable(VirtualScene(), build_overhead_camera(), colour=False)


def render_board(table: VirtualTable, spec: str = "charuco", x_mm: float = 620.0) -> NDArray[np.uint8]:
    plate = build_plate(CHARUCO if spec == "charuco" else CHESS)
    lean = np.asarray(cv2.Rodrigues(np.array([0.2, 0.3, 0.1]))[0], dtype=np.float64)
    table.hold_plate(HeldPlate(plate=plate, table_from_plate=lean @ FLAT, at_mm=np.array([x_mm, 640.0, 600.0])))
    return table.render()


def observe(grey: NDArray[np.uint8], spec: str = "charuco") -> BoardSighting:
    found = observe_board(grey, CHARUCO if spec == "charuco" else CHESS)
    assert found is not None
    return found


@pytest.mark.parametrize("spec", ["charuco", "chess"])
def test_blur_is_measured_as_it_is(table: VirtualTable, spec: str) -> None:
    sharp = render_board(table, spec)
    own_px = observe(sharp, spec).blur_px
    assert 0.5 < own_px < 0.9  # the virtual lens's own, and that of the pixels
    for added_px in (0.8, 1.2, 1.6):
        blurred = np.asarray(cv2.GaussianBlur(sharp, (0, 0), added_px), dtype=np.uint8)
        assert observe(blurred, spec).blur_px == pytest.approx(np.hypot(own_px, added_px), rel=0.12)
    assert observe(sharp, spec).seen_share == 1.0


def test_a_smear_in_one_direction_is_noticed(table: VirtualTable) -> None:
    sharp = render_board(table)
    for kernel in (np.ones((1, 6)) / 6, np.ones((6, 1)) / 6):
        smeared = np.asarray(cv2.filter2D(sharp, -1, kernel), dtype=np.uint8)
        assert observe(smeared).blur_px > 1.6 * observe(sharp).blur_px


def test_noise_is_no_sharpness(table: VirtualTable) -> None:
    blurred = cv2.GaussianBlur(render_board(table), (0, 0), 1.2).astype(float)
    noisy = np.clip(np.random.default_rng(3).normal(blurred, 6), 0, 255).astype(np.uint8)
    assert observe(noisy).blur_px == pytest.approx(observe(blurred.astype(np.uint8)).blur_px, rel=0.1)


def test_how_far_it_moved_is_told(table: VirtualTable) -> None:
    here, there = observe(render_board(table)), observe(render_board(table, x_mm=630.0))
    assert measure_motion_px(here.view, observe(render_board(table)).view) < 0.1
    assert 10 < measure_motion_px(here.view, there.view) < 25  # ten millimetres, eight hundred from the lens
    assert observe_board(np.full((1080, 1920), 90, dtype=np.uint8), CHARUCO) is None


def test_the_mean_of_looks_is_nearer_to_the_truth() -> None:
    rng = np.random.default_rng(4)
    points_mm = np.array([(30.0 * c, 30.0 * r, 0.0) for r in range(5) for c in range(7)])
    true_px = points_mm[:, :2] * 1.3 + 100
    looks = []
    for at in range(4):
        kept = np.arange(at, 35)  # the first corners are not in every look
        noisy = true_px[kept] + rng.normal(0, 0.2, (len(kept), 2))
        looks.append(BoardView(name=str(at), points_mm=points_mm[kept], points_px=noisy))
    mean = average_views(looks)
    assert mean.name == "3"
    assert len(mean.points_mm) == 32
    assert np.std(mean.points_px - true_px[3:]) < 0.13
    assert measure_motion_px(looks[0], BoardView(name="", points_mm=points_mm[:9], points_px=true_px[:9])) == float(
        "inf"
    )


def test_a_chessboard_begins_before_its_first_inner_corner() -> None:
    charuco, chess = scope_from_board(CHARUCO, (1920, 1080)), scope_from_board(CHESS, (1920, 1080))
    assert charuco.board_mm == chess.board_mm == (240.0, 180.0)
    assert (charuco.origin_mm, chess.origin_mm) == ((0.0, 0.0), (-30.0, -30.0))


@pytest.mark.parametrize(
    ("folder", "legacy", "numbers", "sides"),
    [("lifecam-charuco-a", "", (2, 4, 5, 10, 14), 4), ("lifecam-charuco-b", ":legacy", (1, 4, 7, 10, 13), 0)],
)
def test_real_boards_are_as_sharp_as_each_other_and_what_they_lack_is_told(
    folder: str, legacy: str, numbers: tuple[int, ...], sides: int
) -> None:
    board = parse_board(f"charuco:8x8:25.4:19.05:4X4_1000{legacy}")
    pictures = [cv2.imread(str(path), cv2.IMREAD_GRAYSCALE) for path in find_photos(folder, numbers)]
    looks = [observe_board(np.asarray(picture, dtype=np.uint8), board) for picture in pictures]
    blurs_px = [look.blur_px for look in looks if look is not None]
    assert len(blurs_px) == len(numbers)
    assert max(blurs_px) < 1.2 * min(blurs_px)
    smeared = np.asarray(cv2.filter2D(np.asarray(pictures[0]), -1, np.ones((1, 5)) / 5), dtype=np.uint8)
    moved = observe_board(smeared, board)
    assert moved is not None
    assert moved.blur_px > 1.5 * max(blurs_px)
    # The second set was held flat throughout: its focal length is what the two sets disagree on.
    scope, guess = scope_from_board(board, (1280, 720)), guess_lens((1280, 720)).parameters
    aspects = [find_aspect(look.view, scope, guess) for look in looks if look is not None]
    seen = count_coverage([aspect for aspect in aspects if aspect is not None], scope)
    assert sum(count > 0 for count in seen.sides.values()) == sides


def find_photos(folder: str, numbers: tuple[int, ...]) -> list[Path]:
    return [find_shared_folder(f"photos/{folder}") / f"view_{number:02d}.jpg" for number in numbers]
