"""The trial of the eyes' honesty: is what is marked as seen there, and as surely as is said?

    python -m tests.benchmarks.trial_eyes [--frames 10000] [--seed 0] [--dump FOLDER]

Films of virtual tables drawn by lot, `tests.vision.trial`; and the shared pictures with truth where they are there.
"""

import argparse
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import cv2
import numpy as np

from tests.benchmarks.trial_shared import frame_scores, photo_lines
from tests.vision.scoring import Breach, Referee, Score
from tests.vision.trial import Film, Moment
from vision.pipeline import Pipeline
from vision.types import BasePose

FILM_FRAMES = 150
IN_BENCH = 450
WORST = 3
"""So many of each kind of breach are named."""
CROP_PX = 90


def run() -> Iterator[str]:
    """Yield the lines of a short trial."""
    return trial(frames=IN_BENCH, seed=0, dump=None)


def trial(*, frames: int, seed: int, dump: Path | None) -> Iterator[str]:
    """Yield the lines of a trial of so many frames: the films one by one, then what they came to."""
    total, begun_s = Score(), time.perf_counter()
    for number in range(seed, seed + max(1, frames // FILM_FRAMES)):
        film = Film(number, frames=FILM_FRAMES)
        already = len(total.breaches)
        judge(film, total, dump)
        yield f"film {number}: {film.conditions}: {len(total.breaches) - already} poses off"
    yield f"{total.frames} frames, {total.poses} poses marked as seen, {time.perf_counter() - begun_s:.0f} s"
    yield from summary(total)
    for title, score in frame_scores():
        yield ""
        yield f"{title}: {score.frames} pictures, {score.poses} poses marked as seen"
        yield from summary(score)
    yield ""
    yield from photo_lines()


def judge(film: Film, score: Score, dump: Path | None = None) -> None:
    """Show a film to the line from its beginning, and add what comes of it to a score."""
    pipeline = Pipeline(markers=film.markers)

    def keep(breach: Breach, moment: Moment, pose: BasePose) -> None:
        if dump is not None:
            _dump(dump, film, breach, moment, pose)

    lens = "lens known" if film.conditions.lens_known else "lens solved"
    referee = Referee(score, film.conditions.seed, f"{film.conditions.size}, {lens}", keep)
    for moment in film.moments():
        referee.see(moment, pipeline.step(moment.frame))
    referee.end()


def summary(score: Score) -> Iterator[str]:
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
        yield _squares(name, score, parts)
        for part in parts if len(parts) > 1 else ():
            yield _squares(f"  {part}", score, [part])
    if score.visible:
        share, aloft = score.visible_seen / score.visible, score.standing_lifted / score.visible
        yield f"whole tags of standing bases that are seen: {share:.3%} of {score.visible}; told as lifted: {aloft:.3%}"
    yield f"frames until a lift is told: {_late(score.lift_frames)}; never: {score.lifts_missed}"
    back = _late(score.return_frames)
    yield f"frames until a tag that was hidden is seen again: {back}; not in 2 s: {score.returns_missed}"


def _squares(name: str, score: Score, groups: Iterable[str]) -> str:
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


def _late(frames: list[int]) -> str:
    if not frames:
        return "none"
    return f"median {np.median(frames):.0f}, 95 % {np.percentile(frames, 95):.0f}, most {max(frames)} of {len(frames)}"


def _dump(folder: Path, film: Film, breach: Breach, moment: Moment, pose: BasePose) -> None:
    """Write the picture around a breach, plain, and with what is said green and what is true white."""
    folder.mkdir(parents=True, exist_ok=True)
    truth = moment.truth.get(pose.tag)
    height_mm = film.markers.bases[pose.tag].height_mm
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
    chosen = parser.parse_args()
    cv2.setNumThreads(1)
    for line in trial(frames=chosen.frames, seed=chosen.seed, dump=chosen.dump):
        print(line, flush=True)


if __name__ == "__main__":
    _main()
