"""Where a tag is in a base, and how high: from pictures of the model inside a printed ring of tags.

The ring gives the base's centre and front, and the view of the model's tag its offset.  The tag is higher than the
paper, so it appears shifted away from the camera: height times the tangent of the view.  One place tells height only by
how large the tag looks, which is little; a second place, where the view leans another way across the base, tells it by
the shift itself.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.errors import Unsolvable
from calibration.least_squares import Solution, solve
from calibration.table import without_bleed
from hardware.print.enrol import RingTag
from vision.ring import LEAST_SIGMA_PX, UNIT, Place, on_plane, similarity, square

Floats = NDArray[np.float64]

SCALE_SIGMA = 0.002
"""The lens, where it is not known well, stretches the surroundings of a place by so much."""
BLEED_SIGMA_PX = 0.1
"""By so much the edges of these tags may bleed otherwise than those of the anchors."""
PRINT_SIGMA = 0.003
"""Relative, of the size of a printed tag."""
SET_SIGMA_MM = 0.2
SET_SIGMA_RAD = math.radians(0.6)
"""How well a person sets a base into its outline, along each axis, and its front on the arrow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Height:
    """What is known of a tag's height above what its base stands on, before anything is seen."""

    mm: float = 5.0
    sigma_mm: float = 6.0
    """The defaults say: a base like most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Enrolment:
    """Where a model's tag is, as measured."""

    tag: int
    size_mm: float
    x_mm: float
    y_mm: float
    facing_rad: float
    """The tag's centre and turn in the base's frame."""
    height_mm: float
    covariance: Floats
    """(4, 4) of the four."""
    advice: str
    """What would help most, in a sentence; empty if nothing needs to."""

    @property
    def offset_sigma_mm(self) -> float:
        """One standard deviation of the tag's centre, along the axis where it is larger."""
        return math.sqrt(float(np.linalg.eigvalsh(self.covariance[:2, :2])[-1]))

    @property
    def facing_sigma_rad(self) -> float:
        """One standard deviation of the tag's turn."""
        return math.sqrt(float(self.covariance[2, 2]))

    @property
    def height_sigma_mm(self) -> float:
        """One standard deviation of the height."""
        return math.sqrt(float(self.covariance[3, 3]))


def solve_ring(
    places: Sequence[Place], ring: Sequence[RingTag], size_mm: float, height: Height | None = None
) -> Enrolment:
    """Solve where the tag is in the base, and how high, from one place or several.

    Args:
        places: pictures of the model in the ring, at least one.
        ring: the ring round its base.
        size_mm: edge of the black square of the model's tag.
        height: what is known of its height.

    Raises:
        Unsolvable: the places are of different tags, or do not agree.

    """
    height = height or Height()
    tags = sorted({place.tag for place in places})
    if len(tags) > 1:
        raise Unsolvable(f"the pictures show tags {tags[0]} and {tags[1]} inside the ring; a model has one tag")
    ends = [_Residuals(place, ring, size_mm) for place in places]
    start = np.concatenate([[*_first_guess(places[0], height.mm), height.mm, 0.0, 0.0], *(e.start for e in ends)])
    spread_px = np.mean([_size_px(place) for place in places])
    bleed_px = math.hypot(BLEED_SIGMA_PX, PRINT_SIGMA * spread_px / 2)
    sigmas = np.array([height.sigma_mm, bleed_px, BLEED_SIGMA_PX])
    own = np.array([SCALE_SIGMA, SET_SIGMA_MM, SET_SIGMA_MM, SET_SIGMA_RAD])
    free, fixed = np.zeros(3), np.concatenate([[0, 0, 0], own**-2])
    information = np.diag(np.concatenate([free, sigmas**-2, *(fixed for _ in ends)]))
    prior = np.concatenate([free, [height.mm, 0.0, 0.0], np.zeros(_OWN * len(ends))])
    sigma_px = LEAST_SIGMA_PX
    solution = None
    for _ in range(2):  # the second time with the noise that the first time found
        solution = solve(residuals=_joined(ends, sigma_px), start=start, prior=prior, information=information)
        start = solution.parameters
        rms = math.sqrt(float(np.mean(solution.residuals**2)))
        sigma_px = max(LEAST_SIGMA_PX, sigma_px * rms)
    assert solution is not None
    x_mm, y_mm, facing_rad, height_mm = (float(value) for value in solution.parameters[:4])
    _check_agreement(solution, len(ends))
    covariance = solution.covariance[:4, :4].copy()
    # Without a calibrated lens the camera's own height is known to some percent, and the tag's no better.
    camera = places[0].camera
    covariance[3, 3] += (height_mm * camera.height_sigma_mm / camera.height_mm) ** 2
    return Enrolment(
        tag=tags[0],
        size_mm=size_mm,
        x_mm=x_mm,
        y_mm=y_mm,
        facing_rad=math.remainder(facing_rad, math.tau),
        height_mm=height_mm,
        covariance=covariance,
        advice=_advice(places, solution.covariance),
    )


_SHARED, _OWN = 6, 7
"""Parameters of the solve: the tag's x, y, turn and height, the bleed of the model's tag and of the ring's; and for
each place the sheet's x, y and turn, the logarithm of its scale, and how the base is set into the outline."""
_STEPS = np.array([1e-3, 1e-3, 1e-5, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-5, 1e-6, 1e-3, 1e-3, 1e-5])


