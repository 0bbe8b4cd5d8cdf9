"""Bundle adjustment of a table: the anchors' places and the cameras that saw them, solved together from pictures.

`Adjustment` holds what the pictures and what is said of the anchors' places ask of the solve: residuals and their
derivatives.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.errors import Unsolvable
from calibration.least_squares import LEAST_GAIN, LeastSquaresSolution, solve_least_squares
from calibration.spaces import CameraOverTable, Floats, Lens, project
from calibration.table.anchor_layout import CORNERS, StatedAnchor, TableSize, build_prior, estimate_layout
from calibration.table.camera_pose import (
    BLEED_SIGMA_PX,
    LEAST_SIGMA_PX,
    compare_with_known,
    compute_outward_steps,
    differentiate_by_place,
    differentiate_by_point,
    guess_pose,
)

POSE = 6
"""Parameters of a pose."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorSighting:
    """The anchors that one picture shows."""

    name: str
    squares_px: Mapping[int, Floats]
    """(4, 2) corners by tag."""
    noise_px2: Mapping[int, Floats]
    """(8, 8) covariance of the corners by tag, as their fit states it; nothing where not given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjustment:
    """Parameters: a pose for each picture, the lens, a bleed for each picture, then those of `prior_of`."""

    stated: tuple[StatedAnchor, ...]
    lens: Lens
    rows: tuple[tuple[int, ...], ...]
    """Which anchors each picture shows."""
    squares_px: tuple[Floats, ...]
    outward: tuple[Floats, ...]
    """How far each corner moves when edges bleed by one pixel."""
    noise_px2: tuple[Floats, ...]
    prior: Floats
    information: Floats

    @classmethod
    def from_sightings(
        cls,
        *,
        lens: Lens,
        stated: tuple[StatedAnchor, ...],
        pictures: Sequence[AnchorSighting],
        stated_prior: tuple[Floats, Floats],
    ) -> "Adjustment":
        """Put together what is asked; ``stated_prior`` is the mean and the information of `prior_of`."""
        mean, information = stated_prior
        rows = tuple(tuple(i for i, anchor in enumerate(stated) if anchor.tag in p.squares_px) for p in pictures)
        count = len(pictures)
        first = POSE * count + 9 + count
        prior = np.concatenate([np.zeros(POSE * count), lens.parameters, np.zeros(count), mean])
        whole = np.zeros((len(prior), len(prior)))
        whole[POSE * count + 9 : first, POSE * count + 9 : first] = np.eye(count) / BLEED_SIGMA_PX**2
        whole[first:, first:] = information
        exact = np.zeros((8, 8))
        squares_px = tuple(
            np.array([p.squares_px[stated[i].tag] for i in visible]) for p, visible in zip(pictures, rows, strict=True)
        )
        return cls(
            stated=stated,
            lens=lens,
            rows=rows,
            squares_px=squares_px,
            outward=tuple(map(compute_outward_steps, squares_px)),
            noise_px2=tuple(
                np.array([p.noise_px2.get(stated[i].tag, exact) for i in visible])
                for p, visible in zip(pictures, rows, strict=True)
            ),
            prior=prior,
            information=whole,
        )

    @property
    def lens_start(self) -> int:
        """Where the parameters of the lens begin."""
        return POSE * len(self.rows)

    @property
    def prior_start(self) -> int:
        """Where the parameters of `prior_of` begin."""
        return self.lens_start + 9 + len(self.rows)

    def extract_places(self, parameters: Floats) -> Floats:
        """(n, 3) where the anchors lie."""
        at = self.prior_start + 3
        return parameters[at : at + 3 * len(self.stated)].reshape(-1, 3)

    def _build_squares(self, parameters: Floats) -> Floats:
        """(n, 4, 3) the anchors' corners, mm."""
        places = self.extract_places(parameters)
        larger = 1 + parameters[self.prior_start + 2] + parameters[self.prior_start + 3 + 3 * len(self.stated) :]
        sizes = np.array([anchor.size_mm for anchor in self.stated]) * larger
        spots = places[:, 0] + 1j * places[:, 1] + np.exp(1j * places[:, 2]) * sizes / 2 * CORNERS[:, None]
        heights = np.array([[anchor.z_mm] * 4 for anchor in self.stated])
        return np.stack([spots.real.T, spots.imag.T, heights], axis=2)

    def guess_start(self, lens: Lens) -> Floats:
        """Return parameters to begin with: every camera where such a lens sees the anchors at about their places."""
        start = self.prior.copy()
        start[self.lens_start : self.lens_start + 9] = lens.parameters
        squares = self._build_squares(start)
        for picture, (rows, squares_px) in enumerate(zip(self.rows, self.squares_px, strict=True)):
            points_mm = squares[list(rows)].reshape(-1, 3)
            start[POSE * picture : POSE * (picture + 1)] = guess_pose(lens, points_mm, squares_px.reshape(-1, 2))
        return start

    def compute_offsets(self, parameters: Floats, picture: int) -> tuple[Floats, Floats]:
        """Return (m, 8) how far corners are off in one picture, and (m, 8, p) derivatives by all parameters."""
        count, rows = len(self.rows), list(self.rows[picture])
        squares = self._build_squares(parameters)[rows]
        view = np.concatenate(
            [
                parameters[POSE * picture : POSE * (picture + 1)],
                parameters[self.lens_start : self.lens_start + 9],
            ]
        )
        pixels, slope = project(squares.reshape(-1, 3), view, self.lens.model)
        out = self.outward[picture]
        bleed_at = self.lens_start + 9 + picture
        off = pixels.reshape(-1, 4, 2) + parameters[bleed_at] * out - self.squares_px[picture]
        slopes = np.zeros((len(rows), 4, 2, len(parameters)))
        view_slope = slope.reshape(-1, 4, 2, 15)
        slopes[..., POSE * picture : POSE * (picture + 1)] = view_slope[..., :POSE]
        slopes[..., POSE * count : POSE * count + 9] = view_slope[..., POSE:]
        slopes[..., bleed_at] = out
        per_mm = differentiate_by_point(slope, view).reshape(-1, 4, 2, 3)
        placed = per_mm @ differentiate_by_place(squares)
        arms = squares - squares.mean(axis=1, keepdims=True)
        grown = (per_mm @ arms[..., None])[..., 0]
        slopes[..., self.prior_start + 2] = grown
        at = self.prior_start + 3
        for j, i in enumerate(rows):
            slopes[j, :, :, at + 3 * i : at + 3 * i + 3] = placed[j]
            slopes[j, :, :, at + 3 * len(self.stated) + i] = grown[j]
        return off.reshape(-1, 8), slopes.reshape(len(rows), 8, len(parameters))

    def build_residuals(self, floor_px: float) -> Callable[[Floats], tuple[Floats, Floats]]:
        """Return the whitened residuals as `solve` takes them."""
        floor = floor_px**2 * np.eye(8)
        whitening = [np.linalg.inv(np.linalg.cholesky(noise + floor)) for noise in self.noise_px2]

        def whitened(parameters: Floats) -> tuple[Floats, Floats]:
            at = slice(self.lens_start, self.lens_start + 9)
            known, by_lens = compare_with_known(self.lens, parameters[at])
            residuals, slopes = [known], [np.zeros((9, len(parameters)))]
            slopes[0][:, at] = by_lens
            for picture, whitener in enumerate(whitening):
                off, slope = self.compute_offsets(parameters, picture)
                residuals.append((whitener @ off[..., None]).ravel())
                slopes.append((whitener @ slope).reshape(-1, len(parameters)))
            return np.concatenate(residuals), np.concatenate(slopes)

        return whitened

    def estimate_floor_px(self, parameters: Floats) -> float:
        """Return what the corners are off beyond their stated noise."""
        squares, count, explained, free = 0.0, 0, 0.0, len(parameters) - 3 - len(self.stated)
        for picture, noise in enumerate(self.noise_px2):
            off, _ = self.compute_offsets(parameters, picture)
            squares += float((off**2).sum())
            count += off.size
            explained += float(np.einsum("nii->", noise))
        # What is said of places counts as seen: each of them frees what it holds.
        statements = sum(0 if anchor.is_open else 3 for anchor in self.stated)
        beyond = squares / max(1.0, count - free + statements) - explained / count
        return float(np.sqrt(max(LEAST_SIGMA_PX**2, beyond)))


