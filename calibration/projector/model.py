"""The projector model: a projector over a table is a camera run backwards.

On a flat table the pinhole model with square pixels, an off-axis principal point and a distorting lens is a
homography followed by the distortion about the principal point, and nothing more: focal length and place say the
same as the homography's eight numbers.  So these eight are what is fitted, with the principal point and the
distortion behind them.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

NEWTON_STEPS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Nudge:
    """By how much a person shifts, turns and stretches the light on the table, about the table's middle."""

    x_mm: float = 0.0
    y_mm: float = 0.0
    turn_rad: float = 0.0
    scale: float = 1.0

    def build_matrix(self, about_mm: tuple[float, float]) -> Floats:
        """(3, 3) from where light is wanted to where the uncorrected projector has to be told to put it."""
        cos, sin = self.scale * np.cos(self.turn_rad), self.scale * np.sin(self.turn_rad)
        x, y = about_mm
        return np.array(
            [
                [cos, -sin, x - cos * x + sin * y + self.x_mm],
                [sin, cos, y - sin * x - cos * y + self.y_mm],
                [0.0, 0.0, 1.0],
            ]
        )

    def combine(self, step: "Nudge") -> "Nudge":
        """Return this nudge and another step on it."""
        return Nudge(
            x_mm=self.x_mm + step.x_mm,
            y_mm=self.y_mm + step.y_mm,
            turn_rad=self.turn_rad + step.turn_rad,
            scale=self.scale * step.scale,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectorOverTable:
    """Which pixel of a projector lights which place on the table."""

    image_size: tuple[int, int]
    """Width and height, px."""
    parameters: Floats
    """(14,) in the order of PARAMETERS."""
    covariance: Floats
    """(14, 14) of the parameters; zero where one was not fitted."""

    @property
    def homography(self) -> Floats:
        """(3, 3) from (x_mm, y_mm, 1) on the table to pixels, before the lens distorts."""
        return np.append(self.parameters[:8], 1.0).reshape(3, 3)

    @property
    def radius_px(self) -> float:
        """Half the picture's diagonal: the unit in which the distortion counts distances."""
        return radius_px(self.image_size)

    def projector_from_table(self, places_mm: ArrayLike) -> Floats:
        """Return the (n, 2) pixels whose light falls on (n, 2) places."""
        return cast_light(np.asarray(places_mm, dtype=np.float64), self.parameters, self.radius_px)[0]

    def table_from_projector(self, pixels: ArrayLike) -> Floats:
        """Return the (n, 2) places on which the light of (n, 2) pixels falls."""
        target_px = np.asarray(pixels, dtype=np.float64).reshape(-1, 2)
        flat = np.column_stack([target_px, np.ones(len(target_px))]) @ np.linalg.inv(self.homography).T
        places = flat[:, :2] / flat[:, 2:]
        for _ in range(NEWTON_STEPS):
            off = self.projector_from_table(places) - target_px
            places = places - np.linalg.solve(self.scale_px_per_mm(places), off[:, :, None])[:, :, 0]
        return places

    def scale_px_per_mm(self, places_mm: ArrayLike) -> Floats:
        """(n, 2, 2) derivative of the pixel by a step on the table."""
        places = np.asarray(places_mm, dtype=np.float64).reshape(-1, 2)
        ideal, depth = _project_ideal(places, self.parameters)
        rows, last = self.homography[:2, :2], self.homography[2, :2]
        by_place = (rows - ideal[:, :, None] * last) / depth[:, None, None]
        _, by_ideal, _ = _distort(ideal, self.parameters[8:], self.radius_px)
        return np.asarray(by_ideal @ by_place)

    def covariance_mm2(self, places_mm: ArrayLike) -> Floats:
        """(n, 2, 2) covariance that the fit alone leaves on where light falls."""
        places = np.asarray(places_mm, dtype=np.float64).reshape(-1, 2)
        _, slope = cast_light(places, self.parameters, self.radius_px)
        steps_mm = np.linalg.solve(self.scale_px_per_mm(places), slope)
        return np.asarray(steps_mm @ self.covariance @ steps_mm.transpose(0, 2, 1))

    def apply_nudge(self, nudge: Nudge, about_mm: tuple[float, float]) -> "ProjectorOverTable":
        """Return a projector whose light a person has shifted; its covariance is that of before."""
        matrix = self.homography @ nudge.build_matrix(about_mm)
        return replace(self, parameters=np.concatenate([(matrix / matrix[2, 2]).ravel()[:8], self.parameters[8:]]))


def radius_px(image_size: tuple[int, int]) -> float:
    """Return half the diagonal of a picture."""
    return float(np.hypot(*image_size)) / 2


def cast_light(places_mm: Floats, parameters: Floats, unit_px: float) -> tuple[Floats, Floats]:
    """Return the (n, 2) pixels that light (n, 2) places, and their (n, 2, 14) derivatives by the parameters."""
    places = places_mm.reshape(-1, 2)
    ideal, depth = _project_ideal(places, parameters)
    pixels, by_ideal, by_lens = _distort(ideal, parameters[8:], unit_px)
    by_homography = np.zeros((len(places), 2, 8))
    along = np.column_stack([places, np.ones(len(places))]) / depth[:, None]
    by_homography[:, 0, :3] = by_homography[:, 1, 3:6] = along
    by_homography[:, :, 6:] = -ideal[:, :, None] * along[:, None, :2]
    return pixels, np.concatenate([by_ideal @ by_homography, by_lens], axis=2)


def _project_ideal(places: Floats, parameters: Floats) -> tuple[Floats, Floats]:
    """(n, 2) pixels that a lens without distortion would need, and (n,) how far ahead of the projector, in its unit."""
    rows = np.append(parameters[:8], 1.0).reshape(3, 3)
    depth = places @ rows[2, :2] + rows[2, 2]
    return (places @ rows[:2, :2].T + rows[:2, 2]) / depth[:, None], depth


def _distort(ideal: Floats, lens: Floats, unit_px: float) -> tuple[Floats, Floats, Floats]:
    """Distort (n, 2) pixels by (cx, cy, k1, k2, p1, p2); return them, and derivatives by the pixels and by the lens."""
    k1, k2, p1, p2 = lens[2:]
    a, b = ((ideal - lens[:2]) / unit_px).T
    r2 = a * a + b * b
    swell = 1 + k1 * r2 + k2 * r2 * r2
    out = np.column_stack(
        [a * swell + 2 * p1 * a * b + p2 * (r2 + 2 * a * a), b * swell + p1 * (r2 + 2 * b * b) + 2 * p2 * a * b]
    )
    steep = k1 + 2 * k2 * r2  # how fast the swelling grows with the squared radius
    mixed = 2 * a * b * steep + 2 * p1 * a + 2 * p2 * b
    by_ideal = np.empty((len(ideal), 2, 2))
    by_ideal[:, 0, 0] = swell + 2 * a * a * steep + 2 * p1 * b + 6 * p2 * a
    by_ideal[:, 1, 1] = swell + 2 * b * b * steep + 6 * p1 * b + 2 * p2 * a
    by_ideal[:, 0, 1] = by_ideal[:, 1, 0] = mixed
    by_lens = np.empty((len(ideal), 2, 6))
    by_lens[:, :, :2] = np.eye(2) - by_ideal
    by_lens[:, :, 2] = unit_px * np.column_stack([a * r2, b * r2])
    by_lens[:, :, 3] = unit_px * np.column_stack([a * r2 * r2, b * r2 * r2])
    by_lens[:, :, 4] = unit_px * np.column_stack([2 * a * b, r2 + 2 * b * b])
    by_lens[:, :, 5] = unit_px * np.column_stack([r2 + 2 * a * a, 2 * a * b])
    return np.asarray(lens[:2] + unit_px * out), by_ideal, by_lens
