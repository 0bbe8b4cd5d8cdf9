"""The trial of the eyes: are poses marked as seen there, and as surely as is said, in good rooms and in bad ones?

    python -m tests.benchmarks.trial_eyes [--world NAME,...] [--frames 10000] [--seed 0] [--rings] [--jobs N]
        [--dump FOLDER] [--films] [--length 150]

Random films of the worlds that `tests.vision.worlds` names, and stills out of them; `--frames` are those of each world.
Whether sigma is right on average over cameras and lenses is told by many short films (`--frames 560 --length 14`):
within one draw all errors of the calibration are alike.
With the world `shared` the shared frames and photographs, rendered and taken by others, with truth, where they are.
"""

import argparse
import math
import multiprocessing
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.frame import Frame
from hardware.simulation.scene import Placement
from tests.shared_pictures import SHARED
from tests.vision.pose_scoring import Breach, PoseScore, PoseScorer, merge_scores
from tests.vision.random_films import BaseTruth, FilmMoment, RandomFilm
from tests.vision.test_pipeline_accuracy import read_markers, read_picture, read_truth
from tests.vision.worlds import WORLDS
from vision.pipeline import Pipeline
from vision.stills import locate_bases_in_image
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
STILLS_AT = (0, 75)
"""Pictures of a film that are shown as stills too."""
IN_BENCH = 450
WORST = 3
"""So many of each kind of breach are named."""
CROP_PX = 90
SHARED_WORLD = "shared"


@dataclass(frozen=True, slots=True, kw_only=True)
class FilmTask:
    """A film to be shown, by its seed."""

    world: str
    seed: int
    ringed: bool
    dump: Path | None = None
    frames: int = FILM_FRAMES


@dataclass(frozen=True, slots=True, kw_only=True)
class FilmScore:
    """What one film showed, seen as a film and as stills."""

    conditions: str
    film: PoseScore
    stills: PoseScore


def run() -> Iterator[str]:
    """Yield the lines of a short trial of the plain world."""
    for ringed in (True, False):
        yield from run_trial([FilmTask(world="plain", seed=seed, ringed=ringed) for seed in range(3)], jobs=1)
    yield from run_shared()


def run_trial(tasks: Sequence[FilmTask], *, jobs: int, films: bool = True) -> Iterator[str]:
    """Yield the lines of a trial: the films one by one, if wanted; what each world came to; and a table of all."""
    begun_s, rows = time.perf_counter(), list[str]()
    for world in dict.fromkeys(task.world for task in tasks):
        wanted = [task for task in tasks if task.world == world]
        film, stills = PoseScore(), PoseScore()
        for task, score in zip(wanted, _score_tasks(wanted, jobs), strict=True):
            merge_scores(film, score.film)
            merge_scores(stills, score.stills)
            if films:
                off = f"{len(score.film.breaches)} poses off, {len(score.stills.breaches)} in stills"
                yield f"film {task.seed}: {score.conditions}: {off}"
        yield f"{world}: {film.frames} frames, {film.poses} poses marked as seen, {time.perf_counter() - begun_s:.0f} s"
        yield from summarise_score(film)
        if stills.breaches:
            yield "stills:"
            yield from list_breaches(stills)
        rows += [format_row(world, film), format_row(f"{world}, stills", stills)]
        yield ""
    yield format_heading()
    yield from rows


def run_shared() -> Iterator[str]:
    """Yield what the shared frames and photographs come to."""
    for title, score in score_frames():
        yield ""
        yield f"{title}: {score.frames} pictures, {score.poses} poses marked as seen"
        yield from summarise_score(score)
    yield ""
    yield from describe_photos()


def _score_tasks(tasks: Sequence[FilmTask], jobs: int) -> Iterator[FilmScore]:
    if jobs == 1:
        yield from map(score_film, tasks)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=cv2.setNumThreads, initargs=(1,)) as pool:
        yield from pool.map(score_film, tasks)


def score_film(task: FilmTask) -> FilmScore:
    """Show a film to the line from its beginning, and some of its pictures as stills."""
    film = RandomFilm(task.seed, frames=task.frames, ringed=task.ringed, world=WORLDS[task.world])
    pipeline, score, still_score = Pipeline(markers=film.markers), PoseScore(), PoseScore()
    before: FilmMoment | None = None

    def keep(breach: Breach, moment: FilmMoment, pose: BasePose) -> None:
        if task.dump is not None:
            crop = _crop_breach(film, moment, pose, before or moment)
            kind = breach.kind.replace(" ", "-").replace(":", "").replace(",", "")
            name = f"{breach.film:05}-{breach.frame:03}-{breach.tag:03}-{kind}.png"
            (task.dump / task.world).mkdir(parents=True, exist_ok=True)
            cv2.imwrite(str(task.dump / task.world / name), crop)

    group = f"{film.conditions.size}, {film.conditions.lens}"
    referee, still_referee = PoseScorer(score, task.seed, group, keep), PoseScorer(still_score, task.seed, group)
    for number, moment in enumerate(film.render_moments()):
        referee.score_frame(moment, pipeline.step(moment.frame))
        if number in STILLS_AT:
            still_referee.score_still(moment, locate_bases_in_image(film.markers, moment.frame.image, 0))
        before = moment
    referee.finish()
    return FilmScore(conditions=str(film.conditions), film=score, stills=still_score)


