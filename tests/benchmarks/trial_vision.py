"""The trial of vision's uncertainty: are poses marked as seen there, and as surely as is said?

    python -m tests.benchmarks.trial_vision [--frames 10000] [--seed 0] [--rings] [--dump FOLDER]

Random films of virtual tables, `tests.vision.random_films`; and the shared frames and photographs, rendered and taken
by others, with truth, where they are there.
"""

import argparse
import math
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.frame import Frame
from hardware.simulation.scene import Placement
from tests.shared_pictures import SHARED
from tests.vision.pose_scoring import Breach, PoseScore, PoseScorer
from tests.vision.random_films import BaseTruth, FilmMoment, RandomFilm
from tests.vision.test_pipeline_accuracy import read_markers, read_picture, read_truth
from vision.pipeline import Pipeline, locate_bases_in_image
from vision.tags.detection import detect_tags, select_whole
from vision.types import BasePose

FPS = 30
NEAR_PX = 3.0
"""A corner of a photographed tag that is found farther off than this is found wrong."""
TAG_M = 0.065


def score_frames() -> Iterator[tuple[str, PoseScore]]:
    """Yield the score of each folder of frames, with the lens calibrated from the board views and without."""
    for known in (True, False):
        lens = "lens known" if known else "lens solved"
        if (folder := SHARED / "frames/table-1080p").exists():
            yield f"shared video, {lens}", _score_video(folder, known, lens)
        if (folder := SHARED / "frames/table-4k").exists():
            yield f"shared stills, {lens}", _score_stills(folder, known, lens)


def describe_photos() -> Iterator[str]:
    """Yield what is found in the photographs, and which shared pictures are not there."""
    outdoors, floor = SHARED / "photos/apriltag-36h11", SHARED / "photos/floor-tags-36h11"
    for folder in (SHARED / "frames/table-1080p", SHARED / "frames/table-4k", outdoors, floor):
        if not folder.exists():
            yield f"skipped, for ../shared/{folder.parent.name}/{folder.name} is not there"
    for path in sorted(outdoors.glob("*.jpg")):
        yield f"{path.name}: {_compare_outdoors(path)}"
    yield from _compare_floor(floor)


def _score_video(folder: Path, known: bool, lens: str) -> PoseScore:
    score, pipeline = PoseScore(), Pipeline(markers=read_markers(folder, with_lens=known))
    referee = PoseScorer(score, -1, f"1080p, {lens}")
    video = cv2.VideoCapture(str(folder / "video.avi"))
    before: dict[int, Placement] = {}
    for number, bases in enumerate(read_truth(folder)):
        _, image = video.read()
        moment = _make_moment(number, np.asarray(image, dtype=np.uint8), bases, before)
        before = {tag: truth.at for tag, truth in moment.truth.items()}
        referee.score_frame(moment, pipeline.step(moment.frame))
    video.release()
    referee.finish()
    return score


def _score_stills(folder: Path, known: bool, lens: str) -> PoseScore:
    score, told = PoseScore(), read_markers(folder, with_lens=known)
    for number, (still, bases) in enumerate(
        zip(sorted((folder / "stills").glob("*.jpg")), read_truth(folder), strict=True)
    ):
        referee = PoseScorer(score, -1 - number, f"4K still, {lens}")
        moment = _make_moment(0, read_picture(still), bases, {})
        referee.score_frame(moment, locate_bases_in_image(told, moment.frame.image, 0))
        referee.finish()
    return score


def _make_moment(
    number: int, image: NDArray[np.uint8], bases: dict[int, dict[str, float]], before: dict[int, Placement]
) -> FilmMoment:
    truth = {}
    for tag, base in bases.items():
        facing_rad = math.radians(base["facing_deg"])
        at = Placement(x_mm=base["x_mm"], y_mm=base["y_mm"], facing_rad=facing_rad, z_mm=base["z_mm"])
        hidden = 1.0 if base["hidden"] else 0.0
        truth[tag] = BaseTruth(at=at, hidden=hidden, moving=at != before.get(tag, at), floor_mm=0.0)
    frame = Frame(camera="shared", sequence=number, captured_ns=round(number * 1e9 / FPS), image=image)
    return FilmMoment(frame=frame, truth=truth, twin=None)


