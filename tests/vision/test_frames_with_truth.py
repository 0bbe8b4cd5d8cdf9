"""Accuracy on pictures made by a renderer that is not ours."""

import json
import math
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from assistant.setup import read_setup
from calibration.lens import LensFit, solve_lens
from hardware.frame import Frame
from tests.shared import shared
from vision.board import parse_board
from vision.pipeline import Markers, Pipeline, as_grey, locate_alone
from vision.types import BasePose, PoseState, TableSnapshot

BOARD = "charuco:11x8:25:18:5X5_100"


@cache
def lens_of(folder: Path) -> LensFit:
    board = parse_board(BOARD)
    views = [board.find(picture(path), path.name) for path in sorted(folder.glob("board_*.jpg"))]
    height, width = picture(folder / "board_00.jpg").shape
    return solve_lens(views, (width, height))


def picture(path: Path) -> Any:
    return as_grey(np.asarray(cv2.imread(str(path)), dtype=np.uint8))


def markers(folder: Path, *, with_lens: bool) -> Markers:
    setup = read_setup(folder / "setup.toml")
    return Markers(anchors=setup.anchor_tags, bases=setup.enrolled, lens=lens_of(folder).lens if with_lens else None)


def frames_of_truth(folder: Path) -> list[dict[int, dict[str, Any]]]:
    frames = json.loads((folder / "truth.json").read_text())["frames"]
    return [{base["tag"]: base for base in frame["bases"]} for frame in frames]


def off_mm(pose: BasePose, truth: dict[str, Any]) -> float:
    return math.hypot(pose.x_mm - truth["x_mm"], pose.y_mm - truth["y_mm"])


def off_deg(pose: BasePose, truth: dict[str, Any]) -> float:
    return abs(math.remainder(math.degrees(pose.facing_rad) - truth["facing_deg"], 360))


def test_the_lens_of_a_rendered_camera_is_found() -> None:
    folder = shared("frames/table-4k")
    fit = lens_of(folder)
    truth = json.loads((folder / "truth.json").read_text())["camera"]
    off = fit.lens.parameters - [
        truth["matrix"][0][0],
        truth["matrix"][1][1],
        *np.array(truth["matrix"])[:2, 2],
        *truth["distortion"],
    ]
    assert np.abs(off / np.sqrt(np.diag(fit.lens.covariance))).max() < 4
    assert fit.held_out_px < 0.06


@pytest.mark.parametrize(("with_lens", "mean_mm", "worst_mm"), [(True, 0.12, 0.35), (False, 0.3, 0.8)])
def test_bases_in_4k_stills_are_found_where_they_stand(with_lens: bool, mean_mm: float, worst_mm: float) -> None:
    folder = shared("frames/table-4k")
    told = markers(folder, with_lens=with_lens)
    errors_mm, errors_deg = [], []
    for still, truth in zip(sorted((folder / "stills").glob("*.jpg")), frames_of_truth(folder), strict=True):
        snapshot = locate_alone(told, picture(still), 0)
        assert snapshot.anchors_seen == 6
        assert {pose.tag for pose in snapshot.poses} <= {tag for tag, base in truth.items() if not base["hidden"]}
        errors_mm += [off_mm(pose, truth[pose.tag]) for pose in snapshot.poses]
        errors_deg += [off_deg(pose, truth[pose.tag]) for pose in snapshot.poses]
    assert len(errors_mm) >= 110
    assert np.mean(errors_mm) < mean_mm
    assert max(errors_mm) < worst_mm
    assert np.mean(errors_deg) < 0.35


def test_a_video_is_followed_through_slide_lift_and_hiding() -> None:
    folder = shared("frames/table-1080p")
    pipeline = Pipeline(markers=markers(folder, with_lens=True))
    video = cv2.VideoCapture(str(folder / "video.avi"))
    errors_mm = []
    story: dict[str, list[BasePose]] = {"m00": [], "m12": [], "m23": []}
    snapshot: TableSnapshot | None = None
    for number, truth in enumerate(frames_of_truth(folder)):
        whole, image = video.read()
        assert whole
        frame = Frame(
            camera="video",
            sequence=number,
            captured_ns=round(number * 1e9 / 30),
            image=np.asarray(image, dtype=np.uint8),
        )
        snapshot = pipeline.step(frame)
        for pose in snapshot.poses:
            if pose.model in story:
                story[pose.model].append(pose)
            if pose.state is PoseState.SEEN and truth[pose.tag]["z_mm"] == 0:
                errors_mm.append(off_mm(pose, truth[pose.tag]))
    video.release()
    assert snapshot is not None
    assert len(snapshot.poses) == 24
    assert np.mean(errors_mm) < 0.25
    slid = math.hypot(story["m00"][-1].x_mm - story["m00"][0].x_mm, story["m00"][-1].y_mm - story["m00"][0].y_mm)
    assert slid == pytest.approx(60.0, abs=0.5)
    assert any(pose.state is PoseState.LIFTED and pose.z_mm > 60 for pose in story["m12"])
    assert story["m12"][-1].state is PoseState.SEEN
    assert {pose.state for pose in story["m23"]} == {PoseState.SEEN, PoseState.HELD}
    assert len({round(pose.x_mm, 1) for pose in story["m23"]}) <= 2
