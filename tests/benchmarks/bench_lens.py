"""Lenses from two sets of photographs, said to be of one camera: ours beside OpenCV's, and what both make of them."""

from collections.abc import Iterator
from time import perf_counter

import cv2
import numpy as np

from calibration.lens.bundle_adjustment import BoardView
from calibration.lens.quality import compare_lens_pair
from calibration.lens.solve import solve_lens
from calibration.spaces import Lens
from tests.shared_pictures import SHARED
from vision.boards.detection import parse_board

SIZE = (1280, 720)


def run() -> Iterator[str]:
    """Yield what is found."""
    if not (SHARED / "photos").exists():
        yield "needs ../shared/photos beside the checkout"
        return
    ours: list[Lens] = []
    theirs: list[tuple[float, float]] = []
    for part, legacy in (("a", ""), ("b", ":legacy")):
        views = read_views(part, legacy)
        began = perf_counter()
        fit = solve_lens(views, SIZE)
        took_ms = 1e3 * (perf_counter() - began)
        ours.append(fit.lens)
        sigma = float(np.sqrt(fit.lens.covariance[0, 0]))
        yield (
            f"{part}: ours fx {fit.lens.parameters[0]:.1f} ± {sigma:.1f}, held out {fit.held_out_px:.3f} px,"
            f" covariance {fit.inflation:.1f} times the ordinary one, {took_ms:.0f} ms"
        )
        began = perf_counter()
        theirs.append(solve_by_opencv(views))
        took_ms = 1e3 * (perf_counter() - began)
        yield f"{part}: OpenCV fx {theirs[-1][0]:.1f} ± {theirs[-1][1]:.1f}, {took_ms:.0f} ms"
        halves = solve_by_opencv(views[::2]), solve_by_opencv(views[1::2])
        found = (
            compare_lens_pair(solve_lens(views[::2], SIZE).lens, solve_lens(views[1::2], SIZE).lens)
            if part == "a"
            else None
        )
        yield f"{part}: its two halves lie {count_sigmas_apart(*halves):.1f} sigma apart in fx by OpenCV" + (
            f"; by ours they {found.outcome} (chi-square {found.chi2:.1f} of 9)" if found else ""
        )
    found = compare_lens_pair(ours[0], ours[1])
    by_ours = abs(found.differences[0] / found.sigmas[0])
    yield (
        f"a and b: {count_sigmas_apart(*theirs):.1f} sigma apart in fx by OpenCV, {by_ours:.1f} by ours;"
        f" all together chi-square {found.chi2:.1f} of 9: {found.outcome}, {found.worst_mm:.2f} mm on the table"
    )


def read_views(part: str, legacy: str) -> list[BoardView]:
    """Return the corners in one set of photographs."""
    board = parse_board(f"charuco:8x8:25.4:19.05:4X4_1000{legacy}")
    pictures = sorted((SHARED / f"photos/lifecam-charuco-{part}").glob("*.jpg"))
    greys = ((path.name, cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)) for path in pictures)
    return [board.find(np.asarray(grey, dtype=np.uint8), name) for name, grey in greys]


def solve_by_opencv(views: list[BoardView]) -> tuple[float, float]:
    """Return the focal length and its standard deviation, the corners' errors taken for independent."""
    places = [view.points_mm.astype(np.float32) for view in views]
    pixels = [view.points_px.astype(np.float32) for view in views]
    guess = cv2.initCameraMatrix2D(places, pixels, SIZE)
    _, matrix, *_, by_lens, _, _ = cv2.calibrateCameraExtended(places, pixels, SIZE, guess, np.zeros(5))
    return float(np.asarray(matrix)[0, 0]), float(np.ravel(np.asarray(by_lens))[0])


def count_sigmas_apart(one: tuple[float, float], other: tuple[float, float]) -> float:
    """Return how many standard deviations two measurements lie apart."""
    return abs(one[0] - other[0]) / float(np.hypot(one[1], other[1]))
