"""The trial of the calibration's uncertainty: over many tables, lenses and anchors, is it as sure as it says?

    python -m tests.benchmarks.trial_calibration [--draws 200] [--seed 0] [--pictures 10]

Random tables under random webcams (`tests.calibration.table.random_tables`), made by projection, and games on them
(`random_games`); lenses from random views of boards (`tests.calibration.lens.random_boards`), of some with rendered
pictures of the boards in low light, beside OpenCV's (`rendered_boards`); and real photographs of a board of which four
markers play anchors (`tests.calibration.table.photographed_boards`), where they are there.
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from calibration.errors import Unsolvable
from tests.calibration.lens.random_boards import LensDraw, Light, ViewSet, draw_lens, measure_off_mm
from tests.calibration.lens.rendered_boards import PicturedLens, draw_pictured_lens
from tests.calibration.table.photographed_boards import BOARDS, find_boards
from tests.calibration.table.random_games import draw_game
from tests.calibration.table.random_tables import CalibrationDraw, LensKnown, View, draw_calibration


def report_draws(draws: int, first: int = 0) -> Iterator[str]:
    """Yield a line for each kind of table."""
    for known in LensKnown:
        for view in View:
            found = [draw_calibration(seed, known, view) for seed in range(first, first + draws)]
            yield f"{known}, {view}: {_describe(found)}"


def report_photographs() -> Iterator[str]:
    """Yield a line for each set of photographs and number of anchors."""
    for name in BOARDS:
        for count in (4, 6):
            found = [board.calibrate(count) for board in find_boards(name)]
            yield f"{name}, {count} anchors, no lens file: {_describe(found)}" if found else f"{name} is not there"


def report_games(draws: int, first: int = 0) -> Iterator[str]:
    """Yield a line for each kind of table, on what a game tells of the lens."""
    for known in (LensKnown.NOT, LensKnown.BADLY, LensKnown.WELL):
        for view in View:
            found = [draw_game(seed, known, view) for seed in range(first, first + draws)]
            offered = [draw for draw in found if draw.found.is_better]
            worse = sum((draw.after.off_mm**2).sum() > (draw.before.off_mm**2).sum() for draw in offered)
            yield f"{known}, {view}, after a game: offered {len(offered)} times, {worse} times worse"
            if offered:
                yield f"    before: {_describe([draw.before for draw in offered])}"
                yield f"    after: {_describe([draw.after for draw in offered])}"


def report_lenses(draws: int, first: int = 0) -> Iterator[str]:
    """Yield a line for each light and way of holding a board up, on what a lens from such views is worth."""
    for light in Light:
        for views in ViewSet:
            found: list[LensDraw] = []
            refusals: Counter[str] = Counter()
            for seed in range(first, first + draws):
                try:
                    found.append(draw_lens(seed, light, views))
                except Unsolvable as error:
                    refusals[str(error).split(" (")[0].split(":")[0]] += 1
            refused = "; ".join(f"{count} times: {why}" for why, count in refusals.most_common())
            if not found:
                yield f"lens, {light}, {views}: all refused, {refused}"
                continue
            focal = np.array([(draw.focal_share, draw.focal_sigma) for draw in found]).T
            table = np.array([draw.compare_on_table() for draw in found]).T
            yield (
                f"lens, {light}, {views}: error over sigma, mean square {((focal[0] / focal[1]) ** 2).mean():.2f}"
                f" (focal length), {np.mean([draw.axis_squares for draw in found]):.2f} (principal point),"
                f" {((table[0] / table[1]) ** 2).mean():.2f} (mm on the table); median error"
                f" {100 * np.median(np.abs(focal[0])):.3f} %, sigma {100 * np.median(focal[1]):.3f} %; median error"
                f" {np.median(table[0]):.3f}, expected {np.median(table[1]):.3f} mm; refused {refused or 'none'}"
            )


def report_pictured_lenses(draws: int, first: int = 0) -> Iterator[str]:
    """Yield a line for many and few rendered pictures in low light: our lens and OpenCV's."""
    for views in (ViewSet.MANY, ViewSet.FEW):
        found: list[PicturedLens] = []
        for seed in range(first, first + draws):
            with suppress(Unsolvable):
                found.append(draw_pictured_lens(seed, views))
        ours = np.array([(pictured.ours.focal_share, pictured.ours.focal_sigma) for pictured in found]).T
        theirs = np.array([pictured.their_focal for pictured in found]).T
        table = np.array([pictured.ours.compare_on_table() for pictured in found]).T
        their_mm = [measure_off_mm(pictured.ours.true, pictured.theirs) for pictured in found]
        yield (
            f"lens, pictures in low light, {views}, {len(found)} of {draws}: focal length off by"
            f" {_describe_focal(*ours)}, OpenCV's by {_describe_focal(*theirs)}; on the table {np.median(table[0]):.3f}"
            f" mm (expected {np.median(table[1]):.3f}, mean square {((table[0] / table[1]) ** 2).mean():.2f}), OpenCV's"
            f" {np.median(their_mm):.3f}"
        )


def _describe_focal(shares: NDArray[np.float64], sigmas: NDArray[np.float64]) -> str:
    return (
        f"{100 * np.median(np.abs(shares)):.3f} % (sigma {100 * np.median(sigmas):.3f} %, mean square"
        f" {((shares / sigmas) ** 2).mean():.2f})"
    )


def _describe(found: list[CalibrationDraw]) -> str:
    squares = np.array([draw.squared_sigmas for draw in found])
    errors = np.array([np.sqrt((draw.off_mm**2).sum(axis=1).mean()) for draw in found])
    sigmas = np.array([np.sqrt(np.trace(draw.covariance, axis1=1, axis2=2).mean()) for draw in found])
    return (
        f"error over sigma, mean square {squares.mean():.2f} (half below {np.median(squares):.2f}, 95 % below"
        f" {np.quantile(squares, 0.95):.1f}); median error {np.median(errors):.3f}, sigma {np.median(sigmas):.3f} mm"
    )


def main() -> None:
    """Print the trial."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--pictures", type=int, default=10, help="draws with rendered pictures, which take seconds each"
    )
    asked = parser.parse_args()
    for line in report_photographs():
        print(line, flush=True)
    for line in report_pictured_lenses(asked.pictures, asked.seed):
        print(line, flush=True)
    for line in report_lenses(asked.draws, asked.seed):
        print(line, flush=True)
    for line in report_draws(asked.draws, asked.seed):
        print(line, flush=True)
    for line in report_games(asked.draws, asked.seed):
        print(line, flush=True)


if __name__ == "__main__":
    main()
