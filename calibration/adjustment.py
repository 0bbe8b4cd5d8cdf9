"""What pictures of anchors and what is said of their places ask of a solve: residuals and their derivatives."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from calibration.layout import CORNERS
from calibration.places import Laid
from calibration.spaces import Floats, Lens, project
from calibration.squares import LEAST_SIGMA_PX
from calibration.table import BLEED_SIGMA_PX, by_place, by_point, first_pose, outward_of

POSE = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """The anchors that one picture shows."""

    name: str
    squares_px: Mapping[int, Floats]
    """(4, 2) corners by tag."""
    noise_px2: Mapping[int, Floats]
    """(8, 8) covariance of the corners by tag, as their fit states it; nothing where not given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjustment:
    """Parameters: a pose for each picture, the lens, a bleed for each picture, then those of `prior_of`."""

    laid: tuple[Laid, ...]
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
    def of(
        cls, *, lens: Lens, laid: tuple[Laid, ...], pictures: Sequence[Sighting], said: tuple[Floats, Floats]
    ) -> "Adjustment":
        """Put together what is asked; ``said`` is the mean and the information of `prior_of`."""
        mean, information = said
        rows = tuple(tuple(i for i, anchor in enumerate(laid) if anchor.tag in p.squares_px) for p in pictures)
        count = len(pictures)
        first = POSE * count + 9 + count
        prior = np.concatenate([np.zeros(POSE * count), lens.parameters, np.zeros(count), mean])
        whole = np.zeros((len(prior), len(prior)))
        whole[POSE * count : POSE * count + 9, POSE * count : POSE * count + 9] = np.linalg.inv(lens.covariance)
        whole[POSE * count + 9 : first, POSE * count + 9 : first] = np.eye(count) / BLEED_SIGMA_PX**2
        whole[first:, first:] = information
        exact = np.zeros((8, 8))
        squares_px = tuple(
            np.array([p.squares_px[laid[i].tag] for i in own]) for p, own in zip(pictures, rows, strict=True)
        )
        return cls(
            laid=laid,
            lens=lens,
            rows=rows,
            squares_px=squares_px,
            outward=tuple(map(outward_of, squares_px)),
            noise_px2=tuple(
                np.array([p.noise_px2.get(laid[i].tag, exact) for i in own])
                for p, own in zip(pictures, rows, strict=True)
            ),
            prior=prior,
            information=whole,
        )

    @property
    def lens_at(self) -> int:
        """Where the parameters of the lens begin."""
        return POSE * len(self.rows)

    @property
    def said_at(self) -> int:
        """Where the parameters of `prior_of` begin."""
        return self.lens_at + 9 + len(self.rows)

    def places(self, parameters: Floats) -> Floats:
        """(n, 3) where the anchors lie."""
        at = self.said_at + 3
        return parameters[at : at + 3 * len(self.laid)].reshape(-1, 3)

    def _squares(self, parameters: Floats) -> Floats:
        """(n, 4, 3) the anchors' corners, mm."""
        places = self.places(parameters)
        larger = 1 + parameters[self.said_at + 2] + parameters[self.said_at + 3 + 3 * len(self.laid) :]
        sizes = np.array([anchor.size_mm for anchor in self.laid]) * larger
        spots = places[:, 0] + 1j * places[:, 1] + np.exp(1j * places[:, 2]) * sizes / 2 * CORNERS[:, None]
        heights = np.array([[anchor.z_mm] * 4 for anchor in self.laid])
        return np.stack([spots.real.T, spots.imag.T, heights], axis=2)

    def begin(self, lens: Lens) -> Floats:
        """Return parameters to begin with: every camera where such a lens sees the anchors at about their places."""
        start = self.prior.copy()
        start[self.lens_at : self.lens_at + 9] = lens.parameters
        squares = self._squares(start)
        for picture, (rows, squares_px) in enumerate(zip(self.rows, self.squares_px, strict=True)):
            points_mm = squares[list(rows)].reshape(-1, 3)
            start[POSE * picture : POSE * (picture + 1)] = first_pose(lens, points_mm, squares_px.reshape(-1, 2))
        return start

    def look(self, parameters: Floats, picture: int) -> tuple[Floats, Floats]:
        """Return (m, 8) how far corners are off in one picture, and (m, 8, p) derivatives by all parameters."""
        count, rows = len(self.rows), list(self.rows[picture])
        squares = self._squares(parameters)[rows]
        view = np.concatenate(
            [parameters[POSE * picture : POSE * (picture + 1)], parameters[self.lens_at : self.lens_at + 9]]
        )
        pixels, slope = project(squares.reshape(-1, 3), view)
        out = self.outward[picture]
        bleed_at = self.lens_at + 9 + picture
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
        slopes[..., self.said_at + 2] = grown
        at = self.said_at + 3
        for j, i in enumerate(rows):
            slopes[j, :, :, at + 3 * i : at + 3 * i + 3] = placed[j]
            slopes[j, :, :, at + 3 * len(self.laid) + i] = grown[j]
        return off.reshape(-1, 8), slopes.reshape(len(rows), 8, len(parameters))

    def residuals(self, floor_px: float) -> Callable[[Floats], tuple[Floats, Floats]]:
        """Return the whitened residuals as `solve` takes them."""
        floor = floor_px**2 * np.eye(8)
        whitening = [np.linalg.inv(np.linalg.cholesky(noise + floor)) for noise in self.noise_px2]

        def whitened(parameters: Floats) -> tuple[Floats, Floats]:
            looks = [self.look(parameters, picture) for picture in range(len(self.rows))]
            return (
                np.concatenate([(w @ off[..., None]).ravel() for w, (off, _) in zip(whitening, looks, strict=True)]),
                np.concatenate(
                    [(w @ slope).reshape(-1, len(parameters)) for w, (_, slope) in zip(whitening, looks, strict=True)]
                ),
            )

        return whitened

    def floor_px(self, parameters: Floats) -> float:
        """Return what the corners are off beyond their stated noise."""
        squares, told, explained, free = 0.0, 0, 0.0, len(parameters) - 3 - len(self.laid)
        for picture, noise in enumerate(self.noise_px2):
            off, _ = self.look(parameters, picture)
            squares += float((off**2).sum())
            told += off.size
            explained += float(np.einsum("nii->", noise))
        # What is said of places counts as seen: each of them frees what it holds.
        held = sum(0 if anchor.is_open else 3 for anchor in self.laid)
        beyond = squares / max(1.0, told - free + held) - explained / told
        return float(np.sqrt(max(LEAST_SIGMA_PX**2, beyond)))