FARTHEST_MM = 1e5
NO_CAMERA = "no camera above the table sees the anchors so: check their ids, places and turns"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFit:
    """Where the anchors lie and where the camera stood, as far as the pictures tell."""

    stated: tuple[StatedAnchor, ...]
    """What was said of the anchors that are in some picture."""
    cameras: tuple[CameraOverTable, ...]
    """One for each picture."""
    places: Floats
    """(n, 3) x_mm, y_mm and turn_rad of each anchor."""
    covariance: Floats
    """(3n, 3n) of the places."""
    stated_places: Floats
    """(n, 3) where each was said to lie, on the table as solved; NaN for one that is open."""
    stated_covariance: Floats
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
    stated: Sequence[StatedAnchor],
    table: TableSize,
    pictures: Sequence[AnchorSighting],
    floor_px: float | None = None,
    start: Floats | None = None,
    near: Lens | None = None,
    enough: float = LEAST_GAIN,
) -> TableFit:
    """Fit the camera's place in each picture, the anchors' places, and as much of the lens as they tell.

    Args:
        lens: the calibrated lens with its covariance, or `guess_lens`; the same in all pictures.
        stated: what is said of the anchors; those that no picture shows are left aside.
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
    stated = tuple(anchor for anchor in stated if anchor.tag in in_view)
    if not stated:
        raise Unsolvable("no anchor is in the pictures; at least one is needed, four near the corners are better")
    tags = {anchor.tag for anchor in stated}
    squares_in_view = [{t: c for t, c in picture.squares_px.items() if t in tags} for picture in pictures]
    if empty := next((p.name for p, squares in zip(pictures, squares_in_view, strict=True) if not squares), None):
        raise Unsolvable(f"no anchor is in {empty}: leave this picture out")
    places = estimate_layout(near or lens, stated, table, squares_in_view) if start is None else start
    sightings = [replace(p, squares_px=squares) for p, squares in zip(pictures, squares_in_view, strict=True)]
    stated_prior = build_prior(stated, table, places)
    problem = Adjustment.from_sightings(lens=lens, stated=stated, pictures=sightings, stated_prior=stated_prior)
    begin = problem.guess_start(near or lens)
    floor, cost = 0.1 if floor_px is None else floor_px, np.inf
    for is_refit in (False,) if floor_px is not None else (False, True):
        if is_refit:
            floor = problem.estimate_floor_px(begin)
        try:
            with np.errstate(all="ignore"):  # what leaves the numbers behind is told below
                solution = solve_least_squares(
                    residuals=problem.build_residuals(floor),
                    start=begin,
                    prior=problem.prior,
                    information=problem.information,
                    enough=enough,
                )
        except np.linalg.LinAlgError:
            raise Unsolvable(NO_CAMERA) from None
        begin = solution.parameters
        from_prior = begin - problem.prior
        cost = float(solution.residuals @ solution.residuals + from_prior @ problem.information @ from_prior)
    if not np.isfinite(begin).all() or not np.abs(problem.extract_places(begin)).max() < FARTHEST_MM:
        raise Unsolvable(NO_CAMERA)
    return _build_fit(problem, solution, floor, cost)


def _build_fit(problem: Adjustment, solution: LeastSquaresSolution, floor_px: float, cost: float) -> TableFit:
    """Return the solution by the names of its parts."""
    parameters, covariance = solution.parameters, solution.covariance
    prior_at, count = problem.prior_start, len(problem.stated)
    cameras, off = zip(*(_build_camera(problem, solution, floor_px, i) for i in range(len(problem.rows))), strict=True)
    stated_places, stated_covariance = _compare_with_statements(problem, solution)
    place_part, scale_part = slice(prior_at + 3, prior_at + 3 + 3 * count), slice(prior_at + 3 + 3 * count, None)
    return TableFit(
        stated=problem.stated,
        cameras=cameras,
        places=problem.extract_places(parameters),
        covariance=covariance[place_part, place_part],
        stated_places=stated_places,
        stated_covariance=stated_covariance,
        size_mm=(float(parameters[prior_at]), float(parameters[prior_at + 1])),
        size_covariance=covariance[prior_at : prior_at + 2, prior_at : prior_at + 2],
        scale=parameters[scale_part],
        scale_sigma=np.sqrt(np.diag(covariance)[scale_part]),
        off_px=off,
        floor_px=floor_px,
        cost=cost,
    )


def _build_camera(
    problem: Adjustment, solution: LeastSquaresSolution, floor_px: float, picture: int
) -> tuple[CameraOverTable, dict[int, Floats]]:
    """Return the camera of one picture, and how far the corners there are off, by tag."""
    parameters, lens_at = solution.parameters, problem.lens_start
    columns = [*range(POSE * picture, POSE * (picture + 1)), *range(lens_at, lens_at + 9)]
    joint = solution.covariance[np.ix_(columns, columns)]
    off, _ = problem.compute_offsets(parameters, picture)
    rotation, translation = np.split(parameters[columns[:POSE]], 2)
    noise = float(np.einsum("nii->", problem.noise_px2[picture])) / off.size
    camera = CameraOverTable(
        lens=Lens(
            image_size=problem.lens.image_size,
            parameters=parameters[columns[POSE:]],
            covariance=joint[POSE:, POSE:],
            model=problem.lens.model,
        ),
        rotation=rotation,
        translation_mm=translation,
        covariance=joint,
        bleed_px=float(parameters[lens_at + 9 + picture]),
        sigma_px=float(np.sqrt(noise + floor_px**2)),
    )
    if camera.height_mm <= 0:
        raise Unsolvable(NO_CAMERA)
    return camera, {problem.stated[i].tag: off[j].reshape(4, 2) for j, i in enumerate(problem.rows[picture])}


def _compare_with_statements(problem: Adjustment, solution: LeastSquaresSolution) -> tuple[Floats, Floats]:
    """Return (n, 3) where anchors were said to lie, and (n, 3, 3) how surely they lie how far from there."""
    stated_places = np.full((len(problem.stated), 3), np.nan)
    spread = np.zeros((len(problem.stated), 3, 3))
    places, size_at = problem.extract_places(solution.parameters), problem.prior_start
    width, depth = (float(v) for v in solution.parameters[size_at : size_at + 2])
    for i, anchor in enumerate(problem.stated):
        if anchor.is_open:
            continue
        centre = anchor.find_centre_mm(width, depth)
        stated_places[i] = centre.real, centre.imag, anchor.find_turn_near(float(places[i, 2]))
        way = np.zeros((3, len(solution.parameters)))
        at = size_at + 3 + 3 * i
        way[:, at : at + 3] = np.eye(3)
        way[0, size_at] = -1.0 if "right" in (anchor.corner or "") else 0.0
        way[1, size_at + 1] = -1.0 if "far" in (anchor.corner or "") else 0.0
        spread[i] = way @ solution.covariance @ way.T
    return stated_places, spread
