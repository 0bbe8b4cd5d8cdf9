"""Accuracy of the pipeline on pictures with truth, made by a renderer that is not this program's."""

import json
import math
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.setup.file import read_setup
from calibration.lens.solve import LensFit, solve_lens
from hardware.frame import Frame
from tests.shared_pictures import find_shared_folder
from vision.boards.detection import parse_board
from vision.images import convert_to_grey
from vision.markers import Markers
from vision.pipeline import Pipeline
from vision.stills import locate_bases_in_image
from vision.types import BasePose, PoseState

BOARD = "charuco:11x8:25:18:5X5_100"


@cache
def solve_folder_lens(folder: Path) -> LensFit:
    board = parse_board(BOARD)
    views = [board.find(read_picture(path), path.name) for path in sorted(folder.glob("board_*.jpg"))]
    height, width = read_picture(folder / "board_00.jpg").shape
    return solve_lens(views, (width, height))


def read_picture(path: Path) -> Any:
    return convert_to_grey(np.asarray(cv2.imread(str(path)), dtype=np.uint8))


def read_markers(folder: Path, *, with_lens: bool) -> Markers:
    setup = read_setup(folder / "setup.toml")
    return Markers(
        anchors=setup.anchor_tags,
        bases=setup.enrolled_bases,
        lens=solve_folder_lens(folder).lens if with_lens else None,
    )


def read_truth(folder: Path) -> list[dict[int, dict[str, Any]]]:
    frames = json.loads((folder / "truth.json").read_text())["frames"]
    return [{base["tag"]: base for base in frame["bases"]} for frame in frames]


TruthRow = dict[str, Any]


@cache
def locate_in_stills(*, with_lens: bool) -> list[tuple[BasePose, TruthRow]]:
    """Every pose that is found in the stills, each picture by itself, with its truth."""
    folder = find_shared_folder("frames/table-4k")
    told, found = read_markers(folder, with_lens=with_lens), []
    for still, truth in zip(sorted((folder / "stills").glob("*.jpg")), read_truth(folder), strict=True):
        snapshot = locate_bases_in_image(told, read_picture(still), 0)
        assert snapshot.anchors_seen == 6
        assert {pose.marker for pose in snapshot.poses} <= {tag for tag, base in truth.items() if not base["hidden"]}
        found += [(pose, truth[pose.marker]) for pose in snapshot.poses]
    return found


@cache
def locate_in_video() -> list[list[tuple[BasePose, TruthRow]]]:
    """Every pose in each frame of the video, with its truth."""
    folder = find_shared_folder("frames/table-1080p")
    pipeline = Pipeline(markers=read_markers(folder, with_lens=True))
    video = cv2.VideoCapture(str(folder / "video.avi"))
    found = []
    for number, truth in enumerate(read_truth(folder)):
        whole, image = video.read()
        assert whole
        frame = Frame(
            camera="video",
            sequence=number,
            captured_ns=round(number * 1e9 / 30),
            image=np.asarray(image, dtype=np.uint8),
        )
        found.append([(pose, truth[pose.marker]) for pose in pipeline.step(frame).poses])
    video.release()
    return found


def measure_error(pose: BasePose, truth: TruthRow) -> NDArray[np.float64]:
    """(3,) of x_mm, y_mm and radians."""
    turn = math.remainder(pose.facing_rad - math.radians(truth["facing_deg"]), math.tau)
    return np.array([pose.x_mm - truth["x_mm"], pose.y_mm - truth["y_mm"], turn])


def measure_error_mm(pose: BasePose, truth: TruthRow) -> float:
    return float(np.linalg.norm(measure_error(pose, truth)[:2]))


def test_the_lens_of_a_rendered_camera_is_found() -> None:
    folder = find_shared_folder("frames/table-4k")
    fit = solve_folder_lens(folder)
    truth = json.loads((folder / "truth.json").read_text())["camera"]
    off = fit.lens.parameters - [
        truth["matrix"][0][0],
        truth["matrix"][1][1],
        *np.array(truth["matrix"])[:2, 2],
        *truth["distortion"],
    ]
    assert np.abs(off / np.sqrt(np.diag(fit.lens.covariance))).max() < 4
    assert fit.held_out_px < 0.06


@pytest.mark.parametrize(
    ("with_lens", "mean_mm", "most_mm", "worst_mm"), [(True, 0.06, 0.2, 0.3), (False, 0.25, 0.4, 0.5)]
)
def test_bases_in_4k_stills_are_found_where_they_stand(
    with_lens: bool, mean_mm: float, most_mm: float, worst_mm: float
) -> None:
    found = locate_in_stills(with_lens=with_lens)
    errors_mm = [measure_error_mm(pose, truth) for pose, truth in found]
    assert len(errors_mm) >= 110
    assert np.mean(errors_mm) < mean_mm
    assert np.quantile(errors_mm, 0.99) < most_mm
    assert max(errors_mm) < worst_mm
    assert np.mean([abs(math.degrees(measure_error(pose, truth)[2])) for pose, truth in found]) < 0.2


def test_bases_in_a_video_are_seen_where_they_stand() -> None:
    seen = [
        measure_error_mm(pose, truth)
        for frame in locate_in_video()
        for pose, truth in frame
        if pose.state is PoseState.SEEN and truth["z_mm"] == 0
    ]
    assert len(seen) > 2500
    assert np.mean(seen) < 0.15
    assert max(seen) < 0.6


def test_a_video_is_followed_through_slide_lift_and_hiding() -> None:
    frames = locate_in_video()
    story = {
        model: [pose for frame in frames for pose, _ in frame if pose.model == model] for model in ("m00", "m12", "m23")
    }
    assert len(frames[-1]) == 24
    slid = math.hypot(story["m00"][-1].x_mm - story["m00"][0].x_mm, story["m00"][-1].y_mm - story["m00"][0].y_mm)
    assert slid == pytest.approx(60.0, abs=0.5)
    assert any(pose.state is PoseState.LIFTED and pose.z_mm > 60 for pose in story["m12"])
    assert story["m12"][-1].state is PoseState.SEEN
    assert {pose.state for pose in story["m23"]} == {PoseState.SEEN, PoseState.HELD}
    assert len({round(pose.x_mm, 1) for pose in story["m23"]}) <= 2


def test_the_errors_are_no_larger_than_the_stated_sigma() -> None:
    stays = {
        (pose.marker, truth["x_mm"], truth["y_mm"]): (pose, truth)  # the last, and surest, pose of each
        for frame in locate_in_video()
        for pose, truth in frame
        if pose.state is PoseState.SEEN and not pose.moving
    }
    assert len(stays) == 26, "two of the 24 bases move once"
    places, turns = [], []
    for pose, truth in [*locate_in_stills(with_lens=True), *stays.values()]:
        away = measure_error(pose, truth)
        places.append(away[:2] @ np.linalg.solve(pose.covariance[:2, :2], away[:2]) / 2)
        turns.append(away[2] ** 2 / pose.covariance[2, 2])
    assert np.mean(places) < 1.4
    assert np.mean(turns) < 1.4
