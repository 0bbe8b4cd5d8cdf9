"""The anchors' places and the cameras that saw them, solved together from one or more pictures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.errors import Unsolvable
from calibration.layout import CORNERS, layout
from calibration.least_squares import solve
from calibration.places import Laid, TableSize, prior_of
from calibration.spaces import CameraOverTable, Floats, Lens, project
from calibration.table import BLEED_SIGMA_PX, LEAST_SIGMA_PX, by_place, by_point, first_pose, outward_of

POSE = 6
TOO_FAR_MM = 1e5
NO_CAMERA = "no camera above the table sees the anchors so: check their ids, places and turns"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """The anchors that one picture shows."""

    name: str
    squares_px: Mapping[int, Floats]
    """(4, 2) corners by tag."""
    noise_px2: Mapping[int, Floats]
    """(8, 8) covariance of the corners by tag, as their fit states it; nothing where not given."""


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
) -> TableFit:
    """Fit the camera's place in each picture, the anchors' places, and as much of the lens as they tell.

    Args:
        lens: the calibrated lens with its covariance, or `guess_lens`; the same in all pictures.
        laid: what is said of the anchors; those that no picture shows are left aside.
        table: the table's measures.
        pictures: what is seen of them.
        floor_px: what corners are off beyond their stated noise; found by the solve where it is not given.
        start: (n, 3) about where the anchors in view lie, where that is known.

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
    places = layout(lens, laid, table, seen) if start is None else start
    mean, information = prior_of(laid, table, places)
    problem = _Problem.of(lens, laid, pictures, seen, mean, information)
    begin = problem.begin(lens, mean)
    floors = [floor_px] if floor_px is not None else [0.1, None]
    floor, cost = 0.1, np.inf
    for given in floors:  # without a floor, a second time with what the first time found
        floor = given if given is not None else problem.floor_px(begin)
        try:
            with np.errstate(all="ignore"):  # what leaves the numbers behind is told below
                found = solve(
                    residuals=problem.residuals(floor),
                    start=begin,
                    prior=problem.prior,
                    information=problem.information,
                )
        except np.linalg.LinAlgError:
            raise Unsolvable(NO_CAMERA) from None
        begin = found.parameters
        apart = begin - problem.prior
        cost = float(found.residuals @ found.residuals + apart @ problem.information @ apart)
    if not np.isfinite(begin).all() or not np.abs(problem.places(begin)).max() < TOO_FAR_MM:
        raise Unsolvable(NO_CAMERA)
    return problem.fit(found.parameters, found.covariance, floor, cost, table)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Problem:
    """Parameters: a pose for each picture, the lens, a bleed for each picture, then those of `prior_of`."""

    laid: tuple[Laid, ...]
    lens: Lens
    rows: tuple[tuple[int, ...], ...]
    """Which anchors each picture shows."""
    squares_px: tuple[Floats, ...]
    noise_px2: tuple[Floats, ...]
    prior: Floats
    information: Floats

    @classmethod
    def of(
        cls,
        lens: Lens,
        laid: tuple[Laid, ...],
        pictures: Sequence[Sighting],
        seen: Sequence[Mapping[int, Floats]],
        mean: Floats,
        information: Floats,
    ) -> "_Problem":
        rows = tuple(tuple(i for i, anchor in enumerate(laid) if anchor.tag in squares) for squares in seen)
        count = len(pictures)
        first = POSE * count + 9 + count
        prior = np.concatenate([np.zeros(POSE * count), lens.parameters, np.zeros(count), mean])
        whole = np.zeros((len(prior), len(prior)))
        whole[POSE * count : POSE * count + 9, POSE * count : POSE * count + 9] = np.linalg.inv(lens.covariance)
        whole[POSE * count + 9 : first, POSE * count + 9 : first] = np.eye(count) / BLEED_SIGMA_PX**2
        whole[first:, first:] = information
        return cls(
            laid=laid,
            lens=lens,
            rows=rows,
            squares_px=tuple(np.array([s[laid[i].tag] for i in r]) for s, r in zip(seen, rows, strict=True)),
            noise_px2=tuple(
                np.array([p.noise_px2.get(laid[i].tag, np.zeros((8, 8))) for i in r])
                for p, r in zip(pictures, rows, strict=True)
            ),
            prior=prior,
            information=whole,
        )

    @property
    def _lens_at(self) -> int:
        return POSE * len(self.rows)

    @property
    def _said_at(self) -> int:
        """Where the parameters of `prior_of` begin."""
        return self._lens_at + 9 + len(self.rows)

    def places(self, parameters: Floats) -> Floats:
        """(n, 3) where the anchors lie."""
        at = self._said_at + 3
        return parameters[at : at + 3 * len(self.laid)].reshape(-1, 3)

    def _squares(self, parameters: Floats) -> Floats:
        """(n, 4, 3) the anchors' corners, mm."""
        places = self.places(parameters)
        larger = 1 + parameters[self._said_at + 2] + parameters[self._said_at + 3 + 3 * len(self.laid) :]
        sizes = np.array([anchor.size_mm for anchor in self.laid]) * larger
        spots = places[:, 0] + 1j * places[:, 1] + np.exp(1j * places[:, 2]) * sizes / 2 * CORNERS[:, None]
        heights = np.array([[anchor.z_mm] * 4 for anchor in self.laid])
        return np.stack([spots.real.T, spots.imag.T, heights], axis=2)

    def begin(self, lens: Lens, mean: Floats) -> Floats:
        """Return parameters to begin with: every camera where it sees the anchors at about their places."""
        start = np.concatenate([self.prior[: self._said_at], mean])
        squares = self._squares(start)
        for picture, (rows, squares_px) in enumerate(zip(self.rows, self.squares_px, strict=True)):
            points_mm = squares[list(rows)].reshape(-1, 3)
            start[POSE * picture : POSE * (picture + 1)] = first_pose(lens, points_mm, squares_px.reshape(-1, 2))
        return start

    def _look(self, parameters: Floats, picture: int) -> tuple[Floats, Floats]:
        """Return (m, 8) how far corners are off in one picture, and (m, 8, p) derivatives by all parameters."""
        count, rows = len(self.rows), list(self.rows[picture])
        squares = self._squares(parameters)[rows]
        view = np.concatenate(
            [parameters[POSE * picture : POSE * (picture + 1)], parameters[self._lens_at : self._lens_at + 9]]
        )
        pixels, slope = project(squares.reshape(-1, 3), view)
        out = outward_of(self.squares_px[picture])
        bleed_at = self._lens_at + 9 + picture
        off = pixels.reshape(-1, 4, 2) + parameters[bleed_at] * out - self.squares_px[picture]
        slopes = np.zeros((len(rows), 4, 2, len(parameters)))
        view_slope = slope.reshape(-1, 4, 2, 15)
        slopes[..., POSE * picture : POSE * (picture + 1)] = view_slope[..., :POSE]
        slopes[..., POSE * count : POSE * count + 9] = view_slope[..., POSE:]
        slopes[..., bleed_at] = out
        per_mm = by_point(slope, view).reshape(-1, 4, 2, 3)
        placed = per_mm @ by_place(squares)
        arms = squares - squares.mean(axis=1, keepdims=True)
        grown = (per_mm @ arms[..., None])[..., 0]
        slopes[..., self._said_at + 2] = grown
        at = self._said_at + 3
        for j, i in enumerate(rows):
            slopes[j, :, :, at + 3 * i : at + 3 * i + 3] = placed[j]
            slopes[j, :, :, at + 3 * len(self.laid) + i] = grown[j]
        return off.reshape(-1, 8), slopes.reshape(len(rows), 8, len(parameters))

    def residuals(self, floor_px: float) -> "_Residuals":
        """Return the whitened residuals as `solve` takes them."""
        return _Residuals(
            problem=self,
            whitening=tuple(
                np.linalg.inv(np.linalg.cholesky(noise + floor_px**2 * np.eye(8))) for noise in self.noise_px2
            ),
        )

    def floor_px(self, parameters: Floats) -> float:
        """Return what the corners are off beyond their stated noise."""
        squares, told, explained, free = 0.0, 0, 0.0, len(parameters) - 3 - len(self.laid)
        for picture, noise in enumerate(self.noise_px2):
            off, _ = self._look(parameters, picture)
            squares += float((off**2).sum())
            told += off.size
            explained += float(np.einsum("nii->", noise))
        # What is said of places counts as seen: each of them frees what it holds.
        held = sum(0 if anchor.is_open else 3 for anchor in self.laid)
        beyond = squares / max(1.0, told - free + held) - explained / told
        return float(np.sqrt(max(LEAST_SIGMA_PX**2, beyond)))

    def fit(self, parameters: Floats, covariance: Floats, floor_px: float, cost: float, table: TableSize) -> TableFit:
        """Return the solution by the names of its parts."""
        lens_at, said_at, count = self._lens_at, self._said_at, len(self.laid)
        cameras, off = [], []
        for picture in range(len(self.rows)):
            own = list(range(POSE * picture, POSE * (picture + 1))) + list(range(lens_at, lens_at + 9))
            joint = covariance[np.ix_(own, own)]
            offs, _ = self._look(parameters, picture)
            rotation, translation = np.split(parameters[own[:POSE]], 2)
            noise = np.einsum("nii->", self.noise_px2[picture]) / offs.size
            cameras.append(
                CameraOverTable(
                    lens=replace(self.lens, parameters=parameters[own[POSE:]], covariance=joint[POSE:, POSE:]),
                    rotation=rotation,
                    translation_mm=translation,
                    covariance=joint,
                    bleed_px=float(parameters[lens_at + 9 + picture]),
                    sigma_px=float(np.sqrt(noise + floor_px**2)),
                )
            )
            if cameras[-1].height_mm <= 0:
                raise Unsolvable(NO_CAMERA)
            off.append(
                {self.laid[i].tag: offs[j].reshape(4, 2) for j, i in enumerate(self.rows[picture])},
            )
        places_at = said_at + 3
        said, said_covariance = self._against_what_was_said(parameters, covariance, table)
        own = slice(places_at, places_at + 3 * count)
        sizes = slice(places_at + 3 * count, None)
        return TableFit(
            laid=self.laid,
            cameras=tuple(cameras),
            places=self.places(parameters),
            covariance=covariance[own, own],
            said=said,
            said_covariance=said_covariance,
            size_mm=(float(parameters[said_at]), float(parameters[said_at + 1])),
            size_covariance=covariance[said_at : said_at + 2, said_at : said_at + 2],
            scale=parameters[sizes],
            scale_sigma=np.sqrt(np.diag(covariance)[sizes]),
            off_px=tuple(off),
            floor_px=floor_px,
            cost=cost,
        )

    def _against_what_was_said(
        self, parameters: Floats, covariance: Floats, table: TableSize
    ) -> tuple[Floats, Floats]:
        """Return (n, 3) where anchors were said to lie, and (n, 3, 3) how surely they lie how far from there."""
        said = np.full((len(self.laid), 3), np.nan)
        spread = np.zeros((len(self.laid), 3, 3))
        places = self.places(parameters)
        width, depth = (float(v) for v in parameters[self._said_at : self._said_at + 2])
        for i, anchor in enumerate(self.laid):
            if anchor.is_open:
                continue
            centre = anchor.centre_mm(width, depth)
            said[i] = centre.real, centre.imag, anchor.turn_near(float(places[i, 2]))
            way = np.zeros((3, len(parameters)))
            at = self._said_at + 3 + 3 * i
            way[:, at : at + 3] = np.eye(3)
            way[0, self._said_at] = -1.0 if "right" in (anchor.corner or "") else 0.0
            way[1, self._said_at + 1] = -1.0 if "far" in (anchor.corner or "") else 0.0
            spread[i] = way @ covariance @ way.T
        return said, spread


@dataclass(frozen=True, slots=True, kw_only=True)
class _Residuals:
    problem: _Problem
    whitening: tuple[Floats, ...]

    def __call__(self, parameters: Floats) -> tuple[Floats, Floats]:
        found, slopes = [], []
        for picture, whitening in enumerate(self.whitening):
            off, slope = self.problem._look(parameters, picture)
            found.append((whitening @ off[..., None]).ravel())
            slopes.append((whitening @ slope).reshape(-1, len(parameters)))
        return np.concatenate(found), np.concatenate(slopes)