def _compare_outdoors(path: Path) -> str:
    """Compare with the photograph's own list of tags, whose corners count from the pixel's edge."""
    true = []
    for line in path.with_suffix(".txt").read_text().splitlines():
        name, *corners = line.replace("(", "").replace(")", "").split(",")
        true.append((int(name), np.array([corner.split() for corner in corners], dtype=np.float64) - 0.5))
    found = detect_tags(grey := read_picture(path), [select_whole(grey)])
    off_px, astray = [], 0
    for tag in found:
        fits = [np.linalg.norm(corners - tag.corners_px, axis=1).max() for i, corners in true if i == tag.tag]
        if fits and min(fits) < NEAR_PX:
            off_px.append(float(min(fits)))
        else:
            astray += 1
    worst = f"{max(off_px):.2f}" if off_px else "none"
    return f"{len(off_px)} of {len(true)} tags found, worst corner {worst} px off; {astray} found wrong or not there"


def _compare_floor(folder: Path) -> Iterator[str]:
    """Compare how far a tag is turned from the first picture of its series with the turn in the file's name."""
    turns: dict[int, NDArray[np.float64]] = {}
    ids: dict[str, list[int]] = {}
    matrix = np.array([[329.87, 0, 528.0], [0, 332.95, 396.0], [0, 0, 1]])
    square = np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)]) * TAG_M / 2
    for path in sorted(folder.glob("*.png")):
        found = detect_tags(grey := read_picture(path), [select_whole(grey)])
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


FILM_FRAMES = 150
IN_BENCH = 450
WORST = 3
"""So many of each kind of breach are named."""
CROP_PX = 90


def run() -> Iterator[str]:
    """Yield the lines of a short trial."""
    for ringed in (True, False):
        yield from run_trial(frames=IN_BENCH, seed=0, dump=None, ringed=ringed)


