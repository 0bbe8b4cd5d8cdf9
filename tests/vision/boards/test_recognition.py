"""Boards other than the one that was specified are recognised by what pictures show."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.shared_pictures import find_shared_folder
from vision.boards.detection import CharucoBoard, parse_board
from vision.boards.recognition import recognise_board

Grey = NDArray[np.uint8]


def draw_board(spec: str) -> Grey:
    """A board, held a little askew."""
    board = parse_board(spec)
    if isinstance(board, CharucoBoard):
        flat = np.asarray(board.opencv_board.generateImage((40 * board.columns, 40 * board.rows)), dtype=np.uint8)
    else:
        squares = np.indices((board.rows + 1, board.columns + 1)).sum(axis=0) % 2
        flat = np.kron(255 * squares, np.ones((40, 40))).astype(np.uint8)
    height, width = flat.shape
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float32)
    held = corners * (1.0, 0.95) + np.array([[70, 60], [60, 72], [40, 50], [90, 40]])
    shape = cv2.getPerspectiveTransform(corners, held.astype(np.float32))
    seen = cv2.warpPerspective(flat, shape, (width + 150, height + 120), borderValue=(200,))
    return np.asarray(cv2.GaussianBlur(seen, (0, 0), 0.8), dtype=np.uint8)


@pytest.mark.parametrize(
    ("shown", "said", "found"),
    [
        ("charuco:8x6:25:18:4X4_50:legacy", "charuco:8x6:25:18:4X4_50", "charuco:8x6:25:18:4X4_50:legacy"),
        ("charuco:8x6:25:18:5X5_50", "charuco:8x6:25:18:4X4_50", "charuco:8x6:25:18:5X5_50"),
        ("charuco:8x6:25:18:4X4_50", "charuco:6x8:25:18:4X4_50", "charuco:8x6:25:18:4X4_50"),
        ("charuco:8x6:25:18:4X4_50", "charuco:14x9:25:18:4X4_100", "charuco:8x6:25:18:4X4_100"),
        ("charuco:8x6:25:18:4X4_50", "chess:7x5:25", "charuco:8x6:25:18:4X4_50"),
        ("chess:7x5:25", "chess:5x7:25", "chess:5x7:25"),
        ("chess:12x4:25", "chess:9x6:25", "chess:12x4:25"),
    ],
)
def test_the_board_in_pictures_is_recognised(shown: str, said: str, found: str) -> None:
    seen = recognise_board([draw_board(shown)], parse_board(said))
    assert seen is not None
    assert (str(seen.board), seen.mirrored) == (found, False)


@pytest.mark.parametrize(("folder", "size"), [("chess-8x6-frontal", "8x6"), ("chess-7x5-phone", "7x5")])
def test_the_size_of_a_real_chessboard_is_recognised(folder: str, size: str) -> None:
    path = sorted(find_shared_folder(f"photos/{folder}").iterdir())[5]
    grey = np.asarray(cv2.imread(str(path), cv2.IMREAD_GRAYSCALE), dtype=np.uint8)
    seen = recognise_board([grey], parse_board("chess:9x6:25"))
    assert seen is not None
    assert str(seen.board) == f"chess:{size}:25"


def test_where_no_board_is_none_is_recognised() -> None:
    assert recognise_board([np.full((300, 400), 128, dtype=np.uint8)], parse_board("printed")) is None


@pytest.mark.parametrize(
    "spec", ["charuco:11x8:25:18:5X5_100", "charuco:8x8:25.4:19.05:4X4_1000:legacy", "chess:9x6:25"]
)
def test_a_board_says_how_it_is_written(spec: str) -> None:
    assert str(parse_board(spec)) == spec
