"""One contender of `bench_vision`, in a process of its own: a film goes in, figures come out as JSON.

A process may hold only one pupil-apriltags detector, and its memory is to be told apart from the others'.

    python -m tests.benchmarks.vision_contender shoot FOLDER 4K 100 60 beside 10
    python -m tests.benchmarks.vision_contender shoot-world FOLDER glare tags 60
    python -m tests.benchmarks.vision_contender ours FOLDER
    python -m tests.benchmarks.vision_contender stills FOLDER 4
    python -m tests.benchmarks.vision_contender apriltags-1 FOLDER 12
"""

import json
import math
import os
import pickle
import resource
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from pupil_apriltags import Detector

from hardware.frame import Frame
from tests.benchmarks.vision_films import FPS, REST_FRAMES, FilmPlan, StoredFilm, shoot, shoot_world
from tests.vision.random_scenes import find_tag_centre
from vision.pipeline import Pipeline
from vision.stills import locate_bases_in_image
from vision.types import BasePose, PoseState

Grey = NDArray[np.uint8]
Centres = dict[int, list[NDArray[np.float64]]]
"""(2,) px of the centre of each sighting, by tag; the centre of the top-left pixel is (0, 0)."""
Found = list[tuple[int, complex]]
"""Markers, and where on the table their centres are, mm."""
Report = dict[str, Any]

RIGHT_MM = 6.0
"""A tag is found right if its centre is no farther off than this; a rolling shutter shows what moves 5 mm late."""
START_FRAMES = 30
"""So many first frames are the start-up; from there to REST_FRAMES nothing changes but noise."""
TWINS = 12
"""So often the last picture is shown again at the end."""
LEAST_TAG_SHARE = 0.01
"""ArucoDetector's least perimeter as a share of the picture's longer side; its default leaves these tags out."""


def main(arguments: list[str]) -> None:
    """Do what the module's docstring says."""
    cv2.setNumThreads(1)
    what, folder = arguments[0], Path(arguments[1])
    if what == "shoot":
        size, count, frames, marked, movers = arguments[2:]
        plan = FilmPlan(size=size, count=int(count), frames=int(frames), marked=marked, movers=int(movers))
        shoot(folder, plan, seed=1)
        return
    if what == "shoot-world":
        world, marked, frames = arguments[2:]
        shoot_world(folder, world, ringed=marked == "rings", frames=int(frames), seed=1)
        return
    film: StoredFilm = pickle.loads((folder / "film.pickle").read_bytes())
    jpegs = [np.frombuffer(path.read_bytes(), dtype=np.uint8) for path in sorted(folder.glob("*.jpg"))]
    if what == "ours":
        report = run_ours(film, jpegs)
    elif what == "stills":
        report = run_on_stills(film, jpegs, None, int(arguments[2]))
    else:
        report = run_on_stills(film, jpegs, DETECTORS[what](), int(arguments[2]))
    sys.stdout.write(json.dumps({**report, "peak_mb": _read_peak_mb()}))
    sys.stdout.flush()
    os._exit(0)  # pupil-apriltags crashes over taking its detector apart