def run_trial(*, frames: int, seed: int, dump: Path | None, ringed: bool) -> Iterator[str]:
    """Yield the lines of a trial of so many frames: the films one by one, then what they came to."""
    total, begun_s = PoseScore(), time.perf_counter()
    for number in range(seed, seed + max(1, frames // FILM_FRAMES)):
        film = RandomFilm(number, frames=FILM_FRAMES, ringed=ringed)
        already = len(total.breaches)
        score_film(film, total, dump)
        yield f"film {number}: {film.conditions}: {len(total.breaches) - already} poses off"
    yield f"{total.frames} frames, {total.poses} poses marked as seen, {time.perf_counter() - begun_s:.0f} s"
    yield from summarise_score(total)
    if ringed:
        return
    for title, score in score_frames():
        yield ""
        yield f"{title}: {score.frames} pictures, {score.poses} poses marked as seen"
        yield from summarise_score(score)
    yield ""
    yield from describe_photos()


def score_film(film: RandomFilm, score: PoseScore, dump: Path | None = None) -> None:
    """Show a film to the line from its beginning, and add what comes of it to a score."""
    pipeline = Pipeline(markers=film.markers)

    def keep(breach: Breach, moment: FilmMoment, pose: BasePose) -> None:
        if dump is not None:
            _dump_picture(dump, film, breach, moment, pose)

    lens = "lens known" if film.conditions.lens_known else "lens solved"
    referee = PoseScorer(score, film.conditions.seed, f"{film.conditions.size}, {lens}", keep)
    for moment in film.render_moments():
        referee.score_frame(moment, pipeline.step(moment.frame))
    referee.finish()


def summarise_score(score: PoseScore) -> Iterator[str]:
    """Yield a score's lines: breaches by kind, mean squares, what was missed and how late."""
    by_kind: dict[str, list[Breach]] = defaultdict(list)
    for breach in score.breaches:
        by_kind[breach.kind].append(breach)
    yield f"{'poses':>7}{'times':>7}  wrong identity, or more than five sigma off; worst: film/frame/tag sigma, mm, deg"
    for kind, breaches in sorted(by_kind.items(), key=lambda entry: -len(entry[1])):
        worst = {(b.film, b.tag): b for b in sorted(breaches, key=lambda b: b.sigmas)}
        named = sorted(worst.values(), key=lambda b: -b.sigmas)[:WORST]
        yield f"{len(breaches):7d}{score.episodes[kind]:7d}  {kind}"
        yield (" " * 16) + "; ".join(
            f"{b.film}/{b.frame}/{b.tag} {b.sigmas:.0f}, {b.off_mm:.2f}, {b.off_deg:.1f}" for b in named
        )
    yield f"{'mean square':<44}{'position':>10}{'facing':>9}{'samples':>9}{'without those beyond 5 sigma':>32}"
    groups = sorted({group for group, _ in score.squares})
    for name in sorted({group.split(",")[0] for group in groups}, reverse=True):
        parts = [group for group in groups if group.split(",")[0] == name]
        yield _format_squares(name, score, parts)
        for part in parts if len(parts) > 1 else ():
            yield _format_squares(f"  {part}", score, [part])
    if score.visible:
        share, aloft = score.visible_seen / score.visible, score.standing_lifted / score.visible
        yield f"whole tags of standing bases that are seen: {share:.3%} of {score.visible}; told as lifted: {aloft:.3%}"
    yield f"frames until a lift is told: {_format_delays(score.lift_frames)}; never: {score.lifts_missed}"
    back = _format_delays(score.return_frames)
    yield f"frames until a tag that was hidden is seen again: {back}; not in 2 s: {score.returns_missed}"


def _format_squares(name: str, score: PoseScore, groups: Iterable[str]) -> str:
    position, facing = (
        np.array([square for group in groups for square in score.squares[group, what]])
        for what in ("position", "facing")
    )
    if not len(position):
        return f"{name:<44}{'none':>10}"
    fair = (position <= 12.5) & (facing <= 25)
    inside = f"{position[fair].mean():.2f} {facing[fair].mean():.2f}" if fair.any() else "none"
    beyond = f"{inside:>20} ({1 - fair.mean():.1%} are)"
    return f"{name:<44}{position.mean():10.2f}{facing.mean():9.2f}{len(position):9d}{beyond}"


def _format_delays(frames: list[int]) -> str:
    if not frames:
        return "none"
    return f"median {np.median(frames):.0f}, 95 % {np.percentile(frames, 95):.0f}, most {max(frames)} of {len(frames)}"


def _dump_picture(folder: Path, film: RandomFilm, breach: Breach, moment: FilmMoment, pose: BasePose) -> None:
    """Write the picture around a breach, plain, and with what is said green and what is true white."""
    folder.mkdir(parents=True, exist_ok=True)
    truth = moment.truth.get(pose.marker)
    height_mm = film.markers.bases[pose.marker].height_mm
    spots = [(pose.x_mm, pose.y_mm, height_mm)]
    if truth is not None:
        spots.append((truth.at.x_mm, truth.at.y_mm, truth.at.z_mm + height_mm))
    said, *true = film.camera.project(np.array(spots))
    plain = cv2.cvtColor(moment.frame.image, cv2.COLOR_GRAY2BGR)
    canvas = plain.copy()
    for spot, colour in ((said, (0, 255, 0)), *((at, (255, 255, 255)) for at in true)):
        cv2.drawMarker(canvas, np.rint(spot).astype(int).tolist(), colour, cv2.MARKER_CROSS, 15)
    height, width = canvas.shape[:2]
    x, y = np.rint(true[0] if true else said).astype(int).tolist()
    around = np.s_[max(0, y - CROP_PX) : min(height, y + CROP_PX), max(0, x - CROP_PX) : min(width, x + CROP_PX)]
    part = np.hstack([plain[around], canvas[around]])
    if part.size:
        kind = breach.kind.replace(" ", "-").replace(":", "").replace(",", "")
        large = cv2.resize(part, None, fx=4, fy=4, interpolation=cv2.INTER_NEAREST)
        cv2.imwrite(str(folder / f"{breach.film:05}-{breach.frame:03}-{breach.tag:03}-{kind}.png"), large)


def _main() -> None:
    parser = argparse.ArgumentParser(description="Try whether the eyes are honest.")
    parser.add_argument("--frames", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0, help="of the first film")
    parser.add_argument("--dump", type=Path, help="where to write a picture of each breach")
    parser.add_argument("--rings", action="store_true", help="figures on ringed bases, and strangers among them")
    chosen = parser.parse_args()
    cv2.setNumThreads(1)
    for line in run_trial(frames=chosen.frames, seed=chosen.seed, dump=chosen.dump, ringed=chosen.rings):
        print(line, flush=True)


if __name__ == "__main__":
    _main()
