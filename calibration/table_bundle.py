"""The anchors' places and the cameras that saw them, solved together from one or more pictures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.adjustment import POSE, Adjustment, Sighting
from calibration.errors import Unsolvable
from calibration.layout import layout
from calibration.least_squares import ENOUGH, Solution, solve
from calibration.places import Laid, TableSize, prior_of
from calibration.spaces import CameraOverTable, Floats, Lens

TOO_FAR_MM = 1e5
NO_CAMERA = "no camera above the table sees the anchors so: check their ids, places and turns"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFit:
    """Where the anchors lie and where the camera stood, as far as the pictures tell."""

    laid: tuple[Laid, ...]
    """What was said of the anchors that are in some picture."""
    cameras: tuple[CameraOverTable, ...]
    """One for each picture."""
    places: Floats
    """(n, 3) x_mm, y_mm and turn_rad of each anchor."""
    covariance: Floats
    """(3n, 3n) of the places."""
    said: Floats
    """(n, 3) where each was said to lie, on the table as solved; NaN for one that is open."""
    said_covariance: Floats
    """(n, 3, 3) of the places less where they were said to lie."""
    size_mm: tuple[float, float]
    """Width and depth of the table."""
    size_covariance: Floats
    """(2, 2)."""
    scale: Floats
    """(n,) by how much each print is larger than all others are."""
    scale_sigma: Floats
    off_px: tuple[Mapping[int, Floats], ...]
    """(4, 2) how far the corners are off by tag, for each picture."""
    floor_px: float
    """Standard deviation of one coordinate of a corner beyond its stated noise."""
    cost: float
    """Squared standard deviations between what was seen, what was said, and the solution."""


def solve_places(
    *,
    lens: Lens,
    laid: Sequence[Laid],
    table: TableSize,
    pictures: Sequence[Sighting],
    floor_px: float | None = None,
    start: Floats | None = None,
    near: Lens | None = None,
    enough: float = ENOUGH,
) -> TableFit:
    """Fit the camera's place in each picture, the anchors' places, and as much of the lens as they tell.

    Args:
        lens: the calibrated lens with its covariance, or `guess_lens`; the same in all pictures.
        laid: what is said of the anchors; those that no picture shows are left aside.
        table: the table's measures.
        pictures: what is seen of them.
        floor_px: what corners are off beyond their stated noise; found by the solve where it is not given.
        start: (n, 3) about where the anchors in view lie, where that is known.

        near: about what the lens will turn out to be, where that is known better than by ``lens``.
        enough: the solve ends where a step saves less than this, in squared sigma.

    Raises:
        Unsolvable: the pictures and what is said do not determine it; one sentence says what is lacking.

    """
    in_view = {tag for picture in pictures for tag in picture.squares_px}
    laid = tuple(anchor for anchor in laid if anchor.tag in in_view)
    if not laid:
        raise Unsolvable("no anchor is in the pictures; at least one is needed, four near the corners are better")
    known = {anchor.tag for anchor in laid}
    seen = [{t: c for t, c in picture.squares_px.items() if t in known} for picture in pictures]
    if empty := next((p.name for p, squares in zip(pictures, seen, strict=True) if not squares), None):
        raise Unsolvable(f"no anchor is in {empty}: leave this picture out")
    places = layout(near or lens, laid, table, seen) if start is None else start
    shown = [replace(p, squares_px=squares) for p, squares in zip(pictures, seen, strict=True)]
    problem = Adjustment.of(lens=lens, laid=laid, pictures=shown, said=prior_of(laid, table, places))
    begin = problem.begin(near or lens)
    floor, cost = 0.1 if floor_px is None else floor_px, np.inf
    for again in (False,) if floor_px is not None else (False, True):
        if again:
            floor = problem.floor_px(begin)
        try:
            with np.errstate(all="ignore"):  # what leaves the numbers behind is told below
                found = solve(
                    residuals=problem.residuals(floor),
                    start=begin,
                    prior=problem.prior,
                    information=problem.information,
                    enough=enough,
                )
        except np.linalg.LinAlgError:
            raise Unsolvable(NO_CAMERA) from None
        begin = found.parameters
        apart = begin - problem.prior
        cost = float(found.residuals @ found.residuals + apart @ problem.information @ apart)
    if not np.isfinite(begin).all() or not np.abs(problem.places(begin)).max() < TOO_FAR_MM:
        raise Unsolvable(NO_CAMERA)
    return _fit(problem, found, floor, cost)


def _fit(problem: Adjustment, solution: Solution, floor_px: float, cost: float) -> TableFit:
    """Return the solution by the names of its parts."""
    parameters, covariance = solution.parameters, solution.covariance
    said_at, count = problem.said_at, len(problem.laid)
    cameras, off = zip(*(_camera(problem, solution, floor_px, i) for i in range(len(problem.rows))), strict=True)
    said, said_covariance = _against_what_was_said(problem, solution)
    own, sizes = slice(said_at + 3, said_at + 3 + 3 * count), slice(said_at + 3 + 3 * count, None)
    return TableFit(
        laid=problem.laid,
        cameras=cameras,
        places=problem.places(parameters),
        covariance=covariance[own, own],
        said=said,
        said_covariance=said_covariance,
        size_mm=(float(parameters[said_at]), float(parameters[said_at + 1])),
        size_covariance=covariance[said_at : said_at + 2, said_at : said_at + 2],
        scale=parameters[sizes],
        scale_sigma=np.sqrt(np.diag(covariance)[sizes]),
        off_px=off,
        floor_px=floor_px,
        cost=cost,
    )


def _camera(
    problem: Adjustment, solution: Solution, floor_px: float, picture: int
) -> tuple[CameraOverTable, dict[int, Floats]]:
    """Return the camera of one picture, and how far the corners there are off, by tag."""
    parameters, lens_at = solution.parameters, problem.lens_at
    own = [*range(POSE * picture, POSE * (picture + 1)), *range(lens_at, lens_at + 9)]
    joint = solution.covariance[np.ix_(own, own)]
    off, _ = problem.look(parameters, picture)
    rotation, translation = np.split(parameters[own[:POSE]], 2)
    noise = float(np.einsum("nii->", problem.noise_px2[picture])) / off.size
    camera = CameraOverTable(
        lens=replace(problem.lens, parameters=parameters[own[POSE:]], covariance=joint[POSE:, POSE:]),
        rotation=rotation,
        translation_mm=translation,
        covariance=joint,
        bleed_px=float(parameters[lens_at + 9 + picture]),
        sigma_px=float(np.sqrt(noise + floor_px**2)),
    )
    if camera.height_mm <= 0:
        raise Unsolvable(NO_CAMERA)
    return camera, {problem.laid[i].tag: off[j].reshape(4, 2) for j, i in enumerate(problem.rows[picture])}


def _against_what_was_said(problem: Adjustment, solution: Solution) -> tuple[Floats, Floats]:
    """Return (n, 3) where anchors were said to lie, and (n, 3, 3) how surely they lie how far from there."""
    said = np.full((len(problem.laid), 3), np.nan)
    spread = np.zeros((len(problem.laid), 3, 3))
    places, size_at = problem.places(solution.parameters), problem.said_at
    width, depth = (float(v) for v in solution.parameters[size_at : size_at + 2])
    for i, anchor in enumerate(problem.laid):
        if anchor.is_open:
            continue
        centre = anchor.centre_mm(width, depth)
        said[i] = centre.real, centre.imag, anchor.turn_near(float(places[i, 2]))
        way = np.zeros((3, len(solution.parameters)))
        at = size_at + 3 + 3 * i
        way[:, at : at + 3] = np.eye(3)
        way[0, size_at] = -1.0 if "right" in (anchor.corner or "") else 0.0
        way[1, size_at + 1] = -1.0 if "far" in (anchor.corner or "") else 0.0
        spread[i] = way @ solution.covariance @ way.T
    return said, spread