class DetectionTally:
    """Counts what was found against the truth, of markers of which no more than a share is hidden."""

    def __init__(self, film: StoredFilm, hidden: float) -> None:
        self._film, self._hidden = film, hidden
        self._wanted = self._right = self._false = self._doubted = 0
        self._found_now: set[int] = set()
        self._off_mm: dict[str, list[float]] = {"resting": [], "moving": []}
        self._base_off_mm: dict[str, list[float]] = {"resting": [], "moving": []}
        self._squares: dict[str, list[float]] = {"resting": [], "moving": []}

    def add_tags(self, number: int, found: Found) -> None:
        """Take in the markers of one picture, and where on the table their centres are, mm."""
        truth, right = self._film.truth[number], set()
        for tag, spot in found:
            seen = truth.get(tag)
            at = seen and seen.at
            off_mm = (
                abs(spot - find_tag_centre(self._film.bases[tag], at.x_mm, at.y_mm, at.facing_rad)) if at else np.inf
            )
            if seen is None or off_mm > RIGHT_MM:
                self._false += 1
            elif seen.hidden <= self._hidden:
                right.add(tag)
                self._off_mm["moving" if seen.moving else "resting"].append(off_mm)
        self._wanted += sum(seen.hidden <= self._hidden for seen in truth.values())
        self._right += len(right)
        self._found_now = right

    def add_poses(self, number: int, poses: Sequence[BasePose]) -> None:
        """Take in what ours says of one picture: tags, bases, and how far these are off for what is said of them."""
        bases, truth = self._film.bases, self._film.truth[number]
        self._false += sum(pose.marker not in truth for pose in poses)  # enrolled, and nowhere on the table
        poses = [pose for pose in poses if pose.marker in truth]
        self.add_tags(
            number, [(p.marker, find_tag_centre(bases[p.marker], p.x_mm, p.y_mm, p.facing_rad)) for p in poses]
        )
        for pose in poses:
            seen = truth[pose.marker]
            off_mm = np.array([pose.x_mm - seen.at.x_mm, pose.y_mm - seen.at.y_mm])
            if seen.hidden <= self._hidden and math.hypot(*off_mm) <= RIGHT_MM:
                kind = "moving" if seen.moving else "resting"
                self._base_off_mm[kind].append(math.hypot(*off_mm))
                self._squares[kind].append(float(off_mm @ np.linalg.solve(pose.covariance[:2, :2], off_mm)) / 2)

    def add_unvouched(self, number: int, tags: set[int]) -> None:
        """Take in tags that were found, though perhaps not vouched for: a motion may be about to begin."""
        vouched = self._found_now
        truth = self._film.truth[number]
        more = {tag for tag in tags - vouched if tag in truth and truth[tag].hidden <= self._hidden}
        self._right += len(more)
        self._doubted += len(more)

    def report(self) -> Report:
        """Return recall, false sightings, mean and 99 % of the errors, mm, and the mean square of error over sigma."""
        return {
            "recall": self._right / max(self._wanted, 1),
            "vouched": 1 - self._doubted / max(self._right, 1),
            "false": self._false,
            "tag_off_mm": {kind: _summarise_errors(off) for kind, off in self._off_mm.items()},
            "base_off_mm": {kind: _summarise_errors(off) for kind, off in self._base_off_mm.items()},
            "square": {kind: float(np.mean(of)) if of else None for kind, of in self._squares.items()},
        }


class DetectionTallies:
    """The tallies of a film, for each share of a marker that may be hidden."""

    def __init__(self, film: StoredFilm) -> None:
        self.each = {hidden: DetectionTally(film, hidden) for hidden in film.counted}

    def report(self) -> Report:
        """Return the last tally's report, and the recall of every one."""
        recalls = {str(hidden): tally.report()["recall"] for hidden, tally in self.each.items()}
        return {**list(self.each.values())[-1].report(), "recalls": recalls}


def run_ours(film: StoredFilm, jpegs: list[Grey]) -> Report:
    """Run our line over the film: the vision step alone, and with the decoding of the picture before it."""
    pipeline, tallies = Pipeline(markers=film.markers), DetectionTallies(film)
    step_ms, whole_ms, processor_ms, step_processor_ms = [], [], [], []
    start_stages_ms: dict[str, float] = {}
    for number, jpeg in enumerate([*jpegs, *[jpegs[-1]] * TWINS]):
        begun_s, processor_s = time.perf_counter(), time.process_time()
        grey = decode_jpeg(jpeg)
        decoded_s, decoded_processor_s = time.perf_counter(), time.process_time()
        snapshot = pipeline.step(
            Frame(camera="film", sequence=number, captured_ns=round(number * 1e9 / FPS), image=grey)
        )
        ended_s = time.perf_counter()
        step_ms.append((ended_s - decoded_s) * 1e3)
        whole_ms.append((ended_s - begun_s) * 1e3)
        processor_ms.append((time.process_time() - processor_s) * 1e3)
        step_processor_ms.append((time.process_time() - decoded_processor_s) * 1e3)
        start_stages_ms = start_stages_ms or dict(pipeline.stages_ms)
        if START_FRAMES <= number < len(jpegs):
            found = [pose for pose in snapshot.poses if pose.state is PoseState.SEEN]
            for tally in tallies.each.values():
                tally.add_poses(number, found)
                tally.add_unvouched(number, {marker for marker, t in pipeline.tracks.items() if t.missed == 0})
    steady = slice(REST_FRAMES, len(jpegs))
    return {
        **tallies.report(),
        "ms": float(np.median(step_ms[steady])),
        "mean_ms": float(np.mean(step_ms[steady])),
        "most_ms": max(step_ms[steady]),
        "start_ms": step_ms[:START_FRAMES],
        "still_ms": float(np.median(step_ms[START_FRAMES:REST_FRAMES])),
        "twin_ms": float(np.median(step_ms[len(jpegs) :])),
        "whole_ms": float(np.mean(whole_ms[steady])),
        "processor_ms": float(np.mean(processor_ms[steady])),
        "step_processor_ms": float(np.mean(step_processor_ms[steady])),
        "start_processor_ms": step_processor_ms[0],
        "start_stages_ms": start_stages_ms,
        "stages_ms": dict(pipeline.stages_ms),
    }