class _Residuals:
    """How far the corners of one place are from where the parameters put them, px."""

    def __init__(self, place: Place, ring: Sequence[RingTag], size_mm: float) -> None:
        self._camera = place.camera
        tags = [tag for tag in ring if tag.tag in place.ring_px]
        self._ring = np.array([square(complex(tag.x_mm, tag.y_mm), 0.0, tag.size_mm) for tag in tags])
        seen = np.array([*(place.ring_px[tag.tag] for tag in tags), place.corners_px])
        self._seen_px = without_bleed(seen, place.camera.bleed_px)
        self._size_mm = size_mm
        self.start = np.array([place.sheet.x_mm, place.sheet.y_mm, place.sheet.turn_rad, 0.0, 0.0, 0.0, 0.0])

    def __call__(self, parameters: Floats) -> Floats:
        x, y, turn, z, bleed, ring_bleed, sheet_x, sheet_y, sheet_turn, scale, set_x, set_y, set_turn = parameters
        tag = complex(set_x, set_y) + np.exp(1j * set_turn) * square(complex(x, y), turn, self._size_mm)
        corners = complex(sheet_x, sheet_y) + np.exp(scale + 1j * sheet_turn) * np.vstack([self._ring, tag])
        heights = np.zeros(corners.shape)
        heights[-1] = z
        points = np.stack([corners.real, corners.imag, heights], axis=-1)
        pixels = self._camera.image_from_table(points.reshape(-1, 3)).reshape(-1, 4, 2)
        bled = np.concatenate([without_bleed(pixels[:-1], -ring_bleed), without_bleed(pixels[-1:], -bleed)])
        return np.asarray((bled - self._seen_px).ravel())

    def slope(self, parameters: Floats) -> Floats:
        """(m, 13) derivatives by central differences."""
        columns = []
        for at, step in enumerate(_STEPS):
            shift = np.zeros(len(_STEPS))
            shift[at] = step
            columns.append((self(parameters + shift) - self(parameters - shift)) / (2 * step))
        return np.stack(columns, axis=-1)


def _joined(ends: Sequence[_Residuals], sigma_px: float) -> Callable[[Floats], tuple[Floats, Floats]]:
    def residuals(parameters: Floats) -> tuple[Floats, Floats]:
        found, slopes = [], []
        for at, end in enumerate(ends):
            begin = _SHARED + _OWN * at
            own = np.concatenate([parameters[:_SHARED], parameters[begin : begin + _OWN]])
            slope = end.slope(own)
            wide = np.zeros((len(slope), len(parameters)))
            wide[:, :_SHARED], wide[:, begin : begin + _OWN] = slope[:, :_SHARED], slope[:, _SHARED:]
            found.append(end(own) / sigma_px)
            slopes.append(wide / sigma_px)
        return np.concatenate(found), np.concatenate(slopes)

    return residuals


def _check_agreement(solution: Solution, places: int) -> None:
    """Raise Unsolvable if a place can only be explained by a base that was set down carelessly."""
    own = solution.parameters[_SHARED:].reshape(places, _OWN)
    if np.hypot(own[:, 4], own[:, 5]).max() > 5 * SET_SIGMA_MM or np.abs(own[:, 6]).max() > 5 * SET_SIGMA_RAD:
        raise Unsolvable(
            "the places do not agree: set the model exactly into the outline each time, its front on the arrow, and"
            " begin again"
        )


def _advice(places: Sequence[Place], covariance: Floats) -> str:
    leans = np.array([_lean(place) for place in places])
    offset_mm = math.sqrt(float(np.linalg.eigvalsh(covariance[:2, :2])[-1]))
    height_mm = math.sqrt(float(covariance[3, 3]))
    spread = float(np.abs(leans[:, None] - leans).max())
    if height_mm > 1.0 and spread < 0.4:
        if np.abs(leans).max() > 0.25:
            return (
                "Turn the sheet half round where it lies, and set the model into it again: that tells the tag's height."
            )
        return "Once more far from here, near an edge of the table: that tells the tag's height."
    if height_mm > 1.0 or offset_mm > 0.3:
        return "Once more, set into the outline anew: what a hand does not place exactly averages out."
    return ""


def _lean(place: Place) -> complex:
    """Return the tangent of the view, along the base's axes: a tag appears shifted by so much for each mm of height."""
    turn = place.camera.camera_from_table
    eye = -turn.T @ place.camera.translation_mm
    away = complex(place.sheet.x_mm, place.sheet.y_mm) - complex(eye[0], eye[1])
    return complex(away / float(eye[2]) * np.exp(-1j * place.sheet.turn_rad))


def _first_guess(place: Place, height_mm: float) -> tuple[float, float, float]:
    corners = place.sheet.of_table(on_plane(place.camera, place.corners_px[None], height_mm)[0])
    centre, ratio = similarity(UNIT, corners)
    return float(centre.real), float(centre.imag), float(np.angle(ratio))


def _size_px(place: Place) -> float:
    return float(np.linalg.norm(place.corners_px - np.roll(place.corners_px, 1, axis=0), axis=1).mean())
