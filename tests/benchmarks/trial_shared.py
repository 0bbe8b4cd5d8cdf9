"""The shared frames and photographs in the trial of the eyes: rendered and taken by others, with truth."""

import math
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.frame import Frame
from hardware.virtual.scene import Placement
from tests.shared import SHARED
from tests.vision.scoring import Referee, Score
from tests.vision.test_frames_with_truth import frames_of_truth, markers, picture
from tests.vision.trial import Moment, Truth
from vision.alone import locate_alone
from vision.detect import detect, whole
from vision.pipeline import Pipeline

FPS = 30
NEAR_PX = 3.0
"""A corner of a photographed tag that is found farther off than this is found wrong."""
TAG_M = 0.065


def frame_scores() -> Iterator[tuple[str, Score]]:
    """Yield the score of each folder of frames, with the lens calibrated from the board views and without."""
    for known in (True, False):
        lens = "lens known" if known else "lens solved"
        if (folder := SHARED / "frames/table-1080p").exists():
            yield f"shared video, {lens}", _video(folder, known, lens)
        if (folder := SHARED / "frames/table-4k").exists():
            yield f"shared stills, {lens}", _stills(folder, known, lens)


def photo_lines() -> Iterator[str]:
    """Yield what is found in the photographs, and which shared pictures are not there."""
    outdoors, floor = SHARED / "photos/apriltag-36h11", SHARED / "photos/floor-tags-36h11"
    for folder in (SHARED / "frames/table-1080p", SHARED / "frames/table-4k", outdoors, floor):
        if not folder.exists():
            yield f"skipped, for ../shared/{folder.parent.name}/{folder.name} is not there"
    for path in sorted(outdoors.glob("*.jpg")):
        yield f"{path.name}: {_outdoors(path)}"
    yield from _floor(floor)


def _video(folder: Path, known: bool, lens: str) -> Score:
    score, pipeline = Score(), Pipeline(markers=markers(folder, with_lens=known))
    referee = Referee(score, -1, f"1080p, {lens}")
    video = cv2.VideoCapture(str(folder / "video.avi"))
    before: dict[int, Placement] = {}
    for number, bases in enumerate(frames_of_truth(folder)):
        _, image = video.read()
        moment = _moment(number, np.asarray(image, dtype=np.uint8), bases, before)
        before = {tag: truth.at for tag, truth in moment.truth.items()}
        referee.see(moment, pipeline.step(moment.frame))
    video.release()
    referee.end()
    return score


def _stills(folder: Path, known: bool, lens: str) -> Score:
    score, told = Score(), markers(folder, with_lens=known)
    for number, (still, bases) in enumerate(
        zip(sorted((folder / "stills").glob("*.jpg")), frames_of_truth(folder), strict=True)
    ):
        referee = Referee(score, -1 - number, f"4K still, {lens}")
        moment = _moment(0, picture(still), bases, {})
        referee.see(moment, locate_alone(told, moment.frame.image, 0))
        referee.end()
    return score


def _moment(
    number: int, image: NDArray[np.uint8], bases: dict[int, dict[str, float]], before: dict[int, Placement]
) -> Moment:
    truth = {}
    for tag, base in bases.items():
        facing_rad = math.radians(base["facing_deg"])
        at = Placement(x_mm=base["x_mm"], y_mm=base["y_mm"], facing_rad=facing_rad, z_mm=base["z_mm"])
        hidden = 1.0 if base["hidden"] else 0.0
        truth[tag] = Truth(at=at, hidden=hidden, moving=at != before.get(tag, at), floor_mm=0.0)
    frame = Frame(camera="shared", sequence=number, captured_ns=round(number * 1e9 / FPS), image=image)
    return Moment(frame=frame, truth=truth, twin=None)


def _outdoors(path: Path) -> str:
    """Compare with the photograph's own list of tags, whose corners count from the pixel's edge."""
    true = []
    for line in path.with_suffix(".txt").read_text().splitlines():
        name, *corners = line.replace("(", "").replace(")", "").split(",")
        true.append((int(name), np.array([corner.split() for corner in corners], dtype=np.float64) - 0.5))
    found = detect(grey := picture(path), [whole(grey)])
    off_px, astray = [], 0
    for tag in found:
        fits = [np.linalg.norm(corners - tag.corners_px, axis=1).max() for i, corners in true if i == tag.tag]
        if fits and min(fits) < NEAR_PX:
            off_px.append(float(min(fits)))
        else:
            astray += 1
    worst = f"{max(off_px):.2f}" if off_px else "none"
    return f"{len(off_px)} of {len(true)} tags found, worst corner {worst} px off; {astray} found wrong or not there"


def _floor(folder: Path) -> Iterator[str]:
    """Compare how far a tag is turned from the first picture of its series with the turn in the file's name."""
    turns: dict[int, NDArray[np.float64]] = {}
    ids: dict[str, list[int]] = {}
    matrix = np.array([[329.87, 0, 528.0], [0, 332.95, 396.0], [0, 0, 1]])
    square = np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)]) * TAG_M / 2
    for path in sorted(folder.glob("*.png")):
        found = detect(grey := picture(path), [whole(grey)])
        ids[path.stem.removeprefix("test_image")] = sorted(tag.tag for tag in found)
        if "rotation" in path.stem and len(found) == 1:
            _, turn, _ = cv2.solvePnP(square, found[0].corners_px, matrix, None, flags=cv2.SOLVEPNP_IPPE)
            turns[int(path.stem.split("_")[-1])] = np.asarray(cv2.Rodrigues(turn)[0], dtype=np.float64)
    if not ids:
        return
    yield f"{folder.name}: ids found " + ", ".join(f"{name or '(one)'} {found}" for name, found in ids.items())
    if 0 in turns:
        said = {
            named: math.degrees(np.linalg.norm(cv2.Rodrigues(turns[0].T @ turn)[0])) for named, turn in turns.items()
        }
        listed = ", ".join(f"{named}: {turned:.1f}" for named, turned in sorted(said.items()))
        yield f"{folder.name}: turned by so many degrees, by the turn in the file's name: {listed}"