def run_on_stills(film: StoredFilm, jpegs: list[Grey], find: Callable[[Grey], Centres] | None, frames: int) -> Report:
    """Show some whole pictures, each by itself, spread over those in which bases move: to a rival, or to our eyes."""
    tallies, took_ms, processor_ms = DetectionTallies(film), [], []
    for number in np.linspace(REST_FRAMES, len(jpegs) - 1, frames).round().astype(int).tolist():
        grey = decode_jpeg(jpegs[number])
        begun_s, processor_s = time.perf_counter(), time.process_time()
        centres = find(grey) if find else None
        poses = () if find else locate_bases_in_image(film.markers, grey, 0).poses
        took_ms.append((time.perf_counter() - begun_s) * 1e3)
        processor_ms.append((time.process_time() - processor_s) * 1e3)
        for tally in tallies.each.values():
            if centres is None:
                tally.add_poses(number, [pose for pose in poses if pose.state is PoseState.SEEN])
            else:
                tally.add_tags(number, _lay_centres(film, centres))
    return {
        **tallies.report(),
        "ms": float(np.median(took_ms)),
        "mean_ms": float(np.mean(took_ms)),
        "step_processor_ms": float(np.median(processor_ms)),
    }


def _lay_centres(film: StoredFilm, centres: Centres) -> Found:
    """Lay a rival's centres on the table by the true camera, at the true heights."""
    return [
        (tag, complex(*spot))
        for tag, spots_px in centres.items()
        if (base := film.bases.get(tag)) is not None
        for spot in film.camera.table_from_image(np.array(spots_px), z_mm=base.height_mm)
    ]


def decode_jpeg(jpeg: Grey) -> Grey:
    """Return the picture in a JPEG file, grey."""
    return np.asarray(cv2.imdecode(jpeg, cv2.IMREAD_GRAYSCALE), dtype=np.uint8)


_kept: list[Detector] = []
"""pupil-apriltags crashes over taking a detector apart."""


def _make_apriltags(decimate: float) -> Callable[[Grey], Centres]:
    detector = Detector(families="tag36h11", nthreads=1, quad_decimate=decimate)
    _kept.append(detector)
    # The binding cuts the default of 0.25 to nothing; the rival is given what its authors meant it to have.
    detector.tag_detector_ptr.contents.decode_sharpening = 0.25

    def centres(grey: Grey) -> Centres:
        found: Centres = {}
        for tag in detector.detect(grey):
            found.setdefault(int(tag.tag_id), []).append(np.asarray(tag.center) - 0.5)
        return found

    return centres


def _make_aruco() -> Callable[[Grey], Centres]:
    parameters = cv2.aruco.DetectorParameters()
    parameters.minMarkerPerimeterRate = LEAST_TAG_SHARE
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
    detector = cv2.aruco.ArucoDetector(dictionary, parameters)

    def centres(grey: Grey) -> Centres:
        corners, ids, _ = detector.detectMarkers(grey)
        found: Centres = {}
        for tag, square in zip(np.array(ids if len(corners) else []).ravel().astype(int), corners, strict=True):
            found.setdefault(int(tag), []).append(_find_crossing(np.asarray(square, dtype=np.float64).reshape(4, 2)))
        return found

    return centres


DETECTORS: dict[str, Callable[[], Callable[[Grey], Centres]]] = {
    "apriltags-1": lambda: _make_apriltags(1.0),
    "apriltags-2": lambda: _make_apriltags(2.0),
    "aruco": _make_aruco,
}


def _find_crossing(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return where the diagonals of (4, 2) corners cross: the picture of the square's centre."""
    first, second = corners[2] - corners[0], corners[3] - corners[1]
    share = np.linalg.solve(np.column_stack([first, -second]), corners[1] - corners[0])[0]
    return np.asarray(corners[0] + share * first)


def _summarise_errors(off_mm: list[float]) -> list[float] | None:
    return [float(np.mean(off_mm)), float(np.percentile(off_mm, 99))] if off_mm else None


def _read_peak_mb() -> float:
    """Return this program's peak memory, MB; getrusage would count the parent's too, from before this one began."""
    status = Path("/proc/self/status")
    if status.exists():
        lines = status.read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform == "linux" else 1024**2)


if __name__ == "__main__":
    main(sys.argv[1:])