def format_heading() -> str:
    """Return the heading of the table of worlds."""
    return (
        f"{'world':<22}{'recall':>8}{'of':>8}{'wrong':>6}{'> 5 sigma at rest':>19}{'moving':>14}"
        f"{'mean square':>12}{'moving':>7}{'facing':>7}{'moving':>7}{'mm':>7}{'moving':>7}{'in doubt':>9}"
    )


def format_row(name: str, score: PoseScore) -> str:
    """Return a world's line of that table."""
    share = score.visible_seen / score.visible if score.visible else math.nan
    wrong = sum("wrong identity" in breach.kind or "twin" in breach.kind for breach in score.breaches)
    squares = {
        (does, what): np.array(
            [
                square
                for (group, kind), values in score.squares.items()
                for square in values
                if kind == what and group.split(",")[0].split(" ")[0] == does
            ]
        )
        for does in ("resting", "moving")
        for what in ("position", "facing")
    }
    mean = {key: f"{values.mean():.2f}" if len(values) else "none" for key, values in squares.items()}
    off = {
        moving: f"{np.sqrt(score.off_mm2[moving] / score.counted[moving]):.3f}" if score.counted[moving] else "none"
        for moving in (False, True)
    }
    return (
        f"{name:<22}{share:8.2%}{score.visible:8d}{wrong:6d}{_format_beyond(score, False):>19}"
        f"{_format_beyond(score, True):>14}{mean['resting', 'position']:>12}{mean['moving', 'position']:>7}"
        f"{mean['resting', 'facing']:>7}{mean['moving', 'facing']:>7}{off[False]:>7}{off[True]:>7}"
        f"{score.doubted / max(score.frames, 1):9.1%}"
    )


def _format_beyond(score: PoseScore, moving: bool) -> str:
    return f"{score.beyond[moving]} of {score.counted[moving]}"


def list_breaches(score: PoseScore) -> Iterator[str]:
    """Yield a score's breaches, by kind, the most frequent first."""
    by_kind: dict[str, list[Breach]] = defaultdict(list)
    for breach in score.breaches:
        by_kind[breach.kind].append(breach)
    for kind, breaches in sorted(by_kind.items(), key=lambda entry: -len(entry[1])):
        worst = {(b.film, b.tag): b for b in sorted(breaches, key=lambda b: b.sigmas)}
        named = sorted(worst.values(), key=lambda b: -b.sigmas)[:WORST]
        yield f"{len(breaches):7d}{score.episodes[kind]:7d}  {kind}"
        yield (" " * 16) + "; ".join(
            f"{b.film}/{b.frame}/{b.tag} {b.sigmas:.0f}, {b.off_mm:.2f}, {b.off_deg:.1f}" for b in named
        )


def summarise_score(score: PoseScore) -> Iterator[str]:
    """Yield a score's lines: breaches by kind, mean squares, what was missed and how late."""
    yield f"{'poses':>7}{'times':>7}  wrong identity, or more than five sigma off; worst: film/frame/tag sigma, mm, deg"
    yield from list_breaches(score)
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


def _crop_breach(film: RandomFilm, moment: FilmMoment, pose: BasePose, before: FilmMoment) -> NDArray[np.uint8]:
    """Return the picture around a breach: the one before, plain, and with what is said green and what is true white."""
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
    middle = true[0] if true else said
    size = (2 * CROP_PX, 2 * CROP_PX)
    pictures = (cv2.cvtColor(before.frame.image, cv2.COLOR_GRAY2BGR), plain, canvas)
    parts = [cv2.getRectSubPix(picture, size, np.rint(middle).tolist()) for picture in pictures]
    return np.asarray(cv2.resize(np.hstack(parts), None, fx=4, fy=4, interpolation=cv2.INTER_NEAREST), dtype=np.uint8)


def _main() -> None:
    parser = argparse.ArgumentParser(description="Try whether the eyes are honest.")
    parser.add_argument("--world", default="", help="names, by commas; all by default, but for the shared frames")
    parser.add_argument("--frames", type=int, default=10_000, help="of each world")
    parser.add_argument("--seed", type=int, default=0, help="of the first film")
    parser.add_argument("--dump", type=Path, help="where to write a picture of each breach")
    parser.add_argument("--rings", action="store_true", help="figures on ringed bases, and strangers among them")
    parser.add_argument("--jobs", type=int, default=1, help="films that are shown at the same time")
    parser.add_argument("--films", action="store_true", help="tell of each film")
    parser.add_argument("--length", type=int, default=FILM_FRAMES, help="frames of each film")
    chosen = parser.parse_args()
    cv2.setNumThreads(1)
    names = [name for name in chosen.world.split(",") if name] or list(WORLDS)
    if unknown := set(names) - {*WORLDS, SHARED_WORLD}:
        parser.error(f"no such world: {', '.join(sorted(unknown))}; there are {', '.join([*WORLDS, SHARED_WORLD])}")
    seeds = range(chosen.seed, chosen.seed + max(1, chosen.frames // chosen.length))
    tasks = [
        FilmTask(world=name, seed=seed, ringed=chosen.rings, dump=chosen.dump, frames=chosen.length)
        for name in names
        if name != SHARED_WORLD
        for seed in seeds
    ]
    for line in run_trial(tasks, jobs=chosen.jobs, films=chosen.films):
        print(line, flush=True)
    for line in run_shared() if SHARED_WORLD in names else ():
        print(line, flush=True)


if __name__ == "__main__":
    _main()
